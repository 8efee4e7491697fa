/* Schedule: reads the hypervisors once, for entries, exits and running threads, and each guest
 * once, only for the times of its events. */
#include "sync/vcpu/schedule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/map.h"
#include "base/sort.h"
#include "sync/vcpu/holes.h"
#include "trace/cursor.h"

enum { NO_ID = UINT32_MAX };
enum { MAX_ID = 8192 };

enum { ENTRY, EXIT, SWITCH, STATE, FORK, CALL, GUEST_CALL, INTERRUPT };
static const struct {
	struct mer_need need;
	int what;
} needs[] = {
	/* Some versions of the tracer record a wrong id here: that of the exit counts. */
	{ { "kvm_x86_entry", "vcpu_id tid" }, ENTRY },
	{ { "kvm_entry", "vcpu_id tid" }, ENTRY },
	{ { "kvm:kvm_entry", "vcpu_id common_pid" }, ENTRY },
	{ { "kvm_x86_exit", "vcpu_id tid" }, EXIT },
	{ { "kvm_exit", "vcpu_id tid" }, EXIT },
	{ { "kvm:kvm_exit", "vcpu_id common_pid" }, EXIT },
	{ { "sched_switch", "prev_tid next_tid prev_comm:s next_comm:s" }, SWITCH },
	{ { "sched:sched_switch", "prev_pid next_pid prev_comm:s next_comm:s" }, SWITCH },
	{ { "lttng_statedump_process_state", "tid pid name:s" }, STATE },
	{ { "sched_process_fork", "child_tid child_pid child_comm:s" }, FORK },
	{ { "irq_handler_entry", "" }, INTERRUPT },
	{ { "irq:irq_handler_entry", "" }, INTERRUPT },
	{ { "timer_hrtimer_expire_entry", "" }, INTERRUPT },
	{ { "hrtimer_expire_entry", "" }, INTERRUPT },
	{ { "timer:hrtimer_expire_entry", "" }, INTERRUPT },
	{ { "x86_irq_vectors_*_entry", "" }, INTERRUPT },
	{ { "irq_vectors:*_entry", "" }, INTERRUPT },
	{ { "irq_softirq_entry", "" }, INTERRUPT },
	{ { "softirq_entry", "" }, INTERRUPT },
	{ { "irq:softirq_entry", "" }, INTERRUPT },
	{ { "vmsync_gh_host", "vm_uid" }, CALL },
	{ { "vmsync_hg_host", "vm_uid" }, CALL },
	{ { "vmsync_gh_guest", "vm_uid" }, GUEST_CALL },
	{ { "vmsync_hg_guest", "vm_uid" }, GUEST_CALL },
};

enum { N_NEEDS = sizeof(needs) / sizeof(needs[0]) };

struct on_cpu {
	bool is_known; /* the thread that runs on it: tid */
	uint32_t tid;
	/* An entry was seen and no exit yet; the first interrupt since, MER_NO_TIME: none. Some
	 * kernels enable interrupts before they record the exit: then the interrupt that caused it
	 * is recorded first. Between the entry event and the guest itself interrupts are off. */
	bool in_guest;
	int64_t interrupted;
	/* There was an entry or exit since the last switch; the thread's gaps and ids before
	 * that. */
	bool is_begun;
	size_t n_before;
	uint32_t id_of_exit, id_of_entry;
	/* An event before the first switch, which then shows the thread that it belongs to. */
	struct early {
		int64_t time;
		uint32_t id;
		bool is_exit;
	} * early;
	size_t n_early, cap_early;
};

struct open_thread { /* while reading; as threads */
	int64_t exit;
	bool is_out; /* the last entry or exit was an exit, at that time */
	uint32_t id_of_exit, id_of_entry;
};

struct reader {
	struct mer_experiment *e;
	struct sync_schedule *s;
	uint32_t host;
	struct on_cpu *cpus;
	size_t cap_cpus;
	struct open_thread *open;
	size_t cap_open;
	struct mer_map numbers; /* tid -> number in threads, plus 1 */
	struct mer_map pids;	/* tid -> pid, plus 1 */
	struct mer_map names;	/* pid -> number in texts, plus 1 */
	char (*texts)[32];
	size_t n_texts, cap_texts;
	struct sync_holes holes;
	bool lacks_id[N_NEEDS]; /* events without the vCPU's id: it reads as 0 */
	struct mer_err *err;
};

static void copy_name(char to[32], const uint64_t text[2])
{
	size_t n = text[1] < 31 ? (size_t)text[1] : 31;
	if (n)
		memcpy(to, (const char *)(uintptr_t)text[0], n);
	to[n] = '\0';
}

/* ---- Threads ---- */

static struct sync_vcpu_thread *thread_of(struct reader *r, uint32_t tid)
{
	struct sync_schedule *s = r->s;
	uint32_t *at = mer_map_put(&r->numbers, tid);
	if (!at)
		return NULL;
	if (*at)
		return &s->threads[*at - 1];
	if (!mer_grow32(&s->threads, s->n_threads, &s->cap_threads, sizeof(*s->threads)) ||
		!mer_grow_at(&r->open, &r->cap_open, s->n_threads, sizeof(*r->open)))
		return NULL;
	s->threads[s->n_threads] = (struct sync_vcpu_thread){
		.host = r->host, .tid = tid, .pid = SYNC_NO_PID, .id = NO_ID
	};
	r->open[s->n_threads] = (struct open_thread){ .id_of_exit = NO_ID, .id_of_entry = NO_ID };
	*at = ++s->n_threads;
	return &s->threads[s->n_threads - 1];
}

static int take(struct reader *r, uint32_t tid, int64_t time, uint32_t id, bool is_exit)
{
	struct sync_vcpu_thread *t = thread_of(r, tid);
	if (!t)
		return mer_fail_nomem(r->err);
	struct open_thread *o = &r->open[t - r->s->threads];
	if (id < MAX_ID)
		*(is_exit ? &o->id_of_exit : &o->id_of_entry) = id;
	t->n_exits += is_exit;
	if (is_exit) {
		o->is_out = true;
		o->exit = time;
		return 0;
	}
	if (o->is_out && time > o->exit) {
		if (!mer_spill_grow(r->s->spill, &t->gaps, t->n, &t->cap, sizeof(*t->gaps)))
			return mer_fail_nomem(r->err);
		t->gaps[t->n++] = (struct sync_gap){ o->exit, time };
	}
	o->is_out = false;
	return 0;
}

static int take_early(struct reader *r, struct on_cpu *c, uint32_t tid)
{
	int rc = 0;
	for (size_t i = 0; i < c->n_early && rc == 0; i++)
		rc = take(r, tid, c->early[i].time, c->early[i].id, c->early[i].is_exit);
	c->n_early = 0;
	return rc;
}

static int name_process(struct reader *r, uint32_t pid, const uint64_t text[2])
{
	uint32_t *at = mer_map_put(&r->names, pid);
	if (!at || (!*at && !mer_grow(&r->texts, r->n_texts, &r->cap_texts, sizeof(*r->texts))))
		return mer_fail_nomem(r->err);
	if (!*at)
		*at = (uint32_t)++r->n_texts;
	copy_name(r->texts[*at - 1], text);
	return 0;
}

static int take_process(struct reader *r, const uint64_t *v)
{
	uint32_t tid = (uint32_t)v[0], pid = (uint32_t)v[1];
	uint32_t *at = pid ? mer_map_put(&r->pids, tid) : NULL;
	if (!pid)
		return 0;
	if (!at)
		return mer_fail_nomem(r->err);
	*at = pid + 1;
	return tid == pid ? name_process(r, pid, v + 2) : 0;
}

static int add_caller(struct reader *r, uint64_t uid, uint32_t tid)
{
	struct sync_schedule *s = r->s;
	for (uint32_t i = 0; i < s->n_callers; i++)
		if (s->callers[i].uid == uid && s->callers[i].host == r->host &&
			s->callers[i].thread_tid == tid)
			return 0;
	if (!mer_grow32(&s->callers, s->n_callers, &s->cap_callers, sizeof(*s->callers)))
		return mer_fail_nomem(r->err);
	s->callers[s->n_callers++] = (struct sync_hypercaller){ uid, r->host, tid };
	return 0;
}

static struct sync_vcpu_thread *find_thread(const struct reader *r, uint32_t tid)
{
	const uint32_t *at = mer_map_get(&r->numbers, tid);
	return at && *at ? &r->s->threads[*at - 1] : NULL;
}

static bool begin_stretch(struct reader *r, struct on_cpu *c)
{
	const struct sync_vcpu_thread *t = thread_of(r, c->tid);
	if (!t)
		return false;
	const struct open_thread *o = &r->open[t - r->s->threads];
	c->is_begun = true;
	c->n_before = t->n;
	c->id_of_exit = o->id_of_exit;
	c->id_of_entry = o->id_of_entry;
	return true;
}

/* A thread leaves a CPU on which another one seemed to run: a switch was lost, and it is unknown to
 * which thread the entries and exits since then belong. */
static void contradict(struct reader *r, const struct on_cpu *c, uint32_t tid)
{
	struct sync_vcpu_thread *t = c->is_begun ? find_thread(r, c->tid) : NULL;
	if (t) {
		struct open_thread *o = &r->open[t - r->s->threads];
		t->n = c->n_before < t->n ? c->n_before : t->n;
		o->is_out = false;
		o->id_of_exit = c->id_of_exit;
		o->id_of_entry = c->id_of_entry;
	}
	t = find_thread(r, tid);
	if (t)
		r->open[t - r->s->threads].is_out = false;
}

static int take_switch(struct reader *r, struct on_cpu *c, const uint64_t *v)
{
	int rc = c->is_known ? 0 : take_early(r, c, (uint32_t)v[0]);
	if (c->is_known && c->tid != (uint32_t)v[0])
		contradict(r, c, (uint32_t)v[0]);
	c->is_begun = false;
	c->is_known = true;
	c->tid = (uint32_t)v[1];
	c->in_guest = false;
	for (int side = 0; side < 2; side++) {
		struct sync_vcpu_thread *t = find_thread(r, (uint32_t)v[side]);
		if (t)
			copy_name(t->name, v + 2 + 2 * side);
	}
	return rc;
}

/* is_after: events of its CPU may have been lost before it. */
static int take_event(struct reader *r, const struct mer_event *ev, bool is_after)
{
	int32_t cpu = r->e->streams[ev->stream].cpu;
	struct on_cpu *c = mer_grow_at(&r->cpus, &r->cap_cpus,
		cpu < 0 || cpu >= MAX_ID ? 0 : (size_t)cpu, sizeof(*r->cpus));
	if (!c)
		return mer_fail_nomem(r->err);
	if (is_after) { /* maybe a switch */
		c->is_known = c->in_guest = c->is_begun = false;
		c->n_early = 0;
	}
	const uint64_t *v = ev->slots;
	int what = needs[ev->plan->tag].what;
	if (what == STATE || what == FORK)
		return take_process(r, v);
	if (what == GUEST_CALL)
		return add_caller(r, v[0], 0);
	if (what == INTERRUPT) {
		if (c->in_guest && c->interrupted == MER_NO_TIME)
			c->interrupted = ev->ts;
		return 0;
	}
	if (what == SWITCH)
		return take_switch(r, c, v);
	if (what == CALL)
		return c->is_known ? add_caller(r, v[0], c->tid) : 0;
	uint32_t id = v[0] < MAX_ID && !r->lacks_id[ev->plan->tag] ? (uint32_t)v[0] : NO_ID;
	bool is_early = what == EXIT && c->in_guest && c->interrupted != MER_NO_TIME;
	int64_t time = is_early ? c->interrupted : ev->ts;
	c->in_guest = what == ENTRY;
	c->interrupted = MER_NO_TIME;
	if (c->is_known && !v[1] && !c->is_begun && !begin_stretch(r, c))
		return mer_fail_nomem(r->err);
	if (c->is_known || v[1])
		return take(r, v[1] ? (uint32_t)v[1] : c->tid, time, id, what == EXIT);
	if (!mer_grow(&c->early, c->n_early, &c->cap_early, sizeof(*c->early)))
		return mer_fail_nomem(r->err);
	c->early[c->n_early++] = (struct early){ time, id, what == EXIT };
	return 0;
}

/* ---- Which hosts ---- */

static bool has_id(const struct ctf_plan *plan)
{
	const struct ctf_fc *fc = plan->class->payload;
	for (uint32_t i = 0; fc && i < fc->u.record.n; i++)
		if (strcmp(fc->u.record.fields[i].name, "vcpu_id") == 0)
			return true;
	return false;
}

/* Has the host classes of events that only hypervisors, or guests that call them, have? */
static bool has_schedule(struct reader *r, const struct trace_reading *reading)
{
	const struct mer_experiment *e = r->e;
	bool any = false;
	for (uint32_t i = 0; i < e->n_parts; i++) {
		if (e->traces[e->parts[i].trace].host != r->host)
			continue;
		const struct ctf_program *p = reading->programs[i];
		for (uint32_t k = 0; k < p->schema->n_streams; k++)
			for (uint32_t c = 0; c < p->schema->streams[k].n_events; c++) {
				const struct ctf_plan *plan = &p->streams[k].events[c];
				int what = plan->wanted ? needs[plan->tag].what : SWITCH;
				any |= what == ENTRY || what == EXIT || what == GUEST_CALL;
				if ((what == ENTRY || what == EXIT) && !has_id(plan))
					r->lacks_id[plan->tag] = true;
			}
	}
	return any;
}

/* The id of a vCPU whose events lack it, from the thread's name: "CPU 3/KVM". */
static uint32_t id_in(const char *name)
{
	unsigned id;
	char after;
	return sscanf(name, "CPU %u/KV%c", &id, &after) == 2 && id < MAX_ID ? id : NO_ID;
}

/* Drops gaps within which an entry and an exit may be missing. */
static void drop_lossy_gaps(const struct reader *r, struct sync_vcpu_thread *t)
{
	size_t n = 0;
	for (size_t i = 0; i < t->n; i++)
		if (!sync_holes_between(&r->holes, t->gaps[i].exit, t->gaps[i].entry))
			t->gaps[n++] = t->gaps[i];
	t->n = n;
}

static void finish_threads(struct reader *r, uint32_t first)
{
	struct sync_schedule *s = r->s;
	for (uint32_t i = first; i < s->n_threads; i++) {
		struct sync_vcpu_thread *t = &s->threads[i];
		const uint32_t *pid = mer_map_get(&r->pids, t->tid);
		t->pid = pid && *pid ? *pid - 1 : SYNC_NO_PID;
		uint32_t named = id_in(t->name);
		t->id = r->open[i].id_of_exit != NO_ID ? r->open[i].id_of_exit
			: named != NO_ID	       ? named
						       : r->open[i].id_of_entry;
		const uint32_t *name =
			t->pid == SYNC_NO_PID ? NULL : mer_map_get(&r->names, t->pid);
		if (name && *name)
			memcpy(t->name, r->texts[*name - 1], sizeof(t->name));
	}
}

static int read_host(
	struct reader *r, const struct trace_reading *reading, struct mer_cancel *cancel)
{
	struct mer_cursor *cursor = NULL;
	uint32_t first = r->s->n_threads;
	int rc = sync_holes_begin(r->e, r->host, &r->holes, r->err);
	if (rc == 0)
		rc = trace_cursor_of_host(r->e, reading, r->host, &cursor, r->err);
	for (size_t n = 1; rc == 0 && n;) {
		const struct mer_event *ev;
		if (mer_cancelled(cancel))
			rc = mer_fail(r->err, MER_ERR_CANCELLED, "cancelled");
		else
			rc = mer_cursor_next(cursor, &ev, &n, r->err);
		for (size_t i = 0; rc == 0 && i < n; i++) {
			if (ev[i].ts == MER_NO_TIME)
				continue;
			bool is_after;
			rc = sync_holes_event(&r->holes, ev[i].stream, ev[i].ts, &is_after, r->err);
			if (rc == 0)
				rc = take_event(r, &ev[i], is_after);
		}
	}
	if (rc == 0)
		rc = sync_holes_finish(&r->holes, r->err);
	for (uint32_t i = first; rc == 0 && i < r->s->n_threads; i++)
		drop_lossy_gaps(r, &r->s->threads[i]);
	if (rc == 0)
		finish_threads(r, first);
	if (cursor)
		trace_cursor_drop(cursor);
	return rc;
}

static void reader_fini(struct reader *r)
{
	for (size_t i = 0; i < r->cap_cpus; i++)
		free(r->cpus[i].early);
	free(r->cpus);
	free(r->open);
	free(r->texts);
	sync_holes_fini(&r->holes);
	mer_map_fini(&r->numbers);
	mer_map_fini(&r->pids);
	mer_map_fini(&r->names);
}

/* ---- VMs ---- */

/* Drops threads without gaps: after lost switches they may not be vCPUs at all. */
static void drop_threads(struct sync_schedule *s)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < s->n_threads; i++) {
		if (s->threads[i].n)
			s->threads[n++] = s->threads[i];
		else
			mer_spill_release(s->threads[i].gaps);
	}
	s->n_threads = n;
}

static int by_process(const void *a, const void *b)
{
	const struct sync_vcpu_thread *x = a, *y = b;
	if (x->host != y->host)
		return x->host < y->host ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

static int by_vm(const void *a, const void *b)
{
	const struct sync_vcpu_thread *x = a, *y = b;
	if (x->vm != y->vm)
		return x->vm < y->vm ? -1 : 1;
	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

/* A process is a VM. A thread whose process is not known belongs to the VM of the thread before it
 * if its id is larger: vCPUs are created in the order of their ids. */
static bool begins_vm(const struct sync_vcpu_thread *t, uint32_t i)
{
	const struct sync_vcpu_thread *before = &t[-1];
	if (i == 0 || t->host != before->host || t->pid != before->pid)
		return true;
	return t->pid == SYNC_NO_PID &&
	       (t->id == NO_ID || before->id == NO_ID || t->id <= before->id);
}

static void number_vms(struct sync_schedule *s)
{
	uint32_t unnamed = 0;
	qsort(s->threads, s->n_threads, sizeof(*s->threads), by_process);
	for (uint32_t i = 0; i < s->n_threads; i++) {
		struct sync_vcpu_thread *t = &s->threads[i];
		if (begins_vm(t, i)) {
			s->n_vms++;
			unnamed = 0;
		}
		t->vm = s->n_vms - 1;
	}
	/* After all are grouped: those without an id are counted in the order of their making. */
	for (uint32_t i = 0; i < s->n_threads; i++) {
		struct sync_vcpu_thread *t = &s->threads[i];
		unnamed = i && t->vm == t[-1].vm ? unnamed + 1 : 0;
		if (t->id == NO_ID)
			t->id = unnamed;
	}
	qsort(s->threads, s->n_threads, sizeof(*s->threads), by_vm);
}

static int make_vms(struct sync_schedule *s, struct mer_err *err)
{
	drop_threads(s);
	number_vms(s);
	s->vms = calloc(s->n_vms + 1u, sizeof(*s->vms));
	s->first = calloc(s->n_vms + 1u, sizeof(*s->first));
	s->vcpus = calloc(s->n_threads + 1u, sizeof(*s->vcpus));
	if (!s->vms || !s->first || !s->vcpus)
		return mer_fail_nomem(err);
	for (uint32_t i = 0; i < s->n_threads; i++) {
		const struct sync_vcpu_thread *t = &s->threads[i];
		struct sync_vm *vm = &s->vms[t->vm];
		if (!vm->n_vcpus) {
			*vm = (struct sync_vm){ .hypervisor = t->host,
				.guest = SYNC_NO_GUEST,
				.pid = t->pid,
				.name = t->name,
				.vcpus = &s->vcpus[i] };
			s->first[t->vm] = i;
		}
		s->vcpus[i] = (struct sync_vcpu){ t->id, t->tid };
		vm->n_vcpus++;
	}
	s->first[s->n_vms] = s->n_threads;
	return 0;
}

int sync_schedule_read(struct mer_experiment *e, struct mer_cancel *cancel, struct sync_schedule *s,
	struct mer_err *err)
{
	struct mer_need wants[N_NEEDS];
	struct trace_reading *reading = NULL;
	*s = (struct sync_schedule){ .n_hosts = e->n_hosts, .spill = e->spill };
	for (int i = 0; i < N_NEEDS; i++)
		wants[i] = needs[i].need;
	s->guests = calloc(e->n_hosts + 1u, sizeof(*s->guests));
	int rc = s->guests ? trace_reading_from_needs(e, wants, N_NEEDS, false, &reading, err)
			   : mer_fail_nomem(err);
	for (uint32_t h = 0; rc == 0 && h < e->n_hosts; h++) {
		struct reader r = { .e = e, .s = s, .host = h, .err = err };
		if (!has_schedule(&r, reading))
			continue;
		rc = read_host(&r, reading, cancel);
		reader_fini(&r);
	}
	trace_reading_free(reading);
	return rc ? rc : make_vms(s, err);
}

/* ---- Guests ---- */

/* An exit and the next entry are farther apart than this. So events closer together are in the same
 * stay, and only the first and the last of them matter. */
enum { SHORTEST_GAP_NS = 1000 };

struct last { /* of a CPU */
	int64_t time, kept;
	bool any;
};

static int keep(struct sync_schedule *s, struct sync_guest_events *g, int64_t time, uint32_t cpu,
	struct mer_err *err)
{
	if (!mer_spill_grow(s->spill, &g->events, g->n, &g->cap, sizeof(*g->events)))
		return mer_fail_nomem(err);
	g->events[g->n++] = (struct sync_guest_event){ time, cpu };
	return 0;
}

static int take_guest_event(struct sync_schedule *s, struct sync_guest_events *g, struct last *last,
	int64_t time, uint32_t cpu, struct mer_err *err)
{
	int rc = 0;
	if (last->any && time - last->time < SHORTEST_GAP_NS) {
		last->time = time;
		return 0;
	}
	if (last->any && last->time > last->kept)
		rc = keep(s, g, last->time, cpu, err);
	if (rc == 0)
		rc = keep(s, g, time, cpu, err);
	*last = (struct last){ time, time, true };
	return rc;
}

static int by_event_time(const void *a, const void *b)
{
	const struct sync_guest_event *x = a, *y = b;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

int sync_schedule_read_guest(struct mer_experiment *e, uint32_t host, struct mer_cancel *cancel,
	struct sync_schedule *s, struct mer_err *err)
{
	static const struct mer_need all = { "*", "" };
	struct sync_guest_events *g = &s->guests[host];
	struct trace_reading *reading = NULL;
	struct mer_cursor *cursor = NULL;
	struct last *cpus = NULL;
	size_t n_cpus = 0;
	if (g->is_read)
		return 0;
	g->is_read = true;
	int rc = trace_reading_from_needs(e, &all, 1, false, &reading, err);
	if (rc == 0)
		rc = trace_cursor_of_host(e, reading, host, &cursor, err);
	for (size_t n = 1; rc == 0 && n;) {
		const struct mer_event *ev;
		if (mer_cancelled(cancel))
			rc = mer_fail(err, MER_ERR_CANCELLED, "cancelled");
		else
			rc = mer_cursor_next(cursor, &ev, &n, err);
		for (size_t i = 0; rc == 0 && i < n; i++) {
			int32_t cpu = e->streams[ev[i].stream].cpu;
			if (ev[i].ts == MER_NO_TIME || cpu < 0 || cpu >= MAX_ID)
				continue;
			struct last *last = mer_grow_at(&cpus, &n_cpus, (size_t)cpu, sizeof(*cpus));
			rc = last ? take_guest_event(s, g, last, ev[i].ts, (uint32_t)cpu, err)
				  : mer_fail_nomem(err);
		}
	}
	for (size_t c = 0; rc == 0 && c < n_cpus; c++)
		if (cpus[c].any && cpus[c].time > cpus[c].kept)
			rc = keep(s, g, cpus[c].time, (uint32_t)c, err);
	/* The last event of a group is added only when the next group begins, so they must be
	 * sorted. */
	if (rc == 0 && g->n &&
		!mer_sort(s->spill, g->events, g->n, sizeof(*g->events), by_event_time))
		rc = mer_fail_nomem(err);
	free(cpus);
	trace_cursor_drop(cursor);
	trace_reading_free(reading);
	return rc;
}

void sync_schedule_free(struct sync_schedule *s)
{
	for (uint32_t i = 0; i < s->n_threads; i++)
		mer_spill_release(s->threads[i].gaps);
	for (uint32_t h = 0; s->guests && h < s->n_hosts; h++)
		mer_spill_release(s->guests[h].events);
	free(s->threads);
	free(s->vms);
	free(s->first);
	free(s->vcpus);
	free(s->guests);
	free(s->callers);
	*s = (struct sync_schedule){ 0 };
}
