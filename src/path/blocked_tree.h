/* Waits as a table that can be opened: one row for all waits of a task in one call, on one object,
 * for one cause; below it who did what meanwhile, and what those waited for, and so on.
 *
 * What is below comes from the task's critical path (path.h): its segments inside of a wait, put
 * under the waits that they explain. So the parts of a wait never sum to more than the wait. */
#ifndef MER_PATH_BLOCKED_TREE_H
#define MER_PATH_BLOCKED_TREE_H

#include "path/blocked.h"

enum blocked_doing {
	BLOCKED_WAITED, /* rows; and waits inside of them */
	BLOCKED_RAN,
	BLOCKED_RUNNABLE, /* ready, others had the CPU */
	/* Tasks of guests also have rows for the time in which others had their CPU: see
	 * PATH_STOLEN. */
	BLOCKED_STOLEN,
	BLOCKED_HYPERVISOR,
	BLOCKED_STARTED,   /* forked, not yet run */
	BLOCKED_IN_FLIGHT, /* a packet was on its way */
	BLOCKED_NOT_KNOWN,
	BLOCKED_N_DOINGS
};
/* "blocked", "ran", "runnable", "stolen", "hypervisor", "new", "in-flight", "unknown" */
const char *blocked_doing_name(enum blocked_doing);

struct blocked_node {
	uint32_t parent, child, next; /* in nodes; KERNEL_NONE */
	uint32_t host;
	uint32_t task;		   /* KERNEL_NONE: several of this name (not of rows) */
	const char *comm;	   /* its name when it last was here; "" not known */
	const char *call, *object; /* "": none, not known; of disks their name */
	/* Name of the task that ended the waits; "": none; NULL: several. BLOCKED_STOLEN: who had
	 * the CPU, BLOCKED_HYPERVISOR: why (kernel_absence_words). */
	const char *by;
	uint32_t by_host; /* its host, while by is one name */
	uint8_t doing;	  /* enum blocked_doing */
	uint8_t kind;	  /* BLOCKED_WAITED: enum blocked_kind */
	uint8_t cause;	  /* BLOCKED_WAITED: enum kernel_cause */
	uint8_t class;	  /* of rows: enum blocked_class */
	bool open;	  /* these never ended */
	uint32_t level;	  /* rows: 0 */
	uint64_t count;	  /* waits; for rows that are no waits: how often */
	int64_t total_ns;
	int64_t min_ns, max_ns, runnable_ns; /* rows; late: ready, but not yet on a CPU */
	int64_t max_at;			     /* rows: when the longest began, in the scope */
	uint32_t last_span;		     /* the latest one that was counted */
};

struct blocked_tree {
	const struct blocked *b; /* borrowed */
	struct blocked_node *nodes;
	uint32_t n, cap;
	uint32_t first;	    /* row; KERNEL_NONE: none */
	struct mer_map map; /* hash of what a node stands for -> number, plus 1 */
};

struct blocked_scope {
	int64_t begin, end; /* waits are cut to this */
	bool chosen;	    /* see blocked_class_of */
	bool all;	    /* idle ones and those for input too */
	unsigned depth;	    /* levels below rows */
};

void blocked_tree_init(struct blocked_tree *t, const struct blocked *b);
void blocked_tree_fini(struct blocked_tree *t);
/* Adds the waits of a task. */
int blocked_tree_add(struct blocked_tree *t, uint32_t host, uint32_t task,
	const struct blocked_scope *scope, struct mer_err *err);
/* Puts the highest rank first, everywhere. */
int blocked_tree_sort(struct blocked_tree *t, struct mer_err *err);
/* What somebody felt is before the rest, and of that the longest is first; at the end what slept
 * all the time. What is below a node is never of a higher rank. */
int64_t blocked_rank(const struct blocked_tree *t, uint32_t node);

#endif
