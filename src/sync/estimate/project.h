/* Project: puts estimated courses between the limits, so that no message is received before it was
 * sent, and no clock drifts more than it may.
 *
 * From an estimate e there is a least course above it that satisfies all constraints, and a
 * greatest one below it; both are found by tightening (sync/limits/net.h) from e. Their mean
 * satisfies all constraints too, because these are linear; where e did already, it is e. */
#ifndef MER_SYNC_ESTIMATE_PROJECT_H
#define MER_SYNC_ESTIMATE_PROJECT_H

#include "sync/estimate/course.h"
#include "sync/limits/net.h"

/* courses: by host of the net, replaced; those of fixed hosts (net->hosts[].fixed) stay. slack_ns:
 * the least latency of every message. consistent: false when no such courses exist; then all stay
 * unchanged. On entry the net's limits must be those of its messages, with the references fixed;
 * they are used as scratch memory and may be lost. */
int sync_project(struct sync_net *net, struct sync_course *courses, int64_t slack_ns,
	bool *consistent, struct mer_err *err);

#endif
