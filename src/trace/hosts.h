/* Hosts: which traces come from one machine, and one clock for all of them. */
#ifndef MER_TRACE_HOSTS_H
#define MER_TRACE_HOSTS_H

#include "trace/experiment.h"

/* Fills e->hosts and traces[].host. */
int trace_group_hosts(struct mer_experiment *e, struct mer_err *err);

/* Traces of one boot share one clock, but each has its own measurement of where that clock stands
 * against the wall clock; gives all the same one (the kernel's, else the first) and says so. */
void trace_reconcile_clocks(struct mer_experiment *e);

#endif
