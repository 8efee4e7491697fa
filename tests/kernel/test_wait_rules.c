/* Waits that time out and are taken up again (model_wait.c), each rule by itself: which calls, on
 * which objects, how the call ended, what came in between, and how soon.
 *
 * Task 1 waits twice: from 10 to 20 us, which a timer ends, and from 30 to 40 us, which task 7
 * ends. When the second wait takes the first one up, the first is told as "timer until 30". */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "lives.h"

struct
try {
	const char *call, *args; /* of the first wait */
	const char *ret;
	const char *between;	   /* lines at 23 to 25 us */
	const char *call2, *args2; /* of the second; NULL: the same */
	bool is_taken_up;
};

static bool is_taken_up(const struct try *t)
{
	struct mer_str s = { 0 };
	struct lives l;
	mer_str_puts(&s, "event syscall_entry_poll { s64 timeout_msecs; u32 nfds; u32 fds_length\n"
			 "struct { s32 fd; u32 events } fds[fds_length] }\n");
	mer_str_printf(&s,
		"1us 1 sched_switch next_tid=7\n2us 1 syscall_entry_write fd=1\n"
		"1us 0 sched_switch next_tid=1\n5us 0 syscall_entry_%s %s\n"
		"10us 0 sched_switch prev_tid=1 prev_state=1\n"
		"19us 0 timer_hrtimer_expire_entry\n20us 0 sched_waking tid=1\n"
		"21us 0 timer_hrtimer_expire_exit\n21us 0 sched_switch next_tid=1\n"
		"22us 0 syscall_exit_%s ret=%s\n%s"
		"26us 0 syscall_entry_%s %s\n30us 0 sched_switch prev_tid=1 prev_state=1\n"
		"40us 1 sched_waking tid=1\n41us 0 sched_switch next_tid=1\n",
		t->call, t->args, t->call, t->ret, t->between ? t->between : "",
		t->call2 ? t->call2 : t->call, t->args2 ? t->args2 : t->args);
	assert_false(s.failed);
	lives_open(&l, s.data);
	mer_str_fini(&s);
	const struct kernel_host *h = &l.w->hosts[0];
	const struct kernel_span *first = NULL, *second = NULL;
	for (uint32_t i = 0; i < h->n_spans; i++) {
		const struct kernel_span *w = kernel_span(h, i);
		if (h->tasks[w->task].tid == 1 && w->state == KERNEL_BLOCKED && w->begin == 10000)
			first = w;
		if (h->tasks[w->task].tid == 1 && w->state == KERNEL_BLOCKED && w->begin == 30000)
			second = w;
	}
	assert_non_null(first);
	assert_non_null(second);
	assert_int_equal(first->cause, KERNEL_TIMER);
	assert_int_not_equal(second->cause, KERNEL_TIMER);
	bool is = first->source != KERNEL_NONE;
	assert_true(!is || kernel_span(h, first->source) == second);
	lives_close(&l);
	return is;
}

static void check(const struct try *tries, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (is_taken_up(&tries[i]) != tries[i].is_taken_up)
			fail_msg("%s %s = %s, %s, %s: %staken up", tries[i].call, tries[i].args,
				tries[i].ret, tries[i].between ? tries[i].between : "-",
				tries[i].args2 ? tries[i].args2 : "-",
				tries[i].is_taken_up ? "not " : "");
}
#define CHECK(tries) check(tries, sizeof(tries) / sizeof((tries)[0]))

/* Objects: a descriptor, those of poll, the sets of select, the address of a futex; not time
 * alone. */
static void on_the_same_objects(void **state)
{
	static const struct try tries[] = {
		{ "epoll_wait", "epfd=5 timeout=1", "0", NULL, NULL, NULL, true },
		{ "epoll_wait", "epfd=5 timeout=1", "0", NULL, "read", "fd=5", false },
		{ "read", "fd=5", "0", NULL, NULL, NULL, true },
		{ "recvfrom", "fd=5", "-11", NULL, NULL, NULL, true },
		{ "accept", "fd=5", "-11", NULL, NULL, NULL, true },
		{ "epoll_wait", "epfd=5 timeout=1", "0", NULL, NULL, "epfd=6 timeout=1", false },
		{ "nanosleep", "", "0", NULL, NULL, NULL, false },
		{ "poll", "nfds=1 fds_length=1 fds=[{fd=3, events=1}]", "0", NULL, NULL, NULL,
			true },
		{ "poll", "nfds=1 fds_length=1 fds=[{fd=3, events=1}]", "0", NULL, NULL,
			"nfds=1 fds_length=1 fds=[{fd=4, events=1}]", false },
		{ "poll", "nfds=1 fds_length=1 fds=[{fd=3, events=1}]", "0", NULL, NULL,
			"nfds=1 fds_length=1 fds=[{fd=3, events=4}]", false },
		/* Only some of them were recorded. */
		{ "poll", "nfds=2 fds_length=1 fds=[{fd=3, events=1}]", "0", NULL, NULL, NULL,
			false },
		{ "futex", "uaddr=16 op=0 val=1", "-110", NULL, NULL, NULL, true },
		{ "futex", "uaddr=16 op=0 val=1", "-110", NULL, NULL, "uaddr=16 op=0 val=2", true },
		{ "futex", "uaddr=16 op=0 val=1", "-110", NULL, NULL, "uaddr=32 op=0 val=1",
			false },
	};
	(void)state;
	CHECK(tries);
}

/* select, whose sets are bytes. */
static void sets_of_select(void **state)
{
	static const struct try tries[] = {
		{ "select", "n=4 readfds=[8]", "0", NULL, NULL, NULL, true },
		{ "select", "n=4 readfds=[8]", "0", NULL, NULL, "n=4 readfds=[4]", false },
		{ "select", "n=4 readfds=[8]", "0", NULL, NULL, "n=4 writefds=[8]", false },
		{ "select", "n=4 exceptfds=[8]", "0", NULL, NULL, NULL, true },
		{ "select", "n=4 readfds=[8] writefds=[8]", "0", NULL, NULL, "n=4 readfds=[8]",
			false },
		/* Time alone. */
		{ "select", "n=0", "0", NULL, NULL, NULL, false },
		{ "select", "n=4", "0", NULL, NULL, NULL, false },
	};
	(void)state;
	CHECK(tries);
}

/* Of futex those operations that wait. FUTEX_PRIVATE and FUTEX_CLOCK_REALTIME (128, 256) say
 * nothing. */
static void operations_of_futex(void **state)
{
	static const struct {
		unsigned op;
		bool waits;
	} ops[] = { { 0, true }, { 1, false }, { 3, false }, { 5, false }, { 6, true },
		{ 7, false }, { 9, true }, { 10, false }, { 11, true }, { 12, false }, { 13, true },
		{ 128, true }, { 137, true }, { 129, false }, { 256 + 9, true } };
	(void)state;
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		char args[100];
		snprintf(args, sizeof(args), "uaddr=16 op=%u val=1", ops[i].op);
		struct try t = { "futex", args, "-110", NULL, NULL, NULL, ops[i].waits };
		check(&t, 1);
	}
}

/* has_timed_out: it waited until its time was over, or until a signal. */
static void how_it_ended(void **state)
{
	static const struct {
		const char *ret;
		bool timed_out;
	} ends[] = { { "0", true }, { "-11", true }, { "-110", true }, { "-4", true },
		{ "-512", true }, { "-514", true }, { "-516", true }, { "-511", false },
		{ "-517", false }, { "1", false }, { "-9", false } };
	(void)state;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		struct try t = { "epoll_wait", "epfd=5 timeout=1", ends[i].ret, NULL, NULL, NULL,
			ends[i].timed_out };
		check(&t, 1);
	}
}

#define CALL(name, args, ret)                                                                      \
	"23us 0 syscall_entry_" name " " args "\n24us 0 syscall_exit_" name " ret=" ret "\n"

/* has_acted: what it does in between may not have sent or received, or changed what it waits
 * for. */
static void what_came_between(void **state)
{
	static const struct {
		const char *between;
		bool is_taken_up;
	} calls[] = { { CALL("write", "fd=5", "10"), false }, { CALL("write", "fd=5", "0"), true },
		{ CALL("read", "fd=5", "-11"), true }, { CALL("recvfrom", "fd=5", "1"), false },
		{ CALL("recvfrom", "fd=5", "-11"), true }, { CALL("getpid", "", "77"), true },
		{ CALL("prctl", "option=15", "0"), true }, { CALL("ioctl", "fd=5", "1"), true },
		{ CALL("fcntl", "fd=5", "1"), true }, { CALL("mmap", "fd=5", "77"), true },
		{ CALL("stat", "filename=\"a\"", "0"), true },
		{ CALL("newfstatat", "dfd=-100 filename=\"a\"", "0"), true },
		{ CALL("close", "fd=5", "0"), false }, { CALL("close", "fd=5", "-9"), true },
		{ CALL("openat", "dfd=-100 filename=\"a\"", "3"), false },
		{ CALL("openat", "dfd=-100 filename=\"a\"", "-2"), true },
		{ CALL("select", "n=4 readfds=[8]", "0"), true },
		{ CALL("select", "n=4 readfds=[8]", "1"), false },
		{ CALL("futex", "uaddr=1 op=1", "0"), true },
		{ CALL("futex", "uaddr=1 op=1", "1"), false },
		{ CALL("futex", "uaddr=1 op=0", "0"), false },
		{ CALL("futex", "uaddr=1 op=0", "-11"), false },
		{ CALL("futex", "uaddr=1 op=0", "-110"), true },
		{ "23us 0 sched_process_fork parent_tid=1 parent_pid=1 child_tid=9 child_pid=9\n",
			false } };
	(void)state;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		struct try t = { "epoll_wait", "epfd=5 timeout=1", "0", calls[i].between, NULL,
			NULL, calls[i].is_taken_up };
		check(&t, 1);
	}
}

/* A wait of another kind in between ends it; one that is preempted in between does not. */
static void waits_between(void **state)
{
	static const struct try tries[] = {
		{ "epoll_wait", "epfd=5 timeout=1", "0",
			"23us 0 syscall_entry_futex uaddr=1 op=0\n23us 0 sched_switch prev_tid=1 "
			"prev_state=1\n"
			"24us 1 sched_waking tid=1\n24us 0 sched_switch next_tid=1\n25us 0 "
			"syscall_exit_futex ret=-110\n",
			NULL, NULL, false },
		{ "epoll_wait", "epfd=5 timeout=1", "0",
			"23us 0 sched_switch prev_tid=1 prev_state=0\n24us 0 sched_switch "
			"next_tid=1\n",
			NULL, NULL, true },
	};
	(void)state;
	CHECK(tries);
}

/* Soon: within 1 ms, or an eighth of the wait before. */
static void how_soon(void **state)
{
	static const struct {
		int wait_us, between_us;
		bool is_taken_up;
	} times[] = { { 100, 900, true }, { 100, 1100, false }, { 7900, 995, true },
		{ 16000, 1900, true }, { 16000, 2100, false } };
	(void)state;
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		struct mer_str s = { 0 };
		struct lives l;
		int end = 10 + times[i].wait_us, again = end + times[i].between_us;
		mer_str_printf(&s,
			"1us 0 sched_switch next_tid=1\n10us 0 syscall_entry_epoll_wait epfd=5\n"
			"10us 0 sched_switch prev_tid=1 prev_state=1\n"
			"%dus 0 timer_hrtimer_expire_entry\n%dus 0 sched_waking tid=1\n"
			"%dus 0 timer_hrtimer_expire_exit\n%dus 0 sched_switch next_tid=1\n"
			"%dus 0 syscall_exit_epoll_wait ret=0\n%dus 0 syscall_entry_epoll_wait "
			"epfd=5\n"
			"%dus 0 sched_switch prev_tid=1 prev_state=1\n%dus 0 irq_softirq_entry "
			"vec=3\n"
			"%dus 0 sched_waking tid=1\n",
			end, end, end, end, end, again, again, again + 10, again + 10);
		lives_open(&l, s.data);
		mer_str_fini(&s);
		const struct kernel_host *h = &l.w->hosts[0];
		bool is = false;
		for (uint32_t k = 0; k < h->n_spans; k++)
			is |= kernel_span(h, k)->begin == 10000 &&
			      kernel_span(h, k)->state == KERNEL_BLOCKED &&
			      kernel_wait_end(h, k) != k;
		if (is != times[i].is_taken_up)
			fail_msg("waited %d us, again after %d us", times[i].wait_us,
				times[i].between_us);
		lives_close(&l);
	}
}

/* Three pieces: each knows the last one, and that one the first. Given up, or not known to have
 * ended: none does. */
static void many_pieces(void **state)
{
	static const struct {
		const char *end;
		bool is_one;
	} ends[] = { { "60us 1 sched_waking tid=1\n", true }, { "", true },
		{ "59us 0 timer_hrtimer_expire_entry\n60us 0 sched_waking tid=1\n", false } };
	(void)state;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		struct mer_str s = { 0 };
		struct lives l;
		mer_str_printf(&s, "1us 1 sched_switch next_tid=7\n2us 1 syscall_entry_write fd=1\n"
				   "1us 0 sched_switch next_tid=1\n");
		for (int k = 0; k < 3; k++) {
			int t = 10 + 20 * k;
			mer_str_printf(&s,
				"%dus 0 syscall_entry_epoll_wait epfd=5\n"
				"%dus 0 sched_switch prev_tid=1 prev_state=1\n",
				t, t);
			if (k < 2)
				mer_str_printf(&s,
					"%dus 0 timer_hrtimer_expire_entry\n%dus 0 sched_waking "
					"tid=1\n"
					"%dus 0 timer_hrtimer_expire_exit\n%dus 0 sched_switch "
					"next_tid=1\n"
					"%dus 0 syscall_exit_epoll_wait ret=0\n",
					t + 10, t + 10, t + 10, t + 11, t + 12);
		}
		mer_str_puts(&s, ends[i].end);
		lives_open(&l, s.data);
		mer_str_fini(&s);
		const struct kernel_host *h = &l.w->hosts[0];
		uint32_t pieces[3], n = 0;
		for (uint32_t k = 0; k < h->n_spans; k++)
			if (h->tasks[kernel_span(h, k)->task].tid == 1 &&
				kernel_span(h, k)->state == KERNEL_BLOCKED) {
				assert_true(n < 3);
				pieces[n++] = k;
			}
		assert_int_equal(n, 3);
		for (int k = 0; k < 3; k++)
			assert_int_equal(kernel_wait_end(h, pieces[k]),
				ends[i].is_one ? pieces[2] : pieces[k]);
		assert_int_equal(
			kernel_wait_first(h, pieces[2]), ends[i].is_one ? pieces[0] : pieces[2]);
		assert_int_equal(kernel_wait_first(h, pieces[0]), pieces[0]);
		lives_close(&l);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(on_the_same_objects),
		cmocka_unit_test(sets_of_select), cmocka_unit_test(operations_of_futex),
		cmocka_unit_test(how_it_ended), cmocka_unit_test(what_came_between),
		cmocka_unit_test(waits_between), cmocka_unit_test(how_soon),
		cmocka_unit_test(many_pieces) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
