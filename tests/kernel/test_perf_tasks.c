/* What perf records of tasks without any tracepoint: processes, parents, names and ends are known
 * from it; where the kernel's own events are there, too, nothing happens twice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "lives.h"

#define DECLARED                                                                                   \
	"event \"perf_fork\" { s32 pid; s32 ppid; s32 tid; s32 ptid; u64 time }\n"                 \
	"event \"perf_exit\" { s32 pid; s32 ppid; s32 tid; s32 ptid; u64 time }\n"                 \
	"event \"perf_comm\" { s32 pid; s32 tid; string comm; u8 exec }\n"                         \
	"event \"task:task_newtask\" { s32 pid; string16 comm; u64 clone_flags }\n"                \
	"event \"sched:sched_process_fork\" { string16 parent_comm; s32 parent_pid\n"              \
	"string16 child_comm; s32 child_pid }\n"                                                   \
	"event \"sched:sched_process_exec\" { string filename; s32 pid; s32 old_pid }\n"           \
	"event \"sched:sched_process_exit\" { string16 comm; s32 pid; s32 prio }\n"                \
	"event \"task:task_rename\" { s32 pid; string16 oldcomm; string16 newcomm }\n"
#define TIMES " time=5\n"
#define PERF_FORK(at, pid, ppid, tid, ptid)                                                        \
	at "us 0 perf_fork pid=" pid " ppid=" ppid " tid=" tid " ptid=" ptid TIMES
#define PERF_EXIT(at, pid, tid) at "us 0 perf_exit pid=" pid " tid=" tid TIMES
#define PERF_COMM(at, pid, tid, comm, exec)                                                        \
	at "us 0 perf_comm pid=" pid " tid=" tid " comm=\"" comm "\" exec=" exec "\n"
#define FORKED(at, parent, child)                                                                  \
	at "us 0 \"sched:sched_process_fork\" parent_pid=" parent " child_pid=" child              \
	   " child_comm=\"t" parent "\"\n"
#define EXECED(at, tid, old, file)                                                                 \
	at "us 0 \"sched:sched_process_exec\" pid=" tid " old_pid=" old " filename=\"" file "\"\n"
#define EXITED(at, tid) at "us 0 \"sched:sched_process_exit\" pid=" tid "\n"
#define RENAMED(at, tid, name) at "us 0 \"task:task_rename\" pid=" tid " newcomm=\"" name "\"\n"

/* All tasks, in the order in which they were first heard of: "TID (PID of PPID) NAMES SPANS". */
static void tasks_are(const char *scenario, const char *expected)
{
	struct mer_str out = { 0 };
	struct lives l;
	lives_open(&l, scenario);
	const struct kernel_host *h = &l.w->hosts[0];
	for (uint32_t i = 0; i < h->n_tasks; i++) {
		const struct kernel_task *t = &h->tasks[i];
		const char *between = "";
		char names[200] = "";
		mer_str_printf(&out, "%s%d (%d of %d)%s", out.len ? "; " : "", (int)t->tid,
			(int)t->pid, (int)t->ppid, t->died == INT64_MAX ? "" : " died");
		for (uint32_t n = t->name; n != KERNEL_NONE; n = h->renames[n].before) {
			char rest[200];
			snprintf(rest, sizeof(rest), "%s", names);
			snprintf(names, sizeof(names), "%s%s%.100s",
				kernel_name_text(h, h->renames[n].name), between, rest);
			between = " ";
		}
		mer_str_printf(&out, " %s", names);
	}
	assert_string_equal(out.len ? out.data : "", expected);
	mer_str_fini(&out);
	lives_close(&l);
}

/* A shell forks a child, which runs a program and ends; a thread of it. */
#define SHELL SWITCH("5", "0", "0", "0", "10")
static void alone(void **state)
{
	(void)state;
	tasks_are(DECLARED SHELL PERF_FORK("10", "11", "10", "11", "10") SWITCH(
			  "12", "0", "10", "1", "11") PERF_COMM("13", "11", "11", "ls", "1")
			  PERF_FORK("14", "11", "11", "12", "11") PERF_EXIT("15", "11", "11")
				  SWITCH("16", "0", "11", "32", "12"),
		"10 (10 of -1) t10; 11 (11 of 10) died t10 t11 ls t11; 12 (11 of 10) ls t12");
	/* Without any switch, too. */
	tasks_are(DECLARED PERF_COMM("9", "10", "10", "sh", "0") PERF_FORK(
			  "10", "11", "10", "11", "10") PERF_COMM("13", "11", "11", "ls", "1"),
		"10 (10 of -1) sh; 11 (11 of 10) sh ls");
}

/* Those that were there before stand at time 0 in perf's own CTF. */
static void before(void **state)
{
	(void)state;
	tasks_are(DECLARED "1us 0 perf_fork pid=10 ppid=1 tid=10 ptid=10 time=0\n"
			   "1us 0 perf_fork pid=10 ppid=10 tid=11 ptid=10 time=0\n" PERF_COMM(
				   "1", "10", "10", "sh", "0"),
		"10 (10 of 1) sh; 11 (10 of -1) ");
}

/* The kernel's own events come right after perf's records: one fork, one name, one end. */
static void with_tracepoints(void **state)
{
	(void)state;
	static const char both[] = DECLARED SHELL PERF_FORK("10", "11", "10", "11",
		"10") "10us 0 \"task:task_newtask\" pid=11 clone_flags=0x11\n" FORKED("11", "10",
		"11") SWITCH("12", "0", "10", "1", "11") PERF_COMM("13", "11", "11", "ls", "1")
		EXECED("14", "11", "11", "/bin/ls") RENAMED("15", "11", "x")
			PERF_COMM("16", "11", "11", "x", "0") EXITED("17", "11")
				PERF_EXIT("18", "11", "11") SWITCH("19", "0", "11", "32", "0");
	tasks_are(both, "10 (10 of -1) t10; 11 (11 of 10) died t10 t11 ls x t11");
	lives_check(both, 11, "10 new: task by 10, 12 running, 19 dead");
	/* The same number again, of another child of the same parent: a second task. */
	tasks_are(DECLARED SHELL PERF_FORK("10", "11", "10", "11", "10") FORKED("11", "10", "11")
			  PERF_FORK("20", "11", "10", "11", "10") FORKED("21", "10", "11"),
		"10 (10 of -1) t10; 11 (11 of 10) t10; 11 (11 of 10) t10");
	/* perf's record of the fork was lost, or was of another one. */
	tasks_are(DECLARED SHELL PERF_FORK("10", "11", "10", "11", "10") FORKED("11", "10", "12"),
		"10 (10 of -1) t10; 11 (11 of 10) t10; 12 (-1 of 10) t10");
}

/* A thread that is not the first one begins another program: from then on it has the first one's
 * number. */
static void threads(void **state)
{
	(void)state;
#define THREAD                                                                                     \
	DECLARED SHELL PERF_FORK("10", "10", "10", "11", "10") SWITCH("12", "0", "10", "1", "11")  \
		PERF_COMM("13", "10", "10", "ls", "1")
	tasks_are(THREAD, "10 (10 of -1) died t10; 10 (10 of -1) t10 t11 ls");
	tasks_are(THREAD EXECED("14", "10", "11", "/bin/ls"),
		"10 (10 of -1) died t10; 10 (10 of -1) t10 t11 ls");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(alone), cmocka_unit_test(before),
		cmocka_unit_test(with_tracepoints), cmocka_unit_test(threads) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
