/* Solving worlds whose truth is known. Whatever the clocks and the network did: no message is
 * received before it was sent; where clocks keep to the drift that was allowed, the truth lies
 * inside the limits at every instant; and what cannot be known is said to be unknown. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "given.h"
#include "sync/solve.h"
#include "world.h"

struct solved {
	struct world w;
	struct sync_messages m;
	struct sync_host_info *info;
	struct sync_result *r;
};

static void solve_with(
	struct solved *s, const struct world_options *o, const struct sync_options *so)
{
	struct mer_err err = { 0 };
	if (world_make(&s->w, o, &err) || world_to_messages(&s->w, &s->m, &err))
		fail_msg("world: %s", err.text);
	s->info = calloc(s->m.n_hosts, sizeof(*s->info));
	assert_non_null(s->info);
	for (uint32_t h = 0; h < s->m.n_hosts; h++) {
		char *name = malloc(16);
		assert_non_null(name);
		snprintf(name, 16, "host%04" PRIu32, h);
		s->info[h] = (struct sync_host_info){ name, name,
			{ world_clock_at(&s->w.clocks[h], 0),
				world_clock_at(&s->w.clocks[h], o->duration_ns) },
			NULL };
	}
	if (sync_solve(&s->m, s->info, s->m.n_hosts, so, &s->r, &err))
		fail_msg("solve: %s", err.text);
}

static void solve_named(struct solved *s, const char *name, uint64_t seed)
{
	struct world_options o = world_defaults();
	struct mer_err err = { 0 };
	if (world_preset(name, &o, &err))
		fail_msg("%s", err.text);
	o.seed = seed;
	solve_with(s, &o, &(struct sync_options){ 0 });
}

static void forget(struct solved *s)
{
	for (uint32_t h = 0; h < s->m.n_hosts; h++)
		free((char *)(uintptr_t)s->info[h].name);
	free(s->info);
	sync_result_free(s->r);
	sync_messages_free(&s->m);
	world_free(&s->w);
}

static uint64_t inversions(const struct sync_result *r)
{
	uint64_t n = 0;
	for (size_t i = 0; i < r->n_pairs; i++)
		n += r->pairs[i].ab.after.n_inversions + r->pairs[i].ba.after.n_inversions;
	return n;
}

static uint64_t rejected(const struct sync_result *r)
{
	uint64_t n = 0;
	for (size_t i = 0; i < r->n_pairs; i++)
		n += r->pairs[i].n_rejected;
	return n;
}

struct score {
	size_t n, outside, unknown;
	double mean_ns, max_ns;
};

/* Over the whole of all traces, at regular instants of each host's clock. */
static struct score score(const struct solved *s, int per_host)
{
	struct score c = { 0 };
	for (uint32_t h = 0; h < s->m.n_hosts; h++) {
		uint32_t ref = s->r->references[s->r->hosts[h].group];
		if (ref == h)
			continue;
		struct sync_range span = s->info[h].span;
		for (int i = 0; i <= per_host; i++) {
			int64_t t = span.begin +
				    (int64_t)((double)(span.end - span.begin) * i / per_host);
			int64_t truth = world_translate(&s->w, h, ref, t), low, high;
			double e = fabs((double)(trace_map_time(&s->r->hosts[h].map, t) - truth));
			c.mean_ns += e;
			c.max_ns = fmax(c.max_ns, e);
			c.n++;
			if (!sync_host_limits(s->r, h, t, &low, &high))
				c.unknown++;
			else
				c.outside += truth < low || truth > high;
		}
	}
	c.mean_ns /= (double)c.n;
	return c;
}

static size_t count_steps(const struct sync_result *r)
{
	size_t n = 0;
	for (uint32_t h = 0; h < r->n_hosts; h++)
		n += r->hosts[h].n_steps;
	return n;
}

static size_t count_slews(const struct sync_result *r)
{
	size_t n = 0;
	for (uint32_t h = 0; h < r->n_hosts; h++)
		n += r->hosts[h].n_slews;
	return n;
}

static bool says(const struct sync_result *r, const char *code)
{
	for (size_t i = 0; i < r->diags.n; i++)
		if (strcmp(r->diags.rows[i].code, code) == 0)
			return true;
	return false;
}

/* --- Clocks that keep to what is allowed
 * ------------------------------------------------------- */

static void causal_and_inside(void **state)
{
	(void)state;
	static const char *const names[] = { "linear-1h", "linear-96h", "free-4h", "ntp-2h",
		"ring-10", "full-5", "loss", "reorder", "bursts", "asymmetric", "far-apart" };
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		for (uint64_t seed = 1; seed <= 2 / GIVEN_EVERY(2); seed++) {
			struct solved s;
			solve_named(&s, names[i], seed);
			struct score c = score(&s, 997);
			if (inversions(s.r) || c.outside || c.unknown || rejected(s.r) ||
				count_steps(s.r) + count_slews(s.r))
				fail_msg("%s:%d: %d inversions, %d of %d outside, %d unknown, %d "
					 "left "
					 "out, %d steps, %d slews",
					names[i], (int)seed, (int)inversions(s.r), (int)c.outside,
					(int)c.n, (int)c.unknown, (int)rejected(s.r),
					(int)count_steps(s.r), (int)count_slews(s.r));
			/* There was something to do. */
			assert_true(s.r->pairs[0].ab.before.n_inversions +
					    s.r->pairs[0].ba.before.n_inversions >
				    0);
			assert_int_equal(s.r->n_groups, 1);
			forget(&s);
		}
}

/* Twice the figures that are promised, so that only a mistake exceeds them. */
static void errors_are_small(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		double mean_ns;
	} worlds[] = { { "linear-1h", 200 }, { "free-4h", 2200 }, { "free-4h-10", 800 },
		{ "ntp-2h", 2400 } };
	for (size_t i = 0; i < sizeof(worlds) / sizeof(worlds[0]); i++) {
		struct solved s;
		solve_named(&s, worlds[i].name, 7);
		struct score c = score(&s, 4999);
		if (!(c.mean_ns < worlds[i].mean_ns))
			fail_msg("%s: mean error %.0f ns", worlds[i].name, c.mean_ns);
		forget(&s);
	}
}

static void bound_is_what_the_limits_say(void **state)
{
	(void)state;
	struct solved s;
	solve_named(&s, "free-4h", 3);
	const struct sync_host *h = &s.r->hosts[s.r->references[0] == 0 ? 1 : 0];
	uint32_t number = (uint32_t)(h - s.r->hosts);
	for (int i = 0; i <= 1000; i++) {
		int64_t t = h->span.begin + (h->span.end - h->span.begin) / 1000 * i, low, high;
		assert_true(sync_host_limits(s.r, number, t, &low, &high));
		int64_t at = trace_map_time(&h->map, t);
		assert_true(low <= at && at <= high);
		assert_true(high - at <= h->bound.max && at - low <= h->bound.max);
		/* And back: what the reference's clock says of this host's. */
		int64_t low_back, high_back;
		assert_true(sync_host_limits_back(s.r, number, at, &low_back, &high_back));
		assert_true(low_back <= t && t <= high_back);
	}
	forget(&s);
}

/* --- Clocks that do not
 * ------------------------------------------------------------------------- */

static void step_is_found(void **state)
{
	(void)state;
	static const char *const names[] = { "step-30min", "pause-30min" };
	for (size_t i = 0; i < 2; i++)
		for (uint64_t seed = 1; seed <= 5; seed++) {
			struct solved s;
			solve_named(&s, names[i], seed);
			assert_int_equal(inversions(s.r), 0);
			assert_int_equal(score(&s, 4999).outside, 0);
			assert_int_equal(count_steps(s.r), 1);
			assert_int_equal(count_slews(s.r), 0);
			const struct world_glitch *g = &s.w.options.clock.glitches[0];
			uint32_t h = s.r->hosts[0].n_steps ? 0 : 1;
			const struct sync_step *step = &s.r->hosts[h].steps[0];
			int64_t at = world_clock_at(&s.w.clocks[h], g->at_ns);
			assert_true(step->range.begin <= at && at <= step->range.end + 6000000);
			assert_true(step->range.end - step->range.begin < 5000000000);
			/* Seen from host 1 the step is as it was, from host 0 the other way. */
			double size = (double)step->size_ns * (h == 1 ? 1 : -1);
			assert_true(fabs(size - (double)g->step_ns) < 20000);
			int64_t low, high;
			int64_t middle =
				step->range.begin + (step->range.end - step->range.begin) / 2;
			assert_false(sync_host_limits(s.r, h, middle, &low, &high));
			forget(&s);
		}
}

static void fast_slew_is_no_contradiction(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 5; seed++) {
		struct solved s;
		solve_named(&s, "slew-30min", seed);
		assert_int_equal(inversions(s.r), 0);
		assert_int_equal(score(&s, 4999).outside, 0);
		assert_int_equal(count_slews(s.r), 1);
		assert_true(says(s.r, "sync-slew"));
		forget(&s);
		solve_named(&s, "sawtooth-1h", seed);
		assert_int_equal(inversions(s.r), 0);
		assert_int_equal(score(&s, 4999).outside, 0);
		assert_true(says(s.r, "sync-sawtooth"));
		forget(&s);
	}
}

/* --- Messages that are wrong or missing
 * --------------------------------------------------------- */

static void wrong_matches_are_rejected(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 3; seed++) {
		struct solved s;
		solve_named(&s, "wrong", seed);
		assert_int_equal(inversions(s.r), 0);
		assert_true(rejected(s.r) > 0);
		assert_int_equal(count_steps(s.r) + count_slews(s.r), 0);
		assert_true(score(&s, 997).mean_ns < 20000);
		assert_true(says(s.r, "sync-rejected"));
		/* Not a word that promises more than this. */
		for (uint32_t h = 0; h < s.r->n_hosts; h++)
			assert_int_not_equal(s.r->hosts[h].quality, SYNC_ACCURATE);
		forget(&s);
	}
}

static void one_way_is_one_sided(void **state)
{
	(void)state;
	struct solved s;
	solve_named(&s, "one-way", 1);
	assert_int_equal(inversions(s.r), 0);
	assert_true(says(s.r, "sync-one-way"));
	uint32_t h = s.r->references[0] == 0 ? 1 : 0;
	assert_int_equal(s.r->hosts[h].quality, SYNC_INCOMPLETE);
	assert_true(s.r->hosts[h].bound.max == INT64_MAX);
	int64_t low, high;
	assert_false(sync_host_limits(s.r, h, s.info[h].span.begin, &low, &high));
	assert_true(low != INT64_MIN || high != INT64_MAX);
	forget(&s);
}

static void groups_are_not_compared(void **state)
{
	(void)state;
	struct solved s;
	solve_named(&s, "two-groups", 1);
	assert_int_equal(s.r->n_groups, 2);
	assert_true(says(s.r, "sync-groups"));
	assert_int_equal(inversions(s.r), 0);
	for (size_t i = 0; i < s.r->n_pairs; i++)
		assert_int_equal(
			s.r->hosts[s.r->pairs[i].a].group, s.r->hosts[s.r->pairs[i].b].group);
	assert_int_equal(score(&s, 997).outside, 0);
	forget(&s);
}

static void nothing_at_all(void **state)
{
	(void)state;
	struct mer_err err;
	struct sync_messages m;
	assert_int_equal(sync_messages_init(&m, 3, &err), 0);
	assert_int_equal(sync_messages_finish(&m, &err), 0);
	struct sync_host_info info[3] = { { "a", "a", { 5, 10 }, NULL },
		{ "b", "b", { MER_NO_TIME, 0 }, NULL },
		{ "c", "c", { INT64_MIN + 1, INT64_MAX }, NULL } };
	struct sync_result *r;
	for (int method = SYNC_AUTO; method <= SYNC_NONE; method++) {
		struct sync_options o = { .method = (enum sync_method)method };
		assert_int_equal(sync_solve(&m, info, 3, &o, &r, &err), 0);
		assert_int_equal(r->n_groups, 3);
		for (uint32_t h = 0; h < 3; h++)
			assert_int_equal(r->hosts[h].quality, SYNC_ABSENT);
		sync_result_free(r);
	}
	sync_messages_free(&m);
}

/* Any times at all: no crash, and no word that promises anything. */
static void nonsense(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct world_random rnd = world_random_new(seed, 0);
		struct mer_err err;
		struct sync_messages m;
		assert_int_equal(sync_messages_init(&m, 4, &err), 0);
		for (int i = 0; i < 200; i++) {
			uint32_t from = (uint32_t)(world_random_u64(&rnd) % 4);
			uint32_t to = (from + 1 + (uint32_t)(world_random_u64(&rnd) % 3)) % 4;
			struct sync_message msg = { (int64_t)world_random_u64(&rnd),
				(int64_t)world_random_u64(&rnd) };
			if (seed % 2 && (world_random_u64(&rnd) % 2))
				msg.sent = INT64_MAX - (int64_t)(world_random_u64(&rnd) % 3);
			if (seed % 3 == 0)
				msg.received = INT64_MIN + (int64_t)(world_random_u64(&rnd) % 3);
			assert_int_equal(sync_link_add(sync_messages_link(&m, from, to), msg,
						 SYNC_TCP, &err),
				0);
		}
		assert_int_equal(sync_messages_finish(&m, &err), 0);
		struct sync_host_info info[4];
		for (int h = 0; h < 4; h++)
			info[h] = (struct sync_host_info){ "x", "x", { INT64_MIN + 1, INT64_MAX },
				NULL };
		for (int method = SYNC_AUTO; method <= SYNC_NONE; method++) {
			struct sync_options o = { .method = (enum sync_method)method };
			struct sync_result *r;
			assert_int_equal(sync_solve(&m, info, 4, &o, &r, &err), 0);
			for (uint32_t h = 0; h < 4; h++)
				if (trace_check_map(&r->hosts[h].map, &err))
					fail_msg("%s", err.text);
			sync_result_free(r);
		}
		sync_messages_free(&m);
	}
}

/* A result as it is kept: written, and read again. */
static void check_kept(const struct sync_result *r, const char *id, uint32_t n)
{
	struct mer_err err;
	struct mer_str text = { 0 };
	struct mer_host hosts[8];
	struct sync_result *again;
	for (uint32_t h = 0; h < n; h++)
		hosts[h] = (struct mer_host){ .name = &id[2 * h], .id = &id[2 * h] };
	assert_int_equal(sync_result_write(r, true, &text, &err), 0);
	if (sync_result_read(text.data, text.len, "kept", hosts, n, &again, &err))
		fail_msg("%s", err.text);
	sync_result_free(again);
	mer_str_fini(&text);
}

/* Few messages within some microseconds, most of which no clocks can have made: the limits of a
 * pair may lie on the wrong sides of each other between its breaks too. */
static void contradictory(void **state)
{
	(void)state;
	enum { MAX_HOSTS = 5, MAX_MESSAGES = 24 };
	static const char id[] = "a\0b\0c\0d\0e";
	for (uint64_t seed = 0; seed < 4000; seed++) {
		struct world_random rnd = world_random_new(seed, 0);
		uint32_t n = 2 + (uint32_t)(world_random_u64(&rnd) % (MAX_HOSTS - 1));
		uint64_t span = seed % 3 == 0 ? 20 : seed % 3 == 1 ? 200 : 1000000000;
		struct mer_err err;
		struct sync_messages m;
		assert_int_equal(sync_messages_init(&m, n, &err), 0);
		for (uint64_t i = 3 + world_random_u64(&rnd) % MAX_MESSAGES; i > 0; i--) {
			uint32_t from = (uint32_t)(world_random_u64(&rnd) % n);
			uint32_t to = (from + 1 + (uint32_t)(world_random_u64(&rnd) % (n - 1))) % n;
			struct sync_message msg = { 1000 * (int64_t)(world_random_u64(&rnd) % span),
				1000 * (int64_t)(world_random_u64(&rnd) % span) };
			assert_int_equal(sync_link_add(sync_messages_link(&m, from, to), msg,
						 SYNC_TCP, &err),
				0);
		}
		assert_int_equal(sync_messages_finish(&m, &err), 0);
		struct sync_host_info info[MAX_HOSTS];
		for (uint32_t h = 0; h < n; h++)
			info[h] = (struct sync_host_info){ &id[2 * h], &id[2 * h],
				{ 0, 1000 * (int64_t)span }, NULL };
		struct sync_result *r;
		assert_int_equal(sync_solve(&m, info, n, &(struct sync_options){ 0 }, &r, &err), 0);
		for (uint32_t h = 0; h < n; h++)
			if (trace_check_map(&r->hosts[h].map, &err))
				fail_msg("%s", err.text);
		for (size_t i = 0; i < r->n_pairs; i++)
			assert_true(r->pairs[i].bound.min >= 0);
		check_kept(r, id, n);
		sync_result_free(r);
		sync_messages_free(&m);
	}
}

/* --- Choices
 * -------------------------------------------------------------------------------------- */

static void reference_is_the_users(void **state)
{
	(void)state;
	struct world_options o = world_defaults();
	struct mer_err err;
	assert_int_equal(world_preset("ring-10", &o, &err), 0);
	o.duration_ns /= 10;
	for (int ref = 0; ref < 10; ref += 3) {
		struct solved s;
		solve_with(&s, &o, &(struct sync_options){ .reference_plus_1 = ref + 1 });
		assert_int_equal(s.r->references[0], ref);
		assert_int_equal(s.r->hosts[ref].quality, SYNC_REFERENCE);
		assert_int_equal(s.r->hosts[ref].map.n, 0);
		assert_int_equal(inversions(s.r), 0);
		assert_int_equal(score(&s, 97).outside, 0);
		forget(&s);
	}
}

/* The offset moves both minima by exactly as much, and their sum not at all. */
static void offset_keeps_the_slope(void **state)
{
	(void)state;
	struct world_options o = world_defaults();
	struct solved s, t;
	solve_with(&s, &o, &(struct sync_options){ .reference_plus_1 = 1 });
	struct sync_host_choice choices[2] = { { 0 }, { .has_offset = true, .offset_ns = -5000 } };
	solve_with(&t, &o, &(struct sync_options){ .reference_plus_1 = 1, .choices = choices });
	const struct sync_pair *p = &s.r->pairs[0], *q = &t.r->pairs[0];
	assert_true(llabs(q->ab.after.min - (p->ab.after.min - 5000)) <= 1);
	assert_true(llabs(q->ba.after.min - (p->ba.after.min + 5000)) <= 1);
	assert_true(fabs(q->ab.after.mean + q->ba.after.mean - p->ab.after.mean -
			    p->ba.after.mean) < 1);
	for (int i = 0; i < 100; i++) {
		int64_t at =
			s.info[1].span.begin + (s.info[1].span.end - s.info[1].span.begin) / 99 * i;
		int64_t d = trace_map_time(&t.r->hosts[1].map, at) -
			    trace_map_time(&s.r->hosts[1].map, at);
		assert_true(d >= -5001 && d <= -4999);
	}
	forget(&s);
	forget(&t);
}

static void other_methods(void **state)
{
	(void)state;
	struct world_options o = world_defaults();
	for (int method = SYNC_HULL; method <= SYNC_NONE; method++) {
		struct solved s;
		solve_with(&s, &o, &(struct sync_options){ .method = (enum sync_method)method });
		uint32_t h = s.r->references[0] == 0 ? 1 : 0;
		const struct sync_host *host = &s.r->hosts[h];
		struct score c = score(&s, 997);
		/* The limits are those of the messages, whatever the estimate. */
		assert_int_equal(c.outside + c.unknown, 0);
		if (method == SYNC_HULL) {
			assert_int_equal(host->quality, SYNC_ACCURATE);
			assert_int_equal(inversions(s.r), 0);
			assert_true(c.mean_ns < 100000);
		} else if (method == SYNC_OFFSET) {
			/* 20 ppm for ten minutes: one offset is wrong by up to 6 ms. */
			assert_true(c.max_ns > 3e6 && c.max_ns < 10e6);
			int64_t first =
				trace_map_time(&host->map, host->span.begin) - host->span.begin;
			int64_t last = trace_map_time(&host->map, host->span.end) - host->span.end;
			assert_int_equal(first, last);
		} else {
			assert_int_equal(host->map.n, 0);
			assert_true(inversions(s.r) > 0);
			assert_int_not_equal(host->quality, SYNC_ACCURATE);
		}
		/* The reported bound covers the error of the estimate, also of a bad one. */
		assert_true(c.max_ns <= (double)host->bound.max);
		forget(&s);
	}
}

static void same_for_any_threads(void **state)
{
	(void)state;
	static const char *const names[] = { "ring-10", "sawtooth-1h", "two-groups" };
	for (size_t i = 0; i < 3; i++) {
		struct mer_str text[2] = { { 0 }, { 0 } };
		for (unsigned k = 0; k < 2; k++) {
			struct world_options o = world_defaults();
			struct mer_err err;
			assert_int_equal(world_preset(names[i], &o, &err), 0);
			o.duration_ns /= 4;
			struct solved s;
			solve_with(&s, &o, &(struct sync_options){ .n_threads = k ? 5 : 1 });
			assert_int_equal(sync_result_write(s.r, true, &text[k], &err), 0);
			forget(&s);
		}
		assert_int_equal(text[0].len, text[1].len);
		assert_memory_equal(text[0].data, text[1].data, text[0].len);
		mer_str_fini(&text[0]);
		mer_str_fini(&text[1]);
	}
}

static void nobody_waits(void **state)
{
	struct world_options o = world_defaults();
	struct solved s = { 0 };
	struct mer_cancel cancel = { true };
	struct mer_err err = { 0 };
	(void)state;
	solve_with(&s, &o, &(struct sync_options){ 0 });
	sync_result_free(s.r);
	int rc = sync_solve(
		&s.m, s.info, s.m.n_hosts, &(struct sync_options){ .cancel = &cancel }, &s.r, &err);
	assert_int_equal(rc, MER_ERR_CANCELLED);
	assert_null(s.r);
	forget(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(causal_and_inside),
		cmocka_unit_test(errors_are_small),
		cmocka_unit_test(bound_is_what_the_limits_say),
		cmocka_unit_test(step_is_found),
		cmocka_unit_test(fast_slew_is_no_contradiction),
		cmocka_unit_test(wrong_matches_are_rejected),
		cmocka_unit_test(one_way_is_one_sided),
		cmocka_unit_test(groups_are_not_compared),
		cmocka_unit_test(nothing_at_all),
		cmocka_unit_test(nonsense),
		cmocka_unit_test(contradictory),
		cmocka_unit_test(reference_is_the_users),
		cmocka_unit_test(offset_keeps_the_slope),
		cmocka_unit_test(other_methods),
		cmocka_unit_test(same_for_any_threads),
		cmocka_unit_test(nobody_waits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
