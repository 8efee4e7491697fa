/* Own requests: from any event to any other, as the user says (analysis/period.h): an application's
 * own events, system calls. They may begin on one thread or host and end on another.
 *
 *   u1.3   the third one from one host to another: "client" is the task of the first event,
 *          "server" that of the last one
 *
 * They come after all others, each pair of hosts as a connection that no socket belongs to. Where
 * the time went is the critical path of the task that ended it, back to the begin. What was found
 * by connections is below an own request if
 *
 *   - the task of the first event, or of the last one if that is the same, sent it in that time;
 *   - or another task on the path, of one of their processes, sent it: on behalf of the request
 *     that the first task served (1), or of none that is known (0.8); never of another one.
 *
 * If n own requests could have sent it, equally sure, it is below the one that began last, with
 * 1/n of that confidence. An own request is below the request that its first task served, if all
 * of it lies in the time in which that one was served. */
#ifndef MER_REQUESTS_OWN_H
#define MER_REQUESTS_OWN_H

#include "analysis/period.h"
#include "requests/requests.h"

/* Once. p: of the same experiment as r's world, with tasks (tells_tasks). */
int requests_add_own(struct requests *r, const struct analysis_periods *p, struct mer_err *err);

#endif
