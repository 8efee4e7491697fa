/* Bins: the selected range, divided into parts of equal width, and sums by part and key.
 *
 * Edges are whole nanoseconds (the nearest ones) and tile the range, so sums over all bins equal
 * the sums over the range. The range is known before the first event is read, so sums by bin
 * need no second reading. Memory depends on the number of entries, not on the length of the
 * trace. */
#ifndef MER_ANALYSIS_BINS_H
#define MER_ANALYSIS_BINS_H

#include "analysis/analysis.h"

enum { ANALYSIS_MAX_BINS = 1 << 20 };

struct analysis_bins {
	int64_t begin, length; /* ns; [begin, begin + length) */
	uint32_t n;	       /* 0: no bins */
};

/* The bins of a run, the same for all hosts and analyses: from the first to the last event, limited
 * by the options. If neither n_bins nor interval_ns is set, n is 0. The first call reads where the
 * traces begin and end. Call it on the thread of the run: before events are read, or in emit. */
int analysis_bins_find(struct analysis_run *run, struct analysis_bins *b, struct mer_err *err);

/* Begin of bin i; of i == n: end of the last one. */
static inline int64_t analysis_bin_edge(const struct analysis_bins *b, uint32_t i)
{
	return b->begin + (int64_t)(((__int128)b->length * i + b->n / 2) / b->n);
}
/* The bin that contains t; -1: none. */
int64_t analysis_bin_of(const struct analysis_bins *b, int64_t t);

/* How much of bin i was selected, ns. If nothing was, the width of the bin, so that rates are 0
 * and not undefined. */
int64_t analysis_bin_asked(
	const struct analysis_options *o, const struct analysis_bins *b, uint32_t i);

/* Sums of two numbers by key and bin. Keys are small dense numbers; entries that are zero use no
 * memory. */
struct analysis_series_entry {
	uint32_t key, bin;
	int64_t a, b;
};
struct analysis_series { /* zeroed: empty */
	struct analysis_series_entry *entries;
	size_t n, cap;
	uint32_t *last; /* by key: index of its newest entry, plus 1 */
	size_t cap_last;
};

/* Adds to the entry of this key and bin. False: no memory. Entries of one bin are merged by
 * sorting. */
bool analysis_series_add(
	struct analysis_series *s, uint32_t key, uint32_t bin, int64_t a, int64_t b);
/* Sorts by key, then bin. Nothing may be added afterwards. */
void analysis_series_sort(struct analysis_series *s);
/* Entries of a key, once sorted. */
const struct analysis_series_entry *analysis_series_of(
	const struct analysis_series *s, uint32_t key, size_t *n);
void analysis_series_fini(struct analysis_series *s);

#endif
