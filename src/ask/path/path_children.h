/* meridian path --children: what a task started, and what each part of it cost. */
#ifndef MER_ASK_PATH_PATH_CHILDREN_H
#define MER_ASK_PATH_PATH_CHILDREN_H

#include "ask/session.h"

/* Prints the process tree of a task to ask->out: JSON when --format says so, otherwise text. limit:
 * 0: a screenful. */
int ask_path_children(struct ask *ask, const struct session_world *w, uint32_t host, uint32_t task,
	uint64_t limit);

#endif
