/* meridian path --children: what a task started, and what each part of it cost. */
#ifndef MER_CLI_PATH_PATH_CHILDREN_H
#define MER_CLI_PATH_PATH_CHILDREN_H

#include "cli/session.h"

/* Prints the process tree of a task to cli->out: JSON when --format says so, otherwise text. limit:
 * 0: a screenful. */
int cli_path_children(struct cli *cli, const struct session_world *w, uint32_t host, uint32_t task,
	uint64_t limit);

#endif
