/* Printing of waits: as a tree for people, as rows or nested for programs. */
#ifndef MER_ASK_PATH_BLOCKED_PRINT_H
#define MER_ASK_PATH_BLOCKED_PRINT_H

#include "path/blocked_tree.h"
#include "base/str.h"
#include "ask/requests/request_holders.h"
#include "ask/session.h"

struct ask_blocked {
	struct ask *ask;
	const struct session_world *w;
	const struct blocked_tree *tree; /* sorted */
	int64_t begin, end;		 /* what was looked at; INT64_MIN, INT64_MAX: everything */
	bool chosen;			 /* --tid or --comm was given */
	uint64_t limit;			 /* of rows; 0: none for programs, a screenful for people */
	uint64_t n_left;		 /* waits that are idle or for input and not in the tree */
	int64_t left_ns;
	const struct ask_request_holders *holders; /* of a request; NULL: it is of none */
};

/* As --format says. */
int ask_blocked_print(const struct ask_blocked *c, struct mer_str *out);

#endif
