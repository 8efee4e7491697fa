/* Waits for programs, as tables: what was waited for, who did what meanwhile, and how much was left
 * out. */
#ifndef MER_ASK_PATH_BLOCKED_ANSWER_H
#define MER_ASK_PATH_BLOCKED_ANSWER_H

#include "ask/answer.h"
#include "path/blocked_tree.h"

enum { ASK_WAITS_LEVELS = 64 }; /* more than --depth allows */

struct ask_waits {
	const struct session_world *w;
	const struct blocked_tree *tree; /* sorted */
	uint64_t limit;			 /* of waits; 0: none */
	uint64_t n_left;		 /* waits that are not in the tree */
	int64_t left_ns;
	/* How far the table of what is below them has been written: there may be many. */
	struct ask_waits_at {
		uint32_t wait, node; /* KERNEL_NONE: the first one below the next wait */
		int64_t row, id;
		int64_t above[ASK_WAITS_LEVELS]; /* the id of the node there, by level */
		bool is_done;
	} at;
};

/* Adds the tables; x, texts and `waits`, which is filled, live as long as a. mer_table_fini of it
 * in any case. */
void ask_waits_answer(struct ask_waits *x, struct mer_table *waits, struct answer *a);

#endif
