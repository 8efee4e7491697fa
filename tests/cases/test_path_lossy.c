/* Some of the events of a recording are dropped at random and nothing says which: the worlds made
 * of the others keep all that holds for worlds, their paths all that holds for paths, and what they
 * claim is mostly what happened; the rest is unknown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "kernel/model.h"
#include "path_check.h"
#include "recording.h"
#include "trace/cursor.h"

struct dice {
	uint64_t state;
	uint32_t one_in;
};

static bool falls(struct dice *d)
{
	d->state = d->state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(d->state >> 33) % d->one_in == 0;
}

static const struct kernel_bridge *packets; /* that are being sorted by */

static int by_time(const void *a, const void *b)
{
	const struct kernel_end *p = a, *q = b;
	return kernel_end_compare(packets, *p, *q);
}

static struct kernel_end *ends_of(const struct kernel_world *w, uint32_t host, size_t *n)
{
	struct kernel_end *ends = calloc(2 * (size_t)w->n_bridges + 1, sizeof(*ends));
	assert_non_null(ends);
	*n = 0;
	for (uint32_t i = 0; i < w->n_bridges; i++) {
		const struct kernel_bridge *p = &w->bridges[i];
		if (p->from.host == host)
			ends[(*n)++] = (struct kernel_end){ i & INT32_MAX, true };
		if (p->to.host == host)
			ends[(*n)++] = (struct kernel_end){ i & INT32_MAX, false };
	}
	packets = w->bridges;
	qsort(ends, *n, sizeof(*ends), by_time);
	return ends;
}

static void feed(struct kernel_model *m, struct mer_cursor *c, struct dice *dice)
{
	struct mer_err err = { 0 };
	for (;;) {
		const struct mer_event *events;
		size_t n, from = 0;
		assert_return_code(mer_cursor_next(c, &events, &n, &err), 0);
		if (n == 0)
			return;
		for (size_t i = 0; i <= n; i++) {
			if (i < n && !falls(dice))
				continue;
			if (kernel_model_run(m, events + from, i - from, &err))
				fail_msg("%s", err.text);
			from = i + 1;
		}
	}
}

static void build_host(struct kernel_world *w, uint32_t host, const struct kernel_layouts *layouts,
	const struct trace_reading *switches, struct dice *dice)
{
	struct mer_err err = { 0 };
	struct kernel_losses losses;
	struct kernel_model *m;
	struct mer_cursor *c;
	size_t n_ends;
	struct kernel_end *ends = ends_of(w, host, &n_ends);
	assert_return_code(kernel_losses_find(w->e, host, switches, &losses, &err), 0);
	struct kernel_model_input in = { .e = w->e,
		.host = host,
		.layouts = layouts,
		.losses = &losses,
		.packets = w->bridges,
		.ends = ends,
		.n_ends = n_ends };
	assert_return_code(kernel_model_new(&in, &w->hosts[host], &m, &err), 0);
	assert_return_code(
		trace_cursor_of_host(w->e, kernel_layouts_reading(layouts), host, &c, &err), 0);
	feed(m, c, dice);
	assert_return_code(kernel_model_finish(m, &err), 0);
	trace_cursor_drop(c);
	kernel_model_free(m);
	kernel_losses_fini(&losses);
	free(ends);
}

/* The world of the other events. Packets are those of all, but whose ends are dropped have none. */
static struct kernel_world *build_without(const struct recording *r, struct dice *dice)
{
	struct mer_err err = { 0 };
	struct kernel_layouts *layouts;
	struct trace_reading *switches;
	struct kernel_world *w = calloc(1, sizeof(*w));
	assert_non_null(w);
	*w = (struct kernel_world){
		.e = r->e, .n_hosts = r->w->n_hosts, .n_bridges = r->w->n_bridges
	};
	w->hosts = calloc((size_t)w->n_hosts + 1, sizeof(*w->hosts));
	w->bridges = mer_spill_array(NULL, (size_t)w->n_bridges + 1, sizeof(*w->bridges));
	assert_non_null(w->hosts);
	assert_non_null(w->bridges);
	for (uint32_t i = 0; i < w->n_bridges; i++) {
		w->bridges[i] = r->w->bridges[i];
		w->bridges[i].from.span = w->bridges[i].to.span = w->bridges[i].answers =
			KERNEL_NONE;
	}
	assert_return_code(kernel_layouts_new(r->e, 0, &layouts, &err), 0);
	assert_return_code(kernel_switch_reading_new(r->e, &switches, &err), 0);
	for (uint32_t h = 0; h < w->n_hosts; h++) {
		kernel_host_init(&w->hosts[h]);
		build_host(w, h, layouts, switches, dice);
	}
	kernel_layouts_free(layouts);
	trace_reading_free(switches);
	return w;
}

/* ---- how much of it is so ---- */

enum manner { UNKNOWN, ON_CPU, READY, WAITS, GONE };

static enum manner manner_of(const struct kernel_span *s)
{
	switch ((enum kernel_state)s->state) {
	case KERNEL_UNKNOWN: return UNKNOWN;
	case KERNEL_RUNNABLE:
	case KERNEL_NEW: return READY;
	case KERNEL_BLOCKED:
	case KERNEL_STOPPED: return WAITS;
	case KERNEL_DEAD: return GONE;
	default: return ON_CPU;
	}
}

struct verdict { /* ns of tasks on a CPU or ready, in truth or as claimed */
	int64_t right, wrong, unknown;
};

/* Both tasks from their ends back. */
static void compare(const struct kernel_host *p, uint32_t a, const struct kernel_host *q,
	uint32_t b, struct verdict *v)
{
	uint32_t i = p->tasks[a].last, k = q->tasks[b].last;
	int64_t t = p->tasks[a].end < q->tasks[b].end ? p->tasks[a].end : q->tasks[b].end;
	while (i != KERNEL_NONE && k != KERNEL_NONE) {
		const struct kernel_span *s = kernel_span(p, i), *u = kernel_span(q, k);
		int64_t begin = s->begin > u->begin ? s->begin : u->begin;
		enum manner was = manner_of(s), is = manner_of(u);
		if (begin < t) {
			bool counts = was == ON_CPU || was == READY || is == ON_CPU || is == READY;
			*(is == UNKNOWN	    ? &v->unknown
				: !counts   ? &(int64_t){ 0 }
				: is == was ? &v->right
					    : &v->wrong) += t - begin;
			t = begin;
		}
		uint32_t i_next = s->begin >= u->begin ? s->before : i,
			 k_next = u->begin >= s->begin ? u->before : k;
		i = i_next;
		k = k_next;
	}
}

static struct verdict judge(const struct kernel_world *all, const struct kernel_world *some)
{
	struct verdict v = { 0 };
	for (uint32_t h = 0; h < all->n_hosts; h++)
		for (uint32_t t = 0; t < all->hosts[h].n_tasks; t++) {
			int32_t tid = all->hosts[h].tasks[t].tid;
			uint32_t u = kernel_find_task(&some->hosts[h], tid, NULL, 0);
			if (u != KERNEL_NONE &&
				kernel_find_task(&some->hosts[h], tid, NULL, u + 1) == KERNEL_NONE)
				compare(&all->hosts[h], t, &some->hosts[h], u, &v);
		}
	return v;
}

static uint64_t n_odd(const struct kernel_world *w)
{
	uint64_t n = 0;
	for (uint32_t h = 0; h < w->n_hosts; h++)
		n += w->hosts[h].n_odd;
	return n;
}

static void check_paths(const struct kernel_world *w)
{
	struct mer_err err = { 0 };
	for (uint32_t h = 0; h < w->n_hosts; h++) {
		uint32_t n = w->hosts[h].n_tasks, step = n / 40 + 1;
		for (uint32_t t = 0; t < n; t += step) {
			struct path p;
			assert_return_code(path_find(w, h, t, INT64_MIN, INT64_MAX, &p, &err), 0);
			path_check(&p);
			path_fini(&p);
		}
	}
}

static void some_events_are_missing(void **state)
{
	/* One in so many; and of what tasks did on CPUs, or waiting for one, the most that is
	 * wrong: the next switch that contradicts takes back what was believed since the task was
	 * certainly there. */
	static const struct {
		uint32_t one_in;
		double wrong;
	} losses[] = { { 1000, 0.05 }, { 100, 0.06 }, { 10, 1 }, { 2, 1 } };
	struct recording r;
	recording_open(&r, *state);
	for (size_t i = 0; i < sizeof(losses) / sizeof(*losses); i++) {
		struct dice dice = { .state = 7 + i, .one_in = losses[i].one_in };
		struct kernel_world *w = build_without(&r, &dice);
		struct verdict v = judge(r.w, w);
		double wrong = (double)v.wrong / (double)(v.wrong + v.right + 1);
		world_check(w);
		check_paths(w);
		if (wrong > losses[i].wrong)
			fail_msg("%s: without one in %u, %.4f of the time is wrong", r.name,
				losses[i].one_in, wrong);
		/* It does not go unnoticed. */
		if (losses[i].one_in <= 100)
			assert_true(n_odd(w) > n_odd(r.w));
		kernel_world_free(w);
	}
	recording_close(&r);
}

int main(void)
{
	static const char *const names[] = {
		"lab/clihog-srvhog-2vm",
		"lab/cpu-mem-io",
		"lab/ipc-zoo",
		"lab/login-tree",
		"lab/lost-events",
		"lab/mpi-3vm",
		"lab/netns-containers",
		"lab/threadirqs",
		"lab/web-lossy",
		"public/bug446190",
		"public/django-vote",
		"public/many-threads",
		"public/synctraces",
	};
	enum { N = sizeof(names) / sizeof(names[0]) };
	struct CMUnitTest tests[N];
	for (size_t i = 0; i < N; i++)
		tests[i] = (struct CMUnitTest){ .name = names[i],
			.test_func = some_events_are_missing,
			.initial_state = (void *)(uintptr_t)names[i] };
	return cmocka_run_group_tests_name("events dropped at random", tests, NULL, NULL);
}
