/* Track: in which stay of its vCPU each event of a guest happened.
 *
 * Follows the feasible offsets (feasible.h) over all events, forwards and backwards, within the
 * other limits of the offset. An event's stay is certain when all feasible offsets put it there.
 * Where no offset remains feasible, the event contradicts the schedule: a single one is left out;
 * several in short succession mean that the clock jumped, and tracking starts again there from the
 * other limits. */
#ifndef MER_SYNC_VCPU_TRACK_H
#define MER_SYNC_VCPU_TRACK_H

#include "sync/vcpu/feasible.h"

struct sync_offset_limit { /* a limit of the offset from other sources than the schedule */
	int64_t at;	   /* guest's clock */
	struct sync_offsets range;
	bool is_fresh; /* the clock may have jumped since the limit before */
};

enum { SYNC_NO_STAY = UINT32_MAX };

struct sync_track {
	uint32_t *stays; /* a block of spill; as the events: SYNC_NO_STAY */
	size_t n;
	uint64_t n_looked_at; /* events on CPUs whose vCPU is known: those used */
	uint64_t n_certain;   /* of these, the ones whose stay is certain */
	uint64_t n_bad;	      /* left out: they contradict */
	double bits;	      /* evidence: a wrong offset would fit with the probability 2^-bits */
	uint64_t n_breaks;    /* how often tracking started again */
	struct sync_range *gaps; /* malloc'ed; guest's clock: nothing can be concluded */
	size_t n_gaps, cap_gaps;
};

struct sync_track_options {
	double max_drift;
	const struct sync_offset_limit
		*limits; /* by at; at least one: the first one is the start */
	size_t n_limits;
	bool is_proven; /* the limits are proven, not just likely: less evidence is enough */
	size_t most;	/* maximum of events to use; 0: all */
	struct mer_spill *spill;
	struct mer_cancel *cancel;
};

/* cpus: by the guest's CPU. */
int sync_track_run(const struct sync_guest_events *g, struct sync_cpu_gaps *cpus, size_t n_cpus,
	const struct sync_track_options *o, struct sync_track *t, struct mer_err *err);
/* Did most events fit, with only isolated contradictions? */
bool sync_track_is_likely(const struct sync_track *t);
void sync_track_fini(struct sync_track *t);

#endif
