/* Passage: the lines that pass between limits of a clock offset, above those of one side and below
 * those of the other.
 *
 * Only limits on the convex hulls of both sides can be touched, so only those are kept. The gap
 * between the limits along lines of one rate is concave in the rate. So the rates with a gap are an
 * interval, and the highest line can be found in it by a search for a maximum. */
#ifndef MER_SYNC_ESTIMATE_PASSAGE_H
#define MER_SYNC_ESTIMATE_PASSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include "base/err.h"
#include "sync/estimate/straight.h"

struct sync_passage {
	struct {
		struct sync_straight_point *p;
		size_t n;
	} side[2]; /* upper limits, lower ones */
};

struct sync_gap {
	double size, middle; /* middle: offset in the middle of the gap, at t = 0 */
};

/* Room for n limits on each side; must be freed also after a failure. */
int sync_passage_new(struct sync_passage *h, size_t n, struct mer_err *err);
void sync_passage_free(struct sync_passage *h);
/* Points are added in the order of t; t is stored relative to `zero`. */
void sync_passage_add(struct sync_passage *h, const struct sync_straight_point *p, double zero);
void sync_passage_clear(struct sync_passage *h);

struct sync_gap sync_passage_gap(const struct sync_passage *h, double rate);
/* The rate with the widest gap. */
double sync_passage_widest(const struct sync_passage *h, double low, double high);
/* The last rate on the way from `in` to `out` at which the gap is at least `least`; it is at
 * `in`. */
double sync_passage_last(const struct sync_passage *h, double least, double in, double out);

struct sync_passage_range {
	double low, high;	   /* offsets at t = 0 of the lines that pass */
	double flattest, steepest; /* their rates */
};

/* For lines with rates from `low` to `high`. False: none passes. */
bool sync_passage_range(
	const struct sync_passage *h, double low, double high, struct sync_passage_range *r);

#endif
