#include "from_states.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/str.h"
#include "kernel/checkpoint/keep.h"
#include "kernel/observer.h"
#include "kernel/world.h"
#include "scenario.h"

enum { MAX_HOSTS = 4, MAX_STATES = 16, MAX_LINES = 2000 };

static const struct kernel_checkpoint_key key = { { 3, 4 } };

struct lines { /* what observers heard */
	struct line {
		int64_t begin, end;
		bool is_cut;		 /* where reading ends: idle time */
		uint32_t host, task, by; /* KERNEL_NONE: of none */
		char text[180];
	} line[MAX_LINES];
	size_t n;
};

struct listener {
	struct lines *to;
	uint32_t host;
};

struct tried {
	const char *scenario; /* as it is */
	struct scenario s;
	struct kernel_world *whole;
	struct kernel_checkpoints *from;
	struct lines *heard; /* of the whole; NULL: spans are compared, and nobody listens */
	int64_t times[MAX_STATES];
	uint32_t n_times;
};

static void differ(const struct tried *t, const struct kernel_window *window, uint32_t host,
	int tid, const char *part, const char *whole)
{
	/* More than cmocka has room for. */
	fprintf(stderr,
		"%s\nfrom %" PRId64 " until %" PRId64 ", host %" PRIu32
		", task %d (-1: what is told):\n%s\ninstead of\n%s\n",
		t->scenario, window->begin, window->until, host, tid, part, whole);
	fail();
}

/* ---- what is told ---- */

static void hear(const struct listener *l, int64_t begin, int64_t end, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

static void hear(const struct listener *l, int64_t begin, int64_t end, const char *format, ...)
{
	struct line *line = &l->to->line[l->to->n++];
	va_list args;
	assert_true(l->to->n < MAX_LINES);
	line->begin = begin;
	line->end = end;
	line->is_cut = false;
	line->host = l->host;
	line->task = line->by = KERNEL_NONE;
	int n = snprintf(line->text, sizeof(line->text), "host %" PRIu32 " ", l->host);
	va_start(args, format);
	vsnprintf(line->text + n, sizeof(line->text) - (size_t)n, format, args);
	va_end(args);
}

static int tid_of(const struct kernel_host *h, uint32_t task)
{
	return task == KERNEL_NONE ? -1 : h->tasks[task].tid;
}

static int tid_of_span(const struct kernel_host *h, uint32_t span)
{
	return span == KERNEL_NONE ? -1 : h->tasks[kernel_span(h, span)->task].tid;
}

static const char *call_name(const struct kernel_host *h, uint32_t call)
{
	return call == KERNEL_NONE ? "-" : kernel_name_text(h, h->calls[call].name);
}

static void hear_tasks(
	const struct listener *l, const struct kernel_host *h, uint32_t task, uint32_t by)
{
	struct line *line = &l->to->line[l->to->n - 1];
	line->task = task;
	line->by = by == KERNEL_NONE ? KERNEL_NONE : kernel_span(h, by)->task;
}

static int hear_span(void *ctx, const struct kernel_host *h, uint32_t span, int64_t end)
{
	const struct kernel_span *s = kernel_span(h, span);
	hear(ctx, s->begin, end, "%d %s @%u %s in %s", tid_of(h, s->task),
		kernel_state_name((enum kernel_state)s->state), (unsigned)s->cpu,
		kernel_cause_name((enum kernel_cause)s->cause), call_name(h, s->call));
	hear_tasks(ctx, h, s->task, s->by);
	return 0;
}

static int hear_call(void *ctx, const struct kernel_host *h, const struct kernel_call_end *c)
{
	hear(ctx, c->begin, c->end,
		"call of %d: %s = %" PRId64 " @%u kind %u args %" PRIu64 " %" PRIu64,
		tid_of(h, c->task), call_name(h, c->call), c->ret, (unsigned)c->cpu,
		(unsigned)c->kind, c->args[0], c->args[1]);
	return 0;
}

static int hear_open_call(void *ctx, const struct kernel_host *h, const struct kernel_open_call *c)
{
	hear(ctx, c->begin, INT64_MAX, "open call of %d: %s @%u kind %u args %" PRIu64 " %" PRIu64,
		tid_of(h, c->task), call_name(h, c->call), (unsigned)c->cpu, (unsigned)c->kind,
		c->args[0], c->args[1]);
	return 0;
}

static int hear_request(void *ctx, const struct kernel_host *h, uint32_t request)
{
	const struct kernel_request *r = &h->requests[request];
	hear(ctx, r->complete, r->complete,
		"request %" PRIu64 "+%" PRIu32 " of %" PRIx32 " inserted %" PRId64
		" issued %" PRId64 " by %d @%u flags %u error %d",
		r->sector, r->bytes, r->dev, r->insert, r->issue, tid_of(h, r->task),
		(unsigned)r->cpu, (unsigned)r->flags, (int)r->error);
	return 0;
}

static int hear_interrupt(void *ctx, const struct kernel_host *h, const struct kernel_interrupt *i)
{
	hear(ctx, i->begin, i->end, "interrupt %u nr %" PRIu32 " of %d @%u raised %" PRId64,
		(unsigned)i->kind, i->nr, tid_of(h, i->task), (unsigned)i->cpu, i->raised);
	return 0;
}

static int hear_idle(void *ctx, const struct kernel_host *h, const struct kernel_idle *i)
{
	(void)h;
	hear(ctx, i->begin, i->end, "idle @%u %s", (unsigned)i->cpu,
		kernel_cause_name((enum kernel_cause)i->cause));
	const struct listener *l = ctx;
	l->to->line[l->to->n - 1].is_cut = true;
	return 0;
}

static int hear_switched(void *ctx, const struct kernel_host *h, uint16_t cpu, int64_t time)
{
	(void)h;
	hear(ctx, time, time, "switch @%u", (unsigned)cpu);
	return 0;
}

static int hear_woken(
	void *ctx, const struct kernel_host *h, uint32_t task, int64_t time, uint32_t by)
{
	hear(ctx, time, time, "woken ready: %d", tid_of(h, task));
	hear_tasks(ctx, h, task, by);
	return 0;
}

static int hear_migrate(void *ctx, const struct kernel_host *h, uint32_t task, int64_t time,
	uint16_t from, uint16_t to)
{
	hear(ctx, time, time, "migrates: %d from %u to %u", tid_of(h, task), (unsigned)from,
		(unsigned)to);
	return 0;
}

static int hear_merge(void *ctx, const struct kernel_host *h, const struct kernel_merge *m)
{
	hear(ctx, m->time, m->time, "merge %" PRIu32 " %d @%u of %d", m->bytes, m->is_request,
		(unsigned)m->cpu, tid_of(h, m->task));
	return 0;
}

static void listen(
	struct kernel_observer observers[MAX_HOSTS], struct listener to[MAX_HOSTS], struct lines *l)
{
	for (uint32_t i = 0; i < MAX_HOSTS; i++) {
		to[i] = (struct listener){ l, i };
		observers[i] = (struct kernel_observer){ .ctx = &to[i],
			.wants = KERNEL_WANT_RAISES | KERNEL_WANT_MERGES,
			.span = hear_span,
			.call = hear_call,
			.open_call = hear_open_call,
			.request = hear_request,
			.interrupt = hear_interrupt,
			.idle = hear_idle,
			.switched = hear_switched,
			.woken_ready = hear_woken,
			.migrate = hear_migrate,
			.merge = hear_merge };
	}
}

/* ---- everything ---- */

/* A time for each state: those of events, or as many of them as there may be. */
static void find_times(struct tried *t)
{
	const struct mer_experiment *e = t->s.e;
	const struct mer_event *events;
	struct mer_cursor *c;
	struct mer_err err;
	int64_t all[1000];
	size_t n = 0, n_all = 0;
	assert_int_equal(mer_cursor_open(t->s.e, &(struct mer_read_options){ 0 }, &c, &err), 0);
	while (mer_cursor_next(c, &events, &n, &err) == 0 && n)
		for (size_t i = 0; i < n; i++)
			if (events[i].ts > e->begin && events[i].ts < e->end && n_all < 1000 &&
				(!n_all || events[i].ts > all[n_all - 1]))
				all[n_all++] = events[i].ts;
	mer_cursor_free(c);
	t->n_times = n_all < MAX_STATES ? (uint32_t)n_all : MAX_STATES;
	for (uint32_t i = 0; i < t->n_times; i++)
		t->times[i] = all[i * n_all / t->n_times];
}

static void open_whole(struct tried *t)
{
	struct mer_err err = { 0 };
	struct kernel_keeper *keeper;
	struct kernel_observer observers[MAX_HOSTS];
	struct listener to[MAX_HOSTS];
	char file[] = "/tmp/from_states.XXXXXX";
	int fd = mkstemp(file);
	assert_true(fd >= 0 && close(fd) == 0);
	assert_true(t->s.e->n_hosts <= MAX_HOSTS);
	find_times(t);
	assert_int_equal(kernel_keeper_new(t->s.e, MAX_STATES, &keeper, &err), 0);
	memcpy(keeper->times, t->times, t->n_times * sizeof(*t->times));
	keeper->n_states = t->n_times;
	struct kernel_world_options o = { .n_threads = 1, .keeper = keeper };
	if (t->heard) {
		listen(observers, to, t->heard);
		o.observers = observers;
	}
	if (kernel_world_build(
		    t->s.e, t->heard ? NULL : &t->s.messages, t->s.result, &o, &t->whole, &err))
		fail_msg("%s", err.text);
	if (kernel_keeper_save(keeper, t->whole, &key, file)) {
		t->from = kernel_checkpoints_open(file, &key, t->s.e);
		assert_non_null(t->from);
	}
	kernel_keeper_free(keeper);
	unlink(file);
}

static struct kernel_world *open_part(
	const struct tried *t, const struct kernel_window *window, struct lines *heard)
{
	struct mer_err err = { 0 };
	struct kernel_world *w;
	struct kernel_observer observers[MAX_HOSTS];
	struct listener to[MAX_HOSTS];
	struct kernel_world_options o = { .n_threads = 1, .window = window };
	if (heard) {
		heard->n = 0;
		listen(observers, to, heard);
		o.observers = observers;
	}
	if (kernel_world_build(t->s.e, NULL, t->s.result, &o, &w, &err))
		fail_msg("%s\n%s", t->scenario, err.text);
	return w;
}

/* ---- spans ---- */

static void put_packet(struct mer_str *out, const struct kernel_world *w, uint32_t packet)
{
	if (packet == KERNEL_NONE)
		return;
	const struct kernel_bridge *p = &w->bridges[packet];
	mer_str_printf(out, " packet %" PRId64 "-%" PRId64, p->from.time, p->to.time);
	if (p->from.span != KERNEL_NONE)
		mer_str_printf(out, " from %d", tid_of_span(&w->hosts[p->from.host], p->from.span));
	if (p->was_held)
		mer_str_printf(out, " held");
	if (p->answers != KERNEL_NONE)
		mer_str_printf(out, " answers %" PRId64, w->bridges[p->answers].from.time);
}

static void put_span(struct mer_str *out, const struct kernel_world *w, const struct kernel_host *h,
	uint32_t span)
{
	const struct kernel_span *s = kernel_span(h, span);
	out->len = 0;
	mer_str_printf(out, "%" PRId64 " %s @%u %s", s->begin,
		kernel_state_name((enum kernel_state)s->state), (unsigned)s->cpu,
		kernel_cause_name((enum kernel_cause)s->cause));
	if (s->call != KERNEL_NONE)
		mer_str_printf(out, " in %s of \"%s\" %d", call_name(h, s->call),
			kernel_name_text(h, h->calls[s->call].object), (int)h->calls[s->call].fd);
	if (s->by != KERNEL_NONE)
		mer_str_printf(out, " by %d", tid_of_span(h, s->by));
	if (s->state != KERNEL_INTERRUPTED && s->cause == KERNEL_NETWORK)
		put_packet(out, w, s->source);
	else if (s->state != KERNEL_INTERRUPTED && s->cause == KERNEL_DISK) {
		if (s->source != KERNEL_NONE) {
			const struct kernel_request *r = &h->requests[s->source];
			mer_str_printf(out,
				" request %" PRIu64 "+%" PRIu32 " %" PRId64 " %" PRId64 " %" PRId64,
				r->sector, r->bytes, r->insert, r->issue, r->complete);
		}
	} else if (s->state != KERNEL_INTERRUPTED && s->cause == KERNEL_TIMER) {
		if (s->source != KERNEL_NONE)
			mer_str_printf(out, " until %" PRId64, kernel_span(h, s->source)->begin);
	} else if (s->source != KERNEL_NONE) {
		mer_str_printf(out, " source %" PRIu32, s->source);
	}
	assert_false(out->failed);
}

/* The whole's span that begins at this time and reads like that; KERNEL_NONE: there is none. */
static uint32_t find_span(
	const struct tried *t, uint32_t host, uint32_t task, int64_t begin, const char *text)
{
	const struct kernel_host *h = &t->whole->hosts[host];
	struct mer_str x = { 0 };
	uint32_t i = kernel_span_at(h, task, begin, KERNEL_NONE);
	for (; i != KERNEL_NONE && kernel_span(h, i)->begin == begin;
		i = kernel_span(h, i)->before) {
		put_span(&x, t->whole, h, i);
		if (strcmp(x.data, text) == 0)
			break;
	}
	mer_str_fini(&x);
	return i != KERNEL_NONE && kernel_span(h, i)->begin == begin ? i : KERNEL_NONE;
}

/* Spans that later events change no more are there as they are, and nothing between them or after
 * the last one. */
static void same_task(const struct tried *t, const struct kernel_world *w, uint32_t host,
	uint32_t task, const struct kernel_window *window)
{
	const struct kernel_host *a = &t->whole->hosts[host], *b = &w->hosts[host];
	struct mer_str x = { 0 }, y = { 0 };
	int64_t end = b->tasks[task].end < window->until ? b->tasks[task].end : window->until;
	uint32_t next = KERNEL_NONE; /* the whole's, that comes after it */
	for (uint32_t k = b->tasks[task].last; k != KERNEL_NONE && end > window->begin;
		k = kernel_span(b, k)->before) {
		int64_t begin = kernel_span(b, k)->begin;
		bool is_open = kernel_span_is_open(b, k);
		put_span(&y, w, b, k);
		if (!is_open && begin < window->until) {
			uint32_t i = find_span(t, host, task, begin, y.data);
			uint32_t other = kernel_span_at(a, task, begin, KERNEL_NONE);
			if (i == KERNEL_NONE && other != KERNEL_NONE)
				put_span(&x, t->whole, a, other);
			if (i == KERNEL_NONE)
				differ(t, window, host, a->tasks[task].tid, y.data,
					other == KERNEL_NONE ? "none" : x.data);
			bool is_last = k == b->tasks[task].last;
			if (is_last ? i != a->tasks[task].last
				    : next != KERNEL_NONE && kernel_span(a, next)->before != i)
				differ(t, window, host, a->tasks[task].tid, y.data,
					"one more after it");
			next = i;
		} else {
			next = KERNEL_NONE;
		}
		end = begin;
	}
	mer_str_fini(&x);
	mer_str_fini(&y);
}

static bool same_map(const struct mer_map *a, const struct mer_map *b)
{
	for (size_t i = 0; i < a->cap; i++) {
		const struct mer_map_slot *s = &a->slots[i];
		const uint32_t *value = s->used && s->value ? mer_map_get(b, s->key) : NULL;
		if (s->used && s->value && (!value || *value != s->value))
			return false;
	}
	return true;
}

/* What is known of all of the recording. */
static void same_host(const struct tried *t, const struct kernel_world *w, uint32_t host)
{
	const struct kernel_host *a = &t->whole->hosts[host], *b = &w->hosts[host];
	assert_true(a->n_tasks == b->n_tasks && a->n_renames == b->n_renames);
	assert_true(a->n_calls == b->n_calls && a->names.n == b->names.n);
	assert_true(a->begin == b->begin && a->end == b->end && a->n_events == b->n_events);
	assert_true(a->n_odd == b->n_odd && a->n_calls_left_out == b->n_calls_left_out);
	assert_true(a->has_wakeups == b->has_wakeups && a->has_migrations == b->has_migrations);
	assert_true(same_map(&a->devices, &b->devices) && same_map(&a->irq_names, &b->irq_names));
	assert_true(same_map(&a->packages, &b->packages));
	for (uint32_t i = 0; i < a->n_tasks; i++) {
		struct kernel_task x = a->tasks[i], y = b->tasks[i];
		x.last = y.last = 0;
		assert_memory_equal(&x, &y, sizeof(x));
		assert_string_equal(kernel_comm(a, i), kernel_comm(b, i));
		uint32_t n = x.name, o = y.name;
		for (; n != KERNEL_NONE && o != KERNEL_NONE;
			n = a->renames[n].before, o = b->renames[o].before)
			assert_true(a->renames[n].begin == b->renames[o].begin &&
				    a->renames[n].name == b->renames[o].name);
		assert_int_equal(n, o);
	}
	for (uint32_t i = 0; i < a->n_calls; i++) {
		assert_string_equal(call_name(a, i), call_name(b, i));
		assert_int_equal(a->calls[i].object, b->calls[i].object);
	}
}

static void try_spans(const struct tried *t, const struct kernel_window *window)
{
	struct kernel_world *w = open_part(t, window, NULL);
	for (uint32_t host = 0; host < w->n_hosts; host++) {
		same_host(t, w, host);
		for (uint32_t task = 0; task < w->hosts[host].n_tasks; task++)
			same_task(t, w, host, task, window);
	}
	kernel_world_free(w);
}

/* ---- what is told, of a part ---- */

static int in_order(const void *a, const void *b)
{
	const struct line *p = a, *q = b;
	if (p->begin != q->begin)
		return p->begin < q->begin ? -1 : 1;
	return strcmp(p->text, q->text);
}

/* Was nothing known of the task where the reading of the part ended? */
static bool is_later(const struct kernel_world *part, uint32_t host, uint32_t task)
{
	const struct kernel_host *h = &part->hosts[host];
	if (task == KERNEL_NONE)
		return false;
	const struct kernel_span *s = kernel_span(h, h->tasks[task].last);
	return s->before == KERNEL_NONE && s->state == KERNEL_UNKNOWN && s->cpu == KERNEL_NO_CPU;
}

static void put_lines(struct mer_str *out, struct lines *l, const struct kernel_window *window,
	const struct kernel_world *part)
{
	qsort(l->line, l->n, sizeof(*l->line), in_order);
	out->len = 0;
	mer_str_puts(out, "");
	for (size_t i = 0; i < l->n; i++) {
		const struct line *x = &l->line[i];
		bool is_in = x->end > window->begin || x->begin >= window->begin;
		if (!is_in || x->begin >= window->until || is_later(part, x->host, x->task))
			continue;
		bool has_by = x->by != KERNEL_NONE && !is_later(part, x->host, x->by);
		mer_str_printf(out, "%" PRId64 "-%" PRId64 " %s by %d\n", x->begin,
			x->is_cut && x->end > window->until ? window->until : x->end, x->text,
			has_by ? part->hosts[x->host].tasks[x->by].tid : -1);
	}
	assert_false(out->failed);
}

static void try_told(const struct tried *t, const struct kernel_window *window)
{
	struct mer_str x = { 0 }, y = { 0 };
	static struct lines heard;
	struct kernel_world *w = open_part(t, window, &heard);
	put_lines(&x, t->heard, window, w);
	put_lines(&y, &heard, window, w);
	kernel_world_free(w);
	if (strcmp(x.data, y.data) != 0)
		differ(t, window, 0, -1, y.data, x.data);
	mer_str_fini(&x);
	mer_str_fini(&y);
}

/* ---- all of it ---- */

/* So much longer that what is told a bit before a window is no more than one event. */
static char *stretch(const char *scenario)
{
	struct mer_str out = { 0 };
	for (const char *p = scenario; *p; p++) {
		bool is_unit =
			p > scenario && p[-1] >= '0' && p[-1] <= '9' && strncmp(p, "us ", 3) == 0;
		mer_str_printf(&out, "%s%c", is_unit ? "0000" : "", *p);
	}
	assert_false(out.failed);
	return out.data;
}

static void try_all(const char *scenario, struct lines *heard)
{
	struct tried t = { .scenario = scenario, .heard = heard };
	scenario_open(&t.s, scenario);
	open_whole(&t);
	for (uint32_t i = 0; t.from && i < t.n_times; i++)
		for (uint32_t more = 1; more < 8; more += 3) {
			bool is_end = i + more >= t.n_times;
			struct kernel_window window = { .from = t.from,
				.begin = t.times[i],
				.until = is_end ? INT64_MAX : t.times[i + more],
				.is_told = heard != NULL,
				.settles = true };
			if (heard)
				try_told(&t, &window);
			else
				try_spans(&t, &window);
			if (is_end)
				break;
		}
	kernel_checkpoints_free(t.from);
	kernel_world_free(t.whole);
	scenario_close(&t.s);
}

void from_states_check(const char *scenario)
{
	static struct lines heard;
	char *longer = stretch(scenario);
	try_all(scenario, NULL);
	heard.n = 0;
	try_all(longer, &heard);
	free(longer);
}
