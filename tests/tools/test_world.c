/* Generated worlds: clocks, networks and the messages that come of both are what they say. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "world.h"

#define SECOND INT64_C(1000000000)

static void need(int rc, const struct mer_err *err)
{
	if (rc)
		fail_msg("%s", err->text);
}

/* A clock never runs back, and "when" is its inverse: the first instant that shows a value. */
static void check_clock(const struct world_clock *c, int64_t duration)
{
	struct world_random r = world_random_new(7, 7);
	int64_t before = INT64_MIN, t = 0;
	size_t n = 0;
	for (; t < duration; n++) {
		int64_t shown = world_clock_at(c, t), when = world_clock_when(c, shown);
		assert_true(shown >= before);
		assert_true(when <= t);
		assert_true(world_clock_at(c, when) >= shown);
		assert_true(world_clock_at(c, when - 1) < shown);
		when = world_clock_when(c, shown + 1);
		assert_true(when > t);
		assert_true(world_clock_at(c, when) > shown);
		assert_true(world_clock_at(c, when - 1) <= shown);
		before = shown;
		t += 1 + (int64_t)(world_random_exponential(&r) * (double)duration / 5000);
	}
	assert_true(n > 1000);
	for (size_t i = 0; i < c->n; i++) { /* and right at the pieces' begins */
		int64_t at = c->pieces[i].begin;
		assert_true(world_clock_at(c, at) == c->pieces[i].clock);
		assert_true(world_clock_at(c, at) >= world_clock_at(c, at - 1));
	}
}

static void test_clocks(void **state)
{
	(void)state;
	enum world_clock_kind kinds[] = { WORLD_STRAIGHT, WORLD_FREE, WORLD_NTP, WORLD_SAWTOOTH };
	for (size_t i = 0; i < 4; i++)
		for (unsigned glitches = 0; glitches < 2; glitches++) {
			struct world_clock_options o = world_clock_defaults();
			struct world_clock c;
			struct mer_err err;
			o.kind = kinds[i];
			o.ppm = i % 2 ? -35 : 80;
			o.start_ns = 1700000000 * SECOND;
			o.glitches[0] =
				(struct world_glitch){ .at_ns = 100 * SECOND, .step_ns = 5000000 };
			o.glitches[1] =
				(struct world_glitch){ .at_ns = 200 * SECOND, .step_ns = -7000000 };
			o.glitches[2] = (struct world_glitch){
				.at_ns = 300 * SECOND, .slew_ppm = -37000, .slew_for_ns = 1500000000
			};
			o.n_glitches = glitches * 3;
			need(world_clock_make(&c, &o, 1000 * SECOND, 5, &err), &err);
			check_clock(&c, 1000 * SECOND);
			world_clock_free(&c);
		}
}

static void test_sudden_changes(void **state)
{
	(void)state;
	struct world_clock_options o = world_clock_defaults();
	struct world_clock c;
	struct mer_err err;
	o.glitches[0] = (struct world_glitch){ .at_ns = 10 * SECOND, .step_ns = 5000000 };
	o.glitches[1] = (struct world_glitch){ .at_ns = 20 * SECOND, .step_ns = -7000000 };
	o.glitches[2] = (struct world_glitch){
		.at_ns = 30 * SECOND, .slew_ppm = -40000, .slew_for_ns = 1500000000
	};
	o.n_glitches = 3;
	need(world_clock_make(&c, &o, 60 * SECOND, 1, &err), &err);
	assert_int_equal(world_clock_at(&c, 10 * SECOND - 1), 10 * SECOND - 1);
	assert_int_equal(world_clock_at(&c, 10 * SECOND), 10 * SECOND + 5000000);
	assert_int_equal(world_clock_when(&c, 10 * SECOND + 1), 10 * SECOND);
	/* stands still for 7 ms */
	assert_int_equal(world_clock_at(&c, 20 * SECOND), 20 * SECOND + 5000000);
	assert_int_equal(world_clock_at(&c, 20 * SECOND + 7000000), 20 * SECOND + 5000000);
	assert_int_equal(world_clock_when(&c, 20 * SECOND + 5000001), 20 * SECOND + 7000001);
	/* 4 % slow for 1.5 s: 60 ms */
	int64_t end = world_clock_at(&c, 40 * SECOND) - (40 * SECOND - 2000000 - 60000000);
	assert_in_range(end + 1, 0, 2);
	world_clock_free(&c);
}

/* A free-running quartz keeps within what thermal swing and walk allow, and is no straight line. */
static void test_free_running(void **state)
{
	(void)state;
	struct world_clock_options o = world_clock_defaults();
	struct world_clock c;
	struct mer_err err;
	o.kind = WORLD_FREE;
	int64_t duration = 4 * 3600 * SECOND;
	need(world_clock_make(&c, &o, duration, 3, &err), &err);
	double most = 0, sum = 0;
	for (size_t i = 0; i < c.n; i++) {
		double ppm = (double)c.pieces[i].rate / 0x1p60 * 1e6;
		most = fmax(most, fabs(ppm));
		sum += ppm * ppm;
	}
	assert_true(most < 0.5 + 5 * 0.12);
	assert_true(sqrt(sum / (double)c.n) > 0.1);
	world_clock_free(&c);
}

static void test_link(void **state)
{
	(void)state;
	struct world_link_options o = world_link_defaults();
	struct world_message *m;
	struct mer_err err;
	size_t n, lost = 0, repeated = 0, held = 0, overtaken = 0, twice = 0;
	double delay = 0;
	o.rate_hz = 100;
	o.loss = 0.1;
	o.retransmit_ns = 200000000;
	o.reorder = 0.05;
	o.duplicate = 0.02;
	need(world_link_messages(&o, 0, 1000 * SECOND, 1, &m, &n, &err), &err);
	assert_in_range(n, 108000, 114000); /* 100000, and a tenth again */
	int64_t last = INT64_MIN;
	for (size_t i = 0; i < n; i++) {
		assert_true(!i || m[i].sent >= m[i - 1].sent);
		lost += m[i].flags & WORLD_LOST;
		repeated += (m[i].flags & WORLD_RETRANSMISSION) != 0;
		twice += (m[i].flags & WORLD_DUPLICATE) != 0;
		if (m[i].flags & WORLD_LOST)
			continue;
		assert_true(m[i].received >= m[i].sent + o.floor_ns);
		held += (m[i].flags & WORLD_REORDERED) != 0;
		overtaken += m[i].received < last;
		last = m[i].received > last ? m[i].received : last;
		if (!(m[i].flags & WORLD_REORDERED))
			delay += (double)(m[i].received - m[i].sent - o.floor_ns);
	}
	assert_in_range(lost, n / 11, n / 9);
	assert_in_range(repeated, lost - lost / 100, lost);
	assert_in_range(twice, n / 55, n / 45);
	assert_in_range(held, n / 25, n / 20);
	assert_true(overtaken > 1000); /* by those that were held back */
	delay /= (double)(n - lost - held);
	assert_true(delay > 97000 && delay < 104000);
	free(m);
	/* Without reordering nothing overtakes, however crowded. */
	o = world_link_defaults();
	o.rate_hz = 50000;
	o.regular = true;
	need(world_link_messages(&o, 0, SECOND, 2, &m, &n, &err), &err);
	assert_in_range(n, 49999, 50001);
	for (size_t i = 1; i < n; i++)
		assert_true(m[i].received > m[i - 1].received);
	free(m);
	/* Congestion comes in runs. */
	o = world_link_defaults();
	o.rate_hz = 10;
	o.burst_ns = 50000000;
	need(world_link_messages(&o, 0, 10000 * SECOND, 3, &m, &n, &err), &err);
	size_t slow = 0, pairs = 0;
	for (size_t i = 1; i < n; i++) {
		bool here = m[i].received - m[i].sent > 3000000;
		bool before = m[i - 1].received - m[i - 1].sent > 3000000;
		slow += here;
		pairs += here && before;
	}
	assert_in_range(slow, n / 10, n / 4);
	assert_true(pairs > slow / 2);
	free(m);
}

static void test_topologies(void **state)
{
	(void)state;
	struct {
		enum world_topology kind;
		size_t n;
	} want[] = { { WORLD_PAIR, 5 }, { WORLD_RING, 10 }, { WORLD_STAR, 9 }, { WORLD_CHAIN, 9 },
		{ WORLD_FULL, 45 }, { WORLD_TWO_GROUPS, 8 } };
	struct world_edge *e;
	struct mer_err err;
	size_t n;
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		need(world_edges(want[i].kind, 10, 4, 1, &e, &n, &err), &err);
		assert_int_equal(n, want[i].n);
		for (size_t k = 0; k < n; k++) {
			assert_true(e[k].a < e[k].b && e[k].b < 10);
			assert_true(want[i].kind != WORLD_TWO_GROUPS || e[k].a != 4);
		}
		free(e);
	}
	need(world_edges(WORLD_RANDOM, 500, 6, 1, &e, &n, &err), &err);
	assert_in_range(n, 1400, 1500);
	uint32_t group[500];
	for (uint32_t i = 0; i < 500; i++)
		group[i] = i;
	for (size_t round = 0; round < 500; round++)
		for (size_t k = 0; k < n; k++) {
			uint32_t low =
				group[e[k].a] < group[e[k].b] ? group[e[k].a] : group[e[k].b];
			group[e[k].a] = group[e[k].b] = low;
		}
	for (uint32_t i = 0; i < 500; i++)
		assert_int_equal(group[i], 0);
	free(e);
}

/* The messages in memory are those of the network with the clocks' times; the same each time. */
static void test_world(void **state)
{
	(void)state;
	struct world_options o;
	struct world w, again;
	struct sync_messages m;
	struct mer_err err;
	need(world_preset("full-5", &o, &err), &err);
	o.duration_ns = 100 * SECOND;
	o.link.loss = 0.1;
	need(world_make(&w, &o, &err), &err);
	need(world_make(&again, &o, &err), &err);
	need(world_to_messages(&w, &m, &err), &err);
	assert_int_equal(m.n_links, 20);
	assert_int_equal(w.n_links, 20);
	size_t n = 0;
	for (size_t i = 0; i < w.n_links; i++) {
		const struct world_link *l = &w.links[i];
		const struct sync_link *sl = sync_messages_link(&m, l->from, l->to);
		size_t k = 0, lost = 0;
		assert_non_null(sl);
		assert_int_equal(l->n, again.links[i].n);
		for (size_t j = 0; j < l->n; j++) {
			assert_int_equal(
				l->messages[j].received, again.links[i].messages[j].received);
			if (l->messages[j].flags & WORLD_LOST) {
				lost++;
				continue;
			}
			assert_true(k < sl->n);
			int64_t sent = world_clock_at(&w.clocks[l->from], l->messages[j].sent);
			assert_int_equal(sl->messages[k].sent, sent);
			assert_int_equal(sl->messages[k].received,
				world_clock_at(&w.clocks[l->to], l->messages[j].received));
			int64_t there = world_translate(&w, l->from, l->to, sent);
			assert_true(there < sl->messages[k].received);
			k++;
		}
		assert_int_equal(k, sl->n);
		assert_int_equal(lost, sl->n_unmatched);
		n += k;
	}
	assert_in_range(n, 3400, 3800);
	sync_messages_free(&m);
	/* One match in a hundred is wrong, and the message itself is as it was. */
	w.options.wrong = 0.01;
	need(world_to_messages(&w, &m, &err), &err);
	size_t wrong = 0;
	for (size_t i = 0; i < m.n_links; i++)
		for (size_t k = 0; k < m.links[i].n; k++) {
			const struct sync_message *s = &m.links[i].messages[k];
			int64_t there =
				world_translate(&w, m.links[i].from, m.links[i].to, s->sent);
			wrong += s->received < there || s->received > there + 5000000;
		}
	assert_in_range(wrong, n / 200, n / 50);
	sync_messages_free(&m);
	world_free(&w);
	world_free(&again);
	assert_int_equal(world_preset("flat-earth", &o, &err), MER_ERR_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clocks),
		cmocka_unit_test(test_sudden_changes),
		cmocka_unit_test(test_free_running),
		cmocka_unit_test(test_link),
		cmocka_unit_test(test_topologies),
		cmocka_unit_test(test_world),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
