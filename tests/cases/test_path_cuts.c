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
	int64_t wrong, claimed, missing, blocked, unsent, total; /* ns of paths */
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
	return g->cause == PATH_NETWORK && !g->in_flight && !g->delivery;
}

static int64_t dbg[6];
static struct kernel_losses dbgl[20];
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
			if (g->cause == PATH_UNKNOWN) {
				k->missing += end - t;
				if (g->task == KERNEL_NONE || g->span == KERNEL_NONE)
					dbg[5] += end - t;
				else {
					int64_t from = t, u;
					const struct kernel_losses *l = &dbgl[g->host];
					int64_t a, b, in = 0;
					while (from < end &&
						kernel_lost_between(l, from, end, &a, &b)) {
						/* first union */
						int64_t e2 = a;
						for (uint32_t q = 0; q < l->n; q++)
							if (l->by_begin[q].begin <= e2 &&
								l->by_begin[q].end > e2) {
								e2 = l->by_begin[q].end;
								q = (uint32_t)-1;
								if (e2 >= end)
									break;
							}
						if (e2 > end)
							e2 = end;
						if (e2 == a)
							e2 = a + 1;
						in += e2 - a;
						from = e2;
					}
					u = end - t - in;
					dbg[0] += in;
					const struct kernel_host *h = &k->cut->w->hosts[g->host];
					const struct kernel_task *tk = &h->tasks[g->task];
					if (tk->last == g->span)
						dbg[1] += u;
					else
						dbg[2] += u;
				}
			} else if (g->cause == PATH_BLOCKED)
				k->blocked += end - t;
			else if (is_open(g))
				k->unsent += end - t;
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
}

/* ---- states and ends of waits ---- */

struct states {
	const struct check *k;
	uint32_t host;
	uint64_t n_waits, n_wrong_waits, n_wrong_causes, n_wrong_states;
	int64_t wrong, unknown, total; /* ns */
};

static bool is_state(uint8_t claimed, uint8_t was)
{
	if (claimed == was || claimed == KERNEL_UNKNOWN || was == KERNEL_UNKNOWN)
		return true;
	if (claimed == KERNEL_RUNNING || was == KERNEL_RUNNING)
		return kernel_is_on_cpu((enum kernel_state)claimed) &&
		       kernel_is_on_cpu((enum kernel_state)was);
	return false;
}

static bool is_same_wait(
	const struct states *s, const struct kernel_span *c, const struct kernel_span *w)
{
	const struct kernel_world *cut = s->k->cut->w, *whole = s->k->whole->w;
	if (c->cause == KERNEL_NO_CAUSE)
		return true;
	bool vague =
		c->cause == KERNEL_TASK && (w->cause == KERNEL_FUTEX || w->cause == KERNEL_PIPE);
	if (c->cause != w->cause && !vague)
		return false;
	if (c->by != KERNEL_NONE && w->by != KERNEL_NONE &&
		cut->hosts[s->host].tasks[kernel_span(&cut->hosts[s->host], c->by)->task].tid !=
			whole->hosts[s->host]
				.tasks[kernel_span(&whole->hosts[s->host], w->by)->task]
				.tid)
		return false;
	if (c->cause == KERNEL_NETWORK && c->source != KERNEL_NONE && w->source != KERNEL_NONE) {
		const struct kernel_packet *p = &cut->packets[c->source],
					   *q = &whole->packets[w->source];
		return p->sent == q->sent && p->received == q->received;
	}
	return true;
}

static void compare_states(struct states *s, uint32_t a, uint32_t b)
{
	const struct kernel_host *p = &s->k->whole->w->hosts[s->host],
				 *q = &s->k->cut->w->hosts[s->host];
	uint32_t i = p->tasks[a].last, j = q->tasks[b].last;
	int64_t t = p->tasks[a].end < q->tasks[b].end ? p->tasks[a].end : q->tasks[b].end;
	int64_t i_end = p->tasks[a].end, j_end = q->tasks[b].end;
	while (i != KERNEL_NONE && j != KERNEL_NONE) {
		const struct kernel_span *was = kernel_span(p, i), *is = kernel_span(q, j);
		int64_t begin = was->begin > is->begin ? was->begin : is->begin;
		if (begin < t) {
			s->total += t - begin;
			s->unknown += is->state == KERNEL_UNKNOWN ? t - begin : 0;
			if (!is_state(is->state, was->state)) {
				s->wrong += t - begin;
				if (s->n_wrong_states++ < 5)
					print_message("    %s host %u tid %d %" PRId64 "..%" PRId64
						      ": %s, but it was %s\n",
						s->k->cut->name, s->host, (int)p->tasks[a].tid,
						begin - p->begin, t - p->begin,
						kernel_state_name((enum kernel_state)is->state),
						kernel_state_name((enum kernel_state)was->state));
			} else if (is->state == KERNEL_BLOCKED && was->state == KERNEL_BLOCKED &&
				   i_end == j_end && i_end == t) {
				s->n_waits++;
				if (!is_same_wait(s, is, was) && s->n_wrong_waits++ < 8)
					print_message(
						"    %s host %u tid %d wait %" PRId64 "..%" PRId64
						": %s by %d packet %d, but %s by %d packet %d\n",
						s->k->cut->name, s->host, (int)p->tasks[a].tid,
						begin - p->begin, t - p->begin,
						kernel_cause_name((enum kernel_cause)is->cause),
						is->by == KERNEL_NONE
							? -1
							: (int)q->tasks[kernel_span(q, is->by)
										->task]
								  .tid,
						(int)is->source,
						kernel_cause_name((enum kernel_cause)was->cause),
						was->by == KERNEL_NONE
							? -1
							: (int)p->tasks[kernel_span(p, was->by)
										->task]
								  .tid,
						(int)was->source);
			}
			t = begin;
		}
		uint32_t i_next = was->begin >= is->begin ? was->before : i;
		uint32_t j_next = is->begin >= was->begin ? is->before : j;
		if (i_next != i)
			i_end = was->begin;
		if (j_next != j)
			j_end = is->begin;
		i = i_next;
		j = j_next;
	}
}

static void check_states(struct check *k)
{
	struct states s = { .k = k };
	for (s.host = 0; s.host < k->whole->w->n_hosts; s.host++) {
		const struct kernel_host *p = &k->whole->w->hosts[s.host],
					 *q = &k->cut->w->hosts[s.host];
		for (uint32_t t = 0; t < p->n_tasks; t++) {
			int32_t tid = p->tasks[t].tid;
			uint32_t u = kernel_find_task(q, tid, NULL, 0);
			if (u != KERNEL_NONE &&
				kernel_find_task(q, tid, NULL, u + 1) == KERNEL_NONE &&
				kernel_find_task(p, tid, NULL, 0) == t &&
				kernel_find_task(p, tid, NULL, t + 1) == KERNEL_NONE)
				compare_states(&s, t, u);
		}
	}
	print_message("  states: wrong %.6f unknown %.4f; waits: %d, wrong %d\n",
		(double)s.wrong / (double)s.total, (double)s.unknown / (double)s.total,
		(int)s.n_waits, (int)s.n_wrong_waits);
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
		dbgl[h] = l;
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
	check_states(&k);
	check_paths(&k);
	double total = (double)k.total + 1;
	if (getenv("EACH"))
		print_message("    in holes %.3f, last %.3f, between %.3f, none %.3f\n",
			(double)dbg[0] / total, (double)dbg[1] / total, (double)dbg[2] / total,
			(double)dbg[5] / total);
	memset(dbg, 0, sizeof(dbg));
	print_message("%-24s manner %d seed %d: lost %.3f; unknown %.3f blocked %.3f unsent %.3f "
		      "wrong %.4f right %.3f (was %.3f %.3f)\n",
		whole->name, manner, (int)seed, (double)cut.n_lost / (double)cut.n_events,
		(double)k.missing / total, (double)k.blocked / total, (double)k.unsent / total,
		(double)k.wrong / total, (double)k.claimed / total, (double)k.was_unknown / total,
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
