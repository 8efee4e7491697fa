/* Datagrams that nothing identifies: what is matched of them and, more important, what is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sync/match/match.h"

enum { A, B, C, D, HOSTS };
#define MS INT64_C(1000000)
#define SECOND (1000 * MS)

static const int64_t ahead[HOSTS] = { 0, 3 * SECOND, -7 * SECOND, 11 * SECOND };

struct test {
	struct sync_messages m;
	struct sync_matcher *t;
	struct mer_err err;
};

static void begin(struct test *w)
{
	assert_int_equal(sync_messages_init(&w->m, HOSTS, &w->err), 0);
	w->m.keeps_streams = true;
	assert_int_equal(sync_matcher_new(&w->m, 0, &w->t, &w->err), 0);
}

static void finish(struct test *w)
{
	assert_int_equal(sync_matcher_finish(w->t, &w->err), 0);
	assert_int_equal(sync_messages_finish(&w->m, &w->err), 0);
}

static void end(struct test *w)
{
	sync_matcher_free(w->t);
	sync_messages_free(&w->m);
}

/* An end at an instant of the common time; number: of the packet, which nothing but this test
 * knows. */
static void add(struct test *w, int host, int64_t time, bool is_send, uint32_t ports)
{
	struct sync_match match;
	struct sync_end e = { .time = time + ahead[host],
		.host = (uint32_t)host,
		.seq = ports,
		.ack = 100,
		.addresses = 77,
		.ports = ports,
		.from = 1,
		.to = 2,
		.len = 100,
		.kind = SYNC_UDP,
		.stream = (uint32_t)host,
		.is_send = is_send };
	e.hash = sync_hash(e.kind, e.seq, e.ack);
	assert_int_equal(sync_matcher_add(w->t, &e, &match, &w->err), 0);
	assert_false(match.found);
}

/* Messages both ways that tell the clocks of the two to 0.2 ms, one each 10 ms. */
static void add_traffic(struct test *w, int a, int b, int64_t until)
{
	for (int64_t t = 0; t < until; t += 10 * MS) {
		struct sync_message there = { t + ahead[a], t + MS / 10 + ahead[b] },
				    back = { t + MS + ahead[b], t + MS + MS / 10 + ahead[a] };
		struct sync_link *l = sync_messages_link(&w->m, (uint32_t)a, (uint32_t)b);
		assert_int_equal(sync_link_add(l, there, SYNC_TCP, &w->err), 0);
		l = sync_messages_link(&w->m, (uint32_t)b, (uint32_t)a);
		assert_int_equal(sync_link_add(l, back, SYNC_TCP, &w->err), 0);
	}
}

/* How many datagrams went from one to the other; the first one's times, in common time. */
static size_t found(struct test *w, int from, int to, int64_t sent, int64_t received)
{
	const struct sync_link *l = sync_messages_link(&w->m, (uint32_t)from, (uint32_t)to);
	size_t n = 0;
	for (size_t i = 0; i < l->n; i++) {
		if (!l->kinds || l->kinds[i] != SYNC_UDP)
			continue;
		if (n++ == 0) {
			assert_int_equal(l->messages[i].sent - ahead[from], sent);
			assert_int_equal(l->messages[i].received - ahead[to], received);
			assert_int_equal(l->streams[i].sent, from);
			assert_int_equal(l->streams[i].received, to);
		}
	}
	return n;
}

static void sent_once(void **state)
{
	(void)state;
	struct test w;
	begin(&w);
	add(&w, B, 2 * MS, false, 5); /* the order does not matter */
	add(&w, A, MS, true, 5);
	add(&w, A, 3 * MS, true, 6); /* its receive is missing */
	finish(&w);
	assert_int_equal(found(&w, A, B, MS, 2 * MS), 1);
	assert_int_equal(w.m.hosts[A].n_unmatched_sent, 1);
	assert_int_equal(w.m.hosts[B].n_unmatched_received, 0);
	end(&w);
	/* What the other messages contradict is none: it was received before it was sent. */
	begin(&w);
	add_traffic(&w, A, B, SECOND);
	add(&w, A, 500 * MS, true, 5);
	add(&w, B, 499 * MS, false, 5);
	finish(&w);
	assert_int_equal(found(&w, A, B, 0, 0), 0);
	end(&w);
}

/* Two of them: without other messages nobody knows which is which. */
static void sent_again(void **state)
{
	(void)state;
	for (int has_traffic = 0; has_traffic < 2; has_traffic++) {
		struct test w;
		begin(&w);
		if (has_traffic)
			add_traffic(&w, A, B, SECOND);
		for (int64_t t = 100 * MS; t <= 200 * MS; t += 100 * MS) {
			add(&w, A, t, true, 5);
			add(&w, B, t + 2 * MS, false, 5);
		}
		finish(&w);
		assert_int_equal(found(&w, A, B, 100 * MS, 102 * MS), has_traffic ? 2 : 0);
		end(&w);
	}
}

/* One is lost on its way, or its end was not recorded: for a second nothing is concluded. */
static void doubts(void **state)
{
	(void)state;
	for (int lost = 0; lost < 2; lost++) {
		struct test w;
		begin(&w);
		add_traffic(&w, A, B, 4 * SECOND);
		for (int i = 0; i < 30; i++) {
			if (i != 5 || lost != 0)
				add(&w, A, (100 + i * 100) * MS, true, 5);
			if (i != 5 || lost != 1)
				add(&w, B, (102 + i * 100) * MS, false, 5);
		}
		finish(&w);
		/* Of the one before the missing send it is not known which of two was its own. */
		size_t n = found(&w, A, B, 100 * MS, 102 * MS);
		assert_int_equal(n, lost ? 5 + 15 : 4 + 16);
		end(&w);
	}
	/* Several at a time. */
	struct test w;
	begin(&w);
	add_traffic(&w, A, B, SECOND);
	for (int i = 0; i < 3; i++) {
		add(&w, A, 100 * MS + i * 10000, true, 5);
		add(&w, B, 100 * MS + 3 * MS + i * 10000, false, 5);
	}
	finish(&w);
	assert_int_equal(found(&w, A, B, 0, 0), 0);
	end(&w);
}

/* From A through C to B; several routers, several receivers. */
static void sent_on(void **state)
{
	(void)state;
	struct test w;
	begin(&w);
	add(&w, A, MS, true, 5);
	add(&w, C, 2 * MS, false, 5);
	add(&w, C, 3 * MS, true, 5);
	add(&w, B, 4 * MS, false, 5);
	finish(&w);
	assert_int_equal(found(&w, A, C, MS, 2 * MS), 1);
	assert_int_equal(found(&w, C, B, 3 * MS, 4 * MS), 1);
	assert_int_equal(found(&w, A, B, 0, 0), 0);
	end(&w);
	begin(&w);
	add(&w, A, MS, true, 5);
	for (int host = C; host <= D; host++) {
		add(&w, host, 2 * MS, false, 5);
		add(&w, host, 3 * MS, true, 5);
	}
	add(&w, B, 4 * MS, false, 5);
	finish(&w);
	assert_int_equal(w.m.hosts[A].n_unmatched_sent, 1);
	assert_int_equal(w.m.hosts[B].n_unmatched_received, 1);
	end(&w);
	begin(&w);
	add(&w, A, MS, true, 5);
	add(&w, B, 2 * MS, false, 5);
	add(&w, C, 2 * MS, false, 5);
	finish(&w);
	assert_int_equal(found(&w, A, B, 0, 0), 0);
	assert_int_equal(found(&w, A, C, 0, 0), 0);
	end(&w);
}

static uint64_t seed;
static uint32_t rnd(uint32_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((seed >> 33) % n);
}

/* Twenty a second on one connection for a minute, with losses of packets and of events, and delays
 * that are rarely longer than the time between two. No message says that something was sent later
 * than it was. */
static void a_connection(void **state)
{
	(void)state;
	size_t n_all = 0, n_arrived = 0, n_wrong = 0;
	for (seed = 1; seed < 20; seed++) {
		enum { N = 1200 };
		static int64_t sent[N], received[N];
		uint64_t before = seed;
		struct test w;
		begin(&w);
		add_traffic(&w, A, B, 62 * SECOND);
		for (int i = 0; i < N; i++) {
			sent[i] = i * 50 * MS + rnd(20 * MS);
			received[i] = sent[i] + MS / 10 + rnd(rnd(100) ? 5 * MS : 100 * MS);
			bool is_lost = rnd(100) == 0;
			if (rnd(200))
				add(&w, A, sent[i], true, 5);
			if (!is_lost && rnd(200)) {
				add(&w, B, received[i], false, 5);
				n_arrived++;
			}
		}
		finish(&w);
		const struct sync_link *l = sync_messages_link(&w.m, A, B);
		for (size_t k = 0; k < l->n; k++) {
			if (l->kinds[k] != SYNC_UDP)
				continue;
			int i = 0;
			while (i < N && received[i] != l->messages[k].received - ahead[B])
				i++;
			assert_true(i < N);
			assert_true(l->messages[k].sent - ahead[A] <= received[i]);
			n_wrong += l->messages[k].sent - ahead[A] != sent[i];
			n_all++;
		}
		end(&w);
		seed = before;
	}
	print_message("%zu of %zu that arrived were matched, %zu with another send\n", n_all,
		n_arrived, n_wrong);
	assert_true(n_all * 2 > n_arrived);
	assert_true(n_wrong * 1000 <= n_all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sent_once),
		cmocka_unit_test(sent_again),
		cmocka_unit_test(doubts),
		cmocka_unit_test(sent_on),
		cmocka_unit_test(a_connection),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
