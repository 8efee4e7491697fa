/* Events as JSON and CSV: every kind of field, and fields that were asked for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../trace/small_trace.h"
#include "base/bits.h"
#include "ask/events/event_csv.h"
#include "ask/events/event_json.h"
#include "ask/events/event_value.h"

struct text_of_all {
	struct mer_str text;
	struct trace_reading *reading;
	struct mer_cursor *cursor;
};

typedef void add_line(
	const void *format, struct mer_str *out, const uint64_t *c, const struct mer_event *ev);

static void open_reading(struct small_trace *t, struct text_of_all *a, bool headers)
{
	struct mer_need all = { "*", NULL };
	struct trace_range range = { INT64_MIN, INT64_MAX };
	*a = (struct text_of_all){ 0 };
	if (trace_reading_from_needs(t->e, &all, 1, headers, &a->reading, &t->err) ||
		trace_cursor_new(t->e, a->reading, range, NULL, &a->cursor, &t->err))
		fail_msg("%s", t->err.text);
}

static void add_all(
	struct small_trace *t, struct text_of_all *a, const void *format, add_line *line)
{
	const struct mer_event *ev;
	size_t n;
	while (mer_cursor_next(a->cursor, &ev, &n, &t->err) == 0 && n)
		for (size_t i = 0; i < n; i++)
			line(format, &a->text, trace_cursor_context(a->cursor, &ev[i]), &ev[i]);
	mer_str_putc(&a->text, '\0');
	assert_false(a->text.failed);
}

static void close_reading(struct text_of_all *a)
{
	mer_cursor_free(a->cursor);
	trace_reading_free(a->reading);
	mer_str_fini(&a->text);
}

static void json_line(
	const void *f, struct mer_str *out, const uint64_t *context, const struct mer_event *ev)
{
	event_json_line(f, out, context, ev);
}

static void csv_line(
	const void *f, struct mer_str *out, const uint64_t *context, const struct mer_event *ev)
{
	event_csv_line(f, out, context, ev);
}

static void json(struct small_trace *t, struct text_of_all *a, const struct event_json_options *o)
{
	struct event_json *j;
	bool contexts = o->headers || (o->fields && event_fields_need_contexts(o->fields, t->e));
	open_reading(t, a, contexts);
	if (event_json_new(t->e, a->reading, o, &j, &t->err))
		fail_msg("%s", t->err.text);
	add_all(t, a, j, json_line);
	event_json_free(j);
}

static void csv(struct small_trace *t, struct text_of_all *a, const struct event_fields *fields)
{
	struct event_csv *v;
	open_reading(t, a, fields && event_fields_need_contexts(fields, t->e));
	if (event_csv_new(t->e, a->reading, fields, &v, &t->err))
		fail_msg("%s", t->err.text);
	event_csv_heading(v, &a->text);
	add_all(t, a, v, csv_line);
	event_csv_free(v);
}

#define KINDS_1                                                                                    \
	"{\"u\":18446744073709551615,\"i\":-9223372036854775808,\"state\":2,\"level\":-3,"         \
	"\"real\":0.1,\"single\":0.1,\"map\":5,\"on\":true,"                                       \
	"\"text\":\"say "                                                                          \
	"\\\"hi\\\",\\n\xef\xbf\xbd\\u0001\",\"wide\":\"h\xf0\x9f\x98\x80\xc3\xa9\","              \
	"\"blob\":\"00abff\",\"n\":3,\"seq\":[10,20,30],\"inner\":{\"a\":1,"                       \
	"\"at\":{\"x\":2,\"y\":-3},\"points\":[{\"x\":4,\"y\":5},{\"x\":6,\"y\":7}]},"             \
	"\"has\":true,\"maybe\":99,\"which\":1,\"either\":\"w\"}"
#define KINDS_2                                                                                    \
	"{\"u\":5,\"i\":-5,\"state\":20,\"level\":0,\"real\":null,\"single\":-2.5,\"map\":8,"      \
	"\"on\":false,\"text\":\"\",\"wide\":\"\",\"blob\":\"010203\",\"n\":0,\"seq\":[],"         \
	"\"inner\":{\"a\":0,\"at\":{\"x\":0,\"y\":0},\"points\":[{\"x\":0,\"y\":0},{\"x\":0,"      \
	"\"y\":0}]},\"has\":false,\"maybe\":null,\"which\":0,\"either\":-12}"

static void replace_host(struct mer_str *s, const struct small_trace *t)
{
	const char *host = mer_host_at(t->e, 0)->name;
	struct mer_str out = { 0 };
	for (const char *p = s->data; *p;) {
		const char *h = strstr(p, host);
		if (!h)
			h = p + strlen(p);
		mer_str_add(&out, p, (size_t)(h - p));
		if (*h)
			mer_str_puts(&out, "HOST");
		p = *h ? h + strlen(host) : h;
	}
	mer_str_fini(s);
	*s = out;
}

static void json_of_everything(void **state)
{
	struct small_trace *t = *state;
	struct text_of_all a;
	json(t, &a, &(struct event_json_options){ 0 });
	replace_host(&a.text, t);
	assert_string_equal(a.text.data,
		"{\"time\":1000000001000,\"host\":\"HOST\",\"cpu\":0,\"stream\":0,\"name\":"
		"\"kinds\","
		"\"context\":{\"vtid\":7},\"payload\":" KINDS_1 "}\n"
		"{\"time\":1000000001500,\"host\":\"HOST\",\"cpu\":1,\"stream\":1,\"name\":"
		"\"named\","
		"\"context\":{\"vtid\":8},\"specific_context\":{\"vpid\":77},"
		"\"payload\":{\"name\":\"eth0\",\"odd, \\\"name\\\"\":5}}\n"
		"{\"time\":1000000002000,\"host\":\"HOST\",\"cpu\":0,\"stream\":0,\"name\":"
		"\"switch\","
		"\"context\":{\"vtid\":0},\"payload\":{\"prev_comm\":\"swapper/0\",\"prev_tid\":0,"
		"\"next_comm\":\"bash\",\"next_tid\":42}}\n"
		"{\"time\":1000000002500,\"host\":\"HOST\",\"cpu\":1,\"stream\":1,\"name\":"
		"\"switch\","
		"\"context\":{\"vtid\":42},\"payload\":{\"prev_comm\":\"bash\",\"prev_tid\":42,"
		"\"next_comm\":\"swapper/1\",\"next_tid\":0}}\n"
		"{\"time\":1000000003000,\"host\":\"HOST\",\"cpu\":1,\"stream\":1,\"name\":"
		"\"kinds\","
		"\"context\":{\"vtid\":-1},\"payload\":" KINDS_2 "}\n");
	close_reading(&a);
}

static void json_with_headers(void **state)
{
	struct small_trace *t = *state;
	struct text_of_all a;
	json(t, &a, &(struct event_json_options){ .headers = true });
	assert_non_null(strstr(a.text.data, "\"packet_context\":{\"timestamp_begin\":1000,"));
	assert_non_null(
		strstr(a.text.data, "\"cpu_id\":1},\"header\":{\"timestamp\":2500,\"id\":0},"
				    "\"payload\":{"));
	close_reading(&a);
}

static void ask_for(struct small_trace *t, struct mer_arena *arena, struct event_fields *fields)
{
	static const char *const texts[] = { "name", "next_tid", "cpu_id", "inner.points[1].y",
		"maybe", "either", "text", "next_tid", "payload.name", "inner.at", "seq[2]", "nope",
		"real", "blob" };
	mer_arena_init(arena);
	if (event_fields_parse(texts, sizeof(texts) / sizeof(texts[0]), arena, fields, &t->err))
		fail_msg("%s", t->err.text);
	assert_int_equal(fields->n, 12);
	assert_string_equal(event_fields_unknown(fields, t->e), "nope");
	assert_true(event_fields_need_contexts(fields, t->e));
}

static void json_of_some_fields(void **state)
{
	struct small_trace *t = *state;
	struct text_of_all a;
	struct event_fields fields;
	struct mer_arena arena;
	ask_for(t, &arena, &fields);
	json(t, &a, &(struct event_json_options){ .fields = &fields });
	replace_host(&a.text, t);
	assert_string_equal(a.text.data,
		"{\"time\":1000000001000,\"host\":\"HOST\",\"cpu\":0,\"name\":\"kinds\","
		"\"next_tid\":null,\"cpu_id\":0,\"inner.points[1].y\":7,\"maybe\":99,\"either\":"
		"\"w\","
		"\"text\":\"say \\\"hi\\\",\\n\xef\xbf\xbd\\u0001\",\"payload.name\":null,"
		"\"inner.at\":{\"x\":2,\"y\":-3},\"seq[2]\":30,\"nope\":null,\"real\":0.1,"
		"\"blob\":\"00abff\"}\n"
		"{\"time\":1000000001500,\"host\":\"HOST\",\"cpu\":1,\"name\":\"named\","
		"\"next_tid\":null,\"cpu_id\":1,\"inner.points[1].y\":null,\"maybe\":null,"
		"\"either\":null,\"text\":null,\"payload.name\":\"eth0\",\"inner.at\":null,"
		"\"seq[2]\":null,\"nope\":null,\"real\":null,\"blob\":null}\n"
		"{\"time\":1000000002000,\"host\":\"HOST\",\"cpu\":0,\"name\":\"switch\","
		"\"next_tid\":42,\"cpu_id\":0,\"inner.points[1].y\":null,\"maybe\":null,"
		"\"either\":null,\"text\":null,\"payload.name\":null,\"inner.at\":null,"
		"\"seq[2]\":null,\"nope\":null,\"real\":null,\"blob\":null}\n"
		"{\"time\":1000000002500,\"host\":\"HOST\",\"cpu\":1,\"name\":\"switch\","
		"\"next_tid\":0,\"cpu_id\":1,\"inner.points[1].y\":null,\"maybe\":null,"
		"\"either\":null,\"text\":null,\"payload.name\":null,\"inner.at\":null,"
		"\"seq[2]\":null,\"nope\":null,\"real\":null,\"blob\":null}\n"
		"{\"time\":1000000003000,\"host\":\"HOST\",\"cpu\":1,\"name\":\"kinds\","
		"\"next_tid\":null,\"cpu_id\":1,\"inner.points[1].y\":0,\"maybe\":null,\"either\":-"
		"12,"
		"\"text\":\"\",\"payload.name\":null,\"inner.at\":{\"x\":0,\"y\":0},\"seq[2]\":"
		"null,"
		"\"nope\":null,\"real\":null,\"blob\":\"010203\"}\n");
	close_reading(&a);
	mer_arena_fini(&arena);
}

static void csv_of_some_fields(void **state)
{
	struct small_trace *t = *state;
	struct text_of_all a;
	struct event_fields fields;
	struct mer_arena arena;
	ask_for(t, &arena, &fields);
	csv(t, &a, &fields);
	replace_host(&a.text, t);
	assert_string_equal(a.text.data,
		"time,host,cpu,name,next_tid,cpu_id,inner.points[1].y,maybe,either,text,"
		"payload.name,inner.at,seq[2],nope,real,blob\n"
		"1000000001000,HOST,0,kinds,,0,7,99,w,\"say \"\"hi\"\",\\n\xef\xbf\xbd\\x01\",,"
		"\"{\"\"x\"\":2,\"\"y\"\":-3}\",30,,0.1,00abff\n"
		"1000000001500,HOST,1,named,,1,,,,,eth0,,,,,\n"
		"1000000002000,HOST,0,switch,42,0,,,,,,,,,,\n"
		"1000000002500,HOST,1,switch,0,1,,,,,,,,,,\n"
		"1000000003000,HOST,1,kinds,,1,0,,-12,,,\"{\"\"x\"\":0,\"\"y\"\":0}\",,,inf,"
		"010203\n");
	close_reading(&a);
	mer_arena_fini(&arena);
}

static void csv_of_everything(void **state)
{
	struct small_trace *t = *state;
	struct text_of_all a;
	csv(t, &a, NULL);
	replace_host(&a.text, t);
	assert_memory_equal(a.text.data, "time,host,cpu,name,fields\n", 26);
	assert_non_null(strstr(a.text.data,
		"\n1000000001500,HOST,1,named,\"{\"\"name\"\":\"\"eth0\"\",\"\"odd, "
		"\\\"\"name\\\"\"\"\":5}\"\n"));
	close_reading(&a);
}

static void fields_that_are_not_read(void **state)
{
	struct small_trace *t = *state;
	struct mer_arena arena;
	struct event_fields fields;
	struct text_of_all a;
	struct event_json *j;
	struct event_csv *v;
	ask_for(t, &arena, &fields);
	open_reading(t, &a, false);
	struct event_json_options o = { .fields = &fields };
	assert_int_equal(event_json_new(t->e, a.reading, &o, &j, &t->err), MER_ERR_BUG);
	assert_int_equal(event_csv_new(t->e, a.reading, &fields, &v, &t->err), MER_ERR_BUG);
	close_reading(&a);
	mer_arena_fini(&arena);
}

static void text_at_every_place(void **state)
{
	(void)state;
	/* A special byte at each place of texts of each length: the quick way must not miss it. */
	static const char specials[] = "\"\\,\n\x1f\x7f\x80\xff\x01";
	for (size_t len = 1; len <= 20; len++)
		for (size_t at = 0; at < len; at++)
			for (const char *c = specials; *c; c++) {
				char s[20];
				struct mer_str out = { 0 };
				memset(s, 'a', len);
				s[at] = *c;
				event_json_text(&out, s, len);
				size_t grown = *c == ','		      ? 2
					       : strchr("\"\\\n", *c)	      ? 3
					       : *c == '\x80' || *c == '\xff' ? 4
									      : 7;
				assert_int_equal(out.len, len + grown);
				mer_str_clear(&out);
				event_csv_text(&out, s, len);
				grown = *c == '"'				    ? 3
					: *c == ',' || *c == '\x80' || *c == '\xff' ? 2
					: *c == '\n'				    ? 1
					: *c == '\\'				    ? 0
										    : 3;
				assert_int_equal(out.len, len + grown);
				mer_str_fini(&out);
			}
}

static void shortest_numbers(void **state)
{
	(void)state;
	static const struct {
		double v;
		unsigned bits;
		const char *text;
	} rows[] = {
		{ 0.1, 64, "0.1" },
		{ 1.0 / 3, 64, "0.3333333333333333" },
		{ 5e-324, 64, "4.94065645841247e-324" },
		{ 1.7976931348623157e308, 64, "1.7976931348623157e+308" },
		{ 9007199254740993.0, 64, "9007199254740992" },
		{ -0.0, 64, "-0" },
		{ 3, 64, "3" },
		{ (double)0.1f, 32, "0.1" },
		{ (double)16777217.0f, 32, "16777216" },
		{ (double)3.4028235e38f, 32, "3.4028235e+38" },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ctf_fc fc = { .kind = CTF_FLOAT };
		struct mer_str out = { 0 };
		uint64_t slot;
		fc.u.bits.len_bits = (uint16_t)rows[i].bits;
		memcpy(&slot, &rows[i].v, sizeof(slot));
		event_json_value(&out, &fc, &slot);
		assert_string_equal(out.data, rows[i].text);
		mer_str_fini(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_of_everything),
		cmocka_unit_test(json_with_headers),
		cmocka_unit_test(json_of_some_fields),
		cmocka_unit_test(csv_of_some_fields),
		cmocka_unit_test(csv_of_everything),
		cmocka_unit_test(fields_that_are_not_read),
		cmocka_unit_test(text_at_every_place),
		cmocka_unit_test(shortest_numbers),
	};
	return cmocka_run_group_tests(tests, small_trace_set_up, small_trace_tear_down);
}
