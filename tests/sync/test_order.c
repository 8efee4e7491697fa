/* Order: what qsort with the place as the second key gives, for any keys. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random.h"
#include "sync/order.h"

static int by_time_and_place(const void *a, const void *b)
{
	const struct sync_order_key *p = a, *q = b;
	if (p->time != q->time)
		return p->time < q->time ? -1 : 1;
	return (p->index > q->index) - (p->index < q->index);
}

static int64_t any_time(uint64_t kind, int64_t i, uint64_t *seed)
{
	static const int64_t ends[] = { INT64_MIN, INT64_MIN + 1, 0, INT64_MAX - 1, INT64_MAX };
	switch (kind) {
	case 0: return i;
	case 1: return -i;
	case 2: return random_in(seed, 0, 5);
	case 3: return i * 1000 + random_in(seed, -5000, 5000); /* nearly sorted */
	case 4: return ends[random_next(seed) % 5];
	case 5: return (int64_t)random_next(seed);
	case 6: return random_next(seed) % 50 ? random_in(seed, 0, 9999) : INT64_MAX - i;
	case 7: return (int64_t)1 << random_in(seed, 0, 62);	       /* dense at one end */
	case 8: return i * 1000 - (random_next(seed) % 20 ? 0 : 3000); /* few out of place */
	default: return 1700000000000000000 + random_in(seed, 0, 1000000000);
	}
}

static void as_sorted(void **state)
{
	(void)state;
	enum { MAX = 20000 };
	struct sync_order_key *keys = malloc(MAX * sizeof(*keys));
	struct sync_order_key *expected = malloc(MAX * sizeof(*expected));
	assert_non_null(keys);
	assert_non_null(expected);
	for (uint64_t k = 0; k < 3000; k++) {
		uint64_t seed = k;
		size_t n = random_next(&seed) % (k % 100 == 0 ? MAX : k % 3 ? 70 : 500);
		for (size_t i = 0; i < n; i++)
			keys[i] = (struct sync_order_key){ any_time(k % 10, (int64_t)i, &seed),
				(uint32_t)i };
		if (n)
			memcpy(expected, keys, n * sizeof(*keys));
		qsort(expected, n, sizeof(*expected), by_time_and_place);
		assert_int_equal(sync_order(keys, n, NULL), 0);
		for (size_t i = 0; i < n; i++)
			if (keys[i].time != expected[i].time || keys[i].index != expected[i].index)
				fail_msg("case %d: wrong at %zu of %zu", (int)k, i, n);
	}
	free(keys);
	free(expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_sorted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
