/* Rows that are kept: the same as if all were sorted and the first ones taken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/rows.h"

struct thing {
	struct analysis_row row;
	int number;
};

static int by_key(const void *a, const void *b)
{
	const struct thing *p = a, *q = b;
	if (p->row.key != q->row.key)
		return p->row.key < q->row.key ? -1 : 1;
	return (p->number > q->number) - (p->number < q->number);
}

static void test_against_sorting(void **state)
{
	(void)state;
	enum { N = 500 };
	uint64_t random = 1;
	for (uint64_t limit = 0; limit < 40; limit++)
		for (int64_t keys = 1; keys < 2000;
			keys *= 11) { /* few different ones: many ties */
			struct thing all[N] = { 0 };
			struct analysis_rows r = { 0 };
			for (int i = 0; i < N; i++) {
				random = random * 6364136223846793005u + 1442695040888963407u;
				all[i].row.key = (int64_t)(random >> 33) % keys - keys / 2;
				all[i].number = i;
				assert_true(analysis_rows_add(&r, &all[i], sizeof(all[i]), limit));
			}
			qsort(all, N, sizeof(all[0]), by_key);

			struct thing *kept = (void *)r.rows;
			assert_int_equal(r.n, limit ? limit : N);
			assert_int_equal(r.n_seen, N);
			qsort(kept, r.n, sizeof(*kept), by_key);
			for (size_t i = 0; i < r.n; i++)
				assert_int_equal(kept[i].number, all[i].number);
			analysis_rows_fini(&r);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_against_sorting) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
