/* Large blocks: they are aligned, zero where nobody wrote, keep what they hold when they
 * grow, and what cannot be had is NULL. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/large.h"
#include "base/spill.h"

enum { MIB = 1 << 20, LARGE_PAGE = 2 * MIB };

/* Each byte tells its place, so that a page at a wrong one shows. */
static void write_from(uint64_t *p, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		p[i] = i * 0x9E3779B97F4A7C15u + 1;
}

static void check(const uint64_t *p, size_t written, size_t zero_to)
{
	for (size_t i = 0; i < written; i++)
		assert_true(p[i] == i * 0x9E3779B97F4A7C15u + 1);
	for (size_t i = written; i < zero_to; i++)
		assert_true(p[i] == 0);
}

static void sizes(void **state)
{
	(void)state;
	static const size_t steps[] = { 4 * MIB, 4 * MIB + 8, 9 * MIB, 33 * MIB, 40 * MIB };
	size_t bytes = steps[0], written = 0;
	uint64_t *p = mer_large_alloc(bytes), *between[5];
	assert_non_null(p);
	for (size_t k = 1; k <= sizeof(steps) / sizeof(*steps); k++) {
		assert_int_equal((uintptr_t)p % LARGE_PAGE, 0);
		check(p, written, bytes / 8);
		write_from(p, written, bytes / 8);
		written = bytes / 8;
		/* What lies behind it makes it move. */
		between[k - 1] = mer_large_alloc(4 * MIB);
		assert_non_null(between[k - 1]);
		if (k == sizeof(steps) / sizeof(*steps))
			break;
		p = mer_large_grow(p, bytes, steps[k]);
		assert_non_null(p);
		bytes = steps[k];
	}
	check(p, written, bytes / 8);
	mer_large_free(p, bytes);
	for (size_t k = 0; k < sizeof(between) / sizeof(*between); k++)
		mer_large_free(between[k], 4 * MIB);
	mer_large_free(NULL, 4 * MIB);
}

static void too_much(void **state)
{
	(void)state;
	assert_null(mer_large_alloc(SIZE_MAX));
	assert_null(mer_large_alloc(PTRDIFF_MAX));
	uint64_t *p = mer_large_alloc(4 * MIB);
	assert_non_null(p);
	write_from(p, 0, 4 * MIB / 8);
	assert_null(mer_large_grow(p, 4 * MIB, PTRDIFF_MAX));
	assert_null(mer_large_grow(p, 4 * MIB, (size_t)1 << 62));
	check(p, 4 * MIB / 8, 0);
	mer_large_free(p, 4 * MIB);
}

/* An array in a spill crosses the border between malloc's blocks and large ones unharmed. */
static void grown_across(void **state)
{
	(void)state;
	static const struct mer_spill_options all = { .in_memory = SIZE_MAX };
	struct mer_spill *s = mer_spill_new(&all);
	for (int shared = 0; shared < 2; shared++) {
		uint64_t *array = NULL;
		size_t cap = 0;
		for (size_t i = 0; i < 2 * (size_t)MIB; i++) {
			assert_true(mer_spill_grow(shared ? s : NULL, &array, i, &cap, 8));
			write_from(array, i, i + 1);
		}
		check(array, 2 * (size_t)MIB, 0);
		mer_spill_release(array);
	}
	assert_int_equal(mer_spill_use(s).in_memory, 0);
	mer_spill_free(s);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes),
		cmocka_unit_test(too_much),
		cmocka_unit_test(grown_across),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
