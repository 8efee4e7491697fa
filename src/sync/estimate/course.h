/* Course: a host's offset over its own time, as a continuous line of straight pieces.
 *
 *   offset(t) = reference time - t
 *
 * long double, because an offset may be decades and must still be exact to fractions of a
 * nanosecond. The map that is applied (trace/clock_map.h) is the rounded course. */
#ifndef MER_SYNC_ESTIMATE_COURSE_H
#define MER_SYNC_ESTIMATE_COURSE_H

#include "base/arena.h"
#include "sync/estimate/fit.h"
#include "trace/clock_map.h"

struct sync_course_knot {
	int64_t t;	 /* host clock, ns */
	long double off; /* ns */
};

/* Zeroed: 0 everywhere; outside of the knots the first and last slopes go on. */
struct sync_course {
	struct sync_course_knot *knots; /* malloc'ed; by t, strictly */
	size_t n, cap;
};

/* Distance of an additional knot outside of the known part of a course, which defines the slope
 * with which the course continues. */
#define SYNC_FAR_NS INT64_C(1000000000000)

void sync_course_free(struct sync_course *c);
int sync_course_add(struct sync_course *c, int64_t t, long double off, struct mer_err *err);
/* hint: where the search begins, updated; makes walks forwards fast. NULL is fine. */
long double sync_course_at(const struct sync_course *c, int64_t t, size_t *hint);

/* offset of a host whose clock is known against another one, whose own offset is `outer`:
 * offset(t) = inner(t) + outer(t + inner(t)). */
int sync_course_compose(const struct sync_course *inner, const struct sync_course *outer,
	struct sync_course *c, struct mer_err *err);
/* The same relation seen from the other clock: c(u) = -inner(t) where u = t + inner(t). */
int sync_course_invert(const struct sync_course *inner, struct sync_course *c, struct mer_err *err);
/* Weighted mean of n courses, at all their knots. */
int sync_course_mean(const struct sync_course *const *courses, const double *weights, size_t n,
	struct sync_course *c, struct mer_err *err);
/* Drops knots that are at most tolerance_ns away from the line through the remaining ones. */
void sync_course_simplify(struct sync_course *c, long double tolerance_ns);

/* The course as a clock map, in the arena; slopes are clamped to the range of a map. */
int sync_course_map(const struct sync_course *c, struct mer_arena *arena,
	struct trace_clock_map *map, struct mer_err *err);

#endif
