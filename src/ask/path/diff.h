/* The two sides of a comparison of paths: found in traces, or read from what `path --json`
 * wrote. */
#ifndef MER_ASK_PATH_DIFF_H
#define MER_ASK_PATH_DIFF_H

#include "path/path_diff.h"
#include "base/json.h"
#include "ask/context.h"
#include "ask/session.h"

struct ask_side {
	struct path_profile profile;
	const char *file;    /* where it was read from; NULL: traces */
	const char *request; /* its id; NULL: the path is a task's */
	const char *host, *comm;
	int64_t tid; /* -1: not known */
	int64_t begin, end;
	bool has_sync;
	struct session_synced synced; /* that it was found with */
};

struct ask_diff {
	struct ask *ask;
	struct ask_side a, b;
	struct mer_diags diags; /* of the traces */
	uint64_t limit;		/* of rows of a table; 0: a screenful for people, else all */
};

/* A saved path. The side's profile is inited in any case; texts are in ask->arena. */
int ask_diff_read(struct ask *ask, const char *path, struct ask_side *side);

/* Prints as --format says. */
int ask_diff_print(struct ask_diff *d);

#endif
