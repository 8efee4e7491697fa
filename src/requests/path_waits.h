/* Path waits: the waits of servers that lie on the path of a request. Who looks at tasks alone may
 * take them for idle ones: a thread of a pool that waits for a connection of another pool waits
 * like one that has nothing to do. */
#ifndef MER_REQUESTS_PATH_WAITS_H
#define MER_REQUESTS_PATH_WAITS_H

#include "requests/parts.h"

struct requests_path_waits {
	const struct kernel_world *world; /* borrowed */
	uint64_t **spans;		  /* by host: a bit for each span */
};

/* For locks, timers, pipes and disks, not in polls: these wait for whatever comes.
 * requests_path_waits_fini in any case. */
int requests_path_waits_find(const struct requests *r, struct requests_parts_finder *f,
	struct requests_path_waits *w, struct mer_err *err);
void requests_path_waits_fini(struct requests_path_waits *w);
/* Is the wait that began then, and of which this is the last span, one of them? */
bool requests_path_waits_has(
	const struct requests_path_waits *w, uint32_t host, uint32_t span, int64_t begin);

#endif
