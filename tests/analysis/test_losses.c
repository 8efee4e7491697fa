/* Where events are lost, those that were recorded still count, put down to nobody where it is not
 * known who ran; and nothing that takes time goes on across a loss. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "run_more.h"

/* The second packet has few events and counts a loss: who had the CPU then is not known. In the
 * first one, a softirq is raised and not begun, in the third one raised again. */
static const char hole[] =
	"host h\n"
	"1us h 0 sched_switch prev_comm=\"\" prev_tid=0 next_comm=\"ten\" next_tid=10\n"
	"5us h 0 irq_softirq_raise vec=9\n"
	"6us h 0 kmem_mm_page_alloc page=1 pfn=1 order=0\n"
	"7us h 0 packet\n"
	"10us h 0 block_rq_issue dev=8388608 sector=8 nr_sector=8 bytes=4096 tid=10 rwbs=4\n"
	"12us h 0 block_rq_complete dev=8388608 sector=8 nr_sector=8 error=0 rwbs=4\n"
	"13us h 0 kmem_mm_page_alloc page=2 pfn=2 order=1\n"
	"14us h 0 kmem_mm_page_free page=2 pfn=2 order=1\n"
	"15us h 0 x86_exceptions_page_fault_user address=4096\n"
	"16us h 0 net_dev_queue len=114 name=\"eth0\" network_header_type=1 "
	"network_header.ipv4={ version=4 ihl=5 tot_len=100 protocol=6 }\n"
	"17us h 0 net_if_receive_skb len=60 name=\"eth0\" network_header_type=1 "
	"network_header.ipv4={ version=4 ihl=5 tot_len=60 protocol=6 }\n"
	"18us h 0 lost 3\n"
	"19us h 0 packet\n"
	"30us h 0 irq_softirq_raise vec=9\n"
	"32us h 0 irq_softirq_entry vec=9\n"
	"35us h 0 irq_softirq_exit vec=9\n"
	"40us h 0 sched_switch prev_comm=\"ten\" prev_tid=10 prev_state=1 next_comm=\"\" "
	"next_tid=0\n";

static void by_hand(void **state)
{
	static const struct {
		const char *analysis, *table, *row;
	} rows[] = {
		{ "irq", "stats", "kind=softirq nr=9 count=1 raise_count=1 raise_total_ns=2000" },
		{ "disk", "top", "requests=1 reads=1 read_bytes=4096 service_mean_ns=2000" },
		{ "disk", "log", "begin=10000 end=12000 bytes=4096 tid=-" },
		{ "mem", "top", "tid=10 allocated_bytes=4096 freed_bytes=0" },
		{ "mem", "top", "tid=- allocated_bytes=8192 freed_bytes=8192" },
		{ "faults", "top", "tid=- faults=1" },
		{ "net", "interfaces", "interface=eth0 sent_packets=1 received_packets=1" },
	};
	(void)state;
	struct run_case c;
	run_case_open_scenario(&c, hole);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		run_case_run(&c, rows[i].analysis, NULL);
		run_more_row(run_case_table(&c, rows[i].table), rows[i].row);
	}
	run_case_close(&c);
}

/* The same happens in both; of several raises the first one may be lost, never one be invented. */
static void as_without_losses(void **state)
{
	(void)state;
	struct run_case all, lossy;
	run_more_open_world(&all, "--cpus 2 --seed 12");
	run_more_open_world(&lossy, "--cpus 2 --seed 12 --lost 10%");
	run_case_run(&all, "irq", NULL);
	run_case_run(&lossy, "irq", NULL);
	const struct mer_table *a = run_case_table(&all, "log"), *b = run_case_table(&lossy, "log");
	size_t at = 0, n_raised = 0;
	for (size_t i = 0; i < b->n_rows; i++) {
		int64_t begin = run_case_int(b, i, "begin");
		while (at < a->n_rows && run_case_int(a, at, "begin") < begin)
			at++;
		assert_true(at < a->n_rows);
		assert_int_equal(run_case_int(a, at, "begin"), begin);
		assert_int_equal(run_case_int(a, at, "end"), run_case_int(b, i, "end"));
		if (!run_case_cell(b, i, "raise_latency_ns")->set)
			continue;
		n_raised++;
		assert_true(run_case_int(b, i, "raise_latency_ns") <=
			    run_case_int(a, at, "raise_latency_ns"));
	}
	assert_true(b->n_rows < a->n_rows);
	assert_true(n_raised > 100);
	run_case_close(&all);
	run_case_close(&lossy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_hand),
		cmocka_unit_test(as_without_losses),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
