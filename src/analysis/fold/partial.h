/* Partial: what one host has for a table (analysis/partial.h), and its bytes. */
#ifndef MER_ANALYSIS_FOLD_PARTIAL_H
#define MER_ANALYSIS_FOLD_PARTIAL_H

#include "analysis/fold/plan.h"
#include "analysis/leave_out.h"
#include "base/walk.h"

/* Lists are by row; of one host's rows, or of groups that are joined with those of others. */
struct fold_partial {
	bool by_host;
	uint64_t n_seen;
	int64_t range, capacity; /* fold_find_range of the host */
	int64_t time_ns, unknown_ns;
	/* Of groups: bit c: column c is empty where it is 0, as the host did not record it. */
	uint64_t forgotten;
	size_t n_rows, n_terms, n_words, n_slots;
	/* By column of the plan; of groups only keys, and what functions of parts gave. */
	struct mer_cell *cells;
	struct fold_rank *ranks; /* n_terms each: what rows are ordered by */
	/* Rows of one host: */
	struct analysis_left_row *left;
	/* Groups: */
	struct fold_rank *words; /* n_words each: the keys that rows are told apart by */
	int64_t *slots;		 /* n_slots each: those of the plan, with histograms, values */
};

/* Does each row belong to one host? */
bool fold_is_by_host(const struct fold_plan *p);
/* Number of the words that groups are told apart by. */
size_t fold_n_words(const struct fold_keys *keys);
/* False: these are no such bytes of this plan, or memory is out. Texts stay in the bytes; lists are
 * in the arena. fold_partial_fini whatever the result. */
bool fold_partial_read(const struct fold_plan *p, const char *bytes, size_t n,
	struct mer_arena *arena, struct fold_partial *x);
void fold_partial_fini(const struct fold_plan *p, struct fold_partial *x);

#endif
