#include "analysis/relations/set.h"

#include <stdlib.h>

static bool same(const struct relation *a, const struct relation *b)
{
	return a->from == b->from && a->to == b->to && a->kind == b->kind &&
	       a->object == b->object && a->from_host == b->from_host && a->to_host == b->to_host;
}

/* The edge of this key, new if there is none; NULL: no memory, or too many. */
static struct relation *find(struct relation_set *s, const struct relation *key, bool *is_full)
{
	uint64_t words[4] = { (uint64_t)key->from_host << 32 | key->from,
		(uint64_t)key->to_host << 32 | key->to, key->object, key->kind };
	uint64_t hash = mer_hash(words, sizeof(words));
	for (;; hash++) { /* on a collision, the next number */
		uint32_t *at = mer_map_get(&s->map, hash);
		if (at && *at) {
			if (same(&s->rows[*at - 1], key))
				return &s->rows[*at - 1];
			continue;
		}
		*is_full =
			s->n >= (key->object == RELATION_NO_OBJECT ? 2 : 1) * (size_t)RELATION_MAX;
		if (*is_full)
			return NULL;
		at = mer_map_put(&s->map, hash);
		struct relation *r = at ? mer_grow_at(&s->rows, &s->cap, s->n, sizeof(*r)) : NULL;
		if (!r)
			return NULL;
		*at = (uint32_t)++s->n;
		*r = (struct relation){ .from_host = key->from_host,
			.from = key->from,
			.to_host = key->to_host,
			.to = key->to,
			.object = key->object,
			.kind = key->kind,
			.first = INT64_MAX,
			.last = INT64_MIN };
		return r;
	}
}

bool relation_add(struct relation_set *s, const struct relation *r)
{
	bool is_full = false;
	struct relation key = *r, *e = find(s, &key, &is_full);
	if (!e && is_full) {
		key.object = RELATION_NO_OBJECT;
		is_full = false;
		e = find(s, &key, &is_full);
	}
	if (!e && is_full) {
		s->n_rest++;
		return true;
	}
	if (!e)
		return false;
	e->n_given += r->n_given;
	e->n_waits += r->n_waits;
	e->bytes += r->bytes;
	e->has_bytes |= r->has_bytes;
	e->wait_ns += r->wait_ns;
	e->first = r->first < e->first ? r->first : e->first;
	e->last = r->last > e->last ? r->last : e->last;
	return true;
}

void relation_set_fini(struct relation_set *s)
{
	mer_map_fini(&s->map);
	free(s->rows);
	s->rows = NULL;
}
