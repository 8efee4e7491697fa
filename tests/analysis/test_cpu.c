/* CPU usage against what was worked out by hand, what simulated machines did, what programs
 * measured of themselves and what another analyser found; and that all its tables agree to the
 * nanosecond. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "run_more.h"

enum { TICK = 1000 };

static const struct analysis_options all = {
	.begin = INT64_MIN, .end = INT64_MAX, .max_ns = INT64_MAX
};

/* ---- all tables say the same ---- */

/* 0: or not known, as what makes it is not recorded. */
static int64_t known(const struct mer_table *t, size_t row, const char *key)
{
	const struct mer_cell *c = run_case_cell(t, row, key);
	return c->set ? c->v.i : 0;
}

static int64_t of_tasks(const struct mer_table *t, size_t row)
{
	return known(t, row, "user_ns") + known(t, row, "syscall_ns") +
	       run_case_int(t, row, "kernel_ns") + run_case_int(t, row, "running_ns");
}

static const char *const parts[] = { "user_ns", "syscall_ns", "kernel_ns", "running_ns", "irq_ns",
	"softirq_ns", "idle_ns", "unknown_ns", "task_ns" };
enum { N_PARTS = sizeof(parts) / sizeof(parts[0]) };

static int64_t total(const struct mer_table *t, size_t row)
{
	int64_t sum = 0;
	for (size_t i = 0; i + 1 < N_PARTS; i++)
		sum += known(t, row, parts[i]);
	return sum;
}

struct bin {
	int64_t begin, self, interrupted, of_threads[2], of_processes[2];
};

static int by_begin(const void *a, const void *b)
{
	const struct bin *p = a, *q = b;
	return (p->begin > q->begin) - (p->begin < q->begin);
}

/* In each bin of a host, its threads together had what its CPUs gave to tasks, and so had
 * processes. */
static void check_bins(const struct mer_table *t, const char *host)
{
	struct bin *bins = calloc(t->n_rows + 1, sizeof(*bins));
	size_t n = 0;
	for (size_t i = 0; i < t->n_rows; i++)
		if (strcmp(run_case_text(t, i, "host"), host) == 0 &&
			strcmp(run_case_text(t, i, "of"), "host") == 0)
			bins[n++] = (struct bin){ .begin = run_case_int(t, i, "begin"),
				.self = run_case_int(t, i, "self_ns"),
				.interrupted = known(t, i, "interrupted_ns") };
	for (size_t i = 0; i < t->n_rows; i++) {
		const char *of = run_case_text(t, i, "of");
		bool thread = strcmp(of, "thread") == 0;
		if ((!thread && strcmp(of, "process") != 0) ||
			strcmp(run_case_text(t, i, "host"), host) != 0)
			continue;
		struct bin key = { .begin = run_case_int(t, i, "begin") };
		struct bin *b = bsearch(&key, bins, n, sizeof(*bins), by_begin);
		assert_non_null(b);
		int64_t *sums = thread ? b->of_threads : b->of_processes;
		sums[0] += run_case_int(t, i, "self_ns");
		sums[1] += known(t, i, "interrupted_ns");
	}
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(bins[i].of_threads[0], bins[i].self);
		assert_int_equal(bins[i].of_threads[1], bins[i].interrupted);
		assert_int_equal(bins[i].of_processes[0], bins[i].self);
		assert_int_equal(bins[i].of_processes[1], bins[i].interrupted);
	}
	free(bins);
}

/* All stays on a CPU of whole recordings are what top says, in total and by thread. unique: no
 * number of a thread was used again. */
static void check_stays(struct run_case *c, bool unique)
{
	run_case_run(c, "cpu", NULL);
	const struct mer_table *top = run_case_table(c, "top");
	const struct mer_table *log = run_case_table(c, "log");
	assert_true(log->n_rows > 0);
	for (int k = 0; k < 2; k++) {
		const char *key = k ? "interrupted_ns" : "self_ns";
		assert_int_equal(run_more_sum(log, key, ""), run_more_sum(top, key, ""));
	}
	run_case_check_freq(log, run_case_table(c, "freq"), "host");
	if (!unique)
		return;
	run_case_check_sums(log, run_case_table(c, "stats"), "host tid");
	for (size_t i = 0; i < top->n_rows; i++) {
		char row[100];
		snprintf(row, sizeof(row), "host=%s tid=%" PRId64, run_case_text(top, i, "host"),
			run_case_int(top, i, "tid"));
		assert_int_equal(run_more_sum(log, "duration_ns", row),
			run_case_int(top, i, "self_ns") + known(top, i, "interrupted_ns"));
	}
}

/* lossless: nothing is unknown. Times of whole recordings without a step back of time. */
static void check_agreement(struct run_case *c, const struct analysis_options *o, bool lossless)
{
	run_case_run(c, "cpu", o);
	const struct mer_table *top = run_case_table(c, "top");
	const struct mer_table *processes = run_case_table(c, "processes");
	const struct mer_table *cpus = run_case_table(c, "cpus");
	const struct mer_table *hosts = run_case_table(c, "hosts");
	const struct mer_table *bins = run_case_table(c, "bins");
	static const char *const of_both[] = { "self_ns", "user_ns", "syscall_ns", "kernel_ns",
		"running_ns", "interrupted_ns", "runnable_ns", "migrations" };
	assert_true(top->n_rows > 0 && hosts->n_rows > 0);
	for (size_t i = 0; i < top->n_rows; i++)
		assert_int_equal(of_tasks(top, i), run_case_int(top, i, "self_ns"));
	for (size_t i = 0; i < hosts->n_rows; i++) {
		char host[100];
		snprintf(host, sizeof(host), "host=%s", run_case_text(hosts, i, "host"));
		for (size_t k = 0; k < sizeof(of_both) / sizeof(of_both[0]); k++)
			assert_int_equal(run_more_sum(top, of_both[k], host),
				run_more_sum(processes, of_both[k], host));
		for (size_t k = 0; k < N_PARTS; k++)
			assert_int_equal(
				run_more_sum(cpus, parts[k], host), known(hosts, i, parts[k]));
		assert_int_equal(run_more_sum(top, "self_ns", host), of_tasks(hosts, i));
		assert_int_equal(run_more_sum(top, "self_ns", host) +
					 run_more_sum(top, "interrupted_ns", host),
			run_case_int(hosts, i, "task_ns"));
		if (lossless)
			assert_int_equal(run_case_int(hosts, i, "unknown_ns"), 0);
	}
	for (size_t i = 0; i < cpus->n_rows; i++) {
		char row[100];
		snprintf(row, sizeof(row), "of=cpu host=%s cpu=%" PRId64,
			run_case_text(cpus, i, "host"), run_case_int(cpus, i, "cpu"));
		for (size_t k = 0; k < N_PARTS && bins->n_rows; k++)
			assert_int_equal(
				run_more_sum(bins, parts[k], row), known(cpus, i, parts[k]));
		if (i > 0 && strcmp(run_case_text(cpus, i, "host"),
				     run_case_text(cpus, i - 1, "host")) == 0)
			assert_int_equal(total(cpus, i), total(cpus, i - 1));
	}
	for (size_t i = 0; i < hosts->n_rows && bins->n_rows; i++) {
		char row[100];
		snprintf(row, sizeof(row), "of=host host=%s", run_case_text(hosts, i, "host"));
		for (size_t k = 0; k < N_PARTS; k++)
			assert_int_equal(
				run_more_sum(bins, parts[k], row), known(hosts, i, parts[k]));
		check_bins(bins, run_case_text(hosts, i, "host"));
	}
	for (size_t i = 0; i < bins->n_rows; i++) { /* a thread of it, once */
		if (!run_more_is(bins, i, "of=thread") || run_more_is(bins, i, "tid=-") ||
			(i > 0 && run_more_is(bins, i - 1, "of=thread") &&
				run_case_int(bins, i, "tid") == run_case_int(bins, i - 1, "tid")))
			continue;
		char row[100], thread[120];
		snprintf(row, sizeof(row), "host=%s tid=%" PRId64, run_case_text(bins, i, "host"),
			run_case_int(bins, i, "tid"));
		snprintf(thread, sizeof(thread), "of=thread %s", row);
		assert_int_equal(
			run_more_sum(bins, "self_ns", thread), run_more_sum(top, "self_ns", row));
		assert_int_equal(run_more_sum(bins, "interrupted_ns", thread),
			run_more_sum(top, "interrupted_ns", row));
	}
}

/* ---- by hand ---- */

/* On CPU 0: 10-20 idle with a timer 12-15, in which a softirq runs 13-14; 20-40 a thread of process
 * 5, in a call 25-30, interrupted 32-36, in that by a softirq 33-35; it waits for the CPU 40-50,
 * comes to CPU 1 and exits. CPU 1 is idle until then. */
static const char by_hand[] =
	"host h\ntrace h/kernel\n"
	"10us h 0 sched_switch prev_comm=\"a\" prev_tid=9 prev_state=1 next_comm=\"\" next_tid=0\n"
	"10us h 1 sched_switch prev_comm=\"b\" prev_tid=8 prev_state=1 next_comm=\"\" next_tid=0\n"
	"11us h 0 sched_waking comm=\"w\" tid=6 target_cpu=0\n"
	"12us h 0 irq_handler_entry irq=7 name=\"x\"\n"
	"13us h 0 irq_softirq_entry vec=1\n"
	"14us h 0 irq_softirq_exit vec=1\n"
	"15us h 0 irq_handler_exit irq=7\n"
	"20us h 0 sched_switch prev_comm=\"\" prev_tid=0 next_comm=\"w\" next_tid=6\n"
	"25us h 0 syscall_entry_read fd=1\n"
	"30us h 0 syscall_exit_read ret=1\n"
	"32us h 0 irq_handler_entry irq=7 name=\"x\"\n"
	"33us h 0 irq_softirq_entry vec=1\n"
	"35us h 0 irq_softirq_exit vec=1\n"
	"36us h 0 irq_handler_exit irq=7\n"
	"40us h 0 sched_switch prev_comm=\"w\" prev_tid=6 prev_state=0 next_comm=\"\" next_tid=0\n"
	"44us h 1 sched_migrate_task comm=\"w\" tid=6 orig_cpu=0 dest_cpu=1\n"
	"50us h 1 sched_switch prev_comm=\"\" prev_tid=0 next_comm=\"w\" next_tid=6\n"
	"70us h 1 sched_switch prev_comm=\"w\" prev_tid=6 prev_state=1 next_comm=\"\" next_tid=0\n"
	"80us h 0 sched_waking comm=\"w\" tid=6 target_cpu=0\n";

/* All CPUs that are recorded have a row, once, also where it is not known what they did. */
static void every_cpu(void **state)
{
	(void)state;
	struct run_case c;
	run_case_open_scenario(&c,
		"host g\nhost h\n10us h 0 sched_switch prev_tid=0 next_comm=\"w\" next_tid=6\n"
		"20us h 3 sched_waking comm=\"x\" tid=9 target_cpu=3\n"
		"30us h 0 sched_switch prev_comm=\"w\" prev_tid=6 prev_state=1 next_tid=0\n"
		"15us g 2 sched_waking comm=\"x\" tid=9 target_cpu=2\n");
	run_case_run(&c, "cpu", NULL);
	const struct mer_table *cpus = run_case_table(&c, "cpus");
	assert_int_equal(cpus->n_rows, 3);
	assert_true(run_more_is(cpus, run_more_row(cpus, "host=h cpu=0"), "task_ns=20000"));
	/* Of these nothing is known. */
	assert_true(run_more_is(cpus, run_more_row(cpus, "host=h cpu=3"), "task_ns=- percent=-"));
	assert_true(run_more_is(cpus, run_more_row(cpus, "host=g cpu=2"), "task_ns=0 percent=-"));
	run_case_close(&c);
}

static void worked_out(void **state)
{
	(void)state;
	struct run_case c;
	run_case_open_scenario(&c, by_hand);
	run_case_run(&c, "cpu", NULL);
	const struct mer_table *top = run_case_table(&c, "top");
	assert_true(run_more_is(top, 0,
		"host=h tid=6 comm=w self_ns=36000 user_ns=31000 syscall_ns=5000 running_ns=0 "
		"kernel_ns=0 interrupted_ns=4000 runnable_ns=19000 migrations=1"));
	assert_true(fabs(run_case_cell(top, 0, "percent")->v.f - 36.0 / 70) < 1e-12);
	const struct mer_table *cpus = run_case_table(&c, "cpus");
	assert_true(run_more_is(cpus, 0,
		"host=h cpu=0 user_ns=11000 syscall_ns=5000 irq_ns=4000 softirq_ns=3000 "
		"idle_ns=47000 unknown_ns=0 task_ns=20000"));
	assert_true(run_more_is(cpus, 1,
		"host=h cpu=1 user_ns=20000 syscall_ns=0 irq_ns=0 softirq_ns=0 idle_ns=50000 "
		"unknown_ns=0 task_ns=20000"));
	assert_true(run_more_is(run_case_table(&c, "processes"), 0, "host=h comm=w threads=1"));
	/* Nobody said which CPU is in which package. */
	assert_true(run_more_is(top, 0, "package_migrations=-"));
	const struct mer_table *log = run_case_table(&c, "log");
	assert_int_equal(log->n_rows, 2);
	assert_true(run_more_is(log, 0,
		"begin=20000 end=40000 duration_ns=20000 cpu=0 tid=6 ended=preempted "
		"self_ns=16000 interrupted_ns=4000"));
	assert_true(run_more_is(log, 1, "begin=50000 end=70000 cpu=1 ended=blocked"));
	check_stays(&c, true);
	/* 4 bins: of 17.5 us. */
	struct analysis_options o = all;
	o.n_bins = 4;
	check_agreement(&c, &o, true);
	const struct mer_table *bins = run_case_table(&c, "bins");
	size_t first = run_more_row(bins, "of=thread begin=10000");
	assert_true(run_more_is(bins, first, "end=27500 tid=6 self_ns=7500 interrupted_ns=0"));
	/* Its time in user mode of CPU 0 only, from 22 to 26. */
	o.begin = 22 * TICK;
	o.end = 26 * TICK;
	check_agreement(&c, &o, true);
	assert_true(run_more_is(run_case_table(&c, "top"), 0,
		"tid=6 self_ns=4000 user_ns=3000 syscall_ns=1000 runnable_ns=0 migrations=0"));
	run_case_close(&c);
}

/* Bins wider than all the time that there can be do not end before they begin. */
static void widest_bins(void **state)
{
	static const int64_t widths[] = { INT64_MAX, INT64_MAX - 10 * TICK, INT64_MAX / 2 };
	(void)state;
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		struct run_case c;
		struct analysis_options o = all;
		run_case_open_scenario(&c,
			"host h\ntrace h/kernel\n"
			"10us h 0 sched_switch prev_comm=\"a\" prev_tid=9 next_comm=\"w\" "
			"next_tid=6\n"
			"40us h 0 sched_switch prev_comm=\"w\" prev_tid=6 next_comm=\"a\" "
			"next_tid=9\n");
		o.interval_ns = widths[i];
		run_case_run(&c, "cpu", &o);
		const struct mer_table *bins = run_case_table(&c, "bins");
		size_t host = run_more_row(bins, "of=host");
		assert_int_equal(run_case_int(bins, host, "begin"), 10 * TICK);
		assert_true(run_case_int(bins, host, "end") >= 40 * TICK);
		assert_true(run_case_int(bins, host, "capacity_ns") >= 30 * TICK);
		run_case_close(&c);
	}
}

/* After 20 CPU 0 loses track: who is switched out at 40 is another one than was switched in at 20,
 * and an event of the CPU does not say that this one still ran. */
static void contradiction(void **state)
{
	(void)state;
	struct run_case c;
	run_case_open_scenario(&c,
		"host h\ntrace h/kernel\n"
		"10us h 0 sched_switch prev_comm=\"a\" prev_tid=9 prev_state=1 next_comm=\"\" "
		"next_tid=0\n"
		"20us h 0 sched_switch prev_comm=\"\" prev_tid=0 next_comm=\"w\" next_tid=6\n"
		"30us h 0 sched_waking comm=\"v\" tid=7 target_cpu=1\n"
		"40us h 0 sched_switch prev_comm=\"u\" prev_tid=5 prev_state=1 next_comm=\"\" "
		"next_tid=0\n"
		"50us h 0 sched_waking comm=\"v\" tid=7 target_cpu=1\n"
		"60us h 0 sched_switch prev_comm=\"u\" prev_tid=5 prev_state=1 next_comm=\"\" "
		"next_tid=0\n"
		"70us h 0 sched_waking comm=\"v\" tid=7 target_cpu=1\n");
	run_case_run(&c, "cpu", NULL);
	const struct mer_table *cpus = run_case_table(&c, "cpus");
	/* Known: idle 10-20, 40-50, 60-70. */
	assert_true(run_more_is(
		cpus, run_more_row(cpus, "cpu=0"), "running_ns=0 idle_ns=30000 unknown_ns=30000"));
	run_case_close(&c);
}

static bool is_b(void *ctx, const struct kernel_host *h, uint32_t task)
{
	(void)ctx;
	return strcmp(kernel_comm(h, task), "b") == 0;
}

/* Of all tasks of a host: of selected ones also how many did not live long; and where sched_switch
 * of that host does not say what a task does next, nobody knows who was runnable. */
static void totals(void **state)
{
	(void)state;
	struct run_case c;
#define LIVES(begin_, tid_, comm_)                                                                 \
	begin_ "0us h 0 sched_process_fork parent_comm=\"p\" parent_tid=9 parent_pid=9 "           \
	       "child_comm=\"" comm_ "\" child_tid=" tid_ " child_pid=" tid_ "\n" begin_           \
	       "2us h 0 sched_switch prev_comm=\"p\" prev_tid=9 prev_state=0 next_comm=\"" comm_   \
	       "\" next_tid=" tid_ "\n" begin_ "5us h 0 sched_process_exit comm=\"" comm_          \
	       "\" tid=" tid_ "\n" begin_ "6us h 0 sched_switch prev_comm=\"" comm_                \
	       "\" prev_tid=" tid_ " prev_state=64 next_comm=\"p\" next_tid=9\n"
	run_case_open_scenario(&c,
		"host g\nhost h\n"
		"event sched_switch { s32 prev_tid; s32 next_tid }\n"
		"10us g 0 sched_switch prev_tid=0 next_tid=6\n"
		"30us g 0 sched_switch prev_tid=6 next_tid=0\n"
		"event sched_switch { string prev_comm; s32 prev_tid; s64 prev_state; "
		"string next_comm; s32 next_tid }\n" LIVES("1", "20", "b") LIVES("2", "21", "b")
			LIVES("3", "22", "d"));
#undef LIVES
	struct analysis_options o = all;
	run_case_run(&c, "cpu", &o);
	const struct mer_table *t = run_case_table(&c, "totals");
	assert_true(run_more_is(t, run_more_row(t, "host=g"),
		"tasks=1 self_ns=20000 runnable_ns=- all_runnable_ns=- brief=0"));
	/* Its child had the CPU for 4 us, three times. */
	assert_true(run_more_is(t, run_more_row(t, "host=h"), "brief=3 brief_ns=12000"));
	size_t row = run_more_row(t, "host=h");
	assert_true(run_case_cell(t, row, "runnable_ns")->v.i >= 12000);
	assert_false(run_case_cell(t, run_more_row(t, "host=g"), "runnable_tasks")->set);
	o.wants_task = is_b;
	run_case_run(&c, "cpu", &o);
	t = run_case_table(&c, "totals");
	assert_int_equal(t->n_rows, 1);
	assert_true(run_more_is(t, 0, "host=h tasks=2 brief=2 brief_ns=8000"));
	run_case_close(&c);
}

/* The recording is from the first event to the last one, also if nobody asked for those. */
static void whole_recording(void **state)
{
	(void)state;
	struct run_case c;
	run_case_open_scenario(&c,
		"host h\ntrace h/kernel\n"
		"5us h 0 kmem_kfree ptr=1\n"
		"10us h 0 sched_switch prev_comm=\"a\" prev_tid=9 prev_state=1 next_comm=\"\" "
		"next_tid=0\n"
		"90us h 0 kmem_kfree ptr=1\n");
	run_case_run(&c, "cpu", NULL);
	assert_true(run_more_is(run_case_table(&c, "hosts"), 0,
		"cpus=1 running_ns=5000 idle_ns=80000 unknown_ns=0"));
	run_case_close(&c);
}

/* Two CPUs of one package and one of another; of a fourth nobody says. Said late, it is known for
 * all of the time. */
static void packages(void **state)
{
	(void)state;
	struct run_case c;
	run_case_open_scenario(&c,
		"host h\ntrace h/kernel\n"
		"10us h 0 sched_switch prev_comm=\"v\" prev_tid=6 prev_state=0 next_comm=\"w\" "
		"next_tid=8\n"
		"10us h 1 sched_switch prev_comm=\"u\" prev_tid=7 prev_state=0 next_comm=\"\" "
		"next_tid=0\n"
		"11us h 0 sched_migrate_task comm=\"v\" tid=6 orig_cpu=0 dest_cpu=1\n"
		"12us h 1 sched_migrate_task comm=\"v\" tid=6 orig_cpu=1 dest_cpu=2\n"
		"13us h 2 sched_migrate_task comm=\"v\" tid=6 orig_cpu=2 dest_cpu=0\n"
		"14us h 0 sched_migrate_task comm=\"u\" tid=7 orig_cpu=1 dest_cpu=0\n"
		"15us h 0 sched_switch prev_comm=\"w\" prev_tid=8 prev_state=0 next_comm=\"\" "
		"next_tid=0\n"
		"16us h 3 sched_migrate_task comm=\"w\" tid=8 orig_cpu=0 dest_cpu=3\n"
		"17us h 0 lttng_statedump_cpu_topology cpu_id=0 physical_id=0\n"
		"17us h 0 lttng_statedump_cpu_topology cpu_id=1 physical_id=0\n"
		"17us h 0 lttng_statedump_cpu_topology cpu_id=2 physical_id=1\n"
		"18us h 3 sched_waking comm=\"w\" tid=8 target_cpu=0\n");
	run_case_run(&c, "cpu", NULL);
	static const char *const rows[] = { "tid=6 migrations=3 package_migrations=2",
		"tid=7 migrations=1 package_migrations=0",
		"tid=8 migrations=1 package_migrations=-" };
	for (size_t i = 0; i < 3; i++)
		run_more_row(run_case_table(&c, "top"), rows[i]);
	run_more_row(run_case_table(&c, "processes"), "comm=v package_migrations=2");
	/* From 12 on: what came before is not counted. */
	struct analysis_options o = all;
	o.begin = 13 * TICK;
	run_case_run(&c, "cpu", &o);
	run_more_row(run_case_table(&c, "top"), "tid=6 migrations=1 package_migrations=1");
	run_case_close(&c);
}

/* ---- published ---- */

static void description(void **state)
{
	(void)state;
	static const struct {
		int64_t begin, end, ticks[4], cpu[2]; /* of tids 1 to 4 */
	} cases[] = {
		{ 0, 30, { 5, 19, 11, 13 }, { 24, 24 } },
		{ 22, 25, { 0, 0, 3, 3 }, { 3, 3 } },
		{ 1, 4, { 0, 3, 1, 2 }, { 3, 3 } },
		{ 4, 13, { 0, 9, 5, 4 }, { 9, 9 } },
	};
	struct run_case c;
	run_more_open_xml(&c, "kernel/cpu_analysis.xml", "");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct analysis_options o = all;
		o.begin = cases[i].begin * TICK;
		o.end = cases[i].end * TICK;
		o.n_bins = 7;
		check_agreement(&c, &o, false);
		for (int tid = 1; tid <= 4; tid++) {
			char row[30];
			snprintf(row, sizeof(row), "tid=%d", tid);
			assert_int_equal(run_more_sum(run_case_table(&c, "top"), "self_ns", row),
				cases[i].ticks[tid - 1] * TICK);
		}
		for (size_t cpu = 0; cpu < 2; cpu++)
			assert_int_equal(run_case_int(run_case_table(&c, "cpus"), cpu, "task_ns"),
				cases[i].cpu[cpu] * TICK);
	}
	/* Nothing but context switches: in which mode tasks were is not known. */
	struct analysis_options in_bins = all;
	in_bins.n_bins = 4;
	run_case_run(&c, "cpu", &in_bins);
	static const char *const tables[] = { "cpus", "hosts", "bins" };
	for (size_t i = 0; i < 3; i++)
		assert_true(run_more_is(run_case_table(&c, tables[i]), 0,
			"irq_ns=- softirq_ns=- user_ns=- syscall_ns=-"));
	assert_true(run_more_is(run_case_table(&c, "bins"), 0, "interrupted_ns=-"));
	assert_true(run_more_is(
		run_case_table(&c, "top"), 0, "user_ns=- syscall_ns=- interrupted_ns=-"));
	assert_true(run_more_is(run_case_table(&c, "processes"), 0, "interrupted_ns=-"));
	assert_true(run_more_is(run_case_table(&c, "log"), 0, "interrupted_ns=-"));
	run_case_close(&c);
}

/* Ten points over 0.1 s: each is what all threads had since the point before it, in % of one
 * CPU. The second was published as 20.7378: who is switched out first on a CPU had it until
 * then, too. */
static void usage_over_time(void **state)
{
	(void)state;
	enum { N = 10 };
	static const double points[N] = { 0, 120.7378, 213.5865, 151.0847, 100.1989, 49.4591,
		0.5436, 0.1953, 0, 0.4923 };
	struct run_case c;
	struct analysis_options o = all;
	run_case_open_recording(&c, "public/bug446190");
	o.begin = 1412670961211260539;
	o.end = o.begin + 100000000;
	o.n_bins = N - 1;
	check_agreement(&c, &o, false);
	const struct mer_table *bins = run_case_table(&c, "bins");
	for (uint32_t i = 0; i + 1 < N; i++) {
		assert_true(run_more_is(bins, i, "of=host"));
		double width =
			(double)(run_case_int(bins, i, "end") - run_case_int(bins, i, "begin"));
		double percent = 100 * (double)run_case_int(bins, i, "task_ns") / width;
		assert_true(fabs(percent - points[i + 1]) < 0.00005);
	}
	run_case_close(&c);
}

/* ---- another analyser ---- */

/* Theirs of scp_src are on the clock of the other host, which is slower, and lack 10.4 ms: nothing
 * at all had the CPU then. What is more in ours must be from that. */
static const double scp_src_slope = 0.99994137837031390;

static int compare_with(const char *host, const char *recording, double slope)
{
	enum { ROUNDED = 1000 }; /* each end of theirs is */
	struct run_case c;
	FILE *f = run_more_file("expected/oracle/synctraces/cpu_usage.csv");
	char line[200], of[40], row[100];
	int64_t missing = 0, more = 0;
	int n = 0;
	run_case_open_recording(&c, recording);
	check_agreement(&c, NULL, false);
	const struct mer_table *top = run_case_table(&c, "top");
	const struct kernel_host *h = &c.run.world->hosts[0];
	missing = (int64_t)((double)(h->end - h->begin) * slope);
	assert_non_null(fgets(line, sizeof(line), f));
	while (fgets(line, sizeof(line), f)) {
		int tid;
		int64_t ns;
		/* One CPU each; without tid they are totals. */
		if (sscanf(line, "%39[^,],0,%d,%" SCNd64, of, &tid, &ns) != 3 ||
			strcmp(of, host) != 0)
			continue;
		missing -= ns;
		if (tid == 0)
			continue; /* of which we have no row */
		snprintf(row, sizeof(row), "tid=%d", tid);
		int64_t ours =
			(int64_t)(slope * (double)(run_more_sum(top, "self_ns", row) +
						   run_more_sum(top, "interrupted_ns", row)));
		if (slope < 1 ? ours < ns - ROUNDED : ours != ns)
			fail_msg("%s %s: %" PRId64 ", not %" PRId64, host, row, ours, ns);
		more += ours > ns + ROUNDED ? ours - ns : 0;
		n++;
	}
	print_message("%s: theirs lack %" PRId64 " ns, ours have %" PRId64 " more\n", host, missing,
		more);
	assert_true(more <= missing);
	fclose(f);
	run_case_close(&c);
	return n;
}

static void other_analyser(void **state)
{
	(void)state;
	int n = compare_with("scp_dest", "public/synctraces/scp_dest", 1);
	n += compare_with("scp_src", "public/synctraces/scp_src", scp_src_slope);
	assert_int_equal(n, 75);
}

/* ---- what programs measured ---- */

/* Their own CPU clocks count interrupts in, as the kernel accounts them. They log it when they
 * begin and end; what they ran before and after is not in it. */
static void duty_cycles(void **state)
{
	(void)state;
	static const struct {
		const char *row;
		double ms, wall_ms;
		int64_t cpu;
	} programs[] = {
		{ "host=worker tid=248", 2023.020, 2006.054, 0 },
		{ "host=worker tid=249", 1018.319, 2012.032, 1 },
		{ "host=worker tid=250", 524.933, 2021.853, 1 },
	};
	struct run_case c;
	struct analysis_options o = all;
	run_case_open_recording(&c, "lab/cpu-mem-io");
	o.n_bins = 1000;
	check_agreement(&c, &o, true);
	const struct mer_table *top = run_case_table(&c, "top");
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		double ours = (double)(run_more_sum(top, "self_ns", programs[i].row) +
				       run_more_sum(top, "interrupted_ns", programs[i].row)) /
			      1e6;
		assert_true(fabs(ours / programs[i].ms - 1) < 0.01);
	}
	check_stays(&c, true);
	run_case_close(&c);
}

/* A server computes for as long as it was asked to, and logs when: in the bins of that time it has
 * just as much, whether it is chosen, and the others are told together, or not. */
static void bursts(void **state)
{
	(void)state;
	struct run_case c;
	char line[200];
	int n = 0;
	int64_t begin = 0;
	run_case_open_recording(&c, "lab/clihog-srvhog-2vm/server");
	FILE *f = run_more_file("lab/clihog-srvhog-2vm/srv.log");
	int64_t base = c.e->parts[0].clocks[0].base_ns;
	while (fgets(line, sizeof(line), f)) {
		int64_t time, us;
		int tid;
		char edge[10];
		if (sscanf(line, "%" SCNd64 " %d rpc-srv srv %9s h %" SCNd64, &time, &tid, edge,
			    &us) != 4)
			continue;
		if (strcmp(edge, "begin") == 0) {
			begin = time;
			continue;
		}
		struct analysis_options o = all;
		o.begin = base + begin;
		o.end = base + time;
		o.n_bins = 20;
		check_agreement(&c, &o, true);
		const struct mer_table *bins = run_case_table(&c, "bins");
		char row[60];
		snprintf(row, sizeof(row), "of=thread tid=%d", tid);
		double ms = (double)(run_more_sum(bins, "self_ns", row) +
				     run_more_sum(bins, "interrupted_ns", row)) /
			    1e6;
		/* And it writes the log. */
		double more = ms - (double)us / 1e3;
		if (more < 0 || more > 1 + 0.02 * (double)us / 1e3)
			fail_msg("%.3f ms, not %.3f", ms, (double)us / 1e3);
		n++;
	}
	fclose(f);
	assert_int_equal(n, 6);
	run_case_close(&c);
}

/* ---- simulated machines ---- */

struct sums {
	int64_t user, syscall, kernel, interrupted, ready;
};

/* Of all tasks of one tid, cut to the range. */
static void truth_of(const struct run_case *c, const char *host, int tid, int64_t begin,
	int64_t end, struct sums *s)
{
	char path[200], line[300], of[20], word[20];
	snprintf(path, sizeof(path), "%s/truth/states.csv", c->dir);
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	*s = (struct sums){ 0 };
	assert_non_null(fgets(line, sizeof(line), f));
	while (fgets(line, sizeof(line), f)) {
		int64_t b, e;
		int t;
		assert_int_equal(sscanf(line, "%19[^,],%d,%" SCNd64 ",%" SCNd64 ",%19[^,]", of, &t,
					 &b, &e, word),
			5);
		b = b < begin ? begin : b;
		e = e > end ? end : e;
		if (t != tid || strcmp(of, host) != 0 || e <= b)
			continue;
		*(strcmp(word, "user") == 0		   ? &s->user
			: strcmp(word, "syscall") == 0	   ? &s->syscall
			: strcmp(word, "thread") == 0	   ? &s->kernel
			: strcmp(word, "runnable") == 0	   ? &s->ready
			: strcmp(word, "interrupted") == 0 ? &s->interrupted
							   : &(int64_t){ 0 }) += e - b;
	}
	fclose(f);
}

/* cut: whether the begin of the recording may hide something. */
static void check_world(const char *options, int64_t begin, int64_t end)
{
	struct run_case c;
	struct analysis_options o = all;
	run_more_open_world(&c, options);
	o.begin = begin;
	o.end = end;
	o.n_bins = 50;
	if (begin == INT64_MIN && end == INT64_MAX)
		check_stays(&c, true);
	check_agreement(&c, &o, true);
	const struct mer_table *top = run_case_table(&c, "top");
	int64_t unclear = 0, sum = 0;
	for (size_t i = 0; i < top->n_rows; i++) {
		struct sums s;
		const struct kernel_host *h = &c.run.world->hosts[0];
		int tid = (int)run_case_int(top, i, "tid");
		truth_of(&c, run_case_text(top, i, "host"), tid,
			begin > h->begin ? begin : h->begin, end < h->end ? end : h->end, &s);
		assert_int_equal(run_case_int(top, i, "self_ns"), s.user + s.syscall + s.kernel);
		assert_int_equal(known(top, i, "interrupted_ns"), s.interrupted);
		assert_true(known(top, i, "user_ns") <= s.user);
		assert_true(known(top, i, "syscall_ns") <= s.syscall);
		assert_true(run_case_int(top, i, "runnable_ns") <= s.ready);
		unclear += s.ready - run_case_int(top, i, "runnable_ns") +
			   run_case_int(top, i, "running_ns");
		sum += s.user + s.syscall + s.kernel + s.ready;
	}
	/* Without a state dump nobody says at first who waits for what, or is in which call. */
	assert_true(unclear <= sum / 50);
	assert_true(!strstr(options, "--statedump") || unclear == 0);
	run_case_close(&c);
}

static void simulated(void **state)
{
	(void)state;
	check_world("--seed 11 --statedump", INT64_MIN, INT64_MAX);
	check_world("--seed 12 --cpus 4 --tasks 6 --vectors --races", INT64_MIN, INT64_MAX);
	check_world("--seed 13 --cpus 3 --layout old", 1700000000050000000, 1700000000111111111);
}

/* Where events are lost, the rest still adds up. */
static void lossy(void **state)
{
	(void)state;
	struct run_case c;
	struct analysis_options o = all;
	o.n_bins = 33;
	run_more_open_world(&c, "--hosts 2 --lost 10% --seed 5");
	check_agreement(&c, &o, false);
	assert_true(run_more_sum(run_case_table(&c, "hosts"), "unknown_ns", "") > 0);
	run_case_close(&c);
	run_more_open_world(&c, "--lose 2% --seed 6 --reuse");
	check_agreement(&c, &o, false);
	check_stays(&c, false);
	run_case_close(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_cpu),
		cmocka_unit_test(worked_out),
		cmocka_unit_test(widest_bins),
		cmocka_unit_test(contradiction),
		cmocka_unit_test(totals),
		cmocka_unit_test(whole_recording),
		cmocka_unit_test(packages),
		cmocka_unit_test(description),
		cmocka_unit_test(usage_over_time),
		cmocka_unit_test(other_analyser),
		cmocka_unit_test(duty_cycles),
		cmocka_unit_test(bursts),
		cmocka_unit_test(simulated),
		cmocka_unit_test(lossy),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
