/* What workers of the kernel run, and what sockets move without a recorded call. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "lives.h"

#define TEXTS                                                                                      \
	"event workqueue_execute_start { u64 work; string function }\n"                            \
	"event workqueue_execute_end { u64 work; string function }\n"
#define ADDRESSES                                                                                  \
	"event \"workqueue:workqueue_execute_start\" { u64 work; u64 function }\n"                 \
	"event \"workqueue:workqueue_execute_end\" { u64 work; u64 function }\n"
#define TO_WORKER(at) EVENT(at, "0", "sched_switch prev_tid=7 next_comm=\"kworker/0:1\" next_tid=1")
#define BLOCKS(at) EVENT(at, "0", "sched_switch prev_tid=1 prev_state=2 next_tid=7")
#define BEGINS(at, work) EVENT(at, "0", "workqueue_execute_start function=\"" work "\"")
#define ENDS(at, work) EVENT(at, "0", "workqueue_execute_end function=\"" work "\"")

static void worker(void **state)
{
	(void)state;
	/* One after the other, and a wait in the second; what is outside of both is of neither. */
	lives_check(TEXTS TO_WORKER("5") BEGINS("6", "wb_workfn") ENDS("8", "wb_workfn")
			    BEGINS("9", "vmstat_update") BLOCKS("10") WAKING("20", "0", "1", "0")
				    TO_WORKER("25") ENDS("30", "vmstat_update") BLOCKS("40"),
		1,
		"5 runnable @-, 5 thread, 6 thread in work wb_workfn, 8 thread, "
		"9 thread in work vmstat_update, 10 blocked in work vmstat_update: task by 7, "
		"20 runnable in work vmstat_update by 7, 25 thread in work vmstat_update, "
		"30 thread, 40 blocked");
	/* Nobody resolved its address. */
	lives_check(ADDRESSES TO_WORKER("5") EVENT("6", "0",
			    "\"workqueue:workqueue_execute_start\" function=0xff10") EVENT("8", "0",
			    "\"workqueue:workqueue_execute_end\" function=0xff10") BLOCKS("9"),
		1, "5 unknown @-, 5 thread, 6 thread in work 0xff10, 8 thread, 9 blocked");
}

/* Its end, or the next one's begin, is missing: it is not in the first one any longer. */
static void missing(void **state)
{
	(void)state;
	lives_check(TEXTS TO_WORKER("5") BEGINS("6", "a") BEGINS("8", "b") ENDS("9", "b")
			    ENDS("10", "c") BLOCKS("11"),
		1,
		"5 unknown @-, 5 thread, 6 thread in work a, 8 thread in work b, 9 thread, "
		"10 thread, 11 blocked");
	/* Of a task of a program nothing is a worker's. */
	lives_check(TEXTS SWITCH("5", "0", "7", "1", "1") BEGINS("6", "a") ENDS("8", "a")
			    SWITCH("9", "0", "1", "1", "7"),
		1, "5 unknown @-, 5 running, 9 blocked");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(worker), cmocka_unit_test(missing) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
