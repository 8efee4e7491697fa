/* Project: whatever the estimates were, what comes out satisfies all constraints; what satisfied
 * them already stays; and what is given stays, too. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "net_case.h"
#include "random.h"
#include "sync/estimate/project.h"

struct world {
	struct net_case c;
	struct sync_messages m;
	struct sync_net net;
	struct sync_course courses[CASE_HOSTS];
	int64_t slack;
	bool fixed[CASE_HOSTS];
};

static void make_world(struct world *w, unsigned kinds, uint64_t *seed)
{
	memset(w, 0, sizeof(*w));
	w->slack = random_next(seed) & 1 ? random_in(seed, 0, 1000) : 0;
	net_case_make(&w->c, kinds, w->slack, seed);
	net_case_messages(&w->c, &w->m);
	assert_int_equal(sync_net_new(&w->m, w->c.drift, w->c.reference, NULL, &w->net, NULL), 0);
	bool consistent;
	assert_int_equal(
		sync_net_tighten(&w->net, SYNC_NET_HIGH | SYNC_NET_LOW, 0, &consistent, NULL), 0);
	assert_true(consistent);
	w->fixed[0] = true;
}

static void forget(struct world *w)
{
	for (int h = 0; h < CASE_HOSTS; h++)
		sync_course_free(&w->courses[h]);
	sync_net_free(&w->net);
	sync_messages_free(&w->m);
}

static void add_knot(struct sync_course *c, int64_t t, long double off)
{
	assert_int_equal(sync_course_add(c, t, off, NULL), 0);
}

static void true_course(struct world *w, uint32_t h)
{
	for (int i = 0; i < w->c.n_instants; i++)
		add_knot(&w->courses[h], w->c.t[h][i], (long double)w->c.offset[h][i]);
}

/* Near the truth or far from it, at the instants or elsewhere. */
static void any_course(struct world *w, uint32_t h, uint64_t *seed)
{
	int64_t far = random_next(seed) & 1 ? 1000 : 1000000;
	uint64_t kind = random_next(seed) % 3;
	if (kind == 0)
		for (int i = 0; i < w->c.n_instants; i++)
			add_knot(&w->courses[h], w->c.t[h][i],
				(long double)(w->c.offset[h][i] + random_in(seed, -far, far)) +
					0.25L);
	for (int64_t t = random_in(seed, -far, far), k = 0; kind == 1 && k < 6; k++) {
		add_knot(&w->courses[h], t, (long double)random_in(seed, -far, far) / 3);
		t += random_in(seed, 1, 300000);
	}
}

/* Somewhere, but it drifts no more than it may. */
static void gentle_course(struct world *w, uint32_t h, uint64_t *seed)
{
	int64_t far = random_next(seed) & 1 ? 1000 : 1000000;
	long double off = (long double)(w->c.offset[h][0] + random_in(seed, -far, far));
	int64_t t = random_in(seed, -1000, 500000);
	for (int i = 0; i < 6; i++) {
		add_knot(&w->courses[h], t, off);
		int64_t dt = random_in(seed, 1, 300000);
		t += dt;
		off += (long double)dt * w->c.drift[h].max_rate *
		       (long double)random_in(seed, -1000, 1000) / 1000;
	}
}

static int64_t value(const struct sync_course *c, int64_t t)
{
	return (int64_t)llroundl(sync_course_at(c, t, NULL));
}

static void check_drift(const struct world *w, uint32_t h, uint64_t number)
{
	const struct sync_net_host *host = &w->net.hosts[h];
	const struct sync_drift *d = &host->drift;
	for (size_t i = 1; i < host->n; i++) {
		int64_t t1 = host->t[i - 1], t2 = host->t[i];
		int64_t moved = value(&w->courses[h], t2) - value(&w->courses[h], t1);
		int64_t most = sync_drift_budget(d, t2) - sync_drift_budget(d, t1);
		size_t e = sync_drift_epoch(d, t1);
		bool linked = t1 == t2 || (e == sync_drift_epoch(d, t2) && !(e & 1));
		if (moved < t1 - t2 || (linked && (moved > most || moved < -most)))
			fail_msg("case %" PRIu64 ": host %u moves by %" PRId64 " from %" PRId64
				 " to %" PRId64 ", at most %" PRId64,
				number, h, moved, t1, t2, most);
	}
}

static void check_messages(const struct world *w, uint64_t number)
{
	for (size_t i = 0; i < w->net.n_links; i++) {
		const struct sync_net_link *l = &w->net.links[i];
		for (size_t k = 0; k < l->n && !(w->fixed[l->from] && w->fixed[l->to]); k++) {
			const struct sync_message *m = &l->messages[l->message[k]];
			int64_t took = m->received + value(&w->courses[l->to], m->received) -
				       m->sent - value(&w->courses[l->from], m->sent);
			if (took < w->slack)
				fail_msg("case %" PRIu64 ": %u@%" PRId64 " -> %u@%" PRId64
					 " took %" PRId64 ", not %" PRId64,
					number, l->from, m->sent, l->to, m->received, took,
					w->slack);
		}
	}
}

/* Also those that were not taken in, because others say more: but for rounding at both ends.
 * Outside of the instants that are in the net, a course is what the estimate was. */
static void check_all_messages(const struct world *w, uint64_t number)
{
	for (size_t i = 0; i < w->m.n_links; i++) {
		const struct sync_link *l = &w->m.links[i];
		for (size_t k = 0; k < l->n && !(w->fixed[l->from] && w->fixed[l->to]); k++) {
			const struct sync_message *m = &l->messages[k];
			int64_t took = m->received + value(&w->courses[l->to], m->received) -
				       m->sent - value(&w->courses[l->from], m->sent);
			if (took < w->slack - 4)
				fail_msg("case %" PRIu64 ": %u@%" PRId64 " -> %u@%" PRId64
					 ", which follows from others, took %" PRId64
					 ", not %" PRId64,
					number, l->from, m->sent, l->to, m->received, took,
					w->slack);
		}
	}
}

static void check(const struct world *w, uint64_t number)
{
	check_messages(w, number);
	for (uint32_t h = 0; h < w->c.n_hosts; h++)
		if (!w->fixed[h])
			check_drift(w, h, number);
}

static bool project(struct world *w)
{
	bool consistent;
	for (uint32_t h = 0; h < w->c.n_hosts; h++)
		w->net.hosts[h].fixed = w->fixed[h];
	assert_int_equal(sync_project(&w->net, w->courses, w->slack, &consistent, NULL), 0);
	return consistent;
}

static void any_estimate(void **state)
{
	(void)state;
	for (uint64_t k = 0; k < 6000; k++) {
		uint64_t seed = k;
		struct world w;
		make_world(&w, k % 4, &seed);
		bool gentle = k / 4 & 1;
		for (uint32_t h = 1; h < w.c.n_hosts; h++)
			if (gentle)
				gentle_course(&w, h, &seed);
			else
				any_course(&w, h, &seed);
		if (!project(&w))
			fail_msg("case %" PRIu64 ": a contradiction is seen", k);
		check(&w, k);
		if (gentle)
			check_all_messages(&w, k);
		forget(&w);
	}
}

static void what_is_right_stays(void **state)
{
	(void)state;
	for (uint64_t k = 0; k < 6000; k++) {
		uint64_t seed = k;
		struct world w;
		make_world(&w, k % 4, &seed);
		for (uint32_t h = 1; h < w.c.n_hosts; h++)
			true_course(&w, h);
		assert_true(project(&w));
		for (uint32_t h = 1; h < w.c.n_hosts; h++)
			for (size_t i = 0; i < w.net.hosts[h].n; i++) {
				int64_t t = w.net.hosts[h].t[i];
				int n = 0;
				while (w.c.t[h][n] != t)
					n++;
				if (value(&w.courses[h], t) != w.c.offset[h][n])
					fail_msg("case %" PRIu64 ": host %u at %" PRId64
						 ": %" PRId64 ", was %" PRId64,
						k, h, t, value(&w.courses[h], t), w.c.offset[h][n]);
			}
		check(&w, k);
		forget(&w);
	}
}

static void what_is_given_stays(void **state)
{
	(void)state;
	static int64_t distance[CASE_NODES][CASE_NODES];
	size_t n_consistent = 0, n_not = 0;
	for (uint64_t k = 0; k < 6000; k++) {
		uint64_t seed = k;
		struct world w;
		make_world(&w, k % 4, &seed);
		struct net_case given = w.c;
		struct sync_course before[CASE_HOSTS] = { 0 };
		for (uint32_t h = 1; h < w.c.n_hosts; h++) {
			w.fixed[h] = random_next(&seed) % 3 == 0;
			/* What is given keeps to the drift: messages that follow from others
			 * because of that were not taken in. */
			if (w.fixed[h])
				true_course(&w, h);
			else
				any_course(&w, h, &seed);
			int64_t off =
				random_next(&seed) & 1 ? random_in(&seed, -1000000, 1000000) : 0;
			for (size_t i = 0; i < w.courses[h].n; i++)
				w.courses[h].knots[i].off += off;
			for (int i = 0; i < w.c.n_instants; i++)
				given.offset[h][i] = value(&w.courses[h], w.c.t[h][i]);
			for (size_t i = 0; i < w.courses[h].n; i++)
				add_knot(&before[h], w.courses[h].knots[i].t,
					w.courses[h].knots[i].off);
		}
		bool expected = net_case_solve(&given, w.fixed, w.slack, distance);
		bool consistent = project(&w);
		if (consistent != expected)
			fail_msg("case %" PRIu64 ": %s", k,
				consistent ? "a contradiction is not seen"
					   : "a contradiction is seen");
		for (uint32_t h = 1; h < w.c.n_hosts; h++) {
			if (w.fixed[h] || !consistent) {
				assert_int_equal(before[h].n, w.courses[h].n);
				for (size_t i = 0; i < before[h].n; i++) {
					assert_int_equal(
						before[h].knots[i].t, w.courses[h].knots[i].t);
					assert_true(before[h].knots[i].off ==
						    w.courses[h].knots[i].off);
				}
			}
			sync_course_free(&before[h]);
		}
		if (consistent)
			check(&w, k);
		consistent ? n_consistent++ : n_not++;
		forget(&w);
	}
	if (n_consistent < 1000 || n_not < 300)
		fail_msg("%zu consistent, %zu not", n_consistent, n_not);
}

/* Damaged traces have any times, and estimates from them are any, too. */
static void any_times(void **state)
{
	(void)state;
	static const int64_t ends[] = { INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX - 1,
		INT64_MAX };
	for (uint64_t k = 0; k < 2000; k++) {
		uint64_t seed = k;
		struct world w = { .fixed[0] = true };
		net_case_make(&w.c, k % 4, 0, &seed);
		for (uint32_t h = 0; h < w.c.n_hosts; h++)
			for (int i = 0; i < w.c.n_instants; i++)
				w.c.t[h][i] = k & 4 ? ends[random_next(&seed) % 7]
						    : (int64_t)random_next(&seed);
		net_case_messages(&w.c, &w.m);
		assert_int_equal(
			sync_net_new(&w.m, w.c.drift, w.c.reference, NULL, &w.net, NULL), 0);
		for (uint32_t h = 1; h < w.c.n_hosts; h++)
			for (int i = 0; i < 5; i++)
				add_knot(&w.courses[h], (int64_t)random_next(&seed),
					(long double)(int64_t)random_next(&seed) *
						(k & 8 ? 100 : 1e-9L));
		project(&w);
		forget(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_estimate),
		cmocka_unit_test(what_is_right_stays),
		cmocka_unit_test(what_is_given_stays),
		cmocka_unit_test(any_times),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
