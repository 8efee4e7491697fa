/* Usage: how much memory, disk and network each task used, and when. It covers whole recordings, so
 * that any part of any task's time can be queried.
 *
 *  while the world is built:  usage_observers()  →  collects what happened
 *  afterwards:                usage_settle()     →  for each task and kind, sums by time
 *
 * It counts what `top mem`, `top io` and `top net` count for a task: pages and faults of the
 * task on the CPU, including interrupts; bytes that calls on files and sockets returned; disk
 * requests that the task made; packets outside of interrupts. A call that writes counts when it
 * begins, a call that reads when it returns: so an answer is sent before its receiver wakes up,
 * and a waiting task receives after it has waited. A disk request counts when it is made; if it
 * was merged into another request, its bytes count for that one. */
#ifndef MER_PATH_USAGE_H
#define MER_PATH_USAGE_H

#include "kernel/world.h"

enum usage_kind {
	USAGE_PAGES_ALLOCATED, /* bytes */
	USAGE_PAGES_FREED,
	USAGE_FAULTS,	  /* page faults, user and kernel */
	USAGE_FILES_READ, /* bytes, by calls */
	USAGE_FILES_WRITTEN,
	USAGE_BLOCK_READ, /* bytes, by requests to block devices */
	USAGE_BLOCK_WRITTEN,
	USAGE_REQUESTS,		/* of any kind */
	USAGE_SOCKETS_RECEIVED, /* bytes, by calls */
	USAGE_SOCKETS_SENT,
	USAGE_PACKETS_RECEIVED,
	USAGE_PACKETS_SENT,
	USAGE_N_KINDS
};

struct usage;

/* n_hosts: as the world will have; spill: for what grows with the traces, or NULL. usage_free in
 * any case. */
int usage_new(uint32_t n_hosts, struct mer_spill *spill, struct usage **u, struct mer_err *err);
void usage_free(struct usage *); /* NULL is fine */
/* For kernel_world_options; live as long as u. A world that is built without them has disks
 * only. */
const struct kernel_observer *usage_observers(struct usage *u);
/* When the world is there: adds its requests, and sums. Once. */
int usage_settle(struct usage *u, const struct kernel_world *w, struct mer_err *err);

/* What is kept of a host, once it is settled: for a store. */
struct usage_sums {
	struct usage_point { /* of one task and kind */
		int64_t time;
		int64_t sum; /* of all up to this one */
	} * points;
	/* Of each task and kind the number of its first point: n_tasks * USAGE_N_KINDS, and the
	 * end. */
	size_t *first;
	uint32_t n_tasks;
	uint32_t seen; /* bits: what was recorded */
};
struct usage_sums usage_sums(const struct usage *u, uint32_t host);
/* Instead of settling; once for a host. points and first are blocks of base/spill.h, and u's from
 * then on. */
void usage_restore(struct usage *u, uint32_t host, const struct usage_sums *sums);

/* What the task took in (after, until], ns; bytes or count. */
int64_t usage_of(const struct usage *u, uint32_t host, uint32_t task, enum usage_kind kind,
	int64_t after, int64_t until);
/* Was anything at all of what this is about seen on that host? If not, sums of it are not known. */
bool usage_is_recorded(const struct usage *u, uint32_t host, enum usage_kind kind);

#endif
