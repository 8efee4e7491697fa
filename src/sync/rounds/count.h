/* Count: what rounds did for a result. */
#ifndef MER_SYNC_ROUNDS_COUNT_H
#define MER_SYNC_ROUNDS_COUNT_H

#include "sync/limits/pairs.h"
#include "sync/result.h"

/* Fills n_rounds and n_rounds_rejected of pair i. */
void sync_count_rounds(const struct sync_messages *m, const struct sync_pairs *pairs, size_t i,
	struct sync_pair *p);
/* n_rounds of hosts from that of pairs; and what is to be said: whose clock is known by them alone,
 * and where they contradict packets. */
void sync_advise_rounds(struct sync_result *r);

#endif
