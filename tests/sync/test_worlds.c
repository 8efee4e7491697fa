/* All generated worlds that have a name, cut to several lengths, with several seeds: the truth is
 * within the limits, no message is received before it was sent, steps are those that happened, and
 * the estimate is much better than the limits. What breaks that is listed, each with the words that
 * make bench/sync_accuracy do it again. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "world_score.h"

enum { EACH = 500, HOSTS = 20 };

static void need(int rc, const struct mer_err *err)
{
	if (rc)
		fail_msg("%s", err->text);
}

static uint32_t n_groups(const struct world_options *o)
{
	return o->topology == WORLD_TWO_GROUPS ? 2 : 1;
}

/* What is wrong with it; NULL: nothing. */
static const char *complaint(
	const struct world_options *o, const struct sync_result *r, const struct world_score *s)
{
	for (uint32_t h = 0; h < r->n_hosts; h++)
		if (trace_check_map(&r->hosts[h].map, NULL))
			return "a map is not in order";
	if (r->n_hosts != o->n_hosts || r->n_groups != n_groups(o))
		return "other groups";
	if (s->n != (size_t)EACH * (o->n_hosts - n_groups(o)) || !s->n_messages)
		return "some hosts are left alone";
	if (s->n_limited * 10 < s->n * 9 || (!o->one_way && s->n_bounded * 10 < s->n * 9))
		return "few limits";
	if (s->n_inside != s->n_limited)
		return "the truth is not within the limits";
	if (s->n_off)
		return "the estimate is not within its limits";
	if (s->n_violated)
		return "received before it was sent";
	if (s->n_found != s->n_steps)
		return "a step was missed";
	if (s->n_invented)
		return "a step was invented";
	/* In a step's gap nobody knows. One-way messages leave the least latency unknown. */
	if (!s->n_steps && !o->one_way && s->mean * 10 > s->bound_median)
		return "hardly better than its limits";
	if (o->one_way && s->mean > 100)
		return "far from the fastest messages";
	return NULL;
}

static bool is_well(const char *name, uint64_t seed, uint64_t length)
{
	struct world_options o;
	struct world w;
	struct sync_messages given, right;
	struct sync_options plain = { 0 };
	struct sync_result *r;
	struct world_score s;
	struct mer_err err;
	need(world_preset(name, &o, &err), &err);
	world_shorten(&o, length, HOSTS);
	o.seed = seed;
	need(world_make(&w, &o, &err), &err);
	need(world_to_messages(&w, &given, &err), &err);
	w.options.wrong = 0;
	need(world_to_messages(&w, &right, &err), &err);
	need(world_solve(&w, &given, &plain, &r, &err), &err);
	struct world_answer a = { .result = r };
	need(world_judge(&w, &right, &a, EACH, &s, &err), &err);
	const char *wrong = complaint(&o, r, &s);
	if (wrong)
		print_message(
			"--messages %u --seed %u %s: %s: mean %.2f, bound %.1f us, %zu of %zu "
			"inside, %zu off, %zu violated, %zu of %zu steps + %zu\n",
			(unsigned)length, (unsigned)seed, name, wrong, s.mean, s.bound_median,
			s.n_inside, s.n_limited, s.n_off, (size_t)s.n_violated, s.n_found,
			s.n_steps, s.n_invented);
	sync_result_free(r);
	sync_messages_free(&given);
	sync_messages_free(&right);
	world_free(&w);
	return !wrong;
}

static void check_lengths(uint64_t length, uint64_t first_seed)
{
	unsigned n = 0, bad = 0;
	for (const struct world_preset *p = world_presets; p->name; p++)
		for (uint64_t seed = first_seed; seed < first_seed + 3; seed++, n++)
			bad += !is_well(p->name, seed, length);
	assert_true(n > 50);
	assert_int_equal(bad, 0);
}

static void test_short(void **state)
{
	(void)state;
	check_lengths(300, 1);
}

static void test_middle(void **state)
{
	(void)state;
	check_lengths(1500, 11);
}

static void test_long(void **state)
{
	(void)state;
	check_lengths(5000, 21);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_short),
		cmocka_unit_test(test_middle),
		cmocka_unit_test(test_long),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
