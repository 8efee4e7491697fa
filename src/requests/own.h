/* Own requests: from one event to another, as the user defines them (analysis/period.h): events of
 * an application, system calls. They may begin on one thread or host and end on another.
 *
 *  u1.3   the third one from one host to another: "client" is the task of the first event,
 *         "server" the task of the last one
 *
 * They follow all other requests; each pair of hosts is a connection without sockets. Where the
 * time went is the critical path of the task that ended the request, back to its begin. A request
 * that was found by its connection is below an own request if
 *
 *  - the task of the first event, or of the last one if it is the same task, sent it in that time;
 *  - or another task on the path, of one of their processes, sent it: on behalf of the request
 *    that the first task served (1), or of no known request (0.8); never of another one.
 *
 * If n own requests may have sent it, all equally likely, it is below the one that began last,
 * with 1/n of that confidence. An own request is below the request that its first task served,
 * if all of it lies within the time in which that one was served. */
#ifndef MER_REQUESTS_OWN_H
#define MER_REQUESTS_OWN_H

#include "analysis/period.h"
#include "requests/requests.h"

/* Once. p: of the same experiment as r's world, with tasks (tells_tasks). */
int requests_add_own(struct requests *r, const struct analysis_periods *p, struct mer_err *err);

#endif
