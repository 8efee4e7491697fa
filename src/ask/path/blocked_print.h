/* Printing of waits: as a tree for people, as tables for programs. */
#ifndef MER_ASK_PATH_BLOCKED_PRINT_H
#define MER_ASK_PATH_BLOCKED_PRINT_H

#include "path/blocked_tree.h"
#include "ask/requests/request_holders.h"
#include "ask/session.h"

struct ask_blocked {
	struct ask *ask;
	const struct session_world *w;
	const struct blocked_tree *tree; /* sorted */
	bool chosen;			 /* --tid or --comm was given, or a request */
	bool of_request;
	int64_t begin, end; /* of the request */
	uint64_t limit;	    /* of rows; 0: none for programs, a screenful for people */
	uint64_t n_left;    /* waits that are idle or for input and not in the tree */
	int64_t left_ns;
	const struct ask_request_holders *holders; /* of a request; NULL: it is of none */
};

/* As --format says. */
int ask_blocked_print(const struct ask_blocked *c);

#endif
