/* A process tree by hand: programs, CPU time, time on the path, and their sums. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "path/process_tree.h"
#include "tasks_world.h"

static void rename_at(struct tasks_world *t, uint32_t task, int64_t at, const char *name)
{
	assert_int_equal(kernel_rename(&t->hosts[0], task, at * MS, name, strlen(name), NULL), 0);
}

/* sh (10), forked by something that is not its part, runs three programs one after the other and
 * one in the background:
 *
 *   0    sh runs          10  forks date (11), waits     10-15 sh still, 15-30 date
 *   30   sh runs          40  forks date (12), waits     40-60 date
 *   60   forks su (13)    waits: su 60-70, becomes bash 70-90
 *   90   forks spin (14), which runs on another CPU 90-190 while
 *   90   sh waits for its disk, until 120, and exits at 130
 */
struct greeting {
	struct tasks_world t;
	uint32_t sh;
};

static uint32_t run(struct tasks_world *t, uint32_t sh, int32_t tid, int64_t from, int64_t exec,
	const char *program, uint32_t *task)
{
	*task = tw_fork(t, 0, sh, tid, "sh", from);
	uint32_t span = tw_span(t, 0, *task, from, KERNEL_USER);
	rename_at(t, *task, exec, program);
	uint32_t wait = tw_wait(t, 0, sh, from, "wait4", "", KERNEL_TASK);
	tw_by(t, 0, wait, span);

	return wait;
}

static void make_greeting(struct greeting *g)
{
	struct tasks_world *t = &g->t;
	tw_init(t, 1, 300);
	uint32_t init = tw_task(t, 0, 1, "init"), task;
	tw_span(t, 0, init, 0, KERNEL_USER);
	uint32_t sh = g->sh = tw_fork(t, 0, init, 10, "sh", 0);
	tw_span(t, 0, sh, 0, KERNEL_USER);
	run(t, sh, 11, 10, 15, "date", &task);
	tw_exit(t, 0, task, 30);
	tw_span(t, 0, sh, 30, KERNEL_USER);
	run(t, sh, 12, 40, 40, "date", &task);
	tw_exit(t, 0, task, 60);
	tw_span(t, 0, sh, 60, KERNEL_USER);
	run(t, sh, 13, 60, 60, "su", &task);
	rename_at(t, task, 70, "bash");
	tw_exit(t, 0, task, 90);
	tw_span(t, 0, sh, 90, KERNEL_SYSCALL);
	uint32_t spin = tw_fork(t, 0, sh, 14, "sh", 90);
	tw_span(t, 0, spin, 90, KERNEL_USER);
	rename_at(t, spin, 90, "spin");
	tw_wait(t, 0, sh, 90, "read", "/etc/motd", KERNEL_DISK);
	tw_span(t, 0, sh, 120, KERNEL_USER);
	tw_exit(t, 0, sh, 130);
	tw_exit(t, 0, spin, 190);
}

static const char *program(const struct process_tree *t, uint32_t process, uint32_t i)
{
	assert_true(i < t->processes[process].n_programs);
	return t->programs[t->processes[process].programs + i].name;
}

static void test_tree(void **state)
{
	(void)state;
	struct greeting g;
	struct process_tree t;
	struct mer_err err = { 0 };
	make_greeting(&g);
	assert_int_equal(process_tree_find(&g.t.w, 0, g.sh, INT64_MIN, INT64_MAX, &t, &err), 0);
	assert_int_equal(t.n, 5);
	assert_int_equal(t.end - t.begin, 130 * MS);
	const struct process *p = t.processes;
	assert_int_equal(p[0].cpu_ns, (10 + 10 + 10) * MS);
	assert_int_equal(p[0].on_path_ns, (10 + 10 + 30 + 10) * MS); /* its disk too */
	assert_int_equal(p[0].n_below, 4);
	assert_int_equal(p[0].tree_cpu_ns, (30 + 20 + 20 + 30 + 100) * MS);
	assert_string_equal(program(&t, 0, 0), "sh");
	assert_int_equal(p[1].on_path_ns, 20 * MS);
	assert_int_equal(p[1].n_programs, 1); /* that it was called sh at first is no program */
	assert_string_equal(program(&t, 1, 0), "date");
	assert_int_equal(p[2].on_path_ns, 20 * MS);
	assert_int_equal(p[3].n_programs, 2);
	assert_string_equal(program(&t, 3, 0), "su");
	assert_string_equal(program(&t, 3, 1), "bash");
	assert_int_equal(t.programs[p[3].programs].on_path_ns, 10 * MS);
	assert_int_equal(t.programs[p[3].programs + 1].on_path_ns, 20 * MS);
	assert_int_equal(t.programs[p[3].programs + 1].cpu_ns, 20 * MS);
	assert_int_equal(p[4].on_path_ns, 0); /* nobody waited for it */
	assert_int_equal(p[4].cpu_ns, 100 * MS);
	assert_int_equal(p[4].end - p[4].begin, 100 * MS);
	assert_int_equal(p[0].tree_on_path_ns + t.outside_ns, 130 * MS);
	assert_int_equal(t.outside_ns, 0);
	process_tree_fini(&t);
	/* A subtree is a tree. */
	assert_int_equal(process_tree_find(&g.t.w, 0, g.sh + 3, INT64_MIN, INT64_MAX, &t, &err), 0);
	assert_int_equal(t.n, 1);
	assert_int_equal(t.end - t.begin, 30 * MS);
	process_tree_fini(&t);
	tw_fini(&g.t);
}

static void test_groups(void **state)
{
	(void)state;
	struct greeting g;
	struct process_tree t;
	struct process_group *groups;
	struct process_total *totals;
	struct mer_err err = { 0 };
	uint32_t n;
	make_greeting(&g);
	assert_int_equal(process_tree_find(&g.t.w, 0, g.sh, INT64_MIN, INT64_MAX, &t, &err), 0);
	assert_int_equal(process_tree_group(&t, &groups, &n, &err), 0);
	assert_int_equal(n, 4);
	const struct process_group *first =
		&groups[groups[0].child]; /* dates: 40, su: 30, spin: 0 */
	assert_int_equal(first->n, 2);
	assert_int_equal(first->duration_ns, 40 * MS);
	assert_int_equal(first->min_ns, 20 * MS);
	assert_int_equal(first->on_path_ns, 40 * MS);
	int64_t sum = t.outside_ns;
	for (uint32_t i = 0; i < n; i++)
		sum += groups[i].on_path_ns;
	assert_int_equal(sum, t.end - t.begin);
	free(groups);
	assert_int_equal(process_tree_totals(&t, &totals, &n, &err), 0);
	assert_int_equal(n, 5);
	assert_string_equal(totals[0].name, "sh");
	assert_string_equal(totals[1].name, "date");
	assert_int_equal(totals[1].n, 2);
	assert_string_equal(totals[2].name, "bash");
	sum = t.outside_ns;
	for (uint32_t i = 0; i < n; i++)
		sum += totals[i].on_path_ns;
	assert_int_equal(sum, t.end - t.begin);
	free(totals);
	process_tree_fini(&t);
	tw_fini(&g.t);
}

/* Threads are no processes: their CPU time is their process's, and their children its children. */
static void test_threads(void **state)
{
	(void)state;
	struct tasks_world t;
	struct process_tree tree;
	struct mer_err err = { 0 };
	tw_init(&t, 1, 300);
	uint32_t a = tw_task(&t, 0, 10, "server"), b = tw_fork(&t, 0, a, 11, "server", 10);
	t.hosts[0].tasks[b].pid = 10;
	tw_span(&t, 0, a, 0, KERNEL_USER);
	tw_span(&t, 0, b, 10, KERNEL_USER);
	uint32_t c = tw_fork(&t, 0, b, 12, "helper", 20);
	tw_span(&t, 0, c, 20, KERNEL_USER);
	tw_exit(&t, 0, c, 50);
	tw_exit(&t, 0, b, 60);
	tw_exit(&t, 0, a, 100);
	for (uint32_t root = a; root <= b; root++) { /* either stands for both */
		assert_int_equal(
			process_tree_find(&t.w, 0, root, INT64_MIN, INT64_MAX, &tree, &err), 0);
		assert_int_equal(tree.n, 2);
		assert_int_equal(tree.processes[0].n_threads, 2);
		assert_int_equal(tree.processes[0].cpu_ns, 150 * MS);
		assert_int_equal(tree.processes[1].parent, 0);
		assert_int_equal(tree.processes[1].cpu_ns, 30 * MS);
		process_tree_fini(&tree);
	}
	tw_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tree),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_threads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
