/* Charts: a page of panels below each other, which share an axis of time, as SVG (draw/svg.h).
 *
 *   cli_chart_init(&p, cli, begin, end);
 *   cli_chart_panel(&p, "Requests of vda", "sector", MER_SVG_PLAIN);
 *   cli_chart_points(&p, (struct cli_chart_name){ "dd 4711" }, x, y, n);  (x: ns since p.begin)
 *   rc = cli_chart_write(&p, "Where the requests went", "out.svg");
 *   cli_chart_fini(&p);
 *
 * Nothing but writing fails: when memory runs out the page remembers, and writing says so. What is added
 * is added to the newest panel. */
#ifndef MER_CLI_REPORTS_CHART_H
#define MER_CLI_REPORTS_CHART_H

#include "base/arena.h"
#include "base/map.h"
#include "draw/svg.h"
#include "cli/context.h"

enum {
	CLI_CHART_SERIES = 9,	/* of a panel that can be told apart; then come the others */
	CLI_CHART_OTHERS = 8,	/* the color of what is left */
	CLI_CHART_LEVELS = 800, /* more than these are not drawn one by one */
	CLI_CHART_PLOT = 170	/* pixels: height of a panel's plot */
};

struct cli_chart_page {
	struct cli *cli;
	struct mer_arena arena; /* for what lives as long as the page */
	int64_t begin, end;	/* the axis: ns since 1970 */
	bool compact;		/* only the lowest panel says the time, and all are lower */
	const char *task_note;	/* below the titles of compact panels of tasks; NULL: none */
	struct mer_svg_chart *panels;
	size_t n, cap;
	struct mer_intern keys; /* what series are of: each has one color on all panels */
	bool failed;		/* memory ran out */
};

void cli_chart_init(struct cli_chart_page *p, struct cli *cli, int64_t begin, int64_t end);
void cli_chart_fini(struct cli_chart_page *p);

/* A panel below the others. Texts are copied; the unit is added to y_title. The result, to set a note, a
 * range of y or a height, holds until the next panel is made; NULL: no memory. */
struct mer_svg_chart *cli_chart_panel(
	struct cli_chart_page *p, const char *title, const char *y_title, enum mer_svg_unit unit);

/* A series. Names are copied. */
struct cli_chart_name {
	const char *name; /* in the legend; NULL: not there */
	const char *
		key; /* what it is of: gives it its color, on all panels the same; NULL: its name */
};

/* Points; x: ns since p->begin. Values are borrowed until the page is written: those from
 * cli_chart_values live long enough. */
void cli_chart_points(struct cli_chart_page *p, struct cli_chart_name name, const double *x,
	const double *y, size_t n);
double *cli_chart_values(struct cli_chart_page *p, size_t n); /* zeroed; NULL: no memory */

/* Levels: a value for each part of the time, edges[i] to edges[i + 1] (ns since 1970, ascending, n + 1 of
 * them). values[s]: n of the series s; NAN: none. Stacked: on each other, none counts as 0, none is below
 * 0; otherwise lines. Of more than CLI_CHART_LEVELS, of each few neighbours the one is drawn
 * that has most, all series of the same. others: the last one is what is left. */
void cli_chart_levels(struct cli_chart_page *p, bool stacked, const struct cli_chart_name *names,
	const double *const *values, size_t n_series, bool others, const int64_t *edges, size_t n);

/* A line of levels in the color of the axis, over the others: what these sum up to, and more. */
void cli_chart_total(struct cli_chart_page *p, const char *name, const double *values,
	const int64_t *edges, size_t n);

int cli_chart_write(struct cli_chart_page *p, const char *title, const char *path);

#endif
