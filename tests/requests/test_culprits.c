/* Who took the time of a request, each rule by itself; results worked out by hand. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "calls_world.h"
#include "requests/shape.h"

#define ONE "pair 10:5 20:7\n"

static void culprits_are(const char *world, const char *id, const char *expected)
{
	struct calls_world c;
	char text[2000];
	calls_world_open(&c, world);
	calls_world_culprits(&c, id, text, sizeof(text));
	assert_string_equal(text, expected);
	calls_world_close(&c);
}

/* 10 asks 20 at 2, and has the answer at 31: between, 20 does what the case says from 4 to 29. */
#define BEGIN                                                                                      \
	"pair 10:5 20:7\n0 10 user cpu 9\n0 20 user cpu 1\n1-2 10 write 5 10\n"                    \
	"2 10 blocked network\n2-3 20 read 7 10\n"
#define END "29-30 20 write 7 10\n30 10 user cpu 9\n30-31 10 read 5 10\n"

/* Of the time up to 10 nothing is told by others; the rest is 20's own work. */
#define REST(ns) ", 20 compute " ns ", 10 compute 1"

/* The CPU was with 40, then nobody, then an interrupt, then 41. */
static void who_had_the_cpu(void **state)
{
	(void)state;
	culprits_are(
		"0 40 blocked\n0 41 blocked\n" BEGIN "4 20 runnable cpu 1\n"
		"4 40 user cpu 1\n8 40 blocked timer\n10 41 user cpu 1\n12 41 interrupted softirq cpu "
		"1 source 3\n13 41 user cpu 1\n14 41 blocked timer\n14 20 user cpu 1\n" END,
		"r1.1",
		"10 compute 1, 20 compute 2, 40 cpu 4, 41 cpu 2, - interrupt 1 softirq 3, 41 cpu 1" REST(
			"16"));
	/* On another CPU nobody took it. */
	culprits_are("0 40 blocked\n" BEGIN
		     "4 20 runnable cpu 1\n4 40 user cpu 2\n14 20 user cpu 1\n" END,
		"r1.1", "10 compute 1, 20 compute 2" REST("16"));
}

static void interrupted(void **state)
{
	(void)state;
	culprits_are(BEGIN "4 20 interrupted irq cpu 1 source 27\n9 20 user cpu 1\n" END, "r1.1",
		"10 compute 1, 20 compute 2, - interrupt 5 irq 27" REST("21"));
}

/* Two requests of 40 were served before that of 20; one of it in the queue is no culprit before it
 * was inserted. */
static void behind_others_on_the_disk(void **state)
{
	(void)state;
	culprits_are(
		"disk 40 1 8 write\ndisk 40 3 12 write\ndisk 20 4 20 write\ndisk 40 4 30 write\n" BEGIN
		"4 20 blocked disk call fsync source 2\n20 20 user cpu 1\n" END,
		"r1.1",
		"10 compute 1, 20 compute 2, 40 disk 4, 40 disk 4, 20 own-write 8 /f for r1.1" REST(
			"10"));
}

static void file_not_in_memory(void **state)
{
	(void)state;
	culprits_are("disk 20 4 9 read\n" BEGIN
		     "4 20 blocked disk call read source 0\n9 20 user cpu 1\n" END,
		"r1.1", "10 compute 1, 20 compute 2, 20 own-read 5 /f for r1.1" REST("21"));
}

/* A kernel worker writes back what a task had written to files: that one is the culprit, if most of
 * all was its; not if 41 wrote as much. */
#define WORKER "kernel 40 kworker/u2:1\nfile 41:3\nfile 42:3\n"
#define BEHIND_WORKER BEGIN "4 20 blocked disk call fsync source 1\n20 20 user cpu 1\n" END
static void behind_pages_written_back(void **state)
{
	(void)state;
	culprits_are(WORKER "disk 40 1 12 write\ndisk 20 4 20 write\n"
			    "0-1 41 write 3 100\n0-1 42 write 3 300\n" BEHIND_WORKER,
		"r1.1",
		"10 compute 1, 20 compute 2, 42 disk 8, 20 own-write 8 /f for r1.1" REST("10"));
	culprits_are(WORKER "disk 40 1 12 write\ndisk 20 4 20 write\n"
			    "0-1 41 write 3 300\n0-1 42 write 3 300\n" BEHIND_WORKER,
		"r1.1",
		"10 compute 1, 20 compute 2, 40 disk 8, 20 own-write 8 /f for r1.1" REST("10"));
	/* Another thread of the kernel writes for itself. */
	culprits_are("kernel 40 jbd2/vda-8\nfile 42:3\n"
		     "disk 40 1 12 write\ndisk 20 4 20 write\n"
		     "0-1 42 write 3 300\n" BEHIND_WORKER,
		"r1.1",
		"10 compute 1, 20 compute 2, 40 disk 8, 20 own-write 8 /f for r1.1" REST("10"));
}

static void asleep(void **state)
{
	(void)state;
	culprits_are(BEGIN "4 20 blocked timer\n9 20 user cpu 1\n" END, "r1.1",
		"10 compute 1, 20 compute 2, 20 slept 5 for r1.1" REST("21"));
}

/* What the holder did while 20 waited: it ran, waited for the disk, ran and woke it. */
static void who_held_the_lock(void **state)
{
	(void)state;
	culprits_are(
		"thread 40 20\n0 40 user\n" BEGIN
		"4 20 blocked futex by 40\n6 40 blocked disk\n12 40 user\n14 20 user cpu 1\n" END,
		"r1.1",
		"10 compute 1, 20 compute 2, 40 held 2 running, 40 held 6 disk, 40 held 2 running" REST(
			"16"));
}

/* The holder makes a thousand system calls meanwhile, each a span of its own: all of them count. */
static void who_held_the_lock_in_many_calls(void **state)
{
	enum { CALLS = 1000 };
	struct mer_str world = { 0 };
	struct calls_world c;
	static char text[100000];
	int64_t held = 0, ns;
	(void)state;
	mer_str_puts(&world, "thread 40 20\n0 40 user\n" BEGIN "4 20 blocked futex by 40\n");
	for (int i = 0; i < CALLS; i++)
		mer_str_printf(&world, "%d 40 %s\n", 5 + i, i % 2 ? "user" : "syscall");
	mer_str_printf(&world,
		"%d 20 user cpu 1\n%d-%d 20 write 7 10\n%d 10 user cpu 9\n%d-%d 10 read 5 10\n",
		2000, 2001, 2002, 2003, 2003, 2004);
	assert_false(world.failed);
	calls_world_open(&c, world.data);
	calls_world_culprits(&c, "r1.1", text, sizeof(text));
	for (const char *p = text; (p = strstr(p, "40 held ")) != NULL; p++)
		if (sscanf(p, "40 held %" SCNd64 " running", &ns) == 1)
			held += ns;
	assert_int_equal(held, 2000 - 4);
	calls_world_close(&c);
	mer_str_fini(&world);
}

/* Another process of the server, which serves another request, ends the wait by a signal: it had
 * the row. It is 40 for 11, between two requests of its transaction at first. */
static void who_held_the_row(void **state)
{
	(void)state;
	const char *world =
		"pair 11:5 40:7\n0 11 user cpu 8\n0 40 blocked network\n" BEGIN
		"4 20 blocked task by 40\n5-6 11 write 5 10\n7 40 user\n7-8 40 read 7 10\n"
		"9 40 blocked disk\n12 40 user\n14 20 user cpu 1\n15-16 40 write 7 10\n"
		"17-18 11 read 5 10\n" END;
	culprits_are(world, "r1.1",
		"10 compute 1, 20 compute 2, 40 held 3 network for r2.1, 40 held 2 running for r2.1, "
		"40 held 3 disk for r2.1, 40 held 2 running for r2.1" REST("16"));
	struct calls_world c;
	char text[500];
	calls_world_open(&c, world);
	calls_world_parts(&c, "r1.1", text, sizeof(text));
	assert_string_equal(text,
		"10 requester 1, 20 running 2, 40 locks 3, 40 locks 2, 40 locks 3, "
		"40 locks 2, 20 running 16, 10 requester 1");
	calls_world_close(&c);
}

/* The holder, which serves 11, waits for a lock itself, until 41 frees that at 9: 41 held both
 * up. */
static void who_held_the_lock_of_the_holder(void **state)
{
	(void)state;
	culprits_are(
		"pair 11:5 20:17\nthread 40 20\nthread 41 20\n0 11 user cpu 8\n0 40 user\n0 41 user\n" BEGIN
		"2-3 11 write 5 10\n3-4 40 read 17 10\n4 20 blocked futex by 40\n"
		"5 40 blocked futex by 41\n9 40 user\n14 20 user cpu 1\n"
		"15-16 40 write 17 10\n17-18 11 read 5 10\n" END,
		"r1.1",
		"10 compute 1, 20 compute 2, 40 held 1 running for r2.1, 41 held 4 running, "
		"40 held 5 running for r2.1" REST("16"));
}

/* 40 waits for its next request when 20 begins to wait: it has no lock yet. From 8 on it serves
 * 11. */
static void who_came_later(void **state)
{
	(void)state;
	culprits_are("pair 11:5 20:17\nthread 40 20\n0 11 user cpu 8\n0 40 blocked network\n" BEGIN
		     "4 20 blocked futex by 40\n6-7 11 write 5 10\n8 40 user cpu 2\n"
		     "8-9 40 read 17 10\n14 20 user cpu 1\n15-16 40 write 17 10\n"
		     "17-18 11 read 5 10\n" END,
		"r1.1", "10 compute 1, 20 compute 2, 40 held 6 running for r2.1" REST("16"));
}

/* 40, which serves nobody then, waits for a lock or a job itself: it does not hold one up in that
 * time, and whose that was is not known. */
static void who_had_no_lock_yet(void **state)
{
	(void)state;
	culprits_are("thread 40 20\nthread 41 20\n0 40 user\n0 41 user\n" BEGIN
		     "4 20 blocked futex by 40\n5 40 blocked futex by 41\n9 40 user\n"
		     "14 20 user cpu 1\n" END,
		"r1.1",
		"10 compute 1, 20 compute 2, 40 held 1 running, 40 held 5 running" REST("16"));
}

/* What ends the wait cannot be followed: the wait has a name all the same, of the server as of the
 * requester. */
static void waits_by_itself(void **state)
{
	(void)state;
	culprits_are(BEGIN "4 20 blocked task\n9 20 user cpu 1\n" END, "r1.1",
		"10 compute 1, 20 compute 2, 20 waited 5 task for r1.1" REST("21"));
	culprits_are("pair 10:5 20:7\n0 10 user cpu 9\n0 20 user cpu 1\n0-1 10 write 5 5\n"
		     "1 10 blocked task\n3 10 user cpu 9\n3-4 10 write 5 5\n4-5 20 read 7 10\n"
		     "29-30 20 write 7 10\n30-31 10 read 5 10\n",
		"r1.1",
		"10 compute 1, 10 waited 2 task for r1.1, 10 compute 1, 20 compute 26, 10 compute 1");
}

/* A process that serves nobody else works for it. */
static void who_worked_for_it(void **state)
{
	(void)state;
	culprits_are("0 40 user\n" BEGIN "4 20 blocked task by 40\n6 40 blocked disk\n12 40 user\n"
		     "14 20 user cpu 1\n" END,
		"r1.1",
		"10 compute 1, 20 compute 2, 40 helped 2 running for r1.1, 40 helped 6 disk for r1.1, 40 "
		"helped 2 running for r1.1" REST("16"));
}

/* Threads 21 and 22 of 20 share one connection to 30. 22 waits until 21 has done: not for a lock,
 * but for the connection, for the request that 21 serves. */
#define POOL                                                                                       \
	"pair 10:5 20:7\npair 11:5 20:17\npair 20:8 30:9\nthread 21 20\nthread 22 20\n"            \
	"0 10 user cpu 9\n0 11 user cpu 8\n0 21 user\n0 22 user\n0 30 user\n"                      \
	"1-2 10 write 5 10\n1-2 11 write 5 10\n3-4 21 read 7 10\n3-4 22 read 17 10\n"              \
	"5-6 21 write 8 10\n7 22 blocked futex by 21\n8-9 30 read 9 10\n10-11 30 write 9 10\n"     \
	"12-13 21 read 8 10\n15 22 user\n16-17 22 write 8 10\n18-19 30 read 9 10\n"                \
	"20-21 30 write 9 10\n22-23 22 read 8 10\n24-25 21 write 7 10\n24-25 22 write 17 10\n"     \
	"26-27 10 read 5 10\n26-27 11 read 5 10\n"
static void who_had_the_connection(void **state)
{
	(void)state;
	culprits_are(POOL, "r2.1",
		"11 compute 1, 22 compute 5, 21 connection 4 running for r1.1, 21 connection 2 running for "
		"r1.1, 21 connection 2 running for r1.1, 22 compute 1, 22 compute 1, 30 compute 4, "
		"22 compute 2, 22 compute 2, 11 compute 2");
}

/* The same; the server of 21's query has to wait for the CPU, which 40 has, from 9 to 10: that is
 * why 22 waits. */
static void what_the_connection_waited_for(void **state)
{
	(void)state;
	culprits_are(
		"pair 10:5 20:7\npair 11:5 20:17\npair 20:8 30:9\nthread 21 20\nthread 22 20\n"
		"0 10 user cpu 9\n0 11 user cpu 8\n0 21 user\n0 22 user\n0 30 user cpu 1\n"
		"0 40 blocked\n"
		"1-2 10 write 5 10\n1-2 11 write 5 10\n3-4 21 read 7 10\n3-4 22 read 17 10\n"
		"5-6 21 write 8 10\n7 22 blocked futex by 21\n8-9 30 read 9 10\n"
		"9 30 runnable cpu 1\n9 40 user cpu 1\n10 40 blocked timer\n10 30 user cpu 1\n"
		"10-11 30 write 9 10\n"
		"12-13 21 read 8 10\n15 22 user\n16-17 22 write 8 10\n18-19 30 read 9 10\n"
		"20-21 30 write 9 10\n22-23 22 read 8 10\n24-25 21 write 7 10\n24-25 22 write 17 10\n"
		"26-27 10 read 5 10\n26-27 11 read 5 10\n",
		"r2.1",
		"11 compute 1, 22 compute 5, 21 connection 2 running for r1.1, 40 cpu 1 via connection, "
		"21 connection 1 running for r1.1, 21 connection 2 running for r1.1, 21 connection 2 "
		"running for r1.1, 22 compute 1, 22 compute 1, 30 compute 4, 22 compute 2, 22 compute 2, "
		"11 compute 2");
}

static void parts_are(const char *world, const char *id, const char *expected)
{
	struct calls_world c;
	char text[500];
	calls_world_open(&c, world);
	calls_world_parts(&c, id, text, sizeof(text));
	assert_string_equal(text, expected);
	calls_world_close(&c);
}

/* An event loop with one connection to 30. It has read 11's request, and waits in epoll for the
 * answer to the query of 10's: no packet of 11's is under way. 30 has to wait for 40 first. */
#define LOOP                                                                                         \
	"pair 10:5 20:7\npair 11:5 20:17\npair 20:8 30:9\n"                                          \
	"0 10 user cpu 9\n0 11 user cpu 8\n0 20 user cpu 1\n0 30 blocked network\n0 40 user cpu 2\n" \
	"1-2 10 write 5 10\n2-3 20 read 7 10\n3-4 20 write 8 10\n4 30 runnable cpu 2\n"              \
	"4-5 11 write 5 10\n5-6 20 read 17 10\n6 20 blocked network\n9 40 blocked timer\n"           \
	"9 30 user cpu 2\n9-10 30 read 9 10\n11-12 30 write 9 10\n12 20 user cpu 1\n"                \
	"12-13 20 read 8 10\n"
static void loop_without_a_connection(void **state)
{
	(void)state;
	const char *world = LOOP
		"13-14 20 write 8 10\n14-15 20 write 7 10\n15 20 blocked network\n15-16 30 read 9 10\n"
		"16-17 10 read 5 10\n16-17 30 write 9 10\n17 20 user cpu 1\n17-18 20 read 8 10\n"
		"18-19 20 write 17 10\n19-20 11 read 5 10\n";
	parts_are(world, "r3.1",
		"11 requester 1, 20 running 1, 20 queued 7 for r1.1, 20 requester 1 in r2.2, "
		"30 running 3 in r2.2, 20 requester 1 in r2.2, 20 running 1, 11 requester 1");
	culprits_are(world, "r3.1",
		"11 compute 1, 20 compute 1, 40 cpu 3 via connection, 20 connection 3 running for r1.1, "
		"20 connection 1 running for r1.1, 20 compute 1, 30 compute 3, 20 compute 1, "
		"20 compute 1, 11 compute 1");
}

/* The same, but 11's request needs no query: what it waits for in that time is not known; it is not
 * the network. Then it waits for a timer. */
static void loop_waits_for_something(void **state)
{
	(void)state;
	const char *world = LOOP
		"14-15 20 write 7 10\n15 20 blocked timer\n16-17 10 read 5 10\n17 20 user cpu 1\n"
		"18-19 20 write 17 10\n19-20 11 read 5 10\n";
	parts_are(world, "r3.1",
		"11 requester 1, 20 running 1, 20 other 6, 20 queued 3 for r1.1, 20 other 2, "
		"20 running 2, 11 requester 1");
	culprits_are(world, "r3.1",
		"11 compute 1, 20 compute 1, 20 served 3 for r1.1, 20 slept 2 for r3.1, 20 compute 2, "
		"11 compute 1");
}

/* The holder of the lock serves 11, and has to wait for the CPU: 41 is why. */
static void why_the_holder_waited(void **state)
{
	(void)state;
	culprits_are(
		"pair 11:5 20:17\nthread 40 20\n0 11 user cpu 8\n0 40 user cpu 2\n0 41 blocked\n" BEGIN
		"2-3 11 write 5 10\n3-4 40 read 17 10\n4 20 blocked futex by 40\n"
		"5 40 runnable cpu 2\n5 41 user cpu 2\n9 41 blocked timer\n9 40 user cpu 2\n"
		"14 20 user cpu 1\n15-16 40 write 17 10\n17-18 11 read 5 10\n" END,
		"r1.1",
		"10 compute 1, 20 compute 2, 40 held 1 running for r2.1, 41 cpu 4 via lock, "
		"40 held 5 running for r2.1" REST("16"));
	/* One that serves nobody is the reason, whatever kept it. */
	culprits_are("0 40 user cpu 2\n0 41 blocked\n" BEGIN
		     "4 20 blocked futex by 40\n6 40 runnable cpu 2\n6 41 user cpu 2\n"
		     "12 41 blocked timer\n12 40 user cpu 2\n14 20 user cpu 1\n" END,
		"r1.1",
		"10 compute 1, 20 compute 2, 40 held 2 running, 40 held 6 runnable, 40 held 2 running" REST(
			"16"));
}

/* What 20 writes takes the disk 20 us, and 1 us otherwise: 40 wrote 1 MiB then, which completed
 * later. With 4 KiB it would not be it. */
#define QUICK                                                                                      \
	"disk 20 40 41 write\ndisk 20 42 43 write\ndisk 20 44 45 write\ndisk 20 46 47 write\n"     \
	"disk 20 48 49 write\ndisk 20 50 51 write\ndisk 20 52 53 write\ndisk 20 54 55 write\n"
#define SLOW BEGIN "4 20 blocked disk call fsync source 0\n24 20 user cpu 1\n" END
static void who_made_the_disk_slow(void **state)
{
	(void)state;
	culprits_are("disk 20 4 24 write\ndisk 40 3 25 write 1048576\n" QUICK SLOW, "r1.1",
		"10 compute 1, 20 compute 2, 40 disk 18 slowing 1048576, 20 own-write 2 /f for r1.1" REST(
			"6"));
	culprits_are("disk 20 4 24 write\ndisk 40 3 25 write\n" QUICK SLOW, "r1.1",
		"10 compute 1, 20 compute 2, 20 own-write 20 /f for r1.1" REST("6"));
	/* It always takes that long. */
	culprits_are("disk 20 4 24 write\ndisk 40 3 25 write 1048576\n"
		     "disk 20 100 120 write\ndisk 20 120 140 write\ndisk 20 140 160 write\n"
		     "disk 20 160 180 write\ndisk 20 180 200 write\ndisk 20 200 220 write\n"
		     "disk 20 220 240 write\n" SLOW,
		"r1.1", "10 compute 1, 20 compute 2, 20 own-write 20 /f for r1.1" REST("6"));
	/* Too few are known to say what is usual. */
	culprits_are("disk 20 4 24 write\ndisk 40 3 25 write 1048576\ndisk 20 40 41 write\n" SLOW,
		"r1.1", "10 compute 1, 20 compute 2, 20 own-write 20 /f for r1.1" REST("6"));
}

/* Its task did something else, and the connection was free long before: that is a lock. */
static void free_connection(void **state)
{
	(void)state;
	culprits_are(
		"pair 10:5 20:7\npair 11:5 20:17\npair 20:8 30:9\nthread 21 20\nthread 22 20\n"
		"0 10 user cpu 9\n0 11 user cpu 8\n0 21 user\n0 22 user\n0 30 user\n0 40 user\n"
		"1-2 10 write 5 10\n1-2 11 write 5 10\n3-4 21 read 7 10\n3-4 22 read 17 10\n"
		"5-6 21 write 8 10\n8-9 30 read 9 10\n10-11 30 write 9 10\n12-13 21 read 8 10\n"
		"14 22 blocked futex by 40\n16 22 user\n"
		"17-18 22 write 8 10\n18-19 30 read 9 10\n20-21 30 write 9 10\n22-23 22 read 8 10\n"
		"24-25 21 write 7 10\n24-25 22 write 17 10\n26-27 10 read 5 10\n26-27 11 read 5 10\n",
		"r2.1",
		"11 compute 1, 22 compute 12, 40 held 2 running, 22 compute 1, 22 compute 1, 30 compute "
		"3, 22 compute 2, 22 compute 2, 11 compute 2");
}

static void what_was_served_instead(void **state)
{
	(void)state;
	culprits_are(
		"pair 10:5 30:7\npair 11:5 30:17\n0 10 user\n0 11 user\n0 30 blocked task by 11\n"
		"1-2 11 write 5 10\n2 30 user\n2-3 30 read 17 10\n"
		"5-6 10 write 5 10\n6 10 blocked task by 30\n9-10 30 write 17 10\n10-11 11 read 5 10\n"
		"12-13 30 read 7 10\n19-20 30 write 7 10\n20 10 user\n20-22 10 read 5 10\n",
		"r2.1", "10 compute 1, 30 served 4 for r1.1, 30 compute 10, 10 compute 2");
}

/* It could not even serve that one: 40 had its CPU until 9. */
static void why_it_served_so_long(void **state)
{
	(void)state;
	culprits_are(
		"pair 10:5 30:7\npair 11:5 30:17\n0 10 user cpu 9\n0 11 user cpu 8\n"
		"0 30 blocked task by 11\n0 40 blocked\n"
		"1-2 11 write 5 10\n2 30 user cpu 1\n2-3 30 read 17 10\n4 30 runnable cpu 1\n"
		"4 40 user cpu 1\n5-6 10 write 5 10\n6 10 blocked task by 30\n"
		"9 40 blocked timer\n9 30 user cpu 1\n11-12 30 write 17 10\n12-13 11 read 5 10\n"
		"14-15 30 read 7 10\n19-20 30 write 7 10\n20 10 user cpu 9\n20-22 10 read 5 10\n",
		"r2.1",
		"10 compute 1, 40 cpu 3 via served, 30 served 3 for r1.1, 30 compute 8, 10 compute 2");
}

/* 20 puts requests into a queue, 21 works them off. It still waits for the disk for the first one,
 * which completed a request of 40 before. */
static void what_its_worker_waited_for(void **state)
{
	(void)state;
	culprits_are(
		"pair 10:5 20:7\npair 11:5 20:17\nthread 21 20\n"
		"disk 40 1 8 write\ndisk 21 5 12 write\n"
		"0 10 user cpu 9\n0 11 user cpu 8\n0 20 user cpu 1\n0 21 user cpu 2\n"
		"1-2 10 write 5 10\n2-3 20 read 7 10\n3-4 11 write 5 10\n4-5 20 read 17 10\n"
		"5 20 blocked network\n5 21 blocked disk call fsync source 1\n12 21 user cpu 2\n"
		"13-14 21 write 7 10\n15-16 10 read 5 10\n17-18 21 write 17 10\n19-20 11 read 5 10\n",
		"r2.1",
		"11 compute 1, 20 compute 1, 40 disk 3 via served, 21 served 4 disk for r1.1, "
		"21 served 2 for r1.1, 21 compute 4, 11 compute 2");
}

/* Ten requests of 10 bytes, the last three slow: sizes of answers, one after the other. */
static void shape_is(const unsigned answers[10], const char *expected)
{
	struct calls_world c;
	struct requests_shape s;
	struct mer_err err = { 0 };
	uint32_t which[10];
	char world[2000] = ONE, text[200] = "none";
	for (unsigned i = 0; i < 10; i++) {
		unsigned t = i * 10;
		which[i] = i;
		size_t len = strlen(world);
		snprintf(world + len, sizeof(world) - len,
			"%u-%u 10 write 5 10\n%u-%u 20 read 7 10\n%u-%u 20 write 7 %u\n"
			"%u-%u 10 read 5 %u\n",
			t + 1, t + 2, t + 3, t + 4, t + 5, t + 6, answers[i], t + 7, t + 8,
			answers[i]);
	}
	calls_world_open(&c, world);
	assert_int_equal(c.r->n, 10);
	assert_int_equal(requests_shape_find(c.r, c.parts, which, 10, 7, &s, &err), 0);
	if (s.is_found)
		snprintf(text, sizeof(text), "%s%s answers %u-%u: %u, %.1f of slow, %.1f of all",
			s.sizes[REQUESTS_SIZE_OUT].is_limit ? "out" : "",
			s.sizes[REQUESTS_SIZE_BELOW].is_limit ? "below" : "",
			(unsigned)s.sizes[REQUESTS_SIZE_IN].least,
			(unsigned)s.sizes[REQUESTS_SIZE_IN].most, s.n_slow, s.slow_share, s.share);
	assert_string_equal(text, expected);
	calls_world_close(&c);
}

static void shape(void **state)
{
	(void)state;
	shape_is((unsigned[]){ 5, 40, 6, 5, 44, 7, 5, 41, 43, 42 },
		" answers 41-43: 3, 1.0 of slow, 0.3 of all");
	/* Another one of the same size does no harm. */
	shape_is((unsigned[]){ 5, 42, 6, 5, 44, 7, 5, 41, 43, 42 },
		" answers 41-43: 3, 1.0 of slow, 0.4 of all");
}

static void no_shape(void **state)
{
	(void)state;
	shape_is((unsigned[]){ 5, 41, 43, 42, 43, 42, 41, 41, 43, 42 }, "none");
	shape_is((unsigned[]){ 5, 5, 5, 5, 5, 5, 5, 5, 5, 5 }, "none");
	/* Two of three are too few to say so. */
	shape_is((unsigned[]){ 5, 5, 5, 5, 5, 5, 5, 5, 41, 42 }, "none");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_had_the_cpu),
		cmocka_unit_test(interrupted),
		cmocka_unit_test(behind_others_on_the_disk),
		cmocka_unit_test(file_not_in_memory),
		cmocka_unit_test(behind_pages_written_back),
		cmocka_unit_test(asleep),
		cmocka_unit_test(shape),
		cmocka_unit_test(no_shape),
		cmocka_unit_test(who_held_the_lock),
		cmocka_unit_test(who_held_the_lock_in_many_calls),
		cmocka_unit_test(who_held_the_row),
		cmocka_unit_test(who_held_the_lock_of_the_holder),
		cmocka_unit_test(who_had_no_lock_yet),
		cmocka_unit_test(who_came_later),
		cmocka_unit_test(waits_by_itself),
		cmocka_unit_test(who_worked_for_it),
		cmocka_unit_test(who_had_the_connection),
		cmocka_unit_test(free_connection),
		cmocka_unit_test(what_was_served_instead),
		cmocka_unit_test(why_it_served_so_long),
		cmocka_unit_test(what_its_worker_waited_for),
		cmocka_unit_test(what_the_connection_waited_for),
		cmocka_unit_test(loop_without_a_connection),
		cmocka_unit_test(loop_waits_for_something),
		cmocka_unit_test(why_the_holder_waited),
		cmocka_unit_test(who_made_the_disk_slow),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
