/* The evaluator of XML analyses, each rule by itself: what events make of attributes, tests,
 * changes that are yet to come, scenarios of FSMs and segments. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "views/xml/eval.h"

struct evaluation {
	struct xml_eval *eval;
	const struct xml_program *program;
	struct mer_str out;
	char fields[100]; /* of the event: "a=1 b=x " */
	char text[100];
};

/* A number is one; what has a point is no whole one; all others are texts. */
static struct xml_value field(void *ctx, uint32_t number)
{
	struct evaluation *e = ctx;
	size_t len = strlen(e->program->fields[number]);
	for (const char *p = e->fields; *p; p += strcspn(p, " "), p += *p == ' ') {
		if (strncmp(p, e->program->fields[number], len) != 0 || p[len] != '=')
			continue;
		char *end;
		snprintf(e->text, sizeof(e->text), "%.*s", (int)strcspn(p + len + 1, " "),
			p + len + 1);
		int64_t i = strtoll(e->text, &end, 10);
		if (!*end)
			return (struct xml_value){ .type = XML_LONG, .i = i };
		double d = strtod(e->text, &end);
		if (!*end)
			return (struct xml_value){ .type = XML_DOUBLE, .f = d };
		return (struct xml_value){ .type = XML_STRING, .s = e->text };
	}
	return (struct xml_value){ .type = XML_NULL };
}

static void put_path(struct mer_str *out, const struct xml_eval *x, uint32_t attribute)
{
	uint32_t parent = x->attributes[attribute].parent;
	if (parent)
		put_path(out, x, parent);
	mer_str_printf(out, "%s%s", parent ? "/" : "", xml_attribute_name(x, attribute));
}

static int on_change(
	void *ctx, uint32_t attribute, int64_t t, const struct xml_value *value, bool is_update)
{
	static const char *const types[] = { "", "", "i", "", "d", "s" };
	struct evaluation *e = ctx;
	mer_str_printf(&e->out, "%" PRId64 " ", t);
	put_path(&e->out, e->eval, attribute);
	mer_str_printf(&e->out, "%s%s", is_update ? ":=" : "=", types[value->type]);
	if (value->type == XML_NULL)
		mer_str_puts(&e->out, "null");
	xml_put_value(&e->out, value);
	mer_str_putc(&e->out, '\n');
	return 0;
}

static int on_segment(
	void *ctx, int64_t begin, int64_t end, const char *name, const struct xml_segment *segment)
{
	struct evaluation *e = ctx;
	(void)segment;
	mer_str_printf(&e->out, "segment %s %" PRId64 "-%" PRId64 "\n", name, begin, end);
	return 0;
}

/* events: lines "TIME NAME FIELD=VALUE..."; until then what is yet to come happens. */
static void is(const char *xml, const char *events, int64_t until, const char *expected)
{
	struct mer_arena arena;
	struct xml_file file;
	struct mer_err err = { 0 };
	struct xml_eval eval;
	struct evaluation e = { .eval = &eval };
	mer_arena_init(&arena);
	if (xml_compile(xml, strlen(xml), "f", &arena, &file, &err))
		fail_msg("%s", err.text);
	e.program = file.programs;
	const struct xml_sink sink = { &e, on_change, on_segment };
	assert_int_equal(xml_eval_init(&eval, e.program, &sink, &err), 0);
	for (const char *line = events; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		char name[20];
		long long ts;
		int n = 0;
		assert_int_equal(sscanf(line, "%lld %19s%n", &ts, name, &n), 2);
		line += n + (line[n] == ' ');
		snprintf(e.fields, sizeof(e.fields), "%.*s", (int)strcspn(line, "\n"), line);
		const struct xml_event ev = { ts, name, "h", &e, field };
		if (xml_eval_event(&eval, &ev))
			fail_msg("%s", err.text);
	}
	assert_int_equal(xml_eval_until(&eval, until), 0);
	assert_string_equal(e.out.data ? e.out.data : "", expected);
	xml_eval_fini(&eval);
	mer_str_fini(&e.out);
	mer_arena_fini(&arena);
}

#define PROVIDER(x) "<tmfxml><stateProvider id='p' version='0'>" x "</stateProvider></tmfxml>"
#define ON(event, x) "<eventHandler eventName='" event "'>" x "</eventHandler>"
#define CHANGE(x) "<stateChange>" x "</stateChange>"
#define NAMED(a) "<stateAttribute type='constant' value='" a "'/>"
#define OF_FIELD(f) "<stateAttribute type='eventField' value='" f "'/>"
#define FIELD(f) "<stateValue type='eventField' value='" f "'/>"
#define INT(n) "<stateValue type='int' value='" n "'/>"
#define NOTHING "<stateValue type='null'/>"
#define QUERY(a) "<stateValue type='query'>" a "</stateValue>"

/* ---- attributes and values ---- */

static void attributes(void **state)
{
	(void)state;
	is(PROVIDER(ON("e", CHANGE(NAMED("A") OF_FIELD("k") FIELD("v")))),
		"1 e k=1 v=5\n2 e k=2 v=x\n3 e k=1 v=5\n4 e k=1 v=6\n5 o k=1 v=7\n6 e v=1\n7 e k=1\n",
		9, "1 A/1=5\n2 A/2=sx\n4 A/1=6\n7 A/1=null\n");
	/* Names may have one star; handlers are asked in the order of the file. */
	is(PROVIDER(ON("e*", CHANGE(NAMED("A") INT("1"))) ON("*f", CHANGE(NAMED("A") INT("2")))),
		"1 e\n2 f\n3 ef\n", 9, "1 A=i1\n2 A=i2\n3 A=i1\n3 A=i2\n");
	/* What an attribute is worth is of use at once, also in paths. */
	is(PROVIDER(ON("e", CHANGE(NAMED("A") FIELD("v")) CHANGE(NAMED("B") QUERY(NAMED("A")))
				    CHANGE(NAMED("C") "<stateAttribute type='query'>" NAMED(
					    "A") "</stateAttribute>" QUERY(NAMED("none"))))),
		"1 e v=5\n", 9, "1 A=5\n1 B=5\n");
	is(PROVIDER(ON("e", CHANGE(NAMED("A") "<stateAttribute type='self'/>" INT("1")))), "1 e\n",
		9, "");
	is(PROVIDER(ON("e", CHANGE(NAMED("A") "<stateValue type='eventName'/>"))), "1 e\n", 9,
		"1 A=se\n");
}

static void forced(void **state)
{
	(void)state;
#define FORCED(type)                                                                               \
	PROVIDER(ON(                                                                               \
		"e", CHANGE(NAMED("A") "<stateValue type='eventField' value='v' forcedType='" type \
				       "'/>")))
	is(FORCED("int"), "1 e v=5\n2 e v=x\n3 e v=7x\n4 e v=2.9\n5 e v=-2.9\n6 e\n", 9,
		"1 A=i5\n2 A=i0\n3 A=i7\n4 A=i2\n5 A=i-2\n6 A=null\n");
	is(FORCED("long"), "1 e v=9.1e18\n2 e v=9.3e18\n3 e v=-9.1e18\n4 e v=-9.3e18\n", 9,
		"1 A=9100000000000000000\n2 A=0\n3 A=-9100000000000000000\n4 A=0\n");
	is(FORCED("string"), "1 e v=5\n2 e v=1.5\n3 e v=x\n", 9, "1 A=s5\n2 A=s1.5\n3 A=sx\n");
	is(FORCED("double"), "1 e v=5\n2 e v=1.5\n3 e v=x\n", 9, "1 A=d5\n2 A=d1.5\n3 A=d0\n");
	is(FORCED("null"), "1 e v=5\n", 9, "");
}

static void mappings(void **state)
{
	(void)state;
	is(PROVIDER("<mappingGroup id='m'><entry>" INT(
		   "1") "<stateValue type='string' value='one'/>"
			"</entry><entry><stateValue type='string' value='x'/>" INT(
				"7") "</entry><entry>" NOTHING INT("8") "</entry></mappingGroup>" ON("e",
				CHANGE(NAMED(
					"A") "<stateValue type='eventField' value='v' mappingGroup='m'/>"))),
		"1 e v=1\n2 e v=2\n3 e v=x\n4 e\n", 9, "1 A=sone\n2 A=2\n3 A=i7\n4 A=null\n");
}

static void increments(void **state)
{
	(void)state;
#define PLUS                                                                                       \
	PROVIDER(ON("e",                                                                           \
		CHANGE(NAMED("A") "<stateValue type='eventField' value='v' increment='true'/>"))   \
			ON("d", CHANGE(NAMED("A") FIELD("v"))))
	is(PLUS, "1 e v=5\n2 e v=-2\n3 e v=x\n4 e v=1\n5 e v=0\n", 9,
		"1 A=5\n2 A=3\n3 A=sx\n4 A=1\n");
	is(PLUS, "1 e v=0.5\n2 e v=0.25\n3 d v=2\n4 e v=0.5\n5 d v=x\n6 e v=1.5\n", 9,
		"1 A=d0.5\n2 A=d0.75\n3 A=2\n4 A=d2.5\n5 A=sx\n6 A=d1.5\n");
	/* Beyond what a number holds nothing is added. */
	is(PLUS, "1 d v=9223372036854775807\n2 e v=1\n3 e v=-1\n", 9,
		"1 A=9223372036854775807\n3 A=9223372036854775806\n");
	is(PROVIDER(ON("e",
		   CHANGE(NAMED("A") "<stateValue type='eventField' value='v' update='true'/>"))),
		"1 e v=5\n2 e v=5\n3 e v=6\n", 9, "1 A:=5\n2 A:=5\n3 A:=6\n");
}

/* A stack is the number of its elements, which are its children. */
static void stacks(void **state)
{
#define STACK                                                                                      \
	PROVIDER(ON(                                                                               \
		"b", CHANGE(NAMED("S") "<stateValue type='eventField' value='v' stack='push'/>"))  \
			ON("e", CHANGE(NAMED("S") "<stateValue type='null' stack='pop'/>")) ON(    \
				"l",                                                               \
				CHANGE(NAMED("T") "<stateValue type='query' stack='peek'>" NAMED(  \
					"S") "</stateValue>"))                                     \
				ON("s", CHANGE(NAMED("S") FIELD("v"))))
	struct mer_str events = { 0 }, want = { 0 };
	(void)state;
	is(STACK, "1 e\n2 b v=5\n3 b v=6\n4 l\n5 e\n6 l\n7 e\n8 l\n9 e\n", 9,
		"2 S/1=5\n2 S=i1\n3 S/2=6\n3 S=i2\n4 T=6\n5 S/2=null\n5 S=i1\n6 T=5\n7 S/1=null\n"
		"7 S=null\n8 T=null\n");
	/* One that is no number of elements begins anew. */
	is(STACK, "1 s v=-3\n2 e\n3 b v=1\n4 s v=x\n5 e\n6 b v=2\n", 9,
		"1 S=-3\n3 S/1=1\n3 S=i1\n4 S=sx\n6 S/1=2\n6 S=i1\n");
	is(STACK, "1 s v=0\n2 e\n3 l\n4 b v=1\n", 9, "1 S=0\n4 S/1=1\n4 S=i1\n");
	/* At most 1000. */
	for (int i = 1; i <= 1001; i++)
		mer_str_printf(&events, "%d b v=1\n", i);
	mer_str_puts(&events, "1002 e\n1003 b v=7\n");
	for (int i = 1; i <= 1000; i++)
		mer_str_printf(&want, "%d S/%d=1\n%d S=i%d\n", i, i, i, i);
	mer_str_puts(&want, "1002 S/1000=null\n1002 S=i999\n1003 S/1000=7\n1003 S=i1000\n");
	is(STACK, events.data, 2000, want.data);
	mer_str_fini(&events);
	mer_str_fini(&want);
}

/* ---- changes that are yet to come ---- */

static void futures(void **state)
{
#define LATER                                                                                      \
	PROVIDER(ON("e", CHANGE(NAMED("A") OF_FIELD("k") FIELD(                                    \
				 "v") "<futureTime type='eventField' value='at'/>")))
	struct mer_str events = { 0 }, want = { 0 };
	(void)state;
	is(LATER, "1 e k=a v=1 at=5\n2 e k=a v=2 at=4\n3 e k=a v=3 at=3\n4 o\n4 e k=a v=4\n6 o\n",
		9, "3 A/a=3\n4 A/a=2\n5 A/a=1\n");
	/* Until then, and not beyond; of the same time those that were first. */
	is(LATER, "1 e k=a v=1 at=5\n1 e k=b v=1 at=6\n", 5, "5 A/a=1\n");
	is(LATER, "1 e k=b v=1 at=5\n1 e k=a v=2 at=5\n1 e k=c v=3 at=5\n1 e k=0 v=4 at=5\n", 5,
		"5 A/b=1\n5 A/a=2\n5 A/c=3\n5 A/0=4\n");
	is(PROVIDER(ON("e", CHANGE(NAMED("A") "<stateValue type='int' value='2' increment='true'/>"
					      "<futureTime type='eventField' value='at'/>"))),
		"1 e at=3\n2 e at=4\n", 9, "3 A=i2\n4 A=i4\n");
	/* Many, in any order. */
	for (int i = 0; i < 100; i++)
		mer_str_printf(&events, "1 e k=%d v=%d at=%d\n", i * 37 % 100, i, 2 + i * 37 % 100);
	for (int i = 0; i < 100; i++) {
		int k = 0;
		while (k * 37 % 100 != i)
			k++;
		mer_str_printf(&want, "%d A/%d=%d\n", 2 + i, i, k);
	}
	is(LATER, events.data, 200, want.data);
	mer_str_fini(&events);
	mer_str_fini(&want);
}

/* ---- tests ---- */

#define IF(x)                                                                                      \
	PROVIDER(ON(                                                                               \
		"e", CHANGE("<if>" x "</if><then>" CHANGE_Y "</then><else>" CHANGE_N "</else>")))
#define CHANGE_Y NAMED("A") "<stateValue type='string' value='y'/>"
#define CHANGE_N NAMED("A") "<stateValue type='string' value='n'/>"
#define COMPARE(op) IF("<condition operator='" op "'><field name='v'/>" INT("5") "</condition>")

/* of 4, 5, 6, a text, and nothing */
static void compares(const char *op, const char *xml, const char *answers)
{
	static const char *const values[] = { "v=4", "v=5", "v=6", "v=4.5", "v=5.0", "v=5.5",
		"v=nan", "v=x", "v=1", "" };
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		char event[40], want[40];
		snprintf(event, sizeof(event), "1 e %s\n", values[i]);
		snprintf(want, sizeof(want), "1 A=s%c\n", answers[i]);
		print_message("%s 5 %s\n", values[i], op);
		is(xml, event, 9, want);
	}
}

static void comparisons(void **state)
{
	(void)state;
	compares("eq", COMPARE("eq"), "nynnynnnnn");
	compares("ne", COMPARE("ne"), "ynyynyyyyy");
	compares("ge", COMPARE("ge"), "nyynyynynn");
	compares("gt", COMPARE("gt"), "nnynnynynn");
	compares("le", COMPARE("le"), "yynyynnnyn");
	compares("lt", COMPARE("lt"), "ynnynnnnyn");
	/* Nothing is equal to nothing. */
	is(IF("<condition>" QUERY(NAMED("X")) NOTHING "</condition>"), "1 e\n", 9, "1 A=sy\n");
	is(IF("<condition operator='lt'>" QUERY(NAMED("X")) NOTHING "</condition>"), "1 e\n", 9,
		"1 A=sn\n");
}

#define HAS(f) "<condition><field name='" f "'/>" INT("1") "</condition>"

static void logic(void **state)
{
	static const char *const events[] = { "1 e\n", "1 e a=1\n", "1 e b=1\n", "1 e a=1 b=1\n" };
	static const struct {
		const char *xml, *answers;
	} rows[] = { { IF("<and>" HAS("a") HAS("b") "</and>"), "nnny" },
		{ IF("<or>" HAS("a") HAS("b") "</or>"), "nyyy" },
		{ IF("<not>" HAS("a") "</not>"), "ynyn" }, { IF(HAS("a") HAS("b")), "nnny" },
		{ IF("<or><not>" HAS("a") "</not><and>" HAS("a") HAS("b") "</and></or>"),
			"ynyy" } };
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (int k = 0; k < 4; k++) {
			char want[20];
			snprintf(want, sizeof(want), "1 A=s%c\n", rows[i].answers[k]);
			is(rows[i].xml, events[k], 9, want);
		}
	/* Without else, nothing; and conditions within branches. */
	is(PROVIDER(ON("e", CHANGE("<if>" HAS("a") "</if><then><if>" HAS("b") "</if><then>" CHANGE_Y
									      "</then></then>"))),
		"1 e a=1\n2 e b=1\n3 e a=1 b=1\n", 9, "3 A=sy\n");
}

static void scripts(void **state)
{
	(void)state;
	is(PROVIDER(ON("e",
		   CHANGE(NAMED(
			   "A") "<stateValue type='script' value='a + b * 2'>"
				"<stateValue id='a' type='eventField' value='x'/>"
				"<stateValue id='b' type='script' value='a - 1'><stateValue id='a' type='int' value='4'/></stateValue>"
				"</stateValue>"))),
		"1 e x=10\n", 9, "1 A=16\n");
}

/* ---- FSMs ---- */

#define PATTERN(x)                                                                                 \
	"<tmfxml><pattern id='p' version='0'><patternHandler>" x                                   \
	"</patternHandler></pattern></tmfxml>"
#define ACTION(id, x) "<action id='" id "'>" x "</action>"
#define COUNT(id, a)                                                                               \
	ACTION(id, CHANGE(NAMED(a) "<stateValue type='int' value='1' increment='true'/>"))
#define GO(event, rest, to) "<transition event='" event "' " rest " target='" to "'/>"
#define STATE(id, x) "<state id='" id "'>" x "</state>"
#define FSM(attributes, x) "<fsm id='f' " attributes ">" x "</fsm>"
#define SEGMENT(x) ACTION("seg", "<segment><segType segName='s'/>" x "</segment>")
#define TIMES(x) SEGMENT("<segTime>" x "</segTime>")

static void transitions(void **state)
{
	(void)state;
	/* What is left, the way, what is entered, in this order. */
	is(PATTERN(COUNT("x", "X") COUNT("y", "Y") COUNT("z", "Z") FSM("initial='a'",
		   STATE("a", "<onExit action='x'/>" GO("e", "action='y'", "b"))
			   STATE("b", "<onEntry action='z'/>"))),
		"1 o\n2 e\n", 9, "2 X=i1\n2 Y=i1\n2 Z=i1\n");
	/* The first way that fits; all tests of one have to hold. */
	is(PATTERN("<test id='a'><if>" HAS("a") "</if></test><test id='b'><if>" HAS(
		   "b") "</if></test>" COUNT("x", "X") COUNT("y", "Y")
			   FSM("initial='s' multiple='false'",
				   STATE("s", GO("e", "cond='a:b' action='x'", "s")
						      GO("e", "cond='a' action='y'", "s")))),
		"1 e\n2 e a=1\n3 e b=1\n4 e a=1 b=1\n", 9, "2 Y=i1\n4 X=i1\n");
	/* Without a name a way is for every event. */
	is(PATTERN(COUNT("x", "X") FSM("initial='s' multiple='false'",
		   STATE("s", "<transition action='x' target='s'/>"))),
		"1 e\n2 f\n", 9, "1 X=i1\n2 X=i2\n");
}

/* Each first transition is a scenario of its own; at the end it is gone. */
static void scenarios(void **state)
{
#define OWN(x) CHANGE(NAMED("#CurrentScenario") x)
#define TWO_STEPS(attributes)                                                                      \
	PATTERN(ACTION("b", CHANGE(NAMED("#CurrentScenario") NAMED("n") FIELD("n"))) SEGMENT("")   \
			FSM(attributes, STATE("s", GO("b", "action='b'", "t")) STATE("t",          \
						GO("e", "action='seg'", "u")) "<final id='u'/>"))
	(void)state;
	is(TWO_STEPS("initial='s'"), "1 b n=1\n3 b n=2\n5 e\n7 b n=3\n8 e\n", 9,
		"1 scenarios/f/0/n=1\n3 scenarios/f/1/n=2\nsegment s 1-5\n"
		"7 scenarios/f/2/n=3\nsegment s 3-8\n");
	is(TWO_STEPS("initial='s' consuming='false'"), "1 b n=1\n3 b n=2\n5 e\n7 b n=3\n8 e\n", 9,
		"1 scenarios/f/0/n=1\n3 scenarios/f/1/n=2\nsegment s 1-5\nsegment s 3-5\n"
		"7 scenarios/f/2/n=3\nsegment s 7-8\n");
	is(TWO_STEPS("initial='s' multiple='false'"), "1 b n=1\n3 b n=2\n5 e\n7 b n=3\n8 e\n", 9,
		"1 scenarios/f/0/n=1\nsegment s 1-5\n");
}

static void preconditions(void **state)
{
	(void)state;
	is(PATTERN("<test id='a'><if>" HAS("a") "</if></test>" COUNT("x", "X") FSM(
		   "initial='s' multiple='false'", "<precondition event='e' cond='a'/>" STATE("s",
							   "<transition action='x' target='s'/>"))),
		"1 e\n2 e a=1\n3 f a=1\n4 e a=1\n", 9, "2 X=i1\n4 X=i2\n");
}

static void times(void **state)
{
	(void)state;
#define WITHIN(test)                                                                               \
	PATTERN("<test id='t'><if><condition>" test "</condition></if></test>" COUNT(              \
		"x", "X") FSM("initial='s' multiple='false'",                                      \
		STATE("s", GO("b", "", "u")) STATE("u", GO("e", "cond='t' action='x'", "u"))))
	is(WITHIN("<timerange unit='ns'><in begin='3' end='5'/></timerange>"),
		"1 b\n2 e\n3 e\n4 e\n5 e\n6 e\n", 9, "3 X=i1\n4 X=i2\n5 X=i3\n");
	is(WITHIN("<timerange unit='us'><in begin='1' end='2'/></timerange>"),
		"1 b\n999 e\n1000 e\n2000 e\n2001 e\n", 9, "1000 X=i1\n2000 X=i2\n");
	is(WITHIN("<timerange unit='ms'><in begin='1' end='2'/></timerange>"),
		"1 b\n999999 e\n1000000 e\n2000001 e\n", 9, "1000000 X=i1\n");
	is(WITHIN("<timerange unit='s'><in begin='1' end='2'/></timerange>"),
		"1 b\n999999999 e\n1000000000 e\n2000000001 e\n", 9, "1000000000 X=i1\n");
	/* Since the state was entered, the last time: less than that. */
	is(WITHIN("<elapsedTime unit='ns'><less since='u' value='3'/></elapsedTime>"),
		"10 b\n12 e\n15 e\n14 e\n", 99, "12 X=i1\n14 X=i2\n");
	is(WITHIN("<elapsedTime unit='ns'><less since='s' value='3'/></elapsedTime>"),
		"10 b\n11 e\n", 99, "");
}

static void segments(void **state)
{
	(void)state;
#define WITH(x)                                                                                    \
	PATTERN(TIMES(x) FSM("initial='s'",                                                        \
		STATE("s", GO("b", "", "t"))                                                       \
			STATE("t", GO("e", "action='seg'", "u")) "<final id='u'/>"))
#define OF(part, f) "<" part " type='eventField' value='" f "'/>"
	is(WITH(OF("begin", "x") OF("end", "y")), "1 b\n9 e x=3 y=5\n", 9, "segment s 3-5\n");
	is(WITH(OF("begin", "x") OF("duration", "y")), "1 b\n9 e x=3 y=5\n", 9, "segment s 3-8\n");
	is(WITH(OF("begin", "x") OF("duration", "y")), "1 b\n9 e x=3 y=9223372036854775807\n", 9,
		"");
	is(WITH(OF("begin", "x") OF("end", "y")), "1 b\n9 e x=3\n", 9, "");
	is(WITH(OF("begin", "x") OF("end", "y")), "1 b\n9 e y=3\n", 9, "");
	is(PATTERN(ACTION("seg", "<segment><segType><segName>" FIELD(
					 "n") "</segName></segType></segment>") FSM("initial='s'",
		   STATE("s", GO("e", "action='seg'", "u")) "<final id='u'/>")),
		"1 e n=x\n2 e n=7\n3 e\n", 9, "segment x 1-1\nsegment 7 2-2\nsegment null 3-3\n");
}

int main(void)
{
#ifndef MER_HAS_EXPAT
	print_message("skipped: this build reads no XML\n");
	return 77;
#endif
	const struct CMUnitTest tests[] = { cmocka_unit_test(attributes), cmocka_unit_test(forced),
		cmocka_unit_test(mappings), cmocka_unit_test(increments), cmocka_unit_test(stacks),
		cmocka_unit_test(futures), cmocka_unit_test(comparisons), cmocka_unit_test(logic),
		cmocka_unit_test(scripts), cmocka_unit_test(transitions),
		cmocka_unit_test(scenarios), cmocka_unit_test(preconditions),
		cmocka_unit_test(times), cmocka_unit_test(segments) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
