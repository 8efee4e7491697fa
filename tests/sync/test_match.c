/* Matching of sends and receives: the rules of sync/match/match.h one by one, then all of them at
 * once in a made-up network in which it is known which packet is which. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sync/match/match.h"

enum { A, B, C, HOSTS };
enum { MS = 1000000, ACK = 0x10, PUSH = 0x18 };

struct test {
	struct sync_messages m;
	struct sync_matcher *t;
	struct mer_err err;
};

static void set_up(struct test *w, size_t max)
{
	assert_int_equal(sync_messages_init(&w->m, HOSTS, &w->err), 0);
	assert_int_equal(sync_matcher_new(&w->m, max, &w->t, &w->err), 0);
}

static struct sync_match add(struct test *w, struct sync_end e)
{
	struct sync_match match;
	e.hash = sync_hash(e.kind, e.seq, e.ack);
	if (sync_matcher_add(w->t, &e, &match, &w->err))
		fail_msg("%s", w->err.text);
	return match;
}

static void finish(struct test *w)
{
	assert_int_equal(sync_matcher_finish(w->t, &w->err), 0);
	assert_int_equal(sync_messages_finish(&w->m, &w->err), 0);
}

static void tear_down(struct test *w)
{
	sync_matcher_free(w->t);
	sync_messages_free(&w->m);
}

/* A segment from A to B. */
static struct sync_end segment(int host, int64_t time, bool is_send)
{
	return (struct sync_end){ .time = time,
		.host = (uint32_t)host,
		.seq = 1000,
		.ack = 5000,
		.addresses = 77,
		.ports = 0x1234,
		.from = 1,
		.to = 2,
		.flags = PUSH,
		.id = 9,
		.len = 140,
		.head = 40,
		.kind = SYNC_TCP,
		.is_send = is_send };
}

/* The same as the addons record it. */
static struct sync_end bare(struct sync_end e)
{
	e.addresses = e.ports = e.from = e.to = 0;
	e.id = e.len = 0;
	e.head = 0;
	e.flags |= 0x8000;
	return e;
}

static void check_link(struct test *w, int from, int to, size_t n, int64_t sent, int64_t received)
{
	struct sync_link *l = sync_messages_link(&w->m, (uint32_t)from, (uint32_t)to);
	assert_non_null(l);
	assert_int_equal(l->n, n);
	if (n) {
		assert_int_equal(l->messages[0].sent, sent);
		assert_int_equal(l->messages[0].received, received);
	}
}

static size_t count_messages(const struct test *w)
{
	size_t n = 0;
	for (size_t i = 0; i < w->m.n_links; i++)
		n += w->m.links[i].n;
	return n;
}

static void test_either_end_first(void **state)
{
	(void)state;
	for (int first = 0; first < 2; first++) {
		struct test w;
		set_up(&w, 0);
		struct sync_end s = segment(A, 100, true), r = segment(B, 50, false);
		assert_false(add(&w, first ? s : r).found);
		struct sync_match m = add(&w, first ? r : s);
		assert_true(m.found);
		assert_int_equal(m.from, A);
		assert_int_equal(m.to, B);
		assert_false(add(&w, r).found); /* once */
		finish(&w);
		check_link(&w, A, B, 1, 100, 50);
		assert_int_equal(count_messages(&w), 1);
		assert_int_equal(w.m.links[0].n_duplicates, 1);
		tear_down(&w);
	}
}

static void test_layouts_mix(void **state)
{
	(void)state;
	for (int k = 0; k < 4; k++) {
		struct test w;
		set_up(&w, 0);
		struct sync_end s = segment(A, 100, true), r = segment(B, 150, false);
		add(&w, k & 1 ? bare(s) : s);
		add(&w, k & 2 ? bare(r) : r);
		finish(&w);
		check_link(&w, A, B, 1, 100, 150);
		tear_down(&w);
	}
	/* With the data offset on both sides it counts. */
	struct test w;
	set_up(&w, 0);
	struct sync_end s = bare(segment(A, 100, true)), r = bare(segment(B, 150, false));
	r.flags = 0x5018;
	add(&w, s);
	add(&w, r);
	finish(&w);
	assert_int_equal(count_messages(&w), 0);
	tear_down(&w);
}

static void test_what_both_know_must_agree(void **state)
{
	(void)state;
	for (int k = 0; k < 6; k++) {
		struct test w;
		set_up(&w, 0);
		struct sync_end r = segment(B, 150, false);
		r.seq += k == 0;
		r.ack += k == 1;
		r.flags = k == 2 ? ACK : r.flags;
		r.id = k == 3 ? 10 : r.id;
		r.len = k == 4 ? 40 : r.len; /* no data: no part of anything */
		if (k == 5) {
			r.ports++; /* translated? then id and ack must be there */
			r.id = 0;
		}
		struct sync_end s = segment(A, 100, true);
		s.id = k == 5 ? 0 : s.id;
		add(&w, s);
		add(&w, r);
		finish(&w);
		assert_int_equal(count_messages(&w), 0);
		assert_int_equal(w.m.hosts[A].n_unmatched_sent, 1);
		assert_int_equal(w.m.hosts[B].n_unmatched_received, 1);
		tear_down(&w);
	}
}

static void test_translated_addresses(void **state)
{
	(void)state;
	struct test w;
	set_up(&w, 0);
	struct sync_end r = segment(B, 150, false);
	r.ports++;
	r.addresses++;
	add(&w, segment(A, 100, true));
	assert_true(add(&w, r).found);
	tear_down(&w);
}

static void test_retransmission(void **state)
{
	(void)state;
	struct test w;
	set_up(&w, 0);
	/* The first one is lost, what arrives is the second: by its identification. */
	struct sync_end again = segment(A, 300 * MS, true), r = segment(B, 301 * MS, false);
	again.id = r.id = 10;
	add(&w, segment(A, 100 * MS, true));
	add(&w, again);
	add(&w, r);
	finish(&w);
	check_link(&w, A, B, 1, 300 * MS, 301 * MS);
	assert_int_equal(w.m.hosts[A].n_unmatched_sent, 1);
	tear_down(&w);
	/* Without one, the first: it is before the receive in any case. */
	set_up(&w, 0);
	add(&w, bare(segment(A, 100 * MS, true)));
	add(&w, bare(segment(A, 300 * MS, true)));
	add(&w, bare(segment(B, 301 * MS, false)));
	finish(&w);
	check_link(&w, A, B, 1, 100 * MS, 301 * MS);
	tear_down(&w);
	/* Received twice before any send was seen: the send may be the second one. */
	set_up(&w, 0);
	add(&w, bare(segment(B, 100 * MS, false)));
	add(&w, bare(segment(B, 300 * MS, false)));
	add(&w, bare(segment(A, 299 * MS, true)));
	finish(&w);
	assert_int_equal(count_messages(&w), 0);
	assert_int_equal(sync_matcher_doubtful(w.t, SYNC_TCP), 1);
	tear_down(&w);
}

/* Both layouts on both hosts: the one that knows less cannot tell the retransmission from what was
 * lost, but has nothing to add either. */
static void test_retransmission_in_two_layouts(void **state)
{
	(void)state;
	struct test w;
	set_up(&w, 0);
	struct sync_end first = segment(A, 100 * MS, true), again = segment(A, 300 * MS, true);
	again.id = 10;
	add(&w, bare(first));
	add(&w, first);
	add(&w, bare(again));
	add(&w, again);
	struct sync_end arrived = segment(B, 301 * MS, false), weak = bare(arrived);
	arrived.id = 10;
	weak.time += 2000;
	struct sync_match m = add(&w, arrived);
	assert_true(m.found);
	assert_int_equal(m.sent, 300 * MS);
	assert_false(add(&w, weak).found);
	finish(&w);
	check_link(&w, A, B, 1, 300 * MS, 301 * MS);
	assert_int_equal(w.m.hosts[A].n_unmatched_sent, 1);
	tear_down(&w);

	/* Much later it is another one: the lost one was late. */
	set_up(&w, 0);
	add(&w, first);
	add(&w, again);
	add(&w, arrived);
	weak.time += 10 * MS;
	m = add(&w, weak);
	assert_true(m.found);
	assert_int_equal(m.sent, 100 * MS);
	finish(&w);
	check_link(&w, A, B, 2, 100 * MS, weak.time);
	tear_down(&w);
}

static void test_devices_and_bridges(void **state)
{
	(void)state;
	struct test w;
	set_up(&w, 0);
	/* Out of a container, over the bridge of its host, to the wire; in again likewise. */
	add(&w, segment(A, 1000, true));
	add(&w, segment(A, 1010, false));
	add(&w, segment(A, 1020, true));
	assert_true(add(&w, segment(B, 1100, false)).found);
	add(&w, segment(B, 1110, true));
	add(&w, segment(B, 1120, false));
	finish(&w);
	check_link(&w, A, B, 1, 1020, 1100);
	check_link(&w, A, A, 1, 1000, 1010); /* the hop inside it */
	assert_int_equal(count_messages(&w), 2);
	tear_down(&w);
	/* The receiving host is read first. */
	set_up(&w, 0);
	add(&w, segment(B, 1100, false));
	add(&w, segment(B, 1110, true));
	add(&w, segment(B, 1120, false));
	assert_true(add(&w, segment(A, 1000, true)).found);
	add(&w, segment(A, 1010, false));
	add(&w, segment(A, 1020, true));
	finish(&w);
	check_link(&w, A, B, 1, 1000, 1100);
	assert_int_equal(count_messages(&w), 1);
	tear_down(&w);
}

/* ---- sent on ---- */

/* From A through C, a router or a bridge, to B. */
static const struct sync_end *passing(int which)
{
	static struct sync_end e[4];
	e[0] = segment(A, 100, true);
	e[1] = segment(C, 200, false);
	e[2] = segment(C, 300, true);
	e[3] = segment(B, 400, false);
	return &e[which];
}

static void check_chain(struct test *w)
{
	check_link(w, A, C, 1, 100, 200);
	check_link(w, C, B, 1, 300, 400);
	assert_int_equal(count_messages(w), 2);
}

/* In any order of the hosts in which no receive comes before its sender's own: two messages. A's
 * address is A's, not the router's. */
static void test_sent_on(void **state)
{
	(void)state;
	static const int orders[][4] = { { 0, 1, 2, 3 }, { 1, 0, 2, 3 }, { 1, 2, 0, 3 },
		{ 1, 2, 3, 0 }, { 0, 1, 3, 2 }, { 1, 0, 3, 2 }, { 1, 3, 2, 0 }, { 1, 3, 0, 2 },
		{ 3, 1, 2, 0 } };
	for (size_t i = 0; i < sizeof(orders) / sizeof(*orders); i++) {
		struct test w;
		set_up(&w, 0);
		for (int k = 0; k < 4; k++)
			add(&w, *passing(orders[i][k]));
		/* A is known by its address: what is lost on the way to it is counted there. */
		struct sync_end lost = segment(B, 500, true);
		lost.from = 2;
		lost.to = 1;
		lost.id = 77;
		add(&w, lost);
		finish(&w);
		check_chain(&w);
		assert_int_equal(sync_messages_link(&w.m, B, A)->n_unmatched, 1);
		assert_int_equal(w.m.hosts[C].n_unmatched_sent, 0);
		tear_down(&w);
	}
}

/* Read in an order in which it seems to have come straight from A: the next ones wait. */
static void test_route_is_learned(void **state)
{
	(void)state;
	static const int orders[][4] = { { 0, 3, 1, 2 }, { 3, 0, 1, 2 } };
	for (size_t i = 0; i < sizeof(orders) / sizeof(*orders); i++) {
		struct test w;
		set_up(&w, 0);
		for (uint32_t n = 0; n < 3; n++)
			for (int k = 0; k < 4; k++) {
				struct sync_end e = *passing(orders[i == 1 && n ? 0 : i][k]);
				e.seq += n;
				e.time += n * 1000;
				add(&w, e);
			}
		finish(&w);
		check_link(&w, A, B, 1, 100, 400);
		check_link(&w, A, C, 2, 1100, 1200);
		check_link(&w, C, B, 2, 1300, 1400);
		assert_int_equal(w.m.hosts[B].n_unmatched_received, 0);
		tear_down(&w);
	}
}

/* The route has changed: no longer through C. After a while it is believed. */
static void test_route_that_was(void **state)
{
	(void)state;
	struct test w;
	set_up(&w, 0);
	enum { LATER = 200 };
	for (uint32_t n = 0; n < LATER; n++)
		for (int k = 0; k < 4; k++) {
			static const int order[] = { 0, 3, 1, 2 };
			struct sync_end e = *passing(order[k]);
			if (n > 1 && e.host == C)
				continue;
			e.seq += n;
			e.time += n * 1000;
			add(&w, e);
		}
	finish(&w);
	assert_int_equal(sync_messages_link(&w.m, C, B)->n, 1);
	assert_int_equal(sync_messages_link(&w.m, A, B)->n, LATER - 1 - 64);
	tear_down(&w);
}

/* Lost behind the router: it is sent again, and so on. On its way through the router's own devices
 * the last time counts, and the first one of receipt. */
static void test_sent_on_and_again(void **state)
{
	(void)state;
	struct test w;
	set_up(&w, 0);
	add(&w, *passing(0));
	add(&w, *passing(1));
	struct sync_end e = *passing(1);
	e.time = 210;
	add(&w, e); /* on its bridge */
	add(&w, *passing(2));
	e = *passing(2);
	e.time = 310;
	add(&w, e); /* on the device below */
	e = *passing(0);
	e.time = 300 * MS;
	add(&w, e); /* sent again, as it was */
	e = *passing(3);
	add(&w, e);
	add(&w, e);
	finish(&w);
	check_link(&w, A, C, 1, 100, 200);
	check_link(&w, C, B, 1, 310, 400);
	assert_int_equal(count_messages(&w), 2);
	tear_down(&w);
	/* To who is not recorded: nothing is lost, nothing unknown. */
	set_up(&w, 0);
	for (int k = 0; k < 3; k++)
		add(&w, *passing(k));
	finish(&w);
	check_link(&w, A, C, 1, 100, 200);
	assert_int_equal(count_messages(&w), 1);
	assert_int_equal(w.m.hosts[C].n_unmatched_sent, 0);
	assert_int_equal(w.m.hosts[C].n_duplicates, 1);
	tear_down(&w);
	/* To a container of its own: no message between hosts, and none inside C, as before. */
	set_up(&w, 0);
	for (int k = 0; k < 3; k++)
		add(&w, *passing(k));
	e = *passing(1);
	e.time = 320;
	add(&w, e);
	finish(&w);
	assert_int_equal(count_messages(&w), 1);
	tear_down(&w);
	/* From who is not recorded. */
	set_up(&w, 0);
	for (int k = 1; k < 4; k++)
		add(&w, *passing(k));
	finish(&w);
	check_link(&w, C, B, 1, 300, 400);
	assert_int_equal(count_messages(&w), 1);
	assert_int_equal(w.m.hosts[C].n_unmatched_received, 1);
	tear_down(&w);
}

/* Addresses and ports are translated by C. */
static void test_sent_on_translated(void **state)
{
	(void)state;
	struct test w;
	set_up(&w, 0);
	for (int k = 0; k < 4; k++) {
		struct sync_end e = *passing(k);
		if (k > 1) {
			e.addresses = 78;
			e.ports = 0x4321;
			e.from = 3;
		}
		add(&w, e);
	}
	finish(&w);
	check_chain(&w);
	tear_down(&w);
}

/* Merged by C's receive offload from two of A, sent on and received so by B; or cut again. */
static void test_sent_on_merged(void **state)
{
	(void)state;
	for (int is_cut = 0; is_cut < 2; is_cut++) {
		struct test w;
		set_up(&w, 0);
		struct sync_end second = *passing(0);
		second.time = 110;
		second.seq += 100;
		add(&w, *passing(0));
		add(&w, second);
		for (int k = 1; k < 4; k++) {
			struct sync_end e = *passing(k);
			if (k < 3 || !is_cut)
				e.len += 100;
			add(&w, e);
		}
		if (is_cut) {
			struct sync_end e = *passing(3);
			e.seq += 100;
			e.time += 10;
			add(&w, e);
		}
		finish(&w);
		check_link(&w, A, C, 1, 110, 200);
		check_link(&w, C, B, 1, 300, 400);
		assert_int_equal(count_messages(&w), 2);
		assert_int_equal(w.m.hosts[B].n_unmatched_received, 0);
		tear_down(&w);
	}
}

/* A flood: many have it, none sends it on. Its key is used again later. */
static void test_received_by_many(void **state)
{
	(void)state;
	struct test w;
	set_up(&w, 0);
	for (int n = 0; n < 2; n++) {
		struct sync_end e[3] = { segment(A, 100, true), segment(B, 200, false),
			segment(C, 210, false) };
		for (int k = 0; k < 3; k++) {
			e[k].kind = SYNC_UDP;
			e[k].time += n * 5000 * (int64_t)MS;
			add(&w, e[k]);
		}
	}
	finish(&w);
	check_link(&w, A, B, 2, 100, 200);
	assert_int_equal(count_messages(&w), 2);
	assert_int_equal(w.m.hosts[C].n_duplicates, 2);
	tear_down(&w);
}

static void test_to_itself(void **state)
{
	(void)state;
	struct test w;
	set_up(&w, 0);
	/* From container to container: each hop. */
	add(&w, segment(A, 1000, true));
	add(&w, segment(A, 1010, false));
	add(&w, segment(A, 1020, true));
	add(&w, segment(A, 1030, false));
	finish(&w);
	check_link(&w, A, A, 2, 1000, 1010);
	tear_down(&w);
	/* To another host, as its address says, and lost on the way. */
	set_up(&w, 0);
	struct sync_end s = segment(B, 100, true), r = segment(A, 200, false);
	s.from = r.from = 2;
	s.to = r.to = 1;
	add(&w, s);
	assert_true(add(&w, r).found); /* address 2 is B's */
	s = segment(A, 1000, true);
	r = segment(A, 1010, false);
	s.id = r.id = 11;
	add(&w, s);
	add(&w, r);
	finish(&w);
	check_link(&w, A, A, 0, 0, 0);
	check_link(&w, A, B, 0, 0, 0);
	assert_int_equal(sync_messages_link(&w.m, A, B)->n_unmatched, 1);
	tear_down(&w);
	/* A loopback address stays on its host. */
	set_up(&w, 0);
	s = segment(A, 1000, true);
	r = segment(B, 1010, false);
	s.is_local = r.is_local = true;
	add(&w, s);
	assert_false(add(&w, r).found);
	r.host = A;
	add(&w, r);
	finish(&w);
	check_link(&w, A, A, 1, 1000, 1010);
	tear_down(&w);
}

/* What a host sent to itself is settled after a tenth of a second, when it sends to itself again: a
 * key that is used again is another message. What was not received yet, and what may still be
 * received elsewhere, goes on waiting. */
static void test_local_is_settled(void **state)
{
	(void)state;
	for (int late = 0; late < 2; late++) {
		struct test w;
		set_up(&w, 0);
		struct sync_end e = segment(A, 1000, true);
		e.kind = SYNC_UDP;
		e.is_local = true;
		struct sync_end lost = e, other = segment(A, 900, true);
		lost.seq++;
		lost.time++;
		add(&w, other);
		for (int again = 0; again < 2; again++) {
			e.is_send = true;
			add(&w, e);
			if (!again)
				add(&w, lost);
			e.is_send = false;
			e.time += 10;
			add(&w, e);
			struct sync_end next = e;
			next.seq = 77;
			next.is_send = true;
			next.time += late ? 100 * MS : 90 * MS;
			if (!again)
				add(&w, next);
			e.time = next.time + 5;
		}
		lost.is_send = false;
		lost.time = e.time + 100;
		add(&w, lost);
		struct sync_match m = add(&w, segment(B, e.time, false));
		assert_true(m.found && m.sent == 900);
		finish(&w);
		/* Used again too soon, nobody can tell which is which. */
		check_link(&w, A, A, late ? 3 : 1, late ? 1000 : 1001, late ? 1010 : lost.time);
		tear_down(&w);
	}
}

/* Sequences of sends and receives as in Trace Compass' test of its matching, with the packets told
 * apart by their identification where that test uses a key again. */
static void test_key_used_again(void **state)
{
	(void)state;
	static const struct {
		int host, time, id;
		bool is_send;
	} events[] = { { A, 15, 1, true }, { A, 20, 1, false }, { A, 25, 1, false },
		{ A, 30, 2, true }, { B, 50, 2, false }, { B, 70, 3, true }, { A, 100, 3, false },
		{ A, 105, 4, true }, { A, 110, 5, true }, { A, 115, 4, false } };
	struct test w;
	set_up(&w, 0);
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		struct sync_end e = segment(events[i].host, events[i].time * MS, events[i].is_send);
		e.id = (uint16_t)events[i].id;
		e.to = 3;
		add(&w, e);
	}
	finish(&w);
	check_link(&w, A, B, 1, 30 * MS, 50 * MS);
	check_link(&w, B, A, 1, 70 * MS, 100 * MS);
	check_link(&w, A, A, 2, 15 * MS, 20 * MS);
	struct sync_link *l = sync_messages_link(&w.m, A, A);
	assert_int_equal(l->messages[1].sent, 105 * MS);
	assert_int_equal(l->messages[1].received, 115 * MS);
	tear_down(&w);
}

static struct sync_end datagram(int host, int64_t time, bool is_send)
{
	struct sync_end e = segment(host, time, is_send);
	e.kind = SYNC_UDP;
	e.head = 0;
	e.flags = 0;
	return e;
}

static void test_identification_used_again(void **state)
{
	(void)state;
	struct test w;
	set_up(&w, 0);
	add(&w, datagram(A, 100 * MS, true));
	assert_true(add(&w, datagram(B, 101 * MS, false)).found);
	add(&w, datagram(A, 200 * MS, true));
	assert_true(add(&w, datagram(B, 201 * MS, false)).found);
	assert_false(add(&w, datagram(B, 201 * MS + 5, false)).found);
	/* The first of two was lost, or the second, or they come late: nobody knows. */
	add(&w, datagram(A, 300 * MS, true));
	add(&w, datagram(A, 400 * MS, true));
	assert_false(add(&w, datagram(B, 401 * MS, false)).found);
	finish(&w);
	check_link(&w, A, B, 2, 100 * MS, 101 * MS);
	assert_int_equal(sync_matcher_doubtful(w.t, SYNC_UDP), 1);
	tear_down(&w);
}

static void test_users_keys_are_unique(void **state)
{
	(void)state;
	struct test w;
	set_up(&w, 0);
	struct sync_end e = { .time = 10, .host = A, .seq = 1, .kind = SYNC_USER, .is_send = true };
	add(&w, e);
	e.host = B;
	e.is_send = false;
	assert_true(add(&w, e).found);
	/* Both ends on one host is as good. */
	e.seq = 2;
	e.is_send = true;
	add(&w, e);
	e.is_send = false;
	e.time = 11;
	assert_true(add(&w, e).found);
	e.seq = 3;
	e.is_send = true;
	add(&w, e);
	add(&w, e);
	e.is_send = false;
	assert_false(add(&w, e).found);
	assert_int_equal(sync_matcher_doubtful(w.t, SYNC_USER), 1);
	tear_down(&w);
}

static struct sync_end part(int host, int64_t time, bool is_send, int begin, int end, int id)
{
	struct sync_end e = segment(host, time, is_send);
	e.seq = (uint32_t)begin;
	e.len = (uint16_t)(40 + end - begin);
	e.id = (uint16_t)id;
	e.flags = ACK;
	return e;
}

static void test_cut_segments(void **state)
{
	(void)state;
	for (int first = 0; first < 2; first++) { /* which host is read first */
		struct test w;
		set_up(&w, 0);
		struct sync_end s = part(A, 1000, true, 0, 4000, 20);
		s.flags = PUSH;
		if (first == 0)
			add(&w, s);
		for (int i = 0; i < 4; i++) {
			struct sync_end r =
				part(B, 1100 + i, false, i * 1000, (i + 1) * 1000, 20 + i);
			r.flags = i == 3 ? PUSH : ACK;
			assert_true(add(&w, r).found == (first == 0 && i == 0));
		}
		if (first)
			assert_true(add(&w, s).found);
		/* Sent again, and received again. */
		add(&w, part(A, 1000 * MS, true, 1000, 2000, 30));
		add(&w, part(B, 1001 * MS, false, 1000, 2000, 30));
		finish(&w);
		check_link(&w, A, B, 1, 1000, 1100);
		tear_down(&w);
	}
}

static void test_merged_segments(void **state)
{
	(void)state;
	struct test w;
	set_up(&w, 0);
	for (int i = 0; i < 4; i++)
		add(&w, part(A, 1000 + i, true, i * 1000, (i + 1) * 1000, 20 + i));
	/* The last one once more: the first sending of a byte counts. */
	add(&w, part(A, 1000 + 2 * MS, true, 3000, 4000, 40));
	struct sync_end r = part(B, 1100 + 2 * MS, false, 0, 4000, 20);
	r.flags = PUSH;
	assert_true(add(&w, r).found);
	r.time += 10;
	assert_false(add(&w, r).found); /* on the next device */
	finish(&w);
	check_link(&w, A, B, 1, 1003, 1100 + 2 * MS);
	assert_int_equal(w.m.hosts[A].n_unmatched_sent, 1); /* the one sent again */
	assert_int_equal(w.m.hosts[B].n_unmatched_received, 0);
	tear_down(&w);
}

static void test_bounded_memory(void **state)
{
	(void)state;
	struct test w;
	set_up(&w, 8);
	for (int i = 0; i < 1000; i++)
		add(&w, part(A, i, true, i * 100, i * 100 + 100, i));
	for (int i = 992; i < 1000; i++)
		assert_true(add(&w, part(B, i, false, i * 100, i * 100 + 100, i)).found);
	for (int i = 0; i < 992; i++)
		assert_false(add(&w, part(B, i, false, i * 100, i * 100 + 100, i)).found);
	finish(&w);
	assert_int_equal(w.m.hosts[A].n_too_old, 992);
	assert_int_equal(w.m.hosts[A].n_unmatched_sent, 992);
	assert_int_equal(w.m.hosts[B].n_too_old, 992 - 8);
	assert_int_equal(w.m.hosts[B].n_unmatched_received, 992);
	tear_down(&w);
}

static void test_sorting(void **state)
{
	(void)state;
	struct sync_messages m;
	struct mer_err err;
	assert_int_equal(sync_messages_init(&m, HOSTS, &err), 0);
	struct sync_link *l = sync_messages_link(&m, C, A);
	assert_int_equal(sync_link_add(l, (struct sync_message){ 30, 40 }, SYNC_TCP, &err), 0);
	assert_int_equal(sync_link_add(l, (struct sync_message){ 10, 45 }, SYNC_UDP, &err), 0);
	assert_int_equal(sync_link_add(l, (struct sync_message){ 20, 41 }, SYNC_ICMP, &err), 0);
	assert_non_null(sync_messages_link(&m, A, B));
	assert_int_equal(sync_messages_finish(&m, &err), 0);
	assert_int_equal(m.n_links, 2);
	assert_int_equal(m.links[0].from, A);
	l = sync_messages_link(&m, C, A);
	assert_ptr_equal(l, &m.links[1]);
	static const struct sync_message sorted[] = { { 10, 45 }, { 20, 41 }, { 30, 40 } };
	assert_memory_equal(l->messages, sorted, sizeof(sorted));
	assert_int_equal(l->kinds[0], SYNC_UDP);
	assert_int_equal(l->kinds[1], SYNC_ICMP);
	assert_int_equal(l->kinds[2], SYNC_TCP);
	assert_int_equal(l->n_reordered, 2);
	sync_messages_free(&m);
}

static void test_sorting_with_streams(void **state)
{
	(void)state;
	/* By their times, then by their streams, and nothing is torn apart. */
	static const struct {
		struct sync_message m;
		enum sync_kind kind;
		struct sync_streams s;
	} in[] = { { { 30, 40 }, SYNC_TCP, { 3, 4, 5, 6, SYNC_DATA } },
		{ { 10, 20 }, SYNC_UDP, { 2, 9, 7, 8, SYNC_DATA } },
		{ { 10, 20 }, SYNC_ICMP, { 1, 9, 0, 0, SYNC_DATA } },
		{ { 10, 15 }, SYNC_TCP, { 7, 7, 0, 0, SYNC_DATA } } };
	static const int order[] = { 3, 2, 1, 0 };
	struct sync_messages m;
	struct mer_err err;
	assert_int_equal(sync_messages_init(&m, HOSTS, &err), 0);
	struct sync_link *l = sync_messages_link(&m, A, B);
	assert_int_equal(sync_link_add(l, (struct sync_message){ 50, 60 }, SYNC_TCP, &err), 0);
	assert_null(l->streams);
	for (int i = 0; i < 4; i++)
		assert_int_equal(sync_link_add_in(l, in[i].m, in[i].kind, in[i].s, &err), 0);
	assert_int_equal(sync_messages_finish(&m, &err), 0);
	l = sync_messages_link(&m, A, B);
	for (int i = 0; i < 4; i++) {
		assert_memory_equal(&l->messages[i], &in[order[i]].m, sizeof(in[0].m));
		/* Field by field: padding may hold anything. */
		const struct sync_streams *got = &l->streams[i], *wanted = &in[order[i]].s;
		assert_int_equal(got->sent, wanted->sent);
		assert_int_equal(got->received, wanted->received);
		assert_int_equal(got->source, wanted->source);
		assert_int_equal(got->destination, wanted->destination);
		assert_int_equal(got->content, wanted->content);
		assert_int_equal(l->kinds[i], in[order[i]].kind);
	}
	assert_int_equal(l->streams[4].sent, SYNC_NO_STREAM);
	sync_messages_free(&m);
}

/* Each event in a stream of its own: a message has those of its two events, however much waits and
 * in whatever order it is matched. */
static void test_streams_of_messages(void **state)
{
	(void)state;
	enum { N = 30000, LATE = 5000 };
	for (int keep = 0; keep < 2; keep++) {
		struct test w;
		assert_int_equal(sync_messages_init(&w.m, HOSTS, &w.err), 0);
		w.m.keeps_streams = keep;
		assert_int_equal(sync_matcher_new(&w.m, 0, &w.t, &w.err), 0);
		for (int i = 0; i < N + LATE; i++) {
			/* Sent now, or received now after a longer or a shorter way; or lost. */
			int packets[] = { i, i - LATE, i - LATE / 2 };
			for (int way = 0; way < 3; way++) {
				int k = packets[way];
				if (k < 0 || k >= N || (way && k % 3 != way))
					continue;
				struct sync_end e = segment(way ? B : A, i * (int64_t)MS, !way);
				e.seq += (uint32_t)k * 10000;
				e.id = (uint16_t)(1 + k);
				e.stream = (uint32_t)(2 * i + (way > 0));
				add(&w, e);
			}
		}
		finish(&w);
		const struct sync_link *l = sync_messages_link(&w.m, A, B);
		assert_true(l->n > N / 2);
		assert_int_equal(l->streams != NULL, keep);
		for (size_t i = 0; keep && i < l->n; i++) {
			assert_int_equal(l->streams[i].sent, 2 * l->messages[i].sent / MS);
			assert_int_equal(
				l->streams[i].received, 2 * l->messages[i].received / MS + 1);
		}
		tear_down(&w);
	}
}

/* On several devices, and inside of a host: the stream goes with the time that counts. */
static void test_streams_of_hops(void **state)
{
	(void)state;
	static const struct {
		int host, time;
		bool is_send;
	} events[] = { { A, 10, true }, { A, 11, true }, { A, 12, false }, { A, 13, false },
		{ A, 14, true }, { B, 50, false }, { B, 51, false } };
	struct test w;
	assert_int_equal(sync_messages_init(&w.m, HOSTS, &w.err), 0);
	w.m.keeps_streams = true;
	assert_int_equal(sync_matcher_new(&w.m, 0, &w.t, &w.err), 0);
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		struct sync_end e = segment(events[i].host, events[i].time, events[i].is_send);
		e.stream = (uint32_t)events[i].time;
		add(&w, e);
	}
	finish(&w);
	check_link(&w, A, B, 1, 14, 50);
	size_t n = 0;
	for (size_t i = 0; i < w.m.n_links; i++) {
		const struct sync_link *l = &w.m.links[i];
		for (size_t k = 0; k < l->n; k++, n++) {
			assert_int_equal(l->streams[k].sent, l->messages[k].sent);
			assert_int_equal(l->streams[k].received, l->messages[k].received);
		}
	}
	assert_int_equal(n, 2);
	tear_down(&w);
}

/* ---- a network ---- */

enum { PACKETS = 20000 };

struct event {
	int64_t time, when; /* its host's clock; when it is looked at */
	uint32_t packet;
	struct sync_end end;
};

static uint64_t seed;
static uint32_t rnd(uint32_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((seed >> 33) % n);
}

static int by_when(const void *a, const void *b)
{
	const struct event *x = a, *y = b;
	if (x->when != y->when)
		return x->when < y->when ? -1 : 1;
	return (x->packet > y->packet) - (x->packet < y->packet);
}

/* Packets with losses, retransmissions, duplicates on devices, identifications that wrap, clocks
 * that differ. Times are unique, so a time says which packet an end is of. Whatever the order is in
 * which the hosts are looked at: no message is made of the ends of two packets, unless they are of
 * the same bytes and it is sent before it is received. */
static void check_network(int64_t misorder, size_t max, uint32_t kind, bool all)
{
	static const int64_t clock[HOSTS] = { 0, 3000000007, -86400000000011 };
	struct event *events = calloc((size_t)PACKETS * 6, sizeof(*events));
	int64_t *sent = calloc(PACKETS, sizeof(*sent)), *received = calloc(PACKETS, sizeof(*sent));
	assert_non_null(events);
	assert_non_null(sent);
	assert_non_null(received);
	size_t n = 0, arrived = 0;
	for (uint32_t i = 0; i < PACKETS; i++) {
		bool again = i > 10 && kind == SYNC_TCP && rnd(20) == 0;
		uint32_t flow = (again ? i - 1 : i) % 6, from = flow % 3;
		uint32_t to = (from + 1 + flow / 3) % 3;
		uint32_t bytes = again ? i - 1 : i; /* those of the packet before it, again */
		struct sync_end e = { .seq = bytes * 1000,
			.ack = 1 + flow,
			.addresses = from * 3 + to + 1,
			.ports = flow,
			.from = from + 1,
			.to = to + 1,
			.flags = ACK,
			.id = (uint16_t)(i % (kind == SYNC_TCP ? 60000 : 1000) + 1),
			.len = 1040,
			.head = 40,
			.kind = kind & 7u };
		if (kind != SYNC_TCP) {
			e.seq = e.ports;
			e.ack = (uint32_t)e.id << 16 | e.len;
			e.head = 0;
			e.flags = 0;
		}
		e.hash = sync_hash(e.kind, e.seq, e.ack);
		int64_t t = (int64_t)i * 2 * MS + rnd(1000);
		int64_t delay = 50000 + rnd(5 * MS);
		int n_sends = 1 + (rnd(10) == 0),
		    n_receives = rnd(50) == 0 ? 0 : 1 + (rnd(10) == 0);
		for (int k = 0; k < n_sends + n_receives; k++) {
			struct event *v = &events[n++];
			bool is_send = k < n_sends;
			v->end = e;
			v->end.is_send = is_send;
			v->end.host = is_send ? from : to;
			v->packet = i;
			v->when = t + k * 3000 + (is_send ? 0 : delay);
			v->time = v->end.time = v->when + clock[v->end.host];
			v->when += misorder * v->end.host;
			if (is_send)
				sent[i] = v->time;
			else if (k == n_sends)
				received[i] = v->time;
		}
		arrived += n_receives > 0;
	}
	qsort(events, n, sizeof(*events), by_when);
	struct test w;
	set_up(&w, max);
	size_t found = 0;
	for (size_t i = 0; i < n; i++) {
		struct sync_match m;
		assert_int_equal(sync_matcher_add(w.t, &events[i].end, &m, &w.err), 0);
		if (!m.found)
			continue;
		found++;
		assert_true(m.received - clock[m.to] > m.sent - clock[m.from]);
		uint32_t p = events[i].packet;
		assert_true(events[i].end.is_send ? m.sent == events[i].time
						  : m.received == events[i].time);
		assert_true(events[i].end.is_send ? m.received == received[p]
						  : m.sent <= sent[p] && m.sent + 10000 > sent[p]);
	}
	finish(&w);
	assert_int_equal(count_messages(&w), found);
	assert_true(found <= arrived);
	if (all)
		assert_true(found * 100 >= arrived * 98);
	uint64_t ends = 0, used = 0;
	for (int i = 0; i < HOSTS; i++) {
		const struct sync_host_counts *h = &w.m.hosts[i];
		ends += h->n_sent + h->n_received;
		used += h->n_unmatched_sent + h->n_unmatched_received + h->n_duplicates;
	}
	assert_int_equal(ends, n);
	assert_int_equal(used + 2 * found, ends); /* every end is accounted for */
	tear_down(&w);
	free(events);
	free(sent);
	free(received);
}

static void test_network(void **state)
{
	(void)state;
	seed = 1;
	check_network(0, 0, SYNC_TCP, true);
	check_network(100 * MS, 0, SYNC_TCP, true);
	check_network((int64_t)100000 * MS, 0, SYNC_TCP, true); /* host after host */
	check_network((int64_t)100000 * MS, 1000, SYNC_TCP, false);
	check_network(10 * MS, 5, SYNC_TCP, false);
	check_network(0, 0, SYNC_UDP, false);
	check_network(0, 100, SYNC_UDP, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_either_end_first),
		cmocka_unit_test(test_layouts_mix),
		cmocka_unit_test(test_what_both_know_must_agree),
		cmocka_unit_test(test_translated_addresses),
		cmocka_unit_test(test_retransmission),
		cmocka_unit_test(test_retransmission_in_two_layouts),
		cmocka_unit_test(test_devices_and_bridges),
		cmocka_unit_test(test_sent_on),
		cmocka_unit_test(test_route_is_learned),
		cmocka_unit_test(test_route_that_was),
		cmocka_unit_test(test_sent_on_and_again),
		cmocka_unit_test(test_sent_on_translated),
		cmocka_unit_test(test_sent_on_merged),
		cmocka_unit_test(test_received_by_many),
		cmocka_unit_test(test_to_itself),
		cmocka_unit_test(test_local_is_settled),
		cmocka_unit_test(test_key_used_again),
		cmocka_unit_test(test_identification_used_again),
		cmocka_unit_test(test_users_keys_are_unique),
		cmocka_unit_test(test_cut_segments),
		cmocka_unit_test(test_merged_segments),
		cmocka_unit_test(test_bounded_memory),
		cmocka_unit_test(test_sorting),
		cmocka_unit_test(test_sorting_with_streams),
		cmocka_unit_test(test_streams_of_messages),
		cmocka_unit_test(test_streams_of_hops),
		cmocka_unit_test(test_network),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
