/* Charts as SVG: points, lines and bands over two axes, one chart below the other.
 *
 * One self-contained text file: no script, no font, no external reference; colors for light and
 * dark pages. The size of the file is bounded: when there are more points than can be told apart,
 * only the extremes of each few neighbours are kept, so no outlier is lost, and a band only gets
 * wider. Values that are not finite are left out, and no line is drawn across them. Any text is
 * allowed; it is escaped. */
#ifndef MER_DRAW_SVG_H
#define MER_DRAW_SVG_H

#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "base/str.h"

enum mer_svg_kind {
	MER_SVG_POINTS,
	MER_SVG_LINE,
	MER_SVG_BAND, /* the area between y and y2, translucent */
	MER_SVG_AREA  /* the same for stacked areas: opaque, and no point is left out, as stacked
			 areas must have the same points */
};

enum mer_svg_unit {
	MER_SVG_PLAIN,
	MER_SVG_DURATION, /* ns; shown as ns, us, ms or s */
	MER_SVG_CLOCK,	  /* ns after the axis' origin; shown as local time of day */
	MER_SVG_BYTES,	  /* shown as bytes, KiB, MiB, ... */
	MER_SVG_RATE,	  /* bytes per second, likewise */
	MER_SVG_PERCENT,  /* 0..100 */
	MER_SVG_KHZ	  /* shown as kHz, MHz or GHz */
};

enum {
	MER_SVG_COLORS = 10,
	MER_SVG_INK = 1 << 20,
	MER_SVG_OWN = 1 << 30, /* plus 0xrrggbb: that color */
	/* Limit for the whole file; exceeded with very many series; points of areas are not
	 * counted. */
	MER_SVG_MAX_POINTS = 20000
};

struct mer_svg_series {
	enum mer_svg_kind kind;
	const char *name; /* in the legend; NULL: not in it */
	unsigned
		/* MER_SVG_INK: the color of text; from MER_SVG_OWN on: an RGB color; from
		 * MER_SVG_COLORS on: colors that are harder to tell apart */
		color;
	const double *x, *y, *y2; /* sorted by x; y2 for bands only; borrowed */
	size_t n;
};

struct mer_svg_axis {
	const char *title; /* the unit is appended; NULL for x: the chart below has the same axis
			      and labels it */
	enum mer_svg_unit unit;
	int64_t origin;	 /* MER_SVG_CLOCK: ns since 1970 */
	double min, max; /* unless min < max: the range of the series */
};

struct mer_svg_chart {
	const char *title, *note; /* note: a line below it; NULL: none */
	struct mer_svg_axis x, y;
	const struct mer_svg_series *series; /* drawn in this order */
	size_t n_series;
	unsigned height; /* pixels; 0: 500 */
	unsigned plot;	 /* pixels of the plot area alone, instead of height; 0: what `height`
			    leaves */
};

/* Adds a document of 900 pixels width. title: a description for screen readers. */
int mer_svg_write(struct mer_str *out, const char *title, const struct mer_svg_chart *charts,
	size_t n, struct mer_err *err);

#endif
