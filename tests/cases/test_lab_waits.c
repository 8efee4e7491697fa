/* A program that blocks in some thirty ways and logs how long each took: the wait is there, with
 * the system call, with what it was for, and with who ended it. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "recording.h"

enum { MS = 1000000 };

/* In the order of the log, of those that blocked for 2 ms and more. */
static const struct {
	const char *call; /* system call */
	enum kernel_cause cause;
	const char *by; /* name of who ended it, NULL: no task */
} expected[] = {
	{ "read", KERNEL_PIPE, "zoo-pipew" },
	{ "read", KERNEL_PIPE, "zoo-pipehog" },
	{ "write", KERNEL_PIPE, "zoo-piperd" },
	/* Whether a path is that of a fifo, no event tells. */
	{ "openat", KERNEL_TASK, "zoo-fifow" },
	{ "read", KERNEL_TASK, "zoo-fifow" },
	{ "read", KERNEL_TASK, "zoo-ussrv" },
	{ "read", KERNEL_TASK, "zoo-ussrv" },
	{ "pause", KERNEL_TASK, "zoo-killer" },
	{ "futex", KERNEL_FUTEX, "zoo-futexw" },
	{ "futex", KERNEL_FUTEX, "zoo-holder" },
	{ "futex", KERNEL_FUTEX, "zoo-signal" },
	{ "futex", KERNEL_FUTEX, "zoo-bar4" },
	{ "futex", KERNEL_FUTEX, "zoo-bar4" },
	{ "futex", KERNEL_FUTEX, "zoo-bar4" },
	{ "futex", KERNEL_FUTEX, "zoo-piholder" },
	{ "flock", KERNEL_TASK, "zoo-flock" },
	{ "fcntl", KERNEL_TASK, "zoo-fcntl" },
	{ "read", KERNEL_TASK, "zoo-evw" },
	{ "epoll_wait", KERNEL_TASK, "zoo-evw" },
	{ "epoll_wait", KERNEL_TIMER, NULL },
	{ "poll", KERNEL_TASK, "zoo-evw" },
	{ "poll", KERNEL_TIMER, NULL },
	{ "pselect6", KERNEL_TASK, "zoo-evw" },
	{ "clock_nanosleep", KERNEL_TIMER, NULL },
	{ "pause", KERNEL_TIMER, NULL },
	{ "read", KERNEL_TIMER, NULL },
	{ "wait4", KERNEL_TASK, "zoo-hogexit" },
	{ "wait4", KERNEL_TASK, "zoo-slpexit" },
	{ "wait4", KERNEL_TASK, "zoo-parent" },
	{ "wait4", KERNEL_TASK, "sleep" },
	{ "wait4", KERNEL_TASK, "zoo-hogA" },
	/* Two waits: for the data, which an interrupt ends, and for the journal, whose thread
	 * does. */
	{ "fsync", KERNEL_TASK, "jbd2/vdb-8" },
	{ "read", KERNEL_NETWORK, NULL },
};
enum { N = sizeof(expected) / sizeof(*expected) };

/* The longest wait of a task that begins and ends within a time. */
static uint32_t longest_wait(
	const struct kernel_host *h, uint32_t task, int64_t from, int64_t to, int64_t *length)
{
	uint32_t found = KERNEL_NONE;
	int64_t until = h->tasks[task].end;
	*length = 0;
	for (uint32_t i = h->tasks[task].last; i != KERNEL_NONE; i = kernel_span(h, i)->before) {
		const struct kernel_span *s = kernel_span(h, i);
		int64_t begin = s->begin > from ? s->begin : from;
		if (s->state == KERNEL_BLOCKED && until <= to && until - begin > *length) {
			*length = until - begin;
			found = i;
		}
		until = s->begin;
	}
	return found;
}

static void every_wait_is_as_logged(void **state)
{
	(void)state;
	struct recording r;
	char path[600], line[300];
	size_t n = 0;
	recording_open(&r, "lab/ipc-zoo");
	const struct kernel_host *h = &r.w->hosts[0];
	recording_path(path, sizeof(path), "lab/ipc-zoo/zoo.log");
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		int64_t t, length;
		int tid;
		double ms;
		if (sscanf(line, "%" SCNd64 " %d %*s blocked %lf ms in", &t, &tid, &ms) != 3 ||
			ms < 2)
			continue;
		assert_true(n < N);
		assert_true(n < N);
		t = recording_time(&r, 0, t);
		uint32_t wait = longest_wait(
			h, recording_task(&r, 0, tid, NULL), t - (int64_t)(ms * MS), t, &length);
		assert_int_not_equal(wait, KERNEL_NONE);
		const struct kernel_span *s = kernel_span(h, wait);
		const char *call = s->call == KERNEL_NONE
					   ? "none"
					   : kernel_name_text(h, h->calls[s->call].name);
		const char *by =
			s->by == KERNEL_NONE ? NULL : kernel_comm(h, kernel_span(h, s->by)->task);
		/* It took about all of the time; fsync has two. */
		bool long_enough = length >= (int64_t)(ms * MS) - 3 * MS ||
				   strcmp(expected[n].call, "fsync") == 0;
		if (!long_enough || strcmp(call, expected[n].call) != 0 ||
			s->cause != expected[n].cause || !by != !expected[n].by ||
			(by && strcmp(by, expected[n].by) != 0))
			fail_msg("%s: %s of %.3f ms, %s, by %s", line, call, (double)length / MS,
				kernel_cause_name((enum kernel_cause)s->cause), by ? by : "nobody");
		n++;
	}
	fclose(f);
	assert_int_equal(n, N);
	recording_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(every_wait_is_as_logged) };
	return cmocka_run_group_tests_name("waits of every kind", tests, NULL, NULL);
}
