/* Charts: a page of panels, one below the other, that share a time axis, as SVG (draw/svg.h).
 *
 *   draw_chart_init(&p, begin, end, &err);
 *   draw_chart_panel(&p, "Requests of vda", "sector", MER_SVG_PLAIN);
 *   draw_chart_points(&p, (struct draw_chart_name){ "dd 4711" }, x, y, n);  (x: ns since p.begin)
 *   rc = draw_chart_svg(&p, "Where the requests went", &svg);
 *   draw_chart_fini(&p);
 *
 * Only writing can fail: the page remembers that memory ran out, and draw_chart_svg reports it.
 * Series are added to the newest panel. */
#ifndef MER_DRAW_CHART_H
#define MER_DRAW_CHART_H

#include "base/arena.h"
#include "base/map.h"
#include "draw/svg.h"

enum {
	DRAW_CHART_SERIES = 9,	 /* series of a panel that can be told apart; the rest are
				    "others" */
	DRAW_CHART_OTHERS = 8,	 /* the color of the others */
	DRAW_CHART_LEVELS = 800, /* with more, neighbours are merged */
	DRAW_CHART_PLOT = 170	 /* pixels: height of a panel's plot */
};

struct draw_chart_page {
	struct mer_err *err;
	struct mer_arena arena; /* for data that lives as long as the page */
	int64_t begin, end;	/* the axis: ns since 1970 */
	bool compact;		/* only the lowest panel labels the time axis, and all panels are
				   lower */
	const char *task_note;	/* below the titles of compact panels of tasks; NULL: none */
	struct mer_svg_chart *panels;
	size_t n, cap;
	struct mer_intern keys; /* keys of series: each has one color on all panels */
	bool failed;		/* memory ran out */
	/* The color of a view's state: 0xrrggbb plus 1; 0: none. NULL: no state has its own
	 * color. */
	uint32_t (*state_color)(const void *ctx, const char *view, const char *state);
	const void *state_color_ctx;
};

/* err: filled by all functions of the page; borrowed. */
void draw_chart_init(struct draw_chart_page *p, int64_t begin, int64_t end, struct mer_err *err);
void draw_chart_fini(struct draw_chart_page *p);

/* A panel below the others. Texts are copied; the unit is added to y_title. The result is for
 * setting a note, a range of y or a height, and is valid until the next panel is made; NULL: no
 * memory. */
struct mer_svg_chart *draw_chart_panel(
	struct draw_chart_page *p, const char *title, const char *y_title, enum mer_svg_unit unit);

/* A series. Names are copied. */
struct draw_chart_name {
	const char *name; /* in the legend; NULL: not there */
	const char *
		key; /* series with the same key get the same color on all panels; NULL: its name */
	uint32_t own; /* 0xrrggbb plus 1: use this color, or a shade of it if another series of the
			 panel has it; 0: none */
};

/* Points; x: ns since p->begin. Values are borrowed until the page is written; those from
 * draw_chart_values live long enough. */
void draw_chart_points(struct draw_chart_page *p, struct draw_chart_name name, const double *x,
	const double *y, size_t n);
double *draw_chart_values(struct draw_chart_page *p, size_t n); /* zeroed; NULL: no memory */

/* Levels: a value for each interval edges[i] to edges[i + 1] (ns since 1970, ascending, n + 1
 * edges). values[s]: the n values of series s; NAN: none. Stacked: areas on top of each other,
 * where NAN counts as 0 and no value may be negative; otherwise lines. With more than
 * DRAW_CHART_LEVELS, only the interval with the highest level of each few neighbours is drawn, the
 * same one for all series. others: the last series is the rest. */
void draw_chart_levels(struct draw_chart_page *p, bool stacked, const struct draw_chart_name *names,
	const double *const *values, size_t n_series, bool others, const int64_t *edges, size_t n);

/* A line of levels in the color of text, drawn over the series that were added before: the total,
 * which may exceed their sum. Levels are merged as by draw_chart_levels. */
void draw_chart_total(struct draw_chart_page *p, const char *name, const double *values,
	const int64_t *edges, size_t n);

/* Adds the picture. */
int draw_chart_svg(struct draw_chart_page *p, const char *title, struct mer_str *svg);

#endif
