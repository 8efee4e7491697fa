/* Hull state: shared by hull.c and hull_line.c only.
 *
 * Messages are points: x on the first host's clock, y on the second's. "forth" indexes arrays of
 * two: [true] has the messages that the first host sent: the upper limits, and the line of greatest
 * slope, which ends at one of them; [false] those that it received: the lower limits, and the line
 * of least slope. A line begins at a point of the other side's hull. */
#ifndef MER_SYNC_CLASSIC_HULL_STATE_H
#define MER_SYNC_CLASSIC_HULL_STATE_H

#include "sync/classic/hull.h"

struct hull_point {
	int64_t x, y;
};

struct hull_end { /* one end of a line */
	struct hull_point p;
	bool is_set;
};

struct hull_line {
	struct hull_end from, to;
	size_t from_index; /* in the other side's hull; SIZE_MAX: not (or no longer) there */
};

struct hull_side {
	struct hull_point *members;
	size_t n, cap;
};

struct sync_hull {
	struct hull_side sides[2];
	struct hull_line lines[2];
	struct hull_line good[2]; /* the published result: the last lines before a failure */
	struct hull_point first;  /* message; with n_messages */
	enum sync_quality quality;
	int64_t failed_at;
	size_t n_messages, n_accurate;
	uint64_t n_steps; /* taken along the hulls, in all searches */
	bool gave_up;	  /* too many steps: nothing is added any more */
};

/* A difference of two times has 65 bits: sign and magnitude. */
struct hull_difference {
	uint64_t magnitude;
	bool negative;
};

static inline struct hull_difference hull_difference(int64_t a, int64_t b)
{
	return a < b ? (struct hull_difference){ (uint64_t)b - (uint64_t)a, true }
		     : (struct hull_difference){ (uint64_t)a - (uint64_t)b, false };
}

#endif
