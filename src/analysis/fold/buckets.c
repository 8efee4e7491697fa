/* Buckets: how many values of each group lie between which bounds. Half a power of two consists of whole
 * buckets, so histograms and percentiles are made of the same. */
#include <stdlib.h>

#include "analysis/fold/plan.h"

enum { FINE = 64, FINE_BITS = 6, FIRST_CAP = 256 };

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

static uint64_t key_of(uint32_t group, uint32_t sum, unsigned bucket)
{
	enum { SUM_BITS = 8 };
	return ((uint64_t)group << SUM_BITS | sum) << FOLD_BUCKET_BITS | bucket;
}

static struct fold_bucket_slot *slot_of(const struct fold_buckets *b, uint64_t key)
{
	uint64_t hash = key * 0x9E3779B97F4A7C15u;
	size_t at = (hash ^ hash >> 32) & (b->cap - 1);
	while (b->slots[at].key && b->slots[at].key != key + 1)
		at = (at + 1) & (b->cap - 1);
	return &b->slots[at];
}

static bool grow(struct fold_buckets *b)
{
	struct fold_buckets more = { .n = b->n, .cap = b->cap ? b->cap * 2 : FIRST_CAP };
	more.slots = calloc(more.cap, sizeof(*more.slots));
	if (!more.slots)
		return false;
	for (size_t i = 0; i < b->cap; i++)
		if (b->slots[i].key)
			*slot_of(&more, b->slots[i].key - 1) = b->slots[i];
	free(b->slots);
	*b = more;
	return true;
}

bool fold_buckets_add(
	struct fold_buckets *b, uint32_t group, uint32_t sum, unsigned bucket, uint64_t n)
{
	uint64_t key = key_of(group, sum, bucket);
	if (b->n * 2 >= b->cap && !grow(b))
		return false;
	struct fold_bucket_slot *s = slot_of(b, key);
	b->n += !s->key;
	s->key = key + 1;
	s->n += n;
	return true;
}

void fold_buckets_fini(struct fold_buckets *b)
{
	free(b->slots);
	*b = (struct fold_buckets){ 0 };
}

static int compare(const void *a, const void *b)
{
	const struct fold_bucket *p = a, *q = b;
	uint64_t x = key_of(p->group, p->sum, p->bucket), y = key_of(q->group, q->sum, q->bucket);
	return (x > y) - (x < y);
}

struct fold_bucket *fold_buckets_list(const struct fold_buckets *b, size_t *n)
{
	struct fold_bucket *list = malloc((b->n + 1) * sizeof(*list));
	*n = 0;
	for (size_t i = 0; list && i < b->cap; i++) {
		uint64_t key = b->slots[i].key - 1;
		if (b->slots[i].key)
			list[(*n)++] =
				(struct fold_bucket){ (uint32_t)(key >> (FOLD_BUCKET_BITS + 8)),
					(uint8_t)(key >> FOLD_BUCKET_BITS),
					(uint16_t)(key & ((1 << FOLD_BUCKET_BITS) - 1)),
					b->slots[i].n };
	}
	if (list)
		qsort(list, *n, sizeof(*list), compare);
	return list;
}

int64_t fold_percentile(const struct fold_bucket *first, size_t n, double share)
{
	uint64_t all = 0, below = 0;
	for (size_t i = 0; i < n; i++)
		all += first[i].n;
	double rank = share * (double)all;
	for (size_t i = 0; i < n; i++) {
		below += first[i].n;
		if ((double)below >= rank || i + 1 == n) {
			int64_t begin = fold_bucket_begin(first[i].bucket);
			int64_t last = fold_bucket_begin(first[i].bucket + 1u) - 1;
			return begin + (last - begin) / 2;
		}
	}
	return 0;
}
