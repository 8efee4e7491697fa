/* Lanes: what CPUs or tasks did in a window, as spans of one state after the other: exactly, or in
 * bins for a picture.
 *
 * Bins are a power of two of nanoseconds wide and begin at multiples of it, so the first and the
 * last may reach beyond the window. A bin has a span for each state in it, and each cause of waits
 * and interruptions, all of which begin and end with it, and how much of it each of them was; bins
 * that are wholly of the same are one span. Both a store and spans in memory give the same. */
#ifndef MER_SESSION_LANES_H
#define MER_SESSION_LANES_H

#include "session/tasks.h"
#include "store/lanes.h"

struct session_lane {
	uint32_t host;
	bool is_cpu;
	uint32_t number; /* of the CPU or task */
};

struct session_lane_span {
	int64_t begin, end, ns; /* ns: how long the lane was in this state from begin to end */
	uint32_t lane;
	uint32_t span; /* of the host; KERNEL_NONE: of bins */
	uint8_t state; /* enum kernel_state */
	uint8_t cause; /* enum kernel_cause; in bins only of waits and interruptions */
};

struct session_lanes { /* zeroed: none */
	struct session_lane *item;
	size_t n;
	struct session_lane_span *spans; /* by lane, then begin, state and cause; malloc'ed */
	size_t n_spans, cap_spans;
};

/* A lane for each CPU that is recorded and selected, by host and number; for each of the tasks. In
 * the arena. */
int session_lanes_of_cpus(const struct session_world *w, const struct session_selection *s,
	struct mer_arena *arena, struct session_lanes *l, struct mer_err *err);
int session_lanes_of_tasks(const struct session_tasks *tasks, struct mer_arena *arena,
	struct session_lanes *l, struct mer_err *err);
enum { SESSION_LANE_BINS = 1 << 20 }; /* max_bins at most */
/* These bins; false: nothing was recorded in the window. */
bool session_lanes_bins(const struct mer_experiment *e, const struct session_window *window,
	uint32_t max_bins, struct store_window *bins);
/* What they did in this window. max_bins: the largest number of bins; 0: exactly, cut to the
 * window. session_lanes_fini in any case. MER_ERR_USAGE: too many bins. */
int session_lanes_read(const struct session_world *w, const struct session_window *window,
	uint32_t max_bins, struct session_lanes *l, struct mer_err *err);
void session_lanes_fini(struct session_lanes *l);

#endif
