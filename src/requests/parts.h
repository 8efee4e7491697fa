/* Parts: where the time of a request went. From its end back to its begin, along the messages and
 * not along the threads: while the requester waits, the time belongs to the server that has the
 * request; the time in which that server waits for requests of its own belongs to these. If a
 * server works on something else meanwhile, the request is *queued*: the part says which request
 * was served instead, and keeps what the server did at that time: it ran, or waited itself. A
 * request for which an event loop has no free connection is queued as well: the part says which
 * request had the connection.
 *
 * Parts follow one another without gaps, so they sum exactly to the latency. If the clocks of hosts
 * contradict the order of messages, a part becomes empty, never negative.
 *
 * If a packet that is part of no message ended a wait (in connect), the wait is cut where
 * kernels that answered another packet had it (way.h): their softirqs are not time of the
 * network. */
#ifndef MER_REQUESTS_PARTS_H
#define MER_REQUESTS_PARTS_H

#include "path/path.h"
#include "requests/requests.h"

enum requests_part_kind {   /* for the overview */
	REQUESTS_REQUESTER, /* the requester itself: sends, and reads what has arrived */
	REQUESTS_NETWORK,
	REQUESTS_OUTSIDE, /* the server and the way to it, of which nothing was recorded */
	REQUESTS_QUEUED,  /* arrived, but the server did other things */
	REQUESTS_CPU,	  /* the server on a CPU */
	REQUESTS_RUNNABLE,
	REQUESTS_DISK,
	REQUESTS_LOCKS,
	REQUESTS_OTHER, /* timers, unknown, ... */
	REQUESTS_BELOW, /* in requests that the server made: of sums only */
	REQUESTS_N_PARTS
};
const char *requests_part_name(enum requests_part_kind);

struct requests_part {
	int64_t begin, end;  /* ns; never empty */
	uint32_t host, task; /* KERNEL_NONE: not known */
	uint32_t exchange;   /* the request that it is part of: itself, or one below */
	uint32_t of;	     /* QUEUED: exchange that was served instead, plus 1; 0: not known */
	/* QUEUED: the exchange below that one which had the connection that was waited for, plus 1;
	 * 0: it was the task that had other things to do. */
	uint32_t had;
	uint8_t cause; /* enum path_cause; of QUEUED: of what the task did or waited for instead */
	uint8_t kind;  /* enum requests_part_kind; never BELOW */
	/* Of NETWORK, as of a path's segment: it was under way, on its way to the task, or held. */
	bool in_flight, delivery, held;
	/* Not of a task but of the host's kernel, in the way of a packet that only kernels had. */
	bool is_kernels;
	uint32_t packet; /* of these four; KERNEL_NONE: not known */
	/* Of requests_parts_find_each: what the task did, or which wait a packet was to end;
	 * KERNEL_NONE: not known. */
	uint32_t span;
	uint32_t depth; /* how many wait for it */
	/* The same: of what another task did for it, the wait that this ended; else KERNEL_NONE. */
	uint32_t wait;
	/* Of requests_parts_find: the innermost state of the task by a view, plus 1; 0: none. */
	uint32_t user_state;
};

struct requests_parts {
	struct requests_part *item; /* malloc'ed, in the order of time */
	size_t n, cap;
};

/* What is needed to find the parts of any request: who served what when. */
struct requests_parts_finder;
int requests_parts_finder_new(
	const struct requests *r, struct requests_parts_finder **f, struct mer_err *err);
void requests_parts_finder_free(struct requests_parts_finder *); /* NULL is fine */
/* For these requests and those below them alone: the parts are the same, and cost what happened
 * meanwhile. */
int requests_parts_finder_of(const struct requests *r, const uint32_t *which, uint32_t n,
	struct requests_parts_finder **f, struct mer_err *err);
/* This request and those below it, too, whatever time they are of; or what is asked of the time
 * [begin, end]. False: no memory. */
bool requests_parts_finder_add(struct requests_parts_finder *f, uint32_t exchange);
bool requests_parts_finder_extend(struct requests_parts_finder *f, int64_t begin, int64_t end);
/* The time of what it can find the parts of. */
void requests_parts_time(const struct requests_parts_finder *f, int64_t *begin, int64_t *end);
/* For requests_parts_waits alone, of requests that lie in [begin, end]. */
int requests_parts_waits_finder_new(const struct requests *r, int64_t begin, int64_t end,
	struct requests_parts_finder **f, struct mer_err *err);
/* p: zeroed, or of another one before; to be freed with requests_parts_fini. Parts are cut where
 * their task comes to another state of a view (path/user_states.h). */
int requests_parts_find(struct requests_parts_finder *f, uint32_t exchange,
	struct requests_parts *p, struct mer_err *err);
/* The same with a part for each span, and not cut by states. */
int requests_parts_find_each(struct requests_parts_finder *f, uint32_t exchange,
	struct requests_parts *p, struct mer_err *err);
/* How much of its time is of which kind, added to sums; all that is in requests below is
 * REQUESTS_BELOW. */
int requests_parts_sum(struct requests_parts_finder *f, uint32_t exchange,
	int64_t sums[REQUESTS_N_PARTS], struct mer_err *err);
void requests_parts_fini(struct requests_parts *p);
/* "query_db"; NULL: none. */
const char *requests_part_state(const struct requests *r, const struct requests_part *p);
struct requests_path_waits;
/* Instead of parts: which of these waits are in those of requests_parts_find_each (path_waits.h).
 * Of a request that was found by its connection. */
int requests_parts_waits(struct requests_parts_finder *f, uint32_t exchange,
	struct requests_path_waits *w, struct mer_err *err);
/* The requests that were sent for an exchange: numbers, ascending. */
const uint32_t *requests_children(
	const struct requests_parts_finder *f, uint32_t exchange, uint32_t *n);
/* Does it ever act for any, as far as was recorded? */
bool requests_serves_any(const struct requests_parts_finder *f, uint32_t host, uint32_t task);
/* The span of a task at a time; KERNEL_NONE: it never acts for any, or it is not known. */
uint32_t requests_span_at(
	const struct requests_parts_finder *f, uint32_t host, uint32_t task, int64_t time);
/* Among these, the request that this task had sent and waited for at a time; KERNEL_NONE: none. */
uint32_t requests_sent_by(const struct requests_parts_finder *f, uint32_t exchange, uint32_t host,
	uint32_t task, int64_t time);
/* The exchange that a task acted for at a time, plus 1; 0: none that is known. */
uint32_t requests_served_by(
	const struct requests_parts_finder *f, uint32_t host, uint32_t task, int64_t time);
/* The same, or the first one in [time, until] if there is none then. */
uint32_t requests_served_next(const struct requests_parts_finder *f, uint32_t host, uint32_t task,
	int64_t time, int64_t until);
/* Until when that does not change: after time; INT64_MAX: to the end. */
int64_t requests_served_until(
	const struct requests_parts_finder *f, uint32_t host, uint32_t task, int64_t time);

/* The same, at most `most`: what comes after that is not looked at. */
int64_t requests_served_within(const struct requests_parts_finder *f, uint32_t host, uint32_t task,
	int64_t time, int64_t most);

/* The same as a path of the requester's task, from the request's begin to its end, with
 * PATH_QUEUED where a server did something else; of the task that answered if the requester was
 * not recorded. path_fini in any case. MER_ERR_USAGE: neither was recorded. */
int requests_path(
	struct requests_parts_finder *f, uint32_t exchange, struct path *path, struct mer_err *err);

/* ---- for this folder ---- */

const struct requests *requests_of_finder(const struct requests_parts_finder *);

/* Appends a part that begins where the last one ends, or makes that one longer; one without length
 * is left out. */
int requests_parts_add(
	struct requests_parts *p, struct requests_part s, bool is_fine, struct mer_err *err);
/* Of which only the owner is known. */
struct requests_part requests_part_blank(uint32_t host, uint32_t task, uint32_t exchange);
/* What a server's time with this cause is. */
enum requests_part_kind requests_part_kind_of(const struct requests_part *s);
/* Of an own request (own.h); path_fini in any case. */
int requests_own_path(const struct requests_parts_finder *f, const struct requests *r,
	uint32_t exchange, struct path *path, struct mer_err *err);
int requests_own_parts(const struct requests_parts_finder *f, const struct requests *r,
	uint32_t exchange, struct requests_parts *p, bool is_fine, struct mer_err *err);

#endif
