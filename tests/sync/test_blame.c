/* Blame, by hand: whose clock it was where the messages of a pair contradict each other, and what
 * several breaks of one clock are together. Times in seconds of the clock that a pair's breaks are
 * on. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sync/limits/blame.h"

#define SECOND INT64_C(1000000000)
#define MS INT64_C(1000000)
#define AT(s) ((int64_t)((s)*1e9))
enum { MAX = 8, HOSTS = 5 };

struct blamed {
	struct sync_pair_scan scans[MAX];
	struct sync_break rows[MAX][MAX];
	struct sync_pairs pairs;
	struct sync_drift drift[HOSTS];
	struct mer_arena arena;
};

static size_t pair(struct blamed *x, uint32_t a, uint32_t b, uint32_t axis)
{
	size_t i = x->pairs.n++;
	x->pairs.pairs = x->scans;
	x->scans[i] = (struct sync_pair_scan){ .a = a,
		.b = b,
		.axis = axis,
		.ab = SYNC_NO_LINK,
		.ba = SYNC_NO_LINK,
		.median = INFINITY };
	x->scans[i].breaks.rows = x->rows[i];
	return i;
}

/* The other clock minus that of the axis changes by jump between the two times. */
static void breaks(
	struct blamed *x, size_t pair, double begin, double end, int64_t jump, double rate)
{
	struct sync_breaks *b = &x->scans[pair].breaks;
	b->rows[b->n++] = (struct sync_break){
		.begin = { AT(begin), 0 }, .end = { AT(end), 0 }, .jump_ns = jump, .rate = rate
	};
}

static void ranks_are(const struct blamed *x, const uint32_t *expected)
{
	uint32_t rank[HOSTS];
	memset(rank, 9, sizeof(rank));
	sync_blame_rank(&x->pairs, HOSTS, rank);
	for (int h = 0; h < HOSTS; h++)
		if (rank[h] != expected[h])
			fail_msg("host %d: %u", h, (unsigned)rank[h]);
}

/* Host 0 is the reference, from it to 1 and 2, from 2 to 3, from 3 to 4. */
static void blame(struct blamed *x)
{
	uint32_t parent[HOSTS] = { SYNC_NO_HOST, 0, 0, 2, 3 }, order[HOSTS] = { 0, 1, 2, 3, 4 };
	const struct sync_tree tree = { .parent = parent, .order = order, .n_hosts = HOSTS };
	const struct sync_messages m = { .n_hosts = HOSTS };
	struct mer_err err;
	mer_arena_init(&x->arena);
	memset(x->drift, 0, sizeof(x->drift));
	assert_int_equal(
		sync_blame_hosts(&m, &x->pairs, &tree, 1e-3, &x->arena, x->drift, &err), 0);
}

static void breaks_are(struct blamed *x, const size_t *n_steps, const size_t *n_slews)
{
	for (int h = 0; h < HOSTS; h++)
		if (x->drift[h].n_steps != n_steps[h] || x->drift[h].n_slews != n_slews[h])
			fail_msg("host %d: %zu steps, %zu slews", h, x->drift[h].n_steps,
				x->drift[h].n_slews);
}

static const size_t nothing[HOSTS];

static void step_is(
	const struct blamed *x, int host, size_t i, double begin, double end, int64_t ns)
{
	const struct sync_step *s = &x->drift[host].steps[i];
	/* A clock that lost time may have been set back: some times then stand for two. */
	int64_t more = ns < 0 ? 1 - ns : 0;
	assert_int_equal(s->range.begin, AT(begin) - more);
	assert_int_equal(s->range.end, AT(end) + more);
	assert_int_equal(s->size_ns, ns);
}

/* The one whose other pairs broke at the same time, within a second. */
static void ranks(void **state)
{
	(void)state;
	/* Two hosts alone: it may be either. */
	struct blamed x = { 0 };
	breaks(&x, pair(&x, 0, 1, 1), 10, 11, 5, 0);
	ranks_are(&x, (const uint32_t[]){ 0, 0, 0, 0, 0 });
	/* A third one that saw host 1 break, too, and host 0 not. */
	static const struct {
		double begin, end;
		uint32_t first, second;
	} cases[] = { { 10, 11, 0, 2 }, { 12, 13, 0, 2 }, { 8, 9, 0, 2 }, { 5, 20, 0, 2 },
		{ 12.1, 13, 1, 0 }, { 7, 8.9, 1, 0 } };
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		x = (struct blamed){ 0 };
		breaks(&x, pair(&x, 0, 1, 1), 10, 11, 5, 0);
		breaks(&x, pair(&x, 1, 2, 1), cases[i].begin, cases[i].end, 5, 0);
		pair(&x, 0, 2, 0);
		/* Where they do not meet, each pair's break has no other witness: not to be
		 * told. */
		ranks_are(&x, (const uint32_t[]){ 0, cases[i].second, 0, 0, 0 });
	}
	/* The pairs of a host that did not break speak for it. */
	x = (struct blamed){ 0 };
	breaks(&x, pair(&x, 0, 1, 1), 10, 11, 5, 0);
	pair(&x, 0, 2, 0);
	ranks_are(&x, (const uint32_t[]){ 0, 0, 0, 0, 0 });
	pair(&x, 0, 3, 0);
	ranks_are(&x, (const uint32_t[]){ 0, 1, 0, 0, 0 });
	/* On the clock of the other one: there it was 100 s later. */
	x = (struct blamed){ 0 };
	size_t p = pair(&x, 0, 1, 0);
	breaks(&x, p, 10, 11, 5, 0);
	x.rows[p][0].begin.y = x.rows[p][0].end.y = 100 * SECOND;
	breaks(&x, pair(&x, 1, 2, 1), 110, 111, 5, 0);
	pair(&x, 0, 2, 0);
	ranks_are(&x, (const uint32_t[]){ 0, 2, 0, 0, 0 });
}

/* Not the reference; else as above; else the one that is further from it. */
static void whose(void **state)
{
	(void)state;
	struct blamed x = { 0 };
	breaks(&x, pair(&x, 0, 1, 1), 10, 11, 5 * MS, 0);
	breaks(&x, pair(&x, 2, 0, 2), 20, 21, 6 * MS, 0);
	breaks(&x, pair(&x, 2, 3, 3), 30, 31, 7 * MS, 0);
	breaks(&x, pair(&x, 4, 3, 4), 40, 41, 8 * MS, 0);
	blame(&x);
	breaks_are(&x, (const size_t[]){ 0, 1, 1, 1, 1 }, nothing);
	/* What the others gained, it lost. */
	step_is(&x, 1, 0, 10, 11, -5 * MS);
	step_is(&x, 2, 0, 20, 21, -6 * MS);
	step_is(&x, 3, 0, 30, 31, -7 * MS);
	step_is(&x, 4, 0, 40, 41, -8 * MS);
	mer_arena_fini(&x.arena);
	/* The nearer one, when its other pair broke at the same time: one step, where both
	 * agree. */
	x = (struct blamed){ 0 };
	breaks(&x, pair(&x, 0, 2, 2), 10, 12, 5 * MS, 0);
	breaks(&x, pair(&x, 2, 3, 2), 11, 13, -7 * MS, 0);
	blame(&x);
	breaks_are(&x, (const size_t[]){ 0, 0, 1, 0, 0 }, nothing);
	step_is(&x, 2, 0, 11, 12, 7 * MS);
	mer_arena_fini(&x.arena);
	/* As far as each other, and nobody else saw it: the second one. */
	x = (struct blamed){ 0 };
	pair(&x, 0, 1, 1);
	pair(&x, 0, 2, 2);
	breaks(&x, pair(&x, 1, 2, 2), 50, 51, 9 * MS, 0);
	blame(&x);
	breaks_are(&x, (const size_t[]){ 0, 0, 1, 0, 0 }, nothing);
	mer_arena_fini(&x.arena);
	/* None: nothing happens. */
	x = (struct blamed){ 0 };
	pair(&x, 0, 1, 1);
	blame(&x);
	breaks_are(&x, nothing, nothing);
	mer_arena_fini(&x.arena);
}

/* Steps that do not overlap are several. */
static void several_steps(void **state)
{
	(void)state;
	struct blamed x = { 0 };
	size_t p = pair(&x, 0, 1, 1), q = pair(&x, 1, 2, 1);
	breaks(&x, p, 10, 11, -5, 0);
	breaks(&x, p, 11, 12, -6, 0);
	breaks(&x, p, 20, 30, 7, 0);
	breaks(&x, q, 22, 25, -8, 0);
	blame(&x);
	breaks_are(&x, (const size_t[]){ 0, 3, 0, 0, 0 }, nothing);
	step_is(&x, 1, 0, 10, 11, 5);
	step_is(&x, 1, 1, 11, 12, 6);
	step_is(&x, 1, 2, 22, 25, 8);
	mer_arena_fini(&x.arena);
}

static void slew_is(
	const struct blamed *x, size_t i, double begin, double end, double ppm, double allowed)
{
	const struct sync_slew *s = &x->drift[1].slews[i];
	assert_true(fabs((double)(s->range.begin - AT(begin))) < 2);
	assert_true(fabs((double)(s->range.end - AT(end))) < 2);
	assert_true(fabs(s->ppm - ppm) < 1e-6 && fabs(s->allowed_ppm - allowed) < 1e-6);
}

/* A slew: twice as fast is allowed, and 50 ms more at both ends, and what the latencies hide. */
static void slews(void **state)
{
	(void)state;
	struct blamed x = { 0 };
	size_t p = pair(&x, 0, 1, 1);
	breaks(&x, p, 10, 11, 5, 2e-3);
	breaks(&x, p, 20, 21, -5, 3e-3);
	blame(&x);
	breaks_are(&x, nothing, (const size_t[]){ 0, 2, 0, 0, 0 });
	slew_is(&x, 0, 10 - 0.05, 11 + 0.05, -2000, 4000);
	slew_is(&x, 1, 20 - 0.05, 21 + 0.05, 3000, 6000);
	mer_arena_fini(&x.arena);
	/* Half a width of 1 ms at 2000 ppm: a second. Contradicting limits as much. */
	for (int sign = -1; sign <= 1; sign += 2) {
		x = (struct blamed){ 0 };
		p = pair(&x, 0, 1, 1);
		x.scans[p].median = sign * 1e6;
		breaks(&x, p, 10, 11, 5, 2e-3);
		breaks(&x, p, 14, 15, 5, 1e-3);
		breaks(&x, p, 30, 31, 5, 1e-3);
		blame(&x);
		/* The first two reach each other then. */
		breaks_are(&x, nothing, (const size_t[]){ 0, 2, 0, 0, 0 });
		slew_is(&x, 0, 10 - 1.05, 15 + 2.05, -2000, 4000);
		slew_is(&x, 1, 30 - 2.05, 31 + 2.05, -1000, 2000);
		mer_arena_fini(&x.arena);
	}
	/* What is less than a second apart is one; a step next to it is part of it. The largest
	 * counts. */
	x = (struct blamed){ 0 };
	p = pair(&x, 0, 1, 1);
	breaks(&x, p, 10, 11, 5, 2e-3);
	breaks(&x, p, 12, 12.5, -9, 4e-3);
	breaks(&x, p, 13, 14, 3, 0);
	breaks(&x, p, 15.1, 16, 2, 0);
	blame(&x);
	breaks_are(&x, (const size_t[]){ 0, 1, 0, 0, 0 }, (const size_t[]){ 0, 1, 0, 0, 0 });
	slew_is(&x, 0, 10 - 0.05, 14 + 0.05, 4000, 8000);
	step_is(&x, 1, 0, 15.1, 16, -2);
	mer_arena_fini(&x.arena);
	/* The later one of two may be the faster one. */
	x = (struct blamed){ 0 };
	p = pair(&x, 0, 1, 1);
	x.scans[p].median = 1e6;
	breaks(&x, p, 10, 11, 5, 1e-3);
	breaks(&x, p, 14, 15, -5, 2e-3);
	blame(&x);
	breaks_are(&x, nothing, (const size_t[]){ 0, 1, 0, 0, 0 });
	slew_is(&x, 0, 10 - 2.05, 15 + 1.05, 2000, 4000);
	mer_arena_fini(&x.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks),
		cmocka_unit_test(whose),
		cmocka_unit_test(several_steps),
		cmocka_unit_test(slews),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
