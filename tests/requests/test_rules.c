/* Requests, each rule by itself: where one ends and the next begins, on whose behalf it was sent,
 * and where its time went; results worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "calls_world.h"

enum { TEXT = 2000 };

static void requests_are(const char *world, const char *expected)
{
	struct calls_world c;
	char text[TEXT];
	calls_world_open(&c, world);
	calls_world_text(&c, text, sizeof(text));
	assert_string_equal(text, expected);
	calls_world_close(&c);
}

static void parts_are(const char *world, const char *id, const char *expected)
{
	struct calls_world c;
	char text[TEXT];
	calls_world_open(&c, world);
	calls_world_parts(&c, id, text, sizeof(text));
	assert_string_equal(text, expected);
	calls_world_close(&c);
}

static void pieces_are(const char *world, const char *id, const char *expected)
{
	struct calls_world c;
	char text[TEXT];
	calls_world_open(&c, world);
	calls_world_pieces(&c, id, text, sizeof(text));
	assert_string_equal(text, expected);
	calls_world_close(&c);
}

/* ---- where one ends ---- */

#define ONE "pair 10:5 20:7\n"

static void one_after_the_other(void **state)
{
	(void)state;
	/* Two writes are one request, two reads one answer. */
	requests_are(ONE
		"1-2 10 write 5 10\n3-4 10 write 5 20\n5-6 20 read 7 30\n7-8 20 write 7 40\n"
		"9-10 10 read 5 30\n11-12 10 read 5 10\n"
		"21-22 10 write 5 1\n23-24 20 read 7 1\n25-26 20 write 7 1\n27-28 10 read 5 1\n",
		"r1.1 10>20 1-12, r1.2 10>20 21-28");
}

static void without_answer(void **state)
{
	(void)state;
	requests_are(ONE "1-2 10 write 5 10\n3-4 20 read 7 10\n5-6 20 write 7 9\n7-8 10 read 5 9\n"
			 "9-10 10 write 5 1\n11-12 20 read 7 1\n",
		"r1.1 10>20 1-8");
	/* Neither is it part of the one before if the server has not even read it. */
	requests_are(ONE "1-2 10 write 5 10\n3-4 20 read 7 10\n5-6 20 write 7 9\n7-8 10 read 5 9\n"
			 "9-10 10 write 5 1\n",
		"r1.1 10>20 1-8");
	/* Calls that fail, or reach the end, move nothing. */
	requests_are(ONE "1-2 10 write 5 10\n3-4 20 read 7 10\n5-6 20 write 7 9\n7-8 10 read 5 9\n"
			 "9-10 10 write 5 -32\n11-12 10 read 5 0\n",
		"r1.1 10>20 1-8");
}

/* One thread has sent the request and another one has read the answer before the call of the first
 * one is over. */
static void read_by_another_thread(void **state)
{
	(void)state;
	requests_are(
		"thread 11 10\n" ONE
		"3-4 20 read 7 10\n5-6 20 write 7 9\n7-8 11 read 5 9\n1-9 10 write 5 10\n"
		"11-12 10 write 5 1\n13-14 20 read 7 1\n15-16 20 write 7 1\n17-18 11 read 5 1\n",
		"r1.1 10>20 1-8, r1.2 10>20 11-18");
}

#define NEXT                                                                                       \
	"21-22 10 write 5 10\n23-24 20 read 7 10\n25-26 20 write 7 9\n27-28 10 read 5 9\n"         \
	"31-32 10 write 5 7\n33-34 20 read 7 7\n35-36 20 write 7 3\n37-38 10 read 5 3\n"

/* The ends of a connection that is older than the recording. */
static void begun_before(void **state)
{
	(void)state;
	/* The server reads and answers what was sent before. */
	requests_are(ONE "1-2 20 read 7 8\n3-4 20 write 7 5\n5-6 10 read 5 5\n" NEXT,
		"r1.1 10>20 21-28, r1.2 10>20 31-38");
	/* It was reading when the recording began: that call is not known. */
	requests_are(ONE "1-2 10 write 5 4\n5-6 20 write 7 5\n7-8 10 read 5 5\n" NEXT,
		"r1.1 10>? 1-8, r1.2 10>20 21-28, r1.3 10>20 31-38");
	/* ... and read the rest with another one. */
	requests_are(ONE
		"1-2 10 write 5 4\n3-4 20 read 7 1\n5-6 20 write 7 5\n7-8 10 read 5 5\n" NEXT,
		"r1.1 10>20 1-8, r1.2 10>20 21-28, r1.3 10>20 31-38");
}

/* The second request leaves before the answer to the first one is read: these cannot be told
 * apart, as it is not looked at what they say. */
static void overlapping(void **state)
{
	(void)state;
	requests_are(ONE
		"1-2 10 write 5 10\n3-4 10 write 5 10\n5-6 20 read 7 10\n7-8 20 write 7 5\n"
		"9-10 20 read 7 10\n11-12 20 write 7 5\n13-14 10 read 5 10\n"
		"21-22 10 write 5 1\n23-24 20 read 7 1\n25-26 20 write 7 1\n27-28 10 read 5 1\n",
		"r1.1 10>20 1-14 x2, r1.2 10>20 21-28");
	requests_are(ONE
		"1-2 10 write 5 10\n3-4 20 read 7 10\n5-6 20 write 7 5\n7-8 10 read 5 2\n"
		"9-10 10 write 5 10\n11-12 10 read 5 3\n13-14 20 read 7 10\n15-16 20 write 7 5\n"
		"17-18 10 read 5 5\n",
		"r1.1 10>20 1-18 x2");
}

/* More was read than was written: calls are missing, so what the server did for which is not
 * known. */
static void damaged(void **state)
{
	(void)state;
	requests_are(ONE "1-2 10 write 5 10\n3-4 20 read 7 15\n5-6 20 write 7 5\n7-8 10 read 5 5\n",
		"r1.1 10>? 1-8 damaged");
	/* Where they agree again, it is known. */
	requests_are(ONE
		"1-2 10 write 5 10\n3-4 20 read 7 15\n5-6 20 write 7 5\n7-8 10 read 5 5\n"
		"9-10 10 write 5 10\n11-12 20 read 7 10\n13-14 20 write 7 5\n15-16 10 read 5 5\n",
		"r1.1 10>? 1-8 damaged, r1.2 10>20 9-16");
}

/* As many bytes, but read long before they were written: a call of each side is missing. */
static void of_another_time(void **state)
{
	(void)state;
	requests_are(ONE "3-4 20 read 7 10\n5-6 20 write 7 5\n2005-2006 10 write 5 10\n"
			 "2007-2008 10 read 5 5\n",
		"r1.1 10>? 2005-2008 damaged");
	requests_are(ONE "3-4 20 read 7 10\n5-6 20 write 7 5\n2003-2006 10 write 5 10\n"
			 "2007-2008 10 read 5 5\n",
		"r1.1 10>20 2003-2008");
}

/* ---- for whom ---- */

#define TWO "pair 10:5 20:7\npair 20:8 30:9\n"
#define ASK(begin, end, from, fd) begin "-" end " " from " write " fd " 10\n"
#define GET(begin, end, by, fd) begin "-" end " " by " read " fd " 10\n"

static void blocking_server(void **state)
{
	(void)state;
	requests_are(TWO ASK("1", "2", "10", "5") GET("3", "4", "20", "7") ASK("5", "6", "20", "8")
			     GET("7", "8", "30", "9") ASK("9", "10", "30", "9")
				     GET("11", "12", "20", "8") ASK("13", "14", "20", "7")
					     GET("15", "16", "10", "5"),
		"r1.1 10>20 1-16, r2.1 20>30 5-12 of r1.1");
}

/* The server answers before it has the answer of its own request: nothing of that one is in it. */
static void answered_without_it(void **state)
{
	(void)state;
	requests_are(TWO ASK("1", "2", "10", "5") GET("3", "4", "20", "7") ASK("5", "6", "20", "8")
			     ASK("7", "8", "20", "7") GET("9", "10", "10", "5")
				     GET("11", "12", "30", "9") ASK("13", "14", "30", "9")
					     GET("15", "16", "20", "8"),
		"r1.1 10>20 1-10, r2.1 20>30 5-16");
}

#define FRAME                                                                                      \
	TWO ASK("1", "2", "10", "5") GET("3", "4", "20", "7") ASK("5", "6", "20", "8")             \
		ASK("7", "8", "20", "7") GET("9", "10", "10", "5") ASK("11", "12", "10", "5")      \
			GET("13", "14", "20", "7")

/* HTTP/2: a frame comes back while the answer is still owed; it comes within what looks like
 * another exchange. */
static void answered_later(void **state)
{
	(void)state;
	requests_are(FRAME GET("15", "16", "30", "9") ASK("17", "18", "30", "9") GET("19", "20",
			     "20", "8") ASK("21", "22", "20", "7") GET("23", "24", "10", "5"),
		"r1.1 10>20 1-24 x2, r2.1 20>30 5-20 of r1.1");
	/* Nothing was written after the answer: nobody waited for it. */
	requests_are(FRAME ASK("15", "16", "20", "7") GET("17", "18", "10", "5") GET("19", "20",
			     "30", "9") ASK("21", "22", "30", "9") GET("23", "24", "20", "8"),
		"r1.1 10>20 1-10, r1.2 10>20 11-18, r2.1 20>30 5-24");
}

/* One loop serves clients 10 and 11, and asks 30 and 31 for them: each time for what it has just
 * read. */
#define LOOP                                                                                       \
	"pair 10:5 20:7\npair 11:5 20:17\npair 20:8 30:9\npair 20:18 31:9\n" ASK(                  \
		"1", "2", "10", "5") ASK("1", "2", "11", "5")
#define BELOW(begin, end, task)                                                                    \
	begin "-" end " " task " read 9 10\n" begin "-" end " " task " write 9 10\n"

static void event_loop(void **state)
{
	(void)state;
	requests_are(LOOP GET("3", "4", "20", "7") ASK("5", "6", "20", "8") GET("7", "8", "20",
			     "17") ASK("9", "10", "20", "18") BELOW("11", "12", "30")
			     BELOW("11", "12", "31") "13-14 20 epoll_wait -1 2\n" GET(
				     "15", "16", "20", "18") ASK("17", "18", "20", "17")
				     GET("19", "20", "20", "8") ASK("21", "22", "20", "7")
					     GET("23", "24", "10", "5") GET("23", "24", "11", "5"),
		"r1.1 10>20 1-24, r2.1 11>20 1-24, r3.1 20>30 5-20 of r1.1, r4.1 20>31 9-16 of "
		"r2.1");
}

/* The answer of the first one frees a connection, on which the loop sends what the second one has
 * been waiting for: the answer that is written after it decides. */
static void pool_of_a_loop(void **state)
{
	(void)state;
	requests_are(LOOP GET("3", "4", "20", "7") ASK("5", "6", "20", "8") GET(
			     "7", "8", "20", "17") BELOW("9", "10", "30") GET("11", "12", "20", "8")
			     ASK("13", "14", "20", "8") ASK("15", "16", "20", "7") BELOW("17", "18",
				     "30") GET("19", "20", "20", "8") ASK("21", "22", "20", "17")
				     GET("23", "24", "10", "5") GET("23", "24", "11", "5"),
		"r1.1 10>20 1-24, r2.1 11>20 1-24, r3.1 20>30 5-12 of r1.1, r3.2 20>30 13-20 of "
		"r2.1 0.98");
}

/* Nothing was read since the last poll (a timer): both open requests are possible, and nothing is
 * claimed. */
static void cannot_be_told_apart(void **state)
{
	(void)state;
	requests_are(LOOP GET("3", "4", "20", "7")
			     GET("7", "8", "20", "17") "9-10 20 epoll_wait -1 0\n" ASK(
				     "11", "12", "20", "8") BELOW("13", "14", "30")
				     GET("15", "16", "20", "8") "17-18 20 epoll_wait -1 0\n" ASK(
					     "21", "22", "20", "17") ASK("23", "24", "20", "7")
					     GET("25", "26", "10", "5") GET("25", "26", "11", "5"),
		"r1.1 10>20 1-26, r2.1 11>20 1-26, r3.1 20>30 11-16 of r2.1 0.50");
	/* Nobody asked: it is its own. */
	requests_are(TWO ASK("1", "2", "20", "8") BELOW("3", "4", "30") GET("5", "6", "20", "8"),
		"r1.1 20>30 1-6");
}

/* Thread 20 reads, 21 answers: it does one job after the other, and takes the second one without
 * being woken. */
#define POOL                                                                                       \
	"pair 10:5 20:7\npair 11:5 20:17\npair 20:8 30:9\nthread 21 20\n" ASK("1", "2", "10", "5") \
		GET("3", "4", "20", "7")
#define POOL_JOBS                                                                                  \
	POOL ASK("5", "6", "11", "5") GET("7", "8", "20", "17") ASK("9", "10", "21", "8")          \
		BELOW("11", "12", "30") GET("13", "14", "21", "8") ASK("15", "16", "21", "7")      \
			ASK("17", "18", "21", "8") BELOW("19", "20", "30")                         \
				GET("21", "22", "21", "8") ASK("23", "24", "21", "17")             \
					GET("25", "26", "10", "5") GET("25", "26", "11", "5")

static void workers(void **state)
{
	(void)state;
	requests_are(POOL_JOBS, "r1.1 10>21 1-26, r2.1 11>21 5-26, r3.1 21>30 9-14 of r1.1, r3.2 "
				"21>30 17-22 of r2.1");
}

/* Thread 22 asks for 20, which answers itself: known only by whom it was woken. */
static void handed_to_a_thread(void **state)
{
	(void)state;
	requests_are("pair 10:5 20:7\npair 20:8 30:9\nthread 22 20\n0 22 blocked futex by 20\n" ASK(
			     "1", "2", "10", "5") GET("3", "4", "20",
			     "7") "5 22 user\n5-6 20 epoll_wait -1 0\n" ASK("7", "8", "22", "8")
			     BELOW("9", "10", "30") GET("11", "12", "22", "8")
				     ASK("13", "14", "20", "7") GET("15", "16", "10", "5"),
		"r1.1 10>20 1-16, r2.1 22>30 7-12 of r1.1 0.80");
}

/* ... and which was woken when that was done: what it answers first is what it was done for. */
static void handed_back(void **state)
{
	(void)state;
	const char *world =
		"pair 10:5 20:7\npair 20:8 30:9\nthread 22 20\n0 22 blocked futex by 20\n" ASK(
			"1", "2", "10", "5") GET("3", "4", "20",
			"7") "5 22 user\n"
			     "6 20 blocked task by 22\n" ASK("7", "8", "22", "8")
				     BELOW("9", "10", "30") GET("11", "12", "22",
					     "8") "12 20 user\n5-13 20 epoll_wait -1 1\n" ASK("14",
					     "15", "20", "7") GET("16", "17", "10", "5");
	requests_are(world, "r1.1 10>20 1-17, r2.1 22>30 7-12 of r1.1");
}

/* Thread 21 answers nothing itself. It asks twice for one job; once it has handed that on, what it
 * asks next is for another one. */
static void next_job_of_a_thread(void **state)
{
	(void)state;
	const char *world =
		"pair 10:5 20:7\npair 11:5 20:17\npair 20:8 30:9\nthread 21 20\n"
		"0 21 blocked futex by 20\n" ASK("1", "2", "10", "5") GET("3", "4", "20",
			"7") "5 21 user\n" ASK("6", "7", "21", "8") ASK("6", "7", "11", "5")
			GET("8", "9", "20", "17") BELOW("10", "11", "30") GET("12", "13", "21",
				"8") ASK("14", "15", "21", "8") BELOW("16", "17", "30") GET("18",
				"19", "21", "8") "20-21 21 write 99 8\n" ASK("22", "23", "21", "8")
				BELOW("24", "25", "30") GET("26", "27", "21",
					"8") "20-30 20 epoll_wait -1 1\n" ASK("31", "32", "20", "7")
					ASK("33", "34", "20", "17") GET("35", "36", "10", "5")
						GET("35", "36", "11", "5");
	requests_are(world,
		"r1.1 10>20 1-36, r2.1 21>30 6-13 of r1.1 0.80, r2.2 21>30 14-19 of r1.1 0.78, "
		"r2.3 21>30 22-27 of r3.1 0.50, r3.1 11>20 6-36");
}

/* The second one waits for the connection of the first one, which asks again: what is sent after
 * an answer may be of either. */
static void waiting_for_a_connection(void **state)
{
	(void)state;
	requests_are(LOOP GET("3", "4", "20", "7") ASK("5", "6", "20", "8") GET("7", "8", "20",
			     "17") BELOW("9", "10", "30") GET("11", "12", "20", "8") ASK("13", "14",
			     "20", "8") BELOW("15", "16", "30") GET("17", "18", "20", "8")
			     ASK("19", "20", "20", "8") BELOW("21", "22", "30") GET(
				     "23", "24", "20", "8") ASK("25", "26", "20", "7")
				     GET("27", "28", "10", "5") "29-30 20 epoll_wait -1 0\n" ASK(
					     "31", "32", "20", "17") GET("33", "34", "11", "5"),
		"r1.1 10>20 1-28, r2.1 11>20 1-34, r3.1 20>30 5-12 of r1.1, r3.2 20>30 13-18 of "
		"r1.1 0.50, r3.3 20>30 19-24 of r1.1 0.98");
}

/* A window that serves two: half sure. */
static void window_of_two(void **state)
{
	(void)state;
	requests_are("pair 10:5 20:7\npair 11:5 20:17\npair 20:8 30:9\n" ASK("1", "2", "10", "5")
			     ASK("1", "2", "11", "5") GET("3", "4", "20", "7") ASK("5", "6", "20",
				     "8") GET("7", "8", "20", "17") ASK("9", "10", "20", "8")
				     BELOW("11", "12", "30") BELOW("13", "14",
					     "30") "15-16 20 read 8 20\n" ASK("17", "18", "20", "7")
					     ASK("19", "20", "20", "17") GET("21", "22", "10", "5")
						     GET("21", "22", "11", "5"),
		"r1.1 10>20 1-22, r2.1 11>20 1-22, r3.1 20>30 5-16 x2 of r1.1 0.50");
}

/* ---- where the time went ---- */

/* 30 works for the second client while the first one's request has arrived. */
#define QUEUED                                                                                     \
	"pair 10:5 30:7\npair 11:5 30:17\n0 10 user\n0 11 user\n0 30 blocked task by 11\n"         \
	"1-2 11 write 5 10\n2 30 user\n2-3 30 read 17 10\n"                                        \
	"5-6 10 write 5 10\n6 10 blocked task by 30\n"                                             \
	"9-10 30 write 17 10\n10-11 11 read 5 10\n"                                                \
	"12-13 30 read 7 10\n15 30 runnable\n18 30 user\n19-20 30 write 7 10\n"                    \
	"20 10 user\n20-22 10 read 5 10\n"

static void queued(void **state)
{
	(void)state;
	parts_are(QUEUED, "r2.1",
		"10 requester 1, 30 queued 4 for r1.1, 30 running 5, 30 runnable 3, 30 running 2, "
		"10 requester 2");
}

static void below(void **state)
{
	(void)state;
	const char *world = TWO "0 10 user\n0 20 user\n0 30 user\n" ASK("1", "2", "10", "5")
		GET("2", "4", "20", "7") ASK("5", "6", "20", "8") "6 20 blocked task by 30\n" GET(
			"6", "7", "30", "9") "8 30 blocked disk\n11 30 user\n" ASK("12", "13", "30",
			"9") "14 20 user\n" GET("14", "15", "20", "8") ASK("16", "17", "20", "7")
			GET("18", "19", "10", "5");
	parts_are(world, "r1.1",
		"10 requester 1, 20 running 3, 20 requester 1 in r2.1, 30 running 2 in r2.1, 30 "
		"disk 3 in "
		"r2.1, 30 running 2 in r2.1, 20 requester 1 in r2.1, 20 requester 1 in r2.1, 20 "
		"running 2, "
		"10 requester 2");
}

/* The time before its fork is its parent's. */
static void before_its_fork(void **state)
{
	(void)state;
	parts_are("pair 10:5 20:7\n0 10 user\n0 19 blocked network\n2 19 user\n4 19 runnable\n"
		  "7 19 user\nborn 20 8 by 19\n9 20 user\n"
		  "1-3 10 write 5 10\n9-10 20 read 7 10\n12-13 20 write 7 10\n14-15 10 read 5 10\n",
		"r1.1",
		"10 requester 2, 19 running 1, 19 runnable 3, 19 running 1, 20 other 1, 20 running 4, "
		"10 requester 2");
}

/* Likewise of a thread that was made for a request that another one had read before. */
static void made_for_it(void **state)
{
	(void)state;
	parts_are(ONE "0 10 user\n0 20 user\nborn 21 8 by 20\nthread 21 20\n9 21 user\n"
		      "1-2 10 write 5 10\n3-4 20 read 7 10\n12-13 21 write 7 10\n"
		      "14-15 10 read 5 10\n",
		"r1.1", "10 requester 1, 20 running 6, 21 other 1, 21 running 4, 10 requester 2");
	/* ... and which takes another one first. */
	parts_are("pair 10:5 20:7\npair 11:5 20:17\n0 10 user\n0 11 user\n0 20 user\n"
		  "born 21 8 by 20\nthread 21 20\n9 21 user\n" ASK("1", "2", "10", "5") GET(
			  "3", "4", "20", "7") ASK("5", "6", "11", "5") GET("6", "7", "20", "17")
			  ASK("10", "11", "21", "17") ASK("12", "13", "21", "7")
				  GET("14", "15", "10", "5") GET("14", "15", "11", "5"),
		"r1.1",
		"10 requester 1, 20 running 6, 21 queued 1 for r2.1, 21 queued 2 for r2.1, 21 running 2, "
		"10 requester 2");
}

/* A wait that another task ends by its work is that work; for a lock it is the lock. */
static void works_for_the_server(void **state)
{
	(void)state;
	parts_are(ONE "0 10 user\n0 20 user\n0 40 user\n1-2 10 write 5 10\n2-3 20 read 7 10\n"
		      "4 20 blocked task by 40\n5 40 blocked disk\n7 40 user\n9 20 user\n"
		      "10 20 blocked futex by 40\n12 20 user\n"
		      "13-14 20 write 7 10\n14-15 10 read 5 10\n",
		"r1.1",
		"10 requester 1, 20 running 2, 40 running 1, 40 disk 2, 40 running 2, 20 running "
		"1, "
		"20 locks 2, 20 running 2, 10 requester 1");
}

/* From before the one that ended the wait was there, that is a wait. */
static void helper_comes_late(void **state)
{
	(void)state;
	parts_are(ONE "born 40 6\n0 10 user\n0 20 user\n1-2 10 write 5 10\n2-3 20 read 7 10\n"
		      "4 20 blocked task by 40\n9 20 user\n"
		      "13-14 20 write 7 10\n14-15 10 read 5 10\n",
		"r1.1",
		"10 requester 1, 20 running 2, 20 other 2, 40 running 3, 20 running 5, 10 "
		"requester 1");
}

/* The worker has another job when the request is read: queued, with the one that it does. */
static void queued_for_a_worker(void **state)
{
	(void)state;
	parts_are(POOL_JOBS, "r2.1",
		"11 requester 1, 20 queued 1 for r1.1, 20 running 1, 21 queued 8 for r1.1, 21 "
		"running 1, 21 requester 1 in r3.2, "
		"30 running 2 in r3.2, 21 requester 2 in r3.2, 21 running 2, 11 requester 2");
}

/* ---- who worked for it when ---- */

static void without_what_was_done_instead(void **state)
{
	(void)state;
	/* From 5 on 30 has it, but is busy for 11 until 10. */
	pieces_are(QUEUED, "r2.1",
		"10 5-6 cpu 0, 10 20-22 cpu 0, 30 10-15 cpu 0, 30 15-18, 30 18-20 cpu 0");
	pieces_are(QUEUED, "r1.1", "11 1-2 cpu 0, 11 10-11 cpu 0, 30 2-10 cpu 0");
}

/* 20 goes on until 8, and then waits, while 30 is on the path. */
static void in_parallel(void **state)
{
	(void)state;
	pieces_are(TWO "0 10 user\n0 20 user\n0 30 user\n" ASK("1", "2", "10", "5") GET("2", "4",
			   "20", "7") ASK("5", "6", "20", "8") "8 20 blocked task by 30\n" GET("6",
			   "7", "30", "9") ASK("12", "13", "30", "9") "14 20 user\n" GET("14", "15",
			   "20", "8") ASK("16", "17", "20", "7") GET("18", "19", "10", "5"),
		"r1.1",
		"10 1-2 cpu 0, 10 17-19 cpu 0, 20 2-8 cpu 0, 20 8-14, 20 14-17 cpu 0, 30 6-13 cpu "
		"0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_after_the_other),
		cmocka_unit_test(without_answer),
		cmocka_unit_test(read_by_another_thread),
		cmocka_unit_test(begun_before),
		cmocka_unit_test(overlapping),
		cmocka_unit_test(damaged),
		cmocka_unit_test(of_another_time),
		cmocka_unit_test(blocking_server),
		cmocka_unit_test(answered_without_it),
		cmocka_unit_test(answered_later),
		cmocka_unit_test(event_loop),
		cmocka_unit_test(pool_of_a_loop),
		cmocka_unit_test(cannot_be_told_apart),
		cmocka_unit_test(workers),
		cmocka_unit_test(handed_to_a_thread),
		cmocka_unit_test(handed_back),
		cmocka_unit_test(next_job_of_a_thread),
		cmocka_unit_test(waiting_for_a_connection),
		cmocka_unit_test(window_of_two),
		cmocka_unit_test(queued),
		cmocka_unit_test(below),
		cmocka_unit_test(before_its_fork),
		cmocka_unit_test(made_for_it),
		cmocka_unit_test(works_for_the_server),
		cmocka_unit_test(helper_comes_late),
		cmocka_unit_test(queued_for_a_worker),
		cmocka_unit_test(without_what_was_done_instead),
		cmocka_unit_test(in_parallel),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
