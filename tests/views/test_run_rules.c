/* The engine of views, each rule by itself: what events of a host do to rows, states, values and
 * marks, whose time it is, and what does not fit. Times are in ms. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "scenario.h"
#include "states_text.h"
#include "views/run.h"

/* An event of thread 7, and of 8. */
#define E(at, event) at "ms h/ust 0 " event "\n"
#define B(at, text) E(at, "m:b { vtid=7 } t=\"" text "\"")
#define N(at, text) E(at, "m:e { vtid=7 } t=\"" text "\"")
#define NESTED "row r \"R\"\nbegin m:b as \"{t}\"\nend m:e as \"{t}\"\n"
#define ANY_END "row r \"R\"\nbegin m:b as \"{t}\"\nend m:e\n"

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

/* ---- rows ---- */

#define K(at, key) E(at, "m:k { vtid=7 } " key)

static void keys_and_labels(void **state)
{
	(void)state;
	states_are(ROWS | STATES,
		K("1", "k=1 l=2") K("2", "k=2 l=2") K("3", "k=1 l=2") K("4", "k=1 l=3"),
		"row r \"R {k}-{l}\" key k l\nmark m:k as \"x\"\n",
		"row R 1-2 0\nrow R 2-2 0\nrow R 1-3 0\n1 R 1-2 mark x\n2 R 2-2 mark x\n"
		"3 R 1-2 mark x\n4 R 1-3 mark x\n");
	/* Equal labels get their keys; not those that are under different ones. */
	states_are(ROWS, K("1", "k=1 l=2") K("2", "k=-2 l=2") K("3", "k=-2 l=3"),
		"row r \"R\" under \"{l}\" key k l\nmark m:k as \"x\"\n",
		"row R 1,2 under 2 0\nrow R -2,2 under 2 0\nrow R under 3 0\n");
	states_are(ROWS, K("1", "k=\"a b\" l=0.5") K("2", "k=\"\" l=18446744073709551615"),
		"row r \"R\" key k\nmark m:k as \"x\"\n", "row R a b 0\nrow R  0\n");
	states_are(ROWS, K("1", "k=0.5 l=1") K("2", "k=-0.25 l=1"),
		"row r \"R\" key k\nmark m:k as \"x\"\n", "row R 0.5 0\nrow R -0.25 0\n");
	/* Of a long text 60 bytes. */
#define TEN "0123456789"
#define SIXTY TEN TEN TEN TEN TEN TEN
	states_are(ROWS, K("1", "k=\"" SIXTY "\" l=7") K("2", "k=\"" SIXTY "9\" l=8"),
		"row r \"R\" key k l\nmark m:k as \"x\"\n",
		"row R " SIXTY ",7 0\nrow R " SIXTY ",8 0\n");
	/* Rows of different declarations, too, are different ones. */
	states_are(ROWS, K("1", "k=1 l=1"),
		"row r \"R\"\nmark m:k as \"x\"\nrow s \"R\"\nmark m:k as \"y\"\n",
		"row R 0\nrow R 0\n");
	/* A label that came later. */
	states_are(ROWS, K("1", "k=1 l=\"one\"") K("2", "k=2 l=\"two\"") K("3", "k=1 l=\"one\""),
		"row r \"R\" key k\nlabel m:k as \"{l}\"\n", "row one 0\nrow two 0\n");
	/* Without its label a row has its declared name; without its key there is none. */
	states_are(ROWS | STATES, K("1", "k=1"), "row r \"R {l}\" key k\nmark m:k as \"x\"\n",
		"row r 0\n1 r mark x\nunlabelled 1\n");
	states_are(ROWS | STATES, K("1", "k=1"), "row r \"R\" key k l\nmark m:k as \"x\"\n",
		"keyless 1\n");
	states_are(ROWS | STATES, K("1", "k=[1]"), "row r \"R\" key k\nmark m:k as \"x\"\n",
		"keyless 1\n");
	/* What comes after such an event counts. */
	states_are(STATES,
		E("1", "m:j { vtid=7 } l=1") K("2", "k=1") E("3", "m:j { vtid=7 } l=1")
			K("4", "k=1"),
		"row r \"R\" key k\nmark m:* as \"x\"\n", "2 R mark x\n4 R mark x\nkeyless 2\n");
	states_are(STATES, E("1", "m:j { vtid=7 } l=1") K("2", "k=1"),
		"row r \"R\"\nmark m:* as \"{k}\"\nstack m:* as \"{k}\"\n",
		"2 R mark 1\nunnamed 2\n");
	/* Numbers agree, whatever their size is; a text is no number. */
	states_are(ROWS,
		E("1", "m:k { vtid=7 } k=8") E("2", "m:l { vtid=7 } k=8")
			E("3", "m:n { vtid=7 } k=\"8\""),
		"row r \"R {k} {$event}\" key k\nmark m:k as \"x\"\nmark m:l as \"x\"\nmark m:n as \"x\"\n",
		"row R 8 m:k 0\nrow R 8 m:n 0\n");
}

/* Addresses in labels alone, of which nothing is known: as they are. */
static void addresses(void **state)
{
	(void)state;
	states_are(ROWS, K("1", "k=16 l=17"), "row r \"R {k:symbol}\"\nmark m:k as \"x\"\n",
		"row R 0x10 0\n");
	states_are(ROWS, K("1", "k=16 l=17"),
		"row o \"O\"\nrow r \"R\" under \"{l:symbol}\"\nmark m:k as \"x\"\n",
		"row R under 0x11 0\n");
}

/* Many rows of one rule: none is taken for another. */
static void many_keys(void **state)
{
	struct mer_str trace = { 0 }, want = { 0 };
	(void)state;
	for (int i = 0; i < 600; i++)
		mer_str_printf(&trace, "%dms h/ust 0 m:k { vtid=7 } k=%d t=%d\n", i, i * 64 % 300,
			i % 300);
	for (int i = 0; i < 600; i++)
		mer_str_printf(&want, "%d R %d mark %d\n", i, i * 64 % 300, i % 300);
	states_are(STATES, trace.data, "row r \"R {k}\" key k\nmark m:k as \"{t}\"\n", want.data);
	mer_str_fini(&trace);
	mer_str_fini(&want);
}

/* ---- texts ---- */

static void texts(void **state)
{
	(void)state;
	states_are(STATES,
		"event m:t { u8 u; s16 s; f64 d; u32 hex h; enum u8 { one = 1, two } n; string t; u8 a[2] }\n"
		"1ms h/ust 3 m:t u=200 s=-5 d=1.5 h=255 n=two t=\"a b\" a=[7, 9]\n",
		"row r \"R\"\nmark m:* as \"{u} {s} {d} {h} {n} {t} {a[1]}|{u:x}\"\nmark m:* as \"{*} {$event} {$host} {$cpu}\"\n",
		"1 R mark 200 -5 1.5 0xff two a b 9|0xc8\n1 R mark t m:t h 3\n");
	/* Of an enumeration a value without a name. */
	states_are(STATES, "event m:t { enum u8 { one = 1, two } n }\n1ms h/ust 3 m:t n=7\n",
		"row r \"R\"\nmark m:t as \"{n}\"\n", "1 R mark 7\n");
	/* Of a long text 500 bytes. */
#define FIVE_HUNDRED SIXTY SIXTY SIXTY SIXTY SIXTY SIXTY SIXTY SIXTY TEN TEN
	states_are(STATES, E("1", "m:t t=\"" FIVE_HUNDRED "x\""),
		"row r \"R\"\nmark m:t as \"{t}\"\n", "1 R mark " FIVE_HUNDRED "\n");
	states_are(STATES, E("1", "m:t t=\"\"") E("2", "m:t t=\"x\""),
		"row r \"R\"\nmark m:t as \"{t}\"\n", "2 R mark x\nunnamed 1\n");
	states_are(
		STATES, E("1", "m:t t=[1]"), "row r \"R\"\nmark m:t as \"{t}\"\n", "unnamed 1\n");
}

static void names(void **state)
{
	(void)state;
	/* The last one that was said; until then the fields themselves. */
	states_are(STATES,
		E("1", "m:t k=1 l=2") E("2", "m:n a=1 b=2 t=\"x\"") E("3", "m:t k=1 l=2")
			E("4", "m:n a=1 b=2 t=\"y\"") E("5", "m:t k=1 l=2") E("6", "m:t k=2 l=1"),
		"row r \"R\"\nnames n m:n key a b as \"{t}!\"\nmark m:t as \"{n(k,l)}\"\n",
		"1 R mark 1,2\n3 R mark x!\n5 R mark y!\n6 R mark 2,1\n");
	states_are(STATES, E("1", "m:n a=1 t=\"x\"") E("2", "m:t k=1"),
		"row r \"R\"\nnames n m:n key b as \"{t}\"\nnames o m:n key a as \"{u}\"\n"
		"names p m:n key a as \"{t}\"\nmark m:t as \"{n(k)} {o(k)} {p(k)}\"\n",
		"2 R mark 1 1 x\nkeyless 2\n");
}

/* ---- values ---- */

#define ADD(at, n, by) E(at, "m:a n=" n " p=" by)
#define TAKE(at, by) E(at, "m:t p=" by)
#define HEAP "row r \"R\"\nadd m:a amount n by p\ntake m:t by p\n"
#define SUMS                                                                                       \
	"row r \"R\"\nadd m:a amount n\ntake m:t amount n\nlevel m:l amount n\nadd m:one amount 1\n"

static void values(void **state)
{
	(void)state;
	states_are(STATES,
		E("1", "m:a n=5") E("2", "m:a n=7") E("3", "m:t n=2") E("4", "m:l n=-1")
			E("5", "m:one x=1") E("6", "m:a n=-3"),
		SUMS, "1 R = 5\n2 R = 12\n3 R = 10\n4 R = -1\n5 R = 0\n6 R = -3\n");
	/* At the ends of what a number holds it stays. */
	states_are(STATES,
		E("1", "m:l n=9223372036854775807") E("2", "m:a n=1") E("3", "m:t n=1")
			E("4", "m:l n=-9223372036854775808") E("5", "m:t n=1") E("6", "m:a n=1"),
		SUMS,
		"1 R = 9223372036854775807\n2 R = 9223372036854775807\n3 R = 9223372036854775806\n"
		"4 R = -9223372036854775808\n5 R = -9223372036854775808\n6 R = -9223372036854775807\n");
	states_are(STATES, E("1", "m:l n=0") E("2", "m:t n=-9223372036854775808"), SUMS,
		"1 R = 0\n2 R = 9223372036854775807\n");
	/* By fields: what is taken is what was added by the same. */
	states_are(STATES,
		ADD("1", "5", "1") ADD("2", "7", "2") TAKE("3", "1") TAKE("4", "1") TAKE("5", "2"),
		HEAP, "1 R = 5\n2 R = 12\n3 R = 7\n5 R = 0\nuntaken 1\n");
	states_are(STATES, ADD("1", "5", "1") ADD("2", "7", "1") TAKE("3", "1"), HEAP,
		"1 R = 5\n2 R = 7\n3 R = 0\nreplaced 1\n");
	states_are(STATES, ADD("1", "0", "1") ADD("2", "7", "1"), HEAP, "1 R = 0\n2 R = 7\n");
	states_are(STATES, ADD("1", "5", "1") "event m:a2 { s8 n }\n" E("2", "m:a2 n=1"),
		"row r \"R\"\nadd m:* amount n by p\n", "1 R = 5\nkeyless 1\n");
	states_are(STATES, E("1", "m:a p=1") E("2", "m:t p=1"), HEAP, "unnamed 1\nuntaken 1\n");
}

/* Many amounts are kept apart. */
static void many_amounts(void **state)
{
	struct mer_str trace = { 0 }, want = { 0 };
	(void)state;
	for (int i = 1; i <= 100; i++)
		mer_str_printf(&trace, "%dms h/ust 0 m:a n=%d p=%d\n", i, i, i);
	for (int i = 1; i <= 100; i++)
		mer_str_printf(&trace, "%dms h/ust 0 m:t p=%d\n", 100 + i, i);
	for (int i = 1; i <= 100; i++)
		mer_str_printf(&want, "%d R = %d\n", i, i * (i + 1) / 2);
	for (int i = 1; i <= 100; i++)
		mer_str_printf(&want, "%d R = %d\n", 100 + i, 5050 - i * (i + 1) / 2);
	states_are(STATES, trace.data, HEAP, want.data);
	mer_str_fini(&trace);
	mer_str_fini(&want);
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

/* ---- conditions ---- */

static void conditions(void **state)
{
	(void)state;
	states_are(STATES, K("1", "k=1") K("2", "k=2") K("3", "k=3"),
		"row r \"R\"\nmark m:k as \"x\" if k > 1\nmark m:k as \"y\" if k < 2\n"
		"mark m:k as \"z\" if vtid != 7\n",
		"1 R mark y\n2 R mark x\n3 R mark x\n");
}

/* Fields of packets, wherever a view may name one: each alone. */
static void fields_of_packets(void **state)
{
#define P(at, cpu) at "ms h/ust " cpu " m:k { vtid=7 } k=1 l=2\n"
	(void)state;
	states_are(ROWS, P("1", "3"), "row r \"R {packet.cpu_id}\"\nmark m:k as \"x\"\n",
		"row R 3 0\n");
	states_are(ROWS, P("1", "3"), "row r \"R\" under \"{packet.cpu_id}\"\nmark m:k as \"x\"\n",
		"row R under 3 0\n");
	states_are(STATES, P("1", "3") E("2", "m:o"),
		"row r \"R\" thread-id packet.cpu_id\nset m:k as \"x\"\n",
		"1-2 R: x own 1 tid 3 no end\n");
	states_are(ROWS, P("1", "3") P("2", "4"),
		"row r \"R\" key packet.cpu_id\nmark m:k as \"x\"\n", "row R 3 0\nrow R 4 0\n");
	states_are(STATES, P("1", "3"), "row r \"R\"\nmark m:k as \"{packet.cpu_id:x}\"\n",
		"1 R mark 0x3\n");
	states_are(STATES, P("1", "3"), "row r \"R\"\nadd m:k amount packet.cpu_id\n", "1 R = 3\n");
	states_are(STATES, P("1", "3") P("2", "4"),
		"row r \"R\"\nadd m:k amount l by packet.cpu_id\n", "1 R = 2\n2 R = 4\n");
	states_are(STATES, P("1", "3") P("2", "4"),
		"row r \"R\"\nmark m:k as \"x\" if packet.cpu_id == 4\n", "2 R mark x\n");
	states_are(STATES, P("1", "3") P("2", "4"),
		"row r \"R\"\nmark m:k as \"{t(k)}\"\nnames t m:k key packet.cpu_id as \"x\"\n",
		"1 R mark 1\n2 R mark 1\n");
}

/* ---- what is told ---- */

static void told(void **state)
{
	(void)state;
	/* Events that were not recorded: each once, those of conditions not if one fits. */
	states_are(NOTES, K("1", "k=1"),
		"row r \"R\"\nmark m:k as \"x\"\nmark o:a as \"x\"\nmark o:a as \"y\"\n"
		"mark b as \"x\"\nmark m:k as \"z\" if nosuch == 1\n",
		"note: view a: not recorded: o:a, b\n");
	states_are(NOTES, K("1", "k=1"), "row r \"R\"\nmark o:a as \"x\"\n",
		"warning: view a: not recorded: o:a\n");
	states_are(NOTES, K("1", "k=1"),
		"row r \"R\"\nstack m:k as \"{f:x}\"\nstack m:k as \"{g}\"\n",
		"warning: view a: not recorded: m:k with f, m:k with g\n");
	/* An event whose name is similar, if none of the rules means it. */
	states_are(NOTES, E("1", "m:kick k=1") E("2", "n:kick"),
		"row r \"R\"\nmark m:kikc as \"x\"\n",
		"warning: view a: no event is named m:kikc: did you mean m:kick?\n");
	states_are(NOTES, E("1", "m:kick k=1") E("2", "m:zzzzzzz k=1"),
		"row r \"R\"\nmark m:kikc as \"x\"\nmark m:kick as \"x\"\n",
		"warning: view a: no event is named m:kikc, though others of its provider are recorded\n");
	states_are(NOTES, E("1", "m:kick k=1"),
		"row r \"R\"\nmark n:kick as \"x\"\nmark m:qwertyui as \"x\"\nmark m:q*z as \"y\"\n",
		"warning: view a: no event is named m:qwertyui, m:q*z, though others of its provider are recorded\n"
		"warning: view a: not recorded: n:kick\n");
	states_are(NOTES, E("1", "sched_switch prev_tid=1") E("1", "kick k=1"),
		"row r \"R\"\nmark sched_swich as \"x\"\nmark nothing_like_it as \"x\"\n",
		"warning: view a: no event is named sched_swich: did you mean sched_switch?\n"
		"warning: view a: not recorded: nothing_like_it\n");
	/* Fields that none of the events has. */
	states_are(NOTES, K("1", "k=1 l=2") K("2", "k=1 l=2") E("3", "m:o"),
		"row r \"R\"\nmark m:k as \"{kk}\"\nmark m:k as \"{kk}\"\nmark m:k as \"{jj}\"\n"
		"mark m:o as \"{kk}\"\n",
		"warning: view a: 5 events of it have no field 'kk'; those of m:k are k, l, context.vtid\n"
		"warning: view a: 2 events of it have no field 'jj'; those of m:k are k, l, context.vtid\n"
		"note: views: 7 events without the fields of their text or amount\n");
	/* Of all hosts together. */
	states_are(NOTES,
		"host g\ntrace g/ust { context { s32 vtid } }\n" K("1",
			"k=1") "2ms g/ust 0 m:k { vtid=7 } k=1\n3ms g/ust 0 m:k { vtid=7 } k=1\n",
		"row r \"R\"\nmark m:k as \"{kk}\"\n",
		"warning: view a: 3 events of it have no field 'kk'; those of m:k are k, context.vtid\n"
		"note: views: 3 events without the fields of their text or amount\n");
	/* What did not fit. */
	states_are(NOTES,
		E("1", "m:o") N("2", "x") N("3", "x") B("4", "x") B("5", "y") B("5", "y")
			N("6", "x"),
		NESTED "end m:e\n",
		"note: views: 4 ends without a begin; 2 states ended by the one around them\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(begin_and_end),
		cmocka_unit_test(set_and_clear), cmocka_unit_test(toggle), cmocka_unit_test(stacks),
		cmocka_unit_test(depth), cmocka_unit_test(deep_stack), cmocka_unit_test(pieces),
		cmocka_unit_test(end_of_a_thread), cmocka_unit_test(losses),
		cmocka_unit_test(keys_and_labels), cmocka_unit_test(addresses),
		cmocka_unit_test(many_keys), cmocka_unit_test(texts), cmocka_unit_test(names),
		cmocka_unit_test(values), cmocka_unit_test(many_amounts),
		cmocka_unit_test(conditions), cmocka_unit_test(fields_of_packets),
		cmocka_unit_test(told) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
