/* What analyses share: statistics against sums that are made at once, buckets of histograms, and
 * the cells that are made of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "analysis/cells.h"
#include "kernel/calls.h"

enum { N = 60 };

static uint64_t seed = 1;

static int64_t any(int64_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (int64_t)((seed >> 33) % (uint64_t)below);
}

static void check(const struct analysis_stats *s, const int64_t *v, size_t n)
{
	int64_t total = 0, min_at = 0, max_at = 0;
	double square = 0;
	for (size_t i = 0; i < n; i++) {
		total += v[i];
		min_at = v[i] < v[min_at] ? (int64_t)i : min_at; /* the first of equal ones */
		max_at = v[i] > v[max_at] ? (int64_t)i : max_at;
	}
	assert_int_equal(s->n, n);
	assert_int_equal(s->total, total);
	if (n) {
		assert_int_equal(s->min, v[min_at]);
		assert_int_equal(s->max, v[max_at]);
		assert_int_equal(s->min_at, min_at);
		assert_int_equal(s->max_at, max_at);
	}
	for (size_t i = 0; i < n; i++)
		square += pow((double)v[i] - (double)total / (double)n, 2);
	if (n < 2)
		assert_true(isnan(analysis_stats_stddev(s)));
	else
		assert_true(fabs(analysis_stats_stddev(s) - sqrt(square / (double)(n - 1))) < 1e-6);
}

static void statistics(void **state)
{
	(void)state;
	for (size_t n = 0; n < N; n++)
		for (int round = 0; round < N; round++) {
			struct analysis_stats all = { 0 };
			int64_t v[N];
			for (size_t i = 0; i < n; i++) {
				v[i] = any(20) - 10;
				analysis_stats_add(&all, v[i], (int64_t)i);
			}
			check(&all, v, n);
		}
}

/* Two for each power of two; one after the other, without gap, up to all times. */
static void buckets(void **state)
{
	(void)state;
	assert_int_equal(analysis_bucket(INT64_MIN), 0);
	assert_int_equal(analysis_bucket(-1), 0);
	assert_int_equal(analysis_bucket(0), 0);
	assert_int_equal(analysis_bucket(1), 1);
	assert_int_equal(analysis_bucket(INT64_MAX), 125);
	assert_int_equal(analysis_bucket_begin(0), 0);
	assert_int_equal(analysis_bucket_begin(1), 1);
	assert_int_equal(analysis_bucket_begin(2), 2);
	assert_int_equal(analysis_bucket_begin(3), 3);
	assert_int_equal(analysis_bucket_begin(4), 4);
	assert_int_equal(analysis_bucket_begin(5), 6);
	assert_int_equal(analysis_bucket_begin(20), 1024);
	assert_int_equal(analysis_bucket_begin(21), 1536);
	assert_int_equal(analysis_bucket_begin(125), INT64_C(3) << 61);
	assert_int_equal(analysis_bucket_begin(126), INT64_MAX);
	for (unsigned b = 0; b < 126; b++) {
		int64_t begin = analysis_bucket_begin(b), end = analysis_bucket_begin(b + 1);
		assert_int_equal(analysis_bucket(begin), b);
		assert_int_equal(analysis_bucket(end - 1), b);
		assert_true(begin < end);
	}
}

static void cell_is(const struct mer_cell *c, bool set, int64_t i)
{
	assert_int_equal(c->set, set);
	assert_int_equal(c->v.i, set ? i : 0);
}

/* Mean and deviation are rounded; of none and of one less is known. */
static void cells_of_statistics(void **state)
{
	struct mer_cell c[ANALYSIS_STATS_CELLS];
	struct analysis_stats s = { 0 };
	(void)state;
	analysis_stats_cells(&s, c);
	for (int i = 0; i < ANALYSIS_STATS_CELLS; i++)
		cell_is(&c[i], i == 0 || i == 5, 0);
	analysis_stats_add(&s, 10, 100);
	analysis_stats_cells(&s, c);
	static const int64_t one[] = { 1, 10, 10, 10, 0, 10, 100, 100 };
	for (int i = 0; i < ANALYSIS_STATS_CELLS; i++)
		cell_is(&c[i], i != 4, one[i]);
	analysis_stats_add(&s, 15, 200);
	analysis_stats_cells(&s, c);
	static const int64_t two[] = { 2, 10, 15, 13, 4, 25, 100, 200 }; /* 12.5, 3.54 */
	for (int i = 0; i < ANALYSIS_STATS_CELLS; i++)
		cell_is(&c[i], true, two[i]);
	analysis_stats_add(&s, 12, 300);
	analysis_stats_cells(&s, c);
	cell_is(&c[3], true, 12); /* 12.33 */
	cell_is(&c[4], true, 3);  /* 2.52 */
}

static void rows_of_histograms(void **state)
{
	static const struct mer_column columns[] = { { "who", "who", MER_COUNT },
		ANALYSIS_FREQ_COLUMNS, { 0 } };
	struct analysis_histogram f = { 0 };
	struct mer_table t;
	const struct mer_cell who[9] = { MER_INT(77) };
	(void)state;
	f.n[0] = 3;
	f.n[21] = 5;
	f.n[125] = 1;
	mer_table_init(&t, "freq", NULL, columns, NULL);
	analysis_freq_rows(&t, who, 1, &f);
	analysis_freq_rows(&t, who, 9, &f); /* more than there is room for: none */
	static const int64_t expected[3][4] = { { 77, 0, 1, 3 }, { 77, 1536, 2048, 5 },
		{ 77, INT64_C(3) << 61, INT64_MAX, 1 } };
	assert_int_equal(t.n_rows, 3);
	for (size_t i = 0; i < 12; i++)
		cell_is(&t.cells[i], true, expected[i / 4][i % 4]);
	mer_table_fini(&t);
}

/* ---- errors ---- */

static void errors(void **state)
{
	static const struct {
		int64_t ret;
		const char *name;
	} cases[] = { { 0, NULL }, { 1, NULL }, { INT64_MAX, NULL }, { -1, "EPERM" },
		{ -2, "ENOENT" }, { -11, "EAGAIN" }, { -35, "EDEADLK" }, { -40, "ELOOP" },
		{ -41, "error" }, { -42, "ENOMSG" }, { -58, "error" }, { -59, "EBFONT" },
		{ -110, "ETIMEDOUT" }, { -111, "ECONNREFUSED" }, { -133, "EHWPOISON" },
		{ -134, "error" }, { -511, "error" }, { -512, "ERESTARTSYS" },
		{ -516, "ERESTART_RESTARTBLOCK" }, { -520, "error" }, { -521, "EBADHANDLE" },
		{ -530, "ERECALLCONFLICT" }, { -531, "error" }, { -4095, "error" }, { -4096, NULL },
		{ INT64_MIN, NULL } };
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *name = analysis_error_name(cases[i].ret);
		assert_int_equal(name != NULL, cases[i].name != NULL);
		if (name)
			assert_string_equal(name, cases[i].name);
	}
}

/* An error's name, if it has one; of calls that return addresses one; else the number. */
static void returned(void **state)
{
	struct mer_arena arena;
	(void)state;
	mer_arena_init(&arena);
	assert_string_equal(analysis_ret_text(&arena, 0, 12), "12");
	assert_string_equal(analysis_ret_text(&arena, 0, -2), "ENOENT");
	assert_string_equal(analysis_ret_text(&arena, 0, -41), "-41");
	assert_string_equal(analysis_ret_text(&arena, KERNEL_CALLS_ADDRESS, -41), "-41");
	assert_string_equal(analysis_ret_text(&arena, KERNEL_CALLS_ADDRESS, -2), "ENOENT");
	assert_string_equal(analysis_ret_text(&arena, KERNEL_CALLS_ADDRESS, 0x7f00), "0x7f00");
	assert_string_equal(
		analysis_ret_text(&arena, KERNEL_CALLS_ADDRESS, -4096), "0xfffffffffffff000");
	mer_arena_fini(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(statistics),
		cmocka_unit_test(buckets),
		cmocka_unit_test(cells_of_statistics),
		cmocka_unit_test(rows_of_histograms),
		cmocka_unit_test(errors),
		cmocka_unit_test(returned),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
