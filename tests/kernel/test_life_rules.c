/* Begin and end of tasks: forks, programs, exits, numbers that are used again, and what the state
 * dump says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "lives.h"

#define DUMP                                                                                       \
	"event lttng_statedump_process_state { s32 tid; s32 vtid; s32 pid; s32 vpid; s32 ppid\n"   \
	"string16 name; s32 type; s32 status; u64 file_table_address }\n"
#define PARENT SWITCH("5", "0", "0", "0", "10") ENTER("8", "0", "clone", "")

static const struct kernel_task *task_of(const struct lives *l, int32_t tid)
{
	const struct kernel_host *h = &l->w->hosts[0];
	uint32_t task = kernel_find_task(h, tid, NULL, 0);
	assert_int_not_equal(task, KERNEL_NONE);
	return &h->tasks[task];
}

static int32_t parent_tid(const struct lives *l, int32_t tid)
{
	uint32_t parent = task_of(l, tid)->parent;
	return parent == KERNEL_NONE ? -1 : l->w->hosts[0].tasks[parent].tid;
}

/* model_fork: a child is new until it is woken, by its parent; it is in the call of its parent. */
static void forks(void **state)
{
	struct lives l;
	(void)state;
	lives_open(&l, PARENT FORK("10", "0", "10", "10", "11", "11") EVENT(
			       "12", "0", "sched_wakeup_new comm=\"t11\" tid=11 target_cpu=1")
			       LEAVE("13", "0", "clone", "11") SWITCH("20", "1", "0", "0", "11")
				       LEAVE("21", "1", "clone", "0"));
	lives_are(&l, 11,
		"10 new in clone: task by 10, 12 runnable in clone @1, 20 syscall in clone @1, 21 "
		"user @1");
	assert_true(task_of(&l, 11)->born);
	assert_false(task_of(&l, 10)->born);
	assert_int_equal(task_of(&l, 11)->begin, 10000);
	assert_int_equal(parent_tid(&l, 11), 10);
	assert_int_equal(task_of(&l, 11)->pid, 11);
	assert_int_equal(task_of(&l, 11)->ppid, 10);
	assert_int_equal(task_of(&l, 10)->pid, 10);
	lives_close(&l);
	/* It is woken on its parent's CPU: that does not wait for itself. Without sched_wakeup_new
	 * it was woken when it ran. */
	lives_check(PARENT FORK("10", "0", "10", "10", "11", "11")
			    SWITCH("20", "1", "0", "0", "11"),
		11, "10 new in clone: task by 10, 20 syscall in clone @1");
	/* A parent that is not on a CPU did it where no events are: nobody is named. */
	lives_check(SWITCH("5", "0", "10", "1", "0") FORK("10", "1", "10", "10", "11", "11"), 11,
		"10 new @1: task");
	/* No parent is told. */
	lives_open(&l, PARENT EVENT("10", "0",
			       "sched_process_fork child_comm=\"t11\" child_tid=11 child_pid=11"));
	lives_are(&l, 11, "10 new: task");
	assert_int_equal(parent_tid(&l, 11), -1);
	lives_close(&l);
}

/* A thread has its process's parent, a process its forker. */
static void threads(void **state)
{
	struct lives l;
	(void)state;
	lives_open(&l, PARENT FORK("10", "0", "10", "10", "11", "11") SWITCH(
			       "12", "0", "10", "1", "11") FORK("14", "0", "11", "11", "12", "11")
			       FORK("15", "0", "11", "11", "13", "13"));
	assert_int_equal(task_of(&l, 12)->pid, 11);
	assert_int_equal(task_of(&l, 12)->ppid, 10);
	assert_int_equal(parent_tid(&l, 12), 11);
	assert_int_equal(task_of(&l, 13)->pid, 13);
	assert_int_equal(task_of(&l, 13)->ppid, 11);
	lives_close(&l);
}

/* Threads of the kernel are forked by kthreadd, or by one of them. They are in no call. */
static void threads_of_the_kernel(void **state)
{
	struct lives l;
	(void)state;
	lives_open(&l,
		SWITCH("5", "0", "0", "0", "2") FORK("10", "0", "2", "2", "11", "11") SWITCH(
			"12", "0", "2", "1", "11") FORK("14", "0", "11", "11", "12", "12")
			SWITCH("15", "0", "11", "1", "12") SWITCH("20", "0", "12", "1", "0"));
	assert_true(task_of(&l, 11)->is_kernel);
	assert_true(task_of(&l, 12)->is_kernel);
	assert_false(task_of(&l, 2)->is_kernel); /* nothing says so of itself */
	lives_are(&l, 11, "10 new: task by 2, 12 thread, 15 blocked");
	lives_are(&l, 12, "14 new: task by 11, 15 thread, 20 blocked");
	lives_close(&l);
	/* One that runs a program is none any more. */
	lives_open(&l, SWITCH("5", "0", "0", "0", "2") FORK("10", "0", "2", "2", "11", "11") SWITCH(
			       "12", "0", "2", "1", "11") EVENT("14", "0",
			       "sched_process_exec filename=\"/sbin/modprobe\" tid=11 old_tid=11")
			       SWITCH("20", "0", "11", "1", "0"));
	assert_false(task_of(&l, 11)->is_kernel);
	assert_string_equal(lives_name_at(&l.w->hosts[0], 1, 15000), "modprobe");
	lives_close(&l);
}

/* model_exec: the program's name, of which the kernel keeps 15 characters, of the path its last
 * part. */
static void names_of_programs(void **state)
{
	static const char *const names[][2] = { { "/usr/bin/wget", "wget" }, { "wget", "wget" },
		{ "./a/b", "b" }, { "/usr/bin/a_very_long_name", "a_very_long_nam" },
		{ "/usr/bin/exactly15chars0", "exactly15chars0" }, { "", "t10" },
		{ "/usr/", "t10" } };
	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct lives l;
		char scenario[500];
		snprintf(scenario, sizeof(scenario),
			SWITCH("5", "0", "0", "0", "10") "10us 0 sched_process_exec "
							 "filename=\"%s\" tid=10 old_tid=10\n",
			names[i][0]);
		lives_open(&l, scenario);
		assert_string_equal(lives_name_at(&l.w->hosts[0], 0, 9999), "t10");
		assert_string_equal(lives_name_at(&l.w->hosts[0], 0, 10000), names[i][1]);
		lives_close(&l);
	}
}

/* take_number: a thread that is not its process's first executes a program: it has the first one's
 * number from then on, and the first one has ended. */
#define GROUP                                                                                      \
	SWITCH("5", "0", "0", "0", "10")                                                           \
	FORK("10", "0", "10", "10", "11", "10") SWITCH("12", "0", "10", "1", "11")
static void programs_of_threads(void **state)
{
	struct lives l;
	(void)state;
	lives_open(&l,
		GROUP EVENT("14", "0", "sched_process_exec filename=\"/bin/new\" tid=10 old_tid=11")
			SWITCH("20", "0", "10", "1", "0"));
	lives_are(&l, 10,
		"5 unknown @-, 5 running, 12 blocked | 10 new: task by 10, 12 running, 20 blocked");
	assert_int_equal(l.w->hosts[0].tasks[0].died, 14000);
	assert_int_equal(l.w->hosts[0].tasks[0].end, 14000);
	assert_string_equal(lives_name_at(&l.w->hosts[0], 1, 15000), "new");
	lives_close(&l);
	/* The first one had exited before: that stays. */
	lives_open(&l, SWITCH("5", "0", "0", "0", "10") FORK("10", "0", "10", "10", "11", "10")
			       SWITCH("12", "0", "10", "64", "11") EVENT("14", "0",
				       "sched_process_exec filename=\"/bin/new\" tid=10 old_tid=11")
				       SWITCH("20", "0", "10", "1", "0"));
	lives_are(&l, 10,
		"5 unknown @-, 5 running, 12 dead | 10 new: task by 10, 12 running, 20 blocked");
	assert_int_equal(l.w->hosts[0].n_tasks, 2);
	assert_int_equal(l.w->hosts[0].n_odd, 0);
	assert_int_equal(l.w->hosts[0].tasks[0].died, 12000);
	lives_close(&l);
	/* Whichever of them was seen first. */
	lives_open(&l,
		SWITCH("5", "0", "0", "0", "11") SWITCH("6", "0", "11", "1", "50") SWITCH(
			"7", "0", "50", "1", "10") SWITCH("12", "0", "10", "1", "11") EVENT("14",
			"0", "sched_process_exec filename=\"/bin/new\" tid=10 old_tid=11")
			SWITCH("20", "0", "10", "1", "0"));
	lives_are(&l, 10,
		"5 unknown @-, 5 running, 6 blocked, 12 running, 20 blocked | 5 unknown @-, 7 "
		"running, 12 blocked");
	assert_int_equal(l.w->hosts[0].tasks[0].tid, 10);
	lives_close(&l);
	/* The old number is not known: nothing but the name changes. */
	lives_open(&l, SWITCH("5", "0", "0", "0", "10") EVENT("14", "0",
			       "sched_process_exec filename=\"/bin/new\" tid=10 old_tid=77")
			       SWITCH("20", "0", "10", "1", "0"));
	lives_are(&l, 10, "5 unknown @-, 5 running, 20 blocked");
	assert_int_equal(l.w->hosts[0].tasks[0].died, INT64_MAX);
	lives_close(&l);
}

/* Numbers are used again. A fork of a number that lives: its end is missing. */
static void numbers_used_again(void **state)
{
	struct lives l;
	(void)state;
	lives_open(&l,
		PARENT FORK("10", "0", "10", "10", "11", "11") SWITCH("12", "0", "10", "0", "11")
			SWITCH("14", "0", "11", "1", "10") FORK("20", "0", "10", "10", "11", "11")
				SWITCH("22", "0", "10", "1", "11"));
	lives_are(&l, 11,
		"10 new in clone: task by 10, 12 syscall in clone, 14 blocked in clone | 20 new in "
		"clone: task by 10, 22 syscall in clone");
	assert_int_equal(l.w->hosts[0].tasks[1].end, 20000);
	lives_close(&l);
	/* ... also when it was believed to be on a CPU. */
	lives_open(&l, SWITCH("4", "1", "0", "0", "11") PARENT FORK(
			       "20", "0", "10", "10", "11", "11") SWITCH("30", "1", "0", "0", "7"));
	lives_are(&l, 11, "4 unknown @-, 4 running @1 | 20 new in clone: task by 10");
	lives_are(&l, 7, "4 unknown @-, 30 running @1");
	lives_close(&l);
	/* A dead one is seen again: it is another one, whose begin is missing too. */
	lives_open(&l, SWITCH("5", "0", "0", "0", "11") SWITCH("10", "0", "11", "64", "0")
			       SWITCH("20", "0", "0", "0", "11") SWITCH("25", "0", "11", "1", "0"));
	lives_are(
		&l, 11, "5 unknown @-, 5 running, 10 dead | 10 unknown @-, 20 running, 25 blocked");
	assert_int_equal(l.w->hosts[0].n_odd, 1);
	assert_int_equal(l.w->hosts[0].tasks[0].end, 20000);
	assert_int_equal(l.w->hosts[0].tasks[1].begin, 10000);
	lives_close(&l);
	/* A freed one: that is no contradiction. */
	lives_open(&l, SWITCH("5", "0", "0", "0", "11") SWITCH("10", "0", "11", "64", "0") EVENT(
			       "15", "0", "sched_process_free tid=11")
			       SWITCH("20", "0", "0", "0", "11") SWITCH("25", "0", "11", "1", "0"));
	lives_are(
		&l, 11, "5 unknown @-, 5 running, 10 dead | 15 unknown @-, 20 running, 25 blocked");
	assert_int_equal(l.w->hosts[0].n_odd, 0);
	assert_int_equal(l.w->hosts[0].tasks[1].begin, 15000);
	lives_close(&l);
}

/* model_free_task: who is freed was dead; if its last switch is missing, since who knows when. Who
 * is on a CPU is another one with its number. */
static void freed(void **state)
{
	struct lives l;
	(void)state;
	lives_open(&l, SWITCH("5", "0", "0", "0", "11") SWITCH("10", "0", "11", "1", "0")
			       EVENT("15", "0", "sched_process_free tid=11"));
	lives_are(&l, 11, "5 unknown @-, 5 running, 10 blocked");
	assert_int_equal(l.w->hosts[0].tasks[0].died, 10000);
	assert_int_equal(l.w->hosts[0].tasks[0].end, 15000);
	assert_int_equal(l.w->hosts[0].n_odd, 1);
	lives_close(&l);
	lives_open(&l, SWITCH("5", "0", "0", "0", "11") EVENT("15", "0",
			       "sched_process_free tid=11") SWITCH("20", "0", "11", "1", "0"));
	lives_are(&l, 11, "5 unknown @-, 5 running, 20 blocked");
	assert_int_equal(l.w->hosts[0].tasks[0].end, 20000);
	assert_int_equal(l.w->hosts[0].tasks[0].died, INT64_MAX);
	lives_close(&l);
	lives_open(&l, SWITCH("5", "0", "0", "0", "11") SWITCH("10", "0", "11", "32", "0")
			       EVENT("15", "0", "sched_process_free tid=11")
				       EVENT("18", "0", "sched_process_free tid=11"));
	assert_int_equal(l.w->hosts[0].tasks[0].died, 10000);
	assert_int_equal(l.w->hosts[0].tasks[0].end, 15000);
	assert_int_equal(l.w->hosts[0].n_odd, 0);
	lives_close(&l);
}

/* dump_task: processes, parents, threads of the kernel, names where there is none yet. */
static void the_dump(void **state)
{
	struct lives l;
	(void)state;
	lives_open(&l,
		DUMP EVENT("2", "0",
			"lttng_statedump_process_state tid=11 vtid=3 pid=10 vpid=2 ppid=1 "
			"name=\"eleven\" type=0") EVENT("3", "0",
			"lttng_statedump_process_state tid=12 pid=12 ppid=2 name=\"twelve\" type=1")
			EVENT("3", "0",
				"lttng_statedump_process_state tid=0 pid=0 name=\"swapper\" type=1")
				SWITCH("5", "0", "0", "0", "12") SWITCH("10", "0", "12", "1", "11")
					SWITCH("20", "0", "11", "1", "0"));
	const struct kernel_task *t = task_of(&l, 11);
	assert_int_equal(t->pid, 10);
	assert_int_equal(t->ppid, 1);
	assert_int_equal(t->vtid, 3);
	assert_int_equal(t->vpid, 2);
	assert_false(t->is_kernel);
	assert_true(task_of(&l, 12)->is_kernel);
	assert_int_equal(task_of(&l, 12)->vtid, -1);
	assert_string_equal(lives_name_at(&l.w->hosts[0], 0, 2000), "eleven");
	lives_are(&l, 12, "2 unknown @-, 5 thread, 10 blocked");
	lives_are(&l, 0, "");
	lives_close(&l);
	/* A zombie has been dead since its last event; and does not run any more. */
	lives_open(&l, DUMP SWITCH("2", "0", "0", "0", "7") EVENT("3", "0",
			       "lttng_statedump_process_state tid=11 pid=11 name=\"z\" status=4"));
	assert_int_equal(task_of(&l, 11)->died, 2000);
	lives_close(&l);
	/* A first thread that has exited has no memory in the dump, as threads of the kernel; the
	 * other threads of its process go on. */
	lives_open(&l,
		DUMP SWITCH("2", "0", "0", "0", "7") EVENT("3", "0",
			"lttng_statedump_process_state tid=11 pid=11 ppid=1 name=\"app\" type=1 "
			"status=4") EVENT("3", "0",
			"lttng_statedump_process_state tid=12 pid=11 ppid=1 name=\"app\" type=0 "
			"status=5") EVENT("3", "0",
			"lttng_statedump_process_state tid=2 pid=2 ppid=0 name=\"kthreadd\" "
			"type=1 status=5"));
	assert_false(task_of(&l, 11)->is_kernel);
	assert_false(task_of(&l, 12)->is_kernel);
	assert_true(task_of(&l, 2)->is_kernel);
	lives_close(&l);
	/* Of namespaces the innermost, that is told last. */
	lives_open(&l,
		"event lttng_statedump_process_pid_ns { s32 tid; s32 vtid; s32 vpid; s32 vppid; "
		"s32 ns_level\n"
		"u32 ns_inum }\n" SWITCH("2", "0", "0", "0", "11") EVENT("3", "0",
			"lttng_statedump_process_pid_ns tid=11 vtid=11 vpid=11 ns_inum=100")
			EVENT("4", "0",
				"lttng_statedump_process_pid_ns tid=11 vtid=4 vpid=3 ns_inum=200")
				EVENT("5", "0",
					"lttng_statedump_process_pid_ns tid=99 vtid=4 vpid=3 "
					"ns_inum=200"));
	assert_int_equal(task_of(&l, 11)->vtid, 4);
	assert_int_equal(task_of(&l, 11)->vpid, 3);
	assert_int_equal(task_of(&l, 11)->pid_ns, 200);
	assert_int_equal(kernel_find_task(&l.w->hosts[0], 99, NULL, 0), KERNEL_NONE);
	lives_close(&l);
}

/* Told in the end, of a task whose parent was seen: a parent that is not known takes nothing
 * back; it gets its process, and no other name. */
static void a_late_dump(void **state)
{
	struct lives l;
	(void)state;
	lives_open(&l,
		DUMP PARENT FORK("10", "0", "10", "10", "11", "11") EVENT("20", "0",
			"lttng_statedump_process_state tid=11 pid=9 ppid=-1 name=\"late\" type=0")
			EVENT("21", "0",
				"lttng_statedump_process_state tid=12 pid=12 ppid=-1 name=\"twelve\" "
				"type=0"));
	assert_int_equal(task_of(&l, 11)->ppid, 10);
	assert_int_equal(task_of(&l, 11)->pid, 9);
	assert_int_equal(task_of(&l, 12)->ppid, -1);
	const struct kernel_host *h = &l.w->hosts[0];
	assert_string_equal(lives_name_at(h, kernel_find_task(h, 11, NULL, 0), 30000), "t11");
	assert_string_equal(lives_name_at(h, kernel_find_task(h, 12, NULL, 0), 2000), "twelve");
	lives_close(&l);
}

/* Other things that the dump names: disks, packages of CPUs. */
static void other_dumps(void **state)
{
	struct lives l;
	(void)state;
	lives_open(&l,
		SWITCH("2", "0", "0", "0", "7") EVENT("3", "0",
			"lttng_statedump_block_device dev=8388608 diskname=\"sda\"") EVENT("4", "0",
			"lttng_statedump_block_device dev=8388624 diskname=\"sdb\"")
			EVENT("6", "0", "lttng_statedump_cpu_topology cpu_id=3 physical_id=1"));
	const struct kernel_host *h = &l.w->hosts[0];
	assert_string_equal(kernel_name_text(h, *mer_map_get(&h->devices, 8388608) - 1), "sda");
	assert_string_equal(kernel_name_text(h, *mer_map_get(&h->devices, 8388624) - 1), "sdb");
	assert_int_equal(*mer_map_get(&h->packages, 3), 2);
	assert_null(mer_map_get(&h->packages, 0));
	lives_close(&l);
}

/* The record begins and ends with an event, of any kind. */
static void begin_and_end(void **state)
{
	struct lives l;
	(void)state;
	lives_open(&l, EVENT("1", "0", "something_else a=1") SWITCH("5", "0", "0", "0", "7")
			       EVENT("9", "0", "something_else a=1"));
	lives_are(&l, 7, "1 unknown @-, 5 running");
	assert_int_equal(l.w->hosts[0].begin, 1000);
	assert_int_equal(l.w->hosts[0].end, 9000);
	assert_int_equal(l.w->hosts[0].tasks[0].end, 9000);
	lives_close(&l);
	lives_open(&l, SWITCH("5", "0", "0", "0", "7"));
	assert_int_equal(l.w->hosts[0].begin, 5000);
	assert_int_equal(l.w->hosts[0].end, 5000);
	lives_close(&l);
}

/* rt_sigreturn goes back to where a signal came: no tracer has an exit of it, but what follows is
 * the program. An exit without a name, as some record it, is no contradiction; one with the name of
 * another call is. exit_group lasts until the task is gone. */
static void calls_without_an_exit(void **state)
{
#define GOES_BACK                                                                                  \
	SWITCH("5", "0", "0", "0", "10")                                                           \
	ENTER("8", "0", "getppid", "")                                                             \
	LEAVE("9", "0", "getppid", "1") ENTER("20", "0", "rt_sigreturn", "")
	static const char unnamed[] =
		GOES_BACK "event exit_syscall { s64 ret }\n"
			  "21us 0 exit_syscall ret=-4\n" ENTER("40", "0", "write", "fd=1")
				  LEAVE("41", "0", "write", "1");
	struct lives l;
	(void)state;
	lives_check(GOES_BACK SWITCH("30", "0", "10", "0", "0"), 10,
		"5 unknown @-, 5 user, 8 syscall in getppid, 9 user, 20 user, 30 runnable");
	lives_open(&l, unnamed);
	lives_are(&l, 10,
		"5 unknown @-, 5 user, 8 syscall in getppid, 9 user, 20 user, 21 user, 40 syscall in write, 41 user");
	assert_int_equal(l.w->hosts[0].n_odd, 0);
	assert_int_equal(l.w->hosts[0].n_calls_left_out, 0);
	lives_close(&l);
	lives_open(&l, GOES_BACK LEAVE("21", "0", "write", "1") LEAVE("22", "0", "getppid", "1"));
	assert_int_equal(l.w->hosts[0].n_calls_left_out, 2);
	lives_close(&l);
	/* Only the next exit may be its own. */
	lives_open(&l, GOES_BACK LEAVE("21", "0", "rt_sigreturn", "0")
			       LEAVE("22", "0", "rt_sigreturn", "0"));
	assert_int_equal(l.w->hosts[0].n_calls_left_out, 1);
	lives_close(&l);
	lives_check(SWITCH("5", "0", "0", "0", "10") ENTER("8", "0", "exit_group", "")
			    SWITCH("30", "0", "10", "64", "0"),
		10, "5 unknown @-, 5 user, 8 syscall in exit_group, 30 dead in exit_group");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(forks),
		cmocka_unit_test(calls_without_an_exit), cmocka_unit_test(threads),
		cmocka_unit_test(threads_of_the_kernel), cmocka_unit_test(names_of_programs),
		cmocka_unit_test(programs_of_threads), cmocka_unit_test(numbers_used_again),
		cmocka_unit_test(freed), cmocka_unit_test(the_dump), cmocka_unit_test(a_late_dump),
		cmocka_unit_test(other_dumps), cmocka_unit_test(begin_and_end) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
