/* Pages of charts, by hand: which series have which color on which panel, and which levels are
 * drawn where. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "base/str.h"
#include "draw/chart.h"

static struct draw_chart_page page;
static struct mer_err err;

static int begin(void **state)
{
	(void)state;
	setenv("TZ", "UTC", 1);
	tzset();
	draw_chart_init(&page, 1000, 2000, &err);
	return 0;
}

static int end(void **state)
{
	(void)state;
	draw_chart_fini(&page);
	return 0;
}

static void write_page(void)
{
	struct mer_str svg = { 0 };
	assert_int_equal(draw_chart_svg(&page, "title", &svg), 0);
	assert_true(svg.len > 100);
	mer_str_fini(&svg);
}

static void add(const char *name, const char *key)
{
	static const double x[] = { 1 }, y[] = { 2 };
	draw_chart_points(&page, (struct draw_chart_name){ .name = name, .key = key }, x, y, 1);
}

/* ---- colors ---- */

/* Each series as its color, panels with " | " between. */
static void colors_are(const char *expected)
{
	char text[500] = "";
	write_page();
	for (size_t i = 0; i < page.n; i++)
		for (size_t k = 0; k < page.panels[i].n_series; k++)
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%u",
				k   ? " "
				: i ? " | "
				    : "",
				page.panels[i].series[k].color);
	assert_string_equal(text, expected);
}

static void panel(void)
{
	assert_non_null(draw_chart_panel(&page, "panel", "y", MER_SVG_PLAIN));
}

static void same_key_same_color(void **state)
{
	(void)state;
	panel();
	add("a", NULL);
	add("b", NULL);
	panel();
	add("other name of a", "a");
	add("c", NULL);
	add("b", NULL);
	panel();
	add(NULL, "c");
	add("d", NULL);
	/* d shares a panel with c alone: it has the one that the fewest have. */
	colors_are("0 1 | 0 2 1 | 2 3");
}

/* 8 is that of all others; the eleventh and those after it have more than there are. */
static void more_keys_than_colors(void **state)
{
	static const char *const names[] = { "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10",
		"11", "12" };
	(void)state;
	panel();
	for (size_t i = 0; i < 9; i++)
		add(names[i], NULL);
	panel();
	for (size_t i = 9; i < 12; i++)
		add(names[i], NULL);
	panel();
	for (size_t i = 0; i < 13; i++)
		add(names[i], NULL);
	colors_are("0 1 2 3 4 5 6 7 9 | 10 11 12 | 0 1 2 3 4 5 6 7 9 10 11 12 13");
}

/* Those that no panel has together share a color, as evenly as can be. */
static void keys_apart(void **state)
{
	char name[12];
	(void)state;
	for (int i = 0; i < 20; i++) {
		panel();
		snprintf(name, sizeof(name), "%d", i);
		add(name, NULL);
	}
	colors_are("0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 9 | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 9 | 0 | 1");
}

static void others_and_totals(void **state)
{
	(void)state;
	static const double a[] = { 1, 2 }, b[] = { 3, 4 };
	const double *const values[] = { a, b };
	const struct draw_chart_name names[] = { { .name = "a" }, { .name = "all others" } };
	static const int64_t edges[] = { 0, 10, 20 };
	panel();
	draw_chart_levels(&page, true, names, values, 2, true, edges, 2);
	draw_chart_total(&page, "total", a, edges, 2);
	panel();
	draw_chart_levels(&page, false, names, values, 2, false, edges, 2);
	char expected[40];
	snprintf(expected, sizeof(expected), "0 8 %d | 0 1", (int)MER_SVG_INK);
	colors_are(expected);
}

/* ---- levels ---- */

/* The points of a series: "x:y". */
static void points_are(size_t series, const char *expected)
{
	const struct mer_svg_series *s = &page.panels[0].series[series];
	char text[500] = "";
	for (size_t i = 0; i < s->n; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%g:%g", i ? " " : "",
			s->x[i], s->y[i]);
	assert_string_equal(text, expected);
}

static void levels(void **state)
{
	(void)state;
	static const double a[] = { 1, NAN, 2 }, b[] = { 5, 3, -1 };
	const double *const values[] = { a, b };
	const struct draw_chart_name names[] = { { .name = "a" }, { .name = "b" } };
	const int64_t t = page.begin, edges[] = { t, t + 10, t + 20, t + 40 };
	panel();
	draw_chart_levels(&page, false, names, values, 2, false, edges, 3);
	assert_int_equal(page.panels[0].series[0].kind, MER_SVG_LINE);
	points_are(0, "0:1 10:1 10:nan 20:nan 20:2 40:2");
	points_are(1, "0:5 10:5 10:3 20:3 20:-1 40:-1");
	/* On each other: none counts as nothing, and nothing is below 0. */
	draw_chart_levels(&page, true, names, values, 2, false, edges, 3);
	assert_int_equal(page.panels[0].series[2].kind, MER_SVG_AREA);
	points_are(2, "0:1 10:1 10:0 20:0 20:2 40:2");
	points_are(3, "0:6 10:6 10:3 20:3 20:2 40:2");
	const struct mer_svg_series *low = &page.panels[0].series[2],
				    *high = &page.panels[0].series[3];
	for (size_t i = 0; i < high->n; i++)
		assert_true(high->y2[i] == low->y[i] && low->y2[i] == 0);
	/* None of nothing. */
	draw_chart_levels(&page, true, names, values, 2, false, edges, 0);
	assert_int_equal(page.panels[0].n_series, 4);
	write_page();
}

/* Of neighbours the one that has most: of lines the highest, of stacks the greatest sum. */
static void more_levels_than_are_drawn(void **state)
{
	(void)state;
	enum { N = 2 * DRAW_CHART_LEVELS + 1, GROUP = 3 };
	static double a[N], b[N];
	static int64_t edges[N + 1];
	const double *const values[] = { a, b };
	const struct draw_chart_name names[] = { { .name = "a" }, { .name = "b" } };
	for (int i = 0; i <= N; i++)
		edges[i] = page.begin + 10 * i;
	for (int i = 0; i < N; i++)
		a[i] = b[i] = i % GROUP == 1 ? 6 : 1;
	a[0] = 8; /* more than 6, but with b less than 6 + 6 */
	a[3] = a[4] = a[5] = NAN;
	b[3] = 9;
	a[6] = 7; /* together with b as much as the next one: the first of them */
	b[6] = 5;
	panel();
	draw_chart_levels(&page, false, names, values, 2, false, edges, N);
	draw_chart_levels(&page, true, names, values, 2, false, edges, N);
	const struct mer_svg_series *s = page.panels[0].series;
	size_t n = (N + GROUP - 1) / GROUP;
	for (int k = 0; k < 4; k++) {
		assert_int_equal(s[k].n, 2 * n);
		assert_true(s[k].x[0] == 0 && s[k].x[1] == 10 * GROUP);
		assert_true(s[k].x[2] == 10 * GROUP && s[k].x[2 * n - 1] == 10 * N);
	}
	assert_true(s[0].y[0] == 8 && s[1].y[0] == 1);
	assert_true(s[2].y[0] == 6 && s[3].y[0] == 12);
	assert_true(isnan(s[0].y[2]) && s[1].y[2] == 9);
	assert_true(s[2].y[2] == 0 && s[3].y[2] == 9);
	assert_true(s[0].y[4] == 7 && s[2].y[4] == 7 && s[3].y[4] == 12);
	for (size_t i = 3; i < n; i++) {
		bool is_cut = i + 1 == n && N % GROUP == 1; /* the last group is one alone */
		assert_true(s[0].y[2 * i] == (is_cut ? 1 : 6));
		assert_true(s[3].y[2 * i + 1] == (is_cut ? 2 : 12));
	}
}

/* As many as can be are drawn one by one. */
static void as_many_levels_as_are_drawn(void **state)
{
	(void)state;
	static double a[DRAW_CHART_LEVELS + 1];
	static int64_t edges[DRAW_CHART_LEVELS + 2];
	const double *const values[] = { a };
	const struct draw_chart_name name = { .name = "a" };
	for (int i = 0; i < DRAW_CHART_LEVELS + 2; i++)
		edges[i] = page.begin + i;
	panel();
	draw_chart_levels(&page, false, &name, values, 1, false, edges, DRAW_CHART_LEVELS);
	draw_chart_levels(&page, false, &name, values, 1, false, edges, DRAW_CHART_LEVELS + 1);
	assert_int_equal(page.panels[0].series[0].n, 2 * DRAW_CHART_LEVELS);
	assert_int_equal(page.panels[0].series[1].n, 2 * (DRAW_CHART_LEVELS / 2 + 1));
}

/* From 1000 to 1600 ns of the page's 1000 ns, four levels, the second and the last not known:
 * 84..876 is the whole, 118.8 pixels a level. */
static void no_line_where_nothing_is_known(void **state)
{
	static const double v[] = { 5, NAN, 5, NAN };
	static const double *const values[] = { v };
	static const int64_t edges[] = { 1000, 1150, 1300, 1450, 1600 };
	struct mer_str svg = { 0 };
	(void)state;
	panel();
	draw_chart_levels(&page, false, (struct draw_chart_name[]){ { .name = "a" } }, values, 1,
		false, edges, 4);
	assert_int_equal(draw_chart_svg(&page, "title", &svg), 0);
	const char *path = strstr(svg.data, "<path class=\"l\"");
	double y, again;
	assert_non_null(path);
	path = strstr(path, " d=\"");
	assert_non_null(path);
	assert_int_equal(sscanf(path, " d=\"M84 %lfH202.8M321.6 %lfH440.4\"", &y, &again), 2);
	assert_true(y == again);
	assert_non_null(strstr(path, "H440.4\">"));
	mer_str_fini(&svg);
}

/* ---- pages ---- */

static void pages(void **state)
{
	(void)state;
	char title[] = "first";
	for (int i = 0; i < 9; i++) {
		const struct mer_svg_chart *c =
			draw_chart_panel(&page, title, i ? NULL : title, MER_SVG_BYTES);
		assert_non_null(c);
		title[0] = 'x'; /* texts are copied */
	}
	assert_int_equal(page.n, 9);
	assert_string_equal(page.panels[0].title, "first");
	assert_string_equal(page.panels[0].y.title, "first");
	assert_string_equal(page.panels[8].title, "xirst");
	assert_null(page.panels[8].y.title);
	assert_int_equal(page.panels[8].y.unit, MER_SVG_BYTES);
	assert_string_equal(page.panels[3].x.title, "local time, 1970-01-01");
	assert_int_equal(page.panels[3].plot, DRAW_CHART_PLOT);
	assert_true(page.panels[3].x.origin == page.begin);
	write_page();
	assert_non_null(page.panels[0].x.title);
	page.compact = true;
	write_page();
	for (int i = 0; i < 9; i++) {
		assert_int_equal(page.panels[i].x.title == NULL, i < 8);
		assert_true(page.panels[i].plot < DRAW_CHART_PLOT);
	}
}

/* Without a panel there is nothing to add to. */
static void no_panel(void **state)
{
	(void)state;
	add("a", NULL);
	assert_int_equal(page.n, 0);
	assert_false(page.failed);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(same_key_same_color),
		TEST(more_keys_than_colors),
		TEST(keys_apart),
		TEST(others_and_totals),
		TEST(levels),
		TEST(more_levels_than_are_drawn),
		TEST(as_many_levels_as_are_drawn),
		TEST(no_line_where_nothing_is_known),
		TEST(pages),
		TEST(no_panel),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
