/* Lanes: how long each task and each CPU was in each state, in bins that are a power of two of
 * nanoseconds wide. The timeline is drawn from this. Waits and interruptions are kept apart by
 * cause: the timeline must not show a disk wait as sleep, or stolen time as an interrupt.
 *
 * Wide bins come from a pyramid saved in the store. The bins of each level are four times as wide
 * as those of the level below. A level has a record for each bin in which a lane changed its state;
 * in the bins between, the lane kept the state at the end of the last record. Narrower bins are
 * computed from the spans. Both give exactly the same numbers.
 *
 * The lane of a CPU has the time of the tasks on it by state; in the rest of a bin no task was on
 * it. The lane of a task has the task's states; the rest of a bin is before its begin or after its
 * end. */
#ifndef MER_STORE_LANES_H
#define MER_STORE_LANES_H

#include "store/spans.h"

/* Writes the pyramid of a host, and which tasks were on its CPUs at the begin of each stretch of
 * blocks. */
int store_lanes_save(struct store_writer *w, const struct kernel_world *world, uint32_t host,
	struct mer_cancel *cancel, struct mer_err *err);

/* End of the bin of 2^shift ns that begins at bin << shift; saturates at the greatest time. */
static inline int64_t store_bin_end(int64_t bin, unsigned shift)
{
	return bin >= INT64_MAX >> shift ? INT64_MAX : (int64_t)((uint64_t)(bin + 1) << shift);
}

/* Kinds of time that are kept: one for each state, but one for each cause of KERNEL_INTERRUPTED and
 * KERNEL_BLOCKED. Ordered by state, then by cause. */
enum {
	STORE_KIND_CAUSES = KERNEL_N_CAUSES - 1, /* additional kinds of a state with causes */
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

/* times: STORE_KINDS numbers (ns) for each bin of each lane. MER_ERR_INPUT: the data needed is
 * damaged. */
int store_lanes_read(struct store_spans *s, const struct kernel_host *h, uint32_t host,
	const struct store_lane *lanes, size_t n_lanes, const struct store_window *window,
	int64_t *times, struct mer_err *err);
/* Where the last span of the task ends. */
int64_t store_lanes_end(const struct kernel_host *h, uint32_t task);
/* The smallest shift with which n_bins bins cover [begin, end]. */
unsigned store_lanes_shift(int64_t begin, int64_t end, uint32_t n_bins);
/* Width (as a shift) of the bins in the lowest level of a host's pyramid: wide enough for
 * STORE_SPANS_PER_BIN spans per bin on average. */
unsigned store_lanes_lowest_shift(const struct kernel_host *h);

#endif
