/* XML analyses that are refused, with the reason and the element, numbers at the edge of what is
 * taken, and what is made of some that are taken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "views/xml/compile.h"

#define ROOT(x) "<tmfxml>" x "</tmfxml>"
#define PROVIDER(x) ROOT("<stateProvider id='p' version='0'>" x "</stateProvider>")
#define HANDLER(x) "<eventHandler eventName='e'>" x "</eventHandler>"
#define CHANGE(x) PROVIDER(HANDLER("<stateChange>" x "</stateChange>"))
#define A "<stateAttribute type='constant' value='a'/>"
#define V "<stateValue type='int' value='1'/>"
#define VALUE(x) CHANGE(A "<stateValue " x "/>")
#define ATTRIBUTE(x) CHANGE("<stateAttribute " x "/>" V)
#define IF(x) CHANGE("<if>" x "</if><then>" A V "</then>")
#define PATTERN(x)                                                                                 \
	ROOT("<pattern id='p' version='0'><patternHandler>" x "</patternHandler></pattern>")
#define ACTION(x) PATTERN("<action id='a'>" x "</action>")
#define SEGMENT(x) ACTION("<segment>" x "</segment>")
#define NAMED "<segType segName='s'/>"
#define FSM(x) PATTERN("<fsm id='f'>" x "</fsm>")
#define FOUR(x) x x x x

/* why: NULL: it is taken. */
static void compile(const char *xml, const char *why)
{
	struct mer_arena arena;
	struct xml_file file;
	struct mer_err err = { 0 };
	mer_arena_init(&arena);
	int rc = xml_compile(xml, strlen(xml), "f", &arena, &file, &err);
	if (!why && rc)
		fail_msg("%s: %s", xml, err.text);
	if (why) {
		assert_int_equal(rc, MER_ERR_INPUT);
		const char *at = strstr(err.text, why);
		if (strncmp(err.text, "f:1:", 4) != 0 || !at || strncmp(at - 2, ": ", 2) != 0)
			fail_msg("'%s', not '%s'", err.text, why);
	}
	mer_arena_fini(&arena);
}

static void values(void **state)
{
	(void)state;
	compile(VALUE("value='1'"), "stateValue: the attribute type is missing");
	compile(VALUE("type='x'"), "stateValue: a value of a type that is not known: x");
	compile(VALUE("type='eventField'"),
		"stateValue: a value of a type that is not known: eventField");
	compile(VALUE("type='int'"), "stateValue: a number needs an attribute value");
	compile(VALUE("type='int' value='$n'"), "stateValue: no definedValue has the name $n");
	compile(VALUE("type='string' value='$n'"), "stateValue: no definedValue has the name $n");
	compile(VALUE("type='query'"), "stateValue: a query needs a stateAttribute");
	compile(VALUE("type='script' value='x ('"),
		"stateValue: only expressions are understood in scripts, not x (");
	compile(VALUE("type='script'"),
		"stateValue: only expressions are understood in scripts, not");
	compile(VALUE("type='int' value='1' mappingGroup='m'"),
		"stateValue: no mappingGroup has the id m");
	static const char *const fine[] = { VALUE("type='int' value='2147483647'"),
		VALUE("type='int' value='-2147483648'"), VALUE("type='long' value='2147483648'"),
		VALUE("type='long' value='-9223372036854775808'"),
		VALUE("type='double' value='1.5e3'"), VALUE("type='null'"), VALUE("type='delete'"),
		VALUE("type='string'"), VALUE("type='eventName'"),
		VALUE("type='eventField' value='cpu'"), VALUE("type='script' value='_a$1 + 2'"),
		PROVIDER("<definedValue name='n' value='7'/>" HANDLER(
			"<stateChange>" A "<stateValue type='int' value='$n'/></stateChange>")) };
	for (size_t i = 0; i < sizeof(fine) / sizeof(*fine); i++)
		compile(fine[i], NULL);
	compile(VALUE("type='int' value='2147483648'"),
		"stateValue: this is no number of its type: 2147483648");
	compile(VALUE("type='int' value='-2147483649'"),
		"stateValue: this is no number of its type: -2147483649");
	compile(VALUE("type='long' value='9223372036854775808'"),
		"stateValue: this is no number of its type: 9223372036854775808");
	compile(VALUE("type='int' value='1x'"), "stateValue: this is no number of its type: 1x");
	compile(VALUE("type='int' value=''"), "stateValue: this is no number of its type:");
	compile(VALUE("type='double' value='1x'"), "stateValue: this is no number: 1x");
	compile(VALUE("type='double' value=''"), "stateValue: this is no number:");
}

static void attributes(void **state)
{
	(void)state;
	compile(ATTRIBUTE("value='a'"), "stateAttribute: the attribute type is missing");
	compile(ATTRIBUTE("type='x'"),
		"stateAttribute: an attribute of a type that is not known: x");
	compile(ATTRIBUTE("type='eventField'"),
		"stateAttribute: an attribute of a type that is not known: eventField");
	compile(ATTRIBUTE("type='constant'"),
		"stateAttribute: a constant needs an attribute value");
	compile(ATTRIBUTE("type='constant' value='$n'"),
		"stateAttribute: a constant needs an attribute value $n");
	compile(ATTRIBUTE("type='query'"), "stateAttribute: a query needs a stateAttribute");
	compile(ATTRIBUTE("type='location'"), "stateAttribute: no location has the id");
	compile(ATTRIBUTE("type='location' value='l'"), "stateAttribute: no location has the id l");
	compile(PROVIDER(
			"<location id='l'><stateAttribute type='location' value='l'/></location>" HANDLER(
				"<stateChange><stateAttribute type='location' value='l'/>" V
				"</stateChange>")),
		"stateAttribute: locations that name themselves");
	compile(PROVIDER("<location id='l'>" A "</location>" HANDLER(
			"<stateChange><stateAttribute type='location' value='l'/>" V
			"</stateChange>")),
		NULL);
	compile(CHANGE(FOUR(FOUR(A)) V), NULL);
	compile(CHANGE(FOUR(FOUR(A)) A V), "stateAttribute: more than 16 attributes");
	compile(CHANGE(A), "stateChange: a change needs a stateValue");
	compile(CHANGE(V), "stateChange: a change needs a stateAttribute");
	compile(PROVIDER("<eventHandler/>"), "eventHandler: the attribute eventName is missing");
	compile(PROVIDER(HANDLER("") "<definedValue name='n' value='7'/>"),
		"definedValue: nothing may follow the last eventHandler");
	compile(PROVIDER("<mappingGroup/>"), "mappingGroup: the attribute id is missing");
	compile(PROVIDER("<mappingGroup id='m'><entry>" V "</entry></mappingGroup>"),
		"entry: an entry needs two stateValues");
	compile(PROVIDER("<mappingGroup id='m'><entry>" V V "</entry></mappingGroup>" HANDLER(
			"<stateChange>" A
			"<stateValue type='int' value='1' mappingGroup='m'/></stateChange>")),
		NULL);
}

static void tests_of_events(void **state)
{
	(void)state;
	compile(CHANGE("<if><condition>" A V "</condition></if>"),
		"stateChange: an <if> needs a <then>");
	compile(IF(""), "if: it has nothing to look at");
	compile(IF("<not></not>"), "not: it has nothing to look at");
	compile(IF("<condition/>"), "condition: a condition needs a stateValue");
	compile(IF("<condition>" V "</condition>"),
		"condition: a condition needs a field or stateAttributes");
	compile(IF("<condition><field/>" V "</condition>"), "field: the attribute name is missing");
	compile(IF("<condition operator='x'>" A V "</condition>"),
		"condition: the operator is eq, ne, ge, gt, le or lt, not x");
	compile(IF("<condition operator='lt'>" A V "</condition>"), NULL);
	compile(IF("<condition><field name='cpu'/>" V "</condition>"), NULL);
	compile(IF("<or><condition>" V V "</condition><not><condition>" A V
		   "</condition></not></or>"),
		NULL);
#define RANGE(unit, in)                                                                            \
	PATTERN("<test id='t'><if><condition><timerange " unit ">" in                              \
		"</timerange></condition></if></test>")
#define SINCE(less)                                                                                \
	PATTERN("<test id='t'><if><condition><elapsedTime unit='us'>" less                         \
		"</elapsedTime></condition></if></test>")
	compile(RANGE("unit='ms'", "<in begin='1' end='2'/>"), NULL);
	compile(RANGE("", "<in begin='1' end='2'/>"), NULL);
	compile(RANGE("unit='m'", "<in begin='1' end='2'/>"),
		"timerange: the unit is ns, us, ms or s, not m");
	compile(RANGE("unit='ms'", ""), "timerange: only <in> is understood here");
	compile(RANGE("unit='ms'", "<in end='2'/>"), "in: a time is missing or no number: begin");
	compile(RANGE("unit='ms'", "<in begin='1' end='x'/>"),
		"in: a time is missing or no number: end");
	compile(RANGE("unit='s'", "<in begin='1' end='9223372037'/>"),
		"in: a time is missing or no number: end");
	compile(RANGE("unit='s'", "<in begin='1' end='9223372036'/>"), NULL);
	compile(SINCE("<less since='f.s' value='5'/>"), NULL);
	compile(SINCE("<less value='5'/>"),
		"elapsedTime: only <less since value> is understood here");
	compile(SINCE(""), "elapsedTime: only <less since value> is understood here");
	compile(SINCE("<less since='f.s'/>"), "less: a time is missing or no number: value");
}

static void patterns(void **state)
{
	(void)state;
	compile(ROOT("<pattern id='p' version='0'/>"), "pattern: a pattern needs a patternHandler");
	compile(PATTERN("<test id='t'/>"), "test: a test needs an id and an <if>");
	compile(PATTERN("<test><if><condition>" A V "</condition></if></test>"),
		"test: a test needs an id and an <if>");
	compile(PATTERN("<action/>"), "action: the attribute id is missing");
	compile(SEGMENT(""), "segment: a segment needs a name");
	compile(SEGMENT(NAMED), NULL);
	compile(SEGMENT("<segType><segName>" V "</segName></segType>"), NULL);
#define TIME(x) SEGMENT(NAMED "<segTime>" x "</segTime>")
#define AT(x) "<" x " type='long' value='1'/>"
	compile(TIME(AT("begin") AT("end")), NULL);
	compile(TIME(AT("begin") AT("duration")), NULL);
	compile(TIME(AT("begin")), "segTime: it needs begin, and one of end and duration");
	compile(TIME(AT("end")), "segTime: it needs begin, and one of end and duration");
	compile(TIME(AT("begin") AT("end") AT("duration")),
		"segTime: it needs begin, and one of end and duration");
	compile(PATTERN("<fsm/>"), "fsm: the attribute id is missing");
	compile(FSM(""), "fsm: an fsm needs a state");
	compile(FSM("<state/>"), "state: the attribute id is missing");
	compile(FSM("<state id='s'><transition target='t'/></state>"),
		"transition: no state has the id t");
	compile(FSM("<state id='s'><transition/></state>"), "transition: no state has the id");
	compile(FSM("<state id='s'><transition target='s' action='a'/></state>"),
		"transition: no action has the id a");
	compile(FSM("<state id='s'><transition target='s' cond='t'/></state>"),
		"transition: no test has the id t");
	compile(FSM("<state id='s'><onEntry action='a'/></state>"),
		"onEntry: no action has the id a");
	compile(FSM("<state id='s'><onExit action='a'/></state>"),
		"onExit: no action has the id a");
	compile(FSM("<initial><transition target='t'/></initial><state id='s'/>"),
		"transition: no state has the id t");
	compile(PATTERN("<fsm id='f' initial='t'><state id='s'/></fsm>"),
		"fsm: no state has the id t");
	compile(PATTERN("<action id='a'/><action id='b'/><fsm id='f' initial='s'><state id='s'>"
			"<transition target='s' action='a:b'/></state></fsm>"),
		NULL);
	compile("<other/>", "other: the outermost element must be tmfxml");
}

/* What is not understood is left out and told, not refused. */
static void notes(void **state)
{
	/* Each <x/> is one that is not understood; without it nothing is told. */
	static const char *const files[] = {
		ROOT("%s<stateProvider id='p' version='0'/><xyView/>"),
		PROVIDER("%s<head/>" HANDLER("")),
		PROVIDER("<definedValue name='n' value='7'/><location id='l'/>"
			 "<mappingGroup id='m'/>" HANDLER("%s")),
		CHANGE("<if><condition>" A V "</condition>%s</if><then>" A V "</then>"),
		CHANGE(A "<stateValue type='script' value='1'>%s</stateValue>"),
		ROOT("<pattern id='p' version='0'>%s<head/><storedField/><patternHandler/></pattern>"),
		PATTERN("%s<test id='t'><if><condition>" A V "</condition></if></test>"),
		ACTION("%s<stateChange>" A V "</stateChange>"),
		SEGMENT(NAMED
			"<segContent>%s<segField name='a' type='int' value='1'/></segContent>"),
		FSM("%s<state id='s'/><initial><transition target='s'/></initial>"),
		FSM("<initialState>%s</initialState><final id='s'/>"),
		FSM("<precondition event='e'/><state id='s'>%s<onEntry/><onExit/></state>"),
		ROOT("<stateProvider id='p' version='0'/><timeGraphView>%s<head/>"
		     "<definedValue name='n' value='7'/></timeGraphView>"),
		ROOT("<stateProvider id='p' version='0'/><timeGraphView><entry path='a'>%s"
		     "<display type='self'/><name/><parent/><id/></entry></timeGraphView>"),
	};
	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		for (int with = 0; with <= 1; with++) {
			struct mer_str xml = { 0 };
			struct mer_arena arena;
			struct xml_file file;
			struct mer_err err = { 0 };
			const char *gap = strstr(files[i], "%s");
			mer_str_add(&xml, files[i], (size_t)(gap - files[i]));
			mer_str_puts(&xml, with ? "<x/>" : "");
			mer_str_puts(&xml, gap + 2);
			mer_arena_init(&arena);
			if (xml_compile(xml.data, xml.len, "f", &arena, &file, &err))
				fail_msg("%s: %s", xml.data, err.text);
			char want[100];
			snprintf(want, sizeof(want), "f:1:%d: <x> is not understood and left out",
				(int)(gap - files[i]) + 1);
			assert_string_equal(file.notes, with ? want : "");
			mer_arena_fini(&arena);
			mer_str_fini(&xml);
		}
}

static const struct xml_program *made(
	const char *xml, struct mer_arena *arena, struct xml_file *file)
{
	struct mer_err err = { 0 };
	mer_arena_init(arena);
	if (xml_compile(xml, strlen(xml), "f", arena, file, &err))
		fail_msg("%s", err.text);
	return file->programs;
}

/* Of the FSMs those that the handler lists, in the order of the file; without a list all. */
static void fsms_that_run(void **state)
{
	static const char *const rows[][2] = { { "", "f ff g" }, { "initial='g:f'", "f g" },
		{ "initial='ff'", "ff" }, { "initial='h'", "" }, { "initial='x:g:'", "g" } };
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char xml[400];
		struct mer_arena arena;
		struct xml_file file;
		struct mer_str out = { 0 };
		snprintf(xml, sizeof(xml),
			ROOT("<pattern id='p' version='0'><patternHandler %s><fsm id='f'><state id='s'/></fsm>"
			     "<fsm id='ff'><state id='s'/></fsm><fsm id='g'><state id='s'/></fsm></patternHandler></pattern>"),
			rows[i][0]);
		mer_str_puts(&out, "");
		for (const struct xml_fsm *f = made(xml, &arena, &file)->fsms; f; f = f->next)
			mer_str_printf(&out, "%s%s", out.len ? " " : "", f->id);
		assert_string_equal(out.data, rows[i][1]);
		mer_str_fini(&out);
		mer_arena_fini(&arena);
	}
}

static void mappings(void **state)
{
#define INT(n) "<stateValue type='int' value='" n "'/>"
	static const char xml[] = PROVIDER(
		"<mappingGroup id='m'><entry>" INT("1") INT("10") "</entry><entry>" INT("2")
			INT("20") "</entry></mappingGroup>" HANDLER(
				"<stateChange>" A
				"<stateValue type='int' value='1' mappingGroup='m'/>"
				"</stateChange>"));
	struct mer_arena arena;
	struct xml_file file;
	(void)state;
	const struct xml_mapping *m = made(xml, &arena, &file)->handlers->changes->value.mapping;
	assert_non_null(m);
	assert_int_equal(m->n, 2);
	static const int64_t values[] = { 1, 10, 2, 20 };
	for (int i = 0; i < 4; i++)
		assert_int_equal(m->pairs[i].constant.i, values[i]);
	mer_arena_fini(&arena);
}

/* A display of type constant is a part of the path that does not name the row; self is none; of
 * others it is said that they are not understood. */
static void entries_of_views(void **state)
{
#define VIEW(display)                                                                                   \
	ROOT("<stateProvider id='p' version='0'/><timeGraphView id='v'><head><analysis id='p'/></head>" \
	     "<entry path='a/*'>" display "</entry></timeGraphView>")
	static const struct {
		const char *xml;
		uint32_t n;
		const char *last;
		bool is_noted;
	} rows[] = { { VIEW("<display type='constant' value='c'/>"), 3, "c", false },
		{ VIEW("<display type='self'/>"), 2, "*", false },
		{ VIEW("<display type='x'/>"), 2, "*", true }, { VIEW("<display/>"), 2, "*", true },
		{ VIEW("<display type='constant'/>"), 2, "*", true } };
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct mer_arena arena;
		struct xml_file file;
		const struct xml_entry *e = made(rows[i].xml, &arena, &file)->entries;
		assert_non_null(e);
		assert_null(e->next);
		assert_int_equal(e->n, rows[i].n);
		assert_int_equal(e->n_label, 2);
		assert_string_equal(e->parts[0], "a");
		assert_string_equal(e->parts[e->n - 1], rows[i].last);
		assert_false(e->is_xy);
		assert_int_equal(file.notes && strstr(file.notes, "<display>"), rows[i].is_noted);
		mer_arena_fini(&arena);
	}
}

/* Views without states: what makes them, and what to do. */
static void tells(const char *xml, const char *text)
{
	struct mer_arena arena;
	struct xml_file file;
	struct mer_err err = { 0 };
	mer_arena_init(&arena);
	assert_int_equal(xml_compile(xml, strlen(xml), "f", &arena, &file, &err), MER_ERR_INPUT);
	assert_string_equal(err.text, text);
	mer_arena_fini(&arena);
}

#define SHOWS(view, analyses)                                                                      \
	"<timeGraphView id='" view "'><head>" analyses "</head></timeGraphView>"
#define COPY                                                                                       \
	". Copy the stateProvider or pattern that makes them of events from the file that has it " \
	"into this one"

static void views_alone(void **state)
{
	(void)state;
	tells(ROOT(SHOWS("v", "")), "f: 1 view (v) and no states to show" COPY);
	tells(ROOT(SHOWS("v", "<analysis id='mine'/>") SHOWS(
		      "w", "<analysis id='mine'/><analysis id='org.eclipse.kernel'/>")),
		"f: 2 views (v, w) and no states to show: they are made by mine, org.eclipse.kernel" COPY);
	tells(ROOT(SHOWS("v", "<label value='x'/><analysis id='org.eclipse.kernel'/>")),
		"f: 1 view (v) and no states to show: they are made by org.eclipse.kernel, which is a "
		"part of Trace Compass. What threads, CPUs and disks did is shown without a view: "
		"'meridian serve' or 'meridian tui'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values),
		cmocka_unit_test(attributes),
		cmocka_unit_test(tests_of_events),
		cmocka_unit_test(patterns),
		cmocka_unit_test(notes),
		cmocka_unit_test(fsms_that_run),
		cmocka_unit_test(mappings),
		cmocka_unit_test(entries_of_views),
		cmocka_unit_test(views_alone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
