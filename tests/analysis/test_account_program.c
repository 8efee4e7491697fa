/* What program a task runs: the last one that it executed, else that its parent ran when it forked
 * it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "path/account.h"
#include "world_text.h"

static void program_is(const struct tasks_world *t, uint32_t task, const char *expected)
{
	assert_string_equal(account_program(&t->hosts[0], task), expected);
}

static void programs(void **state)
{
	static const struct {
		const char *world; /* of task 0:1 */
		const char *program;
	} cases[] = {
		{ "0 0:1 user\n5 0:1 execve:/bin/a -\n6 0:1 user\n", "/bin/a" },
		{ "0 0:1 user\n5 0:1 execveat:/bin/a -\n6 0:1 user\n", "/bin/a" },
		{ "0 0:1 user\n5 0:1 execve:/bin/a -\n6 0:1 user\n7 0:1 execve:/bin/b -\n8 0:1 "
		  "user\n",
			"/bin/b" },
		{ "0 0:1 user\n5 0:1 execve:/bin/a -\n6 0:1 user\n7 0:1 read:/x -\n8 0:1 user\n",
			"/bin/a" },
		{ "0 0:1 user\n5 0:1 open:/bin/a -\n6 0:1 user\n", NULL },
		{ "0 0:1 user\n5 0:1 execve -\n6 0:1 user\n", NULL },
		{ "0 0:2 user\n5 0:2 execve:/bin/a -\n6 0:2 user\n7 0:2 fork 1\n7 0:1 user\n",
			"/bin/a" },
		{ "0 0:2 user\n5 0:2 execve:/bin/a -\n6 0:2 user\n7 0:2 fork 1\n7 0:1 user\n8 0:1 "
		  "execve:/bin/b -\n9 0:1 user\n",
			"/bin/b" },
		/* After that its parent's is another matter. */
		{ "0 0:2 user\n7 0:2 fork 1\n7 0:1 user\n8 0:2 execve:/bin/a -\n9 0:2 user\n",
			NULL },
		{ "0 0:3 user\n1 0:3 execve:/bin/a -\n2 0:3 user\n3 0:3 fork 2\n3 0:2 user\n4 0:2 "
		  "fork 1\n4 0:1 user\n",
			"/bin/a" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tasks_world t;
		world_text(&t, cases[i].world);
		program_is(&t, world_text_task(&t, 0, 1), cases[i].program ? cases[i].program : "");
		tw_fini(&t);
	}
}

/* The parent's at that very moment is not the child's any more; and not the one of whoever used the
 * parent's number before. */
static void at_the_fork(void **state)
{
	(void)state;
	struct tasks_world t;
	world_text(&t, "0 0:2 user\n7 0:2 fork 1\n7 0:1 user\n7 0:2 execve:/bin/a -\n9 0:2 user\n");
	program_is(&t, world_text_task(&t, 0, 1), "");
	tw_fini(&t);
	world_text(&t, "0 0:2 user\n5 0:2 execve:/bin/a -\n6 0:2 user\n7 0:2 fork 1\n7 0:1 user\n");
	uint32_t task = world_text_task(&t, 0, 1);
	program_is(&t, task, "/bin/a");
	t.hosts[0].tasks[task].born = false;
	program_is(&t, task, "");
	tw_fini(&t);
}

/* Forks of forks, but not without end. */
static void lineage(void **state)
{
	(void)state;
	struct tasks_world t;
	uint32_t task[66];
	world_text(&t, "0 0:1 user\n1 0:1 execve:/bin/a -\n2 0:1 user\n");
	task[0] = world_text_task(&t, 0, 1);
	for (int i = 1; i < 66; i++) {
		task[i] = tw_fork(&t, 0, task[i - 1], 100 + i, "t", 10 + i);
		tw_span(&t, 0, task[i], 10 + i, KERNEL_USER);
	}
	program_is(&t, task[63], "/bin/a");
	program_is(&t, task[64], "");
	tw_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs),
		cmocka_unit_test(at_the_fork),
		cmocka_unit_test(lineage),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
