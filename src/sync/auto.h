/* Auto: puts an experiment on one clock, by its own messages or a saved result.
 *
 *   sync_auto = sync_gather -> sync_solve      or   sync_load (a file)
 *   sync_apply: the result's maps become those of the experiment
 *
 * Shared by the public mer_synchronize and all verbs. Nothing is cached here (see
 * session/sync_cache.h), and nothing is printed. */
#ifndef MER_SYNC_AUTO_H
#define MER_SYNC_AUTO_H

#include "base/str.h"
#include "sync/match/gather.h"
#include "sync/solve.h"
#include "trace/experiment.h"

/* Name, id and span of each host, as sync_solve wants them; in the arena, NULL: no memory. Before
 * maps are applied. */
struct sync_host_info *sync_host_infos(const struct mer_experiment *e, struct mer_arena *arena);

/* Finds the messages and solves, with the defaults where options are NULL. Findings, including
 * those of gathering, are in the result's diagnostics. */
int sync_auto(struct mer_experiment *e, const struct sync_gather_options *gather,
	const struct sync_options *solve, struct sync_result **result, struct mer_err *err);
/* The two halves of sync_auto, for callers that need the messages too. m belongs to the caller, who
 * frees it in any case. found (initialized here, texts in the experiment's arena): findings about
 * messages only; other findings of a reading are reported by every reading itself. all: gets all of
 * this one; NULL: nobody wants them. */
int sync_auto_gather(struct mer_experiment *e, const struct sync_gather_options *gather,
	struct sync_messages *m, struct mer_diags *found, struct mer_diags *all,
	struct mer_err *err);
int sync_auto_solve(struct mer_experiment *e, const struct sync_messages *m,
	const struct mer_diags *found, const struct sync_options *solve,
	struct sync_result **result, struct mer_err *err);
/* Reads a saved result for the hosts of the experiment; NULL: for those that it has. */
int sync_load(const struct mer_experiment *e, const char *path, struct sync_result **result,
	struct mer_err *err);

/* Applies all maps (trace_apply_clock_maps), once. A host whose times have another base second
 * (mer_trace.base_s) than its group's reference keeps its own clock; a diagnostic says so. */
int sync_apply(struct mer_experiment *e, const struct sync_result *r, struct mer_err *err);

/* A result in one line. */
struct sync_summary {
	uint32_t n_hosts;	   /* on the clock of the largest group's reference, it included */
	uint32_t n_unsynchronized; /* hosts whose times cannot be compared with those */
	uint32_t reference;	   /* of the largest group */
	/* The hosts of this group with the largest median and with the largest maximum of their
	 * bound (half width, ns; INT64_MAX: not bounded). */
	uint32_t median, max;
	int64_t median_ns, max_ns;
	/* The largest median of the likely error (estimate/likely.h); INT64_MAX: not known for
	 * every host. */
	int64_t likely_ns;
};
struct sync_summary sync_summary_of(const struct sync_result *r);
/* Hosts of the largest group whose clocks are limited on one side only: their times cannot be
 * compared with others, although they have a place on the reference's clock. Appends their names;
 * returns how many. */
uint32_t sync_one_sided(const struct sync_result *r, struct mer_str *names);
/* Likewise for hosts whose messages contradict each other, so that nothing is known about their
 * clocks. */
uint32_t sync_contradictory(const struct sync_result *r, struct mer_str *names);

#endif
