/* Analyses in XML in the engine: which attributes are rows, what their values are, and segments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "states_text.h"

#define E(at, event) at "ms h/ust 0 " event "\n"
#define FILE(views, x)                                                                             \
	"<tmfxml><stateProvider id='p' version='0'>" x "</stateProvider>" views "</tmfxml>"
#define ON(event, x) "<eventHandler eventName='" event "'>" x "</eventHandler>"
#define CHANGE(x) "<stateChange>" x "</stateChange>"
#define NAMED(a) "<stateAttribute type='constant' value='" a "'/>"
#define OF_FIELD(f) "<stateAttribute type='eventField' value='" f "'/>"
#define FIELD(f) "<stateValue type='eventField' value='" f "'/>"
#define VIEW(x) "<timeGraphView id='v'><head><analysis id='p'/></head>" x "</timeGraphView>"
#define XY(x) "<xyView id='v'><head><analysis id='p'/></head>" x "</xyView>"
#define SETS ON("e", CHANGE(NAMED("A") OF_FIELD("k") FIELD("v")))

/* ---- rows ---- */

static void without_views(void **state)
{
	(void)state;
	states_are(ROWS | STATES,
		E("1", "e k=1 v=5") E("2", "e k=2 v=7") E("4", "e k=1 v=6") E("5", "o"),
		FILE("", ON("e", CHANGE(NAMED("A") OF_FIELD("k") FIELD("v"))
					 CHANGE(NAMED("B") FIELD("v")))),
		"row 1 under A 2\n"
		"row B under p 3\n"
		"row 2 under A 1\n"
		"1-4 1: 5 own 3 tid 0\n"
		"1-2 B: 5 own 1 tid 0\n"
		"2-5 2: 7 own 3 tid 0 no end\n"
		"2-4 B: 7 own 2 tid 0\n"
		"4-5 1: 6 own 1 tid 0 no end\n"
		"4-5 B: 6 own 1 tid 0 no end\n");
	/* What the FSMs of a pattern remember are no rows; of a provider anything is. */
	states_are(ROWS, E("1", "e v=5") E("2", "o"),
		"<tmfxml><pattern id='p' version='0'><patternHandler><action id='a'>" CHANGE(
			NAMED("#CurrentScenario") NAMED("n") FIELD("v"))
			CHANGE(NAMED("A") FIELD(
				"v")) "</action><fsm id='f' initial='s'><state id='s'><transition event='e' action='a' target='s'/></state></fsm>"
				      "</patternHandler></pattern></tmfxml>",
		"row A under p 1\n");
	states_are(ROWS, E("1", "e v=5") E("2", "o"),
		FILE("", ON("e", CHANGE(NAMED("scenarios") NAMED("n") FIELD("v")))),
		"row n under scenarios 1\n");
}

static void entries(void **state)
{
	(void)state;
	states_are(ROWS | STATES, E("1", "e k=1 v=5") E("2", "e k=2 v=7") E("5", "o"),
		FILE(VIEW("<entry path='A/1'><display type='self'/></entry>"), SETS),
		"row 1 under A 1\n"
		"1-5 1: 5 own 4 tid 0 no end\n");
	states_are(ROWS, E("1", "e k=1 v=5") E("2", "e k=2 v=7") E("5", "o"),
		FILE(VIEW("<entry path='A/*'><display type='self'/></entry>"), SETS),
		"row 1 under A 1\n"
		"row 2 under A 1\n");
	states_are(ROWS, E("1", "e k=1 v=5") E("5", "o"),
		FILE(VIEW("<entry path='B/*'><display type='self'/></entry>"), SETS), "");
	states_are(ROWS, E("1", "e k=1 v=5") E("5", "o"),
		FILE(VIEW("<entry path='A'><display type='self'/></entry>"), SETS), "");
	states_are(ROWS | STATES, E("1", "e k=1 v=5") E("5", "o"),
		FILE(VIEW("<entry path='A/*'><display type='constant' value='s'/></entry>"),
			ON("e", CHANGE(NAMED("A") OF_FIELD("k") NAMED("s") FIELD("v"))
					CHANGE(NAMED("A") OF_FIELD("k") NAMED("t") FIELD("v")))),
		"row 1 under A 1\n"
		"1-5 1: 5 own 4 tid 0 no end\n");
}

/* 16 attributes, and a depth of a stack in the last one. */
static void deep(void **state)
{
#define FOUR NAMED("x") NAMED("x") NAMED("x") NAMED("x")
	(void)state;
	states_are(ROWS, E("1", "e v=5") E("2", "o"),
		FILE("",
			ON("e", CHANGE(FOUR FOUR FOUR FOUR
					"<stateValue type='eventField' value='v' stack='push'/>"))),
		"row 1 under x/x/x/x/x/x/x/x/x/x/x/x/x/x/x/x 1\nrow x under x/x/x/x/x/x/x/x/x/x/x/x/x/x/x 1\n");
}

static void defined_values(void **state)
{
	(void)state;
	states_are(STATES | COLOURS,
		E("1", "e k=1 v=\"5\"") E("2", "e k=1 v=\"6\"") E("3", "e k=1 v=\"7\"")
			E("4", "e k=1 v=\"\"") E("5", "o"),
		FILE(VIEW("<definedValue name='five' value='5' color='#0102ff'/><definedValue value='6'/>"
			  "<definedValue name='seven' value='7' color='#12'/><entry path='A/*'><display type='self'/></entry>"),
			SETS),
		"1-2 1: five own 1 tid 0 #0102ff\n"
		"2-3 1: 6 own 1 tid 0 #a3b04a\n"
		"3-4 1: seven own 1 tid 0 #3f9b52\n"
		"4-5 1: (empty) own 1 tid 0 no end #8d6b4f\n");
}

static void values(void **state)
{
	(void)state;
	states_are(STATES,
		"event e { s64 k; s64 v }\n" E("1", "e k=1 v=5") E("2", "e k=1 v=-7") E("5", "o"),
		FILE(XY("<entry path='A/*'><display type='self'/></entry>"), SETS),
		"1 1 = 5\n"
		"2 1 = -7\n");
	states_are(STATES,
		E("1", "e k=1 v=2.5") E("2", "e k=1 v=-8.9e18") E("3", "e k=1 v=9.1e18")
			E("4", "e k=1 v=-9.1e18") E("5", "e k=1 v=8.9e18"),
		FILE(XY("<entry path='A/*'><display type='self'/></entry>"), SETS),
		"1 1 = 2\n"
		"2 1 = -8900000000000000000\n"
		"3 1 = 0\n"
		"4 1 = 0\n"
		"5 1 = 8900000000000000000\n");
	states_are(STATES, E("1", "e k=1 v=\"x\"") E("2", "o"),
		FILE(XY("<entry path='A/*'><display type='self'/></entry>"), SETS), "1 1 = 0\n");
}

/* ---- fields ---- */

static void fields(void **state)
{
	(void)state;
#define ALL                                                                                        \
	CHANGE(NAMED("time") FIELD("timestamp"))                                                   \
	CHANGE(NAMED("host") FIELD("hostID"))                                                      \
	CHANGE(NAMED("cpu") FIELD("cpu"))                                                          \
	CHANGE(NAMED("vtid") FIELD("context._vtid"))                                               \
	CHANGE(NAMED("a") FIELD("a"))                                                              \
	CHANGE(NAMED("none") FIELD("none")) CHANGE(NAMED("odd") FIELD("a b"))
	states_are(ROWS | STATES,
		"event e { enum u8 { one = 1, two } a }\n1ms h/ust 3 e { vtid=7 } a=two\n3ms h/ust 3 o\n",
		FILE("", ON("e", ALL)),
		"row time under p 1\n"
		"row host under p 1\n"
		"row cpu under p 1\n"
		"row vtid under p 1\n"
		"row a under p 1\n"
		"1-3 time: 1000000 own 2 tid 7 no end\n"
		"1-3 host: h own 2 tid 7 no end\n"
		"1-3 cpu: 3 own 2 tid 7 no end\n"
		"1-3 vtid: 7 own 2 tid 7 no end\n"
		"1-3 a: two own 2 tid 7 no end\n");
	/* A field of that name comes first. */
	states_are(STATES,
		"1ms h/ust 3 e { vtid=7 } cpu=9 hostID=\"x\" timestamp=4 a=1.5\n3ms h/ust 3 o\n",
		FILE("", ON("e", ALL)),
		"1-3 time: 4 own 2 tid 7 no end\n"
		"1-3 host: x own 2 tid 7 no end\n"
		"1-3 cpu: 9 own 2 tid 7 no end\n"
		"1-3 vtid: 7 own 2 tid 7 no end\n"
		"1-3 a: 1.5 own 2 tid 7 no end\n");
	/* Of a text 255 bytes. */
#define FIVE "0123456789012345678901234567890123456789012345678"
	states_are(STATES, E("1", "e k=1 v=\"" FIVE FIVE FIVE FIVE FIVE FIVE "\"") E("2", "o"),
		FILE("", SETS),
		"1-2 1: 012345678901234567890123456789012345678901234567801234567890123456789012345678901234567890123456780123456789012345678901234567890123456789012345678012345678901234567890123456789012345678901234567801234567890123456789012345678901234567890123456780123456789 own 1 tid 0 no end\n");
}

/* ---- updates, losses, segments ---- */

static void updates(void **state)
{
	(void)state;
	states_are(STATES, E("1", "e v=\"x\"") E("2", "e v=\"y\"") E("5", "o"),
		FILE("",
			ON("e", CHANGE(NAMED(
					"A") "<stateValue type='eventField' value='v' update='true'/>"))),
		"1-5 A: y own 4 tid 0 no end\n");
	states_are(STATES,
		E("1", "e k=1 v=\"x\"") E("2", "e k=1 v=\"y\"") E("3", "e k=1") E("5", "o"),
		FILE("", SETS ON("o", CHANGE(NAMED("A") NAMED("2") "<stateValue type='null'/>"))),
		"1-2 1: x own 1 tid 0\n"
		"2-3 1: y own 1 tid 0\n"
		"3-5 1: (empty) own 2 tid 0 no end\n");
	/* The colour is that of the new value. */
	states_are(STATES | COLOURS, E("1", "e v=\"x\"") E("2", "e v=\"y\"") E("5", "o"),
		FILE(VIEW("<definedValue name='X' value='x' color='#010203'/><definedValue name='Y' value='y' color='#040506'/>"
			  "<entry path='A'><display type='self'/></entry>"),
			ON("e", CHANGE(NAMED(
					"A") "<stateValue type='eventField' value='v' update='true'/>"))),
		"1-5 A: Y own 4 tid 0 no end #040506\n");
	/* What was to come comes until the end of the recording. */
	states_are(STATES, E("1", "e k=1 v=\"x\"") E("9", "o"),
		FILE("",
			ON("e", CHANGE(NAMED("A") FIELD("v")) CHANGE(
					NAMED("A") "<stateValue type='null'/>"
						   "<futureTime type='long' value='5000000'/>")
					CHANGE(NAMED(
						"A") "<stateValue type='int' value='1'/>"
						     "<futureTime type='long' value='10000000'/>"))),
		"1-5 A: x own 4 tid 0\n");
}

static void segments(void **state)
{
#define STEPS(name)                                                                                 \
	"<tmfxml><pattern id='p' version='0'><patternHandler><action id='a'><segment>"              \
	"<segType><segName><stateValue type='eventField' value='" name "'/></segName></segType>"    \
	"<segTime><begin type='eventField' value='b'/><end type='eventField' value='e'/></segTime>" \
	"</segment></action><fsm id='f' initial='s'><state id='s'>"                                 \
	"<transition event='e' action='a' target='t'/></state><final id='t'/></fsm>"                \
	"</patternHandler></pattern></tmfxml>"
	(void)state;
	states_are(ROWS | STATES | PIECES,
		E("1", "o") E("5", "e { vtid=7 } n=\"x\" b=1000000 e=4000000")
			E("6", "e { vtid=7 } n=\"x\" b=2000000 e=5000000")
				E("7", "e { vtid=7 } n=\"y\" b=3000000 e=3000000")
					E("8", "e { vtid=7 } n=\"x\" b=4000000 e=4500000")
						E("9", "e { vtid=7 } n=\"\" b=8000000 e=7000000"),
		STEPS("n"),
		"row x under segments 3\n"
		"row y under segments 1\n"
		"row (empty) under segments 1\n"
		"1-4 x: x own 3 tid 7\n"
		"2-5 x: x own 3 tid 7\n"
		"3-3 y: y own 0 tid 7\n"
		"4-4.5 x: x own 0.5 tid 7\n"
		"8-8 (empty): (empty) own 0 tid 7\n"
		"lane -1: 1-4 x 4-4.5 x\n"
		"lane -1: 2-5 x\n"
		"lane -1:\n"
		"lane -1:\n");
}

int main(void)
{
#ifndef MER_HAS_EXPAT
	print_message("skipped: this build reads no XML\n");
	return 77;
#endif
	const struct CMUnitTest tests[] = { cmocka_unit_test(without_views),
		cmocka_unit_test(entries), cmocka_unit_test(deep), cmocka_unit_test(defined_values),
		cmocka_unit_test(values), cmocka_unit_test(fields), cmocka_unit_test(updates),
		cmocka_unit_test(segments) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
