/* Real recordings whose clocks are known: synchronized from their own messages, every host is where
 * it was in truth, within the limits that are claimed for it.
 *
 * What is true is an interval at every instant (known_clock.h), and limits that do not meet it are
 * wrong. Nothing here looks at messages. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "given.h"
#include "known_clock.h"
#include "sync/auto.h"
#include "sync/vcpu/join.h"

enum {
	GRID = 500,
	/* Limits that were all too high or too low by so much would be noticed: the samples are
	 * good to some 0.3 ms, and so are the fastest messages. */
	MUST_NOTICE_NS = 2000000,
	/* Of what the recorder measured through ssh, where the traces' messages are left out. */
	ALONE_NOTICE_NS = 8000000
};

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* ---- comparing ---- */

struct verdict {
	size_t n, n_outside, n_unknown, n_estimate_out;
	double error_sum, error_max; /* of the estimate, from the middle of truth, ns */
	double middle_sum;	     /* of the middle of the limits, likewise */
	double truth_sum, bound_sum; /* half widths */
	/* By how much limits that are too low (too high) would still not be noticed. */
	int64_t up, down;
	int64_t worst_at;
};

static void judge(struct verdict *v, const struct sync_result *r, uint32_t h, int64_t t,
	struct interval truth)
{
	int64_t low, high, map = trace_map_time(&r->hosts[h].map, t);
	v->n++;
	if (!sync_host_limits(r, h, t, &low, &high)) {
		v->n_unknown++;
		return;
	}
	int64_t up = high - truth.low, down = truth.high - low;
	v->n_outside += up < 0 || down < 0;
	if (least(up, down) < least(v->up, v->down))
		v->worst_at = t;
	v->up = least(v->up, up);
	v->down = least(v->down, down);
	v->n_estimate_out += map < low || map > high;
	int64_t middle = truth.low + (truth.high - truth.low) / 2;
	double error = fabs((double)(map - middle));
	v->error_sum += error;
	v->error_max = fmax(v->error_max, error);
	v->middle_sum += fabs((double)(low + (high - low) / 2 - middle));
	v->truth_sum += (double)(truth.high - truth.low) / 2;
	v->bound_sum += (double)(high - low) / 2;
}

/* The same the other way: the host's clock at a time of the reference. */
static void judge_back(struct verdict *v, const struct sync_result *r, uint32_t h, int64_t t,
	struct interval truth)
{
	int64_t low, high;
	v->n++;
	if (!sync_host_limits_back(r, h, t, &low, &high))
		v->n_unknown++;
	else
		v->n_outside += low > truth.high || high < truth.low;
}

static bool compare(const char *set, const struct mer_experiment *e, const struct sync_result *r,
	const struct known_clock *clocks, const struct sync_host_info *info, bool show, bool alone)
{
	bool good = true;
	uint32_t ref = r->references[0];
	int64_t must_notice = alone ? ALONE_NOTICE_NS : MUST_NOTICE_NS;
	for (uint32_t h = 0; h < e->n_hosts; h++) {
		struct verdict v = { .up = INT64_MAX, .down = INT64_MAX }, back = { 0 };
		const struct known_clock *c = &clocks[h];
		if (h == ref)
			continue;
		for (size_t i = 0; i < c->n; i++) {
			int64_t t = c->samples[i].guest + c->offset;
			judge(&v, r, h, t, known_truth_at(c, &clocks[ref], t));
		}
		struct verdict at_samples = v;
		struct sync_range s = info[h].span;
		for (int i = 0; i <= GRID; i++) {
			int64_t t = s.begin + (s.end - s.begin) / GRID * i;
			judge(&v, r, h, t, known_truth_at(c, &clocks[ref], t));
		}
		for (size_t i = 0; i < clocks[ref].n; i++) {
			int64_t t = clocks[ref].samples[i].guest + clocks[ref].offset;
			judge_back(&back, r, h, t, known_truth_at(&clocks[ref], c, t));
		}
		double n = (double)at_samples.n * 1e3, all = (double)v.n * 1e3;
		bool bad = v.n_outside || v.n_unknown || v.n_estimate_out || back.n_outside ||
			   back.n_unknown || most(v.up, v.down) > must_notice;
		if (show || bad)
			printf("%-18s %-7s %-7s %4zu %5.0f %6.0f %6.0f %6.0f %6.0f %6.0f %6.0f "
			       "%6.0f %6.0f%s\n",
				set, e->hosts[h].name, e->hosts[ref].name, at_samples.n,
				r->max_drift_ppm, at_samples.truth_sum / n,
				at_samples.bound_sum / n, v.bound_sum / all, (double)v.up / 1e3,
				(double)v.down / 1e3, v.error_sum / all, v.error_max / 1e3,
				v.middle_sum / all,
				most(v.up, v.down) > must_notice ? "  TOO COARSE"
				: bad				 ? "  WRONG"
								 : "");
		if (bad)
			printf("  %zu of %zu instants outside of the limits (worst at %" PRId64
			       "), %zu without limits, %zu estimates outside of them; the other "
			       "way %zu of %zu outside, %zu without limits\n",
				v.n_outside, v.n, v.worst_at, v.n_unknown, v.n_estimate_out,
				back.n_outside, back.n, back.n_unknown);
		good &= !bad;
	}
	return good;
}

/* The most by which two of these clocks can drift apart, give or take; the most that is ever
 * allowed where that is not known. */
static double relative_drift(const struct known_clock *clocks, uint32_t n)
{
	double d = 0;
	for (uint32_t a = 0; a < n; a++)
		for (uint32_t b = 0; b < n; b++)
			d = fmax(d, (clocks[a].fastest - clocks[b].slowest) * 1.001);
	return fmin(d, 1e-3);
}

static uint64_t inversions(const struct sync_result *r)
{
	uint64_t n = 0;
	for (size_t i = 0; i < r->n_pairs; i++)
		n += r->pairs[i].ab.after.n_inversions + r->pairs[i].ba.after.n_inversions;
	return n;
}

/* Words for people: never better than what is known. */
static bool sensible(const char *set, const struct sync_result *r, bool comparable)
{
	bool good = (r->n_groups == 1) == comparable && inversions(r) == 0;
	for (uint32_t h = 0; h < r->n_hosts; h++) {
		enum sync_quality q = r->hosts[h].quality;
		bool reference = comparable && r->references[0] == h;
		good &= reference    ? q == SYNC_REFERENCE
			: comparable ? q == SYNC_ACCURATE || q == SYNC_APPROXIMATE
				     : q == SYNC_ABSENT;
	}
	if (!good) {
		printf("%s: %u groups, %" PRIu64 " inversions;", set, r->n_groups, inversions(r));
		for (uint32_t h = 0; h < r->n_hosts; h++)
			printf(" %s %s", r->hosts[h].name, sync_quality_name(r->hosts[h].quality));
		printf("\n");
	}
	return good;
}

/* Its receiving kernels recorded no headers: nothing can be matched. */
static bool is_comparable(const char *set)
{
	return strcmp(set, "wget-cold-hot-nogro") != 0;
}

/* alone: from the recorder's rounds. False: something is wrong. */
static bool check_messages(const char *set, struct mer_experiment *e, struct known_clock *clocks,
	const struct sync_messages *m, const struct sync_host_info *info, bool alone)
{
	struct mer_err err = { 0 };
	bool good = true, comparable = is_comparable(set);
	/* What is guaranteed, given the usual drift and given one that is known to hold; on the
	 * clock that it chooses (0) and on everybody's. */
	double drifts[] = { 0, relative_drift(clocks, e->n_hosts) };
	for (uint32_t k = 0; k < 2 * (e->n_hosts + 1); k++) {
		uint32_t ref = k / 2;
		struct sync_options o = { .reference_plus_1 = (int32_t)ref,
			.max_drift = drifts[k % 2] };
		struct sync_result *r = NULL;
		if (sync_join(e, m, info, &o, &r, &err))
			fail_msg("%s: %s", set, err.text);
		good &= sensible(set, r, comparable);
		if (comparable)
			good &= compare(set, e, r, clocks, info, ref == 0, alone);
		sync_result_free(r);
	}
	return good;
}

/* As many as there are of both, so that neither is tested with nothing. */
static unsigned n_with_rounds;

static bool check_set(const char *set, struct mer_experiment *e, struct known_clock *clocks)
{
	struct mer_err err = { 0 };
	struct mer_arena arena;
	struct sync_messages m;
	struct sync_gather_options plain = { 0 };
	mer_arena_init(&arena);
	struct sync_host_info *info = sync_host_infos(e, &arena);
	assert_non_null(info);
	if (sync_gather(e, &plain, &m, &err))
		fail_msg("%s: %s", set, err.text);
	bool good = check_messages(set, e, clocks, &m, info, false);
	n_with_rounds += m.rounds != NULL;
	for (size_t i = 0; i < m.n_links; i++)
		m.links[i].n = 0;
	if (m.rounds)
		good &= check_messages(set, e, clocks, &m, info, true);
	sync_messages_free(&m);
	mer_arena_fini(&arena);
	return good;
}

static void check_recording(void *ctx, const struct known_recording *r)
{
	unsigned *n_bad = ctx;
	assert_int_equal(r->n_known, r->e->n_hosts);
	*n_bad += !check_set(r->name, r->e, r->clocks);
}

static void check_folder(const char *root, int at_least)
{
	unsigned n_bad = 0;
	printf("us: half widths of truth and of the limits, at the samples and all the time; by "
	       "how "
	       "much limits that are\ntoo low (high) would not be noticed; the estimate off the "
	       "middle of truth, on the average and at most;\nthe middle of the limits off it, on "
	       "the average\n"
	       "%-18s %-7s %-7s %4s %5s %6s %6s %6s %6s %6s %6s %6s %6s\n",
		"set", "host", "on", "n", "ppm", "truth", "limits", "all", "low", "high", "off",
		"most", "middle");
	int n = known_clocks_each(root, check_recording, &n_bad);
	printf("%d recordings, %u bad\n", n, n_bad);
	assert_true(n >= at_least);
	assert_int_equal(n_bad, 0);
}

static void test_lab(void **state)
{
	char root[1000];
	(void)state;
	given_path(root, sizeof(root), "lab/");
	check_folder(root, 8);
}

static void test_demo(void **state)
{
	(void)state;
	check_folder("demo", 3);
	assert_true(n_with_rounds >= 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lab),
		cmocka_unit_test(test_demo),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
