/* Account: what a task cost: its own CPU time, and the CPU time of the tasks that worked for it
 * while it waited.
 *
 *                     self   sub   total
 *   client               5    70      75
 *    \_ server          50    20      70   while the client waited in read
 *        \_ database    20     0      20   while the server waited for the database
 *
 * A task that ended a wait worked for the waiting task: its CPU time from the begin of the wait to
 * its end is charged to the waiting task. Below it, the work that was done for it while it waited
 * itself is charged as well, to any depth and across hosts. This is the critical path of the wait
 * (path.h): work in parallel, for which the wait did not last longer, is not charged.
 *
 * So what a helper is charged for, summed over the tree, is its time on a CPU on the path of the
 * task; without what is in waits for work (blocked.h), which are not followed unless all is asked
 * for: who asks does not work for who is asked.
 *
 * A server answers the first client, then the second one, who has waited meanwhile. Both waited for
 * all of it. But each moment of the server belongs to the wait of a client that it ended first of
 * those that had begun: the rest of what the second one is charged for is others_ns. A client is
 * who had asked (blocked_wait.is_answer); whom else it woke has no claim on its time.
 *
 * A client that is ready, because the server whom it just asked runs before it could begin to wait,
 * waits for a CPU, as on the path; how much of that the server worked is ready_ns.
 *
 * What else they took meanwhile, memory, disks and network (usage.h), is charged for their time
 * without others_ns: each moment of a task that is looked at for its clients is looked at once.
 *
 * Time without CPU use is residual time of the task that it happened to, by cause. So
 *
 *   total of the task + residual time of all rows = elapsed time
 *
 * and the sum over the tree never exceeds what one CPU could do in that time. */
#ifndef MER_PATH_ACCOUNT_H
#define MER_PATH_ACCOUNT_H

#include "path/blocked.h"
#include "path/path.h"
#include "path/usage.h"

enum account_rest {		      /* and before these enum path_cause */
	ACCOUNT_IDLE = PATH_N_CAUSES, /* waited for work; or was asked for it by somebody else */
	ACCOUNT_N_RESIDUALS
};
/* Stable words: "timer", "runnable", "idle", ... */
const char *account_rest_name(enum account_rest);

struct account_node {
	uint32_t parent, child, next; /* in nodes, the greatest total first; KERNEL_NONE */
	uint32_t host, task;
	uint32_t depth;		/* 0: the task itself */
	uint64_t n_served;	/* how many waits of its parent it ended */
	int64_t self_ns;	/* on a CPU */
	int64_t interrupted_ns; /* of it: the CPU served interrupts */
	int64_t others_ns; /* of it: it served another client first, or was waited for by who did */
	int64_t ready_ns;  /* of it: who waited for it was ready, kept from the CPU by it */
	int64_t children_ns; /* the sum of self_ns below */
	int64_t residual_ns[ACCOUNT_N_RESIDUALS];
	int64_t used[USAGE_N_KINDS];	      /* meanwhile, on a CPU or not */
	int64_t children_used[USAGE_N_KINDS]; /* the sum of used below */
};

struct account {
	const struct blocked *b; /* borrowed */
	uint32_t host, task;
	int64_t begin, end;	    /* ns: its life within the requested range */
	int64_t waited_ns;	    /* of its own: blocked */
	const char *program;	    /* account_program; the world's */
	struct account_node *nodes; /* malloc'ed; the first is the task */
	uint32_t n, cap;
	struct mer_map map; /* hash of parent, host, task -> node, plus 1 */
};

/* Who ended which waits, of all hosts; malloc'ed. b is borrowed, and u, settled; NULL: nothing was
 * used. */
struct account_index;
int account_index_new(const struct blocked *b, const struct usage *u, struct account_index **x,
	struct mer_err *err);
void account_index_free(struct account_index *); /* NULL is fine */

/* Over [begin, end] (INT64_MIN, INT64_MAX: the task's life). all: waits for work are charged as
 * well, whatever task requested the work: everything on the critical path that no other wait has
 * a claim on. account_fini in any case. */
int account_find(const struct account_index *x, uint32_t host, uint32_t task, int64_t begin,
	int64_t end, bool all, struct account *a, struct mer_err *err);
/* The same as the first tool with such a report computed it: the CPU usage of each task is
 * averaged over n_bins equal parts of the recording. A wait counts whole parts, from the one in
 * which it began up to, but excluding, the one in which it ended. No residual times. */
int account_find_averaged(const struct blocked *b, uint32_t host, uint32_t task, int64_t begin,
	int64_t end, uint32_t n_bins, struct account *a, struct mer_err *err);
void account_fini(struct account *a);

/* The child of a node, made when it is new; a->nodes may move. KERNEL_NONE: no memory. For the two
 * above. */
uint32_t account_child(struct account *a, uint32_t parent, uint32_t host, uint32_t task);
/* Fills children_ns and children_used, and puts siblings in order; their last step. */
int account_finish(struct account *a, struct mer_err *err);

/* The last program that the task, or who forked it, executed while recorded; "": none. */
const char *account_program(const struct kernel_host *h, uint32_t task);

#endif
