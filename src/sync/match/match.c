/* Match: the rules of match.h, an end at a time. */
#include "sync/match/match.h"

#include <stdlib.h>

#include "sync/match/covers.h"
#include "sync/match/datagrams.h"
#include "sync/match/pending.h"
#include "sync/match/routes.h"

enum {
	DEVICE_NS = 1000000,
	DEFAULT_PENDING = 1 << 20,
	MAX_PARTS = 128, /* of a merged packet */
	LOCAL_NS = 100000000,
	LOOKS = 16
};

enum { NOBODY = UINT32_MAX }; /* host */

struct sync_matcher {
	struct sync_messages *m;
	struct sync_pending pending;
	struct mer_map owners; /* hash of an address -> host + 1; NOBODY: several have it */
	struct sync_routes routes;
	uint32_t *learned; /* per host: the last address learned, to be quick */
	struct sync_covers covers;
	struct sync_datagrams datagrams;
	uint64_t doubtful[SYNC_N_KINDS];
};

int sync_matcher_new(struct sync_messages *m, size_t max_pending, struct sync_matcher **matcher,
	struct mer_err *err)
{
	struct sync_matcher *t = calloc(1, sizeof(*t));
	if (!t)
		return mer_fail_nomem(err);
	t->m = m;
	t->learned = calloc((size_t)m->n_hosts + 1, sizeof(*t->learned));
	int rc = t->learned ? 0 : mer_fail_nomem(err);
	if (rc == 0)
		rc = sync_pending_init(&t->pending, max_pending ? max_pending : DEFAULT_PENDING,
			m->keeps_streams, err);
	if (rc) {
		sync_matcher_free(t);
		return rc;
	}
	*matcher = t;
	return 0;
}

void sync_matcher_free(struct sync_matcher *t)
{
	if (!t)
		return;
	sync_pending_fini(&t->pending);
	mer_map_fini(&t->owners);
	sync_routes_fini(&t->routes);
	sync_datagrams_fini(&t->datagrams);
	free(t->learned);
	free(t);
}

void sync_matcher_expect(const struct sync_matcher *t, const struct sync_end *e)
{
	sync_pending_prefetch_slot(&t->pending, e->hash);
	if (e->is_send && e->kind == SYNC_TCP && e->addresses && !e->is_local)
		sync_pending_prefetch_tail(
			&t->pending, sync_tail_hash(e->addresses, e->ports,
					     e->seq + sync_payload(e->len, e->head)));
}

void sync_matcher_expect_soon(const struct sync_matcher *t, const struct sync_end *e)
{
	sync_pending_prefetch_entry(&t->pending, e->hash);
}

uint64_t sync_matcher_doubtful(const struct sync_matcher *t, enum sync_kind kind)
{
	return t->doubtful[kind];
}

/* ---- how an end and an entry are related ---- */

enum match_relation {
	UNRELATED,
	SAME, /* the same packet, or a retransmission that looks the same */
	PART  /* begin with the same byte of the same flow, and have different lengths */
};

static bool is_same_flow(const struct sync_entry *x, const struct sync_end *e)
{
	return x->addresses == e->addresses && x->ports == e->ports;
}

/* In some layouts the flags also include the data offset before them. */
static bool has_same_flags(uint32_t a, uint32_t b)
{
	uint32_t mask = a > SYNC_FLAGS_MASK && b > SYNC_FLAGS_MASK ? 0xffff : SYNC_FLAGS_MASK;
	return ((a ^ b) & mask) == 0;
}

static enum match_relation relate_tcp(const struct sync_entry *x, const struct sync_end *e)
{
	bool same_flags = has_same_flags(x->flags, e->flags);
	if (!x->addresses || !e->addresses)
		return same_flags ? SAME : UNRELATED;
	if (x->id != e->id)
		return UNRELATED;
	bool same_len = x->len == e->len;
	if (!is_same_flow(x, e)) /* translated on the way? */
		return e->ack && e->id && e->len && same_len && same_flags ? SAME : UNRELATED;
	if (same_flags && (same_len || !x->len || !e->len))
		return SAME;
	return !same_len && sync_payload(x->len, x->head) && sync_payload(e->len, e->head) &&
			       !((x->flags | e->flags) & (SYNC_SYN | SYNC_RST)) && !e->is_local
		       ? PART
		       : UNRELATED;
}

static enum match_relation relate(const struct sync_entry *x, const struct sync_end *e)
{
	if (x->seq != e->seq || x->ack != e->ack || x->kind != e->kind)
		return UNRELATED;
	if (e->kind == SYNC_TCP)
		return relate_tcp(x, e);
	return x->flags == e->flags && is_same_flow(x, e) ? SAME : UNRELATED;
}

/* Is the same key used for other messages after a while? */
static bool reuses_keys(uint32_t kind)
{
	return kind == SYNC_UDP || kind == SYNC_ICMP;
}

/* Does a message have one event at each end, however many devices it passes? */
static bool is_unique(uint32_t kind)
{
	return kind == SYNC_USER || kind == SYNC_VMSYNC;
}

/* Is t at most the time later that a packet needs from device to device? before <= t. */
static bool is_close(int64_t before, int64_t t)
{
	return (uint64_t)t - (uint64_t)before <= DEVICE_NS;
}

/* The end's key was matched: does the end belong to that message, or is the key used again? */
static bool is_repeated(const struct sync_entry *x, const struct sync_end *e)
{
	if (!reuses_keys(e->kind))
		return true;
	if (e->host != x->send_host && e->host != x->recv_host)
		return true;
	return is_close(e->host == x->send_host ? x->sent : x->received, e->time);
}

/* ---- counts ---- */

static int count_duplicate(struct sync_matcher *t, const struct sync_entry *x,
	const struct sync_end *e, struct mer_err *err)
{
	t->m->hosts[e->host].n_duplicates++;
	if (!x || x->state != SYNC_MATCHED)
		return 0;
	struct sync_link *l = sync_messages_link(t->m, x->send_host, x->recv_host);
	if (!l)
		return mer_fail_nomem(err);
	l->n_duplicates++;
	return 0;
}

static int learn(struct sync_matcher *t, uint32_t address, uint32_t host, struct mer_err *err)
{
	if (!address || t->learned[host] == address)
		return 0;
	uint32_t *owner = mer_map_put(&t->owners, address);
	if (!owner)
		return mer_fail_nomem(err);
	t->learned[host] = address;
	*owner = *owner && *owner != host + 1 ? NOBODY : host + 1;
	return 0;
}

/* NOBODY: not known. */
static uint32_t owner_of(const struct sync_matcher *t, uint32_t address)
{
	const uint32_t *owner = address ? mer_map_get(&t->owners, address) : NULL;
	return owner && *owner != NOBODY ? *owner - 1 : NOBODY;
}

static const struct sync_streams no_streams = { .sent = SYNC_NO_STREAM,
	.received = SYNC_NO_STREAM };

/* The content of a message: that of the end with more of it, because segments may be split or
 * merged on the way. */
static uint8_t content_of(const struct sync_end *e, uint8_t known)
{
	uint8_t content = SYNC_CONTENT_UNKNOWN;
	if (e->kind == SYNC_UDP)
		content = SYNC_DATA;
	else if (e->kind == SYNC_TCP && e->flags & SYNC_SYN)
		content = SYNC_OPENS;
	else if (e->kind == SYNC_TCP && e->head && e->len)
		content = sync_payload(e->len, e->head) ? SYNC_DATA : SYNC_EMPTY;
	return content > known ? content : known;
}

static void set_stream(struct sync_matcher *t, const struct sync_entry *x, const struct sync_end *e)
{
	struct sync_streams *s = sync_pending_streams(&t->pending, x);
	if (!s)
		return;
	*(e->is_send ? &s->sent : &s->received) = e->stream;
	s->content = content_of(e, s->content);
	if (!e->addresses || !e->ports)
		return;
	s->source = sync_endpoint(e->from, e->ports >> 16);
	s->destination = sync_endpoint(e->to, e->ports & 0xffff);
}

/* streams: NULL, they are not kept. */
static int add_message(struct sync_matcher *t, uint32_t from, uint32_t to,
	struct sync_message message, uint32_t kind, const struct sync_streams *streams,
	struct mer_err *err)
{
	struct sync_link *l = sync_messages_link(t->m, from, to);
	if (!l)
		return mer_fail_nomem(err);
	return streams ? sync_link_add_in(l, message, (enum sync_kind)kind, *streams, err)
		       : sync_link_add(l, message, (enum sync_kind)kind, err);
}

/* A message of a host to itself. */
static int add_looped(struct sync_matcher *t, const struct sync_entry *x, struct mer_err *err)
{
	return add_message(t, x->send_host, x->send_host,
		(struct sync_message){ x->sent, x->received }, x->kind,
		sync_pending_streams(&t->pending, x), err);
}

/* Notes the addresses and ports of a message's endpoints, for naming connections. */
static int place(struct sync_matcher *t, const struct sync_end *e, uint32_t source,
	uint32_t destination, struct mer_err *err)
{
	if (!t->m->keeps_streams || !e->is_ipv4 || !e->addresses || !e->ports)
		return 0;
	bool ok = sync_messages_place(t->m, source, e->from, (uint16_t)(e->ports >> 16)) &&
		  sync_messages_place(t->m, destination, e->to, (uint16_t)e->ports);
	return ok ? 0 : mer_fail_nomem(err);
}

static int place_ends(struct sync_matcher *t, const struct sync_entry *x, const struct sync_end *e,
	struct mer_err *err)
{
	const struct sync_streams *s = sync_pending_streams(&t->pending, x);
	return s ? place(t, e, s->source, s->destination, err) : 0;
}

/* The entry x and the end e make a message. */
static int add_match(struct sync_matcher *t, struct sync_entry *x, const struct sync_end *e,
	struct sync_match *match, struct mer_err *err)
{
	bool is_passed = x->is_passed;
	match->found = true;
	match->from = e->is_send ? e->host : x->send_host;
	match->to = e->is_send ? x->recv_host : e->host;
	match->sent = e->is_send ? e->time : x->sent;
	match->received = e->is_send ? x->received : e->time;
	set_stream(t, x, e);
	int rc = place_ends(t, x, e, err);
	struct sync_streams *streams = sync_pending_streams(&t->pending, x);
	struct sync_entry *kept = sync_pending_remember(&t->pending, x);
	if (kept) {
		kept->send_host = match->from;
		kept->recv_host = match->to;
		kept->sent = match->sent;
		kept->received = match->received;
	}
	if (rc == 0 && !is_passed)
		rc = learn(t, e->from, match->from, err);
	if (rc)
		return rc;
	return add_message(t, match->from, match->to,
		(struct sync_message){ match->sent, match->received }, e->kind, streams, err);
}

/* Keeps a single end: for retransmissions, for arrivals from unrecorded hosts, and for the
 * addresses of sockets. */
static int keep_single(
	struct sync_matcher *t, const struct sync_entry *x, bool leaves, struct mer_err *err)
{
	const struct sync_streams *s = sync_pending_streams(&t->pending, x);
	bool is_send = x->state != SYNC_RECEIVED;
	if (!s || x->is_passed || x->kind != SYNC_TCP || !s->source ||
		(s->content != SYNC_DATA && s->content != SYNC_OPENS))
		return 0;
	return sync_messages_add_single(t->m,
		&(struct sync_single){ .time = is_send ? x->sent : x->received,
			.host = is_send ? x->send_host : x->recv_host,
			.source = s->source,
			.destination = s->destination,
			.is_send = is_send,
			.leaves = leaves,
			.opens = s->content == SYNC_OPENS },
		err);
}

static int count_lost(
	struct sync_matcher *t, const struct sync_entry *x, bool is_full, struct mer_err *err)
{
	struct sync_host_counts *h = &t->m->hosts[x->send_host];
	uint32_t owner = owner_of(t, x->recv_host);
	/* A packet that is forwarded to an unrecorded host counts as received here. */
	if (x->is_passed && (owner == NOBODY || owner == x->send_host)) {
		h->n_duplicates++;
		return 0;
	}
	h->n_unmatched_sent++;
	h->n_too_old += is_full;
	if (owner == x->send_host)
		return 0;
	if (owner == NOBODY)
		return keep_single(t, x, true, err);
	struct sync_link *l = sync_messages_link(t->m, x->send_host, owner);
	if (!l)
		return mer_fail_nomem(err);
	l->n_unmatched++;
	return keep_single(t, x, false, err);
}

/* The oldest entry is dropped: decides what becomes of it. */
static int settle_oldest(struct sync_matcher *t, bool is_full, struct mer_err *err)
{
	struct sync_entry *x = sync_pending_oldest(&t->pending);
	int rc = 0;
	uint32_t owner;
	switch ((enum sync_state)x->state) {
	case SYNC_SENT: rc = count_lost(t, x, is_full, err); break;
	case SYNC_LOOPED:
		owner = x->is_local ? NOBODY : owner_of(t, x->recv_host);
		if (x->is_passed || (owner != NOBODY && owner != x->send_host))
			rc = count_lost(t, x, is_full, err);
		else
			rc = add_looped(t, x, err);
		break;
	case SYNC_RECEIVED:
		if (x->is_passed) {
			t->m->hosts[x->recv_host].n_duplicates++;
			break;
		}
		t->m->hosts[x->recv_host].n_unmatched_received++;
		t->m->hosts[x->recv_host].n_too_old += is_full;
		rc = keep_single(t, x, false, err);
		break;
	case SYNC_DOUBTFUL:
		if (x->send_host != NOBODY)
			t->m->hosts[x->send_host].n_unmatched_sent++;
		else
			t->m->hosts[x->recv_host].n_unmatched_received++;
		break;
	case SYNC_MATCHED:
	case SYNC_HOLE: break;
	}
	sync_pending_drop(&t->pending, x);
	return rc;
}

/* Settles messages between loopback addresses after LOCAL_NS: no other receive can come, and
 * otherwise they would wait until the end. Looks at a few entries on each call. */
static int settle_local(struct sync_matcher *t, const struct sync_end *now, struct mer_err *err)
{
	int rc = 0;
	for (int i = 0; i < LOOKS && rc == 0; i++) {
		struct sync_entry *x = sync_pending_unseen(&t->pending);
		if (!x)
			break;
		if (!x->is_local || x->is_passed || x->state == SYNC_RECEIVED ||
			x->state == SYNC_DOUBTFUL) {
			sync_pending_pass(&t->pending);
			continue;
		}
		if (x->send_host != now->host || now->time - x->sent < LOCAL_NS)
			break;
		if (x->state == SYNC_LOOPED) {
			rc = add_looped(t, x, err);
			sync_pending_drop(&t->pending, x);
		} else {
			sync_pending_pass(&t->pending);
		}
	}
	return rc;
}

/* ---- cut and merged segments ---- */

/* The earliest pending send of the flow whose data end before sequence number `tail`; NULL:
 * none. */
static struct sync_entry *find_tail(struct sync_matcher *t, const struct sync_end *e, uint32_t tail)
{
	uint32_t hash = sync_tail_hash(e->addresses, e->ports, tail);
	struct sync_entry *x, *first = NULL;
	for (uint32_t at = hash; (x = sync_index_next(&t->pending, &t->pending.tails, hash, &at));)
		if (is_same_flow(x, e) && sync_tail(x) == tail &&
			(x->state == SYNC_SENT || x->state == SYNC_LOOPED) &&
			x->send_host != e->host && !e->is_local &&
			(!first || x->sent < first->sent))
			first = x;
	return first;
}

/* e was received and has the bytes of several sends: the last of them is its other end. head: the
 * first of them, NULL: not seen. */
static int match_merged(struct sync_matcher *t, struct sync_entry *head, const struct sync_end *e,
	struct sync_match *match, struct mer_err *err)
{
	uint32_t end = e->seq + sync_payload(e->len, e->head);
	struct sync_entry *last = find_tail(t, e, end);
	if (!last || last->seq == e->seq) /* not merged, but retransmitted with other boundaries */
		last = head;
	if (!last)
		return 0;
	sync_cover(&t->covers, e, e->seq, end, e->host);
	/* The parts before it have arrived with it. */
	uint32_t at = last->seq;
	for (int i = 0; i < MAX_PARTS && at - e->seq - 1 < end - e->seq - 1; i++) {
		struct sync_entry *x = find_tail(t, e, at);
		if (!x || x == last || x->send_host != last->send_host)
			break;
		x->recv_host = e->host;
		x->received = e->time;
		t->m->hosts[x->send_host].n_duplicates++;
		at = x->seq;
		sync_pending_remember(&t->pending, x);
	}
	return add_match(t, last, e, match, err);
}

/* ---- an end ---- */

static int add_tail(struct sync_matcher *t, struct sync_entry *x, struct mer_err *err)
{
	/* Only receives on other hosts look for tails. */
	if (x->kind != SYNC_TCP || !x->addresses || t->m->n_hosts < 2 || x->is_local ||
		!sync_payload(x->len, x->head))
		return 0;
	return sync_pending_add_tail(&t->pending, x) ? 0 : mer_fail_nomem(err);
}

/* x takes over the members that only e knows. */
static int upgrade(
	struct sync_matcher *t, struct sync_entry *x, const struct sync_end *e, struct mer_err *err)
{
	if (x->has_tail)
		sync_pending_drop_tail(&t->pending, x);
	x->addresses = e->addresses;
	x->ports = e->ports;
	x->id = e->id;
	x->len = e->len;
	x->head = e->head & 0x7fu;
	x->flags = e->flags;
	x->is_local = e->is_local;
	return add_tail(t, x, err);
}

static int insert(
	struct sync_matcher *t, const struct sync_end *e, bool is_passed, struct mer_err *err)
{
	int rc = e->is_local && e->is_send ? settle_local(t, e, err) : 0;
	if (rc == 0 && sync_pending_full(&t->pending))
		rc = settle_oldest(t, true, err);
	if (rc)
		return rc;
	struct sync_entry *new = sync_pending_add(&t->pending, e->hash);
	if (!new)
		return mer_fail_nomem(err);
	*new = (struct sync_entry){ .seq = e->seq,
		.ack = e->ack,
		.addresses = e->addresses,
		.ports = e->ports,
		.flags = e->flags,
		.id = e->id,
		.len = e->len,
		.head = e->head & 0x7fu,
		.kind = e->kind & 7u,
		.state = e->is_send ? SYNC_SENT : SYNC_RECEIVED,
		.is_local = e->is_local,
		.is_passed = is_passed,
		.send_host = e->is_send ? e->host : NOBODY,
		.recv_host = e->is_send ? e->to : e->host,
		.sent = e->time,
		.received = e->time };
	if (sync_pending_streams(&t->pending, new))
		*sync_pending_streams(&t->pending, new) = no_streams;
	set_stream(t, new, e);
	rc = e->is_send ? add_tail(t, new, err) : 0;
	/* Its other end may not be recorded. */
	return rc ? rc : place_ends(t, new, e, err);
}

static void give_up(struct sync_matcher *t, struct sync_entry *x)
{
	x->state = SYNC_DOUBTFUL;
	t->doubtful[x->kind]++;
}

static bool has_same_id(const struct sync_entry *x, const struct sync_end *e)
{
	return e->kind == SYNC_TCP && e->addresses && x->addresses && e->id && x->id == e->id;
}

/* Sent again before it was received anywhere else. */
static int send_again(
	struct sync_matcher *t, struct sync_entry *x, const struct sync_end *e, struct mer_err *err)
{
	int64_t last = x->state == SYNC_LOOPED ? x->received : x->sent;
	bool close = is_close(last, e->time);
	if (is_unique(e->kind)) {
		give_up(t, x);
	} else if (x->send_host != e->host) {
		/* forwarded */
	} else if (reuses_keys(e->kind) && !close) {
		give_up(t, x);
	} else if (e->addresses && (close || has_same_id(x, e))) {
		/* A hop inside the host: the original sender is found by following the hops
		 * back. */
		int rc = x->state == SYNC_LOOPED ? add_looped(t, x, err) : 0;
		if (rc)
			return rc;
		x->sent = e->time;
		set_stream(t, x, e);
		x->state = SYNC_SENT;
		x->recv_host = e->to;
		rc = !x->addresses || !is_same_flow(x, e) ? upgrade(t, x, e, err) : 0;
		if (rc)
			return rc;
	}
	return count_duplicate(t, x, e, err);
}

/* The entries with the key of an end, from the point of view of its host. own and waiting: the
 * first one only. */
struct found {
	struct sync_entry *own;	    /* already has an end of this kind on this host */
	struct sync_entry *here;    /* for a send: this host has received it */
	struct sync_entry *waiting; /* waits for this end */
	struct sync_entry *behind; /* for a send: a receive that waits for the host that forwards */
	struct sync_entry *other;  /* of other hosts, and does not wait for this end */
	struct sync_entry *part;   /* begins with the same byte, but has another length */
};

static void keep_first(struct sync_entry **to, struct sync_entry *x)
{
	*to = *to ? *to : x;
}

/* False: it is one of several messages that cannot be told apart. */
static bool find_for_send(struct sync_matcher *t, const struct sync_end *e, struct found *f)
{
	struct sync_index *keys = &t->pending.keys;
	struct sync_entry *x;
	*f = (struct found){ 0 };
	for (uint32_t at = e->hash;
		!f->own && (x = sync_index_next(&t->pending, keys, e->hash, &at));) {
		enum match_relation r = relate(x, e);
		if (r == PART)
			keep_first(&f->part, x);
		if (r != SAME)
			continue;
		switch ((enum sync_state)x->state) {
		case SYNC_MATCHED:
			if (is_repeated(x, e))
				keep_first(x->send_host == e->host   ? &f->own
					   : x->recv_host == e->host ? &f->here
								     : &f->other,
					x);
			break;
		case SYNC_HOLE:
		case SYNC_DOUBTFUL: return false;
		case SYNC_SENT:
		case SYNC_LOOPED:
			keep_first(x->send_host == e->host ? &f->own : &f->other, x);
			break;
		case SYNC_RECEIVED:
			keep_first(x->recv_host == e->host	? &f->here
				   : e->is_local || x->is_local ? &f->other
				   : x->is_passed		? &f->behind
								: &f->waiting,
				x);
			break;
		}
	}
	f->own = f->waiting ? NULL : f->own;
	return true;
}

/* The host has received it before, so it is a router or a bridge that forwards it. */
static int send_on(struct sync_matcher *t, const struct found *f, const struct sync_end *e,
	struct sync_match *match, struct mer_err *err)
{
	struct sync_entry *x = f->behind ? f->behind : f->waiting;
	if (x) {
		sync_routes_release(&t->routes, e->addresses, x->recv_host);
		if (f->here->state == SYNC_RECEIVED)
			f->here->is_passed = false; /* its own send is still to come */
		x->is_passed = true;
		return add_match(t, x, e, match, err);
	}
	if (f->other && f->other->state == SYNC_MATCHED) {
		if (!sync_routes_learn(&t->routes, e->addresses, f->other->recv_host, e->host))
			return mer_fail_nomem(err);
		return count_duplicate(t, f->other, e, err);
	}
	return insert(t, e, true, err);
}

static int add_send(struct sync_matcher *t, const struct sync_end *e, struct sync_match *match,
	struct mer_err *err)
{
	struct found f;
	if (!find_for_send(t, e, &f))
		return count_duplicate(t, NULL, e, err);
	if (f.own && f.own->state == SYNC_MATCHED)
		return count_duplicate(t, f.own, e, err);
	if (f.own)
		return send_again(t, f.own, e, err);
	if (f.here && e->addresses && !is_unique(e->kind) && !e->is_local)
		return send_on(t, &f, e, match, err);
	if (f.here)
		return count_duplicate(t, f.here, e, err);
	if (f.waiting)
		return add_match(t, f.waiting, e, match, err);
	if (f.other && (f.other->state == SYNC_SENT || f.other->state == SYNC_LOOPED))
		return send_again(t, f.other, e, err);
	if (f.other)
		return count_duplicate(t, f.other, e, err);
	const struct sync_entry *part = f.part;
	if (part && part->state == SYNC_RECEIVED && part->recv_host != e->host) {
		uint32_t a = sync_payload(e->len, e->head), b = sync_payload(part->len, part->head);
		sync_cover(&t->covers, e, e->seq, e->seq + (a > b ? a : b), part->recv_host);
		return add_match(t, f.part, e, match, err);
	}
	if (sync_is_covered(&t->covers, e))
		return count_duplicate(t, NULL, e, err);
	bool is_passed = sync_is_within_cover(&t->covers, e) ||
			 (part && part->state == SYNC_MATCHED && part->recv_host == e->host);
	return insert(t, e, is_passed, err);
}

/* Received again before its send was seen. */
static int receive_again(
	struct sync_matcher *t, struct sync_entry *x, const struct sync_end *e, struct mer_err *err)
{
	/* If it waits for the host that forwards it, the last receive counts: it may be another
	 * message. Otherwise there may be two messages: the send of the first one may not have been
	 * recorded, and the next send may belong to the second one. */
	if (x->is_passed && !is_close(x->received, e->time)) {
		x->received = e->time;
		set_stream(t, x, e);
	} else if (!x->is_passed &&
		   (is_unique(e->kind) || (x->recv_host == e->host && !has_same_id(x, e) &&
						  !is_close(x->received, e->time)))) {
		give_up(t, x);
	}
	return count_duplicate(t, x, e, err);
}

/* Was this receive seen just before in a layout with more fields? Then it belongs to that message,
 * not to an earlier lost one with the same key. */
static bool is_seen_better(struct sync_matcher *t, const struct sync_end *e)
{
	struct sync_entry *x;
	for (uint32_t at = e->hash;
		(x = sync_index_next(&t->pending, &t->pending.keys, e->hash, &at));)
		if (x->state == SYNC_MATCHED && x->addresses && x->recv_host == e->host &&
			is_close(x->received, e->time) && relate(x, e) == SAME)
			return true;
	return false;
}

/* False: it is one of several messages that cannot be told apart. */
static bool find_for_receive(struct sync_matcher *t, const struct sync_end *e, struct found *f)
{
	struct sync_index *keys = &t->pending.keys;
	struct sync_entry *x;
	*f = (struct found){ 0 };
	for (uint32_t at = e->hash;
		!f->own && (x = sync_index_next(&t->pending, keys, e->hash, &at));) {
		enum match_relation r = relate(x, e);
		if (r == PART && (!f->part || x->is_passed))
			f->part = x;
		if (r != SAME)
			continue;
		switch ((enum sync_state)x->state) {
		case SYNC_MATCHED:
			if (is_repeated(x, e))
				keep_first(x->send_host == e->host || x->recv_host == e->host
						   ? &f->own
						   : &f->other,
					x);
			break;
		case SYNC_HOLE:
		case SYNC_DOUBTFUL: return false;
		case SYNC_RECEIVED:
			keep_first(x->recv_host == e->host ? &f->own : &f->other, x);
			break;
		case SYNC_SENT:
		case SYNC_LOOPED:
			if (x->send_host != e->host && (e->is_local || x->is_local))
				break;
			if (!e->addresses && e->kind == SYNC_TCP && is_seen_better(t, e))
				break;
			if (!f->waiting || x->is_passed)
				f->waiting = x;
			break;
		}
	}
	f->own = f->waiting ? NULL : f->own;
	return true;
}

/* Received on the host that sent it, on the way to another one or to itself. */
static int receive_own(
	struct sync_matcher *t, struct sync_entry *x, const struct sync_end *e, struct mer_err *err)
{
	if (x->state == SYNC_LOOPED) {
		if (is_close(x->received, e->time)) {
			x->received = e->time; /* on a device further up */
			set_stream(t, x, e);
		}
		return count_duplicate(t, x, e, err);
	}
	x->state = SYNC_LOOPED;
	x->received = e->time;
	set_stream(t, x, e);
	return place_ends(t, x, e, err);
}

static int add_receive(struct sync_matcher *t, const struct sync_end *e, struct sync_match *match,
	struct mer_err *err)
{
	struct found f;
	if (!find_for_receive(t, e, &f))
		return count_duplicate(t, NULL, e, err);
	bool can_be_passed = e->addresses && !is_unique(e->kind) && !e->is_local;
	if (f.own && f.own->state == SYNC_MATCHED)
		return count_duplicate(t, f.own, e, err);
	if (f.own)
		return receive_again(t, f.own, e, err);
	if (f.waiting && f.waiting->send_host == e->host && !is_unique(e->kind))
		return receive_own(t, f.waiting, e, err);
	if (f.waiting && can_be_passed &&
		sync_routes_hold(&t->routes, e->addresses, e->host, f.waiting->send_host))
		return insert(t, e, true, err);
	if (f.waiting)
		return add_match(t, f.waiting, e, match, err);
	const struct sync_entry *part = f.part;
	bool waits = part && part->send_host != e->host &&
		     (part->state == SYNC_SENT || part->state == SYNC_LOOPED);
	bool is_cut = waits && part->is_passed && e->len < part->len;
	if (f.other && can_be_passed && !is_cut && !sync_is_covered(&t->covers, e))
		return insert(t, e, true, err); /* a copy, or forwarded by the other receiver */
	if (f.other && f.other->state == SYNC_MATCHED && !is_cut)
		return count_duplicate(t, f.other, e, err);
	if (f.other && !is_cut)
		return receive_again(t, f.other, e, err);
	if (part && part->state == SYNC_MATCHED && part->recv_host == e->host)
		return count_duplicate(t, part, e, err);
	if (waits && e->len < part->len) {
		sync_cover(&t->covers, e, part->seq, sync_tail(part), e->host);
		return add_match(t, f.part, e, match, err);
	}
	if (sync_is_covered(&t->covers, e))
		return count_duplicate(t, NULL, e, err);
	if (e->kind == SYNC_TCP && e->addresses && sync_payload(e->len, e->head)) {
		int rc = match_merged(t, waits ? f.part : NULL, e, match, err);
		if (rc || match->found)
			return rc;
	}
	return insert(t, e, false, err);
}

int sync_matcher_add(struct sync_matcher *t, const struct sync_end *e, struct sync_match *match,
	struct mer_err *err)
{
	struct sync_host_counts *h = &t->m->hosts[e->host];
	match->found = false;
	*(e->is_send ? &h->n_sent : &h->n_received) += 1;
	if (sync_is_datagram(e)) {
		int rc = sync_datagrams_add(&t->datagrams, t->m, e, err);
		return rc ? rc
			  : place(t, e, sync_endpoint(e->from, e->ports >> 16),
				    sync_endpoint(e->to, e->ports & 0xffff), err);
	}
	return e->is_send ? add_send(t, e, match, err) : add_receive(t, e, match, err);
}

int sync_matcher_finish(struct sync_matcher *t, struct mer_err *err)
{
	sync_pending_close(&t->pending);
	while (sync_pending_oldest(&t->pending)) {
		int rc = settle_oldest(t, false, err);
		if (rc)
			return rc;
	}
	return sync_datagrams_match(&t->datagrams, t->m, err);
}
