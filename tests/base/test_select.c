/* Selection: what stands at a place after sorting. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "base/select.h"
#include "base/sort.h"
#include "random.h"

static void as_sorted(void **state)
{
	(void)state;
	enum { MOST = 300 };
	int64_t values[MOST], sorted[MOST];
	for (uint64_t seed = 1; seed <= 2000; seed++) {
		uint64_t random = seed;
		int64_t range = seed % 3 ? INT64_MAX / 2 : 4; /* many equal ones */
		size_t n = 1 + random_next(&random) % MOST, k = random_next(&random) % n;
		for (size_t i = 0; i < n; i++)
			values[i] = sorted[i] = random_in(&random, -range, range);
		qsort(sorted, n, sizeof(*sorted), mer_compare_int64);
		assert_true(mer_select(values, n, k) == sorted[k]);
		for (size_t i = 0; i < n; i++)
			assert_true(i < k ? values[i] <= sorted[k] : values[i] >= sorted[k]);
	}
}

static void doubles_in_order(void **state)
{
	(void)state;
	static const double rising[] = { -INFINITY, -1e300, -2, -1, -1e-300, 0, 1e-300, 1, 1.5,
		1e300, INFINITY };
	for (size_t i = 0; i < sizeof(rising) / sizeof(*rising); i++) {
		assert_true(mer_double_of_order(mer_order_of_double(rising[i])) == rising[i]);
		assert_true(i == 0 ||
			    mer_order_of_double(rising[i - 1]) < mer_order_of_double(rising[i]));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_sorted),
		cmocka_unit_test(doubles_in_order),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
