/* An answer as bytes: what is read is what was written, to the byte; what is cut or changed is no
 * answer, or another one, and never a fault. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ask/answer_bytes.h"

static void make(struct answer *a)
{
	static const struct mer_column columns[] = { { "host", "Host", MER_TEXT },
		{ "tid", NULL, MER_ID }, { "busy_percent", "Busy", MER_RATIO }, { 0 } };
	static const struct session_synced synced = { .reference = "web",
		.file = "clocks",
		.summary = { .n_hosts = 3, .median_ns = 5, .max_ns = 7, .likely_ns = INT64_MAX } };
	answer_init(a, NULL);
	struct mer_table *t = answer_add(a, "top", "Users", columns);
	mer_table_add(t, (struct mer_cell[]){ mer_text("web"), MER_INT(-7), MER_REAL_CELL(0.25) });
	mer_table_add(t, (struct mer_cell[]){ mer_text(""), MER_NONE, MER_NONE });
	t->n_left_out = 4;
	t->time_ns = 100;
	t->unknown_ns = 3;
	answer_add_beside(a, "parts", NULL, columns);
	a->begin = -5;
	a->end = 99;
	a->synced = &synced;
	mer_diags_init(&a->taken, &a->arena);
	a->found = &a->taken;
	mer_diag_add(&a->taken,
		&(struct mer_diag){ MER_WARNING, .code = "lost-events", .host = "db", .stream = 2,
			.packet = -1, .offset_bits = 64, .count = 12, .remedy = MER_REMEDY_NONE },
		"12 events are lost");
}

static void put_json(struct answer *a, struct mer_str *out)
{
	struct mer_err err;
	assert_int_equal(answer_json(a, 0, a->n, out, NULL, &err), 0);
}

static void what_is_read_is_what_was_written(void **state)
{
	(void)state;
	struct answer a, b;
	struct mer_str bytes = { 0 }, again = { 0 }, one = { 0 }, other = { 0 };
	make(&a);
	answer_to_bytes(&a, &bytes);
	assert_false(bytes.failed);
	assert_true(answer_from_bytes(&b, bytes.data, bytes.len));
	assert_true(b.is_whole);
	put_json(&a, &one);
	put_json(&b, &other);
	assert_string_equal(one.data, other.data);
	assert_non_null(strstr(one.data, "12 events are lost"));
	/* What JSON does not have. */
	assert_int_equal(b.tables[0].table->n_left_out, 4);
	assert_int_equal(b.tables[0].table->time_ns, 100);
	assert_int_equal(b.tables[0].table->unknown_ns, 3);
	assert_false(b.tables[0].is_beside);
	assert_true(b.tables[1].is_beside);
	answer_to_bytes(&b, &again);
	assert_int_equal(again.len, bytes.len);
	assert_memory_equal(again.data, bytes.data, bytes.len);
	mer_str_fini(&bytes);
	mer_str_fini(&again);
	mer_str_fini(&one);
	mer_str_fini(&other);
	answer_fini(&a);
	answer_fini(&b);
}

static void what_is_cut_or_changed(void **state)
{
	(void)state;
	struct answer a, b;
	struct mer_str bytes = { 0 };
	make(&a);
	answer_to_bytes(&a, &bytes);
	for (size_t n = 0; n < bytes.len; n++) {
		char *part = malloc(n + 1);
		memcpy(part, bytes.data, n);
		assert_false(answer_from_bytes(&b, part, n));
		assert_false(b.is_whole);
		answer_fini(&b);
		free(part);
	}
	for (size_t i = 0; i < bytes.len; i++) {
		char was = bytes.data[i];
		for (int k = 0; k < 3; k++) {
			bytes.data[i] = (char)(k == 0 ? ~was : k == 1 ? 1 : was + 1);
			answer_from_bytes(&b, bytes.data, bytes.len);
			answer_fini(&b);
		}
		bytes.data[i] = was;
	}
	/* Something behind it. */
	mer_str_putc(&bytes, 'x');
	assert_false(answer_from_bytes(&b, bytes.data, bytes.len));
	answer_fini(&b);
	mer_str_fini(&bytes);
	answer_fini(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_read_is_what_was_written),
		cmocka_unit_test(what_is_cut_or_changed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
