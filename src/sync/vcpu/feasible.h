/* Feasible: the offsets that a guest's clock may have against its hypervisor's.
 *
 *   offset at t = hypervisor's clock - guest's clock, when the guest's clock shows t
 *
 * A guest's event at t cannot have happened in a gap of its vCPU (schedule.h): the offsets
 * (gap.exit - t, gap.entry - t) are impossible. What remains of a first range is a set of ranges.
 * Between two events the offset changes by at most the drift times the time between, so the set
 * widens; at each event it is cut. It becomes one range as soon as all others are impossible, and
 * every statement about it is proven: the set always contains the true offset, as long as the drift
 * is not larger and the first range contained it. May be moved forwards or backwards in time. */
#ifndef MER_SYNC_VCPU_FEASIBLE_H
#define MER_SYNC_VCPU_FEASIBLE_H

#include "sync/vcpu/schedule.h"

struct sync_offsets { /* ends included */
	int64_t low, high;
};

struct sync_feasible {
	int64_t units;		 /* the drift, in units of 2^-40 */
	int64_t at;		 /* guest's clock: the set is of this moment */
	struct sync_offsets *v;	 /* malloc'ed; disjoint, by low */
	struct sync_offsets *to; /* malloc'ed; what a cut makes */
	size_t n, cap, cap_to;
};

/* Of a VM's vCPUs, by the guest's CPU. */
struct sync_cpu_gaps {
	const struct sync_gap *gaps; /* NULL: the CPU's vCPU is not known */
	size_t n;
	size_t hint; /* a gap near which the last question was */
};

void sync_feasible_init(struct sync_feasible *f, double max_drift);
void sync_feasible_fini(struct sync_feasible *f);
/* The whole set is this range at this moment. False: no memory. */
bool sync_feasible_begin(struct sync_feasible *f, int64_t at, struct sync_offsets range);
void sync_feasible_move(struct sync_feasible *f, int64_t to);
/* Nothing outside of the range. False: nothing would remain, and f is as before. */
bool sync_feasible_within(struct sync_feasible *f, struct sync_offsets range);

enum sync_cut { SYNC_CUT, SYNC_CUT_CONTRADICTS, SYNC_CUT_NOMEM };
/* An event of the moment on that CPU. Contradicts: nothing would remain, and f is as before. */
enum sync_cut sync_feasible_cut(struct sync_feasible *f, struct sync_cpu_gaps *cpu);
/* Number of the stay that a moment of the hypervisor's clock is in: between gaps[stay - 1] and
 * gaps[stay]. */
size_t sync_stay_at(struct sync_cpu_gaps *cpu, int64_t time);

#endif
