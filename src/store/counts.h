/* Counts: how many facts of a kind began in each bin, and how many bytes they moved. A bin is a
 * power of two of nanoseconds wide. Charts of a host's load over time are drawn from this.
 *
 * Wide bins are read from levels saved in the store, each with bins four times as wide as those of
 * the level below; narrower bins are counted from the facts. Both give the same numbers. */
#ifndef MER_STORE_COUNTS_H
#define MER_STORE_COUNTS_H

#include "analysis/fact.h"
#include "store/lanes.h"

/* ---- making ---- */

/* Counts facts as they arrive; the bins widen when there are too many of them. Zeroed at first,
 * except has_bytes. */
struct store_counts {
	bool has_bytes;		  /* the kind has a byte count */
	uint64_t *counts, *bytes; /* by bin, from `first` on */
	uint64_t n_facts;
	size_t n, cap;
	int64_t first;
	unsigned shift;
	bool failed; /* no memory */
};
void store_counts_add(struct store_counts *c, int64_t begin, uint64_t bytes);
/* Writes all levels of a kind that has facts. A failure is the writer's. */
void store_counts_put(
	struct store_counts *c, struct store_writer *w, uint32_t host, uint32_t number);
void store_counts_fini(struct store_counts *c);

/* The field with the bytes that a fact moved; NULL: the kind has none. */
const struct fact_field *store_counts_field(const struct fact_kind *kind);
static inline uint64_t store_counts_bytes(const struct fact_field *field, const void *fact)
{
	int64_t v = field ? fact_load(field, fact) : 0;
	return v > 0 && !(field->has_none && v == field->none) ? (uint64_t)v : 0;
}

/* ---- reading ---- */

/* counts, bytes: n_bins numbers each, for the facts that begin in each bin; bytes are 0 if the kind
 * has none. number: of the kind. MER_ERR_INPUT: the data needed is damaged. */
int store_counts_read(const struct store_file *f, uint32_t host, uint32_t number,
	const struct fact_kind *kind, const struct kernel_host *h,
	const struct store_window *window, uint64_t *counts, uint64_t *bytes, struct mer_err *err);

#endif
