/* Order: sorting by time what is nearly sorted already. */
#ifndef MER_SYNC_ORDER_H
#define MER_SYNC_ORDER_H

#include <stddef.h>
#include <stdint.h>
#include "base/err.h"

struct sync_order_key {
	int64_t time;
	uint32_t index;
};

/* Stable, by time. Linear when the keys are in order; else as many passes as the times' range has
 * bytes. */
int sync_order(struct sync_order_key *keys, size_t n, struct mer_err *err);

#endif
