#include "base/map.h"

#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/grow.h"

uint64_t mer_hash(const void *data, size_t len)
{
	return XXH3_64bits(data, len);
}

static uint64_t mix(uint64_t key)
{
	key ^= key >> 32;
	key *= 0x9E3779B97F4A7C15u;
	return key ^ key >> 29;
}

void mer_map_fini(struct mer_map *m)
{
	free(m->slots);
	*m = (struct mer_map){ 0 };
}

/* The slot that has key, or the free one where it belongs. There is always a free one. */
static struct mer_map_slot *slot_of(const struct mer_map *m, uint64_t key)
{
	size_t i = mix(key) & (m->cap - 1);
	while (m->slots[i].used && m->slots[i].key != key)
		i = (i + 1) & (m->cap - 1);
	return &m->slots[i];
}

uint32_t *mer_map_get(const struct mer_map *m, uint64_t key)
{
	if (m->cap == 0)
		return NULL;
	struct mer_map_slot *s = slot_of(m, key);
	return s->used ? &s->value : NULL;
}

static bool grow(struct mer_map *m)
{
	struct mer_map bigger = { .cap = m->cap ? m->cap * 2 : 16, .n = m->n };
	bigger.slots = calloc(bigger.cap, sizeof(*bigger.slots));
	if (!bigger.slots)
		return false;
	for (size_t i = 0; i < m->cap; i++)
		if (m->slots[i].used)
			*slot_of(&bigger, m->slots[i].key) = m->slots[i];
	free(m->slots);
	*m = bigger;
	return true;
}

uint32_t *mer_map_put(struct mer_map *m, uint64_t key)
{
	if ((m->n + 1) * 4 > m->cap * 3 && !grow(m))
		return NULL;
	struct mer_map_slot *s = slot_of(m, key);
	if (!s->used) {
		*s = (struct mer_map_slot){ .key = key, .used = 1 };
		m->n++;
	}
	return &s->value;
}

bool mer_map_put_number(struct mer_map *m, uint64_t key, uint32_t number)
{
	uint32_t *at = mer_map_put(m, key);
	if (at)
		*at = number + 1;
	return at != NULL;
}

uint32_t mer_map_number(const struct mer_map *m, uint64_t key)
{
	const uint32_t *at = mer_map_get(m, key);
	return at && *at ? *at - 1 : UINT32_MAX;
}

void mer_intern_init(struct mer_intern *in, struct mer_arena *arena)
{
	*in = (struct mer_intern){ .arena = arena };
}

void mer_intern_fini(struct mer_intern *in)
{
	mer_map_fini(&in->map);
	free(in->texts);
	*in = (struct mer_intern){ 0 };
}

static uint32_t find_in_chain(
	const struct mer_intern *in, uint32_t first, const char *text, size_t len)
{
	for (uint32_t i = first; i != 0; i = in->texts[i - 1].next)
		if (in->texts[i - 1].len == len && memcmp(in->texts[i - 1].text, text, len) == 0)
			return i - 1;
	return MER_INTERN_NONE;
}

uint32_t mer_intern_find(const struct mer_intern *in, const char *text, size_t len)
{
	const uint32_t *first = mer_map_get(&in->map, mer_hash(text, len));
	return first ? find_in_chain(in, *first, text, len) : MER_INTERN_NONE;
}

uint32_t mer_intern_add(struct mer_intern *in, const char *text, size_t len)
{
	uint32_t *first = mer_map_put(&in->map, mer_hash(text, len));
	if (!first || len > UINT32_MAX)
		return MER_INTERN_NONE;
	uint32_t found = find_in_chain(in, *first, text, len);
	if (found != MER_INTERN_NONE)
		return found;
	if (!mer_grow32(&in->texts, in->n, &in->cap, sizeof(*in->texts)))
		return MER_INTERN_NONE;
	const char *copy = mer_arena_strndup(in->arena, text, len);
	if (!copy)
		return MER_INTERN_NONE;
	in->texts[in->n] = (struct mer_intern_text){ copy, (uint32_t)len, *first };
	*first = ++in->n;
	return in->n - 1;
}

const char *mer_intern_text(const struct mer_intern *in, uint32_t id)
{
	return in->texts[id].text;
}
