/* kernelworld: the tracer's state dump: what the tasks and their descriptors are, told one after
 * the other while everything goes on. */
#include "kernelworld.h"
#include "kernelworld_service.h"

#include <string.h>

static void do_event(struct cpu *c, const struct step *step)
{
	struct sim *s = c->sim;
	if (step->a == EV_DUMP_DEVICE) {
		val(s, 254 << 20);
		text(s, "vda");
	} else if (step->a == EV_DUMP_INTERFACE) {
		text(s, step->n ? "lo" : "eth0");
		val(s, step->n ? 0x7F000001 : 10 << 24 | (int)(c->m->id + 1));
	}
	emit(c, (enum event_id)step->a);
}

static int status_of(const struct task *t)
{
	if (t->dead)
		return t->reaper ? 4 : 7;
	if (t->blocked)
		return 5; /* waits */
	/* What LTTng says of all that run, or could: its code takes them for forked ones. */
	return 1;
}

static void do_process(struct cpu *c, const struct step *step)
{
	struct sim *s = c->sim;
	const struct task *t = step->p;
	if (t->freed)
		return;
	val(s, t->tid);
	if (s->o.old)
		val(s, t->tid);
	val(s, t->pid);
	if (s->o.old)
		val(s, t->pid);
	val(s, t->ppid);
	if (s->o.old)
		val(s, t->ppid);
	text(s, t->comm);
	val(s, t->is_kernel);
	val(s, 5);
	val(s, 0);
	val(s, status_of(t));
	if (s->o.old) {
		val(s, 0);
	} else {
		val(s, t->cpu->id);
		address(s, t->dead ? 0 : t->files);
	}
	emit(c, EV_DUMP_PROCESS);
}

struct descriptor {
	int fd;
	const char *name;
};

/* q: the name, n: descriptor */
static void do_descriptor(struct cpu *c, const struct step *step)
{
	struct sim *s = c->sim;
	const struct task *t = step->p;
	if (s->o.old)
		val(s, t->pid);
	else
		address(s, t->files);
	val(s, step->n);
	val(s, 0100002);
	val(s, 0xE0003);
	text(s, step->q);
	emit(c, EV_DUMP_FD);
}

static void add_descriptor(struct sim *s, struct task *t, int fd, const char *name)
{
	struct step *step = add_p(s, do_descriptor, t);
	step->n = fd;
	step->q = (void *)(uintptr_t)name;
}

static void do_descriptors(struct cpu *c, const struct step *step)
{
	struct sim *s = c->sim;
	struct task *t = step->p;
	if (t->freed || t->dead || t->is_kernel || t->tid != t->pid)
		return;
	add_descriptor(s, t, 0, "/dev/null");
	for (int fd = 3; t->in && t->in->cause == KERNEL_PIPE && fd <= 6; fd++)
		add_descriptor(s, t, fd, fd < 5 ? "pipe:[10995]" : "pipe:[10996]");
	if (t->client) {
		add_descriptor(s, t, 10, "socket:[12462]");
		add_descriptor(s, t, 11, "anon_inode:[eventpoll]");
	}
	if (t->server) {
		add_descriptor(s, t, 20, "socket:[12463]");
		add_descriptor(s, t, 21, "anon_inode:[eventpoll]");
	}
	for (int fd = 0; t->service && fd < 64; fd++)
		if (t->service->fds->name[fd])
			add_descriptor(s, t, fd, t->service->fds->name[fd]);
	if (!t->service)
		add_descriptor(s, t, 30, "/var/lib/data");
	put_first(s, context(c));
}

static void do_next(struct cpu *c, const struct step *step)
{
	struct sim *s = c->sim;
	struct task *t = step->p;
	while (t && (t->is_idle || t->freed))
		t = t->next;
	if (!t)
		return;
	add_p(s, do_process, t);
	add_p(s, do_descriptors, t);
	add_p(s, do_next, t->next);
	put_first(s, context(c));
}

static void add_event(struct sim *s, enum event_id e, int64_t n)
{
	struct step *step = add(s, do_event);
	step->a = (int32_t)e;
	step->n = n;
}

void add_dump(struct sim *s, struct machine *m)
{
	add_call(s, C_IOCTL, 34);
	add_event(s, EV_DUMP_START, 0);
	add_event(s, EV_DUMP_INTERFACE, 0);
	add_event(s, EV_DUMP_INTERFACE, 1);
	add_event(s, EV_DUMP_DEVICE, 0);
	add_p(s, do_next, m->tasks);
	add_event(s, EV_DUMP_END, 0);
	add_return(s, C_IOCTL, 0);
}
