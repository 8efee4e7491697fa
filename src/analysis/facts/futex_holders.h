/* Holders: who has each futex, as far as can be seen: the task that got it last by waiting for it
 * and has woken nobody there since. Who takes a free lock makes no call, so a holder may be another
 * one. */
#ifndef MER_ANALYSIS_FACTS_FUTEX_HOLDERS_H
#define MER_ANALYSIS_FACTS_FUTEX_HOLDERS_H

#include "analysis/analysis.h"

struct futex_holder {
	uint64_t address;
	int32_t pid;   /* in which the address is meant */
	uint32_t task; /* KERNEL_NONE: nobody, or gave it back */
};

struct futex_holders {	    /* of a host; zeroed: empty */
	struct mer_map map; /* hash of address and process -> number, plus 1 */
	struct futex_holder *all;
	size_t n, cap;
};

/* Of the futex of this address in this process, made if not there. The number in all stays, the
 * pointer holds until the next one is made. NULL: no memory. */
struct futex_holder *futex_holder_of(struct futex_holders *s, uint64_t address, int32_t pid);
/* A call at a futex has ended: whoever waited and was not refused has it now; whoever woke another
 * one gave it away. False: no memory. */
bool futex_holders_follow(struct futex_holders *s, const struct kernel_host *h,
	const struct kernel_call_end *c, bool is_wait);
void futex_holders_fini(struct futex_holders *s);

#endif
