/* Pending: rings, indexes and deletion. See pending.h.
 *
 * An index has at least twice as many slots as entries, so probing ends. A deleted slot is filled
 * by the next one that may move there. */
#include "sync/match/pending.h"

#include <stdlib.h>

enum { FIRST_CAP = 1024, FIRST_SLOTS = 2048, MAX_WAITING = 1 << 29, MAX_MATCHED = 1 << 16 };

/* ---- indexes ---- */

static void put(struct sync_index *i, uint32_t hash, uint32_t entry)
{
	uint32_t k = hash & i->mask;
	while (i->slots[k].entry)
		k = (k + 1) & i->mask;
	i->slots[k] = (struct sync_slot){ hash, entry };
}

static bool reserve(struct sync_index *i)
{
	if (i->slots && i->n < (i->mask + 1) / 2)
		return true;
	uint32_t n = i->slots ? (i->mask + 1) * 2 : FIRST_SLOTS;
	struct sync_index bigger = { .mask = n - 1, .n = i->n };
	bigger.slots = calloc(n, sizeof(*bigger.slots));
	if (!bigger.slots)
		return false;
	/* Starts after a free slot, so that entries with the same hash keep their order. */
	uint32_t begin = 0;
	while (i->slots && i->slots[begin].entry)
		begin++;
	for (uint32_t k = 1; i->slots && k <= i->mask; k++) {
		const struct sync_slot *s = &i->slots[(begin + k) & i->mask];
		if (s->entry)
			put(&bigger, s->hash, s->entry);
	}
	free(i->slots);
	*i = bigger;
	return true;
}

static struct sync_slot *slot_of(struct sync_index *i, uint32_t hash, uint32_t entry)
{
	uint32_t k = hash & i->mask;
	while (i->slots[k].entry != entry)
		k = (k + 1) & i->mask;
	return &i->slots[k];
}

static void take_out(struct sync_index *i, uint32_t hash, uint32_t entry)
{
	uint32_t hole = (uint32_t)(slot_of(i, hash, entry) - i->slots);
	for (uint32_t k = hole;;) {
		k = (k + 1) & i->mask;
		if (!i->slots[k].entry)
			break;
		/* May it move to the hole? Only if its home is not behind the hole. */
		uint32_t home = i->slots[k].hash & i->mask;
		if (((k - home) & i->mask) < ((k - hole) & i->mask))
			continue;
		i->slots[hole] = i->slots[k];
		hole = k;
	}
	i->slots[hole].entry = 0;
	i->n--;
}

/* ---- rings ---- */

static uint32_t key_hash(const struct sync_entry *x)
{
	return sync_hash(x->kind, x->seq, x->ack);
}

static uint32_t tail_hash(const struct sync_entry *x)
{
	return sync_tail_hash(x->addresses, x->ports, sync_tail(x));
}

/* The value by which an index refers to the entry. */
static uint32_t code_of(const struct sync_pending *p, const struct sync_entry *x)
{
	if (x->state == SYNC_MATCHED)
		return ((uint32_t)(x - p->matched.entries) | SYNC_IN_MATCHED) + 1;
	return (uint32_t)(x - p->waiting.entries) + 1;
}

int sync_pending_init(struct sync_pending *p, size_t max, bool keeps_streams, struct mer_err *err)
{
	*p = (struct sync_pending){ .keeps_streams = keeps_streams };
	p->waiting.max = max > MAX_WAITING ? MAX_WAITING : (uint32_t)max;
	p->matched.max = max > MAX_MATCHED ? MAX_MATCHED : (uint32_t)max;
	return reserve(&p->keys) && reserve(&p->tails) ? 0 : mer_fail_nomem(err);
}

void sync_pending_fini(struct sync_pending *p)
{
	free(p->waiting.entries);
	free(p->matched.entries);
	free(p->streams);
	free(p->keys.slots);
	free(p->tails.slots);
	*p = (struct sync_pending){ 0 };
}

static struct sync_entry *at(const struct sync_ring *r, uint32_t i)
{
	return &r->entries[(r->oldest + i) & (r->cap - 1)];
}

static uint32_t next_cap(const struct sync_ring *r)
{
	return r->cap ? r->cap * 2 : FIRST_CAP;
}

/* Doubles the ring. Entries keep their places, except for the *n_moved newest ones if the ring has
 * wrapped around: they move from the begin of the array to its former end. */
static bool grow(struct sync_ring *r, uint32_t *n_moved)
{
	uint32_t cap = next_cap(r);
	struct sync_entry *p = realloc(r->entries, cap * sizeof(*p));
	if (!p)
		return false;
	*n_moved = r->oldest + r->n > r->cap ? r->oldest + r->n - r->cap : 0;
	for (uint32_t i = 0; i < *n_moved; i++)
		p[r->cap + i] = p[i];
	r->entries = p;
	r->cap = cap;
	return true;
}

static void pop(struct sync_ring *r)
{
	r->oldest = (r->oldest + 1) & (r->cap - 1);
	r->n--;
}

static void pop_holes(struct sync_pending *p)
{
	while (p->waiting.n && at(&p->waiting, 0)->state == SYNC_HOLE) {
		pop(&p->waiting);
		p->n_seen -= p->n_seen > 0;
	}
}

/* ---- entries that wait ---- */

/* Updates the indexes after an entry was moved to x from place `from`. */
static void moved(struct sync_pending *p, const struct sync_entry *x, uint32_t from)
{
	if (x->state == SYNC_HOLE)
		return;
	slot_of(&p->keys, key_hash(x), from + 1)->entry = code_of(p, x);
	if (x->has_tail)
		slot_of(&p->tails, tail_hash(x), from + 1)->entry = code_of(p, x);
}

/* Closes the holes. In order, so no place is taken before its entry has left. */
static void compact(struct sync_pending *p)
{
	struct sync_ring *r = &p->waiting;
	uint32_t kept = 0, seen = p->n_seen;
	for (uint32_t i = 0; i < r->n; i++) {
		struct sync_entry *from = at(r, i), *to = at(r, kept);
		if (i == seen)
			p->n_seen = kept;
		if (from->state == SYNC_HOLE)
			continue;
		if (from != to) {
			*to = *from;
			if (p->streams)
				*sync_pending_streams(p, to) = *sync_pending_streams(p, from);
			moved(p, to, (uint32_t)(from - r->entries));
		}
		kept++;
	}
	if (seen == r->n)
		p->n_seen = kept;
	r->n = kept;
}

static bool has_holes(const struct sync_pending *p)
{
	return p->keys.n - p->matched.n <= p->waiting.n / 2;
}

static bool make_room(struct sync_pending *p)
{
	struct sync_ring *r = &p->waiting;
	if (!reserve(&p->keys))
		return false;
	if (r->n < r->cap && r->n < r->max)
		return true;
	if (r->n && has_holes(p)) {
		compact(p);
		return true;
	}
	uint32_t cap = r->cap, n_moved;
	if (p->keeps_streams) {
		struct sync_streams *s = realloc(p->streams, next_cap(r) * sizeof(*s));
		if (!s)
			return false;
		p->streams = s;
	}
	if (!grow(r, &n_moved))
		return false;
	for (uint32_t i = 0; i < n_moved; i++) {
		moved(p, &r->entries[cap + i], i);
		if (p->streams)
			p->streams[cap + i] = p->streams[i];
	}
	return true;
}

bool sync_pending_full(const struct sync_pending *p)
{
	return p->waiting.n == p->waiting.max && !has_holes(p);
}

struct sync_entry *sync_pending_oldest(struct sync_pending *p)
{
	return p->waiting.n ? at(&p->waiting, 0) : NULL;
}

struct sync_entry *sync_pending_unseen(struct sync_pending *p)
{
	while (p->n_seen < p->waiting.n) {
		struct sync_entry *x = at(&p->waiting, p->n_seen);
		if (x->state != SYNC_HOLE)
			return x;
		p->n_seen++;
	}
	return NULL;
}

void sync_pending_pass(struct sync_pending *p)
{
	p->n_seen++;
}

void sync_pending_close(struct sync_pending *p)
{
	free(p->keys.slots);
	free(p->tails.slots);
	p->keys = p->tails = (struct sync_index){ 0 };
}

void sync_pending_drop(struct sync_pending *p, struct sync_entry *x)
{
	if (p->keys.slots)
		take_out(&p->keys, key_hash(x), code_of(p, x));
	if (x->has_tail && p->tails.slots)
		sync_pending_drop_tail(p, x);
	x->state = SYNC_HOLE;
	pop_holes(p);
}

struct sync_entry *sync_pending_add(struct sync_pending *p, uint32_t hash)
{
	if (!make_room(p))
		return NULL;
	struct sync_entry *new = at(&p->waiting, p->waiting.n++);
	put(&p->keys, hash, (uint32_t)(new - p->waiting.entries) + 1);
	p->keys.n++;
	return new;
}

bool sync_pending_add_tail(struct sync_pending *p, struct sync_entry *x)
{
	if (!reserve(&p->tails))
		return false;
	x->has_tail = true;
	put(&p->tails, tail_hash(x), code_of(p, x));
	p->tails.n++;
	return true;
}

void sync_pending_drop_tail(struct sync_pending *p, struct sync_entry *x)
{
	x->has_tail = false;
	take_out(&p->tails, tail_hash(x), (uint32_t)(x - p->waiting.entries) + 1);
}

/* ---- entries that were matched ---- */

static void forget_oldest(struct sync_pending *p)
{
	enum { SOON = 8 };
	struct sync_ring *m = &p->matched;
	const struct sync_entry *x = at(m, 0);
	uint32_t soon = m->n > SOON ? key_hash(at(m, SOON)) : 0;
	__builtin_prefetch(&p->keys.slots[soon & p->keys.mask]);
	take_out(&p->keys, key_hash(x), code_of(p, x));
	pop(m);
}

struct sync_entry *sync_pending_remember(struct sync_pending *p, struct sync_entry *x)
{
	struct sync_ring *m = &p->matched;
	struct sync_entry *copy = NULL;
	if (m->n == m->max)
		forget_oldest(p);
	uint32_t hash = key_hash(x), code = (uint32_t)(x - p->waiting.entries) + 1, n_moved;
	if (x->has_tail)
		take_out(&p->tails, tail_hash(x), code);
	/* The ring forgets nothing before it has its full size. So it does not wrap around while it
	 * grows, and no entry moves. */
	if (m->n < m->cap || grow(m, &n_moved)) {
		copy = at(m, m->n++);
		*copy = *x;
		copy->state = SYNC_MATCHED;
		copy->has_tail = false;
		slot_of(&p->keys, hash, code)->entry = code_of(p, copy);
	} else {
		take_out(&p->keys, hash, code);
	}
	x->state = SYNC_HOLE;
	pop_holes(p);
	return copy;
}
