/* Solving, each rule by itself on a few messages by hand: host 1's clock is 1 ms ahead of host 0's,
 * messages take 50 us. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sync/limits/pairs.h"
#include "sync/solve.h"

enum { MAX_HOSTS = 4 };
#define US INT64_C(1000)
#define MS INT64_C(1000000)
#define SECOND INT64_C(1000000000)

struct case_of {
	struct sync_messages m;
	struct sync_host_info info[MAX_HOSTS];
	struct sync_host_choice choices[MAX_HOSTS];
	struct sync_options o;
	struct sync_result *r;
};

static void start(struct case_of *c, uint32_t n_hosts)
{
	static const char *const names[MAX_HOSTS] = { "a", "b", "c", "d" };
	struct mer_err err;
	*c = (struct case_of){ 0 };
	assert_int_equal(sync_messages_init(&c->m, n_hosts, &err), 0);
	for (uint32_t h = 0; h < n_hosts; h++)
		c->info[h] =
			(struct sync_host_info){ names[h], names[h], { 0, 10 * SECOND }, NULL };
}

static void message(struct case_of *c, uint32_t from, uint32_t to, int64_t sent, int64_t received)
{
	struct mer_err err;
	assert_int_equal(sync_link_add(sync_messages_link(&c->m, from, to),
				 (struct sync_message){ sent, received }, SYNC_TCP, &err),
		0);
}

/* A hundred both ways, from b's clock minus a's, and how long they take there and back. */
static void both_ways(
	struct case_of *c, uint32_t a, uint32_t b, int64_t ahead, int64_t there, int64_t back)
{
	for (int64_t i = 0; i <= 100; i++) {
		int64_t t = i * SECOND / 10;
		message(c, a, b, t, t + ahead + there);
		message(c, b, a, t + ahead, t + back);
	}
}

static void finish(struct case_of *c)
{
	struct mer_err err;
	c->o.choices = c->choices;
	assert_int_equal(sync_messages_finish(&c->m, &err), 0);
	if (sync_solve(&c->m, c->info, c->m.n_hosts, &c->o, &c->r, &err))
		fail_msg("%s", err.text);
}

static void end(struct case_of *c)
{
	sync_result_free(c->r);
	sync_messages_free(&c->m);
}

/* What the host's map makes of a time, minus that time. */
static int64_t offset_at(const struct case_of *c, uint32_t host, int64_t t)
{
	return trace_map_time(&c->r->hosts[host].map, t) - t;
}

static void near(int64_t got, int64_t expected, int64_t by)
{
	if (got < expected - by || got > expected + by)
		fail_msg("%lld, expected %lld", (long long)got, (long long)expected);
}

static bool says(const struct sync_result *r, const char *code)
{
	for (size_t i = 0; i < r->diags.n; i++)
		if (strcmp(r->diags.rows[i].code, code) == 0)
			return true;
	return false;
}

static void two_hosts(void **state)
{
	(void)state;
	struct case_of c;
	start(&c, 2);
	both_ways(&c, 0, 1, MS, 50 * US, 50 * US);
	message(&c, 0, 0, 5, 12); /* to itself */
	finish(&c);
	assert_int_equal(c.r->n_groups, 1);
	assert_int_equal(c.r->references[0], 0);
	assert_int_equal(c.r->hosts[0].quality, SYNC_REFERENCE);
	assert_int_equal(c.r->hosts[1].quality, SYNC_ACCURATE);
	for (int64_t t = 0; t <= 10; t++) {
		near(offset_at(&c, 0, t * SECOND), 0, 0);
		near(offset_at(&c, 1, t * SECOND), -MS, 2 * US);
	}
	/* At the instants of messages 50 us are open, between them the clocks may drift for 50
	 * ms. */
	near(c.r->hosts[1].bound.min, 50 * US, 3 * US);
	near(c.r->hosts[1].bound.max, 100 * US, 3 * US);
	assert_int_equal(c.r->n_pairs, 1);
	const struct sync_pair *p = &c.r->pairs[0];
	assert_int_equal(p->a, 0);
	assert_int_equal(p->b, 1);
	assert_int_equal(p->quality, SYNC_ACCURATE);
	near(p->bound.min, 50 * US, 3 * US);
	near(p->bound.max, 100 * US, 3 * US);
	assert_int_equal(p->ab.before.n, 101);
	assert_int_equal(p->ab.before.min, MS + 50 * US);
	assert_int_equal(p->ab.before.n_inversions, 0);
	assert_int_equal(p->ba.before.max, -MS + 50 * US);
	assert_int_equal(p->ba.before.n_inversions, 101);
	near(p->ab.after.min, 50 * US, 2 * US);
	near(p->ba.after.max, 50 * US, 2 * US);
	assert_int_equal(p->ba.after.n_inversions, 0);
	assert_int_equal(c.r->hosts[0].n_matched, 202);
	assert_int_equal(c.r->hosts[1].n_matched, 202);
	assert_true(p->n_used > 0 && p->n_used == c.r->hosts[1].n_used);
	assert_true(p->n_used == c.r->hosts[0].n_used);
	assert_int_equal(c.r->loopback[0].n, 1);
	assert_int_equal(c.r->loopback[0].min, 7);
	assert_int_equal(c.r->loopback[1].n, 0);
	assert_true(isnan(c.r->loopback[1].stddev));
	/* Every line is there, unless nobody wants it. */
	assert_int_equal(p->line.n_messages, 202);
	end(&c);
	start(&c, 2);
	both_ways(&c, 0, 1, MS, 50 * US, 50 * US);
	c.o.no_lines = true;
	finish(&c);
	assert_int_equal(c.r->pairs[0].line.n_messages, 0);
	end(&c);
}

/* Pairs are in the order of ids, which those of copied recordings are none of. */
static void order_of_pairs(void **state)
{
	(void)state;
	for (int is_copied = 0; is_copied < 2; is_copied++) {
		struct case_of c;
		start(&c, 2);
		for (int h = 0; h < 2; h++) {
			c.info[h].order = is_copied ? c.info[h].name : NULL;
			c.info[h].id = h ? "1" : "2";
		}
		both_ways(&c, 0, 1, 1000, 20000, 20000);
		finish(&c);
		assert_int_equal(c.r->n_pairs, 1);
		assert_int_equal(c.r->pairs[0].a, is_copied ? 0 : 1);
		end(&c);
	}
}

static void wanted_reference(void **state)
{
	(void)state;
	struct case_of c;
	start(&c, 2);
	both_ways(&c, 0, 1, MS, 50 * US, 50 * US);
	c.o.reference_plus_1 = 2;
	finish(&c);
	assert_int_equal(c.r->references[0], 1);
	near(offset_at(&c, 0, SECOND), MS, 2 * US);
	near(offset_at(&c, 1, SECOND), 0, 0);
	end(&c);
}

/* One offset for all time: in the middle between the tightest limits of both directions, or at the
 * only one. */
static void offsets(void **state)
{
	(void)state;
	struct case_of c;
	start(&c, 2);
	c.o.method = SYNC_OFFSET;
	both_ways(&c, 0, 1, MS, 50 * US, 150 * US);
	message(&c, 0, 1, SECOND, SECOND + MS + 900 * US);
	finish(&c);
	near(offset_at(&c, 1, 0), -950 * US, 0);
	near(offset_at(&c, 1, 10 * SECOND), -950 * US, 0);
	assert_int_equal(c.r->hosts[1].quality, SYNC_APPROXIMATE);
	end(&c);
	start(&c, 2);
	c.o.method = SYNC_OFFSET;
	message(&c, 0, 1, SECOND, SECOND + MS + 50 * US);
	message(&c, 0, 1, 2 * SECOND, 2 * SECOND + MS + 60 * US);
	finish(&c);
	near(offset_at(&c, 1, 0), -MS - 50 * US, 0);
	end(&c);
	start(&c, 2);
	c.o.method = SYNC_OFFSET;
	message(&c, 1, 0, SECOND + MS, SECOND + 70 * US);
	message(&c, 1, 0, 2 * SECOND + MS, 2 * SECOND + 60 * US);
	finish(&c);
	near(offset_at(&c, 1, 0), -MS + 60 * US, 0);
	end(&c);
}

/* What the user adds; to a clock that is left alone, and to the reference, too. */
static void added(void **state)
{
	(void)state;
	struct case_of c;
	for (int k = 0; k < 2; k++) {
		start(&c, 2);
		both_ways(&c, 0, 1, MS, 50 * US, 50 * US);
		c.choices[0] = (struct sync_host_choice){ .has_offset = true, .offset_ns = 77 };
		c.choices[1] = (struct sync_host_choice){
			.has_offset = true,
			.offset_ns = 5 * MS,
			.has_method = true,
			.method = k ? SYNC_REALTIME : SYNC_OFFSET,
		};
		finish(&c);
		assert_int_equal(c.r->hosts[1].method, k ? SYNC_REALTIME : SYNC_OFFSET);
		near(offset_at(&c, 0, SECOND), 77, 0);
		near(offset_at(&c, 1, SECOND), k ? 5 * MS : 4 * MS, 0);
		end(&c);
	}
	start(&c, 2);
	both_ways(&c, 0, 1, MS, 50 * US, 50 * US);
	c.o.method = SYNC_NONE;
	finish(&c);
	near(offset_at(&c, 1, SECOND), 0, 0);
	assert_int_equal(c.r->hosts[1].map.n, 0);
	end(&c);
}

/* The classic method: its line; the reference is the host whose id sorts first. */
static void classic(void **state)
{
	(void)state;
	struct case_of c;
	start(&c, 3);
	c.info[0].id = "z";
	c.info[1].id = "m";
	c.info[2].id = "k";
	c.o.method = SYNC_HULL;
	both_ways(&c, 0, 1, MS, 50 * US, 50 * US);
	both_ways(&c, 1, 2, MS, 50 * US, 50 * US);
	finish(&c);
	assert_int_equal(c.r->references[0], 2);
	near(offset_at(&c, 1, SECOND), MS, 100 * US);
	near(offset_at(&c, 0, SECOND), 2 * MS, 200 * US);
	/* Pairs in the order of the ids inside, by number outside. */
	assert_int_equal(c.r->n_pairs, 2);
	assert_true(c.r->pairs[0].a == 1 && c.r->pairs[0].b == 0);
	assert_true(c.r->pairs[1].a == 2 && c.r->pairs[1].b == 1);
	end(&c);
	/* For one host alone. */
	start(&c, 2);
	both_ways(&c, 0, 1, MS, 50 * US, 50 * US);
	c.choices[1] = (struct sync_host_choice){ .has_method = true, .method = SYNC_HULL };
	finish(&c);
	near(offset_at(&c, 1, SECOND), -MS, 100 * US);
	assert_false(says(c.r, "sync-no-line"));
	end(&c);
}

/* By the narrow way, though there is a direct one; the reference is the host that is nearest to
 * all. */
static void narrow_ways(void **state)
{
	(void)state;
	struct case_of c;
	start(&c, 3);
	both_ways(&c, 0, 2, 0, 9 * MS, MS);
	both_ways(&c, 0, 1, MS, 50 * US, 50 * US);
	both_ways(&c, 1, 2, -MS, 60 * US, 60 * US);
	finish(&c);
	assert_int_equal(c.r->references[0], 1);
	near(offset_at(&c, 0, SECOND), MS, 5 * US);
	near(offset_at(&c, 2, SECOND), MS, 5 * US);
	near(c.r->hosts[2].bound.min, 60 * US, 5 * US);
	end(&c);
	/* Hosts without messages are groups of their own, behind the larger one. */
	start(&c, 4);
	both_ways(&c, 2, 3, MS, 50 * US, 50 * US);
	c.o.reference_plus_1 = 4;
	finish(&c);
	assert_int_equal(c.r->n_groups, 3);
	assert_int_equal(c.r->references[0], 3);
	assert_int_equal(c.r->hosts[2].group, 0);
	assert_true(c.r->hosts[0].group != c.r->hosts[1].group);
	assert_int_equal(c.r->hosts[0].quality, SYNC_ABSENT);
	assert_int_equal(c.r->hosts[2].quality, SYNC_ACCURATE);
	near(offset_at(&c, 2, SECOND), MS, 5 * US);
	end(&c);
}

/* A message that contradicts all others is left out, of the latencies after as well. */
static void wrong_match(void **state)
{
	(void)state;
	struct case_of c;
	start(&c, 2);
	both_ways(&c, 0, 1, MS, 50 * US, 50 * US);
	message(&c, 0, 1, 5 * SECOND + 3, 5 * SECOND - 9 * MS);
	finish(&c);
	assert_int_equal(c.r->pairs[0].n_rejected, 1);
	assert_int_equal(c.r->pairs[0].ab.before.n, 102);
	assert_int_equal(c.r->pairs[0].ab.after.n, 101);
	assert_int_equal(c.r->pairs[0].ba.after.n, 101);
	assert_int_equal(c.r->pairs[0].quality, SYNC_APPROXIMATE);
	near(offset_at(&c, 1, 5 * SECOND), -MS, 5 * US);
	end(&c);
}

/* A clock that jumps: where, by how much, and nothing is said inside. */
static void step(void **state)
{
	(void)state;
	for (int sign = -1; sign <= 1; sign += 2) {
		struct case_of c;
		start(&c, 2);
		int64_t jump = sign * 40 * MS;
		for (int64_t i = 0; i <= 100; i++) {
			int64_t t = i * SECOND / 10, ahead = i > 50 ? MS + jump : MS;
			message(&c, 0, 1, t, t + ahead + 50 * US);
			message(&c, 1, 0, t + ahead, t + 50 * US);
		}
		finish(&c);
		const struct sync_host *h = &c.r->hosts[1];
		assert_int_equal(c.r->hosts[0].n_steps, 0);
		assert_int_equal(h->n_steps, 1);
		near(h->steps[0].size_ns, jump, 200 * US);
		/* If it was set back, some times stand for two. */
		int64_t more = sign < 0 ? 41 * MS : 0;
		assert_true(h->steps[0].range.begin >= 5 * SECOND - more);
		assert_true(h->steps[0].range.end <= 5 * SECOND + 150 * MS + more);
		assert_int_equal(h->quality, SYNC_APPROXIMATE);
		assert_true(says(c.r, "sync-step"));
		near(offset_at(&c, 1, SECOND), -MS, 5 * US);
		near(offset_at(&c, 1, 9 * SECOND), -MS - jump, 5 * US);
		assert_int_equal(c.r->pairs[0].n_rejected, 0);
		end(&c);
	}
}

/* A clock that is pulled faster than the limit for two seconds: the estimate follows it, the bounds
 * allow for it. */
static void slew(void **state)
{
	(void)state;
	for (int sign = -1; sign <= 1; sign += 2) {
		struct case_of c;
		start(&c, 2);
		for (int64_t i = 0; i <= 1000; i++) {
			int64_t t = i * SECOND / 100, in = t < 5 * SECOND   ? 0
							   : t > 7 * SECOND ? 2 * SECOND
									    : t - 5 * SECOND;
			int64_t ahead = MS + sign * in / 200; /* 5000 ppm */
			message(&c, 0, 1, t, t + ahead + 50 * US);
			message(&c, 1, 0, t + ahead, t + 50 * US);
		}
		finish(&c);
		const struct sync_host *h = &c.r->hosts[1];
		assert_int_equal(h->n_steps, 0);
		assert_int_equal(h->n_slews, 1);
		assert_true(fabs(h->slews[0].ppm - sign * 5000) < 100);
		assert_true(h->slews[0].range.begin <= 5 * SECOND + 20 * MS);
		assert_true(h->slews[0].range.begin >= 4 * SECOND + 800 * MS);
		assert_true(h->slews[0].range.end >= 7 * SECOND - 20 * MS);
		assert_true(h->slews[0].range.end <= 7 * SECOND + 200 * MS);
		assert_int_equal(h->quality, SYNC_APPROXIMATE);
		near(offset_at(&c, 1, SECOND), -MS, 5 * US);
		near(offset_at(&c, 1, 6 * SECOND), -MS - sign * 5 * MS, 60 * US);
		near(offset_at(&c, 1, 9 * SECOND), -MS - sign * 10 * MS, 5 * US);
		assert_int_equal(c.r->pairs[0].ab.after.n_inversions, 0);
		assert_int_equal(c.r->pairs[0].ba.after.n_inversions, 0);
		end(&c);
	}
}

static void limits_of_options(void **state)
{
	(void)state;
	struct case_of c;
	struct mer_err err;
	start(&c, 2);
	both_ways(&c, 0, 1, MS, 50 * US, 50 * US);
	assert_int_equal(sync_messages_finish(&c.m, &err), 0);
	c.o.max_drift = 0.3;
	assert_int_equal(sync_solve(&c.m, c.info, 2, &c.o, &c.r, &err), MER_ERR_USAGE);
	assert_non_null(strstr(err.text, "by 300000 ppm"));
	assert_null(c.r);
	c.o.max_drift = 0.29;
	assert_int_equal(sync_solve(&c.m, c.info, 2, &c.o, &c.r, &err), 0);
	assert_true(c.r->max_drift_ppm == 0.29 * 1e6);
	sync_result_free(c.r);
	c.o.max_drift = 0;
	assert_int_equal(sync_solve(&c.m, c.info, 2, &c.o, &c.r, &err), 0);
	assert_true(c.r->max_drift_ppm == 1000);
	end(&c);
}

/* ---- a pair ---- */

static void scan(struct case_of *c, struct sync_pairs *pairs, uint32_t axis)
{
	struct mer_err err;
	assert_int_equal(sync_pair_scan_on(&c->m, pairs, 0, axis, 1e-3, &err), 0);
}

/* A break is where it is on the clock that it is looked for on, and on that of the other host. */
static void pair_on_either_clock(void **state)
{
	(void)state;
	struct case_of c;
	struct sync_pairs pairs;
	struct mer_err err;
	static const uint32_t rank[] = { 0, 1 };
	start(&c, 2);
	for (int64_t i = 0; i <= 100; i++) {
		int64_t t = i * SECOND / 10, ahead = (i > 50 ? 3 : 2) * SECOND;
		message(&c, 0, 1, t, t + ahead + 50 * US);
		message(&c, 1, 0, t + ahead, t + 50 * US);
	}
	message(&c, 0, 1, 8 * SECOND, 8 * SECOND); /* three seconds early */
	assert_int_equal(sync_messages_finish(&c.m, &err), 0);
	assert_int_equal(sync_pairs_new(&c.m, rank, &pairs, &err), 0);
	assert_int_equal(pairs.n, 1);
	for (uint32_t axis = 0; axis < 2; axis++) {
		scan(&c, &pairs, axis);
		const struct sync_pair_scan *p = &pairs.pairs[0];
		assert_int_equal(p->axis, axis);
		assert_int_equal(p->n_out, 1);
		size_t n_out = 0;
		for (size_t i = 0; i < c.m.links[p->ab].n; i++)
			n_out += pairs.out[p->ab] && pairs.out[p->ab][i];
		assert_int_equal(n_out, 1);
		assert_int_equal(p->breaks.n, 1);
		const struct sync_break *b = &p->breaks.rows[0];
		near(b->jump_ns, axis ? -SECOND : SECOND, MS);
		assert_true(b->rate == 0);
		struct sync_range on_a = sync_break_range(p, b, 0),
				  on_b = sync_break_range(p, b, 1);
		near(on_a.begin, 5 * SECOND, MS);
		near(on_a.end, 5 * SECOND + 100 * MS, MS);
		near(on_b.begin, 7 * SECOND, MS);
		near(on_b.end, 8 * SECOND + 100 * MS, MS);
		near((int64_t)p->min, 50 * US, 2 * US);
		near((int64_t)p->max, 100 * US, 2 * US);
	}
	sync_pairs_free(&pairs);
	sync_messages_free(&c.m);
	/* One way: nothing is bounded. */
	start(&c, 2);
	message(&c, 0, 1, 0, 50);
	assert_int_equal(sync_messages_finish(&c.m, &err), 0);
	assert_int_equal(sync_pairs_new(&c.m, rank, &pairs, &err), 0);
	assert_true(pairs.pairs[0].ba == SYNC_NO_LINK);
	scan(&c, &pairs, 0);
	assert_true(isinf(pairs.pairs[0].median) && isinf(pairs.pairs[0].max));
	sync_pairs_free(&pairs);
	sync_messages_free(&c.m);
}

/* Two hosts of which none is the reference also drift apart by at most so much: b is compared with
 * the reference at 10 s, with c at 0; from b to c there are 10 s, and not 20. */
static void between(void **state)
{
	(void)state;
	struct case_of c;
	start(&c, 3);
	c.o.reference_plus_1 = 1;
	for (int k = 0; k < 2; k++) {
		int64_t t = k ? 10 * SECOND - MS : 0;
		message(&c, k ? 0 : 1, k ? 1 : 2, t, t + 50 * US);
		message(&c, k ? 1 : 2, k ? 0 : 1, t, t + 50 * US);
	}
	finish(&c);
	int64_t low, high;
	assert_true(sync_host_limits(c.r, 2, 10 * SECOND, &low, &high));
	assert_in_range((high - low) / 2, 10 * MS, 10 * MS + 300 * US);
	assert_true(low <= 10 * SECOND && high >= 10 * SECOND);
	assert_int_equal(c.r->pairs[0].n_used + c.r->pairs[1].n_used, 4);
	end(&c);
}

/* A pair that says little of its clocks, between two hosts of which others say much: c is a router
 * between a and b, and a few messages of these two, none of them fast, are seen as direct ones. */
static void a_vague_pair(void **state)
{
	(void)state;
	struct case_of c;
	start(&c, 3);
	both_ways(&c, 0, 2, 3 * MS, 30 * US, 30 * US);
	both_ways(&c, 2, 1, -5 * MS, 30 * US, 30 * US);
	for (int64_t i = 1; i < 40; i++) {
		int64_t t = i * SECOND / 4 + 7 * MS, late = 100 * US + i * i * 37 % 23 * 40 * US;
		if (i % 3)
			message(&c, 0, 1, t, t - 2 * MS + late);
		else
			message(&c, 1, 0, t - 2 * MS, t + late);
	}
	c.o.reference_plus_1 = 3;
	finish(&c);
	for (int64_t t = SECOND; t < 10 * SECOND; t += SECOND / 7) {
		near(offset_at(&c, 0, t), 3 * MS, US / 5);
		near(offset_at(&c, 1, t), 5 * MS, US / 5);
	}
	end(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_vague_pair),
		cmocka_unit_test(between),
		cmocka_unit_test(two_hosts),
		cmocka_unit_test(order_of_pairs),
		cmocka_unit_test(wanted_reference),
		cmocka_unit_test(offsets),
		cmocka_unit_test(added),
		cmocka_unit_test(classic),
		cmocka_unit_test(narrow_ways),
		cmocka_unit_test(wrong_match),
		cmocka_unit_test(step),
		cmocka_unit_test(slew),
		cmocka_unit_test(limits_of_options),
		cmocka_unit_test(pair_on_either_clock),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
