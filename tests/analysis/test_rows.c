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

static const struct analysis_rows *rows_of(const void *state)
{
	return state;
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
			assert_true(!limit || r.n <= limit);
			qsort(all, N, sizeof(all[0]), by_key);

			struct mer_experiment e = { .n_hosts = 1 };
			struct analysis_options o = { .limit = limit };
			struct analysis_run run = {
				.e = &e, .options = &o, .states = (void *const[]){ &r }
			};
			size_t n;
			uint64_t left_out;
			struct analysis_row_of *got =
				analysis_rows_join(&run, rows_of, sizeof(all[0]), &n, &left_out);
			assert_non_null(got);
			assert_int_equal(n, limit ? limit : N);
			assert_int_equal(left_out, N - n);
			for (size_t i = 0; i < n; i++)
				assert_int_equal(
					((const struct thing *)got[i].row)->number, all[i].number);
			free(got);
			analysis_rows_fini(&r);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_against_sorting) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
