/* Solve: from messages to every host's clock map with its limits. */
#ifndef MER_SYNC_SOLVE_H
#define MER_SYNC_SOLVE_H

#include "base/pool.h"
#include "sync/result.h"

struct sync_vm_given;

struct sync_host_info {
	const char *name, *id;
	struct sync_range span; /* its traces, own clock; begin MER_NO_TIME: nothing recorded */
	/* The key that hosts are ordered by; NULL: their ids. Ids of copied recordings (trace.dat,
	 * perf.data, captures) identify files, not hosts. */
	const char *order;
};

struct sync_host_choice { /* what the user wants for one host */
	bool has_method, has_offset;
	enum sync_method method;
	int64_t offset_ns; /* added to the result: with has_offset; an earlier slope is kept */
};

struct sync_options { /* zeroed: the defaults */
	enum sync_method method;
	double max_drift;	  /* 0: 1e-3 */
	bool drift_seen;	  /* the drift limit follows from the observed clocks; max_drift is
			     its maximum */
	int32_t reference_plus_1; /* host number + 1; 0: the best one */
	const struct sync_host_choice *choices; /* as hosts; NULL: none */
	unsigned n_threads;			/* 0: one; the result is the same */
	struct mer_cancel *cancel;		/* NULL: none */
	bool no_lines; /* leave out the classic line of pairs that no host needs */
	const struct sync_vm_given *vms; /* for sync_join (vcpu/join.h): which host is the
					    guest of which VM */
	size_t n_vms;
	bool count_outside; /* for sync_join: events of guests that lie outside (vcpu/outside.h) */
	const bool *is_guest; /* as hosts; NULL: none. A guest's clock may stop with its VM, so a
			      host with an equally good clock is preferred as reference */
};

/* m must be finished. The result is the caller's. Bad clocks are no error: the result says so. */
int sync_solve(const struct sync_messages *m, const struct sync_host_info *hosts, uint32_t n_hosts,
	const struct sync_options *o, struct sync_result **result, struct mer_err *err);

/* Latency of one link; maps may be NULL: clocks as recorded. */
int sync_link_latency(const struct sync_link *l, const struct trace_clock_map *from,
	const struct trace_clock_map *to, struct sync_latency *latency, struct mer_err *err);

#endif
