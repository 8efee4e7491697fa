/* Measure: the overhead of a recording, from alternating runs of a command without and with it.
 *
 * Each pair of runs gives the logarithm of a ratio, so other load on the host, which affects both
 * runs, cancels out. The mean has a confidence interval by Student's t. During each run a thread
 * wakes 1000 times a second: its latest wake-up shows the scheduling latency that the recording
 * adds for other tasks. */
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
/* False: the thread could not be created. */
bool record_pulse_begin(struct record_pulse *p);
/* The largest wake-up delay, ns; -1: the thread did not run. */
int64_t record_pulse_end(struct record_pulse *p);

struct record_once {	    /* a run of the command */
	int64_t ns, cpu_ns; /* elapsed time; CPU time including children */
	int64_t late_ns;    /* largest wake-up delay during the run */
};

enum { RECORD_MOST_PAIRS = 32 };

struct record_cost { /* of one preset */
	struct record_once without[RECORD_MOST_PAIRS], with[RECORD_MOST_PAIRS];
	size_t n;
	uint64_t n_events, n_lost, bytes; /* of all recorded runs */
	int64_t recorded_ns;		  /* elapsed time of these runs */
};

struct record_slower {		/* 0.05: five per cent */
	double mean, low, high; /* low, high: of 95 %; NAN below two pairs */
};
/* The slowdown in elapsed time, or in CPU time, which is more reliable on a busy host. */
struct record_slower record_cost_slower(const struct record_cost *c, bool of_cpu);
/* CPU time per event: the CPU time added over all pairs, divided by the events, ns; NAN without
 * events. */
double record_cost_per_event(const struct record_cost *c);
enum record_what { RECORD_WITHOUT_NS, RECORD_WITH_NS, RECORD_LATER_NS };
/* The median over the pairs. RECORD_LATER_NS: the increase of the largest wake-up delay. */
int64_t record_cost_median(const struct record_cost *c, enum record_what what);

#endif
