/* Frequencies against what was worked out by hand, and all tables against each other. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "run_more.h"

static const struct analysis_options all = {
	.begin = INT64_MIN, .end = INT64_MAX, .max_ns = INT64_MAX
};

/* CPU 0: 1 GHz 20-40, 3 GHz 40-60, 1 GHz from 60 on; CPU 1: 2 GHz from 30 on. The event at 45 is no
 * change; that of CPU 0 at 60 comes from the other CPU. Thread 6 has CPU 0 10-50, with an interrupt
 * 42-46. */
static const char by_hand[] =
	"host h\ntrace h/kernel\n"
	"10us h 0 sched_switch prev_comm=\"a\" prev_tid=9 prev_state=1 next_comm=\"w\" next_tid=6\n"
	"10us h 1 sched_switch prev_comm=\"b\" prev_tid=8 prev_state=1 next_comm=\"\" next_tid=0\n"
	"20us h 0 power_cpu_frequency state=1000000 cpu_id=0\n"
	"30us h 1 power_cpu_frequency state=2000000 cpu_id=1\n"
	"40us h 0 power_cpu_frequency state=3000000 cpu_id=0\n"
	"42us h 0 irq_handler_entry irq=7 name=\"x\"\n"
	"45us h 0 power_cpu_frequency state=3000000 cpu_id=0\n"
	"46us h 0 irq_handler_exit irq=7\n"
	"50us h 0 sched_switch prev_comm=\"w\" prev_tid=6 prev_state=1 next_comm=\"\" next_tid=0\n"
	"60us h 1 power_cpu_frequency state=1000000 cpu_id=0\n"
	"110us h 1 sched_waking comm=\"w\" tid=6 target_cpu=0\n";

/* Of each CPU: states are all of the time, and so are bins; the log gives the states. */
static void check_agreement(struct run_case *c, const struct analysis_options *o, int64_t length)
{
	run_case_run(c, "cpufreq", o);
	const struct mer_table *top = run_case_table(c, "top");
	const struct mer_table *states = run_case_table(c, "top_states");
	const struct mer_table *bins = run_case_table(c, "bins");
	assert_int_equal(top->n_rows, 2);
	for (size_t i = 0; i < top->n_rows; i++) {
		char cpu[20], unknown[40];
		snprintf(cpu, sizeof(cpu), "cpu=%" PRId64, run_case_int(top, i, "cpu"));
		snprintf(unknown, sizeof(unknown), "%s khz=-", cpu);
		assert_int_equal(run_more_sum(states, "time_ns", cpu), length);
		assert_int_equal(
			run_case_int(top, i, "known_ns") + run_case_int(top, i, "unknown_ns"),
			length);
		assert_int_equal(run_more_sum(states, "time_ns", unknown),
			run_case_int(top, i, "unknown_ns"));
		__int128 sum = 0;
		for (size_t k = 0; k < states->n_rows; k++)
			if (run_more_is(states, k, cpu) && !run_more_is(states, k, "khz=-"))
				sum += (__int128)run_case_int(states, k, "khz") *
				       run_case_int(states, k, "time_ns");
		int64_t known = run_case_int(top, i, "known_ns");
		if (known)
			assert_int_equal(run_case_int(top, i, "mean_khz"),
				(int64_t)((sum + known / 2) / known));
		else
			assert_true(run_more_is(top, i, "mean_khz=- min_khz=- max_khz=-"));
		if (bins->n_rows == 0)
			continue;
		assert_int_equal(run_more_sum(bins, "known_ns", cpu), known);
		assert_int_equal(
			run_more_sum(bins, "unknown_ns", cpu), run_case_int(top, i, "unknown_ns"));
	}
	const struct mer_table *log = run_case_table(c, "log");
	run_case_check_sums(log, run_case_table(c, "stats"), "host cpu");
	run_case_check_freq(log, run_case_table(c, "freq"), "host cpu");
}

static void worked_out(void **state)
{
	(void)state;
	struct run_case c;
	run_case_open_scenario(&c, by_hand);
	check_agreement(&c, NULL, 100000);
	const struct mer_table *top = run_case_table(&c, "top");
	run_more_row(top, "host=h cpu=0 mean_khz=1444444 min_khz=1000000 max_khz=3000000 changes=2 "
			  "unknown_ns=10000");
	run_more_row(top, "cpu=1 mean_khz=2000000 changes=0 unknown_ns=20000");
	const struct mer_table *states = run_case_table(&c, "top_states");
	run_more_row(states, "cpu=0 khz=1000000 time_ns=70000");
	run_more_row(states, "cpu=0 khz=3000000 time_ns=20000");
	run_more_row(states, "cpu=0 khz=- time_ns=10000");
	const struct mer_table *log = run_case_table(&c, "log");
	assert_int_equal(log->n_rows, 4);
	assert_true(run_more_is(log, 2,
		"begin=40000 end=60000 duration_ns=20000 cpu=0 khz=3000000 before_khz=1000000"));
	/* 20-40 at 1 GHz, 40-42 and 46-50 at 3: 38000 cycles; 10-20 at none that is known. */
	run_more_row(run_case_table(&c, "threads"),
		"tid=6 comm=w cycles=38000 mean_khz=1461538 known_ns=26000 unknown_ns=10000");
	struct analysis_options o = all;
	o.begin = 10000;
	o.end = 110000;
	o.n_bins = 4;
	check_agreement(&c, &o, 100000);
	/* 35-60: 5 us at 1 GHz, 20 at 3. */
	run_more_row(run_case_table(&c, "bins"),
		"cpu=0 begin=35000 mean_khz=2600000 min_khz=1000000 max_khz=3000000 unknown_ns=0");
	run_case_close(&c);
}

/* What was before the part that is looked at is known; what was before the first event is not. */
static void parts(void **state)
{
	(void)state;
	struct run_case c;
	struct analysis_options o = all;
	run_case_open_scenario(&c, by_hand);
	for (int64_t begin = 10; begin < 70; begin += 7)
		for (int64_t end = begin + 1; end < 105; end += 13) {
			o.begin = begin * 1000;
			o.end = end * 1000;
			o.n_bins = 3;
			check_agreement(&c, &o, (end - begin) * 1000);
		}
	static const struct analysis_period periods[] = { { 15000, 25000 }, { 50000, 70000 } };
	o = all;
	o.n_bins = 5;
	o.periods = periods;
	o.n_periods = 2;
	check_agreement(&c, &o, 30000);
	run_more_row(run_case_table(&c, "top_states"), "cpu=0 khz=3000000 time_ns=10000");
	run_more_row(run_case_table(&c, "top"), "cpu=1 mean_khz=2000000 unknown_ns=10000");
	run_case_close(&c);
}

/* Without events nothing is said; frequencies that none has are not known. */
static void none(void **state)
{
	(void)state;
	struct run_case c;
	run_case_open_scenario(&c, "host h\ntrace h/kernel\n"
				   "10us h 0 sched_waking comm=\"w\" tid=6 target_cpu=0\n"
				   "20us h 0 sched_waking comm=\"w\" tid=6 target_cpu=0\n");
	run_case_run(&c, "cpufreq", NULL);
	for (size_t i = 0; analysis_find("cpufreq")->outputs[i].id; i++)
		assert_int_equal(c.tables[i].n_rows, 0);
	run_case_close(&c);
	run_case_open_scenario(&c, "host h\ntrace h/kernel\n"
				   "10us h 0 power_cpu_frequency state=4294967295 cpu_id=0\n"
				   "20us h 0 power_cpu_frequency state=5 cpu_id=70000\n"
				   "25us h 0 power_cpu_frequency state=5 cpu_id=4096\n"
				   "30us h 0 power_cpu_frequency state=7 cpu_id=0\n"
				   "40us h 0 power_cpu_frequency state=0 cpu_id=0\n"
				   "60us h 0 sched_waking comm=\"w\" tid=6 target_cpu=0\n");
	run_case_run(&c, "cpufreq", NULL);
	run_more_row(run_case_table(&c, "top"), "cpu=0 mean_khz=7 known_ns=10000 unknown_ns=40000");
	assert_int_equal(run_case_table(&c, "top")->n_rows, 1); /* no CPU 4096 */
	run_case_close(&c);
}

static bool is_6(void *ctx, const struct kernel_host *h, uint32_t task)
{
	(void)ctx;
	return h->tasks[task].tid == 6;
}

static bool is_w(void *ctx, const struct kernel_host *h, uint32_t task)
{
	(void)ctx;
	return strcmp(kernel_comm(h, task), "w") == 0;
}

/* Clocks are the CPUs', whichever tasks are looked at; hosts that say nothing about theirs are not
 * there. */
static void of_cpus(void **state)
{
	(void)state;
	static const char more[] =
		"host silent\ntrace silent/kernel\n"
		"10us silent 0 sched_switch prev_comm=\"a\" prev_tid=9 prev_state=1 "
		"next_comm=\"w\" next_tid=6\n"
		"30us silent 0 sched_switch prev_comm=\"w\" prev_tid=6 prev_state=1 "
		"next_comm=\"\" next_tid=0\n";
	char text[sizeof(by_hand) + sizeof(more)];
	struct run_case c;
	snprintf(text, sizeof(text), "%s%s", by_hand, more);
	run_case_open_scenario(&c, text);
	for (int by_name = 0; by_name < 3; by_name++) {
		struct analysis_options o = all;
		o.wants_task = by_name == 0 ? NULL : by_name == 1 ? is_6 : is_w;
		o.wants_names = by_name == 2;
		check_agreement(&c, &o, 100000);
		const struct mer_table *threads = run_case_table(&c, "threads");
		run_more_row(threads, "host=h tid=6 cycles=38000 unknown_ns=10000");
		for (size_t i = 0; i < threads->n_rows; i++)
			assert_true(run_more_is(threads, i, by_name ? "host=h tid=6" : "host=h"));
	}
	run_case_close(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(worked_out),
		cmocka_unit_test(parts),
		cmocka_unit_test(none),
		cmocka_unit_test(of_cpus),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
