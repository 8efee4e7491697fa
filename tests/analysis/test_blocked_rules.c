/* Which waits are for input, for work, or felt (blocked_class.c), each rule by itself, in worlds as
 * small as they can be. "work": for work; "felt": inside of what somebody waits for; "idle":
 * neither. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "path/blocked.h"
#include "world_text.h"

/* Each wait as "HOST:TID TIME class", by host, task and time. */
static void classes_are(const char *world, const char *expected)
{
	struct tasks_world t;
	struct blocked b;
	struct mer_err err = { 0 };
	struct mer_str out = { 0 };
	world_text(&t, world);
	assert_int_equal(blocked_find(&t.w, &b, &err), 0);
	for (uint32_t host = 0; host < t.w.n_hosts; host++)
		for (size_t i = 0; i < b.hosts[host].n; i++) {
			const struct blocked_wait *w = &b.hosts[host].waits[i];
			mer_str_printf(&out, "%s%u:%d %d %s", out.len ? ", " : "", (unsigned)host,
				(int)t.hosts[host].tasks[w->task].tid, (int)(w->begin / MS),
				w->is_input	 ? "input"
				: w->is_for_work ? "work"
				: w->is_felt	 ? "felt"
						 : "idle");
		}
	assert_string_equal(out.data ? out.data : "", expected);
	mer_str_fini(&out);
	blocked_fini(&b);
	tw_fini(&t);
}

/* For a person: what ended it was the keyboard, or it was a read of a terminal. */
static void input(void **state)
{
	(void)state;
	classes_are("0 0:1 user\n10 0:1 read input\n20 0:1 user\n", "0:1 10 input");
	classes_are("0 0:1 user\n10 0:1 read:tty1 task\n20 0:1 user\n", "0:1 10 input");
	classes_are("0 0:1 user\n10 0:1 poll:tty1 task\n20 0:1 user\n", "0:1 10 input");
	classes_are("0 0:1 user\n10 0:1 write:tty1 task\n20 0:1 user\n", "0:1 10 idle");
	classes_are("0 0:1 user\n10 0:1 read:file task\n20 0:1 user\n", "0:1 10 idle");
}

/* accept is always for work, and also of what a process does after it is none felt by itself. */
static void accepting(void **state)
{
	(void)state;
	classes_are("0 0:1 user\n10 0:1 accept network\n20 0:1 user\n", "0:1 10 work");
	classes_are("0 0:1 user\n10 0:1 accept4 task by 0:2\n15 0:2 user\n20 0:1 user\n",
		"0:1 10 work");
	classes_are("0 0:1 user\n10 0:1 connect network\n20 0:1 user\n", "0:1 10 felt");
	/* From outside: who accepts waits for work where a message of one not recorded ends it. */
	classes_are("0 0:1 user\n10 0:1 accept network\n20 0:1 user\n30 0:1 read network\n40 0:1 "
		    "user\n",
		"0:1 10 work, 0:1 30 work");
	classes_are("0 0:1 user\n10 0:1 accept network\n20 0:1 user\n30 0:1 write network\n40 0:1 "
		    "user\n",
		"0:1 10 work, 0:1 30 felt");
	classes_are(
		"0 0:1 user\n10 0:1 accept network\n20 0:1 user\n30 0:1 read disk\n40 0:1 user\n",
		"0:1 10 work, 0:1 30 felt");
	/* Who connects too, at least where it waits for whatever comes first. */
	classes_are("0 0:1 user\n10 0:1 accept network\n20 0:1 user\n25 0:1 connect network\n26 "
		    "0:1 user\n"
		    "30 0:1 read network\n40 0:1 user\n50 0:1 epoll_wait network\n60 0:1 user\n",
		"0:1 10 work, 0:1 25 felt, 0:1 30 felt, 0:1 50 work");
	/* Who neither accepts nor connects is not known to serve. */
	classes_are("0 0:1 user\n30 0:1 read network\n40 0:1 user\n", "0:1 30 idle");
}

/* A connection that the task opened itself is never for work; waits on it are felt. */
static void opened(void **state)
{
	(void)state;
	classes_are("0 0:1 user\n10 0:1 connect:10.0.0.2:80 network\n20 0:1 user\n30 0:1 "
		    "read:10.0.0.2:80 network\n40 0:1 user\n",
		"0:1 10 felt, 0:1 30 felt");
	/* "tcp socket" names no peer. */
	classes_are("0 0:1 user\n10 0:1 connect:socket network\n20 0:1 user\n30 0:1 read:socket "
		    "network\n40 0:1 user\n",
		"0:1 10 felt, 0:1 30 idle");
	classes_are("0 0:1 user\n10 0:1 connect:@abstract task\n20 0:1 user\n30 0:1 read:@abstract "
		    "task\n40 0:1 user\n",
		"0:1 10 felt, 0:1 30 felt");
	classes_are("0 0:1 user\n10 0:1 connect:/run/s task\n20 0:1 user\n30 0:1 read:/run/s "
		    "task\n40 0:1 user\n",
		"0:1 10 felt, 0:1 30 felt");
	classes_are("0 0:1 user\n10 0:1 connect:/run/s task\n20 0:1 user\n30 0:1 read:/run/t "
		    "task\n40 0:1 user\n",
		"0:1 10 felt, 0:1 30 idle");
}

/* Threads of the kernel wait for work when a task wakes them. */
static void threads_of_the_kernel(void **state)
{
	(void)state;
	classes_are("0 0:1 x kernel\n0 0:1 thread\n0 0:2 user\n10 0:1 - task by 0:2\n20 0:1 "
		    "thread\n30 0:1 - timer\n40 0:1 thread\n",
		"0:1 10 work, 0:1 30 idle");
}

/* Jobs: waits of processes that begin or end while recorded are felt, but not of servers. */
static void jobs(void **state)
{
	(void)state;
	classes_are("0 0:1 user\n10 0:1 read disk\n20 0:1 user\n", "0:1 10 idle");
	classes_are("0 0:1 user\n10 0:1 read disk\n20 0:1 user\n30 0:1 dead\n", "0:1 10 felt");
	classes_are("0 0:1 user\n5 0:1 fork 2\n5 0:2 user\n10 0:2 read disk\n20 0:2 user\n",
		"0:2 10 felt");
	classes_are("0 0:1 user\n10 0:1 accept network\n15 0:1 user\n16 0:1 read disk\n20 0:1 "
		    "user\n30 0:1 dead\n",
		"0:1 10 work, 0:1 16 felt");
	/* Its parent accepted: it is one of the server's. */
	classes_are("0 0:1 user\n2 0:1 accept network\n4 0:1 user\n5 0:1 fork 2\n5 0:2 user\n10 "
		    "0:2 read disk\n20 0:2 user\n",
		"0:1 2 work, 0:2 10 idle");
	/* A thread is of its process, which was there before. */
	classes_are("0 0:1 user\n5 0:1 fork 2 thread\n5 0:2 user\n10 0:2 read disk\n20 0:2 user\n",
		"0:2 10 idle");
	/* Of a job is also the wait of a thread of it. */
	classes_are("0 0:9 user\n1 0:9 fork 1\n1 0:1 user\n5 0:1 fork 2 thread\n5 0:2 user\n10 0:2 "
		    "read disk\n20 0:2 user\n",
		"0:2 10 felt");
}

/* Who connects has the initiative over who accepts. */
#define CONNECTS                                                                                   \
	"0 0:1 user\n0 1:2 user\n1 1:2 accept network by 0:1\n2 0:1 connect network by 1:2\n"      \
	"3 1:2 user\n4 0:1 user\n"
static void who_connects(void **state)
{
	(void)state;
	classes_are(CONNECTS "10 1:2 read network by 0:1\n12 0:1 read network by 1:2\n20 1:2 "
			     "user\n30 0:1 user\n",
		"0:1 2 felt, 0:1 12 felt, 1:2 1 work, 1:2 10 work");
	/* Whoever sends first. */
	classes_are(CONNECTS "10 0:1 read network by 1:2\n20 0:1 user\n22 1:2 read network by "
			     "0:1\n30 1:2 user\n",
		"0:1 2 felt, 0:1 10 felt, 1:2 1 work, 1:2 22 work");
	/* Both do both: then who sent first. */
	classes_are(CONNECTS "5 0:1 accept network\n6 0:1 user\n6 1:2 connect network\n7 1:2 user\n"
			     "10 0:1 read network by 1:2\n20 0:1 user\n22 1:2 read network by "
			     "0:1\n30 1:2 user\n",
		"0:1 2 felt, 0:1 5 work, 0:1 10 felt, 1:2 1 work, 1:2 6 felt, 1:2 22 work");
}

/* Else of who sent a message before it got one, and is answered. */
static void who_sent_first(void **state)
{
	(void)state;
	classes_are("0 0:1 user\n0 1:2 read network by 0:1\n10 1:2 user\n12 0:1 read network by "
		    "1:2\n20 0:1 user\n",
		"0:1 12 felt, 1:2 0 work");
	/* No answer: nobody has it. */
	classes_are("0 0:1 user\n0 1:2 read network by 0:1\n10 1:2 user\n", "1:2 0 idle");
	/* Through a pipe, and by a task without more being known. */
	classes_are("0 0:1 user\n0 0:2 read pipe by 0:1\n10 0:2 user\n12 0:1 read task by 0:2\n20 "
		    "0:1 user\n",
		"0:1 12 felt, 0:2 0 work");
	/* A futex is no message, nor is a write that waits for room, nor what a thread of the
	 * kernel does, nor a thread of the same process. */
	classes_are("0 0:1 user\n0 0:2 read futex by 0:1\n10 0:2 user\n12 0:1 read task by 0:2\n20 "
		    "0:1 user\n",
		"0:1 12 idle, 0:2 0 idle");
	classes_are("0 0:1 user\n0 0:2 write pipe by 0:1\n10 0:2 user\n12 0:1 read task by 0:2\n20 "
		    "0:1 user\n",
		"0:1 12 idle, 0:2 0 idle");
	classes_are("0 0:1 k kernel\n0 0:1 thread\n0 0:2 read task by 0:1\n10 0:2 user\n12 0:1 - "
		    "task by 0:2\n20 0:1 thread\n",
		"0:1 12 work, 0:2 0 idle");
	classes_are("0 0:1 user\n0 0:1 fork 2 thread\n0 0:2 read task by 0:1\n10 0:2 user\n12 0:1 "
		    "read task by 0:2\n20 0:1 user\n",
		"0:1 12 idle, 0:2 0 idle");
	/* In an unknown call it may have been reading. */
	classes_are("0 0:1 user\n0 1:2 - network by 0:1\n10 1:2 user\n12 0:1 - network by 1:2\n20 "
		    "0:1 user\n",
		"0:1 12 felt, 1:2 0 work");
}

/* Reading, by the name of the call. */
static void calls_that_read(void **state)
{
	static const struct {
		const char *call;
		bool reads;
	} calls[] = { { "read", true }, { "readv", true }, { "recvfrom", true },
		{ "pread64", true }, { "poll", true }, { "ppoll", true }, { "select", true },
		{ "_newselect", true }, { "pselect6", true }, { "epoll_wait", true },
		{ "mq_timedreceive", true }, { "msgrcv", true }, { "splice", true },
		{ "io_uring_enter", true }, { "io_getevents", true }, { "wait4", true },
		{ "vfork", true }, { "clone", true }, { "write", false }, { "sendto", false },
		{ "futex", false }, { "fsync", false }, { "mq_timedsend", false },
		{ "pwrite64", false } };
	(void)state;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		char world[500], expected[200];
		snprintf(world, sizeof(world),
			"0 0:1 user\n0 1:2 %s network by 0:1\n10 1:2 user\n12 0:1 recvmsg network "
			"by 1:2\n20 0:1 user\n"
			"25 1:2 %s network by 0:1\n30 1:2 user\n",
			calls[i].call, calls[i].call);
		snprintf(expected, sizeof(expected), "0:1 12 %s, 1:2 0 %s, 1:2 25 %s",
			calls[i].reads ? "felt" : "idle", calls[i].reads ? "work" : "idle",
			calls[i].reads ? "work" : "idle");
		classes_are(world, expected);
	}
}

/* Whoever forks a process has the first word, and who stems from it is not waited for because it
 * would be a server. */
static void parents(void **state)
{
	(void)state;
	/* The child waits for work of its parent, the parent for its answer. */
	classes_are("0 0:1 user\n1 0:1 fork 2\n1 0:2 user\n2 0:2 read pipe by 0:1\n10 0:2 user\n12 "
		    "0:1 read pipe by 0:2\n20 0:1 user\n",
		"0:1 12 felt, 0:2 2 work");
	/* The child sends first: still so. */
	classes_are("0 0:1 user\n1 0:1 fork 2\n1 0:2 user\n2 0:1 read pipe by 0:2\n10 0:1 user\n12 "
		    "0:2 read pipe by 0:1\n20 0:2 user\n",
		"0:1 2 felt, 0:2 12 work");
	/* A parent that accepts, of which a child connects to somewhere: it is none of its
	 * clients. */
	classes_are("0 0:1 user\n0 0:1 accept network\n1 0:1 user\n2 0:1 fork 2\n2 0:2 user\n3 0:2 "
		    "connect network\n5 0:2 user\n"
		    "6 0:1 read pipe by 0:2\n10 0:1 user\n12 0:2 read pipe by 0:1\n20 0:2 user\n",
		"0:1 0 work, 0:1 6 felt, 0:2 3 felt, 0:2 12 work");
	/* What its parent was told holds for the child. */
	classes_are("0 0:1 user\n0 1:2 read network by 0:1\n10 1:2 user\n11 1:2 fork 3\n11 1:3 "
		    "user\n12 0:1 read network by 1:3\n"
		    "20 0:1 user\n22 1:3 read network by 0:1\n30 1:3 user\n",
		"0:1 12 felt, 1:2 0 idle, 1:3 22 work");
	/* ... also at the very moment. */
	classes_are("0 0:1 user\n0 0:2 read pipe by 0:1\n10 0:2 user\n10 0:2 fork 3\n10 0:3 "
		    "user\n12 0:1 read pipe by 0:3\n"
		    "20 0:1 user\n22 0:3 read pipe by 0:1\n30 0:3 user\n",
		"0:1 12 felt, 0:2 0 idle, 0:3 22 work");
	/* Not what it was told after that. */
	classes_are("0 0:1 user\n0 1:2 user\n1 1:2 fork 3\n1 1:3 user\n2 1:2 read network by "
		    "0:1\n10 1:2 user\n"
		    "12 0:1 read network by 1:3\n20 0:1 user\n",
		"0:1 12 idle, 1:2 2 idle");
}

/* Through a thread that handed the work on. */
static void handed_on(void **state)
{
	(void)state;
	/* 1:2 reads for its process and wakes 1:3, which works. */
	classes_are(CONNECTS "5 1:2 fork 3 thread\n5 1:3 user\n6 1:3 futex futex by 1:2\n8 1:2 "
			     "read network by 0:1\n"
			     "15 0:1 read network by 1:3\n20 1:2 user\n22 1:3 user\n30 0:1 user\n",
		"0:1 2 felt, 0:1 15 felt, 1:2 1 work, 1:2 8 work, 1:3 6 work");
	/* The message had come before it began to wait: what is handed on is something else. */
	classes_are(CONNECTS "5 1:2 fork 3 thread\n5 1:3 user\n8 1:2 read network by 0:1\n20 1:2 "
			     "user\n25 1:3 futex futex by 1:2\n"
			     "30 1:3 user\n",
		"0:1 2 felt, 1:2 1 work, 1:2 8 work, 1:3 25 idle");
	/* From outside, handed on. */
	classes_are("0 0:2 user\n0 0:2 accept network\n1 0:2 user\n5 0:2 fork 3 thread\n5 0:3 "
		    "user\n6 0:3 futex futex by 0:2\n"
		    "8 0:2 read network\n20 0:2 user\n22 0:3 user\n",
		"0:2 0 work, 0:2 8 work, 0:3 6 work");
	classes_are("0 0:2 user\n0 0:2 accept network\n1 0:2 user\n5 0:2 fork 3 thread\n5 0:3 "
		    "user\n8 0:2 read network\n20 0:2 user\n"
		    "21 0:3 futex futex by 0:2\n22 0:3 user\n",
		"0:2 0 work, 0:2 8 work, 0:3 21 idle");
}

/* Through many who hand it on: 64 are followed. */
static void handed_on_by_many(void **state)
{
	enum { FIRST = 2, MANY = 70, FOLLOWED = 64 };
	struct mer_str s = { 0 };
	struct tasks_world t;
	struct blocked b;
	struct mer_err err = { 0 };
	(void)state;
	mer_str_puts(&s, "0 0:1 user\n");
	for (int i = FIRST; i < FIRST + MANY; i++)
		mer_str_printf(&s, "0 0:%d user\n", i);
	mer_str_puts(
		&s, "0 0:2 read pipe by 0:1\n1 0:2 user\n2 0:1 read pipe by 0:2\n3 0:1 user\n");
	/* All wait since 4; 0:1 wakes 0:2 at 10, that 0:3 at 11, ... */
	for (int i = FIRST; i < FIRST + MANY; i++)
		mer_str_printf(&s, "4 0:%d read pipe by 0:%d\n", i, i - 1);
	for (int i = FIRST; i < FIRST + MANY; i++)
		mer_str_printf(&s, "%d 0:%d user\n", 10 + i, i);
	assert_false(s.failed);
	world_text(&t, s.data);
	mer_str_fini(&s);
	assert_int_equal(blocked_find(&t.w, &b, &err), 0);
	for (int i = FIRST; i < FIRST + MANY; i++) {
		const struct blocked_wait *w =
			blocked_before(&b, 0, world_text_task(&t, 0, i), 5 * MS);
		assert_int_equal(w->begin, 4 * MS);
		assert_int_equal(w->is_for_work, i - FIRST < FOLLOWED);
	}
	blocked_fini(&b);
	tw_fini(&t);
}

/* Inside of a felt wait is what the one who ended it waited for since then, and so on; not its
 * waits for work, not what it did before, and not what a thread of the kernel slept before. */
static void inside(void **state)
{
	(void)state;
	classes_are(CONNECTS "8 1:2 read network by 0:1\n10 0:1 read network by 1:2\n20 1:2 "
			     "user\n21 1:2 fsync disk\n25 1:2 user\n"
			     "30 0:1 user\n40 1:2 fsync disk\n50 1:2 user\n",
		"0:1 2 felt, 0:1 10 felt, 1:2 1 work, 1:2 8 work, 1:2 21 felt, 1:2 40 idle");
	/* Before the request: its own matter. */
	classes_are(CONNECTS
		"5 1:2 fsync disk\n8 1:2 user\n10 0:1 read network by 1:2\n30 0:1 user\n",
		"0:1 2 felt, 0:1 10 felt, 1:2 1 work, 1:2 5 idle");
	/* It was in it when the request came. */
	classes_are(CONNECTS
		"5 1:2 fsync disk\n10 0:1 read network by 1:2\n15 1:2 user\n30 0:1 user\n",
		"0:1 2 felt, 0:1 10 felt, 1:2 1 work, 1:2 5 felt");
	/* Through one more. */
	classes_are(CONNECTS "5 2:3 user\n10 0:1 read network by 1:2\n12 1:2 read:10.0.0.3:1 "
			     "network by 2:3\n14 2:3 fsync disk\n16 2:3 user\n"
			     "18 1:2 user\n30 0:1 user\n",
		"0:1 2 felt, 0:1 10 felt, 1:2 1 work, 1:2 12 felt, 2:3 14 felt");
	/* A thread of the kernel that serves it. */
	classes_are(CONNECTS "4 1:9 k kernel\n4 1:9 thread\n10 1:9 - timer\n12 1:2 read task by "
			     "1:9\n14 1:9 thread\n15 1:9 - disk\n16 1:9 thread\n"
			     "18 1:2 user\n20 0:1 read network by 1:2\n30 0:1 user\n",
		"0:1 2 felt, 0:1 20 felt, 1:2 1 work, 1:2 12 idle, 1:9 10 idle, 1:9 15 idle");
	classes_are(CONNECTS "4 1:9 k kernel\n4 1:9 thread\n10 0:1 read network by 1:2\n10 1:9 - "
			     "timer\n12 1:2 read task by 1:9\n14 1:9 thread\n"
			     "15 1:9 - disk\n16 1:9 thread\n18 1:2 user\n30 0:1 user\n",
		"0:1 2 felt, 0:1 10 felt, 1:2 1 work, 1:2 12 felt, 1:9 10 idle, 1:9 15 felt");
}

/* Servers for machines that were not recorded: of their waits those that are neither polls nor
 * futexes. */
#define SERVES "0 0:1 user\n0 0:1 accept network\n1 0:1 user\n"
static void for_outside(void **state)
{
	(void)state;
	classes_are(SERVES "5 0:1 read disk\n6 0:1 user\n7 0:1 futex futex\n8 0:1 user\n9 0:1 "
			   "epoll_wait timer\n10 0:1 user\n"
			   "11 0:1 read disk\n",
		"0:1 0 work, 0:1 5 felt, 0:1 7 idle, 0:1 9 idle, 0:1 11 idle");
	/* A poll that an answer ends. */
	classes_are(SERVES "2 1:2 user\n3 1:2 read network by 0:1\n8 1:2 user\n9 0:1 epoll_wait "
			   "network by 1:2\n20 0:1 user\n",
		"0:1 0 work, 0:1 9 felt, 1:2 3 work");
}

/* What never ended. */
static void open_waits(void **state)
{
	(void)state;
	/* As the same call before. */
	classes_are(CONNECTS "8 1:2 read network by 0:1\n10 0:1 read network by 1:2\n20 1:2 "
			     "user\n30 0:1 user\n40 1:2 read -\n",
		"0:1 2 felt, 0:1 10 felt, 1:2 1 work, 1:2 8 work, 1:2 40 work");
	classes_are(CONNECTS "8 1:2 read network by 0:1\n10 0:1 read network by 1:2\n20 1:2 "
			     "user\n30 0:1 user\n40 0:1 read -\n",
		"0:1 2 felt, 0:1 10 felt, 0:1 40 idle, 1:2 1 work, 1:2 8 work");
	/* Of a task of which nothing else is known. */
	classes_are("0 0:1 read -\n", "0:1 0 work");
	classes_are("0 0:1 user\n1 0:1 read -\n", "0:1 1 idle");
	/* A server's poll, also where one before it was none for work. */
	classes_are(SERVES "5 0:1 epoll_wait timer\n6 0:1 user\n7 0:1 epoll_wait -\n",
		"0:1 0 work, 0:1 5 idle, 0:1 7 work");
	classes_are(SERVES "5 0:1 epoll_wait -\n", "0:1 0 work, 0:1 5 work");
	classes_are(SERVES "5 0:1 read -\n", "0:1 0 work, 0:1 5 idle");
}

/* is_answer: a connect that is answered by what the task itself sent. */
static void own_connect(void **state)
{
	(void)state;
	classes_are("0 0:1 user\n1 0:1 sendto network by 0:1\n5 0:1 user\n", "0:1 1 felt");
	classes_are("0 0:1 user\n1 0:1 epoll_wait network by 0:1\n5 0:1 user\n", "0:1 1 idle");
}

/* Waits for work and of threads of the kernel are none felt by themselves, whoever has started the
 * process; what is inside of them is not felt either. */
static void started_while_recorded(void **state)
{
	(void)state;
	classes_are("0 0:1 user\n5 0:1 fork 2\n5 0:2 k kernel\n5 0:2 thread\n10 0:2 - disk\n20 0:2 "
		    "thread\n",
		"0:2 10 idle");
	classes_are("0 0:1 user\n1 0:1 fork 2\n1 0:2 user\n2 0:2 read pipe by 0:1\n5 0:1 read "
		    "disk\n8 0:1 user\n10 0:2 user\n"
		    "12 0:1 read pipe by 0:2\n20 0:1 user\n",
		"0:1 5 idle, 0:1 12 felt, 0:2 2 work");
}

/* What a task waited for was started by it (blocked_started.c): another thread, which exited, or a
 * child. */
static void started(void **state)
{
	static const struct {
		const char *world;
		enum blocked_started is;
	} cases[] = {
		/* A thread that exits. */
		{ "0 0:1 user\n1 0:1 fork 2 thread\n1 0:2 user\n5 0:1 futex futex by 0:2\n8 0:2 "
		  "exit -\n9 0:2 user\n10 0:1 user\n",
			BLOCKED_NOT_STARTED }, /* it is in no call when it does so */
		{ "0 0:1 user\n1 0:1 fork 2\n1 0:2 user\n5 0:1 wait4 task by 0:2\n10 0:1 user\n",
			BLOCKED_CHILD },
		{ "0 0:1 user\n1 0:1 fork 2\n1 0:2 user\n5 0:1 vfork task by 0:2\n10 0:1 user\n",
			BLOCKED_CHILD },
		{ "0 0:1 user\n0 0:2 user\n5 0:1 waitid -\n10 0:1 user\n", BLOCKED_CHILD },
		{ "0 0:1 user\n0 0:2 user\n5 0:1 read -\n10 0:1 user\n", BLOCKED_NOT_STARTED },
		{ "0 0:1 user\n0 0:2 user\n5 0:1 wait4 timer\n10 0:1 user\n", BLOCKED_NOT_STARTED },
		/* What a child writes, or its child; not a parent, and not a thread of its own. */
		{ "0 0:1 user\n1 0:1 fork 2\n1 0:2 user\n5 0:1 read pipe by 0:2\n10 0:1 user\n",
			BLOCKED_CHILD },
		{ "0 0:1 user\n1 0:1 fork 2\n1 0:2 user\n2 0:2 fork 3\n2 0:3 user\n5 0:1 read pipe "
		  "by 0:3\n10 0:1 user\n",
			BLOCKED_CHILD },
		{ "0 0:2 user\n1 0:2 fork 1\n1 0:1 user\n5 0:1 read pipe by 0:2\n10 0:1 user\n",
			BLOCKED_NOT_STARTED },
		{ "0 0:1 user\n1 0:1 fork 2 thread\n1 0:2 user\n5 0:1 read pipe by 0:2\n10 0:1 "
		  "user\n",
			BLOCKED_NOT_STARTED },
		{ "0 0:1 user\n0 0:2 user\n5 0:1 read pipe by 0:2\n10 0:1 user\n",
			BLOCKED_NOT_STARTED },
		{ "0 0:1 user\n1 0:1 fork 2\n1 0:2 user\n5 0:1 read futex by 0:2\n10 0:1 user\n",
			BLOCKED_NOT_STARTED },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tasks_world t;
		struct blocked b;
		struct mer_err err = { 0 };
		world_text(&t, cases[i].world);
		assert_int_equal(blocked_find(&t.w, &b, &err), 0);
		const struct blocked_wait *w =
			blocked_before(&b, 0, world_text_task(&t, 0, 1), 6 * MS);
		assert_non_null(w);
		assert_int_equal(w->begin, 5 * MS);
		if (blocked_started_of(&b, 0, w) != cases[i].is)
			fail_msg("case %zu", i);
		blocked_fini(&b);
		tw_fini(&t);
	}
	/* A join: the thread was in exit when it woke the other one. */
	struct tasks_world t;
	struct blocked b;
	struct mer_err err = { 0 };
	static const char *const calls[] = { "exit", "exit_group", "futex" };
	for (size_t i = 0; i < 3; i++) {
		world_text(&t, "0 0:1 user\n1 0:1 fork 2 thread\n1 0:2 user\n5 0:1 futex futex by "
			       "0:2\n8 0:2 syscall\n10 0:1 user\n");
		struct kernel_host *h = &t.hosts[0];
		struct kernel_call c = { .fd = -1, .object = KERNEL_NONE };
		c.name = mer_intern_add(&h->names, calls[i], strlen(calls[i]));
		kernel_span(h, h->tasks[1].last)->call = kernel_add_call(h, &c);
		assert_int_equal(blocked_find(&t.w, &b, &err), 0);
		assert_int_equal(blocked_started_of(&b, 0, blocked_before(&b, 0, 0, 6 * MS)),
			i == 0 ? BLOCKED_THREAD : BLOCKED_NOT_STARTED);
		blocked_fini(&b);
		tw_fini(&t);
	}
}

/* A wait of several pieces (kernel_wait_end): each is for what ended the last one, and is open if
 * that is. */
static void pieces(void **state)
{
	(void)state;
	for (int is_open = 0; is_open < 2; is_open++) {
		struct tasks_world t;
		struct blocked b;
		struct mer_err err = { 0 };
		world_text(
			&t, is_open ? "0 0:1 user\n5 0:1 poll timer\n8 0:1 user\n9 0:1 poll disk\n"
				    : "0 0:1 user\n5 0:1 poll timer\n8 0:1 user\n9 0:1 poll "
				      "disk\n12 0:1 user\n");
		struct kernel_host *h = &t.hosts[0];
		kernel_span(h, 1)->source = 3;
		assert_int_equal(blocked_find(&t.w, &b, &err), 0);
		assert_int_equal(b.hosts[0].n, 2);
		for (int i = 0; i < 2; i++) {
			assert_int_equal(b.hosts[0].waits[i].whole, 3);
			assert_int_equal(b.hosts[0].waits[i].cause, KERNEL_DISK);
			assert_int_equal(b.hosts[0].waits[i].open, is_open);
		}
		assert_int_equal(b.hosts[0].waits[0].end, 8 * MS);
		blocked_fini(&b);
		tw_fini(&t);
	}
}

/* Whoever asked no longer waits. */
static void cancelled(void **state)
{
	struct tasks_world t;
	struct blocked b;
	struct mer_err err = { 0 };
	struct mer_cancel cancel = { true };
	(void)state;
	world_text(&t, "0 0:1 user\n10 0:1 read disk\n20 0:1 user\n");
	t.w.cancel = &cancel;
	assert_int_equal(blocked_find(&t.w, &b, &err), MER_ERR_CANCELLED);
	blocked_fini(&b);
	tw_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(input), cmocka_unit_test(accepting),
		cmocka_unit_test(opened), cmocka_unit_test(threads_of_the_kernel),
		cmocka_unit_test(jobs), cmocka_unit_test(who_connects),
		cmocka_unit_test(who_sent_first), cmocka_unit_test(calls_that_read),
		cmocka_unit_test(parents), cmocka_unit_test(handed_on),
		cmocka_unit_test(handed_on_by_many), cmocka_unit_test(inside),
		cmocka_unit_test(for_outside), cmocka_unit_test(open_waits),
		cmocka_unit_test(own_connect), cmocka_unit_test(started_while_recorded),
		cmocka_unit_test(started), cmocka_unit_test(pieces), cmocka_unit_test(cancelled) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
