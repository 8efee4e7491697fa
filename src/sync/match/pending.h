/* Pending: the messages of which one end was seen, and those matched recently, found by key.
 *
 * Waiting entries are in a ring, the oldest first; a matched one moves to a second, small ring and
 * leaves a hole. Two hash indexes refer to them (open addressing, 8 bytes a slot, no tombstones).
 * So random accesses touch only memory for the waiting and the remembered entries; all else is
 * accessed in order. Everything grows as needed. When the first ring has max entries and less than
 * half of them are holes, each new entry replaces the oldest one. Adding moves entries: pointers to
 * them become invalid, and an entry must be looked up again by its key. */
#ifndef MER_SYNC_MATCH_PENDING_H
#define MER_SYNC_MATCH_PENDING_H

#include <stddef.h>
#include "sync/match/end.h"

enum sync_state {
	SYNC_SENT,     /* waits for its receive; recv_host: hash of the destination's address */
	SYNC_LOOPED,   /* as SYNC_SENT, but its own host received it too, at `received` */
	SYNC_RECEIVED, /* waits for its send */
	SYNC_MATCHED,  /* both known: what comes now is a duplicate */
	SYNC_DOUBTFUL, /* two messages with this key were pending at once: neither is matched */
	SYNC_HOLE      /* was matched or dropped */
};

struct sync_entry {
	uint32_t seq, ack, addresses, ports;
	uint16_t flags, id, len;
	uint8_t head : 7;
	/* Waiting for its receive: the sending host had received it from another host (it forwards
	 * it). Waiting for its send: another host has received it, too. */
	uint8_t is_passed : 1;
	uint8_t kind : 3;
	uint8_t state : 3; /* enum sync_state */
	uint8_t is_local : 1;
	uint8_t has_tail : 1; /* in the index of tails */
	uint32_t send_host, recv_host;
	int64_t sent, received;
};
_Static_assert(sizeof(struct sync_entry) == 48, "millions of these are kept");

struct sync_slot {
	uint32_t hash, entry; /* entry: its place, plus 1; 0: free */
};

struct sync_index {
	struct sync_slot *slots;
	uint32_t mask, n;
};

struct sync_ring {
	struct sync_entry *entries;
	uint32_t n, cap, max, oldest; /* cap: 0 or a power of two */
};

struct sync_pending {
	struct sync_ring waiting, matched;
	uint32_t n_seen; /* number of the oldest waiting ones that were seen
			    (sync_pending_unseen) */
	bool keeps_streams;
	struct sync_streams *streams; /* parallel to waiting.entries, if they are kept */
	struct sync_index keys;	      /* by kind, seq, ack */
	struct sync_index tails;      /* of TCP data that waits for its receive: by flow and the
				    sequence number after its last byte */
};

/* max: maximum of waiting entries; at least 1. */
int sync_pending_init(struct sync_pending *p, size_t max, bool keeps_streams, struct mer_err *err);
void sync_pending_fini(struct sync_pending *p);

/* The oldest entry that waits; NULL: none. It may be dropped. */
struct sync_entry *sync_pending_oldest(struct sync_pending *p);
void sync_pending_drop(struct sync_pending *p, struct sync_entry *x);
/* After the last end: no entry will be looked up or added any more, which makes dropping them
 * cheaper. */
void sync_pending_close(struct sync_pending *p);
/* Visits each waiting entry once, the oldest first. _unseen: the next one, NULL: none; _pass: moves
 * on to the one after it, unless it was dropped. */
struct sync_entry *sync_pending_unseen(struct sync_pending *p);
void sync_pending_pass(struct sync_pending *p);
/* Must the oldest one be dropped before another one is added? */
bool sync_pending_full(const struct sync_pending *p);
/* The streams of an entry that waits; NULL: they are not kept. */
static inline struct sync_streams *sync_pending_streams(
	const struct sync_pending *p, const struct sync_entry *x)
{
	return p->streams ? &p->streams[x - p->waiting.entries] : NULL;
}
/* A new entry, to be filled by the caller, streams included; hash: of its kind, seq and ack. NULL:
 * no memory. */
struct sync_entry *sync_pending_add(struct sync_pending *p, uint32_t hash);
/* x was matched: moves it to the second ring, and forgets the oldest one there. Returns the moved
 * entry; the caller sets the results of the match there, not in x, because copying what was just
 * written is slow. NULL: no memory. */
struct sync_entry *sync_pending_remember(struct sync_pending *p, struct sync_entry *x);

static inline uint32_t sync_tail_hash(uint32_t addresses, uint32_t ports, uint32_t tail)
{
	return sync_hash(tail, addresses, ports);
}
static inline uint32_t sync_tail(const struct sync_entry *x)
{
	return x->seq + sync_payload(x->len, x->head);
}
/* Puts an entry that waits into the index of tails, takes it out again. False: no memory. */
bool sync_pending_add_tail(struct sync_pending *p, struct sync_entry *x);
void sync_pending_drop_tail(struct sync_pending *p, struct sync_entry *x);

enum { SYNC_IN_MATCHED = 1u << 30 }; /* of a place */

static inline struct sync_entry *sync_pending_at(const struct sync_pending *p, uint32_t place)
{
	return place & SYNC_IN_MATCHED ? &p->matched.entries[place & ~(uint32_t)SYNC_IN_MATCHED]
				       : &p->waiting.entries[place];
}

/* All entries with a hash, one after the other; NULL at the end:
 *   for (uint32_t at = hash; (x = sync_index_next(p, &p->keys, hash, &at));) */
static inline struct sync_entry *sync_index_next(
	const struct sync_pending *p, const struct sync_index *i, uint32_t hash, uint32_t *at)
{
	for (;;) {
		const struct sync_slot *s = &i->slots[(*at)++ & i->mask];
		if (!s->entry)
			return NULL;
		if (s->hash == hash)
			return sync_pending_at(p, s->entry - 1);
	}
}

/* Prefetches for a later lookup: first the slot, then the entry. */
static inline void sync_pending_prefetch_slot(const struct sync_pending *p, uint32_t hash)
{
	__builtin_prefetch(&p->keys.slots[hash & p->keys.mask]);
}
static inline void sync_pending_prefetch_tail(const struct sync_pending *p, uint32_t hash)
{
	__builtin_prefetch(&p->tails.slots[hash & p->tails.mask]);
}
static inline void sync_pending_prefetch_entry(const struct sync_pending *p, uint32_t hash)
{
	const struct sync_slot *s = &p->keys.slots[hash & p->keys.mask];
	if (s->entry && s->hash == hash)
		__builtin_prefetch(sync_pending_at(p, s->entry - 1));
}

#endif
