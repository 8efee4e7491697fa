/* Path diff: where the time of two paths went, side by side.
 *
 * A profile is a path without its order: time by host, program and cause. Tasks are identified
 * by the name of their program only, because their numbers differ from run to run; kernel
 * threads of one kind (kworker/0:1, kworker/u4:2) are one. In a diff of two profiles the times
 * of the rows sum exactly to the totals, whatever the rows are grouped by. */
#ifndef MER_PATH_PATH_DIFF_H
#define MER_PATH_PATH_DIFF_H

#include "path/path.h"
#include "base/arena.h"
#include "base/map.h"

/* What work in interrupts is called, which is no task's. */
#define PATH_NOBODY "kernel"

struct path_part {
	uint32_t host, comm; /* in path_profile.names */
	uint8_t cause;	     /* enum path_cause */
	bool in_flight;	     /* packets under way: no task's time */
	uint64_t n;	     /* segments */
	int64_t ns;
};

struct path_profile {
	struct mer_arena arena;
	struct mer_intern names;
	struct mer_map map;	 /* of the parts: what they are -> number, plus 1 */
	struct path_part *parts; /* malloc'ed; each different one once, in the order of addition */
	size_t n, cap;
	int64_t total_ns; /* sum of the parts */
};

void path_profile_init(struct path_profile *p);
void path_profile_fini(struct path_profile *p);
int path_profile_add(struct path_profile *p, const char *host, const char *comm,
	enum path_cause cause, bool in_flight, uint64_t n, int64_t ns, struct mer_err *err);
/* A segment of a task, in its state if the path has it: the program is then "python3: query_db", so
 * that what the application changed is told from what the kernel did. */
int path_profile_add_segment(struct path_profile *p, const struct path *path,
	const struct path_segment *s, const char *comm, struct mer_err *err);
/* Inits and fills; path_profile_fini in any case. */
int path_profile_of(struct path_profile *p, const struct path *path, struct mer_err *err);

enum path_diff_by {
	PATH_DIFF_BY_PART, /* host, program and cause */
	PATH_DIFF_BY_CAUSE,
	PATH_DIFF_BY_HOST, /* packets under way are a row without a host */
	PATH_DIFF_BY_TASK  /* host and program; likewise */
};

struct path_diff_row { /* texts are of the profiles; NULL: this is not what rows are by */
	const char *host, *comm;
	int cause;	/* enum path_cause, or -1 */
	bool in_flight; /* by part, host or task: packets under way; host and comm are NULL then */
	int64_t a_ns, b_ns;
	uint64_t n_a, n_b; /* segments */
};

/* malloc'ed; the greatest difference first, then the greatest time, then by name. */
int path_diff(const struct path_profile *a, const struct path_profile *b, enum path_diff_by by,
	struct path_diff_row **rows, size_t *n, struct mer_err *err);

#endif
