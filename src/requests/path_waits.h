/* Path waits: the waits of servers that lie on the path of a request. Looking at tasks alone, they
 * may seem idle: a thread that waits for a connection of a pool waits like a thread that has
 * nothing to do.
 *
 * Only the waits in question are looked at. Most requests have none of them, and their paths are
 * not walked. */
#ifndef MER_REQUESTS_PATH_WAITS_H
#define MER_REQUESTS_PATH_WAITS_H

#include "path/blocked.h"
#include "requests/parts.h"

/* b: of r's world, with spans. asked: by host (NULL: no wait of it), a byte for each wait of b.
 * Not 0: the wait is in question; it becomes 0 if the wait is on no path. Only waits for locks,
 * timers, pipes and disks outside of polls count: a poll waits for whatever comes, so all other
 * bytes become 0, too. */
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
