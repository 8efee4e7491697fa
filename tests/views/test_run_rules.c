/* The engine of views, each rule by itself: what events of a host do to states, whose time it is,
 * and what losses and ends of threads do. Times are in ms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "scenario.h"
#include "states_text.h"
#include "views/states.h"

/* An event of thread 7, and of 8. */
#define E(at, event) at "ms h/ust 0 " event "\n"
#define B(at, text) E(at, "m:b { vtid=7 } t=\"" text "\"")
#define N(at, text) E(at, "m:e { vtid=7 } t=\"" text "\"")
#define NESTED "row r \"R\"\nbegin m:b as \"{t}\"\nend m:e as \"{t}\"\n"
#define ANY_END "row r \"R\"\nbegin m:b as \"{t}\"\nend m:e\n"

#define ADD(at, n, by) E(at, "m:a n=" n " p=" by)
#define TAKE(at, by) E(at, "m:t p=" by)
#define HEAP "row r \"R\"\nadd m:a amount n by p\ntake m:t by p\n"

/* ---- states ---- */

static void begin_and_end(void **state)
{
	(void)state;
	states_are(STATES, B("1", "x") B("2", "y") N("4", "y") N("7", "x"), NESTED,
		"1-7 R: x own 4 tid 7\n2-4 R: y own 2 in x tid 7\n");
	/* The end of one around it ends it, too. */
	states_are(STATES, B("1", "x") B("2", "y") N("4", "x"), NESTED,
		"1-4 R: x own 1 tid 7\n2-4 R: y own 2 in x tid 7 left\nunended 1\n");
	/* An end without a text is that of the innermost one. */
	states_are(STATES, B("1", "x") B("2", "y") N("4", "x") N("5", "x"), ANY_END,
		"1-5 R: x own 2 tid 7\n2-4 R: y own 2 in x tid 7\n");
	/* Of what has not ended, and of what has not begun. */
	states_are(STATES, B("1", "x") B("2", "y") N("4", "y"), NESTED,
		"1-4 R: x own 1 tid 7 no end\n2-4 R: y own 2 in x tid 7\n");
	states_are(STATES, E("1", "m:o") N("4", "x") N("5", "y"), NESTED,
		"1-4 R: x own 3 tid 7 no begin\nunbegun 1\n");
	states_are(STATES, E("1", "m:o") N("4", "x"), ANY_END, "unbegun 1\n");
	states_are(STATES, E("1", "m:o") B("2", "y") N("3", "y") N("4", "x"), NESTED,
		"2-3 R: y own 1 tid 7\nunbegun 1\n");
	/* One within one of the same text. */
	states_are(STATES, B("1", "x") B("2", "x") N("3", "x") N("4", "x"), NESTED,
		"1-4 R: x own 2 tid 7\n2-3 R: x own 1 in x again tid 7\n");
	states_are(STATES, B("1", "x") N("1", "x"), NESTED, "1-1 R: x own 0 tid 7\n");
}

#define S(at, text) E(at, "m:s { vtid=7 } t=\"" text "\"")
#define C(at) E(at, "m:c { vtid=7 }")
#define SET "row r \"R\"\nset m:s as \"{t}\"\nclear m:c\n"

static void set_and_clear(void **state)
{
	(void)state;
	/* Names with several *: the first is what it is until the rest fits. */
	states_are(STATES, E("1", "m:ab_c_d { vtid=7 }") C("5"),
		"row r \"R\"\nset m:*_* as \"{*}\"\nclear m:c\n", "1-5 R: ab own 4 tid 7\n");
	states_are(STATES, E("1", "m:ab_c_d { vtid=7 }") C("5"),
		"row r \"R\"\nset m:*_*x as \"{*}\"\nclear m:c\n", "");
	/* Replaced at once: it never was. */
	states_are(STATES, S("1", "x") S("1", "y") C("5"), SET, "1-5 R: y own 4 tid 7\n");
	states_are(STATES, S("1", "x") S("2", "y") C("5") S("7", "x") C("8") C("9"), SET,
		"1-2 R: x own 1 tid 7\n2-5 R: y own 3 tid 7\n7-8 R: x own 1 tid 7\n");
	/* The same again changes nothing; of another thread it does. */
	states_are(STATES, S("1", "x") S("2", "x") C("5"), SET, "1-5 R: x own 4 tid 7\n");
	states_are(STATES, S("1", "x") E("2", "m:s { vtid=8 } t=\"x\"") C("5"), SET,
		"1-2 R: x own 1 tid 7\n2-5 R: x own 3 tid 8\n");
	/* Within one that was begun only the innermost one changes. */
	states_are(STATES, B("1", "a") S("2", "x") S("4", "y") C("5"),
		"row r \"R\"\nbegin m:b as \"{t}\"\nset m:s as \"{t}\"\nclear m:c\n",
		"1-2 R: a own 1 tid 7\n2-4 R: x own 2 tid 7\n4-5 R: y own 1 tid 7\n");
	/* Without its text it sets nothing. */
	states_are(STATES, S("1", "x") S("3", "") E("4", "m:o"), SET,
		"1-4 R: x own 3 tid 7 no end\nunnamed 1\n");
}

static void toggle(void **state)
{
	(void)state;
	states_are(STATES,
		S("1", "x") S("2", "y") S("4", "x") S("6", "y") S("7", "x") E("9", "m:o"),
		"row r \"R\"\ntoggle m:s as \"{t}\"\n",
		"1-4 R: x own 1 tid 7\n2-4 R: y own 2 in x tid 7 left\n6-9 R: y own 1 tid 7 no end\n"
		"7-9 R: x own 2 in y tid 7 no end\nunended 1\n");
}

#define FRAMES "event m:f { u64 f[] }\n"
#define F(at, frames) E(at, "m:f { vtid=7 } f=[" frames "]")

static void stacks(void **state)
{
	(void)state;
	states_are(STATES,
		FRAMES F("1", "0x20, 0x10") F("3", "0x30, 0x10") F("4", "0x10") F("6", "")
			F("7", "0x10"),
		"row r \"R\"\nstack m:f as \"{f:x}\"\n",
		"1-6 R: 0x10 own 2 tid 7\n1-3 R: 0x20 own 2 in 0x10 tid 7\n"
		"3-4 R: 0x30 own 1 in 0x10 tid 7\n7-7 R: 0x10 own 0 tid 7 no end\n");
	/* What is no address: 0, and marks of the kernel at the end of the address space. */
	states_are(STATES,
		FRAMES F("1", "0x20, 0, 18446744073709547521, 18446744073709547520, 0x10")
			F("2", ""),
		"row r \"R\"\nstack m:f as \"{f:x}\"\n",
		"1-2 R: 0x10 own 0 tid 7\n1-2 R: 0xfffffffffffff000 own 0 in 0x10 tid 7\n"
		"1-2 R: 0x20 own 1 in 0xfffffffffffff000 tid 7\n");
	states_are(STATES, FRAMES F("1", "16, 8") F("2", "8") F("3", ""),
		"row r \"R\"\nstack m:f as \"{f}\"\n",
		"1-3 R: 8 own 1 tid 7\n1-2 R: 16 own 1 in 8 tid 7\n");
}

/* 1000 within each other, then what is deeper is counted, and its ends end nothing. */
static void depth(void **state)
{
	struct mer_str trace = { 0 };
	struct scenario s;
	struct mer_err err = { 0 };
	struct view *v;
	struct view_states *states;
	static const char view[] = "view a\nrow r \"R\"\nbegin m:b as \"x\"\nend m:e\n";
	const struct view_options o = { .n_threads = 1 };
	(void)state;
	mer_str_puts(&trace, "host h\ntrace h/ust\n");
	for (int i = 1; i <= 1002; i++)
		mer_str_printf(&trace, "%dms h/ust 0 m:b\n", i);
	mer_str_puts(&trace, "1003ms h/ust 0 m:e\n1004ms h/ust 0 m:e\n1005ms h/ust 0 m:e\n"
			     "1006ms h/ust 0 m:b\n");
	scenario_open(&s, trace.data);
	assert_int_equal(view_parse(view, strlen(view), "f", &v, &err), 0);
	const struct view *views[] = { v };
	assert_int_equal(view_states_find(s.e, views, 1, &o, &states, &err), 0);
	const struct view_host *h = &states->hosts[0];
	assert_int_equal(h->n_states, 1001);
	assert_int_equal(states->doubts.n_deep, 2);
	assert_int_equal(h->states[999].depth, 999);
	assert_int_equal(h->states[999].end, 1005000000);
	assert_int_equal(h->states[998].how, VIEW_NO_END);
	assert_int_equal(h->states[1000].depth, 999);
	assert_int_equal(h->n_events, 1006);
	const struct mer_diag *d = &s.e->diags.rows[s.e->diags.n - 1];
	assert_string_equal(d->message,
		"views: 2 states are within more than 1000 others and left out: is an 'end' missing?");
	view_states_free(states);
	view_free(v);
	scenario_close(&s);
	mer_str_fini(&trace);
}

/* Of a stack the 1000 outermost frames. */
static void deep_stack(void **state)
{
	struct mer_str trace = { 0 };
	(void)state;
	mer_str_puts(&trace, FRAMES "1ms h/ust 0 m:f { vtid=7 } f=[");
	for (int i = 1; i <= 1002; i++)
		mer_str_printf(&trace, "%s%d", i > 1 ? "," : "", 2000 - i);
	mer_str_puts(&trace, "]\n2ms h/ust 0 m:f { vtid=7 } f=[]\n");
	states_are(NOTES, trace.data, "row r \"R\"\nstack m:f as \"{f}\"\n",
		"warning: views: 2 states are within more than 1000 others and left out: is an 'end' missing?\n");
	mer_str_fini(&trace);
}

/* ---- whose time it is ---- */

static void pieces(void **state)
{
	(void)state;
	states_are(PIECES, B("1", "x") B("2", "y") N("4", "y") N("7", "x"), NESTED,
		"lane 7: 1-2 x 2-4 y 4-7 x\n");
	/* Rows of one thread compete for its time: the one that began last has it. */
	states_are(PIECES | STATES, B("1", "x") S("2", "s") N("4", "x") C("6"),
		NESTED "row s \"S\"\nset m:s as \"{t}\"\n"
		       "clear m:c\n",
		"1-4 R: x own 1 tid 7\n2-6 S: s own 4 tid 7\nlane 7: 1-2 x 2-6 s\n");
	states_are(PIECES | STATES, B("1", "x") S("2", "s") C("4") N("6", "x"),
		NESTED "row s \"S\" async\n"
		       "set m:s as \"{t}\"\nclear m:c\n",
		"1-6 R: x own 5 tid 7\n2-4 S: s own 2 tid 7\nlane 7: 1-6 x\nlane -1: 2-4 s\n");
	/* What was so when the recording began has what others leave. */
	states_are(PIECES | STATES, B("1", "x") N("3", "x") C("6"),
		NESTED "row s \"S\"\nend m:c as \"before\"\n",
		"1-3 R: x own 2 tid 7\n1-6 S: before own 3 tid 7 no begin\n"
		"lane 7: 1-3 x 3-6 before\n");
	states_are(PIECES | STATES, B("1", "x") C("6") N("8", "x"),
		NESTED "row s \"S\"\nend m:c as \"before\"\n",
		"1-8 R: x own 7 tid 7\n1-6 S: before own 0 tid 7 no begin\nlane 7: 1-8 x\n");
	/* A field may say whose it is: a number of a thread, or none. */
#define OF_THREAD "row r \"R\" thread-id t\nset m:s as \"{u}\"\n"
	states_are(PIECES,
		E("1", "m:s { vtid=7 } t=9 u=\"x\"") E("3", "m:s { vtid=7 } t=0 u=\"y\"") E("4",
			"m:s { vtid=7 } t=-1 u=\"z\"") E("6", "m:s { vtid=7 } t=2147483647 u=\"z\"")
			E("7", "m:s { vtid=7 } t=2147483648 u=\"v\"") E("9", "m:o"),
		OF_THREAD,
		"lane 9: 1-3 x\nlane 0: 3-4 y\nlane -1: 4-6 z 7-9 v\nlane 2147483647: 6-7 z\n");
}

static void end_of_a_thread(void **state)
{
	(void)state;
	states_are(STATES,
		B("1", "x") S("2", "s") E("4", "sched_process_exit tid=8")
			E("5", "sched_process_exit tid=7") E("6", "m:o"),
		NESTED "row s \"S\"\nset m:s as \"{t}\"\n",
		"1-5 R: x own 1 tid 7 no end gone\n2-5 S: s own 3 tid 7 no end gone\n");
	states_are(STATES,
		"event sched_process_exit { s32 pid }\n" B("1", "x")
			E("5", "sched_process_exit { vtid=3 } pid=7") E("6", "m:o"),
		NESTED, "1-5 R: x own 4 tid 7 no end gone\n");
}

/* ---- losses ---- */

static void losses(void **state)
{
	(void)state;
	/* Of the second packet: where the first one ended, and at its own end, all is closed. */
	states_are(STATES,
		B("1", "x") E("2", "packet") B("3", "y") N("5", "y") B("6", "z") E("7", "lost 5")
			E("7", "packet") B("8", "v") N("9", "v") N("9", "x"),
		NESTED,
		"1-2 R: x own 1 tid 7 no end lost\n3-5 R: y own 2 tid 7\n6-7 R: z own 1 tid 7 no end lost\n"
		"8-9 R: v own 1 tid 7\nunbegun 1\nlost 2\n");
	states_are(STATES,
		B("1", "x") E("2", "m:o") E("2", "packet") E("3", "m:o") E("4", "lost 5")
			E("4", "packet") E("5", "m:o") N("9", "z"),
		NESTED,
		"1-2 R: x own 1 tid 7 no end lost\n4-9 R: z own 5 tid 7 no begin lost\nlost 1\n");
	/* A row that is in a state by one trace has had one, whatever another trace knows. */
	states_are(STATES,
		"trace h/v\n3ms h/v 0 m:o\n" B("1", "x") "4ms h/v 0 m:e t=\"y\"\n" N("6", "x"),
		NESTED, "1-6 R: x own 5 tid 7\nunbegun 1\n");
	/* Another trace's losses are not theirs. */
	states_are(STATES,
		"trace h/other\n" B("1", "x")
			E("3", "m:o") "4ms h/other 0 o:o\n4ms h/other 0 lost 1\n" N("6", "x"),
		NESTED, "1-6 R: x own 5 tid 7\n");
	/* Amounts that are still there after a loss are not told, arrows in order not drawn. */
	states_are(STATES, ADD("1", "5", "1") E("2", "lost 1") E("2", "packet") ADD("3", "7", "1"),
		HEAP, "1 R = 5\n3 R = 7\n");
#define ARROW "row r \"R\"\narrow m m:a -> m:t key p ordered\narrow n m:a -> m:t key p\n"
	states_are(STATES,
		ADD("1", "5", "1") E("2", "lost 1") E("2", "packet") ADD("3", "7", "2")
			TAKE("4", "2"),
		ARROW, "unreceived 2\nagain 2\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(begin_and_end),
		cmocka_unit_test(set_and_clear), cmocka_unit_test(toggle), cmocka_unit_test(stacks),
		cmocka_unit_test(depth), cmocka_unit_test(deep_stack), cmocka_unit_test(pieces),
		cmocka_unit_test(end_of_a_thread), cmocka_unit_test(losses) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
