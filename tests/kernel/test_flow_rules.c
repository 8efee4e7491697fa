/* Which of several received packets ended a wait (model_flows.c), each rule by itself.
 *
 * Host s: first tasks send on connections (port 4000 + its number, to port 80 of host t), each in a
 * write of its descriptor. Then task 20 makes a call and waits since 500 us. Host t answers on
 * connections from 600 us on, s receives all of these in one softirq at 700 us, and task 20 is
 * woken at 790 us. The one that did it is named by its number in what was received, from 0. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "lives.h"

enum { DATA = 0x18, ACK = 0x10, SYN = 0x02, SYN_ACK = 0x12, MOST = 6 };
enum { WAITER = 20, SIBLING = 21, OTHER = 30 };

struct sent {
	int task, connection, fd;
};

struct received {
	int connection, flags; /* DATA has 60 bytes of it */
};

struct flow_case {
	struct sent sent[MOST];		/* the first without a task ends them */
	const char *call;		/* of task 20 */
	struct received received[MOST]; /* without flags: the end */
	int woke;			/* of received; -1: none is named */
	/* Lines of s at 450 us, before the wait; after a | at 780 us, before the wake-up. */
	const char *lost;
};

static void add_header(
	struct mer_str *s, int from, int to, int source, int destination, int seq, int flags)
{
	int len = flags == DATA ? 100 : 40;
	mer_str_printf(s,
		" len=%d name=\"eth0\" network_header.ipv4={ ihl=5, tot_len=%d, saddr=[10, 0, 0, "
		"%d], "
		"daddr=[10, 0, 0, %d], protocol=_tcp, transport_header.tcp={ source_port=%d, "
		"dest_port=%d, "
		"seq=%d, data_offset=5, flags=%d } }\n",
		len + 14, len, from, to, source, destination, seq, flags);
}

static void add_case(struct mer_str *s, const struct flow_case *c)
{
	int seq = 1;
	mer_str_puts(s,
		"host s\ntrace s/kernel\nhost t\ntrace t/kernel\n1us t 0 sched_switch next_tid=10\n"
		"2us s 0 sched_switch next_tid=20\n"
		"3us s 0 sched_process_fork parent_tid=20 parent_pid=20 child_tid=21 child_pid=20\n"
		"4us s 0 sched_process_fork parent_tid=20 parent_pid=20 child_tid=30 child_pid=30\n"
		"9us s 0 sched_switch prev_tid=20 prev_state=0\n");
	for (int i = 0; i < MOST && c->sent[i].task; i++, seq++) {
		const struct sent *p = &c->sent[i];
		int at = 10 + 10 * i;
		mer_str_printf(s,
			"%dus s 0 sched_switch next_tid=%d\n%dus s 0 syscall_entry_write fd=%d\n"
			"%dus s 0 net_dev_queue",
			at, p->task, at + 1, p->fd, at + 2);
		add_header(s, 9, 1, 4000 + p->connection, 80, seq, DATA);
		mer_str_printf(s,
			"%dus s 0 syscall_exit_write ret=60\n%dus s 0 sched_switch prev_tid=%d "
			"prev_state=0\n",
			at + 3, at + 4, p->task);
	}
	for (int i = 0; i < MOST && c->sent[i].task; i++) {
		mer_str_printf(s, "%dus t 0 net_if_receive_skb", 100 + i);
		add_header(s, 9, 1, 4000 + c->sent[i].connection, 80, i + 1, DATA);
	}
	mer_str_add(s, c->lost ? c->lost : "", c->lost ? strcspn(c->lost, "|") : 0);
	mer_str_printf(s,
		"490us s 0 sched_switch next_tid=20\n495us s 0 %s\n"
		"500us s 0 sched_switch prev_tid=20 prev_state=1\n",
		c->call);
	for (int i = 0; i < MOST && c->received[i].flags; i++) {
		mer_str_printf(s, "%dus t 0 net_dev_queue", 600 + i);
		add_header(s, 1, 9, 80, 4000 + c->received[i].connection, seq + i,
			c->received[i].flags);
	}
	mer_str_puts(s, "700us s 0 irq_softirq_entry vec=3\n");
	for (int i = 0; i < MOST && c->received[i].flags; i++) {
		mer_str_printf(s, "%dus s 0 net_if_receive_skb", 710 + i);
		add_header(s, 1, 9, 80, 4000 + c->received[i].connection, seq + i,
			c->received[i].flags);
	}
	mer_str_puts(s, c->lost && strchr(c->lost, '|') ? strchr(c->lost, '|') + 1 : "");
	mer_str_puts(s, "790us s 0 sched_waking tid=20\n795us s 0 irq_softirq_exit vec=3\n"
			"800us s 0 sched_switch next_tid=20\n900us s 0 sched_switch prev_tid=20 "
			"prev_state=1\n");
}

/* What ended the wait that began at 500 us. */
static int woke(const struct lives *l)
{
	const struct kernel_host *h = lives_host(l, "s");
	for (uint32_t i = 0; i < h->n_spans; i++) {
		const struct kernel_span *w = kernel_span(h, i);
		if (h->tasks[w->task].tid != WAITER || w->begin != 500000)
			continue;
		assert_int_equal(w->state, KERNEL_BLOCKED);
		assert_int_equal(w->cause, KERNEL_NETWORK);
		return w->source == KERNEL_NONE
			       ? -1
			       : (int)(l->w->bridges[w->source].from.time / 1000) - 600;
	}
	fail();
	return -1;
}

static void check(const struct flow_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct mer_str s = { 0 };
		struct lives l;
		add_case(&s, &cases[i]);
		assert_false(s.failed);
		lives_open(&l, s.data);
		mer_str_fini(&s);
		int is = woke(&l);
		if (is != cases[i].woke)
			fail_msg("case %zu: %d", i, is);
		lives_close(&l);
	}
}
#define CHECK(cases) check(cases, sizeof(cases) / sizeof((cases)[0]))

#define READ(fd) "syscall_entry_read fd=" fd
#define POLL "syscall_entry_epoll_wait epfd=9"

/* The connection of the descriptor that the call is about, whoever sent last on it. */
static void on_the_descriptor(void **state)
{
	static const struct flow_case cases[] = {
		{ { { WAITER, 1, 5 }, { WAITER, 2, 6 } }, READ("5"), { { 1, DATA }, { 2, DATA } },
			0, NULL },
		{ { { WAITER, 1, 5 }, { WAITER, 2, 6 } }, READ("6"), { { 1, DATA }, { 2, DATA } },
			1, NULL },
		{ { { WAITER, 1, 5 }, { WAITER, 2, 6 } }, READ("6"), { { 2, DATA }, { 1, DATA } },
			0, NULL },
		/* Descriptors are the process's. */
		{ { { SIBLING, 1, 5 }, { WAITER, 2, 6 } }, READ("5"), { { 1, DATA }, { 2, DATA } },
			0, NULL },
		{ { { OTHER, 1, 5 }, { WAITER, 2, 6 } }, READ("5"), { { 1, DATA }, { 2, DATA } }, 1,
			NULL },
		/* The last that was sent on it counts. */
		{ { { WAITER, 1, 5 }, { WAITER, 2, 5 } }, READ("5"), { { 1, DATA }, { 2, DATA } },
			1, NULL },
		{ { { WAITER, 2, 5 }, { WAITER, 1, 5 } }, READ("5"), { { 1, DATA }, { 2, DATA } },
			0, NULL },
		/* Also without data. */
		{ { { WAITER, 1, 5 }, { WAITER, 2, 6 } }, READ("5"), { { 1, ACK }, { 2, DATA } }, 0,
			NULL },
	};
	(void)state;
	CHECK(cases);
}

/* In a wait for many: of the thread, of its process, of nobody known, of another process. */
static void of_whom(void **state)
{
	static const struct flow_case cases[] = {
		{ { { WAITER, 1, 5 }, { SIBLING, 2, 6 } }, POLL, { { 1, DATA }, { 2, DATA } }, 0,
			NULL },
		{ { { WAITER, 1, 5 }, { SIBLING, 2, 6 } }, POLL, { { 2, DATA }, { 1, DATA } }, 1,
			NULL },
		{ { { SIBLING, 1, 5 } }, POLL, { { 1, DATA }, { 3, DATA } }, 0, NULL },
		{ { { SIBLING, 1, 5 } }, POLL, { { 3, DATA }, { 1, DATA } }, 1, NULL },
		{ { { OTHER, 1, 5 } }, POLL, { { 3, DATA }, { 1, DATA } }, 0, NULL },
		{ { { OTHER, 1, 5 } }, POLL, { { 1, DATA }, { 3, DATA } }, 1, NULL },
		/* Who sent last on a connection has it. */
		{ { { WAITER, 1, 5 }, { OTHER, 1, 5 } }, POLL, { { 1, DATA }, { 3, DATA } }, 1,
			NULL },
		{ { { OTHER, 1, 5 }, { WAITER, 1, 5 } }, POLL, { { 1, DATA }, { 3, DATA } }, 0,
			NULL },
	};
	(void)state;
	CHECK(cases);
}

/* Data before none; in connect the answer to the SYN; accept is about any packet of a new
 * connection. */
static void contents(void **state)
{
	static const struct flow_case cases[] = {
		{ { { WAITER, 1, 5 } }, POLL, { { 1, DATA }, { 1, ACK } }, 0, NULL },
		{ { { WAITER, 1, 5 } }, POLL, { { 1, ACK }, { 1, DATA } }, 1, NULL },
		{ { { 0, 0, 0 } }, POLL, { { 1, DATA }, { 2, ACK } }, 0, NULL },
		{ { { 0, 0, 0 } }, "syscall_entry_connect fd=5", { { 1, SYN_ACK }, { 2, DATA } }, 0,
			NULL },
		{ { { 0, 0, 0 } }, "syscall_entry_connect fd=5", { { 1, DATA }, { 2, SYN_ACK } }, 1,
			NULL },
		{ { { 0, 0, 0 } }, "syscall_entry_accept fd=5", { { 1, DATA }, { 2, ACK } }, 1,
			NULL },
	};
	(void)state;
	CHECK(cases);
}

/* Of its own the earliest since the wait began, else the latest. */
static void earliest_or_latest(void **state)
{
	static const struct flow_case cases[] = {
		{ { { WAITER, 1, 5 } }, POLL, { { 1, DATA }, { 1, DATA } }, 0, NULL },
		{ { { SIBLING, 1, 5 } }, POLL, { { 1, DATA }, { 1, DATA } }, 0, NULL },
		{ { { OTHER, 1, 5 } }, POLL, { { 1, DATA }, { 1, DATA } }, 1, NULL },
		{ { { 0, 0, 0 } }, POLL, { { 1, DATA }, { 1, DATA } }, 1, NULL },
		{ { { WAITER, 1, 5 } }, READ("5"), { { 1, DATA }, { 2, DATA }, { 1, DATA } }, 0,
			NULL },
		{ { { WAITER, 1, 5 } }, READ("5"), { { 1, ACK }, { 1, DATA }, { 1, DATA } }, 1,
			NULL },
	};
	(void)state;
	CHECK(cases);
}

/* Where events are lost, an owner may be unknown because what it sent is lost: only data for the
 * thread itself is certain, as long as there is another one that may have been it. */
static void with_losses(void **state)
{
	static const char lost[] =
		"450us s 1 sched_waking tid=99\n451us s 1 skip 1\n460us s 1 sched_waking tid=99\n";
	static const struct flow_case cases[] = {
		{ { { WAITER, 1, 5 } }, POLL, { { 1, DATA }, { 3, DATA } }, 0, lost },
		{ { { WAITER, 1, 5 } }, POLL, { { 1, ACK }, { 3, DATA } }, -1, lost },
		{ { { WAITER, 1, 5 } }, POLL, { { 1, ACK }, { 3, DATA } }, 0, NULL },
		{ { { SIBLING, 1, 5 } }, POLL, { { 1, DATA }, { 3, DATA } }, -1, lost },
		{ { { SIBLING, 1, 5 }, { OTHER, 3, 5 } }, POLL, { { 1, DATA }, { 3, DATA } }, 0,
			lost },
		/* The same connection is no rival. */
		{ { { SIBLING, 1, 5 } }, POLL, { { 1, DATA }, { 1, DATA } }, 0, lost },
		{ { { 0, 0, 0 } }, POLL, { { 1, DATA } }, 0, lost },
	};
	(void)state;
	CHECK(cases);
}

/* accept and connect make the descriptor another connection's; what failed does not. */
static void new_descriptors(void **state)
{
	static const struct {
		const char *call, *ret;
		bool is_new;
	} calls[] = { { "accept fd=3", "0", true }, { "accept fd=3", "7", false },
		{ "accept fd=3", "-11", false }, { "connect fd=0", "0", true },
		{ "getpid", "0", false } };
	(void)state;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		char lines[500];
		snprintf(lines, sizeof(lines),
			"450us s 0 sched_switch next_tid=20\n451us s 0 syscall_entry_%s\n"
			"452us s 0 syscall_exit_%.*s ret=%s\n453us s 0 sched_switch prev_tid=20\n",
			calls[i].call, (int)strcspn(calls[i].call, " "), calls[i].call,
			calls[i].ret);
		struct flow_case c = { { { SIBLING, 1, 0 }, { WAITER, 2, 6 } }, READ("0"),
			{ { 1, DATA }, { 2, DATA } }, calls[i].is_new ? 1 : 0, lines };
		check(&c, 1);
	}
}

/* Two threads wait for the same descriptor: each packet wakes one of them, whoever sent last on its
 * connection; what woke the other one, or what that one has read, is not what woke this one. */
static void shared_descriptor(void **state)
{
#define SIBLING_POLLS(how)                                                                         \
	"450us s 0 sched_switch next_tid=21\n451us s 0 syscall_entry_epoll_wait epfd=9\n" how
#define RETURNS "452us s 0 syscall_exit_epoll_wait ret=1\n453us s 0 sched_switch prev_tid=21\n"
#define WAITS "453us s 0 sched_switch prev_tid=21 prev_state=1\n"
	static const struct flow_case cases[] = {
		{ { { SIBLING, 1, 5 }, { WAITER, 2, 6 } }, POLL, { { 1, DATA }, { 2, DATA } }, 1,
			NULL },
		{ { { SIBLING, 1, 5 }, { WAITER, 2, 6 } }, POLL, { { 1, DATA }, { 2, DATA } }, 0,
			SIBLING_POLLS(RETURNS) },
		{ { { SIBLING, 1, 5 }, { SIBLING, 2, 6 } }, POLL, { { 1, DATA }, { 2, DATA } }, 1,
			SIBLING_POLLS(WAITS) "|780us s 0 sched_waking tid=21\n" },
		{ { { SIBLING, 1, 5 }, { SIBLING, 2, 6 } }, POLL, { { 1, DATA }, { 2, DATA } }, 1,
			SIBLING_POLLS(RETURNS) "|780us s 1 sched_switch next_tid=21\n"
					       "781us s 1 syscall_entry_read fd=5\n"
					       "782us s 1 syscall_exit_read ret=10\n" },
	};
	(void)state;
	CHECK(cases);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(on_the_descriptor),
		cmocka_unit_test(of_whom), cmocka_unit_test(contents),
		cmocka_unit_test(earliest_or_latest), cmocka_unit_test(with_losses),
		cmocka_unit_test(new_descriptors), cmocka_unit_test(shared_descriptor) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
