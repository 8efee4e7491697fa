/* Nets: the limits of every instant are the shortest paths in the graph of all constraints,
 * whichever messages were not taken in; and what has no solution is recognized. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "net_case.h"
#include "random.h"

static void make_net(const struct net_case *c, struct sync_messages *m, struct sync_net *net)
{
	net_case_messages(c, m);
	assert_int_equal(sync_net_new(m, c->drift, c->reference, NULL, net, NULL), 0);
}

/* All instants that the net kept; returns how many. */
static size_t compare(const struct net_case *c, const struct sync_net *net,
	int64_t distance[CASE_NODES][CASE_NODES], unsigned what, uint64_t number)
{
	size_t n = 0;
	for (uint32_t h = 1; h < c->n_hosts; h++)
		for (size_t k = 0; k < net->hosts[h].n; k++) {
			int i = 0;
			while (c->t[h][i] != net->hosts[h].t[k])
				assert_true(++i < c->n_instants);
			int node = net_case_node(h, i);
			int64_t high = net_case_high(distance, node);
			int64_t low = net_case_low(distance, node);
			if ((what & SYNC_NET_HIGH && net->hosts[h].high[k] != high) ||
				(what & SYNC_NET_LOW && net->hosts[h].low[k] != low))
				fail_msg("case %" PRIu64 ": host %u at %" PRId64 ": %" PRId64
					 "..%" PRId64 ", not %" PRId64 "..%" PRId64,
					number, h, c->t[h][i], net->hosts[h].low[k],
					net->hosts[h].high[k], low, high);
			n++;
		}
	return n;
}

struct tally {
	size_t instants, consistent, not, pruned;
};

static struct tally run(unsigned kinds, uint64_t n_cases, int wrong)
{
	static int64_t distance[CASE_NODES][CASE_NODES];
	static const unsigned whats[] = { SYNC_NET_HIGH | SYNC_NET_LOW, SYNC_NET_HIGH,
		SYNC_NET_LOW };
	struct tally tally = { 0 };
	for (uint64_t k = 0; k < n_cases; k++) {
		uint64_t seed = k;
		int64_t slack = k % 4 == 3 ? random_in(&seed, 0, 1000) : 0;
		struct net_case c;
		net_case_make(&c, kinds, slack, &seed);
		for (int i = 0; i < wrong; i++)
			net_case_add_any(&c, &seed);
		bool expected = net_case_solve(&c, c.reference, slack, distance);
		if (!wrong)
			assert_true(expected);
		struct sync_messages m;
		struct sync_net net;
		make_net(&c, &m, &net);
		/* With only one kind of limits asked for, a contradiction need not show. */
		for (int i = 0; i < (expected ? 3 : 1); i++) {
			bool consistent;
			sync_net_reset(&net);
			assert_int_equal(
				sync_net_tighten(&net, whats[i], slack, &consistent, NULL), 0);
			if (consistent != expected)
				fail_msg("case %" PRIu64 ": %s", k,
					consistent ? "a contradiction is not seen"
						   : "a contradiction is seen");
			if (expected)
				tally.instants += compare(&c, &net, distance, whats[i], k);
		}
		expected ? tally.consistent++ : tally.not ++;
		tally.pruned += (size_t)c.n_messages;
		for (size_t i = 0; i < net.n_links; i++)
			tally.pruned -= net.links[i].n;
		sync_net_free(&net);
		sync_messages_free(&m);
	}
	return tally;
}

static void shortest_paths(void **state)
{
	(void)state;
	struct tally t = run(0, 4000, 0);
	assert_true(t.pruned > 1000 && t.instants > 10000);
}

static void with_slews(void **state)
{
	(void)state;
	assert_true(run(CASE_SLEWS, 4000, 0).instants > 10000);
}

static void with_steps(void **state)
{
	(void)state;
	assert_true(run(CASE_STEPS, 4000, 0).instants > 10000);
}

static void with_both(void **state)
{
	(void)state;
	assert_true(run(CASE_SLEWS | CASE_STEPS, 4000, 0).instants > 10000);
}

static void contradictions(void **state)
{
	(void)state;
	struct tally t = run(CASE_SLEWS | CASE_STEPS, 4000, 1);
	assert_true(t.consistent > 300 && t.not > 300);
	t = run(0, 4000, 1);
	assert_true(t.consistent > 300 && t.not > 300);
}

/* Messages that are left out, and links that are skipped, are as if they were not there. */
static void rejected(void **state)
{
	(void)state;
	static int64_t distance[CASE_NODES][CASE_NODES];
	size_t n = 0;
	for (uint64_t k = 0; k < 1000; k++) {
		uint64_t seed = k;
		struct net_case c, less;
		net_case_make(&c, CASE_SLEWS, 0, &seed);
		net_case_add_any(&c, &seed);
		struct sync_messages m;
		net_case_messages(&c, &m);
		less = c;
		less.n_messages--;
		const struct case_message *wrong = &c.messages[less.n_messages];
		uint8_t *out[CASE_HOSTS * CASE_HOSTS] = { 0 };
		size_t skipped = k & 1 ? m.n_links : random_next(&seed) % m.n_links;
		for (size_t i = 0; i < m.n_links; i++) {
			const struct sync_link *l = &m.links[i];
			for (size_t j = 0; j < l->n && l->from == wrong->from && l->to == wrong->to;
				j++)
				if (!out[i] && l->messages[j].sent == c.t[wrong->from][wrong->i] &&
					l->messages[j].received == c.t[wrong->to][wrong->j]) {
					out[i] = calloc(l->n, 1);
					assert_non_null(out[i]);
					out[i][j] = 1;
				}
		}
		struct sync_net net;
		assert_int_equal(sync_net_new(&m, c.drift, c.reference, out, &net, NULL), 0);
		for (size_t i = 0; i < net.n_links; i++) {
			if (i != skipped)
				continue;
			net.links[i].skip = true;
			for (int j = 0; j < less.n_messages; j++)
				less.messages[j].silent |=
					less.messages[j].from == net.links[i].from &&
					less.messages[j].to == net.links[i].to;
		}
		assert_true(net_case_solve(&less, c.reference, 0, distance));
		bool consistent;
		assert_int_equal(
			sync_net_tighten(&net, SYNC_NET_HIGH | SYNC_NET_LOW, 0, &consistent, NULL),
			0);
		assert_true(consistent);
		n += compare(&c, &net, distance, SYNC_NET_HIGH | SYNC_NET_LOW, k);
		for (size_t i = 0; i < m.n_links; i++)
			free(out[i]);
		sync_net_free(&net);
		sync_messages_free(&m);
	}
	assert_true(n > 1000);
}

/* Damaged traces have any times: an answer comes, and where it is one the limits do not cross. */
static void any_times(void **state)
{
	(void)state;
	static const int64_t ends[] = { INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX - 1,
		INT64_MAX };
	for (uint64_t k = 0; k < 3000; k++) {
		uint64_t seed = k;
		struct net_case c;
		net_case_make(&c, k % 4, 0, &seed);
		for (uint32_t h = 0; h < c.n_hosts; h++)
			for (int i = 0; i < c.n_instants; i++)
				c.t[h][i] = k & 4 ? ends[random_next(&seed) % 7]
						  : (int64_t)random_next(&seed);
		struct sync_messages m;
		struct sync_net net;
		bool consistent;
		make_net(&c, &m, &net);
		assert_int_equal(
			sync_net_tighten(&net, SYNC_NET_HIGH | SYNC_NET_LOW, 0, &consistent, NULL),
			0);
		for (uint32_t h = 0; h < c.n_hosts && consistent; h++)
			for (size_t i = 0; i < net.hosts[h].n; i++)
				assert_true(net.hosts[h].low[i] <= net.hosts[h].high[i]);
		sync_net_free(&net);
		sync_messages_free(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shortest_paths),
		cmocka_unit_test(with_slews),
		cmocka_unit_test(with_steps),
		cmocka_unit_test(with_both),
		cmocka_unit_test(contradictions),
		cmocka_unit_test(rejected),
		cmocka_unit_test(any_times),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
