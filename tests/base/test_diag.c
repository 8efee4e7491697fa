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

/* What each reading of a host finds again is one row, of each host one, with the most of it. */
static void found_again(void **state)
{
	struct list l;
	struct mer_diag d = { .code = "no-wakeups", .stream = -1, .packet = -1, .offset_bits = -1 };
	static const struct {
		const char *host, *message;
		enum mer_severity severity;
		uint64_t count;
	} all[] = { { "a", "none", MER_NOTE, 3 }, { "b", "none", MER_WARNING, 0 },
		{ "a", "none", MER_NOTE, 2 }, { "a", "none", MER_WARNING, 5 },
		{ "a", "none", MER_NOTE, 1 }, { "a", "another one", MER_WARNING, 0 } };
	(void)state;
	begin(&l);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		d.host = all[i].host;
		d.severity = all[i].severity;
		d.count = all[i].count;
		mer_diag_add_once(&l.diags, &d, all[i].message);
	}
	const struct mer_diag *rows = l.diags.rows;
	assert_int_equal(l.diags.n, 3);
	assert_true(rows[0].severity == MER_WARNING && rows[0].count == 5);
	assert_true(rows[1].severity == MER_WARNING && rows[1].count == 1);
	assert_string_equal(rows[1].host, "b");
	assert_string_equal(rows[2].message, "another one");
	assert_int_equal(l.diags.n_warnings, 3);
	end(&l);
}

/* Of each host as many rows as of another one. */
static void hosts_by_themselves(void **state)
{
	enum { HOSTS = 3 * DIAG_ROWS_PER_KIND };
	struct list l;
	char name[16];
	struct mer_diag d = { .code = "c", .host = name, .stream = -1, .packet = -1 };
	(void)state;
	begin(&l);
	for (int i = 0; i < HOSTS; i++) {
		snprintf(name, sizeof(name), "h%d", i);
		mer_diag_add(&l.diags, &d, "message");
	}
	assert_int_equal(l.diags.n, HOSTS);
	assert_int_equal(l.diags.rows[HOSTS - 1].count, 1);
	end(&l);
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

/* Ten rows of a kind, whatever is between them; the last of them counts the others. What differs in
 * code, path or stream is of another kind. */
static void kinds_by_themselves(void **state)
{
	struct list a, b;
	(void)state;
	begin(&a);
	begin(&b);
	add(&a, "first", "z", 0);
	for (int i = 0; i < 13; i++) {
		add(&a, "bad", "x", i);
		add(&a, "bad", "y", i);
		add(&a, "worse", "x", i);
		struct mer_diag d = {
			.severity = MER_WARNING, .code = "bad", .path = "x", .stream = 2, .count = 5
		};
		mer_diag_add(&a.diags, &d, "of another stream");
	}
	assert_int_equal(a.diags.n, 41);
	assert_int_equal(a.diags.n_errors, 40);
	assert_int_equal(a.diags.n_warnings, 13);
	for (size_t i = 0; i < a.diags.n; i++) {
		const struct mer_diag *d = &a.diags.rows[i];
		uint64_t each = d->stream == 2 ? 5 : 1;
		assert_int_equal(d->count, i <= 36 ? each : 4 * each);
	}
	/* Merged, kinds stay what they are, and what was dropped is added. */
	a.diags.n_dropped = 3;
	b.diags.n_dropped = 2;
	mer_diags_merge(&b.diags, &a.diags);
	assert_int_equal(b.diags.n, 41);
	assert_int_equal(b.diags.rows[40].count, 20);
	assert_int_equal(b.diags.n_dropped, 5);
	mer_diags_merge(&b.diags, &a.diags);
	assert_int_equal(b.diags.n, 42); /* only the first one was not of a kind with ten rows */
	mer_diag_add(NULL, &(struct mer_diag){ .code = "x" }, "nobody listens");
	end(&a);
	end(&b);
}

/* A message that begins with the path of its row does not say it twice. */
static void paths_are_said_once(void **state)
{
	static const char *const rows[][2] = { { "a/b: why", "why" }, { "a/b/c: why", "c: why" },
		{ "a/bc: why", "a/bc: why" }, { "a/b:why", "a/b:why" }, { "a/b", "a/b" },
		{ "x a/b: why", "x a/b: why" } };
	struct list l;
	(void)state;
	begin(&l);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct mer_diag d = { .code = "c", .path = "a/b", .stream = (int64_t)i };
		mer_diag_add(&l.diags, &d, "%s", rows[i][0]);
		assert_string_equal(l.diags.rows[i].message, rows[i][1]);
		assert_int_equal(l.diags.rows[i].count, 1);
	}
	struct mer_diag none = { .code = "c", .path = "", .stream = 99 };
	mer_diag_add(&l.diags, &none, "/: why");
	assert_string_equal(l.diags.rows[6].message, "/: why");
	end(&l);
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
		cmocka_unit_test(found_again),
		cmocka_unit_test(hosts_by_themselves),
		cmocka_unit_test(told_once),
		cmocka_unit_test(folded_rows_are_told_once),
		cmocka_unit_test(kinds_by_themselves),
		cmocka_unit_test(paths_are_said_once),
		cmocka_unit_test(rows_have_texts_of_their_own),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
