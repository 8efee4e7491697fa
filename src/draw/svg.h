/* Charts as SVG: points, lines and bands over two axes, one chart below the other.
 *
 * One text file that needs nothing else: no script, no font, no reference to the outside; colors
 * for light and dark. The size of the file is bounded: when there are more points than can be told
 * apart, of each few neighbours the extremes are kept, so nothing that stands out is lost, and a
 * band only gets wider. Values that are not finite are left out, and no line is drawn across them;
 * text may be anything. */
#ifndef MER_DRAW_SVG_H
#define MER_DRAW_SVG_H

#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "base/str.h"

enum mer_svg_kind {
	MER_SVG_POINTS,
	MER_SVG_LINE,
	MER_SVG_BAND, /* the area between y and y2, what lies below shows through */
	MER_SVG_AREA  /* the same of a stack: nothing shows through, and no point is left out, as
			 areas on each other must have the same ones */
};

enum mer_svg_unit {
	MER_SVG_PLAIN,
	MER_SVG_DURATION, /* ns; shown as ns, us, ms or s */
	MER_SVG_CLOCK,	  /* ns after the axis' origin; shown as local time of day */
	MER_SVG_BYTES,	  /* shown as B, KiB, MiB, ... */
	MER_SVG_RATE,	  /* bytes per second, likewise */
	MER_SVG_PERCENT,  /* 0..100 */
	MER_SVG_KHZ	  /* shown as kHz, MHz or GHz */
};

enum {
	MER_SVG_COLORS = 10,
	MER_SVG_INK = 1 << 20,
	MER_SVG_OWN = 1 << 30, /* plus 0xrrggbb: this color */
	/* Of the whole file; more when there are very many series, and those of areas besides. */
	MER_SVG_MAX_POINTS = 20000
};

struct mer_svg_series {
	enum mer_svg_kind kind;
	const char *name; /* in the legend; NULL: not there */
	unsigned
		/* MER_SVG_INK: that of text; from MER_SVG_OWN on one as it says; from
		 * MER_SVG_COLORS on those that are harder to tell apart */
		color;
	const double *x, *y, *y2; /* by x; y2 of bands only; borrowed */
	size_t n;
};

struct mer_svg_axis {
	const char *title; /* a unit is added to it; of x: NULL: the next chart below has the same
			      axis and says it all */
	enum mer_svg_unit unit;
	int64_t origin;	 /* MER_SVG_CLOCK: ns since 1970 */
	double min, max; /* not min < max: as the series need */
};

struct mer_svg_chart {
	const char *title, *note; /* note: a line below it; NULL: none */
	struct mer_svg_axis x, y;
	const struct mer_svg_series *series; /* drawn in this order */
	size_t n_series;
	unsigned height; /* pixels; 0: 500 */
	unsigned plot;	 /* pixels of the area of the plot, whatever is above and below: instead of
			    height; 0: what that leaves */
};

/* Adds a document of 900 pixels width. title: what the whole shows, for those who cannot see it. */
int mer_svg_write(struct mer_str *out, const char *title, const struct mer_svg_chart *charts,
	size_t n, struct mer_err *err);

#endif
