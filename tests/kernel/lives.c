#include "lives.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "kernel/events.h"
#include "kernel/observer.h"

void lives_open(struct lives *l, const char *scenario)
{
	struct mer_err err = { 0 };
	struct kernel_world_options o = { .n_threads = 1 };
	*l = (struct lives){ 0 };
	scenario_open(&l->s, scenario);
	if (kernel_world_build(l->s.e, &l->s.messages, l->s.result, &o, &l->w, &err))
		fail_msg("%s", err.text);
}

void lives_close(struct lives *l)
{
	kernel_world_free(l->w);
	scenario_close(&l->s);
}

const struct kernel_host *lives_host(const struct lives *l, const char *name)
{
	for (uint32_t h = 0; h < l->s.e->n_hosts; h++)
		if (strcmp(l->s.e->hosts[h].name, name) == 0)
			return &l->w->hosts[h];
	fail_msg("no host %s", name);
	return NULL;
}

/* ---- what is told ---- */

struct told {
	struct mer_str out;
	const char *kinds;
};

static bool begins(struct told *t, const char *kind)
{
	const char *at = strstr(t->kinds, kind);
	size_t len = strlen(kind);
	if (!at || (at != t->kinds && at[-1] != ' ') || (at[len] && at[len] != ' '))
		return false;
	mer_str_printf(&t->out, "%s%s", t->out.len ? ", " : "", kind);
	return true;
}

static void add_task_of(struct told *t, const struct kernel_host *h, uint32_t task)
{
	if (task != KERNEL_NONE)
		mer_str_printf(&t->out, " of %" PRId32, h->tasks[task].tid);
}

static void add_times(struct told *t, int64_t begin, int64_t end)
{
	mer_str_printf(&t->out, " %" PRId64 "-%" PRId64, begin / 1000, end / 1000);
}

static void add_args(struct told *t, uint16_t kind, const uint64_t *args)
{
	for (unsigned i = 0; i < kernel_call_args((enum kernel_call_kind)kind); i++)
		mer_str_printf(&t->out, "%s%" PRIu64, i ? "," : " args ", args[i]);
}

static int told_call(void *ctx, const struct kernel_host *h, const struct kernel_call_end *c)
{
	struct told *t = ctx;
	if (!begins(t, "call"))
		return 0;
	mer_str_printf(&t->out, " %s", kernel_name_text(h, h->calls[c->call].name));
	add_times(t, c->begin, c->end);
	mer_str_printf(&t->out, " = %" PRId64 " @%u", c->ret, (unsigned)c->cpu);
	add_args(t, c->kind, c->args);
	add_task_of(t, h, c->task);
	return 0;
}

static int told_open_call(void *ctx, const struct kernel_host *h, const struct kernel_open_call *c)
{
	struct told *t = ctx;
	if (!begins(t, "open"))
		return 0;
	mer_str_printf(&t->out, " %s %" PRId64 " @%d", kernel_name_text(h, h->calls[c->call].name),
		c->begin / 1000, c->cpu == KERNEL_NO_CPU ? -1 : (int)c->cpu);
	add_args(t, c->kind, c->args);
	add_task_of(t, h, c->task);
	return 0;
}

static int told_request(void *ctx, const struct kernel_host *h, uint32_t number)
{
	struct told *t = ctx;
	const struct kernel_request *r = &h->requests[number];
	const int64_t times[] = { r->insert, r->issue, r->complete };
	if (!begins(t, "request"))
		return 0;
	for (int i = 0; i < 3; i++)
		if (times[i] == INT64_MIN)
			mer_str_printf(&t->out, "%s?", i ? "/" : " ");
		else
			mer_str_printf(&t->out, "%s%" PRId64, i ? "/" : " ", times[i] / 1000);
	mer_str_printf(&t->out, " %" PRIu64 "+%" PRIu32 "B flags %u", r->sector, r->bytes,
		(unsigned)r->flags);
	if (r->error)
		mer_str_printf(&t->out, " error %d", (int)r->error);
	if (r->cpu != KERNEL_NO_CPU)
		mer_str_printf(&t->out, " @%u", (unsigned)r->cpu);
	add_task_of(t, h, r->task);
	return 0;
}

static int told_interrupt(void *ctx, const struct kernel_host *h, const struct kernel_interrupt *i)
{
	static const char *const kinds[KERNEL_N_INTERRUPT_KINDS] = { "irq", "any", "softirq",
		"hrtimer", "timer", "local-timer", "ipi", "vector" };
	struct told *t = ctx;
	if (!begins(t, "interrupt"))
		return 0;
	mer_str_printf(&t->out, " %s", kinds[i->kind]);
	if (i->nr != KERNEL_NONE)
		mer_str_printf(&t->out, " %" PRIu32, i->nr);
	add_times(t, i->begin, i->end);
	mer_str_printf(&t->out, " (%s", kernel_cause_name((enum kernel_cause)i->cause));
	if (i->source != KERNEL_NONE)
		mer_str_printf(&t->out, " %" PRIu32, i->source);
	mer_str_printf(&t->out, ")");
	if (i->raised != INT64_MIN)
		mer_str_printf(&t->out, " raised %" PRId64, i->raised / 1000);
	mer_str_printf(&t->out, " @%u", (unsigned)i->cpu);
	add_task_of(t, h, i->task);
	return 0;
}

static int told_idle(void *ctx, const struct kernel_host *h, const struct kernel_idle *i)
{
	struct told *t = ctx;
	(void)h;
	if (!begins(t, "idle"))
		return 0;
	add_times(t, i->begin, i->end);
	mer_str_printf(&t->out, " @%u", (unsigned)i->cpu);
	if (i->cause != KERNEL_NO_CAUSE)
		mer_str_printf(&t->out, ": %s", kernel_cause_name((enum kernel_cause)i->cause));
	return 0;
}

static int told_woken_ready(
	void *ctx, const struct kernel_host *h, uint32_t task, int64_t time, uint32_t by)
{
	struct told *t = ctx;
	if (!begins(t, "woken"))
		return 0;
	mer_str_printf(&t->out, " %" PRId64, time / 1000);
	add_task_of(t, h, task);
	if (by != KERNEL_NONE)
		mer_str_printf(&t->out, " by %" PRId32, h->tasks[kernel_span(h, by)->task].tid);
	return 0;
}

/* Its first name, and the slots that it has. */
static int told_event(void *ctx, const struct kernel_host *h, const struct kernel_told_event *e)
{
	struct told *t = ctx;
	const struct kernel_event_row *row = &kernel_event_rows[e->kind];
	const char *name = row->names[KERNEL_LTTNG];
	if (!begins(t, "event"))
		return 0;
	mer_str_printf(&t->out, " %" PRId64 " %.*s", e->time / 1000, (int)strcspn(name, " "), name);
	for (unsigned i = 1; i < KERNEL_EVENT_SLOTS && row->fields[i].names[KERNEL_LTTNG]; i++)
		mer_str_printf(&t->out, " %" PRIu64, e->slots[i]);
	if (e->in_interrupt)
		mer_str_printf(&t->out, " in interrupt");
	mer_str_printf(&t->out, " @%u", (unsigned)e->cpu);
	add_task_of(t, h, e->task);
	return 0;
}

static int told_migrate(void *ctx, const struct kernel_host *h, uint32_t task, int64_t time,
	uint16_t from, uint16_t to)
{
	struct told *t = ctx;
	if (!begins(t, "migrate"))
		return 0;
	mer_str_printf(&t->out, " %" PRId64 " from %d to %u", time / 1000,
		from == KERNEL_NO_CPU ? -1 : (int)from, (unsigned)to);
	add_task_of(t, h, task);
	return 0;
}

static int told_merge(void *ctx, const struct kernel_host *h, const struct kernel_merge *m)
{
	struct told *t = ctx;
	if (!begins(t, "merge"))
		return 0;
	mer_str_printf(&t->out, " %" PRId64 " %" PRIu32 "B%s", m->time / 1000, m->bytes,
		m->is_request ? " request" : "");
	if (m->cpu != KERNEL_NO_CPU)
		mer_str_printf(&t->out, " @%u", (unsigned)m->cpu);
	add_task_of(t, h, m->task);
	return 0;
}

void lives_told(const char *scenario, const char *kinds, const char *expected)
{
	enum { MAX_HOSTS = 4 };
	struct told t = { .kinds = kinds };
	struct kernel_observer observers[MAX_HOSTS] = { { .ctx = &t,
		.call = told_call,
		.open_call = told_open_call,
		.request = told_request,
		.interrupt = told_interrupt,
		.idle = told_idle,
		.woken_ready = told_woken_ready,
		.migrate = told_migrate,
		.merge = told_merge,
		.event = told_event } };
	for (int i = 0; i < MAX_HOSTS; i++)
		observers[i].wants = UINT64_MAX & ~(uint64_t)(KERNEL_WANT_VMS | KERNEL_WANT_MPI);
	struct kernel_world_options options = { .n_threads = 1, .observers = observers };
	struct lives l = { 0 };
	struct mer_err err = { 0 };
	scenario_open(&l.s, scenario);
	assert_true(l.s.e->n_hosts <= MAX_HOSTS);
	if (kernel_world_build(l.s.e, &l.s.messages, l.s.result, &options, &l.w, &err))
		fail_msg("%s", err.text);
	assert_false(t.out.failed);
	assert_string_equal(t.out.data ? t.out.data : "", expected);
	mer_str_fini(&t.out);
	lives_close(&l);
}

/* ---- spans ---- */

static void add_source(struct mer_str *out, const struct kernel_span *s)
{
	if (s->source == KERNEL_NONE)
		return;
	bool is_number = s->cause == KERNEL_DISK || s->cause == KERNEL_NETWORK;
	mer_str_printf(out, " %s%" PRIu32, is_number ? "#" : "", s->source);
}

static void add_span(struct mer_str *out, const struct kernel_host *h, const struct kernel_span *s)
{
	assert_int_equal(s->begin % 1000, 0);
	mer_str_printf(out, "%" PRId64 " %s", s->begin / 1000,
		kernel_state_name((enum kernel_state)s->state));
	if (s->call != KERNEL_NONE)
		mer_str_printf(out, " in %s", kernel_name_text(h, h->calls[s->call].name));
	if (s->cpu == KERNEL_NO_CPU)
		mer_str_printf(out, " @-");
	else if (s->cpu)
		mer_str_printf(out, " @%u", (unsigned)s->cpu);
	if (s->cause != KERNEL_NO_CAUSE)
		mer_str_printf(out, ": %s", kernel_cause_name((enum kernel_cause)s->cause));
	if (s->cause == KERNEL_TIMER && s->state == KERNEL_BLOCKED) {
		if (s->source != KERNEL_NONE) /* see kernel_wait_end */
			mer_str_printf(
				out, " until %" PRId64, kernel_span(h, s->source)->begin / 1000);
	} else if (s->cause != KERNEL_TIMER) {
		add_source(out, s);
	}
	if (s->by != KERNEL_NONE)
		mer_str_printf(out, " by %" PRId32, h->tasks[kernel_span(h, s->by)->task].tid);
}

/* Spans lie in the order in which they began to be written, so do those of one task. */
static void add_task(struct mer_str *out, const struct kernel_host *h, uint32_t task)
{
	bool any = false;
	for (uint32_t i = 0; i < h->n_spans; i++) {
		if (kernel_span(h, i)->task != task)
			continue;
		if (any)
			mer_str_printf(out, ", ");
		add_span(out, h, kernel_span(h, i));
		any = true;
	}
}

static void compare(const struct kernel_host *h, int32_t tid, const char *expected)
{
	struct mer_str out = { 0 };
	for (uint32_t t = 0; t < h->n_tasks; t++) {
		if (h->tasks[t].tid != tid)
			continue;
		if (out.len)
			mer_str_printf(&out, " | ");
		add_task(&out, h, t);
	}
	assert_false(out.failed);
	assert_string_equal(out.data ? out.data : "", expected);
	mer_str_fini(&out);
}

void lives_are(const struct lives *l, int32_t tid, const char *expected)
{
	compare(&l->w->hosts[0], tid, expected);
}

void lives_of_host_are(const struct lives *l, const char *host, int32_t tid, const char *expected)
{
	compare(lives_host(l, host), tid, expected);
}

void lives_check(const char *scenario, int32_t tid, const char *expected)
{
	struct lives l;
	lives_open(&l, scenario);
	lives_are(&l, tid, expected);
	lives_close(&l);
}
