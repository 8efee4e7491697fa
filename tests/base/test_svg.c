/* SVG charts: text cannot break out, no number is NaN, large inputs give small files that keep what
 * stands out, and degenerate ranges are drawn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <cmocka.h>
#include "draw/svg.h"

static struct mer_str draw(const struct mer_svg_chart *charts, size_t n)
{
	struct mer_str s = { 0 };
	assert_int_equal(mer_svg_write(&s, "all <of> it", charts, n, NULL), 0);
	assert_memory_equal(s.data, "<svg ", 5);
	assert_string_equal(s.data + s.len - 7, "</svg>\n");
	assert_null(strstr(s.data, "nan"));
	assert_null(strstr(s.data, "inf"));
	assert_non_null(strstr(s.data, "<title>all &lt;of&gt; it</title>"));
	return s;
}

/* Tags that are opened are closed, attributes are quoted. Enough for what is written here. */
static void check_nesting(const char *p)
{
	int depth = 0;
	while ((p = strchr(p, '<'))) {
		const char *end = strchr(p, '>');
		assert_non_null(end);
		int quotes = 0;
		for (const char *q = p; q < end; q++) {
			quotes += *q == '"';
			assert_true(q == p || *q != '<');
		}
		assert_int_equal(quotes % 2, 0);
		if (p[1] == '/')
			depth--;
		else if (end[-1] != '/')
			depth++;
		assert_true(depth >= 0);
		p = end;
	}
	assert_int_equal(depth, 0);
}

static void hostile_text(void **state)
{
	(void)state;
	double x[] = { 0, 1 }, y[] = { 2, 3 };
	char bad[] = "</svg><script>\"&\x01\xff\xef\xbf\xbf";
	struct mer_svg_series s = { MER_SVG_LINE, bad, 77, x, y, NULL, 2 };
	struct mer_svg_chart c = { .title = bad,
		.note = bad,
		.x.title = bad,
		.y.title = bad,
		.series = &s,
		.n_series = 1 };
	struct mer_str out = draw(&c, 1);
	assert_null(strstr(out.data, "<script"));
	assert_null(strchr(out.data, 1));
	check_nesting(out.data);
	mer_str_fini(&out);
}

static void degenerate(void **state)
{
	(void)state;
	double zero[] = { 0, 0 }, huge[] = { -1.7e308, 1.7e308 }, odd[] = { NAN, INFINITY },
	       same[] = { 1e18, 1e18 };
	double *const kinds[] = { zero, huge, odd, same };
	for (unsigned kind = MER_SVG_POINTS; kind <= MER_SVG_BAND; kind++)
		for (unsigned unit = MER_SVG_PLAIN; unit <= MER_SVG_CLOCK; unit++)
			for (size_t a = 0; a < 4; a++)
				for (size_t b = 0; b < 4; b++)
					for (size_t n = 0; n <= 2; n++) {
						struct mer_svg_series s = { (enum mer_svg_kind)kind,
							"s", 0, kinds[a], kinds[b], kinds[a], n };
						struct mer_svg_chart c = { .title = "t",
							.x = { "x", (enum mer_svg_unit)unit,
								INT64_MAX, 0, 0 },
							.y = { "y", (enum mer_svg_unit)unit,
								INT64_MIN, 0, 0 },
							.series = &s,
							.n_series = 1,
							.height = 200 };
						struct mer_str out = draw(&c, 1);
						check_nesting(out.data);
						assert_true(out.len < 60000);
						mer_str_fini(&out);
					}
	struct mer_str out = draw(NULL, 0);
	mer_str_fini(&out);
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;
	for (const char *p = text; (p = strstr(p, what)); p++)
		n++;
	return n;
}

static void large(void **state)
{
	(void)state;
	enum { N = 300000 };
	double *x = malloc(N * sizeof(*x)), *y = malloc(N * sizeof(*y)),
	       *z = malloc(N * sizeof(*z));
	for (int i = 0; i < N; i++) {
		x[i] = i;
		y[i] = i % 97;
		z[i] = y[i] + 1;
	}
	/* One that stands out: the axis is made for it, so it must be there to be seen. */
	y[123456] = 1000;
	for (unsigned kind = MER_SVG_POINTS; kind <= MER_SVG_LINE; kind++) {
		struct mer_svg_series s = { (enum mer_svg_kind)kind, "s", 0, x, y, NULL, N };
		struct mer_svg_chart c = { .title = "t",
			.x = { "x", MER_SVG_PLAIN, 0, 0, 0 },
			.y = { "y", MER_SVG_PLAIN, 0, 0, 1000 },
			.series = &s,
			.n_series = 1 };
		struct mer_str out = draw(&c, 1);
		size_t points =
			kind == MER_SVG_POINTS ? count(out.data, "h0") : count(out.data, "L");
		assert_true(points > 500 && points <= MER_SVG_MAX_POINTS);
		/* 1000 is the upper edge, below the title, the legend and their room. */
		assert_non_null(strstr(out.data, " 51"));
		mer_str_fini(&out);
	}
	struct mer_svg_series band = { MER_SVG_BAND, NULL, 3, x, y, z, N };
	struct mer_svg_chart c = { .title = "t", .series = &band, .n_series = 1 };
	struct mer_str out = draw(&c, 1);
	assert_true(out.len < 400000);
	mer_str_fini(&out);
	free(x);
	free(y);
	free(z);
}

/* Several series share what a file may have. */
static void several_large(void **state)
{
	(void)state;
	enum { N = 20000, SERIES = 3 };
	double *x = malloc(N * sizeof(*x)), *y = malloc(N * sizeof(*y));
	assert_non_null(x);
	assert_non_null(y);
	for (int i = 0; i < N; i++) {
		x[i] = i;
		y[i] = i * 37 % 1009;
	}
	struct mer_svg_series s[SERIES];
	for (int i = 0; i < SERIES; i++)
		s[i] = (struct mer_svg_series){ MER_SVG_POINTS, "s", 0, x, y, NULL, N };
	struct mer_svg_chart c = { .title = "t", .series = s, .n_series = SERIES };
	struct mer_str out = draw(&c, 1);
	assert_in_range(count(out.data, "h0"), MER_SVG_MAX_POINTS / 8, MER_SVG_MAX_POINTS);
	mer_str_fini(&out);
	free(x);
	free(y);
}

static void labels(void **state)
{
	(void)state;
	setenv("TZ", "UTC", 1);
	double x[] = { 0, 60e9 }, y[] = { -3e6, 5e6 };
	struct mer_svg_series s = { MER_SVG_LINE, "line", 0, x, y, NULL, 2 };
	struct mer_svg_chart c = { .title = "t",
		.x = { "time", MER_SVG_CLOCK, INT64_C(1714739696000000000), 0, 60e9 },
		.y = { "offset", MER_SVG_DURATION, 0, 0, 0 },
		.series = &s,
		.n_series = 1 };
	struct mer_str out = draw(&c, 1);
	assert_non_null(strstr(out.data, ">offset (ms)<"));
	assert_non_null(strstr(out.data, ">12:35:00<"));
	assert_non_null(strstr(out.data, ">0<"));
	assert_null(strstr(out.data, ">-0<"));
	assert_non_null(strstr(out.data, ">line<"));
	mer_str_fini(&out);
	/* Below a second the label has the digits that it needs. */
	c.x.max = 3e5;
	out = draw(&c, 1);
	assert_non_null(strstr(out.data, ">12:34:56.00010<"));
	mer_str_fini(&out);
}

/* Units are chosen for the axis, not below zero where nothing is; what has the same axis below says
 * it once; areas have all their points. */
static void units(void **state)
{
	(void)state;
	static const struct {
		enum mer_svg_unit unit;
		double most;
		const char *title, *label;
	} cases[] = {
		{ MER_SVG_BYTES, 6 << 20, ">y (MiB)<", ">4<" },
		{ MER_SVG_BYTES, 1500, ">y (bytes)<", ">1500<" },
		{ MER_SVG_RATE, 3e9, ">y (GiB/s)<", ">2.0<" },
		{ MER_SVG_PERCENT, 100, ">y (%)<", ">80<" },
		{ MER_SVG_KHZ, 2.4e6, ">y (GHz)<", ">1.0<" },
		{ MER_SVG_KHZ, 800, ">y (kHz)<", ">400<" },
		{ MER_SVG_PLAIN, 5e6, ">y (millions)<", ">4<" },
		{ MER_SVG_PLAIN, 120, ">y<", ">100<" },
	};
	double x[] = { 0, 1, 2, 3 }, zero[] = { 0, 0, 0, 0 };
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double y[] = { 0, cases[i].most, cases[i].most, 0 };
		struct mer_svg_series s = { MER_SVG_AREA, "a", 0, x, y, zero, 4 };
		struct mer_svg_chart c = { .title = "t",
			.x = { .title = "time" },
			.y = { .title = "y", .unit = cases[i].unit },
			.series = &s,
			.n_series = 1,
			.plot = 200 };
		struct mer_str out = draw(&c, 1);
		check_nesting(out.data);
		if (!strstr(out.data, cases[i].title) || !strstr(out.data, cases[i].label))
			fail_msg("no %s or %s: %s", cases[i].title, cases[i].label, out.data);
		assert_null(strstr(out.data, ">-"));
		assert_non_null(
			strstr(out.data, "<desc>1 chart, one below the other. t (a).</desc>"));
		assert_non_null(strstr(out.data, "height=\"200\""));
		assert_int_equal(count(out.data, ">time<"), 1);
		mer_str_fini(&out);
		struct mer_svg_chart two[] = { c, c };
		two[0].x.title = NULL;
		out = draw(two, 2);
		assert_int_equal(count(out.data, ">time<"), 1);
		mer_str_fini(&out);
	}
	/* A long name is cut in the legend only. */
	char name[] = "0123456789012345678901234567890123456789012345678901234567890123456789";
	struct mer_svg_series s = { MER_SVG_LINE, name, MER_SVG_INK, x, x, NULL, 4 };
	struct mer_svg_chart c = { .title = "t", .series = &s, .n_series = 1 };
	struct mer_str out = draw(&c, 1);
	assert_int_equal(count(out.data, name), 2); /* description and title */
	assert_int_equal(count(out.data, "\xe2\x80\xa6</text>"), 1);
	assert_int_equal(count(out.data, "class=\"l k\""), 1);
	mer_str_fini(&out);
}

/* Steps are drawn as such, in few words, and end where they ended. */
static void steps(void **state)
{
	(void)state;
	double x[] = { 0, 1, 1, 2, 2, 3, 3, 4 }, y[] = { 1, 1, 1, 1, 2, 2, 0, 0 };
	struct mer_svg_series s = { MER_SVG_LINE, NULL, 0, x, y, NULL, 8 };
	struct mer_svg_chart c = { .title = "t",
		.x = { .title = "x", .max = 4 },
		.y = { .title = "y", .max = 2 },
		.series = &s,
		.n_series = 1,
		.plot = 200 };
	struct mer_str out = draw(&c, 1);
	const char *path = strstr(out.data, "class=\"l\"");
	assert_non_null(path);
	/* 792 pixels for 4, 200 for 2, from 84 and 34 on. */
	assert_non_null(strstr(path, "d=\"M84 134H480V34H678V234H876\""));
	mer_str_fini(&out);
}

/* Of everything between colors that are neighbours in a stack: they differ in lightness, so that
 * they can be told apart without seeing colors. */
static void lightness(void **state)
{
	(void)state;
	double x[] = { 0, 1 }, before = -1;
	for (unsigned i = 0; i < MER_SVG_COLORS; i++) {
		struct mer_svg_series s = { MER_SVG_LINE, NULL, i, x, x, NULL, 2 };
		struct mer_svg_chart c = { .title = "t", .series = &s, .n_series = 1 };
		struct mer_str out = draw(&c, 1);
		unsigned r, g, b;
		const char *path = strstr(out.data, "class=\"l\" stroke=\"#");
		assert_non_null(path);
		assert_int_equal(sscanf(path, "class=\"l\" stroke=\"#%2x%2x%2x", &r, &g, &b), 3);
		double l = 0.299 * r + 0.587 * g + 0.114 * b;
		assert_true(fabs(l - before) > 20);
		assert_true(l > 60 && l < 200); /* on white, and on black */
		before = l;
		mer_str_fini(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hostile_text),
		cmocka_unit_test(degenerate),
		cmocka_unit_test(large),
		cmocka_unit_test(several_large),
		cmocka_unit_test(labels),
		cmocka_unit_test(units),
		cmocka_unit_test(steps),
		cmocka_unit_test(lightness),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
