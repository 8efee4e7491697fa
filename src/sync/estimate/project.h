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

/* courses: as the net's hosts, replaced; those of fixed hosts (net->hosts[].fixed) stay. slack_ns:
 * every message shall take at least so long. consistent: false when there are no such courses; all
 * stay what they were. The net's limits shall be those of its messages, with the references fixed;
 * they are used as room to work: what was there may be lost. */
int sync_project(struct sync_net *net, struct sync_course *courses, int64_t slack_ns,
	bool *consistent, struct mer_err *err);

#endif
