/* kernelworld: what tasks do. A task that has nothing left to do is given its next activity. */
#include "kernelworld.h"
#include "kernelworld_service.h"
#include "kernelworld_virtio.h"
#include "kernelworld_vm.h"

#include <stdlib.h>
#include <string.h>

/* ---- system calls ---- */

static void do_call(struct cpu *c, const struct step *step)
{
	struct task *t = c->current;
	t->call = (int16_t)step->a;
	t->fd = (int)step->n;
	t->call_begin = c->sim->now;
	c->sim->peer = step->p;
	c->sim->other = (int)(intptr_t)step->q;
	emit_call(c, step->a, t->fd);
	note_on_cpu(t);
}

static void do_return(struct cpu *c, const struct step *step)
{
	struct task *t = c->current;
	c->sim->peer = step->p;
	emit_return(c, step->a, t->fd, step->n);
	t->call = -1;
	t->call_end = c->sim->now;
	note_on_cpu(t);
}

void add_call(struct sim *s, int call, int fd)
{
	struct step *step = add(s, do_call);
	step->a = call;
	step->n = fd;
}

void add_return(struct sim *s, int call, int64_t ret)
{
	struct step *step = add(s, do_return);
	step->a = call;
	step->n = ret;
}

void add_user(struct sim *s, int64_t lo, int64_t hi)
{
	add_time(s, pick(s, lo, hi));
}

static void add_small_call(struct sim *s)
{
	static const int small[] = { C_OPENAT, C_CLOSE, C_GETPID, C_CLOCK_GETTIME, C_MMAP, C_MUNMAP,
		C_BRK, C_IOCTL, C_NEWFSTATAT, C_NEWFSTAT, C_LSEEK, C_RT_SIGPROCMASK, C_READ,
		C_WRITE };
	int call = small[pick(s, 0, sizeof(small) / sizeof(small[0]) - 1)];
	int fd = (int)pick(s, 30, 40);
	add_call(s, call, fd);
	add_time(s, pick(s, 300, 12000));
	add_return(s, call, call == C_CLOSE ? 0 : call == C_OPENAT ? fd : pick(s, 0, 4096));
	add_user(s, 300, 20000);
}

static void do_begin_window(struct cpu *c, const struct step *step);
static void do_end_window(struct cpu *c, const struct step *step);

static void add_file_call(struct sim *s, struct task *t)
{
	bool is_window = t->m->virtio; /* of a guest: its way is of interest */
	if (is_window)
		add(s, do_begin_window);
	int64_t what = pick(s, 0, 2);
	int call = what == 0 ? C_PREAD : what == 1 ? C_PWRITE : C_FSYNC;
	add_call(s, call, 30);
	add_time(s, pick(s, 2000, 20000));
	if (what == 2)
		add_fsync(s, t);
	else
		add_disk(s, t, what == 1);
	add_time(s, pick(s, 1000, 9000));
	add_return(s, call, what == 2 ? 0 : 4096);
	if (is_window)
		add(s, do_end_window);
}

static void add_rename(struct sim *s, const char *name)
{
	add_call(s, C_PRCTL, -1);
	struct step *step = add(s, do_rename);
	step->p = (void *)(uintptr_t)name;
	add_return(s, C_PRCTL, 0);
}

static void add_work(struct sim *s, struct task *t, int64_t most_ns)
{
	static const char *const names[] = { "busy", "idle", "worker", "a-much-longer-n" };
	int64_t what = pick(s, 0, 99);
	if (what < 30) {
		add_user(s, most_ns / 20, most_ns / 2);
	} else if (what < 65) {
		for (int64_t i = pick(s, 1, 12); i > 0; i--)
			add_small_call(s);
	} else if (what < 78) {
		add_file_call(s, t);
	} else if (what < 97) {
		add_call(s, C_NANOSLEEP, -1);
		add_sleep(s, pick(s, 50000, 8 * most_ns));
		add_return(s, C_NANOSLEEP, 0);
	} else {
		add_rename(s, names[pick(s, 0, 3)]);
	}
	add_user(s, 300, 5000);
}

/* ---- pipes and futexes ---- */

static void add_give(struct sim *s, struct channel *k)
{
	int call = k->cause == KERNEL_PIPE ? C_WRITE : C_FUTEX;
	add_call(s, call, call == C_FUTEX ? FUTEX_WAKES : k->fd + 1);
	add_time(s, pick(s, 500, 5000));
	add_p(s, do_give, k);
	add_time(s, pick(s, 500, 3000));
	add_return(s, call, 1);
}

static void add_take(struct sim *s, struct channel *k)
{
	int call = k->cause == KERNEL_PIPE ? C_READ : C_FUTEX;
	add_call(s, call, k->fd);
	add_time(s, pick(s, 500, 4000));
	add_p(s, do_take, k);
	add_time(s, pick(s, 500, 4000));
	add_return(s, call, call == C_READ);
}

static struct channel *new_channel(int cause, int fd)
{
	struct channel *k = need(calloc(1, sizeof(*k)));
	k->cause = cause;
	k->fd = fd;
	return k;
}

/* Two channels and a thread at their other end. */
static void add_partner(struct sim *s, struct task *t, int cause, enum program program)
{
	t->in = new_channel(cause, cause == KERNEL_PIPE ? 3 : -1);
	t->out = new_channel(cause, cause == KERNEL_PIPE ? 5 : -1);
	for (int fd = 3; cause == KERNEL_PIPE && fd <= 5; fd += 2) {
		add_call(s, C_PIPE2, fd);
		add_time(s, pick(s, 3000, 9000));
		add_return(s, C_PIPE2, 0);
	}
	add_fork(s, t, program, true);
}

static void next_of_pair(struct sim *s, struct task *t, bool first)
{
	if (t->program == PROGRAM_PIPE_FIRST && !t->phase++) {
		add_partner(s, t, KERNEL_PIPE, PROGRAM_PIPE_SECOND);
		return;
	}
	if (t->program == PROGRAM_FUTEX_FIRST && !t->phase++) {
		add_partner(s, t, KERNEL_FUTEX, PROGRAM_FUTEX_SECOND);
		return;
	}
	if (!first)
		add_take(s, t->in);
	for (int64_t i = pick(s, 1, 3); i > 0; i--)
		add_work(s, t, 400000);
	add_give(s, t->out);
	if (first) {
		add_take(s, t->in);
		add_work(s, t, 1000000);
	}
}

/* ---- processes ---- */

static void next_of_forker(struct sim *s, struct task *t)
{
	bool thread = chance(s, 0.4);
	add_fork(s, t, thread ? PROGRAM_THREAD : PROGRAM_SHORT, thread);
	add_work(s, t, 300000);
	if (!thread) {
		add_call(s, C_WAIT4, -1);
		add_time(s, pick(s, 1000, 5000));
		add(s, do_wait_child);
		add_time(s, pick(s, 3000, 15000));
		add_return(s, C_WAIT4, 1);
	}
	add_work(s, t, 2000000);
}

static void next_of_child(struct sim *s, struct task *t)
{
	static const char *const programs[] = { "cc1", "ld", "gzip", "sha256sum" };
	uint32_t phase = t->phase++;
	if (!phase && t->program == PROGRAM_SHORT && chance(s, 0.7)) {
		add_call(s, C_EXECVE, -1);
		add_time(s, pick(s, 50000, 400000));
		if (chance(s, 0.5))
			add_disk(s, t, false);
		struct step *step = add(s, do_exec);
		step->p = (void *)(uintptr_t)programs[pick(s, 0, 3)];
		add_return(s, C_EXECVE, 0);
	} else if (phase < 5 && chance(s, 0.8)) {
		add_work(s, t, 500000);
	} else {
		add_exit(s, t);
	}
}

/* ---- requests ---- */

static void do_begin_window(struct cpu *c, const struct step *step)
{
	(void)step;
	c->current->window = c->sim->now;
}

static void do_end_window(struct cpu *c, const struct step *step)
{
	struct sim *s = c->sim;
	struct task *t = c->current;
	(void)step;
	if (t->window < s->o.begin_cut)
		return;
	s->windows = grown(s->windows, s->n_windows, &s->cap_windows, sizeof(*s->windows));
	s->windows[s->n_windows++] = (struct window){ t, t->window, s->now };
}

static void add_write(struct sim *s, struct conn *k, int side)
{
	int call = chance(s, 0.5) ? C_SENDTO : C_WRITE;
	add_call(s, call, k->end[side].fd);
	add_send(s, k, side, k->bytes[side]);
	add_return(s, call, k->bytes[side]);
}

static void add_request(struct sim *s, struct conn *k)
{
	add_write(s, k, 0);
	add_user(s, 300, 30000);
	add_receive(s, k, 0, k->bytes[1]);
}

static void next_of_client(struct sim *s, struct task *t)
{
	add_work(s, t, 1500000);
	add(s, do_begin_window);
	add_user(s, 300, 100000);
	add_request(s, t->client);
	add_user(s, 300, 100000);
	add(s, do_end_window);
}

static void next_of_server(struct sim *s, struct task *t)
{
	bool handler = t->program == PROGRAM_HANDLER;
	if (!handler && !t->phase++) {
		if ((t->m->id + t->number) & 1)
			add_partner(
				s, t, chance(s, 0.5) ? KERNEL_PIPE : KERNEL_FUTEX, PROGRAM_HANDLER);
		else
			add_work(s, t, 100000);
		return;
	}
	if (handler) {
		if (!t->phase++) {
			t->server = t->parent->server;
			t->client = t->parent->client;
			t->server->end[1].owner = t->parent;
		}
		add_take(s, t->in);
	} else {
		add_receive(s, t->server, 1, t->server->bytes[0]);
		add_user(s, 300, 20000);
		if (t->out) {
			add_give(s, t->out);
			return;
		}
	}
	for (int64_t i = pick(s, 1, 2); i > 0; i--)
		add_work(s, t, 400000);
	if (t->client) {
		add_request(s, t->client);
		add_work(s, t, 100000);
	}
	add_write(s, t->server, 1);
}

/* ---- all ---- */

void next_activity(struct cpu *c, struct task *t)
{
	struct sim *s = c->sim;
	switch (t->program) {
	case PROGRAM_IDLE: break;
	case PROGRAM_KTHREAD: next_work(c, t); break;
	case PROGRAM_TICKER:
		add_time(s, pick(s, 2000, 60000));
		add_wheel_sleep(s, pick(s, 1000000, 30000000));
		break;
	case PROGRAM_WORKER: add_work(s, t, 3000000); break;
	case PROGRAM_SHORT:
	case PROGRAM_THREAD: next_of_child(s, t); break;
	case PROGRAM_FORKER: next_of_forker(s, t); break;
	case PROGRAM_PIPE_FIRST:
	case PROGRAM_FUTEX_FIRST: next_of_pair(s, t, true); break;
	case PROGRAM_PIPE_SECOND:
	case PROGRAM_FUTEX_SECOND: next_of_pair(s, t, false); break;
	case PROGRAM_CLIENT: next_of_client(s, t); break;
	case PROGRAM_SERVER:
	case PROGRAM_HANDLER: next_of_server(s, t); break;
	case PROGRAM_SERVICE:
		add_user(s, 200, 1500);
		service_goes_on(c, t);
		break;
	case PROGRAM_VCPU: next_of_vcpu(c, t); break;
	case PROGRAM_QEMU:
		add_user(s, 5000, 50000);
		add_call(s, C_NANOSLEEP, -1);
		add_sleep(s, pick(s, 5000000, 40000000));
		add_return(s, C_NANOSLEEP, 0);
		break;
	case PROGRAM_VIRTIO_MAIN:
	case PROGRAM_VIRTIO_WORKER: next_of_virtio(c, t); break;
	case PROGRAM_HOG: add_user(s, 200000, 5000000); break;
	case PROGRAM_DUMPER:
		if (s->now < s->o.begin_cut)
			add_sleep(s, s->o.begin_cut - s->now);
		else if (!t->phase++)
			add_dump(s, t->m);
		else
			add_work(s, t, 3000000);
		break;
	}
	put_first(s, context(c));
}

struct task *start(struct machine *m, const char *comm, enum program program)
{
	struct sim *s = m->sim;
	struct cpu *c = &m->cpus[pick(s, 0, m->n_cpus - 1)];
	bool kernel = program == PROGRAM_KTHREAD || program == PROGRAM_TICKER;
	return first_task(c, comm, program, kernel ? 10 + (int32_t)m->n_kernel++ : -1);
}

static struct conn *connect_tasks(struct task *client, struct task *server)
{
	struct sim *s = client->m->sim;
	struct conn *k = new_conn(client->m, server->m);
	k->bytes[0] = (uint32_t)pick(s, 20, 2000);
	k->bytes[1] = (uint32_t)pick(s, 20, 9000);
	k->end[0].owner = client;
	k->end[0].fd = 10;
	k->end[1].owner = server;
	k->end[1].fd = 20;
	client->client = k;
	server->server = k;
	return k;
}

/* A client on one machine, a server on the next and, for every other one, a second on the one
 * after. */
static void make_tiers(struct sim *s, uint32_t i, uint32_t k)
{
	struct machine *m = &s->machines[i];
	uint32_t n = s->o.n_machines;
	struct machine *a = s->o.apart ? m : &s->machines[(i + (k & 1)) % n];
	struct machine *b = s->o.apart ? m : &s->machines[(i + (k & 1) + 1) % n];
	struct task *client = start(m, "client", PROGRAM_CLIENT);
	struct task *front = start(a, "front", PROGRAM_SERVER);
	connect_tasks(client, front);
	if (k & 2 || k == 1)
		connect_tasks(front, start(b, "back", PROGRAM_SERVER));
}

void make_tasks(struct sim *s)
{
	for (uint32_t i = 0; i < s->o.n_machines; i++) {
		struct machine *m = &s->machines[i];
		m->kthreadd = start(m, "kthreadd", PROGRAM_KTHREAD);
		m->rcu = start(m, "rcu_preempt", PROGRAM_KTHREAD);
		m->kworker = start(m, "kworker/u4:1", PROGRAM_KTHREAD);
		m->jbd2 = start(m, "jbd2/vda-8", PROGRAM_KTHREAD);
		start(m, "khugepaged", PROGRAM_TICKER);
		if (s->o.dump)
			start(m, "lttng-sessiond", PROGRAM_DUMPER);
	}
	if (s->o.shape)
		make_services(s);
	for (uint32_t i = 0; i < s->o.n_machines; i++) {
		for (uint32_t k = 0; k < s->o.n_tasks; k++) {
			start(&s->machines[i], "worker", PROGRAM_WORKER);
			if (k % 3 == 0)
				start(&s->machines[i], "forker", PROGRAM_FORKER);
			if (k % 3 == 1)
				start(&s->machines[i], "piper", PROGRAM_PIPE_FIRST);
			if (k % 3 == 2)
				start(&s->machines[i], "locker", PROGRAM_FUTEX_FIRST);
			make_tiers(s, i, k + 1);
		}
	}
	make_vcpus(s);
}
