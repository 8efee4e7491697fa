/* What is needed to find the parts of any request: which task served which request when, and the
 * requests below each. For parts.c and parts_finder.c only. */
#ifndef MER_REQUESTS_PARTS_FINDER_H
#define MER_REQUESTS_PARTS_FINDER_H

#include "path/user_states.h"
#include "requests/parts.h"
#include "requests/stretches.h"

struct requests_parts_finder {
	const struct requests *r;
	struct requests_stretches *hosts;
	int64_t begin, end; /* of what stretches are there for */
	/* By exchange, and the end. What an own request has below it is below the one that this is
	 * in, too: servers know of no own requests. */
	uint32_t *children, *children_of;
	uint32_t *pools; /* of connections (pool.h) */
	struct path_user_states states;
	struct requests_parts whole; /* before they are cut by states */
};

#endif
