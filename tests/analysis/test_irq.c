/* Interrupts: statistics and raise latencies by hand, counts as the recordings' own, and tables
 * that agree with each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "run_case.h"

#define ALL .begin = INT64_MIN, .end = INT64_MAX, .max_ns = INT64_MAX

/* One of each kind. On CPU 0 a softirq that was raised twice before it began, and in which a device
 * and its timer come; on CPU 1, which is idle, others; a softirq whose raise is on another CPU; an
 * interrupt that does not end, and one that had begun before. */
static const char *const kinds =
	"host h\n"
	"1us h 0 lttng_statedump_interrupt irq=9 name=\"chip\" action=\"acpi\" tid=0\n"
	"2us h 0 sched_switch prev_comm=\"swapper/0\" prev_tid=0 next_comm=\"ten\" next_tid=10\n"
	"3us h 1 sched_switch prev_comm=\"x\" prev_tid=11 prev_state=1 next_comm=\"swapper/1\" "
	"next_tid=0\n"
	"4us h 1 irq_softirq_exit vec=7\n"
	"10us h 0 irq_softirq_raise vec=3\n"
	"12us h 0 irq_softirq_raise vec=3\n"
	"15us h 0 irq_softirq_entry vec=3\n"
	"17us h 0 irq_handler_entry irq=24 name=\"eth0\"\n"
	"18us h 0 timer_hrtimer_expire_entry hrtimer=1 now=0 function=0\n"
	"19us h 0 timer_hrtimer_expire_exit hrtimer=1\n"
	"20us h 0 irq_handler_exit irq=24 ret=1\n"
	"25us h 0 irq_softirq_exit vec=3\n"
	"30us h 1 irq_handler_entry irq=9 name=\"acpi\"\n"
	"31us h 1 irq_handler_exit irq=9 ret=1\n"
	"40us h 0 irq_softirq_raise vec=1\n"
	"41us h 1 irq_softirq_entry vec=1\n"
	"43us h 1 irq_softirq_exit vec=1\n"
	"44us h 0 irq_softirq_entry vec=1\n"
	"48us h 0 irq_softirq_exit vec=1\n"
	"50us h 1 x86_irq_vectors_reschedule_entry vector=253\n"
	"51us h 1 x86_irq_vectors_reschedule_exit vector=253\n"
	"52us h 1 x86_irq_vectors_thermal_apic_entry vector=250\n"
	"53us h 1 x86_irq_vectors_thermal_apic_exit vector=250\n"
	"54us h 1 x86_irq_vectors_local_timer_entry vector=236\n"
	"55us h 1 timer_expire_entry timer=1 now=0 function=0\n"
	"56us h 1 timer_expire_exit timer=1\n"
	"59us h 1 x86_irq_vectors_local_timer_exit vector=236\n"
	"60us h 0 irq_handler_entry irq=24 name=\"eth0\"\n";

static size_t row_of(const struct mer_table *t, const char *kind, const char *name)
{
	size_t r = 0;
	for (;; r++) {
		r = run_case_find(t, "kind", kind, r);
		if (strcmp(run_case_text(t, r, "name"), name) == 0)
			return r;
	}
}

static void test_by_hand(void **state)
{
	(void)state;
	static const struct {
		const char *kind, *name;
		int nr, count, total, raised, latency; /* nr -1: none; us */
	} rows[] = {
		{ "irq", "acpi", 9, 1, 1, 0, 0 },
		{ "irq", "eth0", 24, 1, 3, 0, 0 },
		{ "softirq", "timer", 1, 2, 6, 1, 4 },
		{ "softirq", "net_rx", 3, 1, 10, 1, 5 },
		{ "timer", "hrtimer", -1, 1, 1, 0, 0 },
		{ "timer", "timer", -1, 1, 1, 0, 0 },
		{ "timer", "local_timer", -1, 1, 5, 0, 0 },
		{ "ipi", "reschedule", 253, 1, 1, 0, 0 },
		{ "vector", "thermal_apic", 250, 1, 1, 0, 0 },
	};
	enum { N = sizeof(rows) / sizeof(rows[0]) };
	struct run_case c;
	run_case_open_scenario(&c, kinds);
	run_case_run(&c, "irq", NULL);
	const struct mer_table *t = run_case_table(&c, "stats");
	assert_int_equal(t->n_rows, N);
	for (size_t i = 0; i < N; i++) {
		size_t r = row_of(t, rows[i].kind, rows[i].name);
		assert_int_equal(run_case_cell(t, r, "nr")->set, rows[i].nr >= 0);
		if (rows[i].nr >= 0)
			assert_int_equal(run_case_int(t, r, "nr"), rows[i].nr);
		assert_int_equal(run_case_int(t, r, "count"), rows[i].count);
		assert_int_equal(run_case_int(t, r, "total_ns"), rows[i].total * 1000);
		assert_int_equal(run_case_cell(t, r, "raise_count")->set, rows[i].raised > 0);
		if (!rows[i].raised)
			continue;
		assert_int_equal(run_case_int(t, r, "raise_count"), rows[i].raised);
		assert_int_equal(run_case_int(t, r, "raise_max_ns"), rows[i].latency * 1000);
	}
	t = run_case_table(&c, "cpus");
	assert_int_equal(t->n_rows, N + 1); /* the timer softirq ran on both */

	t = run_case_table(&c, "log");
	assert_int_equal(t->n_rows, N + 1);
	assert_string_equal(run_case_text(t, 0, "name"), "net_rx");
	assert_int_equal(run_case_int(t, 0, "raise_latency_ns"), 5000);
	assert_int_equal(run_case_int(t, 0, "tid"), 10);
	assert_string_equal(run_case_text(t, 0, "comm"), "ten");
	size_t r = run_case_find(t, "name", "acpi", 0);
	assert_int_equal(run_case_int(t, r, "cpu"), 1);
	assert_false(run_case_cell(t, r, "tid")->set); /* idle */
	assert_false(run_case_cell(t, r, "raise_latency_ns")->set);
	run_case_close(&c);
}

static bool is_on_cpu_0(void *ctx, uint16_t cpu)
{
	(void)ctx;
	return cpu == 0;
}

static bool has_tid_10(void *ctx, const struct kernel_host *h, uint32_t task)
{
	(void)ctx;
	return h->tasks[task].tid == 10;
}

static void check(const struct run_case *c, const struct mer_table *log)
{
	run_case_check_sums(log, run_case_table(c, "stats"), "host kind nr name");
	run_case_check_sums(log, run_case_table(c, "cpus"), "host cpu kind nr name");
	run_case_check_freq(log, run_case_table(c, "freq"), "host kind nr name");
	run_case_check_top(log, run_case_table(c, "top"));
	static const char *const outputs[] = { "stats", "cpus" };
	for (int k = 0; k < 2; k++) {
		const struct mer_table *t = run_case_table(c, outputs[k]);
		int64_t n = 0;
		for (size_t i = 0; i < log->n_rows; i++)
			n += run_case_cell(log, i, "raise_latency_ns")->set;
		assert_int_equal(run_case_sum(t, "raise_count", NULL, NULL), n);
		assert_int_equal(run_case_sum(t, "raise_total_ns", NULL, NULL),
			run_case_sum(log, "raise_latency_ns", NULL, NULL));
	}
}

static void test_filters(void **state)
{
	(void)state;
	static const struct {
		struct analysis_options o;
		size_t n;
	} cases[] = {
		{ { ALL }, 10 },
		{ { ALL, .wants_cpu = is_on_cpu_0 }, 4 },
		{ { ALL, .wants_task = has_tid_10 }, 4 },
		{ { ALL, .min_ns = 3000 }, 4 },
		{ { .begin = INT64_MIN, .end = INT64_MAX, .max_ns = 999 }, 0 },
		{ { .begin = 17000, .end = 41000, .max_ns = INT64_MAX }, 3 },
	};
	struct run_case c;
	run_case_open_scenario(&c, kinds);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		run_case_run(&c, "irq", &cases[i].o);
		const struct mer_table *log = run_case_table(&c, "log");
		assert_int_equal(log->n_rows, cases[i].n);
		check(&c, log);
	}
	run_case_close(&c);
}

/* More numbers than a machine has are one row; nothing is lost. */
static void test_too_many(void **state)
{
	(void)state;
	struct run_case c;
	run_case_open_scenario(&c, "host h\ntrace kernel { packet 65536 }\n"
				   "repeat 5000 every 2us as i {\n"
				   "0us 0 irq_handler_entry irq=$i name=\"n\"\n1us 0 "
				   "irq_handler_exit irq=$i ret=1\n}\n");
	run_case_run(&c, "irq", NULL);
	const struct mer_table *t = run_case_table(&c, "stats");
	assert_true(t->n_rows < 5000);
	assert_int_equal(run_case_sum(t, "count", NULL, NULL), 5000);
	check(&c, run_case_table(&c, "log"));
	run_case_close(&c);
}

/* Exits of the recording are counted in its TRUTH.md. */
static void test_zoo(void **state)
{
	(void)state;
	struct run_case c;
	run_case_open_recording(&c, "lab/ipc-zoo");
	run_case_run(&c, "irq", NULL);
	const struct mer_table *t = run_case_table(&c, "stats");
	assert_int_equal(run_case_sum(t, "count", "kind", "irq"), 139);
	assert_int_equal(run_case_sum(t, "count", "kind", "softirq"), 416);
	assert_int_equal(run_case_sum(t, "count", "name", "hrtimer"), 610);
	assert_int_equal(run_case_sum(t, "raise_count", NULL, NULL), 416);
	assert_string_equal(run_case_text(t, row_of(t, "irq", "virtio3-req.0"), "host"), "zoo");
	run_case_close(&c);
}

static void test_agreement(void **state)
{
	(void)state;
	static const char *const recordings[] = { "public/bug446190", "lab/ipc-zoo",
		"lab/threadirqs", "lab/lost-events" };
	for (size_t i = 0; i < sizeof(recordings) / sizeof(recordings[0]); i++) {
		struct run_case c;
		run_case_open_recording(&c, recordings[i]);
		run_case_run(&c, "irq", NULL);
		const struct mer_table *log = run_case_table(&c, "log");
		assert_true(log->n_rows > 100);
		check(&c, log);
		for (size_t r = 1; r < log->n_rows; r++)
			assert_true(
				run_case_int(log, r - 1, "begin") <= run_case_int(log, r, "begin"));
		run_case_close(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_filters),
		cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_zoo),
		cmocka_unit_test(test_agreement),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
