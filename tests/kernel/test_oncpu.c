/* Who is on a CPU: the order in which holes begin and end, what a switch and a hole's end tell, and
 * what a later switch tells about the time before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "kernel/oncpu.h"

/* CPU 0: 10 to 20, 15 to 30, 40 to 50; CPU 1: 20 to 40. */
static struct kernel_loss by_begin[] = {
	{ .begin = 10, .end = 20, .cpu = 0, .next_tid = 1 },
	{ .begin = 15, .end = 30, .cpu = 0, .next_tid = 2 },
	{ .begin = 20, .end = 40, .cpu = 1, .next_tid = 3 },
	{ .begin = 40, .end = 50, .cpu = 0, .next_tid = KERNEL_TID_UNKNOWN },
};
static uint32_t by_end[] = { 0, 1, 2, 3 };
static const struct kernel_losses losses = { .by_begin = by_begin, .by_end = by_end, .n = 4 };

static void is_edge(struct kernel_holes *h, int64_t ts, uint32_t number, bool is_begin)
{
	struct kernel_hole_edge edge;
	assert_true(kernel_holes_pass(h, ts, &edge));
	assert_int_equal(edge.number, number);
	assert_ptr_equal(edge.loss, &by_begin[number]);
	assert_int_equal(edge.is_begin, is_begin);
}

static void no_edge(struct kernel_holes *h, int64_t ts)
{
	struct kernel_hole_edge edge;
	assert_false(kernel_holes_pass(h, ts, &edge));
}

/* After an event of the same time a hole begins, before one it ends. */
static void holes_come_in_order(void **state)
{
	(void)state;
	struct kernel_holes h;
	kernel_holes_init(&h, &losses);
	no_edge(&h, 10);
	is_edge(&h, 11, 0, true);
	no_edge(&h, 15);
	is_edge(&h, 19, 1, true);
	is_edge(&h, 20, 0, false);
	no_edge(&h, 20);
	is_edge(&h, 100, 2, true);
	is_edge(&h, 100, 1, false);
	is_edge(&h, 100, 2, false);
	is_edge(&h, 100, 3, true);
	is_edge(&h, 100, 3, false);
	no_edge(&h, INT64_MAX);
	kernel_holes_init(&h, NULL);
	no_edge(&h, INT64_MAX);
}

static void pass(struct kernel_on_cpu *c, struct kernel_holes *h, int64_t ts)
{
	struct kernel_hole_edge edge;
	while (kernel_holes_pass(h, ts, &edge))
		if (edge.loss->cpu == 0)
			kernel_on_cpu_edge(c, &edge);
}

static void who_is_there(void **state)
{
	(void)state;
	struct kernel_holes h;
	struct kernel_on_cpu c;
	kernel_holes_init(&h, &losses);
	kernel_on_cpu_init(&c, 7);
	assert_int_equal(kernel_on_cpu_tid(&c), 7);
	kernel_on_cpu_switch(&c, 5, 8);
	pass(&c, &h, 10);
	assert_int_equal(kernel_on_cpu_tid(&c), 8);
	pass(&c, &h, 11);
	assert_int_equal(kernel_on_cpu_tid(&c), KERNEL_TID_UNKNOWN);
	kernel_on_cpu_switch(&c, 12, 9); /* another one may be missing */
	assert_int_equal(kernel_on_cpu_tid(&c), KERNEL_TID_UNKNOWN);
	pass(&c, &h, 25);
	assert_int_equal(kernel_on_cpu_tid(&c), KERNEL_TID_UNKNOWN); /* the second one goes on */
	pass(&c, &h, 30);
	assert_int_equal(kernel_on_cpu_tid(&c), 2);
	/* A later switch that was told before the edges. */
	kernel_on_cpu_switch(&c, 60, 0);
	pass(&c, &h, 70);
	assert_int_equal(kernel_on_cpu_tid(&c), 0);
	kernel_on_cpu_switch(&c, 55, 11);
	assert_int_equal(kernel_on_cpu_tid(&c), 0);
}

/* The next switch tells who ran behind a hole; not behind one that another one overlaps or
 * follows. */
static void who_was_there(void **state)
{
	(void)state;
	struct kernel_holes h;
	struct kernel_hole_edge edge;
	struct kernel_before b = { .is = KERNEL_BEFORE_FIRST };
	static const struct {
		int64_t at;
		int is;
		uint32_t hole;
	} steps[] = { { 10, KERNEL_BEFORE_FIRST, 0 }, { 11, KERNEL_BEFORE_KNOWN, 0 },
		{ 20, KERNEL_BEFORE_KNOWN, 0 }, { 30, KERNEL_BEHIND_HOLE, 1 },
		{ 40, KERNEL_BEHIND_HOLE, 1 }, { 41, KERNEL_BEFORE_KNOWN, 1 },
		{ 50, KERNEL_BEHIND_HOLE, 3 } };
	kernel_holes_init(&h, &losses);
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		while (kernel_holes_pass(&h, steps[i].at, &edge))
			if (edge.loss->cpu == 0)
				kernel_before_edge(&b, &edge);
		assert_int_equal(b.is, steps[i].is);
		if (b.is == KERNEL_BEHIND_HOLE)
			assert_int_equal(b.hole, steps[i].hole);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(holes_come_in_order),
		cmocka_unit_test(who_is_there),
		cmocka_unit_test(who_was_there),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
