#include "analysis/bins.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/lower_bound.h"
#include "trace/cursor.h"

/* First and last event of a reading from `from` on. With only_first it stops after one batch. */
static int read_ends(const struct analysis_run *run, const struct trace_reading *reading,
	int64_t from, bool only_first, int64_t *first, int64_t *last, struct mer_err *err)
{
	struct mer_cursor *c;
	struct trace_range range = { from, INT64_MAX };
	int rc = trace_cursor_new(run->e, reading, range, NULL, &c, err);
	if (rc)
		return rc;
	*first = INT64_MAX;
	*last = INT64_MIN;
	do {
		const struct mer_event *ev;
		size_t n;
		rc = mer_cursor_next(c, &ev, &n, err);
		if (rc || n == 0)
			break;
		for (size_t i = 0; i < n; i++) {
			if (ev[i].ts == MER_NO_TIME)
				continue;
			*first = ev[i].ts < *first ? ev[i].ts : *first;
			*last = ev[i].ts > *last ? ev[i].ts : *last;
		}
	} while (!only_first || *first == INT64_MAX);
	trace_cursor_drop(c);
	return rc;
}

/* Packets have open and close times, which may be long before the first event and long after the
 * last one. So the first and last event are searched, the last one backwards in growing steps. */
static int find_events(
	const struct analysis_run *run, int64_t *begin, int64_t *end, struct mer_err *err)
{
	enum { FIRST_STEP = 1000000, GROWTH = 8 };
	const struct mer_experiment *e = run->e;
	struct mer_need all = { "*", "" };
	struct trace_reading *reading;
	int64_t first, last;
	if (e->has_no_events) {
		*begin = e->begin == MER_NO_TIME ? INT64_MAX : e->begin;
		*end = e->end;
		return 0;
	}
	int rc = trace_reading_from_needs(e, &all, 1, false, &reading, err);
	if (rc)
		return rc;
	rc = read_ends(run, reading, INT64_MIN, true, &first, &last, err);
	*begin = *end = first;
	for (int64_t step = FIRST_STEP; rc == 0 && first != INT64_MAX;) {
		int64_t from, none;
		if (e->end == MER_NO_TIME || __builtin_sub_overflow(e->end, step, &from) ||
			from < first)
			from = first;
		rc = read_ends(run, reading, from, false, &none, &last, err);
		if (rc || last != INT64_MIN || from == first) {
			*end = last > first ? last : first;
			break;
		}
		step *= GROWTH;
	}
	trace_reading_free(reading);
	return rc;
}

static int find_bins(const struct analysis_run *run, struct analysis_bins *b, struct mer_err *err)
{
	const struct analysis_options *o = run->options;
	int64_t begin = o->begin, end = o->end, first, last;
	*b = (struct analysis_bins){ 0 };
	if (o->n_bins == 0 && o->interval_ns <= 0)
		return 0;
	if (begin == INT64_MIN || end == INT64_MAX) {
		first = o->first_event;
		last = o->last_event;
		int rc = o->knows_events ? 0 : find_events(run, &first, &last, err);
		if (rc)
			return rc;
		if (first == INT64_MAX)
			return 0;
		begin = begin == INT64_MIN ? first : begin;
		end = end == INT64_MAX ? last + 1 : end; /* include the last event */
	}
	if (end <= begin || __builtin_sub_overflow(end, begin, &b->length))
		return 0;
	uint64_t n = o->n_bins;
	if (n == 0) {
		n = ((uint64_t)b->length - 1) / (uint64_t)o->interval_ns + 1;
		/* The last bin is as wide as the others, unless time ends before. */
		__int128 whole = (__int128)o->interval_ns * (__int128)n;
		if (n <= ANALYSIS_MAX_BINS && whole <= INT64_MAX && begin + whole <= INT64_MAX)
			b->length = (int64_t)whole;
	}
	uint64_t most = o->max_bins ? o->max_bins : ANALYSIS_MAX_BINS;
	if (n > most)
		return mer_fail(err, MER_ERR_LIMIT,
			"more than %" PRIu64 " bins: choose fewer, or a wider interval", most);
	if (n > (uint64_t)b->length) /* no bin is narrower than a nanosecond */
		n = (uint64_t)b->length;
	b->begin = begin;
	b->n = (uint32_t)n;
	return 0;
}

int analysis_bins_find(struct analysis_run *run, struct analysis_bins *b, struct mer_err *err)
{
	int rc = 0;
	if (!run->bins) {
		run->bins = mer_arena_zalloc(&run->arena, 1, sizeof(*run->bins));
		rc = run->bins ? find_bins(run, run->bins, err) : mer_fail_nomem(err);
	}
	*b = rc ? (struct analysis_bins){ 0 } : *run->bins;
	return rc;
}

int64_t analysis_bin_of(const struct analysis_bins *b, int64_t t)
{
	if (b->n == 0 || t < b->begin || t - b->begin >= b->length)
		return -1;
	uint32_t i = (uint32_t)((__int128)(t - b->begin) * b->n / b->length);
	while (i > 0 && analysis_bin_edge(b, i) > t)
		i--;
	while (i + 1 < b->n && analysis_bin_edge(b, i + 1) <= t)
		i++;
	return i;
}

int64_t analysis_bin_asked(
	const struct analysis_options *o, const struct analysis_bins *b, uint32_t i)
{
	int64_t begin = analysis_bin_edge(b, i), end = analysis_bin_edge(b, i + 1);
	int64_t asked = analysis_overlap(o, begin, end);
	return asked ? asked : end - begin;
}

bool analysis_series_add(
	struct analysis_series *s, uint32_t key, uint32_t bin, int64_t a, int64_t b)
{
	uint32_t *last = mer_grow_at(&s->last, &s->cap_last, key, sizeof(*last));
	if (!last || s->n >= UINT32_MAX - 1)
		return false;
	if (*last && s->entries[*last - 1].bin == bin) {
		s->entries[*last - 1].a += a;
		s->entries[*last - 1].b += b;
		return true;
	}
	/* The same bin may occur again if time goes backwards in the trace: sorting merges the
	 * entries. */
	struct analysis_series_entry *e =
		mer_grow_at(&s->entries, &s->cap, s->n, sizeof(*s->entries));
	if (!e)
		return false;
	*e = (struct analysis_series_entry){ key, bin, a, b };
	*last = (uint32_t)++s->n;
	return true;
}

static int compare(const void *a, const void *b)
{
	const struct analysis_series_entry *p = a, *q = b;
	if (p->key != q->key)
		return p->key < q->key ? -1 : 1;
	return (p->bin > q->bin) - (p->bin < q->bin);
}

void analysis_series_sort(struct analysis_series *s)
{
	size_t n = 0;
	if (s->n == 0)
		return;
	qsort(s->entries, s->n, sizeof(*s->entries), compare);
	for (size_t i = 0; i < s->n; i++) {
		struct analysis_series_entry *to = &s->entries[n - (n > 0)];
		if (n > 0 && to->key == s->entries[i].key && to->bin == s->entries[i].bin) {
			to->a += s->entries[i].a;
			to->b += s->entries[i].b;
		} else {
			s->entries[n++] = s->entries[i];
		}
	}
	s->n = n;
}

static size_t first_not_below(const struct analysis_series *s, uint64_t key)
{
	MER_LOWER_BOUND(low, 0, s->n, at, s->entries[at].key < key);
	return low;
}

const struct analysis_series_entry *analysis_series_of(
	const struct analysis_series *s, uint32_t key, size_t *n)
{
	size_t first = first_not_below(s, key);
	*n = first_not_below(s, (uint64_t)key + 1) - first;
	return s->entries + first;
}

void analysis_series_fini(struct analysis_series *s)
{
	free(s->entries);
	free(s->last);
	*s = (struct analysis_series){ 0 };
}
