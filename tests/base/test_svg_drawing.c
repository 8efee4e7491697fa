/* A drawing with everything in it, to the letter: tests/base/drawing.svg, which UPDATE=1 writes
 * anew. Look at it then. What it must be like whatever is drawn, test_svg.c says. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "draw/svg.h"
#include "expected.h"

enum { N = 6, MANY = 26 };

static void drawing(void **state)
{
	double x[N], up[N], down[N], zero[N] = { 0 };
	char names[MANY][16];
	struct mer_svg_series points[2], bands[3], areas[MANY], lines[2];
	(void)state;
	setenv("TZ", "UTC", 1);
	for (int i = 0; i < N; i++) {
		x[i] = i * 1e9;
		up[i] = i * i * 1e5;
		down[i] = (N - i) * 3e5 - 1e6;
	}
	points[0] = (struct mer_svg_series){ MER_SVG_POINTS, "points", 0, x, up, NULL, N };
	points[1] =
		(struct mer_svg_series){ MER_SVG_POINTS, "others", MER_SVG_INK, x, down, NULL, N };
	bands[0] = (struct mer_svg_series){ MER_SVG_BAND, "band", 1, x, down, up, N };
	bands[1] = (struct mer_svg_series){ MER_SVG_LINE, "line", 2, x, up, NULL, N };
	bands[2] = (struct mer_svg_series){ MER_SVG_LINE, NULL, MER_SVG_INK, x, down, NULL, N };
	/* More than there are colors: a legend of several rows. */
	for (unsigned i = 0; i < MANY; i++) {
		snprintf(names[i], sizeof(names[i]), "area number %u", i);
		areas[i] = (struct mer_svg_series){ MER_SVG_AREA, names[i], i, x, zero, up, N };
	}
	lines[0] = (struct mer_svg_series){ MER_SVG_LINE, "a", 3, x, up, NULL, N };
	lines[1] = (struct mer_svg_series){ MER_SVG_LINE, "b", 4, x,
		(double[]){ 0, NAN, 5, 5, INFINITY, 1 }, NULL, N };
	const struct mer_svg_chart charts[] = {
		{ .title = "Points before 1970",
			.note = "a note",
			.x = { "time", MER_SVG_CLOCK, -2500000000, 0, 0 },
			.y = { "offset", MER_SVG_DURATION, 0, 0, 0 },
			.series = points,
			.n_series = 2,
			.height = 300 },
		{ .title = "Bands",
			.x = { NULL, MER_SVG_CLOCK, INT64_C(1714739696750000000), 0, 0 },
			.y = { "rate", MER_SVG_RATE, 0, -2e6, 3e6 },
			.series = bands,
			.n_series = 3,
			.plot = 100 },
		{ .title = "Areas",
			.x = { "time", MER_SVG_DURATION, 0, 0, 0 },
			.y = { "bytes", MER_SVG_BYTES, 0, 0, 0 },
			.series = areas,
			.n_series = MANY,
			.plot = 150 },
		{ .title = "As high as it is by itself",
			.x = { "x", MER_SVG_PLAIN, 0, 0, 0 },
			.y = { "y", MER_SVG_PERCENT, 0, 0, 100 },
			.series = lines,
			.n_series = 2 },
		{ .title = "Parts of a second before 1970",
			.x = { "time", MER_SVG_CLOCK, -2500000000, 0, 1e9 },
			.y = { "y", MER_SVG_PLAIN, 0, 0, 0 },
			.series = lines,
			.n_series = 1,
			.height = 150 },
		{ .title = "Days",
			.x = { "date", MER_SVG_CLOCK, 0, 0, 4e14 },
			.y = { "y", MER_SVG_KHZ, 0, 0, 3e6 },
			.series = lines,
			.n_series = 1,
			.height = 100 },
	};
	struct mer_str out = { 0 };
	assert_int_equal(
		mer_svg_write(&out, "everything", charts, sizeof(charts) / sizeof(charts[0]), NULL),
		0);
	expected_is("tests/base/drawing.svg", &out);
	mer_str_fini(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(drawing) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
