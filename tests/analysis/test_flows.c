/* Packets of two clients that a server receives one after the other, before either of its threads
 * is woken: each is woken by the packet on the connection on which it sent before, and what the
 * interrupt sends answers the packet of whom it sends it to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

#include "run_case.h"

#define HEADER(from, to, sport, dport, number)                                                     \
	" network_header.ipv4={ saddr=[10, 0, 0, " from "], daddr=[10, 0, 0, " to                  \
	"], protocol=_tcp, transport_header.tcp={ source_port=" sport ", dest_port=" dport         \
	", seq=" number ", data_offset=5, flags=0x18 } }\n"
#define SWITCH(host, from, state, to)                                                              \
	host " 0 sched_switch prev_comm=\"p\" prev_tid=" from " prev_prio=20 prev_state=" state    \
	     " next_comm=\"p\" next_tid=" to " next_prio=20\n"
#define WAKE(tid) "s 0 sched_waking comm=\"p\" tid=" tid " prio=20 target_cpu=0\n"

static const char batch[] = /* clang-format off */
	"host s\ntrace s/kernel\nhost t\ntrace t/kernel\nhost u\ntrace u/kernel\n"
	"1us " SWITCH("t", "0", "0", "10")
	"1us " SWITCH("u", "0", "0", "11")
	"1us " SWITCH("s", "0", "0", "20")
	"2us s 0 net_dev_queue len=114 name=\"eth0\"" HEADER("9", "1", "80", "4001", "1")
	"3us s 0 syscall_entry_epoll_wait epfd=5 maxevents=1 timeout=-1\n"
	"4us " SWITCH("s", "20", "1", "21")
	"5us s 0 net_dev_queue len=114 name=\"eth0\"" HEADER("9", "2", "80", "4002", "2")
	"6us s 0 syscall_entry_epoll_wait epfd=6 maxevents=1 timeout=-1\n"
	"7us " SWITCH("s", "21", "1", "0")
	"10us t 0 irq_softirq_entry vec=3\n"
	"11us t 0 net_if_receive_skb len=100 name=\"eth0\"" HEADER("9", "1", "80", "4001", "1")
	"12us t 0 irq_softirq_exit vec=3\n"
	"10us u 0 irq_softirq_entry vec=3\n"
	"11us u 0 net_if_receive_skb len=100 name=\"eth0\"" HEADER("9", "2", "80", "4002", "2")
	"12us u 0 irq_softirq_exit vec=3\n"
	"30us t 0 net_dev_queue len=214 name=\"eth0\"" HEADER("1", "9", "4001", "80", "3")
	"31us u 0 net_dev_queue len=214 name=\"eth0\"" HEADER("2", "9", "4002", "80", "4")
	"40us s 0 irq_softirq_entry vec=3\n"
	"41us s 0 net_if_receive_skb len=200 name=\"eth0\"" HEADER("1", "9", "4001", "80", "3")
	"42us s 0 net_if_receive_skb len=200 name=\"eth0\"" HEADER("2", "9", "4002", "80", "4")
	"43us " WAKE("20")
	"44us s 0 net_dev_queue len=66 name=\"eth0\"" HEADER("9", "1", "80", "4001", "5")
	"45us " WAKE("21")
	"46us s 0 irq_softirq_exit vec=3\n"
	"47us " SWITCH("s", "0", "0", "20")
	"50us " SWITCH("s", "20", "1", "21")
	"60us t 0 irq_softirq_entry vec=3\n"
	"61us t 0 net_if_receive_skb len=52 name=\"eth0\"" HEADER("9", "1", "80", "4001", "5")
	"62us t 0 irq_softirq_exit vec=3\n"
	"70us " SWITCH("s", "21", "1", "0"); /* clang-format on */

static const struct kernel_bridge *packet_that_woke(const struct kernel_world *w, int32_t tid)
{
	const struct kernel_host *h = &w->hosts[0];
	for (uint32_t i = 0; i < h->n_spans; i++) {
		const struct kernel_span *s = kernel_span(h, i);
		if (h->tasks[s->task].tid == tid && s->state == KERNEL_BLOCKED &&
			s->cause == KERNEL_NETWORK && s->source < w->n_bridges)
			return &w->bridges[s->source];
	}
	return NULL;
}

static void each_by_its_own(void **state)
{
	struct run_case c;
	struct kernel_world *w;
	struct mer_err err = { 0 };
	uint32_t answers = 0;
	(void)state;
	run_case_open_scenario(&c, batch);
	assert_int_equal(kernel_world_build(c.e, &c.messages, c.result, NULL, &w, &err), 0);
	assert_string_equal(c.e->hosts[0].name, "s");
	assert_int_equal(w->n_bridges, 5);
	assert_non_null(packet_that_woke(w, 20));
	assert_non_null(packet_that_woke(w, 21));
	assert_string_equal(c.e->hosts[packet_that_woke(w, 20)->from.host].name, "t");
	assert_string_equal(c.e->hosts[packet_that_woke(w, 21)->from.host].name, "u");
	for (uint32_t i = 0; i < w->n_bridges; i++) {
		const struct kernel_bridge *p = &w->bridges[i];
		if (p->from.host != 0 || p->from.span != KERNEL_NONE)
			continue;
		answers++;
		assert_int_not_equal(p->answers, KERNEL_NONE);
		assert_int_equal(w->bridges[p->answers].from.host, p->to.host);
	}
	assert_int_equal(answers, 1);
	kernel_world_free(w);
	run_case_close(&c);
}

/* Two threads of one process, and a batch with the data for both, and the end of the first one's
 * connection after it. Each is woken by its own data. */
#define FULL(from, to, sport, dport, number, len, flags)                                           \
	" network_header.ipv4={ ihl=5, tot_len=" len ", saddr=[10, 0, 0, " from                    \
	"], daddr=[10, 0, 0, " to "], protocol=_tcp, transport_header.tcp={ source_port=" sport    \
	", dest_port=" dport ", seq=" number ", data_offset=5, flags=" flags " } }\n"

static const char threads[] = /* clang-format off */
	"host s\ntrace s/kernel\nhost t\ntrace t/kernel\n"
	"1us " SWITCH("t", "0", "0", "10")
	"1us " SWITCH("s", "0", "0", "20")
	"2us s 0 sched_process_fork parent_comm=\"p\" parent_tid=20 parent_pid=20 child_comm=\"p\" child_tid=21 child_pid=20\n"
	"3us s 0 net_dev_queue len=114 name=\"eth0\"" FULL("9", "1", "4001", "80", "1", "100", "0x18")
	"4us s 0 syscall_entry_read fd=5 count=100\n"
	"5us " SWITCH("s", "20", "1", "21")
	"6us s 0 net_dev_queue len=114 name=\"eth0\"" FULL("9", "1", "4002", "80", "2", "100", "0x18")
	"7us s 0 syscall_entry_read fd=6 count=100\n"
	"8us " SWITCH("s", "21", "1", "0")
	"10us t 0 irq_softirq_entry vec=3\n"
	"11us t 0 net_if_receive_skb len=100 name=\"eth0\"" FULL("9", "1", "4001", "80", "1", "100", "0x18")
	"12us t 0 net_if_receive_skb len=100 name=\"eth0\"" FULL("9", "1", "4002", "80", "2", "100", "0x18")
	"13us t 0 irq_softirq_exit vec=3\n"
	"30us t 0 net_dev_queue len=114 name=\"eth0\"" FULL("1", "9", "80", "4001", "3", "100", "0x18")
	"31us t 0 net_dev_queue len=114 name=\"eth0\"" FULL("1", "9", "80", "4002", "4", "100", "0x18")
	"32us t 0 net_dev_queue len=54 name=\"eth0\"" FULL("1", "9", "80", "4001", "5", "40", "0x11")
	"40us s 0 irq_softirq_entry vec=3\n"
	"41us s 0 net_if_receive_skb len=100 name=\"eth0\"" FULL("1", "9", "80", "4001", "3", "100", "0x18")
	"42us s 0 net_if_receive_skb len=100 name=\"eth0\"" FULL("1", "9", "80", "4002", "4", "100", "0x18")
	"43us s 0 net_if_receive_skb len=40 name=\"eth0\"" FULL("1", "9", "80", "4001", "5", "40", "0x11")
	"44us " WAKE("20")
	"45us " WAKE("21")
	"46us s 0 irq_softirq_exit vec=3\n"
	"47us " SWITCH("s", "0", "0", "20")
	"50us " SWITCH("s", "20", "1", "21")
	"70us " SWITCH("s", "21", "1", "0"); /* clang-format on */

static void thread_before_process_data_before_none(void **state)
{
	struct run_case c;
	struct kernel_world *w;
	struct mer_err err = { 0 };
	(void)state;
	run_case_open_scenario(&c, threads);
	assert_int_equal(kernel_world_build(c.e, &c.messages, c.result, NULL, &w, &err), 0);
	assert_int_equal(w->n_bridges, 5);
	const struct kernel_bridge *first = packet_that_woke(w, 20),
				   *second = packet_that_woke(w, 21);
	assert_non_null(first);
	assert_non_null(second);
	/* Each is the answer to what its thread had sent, with data. */
	assert_int_equal(first->to.endpoint, w->bridges[0].from.endpoint);
	assert_int_equal(second->to.endpoint, w->bridges[1].from.endpoint);
	assert_int_equal(first->content, SYNC_DATA);
	assert_int_equal(second->content, SYNC_DATA);
	kernel_world_free(w);
	run_case_close(&c);
}

/* Data from another host, for a task that nobody knows yet, and then a packet of the host's own,
 * without data, for which a task waits: the kernel delivered the first before it took the second
 * from another device. */
static const char devices[] = /* clang-format off */
	"host s\ntrace s/kernel\nhost t\ntrace t/kernel\n"
	"1us " SWITCH("t", "0", "0", "10")
	"1us " SWITCH("s", "0", "0", "20")
	"4us s 0 syscall_entry_epoll_wait epfd=5 maxevents=1 timeout=-1\n"
	"5us " SWITCH("s", "20", "1", "0")
	"30us t 0 net_dev_queue len=114 name=\"eth0\"" FULL("1", "9", "4001", "80", "1", "100", "0x18")
	"40us s 0 irq_softirq_entry vec=3\n"
	"41us s 0 net_if_receive_skb len=100 name=\"eth0\"" FULL("1", "9", "4001", "80", "1", "100", "0x18")
	"42us s 0 net_dev_queue len=54 name=\"lo\"" FULL("9", "9", "4002", "8000", "2", "40", "0x10")
	"43us s 0 net_if_receive_skb len=40 name=\"lo\"" FULL("9", "9", "4002", "8000", "2", "40", "0x10")
	"45us " WAKE("20")
	"46us s 0 irq_softirq_exit vec=3\n"
	"47us " SWITCH("s", "0", "0", "20")
	"70us " SWITCH("s", "20", "1", "0"); /* clang-format on */

static void batches_are_of_one_device(void **state)
{
	struct run_case c;
	struct kernel_world *w;
	struct mer_err err = { 0 };
	(void)state;
	run_case_open_scenario(&c, devices);
	assert_int_equal(kernel_world_build(c.e, &c.messages, c.result, NULL, &w, &err), 0);
	assert_int_equal(w->n_bridges, 2);
	assert_non_null(packet_that_woke(w, 20));
	assert_int_equal(packet_that_woke(w, 20)->from.host, packet_that_woke(w, 20)->to.host);
	kernel_world_free(w);
	run_case_close(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_by_its_own),
		cmocka_unit_test(thread_before_process_data_before_none),
		cmocka_unit_test(batches_are_of_one_device),
	};
	return cmocka_run_group_tests_name("flows", tests, NULL, NULL);
}
