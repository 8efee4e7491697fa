/* Count: what rounds contributed to a result. */
#ifndef MER_SYNC_ROUNDS_COUNT_H
#define MER_SYNC_ROUNDS_COUNT_H

#include "sync/limits/pairs.h"
#include "sync/result.h"

/* Fills n_rounds and n_rounds_rejected of pair i. */
void sync_count_rounds(const struct sync_messages *m, const struct sync_pairs *pairs, size_t i,
	struct sync_pair *p);
/* Sums n_rounds of the pairs for each host, and adds diagnostics: which clocks are known by rounds
 * alone, and where rounds contradict packets. */
void sync_advise_rounds(struct sync_result *r);

#endif
