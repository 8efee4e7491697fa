/* Feasible: the offsets that a guest's clock may have against its hypervisor's.
 *
 *   offset at t = hypervisor's clock - guest's clock, when the guest's clock shows t
 *
 * A guest's event at t cannot have happened in a gap of its vCPU (schedule.h): the offsets
 * (gap.exit - t, gap.entry - t) are impossible. What remains of the initial range is a set of
 * ranges. Between two events the offset changes by at most the drift times the time between, so the
 * set widens; at each event it is cut. It shrinks to one range when all others have become
 * impossible. The set always contains the true offset, provided that the drift is within its limit
 * and the initial range contained the offset. It can be moved forwards or backwards in time. */
#ifndef MER_SYNC_VCPU_FEASIBLE_H
#define MER_SYNC_VCPU_FEASIBLE_H

#include "sync/vcpu/schedule.h"

struct sync_offsets { /* ends included */
	int64_t low, high;
};

struct sync_feasible {
	int64_t units;		 /* the drift, in units of 2^-40 */
	int64_t at;		 /* guest's clock: the time for which the set holds */
	struct sync_offsets *v;	 /* malloc'ed; disjoint, by low */
	struct sync_offsets *to; /* malloc'ed; buffer for the result of a cut */
	size_t n, cap, cap_to;
};

/* Gaps of the vCPU of one CPU of the guest. */
struct sync_cpu_gaps {
	const struct sync_gap *gaps; /* NULL: the CPU's vCPU is not known */
	size_t n;
	size_t hint; /* gap near the last lookup */
};

void sync_feasible_init(struct sync_feasible *f, double max_drift);
void sync_feasible_fini(struct sync_feasible *f);
/* Sets the set to this range at this time. False: no memory. */
bool sync_feasible_begin(struct sync_feasible *f, int64_t at, struct sync_offsets range);
void sync_feasible_move(struct sync_feasible *f, int64_t to);
/* Removes everything outside of the range. False: nothing would remain; f is unchanged. */
bool sync_feasible_within(struct sync_feasible *f, struct sync_offsets range);

enum sync_cut { SYNC_CUT, SYNC_CUT_CONTRADICTS, SYNC_CUT_NOMEM };
/* Removes the offsets that an event on that CPU, at the time of the set, makes impossible.
 * SYNC_CUT_CONTRADICTS: nothing would remain; f is unchanged. */
enum sync_cut sync_feasible_cut(struct sync_feasible *f, struct sync_cpu_gaps *cpu);
/* The stay at a time of the hypervisor's clock: stay n is between gaps[n - 1] and gaps[n]. */
size_t sync_stay_at(struct sync_cpu_gaps *cpu, int64_t time);

#endif
