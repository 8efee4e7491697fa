/* Pictures in full, as they are in tests/draw/pictures: charts with each kind of series and each
 * unit of an axis, and graphs as Graphviz gets them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "analysis/relations/relations.h"
#include "draw/graph.h"
#include "draw/svg.h"
#include "expected.h"
#include "requests/edges.h"

static int begin(void **state)
{
	(void)state;
	setenv("TZ", "UTC", 1);
	tzset();
	return 0;
}

static void picture_is(const char *name, struct mer_str *text)
{
	char file[100];
	snprintf(file, sizeof(file), "tests/draw/pictures/%s", name);
	expected_is(file, text);
	mer_str_fini(text);
}

static void charts_are(
	const char *name, const char *title, const struct mer_svg_chart *charts, size_t n)
{
	struct mer_str svg = { 0 };
	struct mer_err err = { 0 };
	assert_int_equal(mer_svg_write(&svg, title, charts, n, &err), 0);
	picture_is(name, &svg);
}

static void nothing(void **state)
{
	(void)state;
	charts_are("nothing.svg", "a <b> & \"c\"\x01", NULL, 0);
}

static void kinds_of_series(void **state)
{
	/* Along a level, back on it, up, and with a hole. */
	static const double x[] = { 0, 10, 20, 15, 15, 30, 40 }, y[] = { 1, 1, 1, 1, 4, NAN, -2 };
	static const double up[] = { 0, 10, 20, 30, 40 }, low[] = { 1, 2, 1, 1, 0 },
			    high[] = { 3, 2, 4, INFINITY, 2 };
	const struct mer_svg_series series[] = {
		{ MER_SVG_POINTS, "points", 0, x, y, NULL, 7 },
		{ MER_SVG_LINE, "line", MER_SVG_COLORS, x, y, NULL, 7 },
		{ MER_SVG_BAND, "band", 1, up, low, high, 5 },
		{ MER_SVG_AREA, "area", MER_SVG_OWN | 0x0a0b0c, up, low, high, 5 },
		{ MER_SVG_LINE, "a name that is longer than there is room for in a legend \xc3\xa9",
			MER_SVG_INK, up, high, NULL, 5 },
		{ MER_SVG_POINTS, NULL, MER_SVG_INK, up, low, NULL, 5 },
		{ MER_SVG_POINTS, "forty-four columns are as many as there can be", 12, up, low,
			NULL, 0 },
		{ MER_SVG_POINTS, "last", 11, up, low, NULL, 1 },
		{ MER_SVG_POINTS, "44 columns are as many as there can be here.",
			MER_SVG_COLORS + 7, up, low, NULL, 1 },
	};
	const struct mer_svg_chart charts[] = {
		{ .title = "all",
			.note = "a note",
			.x = { .title = "x" },
			.y = { .title = "y" },
			.series = series,
			.n_series = 9 },
		{ .title = "low",
			.x = { .title = "x" },
			.y = { .title = "y" },
			.series = series,
			.n_series = 4,
			.height = 120 },
		{ .title = "lower",
			.x = { .title = NULL },
			.y = { .title = "y", .min = 0, .max = 2 },
			.series = series,
			.n_series = 1,
			.height = 119,
			.plot = 60 },
		{ .title = "outside",
			.x = { .title = "x", .min = 5, .max = 25 },
			.y = { .title = "y", .min = 0, .max = 2 },
			.series = series,
			.n_series = 3,
			.plot = 90 },
		{ .title = "legend without room",
			.note = "n",
			.x = { .title = "x" },
			.y = { .title = "y" },
			.series = series,
			.n_series = 9,
			.height = 130 },
		{ .title = "empty", .x = { .title = "x" }, .y = { .title = "y" }, .plot = 50 },
	};
	(void)state;
	charts_are("series.svg", "Kinds of series", charts, sizeof(charts) / sizeof(*charts));
}

/* Each unit with ranges on both sides of its steps. */
static void units(void **state)
{
	static const struct {
		enum mer_svg_unit unit;
		double min, max;
	} axes[] = {
		{ MER_SVG_PLAIN, 0, 1.5 },
		{ MER_SVG_PLAIN, 0, 2e6 },
		{ MER_SVG_PLAIN, -1999999, 0 },
		{ MER_SVG_PLAIN, 0, 2.5e9 },
		{ MER_SVG_PLAIN, 1e-9, 3e-9 },
		{ MER_SVG_PLAIN, 1e7, 1.2e7 },
		{ MER_SVG_PLAIN, 1e17, 2e17 },
		{ MER_SVG_DURATION, 0, 1999 },
		{ MER_SVG_DURATION, 0, 2000 },
		{ MER_SVG_DURATION, 0, 5e6 },
		{ MER_SVG_DURATION, 1e9, 3e9 },
		{ MER_SVG_BYTES, 0, 2047 },
		{ MER_SVG_BYTES, 0, 2048 },
		{ MER_SVG_BYTES, 0, 5e6 },
		{ MER_SVG_BYTES, 0, 5e9 },
		{ MER_SVG_BYTES, 0, 5e12 },
		{ MER_SVG_RATE, 0, 100 },
		{ MER_SVG_RATE, 0, 1e5 },
		{ MER_SVG_RATE, 0, 1e7 },
		{ MER_SVG_RATE, 0, 1e10 },
		{ MER_SVG_RATE, 0, 1e13 },
		{ MER_SVG_PERCENT, 0, 100 },
		{ MER_SVG_KHZ, 0, 1000 },
		{ MER_SVG_KHZ, 0, 2000 },
		{ MER_SVG_KHZ, 8e5, 2.4e6 },
	};
	enum { N = sizeof(axes) / sizeof(*axes) };
	struct mer_svg_chart charts[N];
	(void)state;
	for (size_t i = 0; i < N; i++)
		charts[i] = (struct mer_svg_chart){ .title = "t",
			.x = { .title = "x",
				.unit = axes[i].unit,
				.min = axes[i].min,
				.max = axes[i].max },
			.y = { .title = "y",
				.unit = axes[i].unit,
				.min = axes[i].min,
				.max = axes[i].max },
			.plot = 70 };
	charts_are("units.svg", "Units", charts, N);
}

/* Times of day, from ns to days, and before 1970. */
static void clocks(void **state)
{
	static const struct {
		int64_t origin;
		double max;
	} axes[] = { { INT64_C(1714739696789000000), 50 }, { INT64_C(1714739696789000000), 5e6 },
		{ INT64_C(1714739696789000000), 7.6e9 }, { INT64_C(1714739696789000000), 20e9 },
		{ INT64_C(1714739696789000000), 200e9 }, { INT64_C(1714739696789000000), 3600e9 },
		{ INT64_C(1714739696789000000), 86400e9 },
		{ INT64_C(1714739696789000000), 10 * 86400e9 },
		{ INT64_C(1714739696789000000), 400 * 86400e9 }, { -500000000, 3e9 },
		{ INT64_MAX - 5, 2e9 } };
	enum { N = sizeof(axes) / sizeof(*axes) };
	struct mer_svg_chart charts[N];
	(void)state;
	for (size_t i = 0; i < N; i++)
		charts[i] = (struct mer_svg_chart){ .title = "t",
			.x = { .title = "x",
				.unit = MER_SVG_CLOCK,
				.origin = axes[i].origin,
				.max = axes[i].max },
			.y = { .title = "y" },
			.plot = 40 };
	charts_are("clocks.svg", "Clocks", charts, N);
}

/* Ranges that come from the values. */
static void ranges(void **state)
{
	static const double x[] = { 0, 1 };
	static const double y[][2] = { { 5, 5 }, { 0, 0 }, { 2, 10 }, { 6, 10 }, { 5, 10 },
		{ -1, 10 }, { -5, -5 }, { 1e20, 1e20 }, { NAN, INFINITY }, { 4.9, 10 } };
	enum { N = sizeof(y) / sizeof(*y) };
	struct mer_svg_series series[N];
	struct mer_svg_chart charts[N];
	(void)state;
	for (size_t i = 0; i < N; i++) {
		series[i] = (struct mer_svg_series){ MER_SVG_LINE, NULL, (unsigned)i, x, y[i], NULL,
			2 };
		charts[i] = (struct mer_svg_chart){ .title = "t",
			.x = { .title = "x" },
			.y = { .title = "y", .min = 3, .max = i == 2 ? INFINITY : 3 },
			.series = &series[i],
			.n_series = 1,
			.plot = 60 };
	}
	charts_are("ranges.svg", "Ranges", charts, N);
}

static size_t count_of(const char *text, const char *letters)
{
	size_t n = 0;
	for (; *text; text++)
		n += strchr(letters, *text) != NULL;
	return n;
}

/* Of more values than there is room for, of each few neighbours the extremes stay; of an area
 * all. */
static void many_points(void **state)
{
	enum { N = 12000 };
	static double x[N], y[N], high[N];
	static const enum mer_svg_kind kinds[] = { MER_SVG_POINTS, MER_SVG_LINE, MER_SVG_BAND,
		MER_SVG_AREA };
	(void)state;
	for (size_t i = 0; i < N; i++) {
		x[i] = (double)i;
		y[i] = (double)(i * 7919 % 100);
		high[i] = y[i] + 1;
	}
	y[5003] = -1000;
	y[5004] = high[5004] = 1000;
	for (size_t k = 0; k < 4; k++) {
		const struct mer_svg_series s = { kinds[k], NULL, 0, x, y, high, N };
		const struct mer_svg_chart c = {
			.title = "t", .x = { "x" }, .y = { "y" }, .series = &s, .n_series = 1
		};
		struct mer_str svg = { 0 };
		struct mer_err err = { 0 };
		assert_int_equal(mer_svg_write(&svg, "t", &c, 1, &err), 0);
		const char *path = strstr(svg.data, "<g clip-path");
		assert_non_null(path);
		path = strstr(path, " d=\"");
		assert_non_null(path);
		size_t n = count_of(path, "MLHV");
		if (kinds[k] == MER_SVG_AREA)
			assert_true(n >= N);
		else
			assert_true(n > 1000 && n <= MER_SVG_MAX_POINTS / 2 + 50);
		mer_str_fini(&svg);
	}
}

/* ---- Graphs ---- */

struct row {
	const char *from, *to; /* "HOST PROGRAM TID COMM" */
	const char *kind, *object;
	int64_t count, wait;
	bool is_started;
};

static void put_end(struct mer_arena *arena, struct mer_cell *cells, unsigned program, unsigned end,
	const char *text)
{
	char host[20], name[40], comm[20];
	int tid;
	assert_int_equal(sscanf(text, "%19s %39s %d %19s", host, name, &tid, comm), 4);
	cells[end] = mer_text(mer_arena_strdup(arena, host));
	cells[end + 1] = MER_INT(tid);
	cells[end + 2] = mer_text(mer_arena_strdup(arena, comm));
	cells[program] = mer_text(mer_arena_strdup(arena, name));
}

static const struct row rows[] = {
	{ "t web 20 web", "s shell 10 sh", "tcp", "10.0.0.1:80", 1, 5000000, false },
	{ "t web 21 worker", "s shell 10 sh", "tcp", "10.0.0.1:80", 2, 7000000, false },
	{ "s shell 10 sh", "t web 20 web", "tcp", "10.0.0.1:80", 9, 1000, false },
	{ "t web 20 web", "t db 30 db", "unix", "/a/path/that/is/longer/than/what/is/shown.sock", 4,
		0, false },
	{ "t web 20 web", "t db 30 db", "pipe", "pipe#1", 4, 12, false },
	{ "t db 30 db", "t disk\"\\ 40 d", "pipe", "pipe#2", 4, 12, false },
	{ "t db 30 db", "t disk\"\\ 40 d", "pipe", "pipe#3", 4, 12, false },
	{ "t db 30 db", "t disk\"\\ 40 d", "futex", "0x1", 7, 2000000000, false },
	{ "s shell 10 sh", "s child 11 child", "fork", NULL, 1, 500, true },
	{ "s child 11 child", "s shell 10 sh", "wait", NULL, 1, 500000, true },
	{ "s child 11 child", "s mate 12 mate", "shared-memory?", "/dev/shm/x", 2, 0, false },
	{ "s child 11 child", "s mate 12 mate", "signal", "SIGUSR1", 1, 0, false },
};

/* A program's row, or that of its task. */
static void put_edge(struct mer_table *t, bool by_task, const char *kind, double rate, int64_t p50)
{
	struct mer_cell c[REQUESTS_EDGE_N_COLUMNS] = { 0 };
	c[REQUESTS_EDGE_FROM_HOST] = mer_text("s");
	c[REQUESTS_EDGE_FROM_TID] = MER_INT(10);
	c[REQUESTS_EDGE_FROM] = mer_text(by_task ? "other name" : "shell");
	c[REQUESTS_EDGE_TO_HOST] = mer_text("t");
	c[REQUESTS_EDGE_TO_TID] = MER_INT(20);
	c[REQUESTS_EDGE_TO] = mer_text("web");
	c[REQUESTS_EDGE_KIND] = mer_text(kind);
	c[REQUESTS_EDGE_RATE] = (struct mer_cell){ .set = rate > 0, .v.f = rate };
	c[REQUESTS_EDGE_P50] = (struct mer_cell){ .set = p50 > 0, .v.i = p50 };
	c[REQUESTS_EDGE_P99] = MER_INT(3 * p50);
	mer_table_add(t, c);
}

static void put_requests(struct mer_table *t, bool by_task)
{
	put_edge(t, by_task, "tcp", 12.34, 1200000);
	put_edge(t, by_task, "tcp", 0, 1000);
	put_edge(t, by_task, "tcp", 2, 0);
	put_edge(t, by_task, "pipe", 3, 0);
}

static void graph_is(const char *name, size_t n, bool by_task, const char *empty, bool requests)
{
	struct mer_arena arena;
	struct mer_table t, edges;
	struct mer_err err = { 0 };
	struct mer_str dot = { 0 };
	mer_arena_init(&arena);
	mer_table_init(&t, "graph", NULL, analysis_relations.outputs[0].columns, &arena);
	mer_table_init(&edges, "edges", NULL, requests_edges_columns, &arena);
	for (size_t i = 0; i < n; i++) {
		struct mer_cell c[RELATION_N_COLUMNS] = { 0 };
		put_end(&arena, c, RELATION_FROM_PROGRAM, RELATION_FROM_HOST, rows[i].from);
		put_end(&arena, c, RELATION_TO_PROGRAM, RELATION_TO_HOST, rows[i].to);
		c[RELATION_KIND] = mer_text(rows[i].kind);
		c[RELATION_OBJECT] = mer_text(rows[i].object);
		c[RELATION_COUNT] = MER_INT(rows[i].count);
		c[RELATION_WAIT_NS] = MER_INT(rows[i].wait);
		c[RELATION_IS_STARTED] = MER_INT(rows[i].is_started);
		mer_table_add(&t, c);
	}
	put_requests(&edges, by_task);
	const struct draw_graph g = { .table = &t,
		.requests = requests ? &edges : NULL,
		.by_task = by_task,
		.limited = true,
		.why_empty = empty,
		.how_to_see_all = "all" };
	assert_int_equal(draw_graph_dot(&g, &dot, &err), 0);
	picture_is(name, &dot);
	mer_table_fini(&t);
	mer_table_fini(&edges);
	mer_arena_fini(&arena);
}

static void graphs(void **state)
{
	(void)state;
	graph_is("empty.dot", 0, false, NULL, false);
	graph_is("why_empty.dot", 0, false, "nothing \"here\"\nand there", false);
	graph_is("programs.dot", sizeof(rows) / sizeof(*rows), false, "no", true);
	graph_is("tasks.dot", sizeof(rows) / sizeof(*rows), true, "no", true);
	graph_is("one.dot", 1, true, "no", false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(nothing, begin),
		cmocka_unit_test_setup(kinds_of_series, begin),
		cmocka_unit_test_setup(units, begin),
		cmocka_unit_test_setup(clocks, begin),
		cmocka_unit_test_setup(ranges, begin),
		cmocka_unit_test_setup(many_points, begin),
		cmocka_unit_test_setup(graphs, begin),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
