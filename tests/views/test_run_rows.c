/* The engine of views: rows with their keys and labels, texts, names, values, conditions, and what
 * is told of what does not fit. Times are in ms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "states_text.h"

#define E(at, event) at "ms h/ust 0 " event "\n"
#define B(at, text) E(at, "m:b { vtid=7 } t=\"" text "\"")
#define N(at, text) E(at, "m:e { vtid=7 } t=\"" text "\"")
#define NESTED "row r \"R\"\nbegin m:b as \"{t}\"\nend m:e as \"{t}\"\n"

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
	const struct CMUnitTest tests[] = { cmocka_unit_test(keys_and_labels),
		cmocka_unit_test(addresses), cmocka_unit_test(many_keys), cmocka_unit_test(texts),
		cmocka_unit_test(names), cmocka_unit_test(values), cmocka_unit_test(many_amounts),
		cmocka_unit_test(conditions), cmocka_unit_test(fields_of_packets),
		cmocka_unit_test(told) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
