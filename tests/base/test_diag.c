/* Diagnostics: what two readings of a trace found is told once, and rows outlive what they were
 * made of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"

struct list {
	struct mer_arena arena;
	struct mer_diags diags;
};

static void begin(struct list *l)
{
	mer_arena_init(&l->arena);
	mer_diags_init(&l->diags, &l->arena);
}

static void end(struct list *l)
{
	mer_diags_fini(&l->diags);
	mer_arena_fini(&l->arena);
}

static void add(struct list *l, const char *code, const char *path, int64_t offset)
{
	struct mer_diag d = { .severity = MER_ERROR,
		.code = code,
		.host = "h",
		.path = path,
		.stream = 1,
		.packet = 2,
		.offset_bits = offset };
	mer_diag_add(&l->diags, &d, "bit %d", (int)offset);
}

static void told_once(void **state)
{
	struct list a, b;
	(void)state;
	begin(&a);
	begin(&b);
	add(&a, "bad-event", "x", 8);
	add(&a, "bad-event", "x", 16);
	add(&b, "bad-event", "x", 16); /* the same */
	add(&b, "bad-event", "x", 24);
	add(&b, "bad-event", "y", 16);
	add(&b, "other", "x", 16);
	add(&b, "other", "x", 16); /* twice in one list: two findings */
	mer_diags_merge_new(&a.diags, &b.diags);
	assert_int_equal(a.diags.n, 6);
	assert_int_equal(a.diags.n_errors, 6);
	static const struct {
		const char *code, *path;
		int64_t offset;
	} rows[] = { { "bad-event", "x", 8 }, { "bad-event", "x", 16 }, { "bad-event", "x", 24 },
		{ "bad-event", "y", 16 }, { "other", "x", 16 }, { "other", "x", 16 } };
	for (size_t i = 0; i < a.diags.n; i++) {
		assert_string_equal(a.diags.rows[i].code, rows[i].code);
		assert_string_equal(a.diags.rows[i].path, rows[i].path);
		assert_int_equal(a.diags.rows[i].offset_bits, rows[i].offset);
	}
	mer_diags_merge_new(&a.diags, &b.diags);
	assert_int_equal(a.diags.n, 6);
	end(&a);
	end(&b);
}

static void folded_rows_are_told_once(void **state)
{
	struct list a, b;
	(void)state;
	begin(&a);
	begin(&b);
	for (int i = 0; i < 3 * DIAG_ROWS_PER_KIND; i++) {
		add(&a, "bad-event", "x", i);
		add(&b, "bad-event", "x", i);
	}
	mer_diags_merge_new(&a.diags, &b.diags);
	uint64_t n = 0;
	for (size_t i = 0; i < a.diags.n; i++)
		n += a.diags.rows[i].count;
	assert_int_equal(n, 3 * DIAG_ROWS_PER_KIND);
	end(&a);
	end(&b);
}

static void rows_have_texts_of_their_own(void **state)
{
	struct list a;
	(void)state;
	begin(&a);
	char *code = strdup("sync-groups"), *path = strdup("x");
	assert_non_null(code);
	assert_non_null(path);
	add(&a, code, path, 1);
	memset(code, '!', strlen(code));
	memset(path, '!', strlen(path));
	free(code);
	free(path);
	assert_string_equal(a.diags.rows[0].code, "sync-groups");
	assert_string_equal(a.diags.rows[0].path, "x");
	end(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(told_once),
		cmocka_unit_test(folded_rows_are_told_once),
		cmocka_unit_test(rows_have_texts_of_their_own),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
