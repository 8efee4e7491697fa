/* Groups: a row of sums for each distinct set of keys, in order of first appearance. */
#include <stdlib.h>
#include <string.h>

#include "analysis/fold/plan.h"
#include "base/grow.h"

enum { FIRST_CAP = 64, DENSE_LIMIT = 1 << 22 };

static inline uint64_t mix(uint64_t hash, uint64_t key)
{
	hash = (hash ^ key) * 0x9E3779B97F4A7C15u;
	return hash ^ hash >> 29;
}

static inline uint64_t hash_of(const int64_t *keys, uint32_t n)
{
	uint64_t hash = n;
	for (uint32_t i = 0; i < n; i++)
		hash = mix(hash, (uint64_t)keys[i]);
	return hash;
}

static inline bool has_keys(const int64_t *row, const int64_t *keys, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (row[i] != keys[i])
			return false;
	return true;
}

void fold_groups_init(struct fold_groups *g, const struct fold_plan *p, uint32_t n_keys)
{
	*g = (struct fold_groups){
		.n_keys = n_keys, .n_slots = p->n_slots, .empty = p->empty, .spill = p->e->spill
	};
	for (uint32_t i = 0; i < p->n_sums; i++) {
		if (p->sums[i].has & FOLD_HAS_BUCKETS)
			g->owned[g->n_owned++] = p->sums[i].at[11];
		if (p->sums[i].has & FOLD_HAS_VALUES)
			g->lists[g->n_lists++] = p->sums[i].at[12];
	}
}

static bool grow(struct fold_groups *g)
{
	size_t cap = g->cap ? g->cap * 2 : FIRST_CAP;
	struct fold_group_slot *slots = calloc(cap, sizeof(*slots));
	if (!slots)
		return false;
	for (size_t i = 0; i < g->cap; i++) {
		if (!g->slots[i].group)
			continue;
		size_t at = g->slots[i].hash & (cap - 1);
		while (slots[at].group)
			at = (at + 1) & (cap - 1);
		slots[at] = g->slots[i];
	}
	free(g->slots);
	g->slots = slots;
	g->cap = cap;
	return true;
}

/* Does a block of the spill begin with this chunk? The first chunks have a block each: most
 * tables are small. */
static bool begins_block(uint32_t chunk)
{
	return chunk < FOLD_EXTENT || chunk % FOLD_EXTENT == 0;
}

static bool add_chunk(struct fold_groups *g, uint32_t chunk)
{
	size_t numbers = (size_t)(g->n_keys + g->n_slots) * FOLD_CHUNK;
	if (!mer_grow32(&g->chunks, chunk, &g->cap_chunks, sizeof(*g->chunks)))
		return false;
	if (!begins_block(chunk)) {
		g->chunks[chunk] = g->chunks[chunk - 1] + numbers;
		return true;
	}
	size_t n = chunk < FOLD_EXTENT ? 1 : FOLD_EXTENT;
	g->chunks[chunk] = mer_spill_array(g->spill, n * numbers + 1, sizeof(int64_t));
	return g->chunks[chunk] != NULL;
}

static uint32_t add_group(struct fold_groups *g, const int64_t *keys)
{
	uint32_t chunk = g->n >> FOLD_CHUNK_BITS;
	if (g->n >= KERNEL_NONE - 1)
		return KERNEL_NONE;
	if ((g->n & (FOLD_CHUNK - 1)) == 0 && !add_chunk(g, chunk))
		return KERNEL_NONE;
	int64_t *row = fold_group_row(g, g->n);
	memcpy(row, keys, g->n_keys * sizeof(*row));
	memcpy(row + g->n_keys, g->empty, g->n_slots * sizeof(*row));
	return g->n++;
}

uint32_t fold_group_of(struct fold_groups *g, const int64_t *keys)
{
	uint64_t hash = hash_of(keys, g->n_keys);
	if ((size_t)g->n * 2 >= g->cap && !grow(g))
		return KERNEL_NONE;
	size_t at = hash & (g->cap - 1);
	for (; g->slots[at].group; at = (at + 1) & (g->cap - 1))
		if (g->slots[at].hash == hash &&
			has_keys(fold_group_row(g, g->slots[at].group - 1), keys, g->n_keys))
			return g->slots[at].group - 1;
	uint32_t group = add_group(g, keys);
	if (group != KERNEL_NONE)
		g->slots[at] = (struct fold_group_slot){ hash, group + 1 };
	return group;
}

/* With one key that is a small number, the group is found by index. Unknown is 0. */
static bool find_dense(struct fold_groups *g, const int64_t *keys, uint32_t n, uint32_t *groups)
{
	for (uint32_t i = 0; i < n; i++) {
		uint64_t at = keys[i] == FACT_UNKNOWN ? 0 : (uint64_t)keys[i] + 1;
		if (at >= g->cap_dense) {
			if (at >= DENSE_LIMIT) { /* a damaged trace */
				groups[i] = fold_group_of(g, &keys[i]);
				if (groups[i] == KERNEL_NONE)
					return false;
				continue;
			}
			if (!mer_grow_at(&g->dense, &g->cap_dense, at, sizeof(*g->dense)))
				return false;
		}
		if (!g->dense[at]) {
			uint32_t group = add_group(g, &keys[i]);
			if (group == KERNEL_NONE)
				return false;
			g->dense[at] = group + 1;
		}
		groups[i] = g->dense[at] - 1;
	}
	return true;
}

/* Where the last group of a small number is kept; NULL: nowhere. False: no memory. */
static bool last_of(struct fold_groups *g, int64_t key, uint32_t **last)
{
	uint64_t at = key == FACT_UNKNOWN ? 0 : (uint64_t)key + 1;
	*last = NULL;
	if (at >= DENSE_LIMIT)
		return true;
	*last = at < g->cap_dense ? &g->dense[at]
				  : mer_grow_at(&g->dense, &g->cap_dense, at, sizeof(*g->dense));
	return *last != NULL;
}

bool fold_groups_find(struct fold_groups *g, const struct fold_table *t,
	const int64_t (*keys)[FOLD_PIECES], uint32_t n, uint32_t *groups)
{
	int64_t own[FOLD_MAX_KEYS];
	if (t->is_dense)
		return find_dense(g, keys[0], n, groups);
	for (uint32_t i = 0; i < n; i++) {
		bool is_last = i > 0;
		uint32_t *last = NULL;
		for (uint32_t k = 0; k < g->n_keys; k++) {
			own[k] = keys[k][i];
			is_last = is_last && keys[k][i - 1] == own[k];
		}
		if (is_last) {
			groups[i] = groups[i - 1];
			continue;
		}
		if (t->main_key < FOLD_MAX_KEYS && !last_of(g, own[t->main_key], &last))
			return false;
		if (last && *last && has_keys(fold_group_row(g, *last - 1), own, g->n_keys)) {
			groups[i] = *last - 1;
			continue;
		}
		groups[i] = fold_group_of(g, own);
		if (groups[i] == KERNEL_NONE)
			return false;
		if (last)
			*last = groups[i] + 1;
	}
	return true;
}

void fold_groups_fini(struct fold_groups *g)
{
	for (uint32_t i = 0; i < g->n && (g->n_owned || g->n_lists); i++) {
		const int64_t *slots = fold_group_row(g, i) + g->n_keys;
		for (uint32_t k = 0; k < g->n_owned; k++)
			fold_histogram_free(slots[g->owned[k]]);
		for (uint32_t k = 0; k < g->n_lists; k++)
			fold_values_free(slots[g->lists[k]]);
	}
	for (uint32_t i = 0; i < g->cap_chunks && (size_t)i << FOLD_CHUNK_BITS < g->n; i++)
		if (begins_block(i))
			mer_spill_release(g->chunks[i]);
	free(g->chunks);
	free(g->slots);
	free(g->dense);
	free(g->seqs);
}
