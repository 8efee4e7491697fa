/* Sorting: the same as any stable sort, and cheap where little is out of place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/sort.h"

struct item {
	int32_t key;
	uint32_t place; /* before it was sorted */
	char rest[17];
};

static size_t n_compared;

static int by_key(const void *a, const void *b)
{
	const struct item *p = a, *q = b;
	n_compared++;
	return p->key < q->key ? -1 : p->key > q->key;
}

static uint64_t next_random(uint64_t *s)
{
	uint64_t z = (*s += 0x9e3779b97f4a7c15u);
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	return z ^ (z >> 31);
}

static void check(struct item *items, size_t n)
{
	int64_t sum = 0, after = 0;
	for (size_t i = 0; i < n; i++) {
		items[i].place = (uint32_t)i;
		memset(items[i].rest, items[i].key, sizeof(items[i].rest));
		sum += items[i].key * (int64_t)(i + 1);
	}
	n_compared = 0;
	assert_true(mer_sort(NULL, items, n, sizeof(*items), by_key));
	for (size_t i = 0; i < n; i++) {
		after += items[i].key * (int64_t)(items[i].place + 1);
		assert_int_equal(items[i].rest[16], (char)items[i].key);
		if (i == 0)
			continue;
		assert_true(
			items[i - 1].key < items[i].key ||
			(items[i - 1].key == items[i].key && items[i - 1].place < items[i].place));
	}
	assert_true(sum == after);
}

static void as_any_sort(void **state)
{
	enum { MOST = 700 };
	struct item *items = malloc(MOST * sizeof(*items));
	uint64_t rng = 3;
	(void)state;
	assert_non_null(items);
	for (size_t n = 0; n < MOST; n += 1 + n / 70)
		for (int keys = 2; keys <= 1 << 20; keys *= 32) {
			for (size_t i = 0; i < n; i++)
				items[i].key = (int32_t)(next_random(&rng) % (unsigned)keys);
			check(items, n);
			for (size_t i = 0; i < n; i++)
				items[i].key = -(int32_t)i;
			check(items, n);
			/* Nearly in order. */
			for (size_t i = 0; i < n; i++)
				items[i].key = (int32_t)(i + next_random(&rng) % 40);
			check(items, n);
		}
	free(items);
}

static void little_is_cheap(void **state)
{
	enum { N = 100000 };
	struct item *items = malloc(N * sizeof(*items));
	(void)state;
	assert_non_null(items);
	for (size_t i = 0; i < N; i++)
		items[i].key = (int32_t)i;
	check(items, N);
	assert_true(n_compared < N + N / 8);
	for (size_t i = 0; i < N; i += 1000) /* comes later than it should */
		items[i].key = (int32_t)(i > 50 ? i - 50 : i);
	check(items, N);
	assert_true(n_compared < N + N / 4);
	free(items);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_any_sort),
		cmocka_unit_test(little_is_cheap),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
