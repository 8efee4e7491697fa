/* Recordings of which 2 to 3 % of the events are missing, and the packets tell so: what is
 * claimed of them is what happened, and paths go on behind the holes. The truth is the recording
 * as it was. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cut.h"
#include "given.h"
#include "path_check.h"
#include "recording.h"

enum { N_TASKS = 12, FEW_EVENTS = 20, N_SEEDS = 2 / GIVEN_EVERY(2) };

struct check {
	const struct recording *whole, *cut;
	uint32_t host;
	/* Waits of which the end is claimed, and those whose packet was another one. */
	uint64_t n_waits, n_other_packets;
	/* Of paths, ns: claimed and so, claimed and not so, not known. */
	int64_t right, wrong, unknown;
};

/* ---- states, and how waits ended ---- */

static int32_t tid_of_span(const struct kernel_host *h, uint32_t span)
{
	return span == KERNEL_NONE ? -1 : h->tasks[kernel_span(h, span)->task].tid;
}

static bool is_running(uint8_t state)
{
	return kernel_is_on_cpu((enum kernel_state)state) && state != KERNEL_INTERRUPTED;
}

static bool is_state(uint8_t claimed, uint8_t was)
{
	return claimed == was || claimed == KERNEL_UNKNOWN || was == KERNEL_UNKNOWN ||
	       (is_running(claimed) && is_running(was));
}

static bool is_packet(const struct check *k, uint32_t claimed, uint32_t was)
{
	if (claimed == KERNEL_NONE || was == KERNEL_NONE)
		return true;
	const struct kernel_bridge *p = &k->cut->w->bridges[claimed];
	const struct kernel_bridge *q = &k->whole->w->bridges[was];
	return p->from.time == q->from.time && p->to.time == q->to.time;
}

static void check_end_of_wait(
	struct check *k, const struct kernel_span *is, const struct kernel_span *was, int64_t end)
{
	const struct kernel_host *cut = &k->cut->w->hosts[k->host];
	const struct kernel_host *whole = &k->whole->w->hosts[k->host];
	bool vague = is->cause == KERNEL_TASK &&
		     (was->cause == KERNEL_FUTEX || was->cause == KERNEL_PIPE);
	if (is->cause == KERNEL_NO_CAUSE)
		return;
	k->n_waits++;
	if ((is->cause != was->cause && !vague) ||
		(is->by != KERNEL_NONE && was->by != KERNEL_NONE &&
			tid_of_span(cut, is->by) != tid_of_span(whole, was->by)))
		fail_msg("%s: host %u: wait of %d until %" PRId64
			 " ended by %s of %d, not %s of %d",
			k->cut->name, k->host, (int)whole->tasks[was->task].tid, end - whole->begin,
			kernel_cause_name((enum kernel_cause)is->cause),
			(int)tid_of_span(cut, is->by),
			kernel_cause_name((enum kernel_cause)was->cause),
			(int)tid_of_span(whole, was->by));
	if (is->cause == KERNEL_NETWORK && !is_packet(k, is->source, was->source))
		k->n_other_packets++;
}

struct place { /* in the list of a task's spans, from its end back */
	const struct kernel_host *h;
	uint32_t span;
	int64_t end;
};

static struct place last_of(const struct kernel_host *h, uint32_t task)
{
	return (struct place){ h, h->tasks[task].last, h->tasks[task].end };
}

static void step_back(struct place *p)
{
	const struct kernel_span *s = kernel_span(p->h, p->span);
	p->end = s->begin;
	p->span = s->before;
}

static void check_task(struct check *k, uint32_t a, uint32_t b)
{
	struct place was = last_of(&k->whole->w->hosts[k->host], a);
	struct place is = last_of(&k->cut->w->hosts[k->host], b);
	int64_t t = was.end < is.end ? was.end : is.end;
	while (was.span != KERNEL_NONE && is.span != KERNEL_NONE) {
		const struct kernel_span *p = kernel_span(was.h, was.span);
		const struct kernel_span *q = kernel_span(is.h, is.span);
		int64_t begin = p->begin > q->begin ? p->begin : q->begin;
		if (begin < t && !is_state(q->state, p->state))
			fail_msg("%s: host %u: %d at %" PRId64 "..%" PRId64 " is %s, but was %s",
				k->cut->name, k->host, (int)was.h->tasks[a].tid,
				begin - was.h->begin, t - was.h->begin,
				kernel_state_name((enum kernel_state)q->state),
				kernel_state_name((enum kernel_state)p->state));
		if (begin < t && p->state == KERNEL_BLOCKED && q->state == KERNEL_BLOCKED &&
			was.end == t && is.end == t)
			check_end_of_wait(k, q, p, t);
		t = begin < t ? begin : t;
		bool both = p->begin == q->begin, first = p->begin > q->begin;
		if (both || first)
			step_back(&was);
		if (both || !first)
			step_back(&is);
	}
}

/* The task with this number, if there is only one. */
static uint32_t only_task(const struct kernel_host *h, int32_t tid)
{
	uint32_t t = kernel_find_task(h, tid, NULL, 0);
	return t != KERNEL_NONE && kernel_find_task(h, tid, NULL, t + 1) == KERNEL_NONE
		       ? t
		       : KERNEL_NONE;
}

static void check_states(struct check *k)
{
	const struct kernel_host *whole = &k->whole->w->hosts[k->host];
	for (uint32_t t = 0; t < whole->n_tasks; t++) {
		int32_t tid = whole->tasks[t].tid;
		uint32_t u = only_task(&k->cut->w->hosts[k->host], tid);
		if (u != KERNEL_NONE && only_task(whole, tid) == t)
			check_task(k, t, u);
	}
}

/* ---- paths ---- */

static int32_t tid_of(const struct kernel_world *w, const struct path_segment *g)
{
	return g->task == KERNEL_NONE ? -1 : w->hosts[g->host].tasks[g->task].tid;
}

static bool is_of(
	const struct check *k, const struct path_segment *g, const struct path_segment *was)
{
	return g->host == was->host && tid_of(k->cut->w, g) == tid_of(k->whole->w, was) &&
	       g->cause == was->cause;
}

/* Says less than is true: what for is not known. After a timer the wait was perhaps taken up again,
 * in a hole. */
static bool is_open(const struct path_segment *g)
{
	return g->cause == PATH_BLOCKED || g->cause == PATH_TASK || g->cause == PATH_TIMER ||
	       (g->cause == PATH_NETWORK && !g->in_flight && !g->delivery);
}

static void compare(struct check *k, const struct path *whole, const struct path *cut)
{
	int64_t t = cut->begin;
	for (size_t i = 0, j = 0; i < cut->n_segments && j < whole->n_segments;) {
		const struct path_segment *g = &cut->segments[i], *was = &whole->segments[j];
		int64_t end = g->end < was->end ? g->end : was->end;
		*(g->cause == PATH_UNKNOWN ? &k->unknown
			: is_open(g) || was->cause == PATH_UNKNOWN || is_of(k, g, was)
				? &k->right
				: &k->wrong) += end - t;
		t = end;
		i += g->end <= t;
		j += was->end <= t;
	}
}

/* The busiest tasks of a host. */
static size_t choose(const struct kernel_host *h, uint32_t *tasks)
{
	uint32_t *n_spans = calloc(h->n_tasks + 1, sizeof(*n_spans));
	size_t n = 0;
	assert_non_null(n_spans);
	for (uint32_t t = 0; t < h->n_tasks; t++)
		for (uint32_t i = h->tasks[t].last; i != KERNEL_NONE; i = kernel_span(h, i)->before)
			n_spans[t] += !h->tasks[t].is_kernel;
	for (; n < N_TASKS; n++) {
		uint32_t best = 0;
		for (uint32_t t = 1; t < h->n_tasks; t++)
			best = n_spans[t] > n_spans[best] ? t : best;
		if (n_spans[best] <= FEW_EVENTS)
			break;
		tasks[n] = best;
		n_spans[best] = 0;
	}
	free(n_spans);
	return n;
}

static void check_path(struct check *k, uint32_t a, uint32_t b)
{
	const struct kernel_task *t = &k->whole->w->hosts[k->host].tasks[a];
	const struct kernel_task *u = &k->cut->w->hosts[k->host].tasks[b];
	const int64_t ends[] = { t->end, u->end, t->died, u->died };
	int64_t begin = t->begin > u->begin ? t->begin : u->begin, end = INT64_MAX;
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		end = ends[i] < end ? ends[i] : end;
	struct path whole, cut;
	recording_find_path(k->whole, k->host, a, begin, end, &whole);
	recording_find_path(k->cut, k->host, b, begin, end, &cut);
	compare(k, &whole, &cut);
	path_fini(&whole);
	path_fini(&cut);
}

static void check_paths(struct check *k)
{
	const struct kernel_host *whole = &k->whole->w->hosts[k->host];
	uint32_t tasks[N_TASKS];
	size_t n = choose(whole, tasks);
	for (size_t i = 0; i < n; i++) {
		uint32_t u = only_task(&k->cut->w->hosts[k->host], whole->tasks[tasks[i]].tid);
		if (u != KERNEL_NONE)
			check_path(k, tasks[i], u);
	}
}

/* ---- the tests ---- */

static void cut_and_check(struct check *k, struct cut *cut)
{
	char dir[] = "/tmp/path_cuts.XXXXXX", command[100];
	struct recording r;
	assert_non_null(mkdtemp(dir));
	cut_recording(k->whole->e, dir, cut);
	recording_open_cut(&r, k->whole, dir);
	world_check(r.w);
	k->cut = &r;
	for (k->host = 0; k->host < r.w->n_hosts; k->host++) {
		check_states(k);
		check_paths(k);
	}
	recording_close(&r);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	assert_int_equal(system(command), 0);
}

static double part(int64_t of, const struct check *k)
{
	return (double)of / (double)(k->right + k->wrong + k->unknown + 1);
}

static void events_are_missing(void **state)
{
	static const char *const manners[] = { [CUT_SHORT] = "10 to 200 events at a time",
		[CUT_LONG] = "300 to 2000 events at a time",
		[CUT_TINY] = "2 to 20 events at a time",
		[CUT_PACKETS] = "whole packets" };
	const char *more = getenv("SEEDS");
	uint64_t n_seeds = more ? strtoull(more, NULL, 10) : N_SEEDS;
	struct recording whole;
	recording_open(&whole, *state);
	for (int manner = CUT_SHORT; manner <= CUT_PACKETS; manner++) {
		struct check k = { .whole = &whole };
		uint64_t n_lost = 0, n_events = 0;
		for (uint64_t seed = 1; seed <= n_seeds; seed++) {
			struct cut cut = {
				.manner = (enum cut_manner)manner, .share = 0.025, .seed = seed
			};
			cut_and_check(&k, &cut);
			n_lost += cut.n_lost;
			n_events += cut.n_events;
		}
		print_message("%-16s %-28s: lost %.1f %%; of paths %.1f %% unknown, %.2f %% wrong; "
			      "%.2f %% of %d waits another packet\n",
			whole.name, manners[manner], 100.0 * (double)n_lost / (double)n_events,
			100 * part(k.unknown, &k), 100 * part(k.wrong, &k),
			100.0 * (double)k.n_other_packets / (double)(k.n_waits + 1),
			(int)k.n_waits);
		/* Ranks that spin keep both CPUs of each host busy: nothing says that who sleeps
		 * across a hole is not in a queue. */
		bool is_busy = strcmp(whole.name, "lab/mpi-3vm") == 0 && manner == CUT_TINY;
		assert_true(part(k.unknown, &k) < (is_busy ? 0.45 : 1.0 / 3));
		/* Of packets that were received together, which one it was. */
		assert_true(part(k.wrong, &k) < 0.002);
		assert_true((double)k.n_other_packets <= 0.003 * (double)k.n_waits);
	}
	recording_close(&whole);
}

int main(void)
{
	static const char *const names[] = {
		"lab/clihog-srvhog-2vm",
		"lab/cold-disk",
		"lab/cpu-mem-io",
		"lab/ipc-zoo",
		"lab/login-tree",
		"lab/mpi-3vm",
		"lab/shop-a",
		"lab/shop-node",
		"lab/threadirqs",
		"lab/web-load",
		"lab/wget-cold-hot",
	};
	enum { STEP = GIVEN_EVERY(3), N = (sizeof(names) / sizeof(names[0]) + STEP - 1) / STEP };
	struct CMUnitTest tests[N];
	for (size_t i = 0; i < N; i++)
		tests[i] = (struct CMUnitTest){ .name = names[i * STEP],
			.test_func = events_are_missing,
			.initial_state = (void *)(uintptr_t)names[i * STEP] };
	return cmocka_run_group_tests_name("events missing, and told", tests, NULL, NULL);
}
