/* Result: what synchronization found, for every host: its clock's map and the limits of its error.
 *
 * Made by sync_solve, saved and read back as JSON, shown by the verbs `sync` and `latency`. Owns
 * all its memory (one arena). Hosts are those of the experiment, in its order. */
#ifndef MER_SYNC_RESULT_H
#define MER_SYNC_RESULT_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/json.h"
#include "base/json_read.h"
#include "sync/limits/drift.h"
#include "sync/classic/hull.h"
#include "sync/messages.h"
#include "sync/vcpu/vm.h"
#include "trace/clock_map.h"

/* "schema_version" of saved clocks. */
enum { SYNC_FILE_VERSION = 2 };

enum sync_method {
	SYNC_AUTO,     /* limits from bounded drift, adaptive pieces between them */
	SYNC_HULL,     /* one line per pair of hosts */
	SYNC_OFFSET,   /* one offset per host, no drift */
	SYNC_REALTIME, /* the recorded clocks are believed: NTP, PTP */
	SYNC_NONE,     /* as recorded, nothing is claimed */
	SYNC_VCPU      /* of guests: as auto, but from the schedule of their vCPUs alone */
};
const char *sync_method_name(enum sync_method); /* "auto", "hull", ... */

/* A limit of (reference time - host time): at `at` the offset is at most (least) this; at other
 * times, the possible drift since then is added (subtracted). See sync_host_limits. */
struct sync_limit {
	int64_t at, offset_ns;
};

struct sync_bound { /* half widths: the estimate is off by at most this, ns */
	/* Over its traces, where another host was recorded too; INT64_MAX: not bounded. */
	int64_t min, median, max;
	int64_t max_at; /* host clock, ns: where max is reached */
};

struct sync_host {
	const char *name, *id;
	uint32_t group; /* hosts of different groups cannot be compared */
	enum sync_method method;
	enum sync_quality quality;
	struct trace_clock_map map;
	uint32_t via;	  /* the next host on the way to the reference; UINT32_MAX: none, or not
			 known any more */
	int64_t via_open; /* the largest bound between these two, by their own messages */
	const struct sync_step *steps; /* nothing can be said inside */
	const struct sync_slew *slews;
	const struct sync_limit *high, *low; /* by time */
	size_t n_steps, n_slews, n_high, n_low;
	double max_rate_ppm;	/* of its offset: the rate at which high and low widen away
				   from their instants */
	struct sync_range span; /* of its traces; begin MER_NO_TIME: empty */
	struct sync_bound bound;
	/* By how much the estimate is likely off (estimate/likely.h), and its drift; INT64_MAX,
	 * INFINITY: not known. likely: the same at some instants, by time, to be interpolated
	 * linearly. */
	struct sync_bound likely_off;
	double drift_off_ppm;
	const struct sync_limit *likely;
	size_t n_likely;
	uint64_t n_matched, n_used; /* n_matched: messages from and to it; n_used: those that
				       limit its clock */
	uint64_t n_rounds;	    /* messages between it and the recorder; not in n_matched */
};

struct sync_latency {		  /* of one direction, ns; n == 0: none */
	uint64_t n, n_inversions; /* received before sent */
	int64_t min, max, median, p90, p99;
	double mean, stddev; /* stddev: of the sample (n - 1), NAN below two */
};

struct sync_direction {
	struct sync_latency before, after; /* before: clocks as recorded; after: synchronized */
	uint64_t n_duplicates, n_reordered, n_unmatched;
};

struct sync_pair {     /* of hosts with messages between them */
	uint32_t a, b; /* a is the host whose id sorts first: the pair's reference in the
			  classic method (its x axis) */
	enum sync_quality quality;
	struct sync_direction ab, ba;
	uint64_t n_used;	    /* messages that limit */
	uint64_t n_rejected;	    /* messages that contradict all others */
	uint64_t n_rounds;	    /* messages that are rounds, both directions; not in ab, ba */
	uint64_t n_rounds_rejected; /* of n_rejected */
	struct sync_line line;	    /* the classic line of this pair, whatever the method */
	struct sync_bound bound;    /* of b's clock against a's, from their messages alone */
};

struct sync_result {
	struct mer_arena arena;
	enum sync_method method; /* of most hosts; see sync_host.method */
	double max_drift_ppm;
	uint32_t *references; /* a host for each group */
	uint32_t n_groups;    /* groups are numbered by size, the largest first */
	struct sync_host *hosts;
	struct sync_pair *pairs;
	const struct sync_vm *vms; /* VMs that the traced hosts run */
	uint32_t n_hosts, n_vms;
	size_t n_pairs;	 /* by a, then b */
	bool is_of_some; /* read from a file of some of its hosts alone (result_lines.h) */
	struct sync_host_counts *counts; /* as hosts; matching */
	struct sync_latency *loopback;	 /* as hosts: messages of a host to itself */
	struct mer_diags diags;		 /* advice and reservations */
};

/* Sorts the pairs by a, then b. */
void sync_result_sort_pairs(struct sync_result *);
void sync_result_free(struct sync_result *r); /* NULL is fine */

/* Every host's map is to be applied as it is, whatever its quality: it is the best that is known
 * (none for hosts whose clock is left alone). */

/* Limits of the reference time at a time of a host's clock. False: nothing is known, inside a step,
 * or a side has no messages (then *low is INT64_MIN or *high INT64_MAX). */
bool sync_host_limits(
	const struct sync_result *r, uint32_t host, int64_t t, int64_t *low, int64_t *high);
/* The reference's own time `t` (of h's group) as limits on h's clock, likewise. */
bool sync_host_limits_back(
	const struct sync_result *r, uint32_t host, int64_t time, int64_t *low, int64_t *high);

/* The likely error of the host's map at host time t; INT64_MAX: not known. */
int64_t sync_host_likely(const struct sync_result *r, uint32_t host, int64_t t);
/* Is it guaranteed that no message between hosts of this one's group is received before it was sent
 * (but for those rejected), and that the host's times are within the limits? */
bool sync_host_guaranteed(const struct sync_result *r, uint32_t host);

/* The whole as a JSON object. With limits: for --save, so that the guarantee is kept too (thinned
 * out to some thousands per host: any subset of limits holds, it is only wider). Without:
 * bounds are not known any more when it is read, as of what `meridian sync --json` was in schemas 1
 * and 2. */
int sync_result_write(
	const struct sync_result *r, bool limits, struct mer_str *out, struct mer_err *err);
/* The number of a host of an experiment, as sync_result_read finds it; UINT32_MAX: the result does
 * not have it. */
uint32_t sync_result_host(const struct sync_result *r, const struct mer_host *host);
/* Reads that back. Hosts are found by their id in the experiment's hosts; those that the result
 * does not know keep their own clock and are a group of their own, with a diagnostic. hosts NULL:
 * those of the result. path is for messages. */
int sync_result_read(const char *text, size_t len, const char *path, const struct mer_host *hosts,
	uint32_t n_hosts, struct sync_result **r, struct mer_err *err);

#endif
