#include "ftrace/join.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "ftrace/bytes.h"

enum {
	MAX_HELD = 64,	  /* records that wait */
	N_SEEN = 16,	  /* records of probes whose event has not come */
	MOST_BYTES = 128, /* of a packet, that are kept */
	LEAST_BYTES = 20  /* an IP header */
};
/* How far an event and its probe may be apart: they follow each other at once, but an interrupt
 * (and, in a guest, the hypervisor) may come between them. While it is not known which of the two
 * comes first, they must be closer: the same address may belong to the next packet. */
static const uint64_t max_apart_ns = 20000000, max_apart_first_ns = 100000;

struct held {
	uint64_t time, skb;
	size_t at; /* in the store; its callchain follows it */
	uint32_t size, n_chain, n_bytes;
	bool waits; /* for its probe */
	bool is_send;
	uint8_t bytes[MOST_BYTES];
};

struct seen {
	uint64_t time, skb;
	bool can_send, can_receive;
	uint32_t n_bytes; /* 0: none, or it was used */
	uint8_t bytes[MOST_BYTES];
};

struct ftrace_join {
	bool is_be;
	ftrace_joined_fn *write;
	void *arg;
	struct held held[MAX_HELD];
	unsigned first, n;
	uint8_t *store; /* the records that wait */
	size_t used, cap;
	struct seen seen[N_SEEN];
	unsigned next_seen;
	struct ftrace_chain chain; /* of the next record */
	/* By is_send: number of probes that came after their event, minus those before it. */
	int n_after[2];
};

/* ---- formats ---- */

static const struct ftrace_field *field(const struct ftrace_format *f, const char *name)
{
	for (uint32_t i = 0; i < f->n_fields; i++)
		if (strcmp(f->fields[i].name, name) == 0)
			return &f->fields[i];
	return NULL;
}

struct ftrace_part ftrace_part_of(const struct ftrace_format *f)
{
	struct ftrace_part p = { 0 };
	bool sends = strcmp(f->name, "net_dev_queue") == 0;
	bool is_event = strcmp(f->system, "net") == 0 &&
			(sends || strcmp(f->name, "netif_receive_skb") == 0);
	const struct ftrace_field *skb = field(f, is_event ? "skbaddr" : "skb");
	const struct ftrace_field *bytes = field(f, "hdr");
	if (!skb || skb->kind != FTRACE_INT || skb->size != 8)
		return p;
	p.skb = skb->offset;
	if (is_event) {
		p.kind = FTRACE_PART_PACKET;
		p.can_send = sends;
		p.can_receive = !sends;
	} else if (bytes && bytes->kind == FTRACE_INTS && bytes->element == 1 &&
		   bytes->size >= LEAST_BYTES) {
		p.kind = FTRACE_PART_BYTES;
		p.bytes = bytes->offset;
		p.n_bytes = bytes->size < MOST_BYTES ? bytes->size : MOST_BYTES;
		/* A probe with another name may be either. */
		p.can_send = !strstr(f->name, "rx");
		p.can_receive = !strstr(f->name, "tx");
	}
	return p;
}

bool ftrace_has_bytes(const struct ftrace_formats *f)
{
	for (uint32_t i = 0; i < f->n; i++)
		if (ftrace_part_of(f->list[i]).kind == FTRACE_PART_BYTES)
			return true;
	return false;
}

/* ---- records ---- */

struct ftrace_join *ftrace_join_new(bool is_be, ftrace_joined_fn *write, void *arg)
{
	struct ftrace_join *j = calloc(1, sizeof(*j));
	if (j) {
		j->is_be = is_be;
		j->write = write;
		j->arg = arg;
	}
	return j;
}

void ftrace_join_free(struct ftrace_join *j)
{
	if (!j)
		return;
	free(j->store);
	free(j);
}

/* May a probe that is this much later, or earlier, belong to the event? */
static bool may_be(const struct ftrace_join *j, bool is_send, bool is_later, uint64_t apart)
{
	int order = j->n_after[is_send];
	if (order == 0)
		return apart <= max_apart_first_ns;
	return (order > 0) == is_later && apart <= max_apart_ns;
}

static void learn(struct ftrace_join *j, bool is_send, bool is_later, uint64_t apart)
{
	int *order = &j->n_after[is_send];
	if (apart <= max_apart_first_ns && abs(*order) < 100)
		*order += is_later ? 1 : -1;
}

static struct held *held_at(struct ftrace_join *j, unsigned i)
{
	return &j->held[(j->first + i) % MAX_HELD];
}

static int write_first(struct ftrace_join *j, struct mer_err *err)
{
	struct held *h = held_at(j, 0);
	const struct ftrace_joined out = { .time = h->time,
		.data = j->store + h->at,
		.size = h->size,
		.chain = { j->store + h->at + h->size, h->n_chain },
		.bytes = h->n_bytes ? h->bytes : NULL,
		.n_bytes = h->n_bytes };
	j->first = (j->first + 1) % MAX_HELD;
	if (--j->n == 0)
		j->used = 0;
	return j->write(j->arg, &out, err);
}

/* Writes the first records, up to one that must still wait at this time. */
static int write_ready(struct ftrace_join *j, uint64_t now, struct mer_err *err)
{
	int rc = 0;
	while (rc == 0 && j->n) {
		const struct held *h = held_at(j, 0);
		if (h->waits && may_be(j, h->is_send, true, now - h->time) && j->n < MAX_HELD)
			break;
		rc = write_first(j, err);
	}
	return rc;
}

int ftrace_join_flush(struct ftrace_join *j, struct mer_err *err)
{
	int rc = 0;
	while (rc == 0 && j->n)
		rc = write_first(j, err);
	for (unsigned i = 0; i < N_SEEN; i++)
		j->seen[i].n_bytes = 0;
	return rc;
}

/* Adds a record behind those that wait; there is room for it. NULL: no memory. */
static struct held *hold(struct ftrace_join *j, uint64_t time, const uint8_t *data, uint32_t size)
{
	size_t chain_bytes = (size_t)j->chain.n * 8;
	if (!mer_grow(&j->store, j->used + size + chain_bytes, &j->cap, 1))
		return NULL;
	struct held *h = held_at(j, j->n++);
	h->time = time;
	h->at = j->used;
	h->size = size;
	h->n_chain = j->chain.n;
	h->n_bytes = 0;
	h->waits = false;
	memcpy(j->store + j->used, data, size);
	if (chain_bytes)
		memcpy(j->store + j->used + size, j->chain.at, chain_bytes);
	j->used += size + chain_bytes;
	return h;
}

/* Gives the probe's bytes to the event that waits for them; if there is none, keeps them for an
 * event to come. */
static void take_bytes(struct ftrace_join *j, const struct ftrace_part *part, uint64_t time,
	uint64_t skb, const uint8_t *data)
{
	for (unsigned i = 0; i < j->n; i++) {
		struct held *h = held_at(j, i);
		if (!h->waits || h->skb != skb ||
			!(h->is_send ? part->can_send : part->can_receive))
			continue;
		learn(j, h->is_send, true, time - h->time);
		h->waits = false;
		h->n_bytes = part->n_bytes;
		memcpy(h->bytes, data + part->bytes, part->n_bytes);
		return;
	}
	struct seen *s = &j->seen[j->next_seen++ % N_SEEN];
	*s = (struct seen){ .time = time,
		.skb = skb,
		.can_send = part->can_send,
		.can_receive = part->can_receive,
		.n_bytes = part->n_bytes };
	memcpy(s->bytes, data + part->bytes, part->n_bytes);
}

static struct seen *seen_before(
	struct ftrace_join *j, const struct ftrace_part *part, uint64_t time, uint64_t skb)
{
	for (unsigned i = 0; i < N_SEEN; i++) {
		struct seen *s = &j->seen[i];
		if (s->n_bytes && s->skb == skb &&
			may_be(j, part->can_send, false, time - s->time) &&
			(part->can_send ? s->can_send : s->can_receive))
			return s;
	}
	return NULL;
}

static int take_packet(struct ftrace_join *j, const struct ftrace_part *part, uint64_t time,
	uint64_t skb, const uint8_t *data, uint32_t size, struct mer_err *err)
{
	/* The address is another packet's now: the probe of the one before is missing. */
	for (unsigned i = 0; i < j->n; i++) {
		struct held *h = held_at(j, i);
		if (h->skb == skb && h->is_send == part->can_send)
			h->waits = false;
	}
	struct held *h = hold(j, time, data, size);
	if (!h)
		return mer_fail_nomem(err);
	struct seen *s = seen_before(j, part, time, skb);
	h->skb = skb;
	h->is_send = part->can_send;
	h->waits = !s;
	if (s) {
		learn(j, h->is_send, false, time - s->time);
		h->n_bytes = s->n_bytes;
		memcpy(h->bytes, s->bytes, s->n_bytes);
		s->n_bytes = 0;
	}
	return 0;
}

void ftrace_join_chain(struct ftrace_join *j, struct ftrace_chain chain)
{
	j->chain = chain;
}

bool ftrace_join_waits(const struct ftrace_join *j)
{
	return j->n > 0;
}

int ftrace_join_record(struct ftrace_join *j, const struct ftrace_part *part, uint64_t time,
	const uint8_t *data, uint32_t size, struct mer_err *err)
{
	if (part->kind == FTRACE_PART_NONE && j->n == 0)
		return j->write(j->arg,
			&(struct ftrace_joined){
				.time = time, .data = data, .size = size, .chain = j->chain },
			err);
	int rc = write_ready(j, time, err);
	if (rc)
		return rc;
	uint64_t skb = part->kind ? ftrace_load64(data + part->skb, j->is_be) : 0;
	if (part->kind == FTRACE_PART_PACKET) {
		rc = take_packet(j, part, time, skb, data, size, err);
	} else {
		if (part->kind == FTRACE_PART_BYTES)
			take_bytes(j, part, time, skb, data);
		if (!hold(j, time, data, size))
			rc = mer_fail_nomem(err);
	}
	return rc ? rc : write_ready(j, time, err);
}
