/* Corridor: what the messages between two hosts guarantee about the difference of their clocks.
 *
 * f(x) is unknown, x a time of one clock (points.h). Each message says f <= y or f >= y at one
 * instant, and |f'| <= rate carries that to all others: a point casts a cone,
 *
 *   f(x) <= y + rate * |x - x0|            f(x) >= y - rate * |x - x0|
 *
 * and the corridor is the intersection of all cones. Unlike the hull (sync/classic/hull.h), which
 * fits one line to all times, it assumes nothing but the rate, holds at every instant, and is not
 * an estimate.
 *
 * A corridor is stored as the points that no other point implies; this set does not depend on the
 * order in which they were added. */
#ifndef MER_SYNC_LIMITS_CORRIDOR_H
#define MER_SYNC_LIMITS_CORRIDOR_H

#include <stdbool.h>
#include "base/err.h"
#include "sync/estimate/fit.h"

struct sync_corridor_side {
	struct sync_point *p; /* malloc'ed; redundant points are dropped at the next query */
	size_t n, cap;
	size_t n_sorted; /* the first ones: sorted by x, none implied by another one */
};

struct sync_corridor {
	double rate;
	int64_t units; /* the same in units of 2^-40 */
	struct sync_corridor_side upper, lower;
};

/* rate: 0 to 1; 1e-3 for 1000 ppm. */
void sync_corridor_init(struct sync_corridor *c, double rate);
void sync_corridor_free(struct sync_corridor *c);
/* Any points in any order. Points sorted by x cost a few nanoseconds each, others a sort now and
 * then; memory is a few times the largest number of points that mattered at once, at least 1024
 * points. An upper point INT64_MAX, or a lower point INT64_MIN, limits nothing. On failure (no
 * memory) c is as before. */
int sync_corridor_add(
	struct sync_corridor *c, bool upper, struct sync_point p, struct mer_err *err);
/* Queries. The first one after an addition sorts the points, so c is not const; after that, several
 * threads may query it. */

/* Limits of f at x, rounded outwards. False: at least one is missing (*low is INT64_MIN, or *high
 * INT64_MAX). */
bool sync_corridor_limits(struct sync_corridor *c, int64_t x, int64_t *low, int64_t *high);

/* Half the distance of the limits over a range, at 255 evenly spaced instants of it. Where a clock
 * broke there are several corridors, one after the other: each one covers its part of the range. */
enum { SYNC_WIDTHS = 255 };
struct sync_widths {
	int64_t begin, end;
	double half[SYNC_WIDTHS]; /* at the instants that have both limits, ns */
	size_t n;
	double max;
	int64_t max_at;
};
struct sync_width {
	double min, median, max; /* ns; INFINITY: nowhere two limits */
	int64_t max_at;		 /* the first one; 0: nowhere */
};
void sync_widths_init(struct sync_widths *w, int64_t begin, int64_t end);
/* Adds the instants in [from, to]. The parts are disjoint and come in any order. */
void sync_widths_take(struct sync_widths *w, struct sync_corridor *c, int64_t from, int64_t to);
struct sync_width sync_widths_result(struct sync_widths *w);

#endif
