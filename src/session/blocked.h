/* Blocked: what selected tasks waited for, and what others did in the meantime (path/blocked.h,
 * path/blocked_tree.h), in a world that is read as far as that needs. */
#ifndef MER_SESSION_BLOCKED_H
#define MER_SESSION_BLOCKED_H

#include "base/table.h"
#include "path/blocked_tree.h"
#include "session/tasks.h"

struct session_blocked_options {
	bool all;	/* also idle waits and waits for input */
	bool chosen;	/* these tasks are meant, so all that they do is felt */
	unsigned depth; /* levels below a wait */
};
struct session_blocked { /* zeroed: nothing */
	struct blocked blocked;
	struct blocked_tree tree;
	uint64_t n_left; /* waits that are not there without `all` */
	int64_t left_ns;
};

/* session_blocked_fini in any case. */
int session_blocked_find(const struct session_world *here, const struct session_tasks *tasks,
	const struct session_window *window, const struct session_blocked_options *o,
	struct session_blocked *x, struct mer_err *err);
void session_blocked_fini(struct session_blocked *x);

/* Words for programs. */
const char *session_blocked_cause(const struct blocked_node *n);
/* The node behind `at`, depth first, of what is below a row, or of the row itself; KERNEL_NONE: it
 * was the last. */
uint32_t session_blocked_next(const struct blocked_tree *tree, uint32_t row, uint32_t at);
/* A row for each wait, the longest first: limit 0: all. below: also what is below each, depth
 * first, and columns that say so. Texts live as long as the world and the arena; mer_table_fini in
 * any case. */
void session_blocked_table(const struct session_world *w, const struct blocked_tree *tree,
	bool below, uint64_t limit, struct mer_arena *arena, struct mer_table *t);

#endif
