/* Order: sorts keys by time that are nearly sorted already. */
#ifndef MER_SYNC_ORDER_H
#define MER_SYNC_ORDER_H

#include <stddef.h>
#include <stdint.h>
#include "base/err.h"

struct sync_order_key {
	int64_t time;
	uint32_t index;
};

/* Stable, by time. One pass and no memory when the keys are nearly in order; else one pass for each
 * byte of the times' range. */
int sync_order(struct sync_order_key *keys, size_t n, struct mer_err *err);

#endif
