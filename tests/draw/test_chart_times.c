/* Times of charts are exact, however far from 1970. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "draw/chart.h"

static void short_windows(void **state)
{
	(void)state;
	struct draw_chart_page page;
	struct mer_err err;
	const int64_t t = INT64_C(1700000000000000123), edges[] = { t, t + 1, t + 7 };
	static const double values[] = { 1, 2 };
	const double *const all[] = { values };
	const struct draw_chart_name name = { .name = "a" };
	draw_chart_init(&page, t, t + 7, &err);
	const struct mer_svg_chart *c = draw_chart_panel(&page, "a", "b", MER_SVG_PLAIN);
	assert_non_null(c);
	assert_true(c->x.max - c->x.min == 7);
	draw_chart_levels(&page, false, &name, all, 1, false, edges, 2);
	const double *x = page.panels[0].series[0].x;
	assert_true(x[0] == 0 && x[1] == 1 && x[2] == 1 && x[3] == 7);
	draw_chart_fini(&page);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(short_windows) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
