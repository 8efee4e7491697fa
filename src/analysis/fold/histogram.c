/* Histograms: number of values of a group in each bucket. Half a power of two consists of whole
 * buckets, so tables of buckets and percentiles are computed from the same counts.
 *
 * Most groups have few values: their buckets are stored as a list, two bytes each. With many
 * values there are counters, from the lowest bucket in use to the highest. */
#include <stdlib.h>
#include <string.h>

#include "analysis/fold/plan.h"

enum { FINE = 64, FINE_BITS = 6, FIRST = 8, MOST = 512, SPARE = 64 };

struct histogram {
	uint32_t n, cap;      /* buckets as they came; cap 0: counts */
	uint32_t begin, span; /* of the counts: buckets begin ... begin + span - 1 */
	union {
		uint16_t buckets[1];
		uint64_t counts[1];
	} u;
};

unsigned fold_bucket(int64_t value)
{
	if (value < 2 * FINE)
		return value > 0 ? (unsigned)value : 0;
	unsigned shift = 63u - FINE_BITS - (unsigned)__builtin_clzll((unsigned long long)value);
	return shift * FINE + (unsigned)(value >> shift);
}

int64_t fold_bucket_begin(unsigned bucket)
{
	if (bucket < 2 * FINE)
		return bucket;
	unsigned shift = bucket / FINE - 1;
	if (shift > 56)
		return INT64_MAX;
	return (int64_t)(bucket - shift * FINE) << shift;
}

static struct histogram *of(int64_t histogram)
{
	return (struct histogram *)(intptr_t)histogram;
}

static struct histogram *new_counts(uint32_t begin, uint32_t span)
{
	struct histogram *h =
		calloc(1, offsetof(struct histogram, u) + span * sizeof(h->u.counts[0]));
	if (h) {
		h->begin = begin;
		h->span = span;
	}
	return h;
}

/* Converts the list to counters. */
static bool count_all(int64_t *histogram)
{
	struct histogram *h = of(*histogram);
	uint32_t first = UINT32_MAX, last = 0;
	for (uint32_t i = 0; i < h->n; i++) {
		first = h->u.buckets[i] < first ? h->u.buckets[i] : first;
		last = h->u.buckets[i] > last ? h->u.buckets[i] : last;
	}
	struct histogram *x = new_counts(first, last - first + 1);
	if (!x)
		return false;
	for (uint32_t i = 0; i < h->n; i++)
		x->u.counts[h->u.buckets[i] - first]++;
	free(h);
	*histogram = (int64_t)(intptr_t)x;
	return true;
}

static bool widen(int64_t *histogram, unsigned bucket)
{
	struct histogram *h = of(*histogram);
	uint32_t first = h->begin, end = h->begin + h->span;
	if (bucket < first)
		first = bucket > SPARE ? bucket - SPARE : 0;
	if (bucket >= end)
		end = bucket + SPARE;
	struct histogram *x = new_counts(first, end - first);
	if (!x)
		return false;
	memcpy(&x->u.counts[h->begin - first], h->u.counts, h->span * sizeof(h->u.counts[0]));
	free(h);
	*histogram = (int64_t)(intptr_t)x;
	return true;
}

static bool make_room(int64_t *histogram)
{
	struct histogram *h = of(*histogram);
	uint32_t cap = h ? h->cap * 2 : FIRST;
	struct histogram *x =
		realloc(h, offsetof(struct histogram, u) + cap * sizeof(h->u.buckets[0]));
	if (!x)
		return false;
	if (!h)
		x->n = x->begin = x->span = 0;
	x->cap = cap;
	*histogram = (int64_t)(intptr_t)x;
	return true;
}

static bool add_count(int64_t *histogram, unsigned bucket, uint64_t n)
{
	struct histogram *h = of(*histogram);
	if (bucket - h->begin >= h->span) {
		if (!widen(histogram, bucket))
			return false;
		h = of(*histogram);
	}
	h->u.counts[bucket - h->begin] += n;
	return true;
}

bool fold_histogram_add(int64_t *histogram, unsigned bucket, uint64_t n)
{
	struct histogram *h = of(*histogram);
	if (h && !h->cap)
		return add_count(histogram, bucket, n);
	for (; n > 0; n--) {
		if (h && h->n == MOST)
			return count_all(histogram) && add_count(histogram, bucket, n);
		if ((!h || h->n == h->cap) && !make_room(histogram))
			return false;
		h = of(*histogram);
		h->u.buckets[h->n++] = (uint16_t)bucket;
	}
	return true;
}

bool fold_histogram_join(int64_t *into, int64_t from)
{
	const struct histogram *h = of(from);
	bool ok = true;
	for (uint32_t i = 0; h && i < h->n && ok; i++)
		ok = fold_histogram_add(into, h->u.buckets[i], 1);
	for (uint32_t i = 0; h && !h->cap && i < h->span && ok; i++)
		if (h->u.counts[i])
			ok = fold_histogram_add(into, h->begin + i, h->u.counts[i]);
	return ok;
}

void fold_histogram_free(int64_t histogram)
{
	free(of(histogram));
}

static int compare(const void *a, const void *b)
{
	const struct fold_bucket *p = a, *q = b;
	return (int)p->bucket - (int)q->bucket;
}

struct fold_bucket *fold_histogram_list(int64_t histogram, size_t *n)
{
	const struct histogram *h = of(histogram);
	size_t most = h ? (h->cap ? h->n : h->span) : 0, k = 0;
	struct fold_bucket *list = malloc((most + 1) * sizeof(*list));
	*n = 0;
	if (!list)
		return NULL;
	for (uint32_t i = 0; h && !h->cap && i < h->span; i++)
		if (h->u.counts[i])
			list[k++] =
				(struct fold_bucket){ (uint16_t)(h->begin + i), h->u.counts[i] };
	for (uint32_t i = 0; h && h->cap && i < h->n; i++)
		list[k++] = (struct fold_bucket){ h->u.buckets[i], 1 };
	if (h && h->cap)
		qsort(list, k, sizeof(*list), compare);
	for (size_t i = 0; i < k; i++) {
		if (*n && list[*n - 1].bucket == list[i].bucket)
			list[*n - 1].n += list[i].n;
		else
			list[(*n)++] = list[i];
	}
	return list;
}

int64_t fold_percentile(const struct fold_bucket *list, size_t n, double share)
{
	uint64_t all = 0, below = 0;
	for (size_t i = 0; i < n; i++)
		all += list[i].n;
	double rank = share * (double)all;
	for (size_t i = 0; i < n; i++) {
		below += list[i].n;
		if ((double)below >= rank || i + 1 == n) {
			int64_t begin = fold_bucket_begin(list[i].bucket);
			int64_t last = fold_bucket_begin(list[i].bucket + 1u) - 1;
			return begin + (last - begin) / 2;
		}
	}
	return 0;
}
