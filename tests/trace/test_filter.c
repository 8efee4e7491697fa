/* Filters: what they mean on every kind of field, their errors, what they say of whole classes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "small_trace.h"
#include "trace/filter/filter.h"
#include "trace/filter/pattern.h"
#include "trace/path.h"

/* The events that match, as letters in the order of time: k n s S K (see small_trace.h). */
static const char *matches(struct small_trace *t, const char *expression, char result[8])
{
	struct trace_filter *f = NULL;
	struct trace_reading *r = NULL;
	struct trace_bound_filter *b = NULL;
	struct mer_cursor *c = NULL;
	if (trace_filter_parse(expression, &f, &t->err))
		fail_msg("%s", t->err.text);
	bool contexts = trace_filter_needs_contexts(f, t->e);
	struct mer_need all = { "*", NULL };
	struct trace_range range = { INT64_MIN, INT64_MAX };
	if (trace_reading_from_needs(t->e, &all, 1, true, &r, &t->err) ||
		trace_filter_bind(f, t->e, r, &b, &t->err) ||
		trace_cursor_new(t->e, r, range, NULL, &c, &t->err))
		fail_msg("%s", t->err.text);
	const struct mer_event *ev;
	size_t n, k = 0, at = 0;
	while (mer_cursor_next(c, &ev, &n, &t->err) == 0 && n)
		for (size_t i = 0; i < n; i++, at++) {
			bool match = trace_filter_match(b, trace_cursor_context(c, &ev[i]), &ev[i]);
			if (match)
				result[k++] = "knsSK"[at];
			/* What the class alone rules out does not match. */
			if (match)
				assert_true(trace_filter_may_match(
					f, ev[i].plan->stream->class, ev[i].plan->class));
		}
	assert_int_equal(at, 5);
	result[k] = '\0';
	mer_cursor_free(c);
	trace_filter_unbind(b);
	trace_reading_free(r);
	/* A reading without packet contexts is refused when they are needed. */
	if (contexts) {
		assert_int_equal(trace_reading_new(t->e, NULL, false, &r, &t->err), 0);
		assert_int_equal(trace_filter_bind(f, t->e, r, &b, &t->err), MER_ERR_BUG);
		trace_reading_free(r);
	}
	trace_filter_free(f);
	return result;
}

struct row {
	const char *expression, *want;
};

static void check_rows(struct small_trace *t, const struct row *rows, size_t n)
{
	char result[8];
	for (size_t i = 0; i < n; i++)
		if (strcmp(matches(t, rows[i].expression, result), rows[i].want) != 0)
			fail_msg("%s: matches \"%s\", should match \"%s\"", rows[i].expression,
				result, rows[i].want);
}

#define CHECK_ROWS(state, rows) check_rows(*(state), rows, sizeof(rows) / sizeof((rows)[0]))

static void names_and_logic(void **state)
{
	static const struct row rows[] = {
		{ "name == 'switch'", "sS" },
		{ "name != 'switch'", "knK" },
		{ "'switch' == name", "sS" },
		{ "name == 's*'", "sS" },
		{ "name == '*d*'", "knK" },
		{ "name == '?"
		  "?"
		  "?"
		  "?"
		  "?'",
			"knK" },
		{ "name == 'k?n*s'", "kK" },
		{ "name == 'k\\*'", "" },
		{ "name =~ '^(switch|kinds)$'", "ksSK" },
		{ "name =~ 'd'", "knK" },
		{ "name =~ '^na'", "n" },
		{ "name =~ 's$'", "kK" },
		{ "name !~ 's$'", "nsS" },
		{ "name < 'n'", "kK" },
		{ "name >= 'named'", "nsS" },
		{ "name", "knsSK" },
		{ "!name", "" },
		{ "name == 'named' || name == 'kinds' && state == 2", "kn" },
		{ "(name == 'named' || name == 'kinds') && state == 2", "k" },
		{ "!(name == 'named') && !(name == 'kinds')", "sS" },
		{ "!name == 'named'", "ksSK" },
		{ "!!name == 'named'", "n" },
		{ "name == 5", "" },
		{ "name != 5", "" },
		{ "((((name == 'named'))))", "n" },
	};
	CHECK_ROWS(state, rows);
}

static void numbers(void **state)
{
	static const struct row rows[] = {
		{ "next_tid == 42", "s" },
		{ "next_tid != 42", "S" },
		{ "!(next_tid == 42)", "knSK" },
		{ "42 == next_tid", "s" },
		{ "42 > prev_tid", "s" },
		{ "prev_tid", "S" },
		{ "!prev_tid", "knsK" },
		{ "prev_tid == 0x2a", "S" },
		{ "prev_tid == 052", "S" },
		{ "prev_tid == 42.0", "S" },
		{ "prev_tid > 41.5", "S" },
		{ "prev_tid >= 41.5 && prev_tid < 42.5", "S" },
		{ "prev_tid == 41.5", "" },
		{ "prev_tid != 41.5", "sS" },
		{ "prev_tid <= 4.2e1", "sS" },
		{ "prev_tid < 1e300", "sS" },
		{ "prev_tid > -1e300", "sS" },
		{ "prev_tid >= 1e300", "" },
		/* the ends of both ranges */
		{ "u == 18446744073709551615", "k" },
		{ "u > 9223372036854775807", "k" },
		{ "u >= 0", "kK" },
		{ "u < 0", "" },
		{ "u > -1", "kK" },
		{ "u != -1", "kK" },
		{ "u == -1", "" },
		{ "i == -9223372036854775808", "k" },
		{ "i < 18446744073709551615", "kK" },
		{ "i < -9223372036854775807", "k" },
		{ "i > 9223372036854775807", "" },
		{ "i <= 9223372036854775807", "kK" },
		{ "i == -5 && u == 5", "K" },
		/* two fields */
		{ "i < u", "kK" },
		{ "u < i", "" },
		{ "prev_tid == next_tid", "" },
		{ "prev_tid < next_tid", "s" },
		{ "prev_tid == vtid", "sS" },
		{ "i == missing", "" },
		{ "i != missing", "" },
		/* booleans */
		{ "on", "k" },
		{ "on == true", "k" },
		{ "on == false", "K" },
		{ "on != 0", "k" },
		{ "on < 2", "kK" },
		{ "on == 2", "" },
		/* floats */
		{ "real == 0.1", "k" },
		{ "single == 0.1", "k" },
		{ "single < 0", "K" },
		{ "single == -2.5", "K" },
		{ "single >= -2.5 && single < 0.1", "K" },
		{ "real > 1e308", "K" },
		{ "real", "kK" },
		{ "real < 1", "k" },
		{ "single < real", "K" },
		{ "u > real", "k" },
		{ "real > u", "K" },
		{ "real < u", "k" },
		{ "i < real", "kK" },
		{ "real <= i", "" },
		{ "real == real", "kK" },
		{ "single > real", "k" }, /* 0.1 in 32 bits is more than in 64 */
		/* What is no number is neither more nor less than one. */
		{ "prev_comm < prev_tid", "" },
		{ "prev_tid >= prev_comm", "" },
		{ "prev_tid != prev_comm", "" },
	};
	CHECK_ROWS(state, rows);
}

static void labels(void **state)
{
	static const struct row rows[] = {
		{ "state == 'SLEEPING'", "k" },
		{ "state == 'DEAD'", "K" },
		{ "state != 'DEAD'", "k" },
		{ "state == 'S*'", "k" },
		{ "state =~ 'E'", "kK" },
		{ "state == 'NOPE'", "" },
		{ "state != 'NOPE'", "kK" },
		{ "state == 2", "k" },
		{ "state < 'DEAD'", "" },
		{ "level == 'LOW'", "k" },
		{ "level == 'ZERO'", "K" },
		{ "level == '*O*'", "kK" },
		{ "level != 'HIGH'", "kK" },
		{ "map == 'READ'", "k" },
		{ "map == 'WRITE'", "k" },
		{ "map != 'READ'", "K" },
		{ "map == 'x'", "" },
		{ "map == 8", "K" },
		{ "prev_tid == 'x'", "" },
	};
	CHECK_ROWS(state, rows);
}

static void text(void **state)
{
	static const struct row rows[] = {
		{ "next_comm == 'bash'", "s" },
		{ "next_comm != 'bash'", "S" },
		{ "next_comm == 'swapper/?'", "S" },
		{ "next_comm =~ '^swapper/[0-9]+$'", "S" },
		{ "next_comm !~ '^swapper/[0-9]+$'", "s" },
		{ "next_comm =~ 'as'", "s" },
		{ "prev_comm < next_comm", "S" },
		{ "prev_comm == prev_comm", "sS" },
		{ "next_comm > 'c'", "S" },
		{ "text", "k" },
		{ "text == 'say*'", "k" },
		{ "text == \"say \\\"hi\\\",\\n\\xff\\x01\"", "k" },
		{ "text =~ 'say \"hi\",\\n'", "k" },
		{ "text =~ 'y.\"h'", "k" },
		{ "text == ''", "K" },
		{ "wide == 'h\xf0\x9f\x98\x80\xc3\xa9'", "k" },
		{ "wide == 'h?"
		  "?'",
			"k" },
		{ "wide == ''", "K" },
		{ "wide", "k" },
		{ "text == wide", "K" },
		{ "len(next_comm) == 4", "s" },
		{ "len(next_comm) > 4", "S" },
	};
	CHECK_ROWS(state, rows);
}

static void paths(void **state)
{
	static const struct row rows[] = {
		{ "seq[0] == 10", "k" },
		{ "seq[2] == 30", "k" },
		{ "seq[3] != 30", "" },
		{ "seq", "k" },
		{ "len(seq) == 3", "k" },
		{ "len(seq) < 3", "K" },
		{ "len(seq)", "k" },
		{ "len(blob) == 3", "kK" },
		{ "seq == 3", "" },
		{ "blob", "kK" },
		{ "inner", "kK" },
		{ "inner.a == 1", "k" },
		{ "inner.at.y == -3", "k" },
		{ "inner.points[1].x == 6", "k" },
		{ "inner.points[1].y == 7", "k" },
		{ "inner.points[2].y == 7", "" },
		{ "inner.points[0].y == inner.points[1].x", "K" },
		{ "maybe == 99", "k" },
		{ "maybe != 99", "" },
		{ "!(maybe == 99)", "nsSK" },
		{ "maybe", "k" },
		{ "either == 'w'", "k" },
		{ "either == -12", "K" },
		{ "either.number == -12", "K" },
		{ "either.word == 'w'", "k" },
		{ "either.number != 0", "K" },
		{ "payload.name == 'eth0'", "n" },
		{ "name.x == 1", "" },
		{ "payload.\"odd, \\\"name\\\"\" == 5", "n" },
		{ "vpid == 77", "n" },
		{ "context.vpid == 77", "n" },
		{ "payload.vpid == 77", "" },
		{ "context.vtid == 42", "S" },
		{ "vtid < 0", "K" },
		{ "cpu_id == 0", "ks" },
		{ "packet.cpu_id == 1 && prev_tid", "S" },
		{ "payload.cpu_id == 1", "" },
		{ "header.id == 0", "sS" },
		{ "header.id == 2", "kK" },
		{ "id == 2", "" },
		{ "header.timestamp >= 2500", "SK" },
	};
	CHECK_ROWS(state, rows);
}

static void the_stream(void **state)
{
	static const struct row rows[] = {
		{ "$cpu == 1", "nSK" },
		{ "$cpu < 1", "ks" },
		{ "$cpu", "nSK" },
		{ "$stream == 0", "ks" },
		{ "$stream == '*stream_1'", "nSK" },
		{ "$trace == 0", "knsSK" },
		{ "$trace == '*meridian-small-*'", "knsSK" },
		{ "$trace", "knsSK" },
		{ "$host != ''", "knsSK" },
		{ "$host == $host", "knsSK" },
		{ "$domain", "" },
		{ "$domain == ''", "knsSK" },
		{ "$time < 1000.0000015s", "k" },
		{ "$time <= 1000000001500", "kn" },
		{ "$time != 1000000001500", "ksSK" },
		{ "$time == 1000000001500", "n" },
		{ "$time", "knsSK" },
		{ "$time >= 1000s && $time < 17min", "knsSK" },
		{ "$time > 2us && $time < 3ms", "" },
		{ "$time != 1.5", "knsSK" },
		{ "$time == 'x'", "" },
		{ "$cpu == vtid", "s" },
		{ "vtid > $cpu", "knS" },
	};
	CHECK_ROWS(state, rows);
}

static void errors(void **state)
{
	(void)state;
	static const struct {
		const char *expression, *message;
	} rows[] = {
		{ "", "filter:1: expected a field, a number or a text, found the end" },
		{ "a ==", "filter:5: expected a field, a number or a text, found the end" },
		{ "a = 5", "filter:3: expected == to compare, found '='" },
		{ "a == 5 b", "filter:8: expected &&, || or the end, found 'b'" },
		{ "a == 5 & b", "filter:8: expected &&, || or the end, found '&'" },
		{ "1 < a < 3", "filter:7: expected &&, || or the end, found '<'" },
		{ "(a == 5", "filter:8: expected ')', && or ||, found the end" },
		{ "a == 5)", "filter:7: expected &&, || or the end, found ')'" },
		{ "a == 'x", "filter:6: this text has no ' at its end" },
		{ "a == 'x\\", "filter:6: this text has no ' at its end" },
		{ "a == '\\x41", "filter:6: this text has no ' at its end" },
		{ "a == '\\q'",
			"filter:7: expected one of \\\\ \\\" \\' \\n \\t \\r \\xHH \\* \\?" },
		{ "a == 08", "filter:7: expected a digit, found '8'" },
		{ "a == 0x", "filter:8: expected a digit after '0x'" },
		{ "a == 0xg", "filter:8: expected a digit, found 'g'" },
		{ "a == 5parsecs", "filter:7: expected a unit (ns, us, ms, s, min, h, d) or the "
				   "number's end, found 'parsecs'" },
		{ "a == 18446744073709551616", "filter:6: the number does not fit in 64 bits" },
		{ "a == -9223372036854775809", "filter:6: the number does not fit in 64 bits" },
		{ "a == 99999999999999h", "filter:6: the number does not fit in 64 bits" },
		{ "a == -", "filter:7: expected a number, found the end" },
		{ "1 == 2", "filter:3: expected a field on one side, found two constants" },
		{ "1", "filter:2: expected a comparison (==, !=, <, ...), found the end" },
		{ "$nope == 1", "filter:1: expected $host, $cpu, $time, $stream, $trace or "
				"$domain, found '$nope'" },
		{ "$ == 1", "filter:1: expected a field, a number or a text, found '$'" },
		{ "a[x] == 1", "filter:3: expected the number of an element, found 'x'" },
		{ "a[1 == 1", "filter:5: expected ], found '=='" },
		{ "a. == 1", "filter:4: expected the name of a field, found '=='" },
		{ "len(5)", "filter:5: expected the name of a field, found '5'" },
		{ "len(a == 5", "filter:7: expected ')', found '=='" },
		{ "a =~ b", "filter:6: expected a regular expression, as text, found 'b'" },
		{ "'x' =~ 'b'", "filter:1: expected a field on the left of =~" },
		{ "a =~ '('", "filter:6: not a regular expression: missing closing parenthesis" },
		{ "a =~ '((((x{200}){200}){200}){200})'",
			"filter:6: not a regular expression: regular expression is too large" },
		{ "\xc3\xa4 == 1",
			"filter:1: expected a field, a number or a text, found '\xc3\xa4'" },
		{ "a == '\xc3\xa4' x", "filter:10: expected &&, || or the end, found 'x'" },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct trace_filter *f = NULL;
		struct mer_err err = { 0 };
		int rc = trace_filter_parse(rows[i].expression, &f, &err);
		assert_int_not_equal(rc, 0);
		assert_int_equal(err.code, rc);
		size_t n = strlen(rows[i].message);
		if (strncmp(err.text, rows[i].message, n) != 0 || err.text[n] != '\n')
			fail_msg("%s\nsays: %s\nshould say: %s", rows[i].expression, err.text,
				rows[i].message);
	}
}

static void place_of_errors(void **state)
{
	(void)state;
	struct trace_filter *f = NULL;
	struct mer_err err;
	char text[400];
	assert_true(trace_filter_parse("\xc3\xa4\tx", &f, &err) < 0);
	assert_true(trace_filter_parse("a == '\xc3\xa4\t' x", &f, &err) < 0);
	assert_string_equal(err.text, "filter:11: expected &&, || or the end, found 'x'\n"
				      "  a == '\xc3\xa4 ' x\n"
				      "            ^");
	memset(text, 'a', 300);
	strcpy(text + 300, " = 1");
	assert_true(trace_filter_parse(text, &f, &err) < 0);
	assert_non_null(strstr(err.text, "\n  ...aaaa"));
	const char *line = strrchr(err.text, '\n');
	const char *shown = strstr(err.text, "  ...");
	assert_int_equal(shown[strcspn(line + 1, "^")], '=');
}

/* The work of a comparison is bounded, and what is given up is counted. */
static void endless_expressions(void **state)
{
	(void)state;
	struct mer_arena arena;
	struct mer_err err = { 0 };
	mer_arena_init(&arena);
	static const char expression[] = "'^(a+)+(b|d)$'";
	struct filter_lexer l = { .what = "filter",
		.text = expression,
		.len = sizeof(expression) - 1,
		.arena = &arena,
		.err = &err };
	struct filter_pattern p;
	assert_int_equal(filter_next(&l), 0);
	if (filter_pattern_regex(&p, &l))
		fail_msg("%s", err.text);
	assert_true(filter_pattern_fits(&p, "aaab", 4));
	assert_false(filter_pattern_fits(&p, "c", 1));
	assert_int_equal(filter_pattern_given_up(&p), 0);
	assert_false(filter_pattern_fits(&p, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac", 41));
	assert_int_equal(filter_pattern_given_up(&p), 1);
	filter_pattern_fini(&p);
	mer_arena_fini(&arena);
}

/* $ is the end of the text alone, a point any character; bytes that are no UTF-8 stop nothing. */
static void expressions_as_in_posix(void **state)
{
	(void)state;
	static const struct {
		const char *expression, *text;
		size_t len;
		bool fits;
	} rows[] = {
		{ "'^a.c$'", "a\nc", 3, true },
		{ "'^ab?c$'", "ac\n", 3, false },
		{ "'^.b$'",
			"\xc3\xa4"
			"b",
			3, true },
		{ "'b+$'",
			"\xff\xfe"
			"bb",
			4, true },
		{ "'a[b-d]*e'", "x\0abcde", 7, true },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct mer_arena arena;
		struct mer_err err = { 0 };
		mer_arena_init(&arena);
		struct filter_lexer l = { .what = "filter",
			.text = rows[i].expression,
			.len = strlen(rows[i].expression),
			.arena = &arena,
			.err = &err };
		struct filter_pattern p;
		assert_int_equal(filter_next(&l), 0);
		assert_int_equal(filter_pattern_regex(&p, &l), 0);
		if (filter_pattern_fits(&p, rows[i].text, rows[i].len) != rows[i].fits)
			fail_msg("%s fits: %d", rows[i].expression, !rows[i].fits);
		filter_pattern_fini(&p);
		mer_arena_fini(&arena);
	}
}

static void limits(void **state)
{
	(void)state;
	struct trace_filter *f = NULL;
	struct mer_err err;
	struct mer_str s = { 0 };
	for (int i = 0; i < 100; i++)
		mer_str_putc(&s, i % 2 ? '(' : '!');
	mer_str_puts(&s, "a");
	for (int i = 0; i < 50; i++)
		mer_str_putc(&s, ')');
	assert_int_equal(trace_filter_parse(s.data, &f, &err), 0);
	trace_filter_free(f);
	mer_str_clear(&s);
	for (int i = 0; i < 50000; i++)
		mer_str_putc(&s, '(');
	assert_int_equal(trace_filter_parse(s.data, &f, &err), MER_ERR_LIMIT);
	mer_str_clear(&s);
	for (int i = 0; i < 500; i++)
		mer_str_puts(&s, i ? "||a" : "a");
	assert_int_equal(trace_filter_parse(s.data, &f, &err), 0);
	trace_filter_free(f);
	mer_str_puts(&s, "||a");
	assert_int_equal(trace_filter_parse(s.data, &f, &err), MER_ERR_LIMIT);
	mer_str_clear(&s);
	for (int i = 0; i < TRACE_PATH_PARTS + 1; i++)
		mer_str_puts(&s, i ? ".a" : "a");
	assert_int_equal(trace_filter_parse(s.data, &f, &err), MER_ERR_LIMIT);
	mer_str_clear(&s);
	for (int i = 0; i < 70000; i++)
		mer_str_putc(&s, ' ');
	assert_int_equal(trace_filter_parse(s.data, &f, &err), MER_ERR_LIMIT);
	mer_str_fini(&s);
}

static void classes(void **state)
{
	struct small_trace *t = *state;
	static const struct {
		const char *expression, *may; /* which of switch, named, kinds may match */
	} rows[] = {
		{ "name == 'switch'", "s" },
		{ "name == 'switch' && prev_tid == 4", "s" },
		{ "name == 'switch' && u == 4", "" },
		{ "prev_tid == 4", "s" },
		{ "!(prev_tid == 4)", "snk" },
		{ "u < 0", "" },
		{ "!(u < 0)", "snk" },
		{ "u >= 0 && name == '*'", "k" },
		{ "prev_tid == 4 || u == 1", "sk" },
		{ "$cpu == 1", "snk" },
		{ "prev_comm == 5", "" },
		{ "state == 'NOPE'", "k" },
		{ "inner.points[1].z == 5", "" },
		{ "inner.points[1].x == 5", "k" },
		{ "either.number == 5", "k" },
		{ "either.nothing == 5", "" },
		{ "cpu_id == 1", "snk" },
	};
	const struct ctf_schema *s = t->e->parts[0].schema;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct trace_filter *f = NULL;
		char may[4] = "";
		size_t n = 0;
		assert_int_equal(trace_filter_parse(rows[i].expression, &f, &t->err), 0);
		for (uint32_t k = 0; k < 3; k++)
			if (trace_filter_may_match(f, s->streams, &s->streams->events[k]))
				may[n++] = "snk"[k];
		if (strcmp(may, rows[i].may) != 0)
			fail_msg("%s: may match \"%s\", should be \"%s\"", rows[i].expression, may,
				rows[i].may);
		trace_filter_free(f);
	}
}

/* The fields that an expression looks at, of payloads: these and no others. */
static void fields_that_are_read(void **state)
{
	struct small_trace *t = *state;
	static const struct row rows[] = { { "prev_tid == 4", "prev_tid" },
		{ "4 == prev_tid", "prev_tid" }, { "prev_tid < next_tid", "prev_tid next_tid" },
		{ "name == 'switch'", "" }, { "payload.name == 'x'", "name" }, { "$cpu == 1", "" },
		{ "u == 1 || inner.a == 2 && !(name == 'x')", "u inner" },
		{ "len(seq) > 1", "seq" }, { "payload.text =~ 'x'", "text" }, { "vtid == 1", "" },
		{ "$time > next_tid && i != 0", "next_tid i" } };
	const struct ctf_stream_class *sc = t->e->parts[0].schema->streams;
	for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
		struct trace_filter *f = NULL;
		struct mer_str out = { 0 };
		if (trace_filter_parse(rows[k].expression, &f, &t->err))
			fail_msg("%s", t->err.text);
		mer_str_puts(&out, "");
		for (uint32_t i = 0; i < sc->n_events; i++)
			for (uint32_t n = 0; n < sc->events[i].payload->u.record.n; n++) {
				const struct ctf_field *field =
					&sc->events[i].payload->u.record.fields[n];
				if (trace_filter_reads(
					    f, sc, &sc->events[i], CTF_SCOPE_PAYLOAD, field))
					mer_str_printf(
						&out, "%s%s", out.len ? " " : "", field->name);
			}
		if (strcmp(out.data, rows[k].want) != 0)
			fail_msg("%s: reads '%s', not '%s'", rows[k].expression, out.data,
				rows[k].want);
		mer_str_fini(&out);
		trace_filter_free(f);
	}
}

static int32_t want_field(void *arg, const struct ctf_stream_class *sc,
	const struct ctf_event_class *ec, enum ctf_scope scope, const struct ctf_field *f)
{
	return trace_filter_reads(arg, sc, ec, scope, f) ? CTF_ANYWHERE : CTF_UNWANTED;
}

static int32_t want_event(
	void *arg, const struct ctf_stream_class *sc, const struct ctf_event_class *ec)
{
	return trace_filter_may_match(arg, sc, ec) ? 0 : CTF_UNWANTED;
}

/* A reading with nothing but what the filter asks for gives the same answers. */
static void needs(void **state)
{
	struct small_trace *t = *state;
	struct trace_filter *f = NULL;
	struct trace_reading *r = NULL;
	struct trace_bound_filter *b = NULL;
	struct mer_cursor *c = NULL;
	static const char expression[] = "inner.points[1].y == 7 || next_tid < vtid && header.id "
					 "== 0 || nope || cpu_id == 9";
	assert_int_equal(trace_filter_parse(expression, &f, &t->err), 0);
	assert_true(trace_filter_needs_contexts(f, t->e));
	assert_string_equal(trace_filter_unknown(f, t->e), "nope");
	struct ctf_wants wants = { .arg = f, .event = want_event, .field = want_field };
	assert_int_equal(trace_reading_new(t->e, &wants, true, &r, &t->err), 0);
	assert_int_equal(trace_filter_bind(f, t->e, r, &b, &t->err), 0);
	struct trace_range range = { INT64_MIN, INT64_MAX };
	assert_int_equal(trace_cursor_new(t->e, r, range, NULL, &c, &t->err), 0);
	const struct mer_event *ev;
	size_t n, n_match = 0;
	int64_t last = 0;
	while (mer_cursor_next(c, &ev, &n, &t->err) == 0 && n)
		for (size_t i = 0; i < n; i++)
			if (trace_filter_match(b, trace_cursor_context(c, &ev[i]), &ev[i])) {
				n_match++;
				last = ev[i].ts;
			}
	assert_int_equal(n_match, 2);
	assert_int_equal(last, 1000000002500);
	mer_cursor_free(c);
	trace_filter_unbind(b);
	trace_reading_free(r);
	trace_filter_free(f);
	assert_int_equal(trace_filter_parse("next_tid == 1", &f, &t->err), 0);
	assert_false(trace_filter_needs_contexts(f, t->e));
	assert_null(trace_filter_unknown(f, t->e));
	trace_filter_free(f);
}

static void paths_of_their_own(void **state)
{
	(void)state;
	struct mer_arena arena;
	struct trace_path p;
	struct mer_err err;
	mer_arena_init(&arena);
	assert_int_equal(trace_path_parse(" a.b[2].c ", "fields", &arena, &p, &err), 0);
	assert_string_equal(p.text, "a.b[2].c");
	assert_int_equal(p.n, 4);
	assert_int_equal(p.parts[2].index, 2);
	assert_int_equal(trace_path_parse("payload.\"x y\"", "fields", &arena, &p, &err), 0);
	assert_string_equal(p.text, "payload.\"x y\"");
	assert_int_equal(p.scope, TRACE_PATH_PAYLOAD);
	assert_true(trace_path_parse("a b", "fields", &arena, &p, &err) < 0);
	assert_string_equal(
		err.text, "fields:3: expected '.', '[' or the end, found 'b'\n  a b\n    ^");
	assert_true(trace_path_parse("", "fields", &arena, &p, &err) < 0);
	mer_arena_fini(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_and_logic),
		cmocka_unit_test(numbers),
		cmocka_unit_test(labels),
		cmocka_unit_test(text),
		cmocka_unit_test(paths),
		cmocka_unit_test(the_stream),
		cmocka_unit_test(errors),
		cmocka_unit_test(place_of_errors),
		cmocka_unit_test(endless_expressions),
		cmocka_unit_test(expressions_as_in_posix),
		cmocka_unit_test(limits),
		cmocka_unit_test(classes),
		cmocka_unit_test(fields_that_are_read),
		cmocka_unit_test(needs),
		cmocka_unit_test(paths_of_their_own),
	};
	return cmocka_run_group_tests(tests, small_trace_set_up, small_trace_tear_down);
}
