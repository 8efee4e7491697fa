/* What everything did at one moment, in a world of two hosts whose moments are known. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "session/instant.h"
#include "session/selection.h"
#include "session_scenario.h"

/* b sends to a at 20 and has an answer at 50; a disk of a has a request from 22 (issued at 24) to
 * 28 and another one from 26 on. Times are us. */
static const char text[] =
	"host a\nhost b\n"
	"10us a 0 sched_switch prev_comm=\"swapper/0\" prev_tid=0 prev_state=0 next_comm=\"x\" next_tid=1\n"
	"10us a 1 sched_switch prev_comm=\"swapper/1\" prev_tid=0 prev_state=0 next_comm=\"y\" next_tid=2\n"
	"10us b 0 sched_switch prev_comm=\"swapper/0\" prev_tid=0 prev_state=0 next_comm=\"z\" next_tid=3\n"
	"20us b 0 net_dev_queue len=66 name=\"eth0\" network_header.ipv4={ saddr=[10, 0, 0, 1], daddr=[10, 0, 0, 2], "
	"transport_header.tcp={ source_port=1, dest_port=2, seq=100, ack_seq=5 } }\n"
	"22us a 0 block_rq_insert dev=8388608 sector=64 nr_sector=8 bytes=4096 tid=1 rwbs=0 comm=\"x\"\n"
	"24us a 0 block_rq_issue dev=8388608 sector=64 nr_sector=8 bytes=4096 tid=1 rwbs=0 comm=\"x\"\n"
	"26us a 0 block_rq_insert dev=8388608 sector=96 nr_sector=8 bytes=4096 tid=1 rwbs=0 comm=\"x\"\n"
	"27us a 0 block_rq_insert dev=4194304 sector=96 nr_sector=8 bytes=4096 tid=1 rwbs=0 comm=\"x\"\n"
	"28us a 1 block_rq_complete dev=8388608 sector=64 nr_sector=8 error=0 rwbs=0\n"
	"29us a 0 sched_switch prev_comm=\"x\" prev_tid=1 prev_state=1 next_comm=\"swapper/0\" next_tid=0\n"
	"30us a 1 net_if_receive_skb len=66 name=\"eth0\" network_header.ipv4={ saddr=[10, 0, 0, 1], "
	"daddr=[10, 0, 0, 2], transport_header.tcp={ source_port=1, dest_port=2, seq=100, ack_seq=5 } }\n"
	"31us a 1 sched_waking comm=\"x\" tid=1 target_cpu=0\n"
	"35us a 0 sched_switch prev_comm=\"swapper/0\" prev_tid=0 prev_state=0 next_comm=\"x\" next_tid=1\n"
	"40us a 0 net_dev_queue len=66 name=\"eth0\" network_header.ipv4={ saddr=[10, 0, 0, 2], daddr=[10, 0, 0, 1], "
	"transport_header.tcp={ source_port=2, dest_port=1, seq=5, ack_seq=101 } }\n"
	"50us b 0 net_if_receive_skb len=66 name=\"eth0\" network_header.ipv4={ saddr=[10, 0, 0, 2], "
	"daddr=[10, 0, 0, 1], transport_header.tcp={ source_port=2, dest_port=1, seq=5, ack_seq=101 } }\n"
	"60us a 1 sched_switch prev_comm=\"y\" prev_tid=2 prev_state=0 next_comm=\"w\" next_tid=4\n"
	"90us a 0 sched_switch prev_comm=\"x\" prev_tid=1 prev_state=1 next_comm=\"swapper/0\" next_tid=0\n"
	"90us a 1 sched_switch prev_comm=\"w\" prev_tid=4 prev_state=1 next_comm=\"swapper/1\" next_tid=0\n"
	"80us b 0 sched_switch prev_comm=\"z\" prev_tid=3 prev_state=1 next_comm=\"swapper/0\" next_tid=0\n";

static struct session_scenario s;

static int open_all(void **state)
{
	struct mer_err err;
	(void)state;
	session_scenario_open(&s, text);
	return session_synchronize(s.session, false, &err);
}

static int close_all(void **state)
{
	(void)state;
	session_scenario_close(&s);
	return 0;
}

static void put_tid(
	const struct session_world *w, uint32_t host, uint32_t task, struct mer_str *out)
{
	mer_str_printf(
		out, "%s%d", session_task_host(w, host), w->world->hosts[host].tasks[task].tid);
}

static void is(int64_t us, const struct session_selection *what, const char *expected)
{
	struct session_world w;
	struct session_instant x;
	struct mer_arena arena;
	struct mer_err err;
	struct mer_str out = { 0 };
	mer_arena_init(&arena);
	assert_int_equal(session_world(s.session, SESSION_USAGE_NONE, &w, &err), 0);
	assert_int_equal(session_instant_find(&w, us * 1000, what, &arena, &x, &err), 0);
	assert_int_equal(x.at, us * 1000);
	mer_str_puts(&out, "");
	for (size_t i = 0; i < x.n_tasks; i++) {
		const struct session_instant_task *t = &x.tasks[i];
		const struct kernel_host *h = &w.world->hosts[t->host];
		put_tid(&w, t->host, t->task, &out);
		mer_str_printf(&out, " %s",
			t->span == KERNEL_NONE
				? "-"
				: kernel_state_name(
					  (enum kernel_state)kernel_span(h, t->span)->state));
		if (t->by.host != KERNEL_NONE) {
			mer_str_puts(&out, " by ");
			put_tid(&w, t->by.host, t->by.task, &out);
		}
		mer_str_puts(&out, ", ");
	}
	for (size_t i = 0; i < x.n_cpus; i++) {
		mer_str_printf(&out, "cpu %s%u", session_task_host(&w, x.cpus[i].host),
			(unsigned)x.cpus[i].cpu);
		if (x.cpus[i].task != SIZE_MAX) {
			mer_str_putc(&out, ' ');
			put_tid(&w, x.tasks[x.cpus[i].task].host, x.tasks[x.cpus[i].task].task,
				&out);
		}
		mer_str_puts(&out, x.cpus[i].is_unknown ? "?, " : ", ");
	}
	for (size_t i = 0; i < x.n_disks; i++)
		mer_str_printf(&out,
			"disk %s%u queued %" PRIu64 " served %" PRIu64 " since %" PRId64 ", ",
			session_task_host(&w, x.disks[i].host), (unsigned)x.disks[i].dev,
			x.disks[i].queued, x.disks[i].in_service, x.disks[i].oldest / 1000);
	for (size_t i = 0; i < x.n_flights; i++)
		mer_str_printf(&out, "%" PRIu64 " %s > %s since %" PRId64 ", ", x.flights[i].n,
			session_task_host(&w, x.flights[i].from),
			session_task_host(&w, x.flights[i].to), x.flights[i].oldest / 1000);
	assert_string_equal(out.data, expected);
	mer_str_fini(&out);
	mer_arena_fini(&arena);
}

#define DISKS "disk a4194304 queued 1 served 0 since 27, disk a8388608 queued 1 served 0 since 26, "

static void moments(void **state)
{
	const struct session_selection all = { 0 };
	(void)state;
	is(15, &all,
		"a1 running, a2 running, a4 runnable, b3 running, cpu a0 a1, cpu a1 a2, cpu b0 b3, ");
	is(20, &all,
		"a1 running, a2 running, a4 runnable, b3 running, cpu a0 a1, cpu a1 a2, cpu b0 b3, 1 b > a since 20, ");
	is(25, &all,
		"a1 running, a2 running, a4 runnable, b3 running, cpu a0 a1, cpu a1 a2, cpu b0 b3, disk a8388608 queued 0 served 1 since 22, 1 b > a since 20, ");
	is(30, &all,
		"a1 blocked by a2, a2 running, a4 runnable, b3 running, cpu a0, cpu a1 a2, cpu b0 b3, " DISKS);
	is(33, &all,
		"a1 runnable, a2 running, a4 runnable, b3 running, cpu a0, cpu a1 a2, cpu b0 b3, " DISKS);
	is(45, &all,
		"a1 running, a2 running, a4 runnable, b3 running, cpu a0 a1, cpu a1 a2, cpu b0 b3, " DISKS
		"1 a > b since 40, ");
	is(70, &all,
		"a1 running, a2 runnable by a4, a4 running, b3 running, cpu a0 a1, cpu a1 a4, cpu b0 b3, " DISKS);
	is(85, &all,
		"a1 running, a2 runnable by a4, a4 running, cpu a0 a1, cpu a1 a4, cpu b0?, " DISKS);
	is(5, &all, "cpu a0?, cpu a1?, cpu b0?, ");
	is(95, &all, "cpu a0?, cpu a1?, cpu b0?, " DISKS);
}

/* Of a host, a task, a CPU alone; messages are of either host. */
static void selected(void **state)
{
	const char *names[] = { "a" };
	const struct session_selection host = { .hosts = { names, 1 } };
	(void)state;
	is(20, &host,
		"a1 running, a2 running, a4 runnable, cpu a0 a1, cpu a1 a2, 1 b > a since 20, ");
	names[0] = "b";
	is(30, &host, "b3 running, cpu b0 b3, ");
	is(45, &host, "b3 running, cpu b0 b3, 1 a > b since 40, ");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(moments), cmocka_unit_test(selected) };
	return cmocka_run_group_tests(tests, open_all, close_all);
}
