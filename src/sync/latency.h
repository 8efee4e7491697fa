/* Latency: how long the messages of a link took, by given clocks. */
#ifndef MER_SYNC_LATENCY_H
#define MER_SYNC_LATENCY_H

#include "sync/result.h"

/* As sync_link_latency (sync/solve.h); out: not 0 for messages that do not count; NULL: all
 * count. */
int sync_latency_of(const struct sync_link *l, const uint8_t *out,
	const struct trace_clock_map *from, const struct trace_clock_map *to,
	struct sync_latency *latency, struct mer_err *err);

#endif
