/* Culprits: which tasks took the time of a part of a request, and with what. A wait for a CPU is
 * due to the tasks and interrupts that had the CPU; a wait for a disk, to the requests that the
 * disk served first; a wait for a lock, to its holder; a wait for a connection of a pool, to the
 * requests that had it; and so on. What the task did itself in the part stays its own: what it
 * computed, which file it read.
 *
 * A task that is waited for may wait, too: the holder of a lock for a CPU, the query on a
 * connection for a disk. The culprit is the last one of this chain; `via` says how the wait came to
 * it, and `at` where the culprit was. So the time that a culprit took from all requests adds up,
 * however each request met it.
 *
 * Culprits of a part follow one another without overlap, so their sum is never more than the
 * part. Unknown time has no culprit. */
#ifndef MER_REQUESTS_CULPRITS_H
#define MER_REQUESTS_CULPRITS_H

#include "requests/kinds.h"

enum requests_deed {
	REQUESTS_DEED_CPU,	 /* ran on the CPU that was waited for */
	REQUESTS_DEED_INTERRUPT, /* `cause` and `number` took the CPU; of no task */
	REQUESTS_DEED_COMPUTE,	 /* the task itself: in `call`, or in user mode */
	REQUESTS_DEED_DISK,	 /* its requests to disk `number` were served before */
	REQUESTS_DEED_OWN_READ,	 /* the task's own: `object` was not in memory */
	REQUESTS_DEED_OWN_WRITE,
	REQUESTS_DEED_HELD,	  /* held the lock (or row), and did `meanwhile` */
	REQUESTS_DEED_HELPED,	  /* did `meanwhile` what was waited for */
	REQUESTS_DEED_CONNECTION, /* had the connection that was waited for, to `object` */
	REQUESTS_DEED_SERVED,	  /* what was served instead */
	REQUESTS_DEED_LOST,	  /* what it had sent was lost, and sent again */
	REQUESTS_DEED_SLEPT,
	REQUESTS_DEED_WAITED, /* the task itself, for what `meanwhile` says */
	REQUESTS_N_DEEDS
};

/* How a wait came to the culprit: the last step. */
enum requests_via {
	REQUESTS_VIA_NOTHING,	 /* it took the time of the request itself, or of one below it */
	REQUESTS_VIA_SERVED,	 /* of another request, which was served instead */
	REQUESTS_VIA_CONNECTION, /* of one that had the connection */
	REQUESTS_VIA_LOCK,	 /* of who held the lock */
	REQUESTS_VIA_HELPER,	 /* of who worked for it */
	REQUESTS_N_VIAS
};

/* "connection", "lock", ...; NULL: by nothing. */
const char *requests_via_name(enum requests_via);

struct requests_culprit {
	uint32_t host, task; /* task KERNEL_NONE: none */
	/* Kind of the request that it acted for, and the one of these that took most of this time;
	 * KERNEL_NONE: for none that is known. */
	uint32_t kind, example;
	uint32_t call;	 /* system call of who waited (of COMPUTE: that it was in), in the host's
			       names; KERNEL_NONE */
	uint32_t object; /* in the names of the host; of CONNECTION a kind; KERNEL_NONE */
	uint32_t number; /* disk; interrupt or softirq */
	uint32_t count;	 /* disk requests, segments: in all slow requests */
	uint64_t bytes;	 /* the same */
	uint8_t deed;	 /* enum requests_deed */
	uint8_t cause;	 /* INTERRUPT: enum kernel_cause */
	/* HELD, HELPED, WAITED, CONNECTION, SERVED: enum path_cause; of a CONNECTION what its query
	 * waited for. */
	uint8_t meanwhile;
	uint8_t via;   /* enum requests_via */
	bool is_write; /* DISK */
	/* DISK: by a thread of the kernel, some time after the task had written to files. */
	bool is_later;
	/* DISK: it did not complete before, but `bytes` in the second before made it slow. */
	bool is_slowing;
	/* Who waited for it, in which request, as a part would say it: of the part, or of those
	 * that it waited for. */
	uint32_t at_host, at_task, at_exchange;
	uint8_t at_kind; /* enum requests_part_kind */
	int64_t ns;
	int64_t example_ns; /* of an explanation: what the example took of a mean slow request */
};

struct requests_culprits;
/* No thread of its process acts for any request, as far as was recorded: a cron job, a backup. */
bool requests_is_outsider(struct requests_culprits *x, uint32_t host, uint32_t task);
int requests_culprits_new(const struct requests_kinds *k, struct requests_parts_finder *f,
	struct requests_culprits **x, struct mer_err *err);
void requests_culprits_free(struct requests_culprits *); /* NULL is fine */

/* Is the culprit the same one wherever it was met? Who had a CPU, a lock or a disk, and losses are;
 * the others belong to the part itself. */
bool requests_is_last(const struct requests_culprit *);

/* Each culprit of a part (of requests_parts_find_each), by time; false ends it. False: `tell` was,
 * or no memory. */
bool requests_culprits_of(struct requests_culprits *x, const struct requests_part *p,
	bool (*tell)(void *ctx, const struct requests_culprit *c), void *ctx);

#endif
