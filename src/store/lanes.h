/* Lanes: how long each task and each CPU was in each state, in bins of a power of two of
 * nanoseconds: what a picture of lanes is drawn from. Waits and interruptions are kept apart by
 * their cause: a picture must not call a wait for the disk sleep, nor stolen time an interrupt.
 *
 * Bins that are wide enough come from a pyramid that was made with the store: of each level, whose
 * bins are four times as wide as those of the one below, records of the bins in which a lane
 * changed its state; in the bins between it had the state in which the last one left it. Narrower
 * bins come from the spans. Both give the same numbers, exactly.
 *
 * A lane of a CPU has the time of tasks on it by their states; what is left of a bin nobody was on
 * it. A lane of a task has its states; what is left is before its begin or after its end. */
#ifndef MER_STORE_LANES_H
#define MER_STORE_LANES_H

#include "store/spans.h"

/* Writes the pyramid of a host, and who was on the CPUs where each stretch of blocks begins. */
int store_lanes_save(struct store_writer *w, const struct kernel_world *world, uint32_t host,
	struct mer_cancel *cancel, struct mer_err *err);

/* Where a bin of 2^shift ns ends that begins at bin << shift; one that has the last time there is
 * ends with it. */
static inline int64_t store_bin_end(int64_t bin, unsigned shift)
{
	return bin >= INT64_MAX >> shift ? INT64_MAX : (int64_t)((uint64_t)(bin + 1) << shift);
}

/* What times are kept of: a state, of KERNEL_INTERRUPTED and KERNEL_BLOCKED with a cause. In the
 * order of states, those of one state in that of causes. */
enum {
	STORE_KIND_CAUSES = KERNEL_N_CAUSES - 1, /* that a state with causes has more than others */
	STORE_KINDS = KERNEL_N_STATES + 2 * STORE_KIND_CAUSES
};
static inline unsigned store_lane_kind(unsigned state, unsigned cause)
{
	return state + (state > KERNEL_INTERRUPTED ? STORE_KIND_CAUSES : 0) +
	       (state > KERNEL_BLOCKED ? STORE_KIND_CAUSES : 0) +
	       (state == KERNEL_INTERRUPTED || state == KERNEL_BLOCKED ? cause : 0);
}
static inline void store_lane_kind_is(unsigned kind, uint8_t *state, uint8_t *cause)
{
	static const uint8_t with_causes[] = { KERNEL_INTERRUPTED, KERNEL_BLOCKED };
	*cause = 0;
	for (unsigned i = 0; i < 2; i++) {
		unsigned first = with_causes[i];
		if (kind <= first)
			break;
		if (kind <= first + STORE_KIND_CAUSES) {
			*cause = (uint8_t)(kind - first);
			kind = first;
			break;
		}
		kind -= STORE_KIND_CAUSES;
	}
	*state = (uint8_t)kind;
}

struct store_lane {
	bool is_cpu;
	uint32_t number; /* of the CPU or task */
};

struct store_window {
	int64_t begin;	/* a multiple of 2^shift */
	unsigned shift; /* bins of 2^shift ns; at most 62 */
	uint32_t n_bins;
};
static inline int64_t store_window_end(const struct store_window *w)
{
	return store_bin_end((w->begin >> w->shift) + w->n_bins - 1, w->shift);
}

/* times: for each lane and bin STORE_KINDS numbers, ns. MER_ERR_INPUT: what is needed is
 * damaged. */
int store_lanes_read(struct store_spans *s, const struct kernel_host *h, uint32_t host,
	const struct store_lane *lanes, size_t n_lanes, const struct store_window *window,
	int64_t *times, struct mer_err *err);
/* Where the last span of the task ends. */
int64_t store_lanes_end(const struct kernel_host *h, uint32_t task);
/* The smallest shift with which so many bins cover the time. */
unsigned store_lanes_shift(int64_t begin, int64_t end, uint32_t n_bins);
/* The bins of the lowest level of a host's pyramid: so wide that they have STORE_SPANS_PER_BIN
 * spans on average. */
unsigned store_lanes_lowest_shift(const struct kernel_host *h);

#endif
