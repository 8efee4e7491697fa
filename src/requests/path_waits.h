/* Path waits: the waits of servers that lie on the path of a request. Who looks at tasks alone may
 * take them for idle ones: a thread of a pool that waits for a connection of another pool waits
 * like one that has nothing to do.
 *
 * Only waits that somebody asks about are looked at. Most requests have none of them: their paths
 * are not walked. */
#ifndef MER_REQUESTS_PATH_WAITS_H
#define MER_REQUESTS_PATH_WAITS_H

#include "path/blocked.h"
#include "requests/parts.h"

/* b: of r's world, with spans. asked: by host (NULL: nothing of it), a byte for each wait of b: not
 * 0 where it is asked; then it becomes 0 if the wait is on no path. Of locks, timers, pipes and
 * disks, not in polls: these wait for whatever comes; so all others become 0, too. */
int requests_path_waits_find(const struct requests *r, const struct blocked *b,
	uint8_t *const *asked, struct mer_err *err);

/* ---- for parts.c ---- */

struct requests_path_waits;
/* All waits of a host. */
const struct blocked_host *requests_path_waits_of(
	const struct requests_path_waits *w, uint32_t host);
/* Those that are part p of a path, from begin to end; those of a task in that time. */
void requests_path_waits_mark(
	struct requests_path_waits *w, const struct requests_part *p, int64_t begin, int64_t end);
void requests_path_waits_mark_task(
	struct requests_path_waits *w, uint32_t host, uint32_t task, int64_t begin, int64_t end);
/* May there be any on the path of an exchange? */
bool requests_path_waits_may_have(const struct requests_path_waits *w, uint32_t exchange);

#endif
