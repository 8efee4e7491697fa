/* The table of waits that can be opened (blocked_tree.c), each rule by itself.
 *
 * A node is "NAME what COUNTx TOTAL", with " min-max" and " late N" for rows, " by WHO" (host
 * before it if it is another one, "*": several), and in parentheses what is below it. Times are
 * ms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/str.h"
#include "path/blocked_tree.h"
#include "world_text.h"

static void add_nodes(struct mer_str *out, const struct blocked_tree *t, uint32_t i)
{
	for (bool first = true; i != KERNEL_NONE; i = t->nodes[i].next, first = false) {
		const struct blocked_node *n = &t->nodes[i];
		mer_str_printf(out, "%s%s", first ? "" : ", ", *n->comm ? n->comm : "-");
		if (n->level && n->task == KERNEL_NONE)
			mer_str_puts(out, "s"); /* several, or nobody */
		if (n->doing == BLOCKED_WAITED)
			mer_str_printf(out, " %s%s%s %s",
				*n->call ? n->call : blocked_kind_name((enum blocked_kind)n->kind),
				*n->object ? ":" : "", n->object,
				kernel_cause_name((enum kernel_cause)n->cause));
		else
			mer_str_printf(
				out, " %s", blocked_doing_name((enum blocked_doing)n->doing));
		mer_str_printf(out, " %dx %d", (int)n->count, (int)(n->total_ns / MS));
		if (n->level == 0)
			mer_str_printf(out, " %d-%d", (int)(n->min_ns / MS), (int)(n->max_ns / MS));
		if (n->runnable_ns)
			mer_str_printf(out, " late %d", (int)(n->runnable_ns / MS));
		if (n->open)
			mer_str_puts(out, " open");
		if (!n->by)
			mer_str_puts(out, " by *");
		else if (*n->by)
			mer_str_printf(
				out, " by %s%s", n->by_host == n->host ? "" : "other:", n->by);
		if (n->child != KERNEL_NONE) {
			mer_str_puts(out, " (");
			add_nodes(out, t, n->child);
			mer_str_puts(out, ")");
		}
	}
}

static void tree_in(const char *world, struct blocked_scope scope, const char *expected)
{
	struct tasks_world t;
	struct blocked b;
	struct blocked_tree tree;
	struct mer_err err = { 0 };
	struct mer_str out = { 0 };
	scope.begin *= MS;
	scope.end *= MS;
	world_text(&t, world);
	assert_int_equal(blocked_find(&t.w, &b, &err), 0);
	blocked_tree_init(&tree, &b);
	assert_int_equal(blocked_tree_add(&tree, 0, world_text_task(&t, 0, 1), &scope, &err), 0);
	assert_int_equal(blocked_tree_sort(&tree, &err), 0);
	add_nodes(&out, &tree, tree.first);
	assert_string_equal(out.data ? out.data : "", expected);
	mer_str_fini(&out);
	blocked_tree_fini(&tree);
	blocked_fini(&b);
	tw_fini(&t);
}

static void tree_is(const char *world, const char *expected)
{
	tree_in(world, (struct blocked_scope){ 0, 1000, true, true, 8 }, expected);
}

/* Waits in one call, on one object, for one cause are a row. */
static void rows(void **state)
{
	(void)state;
	tree_is("0 0:1 user\n10 0:1 read:a disk\n20 0:1 runnable\n23 0:1 user\n30 0:1 read:a "
		"disk\n35 "
		"0:1 user\n40 0:1 read:b disk\n42 0:1 user\n",
		"t1 read:a disk 2x 15 5-10 late 3, t1 read:b disk 1x 2 2-2");
	tree_is("0 0:1 user\n10 0:1 read:a disk\n20 0:1 user\n30 0:1 read:a timer\n35 0:1 user\n40 "
		"0:1 write:a disk\n42 0:1 user\n",
		"t1 read:a disk 1x 10 10-10, t1 read:a timer 1x 5 5-5, t1 write:a disk 1x 2 2-2");
	tree_is("0 0:1 user\n10 0:1 read:a -\n20 0:1 user\n50 0:1 read:a -\n",
		"t1 read:a unknown 1x 950 950-950 open, t1 read:a unknown 1x 10 10-10");
	/* Ended by one task, by several. */
	tree_is("0 0:1 user\n0 0:2 user\n0 0:3 user\n10 0:1 read task by 0:2\n20 0:1 user\n30 0:1 "
		"read task by 0:2\n35 0:1 user\n",
		"t1 read task 2x 15 5-10 by t2 (t2 ran 1x 15)");
	tree_is("0 0:1 user\n0 0:2 user\n0 0:3 user\n10 0:1 read task by 0:2\n20 0:1 user\n30 0:1 "
		"read task by 0:3\n35 0:1 user\n",
		"t1 read task 2x 15 5-10 by * (t2 ran 1x 10, t3 ran 1x 5)");
}

/* Waits are cut to the window; those outside are left out. */
static void windows(void **state)
{
	(void)state;
	static const char world[] =
		"0 0:1 user\n10 0:1 read disk\n20 0:1 runnable\n26 0:1 user\n30 "
		"0:1 read disk\n40 0:1 user\n"
		"50 0:1 read disk\n60 0:1 user\n";
	tree_in(world, (struct blocked_scope){ 15, 35, true, true, 0 },
		"t1 read disk 2x 10 5-5 late 6");
	tree_in(world, (struct blocked_scope){ 21, 29, true, true, 0 }, "");
	tree_in(world, (struct blocked_scope){ 12, 23, true, true, 0 },
		"t1 read disk 1x 8 8-8 late 3");
	/* Only what somebody felt, unless all are wanted; the task is there before and does not
	 * end. */
	tree_in(world, (struct blocked_scope){ 0, 100, false, false, 0 }, "");
	tree_in(world, (struct blocked_scope){ 0, 100, false, true, 0 },
		"t1 read disk 3x 30 10-10 late 6");
}

/* Below a row: who did what meanwhile, down to any depth. */
static void inside(void **state)
{
	(void)state;
	tree_is("0 0:1 user\n0 0:2 user\n10 0:1 read pipe by 0:2\n12 0:2 runnable\n15 0:2 read "
		"disk\n20 0:2 user\n30 0:1 user\n",
		"t1 read pipe 1x 20 20-20 by t2 (t2 ran 2x 12, t2 read disk 1x 5, t2 runnable 1x "
		"3)");
	tree_is("0 0:1 user\n0 0:2 user\n0 0:3 user\n10 0:1 read pipe by 0:2\n12 0:2 read pipe by "
		"0:3\n14 0:3 read disk\n18 0:3 user\n20 0:2 user\n"
		"30 0:1 user\n",
		"t1 read pipe 1x 20 20-20 by t2 (t2 ran 2x 12, t2 read pipe 1x 8 by t3 (t3 ran 2x "
		"4, t3 read disk 1x 4))");
	/* Only so deep. */
	for (unsigned depth = 0; depth < 3; depth++) {
		static const char *const expected[] = { "t1 read pipe 1x 20 20-20 by t2",
			"t1 read pipe 1x 20 20-20 by t2 (t2 ran 2x 12, t2 read pipe 1x 8 by t3)",
			"t1 read pipe 1x 20 20-20 by t2 (t2 ran 2x 12, t2 read pipe 1x 8 by t3 (t3 "
			"ran 2x 4, t3 read disk 1x 4))" };
		tree_in("0 0:1 user\n0 0:2 user\n0 0:3 user\n10 0:1 read pipe by 0:2\n12 0:2 read "
			"pipe by 0:3\n14 0:3 read disk\n18 0:3 user\n"
			"20 0:2 user\n30 0:1 user\n",
			(struct blocked_scope){ 0, 1000, true, true, depth }, expected[depth]);
	}
	/* Who woke at once has no time of its own. */
	tree_is("0 0:1 user\n0 0:2 user\n0 0:3 user\n10 0:1 read pipe by 0:2\n10 0:2 read pipe by "
		"0:3\n30 0:2 user\n30 0:1 user\n",
		"t1 read pipe 1x 20 20-20 by t2 (t2 read pipe 1x 20 by t3 (t3 ran 1x 20))");
	/* Of another host, with the packet's way. */
	tree_is("0 0:1 user\n0 1:2 user\n10 0:1 read network by 1:2\n15 1:2 fsync disk\n25 1:2 "
		"user\n30 0:1 user\n",
		"t1 read network 1x 20 20-20 by other:t2 (t2 fsync disk 1x 10, t2 ran 2x 9, -s "
		"in-flight 1x 1)");
	/* A child before its first run, and what is not known. */
	tree_is("0 0:1 user\n0 0:2 user\n10 0:1 read pipe by 0:2\n12 0:2 unknown\n20 0:2 user\n30 "
		"0:1 user\n",
		"t1 read pipe 1x 20 20-20 by t2 (t2 ran 2x 12, t2 unknown 1x 8)");
	/* Two waits of one row, a wait of two of the same kind inside of it. */
	tree_is("0 0:1 user\n0 0:2 user\n10 0:1 read pipe by 0:2\n12 0:2 read disk\n14 0:2 "
		"user\n16 0:2 read disk\n18 0:2 user\n20 0:1 user\n"
		"30 0:1 read pipe by 0:2\n40 0:1 user\n",
		"t1 read pipe 2x 20 10-10 by t2 (t2 ran 3x 16, t2 read disk 2x 4)");
}

/* Stolen from a task of a guest, whether it was on its CPU or ready for it: rows of who had the
 * CPU, and of spinning for a lock while a CPU was stolen. */
static void stolen(void **state)
{
	struct tasks_world t;
	struct blocked b;
	struct blocked_tree tree;
	struct mer_err err = { 0 };
	struct mer_str out = { 0 };
	const struct blocked_scope scope = { 0, 95 * MS, true, true, 8 },
				   early = { 22 * MS, 52 * MS, true, true, 8 };
	(void)state;
	world_text(&t, "0 0:1 user\n10 0:1 interrupted\n14 0:1 user\n20 0:1 interrupted\n29 0:1 "
		       "user\n30 0:1 interrupted\n31 0:1 user\n40 0:1 interrupted\n45 0:1 "
		       "user\n50 0:1 runnable\n70 0:1 user\n90 0:1 interrupted\n");
	struct kernel_guest *g = tw_guest(&t, 0, 1);
	uint32_t hog = tw_absence(g, KERNEL_VCPU_PREEMPTED, "hog"),
		 exit = tw_absence(g, KERNEL_VCPU_HYPERVISOR, "NPF"),
		 spin = tw_absence(g, KERNEL_VCPU_HYPERVISOR, "spin");
	const uint32_t absences[] = { hog, exit, hog, spin, hog };
	uint32_t n = 0;
	g->absences[spin].sibling = 1;
	for (uint32_t i = 0; i < t.hosts[0].n_spans; i++) {
		struct kernel_span *s = kernel_span(&t.hosts[0], i);
		if (s->state == KERNEL_INTERRUPTED) {
			s->source = absences[n++];
			s->cause = (uint8_t)kernel_absence_cause(g, s->source);
		}
	}
	g->aways[0] = (struct kernel_edge){ 51 * MS, exit, 0 };
	g->aways[1] = (struct kernel_edge){ 55 * MS, hog, 0 };
	g->aways[2] = (struct kernel_edge){ 62 * MS, KERNEL_NONE, 0 };
	g->n_aways = 3;
	assert_int_equal(blocked_find(&t.w, &b, &err), 0);
	for (int i = 0; i < 2; i++) {
		blocked_tree_init(&tree, &b);
		assert_int_equal(blocked_tree_add(&tree, 0, 0, i ? &early : &scope, &err), 0);
		assert_int_equal(blocked_tree_sort(&tree, &err), 0);
		add_nodes(&out, &tree, tree.first);
		assert_string_equal(
			out.data, i ? "t1 hypervisor 1x 5 5-5 by spin, t1 stolen 1x 1 1-1 by hog"
				    : "t1 stolen 4x 17 1-7 by hog, t1 hypervisor 1x 5 5-5 by spin");
		mer_str_fini(&out);
		blocked_tree_fini(&tree);
	}
	blocked_fini(&b);
	tw_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(rows), cmocka_unit_test(windows),
		cmocka_unit_test(inside), cmocka_unit_test(stolen) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
