/* Messages between two hosts as points: by time, with what they say of the offset, and of which
 * message each is; those that are left out are not among them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sync/limits/points.h"
#include "sync/limits/pairs.h"

/* Sent at 10, 20, 30: forth by when they were sent, back by when they were received. */
static struct sync_message messages[] = { { 10, 105 }, { 20, 103 }, { 30, 101 } };
static const struct sync_link link = { .messages = messages, .n = 3 }, empty = { 0 };

static void are(const struct sync_point *p, const uint32_t *of, size_t n,
	const int64_t (*expected)[2], const uint32_t *of_expected, size_t n_expected)
{
	assert_int_equal(n, n_expected);
	assert_int_equal(of != NULL, of_expected != NULL);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(p[i].x, expected[i][0]);
		assert_int_equal(p[i].y, expected[i][1]);
		if (of)
			assert_int_equal(of[i], of_expected[i]);
	}
}

static void both_ways(void **state)
{
	static const int64_t upper[][2] = { { 10, 95 }, { 20, 83 }, { 30, 71 } };
	static const int64_t lower[][2] = { { 101, -71 }, { 103, -83 }, { 105, -95 } };
	static const uint32_t of[] = { 2, 1, 0 };
	struct sync_pair_points p;
	struct mer_err err = { 0 };
	(void)state;
	assert_int_equal(sync_points_new(&link, &link, NULL, NULL, &p, &err), 0);
	are(p.upper, p.upper_of, p.n_upper, upper, NULL, 3); /* in order: their own numbers */
	are(p.lower, p.lower_of, p.n_lower, lower, of, 3);
	sync_points_free(&p);
	assert_true(!p.upper && !p.lower && p.n_upper == 0);
}

static void left_out(void **state)
{
	static const uint8_t out[][3] = { { 0, 1, 0 }, { 1, 0, 0 }, { 0, 0, 1 }, { 1, 1, 1 },
		{ 0, 0, 0 } };
	static const uint32_t upper[][3] = { { 0, 2 }, { 1, 2 }, { 0, 1 }, { 0 }, { 0, 1, 2 } };
	static const uint32_t lower[][3] = { { 2, 0 }, { 2, 1 }, { 1, 0 }, { 0 }, { 2, 1, 0 } };
	static const size_t n[] = { 2, 2, 2, 0, 3 };
	(void)state;
	for (int i = 0; i < 5; i++) {
		struct sync_pair_points p;
		struct mer_err err = { 0 };
		assert_int_equal(sync_points_new(&link, &link, out[i], out[i], &p, &err), 0);
		assert_int_equal(p.n_upper, n[i]);
		assert_int_equal(p.n_lower, n[i]);
		assert_int_equal(p.upper_of != NULL, i < 4);
		for (size_t k = 0; k < n[i]; k++) {
			const struct sync_message *m = &messages[upper[i][k]];
			if (p.upper_of)
				assert_int_equal(p.upper_of[k], upper[i][k]);
			assert_int_equal(p.upper[k].x, m->sent);
			assert_int_equal(p.upper[k].y, m->received - m->sent);
			m = &messages[lower[i][k]];
			assert_int_equal(p.lower_of[k], lower[i][k]);
			assert_int_equal(p.lower[k].x, m->received);
			assert_int_equal(p.lower[k].y, m->sent - m->received);
		}
		sync_points_free(&p);
	}
}

/* One direction alone, or none; differences beyond all times stop there. */
static void of_few(void **state)
{
	struct sync_message far[] = { { INT64_MIN, INT64_MAX } };
	const struct sync_link beyond = { .messages = far, .n = 1 };
	struct sync_pair_points p;
	struct mer_err err = { 0 };
	(void)state;
	assert_int_equal(sync_points_new(&link, NULL, NULL, NULL, &p, &err), 0);
	assert_true(p.n_upper == 3 && p.n_lower == 0);
	sync_points_free(&p);
	assert_int_equal(sync_points_new(&empty, &link, NULL, NULL, &p, &err), 0);
	assert_true(p.n_upper == 0 && p.n_lower == 3);
	sync_points_free(&p);
	assert_int_equal(sync_points_new(&beyond, &beyond, NULL, NULL, &p, &err), 0);
	assert_true(p.upper[0].x == INT64_MIN && p.upper[0].y == INT64_MAX);
	assert_true(p.lower[0].x == INT64_MAX && p.lower[0].y == INT64_MIN);
	sync_points_free(&p);
}

static void first_point(void **state)
{
	static const struct sync_point p[] = { { 10, 0 }, { 20, 0 }, { 20, 0 }, { 30, 0 } };
	(void)state;
	assert_int_equal(sync_first_point(p, 4, INT64_MIN), 0);
	assert_int_equal(sync_first_point(p, 4, 10), 0);
	assert_int_equal(sync_first_point(p, 4, 11), 1);
	assert_int_equal(sync_first_point(p, 4, 20), 1);
	assert_int_equal(sync_first_point(p, 4, 21), 3);
	assert_int_equal(sync_first_point(p, 4, 31), 4);
	assert_int_equal(sync_first_point(p, 0, 31), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ways),
		cmocka_unit_test(left_out),
		cmocka_unit_test(of_few),
		cmocka_unit_test(first_point),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
