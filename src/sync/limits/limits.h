/* Limits: what a tightened net guarantees, put into a result. */
#ifndef MER_SYNC_LIMITS_LIMITS_H
#define MER_SYNC_LIMITS_LIMITS_H

#include "sync/limits/net.h"
#include "sync/result.h"

/* Copies the host's limits (only those that do not follow from their neighbours), steps, slews and
 * rate into the result's arena. */
int sync_take_limits(
	const struct sync_net *net, uint32_t host, struct sync_result *r, struct mer_err *err);
/* Takes the sizes of the host's steps from its map, which is more exact than the messages next to
 * them. */
int sync_take_step_sizes(struct sync_result *r, uint32_t host, struct mer_err *err);
/* By how much the host's map may be wrong at host time t; INT64_MAX: not bounded. */
int64_t sync_half_width(const struct sync_result *r, uint32_t host, int64_t t);
/* Is t inside a step? There, neither bounds nor likely errors are known. */
bool sync_in_step(const struct sync_host *h, int64_t t);
/* The part of the host's traces in which another host of its group was recorded, too: outside of
 * it, its times cannot be compared with anything. The whole traces if there is no such part. */
struct sync_range sync_shared_span(const struct sync_result *r, uint32_t host);
/* Sets the host's bound, from its limits: by how much its map may be wrong, over the part of its
 * span in which another host was recorded. */
void sync_take_bound(struct sync_result *r, uint32_t host);

#endif
