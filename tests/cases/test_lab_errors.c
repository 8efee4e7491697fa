/* How far the clocks of real recordings are from the truth, for our method and the classic hull, on
 * every host's clock as reference; and how often the error is at most what is likely. Errors are
 * those from the middle of what clock.csv leaves open, and so not known better than some tens of
 * us. The rules were made with all of these; tests/sync/test_likely.c judges them by worlds that
 * were not looked at. */
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

enum { GRID = 400 };

struct errors { /* of one host against one reference, ns */
	double error[GRID + 1], truth[GRID + 1];
	size_t n, covered;
};

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double quantile(double *v, size_t n, double q)
{
	qsort(v, n, sizeof(*v), by_value);
	return n ? v[(size_t)((double)(n - 1) * q)] : NAN;
}

static struct errors errors_of(const struct sync_result *r, uint32_t h, uint32_t ref,
	const struct known_clock *clocks, struct sync_range s)
{
	struct errors e = { .n = 0 };
	for (int i = 0; i <= GRID; i++) {
		int64_t t = s.begin + (s.end - s.begin) / GRID * i;
		struct interval truth = known_truth_at(&clocks[h], &clocks[ref], t);
		double middle = (double)(truth.low - t) / 2 + (double)(truth.high - t) / 2;
		e.error[e.n] = fabs((double)(trace_map_time(&r->hosts[h].map, t) - t) - middle);
		e.truth[e.n] = (double)(truth.high - truth.low) / 2;
		int64_t likely = sync_host_likely(r, h, t);
		e.covered += likely != INT64_MAX && e.error[e.n] <= (double)likely;
		e.n++;
	}
	return e;
}

struct sum { /* of p95 */
	double ours, hull;
	size_t pairs, n, covered; /* instants */
	int n_worse;		  /* pairs: than the hull, and than what truth is known to */
};

/* Clocks whose rate was changed while they were recorded are known to 2 ms only. */
static bool is_judged(const char *set)
{
	return strcmp(set, "long-ntp") != 0;
}

static struct sum compare(
	const char *set, struct mer_experiment *e, const struct known_clock *clocks)
{
	struct sum sum = { 0 };
	struct mer_err err = { 0 };
	struct mer_arena arena;
	struct sync_messages m;
	struct sync_gather_options plain = { 0 };
	mer_arena_init(&arena);
	struct sync_host_info *info = sync_host_infos(e, &arena);
	if (sync_gather(e, &plain, &m, &err))
		fail_msg("%s: %s", set, err.text);
	for (uint32_t ref = 0; ref < e->n_hosts; ref++) {
		struct sync_result *r[2];
		for (int k = 0; k < 2; k++) {
			struct sync_options o = { .reference_plus_1 = (int32_t)ref + 1,
				.method = k ? SYNC_HULL : SYNC_AUTO };
			if (sync_solve(&m, info, e->n_hosts, &o, &r[k], &err))
				fail_msg("%s: %s", set, err.text);
		}
		for (uint32_t h = 0; h < e->n_hosts; h++) {
			if (h == ref || r[0]->hosts[h].group != r[0]->hosts[ref].group)
				continue;
			struct errors a = errors_of(r[0], h, ref, clocks, info[h].span);
			struct errors b = errors_of(r[1], h, ref, clocks, info[h].span);
			double unknown = quantile(a.truth, a.n, 0.95);
			double x = quantile(a.error, a.n, 0.95), y = quantile(b.error, b.n, 0.95);
			printf("%-20s %-8s %-8s %4zu %8.1f %8.1f %8.1f %8.1f %8.1f %8.1f %8.1f %5.1f %s\n",
				set, e->hosts[h].name, e->hosts[ref].name, r[0]->hosts[h].map.n,
				a.error[a.n / 2] / 1e3, x / 1e3, b.error[b.n / 2] / 1e3, y / 1e3,
				unknown / 1e3, (double)r[0]->hosts[h].likely_off.median / 1e3,
				(double)r[0]->hosts[h].bound.median / 1e3,
				100.0 * (double)a.covered / (double)a.n,
				x > y && x > unknown ? "worse" : "");
			sum.n_worse += x > y && x > unknown;
			sum.ours += x;
			sum.hull += y;
			sum.pairs++;
			sum.n += a.n;
			sum.covered += a.covered;
		}
		for (int k = 0; k < 2; k++)
			sync_result_free(r[k]);
	}
	sync_messages_free(&m);
	mer_arena_fini(&arena);
	return sum;
}

struct totals {		   /* of all recordings that are judged */
	size_t n, covered; /* instants */
	int n_worse;	   /* pairs of all recordings */
};

static void compare_recording(void *ctx, const struct known_recording *r)
{
	struct totals *all = ctx;
	struct sum s = compare(r->name, r->e, r->clocks);
	double pairs = (double)s.pairs;
	printf("%-20s p95 %.1f us, hull %.1f us; %.1f %% covered\n", r->name, s.ours / pairs / 1e3,
		s.hull / pairs / 1e3, 100.0 * (double)s.covered / (double)s.n);
	all->n_worse += s.n_worse;
	if (!s.pairs || !is_judged(r->name))
		return;
	if ((double)s.covered < 0.93 * (double)s.n)
		fail_msg("%s: %zu of %zu instants covered", r->name, s.covered, s.n);
	all->n += s.n;
	all->covered += s.covered;
}

static void test_all(void **state)
{
	char root[1000];
	struct totals all = { 0 };
	(void)state;
	given_path(root, sizeof(root), "lab/");
	printf("us: host, reference, pieces; median and p95 of auto's error, of hull's; truth's own "
	       "uncertainty\n");
	int n_sets = known_clocks_each(root, compare_recording, &all);
	assert_true(n_sets > 7);
	printf("%.2f %% of %zu instants covered\n", 100.0 * (double)all.covered / (double)all.n,
		all.n);
	assert_true(all.n > 10000 && (double)all.covered >= 0.93 * (double)all.n);
	assert_int_equal(all.n_worse, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_all) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
