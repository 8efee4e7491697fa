/* Corridor: what the messages between two hosts guarantee of the difference of their clocks.
 *
 * f(x) is unknown, x a time of one clock (points.h). Each message says f <= y or f >= y at one
 * instant, and |f'| <= rate carries that to all others: a point casts a cone,
 *
 *   f(x) <= y + rate * |x - x0|            f(x) >= y - rate * |x - x0|
 *
 * and the corridor is what all cones leave. The sister of sync/classic/hull.h, which has one line
 * for all times: this one needs no more than the rate, holds at every instant, and is no estimate.
 *
 * A corridor is the set of its points that do not follow from another one of them, which does not
 * depend on their order. */
#ifndef MER_SYNC_LIMITS_CORRIDOR_H
#define MER_SYNC_LIMITS_CORRIDOR_H

#include <stdbool.h>
#include "base/err.h"
#include "sync/estimate/fit.h"

struct sync_corridor_side {
	struct sync_point *p; /* malloc'ed; more than needed until the next question is asked */
	size_t n, cap;
	size_t n_sorted; /* so many are by x, and none of them follows from another one */
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
 * then; memory is that of a few times as many points as mattered at any time, or of 1024. The limit
 * INT64_MAX of an upper point, INT64_MIN of a lower one, says nothing. On failure (no memory) c is
 * as before. */
int sync_corridor_add(
	struct sync_corridor *c, bool upper, struct sync_point p, struct mer_err *err);
/* Questions. The first one after an addition brings the points in order, so c is not const; from
 * then on they may be asked by several threads. */

/* Limits of f at x, rounded outwards. False: at least one is missing (*low is INT64_MIN, or *high
 * INT64_MAX). */
bool sync_corridor_limits(struct sync_corridor *c, int64_t x, int64_t *low, int64_t *high);

/* Half the distance of the limits over a range, at 255 evenly spaced instants of it. Where one
 * clock broke there are several corridors, one after the other: each is taken for its part of the
 * range. */
enum { SYNC_WIDTHS = 255 };
struct sync_widths {
	int64_t begin, end;
	double half[SYNC_WIDTHS]; /* of the instants at which there were two limits, ns */
	size_t n;
	double max;
	int64_t max_at;
};
struct sync_width {
	double min, median, max; /* ns; INFINITY: nowhere two limits */
	int64_t max_at;		 /* the first one; 0: nowhere */
};
void sync_widths_init(struct sync_widths *w, int64_t begin, int64_t end);
/* The instants in [from, to]. Disjoint parts, in any order. */
void sync_widths_take(struct sync_widths *w, struct sync_corridor *c, int64_t from, int64_t to);
struct sync_width sync_widths_result(struct sync_widths *w);

#endif
