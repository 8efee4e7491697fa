/* Clock map: one host's clock to the reference clock, piece by piece.
 *
 *   time = piece.time + (t - piece.begin) + floor((t - piece.begin) * piece.rate / 2^60)
 *
 * where the piece is the last one that begins at or before t (the first one before all of them).
 * Exact integers: the same on every machine and thread. Never decreasing: an event that came later
 * on its host comes later on the common time line, or at the same nanosecond.
 *
 * src/sync computes maps, this layer applies them: from then on every time that an experiment hands
 * out is one of the reference clock. */
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

/* MER_NO_TIME (INT64_MIN) and INT64_MAX mean "none" and "no end": they stay what they are, and what
 * does not fit saturates next to them. */
int64_t trace_map_time(const struct trace_clock_map *m, int64_t t);
/* The other way: the earliest host time that is at or after the reference time. INT64_MAX: none
 * is. */
int64_t trace_unmap_time(const struct trace_clock_map *m, int64_t time);
size_t trace_find_piece(const struct trace_clock_map *m, int64_t t);
/* The piece in which t lies, for readers that convert many times near each other: looks at piece
 * number *near first, and leaves there the one that it was. The map has pieces. */
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
/* Pieces in order, rates in range, nowhere decreasing? Otherwise says which piece is wrong. */
int trace_check_map(const struct trace_clock_map *m, struct mer_err *err);

/* Puts all times of the experiment (packets, streams, traces, losses, events to be read) on the
 * reference clock. maps: one for each host; copied. Once, before anything else is read; readings
 * that need the hosts' own clocks are done before. Not thread-safe. */
int trace_apply_clock_maps(
	struct mer_experiment *e, const struct trace_clock_map *maps, struct mer_err *err);

#endif
