/* Way: the path of a packet that ended a wait and is part of no message, such as the answer to
 * `connect`, as long as only kernels handled it: the same as in the path of the task. What a
 * task did with the packet may be for another request. */
#ifndef MER_REQUESTS_WAY_H
#define MER_REQUESTS_WAY_H

#include "path/path.h"
#include "requests/parts.h"

/* Of a part of cause PATH_NETWORK: was it a kernel that sent the packet, not a task? Only then can
 * a way have kernels in it alone. */
bool requests_way_may_be_known(const struct kernel_world *w, const struct requests_part *p);
/* wait: such a part, in which a task waits; after: the span of the task after it
 * (path_find_before). *is_known: the segments of the way, which are then the whole of the wait, are
 * in *way. path_fini in any case. */
int requests_way_find(const struct kernel_world *w, const struct requests_part *wait,
	uint32_t after, struct path *way, bool *is_known, struct mer_err *err);
/* A segment of the way, or of another path of a request: the part of `exchange` that it is. */
struct requests_part requests_part_of(const struct path_segment *s, uint32_t exchange);

#endif
