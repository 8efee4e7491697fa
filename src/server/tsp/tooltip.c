/* Tooltips: what a thread or CPU did at a moment, since when, what it waited for, and which task
 * ended the wait. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "server/tsp/lanes.h"
#include "kernel/vm/guests.h"
#include "session/instant.h"
#include "trace/experiment.h"

struct tip {
	struct tsp *t;
	struct session_world w;
	struct session_instant at;
	int64_t time;
	enum tsp_kind kind;
	uint32_t host, number;
};

static bool moment_of(const struct tsp *t, int64_t *time)
{
	if (t->q.n_given)
		*time = t->q.times[0];
	else if (t->q.element)
		*time = t->q.element_time;
	else
		*time = t->q.begin;
	return t->q.n_given || t->q.element || t->q.has_range;
}

/* Finds the row and the moment, and what the row's thread, or all CPUs of its host, did then. */
static int find(struct tip *x, enum tsp_kind kind, bool *is_there, struct mer_err *err)
{
	struct tsp *t = x->t;
	struct session_selection s = { 0 };
	*is_there = false;
	if (!moment_of(t, &x->time))
		return mer_fail(err, MER_ERR_USAGE, "'requested_times' is missing");
	int64_t id = t->q.n_items ? t->q.items[0] : t->q.element_entry;
	if (!tsp_entry_parts(t, id, &x->kind, &x->host, &x->number) || x->kind != kind)
		return 0;
	int rc = tsp_world(t, &x->w, err);
	if (rc)
		return rc;
	const char *host = session_task_host(&x->w, x->host);
	s.hosts = (struct session_texts){ &host, 1 };
	const struct kernel_host *h = &x->w.world->hosts[x->host];
	struct session_range one = { 0 };
	if (kind == TSP_TASK && x->number < h->n_tasks) {
		one.first = one.last = (uint64_t)h->tasks[x->number].tid;
		s.tids = (struct session_ranges){ &one, 1 };
	}
	rc = session_instant_find(&x->w, x->time, &s, &t->arena, &x->at, err);
	*is_there = rc == 0;
	return rc;
}

static void put_clock(struct mer_json *j, const char *key, int64_t ns)
{
	struct mer_str text = { 0 };
	tsp_put_clock(&text, ns);
	mer_json_kv_text(j, key, text.data);
	mer_str_fini(&text);
}

static void put_task_name(struct tip *x, const char *key, uint32_t host, uint32_t task)
{
	const struct kernel_host *h = &x->w.world->hosts[host];
	char text[700];
	snprintf(text, sizeof(text), "%.300s (%" PRId32 ") on %.300s", kernel_comm(h, task),
		h->tasks[task].tid, session_task_host(&x->w, host));
	mer_json_kv_text(&x->t->j, key, text);
}

static void put_call(struct tip *x, const struct kernel_host *h, const struct kernel_span *k)
{
	const char *name = tsp_call_name(h, k);
	if (!name)
		return;
	const struct kernel_call *c = &h->calls[k->call];
	mer_json_kv_text(&x->t->j, "System call", name);
	if (c->object != KERNEL_NONE)
		mer_json_kv_text(&x->t->j, "on", kernel_name_text(h, c->object));
	if (c->fd >= 0) {
		char text[16];
		snprintf(text, sizeof(text), "%" PRId32, c->fd);
		mer_json_kv_text(&x->t->j, "fd", text);
	}
}

/* The end of the span in which the task is at `time`; INT64_MIN: unknown. A span knows only the one
 * before it, so the search goes back from a later moment, which moves away until the span is
 * found. */
static int64_t end_of(const struct kernel_host *h, uint32_t task, uint32_t span, int64_t time)
{
	int64_t last = kernel_task_end(h, task);
	for (int64_t far = 1000000; far < INT64_MAX / 4; far *= 2) {
		int64_t to = time + far;
		uint32_t i =
			to >= last ? h->tasks[task].last : kernel_span_at(h, task, to, KERNEL_NONE);
		int64_t end = to >= last && i == span ? last : INT64_MIN;
		while (i != KERNEL_NONE && i != span) {
			end = kernel_span(h, i)->begin;
			i = kernel_span(h, i)->before;
		}
		if (end != INT64_MIN)
			return i == span ? end : INT64_MIN;
	}
	return INT64_MIN;
}

/* of_cpu: in the tooltip of a CPU, which the hypervisor may have taken. */
static void put_span(struct tip *x, const struct session_instant_task *s, bool of_cpu)
{
	const struct kernel_host *h = &x->w.world->hosts[s->host];
	struct mer_json *j = &x->t->j;
	if (s->span == KERNEL_NONE) {
		mer_json_kv_text(j, "State", "not known");
		return;
	}
	const struct kernel_span k = *kernel_span(h, s->span);
	bool is_away = of_cpu && kernel_is_away(&k);
	mer_json_kv_text(j, "State",
		is_away ? kernel_cause_name((enum kernel_cause)k.cause)
			: kernel_state_name((enum kernel_state)k.state));
	if (k.cause && !is_away)
		mer_json_kv_text(j, "Cause", kernel_cause_name((enum kernel_cause)k.cause));
	put_clock(j, "Since", k.begin);
	int64_t end = end_of(h, s->task, s->span, x->time);
	if (end != INT64_MIN) {
		put_clock(j, "Until", end);
		tsp_put_duration(j, "Duration", end - k.begin);
	}
	if (k.cpu != KERNEL_NO_CPU) {
		char text[16];
		snprintf(text, sizeof(text), "%u", (unsigned)k.cpu);
		mer_json_kv_text(j, "CPU", text);
	}
	put_call(x, h, &k);
	if (s->by.host != KERNEL_NONE)
		put_task_name(x,
			k.state == KERNEL_RUNNABLE  ? "First had the CPU"
			: k.state == KERNEL_BLOCKED ? "Ended by"
						    : "By",
			s->by.host, s->by.task);
}

static const struct session_instant_task *task_at(const struct tip *x, uint32_t task)
{
	for (size_t i = 0; i < x->at.n_tasks; i++)
		if (x->at.tasks[i].host == x->host && x->at.tasks[i].task == task)
			return &x->at.tasks[i];
	return NULL;
}

int tsp_threads_tooltip(struct tsp *t, struct mer_err *err)
{
	struct tip x = { .t = t };
	bool is_there;
	int rc = find(&x, TSP_TASK, &is_there, err);
	mer_json_begin_object(&t->j);
	const struct session_instant_task *s = is_there ? task_at(&x, x.number) : NULL;
	if (s) {
		put_task_name(&x, "Thread", s->host, s->task);
		put_span(&x, s, false);
	}
	mer_json_end_object(&t->j);
	return rc;
}

/* No task was on the CPU: it was idle, or taken by the hypervisor if the host is a guest. */
static void put_idle(struct tip *x, const struct session_instant_cpu *c)
{
	const struct kernel_guest *g = x->w.world->hosts[c->host].guest;
	bool is_away = c->absence != KERNEL_NONE && g &&
		       g->absences[c->absence].state != KERNEL_VCPU_HALTED;
	mer_json_kv_text(&x->t->j, "State",
		is_away		? kernel_cause_name(kernel_absence_cause(g, c->absence))
		: c->is_unknown ? "unknown"
				: "idle");
}

int tsp_cpus_tooltip(struct tsp *t, struct mer_err *err)
{
	struct tip x = { .t = t };
	bool is_there;
	int rc = find(&x, TSP_CPU, &is_there, err);
	mer_json_begin_object(&t->j);
	for (size_t i = 0; is_there && i < x.at.n_cpus; i++) {
		const struct session_instant_cpu *c = &x.at.cpus[i];
		if (c->host != x.host || c->cpu != x.number)
			continue;
		if (c->task == SIZE_MAX) {
			put_idle(&x, c);
		} else {
			const struct session_instant_task *s = &x.at.tasks[c->task];
			put_task_name(&x, "Thread", s->host, s->task);
			put_span(&x, s, true);
		}
	}
	mer_json_end_object(&t->j);
	return rc;
}
