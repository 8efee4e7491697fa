/* Clocks that no offset of bounded drift describes: that stood still with traffic going on, were
 * set back, or are pulled back and forth. What is said of them is true at every instant, whatever
 * is known; what has no consistent answer has no limits, and says so. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

#include "given.h"
#include "world_score.h"

#define SECOND INT64_C(1000000000)

struct broken {
	const char *name;
	struct world_options o;
	int at_least; /* of a hundred instants so many have limits */
};

static struct world_options world(enum world_clock_kind kind, double rate, uint64_t seed)
{
	struct world_options o = world_defaults();
	o.clock.kind = kind;
	o.link.rate_hz = rate;
	o.seed = seed;
	return o;
}

static struct world_options with(struct world_options o, struct world_glitch g)
{
	g.at_ns = o.duration_ns / 2;
	o.clock.glitches[0] = g;
	o.clock.n_glitches = 1;
	return o;
}

struct tally {
	size_t n, limited, outside, crossed;
};

/* At one true instant, of a host against its reference. */
static void judge(const struct world *w, const struct sync_result *r, uint32_t h, int64_t t,
	struct tally *tally)
{
	uint32_t reference = r->references[r->hosts[h].group];
	int64_t clock = world_clock_at(&w->clocks[h], t), low, high;
	int64_t truth = world_clock_at(&w->clocks[reference], t);
	bool both = sync_host_limits(r, h, clock, &low, &high);
	tally->n++;
	tally->limited += both;
	tally->crossed += low > high;
	if (low > truth || truth > high) {
		if (!tally->outside)
			print_message("  host %u at %.9f s: off by %.3f us\n", h, (double)t * 1e-9,
				(double)(low > truth ? low - truth : truth - high) * 1e-3);
		tally->outside++;
	}
}

static struct tally judge_all(const struct world *w, const struct sync_result *r)
{
	enum { EACH = 2000, NEAR = 1000 };
	struct tally tally = { 0 };
	int64_t middle = w->options.duration_ns / 2;
	for (uint32_t h = 0; h < r->n_hosts; h++) {
		if (r->references[r->hosts[h].group] == h)
			continue;
		for (int64_t i = 0; i < EACH; i++)
			judge(w, r, h, w->options.duration_ns / EACH * i, &tally);
		struct tally near = { 0 };
		for (int64_t i = -NEAR; i < NEAR; i++)
			judge(w, r, h, middle + i * 5 * SECOND / NEAR, &near);
		tally.outside += near.outside;
		tally.crossed += near.crossed;
	}
	return tally;
}

static bool says(const struct sync_result *r, const char *code)
{
	for (size_t i = 0; i < r->diags.n; i++)
		if (!strcmp(r->diags.rows[i].code, code))
			return true;
	return false;
}

/* How many are wrong. */
static int check(const struct broken *b, double max_drift)
{
	struct world w;
	struct sync_messages m;
	struct sync_options plain = { .max_drift = max_drift };
	struct sync_result *r;
	struct mer_err err;
	if (world_make(&w, &b->o, &err) || world_to_messages(&w, &m, &err) ||
		world_solve(&w, &m, &plain, &r, &err))
		fail_msg("%s", err.text);
	struct tally t = judge_all(&w, r);
	size_t n_fail = 0, n_steps = 0, n_slews = 0;
	for (uint32_t h = 0; h < r->n_hosts; h++) {
		n_fail += r->hosts[h].quality == SYNC_FAIL;
		n_steps += r->hosts[h].n_steps;
		n_slews += r->hosts[h].n_slews;
		assert_true(
			r->hosts[h].quality != SYNC_FAIL || r->hosts[h].bound.median == INT64_MAX);
	}
	assert_true((n_fail > 0) == says(r, "sync-inconsistent"));
	bool bad = t.outside || t.crossed || t.limited * 100 < t.n * (size_t)b->at_least;
	print_message("%s%s (seed %u): %zu of %zu instants limited, %zu outside, %zu crossed; "
		      "%zu hosts failed, %zu steps, %zu slews\n",
		bad ? "WRONG " : "", b->name, (unsigned)b->o.seed, t.limited, t.n, t.outside,
		t.crossed, n_fail, n_steps, n_slews);
	sync_result_free(r);
	sync_messages_free(&m);
	world_free(&w);
	return bad;
}

enum { SEEDS = 3 / GIVEN_EVERY(3) };

static void check_with(struct broken b, double max_drift)
{
	int bad = 0;
	for (int i = 0; i < SEEDS; i++, b.o.seed++)
		bad += check(&b, max_drift);
	assert_int_equal(bad, 0);
}

static void check_seeds(struct broken b)
{
	check_with(b, 0);
}

static void stands_still(void **state)
{
	(void)state;
	check_seeds((struct broken){ "stands still for 1 s",
		with(world(WORLD_FREE, 20, 917), (struct world_glitch){ .step_ns = -SECOND }),
		95 });
	check_seeds((struct broken){ "stands still for 3 s",
		with(world(WORLD_STRAIGHT, 5, 1), (struct world_glitch){ .step_ns = -3 * SECOND }),
		95 });
	check_seeds((struct broken){ "stands still for 1 s, little traffic",
		with(world(WORLD_NTP, 1, 31), (struct world_glitch){ .step_ns = -SECOND }), 90 });
}

static void set_back(void **state)
{
	(void)state;
	check_seeds((struct broken){ "set back by 1 s",
		with(world(WORLD_FREE, 20, 41), (struct world_glitch){ .back_ns = SECOND }), 95 });
	check_seeds((struct broken){ "set back by 1 s, little traffic",
		with(world(WORLD_FREE, 1, 61), (struct world_glitch){ .back_ns = SECOND }), 0 });
	check_seeds((struct broken){ "set back by 10 ms",
		with(world(WORLD_STRAIGHT, 10, 81),
			(struct world_glitch){ .back_ns = SECOND / 100 }),
		90 });
}

static void sawtooth_ring(void **state)
{
	(void)state;
	struct broken b = { "four sawtooth clocks in a ring", world(WORLD_SAWTOOTH, 10, 1), 0 };
	b.o.n_hosts = 4;
	b.o.topology = WORLD_RING;
	check_seeds(b);
	b.o.first_is_true = false;
	b.o.seed = 101;
	check_seeds(b);
	b.o.clock.tooth_ns /= 4;
	check_seeds(b);
}

/* One of several hosts: what is known of the others stays. */
static void one_of_many(void **state)
{
	(void)state;
	struct broken b = { "one of five stands still",
		with(world(WORLD_FREE, 5, 7), (struct world_glitch){ .step_ns = -SECOND }), 90 };
	b.o.n_hosts = 5;
	b.o.topology = WORLD_RING;
	check_seeds(b);
	b.name = "one of five is set back";
	b.at_least = 0;
	b.o.clock.glitches[0] =
		(struct world_glitch){ .at_ns = b.o.duration_ns / 2, .back_ns = SECOND };
	check_seeds(b);
}

/* Clocks that drift more than they are said to: where the messages show it, it is not kept to. */
static void too_fast(void **state)
{
	(void)state;
	static const double drifts[] = { 5e-6, 20e-6, 30e-6, 100e-6, 150e-6 };
	static const enum world_topology kinds[] = { WORLD_PAIR, WORLD_RING, WORLD_FULL };
	for (int k = 0; k < 3; k++)
		for (int i = 0; i < 5; i++) {
			struct broken b = { "faster than said", world(WORLD_STRAIGHT, 5, 1), 0 };
			b.o.topology = kinds[k];
			b.o.n_hosts = k ? 5 : 2;
			b.o.first_is_true = false;
			b.o.ppm = 100;
			check_with(b, drifts[i]);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stands_still),
		cmocka_unit_test(set_back),
		cmocka_unit_test(sawtooth_ring),
		cmocka_unit_test(one_of_many),
		cmocka_unit_test(too_fast),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
