/* A trace of two streams and a few events, with every kind of field: written to a new directory,
 * opened as an experiment.
 *
 *   cpu 0:  1000 kinds(u = 2^64 - 1, ...)      2000 switch("swapper/0", 0 -> "bash", 42)
 *   cpu 1:  1500 named("eth0")                 2500 switch("bash", 42 -> "swapper/1", 0)
 *           3000 kinds(u = 5, ...)
 *
 * The clock's zero is second 1000. */
#ifndef SMALL_TRACE_H
#define SMALL_TRACE_H

#include "meridian/meridian.h"

struct small_trace {
	char dir[64];
	struct mer_experiment *e;
	struct mer_err err;
};

/* For cmocka: *state is a struct small_trace. */
int small_trace_set_up(void **state);
int small_trace_tear_down(void **state);

#endif
