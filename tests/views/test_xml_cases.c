/* The evaluator of XML analyses against the cases of Trace Compass's own tests: intervals, states,
 * segments and attributes that they assert (cases/xml-views, which is not ours and may be absent).
 * The traces there are lists of events in XML, read here as they are. And rules that no case there
 * needs. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/grow.h"
#include "base/json_read.h"
#include "base/str.h"
#include "given.h"
#include "views/xml/eval.h"

enum { MOST = 20000 };

struct written { /* a value of an attribute, from then on */
	uint32_t attribute;
	int64_t t;
	struct xml_value value;
};

struct made {
	int64_t begin, end;
	char name[100];
};

struct event { /* of a trace */
	int64_t ts;
	const struct xml_node *node;
};

struct run {
	struct mer_arena arena;
	struct xml_file file;
	struct xml_eval eval;
	struct written written[MOST];
	size_t n_written;
	struct made made[MOST];
	size_t n_made;
	const char *host;
	const struct event *now;
	const struct xml_program *program;
	int64_t begin, end;
	char path[600];
};

static const char *folder(void)
{
	static char path[600];
	given_path(path, sizeof(path), "cases/xml-views");
	return path;
}

static int on_change(
	void *ctx, uint32_t attribute, int64_t t, const struct xml_value *value, bool is_update)
{
	struct run *r = ctx;
	assert_true(r->n_written < MOST);
	for (size_t i = r->n_written; is_update && i-- > 0;)
		if (r->written[i].attribute == attribute) {
			r->written[i].value = *value;
			return 0;
		}
	r->written[r->n_written++] = (struct written){ attribute, t, *value };
	return 0;
}

static int on_segment(
	void *ctx, int64_t begin, int64_t end, const char *name, const struct xml_segment *segment)
{
	struct run *r = ctx;
	(void)segment;
	assert_true(r->n_made < MOST);
	struct made *m = &r->made[r->n_made++];
	*m = (struct made){ .begin = begin, .end = end };
	snprintf(m->name, sizeof(m->name), "%s", name);
	return 0;
}

static struct xml_value field(void *ctx, uint32_t number)
{
	struct run *r = ctx;
	struct xml_value v = { .type = XML_NULL };
	const char *name = r->program->fields[number];
	if (strcmp(name, "timestamp") == 0)
		return (struct xml_value){ .type = XML_LONG, .i = r->now->ts };
	if (strcmp(name, "hostID") == 0)
		return (struct xml_value){ .type = XML_STRING, .s = r->host };
	for (const struct xml_node *f = r->now->node->first; f; f = f->next) {
		if (strcmp(xml_get(f, "name"), name) != 0)
			continue;
		const char *type = xml_get(f, "type"), *value = xml_get(f, "value");
		if (type && strcmp(type, "int") == 0)
			v = (struct xml_value){ .type = XML_INT, .i = strtoll(value, NULL, 10) };
		else if (type && strcmp(type, "long") == 0)
			v = (struct xml_value){ .type = XML_LONG, .i = strtoll(value, NULL, 10) };
		else
			v = (struct xml_value){ .type = XML_STRING, .s = value };
	}
	return v;
}

static struct mer_file open_file(const char *name)
{
	char path[900];
	struct mer_file f = { 0 };
	struct mer_err err = { 0 };
	snprintf(path, sizeof(path), "%s/%s", folder(), name);
	if (mer_file_open(&f, path, &err))
		fail_msg("%s", err.text);
	return f;
}

static int compare_events(const void *a, const void *b)
{
	const struct event *p = a, *q = b;
	return (p->ts > q->ts) - (p->ts < q->ts);
}

/* Runs the analysis over the trace, both as they are in these files; NULL: it does not compile, err
 * says why. */
static struct run *run_files(const struct mer_file *xml, const char *analysis,
	const struct mer_file *trace, const char *name, struct mer_err *err)
{
	struct run *r = calloc(1, sizeof(*r));
	struct xml_node *root;
	static struct event events[MOST];
	size_t n = 0;
	assert_non_null(r);
	mer_arena_init(&r->arena);
	r->host = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
	int rc = xml_compile((const char *)xml->data, xml->size, "f", &r->arena, &r->file, err);
	if (rc == 0)
		rc = xml_read((const char *)trace->data, trace->size, name, &r->arena, &root, err);
	r->program = r->file.programs;
	while (rc == 0 && r->program && strcmp(r->program->id, analysis) != 0)
		r->program = r->program->next;
	if (rc || !r->program) {
		mer_arena_fini(&r->arena);
		free(r);
		return NULL;
	}
	for (const struct xml_node *e = root->first; e; e = e->next)
		events[n++] = (struct event){ strtoll(xml_get(e, "timestamp"), NULL, 10), e };
	qsort(events, n, sizeof(*events), compare_events);
	const struct xml_sink sink = { r, on_change, on_segment };
	assert_int_equal(xml_eval_init(&r->eval, r->program, &sink, err), 0);
	r->begin = events[0].ts;
	r->end = events[n - 1].ts;
	for (size_t i = 0; i < n; i++) {
		r->now = &events[i];
		const struct xml_event ev = { events[i].ts, xml_get(events[i].node, "name"),
			r->host, r, field };
		if (xml_eval_event(&r->eval, &ev))
			fail_msg("%s", err->text);
	}
	assert_int_equal(xml_eval_until(&r->eval, r->end), 0);
	return r;
}

static struct run *run(
	const char *xml, const char *analysis, const char *trace, struct mer_err *err)
{
	struct mer_file f = open_file(xml), t = open_file(trace);
	struct run *r = run_files(&f, analysis, &t, trace, err);
	mer_file_close(&f);
	mer_file_close(&t);
	return r;
}

static void end(struct run *r)
{
	xml_eval_fini(&r->eval);
	mer_arena_fini(&r->arena);
	free(r);
}

/* ---- what is expected ---- */

static const struct mer_json_value *get(const struct mer_json_value *object, const char *key)
{
	for (uint32_t i = 0; object->kind == MER_JSON_OBJECT && i < object->n; i++) {
		const struct mer_json_member *m = &object->u.members[i];
		if (m->key_len == strlen(key) && memcmp(m->key, key, m->key_len) == 0)
			return &m->value;
	}
	return NULL;
}

static const char *text(const struct mer_json_value *v, char *buffer, size_t size)
{
	snprintf(buffer, size, "%.*s", v && v->kind == MER_JSON_STRING ? (int)v->n : 0,
		v && v->kind == MER_JSON_STRING ? v->u.text : "");
	return buffer;
}

static int64_t number(const struct mer_json_value *v)
{
	return v->kind == MER_JSON_REAL ? (int64_t)v->u.real : (int64_t)v->u.number;
}

static bool same(const struct xml_value *v, const struct mer_json_value *want, const char *type)
{
	static const char *const types[] = { "", "null", "int", "long", "double", "string" };
	if (type && strcmp(types[v->type], type) != 0)
		return false;
	switch (v->type) {
	case XML_INT:
	case XML_LONG:
		return (want->kind == MER_JSON_UINT || want->kind == MER_JSON_INT) &&
		       v->i == number(want);
	case XML_DOUBLE: return want->kind == MER_JSON_REAL && v->f == want->u.real;
	case XML_STRING:
		return want->kind == MER_JSON_STRING && strlen(v->s) == want->n &&
		       memcmp(v->s, want->u.text, want->n) == 0;
	default: return want->kind == MER_JSON_NULL;
	}
}

static uint32_t attribute_of(const struct run *r, const struct mer_json_value *path)
{
	char names[XML_MAX_PARTS][200];
	const char *parts[XML_MAX_PARTS];
	for (uint32_t i = 0; i < path->n; i++)
		parts[i] = text(&path->u.items[i], names[i], sizeof(names[i]));
	return xml_attribute_at(&r->eval, parts, path->n);
}

/* What the attribute had at t. */
static struct xml_value value_at(const struct run *r, uint32_t attribute, int64_t t)
{
	struct xml_value v = { .type = XML_NULL };
	for (size_t i = 0; i < r->n_written; i++)
		if (r->written[i].attribute == attribute && r->written[i].t <= t)
			v = r->written[i].value;
	return v;
}

/* Of the ongoing top of a stack at t. */
static struct xml_value top_at(const struct run *r, uint32_t attribute, int64_t t)
{
	struct xml_value depth = value_at(r, attribute, t), none = { .type = XML_NULL };
	for (uint32_t c = r->eval.attributes[attribute].first; c != UINT32_MAX;
		c = r->eval.attributes[c].next)
		if (depth.type == XML_INT &&
			strtoll(xml_attribute_name(&r->eval, c), NULL, 10) == depth.i)
			return value_at(r, c, t);
	return none;
}

/* Each instant of each interval has its value, and neighbours differ: times are few here. */
static bool fits_intervals(const struct run *r, const struct mer_json_value *x)
{
	const struct mer_json_value *times = get(x, "times"), *ends = get(x, "ends");
	const struct mer_json_value *values = get(x, "values"), *types = get(x, "types");
	uint32_t attribute = attribute_of(r, get(x, "path"));
	char type[20], view[40];
	bool is_top = strcmp(text(get(x, "view"), view, sizeof(view)), "stack top") == 0;
	if (attribute == UINT32_MAX || times->n != values->n)
		return false;
	int64_t next = number(&times->u.items[0]);
	for (uint32_t i = 0; i < times->n; i++) {
		int64_t from = number(&times->u.items[i]);
		int64_t to = ends ? number(&ends->u.items[i]) : from;
		if (ends && from != next)
			return false;
		for (int64_t t = from; t <= to; t++) {
			struct xml_value v =
				is_top ? top_at(r, attribute, t) : value_at(r, attribute, t);
			if (!same(&v, &values->u.items[i],
				    types ? text(&types->u.items[i], type, sizeof(type)) : NULL))
				return false;
		}
		next = to + 1;
	}
	return !ends || next == r->end + 1;
}

static int compare_made(const void *a, const void *b)
{
	const struct made *p = a, *q = b;
	if (p->begin != q->begin)
		return p->begin < q->begin ? -1 : 1;
	return (p->end > q->end) - (p->end < q->end);
}

static bool fits_segments(struct run *r, const struct mer_json_value *x)
{
	const struct mer_json_value *count = get(x, "count"), *values = get(x, "values");
	char name[100];
	qsort(r->made, r->n_made, sizeof(*r->made), compare_made);
	if (count && (size_t)number(count) != r->n_made)
		return false;
	for (uint32_t i = 0; i < values->n; i++) {
		const struct mer_json_value *v = &values->u.items[i], *p;
		const struct mer_json_value *index = get(v, "index");
		size_t k = index ? (size_t)number(index) : i;
		if (k >= r->n_made)
			return false;
		const struct made *m = &r->made[k];
		if (((p = get(v, "start")) && number(p) != m->begin) ||
			((p = get(v, "end")) && number(p) != m->end) ||
			((p = get(v, "length")) && number(p) != m->end - m->begin) ||
			((p = get(v, "name")) && p->kind == MER_JSON_STRING &&
				strcmp(text(p, name, sizeof(name)), m->name) != 0))
			return false;
	}
	return true;
}

static bool fits_attributes(const struct run *r, const struct mer_json_value *x)
{
	const struct mer_json_value *count = get(x, "count"), *values = get(x, "values");
	uint32_t at = attribute_of(r, get(x, "path"));
	uint32_t n = 0, known = 0;
	char name[100];
	if (get(x, "absent"))
		return at == UINT32_MAX;
	if (at == UINT32_MAX)
		return false;
	for (uint32_t c = r->eval.attributes[at].first; c != UINT32_MAX;
		c = r->eval.attributes[c].next, n++)
		for (uint32_t i = 0; i < values->n; i++)
			known += strcmp(text(&values->u.items[i], name, sizeof(name)),
					 xml_attribute_name(&r->eval, c)) == 0;
	return known == n && (!count || (uint32_t)number(count) == n);
}

struct sums {
	unsigned n, ok;
};

static void judge(const struct mer_json_value *x, struct sums *asserted, struct sums *computed)
{
	char kind[30], xml[200], trace[200], analysis[200], source[20];
	struct mer_err err = { 0 };
	text(get(x, "kind"), kind, sizeof(kind));
	text(get(x, "xml"), xml, sizeof(xml));
	text(get(x, "trace"), trace, sizeof(trace));
	text(get(x, "analysis"), analysis, sizeof(analysis));
	bool intervals = strcmp(kind, "intervals") == 0 || strcmp(kind, "states") == 0;
	bool segments = strcmp(kind, "segments") == 0, attributes = strcmp(kind, "attributes") == 0;
	if ((!intervals && !segments && !attributes) || strncmp(trace, "ctf:", 4) == 0)
		return;
	struct sums *s = strcmp(text(get(x, "source"), source, sizeof(source)), "asserted") == 0
				 ? asserted
				 : computed;
	struct run *r = run(xml, analysis, trace, &err);
	bool ok = r && (intervals	  ? fits_intervals(r, x)
			       : segments ? fits_segments(r, x)
					  : fits_attributes(r, x));
	s->n++;
	s->ok += ok;
	if (!ok)
		print_message("differs: %" PRId64 " %s %s of %s, %s: %s\n", number(get(x, "id")),
			source, kind, xml, trace, err.text);
	if (r)
		end(r);
}

static void test_cases(void **state)
{
	(void)state;
	struct mer_file f = open_file("expected.json");
	struct mer_arena arena;
	struct mer_json_reader reader;
	struct mer_json_value all;
	struct sums asserted = { 0 }, computed = { 0 };
	mer_arena_init(&arena);
	mer_json_reader_init(&reader, (const char *)f.data, f.size, &arena);
	assert_int_equal(mer_json_read(&reader, &all), 0);
	for (uint32_t i = 0; i < all.n; i++)
		judge(&all.u.items[i], &asserted, &computed);
	print_message("asserted: %u of %u; computed: %u of %u\n", asserted.ok, asserted.n,
		computed.ok, computed.n);
	assert_true(asserted.n >= 30);
	assert_true(asserted.ok * 10 >= asserted.n * 9);
	assert_true(computed.ok * 10 >= computed.n * 9);
	mer_json_reader_fini(&reader);
	mer_arena_fini(&arena);
	mer_file_close(&f);
}

/* Rows of callstacks: of what the levels of each group lead to, each depth of its CallStack. */
static void test_callstack(void **state)
{
	static const struct {
		const char *groups, *rows;
	} cases[] = {
		{ "<callstackGroup><level path='T/*'/></callstackGroup>", "T/*/CallStack/*;" },
		{ "<callstackGroup><level path='T'/><level path='*/U'/></callstackGroup>"
		  "<callstackGroup><level path='V'/></callstackGroup>",
			"T/*/U/CallStack/*;V/CallStack/*;" },
		{ "<callstackGroup><level/></callstackGroup>",
			"f:2:17: level: the attribute path is missing" },
		/* With the two more it has 16 parts, and 17. */
		{ "<callstackGroup><level path='a/b/c/d/e/f/g/h/i/j/k/l/m/n'/></callstackGroup>",
			"a/b/c/d/e/f/g/h/i/j/k/l/m/n/CallStack/*;" },
		{ "<callstackGroup><level path='a/b/c/d/e/f/g/h/i/j/k/l/m/n/o'/></callstackGroup>",
			"f:2:1: callstackGroup: a path has at most 16 parts" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct mer_str xml = { 0 }, rows = { 0 };
		struct mer_err err = { 0 };
		struct mer_arena arena;
		struct xml_file file;
		mer_str_printf(&xml,
			"<tmfxml><callstack id='c'>\n%s<pattern version='0' id='p'>"
			"<patternHandler><fsm id='f' initial='s'><state id='s'/></fsm>"
			"</patternHandler></pattern></callstack></tmfxml>",
			cases[i].groups);
		mer_arena_init(&arena);
		int rc = xml_compile(xml.data, xml.len, "f", &arena, &file, &err);
		const struct xml_entry *e = rc ? NULL : file.programs->entries;
		mer_str_add(&rows, err.text, rc ? strcspn(err.text, "\n") : 0);
		for (; e; e = e->next)
			for (uint32_t k = 0; k < e->n; k++)
				mer_str_printf(
					&rows, "%s%c", e->parts[k], k + 1 < e->n ? '/' : ';');
		assert_string_equal(rows.data, cases[i].rows);
		mer_str_fini(&xml);
		mer_str_fini(&rows);
		mer_arena_fini(&arena);
	}
}

/* Each scenario has its own child of a pool: the lowest that no other one has, as long as it
 * goes on. */
static void test_pool(void **state)
{
	static const char xml[] =
		"<tmfxml><pattern version='0' id='p'><patternHandler>"
		"<test id='own'><if><condition><stateValue type='query'>"
		"<stateAttribute type='constant' value='#CurrentScenario'/>"
		"<stateAttribute type='constant' value='id'/></stateValue>"
		"<stateValue type='eventField' value='id'/></condition></if></test>"
		"<action id='take'><stateChange>"
		"<stateAttribute type='constant' value='Pool'/><stateAttribute type='pool'/>"
		"<stateValue type='eventField' value='id'/></stateChange><stateChange>"
		"<stateAttribute type='constant' value='#CurrentScenario'/>"
		"<stateAttribute type='constant' value='id'/>"
		"<stateValue type='eventField' value='id'/></stateChange></action>"
		"<fsm id='f' initial='free'><state id='free'>"
		"<transition event='begin' target='busy' action='take'/></state>"
		"<state id='busy'><transition event='end' cond='own' target='over'/></state>"
		"<final id='over'/></fsm></patternHandler></pattern></tmfxml>";
#define EVENT(at, name, id)                                                                        \
	"<event timestamp='" at "' name='" name "'>"                                               \
	"<field name='id' type='int' value='" id "'/></event>"
	static const char trace[] = "<trace>" EVENT("1", "begin", "10") EVENT("2", "begin", "20")
		EVENT("3", "begin", "30") EVENT("4", "end", "20") EVENT("5", "begin", "40")
			EVENT("6", "end", "10") EVENT("7", "begin", "50") "</trace>";
	const struct mer_file f = { .data = (const uint8_t *)xml, .size = strlen(xml) };
	const struct mer_file t = { .data = (const uint8_t *)trace, .size = strlen(trace) };
	static const char *const expected[] = { "10 10 10 10 10 - 50", "- 20 20 - 40 40 40",
		"- - 30 30 30 30 30" };
	struct mer_err err = { 0 };
	(void)state;
	struct run *r = run_files(&f, "p", &t, "t", &err);
	assert_non_null(r);
	for (int i = 0; i < 3; i++) {
		char number[] = { (char)('0' + i), '\0' };
		const char *path[] = { "Pool", number };
		struct mer_str values = { 0 };
		uint32_t at = xml_attribute_at(&r->eval, path, 2);
		for (int64_t ts = 1; ts <= 7; ts++) {
			struct xml_value v = value_at(r, at, ts);
			mer_str_puts(&values, ts > 1 ? " " : "");
			if (v.type == XML_NULL)
				mer_str_putc(&values, '-');
			else
				xml_put_value(&values, &v);
		}
		assert_string_equal(values.data, expected[i]);
		mer_str_fini(&values);
	}
	end(r);
}

/* Files that do not pass the schema: refused, with the line of what is wrong. */
static void test_invalid(void **state)
{
	static const struct {
		const char *xml;
		unsigned line;
	} rows[] = { { "invalid_condition_operators.xml", 24 },
		{ "invalid_view_multipledisplays.xml", 34 },
		{ "invalid_xyview_multipleentry.xml", 28 },
		/* The element itself; the note there has the line of the stateProvider. */
		{ "state_provider_placement.xml", 31 }, { "test_invalid.xml", 6 } };
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char path[200], line[20];
		struct mer_err err = { 0 };
		struct mer_arena arena;
		struct xml_file file;
		snprintf(path, sizeof(path), "test_xml_files/test_invalid/%s", rows[i].xml);
		struct mer_file f = open_file(path);
		mer_arena_init(&arena);
		int rc = xml_compile((const char *)f.data, f.size, "f", &arena, &file, &err);
		snprintf(line, sizeof(line), "f:%u:", rows[i].line);
		print_message("%s: %s\n", rows[i].xml, err.text);
		assert_int_equal(rc, MER_ERR_INPUT);
		assert_non_null(strstr(err.text, line));
		mer_arena_fini(&arena);
		mer_file_close(&f);
	}
}

int main(void)
{
#ifndef MER_HAS_EXPAT
	print_message("skipped: this build reads no XML\n");
	return 77;
#endif
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_callstack),
		cmocka_unit_test(test_pool),
		cmocka_unit_test(test_invalid),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
