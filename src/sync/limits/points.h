/* Points: the messages between two hosts as limits of the difference of their clocks.
 *
 *   f(t) = clock of `other` - clock of `axis`, at the instants when the clock of axis shows t
 *
 * A message from axis to other that was sent at t and received at r says f(t) <= r - t; one the
 * other way, sent at s and received at t, says f(t) >= s - t. */
#ifndef MER_SYNC_LIMITS_POINTS_H
#define MER_SYNC_LIMITS_POINTS_H

#include "sync/estimate/fit.h"
#include "sync/messages.h"

struct sync_pair_points {
	/* These are blocks (base/spill.h). */
	struct sync_point *upper, *lower; /* by x */
	uint32_t *upper_of, *lower_of;	  /* the point's message in its link; NULL: the point's own
					     number */
	size_t n_upper, n_lower;
};

/* forth: the link from axis to other, back: the other way; either may be NULL. out_forth, out_back:
 * by message of the link: not 0 to leave it out; NULL: none. */
int sync_points_new(const struct sync_link *forth, const struct sync_link *back,
	const uint8_t *out_forth, const uint8_t *out_back, struct sync_pair_points *p,
	struct mer_err *err);
void sync_points_free(struct sync_pair_points *p);

/* Index of the first point at or after x; the points are sorted by x. */
size_t sync_first_point(const struct sync_point *p, size_t n, int64_t x);

#endif
