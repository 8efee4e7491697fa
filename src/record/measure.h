/* Measure: what a recording costs, from runs of a command without and with it in turns.
 *
 * Each pair of runs gives the logarithm of a ratio; a busy minute of the host, which both have, has
 * no part in it. Their mean has a confidence interval by Student's t. Beside each run a thread
 * wakes a thousand times a second: how late it does at worst is what a recording adds to that of
 * others. */
#ifndef MER_RECORD_MEASURE_H
#define MER_RECORD_MEASURE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct record_pulse {
	pthread_t thread;
	atomic_bool over;
	bool started;
	int64_t worst_ns;
};
/* False: there is no thread to be had. */
bool record_pulse_begin(struct record_pulse *p);
/* The latest wake-up, ns; -1: it did not run. */
int64_t record_pulse_end(struct record_pulse *p);

struct record_once {	    /* a run of the command */
	int64_t ns, cpu_ns; /* from its begin to its end; on CPUs, with its children */
	int64_t late_ns;    /* the latest wake-up meanwhile */
};

enum { RECORD_MOST_PAIRS = 32 };

struct record_cost { /* of one preset */
	struct record_once without[RECORD_MOST_PAIRS], with[RECORD_MOST_PAIRS];
	size_t n;
	uint64_t n_events, n_lost, bytes; /* of all recorded runs */
	int64_t recorded_ns;		  /* how long these took */
};

struct record_slower {		/* 0.05: five per cent */
	double mean, low, high; /* low, high: of 95 %; NAN below two pairs */
};
/* Of the time that it takes, or of that on CPUs, which says more where others use them too. */
struct record_slower record_cost_slower(const struct record_cost *c, bool of_cpu);
/* What an event costs, as the CPU time that was added over all pairs, ns; NAN without events. */
double record_cost_per_event(const struct record_cost *c);
enum record_what { RECORD_WITHOUT_NS, RECORD_WITH_NS, RECORD_LATER_NS };
/* The median over the pairs. RECORD_LATER_NS: by how much the latest wake-up was later. */
int64_t record_cost_median(const struct record_cost *c, enum record_what what);

#endif
