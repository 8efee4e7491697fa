/* What tasks did by their own account (kernel_host.views), asked stretch by stretch: which state
 * was the innermost one, and until when. Questions of a task in the order of time are the
 * cheapest. */
#ifndef MER_PATH_USER_STATES_H
#define MER_PATH_USER_STATES_H

#include "base/map.h"
#include "kernel/world.h"

struct view_walk;

struct path_user_states {
	const struct kernel_world *world; /* borrowed */
	bool has_views;			  /* of some host; else there are no states */
	struct mer_map walks_of;	  /* host << 32 | task -> number of its walk, plus 1 */
	struct view_walk *walks;
	size_t n_walks, cap_walks;
};

void path_user_states_init(struct path_user_states *, const struct kernel_world *);
void path_user_states_fini(struct path_user_states *);
/* The task is in one state, or in none, from begin to *until, at most end (which is later). *state:
 * its number plus 1; 0: none. task: KERNEL_NONE: in none. False: no memory. */
bool path_user_states_next(struct path_user_states *, uint32_t host, uint32_t task, int64_t begin,
	int64_t end, int64_t *until, uint32_t *state);

/* "query_db"; state: number plus 1. NULL: none. */
const char *path_user_state_name(const struct kernel_world *, uint32_t host, uint32_t state);

#endif
