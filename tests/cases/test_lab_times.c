/* What programs say of their own time: CPU clocks of burners, and a shell's of the programs it
 * runs. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "recording.h"

enum { MS = 1000000 };

/* unknown: is set to the time that is not known. */
static int64_t on_cpu_until(
	const struct kernel_host *h, uint32_t task, int64_t end, int64_t *unknown)
{
	int64_t until = h->tasks[task].end, sum = 0;
	*unknown = 0;
	for (uint32_t i = h->tasks[task].last; i != KERNEL_NONE; i = kernel_span(h, i)->before) {
		const struct kernel_span *s = kernel_span(h, i);
		int64_t to = until < end ? until : end;
		if (kernel_is_on_cpu((enum kernel_state)s->state) && s->begin < to)
			sum += to - s->begin;
		if (s->state == KERNEL_UNKNOWN && s->begin < to)
			*unknown += to - s->begin;
		until = s->begin;
	}
	return sum;
}

/* The kernel's clock of a thread's CPU time counts what interrupts take, too. All that is known is
 * in it; what is not known may be. */
static int check_burners(const char *recording, const char *host_name, const char *log)
{
	struct recording r;
	char path[600], line[300];
	int n = 0;
	recording_open(&r, recording);
	uint32_t host = recording_host(&r, host_name);
	recording_path(path, sizeof(path), log);
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		int64_t t, unknown;
		int tid;
		double ms;
		if (sscanf(line, "%" SCNd64 " %d %*s cpu end: cpu time used %lf ms", &t, &tid,
			    &ms) != 3)
			continue;
		double is =
			(double)on_cpu_until(&r.w->hosts[host], recording_task(&r, host, tid, NULL),
				recording_time(&r, host, t), &unknown) /
			MS;
		if (is + (double)unknown / MS < ms * 0.99 || is > ms * 1.01)
			fail_msg("%d: %.3f ms on a CPU, %.3f unknown, by its clock %.3f", tid, is,
				(double)unknown / MS, ms);
		n++;
	}
	fclose(f);
	recording_close(&r);
	return n;
}

static void cpu_time_is_that_of_the_cpu_clock(void **state)
{
	(void)state;
	assert_int_equal(check_burners("lab/cpu-mem-io", "worker", "lab/cpu-mem-io/worker.log"), 3);
}

static void cpu_time_is_within_what_losses_leave_open(void **state)
{
	(void)state;
	assert_int_equal(check_burners("lab/lost-events", "lossy", "lab/lost-events/burn.log"), 1);
}

/* Between the shell's begin and end of a program, which it logs right after its fork and right
 * after it was waited for, the program lives, and its parent is the shell. */
static void programs_live_as_the_shell_says(void **state)
{
	(void)state;
	static const char *const logs[] = { "cold", "hot", "short", "short2" };
	struct recording r;
	int n = 0;
	recording_open(&r, "lab/login-tree");
	const struct kernel_host *h = &r.w->hosts[0];
	for (size_t i = 0; i < sizeof(logs) / sizeof(*logs); i++) {
		char name[100], path[600], line[300];
		snprintf(name, sizeof(name), "lab/login-tree/login-%s.log", logs[i]);
		recording_path(path, sizeof(path), name);
		FILE *f = fopen(path, "r");
		int shell = 0;
		assert_non_null(f);
		while (fgets(line, sizeof(line), f)) {
			int64_t t;
			int pid;
			char what[10];
			const char *p = strstr(line, " pid ");
			if (!p || sscanf(line, "%" SCNd64 " %9s", &t, what) != 2 ||
				sscanf(p, " pid %d", &pid) != 1)
				continue;
			const struct kernel_task *k = &h->tasks[recording_task(&r, 0, pid, NULL)];
			t = recording_time(&r, 0, t);
			if (!shell)
				shell = pid;
			if (pid == shell)
				continue;
			assert_int_equal(k->pid, pid);
			bool begins = strcmp(what, "begin") == 0;
			int64_t late = begins ? t - k->begin : t - k->died;
			if (k->ppid != shell || !k->born || late < -MS || late > 30 * (int64_t)MS)
				fail_msg("%s: %.3f ms late", line, (double)late / MS);
			n++;
		}
		fclose(f);
	}
	assert_true(n > 100);
	recording_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpu_time_is_that_of_the_cpu_clock),
		cmocka_unit_test(cpu_time_is_within_what_losses_leave_open),
		cmocka_unit_test(programs_live_as_the_shell_says),
	};
	return cmocka_run_group_tests_name("times that programs logged", tests, NULL, NULL);
}
