/* Process tree: what a task started, and what each part of it cost.
 *
 * The root and all processes that descend from it by fork, with the programs that each of them
 * ran one after the other. The time of a process on the path is its part of the root's critical
 * path (path.h). So these times, plus the time outside of the tree, sum exactly to the root's
 * elapsed time. CPU times do not: processes run at the same time, or while nothing waits for
 * them. */
#ifndef MER_PATH_PROCESS_TREE_H
#define MER_PATH_PROCESS_TREE_H

#include "kernel/world.h"

struct process_program {  /* what a process was called, from then to the next */
	const char *name; /* "": not known */
	int64_t begin, end;
	int64_t cpu_ns, on_path_ns; /* of all its threads */
};

struct process {
	uint32_t parent, child, next; /* in processes; children by begin; KERNEL_NONE */
	uint32_t task;		      /* its first thread */
	int64_t begin, end;	      /* fork and exit, or of the recording */
	bool is_born, has_ended;      /* while recorded */
	uint32_t n_threads;
	int64_t cpu_ns, on_path_ns; /* its own */
	/* What it ran. That a forked process has its parent's name until it runs a program of its
	 * own is no program, and its time counts for the first one. */
	uint32_t programs, n_programs;	      /* in process_tree.programs; at least 1 */
	int64_t tree_cpu_ns, tree_on_path_ns; /* with all below it */
	uint32_t n_below;
};

struct process_tree {
	const struct kernel_world *world; /* borrowed */
	uint32_t host;
	struct process *processes; /* by begin, parents before children; the first is the root */
	uint32_t n;
	struct process_program *programs;
	uint32_t n_programs;
	int64_t begin, end; /* the root's life, in the window: what on_path_ns sums to */
	int64_t outside_ns; /* of the path, spent by tasks that are not in the tree */
};

/* The tree of a task's process. Times on CPU and path are those in [begin, end] (INT64_MIN,
 * INT64_MAX: everything). process_tree_fini in any case. */
int process_tree_find(const struct kernel_world *w, uint32_t host, uint32_t task, int64_t begin,
	int64_t end, struct process_tree *t, struct mer_err *err);
void process_tree_fini(struct process_tree *t);

/* Processes that ran the same programs, as one: of one parent (and their children alike, and so
 * on), for people who do not want to read the same line thirty times. */
struct process_group {
	uint32_t parent, child, next; /* in groups; the most time on the path first; KERNEL_NONE */
	uint32_t example;	      /* its first process */
	uint32_t n;
	int64_t duration_ns, min_ns, max_ns; /* their lives: sum, least, most */
	int64_t cpu_ns, on_path_ns;	     /* without those below */
	int64_t tree_cpu_ns, tree_on_path_ns;
	uint32_t n_below;
};
/* malloc'ed; the first is the root. */
int process_tree_group(const struct process_tree *t, struct process_group **groups, uint32_t *n,
	struct mer_err *err);

struct process_total { /* all runs of a program anywhere in the tree */
	const char *name;
	uint32_t n;
	int64_t duration_ns, min_ns, max_ns, cpu_ns, on_path_ns;
};
/* malloc'ed; the most time on the path first. */
int process_tree_totals(const struct process_tree *t, struct process_total **totals, uint32_t *n,
	struct mer_err *err);

#endif
