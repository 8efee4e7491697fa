/* Holders: which task holds each futex, as far as the trace shows: the task that last got it by
 * waiting for it and has woken no waiter since. Locking a free futex makes no system call, so
 * the real holder may be another task. */
#ifndef MER_ANALYSIS_FACTS_FUTEX_HOLDERS_H
#define MER_ANALYSIS_FACTS_FUTEX_HOLDERS_H

#include "analysis/analysis.h"

struct futex_holder {
	uint64_t address;
	int32_t pid;   /* process in whose address space the address is */
	uint32_t task; /* KERNEL_NONE: no task, or released */
};

struct futex_holders {	    /* of one host; zeroed: empty */
	struct mer_map map; /* hash of address and process -> number, plus 1 */
	struct futex_holder *all;
	size_t n, cap;
};

/* The futex at this address of this process; created if missing. Its index in all never changes;
 * the pointer is valid until the next one is created. NULL: no memory. */
struct futex_holder *futex_holder_of(struct futex_holders *s, uint64_t address, int32_t pid);
/* A futex call has ended: a task that waited successfully holds the futex now; a task that woke
 * another one released it. False: no memory. */
bool futex_holders_follow(struct futex_holders *s, const struct kernel_host *h,
	const struct kernel_call_end *c, bool is_wait);
void futex_holders_fini(struct futex_holders *s);

#endif
