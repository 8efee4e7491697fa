/* Input and output against what was worked out by hand, published values, and the bytes that
 * programs of a recording say they moved; and that all tables agree. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "run_more.h"

enum { US = 1000, SECTOR = 512 };

static const struct analysis_options all = {
	.begin = INT64_MIN, .end = INT64_MAX, .max_ns = INT64_MAX
};

static double real(const struct mer_table *t, size_t row, const char *key)
{
	return run_case_cell(t, row, key)->v.f;
}

/* ---- calls ---- */

static const char calls_scenario[] =
	"host h\n"
	"trace h/kernel\n"
	"event syscall_entry_fsync { u32 fd; }\n"
	"event syscall_exit_fsync { s64 ret; }\n"
	"event syscall_entry_sendfile64 { s32 out_fd; s32 in_fd; u64 count; }\n"
	"event syscall_exit_sendfile64 { s64 ret; }\n"
	"event syscall_entry_sendmmsg { s32 fd; u64 mmsg; u32 vlen; }\n"
	"event syscall_exit_sendmmsg { s64 ret; }\n"
	"1ms h 0 sched_switch prev_comm=\"a\" prev_tid=10 prev_prio=20 next_comm=\"a\" next_tid=10 "
	"next_prio=20\n"
	"2ms h 0 syscall_entry_openat dfd=-100 filename=\"/data/x\" flags=0 mode=0\n"
	"2100us h 0 syscall_exit_openat ret=3\n"
	"3ms h 0 syscall_entry_read fd=3 count=4096\n"
	"3200us h 0 syscall_exit_read ret=1000\n"
	"4ms h 0 syscall_entry_write fd=3 buf=1 count=500\n"
	"4300us h 0 syscall_exit_write ret=500\n"
	"5ms h 0 syscall_entry_fsync fd=3\n"
	"6ms h 0 syscall_exit_fsync ret=0\n"
	"7ms h 0 syscall_entry_socket family=2 type=1 protocol=0\n"
	"7001us h 0 syscall_exit_socket ret=4\n"
	"8ms h 0 syscall_entry_sendto fd=4 buff=1 len=300 flags=0 addr=0\n"
	"8010us h 0 syscall_exit_sendto ret=300\n"
	"9ms h 0 syscall_entry_recvfrom fd=4 size=900 flags=0 addr_len=0\n"
	"9500us h 0 syscall_exit_recvfrom ret=200\n"
	"10ms h 0 syscall_entry_sendfile64 out_fd=4 in_fd=3 count=70\n"
	"10020us h 0 syscall_exit_sendfile64 ret=70\n"
	"11ms h 0 syscall_entry_write fd=9 buf=1 count=50\n" /* nobody knows what 9 is */
	"11005us h 0 syscall_exit_write ret=50\n"
	"12ms h 0 syscall_entry_read fd=3 count=4096\n"
	"12030us h 0 syscall_exit_read ret=-11\n"
	"13ms h 0 syscall_entry_sendmmsg fd=4 mmsg=1 vlen=3\n" /* 3 messages, not bytes */
	"13001us h 0 syscall_exit_sendmmsg ret=3\n"
	"14ms h 0 syscall_entry_close fd=3\n" /* neither input nor output */
	"14001us h 0 syscall_exit_close ret=0\n"
	"15ms h 0 syscall_entry_read fd=3 count=1\n"; /* its end is not recorded */

static void calls_count_by_kind(void **state)
{
	struct run_case c;
	(void)state;
	run_case_open_scenario(&c, calls_scenario);
	run_case_run(&c, "io disk", NULL);
	const struct mer_table *t = run_case_table(&c, "top");
	static const struct {
		const char *key;
		int64_t value;
	} wanted[] = {
		{ "tid", 10 },
		{ "bytes", 1000 + 500 + 300 + 200 + 70 + 70 + 50 },
		{ "read_bytes", 1000 + 200 + 70 },
		{ "written_bytes", 500 + 300 + 70 + 50 },
		{ "disk_read_bytes", 1000 },
		{ "disk_written_bytes", 500 },
		{ "net_read_bytes", 200 },
		{ "net_written_bytes", 300 + 70 },
		{ "other_read_bytes", 70 }, /* where sendfile reads is not told */
		{ "other_written_bytes", 50 },
		{ "calls", 10 },
		{ "errors", 1 },
		{ "total_ns", (100 + 200 + 300 + 1000 + 10 + 500 + 20 + 5 + 30 + 1) * US },
	};
	assert_int_equal(t->n_rows, 1);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		if (run_case_int(t, 0, wanted[i].key) != wanted[i].value)
			fail_msg("%s: %" PRId64, wanted[i].key, run_case_int(t, 0, wanted[i].key));

	t = run_case_table(&c, "files");
	assert_int_equal(t->n_rows, 3);
	size_t x = run_case_find(t, "file", "/data/x", 0);
	assert_string_equal(run_case_text(t, x, "kind"), "file");
	assert_int_equal(run_case_int(t, x, "opens"), 1);
	assert_int_equal(run_case_int(t, x, "reads"), 2);
	assert_int_equal(run_case_int(t, x, "writes"), 1);
	assert_int_equal(run_case_int(t, x, "syncs"), 1);
	assert_int_equal(run_case_int(t, x, "read_bytes"), 1000);
	assert_int_equal(run_case_int(t, x, "written_bytes"), 500);
	assert_int_equal(run_case_int(t, x, "errors"), 1);
	assert_int_equal(run_case_int(t, x, "max_ns"), 1000 * US);
	x = run_case_find(t, "kind", "socket", 0);
	assert_int_equal(run_case_int(t, x, "written_bytes"), 370);
	assert_int_equal(run_case_int(t, x, "read_bytes"), 200);

	t = run_case_table(&c, "stats");
	assert_int_equal(t->n_rows, 5);
	x = run_case_find(t, "name", "read", 0);
	assert_int_equal(run_case_int(t, x, "count"), 3);
	assert_int_equal(run_case_int(t, x, "min_ns"), 30 * US);
	assert_int_equal(run_case_int(t, x, "max_ns"), 500 * US);
	assert_int_equal(run_case_int(t, x, "total_ns"), 730 * US);
	assert_int_equal(run_case_int(t, x, "mean_ns"), 243333);
	/* of 200, 500, 30: sqrt(((-43.3)^2 + 256.7^2 + (-213.3)^2) / 2) */
	assert_int_equal(run_case_int(t, x, "stddev_ns"), 237978);
	assert_in_range(run_case_int(t, x, "p50_ns"), 196 * US, 204 * US); /* 1 in 64 */
	assert_in_range(run_case_int(t, x, "p99_ns"), 492 * US, 500 * US);

	t = run_case_table(&c, "log");
	assert_int_equal(t->n_rows, 10);
	assert_string_equal(run_case_text(t, 8, "ret"), "EAGAIN");
	assert_string_equal(run_case_text(t, 1, "file"), "/data/x");
	assert_int_equal(run_case_int(t, 1, "duration_ns"), 200 * US);
	run_case_close(&c);
}

/* The kernel's own events of what sockets moved, where no recorded call says it. */
static void sockets_without_calls(void **state)
{
	struct run_case c;
	(void)state;
	run_case_open_scenario(&c,
		"host h\ntrace h/kernel\n"
		"event sock_send_length { u64 sk; u16 family; u16 protocol; s32 ret; s32 flags }\n"
		"event sock_recv_length { u64 sk; u16 family; u16 protocol; s32 ret; s32 flags }\n"
		"0ms h 0 sched_switch prev_tid=0 next_comm=\"a\" next_tid=10\n"
		/* by a call that is recorded: counted once, with it */
		"1ms h 0 syscall_entry_write fd=3 buf=1 count=500\n"
		"2ms h 0 sock_send_length sk=1 family=2 protocol=6 ret=400 flags=0\n"
		"3ms h 0 syscall_exit_write ret=400\n"
		/* by calls that are not: another process's only are recorded */
		"4ms h 0 sock_send_length sk=1 family=2 protocol=6 ret=100 flags=0\n"
		"5ms h 0 sock_recv_length sk=1 family=10 protocol=6 ret=7 flags=2\n" /* a look */
		"6ms h 0 sock_recv_length sk=1 family=10 protocol=6 ret=50 flags=0\n"
		"7ms h 0 sock_recv_length sk=1 family=2 protocol=17 ret=-11 flags=0\n"
		"8ms h 0 sock_send_length sk=2 family=1 protocol=0 ret=30 flags=0\n"
		/* by a call that tells no bytes itself */
		"9ms h 0 syscall_entry_poll nfds=1 timeout_msecs=-1\n"
		"10ms h 0 sock_send_length sk=1 family=2 protocol=6 ret=5 flags=0\n"
		"11ms h 0 syscall_exit_poll ret=1\n"
		"12ms h 0 sched_switch prev_tid=10 prev_state=1 next_tid=0\n");
	run_case_run(&c, "io disk", NULL);
	const struct mer_table *t = run_case_table(&c, "top");
	assert_int_equal(t->n_rows, 1);
	assert_int_equal(run_case_int(t, 0, "written_bytes"), 400 + 100 + 30 + 5);
	assert_int_equal(run_case_int(t, 0, "read_bytes"), 50);
	assert_int_equal(run_case_int(t, 0, "net_written_bytes"), 100 + 5);
	assert_int_equal(run_case_int(t, 0, "net_read_bytes"), 50);
	assert_int_equal(run_case_int(t, 0, "errors"), 1);
	assert_int_equal(run_case_int(t, 0, "total_ns"), 2000 * US);
	/* How long these took is not known. */
	t = run_case_table(&c, "stats");
	size_t x = run_case_find(t, "name", "write", 0);
	assert_int_equal(run_case_int(t, x, "count"), 1);
	assert_int_equal(run_case_int(t, x, "min_ns"), 2000 * US);
	t = run_case_table(&c, "files");
	x = run_case_find(t, "file", "tcp socket", 0);
	assert_string_equal(run_case_text(t, x, "kind"), "socket");
	assert_int_equal(run_case_int(t, x, "writes"), 2);
	assert_int_equal(run_case_int(t, run_case_find(t, "file", "unix socket", 0), "bytes"), 30);
	assert_int_equal(run_case_int(t, run_case_find(t, "file", "udp socket", 0), "errors"), 1);
	run_case_close(&c);
}

static void durations_limit_what_counts(void **state)
{
	struct run_case c;
	struct analysis_options o = all;
	(void)state;
	o.min_ns = 200 * US;
	o.max_ns = 500 * US;
	run_case_open_scenario(&c, calls_scenario);
	run_case_run(&c, "io disk", &o);
	assert_int_equal(run_case_table(&c, "log")->n_rows, 3);
	assert_int_equal(run_case_sum(run_case_table(&c, "stats"), "count", NULL, NULL), 3);
	assert_int_equal(run_case_sum(run_case_table(&c, "freq"), "count", NULL, NULL), 3);
	assert_int_equal(run_case_int(run_case_table(&c, "top"), 0, "calls"), 3);
	run_case_close(&c);
}

/* ---- disks ---- */

/* Time of a tick of a description, by the only (or first) request issued at this tick. */
static int64_t tick_zero(const struct run_case *c, int64_t tick)
{
	return run_case_int(run_case_table(c, "disk:log"), 0, "begin") - tick * US;
}

static void expect_bin(const struct mer_table *t, size_t row, int64_t read, int64_t written,
	double in_flight, double queued)
{
	if (run_case_int(t, row, "read_bytes") != read ||
		run_case_int(t, row, "written_bytes") != written ||
		fabs(real(t, row, "in_flight") - in_flight) > 1e-9 ||
		fabs(real(t, row, "queued") - queued) > 1e-9)
		fail_msg("bin %zu: %" PRId64 " %" PRId64 " %g %g", row,
			run_case_int(t, row, "read_bytes"), run_case_int(t, row, "written_bytes"),
			real(t, row, "in_flight"), real(t, row, "queued"));
}

/* Writes of 8 sectors: queued 5-10 and served 10-20; 25-27-30; 25-29-35; a read of 256: 40-50-60.
 * Meanwhile a flush: 41-48. */
static void a_disk_over_time(void **state)
{
	struct run_case c;
	struct analysis_options o = all;
	(void)state;
	run_more_open_xml(&c, "io/io_analysis.xml", "");
	run_case_run(&c, "io disk", NULL);
	const struct mer_table *t = run_case_table(&c, "disk:top");
	size_t d = run_case_find(t, "disk", "sda", 0);
	assert_int_equal(run_case_int(t, d, "read_bytes"), 256 * SECTOR);
	assert_int_equal(run_case_int(t, d, "written_bytes"), 24 * SECTOR);
	assert_int_equal(run_case_int(t, d, "reads"), 1);
	assert_int_equal(run_case_int(t, d, "writes"), 3);
	assert_int_equal(run_case_int(t, d, "queue_max_ns"), 10 * US);
	assert_int_equal(run_case_int(t, d, "queue_mean_ns"), (5 + 2 + 4 + 10) * US / 4);
	assert_int_equal(run_case_int(t, d, "service_max_ns"), 10 * US);
	assert_int_equal(run_case_int(t, d, "service_mean_ns"), (10 + 3 + 6 + 7 + 10) * US / 5);
	assert_int_equal(run_case_int(t, d, "busy_ns"), (10 + 8 + 7 + 10) * US);
	o.begin = tick_zero(&c, 10);
	o.end = o.begin + 70 * US;
	o.n_bins = 7;
	run_case_run(&c, "io disk", &o);
	t = run_case_table(&c, "disk:bins");
	assert_int_equal(t->n_rows, 7);
	expect_bin(t, 0, 0, 0, 0, .5);
	expect_bin(t, 1, 0, 8 * SECTOR, 1, 0);
	expect_bin(t, 2, 0, 8 * SECTOR + 8 * SECTOR / 6, .4, .6);
	expect_bin(t, 3, 0, 8 * SECTOR - 8 * SECTOR / 6, .5, 0);
	expect_bin(t, 4, 0, 0, .7, 1);
	expect_bin(t, 5, 256 * SECTOR, 0, 1, 0);
	expect_bin(t, 6, 0, 0, 0, 0);
	/* The middle of the third write alone: 2 of its 6 ticks. */
	o.begin += 31 * US;
	o.end = o.begin + 2 * US;
	o.n_bins = 1;
	run_case_run(&c, "io disk", &o);
	t = run_case_table(&c, "disk:bins");
	assert_int_equal(t->n_rows, 1);
	assert_int_equal(
		run_case_int(t, 0, "written_bytes"), 8 * SECTOR * 4 / 6 - 8 * SECTOR * 2 / 6);
	assert_true(fabs(real(t, 0, "write_bytes_per_s") - 8 * SECTOR / 6e-6) < 1);
	run_case_close(&c);
}

static void disks_have_names(void **state)
{
	struct run_case c;
	(void)state;
	run_more_open_xml(&c, "io/io_two_devices.xml", "");
	run_case_run(&c, "io disk", NULL);
	const struct mer_table *t = run_case_table(&c, "disk:top");
	assert_int_equal(t->n_rows, 2);
	size_t a = run_case_find(t, "disk", "sda", 0), b = run_case_find(t, "disk", "sdb", 0);
	assert_int_equal(run_case_int(t, a, "written_bytes"), 8 * SECTOR);
	assert_int_equal(run_case_int(t, b, "read_bytes"), 16 * SECTOR);
	run_case_close(&c);
	run_more_open_xml(&c, "io/io_nostatedump.xml", "");
	run_case_run(&c, "io disk", NULL);
	t = run_case_table(&c, "disk:top");
	assert_int_equal(t->n_rows, 1);
	assert_string_equal(run_case_text(t, 0, "disk"), "8,16");
	run_case_close(&c);
}

static void reads_of_threads(void **state)
{
	struct run_case c;
	(void)state;
	run_more_open_xml(&c, "io/io_syscall_read.xml", "");
	run_case_run(&c, "io disk", NULL);
	const struct mer_table *t = run_case_table(&c, "top");
	assert_int_equal(run_case_int(t, run_more_row(t, "tid=2"), "read_bytes"), 44);
	assert_int_equal(run_case_int(t, run_more_row(t, "tid=5"), "errors"), 1);
	run_case_close(&c);
}

/* Requests one after the other on the disk, and a jump; the last one is not finished. */
static void order_and_errors(void **state)
{
	struct run_case c;
	(void)state;
	run_case_open_scenario(&c,
		"host h\n"
		"trace h/kernel\n"
		"1us h 0 sched_switch prev_comm=\"a\" prev_tid=7 prev_prio=20 next_comm=\"a\" "
		"next_tid=7 next_prio=20\n"
		"2us h 0 block_rq_issue dev=8388608 sector=100 nr_sector=8 bytes=4096 tid=7 "
		"rwbs=4\n"
		"3us h 0 block_rq_issue dev=8388608 sector=108 nr_sector=8 bytes=4096 tid=7 "
		"rwbs=4\n"
		"4us h 0 block_rq_complete dev=8388608 sector=100 nr_sector=8 error=0 rwbs=4\n"
		"5us h 0 block_rq_complete dev=8388608 sector=108 nr_sector=8 error=-5 rwbs=4\n"
		"6us h 0 block_rq_issue dev=8388608 sector=900 nr_sector=8 bytes=4096 tid=7 "
		"rwbs=1\n"
		"7us h 0 block_rq_complete dev=8388608 sector=900 nr_sector=8 error=0 rwbs=1\n"
		"8us h 0 block_rq_issue dev=8388608 sector=16 nr_sector=8 bytes=0 tid=7 rwbs=2\n"
		"9us h 0 block_rq_complete dev=8388608 sector=16 nr_sector=8 error=0 rwbs=2\n"
		"10us h 0 block_rq_issue dev=8388608 sector=24 nr_sector=8 bytes=0 tid=7 rwbs=1\n");
	run_case_run(&c, "io disk", NULL);
	const struct mer_table *t = run_case_table(&c, "disk:top");
	assert_int_equal(t->n_rows, 1);
	assert_string_equal(run_case_text(t, 0, "disk"), "8,0");
	assert_int_equal(run_case_int(t, 0, "requests"), 4);
	assert_int_equal(run_case_int(t, 0, "reads"), 2);
	assert_int_equal(run_case_int(t, 0, "discards"), 1);
	assert_int_equal(run_case_int(t, 0, "errors"), 1);
	assert_int_equal(run_case_int(t, 0, "unfinished"), 1);
	assert_int_equal(run_case_int(t, 0, "busy_ns"), 5 * US);
	assert_false(run_case_cell(t, 0, "queue_max_ns")->set);
	/* Of the four that follow one: the second continues the first, the last the discard. */
	assert_true(fabs(real(t, 0, "sequential_percent") - .5) < 1e-9);
	t = run_case_table(&c, "top");
	assert_int_equal(run_case_int(t, 0, "tid"), 7);
	assert_int_equal(run_case_int(t, 0, "block_read_bytes"), 8192);
	assert_int_equal(run_case_int(t, 0, "block_written_bytes"), 8192); /* asked for, not done */
	t = run_case_table(&c, "disk:log");
	assert_int_equal(run_case_find(t, "ret", "EIO", 0), 1);
	assert_false(run_case_cell(t, 0, "seek_bytes")->set);
	assert_int_equal(run_case_int(t, 1, "seek_bytes"), 0);
	assert_int_equal(run_case_int(t, 2, "seek_bytes"), (900 - 116) * SECTOR);
	run_case_close(&c);
}

/* Published: a chart of 50 points over 0.1 s from the first event on, each from the point
 * before. */
static void published_write_speed(void **state)
{
	static const double wanted[] = { 5959013.0501385, 9423035.70914096, 674269.1924439, 0, 0 };
	struct run_case c;
	struct analysis_options o = all;
	(void)state;
	o.begin = INT64_C(1361214078963711320);
	o.end = o.begin + 100000000;
	o.n_bins = 49;
	run_case_open_recording(&c, "public/synctraces/scp_dest");
	run_case_run(&c, "io disk", &o);
	const struct mer_table *t = run_case_table(&c, "disk:bins");
	size_t first = run_case_find(t, "disk", "8,0", 0);
	for (size_t i = 0; i < 49; i++) {
		double is = real(t, first + i, "write_bytes_per_s"), should = i < 5 ? wanted[i] : 0;
		if (fabs(is - should) > 1e-7)
			fail_msg("point %zu: %.10g", i, is);
	}
	run_case_close(&c);
}

/* ---- a recording whose programs say what they moved ---- */

static void expect_sum(
	const struct mer_table *t, const char *who, const char *key, int64_t least, int64_t most)
{
	int64_t is = run_more_sum(t, key, who);
	if (is < least || is > most)
		fail_msg("%s of %s: %" PRId64, key, who, is);
}

static void bytes_of_programs(void **state)
{
	enum { MB = 1 << 20, LOG_LINES = 200 };
	struct run_case c;
	(void)state;
	run_case_open_recording(&c, "lab/cpu-mem-io");
	run_case_run(&c, "io disk", NULL);
	const struct mer_table *t = run_case_table(&c, "top");
	expect_sum(t, "tid=254 comm=disk-writer", "disk_written_bytes", 16 * MB, 16 * MB);
	expect_sum(t, "tid=256 comm=disk-writer", "disk_written_bytes", 8 * MB, 8 * MB);
	expect_sum(t, "tid=258 comm=disk-reader", "disk_read_bytes", 16 * MB, 16 * MB);
	expect_sum(t, "tid=260 comm=disk-reader", "disk_read_bytes", 8 * MB, 8 * MB);
	expect_sum(t, "tid=262 comm=disk-reader", "disk_read_bytes", 8 * MB, 8 * MB);
	expect_sum(t, "tid=264 comm=net-sender", "net_written_bytes", 4000000, 4000000);
	expect_sum(t, "tid=228 comm=net-receiver", "net_read_bytes", 4000000, 4000000);
	/* On the disk: what fsync and O_DIRECT write and read; of the cold read its file, and the
	 * program, which lies on the other disk; of the hot read nothing. */
	expect_sum(t, "tid=254 comm=disk-writer", "block_written_bytes", 16 * MB, 16 * MB);
	expect_sum(t, "tid=256 comm=disk-writer", "block_written_bytes", 8 * MB, 8 * MB);
	expect_sum(t, "tid=258 comm=disk-reader", "block_read_bytes", 16 * MB, 16 * MB);
	expect_sum(t, "tid=260 comm=disk-reader", "block_read_bytes", 8 * MB, 9 * MB);
	expect_sum(t, "tid=262 comm=disk-reader", "block_read_bytes", 0, 0);
	t = run_case_table(&c, "disk:top");
	/* Besides the files, only what the file system keeps about them. */
	expect_sum(t, "host=worker disk=vdb", "read_bytes", 24 * MB, 24 * MB + 16384);
	expect_sum(t, "host=worker disk=vdb", "written_bytes", 24 * MB, 24 * MB + 16384);
	t = run_case_table(&c, "files");
	expect_sum(t, "host=worker file=/data/f1", "written_bytes", 16 * MB, 16 * MB);
	expect_sum(t, "host=worker file=/data/f1", "read_bytes", 16 * MB, 16 * MB);
	expect_sum(t, "host=worker file=/data/f2", "written_bytes", 8 * MB, 8 * MB);
	expect_sum(t, "host=worker file=/data/f2", "read_bytes", 16 * MB, 16 * MB);
	expect_sum(t, "host=worker file=10.0.0.2:7000", "written_bytes", 4000000, 4000000);
	run_case_close(&c);
}

/* ---- all tables say the same ---- */

static void check_sums(
	const struct run_case *c, const char *log_id, const char *stats_id, const char *freq_id)
{
	const struct mer_table *log = run_case_table(c, log_id);
	const struct mer_table *stats = run_case_table(c, stats_id);
	const struct mer_table *freq = run_case_table(c, freq_id);
	assert_int_equal(run_case_sum(stats, "count", NULL, NULL), (int64_t)log->n_rows);
	assert_int_equal(run_case_sum(freq, "count", NULL, NULL), (int64_t)log->n_rows);
	assert_int_equal(
		run_case_sum(stats, "bytes", NULL, NULL), run_case_sum(log, "bytes", NULL, NULL));
	assert_int_equal(run_case_sum(stats, "total_ns", NULL, NULL),
		run_case_sum(log, "duration_ns", NULL, NULL));
}

static void check_agreement(struct run_case *c, const char *name)
{
	static const uint64_t n_bins[] = { 1, 7, 1000 };
	const struct mer_table *top = run_case_table(c, "top");
	const struct mer_table *log = run_case_table(c, "log");
	const struct mer_table *stats = run_case_table(c, "stats");
	const struct mer_table *freq = run_case_table(c, "freq");
	const struct mer_table *disks = run_case_table(c, "disk:top");
	const struct mer_table *files = run_case_table(c, "files");
	int64_t calls = 0, bytes = 0, copied = 0, ns = 0, last = INT64_MIN;
	for (size_t i = 0; i < log->n_rows; i++) {
		const char *op = run_case_text(log, i, "name");
		int64_t b = run_case_int(log, i, "bytes");
		assert_true(run_case_int(log, i, "begin") >= last);
		last = run_case_int(log, i, "begin");
		calls++;
		ns += run_case_int(log, i, "duration_ns");
		bytes += strcmp(op, "copy") == 0 ? 2 * b : b;
		copied += strcmp(op, "copy") == 0 ? b : 0;
	}
	if (calls == 0 && disks->n_rows == 0)
		fail_msg("%s: nothing is read or written", name);
	assert_int_equal(run_case_sum(top, "calls", NULL, NULL), calls);
	assert_int_equal(run_case_sum(top, "total_ns", NULL, NULL), ns);
	assert_int_equal(run_case_sum(top, "bytes", NULL, NULL), bytes);
	assert_int_equal(run_case_sum(files, "bytes", NULL, NULL), bytes - copied);
	assert_int_equal(run_case_sum(files, "count", NULL, NULL), calls);
	assert_int_equal(run_case_sum(files, "total_ns", NULL, NULL), ns);
	for (size_t i = 0; i < stats->n_rows; i++) {
		char of[300];
		const char *op = run_case_text(stats, i, "name");
		snprintf(of, sizeof(of), "host=%s name=%s", run_case_text(stats, i, "host"), op);
		assert_int_equal(run_more_sum(freq, "count", of), run_case_int(stats, i, "count"));
	}
	check_sums(c, "log", "stats", "freq");
	check_sums(c, "disk:log", "disk:stats", "disk:freq");
	log = run_case_table(c, "disk:log");
	assert_int_equal(run_case_sum(disks, "read_bytes", NULL, NULL),
		run_case_sum(log, "bytes", "name", "disk read"));
	assert_int_equal(run_case_sum(disks, "written_bytes", NULL, NULL),
		run_case_sum(log, "bytes", "name", "disk write"));
	int64_t read = run_case_sum(disks, "read_bytes", NULL, NULL);
	int64_t written = run_case_sum(disks, "written_bytes", NULL, NULL);
	int64_t unfinished = run_case_sum(disks, "unfinished", NULL, NULL);
	int64_t made = run_case_sum(top, "block_read_bytes", NULL, NULL) +
		       run_case_sum(top, "block_written_bytes", NULL, NULL);
	assert_true(unfinished ? made >= read + written : made == read + written);
	size_t n_disks = disks->n_rows;
	for (size_t i = 0; i < sizeof(n_bins) / sizeof(n_bins[0]); i++) {
		struct analysis_options o = all;
		o.n_bins = n_bins[i];
		run_case_run(c, "io disk", &o);
		const struct mer_table *bins = run_case_table(c, "disk:bins");
		assert_int_equal(bins->n_rows, n_bins[i] * n_disks);
		assert_int_equal(run_case_sum(bins, "read_bytes", NULL, NULL), read);
		assert_int_equal(run_case_sum(bins, "written_bytes", NULL, NULL), written);
	}
}

static const char *const recordings[] = { "lab/cpu-mem-io", "lab/web-lossy", "lab/ipc-zoo",
	"lab/threadirqs", "public/django-vote", "public/synctraces", "public/bug446190" };

static void tables_agree(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(recordings) / sizeof(recordings[0]); i++) {
		struct run_case c;
		run_case_open_recording(&c, recordings[i]);
		run_case_run(&c, "io disk", NULL);
		check_agreement(&c, recordings[i]);
		run_case_close(&c);
	}
}

/* Ranges that follow each other have everything once. */
static void ranges_add_up(void **state)
{
	static const char *const keys[] = { "bytes", "calls", "errors", "total_ns",
		"block_read_bytes", "block_written_bytes" };
	enum { N_KEYS = sizeof(keys) / sizeof(keys[0]), N_PARTS = 5 };
	struct run_case c;
	int64_t whole[N_KEYS], parts[N_KEYS] = { 0 };
	(void)state;
	run_case_open_recording(&c, "lab/cpu-mem-io");
	run_case_run(&c, "io disk", NULL);
	const struct mer_table *log = run_case_table(&c, "log");
	int64_t begin = run_case_int(log, 0, "begin");
	int64_t end = run_case_int(log, log->n_rows - 1, "begin") + 1;
	for (int k = 0; k < N_KEYS; k++)
		whole[k] = run_case_sum(run_case_table(&c, "top"), keys[k], NULL, NULL);
	for (int i = 0; i < N_PARTS; i++) {
		struct analysis_options o = all;
		o.begin = begin + (end - begin) * i / N_PARTS;
		o.end = begin + (end - begin) * (i + 1) / N_PARTS;
		run_case_run(&c, "io disk", &o);
		for (int k = 0; k < N_KEYS; k++)
			parts[k] += run_case_sum(run_case_table(&c, "top"), keys[k], NULL, NULL);
	}
	for (int k = 0; k < N_KEYS; k++)
		assert_int_equal(parts[k], whole[k]);
	run_case_close(&c);
}

static bool wants_even(void *ctx, const struct kernel_host *h, uint32_t task)
{
	return (task % 2 == 0) == *(const bool *)ctx && h->n_tasks > task;
}

/* Chosen tasks and the others are all but nobody's; a limited log begins like the whole one. */
static void choices_and_limits(void **state)
{
	struct run_case c;
	struct analysis_options o = all;
	int64_t bytes = 0, calls = 0;
	(void)state;
	run_case_open_recording(&c, "lab/cpu-mem-io");
	for (int i = 0; i < 2; i++) {
		bool even = i == 0;
		o.wants_task = wants_even;
		o.ctx = &even;
		run_case_run(&c, "io disk", &o);
		bytes += run_case_sum(run_case_table(&c, "top"), "bytes", NULL, NULL);
		calls += run_case_sum(run_case_table(&c, "top"), "calls", NULL, NULL);
	}
	run_case_run(&c, "io disk", NULL);
	const struct mer_table *log = run_case_table(&c, "log");
	assert_int_equal(run_case_sum(run_case_table(&c, "top"), "bytes", NULL, NULL), bytes);
	assert_int_equal(run_case_sum(run_case_table(&c, "top"), "calls", NULL, NULL), calls);
	size_t n = log->n_rows;
	int64_t begins[10];
	for (size_t i = 0; i < 10; i++)
		begins[i] = run_case_int(log, i, "begin");
	o = all;
	o.limit = 10;
	run_case_run(&c, "io disk", &o);
	log = run_case_table(&c, "log");
	assert_int_equal(log->n_rows, 10);
	assert_int_equal(log->n_left_out, n - 10);
	for (size_t i = 0; i < 10; i++)
		assert_int_equal(run_case_int(log, i, "begin"), begins[i]);
	run_case_close(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_count_by_kind),
		cmocka_unit_test(sockets_without_calls),
		cmocka_unit_test(durations_limit_what_counts),
		cmocka_unit_test(a_disk_over_time),
		cmocka_unit_test(disks_have_names),
		cmocka_unit_test(reads_of_threads),
		cmocka_unit_test(order_and_errors),
		cmocka_unit_test(published_write_speed),
		cmocka_unit_test(bytes_of_programs),
		cmocka_unit_test(tables_agree),
		cmocka_unit_test(ranges_add_up),
		cmocka_unit_test(choices_and_limits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
