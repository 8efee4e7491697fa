/* Clocks of generated worlds: a host's clock as a function of true time, known to the nanosecond.
 *
 * True time begins at 0 with the world. A clock is a list of pieces of constant rate; between them
 * it goes on, or jumps ahead. It goes back only where that is asked for: CLOCK_MONOTONIC, which
 * tracers record, does not, and a machine that was paused has a clock that stood still. Exact
 * integers, independent of the code that the worlds test (src/trace/clock_map.h has clocks of the
 * same shape, on purpose). */
#ifndef WORLD_CLOCK_H
#define WORLD_CLOCK_H

#include <stddef.h>
#include "base/err.h"
#include "world_random.h"

enum world_clock_kind {
	WORLD_STRAIGHT, /* one rate */
	WORLD_FREE,	/* a free-running quartz: warms and cools, and wanders */
	WORLD_NTP,	/* disciplined: a new rate every now and then */
	WORLD_SAWTOOTH	/* two time sources: drifts away, is snapped back, drifts the other way */
};

enum { WORLD_MAX_GLITCHES = 16 };

struct world_glitch {  /* on top of the kind */
	int64_t at_ns; /* true time */
	/* > 0: jumps ahead at once. < 0: stands still for so long, as that of a paused machine. */
	int64_t step_ns;
	int64_t back_ns; /* > 0: steps back at once, and shows some times twice */
	/* Runs faster (slower) by this for so long: what NTP does to get rid of an offset. */
	double slew_ppm;
	int64_t slew_for_ns;
};

/* Zeroed members have the meaning of 0, not of a default: start from world_clock_defaults. */
struct world_clock_options {
	enum world_clock_kind kind;
	int64_t start_ns; /* the clock's value at true time 0 */
	double ppm;	  /* rate at the beginning, or on average */

	/* WORLD_FREE. A quartz oscillator without temperature control moves by some 0.1 ppm a
	 * degree; rooms and fans swing with periods of tens of minutes: two sinusoids of random
	 * phase, which together reach thermal_ppm. On top a random walk of the frequency, whose
	 * Allan deviation is walk_ppb * sqrt(tau / 3): 6e-9 at 100 s with 1 ppb per root second,
	 * 0.12 ppm after 4 hours. */
	double thermal_ppm;
	int64_t period_min_ns, period_max_ns; /* of the sinusoids */
	double walk_ppb;		      /* per square root of a second */
	int64_t piece_ns;		      /* the rate is constant for so long */

	/* WORLD_NTP: evenly distributed in ppm +- jump_ppm, every wait_min_ns to wait_max_ns. */
	double jump_ppm;
	int64_t wait_min_ns, wait_max_ns;

	/* WORLD_SAWTOOTH: away at tooth_ppm until the offset is tooth_ns, back at snap_ppm. */
	double tooth_ppm, snap_ppm;
	int64_t tooth_ns;

	struct world_glitch glitches[WORLD_MAX_GLITCHES]; /* by time */
	unsigned n_glitches;
};

struct world_clock_piece {
	int64_t begin; /* true time */
	int64_t clock; /* at begin */
	int64_t rate;  /* clock ns per true ns, minus 1, in units of 2^-60; -2^60: stands still */
};

struct world_clock {
	struct world_clock_piece
		*pieces; /* malloc'ed; by begin; the first and last go on outside */
	size_t n, cap;
};

/* Thermal +-0.5 ppm in 20 to 60 minutes, walk 1 ppb; NTP +-30 ppm each 30 to 300 s; sawtooth
 * 50 ppm up to 20 ms, snapped back at 40000 ppm. Straight until kind is set. */
struct world_clock_options world_clock_defaults(void);
/* For true times from 0 to duration_ns (the last piece goes on beyond). The caller frees c in any
 * case. */
int world_clock_make(struct world_clock *c, const struct world_clock_options *o,
	int64_t duration_ns, uint64_t seed, struct mer_err *err);
void world_clock_free(struct world_clock *c);

/* What the clock shows at a true time. */
int64_t world_clock_at(const struct world_clock *c, int64_t true_ns);
/* The earliest true time at which the clock shows clock_ns or more. */
int64_t world_clock_when(const struct world_clock *c, int64_t clock_ns);

#endif
