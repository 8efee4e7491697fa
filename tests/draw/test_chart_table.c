/* Charts of tables over time, by hand: which rows are summed up to which series, what these are
 * called, in what order, what is left over, and which panels there are. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "draw/chart_table.h"

#define SECOND INT64_C(1000000000)

enum { BEGIN, END, OF, HOST, CPU, TID, PID, COMM, TIME, BYTES, USED, WHOLE, N };
static const struct mer_column columns[] = { { "begin", "Begin", MER_TIME },
	{ "end", "End", MER_TIME }, { "of", NULL, MER_TEXT }, { "host", "Host", MER_TEXT },
	{ "cpu", "CPU", MER_ID }, { "tid", "TID", MER_ID }, { "pid", "PID", MER_ID },
	{ "comm", "Thread", MER_TEXT }, { "time_ns", "Time", MER_DURATION },
	{ "bytes", "Bytes", MER_BYTES }, { "used_percent", "Used", MER_RATIO },
	{ "whole_ns", NULL, MER_DURATION }, { 0 } };

struct row {
	int bin; /* of two seconds */
	const char *of, *host;
	int cpu, tid, pid; /* 0: not known */
	const char *comm;
	double time, bytes, used, whole; /* -1: not known; time and whole in s */
};

/* The last ones of a row are mostly not there. */
#define ROW(...)                                                                                   \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}
#define NO (-1.0)

static void put_panels(const struct draw_chart_page *p, struct mer_str *s)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct mer_svg_chart *c = &p->panels[i];
		mer_str_printf(s, "%s[%s %d%s%s%s]", i ? "\n" : "", c->title, (int)c->y.unit,
			c->y.max > 0 ? " to 100" : "", c->note ? " " : "", c->note ? c->note : "");
		for (size_t k = 0; k < c->n_series; k++) {
			const struct mer_svg_series *x = &c->series[k];
			mer_str_printf(s, " %s", x->name ? x->name : "-");
			/* Two points for each bin; areas stand on each other. */
			for (size_t b = 0; b < x->n; b += 2)
				mer_str_printf(s, "%c%g", b ? ' ' : '=',
					x->kind == MER_SVG_AREA ? x->y[b] - x->y2[b] : x->y[b]);
			mer_str_printf(s, ";");
		}
	}
}

static void drawn_with(const struct row *rows, size_t n, const struct analysis_chart *chart,
	size_t most, bool summary, const char *expected)
{
	struct mer_arena arena;
	struct mer_table t;
	struct draw_chart_page p;
	struct mer_err err;
	struct mer_str s = { 0 };
	struct analysis a = { .charts = chart };
	mer_arena_init(&arena);
	mer_table_init(&t, "bins", "Table", columns, &arena);
	for (size_t i = 0; i < n; i++) {
		const struct row *r = &rows[i];
		mer_table_add(&t,
			(struct mer_cell[N]){ [BEGIN] = MER_INT(r->bin * 2 * SECOND),
				[END] = MER_INT((r->bin + 1) * 2 * SECOND),
				[OF] = mer_text(r->of),
				[HOST] = mer_text(r->host),
				[CPU] = r->cpu ? MER_INT(r->cpu) : MER_NONE,
				[TID] = r->tid ? MER_INT(r->tid) : MER_NONE,
				[PID] = r->pid ? MER_INT(r->pid) : MER_NONE,
				[COMM] = mer_text(r->comm),
				[TIME] = r->time < 0 ? MER_NONE : MER_INT(r->time * 1e9),
				[BYTES] = r->bytes < 0 ? MER_NONE : MER_INT(r->bytes),
				[USED] = r->used < 0 ? MER_NONE
						     : (struct mer_cell){ true, { .f = r->used } },
				[WHOLE] = r->whole < 0 ? MER_NONE : MER_INT(r->whole * 1e9) });
	}
	draw_chart_init(&p, 0, 100 * SECOND, &err);
	assert_int_equal(summary ? draw_summary(&p, &t, &a) : draw_tables(&p, &t, &a, most), 0);
	assert_false(p.failed);
	put_panels(&p, &s);
	assert_string_equal(s.data ? s.data : "", expected);
	mer_str_fini(&s);
	draw_chart_fini(&p);
	mer_table_fini(&t);
	mer_arena_fini(&arena);
}

#define DRAWN(rows, chart, expected)                                                               \
	drawn_with(rows, sizeof(rows) / sizeof(*(rows)), chart, 100, false, expected)

/* Rows of one name add up; the greatest sum is at the bottom; a bin without a row counts as 0. */
static void stacked(void **state)
{
	(void)state;
	static const struct row rows[] = {
		ROW(0, "thread", "a", 0, 11, 10, "x", 1, 5, NO, NO),
		ROW(0, "thread", "a", 1, 11, 10, "x", 2, 6, NO, NO),
		ROW(1, "thread", "a", 0, 12, 12, "y", 7, 1, NO, NO),
		ROW(2, "thread", "a", 0, 11, 10, "x", 1, 0, NO, NO),
		ROW(2, "thread", "a", 0, 13, 13, "zero", 0, 0, NO, NO),
		ROW(2, "host", "a", 0, 0, 0, NULL, 99, 0, NO, NO),
	};
	static const struct analysis_chart chart[] = {
		{ .title = "T", .y = "time", .of = "thread", .keys = "time_ns" }, { 0 }
	};
	DRAWN(rows, chart,
		"[T 1 bins of 2.00 s] y 12=0 7e+09 0; x 11=1e+09 0 1e+09; CPU 1, x 11=2e+09 0 0;");
}

/* What is what: numbers with their titles, threads by their tid, else by their pid; hosts where
 * there are several. */
static void names(void **state)
{
	(void)state;
	static const struct analysis_chart chart[] = { { .title = "T", .keys = "bytes" }, { 0 } };
	static const struct row one[] = {
		ROW(0, NULL, "a", 2, 0, 0, NULL, NO, 9, NO, NO),
		ROW(0, NULL, "a", 0, 0, 7, "p", NO, 8, NO, NO),
		ROW(0, NULL, "a", 0, 0, 6, NULL, NO, 7, NO, NO),
		ROW(0, NULL, "a", 0, 0, 0, "q", NO, 6, NO, NO),
		ROW(0, NULL, "a", 0, 5, 4, NULL, NO, 5, NO, NO),
	};
	DRAWN(one, chart, "[T 3 bins of 2.00 s] CPU 2=9; p 7=8; PID 6=7; q=6; PID 4=5;");
	static const struct row two[] = {
		ROW(0, "thread", "a", 2, 0, 0, NULL, NO, 9, NO, NO),
		ROW(0, "cpu", "b", 2, 0, 0, NULL, NO, 8, NO, NO),
		ROW(0, "thread", "b", 0, 3, 3, "all others", NO, 7, NO, NO),
		ROW(0, "thread", "b", 0, 0, 0, "all others", NO, 6, NO, NO),
	};
	DRAWN(two, chart,
		"[T 3 bins of 2.00 s] a, CPU 2, no thread=9; b, CPU 2=8; b, all others 3=7; all "
		"others=6;");
}

/* Lines: each with its own values, in the order of the rows; nothing where nothing is known; no
 * others. */
static void lines(void **state)
{
	(void)state;
	static const struct row rows[] = {
		ROW(0, NULL, "a", 1, 0, 0, "s", 1, NO, NO, NO),
		ROW(1, NULL, "a", 1, 0, 0, "s", NO, NO, NO, NO),
		ROW(2, NULL, "a", 1, 0, 0, "s", 0, NO, NO, NO),
		ROW(1, NULL, "a", 2, 0, 0, "s", 5, NO, NO, NO),
	};
	static const struct analysis_chart chart[] = {
		{ .title = "L", .keys = "time_ns", .lines = true }, { 0 }
	};
	DRAWN(rows, chart, "[L 1 bins of 2.00 s] CPU 1, s=1e+09 nan 0; CPU 2, s=nan 5e+09 nan;");
}

/* Parts of something, of the time, and ratios. */
static void shares(void **state)
{
	(void)state;
	static const struct row rows[] = {
		ROW(0, NULL, "a", 0, 0, 0, "s", 1, 10, 0.25, 4),
		ROW(1, NULL, "a", 0, 0, 0, "s", 1, 30, 0.5, 0),
		ROW(2, NULL, "a", 0, 0, 0, "s", 1, NO, NO, NO),
	};
	static const struct analysis_chart charts[] = {
		{ .title = "P", .keys = "time_ns", .per = "whole_ns" },
		{ .title = "R", .keys = "bytes", .per = "time" },
		{ .title = "U", .keys = "used_percent" },
		{ .title = "none", .keys = "nothing" },
		{ .title = "other", .table = "top", .keys = "used_percent" },
		{ 0 },
	};
	DRAWN(rows, charts,
		"[P 5 to 100 bins of 2.00 s] s=25 0 0;\n"
		"[R 4 bins of 2.00 s] s=5 15 0;\n"
		"[U 5 to 100 bins of 2.00 s] s=25 50 0;");
	/* No more panels than that are begun. */
	drawn_with(rows, 3, charts, 1, false, "[P 5 to 100 bins of 2.00 s] s=25 0 0;");
	drawn_with(rows, 3, charts, 0, false, "");
	drawn_with(rows, 3, charts, 9, true, "");
}

/* Several columns have their own order, and their names; also those that are zero. */
static void several_columns(void **state)
{
	(void)state;
	static const struct row rows[] = {
		ROW(0, NULL, "a", 0, 0, 0, NULL, 0, 20, NO, NO),
		ROW(1, NULL, "a", 0, 0, 0, NULL, 0, 30, NO, NO),
	};
	static const struct analysis_chart charts[] = {
		{ .title = "C", .of = NULL, .keys = "time_ns bytes whole_ns", .summary = true },
		{ .title = "S", .keys = "bytes", .several = true, .summary = true },
		{ .title = "N", .keys = "bytes" },
		{ 0 },
	};
	drawn_with(rows, 2, charts, 9, true, "[C 1 bins of 2.00 s] Time=0 0; Bytes=20 30;");
}

/* Nine series, the greatest; the rest is one, with what the table itself calls so. */
static void what_is_left(void **state)
{
	(void)state;
	struct row rows[13];
	char comm[13][16];
	for (int i = 0; i < 12; i++) {
		snprintf(comm[i], sizeof(comm[i]), "t%d", i);
		rows[i] =
			(struct row){ 0, "thread", "a", 0, 100 + i, 1, comm[i], NO, 1 + i, NO, NO };
	}
	rows[12] = (struct row){ 1, "thread", "a", 0, 0, 0, "all others", NO, 1000, NO, NO };
	static const struct analysis_chart chart[] = { { .title = "T", .keys = "bytes" }, { 0 } };
	drawn_with(rows, 13, chart, 9, false,
		"[T 3 bins of 2.00 s] t11 111=12 0; t10 110=11 0; t9 109=10 0; t8 108=9 0; t7 "
		"107=8 "
		"0; t6 106=7 0; t5 105=6 0; t4 104=5 0; t3 103=4 0; all others=6 1000;");
	/* Nothing but the others says nothing. */
	drawn_with(rows + 12, 1, chart, 9, false, "");
	/* As many as there are places: nothing is left. */
	drawn_with(rows, 9, chart, 9, false,
		"[T 3 bins of 2.00 s] t8 108=9; t7 107=8; t6 106=7; t5 105=6; t4 104=5; t3 103=4; "
		"t2 "
		"102=3; t1 101=2; t0 100=1;");
}

/* A panel for each of the four hosts that have most, in the order of the rows. */
static void by_host(void **state)
{
	(void)state;
	static const struct row rows[] = {
		ROW(0, NULL, "h1", 0, 5, 5, "x", NO, 10, NO, NO),
		ROW(0, NULL, "h2", 0, 5, 5, "x", NO, 50, NO, NO),
		ROW(0, NULL, "h3", 0, 5, 5, "x", NO, 9, NO, NO),
		ROW(0, NULL, "h4", 0, 5, 5, "x", NO, 30, NO, NO),
		ROW(1, NULL, "h5", 0, 5, 5, "x", NO, 20, NO, NO),
	};
	static const struct analysis_chart chart[] = {
		{ .title = "T", .keys = "bytes", .by_host = true }, { 0 }
	};
	drawn_with(rows, 5, chart, 9, false,
		"[h1: T 3 bins of 2.00 s] x 5=10 0;\n[h2: T 3 bins of 2.00 s] x 5=50 0;\n"
		"[h4: T 3 bins of 2.00 s] x 5=30 0;\n[h5: T 3 bins of 2.00 s] x 5=0 20;");
	drawn_with(rows, 1, chart, 9, false, "[T 3 bins of 2.00 s] x 5=10;");
}

/* A line over the others: a ratio of other rows. */
static void total(void **state)
{
	(void)state;
	static const struct row rows[] = {
		ROW(0, "thread", "a", 0, 5, 5, "x", 1, NO, 0.9, 4),
		ROW(0, "host", "a", 0, 0, 0, NULL, 3, NO, 0.75, 4),
		ROW(1, "thread", "a", 0, 5, 5, "x", 2, NO, NO, 4),
	};
	static const struct analysis_chart chart[] = { { .title = "T",
							       .of = "thread",
							       .keys = "time_ns",
							       .per = "whole_ns",
							       .total_name = "sum",
							       .total_of = "host",
							       .total = "used_percent" },
		{ 0 } };
	DRAWN(rows, chart, "[T 5 to 100 bins of 2.00 s] x 5=25 50; sum=75 nan;");
}

/* Without charts of its own: each column that measures, by each kind of rows. */
static void without_charts(void **state)
{
	(void)state;
	static const struct row rows[] = {
		ROW(0, "cpu", "a", 3, 0, 0, NULL, 1, 5, NO, NO),
		ROW(0, "host", "a", 0, 0, 0, NULL, 2, 6, NO, NO),
	};
	drawn_with(rows, 2, NULL, 9, false,
		"[Table, by cpu: Time 1 bins of 2.00 s] CPU 3=1e+09;\n"
		"[Table, by host: Time 1 bins of 2.00 s] -=2e+09;");
	static const struct row plain[] = { ROW(0, NULL, "a", 3, 4, 4, "x", 1, 5, 0.5, NO) };
	drawn_with(plain, 1, NULL, 9, false, "");
}

static void range(void **state)
{
	(void)state;
	struct mer_arena arena;
	struct mer_table t;
	int64_t begin = -1, end = -1;
	mer_arena_init(&arena);
	mer_table_init(&t, "bins", NULL, columns, &arena);
	assert_false(draw_table_range(&t, &begin, &end));
	static const int64_t rows[][2] = { { 50, 60 }, { 20, 70 }, { 30, 65 } };
	mer_table_add(&t, (struct mer_cell[N]){ [BEGIN] = MER_INT(1) });
	mer_table_add(&t, (struct mer_cell[N]){ [END] = MER_INT(99) });
	assert_false(draw_table_range(&t, &begin, &end));
	for (int i = 0; i < 3; i++)
		mer_table_add(
			&t, (struct mer_cell[N]){
				    [BEGIN] = MER_INT(rows[i][0]), [END] = MER_INT(rows[i][1]) });
	assert_true(draw_table_range(&t, &begin, &end));
	assert_int_equal(begin, 20);
	assert_int_equal(end, 70);
	mer_table_fini(&t);
	mer_arena_fini(&arena);
}

/* Series of a panel can be told apart; what is on several panels has one color on all of them; the
 * others have theirs. */
static void colors(void **state)
{
	(void)state;
	struct draw_chart_page p;
	struct mer_err err;
	struct mer_str svg = { 0 };
	static const int64_t edges[] = { 0, SECOND, 2 * SECOND };
	static const double levels[] = { 1, 2 };
	const double *const values[] = { levels, levels, levels };
	const struct draw_chart_name first[] = { { .name = "a" }, { .name = "b" },
		{ .name = "rest" } },
				     second[] = { { .name = "c" }, { .name = "b" } },
				     third[] = { { .name = "x", .key = "h, a" }, { .name = "a" } };
	draw_chart_init(&p, 0, 2 * SECOND, &err);
	draw_chart_panel(&p, "1", "y", MER_SVG_PLAIN);
	draw_chart_levels(&p, true, first, values, 3, true, edges, 2);
	draw_chart_panel(&p, "2", "y", MER_SVG_PLAIN);
	draw_chart_levels(&p, false, second, values, 2, false, edges, 2);
	draw_chart_total(&p, "sum", levels, edges, 2);
	draw_chart_panel(&p, "3", "y", MER_SVG_PLAIN);
	draw_chart_levels(&p, true, third, values, 2, false, edges, 2);
	assert_int_equal(draw_chart_svg(&p, "colors", &svg), 0);
	const struct mer_svg_series *s[3];
	for (size_t i = 0; i < 3; i++)
		s[i] = p.panels[i].series;
	unsigned a = s[0][0].color, b = s[0][1].color, c = s[1][0].color, x = s[2][0].color;
	assert_true(a != b && b != c && x != a);
	assert_true(a < MER_SVG_COLORS && b < MER_SVG_COLORS && c < MER_SVG_COLORS);
	assert_true(a != DRAW_CHART_OTHERS && b != DRAW_CHART_OTHERS && c != DRAW_CHART_OTHERS);
	assert_int_equal(s[0][2].color, DRAW_CHART_OTHERS);
	assert_int_equal(s[1][1].color, b);
	assert_int_equal(s[1][2].color, MER_SVG_INK);
	assert_int_equal(s[2][1].color, a);
	/* As far as there are colors that nobody has, each is another one. */
	assert_true(c != a && x != b && x != c);
	mer_str_fini(&svg);
	draw_chart_fini(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stacked),
		cmocka_unit_test(names),
		cmocka_unit_test(lines),
		cmocka_unit_test(shares),
		cmocka_unit_test(several_columns),
		cmocka_unit_test(what_is_left),
		cmocka_unit_test(by_host),
		cmocka_unit_test(total),
		cmocka_unit_test(without_charts),
		cmocka_unit_test(range),
		cmocka_unit_test(colors),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
