/* Limits: what a tightened net guarantees, put into a result. */
#ifndef MER_SYNC_LIMITS_LIMITS_H
#define MER_SYNC_LIMITS_LIMITS_H

#include "sync/limits/net.h"
#include "sync/result.h"

/* The host's limits, those that do not follow from their neighbours, into the result's arena; and
 * its steps, slews and rate. */
int sync_take_limits(
	const struct sync_net *net, uint32_t host, struct sync_result *r, struct mer_err *err);
/* How large the host's steps are by its map, which knows better than the messages next to them. */
int sync_take_step_sizes(struct sync_result *r, uint32_t host, struct mer_err *err);
/* By how much the host's map may be wrong at an instant of it; INT64_MAX: that is not limited. */
int64_t sync_half_width(const struct sync_result *r, uint32_t host, int64_t t);
/* Where a step leaves nothing to be said, bounds and likely errors say nothing either. */
bool sync_in_step(const struct sync_host *h, int64_t t);
/* The part of the host's traces in which another host of its group was recorded, too: outside of it
 * there is nothing that its times could be compared with. All of them if there is no such part. */
struct sync_range sync_shared_span(const struct sync_result *r, uint32_t host);
/* By how much the host's map may be wrong, over the part of its span in which another host was
 * recorded; from its limits. */
void sync_take_bound(struct sync_result *r, uint32_t host);

#endif
