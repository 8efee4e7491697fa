/* The two sides of a comparison of paths: found in traces, or read from what `path --json`
 * wrote. */
#ifndef MER_CLI_PATH_DIFF_H
#define MER_CLI_PATH_DIFF_H

#include "path/path_diff.h"
#include "base/json.h"
#include "cli/context.h"
#include "cli/session.h"

struct cli_side {
	struct path_profile profile;
	const char *file;    /* where it was read from; NULL: traces */
	const char *request; /* its id; NULL: the path is a task's */
	const char *host, *comm;
	int64_t tid; /* -1: not known */
	int64_t begin, end;
	bool has_sync;
	struct session_synced synced; /* that it was found with */
};

struct cli_diff {
	struct cli *cli;
	struct cli_side a, b;
	struct mer_diags diags; /* of the traces */
	uint64_t limit;		/* of rows of a table; 0: a screenful for people, else all */
};

/* A saved path. The side's profile is inited in any case; texts are in cli->arena. */
int cli_diff_read(struct cli *cli, const char *path, struct cli_side *side);

/* Prints as --format says. */
int cli_diff_print(struct cli_diff *d);

#endif
