/* Clock map: one host's clock to the reference clock, piece by piece.
 *
 *   time = piece.time + (t - piece.begin) + floor((t - piece.begin) * piece.rate / 2^60)
 *
 * where the piece is the last one that begins at or before t (the first one before all of them).
 * Exact integers: the same on every machine and thread. Never decreasing: an event that came later
 * on its host comes later on the common time line, or at the same nanosecond.
 *
 * src/sync computes maps, this layer applies them: from then on every time that an experiment
 * returns is on the reference clock. */
#ifndef MER_TRACE_CLOCK_MAP_H
#define MER_TRACE_CLOCK_MAP_H

#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/err.h"

struct mer_experiment;

enum { TRACE_RATE_BITS = 60 };

struct trace_clock_piece {
	int64_t begin; /* host clock, ns: as the host's traces have it */
	int64_t time;  /* reference clock at begin, ns */
	int64_t rate;  /* reference ns per host ns, minus 1, in units of 2^-60; -2^60 or more */
};

struct trace_clock_map {			/* no pieces: the host's clock is the reference */
	const struct trace_clock_piece *pieces; /* by begin */
	size_t n;
};

/* MER_NO_TIME (INT64_MIN) and INT64_MAX mean "none" and "no end" and are not converted; other times
 * saturate just short of them. */
int64_t trace_map_time(const struct trace_clock_map *m, int64_t t);
/* The inverse: the earliest host time that maps to this reference time or later. INT64_MAX: there
 * is none. */
int64_t trace_unmap_time(const struct trace_clock_map *m, int64_t time);
size_t trace_find_piece(const struct trace_clock_map *m, int64_t t);
/* The piece in which t lies, for readers that convert many times close to each other: tries piece
 * number *near first, and stores the one found in it. The map must have pieces. */
static inline const struct trace_clock_piece *trace_map_piece(
	const struct trace_clock_map *m, int64_t t, size_t *near)
{
	size_t i = *near;
	if (i >= m->n || (i > 0 && t < m->pieces[i].begin) ||
		(i + 1 < m->n && t >= m->pieces[i + 1].begin))
		*near = i = trace_find_piece(m, t);
	return &m->pieces[i];
}
/* The time at t, which lies in this piece. */
static inline int64_t trace_piece_time(const struct trace_clock_piece *p, int64_t t)
{
	if (t == INT64_MIN || t == INT64_MAX)
		return t;
	__int128 d = (__int128)t - p->begin,
		 time = p->time + d + ((d * p->rate) >> TRACE_RATE_BITS);
	return time <= INT64_MIN ? INT64_MIN + 1 : time < INT64_MAX ? (int64_t)time : INT64_MAX - 1;
}
/* Checks that pieces are in order, rates in range, and time never decreases; the error names the
 * wrong piece. */
int trace_check_map(const struct trace_clock_map *m, struct mer_err *err);

/* Converts all times of the experiment (packets, streams, traces, losses, events read later) to the
 * reference clock. maps: one for each host; copied. Call it once, after any reading that needs the
 * hosts' own clocks and before any other. Not thread-safe. */
int trace_apply_clock_maps(
	struct mer_experiment *e, const struct trace_clock_map *maps, struct mer_err *err);

#endif
