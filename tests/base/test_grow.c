/* Growing arrays: what is in them stays, the work is linear, and sizes that no address can tell are
 * refused with everything as it was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/grow.h"

struct odd { /* of a size that divides nothing */
	uint32_t a;
	char b[31];
};

static void one_by_one(void **state)
{
	enum { N = 100000 };
	struct odd *a = NULL;
	size_t cap = 0, moves = 0;
	(void)state;
	for (uint32_t i = 0; i < N; i++) {
		size_t before = cap;
		assert_true(mer_grow(&a, i, &cap, sizeof(*a)));
		assert_true(cap > i && cap >= before && cap <= 2u * i + 64);
		moves += cap != before;
		a[i].a = i * 7;
	}
	assert_true(moves <= 20);
	for (uint32_t i = 0; i < N; i++)
		assert_int_equal(a[i].a, i * 7);
	free(a);
}

static void far_ahead(void **state)
{
	uint16_t *a = NULL;
	uint32_t cap = 0;
	(void)state;
	assert_true(mer_grow32(&a, 70000, &cap, sizeof(*a)));
	assert_true(cap > 70000 && cap <= 140002);
	a[70000] = 3;
	uint32_t before = cap;
	assert_true(mer_grow32(&a, 5, &cap, sizeof(*a)));
	assert_int_equal(cap, before);
	assert_int_equal(a[70000], 3);
	free(a);
}

static void too_much(void **state)
{
	uint64_t *a = NULL;
	size_t cap = 0;
	uint32_t cap32 = 0;
	(void)state;
	assert_false(mer_grow(&a, SIZE_MAX, &cap, sizeof(*a)));
	assert_false(mer_grow(&a, SIZE_MAX / 8, &cap, sizeof(*a)));
	assert_false(mer_grow(&a, PTRDIFF_MAX / 8, &cap, sizeof(*a)));
	assert_null(a);
	assert_int_equal(cap, 0);
	/* The number for "none", and the one whose array would have it inside. */
	char *c = NULL;
	assert_false(mer_grow32(&c, UINT32_MAX, &cap32, 1));
	assert_false(mer_grow32(&c, UINT32_MAX - 1, &cap32, 1));
	assert_null(c);
	assert_int_equal(cap32, 0);
	/* Full: as it was. */
	assert_true(mer_grow(&a, 0, &cap, sizeof(*a)));
	size_t before = cap;
	uint64_t *same = a;
	a[0] = 9;
	assert_false(mer_grow(&a, SIZE_MAX / 4, &cap, sizeof(*a)));
	assert_ptr_equal(a, same);
	assert_int_equal(cap, before);
	assert_int_equal(a[0], 9);
	free(a);
}

static void zeroed(void **state)
{
	(void)state;
	uint64_t *a = NULL;
	size_t cap = 0;
	for (size_t i = 0; i < 5000; i += 700) {
		uint64_t *at = mer_grow_at(&a, &cap, i, sizeof(*a));
		assert_ptr_equal(at, a + i);
		assert_int_equal(*at, 0);
		*at = i + 1;
		for (size_t k = 0; k < cap; k++)
			assert_int_equal(a[k], k <= i && k % 700 == 0 ? k + 1 : 0);
	}
	assert_null(mer_grow_at(&a, &cap, SIZE_MAX / 4, sizeof(*a)));
	assert_int_equal(a[0], 1);
	free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_by_one),
		cmocka_unit_test(far_ahead),
		cmocka_unit_test(too_much),
		cmocka_unit_test(zeroed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
