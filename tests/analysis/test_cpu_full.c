/* Stretches of time in which a CPU was full, against a plain count of its windows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/facts/cpu_full.h"

#define W ((int64_t)CPU_FULL_WINDOW)
#define LONG ((int64_t)CPU_FULL_STRETCH)

struct rows {
	struct cpu_full_times row[200];
	size_t n;
};

static void note(struct rows *r, bool is_long, const struct cpu_full_times *ended)
{
	if (is_long)
		r->row[r->n++] = *ended;
	assert_true(r->n < 200);
}

/* busy: [begin, end) one after the other. */
static void found(struct rows *r, const int64_t (*busy)[2], size_t n)
{
	struct cpu_full f = { 0 };
	struct cpu_full_times ended = { -1, -1 };
	r->n = 0;
	for (size_t i = 0; i < n; i++)
		note(r, cpu_full_add(&f, busy[i][0], busy[i][1], &ended), &ended);
	note(r, cpu_full_end(&f, &ended), &ended);
}

enum { MOST = 400 }; /* windows, of which the first begins at -100 of them */

static void counted(struct rows *r, const int64_t (*busy)[2], size_t n)
{
	int64_t full = 0;
	r->n = 0;
	for (int k = 0; k <= MOST; k++) {
		int64_t begin = (k - 100) * W, sum = 0;
		for (size_t i = 0; i < n; i++) {
			int64_t b = busy[i][0] > begin ? busy[i][0] : begin;
			int64_t e = busy[i][1] < begin + W ? busy[i][1] : begin + W;
			sum += e > b ? e - b : 0;
		}
		if (sum >= W / 20 * 19) {
			full += W;
			continue;
		}
		if (full >= LONG)
			r->row[r->n++] = (struct cpu_full_times){ begin - full, begin };
		full = 0;
	}
}

static void same(const int64_t (*busy)[2], size_t n)
{
	static struct rows a, b;
	found(&a, busy, n);
	counted(&b, busy, n);
	assert_int_equal(a.n, b.n);
	for (size_t i = 0; i < a.n; i++)
		assert_true(a.row[i].begin == b.row[i].begin && a.row[i].end == b.row[i].end);
}

static void edges(void **state)
{
	(void)state;
	static const int64_t cases[][2][2] = { { { 0, LONG }, { 0, 0 } },
		{ { 0, LONG - 1 }, { 0, 0 } }, { { 0, LONG - W / 20 - 1 }, { 0, 0 } },
		{ { 0, LONG - W / 20 }, { 0, 0 } }, { { 1, LONG + W }, { 0, 0 } },
		{ { -W, LONG }, { LONG + W, 3 * LONG } },
		{ { 0, 5 * W }, { 5 * W + W / 20, 50 * W } },
		{ { 0, 5 * W }, { 5 * W + W / 20 + 1, 50 * W } },
		{ { -90 * W, -50 * W }, { 100 * W, 200 * W } } };
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		same(cases[i], cases[i][1][1] > cases[i][1][0] ? 2 : 1);
}

static void any(void **state)
{
	(void)state;
	uint64_t seed = 1;
	for (int run = 0; run < 300; run++) {
		int64_t busy[300][2], t = -90 * W;
		size_t n = 0;
		while (n < 300) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			int64_t gap = (int64_t)(seed >> 33) % (run % 3 ? W / 15 : 3 * W);
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			int64_t on = (int64_t)(seed >> 33) % (n % 7 ? W : 30 * W) + 1;
			if (t + gap + on > 290 * W)
				break;
			busy[n][0] = t + (seed >> 20 & 1 ? gap : 0);
			t = busy[n][0] + on;
			busy[n++][1] = t;
		}
		same((const int64_t(*)[2])busy, n);
	}
}

/* A damaged packet names any times: rows of windows end, and do not leave 64 bits. */
static void far_away(void **state)
{
	(void)state;
	static const int64_t ends[] = { INT64_MIN, INT64_MIN + 1, -1, 0, W, INT64_MAX - W,
		INT64_MAX - 1, INT64_MAX };
	enum { N = sizeof(ends) / sizeof(*ends) };
	for (int b = 0; b < N; b++)
		for (int e = b + 1; e < N; e++) {
			struct cpu_full f = { 0 };
			struct cpu_full_times row = { 0 };
			bool is_long = cpu_full_add(&f, ends[b], ends[e], &row);
			is_long |= cpu_full_end(&f, &row);
			assert_true(row.begin <= row.end);
			assert_int_equal(is_long, row.end - row.begin >= CPU_FULL_STRETCH);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(edges), cmocka_unit_test(any),
		cmocka_unit_test(far_away) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
