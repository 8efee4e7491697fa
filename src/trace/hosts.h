/* Hosts: which traces come from one machine, and one clock for all of them. */
#ifndef MER_TRACE_HOSTS_H
#define MER_TRACE_HOSTS_H

#include "trace/experiment.h"

/* Fills e->hosts and traces[].host. */
int trace_group_hosts(struct mer_experiment *e, struct mer_err *err);

/* Traces of one boot share one clock, but each has its own measurement of that clock's offset from
 * wall-clock time. Gives all of them the same offset (that of the kernel trace, else of the first
 * trace) and reports it. */
void trace_reconcile_clocks(struct mer_experiment *e);

#endif
