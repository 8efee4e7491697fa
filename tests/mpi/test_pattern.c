/* Patterns of matrices of messages (mpi/pattern.h), each made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "mpi/pattern.h"

enum { MOST = 27 };
struct matrix {
	uint32_t n;
	uint64_t counts[MOST * MOST];
};

static void add(struct matrix *m, uint32_t from, uint32_t to, uint64_t n)
{
	m->counts[from * m->n + to] += n;
}

/* Both ways, between i and its neighbour at this step, in a grid of x * y * z. */
static void add_grid(struct matrix *m, uint32_t x, uint32_t y, uint32_t z, bool wraps)
{
	const uint32_t size[3] = { x, y, z }, step[3] = { 1, x, x * y };
	for (uint32_t i = 0; i < m->n; i++)
		for (int a = 0; a < 3; a++) {
			uint32_t at = i / step[a] % size[a];
			if (at + 1 < size[a]) {
				add(m, i, i + step[a], 10);
				add(m, i + step[a], i, 10);
			} else if (wraps && size[a] > 2) {
				add(m, i, i - at * step[a], 10);
				add(m, i - at * step[a], i, 10);
			}
		}
}

static void is(struct matrix m, const char *wanted)
{
	struct mer_str words = { 0 };
	struct mer_err err = { 0 };
	for (uint32_t i = m.n * m.n; i < MOST * MOST; i++)
		m.counts[i] = 1000;
	assert_int_equal(mpi_pattern(m.n, m.counts, &words, &err), 0);
	for (uint32_t i = m.n * m.n; i < MOST * MOST; i++)
		assert_int_equal(m.counts[i], 1000); /* not of the matrix */
	assert_string_equal(words.data ? words.data : "", wanted);
	mer_str_fini(&words);
}

static void test_rings(void **state)
{
	(void)state;
	struct matrix m = { .n = 5 };
	for (uint32_t i = 0; i < 5; i++)
		add(&m, i, (i + 1) % 5, 7);
	is(m, "ring");
	for (uint32_t i = 0; i < 5; i++)
		add(&m, (i + 1) % 5, i, 7);
	is(m, "periodic halo 1-D");
	add(&m, 0, 2, 10000);
	is(m, "irregular");
}

static void test_halos(void **state)
{
	(void)state;
	struct matrix line = { .n = 6 }, plane = { .n = 12 }, torus = { .n = 12 },
		      cube = { .n = 27 }, two = { .n = 2 };
	add_grid(&line, 6, 1, 1, false);
	is(line, "halo 1-D");
	add_grid(&plane, 4, 3, 1, false);
	is(plane, "halo 2-D (4 x 3)");
	add_grid(&torus, 4, 3, 1, true);
	is(torus, "periodic halo 2-D (4 x 3)");
	add_grid(&cube, 3, 3, 3, false);
	is(cube, "halo 3-D (3 x 3 x 3)");
	add(&two, 0, 1, 1);
	add(&two, 1, 0, 1);
	is(two, "pair");
}

static void test_others(void **state)
{
	(void)state;
	struct matrix all = { .n = 4 }, master = { .n = 5 }, both = { .n = 5 }, none = { .n = 3 };
	for (uint32_t i = 0; i < 4; i++)
		for (uint32_t k = 0; k < 4; k++)
			if (i != k)
				add(&all, i, k, 3);
	is(all, "all-to-all");
	for (uint32_t i = 0; i < 5; i++)
		if (i != 2) {
			add(&master, 2, i, 4 + i);
			add(&master, i, 2, 3);
		}
	is(master, "master-worker (2)");
	for (uint32_t i = 0; i < 5; i++)
		add(&both, i, (i + 1) % 5, 10);
	for (uint32_t i = 1; i < 5; i++) {
		add(&both, 0, i, 5);
		add(&both, i, 0, 5);
	}
	add(&both, 2, 4, 10);
	is(both, "ring 50 %, master-worker (0) 40 %, other 10 %");
	is(none, "");
}

/* A worker that never answers makes it no master; a grid that lacks an edge is none. */
static void test_incomplete(void **state)
{
	(void)state;
	struct matrix master = { .n = 4 }, plane = { .n = 9 };
	add(&master, 0, 1, 5);
	add(&master, 1, 0, 5);
	add(&master, 0, 2, 5);
	add(&master, 2, 0, 5);
	add(&master, 0, 3, 5);
	is(master, "irregular");
	add_grid(&plane, 3, 3, 1, false);
	plane.counts[0 * 9 + 1] = 0;
	is(plane, "irregular");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rings),
		cmocka_unit_test(test_halos),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_incomplete),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
