/* Bins: the range that was asked for, cut into parts of the same width, and sums by part and key.
 *
 * Edges are whole nanoseconds (the nearest ones) and tile the range, so sums over bins are the sums
 * over the range. The range is known before the first event is read: sums by bin need no second
 * reading, and memory for what is there, whatever the trace's length. */
#ifndef MER_ANALYSIS_BINS_H
#define MER_ANALYSIS_BINS_H

#include "analysis/analysis.h"

enum { ANALYSIS_MAX_BINS = 1 << 20 };

struct analysis_bins {
	int64_t begin, length; /* ns; [begin, begin + length) */
	uint32_t n;	       /* 0: bins are not wanted */
};

/* The bins of a run, the same for all hosts and analyses: from the first event to the last one, as
 * far as the options want. Neither n_bins nor interval_ns: n is 0. The first time it reads the
 * begin and the end of the traces; to be called from analysis.begin. */
int analysis_bins_find(struct analysis_run *run, struct analysis_bins *b, struct mer_err *err);

/* Begin of bin i; of i == n: end of the last one. */
static inline int64_t analysis_bin_edge(const struct analysis_bins *b, uint32_t i)
{
	return b->begin + (int64_t)(((__int128)b->length * i + b->n / 2) / b->n);
}
/* The bin that holds t; -1: none does. */
int64_t analysis_bin_of(const struct analysis_bins *b, int64_t t);

/* How much of bin i was asked for, ns. Nothing of it: its width, so that rates of nothing are 0. */
int64_t analysis_bin_asked(
	const struct analysis_options *o, const struct analysis_bins *b, uint32_t i);

/* Sums of two numbers by key and bin. Keys are dense small numbers; entries that are zero take
 * nothing. */
struct analysis_series_entry {
	uint32_t key, bin;
	int64_t a, b;
};
struct analysis_series { /* zeroed: empty */
	struct analysis_series_entry *entries;
	size_t n, cap;
	uint32_t *last; /* by key: its newest entry, plus 1 */
	size_t cap_last;
};

/* Adds to what the key has in that bin. False: no memory. Sorting joins entries of one bin. */
bool analysis_series_add(
	struct analysis_series *s, uint32_t key, uint32_t bin, int64_t a, int64_t b);
/* By key, then bin. Afterwards nothing may be added. */
void analysis_series_sort(struct analysis_series *s);
/* Entries of a key, once sorted. */
const struct analysis_series_entry *analysis_series_of(
	const struct analysis_series *s, uint32_t key, size_t *n);
void analysis_series_fini(struct analysis_series *s);

#endif
