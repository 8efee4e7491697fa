/* Known clocks: the clocks of a recording's hosts as its clock.csv tells them.
 *
 * A recording's clock.csv says: when the clock of `host` showed guest_mono_ns, a clock that all
 * have in common was between host_send_ns and host_recv_ns. Between its samples a host's clock is
 * known as far as its rate is: where all samples fit one rate, it was that one, give or take 2 ppm
 * (nobody touched it); else it was at most 500 ppm off, which is what the kernel allows. So truth
 * is an interval at every instant. Nothing here looks at messages. */
#ifndef TESTS_CASES_KNOWN_CLOCK_H
#define TESTS_CASES_KNOWN_CLOCK_H

#include "trace/experiment.h"

struct known_sample { /* ns */
	int64_t guest, send, recv;
};

struct known_clock {
	struct known_sample *samples; /* by guest */
	size_t n, cap;
	int64_t offset;		 /* what the trace adds to the guest's clock */
	double slowest, fastest; /* rate against the common clock, minus 1 */
	bool steady;		 /* one rate fits all */
};

struct interval {
	int64_t low, high;
};

/* Clocks of the experiment's hosts, whose samples the caller frees; how many are known. */
uint32_t known_clocks_read(
	const char *path, const struct mer_experiment *e, struct known_clock *clocks);
/* What the clock `to` showed when `from` showed t, both as in their traces. */
struct interval known_truth_at(
	const struct known_clock *from, const struct known_clock *to, int64_t t);

/* Each recording in the folder with known clocks of at least two hosts, in the order of their
 * names; how many. */
struct known_recording {
	const char *name;
	struct mer_experiment *e;
	struct known_clock *clocks; /* of its hosts */
	uint32_t n_known;
};
typedef void (*known_recording_fn)(void *ctx, const struct known_recording *r);
int known_clocks_each(const char *folder, known_recording_fn fn, void *ctx);

#endif
