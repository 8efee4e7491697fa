/* Tables: the same rows for people, CSV and JSON; widths; hostile text. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/plural.h"
#include "ask/print/table.h"
#include "base/table_write.h"
#include "ask/print/text.h"

static const struct mer_column columns[] = {
	{ "name", "Name", MER_TEXT },
	{ "tid", "Thread", MER_ID },
	{ "events", "Events", MER_COUNT },
	{ "bytes", "Size", MER_BYTES },
	{ "took_ns", "Took", MER_DURATION },
	{ "part_percent", "Part", MER_RATIO },
	{ 0 },
};

static void fill(struct mer_table *t)
{
	mer_table_init(t, "files", NULL, columns, NULL);
	mer_table_add(t, (struct mer_cell[]){ mer_text("wget"), MER_INT(12345), MER_INT(1234567),
				 MER_INT(1536), MER_INT(12345678), MER_REAL_CELL(0.125) });
	mer_table_add(t, (struct mer_cell[]){ mer_text("a,\"b\"\n\033[31m"), MER_INT(7), MER_INT(0),
				 MER_INT(999), MER_INT(999), MER_NONE });
}

static void for_people(void **state)
{
	struct mer_table t;
	struct mer_str s = { 0 };
	(void)state;
	fill(&t);
	ask_table_text(&t, &s, 100, false, false);
	assert_string_equal(s.data,
		"Name             Thread     Events      Size     Took    Part\n"
		"wget              12345  1,234,567  1.50 KiB  12.3 ms  12.5 %\n"
		"a,\"b\"\\n\\x1b[31m       7          0     999 B   999 ns       -\n");
	/* Only text shrinks, and no further than six columns; of titles more is left. */
	mer_str_clear(&s);
	ask_table_text(&t, &s, 20, true, false);
	assert_string_equal(s.data,
		"\033[1mName    Thread     Events      Size     Took    Part\033[0m\n"
		"wget     12345  1,234,567  1.50 KiB  12.3 ms  12.5 %\n"
		"a,\xe2\x80\xa6"
		"31m       7          0     999 B   999 ns       -\n");
	mer_str_fini(&s);
	mer_table_fini(&t);
}

static void for_programs(void **state)
{
	struct mer_table t;
	struct mer_str s = { 0 };
	(void)state;
	fill(&t);
	mer_table_csv(&t, mer_table_whole(&t), &s);
	assert_string_equal(s.data, "name,tid,events,bytes,took_ns,part_percent\n"
				    "wget,12345,1234567,1536,12345678,12.5\n"
				    "\"a,\"\"b\"\"\\n\\x1b[31m\",7,0,999,999,\n");
	mer_str_clear(&s);
	mer_table_jsonl(&t, mer_table_whole(&t), &s);
	assert_string_equal(s.data,
		"{\"name\":\"wget\",\"tid\":12345,\"events\":1234567,"
		"\"bytes\":1536,\"took_ns\":12345678,\"part_percent\":12.5}\n"
		"{\"name\":\"a,\\\"b\\\"\\n\\u001b[31m\",\"tid\":7,"
		"\"events\":0,\"bytes\":999,\"took_ns\":999,\"part_percent\":null}\n");
	mer_str_fini(&s);
	mer_table_fini(&t);
}

#define SHOWS(function, value, text)                                                               \
	do {                                                                                       \
		struct mer_str s_ = { 0 };                                                         \
		function(&s_, value);                                                              \
		assert_string_equal(s_.data, text);                                                \
		mer_str_fini(&s_);                                                                 \
	} while (0)

static void units(void **state)
{
	(void)state;
	SHOWS(ask_text_count, 0, "0");
	SHOWS(ask_text_count, -1234, "-1,234");
	SHOWS(ask_text_count, INT64_MIN, "-9,223,372,036,854,775,808");
	SHOWS(ask_text_bytes, 0, "0 B");
	SHOWS(ask_text_bytes, 1023, "1023 B");
	SHOWS(ask_text_bytes, 1024, "1.00 KiB");
	SHOWS(ask_text_bytes, INT64_C(250) << 20, "250 MiB");
	SHOWS(ask_text_duration, 0, "0 ns");
	SHOWS(ask_text_duration, 999, "999 ns");
	SHOWS(ask_text_duration, 1000, "1.00 us");
	SHOWS(ask_text_duration, 999499, "999 us");
	SHOWS(ask_text_duration, 999999, "1.00 ms");
	SHOWS(ask_text_duration, -1500000, "-1.50 ms");
	SHOWS(ask_text_duration, INT64_C(59999000000), "60.0 s");
	SHOWS(ask_text_duration, INT64_C(61000000000), "1min 01s");
	SHOWS(ask_text_duration, INT64_C(3700000000000), "1h 01min");
	SHOWS(ask_text_seconds, 0, "0.000000000");
	SHOWS(ask_text_seconds, -1, "-0.000000001");
	SHOWS(ask_text_seconds, INT64_MIN, "-9223372036.854775808");
	SHOWS(ask_text_real, -0.001, "0.00");
	SHOWS(ask_text_real, -20.126, "-20.13");
	SHOWS(ask_text_real, NAN, "-");
	SHOWS(ask_text_ratio, 1.0, "100.0 %");
	SHOWS(ask_text_ratio, 0.0012, "0.12 %");
	setenv("TZ", "UTC", 1);
	SHOWS(ask_text_time, INT64_C(1714739696789000001), "2024-05-03 12:34:56.789000001");
	SHOWS(ask_text_clock, INT64_C(1714739696789000001), "12:34:56.789");
	SHOWS(ask_text_time, -1, "1969-12-31 23:59:59.999999999");
}

static void plurals(void **state)
{
	struct mer_str s = { 0 };
	(void)state;
	ask_text_things(&s, 0, "host, ", "hosts, ");
	ask_text_things(&s, 1, "process, ", "processes, ");
	ask_text_things(&s, 1234, "host", "hosts");
	assert_string_equal(s.data, "0 hosts, 1 process, 1,234 hosts");
	assert_string_equal(mer_plural(1, "task fits", "tasks fit"), "task fits");
	assert_string_equal(mer_plural(21, "task fits", "tasks fit"), "tasks fit");
	mer_str_fini(&s);
}

static void wrapping(void **state)
{
	struct mer_str s = { 0 };
	(void)state;
	ask_text_wrap(&s, "one two three\nfour five\n\nsix\n  kept as it is\nseven", 10, 0);
	assert_string_equal(s.data, "one two\nthree four\nfive\n\nsix\n  kept as it is\nseven\n");
	mer_str_clear(&s);
	ask_text_shorten(&s, "0123456789", 10, 10);
	ask_text_shorten(&s, "0123456789", 10, 5);
	ask_text_shorten(&s, "\xc3\xa4\xc3\xb6\xc3\xbc", 6, 2);
	assert_string_equal(s.data, "012345678901\xe2\x80\xa6"
				    "89\xe2\x80\xa6\xc3\xbc");
	/* A task keeps its number and host as long as there is room for some of its name. */
	static const struct {
		const char *text;
		size_t width;
		const char *is;
	} tasks[] = {
		{ "qemu-system-x86/242 on l1", 16, "qemu-\xe2\x80\xa6/242 on l1" },
		{ "qemu-system-x86/242", 10, "qemu-\xe2\x80\xa6/242" },
		{ "qemu-system-x86/242", 8, "qem\xe2\x80\xa6/242" },
		{ "make/12 on b (vCPU CPU 1/KVM/88 on l1)", 14, "make/12 on b\xe2\x80\xa6" },
		{ "compile/12 on b (vCPU CPU 1/KVM/88 on l1)", 14,
			"comp\xe2\x80\xa6/12 on b\xe2\x80\xa6" },
		{ "idle-303/303 on h0", 12, "idle-3\xe2\x80\xa6/303\xe2\x80\xa6" },
		{ "hog/324 on h0", 12, "hog/324\xe2\x80\xa6" },
		{ "idle-303/303 on g1 (vCPU CPU 1/KVM/88 on l1)", 12,
			"idle-\xe2\x80\xa6/303\xe2\x80\xa6" },
		{ "/usr/lib/12x/file", 9,
			"/usr\xe2\x80\xa6"
			"file" },
		{ "a (b)", 1, "\xe2\x80\xa6" },
	};
	for (size_t i = 0; i < sizeof(tasks) / sizeof(tasks[0]); i++) {
		mer_str_clear(&s);
		ask_text_shorten(&s, tasks[i].text, strlen(tasks[i].text), tasks[i].width);
		assert_string_equal(s.data, tasks[i].is);
		assert_true(ask_text_width(s.data, s.len) <= tasks[i].width);
	}
	mer_str_fini(&s);
}

/* Where a text is cut at its brackets, what comes after is where it is in other rows. */
static void cut_texts_are_padded(void **state)
{
	static const struct mer_column two[] = { { "by", "by", MER_TEXT },
		{ "count", "count", MER_COUNT }, { 0 } };
	static const char *const who[] = { "hog/320 on h0, all of it",
		"busy/307 on g0 (vCPU CPU 0/KVM/316 on h0)" };
	struct mer_table t;
	struct mer_str s = { 0 };
	(void)state;
	mer_table_init(&t, "t", NULL, two, NULL);
	for (size_t i = 0; i < 2; i++)
		mer_table_add(&t, (struct mer_cell[]){ mer_text(who[i]), MER_INT(7) });
	ask_table_text(&t, &s, 31, false, false);
	const char *header = s.data, *row = strchr(header, '\n') + 1;
	size_t width = ask_text_width(header, (size_t)(row - header - 1));
	for (int i = 0; i < 2; i++) {
		const char *end = strchr(row, '\n');
		assert_int_equal(ask_text_width(row, (size_t)(end - row)), width);
		row = end + 1;
	}
	mer_str_fini(&s);
	mer_table_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(for_people),
		cmocka_unit_test(for_programs),
		cmocka_unit_test(units),
		cmocka_unit_test(plurals),
		cmocka_unit_test(wrapping),
		cmocka_unit_test(cut_texts_are_padded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
