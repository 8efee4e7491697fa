/* View files: what each declaration and clause stands for, and each mistake with its place. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "views/parse.h"

/* ---- a view as text ---- */

static void put_text(
	struct mer_str *out, const char *before, const struct view *v, const struct view_text *text)
{
	if (!text->n)
		return;
	mer_str_printf(out, " %s\"", before);
	for (uint32_t i = 0; i < text->n; i++) {
		const struct view_part *p = &text->parts[i];
		switch (p->kind) {
		case VIEW_LITERAL: mer_str_printf(out, "%s", p->literal); break;
		case VIEW_FIELD: mer_str_printf(out, "{%s}", p->paths[0].text); break;
		case VIEW_HEX: mer_str_printf(out, "{%s:x}", p->paths[0].text); break;
		case VIEW_SYMBOL: mer_str_printf(out, "{%s:symbol}", p->paths[0].text); break;
		case VIEW_HOST: mer_str_puts(out, "{$host}"); break;
		case VIEW_CPU: mer_str_puts(out, "{$cpu}"); break;
		case VIEW_EVENT: mer_str_puts(out, "{$event}"); break;
		case VIEW_STAR: mer_str_puts(out, "{*}"); break;
		case VIEW_LOOK_UP:
			mer_str_printf(out, "{%s(", v->tables[p->table].name);
			for (uint32_t k = 0; k < p->n_paths; k++)
				mer_str_printf(out, "%s%s", k ? "," : "", p->paths[k].text);
			mer_str_puts(out, ")}");
			break;
		}
	}
	mer_str_putc(out, '"');
}

static void put_fields(
	struct mer_str *out, const char *word, const struct trace_path *p, uint32_t n)
{
	mer_str_printf(out, n ? " %s" : "", word);
	for (uint32_t i = 0; i < n; i++)
		mer_str_printf(out, " %s", p[i].text);
}

static void put_rule(struct mer_str *out, const struct view *v, const struct view_rule *r)
{
	static const char *const verbs[] = { "", "begin", "end", "set", "clear", "stack", "toggle",
		"mark", "label", "add", "take", "level", "names", "send", "receive" };
	bool is_end = r->verb == VIEW_SEND || r->verb == VIEW_RECEIVE;
	mer_str_printf(out, "%u %s ", (unsigned)r->line, verbs[r->verb]);
	if (r->verb == VIEW_NAMES)
		mer_str_printf(out, "%s ", v->tables[r->row].name);
	else
		mer_str_printf(out, "%s ", v->rows[r->row].name);
	if (is_end)
		mer_str_printf(out, "%s %s", v->arrows[r->arrow].name,
			v->arrows[r->arrow].is_ordered ? "ordered " : "");
	mer_str_puts(out, r->event);
	put_text(out, "as ", v, &r->text);
	if (r->colour)
		mer_str_printf(out, " #%06x", (unsigned)r->colour - 1);
	put_fields(out, "key", r->key, r->n_key);
	if (r->has_number)
		mer_str_printf(out, " amount %" PRId64, r->number);
	else if (r->has_amount)
		mer_str_printf(out, " amount %s", r->amount.text);
	put_fields(out, "by", r->by, r->n_by);
	mer_str_puts(out, r->filter ? " if\n" : "\n");
}

static void put_view(struct mer_str *out, const struct view *v)
{
	mer_str_printf(out, "%s '%s'\n", v->name, v->title ? v->title : "");
	for (uint32_t i = 0; i < v->n_rows; i++) {
		const struct view_row *r = &v->rows[i];
		mer_str_printf(out, "%u row %s", (unsigned)r->line, r->name);
		put_text(out, "", v, &r->label);
		put_text(out, "under ", v, &r->under);
		mer_str_printf(out, "%s%s", r->unit ? " unit " : "", r->unit ? r->unit : "");
		put_fields(out, "thread-id", &r->thread, r->has_thread);
		mer_str_puts(out, r->is_async ? " async" : "");
		put_fields(out, "key", r->key, r->n_key);
		mer_str_printf(out, "%s%s\n", r->has_states ? " states" : "",
			r->has_values ? " values" : "");
	}
	for (uint32_t i = 0; i < v->n_tables; i++)
		mer_str_printf(out, "%u table %s %u\n", (unsigned)v->tables[i].line,
			v->tables[i].name, (unsigned)v->tables[i].n_key);
	for (uint32_t i = 0; i < v->n_arrows; i++)
		mer_str_printf(
			out, "%u arrow %s\n", (unsigned)v->arrows[i].line, v->arrows[i].name);
	for (uint32_t i = 0; i < v->n_rules; i++)
		put_rule(out, v, &v->rules[i]);
	for (uint32_t i = 0; i < v->n_colours; i++)
		mer_str_printf(out, "colour %s #%06x\n", v->colours[i].pattern,
			(unsigned)v->colours[i].colour);
}

/* From "view a" on, and with expected the lines that follow its own. */
static void is(const char *text, const char *expected)
{
	struct mer_str file = { 0 }, out = { 0 };
	struct mer_err err = { 0 };
	struct view *v;
	mer_str_printf(&file, "view a\n%s", text);
	if (view_parse(file.data, file.len, "f", &v, &err))
		fail_msg("%s", err.text);
	put_view(&out, v);
	assert_memory_equal(out.data, "a ''\n", 5);
	assert_string_equal(out.data + 5, expected);
	view_free(v);
	mer_str_fini(&file);
	mer_str_fini(&out);
}

/* where: "LINE:COLUMN: message". */
static void fails(const char *file, const char *where)
{
	struct mer_err err = { 0 };
	struct view *v;
	assert_int_equal(view_parse(file, strlen(file), "f", &v, &err), MER_ERR_INPUT);
	assert_null(v);
	char first[400];
	snprintf(first, sizeof(first), "%.*s", (int)strcspn(err.text, "\n"), err.text);
	if (strncmp(first, "f:", 2) != 0 || strcmp(first + 2, where) != 0)
		fail_msg("%s\n'%s', not 'f:%s'", file, err.text, where);
}

#define ROW(x) "view a\nrow r \"R\" " x
#define RULE(x) "view a\nrow r \"R\" key k l\n" x
#define TEXT(x) RULE("mark e as \"" x "\"")
#define VALUE(x) "view a\nrow r \"R\"\n" x

/* ---- what is taken ---- */

static void rows(void **state)
{
	(void)state;
	is("row r \"R\"", "2 row r \"R\"\n");
	is("\n \trow\tr  \"R {f} s\"  # and a comment\n\n# another\nrow s \"S\"\r\n",
		"3 row r \"R {f} s\"\n6 row s \"S\"\n");
	is("row r \"R\" under \"{$host}\" unit bytes thread-id t async key a b",
		"2 row r \"R\" under \"{$host}\" unit bytes thread-id t async key a b\n");
	is("row r \"R\" key context.a unit ns", "2 row r \"R\" unit ns key context.a\n");
	is("row r \"R\" key a b c d e f g h unit count",
		"2 row r \"R\" unit count key a b c d e f g h\n");
	is("row r \"R\"# no blank is needed before it", "2 row r \"R\"\n");
}

static void rules(void **state)
{
	(void)state;
	is("row r \"R\" key k\nbegin m:*_b as \"{*}\"\nend m:*_e\nset e as \"s\" color red\n"
	   "clear e\nstack e as \"{f}\"\ntoggle e as \"t\"\n",
		"2 row r \"R\" key k states\n3 begin r m:*_b as \"{*}\" key k\n4 end r m:*_e key k\n"
		"5 set r e as \"s\" #d64545 key k\n6 clear r e key k\n7 stack r e as \"{f}\" key k\n"
		"8 toggle r e as \"t\" key k\n");
	/* Marks and labels are no states: a row of values may have them. */
	is("row r \"R\"\nmark e as \"m\"\nlabel e as \"l\"\n",
		"2 row r \"R\"\n3 mark r e as \"m\"\n4 label r e as \"l\"\n");
	is("row r \"R\"\nadd e amount f\ntake e by a b\ntake e amount 3\nlevel e amount -7\n"
	   "add e amount 9223372036854775807 by a\nlabel e as \"l\"\n",
		"2 row r \"R\" values\n3 add r e amount f\n4 take r e by a b\n5 take r e amount 3\n"
		"6 level r e amount -7\n7 add r e amount 9223372036854775807 by a\n"
		"8 label r e as \"l\"\n");
	is("row r \"R\" key a b\nbegin e key c d as \"x\" if f == 1 && g",
		"2 row r \"R\" key a b states\n3 begin r e as \"x\" key c d if\n");
	is("row r \"R\"\nrow s \"S\"\nclear e\nrow t \"T\"\nlevel e amount 1",
		"2 row r \"R\"\n3 row s \"S\" states\n5 row t \"T\" values\n4 clear s e\n"
		"6 level t e amount 1\n");
}

static void arrows_tables_colours(void **state)
{
	(void)state;
	is("row r \"R\" key k\narrow m e:s -> e:r key a=b c ordered\narrow n e:s -> e:r key d\n",
		"2 row r \"R\" key k\n3 arrow m\n4 arrow n\n3 send r m ordered e:s key k by a c\n"
		"3 receive r m ordered e:r key k by b c\n4 send r n e:s key k by d\n"
		"4 receive r n e:r key k by d\n");
	/* A table may be looked up before it is declared, and be declared in several lines. */
	is("row r \"R {t(f, g)}\"\nnames t e key a b as \"x\"\nnames t d key c d as \"{f}\"\n"
	   "names u e key a as \"y\"",
		"2 row r \"R {t(f,g)}\"\n2 table t 2\n5 table u 1\n3 names t e as \"x\" key a b\n"
		"4 names t d as \"{f}\" key c d\n5 names u e as \"y\" key a\n");
	is("row r \"R\"\ncolour \"a*\" #0fF9aA\ncolor \"b\" gray # that of LTTng",
		"2 row r \"R\"\ncolour a* #0ff9aa\ncolour b #9aa0a6\n");
}

static void each_colour(void **state)
{
	static const char *const colours[][2] = { { "red", "d64545" }, { "green", "3f9b52" },
		{ "blue", "3b7dd8" }, { "yellow", "e0b93a" }, { "orange", "e28a3a" },
		{ "purple", "8a5cc2" }, { "cyan", "35a7b5" }, { "pink", "d86fa5" },
		{ "brown", "8d6b4f" }, { "grey", "9aa0a6" }, { "gray", "9aa0a6" },
		{ "black", "30343a" }, { "white", "f4f4f4" }, { "#000000", "000000" },
		{ "#ffffff", "ffffff" }, { "#019afA", "019afa" }, { "#AFfa90", "affa90" } };
	(void)state;
	for (size_t i = 0; i < sizeof(colours) / sizeof(*colours); i++) {
		char text[80], want[80];
		snprintf(text, sizeof(text), "row r \"R\"\ncolour \"x\"  %s", colours[i][0]);
		snprintf(want, sizeof(want), "2 row r \"R\"\ncolour x #%s\n", colours[i][1]);
		is(text, want);
		snprintf(text, sizeof(text), "row r \"R\"\nmark e colour %s as \"x\"",
			colours[i][0]);
		snprintf(want, sizeof(want), "2 row r \"R\"\n3 mark r e as \"x\" #%s\n",
			colours[i][1]);
		is(text, want);
	}
}

static void parts_of_texts(void **state)
{
	static const char *const fine[] = { "x", "{f}", "a {f} b", "{f}{g}", "{f:x}",
		"{f.g:symbol}", "{$host}{$cpu}{$event}{*}", "a}b", "{context.f}", "{f[1]}",
		"{a}{b}{c}{d}{e}{f}{g}{h}{i}{j}{k}{l}{m}{n}{o}{p}" };
	(void)state;
	for (size_t i = 0; i < sizeof(fine) / sizeof(*fine); i++) {
		char text[100], want[100];
		snprintf(text, sizeof(text), "row r \"R\"\nmark e as \"%s\"", fine[i]);
		snprintf(want, sizeof(want), "2 row r \"R\"\n3 mark r e as \"%s\"\n", fine[i]);
		is(text, want);
	}
	/* A form is at the end of a field, which has a name. */
	is("row r \"R\"\nmark e as \"{payload.'a:x'}{payload.'a:b':x}\"",
		"2 row r \"R\"\n3 mark r e as \"{payload.'a:x'}{payload.'a:b':x}\"\n");
}

static void titles(void **state)
{
	static const char *const files[][2] = { { "view v \"A title\"\nrow r \"R\"",
							"v 'A title'\n" },
		{ "\xef\xbb\xbfview v\nrow r \"R\"", "v ''\n" },
		{ "\xef\xbb\xbf\nview v \"\"\nrow r \"R\"", "v ''\n" } };
	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		struct mer_str out = { 0 };
		struct mer_err err = { 0 };
		struct view *v;
		assert_int_equal(view_parse(files[i][0], strlen(files[i][0]), "f", &v, &err), 0);
		assert_string_equal(v->path, "f");
		put_view(&out, v);
		assert_memory_equal(out.data, files[i][1], strlen(files[i][1]));
		mer_str_fini(&out);
		view_free(v);
	}
}

/* ---- what is refused ---- */

static void mistakes_of_the_file(void **state)
{
	(void)state;
	fails("", " no view is declared here");
	fails("\xef\xbb\xbfview", "1:5: expected a name for the view");
	fails("\xef\xbb\xbfview a\nrow", "2:4: expected a name for the row");
	fails("# view\n", " no view is declared here");
	fails("view a", " no rows are declared here");
	fails("row r \"R\"", "1:1: expected view and a name before everything else");
	fails("view", "1:5: expected a name for the view");
	fails("view as", "1:6: expected a name for the view");
	fails("view \"a\"", "1:6: expected a name for the view");
	fails("view a\nview b", "2:1: the view has a name already");
	fails("view a b", "1:8: expected the title in double quotes");
	fails("view a \"b\" c", "1:12: expected the end of the line");
	fails("view a \"b", "1:8: a text without a closing quote");
	fails("view a \"b\"c", "1:11: expected a blank after the text");
	fails("view a\n  rows x",
		"2:3: expected view, row, names, arrow, colour, or a rule: begin, end, set, clear, stack, toggle, mark, label, add, take, level");
	fails("view a\n\"row\" x",
		"2:2: expected view, row, names, arrow, colour, or a rule: begin, end, set, clear, stack, toggle, mark, label, add, take, level");
	fails("view a\nrow r \"\x01\"", "2:8: a control character: this is no text file");
	fails("view a\nrow r \"\x1f\"", "2:8: a control character: this is no text file");
}

static void mistakes_of_rows(void **state)
{
	(void)state;
	fails("view a\nrow", "2:4: expected a name for the row");
	fails("view a\nrow key \"R\"", "2:5: expected a name for the row");
	fails("view a\nrow r", "2:6: expected a text in double quotes");
	fails("view a\nrow r s", "2:7: expected a text in double quotes");
	fails("view a\nrow r \"\"", "2:8: an empty text");
	fails(ROW("x"), "2:11: expected under, unit, thread-id, async or key");
	fails(ROW("\"under\""), "2:12: expected under, unit, thread-id, async or key");
	fails(ROW("unit bytes unit"), "2:26: the unit is bytes, ns or count");
	fails(ROW("under x"), "2:17: expected a text in double quotes");
	fails(ROW("under \"x\" under \"y\""), "2:28: this text is there twice");
	fails(ROW("thread-id a thread-id b"), "2:33: expected one field, with the thread's number");
	fails(ROW("thread-id \"a\""), "2:22: expected one field, with the thread's number");
	fails(ROW("thread-id"), "2:20: expected one field, with the thread's number");
	fails(ROW("thread-id a b"), "2:23: expected under, unit, thread-id, async or key");
	fails(ROW("key"), "2:14: expected the name of a field");
	fails(ROW("key async"), "2:15: expected the name of a field");
	fails(ROW("key a \"b\""), "2:18: expected the name of a field");
	fails(ROW("key a b c d e f g h i"), "2:31: a key has at most 8 fields");
	fails(ROW("key a. b"), "2:15: expected the name of a field, found the end");
	fails(ROW("\nrow  s \"S\"\nrow  r \"S\""), "4:6: the row r was declared before, in line 2");
}

static void mistakes_of_rules(void **state)
{
	(void)state;
	fails("view a\nmark e as \"x\"", "2:1: expected a row before its first rule");
	fails(RULE("mark"), "3:5: expected the name of an event");
	fails(RULE("mark as \"x\""), "3:6: expected the name of an event");
	fails(RULE("mark \"e\""), "3:6: expected the name of an event");
	fails(RULE("mark e x"), "3:8: expected as, colour, key, amount, by or if");
	fails(RULE("mark e as \"x\" as \"y\""), "3:15: as is there twice");
	fails(RULE("mark e as \"x"), "3:11: a text without a closing quote");
	fails(RULE("mark e as x"), "3:11: expected a text in double quotes");
	fails(RULE("mark e as \"x\" key a"), "3:1: the key has as many fields as that of the row");
	fails(RULE("mark e as \"x\" key a b c"),
		"3:1: the key has as many fields as that of the row");
	fails(RULE("mark e as \"x\" if"),
		"3:17: expected a field, a number or a text, found the end");
	fails(RULE("mark e as \"x\" if a == "),
		"3:22: expected a field, a number or a text, found the end");
#define NEEDS_TEXT(verb) fails(RULE(verb " e"), "3:1: the rule needs as \"TEXT\"")
	NEEDS_TEXT("begin");
	NEEDS_TEXT("set");
	NEEDS_TEXT("stack");
	NEEDS_TEXT("toggle");
	NEEDS_TEXT("mark");
	NEEDS_TEXT("label");
	fails(RULE("stack e as \"x\""),
		"3:1: stack needs as \"{FIELD}\": an array of addresses alone");
	fails(RULE("stack e as \"{f} \""),
		"3:1: stack needs as \"{FIELD}\": an array of addresses alone");
	is("row r \"R\"\nstack e as \"{f:x}\"\nstack e as \"{f:symbol}\"",
		"2 row r \"R\" states\n3 stack r e as \"{f:x}\"\n4 stack r e as \"{f:symbol}\"\n");
	fails(RULE("mark e as \"x\" colour"),
		"3:21: expected a colour: red, green, blue, yellow, "
		"orange, purple, cyan, pink, brown, grey, black, white or #rrggbb");
	fails(RULE("mark e as \"x\" colour reds"),
		"3:22: expected a colour: red, green, blue, "
		"yellow, orange, purple, cyan, pink, brown, grey, black, white or #rrggbb");
	static const char *const colours[] = { "#12345", "#1234567", "#12345g", "#", "#12345G",
		"#/23456", "#:23456", "#@23456", "#`23456", "#12345 6" };
	for (size_t i = 0; i < sizeof(colours) / sizeof(*colours); i++) {
		char text[100];
		snprintf(text, sizeof(text), RULE("mark e as \"x\" colour %s"), colours[i]);
		fails(text, "3:22: expected a colour such as #3f9b52");
	}
}

static void mistakes_of_values(void **state)
{
	(void)state;
	fails(VALUE("add e as \"x\" amount 1"), "3:1: a rule of values has no text");
	fails(VALUE("take e as \"x\" amount 1"), "3:1: a rule of values has no text");
	fails(VALUE("level e as \"x\" amount 1"), "3:1: a rule of values has no text");
	fails(VALUE("end e amount 1"), "3:1: amount and by are for add, take and level");
	fails(VALUE("end e by a"), "3:1: amount and by are for add, take and level");
	fails(VALUE("add e by a"), "3:1: the rule needs amount FIELD or amount NUMBER");
	fails(VALUE("level e"), "3:1: the rule needs amount FIELD or amount NUMBER");
	fails(VALUE("take e"), "3:1: take needs amount, or by and what was added by the same");
	fails(VALUE("level e amount 1 by a"), "3:1: level has no by");
	fails(VALUE("add e amount 1\nclear e"), "4:1: a row has states or values, not both");
	fails(VALUE("end e\nlevel e amount 1"), "4:1: a row has states or values, not both");
	fails(VALUE("add e amount 1 amount 2"), "3:16: amount is there twice");
	fails(VALUE("add e amount"), "3:13: expected a field or a number");
	fails(VALUE("add e amount by a"), "3:14: expected a field or a number");
	fails(VALUE("add e amount \"1\""), "3:15: expected a field or a number");
	fails(VALUE("add e amount -"), "3:14: expected a field or a number");
	fails(VALUE("add e amount 1/"), "3:14: expected a whole number");
	fails(VALUE("add e amount 1:"), "3:14: expected a whole number");
	fails(VALUE("add e amount --1"), "3:14: expected a whole number");
	fails(VALUE("add e amount 9223372036854775808"),
		"3:14: the number is too large: at most 9223372036854775807");
	fails(VALUE("add e amount 92233720368547758070"),
		"3:14: the number is too large: at most 9223372036854775807");
	is("row r \"R\"\nadd e amount 0\nadd e amount -9223372036854775807",
		"2 row r \"R\" values\n3 add r e amount 0\n4 add r e amount -9223372036854775807\n");
}

static void mistakes_of_texts(void **state)
{
	(void)state;
	fails(TEXT("a {b"), "3:14: a { without }");
	fails(TEXT("{}"), "3:13: expected the name of a field");
	fails(TEXT("{:x}"), "3:13: expected :x or :symbol after a field, or nothing");
	fails(TEXT("{a:}"), "3:14: expected :x or :symbol after a field, or nothing");
	fails(TEXT("{a:symbols}"), "3:14: expected :x or :symbol after a field, or nothing");
	fails(TEXT("{a:y:x}"), "3:14: expected '.', '[' or the end, found ':'");
	fails(TEXT("{$cpus}"), "3:13: expected $host, $cpu or $event");
	fails(TEXT("{$}"), "3:13: expected $host, $cpu or $event");
	fails(TEXT("{t(a}"), "3:13: expected TABLE(FIELD), with a name and both brackets");
	fails(TEXT("{(a)}"), "3:13: expected TABLE(FIELD), with a name and both brackets");
	fails(TEXT("{t()}"), "3:15: expected the name of a field");
	fails(TEXT("{t(a,)}"), "3:17: expected the name of a field");
	fails(TEXT("{t(a,b,c,d,e,f,g,h,i)}"), "3:31: a key has at most 8 fields");
	fails(TEXT("{t(a)}"), "3:13: no names are declared for the table t");
	fails(TEXT("{t(a,b)}") "\nnames t e key x as \"y\"",
		"3:13: the table t has another number of fields");
	fails(TEXT("{a}{b}{c}{d}{e}{f}{g}{h}{i}{j}{k}{l}{m}{n}{o}{p}q"),
		"3:60: a text has at most 16 parts");
	fails("view a\nrow r \"{t(a)}\"", "2:9: no names are declared for the table t");
	fails(ROW("under \"{t(a)}\""), "2:19: no names are declared for the table t");
}

static void mistakes_of_tables_arrows_colours(void **state)
{
	(void)state;
	fails(RULE("names"), "3:6: expected a name for the table");
	fails(RULE("names t"), "3:8: expected the name of an event");
	fails(RULE("names t e key a"), "3:1: names needs key FIELD... and as \"TEXT\"");
	fails(RULE("names t e as \"x\""), "3:1: names needs key FIELD... and as \"TEXT\"");
	fails(RULE("names t e key a as \"x\"\nnames t e key a b as \"x\""),
		"4:1: the table has another number of fields elsewhere");
	fails("view a\narrow m e -> f key k", "2:1: expected a row before its first arrow");
	fails(RULE("arrow"), "3:6: expected a name for the arrow");
	fails(RULE("arrow m"), "3:8: expected the name of an event");
	fails(RULE("arrow m e f"), "3:11: expected -> and the event at which it arrives");
	fails(RULE("arrow m e \"->\" f"), "3:12: expected -> and the event at which it arrives");
	fails(RULE("arrow m e ->"), "3:13: expected the name of an event");
	fails(RULE("arrow m e -> f"), "3:15: expected key and the fields that identify it");
	fails(RULE("arrow m e -> f by a"), "3:16: expected key and the fields that identify it");
	fails(RULE("arrow m e -> f key"), "3:19: expected a field, or FIELD=FIELD");
	fails(RULE("arrow m e -> f key ordered"), "3:20: expected a field, or FIELD=FIELD");
	fails(RULE("arrow m e -> f key a="), "3:22: expected the name of a field");
	fails(RULE("arrow m e -> f key =a"), "3:20: expected the name of a field");
	fails(RULE("arrow m e -> f key a b c d e f g h i"), "3:36: a key has at most 8 fields");
	fails(RULE("arrow m e -> f key a ordered b"),
		"3:30: expected ordered, or the end of the line");
	fails(RULE("arrow m e -> f key a as"), "3:22: expected ordered, or the end of the line");
	fails(RULE("colour"), "3:7: expected the text of a state in double quotes");
	fails(RULE("colour x red"), "3:8: expected the text of a state in double quotes");
	fails(RULE("colour \"x\" red blue"), "3:16: expected the end of the line");
}

/* 1000 of each are taken, one more is not. */
static void how_many(void **state)
{
	static const struct {
		const char *format, *message;
	} each[] = { { "row r%d \"R\"\n", "more than 1000 rows" },
		{ "end e%d\n", "more than 1000 rules" },
		{ "colour \"x%d\" red\n", "too many colours" },
		{ "mark e as \"x\"#%d\n", "more than 1000 rules" },
		{ "names t%d e key a as \"x\"\n", "more than 1000 rules" } };
	(void)state;
	for (size_t i = 0; i < sizeof(each) / sizeof(*each); i++)
		for (int n = 1000; n <= 1001; n++) {
			struct mer_str file = { 0 };
			struct mer_err err = { 0 };
			struct view *v;
			mer_str_puts(&file, i == 0 ? "view a\n" : "view a\nrow r \"R\"\n");
			for (int k = 0; k < n; k++) {
				char line[60];
				snprintf(line, sizeof(line), each[i].format, k);
				mer_str_puts(&file, line);
			}
			int rc = view_parse(file.data, file.len, "f", &v, &err);
			assert_int_equal(rc, n > 1000 ? MER_ERR_INPUT : 0);
			if (rc)
				assert_non_null(strstr(err.text, each[i].message));
			view_free(v);
			mer_str_fini(&file);
		}
}

/* A megabyte is taken. */
static void how_large(void **state)
{
	struct mer_str file = { 0 };
	struct mer_err err = { 0 };
	struct view *v;
	(void)state;
	mer_str_puts(&file, "view a\nrow r \"R\"\n");
	while (file.len < 1 << 20)
		mer_str_puts(&file, "#");
	assert_int_equal(view_parse(file.data, file.len, "f", &v, &err), 0);
	view_free(v);
	mer_str_puts(&file, "#");
	assert_int_equal(view_parse(file.data, file.len, "f", &v, &err), MER_ERR_INPUT);
	assert_string_equal(err.text, "f: more than 1 MiB: this is no view file");
	mer_str_fini(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(rows), cmocka_unit_test(rules),
		cmocka_unit_test(arrows_tables_colours), cmocka_unit_test(each_colour),
		cmocka_unit_test(parts_of_texts), cmocka_unit_test(titles),
		cmocka_unit_test(mistakes_of_the_file), cmocka_unit_test(mistakes_of_rows),
		cmocka_unit_test(mistakes_of_rules), cmocka_unit_test(mistakes_of_values),
		cmocka_unit_test(mistakes_of_texts),
		cmocka_unit_test(mistakes_of_tables_arrows_colours), cmocka_unit_test(how_many),
		cmocka_unit_test(how_large) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
