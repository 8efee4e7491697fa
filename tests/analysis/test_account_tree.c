/* The nodes of accounts: one for each task below another one, in the order of what they cost, with
 * sums of what is below; and groups and totals of process trees. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "path/account.h"
#include "path/account_index.h"
#include "path/process_tree.h"

static void nodes(void **state)
{
	enum { N = 100 };
	struct account a = { 0 };
	struct mer_err err = { 0 };
	(void)state;
	assert_int_equal(account_child(&a, KERNEL_NONE, 1, 7), 0);
	for (uint32_t i = 1; i < N; i++) /* each below the one of half its number */
		assert_int_equal(account_child(&a, i / 2, i % 3, i), i);
	assert_int_equal(a.n, N);
	for (uint32_t i = 1; i < N; i++) { /* they are there already */
		assert_int_equal(account_child(&a, i / 2, i % 3, i), i);
		assert_int_equal(a.nodes[i].parent, i / 2);
		assert_int_equal(a.nodes[i].host, i % 3);
		assert_int_equal(a.nodes[i].task, i);
		assert_int_equal(a.nodes[i].depth, a.nodes[i / 2].depth + 1);
	}
	assert_int_equal(a.n, N);
	assert_int_equal(a.nodes[0].depth, 0);
	assert_int_equal(a.nodes[0].parent, KERNEL_NONE);
	for (uint32_t i = 0; i < N; i++) {
		a.nodes[i].self_ns = i % 7;
		for (unsigned k = 0; k < USAGE_N_KINDS; k++)
			a.nodes[i].used[k] = i * (k + 1);
	}
	assert_int_equal(account_finish(&a, &err), 0);
	for (uint32_t i = 0; i < N; i++) {
		const struct account_node *n = &a.nodes[i];
		int64_t below = 0, used[USAGE_N_KINDS] = { 0 }, before = INT64_MAX;
		uint32_t n_below = 0, node_before = 0;
		for (uint32_t c = n->child; c != KERNEL_NONE; c = a.nodes[c].next) {
			const struct account_node *child = &a.nodes[c];
			int64_t total = child->self_ns + child->children_ns;
			assert_int_equal(child->parent, i);
			/* The most first; of equal ones the one that was made first. */
			assert_true(total < before || (total == before && c > node_before));
			before = total;
			node_before = c;
			n_below++;
			below += total;
			for (unsigned k = 0; k < USAGE_N_KINDS; k++)
				used[k] += child->used[k] + child->children_used[k];
		}
		assert_int_equal(n->children_ns, below);
		assert_memory_equal(n->children_used, used, sizeof(used));
		assert_int_equal(n_below, i == 0 ? 1 : 2 * i + 1 < N ? 2 : 2 * i < N ? 1 : 0);
	}
	account_fini(&a);
	assert_true(!a.nodes && a.n == 0 && a.cap == 0);
}

/* In the order of when they were asked, then host, then span. */
static void order_of_ended(void **state)
{
	static const struct account_ended rising[] = { { .asked = -1, .host = 9, .span = 9 },
		{ .asked = 1, .host = 0, .span = 5 }, { .asked = 1, .host = 0, .span = 6 },
		{ .asked = 1, .host = 1, .span = 0 }, { .asked = 2, .host = 0, .span = 0 } };
	(void)state;
	for (int i = 0; i < 5; i++)
		for (int k = 0; k < 5; k++) {
			int c = account_compare_ended(&rising[i], &rising[k]);
			assert_int_equal((c > 0) - (c < 0), (i > k) - (i < k));
		}
}

/* ---- groups and totals ---- */

/* A root with children that ran these programs, one or two each. */
struct tree {
	struct process_tree t;
	struct process processes[8];
	struct process_program programs[16];
};

static void add(struct tree *t, uint32_t parent, const char *first, const char *second,
	int64_t duration, int64_t on_path, int64_t cpu)
{
	uint32_t n = second ? 2 : 1;
	t->t.processes = t->processes;
	t->t.programs = t->programs;
	t->processes[t->t.n++] = (struct process){ .parent = parent,
		.begin = 100,
		.end = 100 + duration,
		.cpu_ns = cpu,
		.on_path_ns = on_path,
		.tree_cpu_ns = cpu + 1,
		.tree_on_path_ns = on_path + 1,
		.n_below = 3,
		.programs = t->t.n_programs,
		.n_programs = n };
	for (uint32_t i = 0; i < n; i++)
		t->programs[t->t.n_programs++] = (struct process_program){ i ? second : first, 100,
			100 + duration, cpu, on_path };
}

static void groups(void **state)
{
	struct tree t = { 0 };
	struct process_group *g;
	struct mer_err err = { 0 };
	uint32_t n;
	(void)state;
	add(&t, KERNEL_NONE, "sh", NULL, 50, 0, 0);
	add(&t, 0, "date", NULL, 5, 10, 1); /* 1 */
	add(&t, 0, "su", "bash", 6, 20, 2); /* 2 */
	add(&t, 0, "date", NULL, 9, 11, 4); /* 1 again */
	add(&t, 0, "bash", "su", 7, 21, 3); /* 3: another order */
	add(&t, 1, "date", NULL, 2, 5, 5);  /* 4: another parent */
	add(&t, 3, "date", NULL, 1, 5, 7);  /* 4 again: of a parent of the same group */
	add(&t, 0, "date", NULL, 7, 2, 9);  /* 1 again */
	assert_int_equal(process_tree_group(&t.t, &g, &n, &err), 0);
	assert_int_equal(n, 5);
	assert_int_equal(g[0].n, 1);
	assert_int_equal(g[0].parent, KERNEL_NONE);
	assert_int_equal(g[1].n, 3);
	assert_int_equal(g[1].example, 1);
	assert_int_equal(g[1].parent, 0);
	assert_int_equal(g[1].duration_ns, 21);
	assert_int_equal(g[1].min_ns, 5);
	assert_int_equal(g[1].max_ns, 9);
	assert_int_equal(g[1].cpu_ns, 14);
	assert_int_equal(g[1].on_path_ns, 23);
	assert_int_equal(g[1].tree_cpu_ns, 17);
	assert_int_equal(g[1].tree_on_path_ns, 26);
	assert_int_equal(g[1].n_below, 9);
	assert_int_equal(g[2].n, 1);
	assert_int_equal(g[3].n, 1);
	assert_int_equal(g[4].n, 2);
	assert_int_equal(g[4].parent, 1);
	assert_int_equal(g[4].min_ns, 1);
	assert_int_equal(g[4].max_ns, 2);
	/* The most time on the path first. */
	assert_int_equal(g[0].child, 1);
	assert_int_equal(g[1].next, 3);
	assert_int_equal(g[3].next, 2);
	assert_int_equal(g[2].next, KERNEL_NONE);
	assert_int_equal(g[1].child, 4);
	assert_int_equal(g[4].next, KERNEL_NONE);
	assert_int_equal(g[4].child, KERNEL_NONE);
	free(g);
}

/* With the same time on the path: the most CPU time first, then the first one. */
static void equal_groups(void **state)
{
	struct tree t = { 0 };
	struct process_group *g;
	struct mer_err err = { 0 };
	uint32_t n;
	(void)state;
	add(&t, KERNEL_NONE, "sh", NULL, 50, 0, 0);
	add(&t, 0, "a", NULL, 5, 10, 1);
	add(&t, 0, "b", NULL, 5, 10, 2);
	add(&t, 0, "c", NULL, 5, 10, 1);
	assert_int_equal(process_tree_group(&t.t, &g, &n, &err), 0);
	assert_int_equal(g[0].child, 2);
	assert_int_equal(g[2].next, 1);
	assert_int_equal(g[1].next, 3);
	assert_int_equal(g[3].next, KERNEL_NONE);
	free(g);
}

static void totals(void **state)
{
	static const char *const names[] = { "b", "c", "a", "d", "e" };
	struct tree t = { 0 };
	struct process_total *rows;
	struct mer_err err = { 0 };
	uint32_t n;
	(void)state;
	add(&t, KERNEL_NONE, "a", NULL, 50, 10, 1);
	add(&t, 0, "b", NULL, 5, 7, 3);
	add(&t, 1, "b", "c", 9, 8, 5); /* wherever they are; each program by itself */
	add(&t, 1, "c", NULL, 3, 4, 1);
	add(&t, 1, "e", NULL, 3, 4, 1);
	add(&t, 1, "d", NULL, 3, 4, 1);
	add(&t, 0, "b", NULL, 7, 1, 1);
	assert_int_equal(process_tree_totals(&t.t, &rows, &n, &err), 0);
	assert_int_equal(n, 5);
	for (uint32_t i = 0; i < n; i++)
		assert_string_equal(rows[i].name, names[i]);
	assert_int_equal(rows[0].n, 3);
	assert_int_equal(rows[0].on_path_ns, 16);
	assert_int_equal(rows[0].cpu_ns, 9);
	assert_int_equal(rows[0].duration_ns, 21);
	assert_int_equal(rows[0].min_ns, 5);
	assert_int_equal(rows[0].max_ns, 9);
	assert_int_equal(rows[1].n, 2);
	assert_int_equal(rows[1].on_path_ns, 12);
	assert_int_equal(rows[2].n, 1);
	assert_int_equal(rows[2].min_ns, 50);
	free(rows);
	/* With the same time on the path: the most CPU time, then by name. */
	t.programs[0].cpu_ns = 2;
	t.programs[0].on_path_ns = 4;
	assert_int_equal(process_tree_totals(&t.t, &rows, &n, &err), 0);
	assert_string_equal(rows[2].name, "a");
	assert_string_equal(rows[3].name, "d");
	assert_string_equal(rows[4].name, "e");
	free(rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes),
		cmocka_unit_test(order_of_ended),
		cmocka_unit_test(groups),
		cmocka_unit_test(equal_groups),
		cmocka_unit_test(totals),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
