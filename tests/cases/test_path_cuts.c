/* Recordings of which 2 to 3 % of the events are missing, and the packets tell so: what is claimed of them is
 * what happened, and paths go on behind the holes. The truth is the recording as it was. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cut.h"
#include "path_check.h"
#include "recording.h"
#include "kernel/losses.h"
#include "kernel/layouts.h"

enum { N_TASKS = 12, MAX_COMPLAINTS = 10 };

/* The copy's world, on the clocks of the original. */
static void open_cut(struct recording *r, const struct recording *whole, const char *dir)
{
	struct mer_err err = { 0 };
	*r = (struct recording){ 0 };
	snprintf(r->name, sizeof(r->name), "%s", whole->name);
	if (mer_experiment_open(&dir, 1, NULL, &r->e, &err) ||
		sync_gather(r->e,
			&(struct sync_gather_options){ .n_threads = 1, .keep_streams = true },
			&r->messages, &err) ||
		(whole->result && sync_apply(r->e, whole->result, &err)) ||
		kernel_world_build(r->e, &r->messages, whole->result,
			&(struct kernel_world_options){ .n_threads = 1 }, &r->w, &err))
		fail_msg("%s: %s", whole->name, err.text);
}

/* ---- what is claimed ---- */

struct check {
	const struct recording *whole, *cut;
	unsigned n_wrong;
	int64_t wrong, claimed, missing, blocked, total; /* ns of paths */
	int64_t was_unknown, was_blocked;
};

static void complain(struct check *k, const char *what, const struct path_segment *g,
	const struct path_segment *was, int64_t begin, int64_t end)
{
	if (k->n_wrong++ >= MAX_COMPLAINTS)
		return;
	const struct kernel_world *w = k->cut->w, *v = k->whole->w;
	print_message("%s: %s: %" PRId64 "..%" PRId64
		      ": %s of %d on %u, but it was %s of %d on %u\n",
		k->cut->name, what, begin - w->hosts[0].begin, end - w->hosts[0].begin,
		path_cause_name((enum path_cause)g->cause),
		g->task == KERNEL_NONE ? -1 : (int)w->hosts[g->host].tasks[g->task].tid,
		(unsigned)g->host, path_cause_name((enum path_cause)was->cause),
		was->task == KERNEL_NONE ? -1 : (int)v->hosts[was->host].tasks[was->task].tid,
		(unsigned)was->host);
}

static int32_t tid_of(const struct kernel_world *w, const struct path_segment *g)
{
	return g->task == KERNEL_NONE ? -1 : w->hosts[g->host].tasks[g->task].tid;
}

/* Claimed of a moment of the path, and true of it? */
static bool is_so(
	const struct check *k, const struct path_segment *g, const struct path_segment *was)
{
	if (g->host != was->host || tid_of(k->cut->w, g) != tid_of(k->whole->w, was))
		return false;
	if (g->cause == was->cause)
		return true;
	return g->cause == PATH_TASK && (was->cause == PATH_FUTEX || was->cause == PATH_PIPE);
}

static bool is_open(const struct path_segment *g)
{
	return g->cause == PATH_UNKNOWN || g->cause == PATH_BLOCKED;
}

static void compare(struct check *k, const struct path *whole, const struct path *cut)
{
	size_t i = 0, j = 0;
	int64_t t = cut->begin;
	while (i < cut->n_segments && j < whole->n_segments) {
		const struct path_segment *g = &cut->segments[i], *was = &whole->segments[j];
		int64_t end = g->end < was->end ? g->end : was->end;
		if (end > t) {
			k->total += end - t;
			k->was_unknown += was->cause == PATH_UNKNOWN ? end - t : 0;
			k->was_blocked += was->cause == PATH_BLOCKED ? end - t : 0;
			if (g->cause == PATH_UNKNOWN)
				k->missing += end - t;
			else if (g->cause == PATH_BLOCKED)
				k->blocked += end - t;
			else if (is_so(k, g, was))
				k->claimed += end - t;
			else if (was->cause != PATH_UNKNOWN) {
				k->wrong += end - t;
				complain(k, "path", g, was, t, end);
			}
			t = end;
		}
		i += g->end <= t;
		j += was->end <= t;
	}
	(void)is_open;
}

/* The busiest tasks of a host. */
static size_t choose(const struct kernel_host *h, uint32_t *tasks)
{
	uint32_t *n_spans = calloc(h->n_tasks + 1, sizeof(*n_spans));
	size_t n = 0;
	assert_non_null(n_spans);
	for (uint32_t t = 0; t < h->n_tasks; t++)
		for (uint32_t i = h->tasks[t].last; i != KERNEL_NONE; i = kernel_span(h, i)->before)
			n_spans[t]++;
	for (; n < N_TASKS; n++) {
		uint32_t best = KERNEL_NONE;
		for (uint32_t t = 0; t < h->n_tasks; t++)
			if (!h->tasks[t].is_kernel && n_spans[t] > 20 &&
				(best == KERNEL_NONE || n_spans[t] > n_spans[best]))
				best = t;
		if (best == KERNEL_NONE)
			break;
		tasks[n] = best;
		n_spans[best] = 0;
	}
	free(n_spans);
	return n;
}

static void check_paths(struct check *k)
{
	for (uint32_t h = 0; h < k->whole->w->n_hosts; h++) {
		const struct kernel_host *a = &k->whole->w->hosts[h], *b = &k->cut->w->hosts[h];
		uint32_t tasks[N_TASKS];
		size_t n = choose(a, tasks);
		for (size_t i = 0; i < n; i++) {
			struct path p, q;
			const struct kernel_task *t = &a->tasks[tasks[i]];
			uint32_t u = kernel_find_task(b, t->tid, NULL, 0);
			if (u == KERNEL_NONE ||
				kernel_find_task(b, t->tid, NULL, u + 1) != KERNEL_NONE)
				continue;
			const struct kernel_task *v = &b->tasks[u];
			int64_t begin = t->begin > v->begin ? t->begin : v->begin;
			int64_t end = t->end < v->end ? t->end : v->end;
			end = end < t->died ? end : t->died;
			end = end < v->died ? end : v->died;
			recording_find_path(k->whole, h, tasks[i], begin, end, &p);
			recording_find_path(k->cut, h, u, begin, end, &q);
			struct check before = *k;
			compare(k, &p, &q);
			if (getenv("EACH"))
				print_message("  host %u %5d %-16s %6.2f s: unknown %.3f blocked "
					      "%.3f (was %.3f %.3f)\n",
					(unsigned)h, (int)t->tid,
					kernel_comm(a, tasks[i], INT64_MAX),
					(double)(k->total - before.total) * 1e-9,
					(double)(k->missing - before.missing) /
						(double)(k->total - before.total + 1),
					(double)(k->blocked - before.blocked) /
						(double)(k->total - before.total + 1),
					(double)(k->was_unknown - before.was_unknown) /
						(double)(k->total - before.total + 1),
					(double)(k->was_blocked - before.was_blocked) /
						(double)(k->total - before.total + 1));
			path_fini(&p);
			path_fini(&q);
		}
	}
}

static void print_holes(const struct recording *r)
{
	struct mer_err err = { 0 };
	struct trace_reading *switches;
	assert_int_equal(kernel_switch_reading_new(r->e, &switches, &err), 0);
	for (uint32_t h = 0; h < r->w->n_hosts; h++) {
		struct kernel_losses l;
		assert_int_equal(kernel_losses_find(r->e, h, switches, &l, &err), 0);
		int64_t u = 0, covered = INT64_MIN;
		uint32_t n = 0;
		for (uint32_t i = 0; i < l.n; i++) {
			int64_t b = l.by_begin[i].begin > covered ? l.by_begin[i].begin : covered;
			if (l.by_begin[i].end > b) {
				u += l.by_begin[i].end - b;
				n += l.by_begin[i].begin > covered;
				covered = l.by_begin[i].end;
			}
		}
		print_message("  host %u: %u losses, %u holes, %.4f of the time\n", (unsigned)h,
			(unsigned)l.n, (unsigned)n, (double)u / (double)(l.end - l.begin));
		kernel_losses_fini(&l);
	}
	trace_reading_free(switches);
}

static void cut_and_check(const struct recording *whole, enum cut_manner manner, uint64_t seed)
{
	char dir[] = "/tmp/path_cuts.XXXXXX", command[100];
	struct cut cut = { .manner = manner, .share = 0.025, .seed = seed };
	struct recording r;
	assert_non_null(mkdtemp(dir));
	cut_recording(whole->e, dir, &cut);
	open_cut(&r, whole, dir);
	assert_int_equal(r.w->n_hosts, whole->w->n_hosts);
	for (uint32_t i = 0; i < r.w->n_hosts; i++)
		assert_string_equal(r.e->hosts[i].name, whole->e->hosts[i].name);
	world_check(r.w);
	if (getenv("EACH"))
		print_holes(&r);
	struct check k = { .whole = whole, .cut = &r };
	check_paths(&k);
	double total = (double)k.total + 1;
	print_message("%-24s manner %d seed %d: lost %.3f; unknown %.3f blocked %.3f wrong %.4f "
		      "right %.3f (was %.3f %.3f)\n",
		whole->name, manner, (int)seed, (double)cut.n_lost / (double)cut.n_events,
		(double)k.missing / total, (double)k.blocked / total, (double)k.wrong / total,
		(double)k.claimed / total, (double)k.was_unknown / total,
		(double)k.was_blocked / total);
	recording_close(&r);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	if (!getenv("KEEP"))
		assert_int_equal(system(command), 0);
}

static void cuts(void **state)
{
	struct recording whole;
	recording_open(&whole, *state);
	const char *seeds = getenv("SEEDS"), *manners = getenv("MANNERS");
	for (unsigned m = CUT_SHORT; m <= CUT_PACKETS; m++)
		for (uint64_t seed = 1; seed <= (seeds ? strtoul(seeds, NULL, 10) : 1); seed++)
			if (!manners || strchr(manners, (int)('0' + m)))
				cut_and_check(&whole, (enum cut_manner)m, seed);
	recording_close(&whole);
}

int main(int argc, char **argv)
{
	static const char *const names[] = {
		"lab/wget-cold-hot",
		"lab/clihog-srvhog-2vm",
		"lab/web-load",
	};
	enum { N = sizeof(names) / sizeof(names[0]) };
	struct CMUnitTest tests[20];
	int n = argc > 1 ? argc - 1 : N;
	for (int i = 0; i < n; i++)
		tests[i] = (struct CMUnitTest){ .name = argc > 1 ? argv[i + 1] : names[i],
			.test_func = cuts,
			.initial_state = (void *)(uintptr_t)(argc > 1 ? argv[i + 1] : names[i]) };
	return _cmocka_run_group_tests("recordings cut", tests, (size_t)n, NULL, NULL);
}
