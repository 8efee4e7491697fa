/* Requests to disks: what is merged is neither lost nor counted twice; sequential and random ones
 * are told apart; and what is told over time, by disk, by task and by place, is the same. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "path/usage.h"
#include "base/str.h"
#include "run_more.h"

enum { US = 1000, SECTOR = 512 };

static const struct analysis_options all = {
	.begin = INT64_MIN, .end = INT64_MAX, .max_ns = INT64_MAX
};

static void expect(const struct mer_table *t, const char *row, const char *key, int64_t value)
{
	int64_t is = run_case_int(t, run_more_row(t, row), key);
	if (is != value)
		fail_msg("%s of %s: %" PRId64 ", not %" PRId64, key, row, is, value);
}

/* ---- merges ---- */

#define RUNS(cpu, tid)                                                                             \
	"1us h " cpu " sched_switch prev_comm=\"p\" prev_tid=" tid                                 \
	" prev_prio=20 next_comm=\"p\" next_tid=" tid " next_prio=20\n"
#define BIO(time, cpu, kind, sector)                                                               \
	time " h " cpu " block_bio_" kind "merge dev=8388608 sector=" sector                       \
	     " nr_sector=8 rwbs=1 tid=7 comm=\"p\"\n"
#define REQUEST(time, cpu, what, sector, n)                                                        \
	time " h " cpu " block_rq_" what " dev=8388608 sector=" sector " nr_sector=" n             \
	     " bytes=0 tid=7 rwbs=1 comm=\"p\"\n"
#define COMPLETE(time, sector, n)                                                                  \
	time " h 0 block_rq_complete dev=8388608 sector=" sector " nr_sector=" n " error=0 "       \
	     "rwbs=1\n"

/* 7 inserts sectors 100 to 108 and gets what follows and what comes before merged into it; then a
 * request of 8 becomes part of it too. Then a bio that is merged before its request is inserted. */
static const char merges[] = /* clang-format off */
	"host h\ntrace h/kernel\n"
	"event block_rq_merge { u32 dev; u64 sector; u32 nr_sector; u32 bytes; s32 tid; u32 rwbs; "
	"string16 comm; }\n"
	"event addons_elv_merge_requests { u32 dev; u64 rq_sector; u64 nextrq_sector; u32 rwbs; }\n"
	RUNS("0", "7") RUNS("1", "8")
	REQUEST("2us", "0", "insert", "100", "8")
	BIO("3us", "0", "back", "108")
	BIO("4us", "0", "front", "92")
	REQUEST("5us", "1", "insert", "116", "8")
	"6us h 0 MERGE\n"
	REQUEST("7us", "0", "issue", "92", "32")
	COMPLETE("9us", "92", "32")
	BIO("10us", "0", "back", "508")
	REQUEST("11us", "0", "insert", "500", "16")
	REQUEST("12us", "0", "issue", "500", "16")
	COMPLETE("14us", "500", "16")
	/* The sectors of the merged one again: a request of its own. */
	REQUEST("15us", "1", "insert", "116", "8")
	REQUEST("16us", "1", "issue", "116", "8")
	COMPLETE("18us", "116", "8"); /* clang-format on */

/* What accounts of tasks have of it: the same. */
static void check_used(const struct run_case *c, const struct mer_table *top, int32_t tid)
{
	struct mer_err err = { 0 };
	struct kernel_world *w;
	struct usage *u;
	char row[32];
	snprintf(row, sizeof(row), "tid=%d", tid);
	assert_int_equal(usage_new(c->e->n_hosts, NULL, &u, &err), 0);
	struct kernel_world_options o = { .n_threads = 1, .observers = usage_observers(u) };
	assert_int_equal(kernel_world_build(c->e, &c->messages, c->result, &o, &w, &err), 0);
	assert_int_equal(usage_settle(u, w, &err), 0);
	uint32_t task = kernel_find_task(&w->hosts[0], tid, NULL, 0);
	assert_int_not_equal(task, KERNEL_NONE);
	expect(top, row, "block_written_bytes",
		usage_of(u, 0, task, USAGE_BLOCK_WRITTEN, INT64_MIN, INT64_MAX));
	usage_free(u);
	kernel_world_free(w);
}

static void check_merges(const char *merge)
{
	struct run_case c;
	struct mer_str text = { 0 };
	const char *at = strstr(merges, "MERGE\n");
	mer_str_printf(
		&text, "%.*s%s\n%s", (int)(at - merges), merges, merge, at + strlen("MERGE\n"));
	assert_false(text.failed);
	run_case_open_scenario(&c, text.data);
	mer_str_fini(&text);
	run_case_run(&c, "disk io", NULL);
	const struct mer_table *t = run_case_table(&c, "top");
	assert_int_equal(t->n_rows, 1);
	expect(t, "disk=8,0", "requests", 3);
	expect(t, "disk=8,0", "written_bytes", (32 + 16 + 8) * SECTOR);
	expect(t, "disk=8,0", "merged", 4);
	expect(t, "disk=8,0", "unfinished", 0);
	expect(t, "disk=8,0", "queue_max_ns", 5 * US);
	t = run_case_table(&c, "io:top");
	expect(t, "tid=7", "block_written_bytes", (32 + 16) * SECTOR);
	expect(t, "tid=7", "merged", 3);
	expect(t, "tid=8", "block_written_bytes", 8 * SECTOR);
	expect(t, "tid=8", "merged", 1); /* its own, whoever merged it */
	check_used(&c, t, 7);
	check_used(&c, t, 8);
	t = run_case_table(&c, "disk_tasks");
	assert_int_equal(t->n_rows, 2);
	expect(t, "tid=7 disk=8,0", "requests", 2);
	expect(t, "tid=7 disk=8,0", "merged", 3);
	expect(t, "tid=8 disk=8,0", "bytes", 8 * SECTOR);
	assert_int_equal(run_case_table(&c, "log")->n_rows, 3);
	run_case_close(&c);
}

static void merged_requests(void **state)
{
	(void)state;
	check_merges("block_rq_merge dev=8388608 sector=116 nr_sector=8 bytes=0 tid=8 rwbs=1 "
		     "comm=\"p\"");
	check_merges("addons_elv_merge_requests dev=8388608 rq_sector=92 nextrq_sector=116 rwbs=1");
}

/* Merges of recordings are as many as their events, and no request is open for ever because of
 * one. */
static void merges_of_recordings(void **state)
{
	static const struct {
		const char *name;
		int64_t n;
	} wanted[] = { { "lab/cpu-mem-io", 199 }, { "lab/login-tree", 148 }, { "lab/ipc-zoo", 8 },
		{ "public/synctraces", 65 } };
	(void)state;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		struct run_case c;
		run_case_open_recording(&c, wanted[i].name);
		run_case_run(&c, "disk io", NULL);
		static const char *const tables[] = { "top", "disk_tasks", "io:top" };
		for (size_t k = 0; k < 3; k++)
			assert_int_equal(
				run_case_sum(run_case_table(&c, tables[k]), "merged", NULL, NULL),
				wanted[i].n);
		assert_int_equal(
			run_case_sum(run_case_table(&c, "top"), "unfinished", NULL, NULL), 0);
		run_case_close(&c);
	}
}

static void put_complete(struct mer_str *text, int us, int sector)
{
	mer_str_printf(text,
		"%dus h 0 block_rq_complete dev=8388608 sector=%d nr_sector=8 error=0 rwbs=1\n", us,
		sector);
}

/* Many requests, each to a place of its own; some are open while thousands of others come and
 * go. */
static void long_ones_stay_open(void **state)
{
	enum { N = 20000, LONG = 500, DONE_US = 100000 };
	struct run_case c;
	struct mer_str text = { 0 };
	(void)state;
	mer_str_puts(&text, "host h\ntrace h/kernel\n" RUNS("0", "7"));
	for (int i = 0; i < N; i++) {
		mer_str_printf(&text,
			"%dus h 0 block_rq_issue dev=8388608 sector=%d nr_sector=8 bytes=4096 "
			"tid=7 rwbs=1 comm=\"p\"\n",
			2 * i + 2, i * 100);
		if (i % LONG)
			put_complete(&text, 2 * i + 3, i * 100);
	}
	for (int i = 0; i < N; i += LONG)
		put_complete(&text, 2 * i + DONE_US, i * 100);
	assert_false(text.failed);
	run_case_open_scenario(&c, text.data);
	mer_str_fini(&text);
	run_case_run(&c, "disk io", NULL);
	const struct mer_table *t = run_case_table(&c, "top");
	expect(t, "disk=8,0", "requests", N);
	expect(t, "disk=8,0", "unfinished", 0);
	expect(t, "disk=8,0", "written_bytes", N * 8 * SECTOR);
	t = run_case_table(&c, "log");
	assert_int_equal(t->n_rows, N);
	assert_int_equal(run_case_sum(t, "duration_ns", NULL, NULL),
		(N / LONG) * (int64_t)(DONE_US - 2) * US + (N - N / LONG) * (int64_t)US);
	run_case_close(&c);
}

/* ---- flushes ---- */

#define EVENT(time, cpu, what, sector, n, rwbs)                                                    \
	time " h " cpu " block_rq_" what " dev=8388608 sector=" sector " nr_sector=" n             \
	     " rwbs=" rwbs "\n"
#define FLUSH_ISSUE(time, cpu) EVENT(time, cpu, "issue", "0", "0", "1280")
#define FLUSH_COMPLETE(time, cpu) EVENT(time, cpu, "complete", NOWHERE, "0", "1280")
#define NOWHERE "0xffffffffffffffff"

/* What the kernel does for writes that demand a flush (block/blk-flush.c): before the data, the
 * data, after the data; and in the end whoever waited is complete, once more and without
 * sectors. */
static const char flushes[] = /* clang-format off */
	"host h\ntrace h/kernel\n"
	/* fsync without data: 2 us. */
	FLUSH_ISSUE("10us", "0")
	FLUSH_COMPLETE("12us", "0")
	EVENT("12us", "0", "complete", "0", "0", "33")
	/* A journal's commit on a disk that cannot force through: 3 us, 5 us for the data, 4 us.
	 * When all is done, a write that begins where it ended is in flight, for 20 us. */
	FLUSH_ISSUE("20us", "0")
	FLUSH_COMPLETE("23us", "0")
	EVENT("24us", "0", "issue", "100", "8", "97")
	EVENT("26us", "1", "issue", "108", "8", "1")
	EVENT("29us", "0", "complete", "100", "8", "97")
	FLUSH_ISSUE("30us", "0")
	FLUSH_COMPLETE("34us", "0")
	EVENT("34us", "0", "complete", "108", "0", "97")
	EVENT("46us", "1", "complete", "108", "8", "1")
	/* On a disk that can: 1 us, 6 us for the data; the second completion says FUA too. */
	FLUSH_ISSUE("50us", "0")
	FLUSH_COMPLETE("51us", "0")
	EVENT("52us", "0", "issue", "200", "8", "545")
	EVENT("58us", "0", "complete", "200", "8", "545")
	EVENT("58us", "0", "complete", "208", "0", "545")
	/* Two at once, from two queues: 10 us each. */
	FLUSH_ISSUE("60us", "0")
	FLUSH_ISSUE("65us", "1")
	FLUSH_COMPLETE("70us", "0")
	FLUSH_COMPLETE("75us", "1")
	/* Taken back by the driver and issued again: 2 us, and the next one is not told its
	 * time. */
	FLUSH_ISSUE("80us", "0")
	FLUSH_ISSUE("85us", "0")
	FLUSH_COMPLETE("87us", "0")
	FLUSH_ISSUE("90us", "0")
	FLUSH_COMPLETE("91us", "0")
	/* A command that is no I/O. */
	EVENT("95us", "0", "issue", "0", "0", "0")
	EVENT("96us", "0", "complete", NOWHERE, "0", "0"); /* clang-format on */

static void expect_op(const struct mer_table *t, const char *op, const char *key, int64_t value)
{
	assert_int_equal(run_case_int(t, run_case_find(t, "name", op, 0), key), value);
}

static void flushes_are_one_request(void **state)
{
	struct run_case c;
	(void)state;
	run_case_open_scenario(&c, flushes);
	run_case_run(&c, "disk io", NULL);
	const struct mer_table *t = run_case_table(&c, "stats");
	expect_op(t, "disk flush", "count", 8);
	expect_op(t, "disk flush", "total_ns", (2 + 3 + 4 + 1 + 10 + 10 + 2 + 1) * US);
	expect_op(t, "disk flush", "min_ns", 1 * US);
	expect_op(t, "disk flush", "max_ns", 10 * US);
	expect_op(t, "disk write", "count", 3);
	expect_op(t, "disk write", "total_ns", (5 + 20 + 6) * US);
	t = run_case_table(&c, "top");
	expect(t, "disk=8,0", "requests", 11);
	expect(t, "disk=8,0", "unfinished", 0);
	expect(t, "disk=8,0", "written_bytes", 24 * SECTOR);
	run_case_close(&c);
}

/* One that was issued when events were missing may have completed unseen: the next completion is
 * not its. */
static void flushes_and_losses(void **state)
{
	struct run_case c;
	(void)state;
	run_case_open_scenario(&c, /* clang-format off */
		"host h\ntrace h/kernel\n"
		"1us h 1 sched_switch prev_comm=\"p\" prev_tid=7 prev_prio=20 next_comm=\"p\" next_tid=7 "
		"next_prio=20\n"
		FLUSH_ISSUE("10us", "0")
		"20us h 1 lost 3\n"
		"30us h 1 sched_switch prev_comm=\"p\" prev_tid=7 prev_prio=20 next_comm=\"p\" next_tid=7 "
		"next_prio=20\n"
		"40us h 1 packet\n"
		FLUSH_ISSUE("500us", "1")
		FLUSH_COMPLETE("503us", "1")); /* clang-format on */
	run_case_run(&c, "disk io", NULL);
	expect_op(run_case_table(&c, "stats"), "disk flush", "max_ns", 3 * US);
	expect_op(run_case_table(&c, "stats"), "disk flush", "count", 1);
	expect(run_case_table(&c, "top"), "disk=8,0", "requests", 1);
	expect(run_case_table(&c, "top"), "disk=8,0", "unfinished", 1);
	run_case_close(&c);
}

/* As many as are issued, and each one completes (counted in the events themselves). */
static void flushes_of_recordings(void **state)
{
	static const struct {
		const char *name;
		int64_t n, total_ns; /* by its own clock; 0: not worked out */
	} wanted[] = { { "lab/web-load", 239, 276351508 }, { "lab/shop-a", 239, 0 },
		{ "lab/h2-mux", 126, 0 }, { "lab/ipc-zoo", 2, 409108 + 305662 } };
	(void)state;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		struct run_case c;
		run_case_open_recording(&c, wanted[i].name);
		run_case_run(&c, "disk io", NULL);
		const struct mer_table *t = run_case_table(&c, "stats");
		assert_int_equal(run_case_sum(t, "count", "name", "disk flush"), wanted[i].n);
		int64_t total = wanted[i].total_ns, slack = total / 10000;
		if (total)
			assert_in_range(run_case_sum(t, "total_ns", "name", "disk flush"),
				total - slack, total + slack);
		assert_int_equal(
			run_case_sum(run_case_table(&c, "top"), "unfinished", NULL, NULL), 0);
		run_case_close(&c);
	}
}

/* perf tells the operation as text. */
static void requests_of_perf(void **state)
{
	struct run_case c;
	(void)state;
	run_case_open_scenario(&c, /* clang-format off */
		"host h\ntrace h/kernel\n"
		"event block:block_rq_issue { s32 perf_cpu; u32 dev; u64 sector; u32 nr_sector; u32 bytes; "
		"string rwbs; }\n"
		"event block:block_rq_complete { s32 perf_cpu; u32 dev; u64 sector; u32 nr_sector; "
		"s32 errors; string rwbs; }\n"
		"1us h 0 block:block_rq_issue dev=8388608 sector=8 nr_sector=8 bytes=4096 rwbs=\"WSM\"\n"
		"2us h 0 block:block_rq_issue dev=8388608 sector=16 nr_sector=16 bytes=8192 rwbs=\"RA\"\n"
		"3us h 0 block:block_rq_issue dev=8388608 sector=32 nr_sector=32 bytes=0 rwbs=\"DS\"\n"
		"4us h 0 block:block_rq_complete dev=8388608 sector=8 nr_sector=8 rwbs=\"WSM\"\n"
		"5us h 0 block:block_rq_complete dev=8388608 sector=16 nr_sector=16 rwbs=\"RA\"\n"
		"6us h 0 block:block_rq_complete dev=8388608 sector=32 nr_sector=32 rwbs=\"DS\"\n"
		"7us h 0 block:block_rq_issue dev=8388608 sector=0 nr_sector=0 bytes=0 rwbs=\"FF\"\n"
		"9us h 0 block:block_rq_complete dev=8388608 sector=0xffffffffffffffff nr_sector=0 rwbs=\"FF\"\n"
		"9us h 0 block:block_rq_complete dev=8388608 sector=40 nr_sector=0 rwbs=\"WFS\"\n"
		); /* clang-format on */
	run_case_run(&c, "disk io", NULL);
	const struct mer_table *t = run_case_table(&c, "top");
	expect(t, "disk=8,0", "written_bytes", 8 * SECTOR);
	expect(t, "disk=8,0", "read_bytes", 16 * SECTOR);
	expect(t, "disk=8,0", "discards", 1);
	expect_op(run_case_table(&c, "stats"), "disk flush", "total_ns", 2 * US);
	expect(t, "disk=8,0", "requests", 4);
	run_case_close(&c);
}

/* ---- sequential and random ---- */

enum { DISK = 1 << 24 }; /* sectors */

static uint64_t random_sector(uint64_t *x)
{
	*x = *x * 6364136223846793005u + 1442695040888963407u;
	return (*x >> 40) % DISK;
}

static void add_request(struct mer_str *s, int i, int tid, unsigned dev, uint64_t sector)
{
	/* a task on each processor: tid 10 on 0, 11 on 1, ... */
	mer_str_printf(s,
		"%dus h %d block_rq_issue dev=%u sector=%" PRIu64
		" nr_sector=8 bytes=0 tid=%d rwbs=%d comm=\"p\"\n"
		"%dus h 0 block_rq_complete dev=%u sector=%" PRIu64
		" nr_sector=8 error=0 rwbs=%d\n",
		10 + 10 * i, tid - 10, dev, sector, tid, tid % 2 ? 1 : 4, 15 + 10 * i, dev, sector,
		tid % 2 ? 1 : 4);
}

/* 10 reads disk 8,0 from its begin, 11 writes anywhere on 8,1; 12 and 13 read and write 8,2 in
 * turn, each its own half from the begin. */
static void open_patterns(struct run_case *c, int n)
{
	struct mer_str s = { 0 };
	uint64_t x = 1;
	mer_str_puts(&s, "host h\ntrace h/kernel\n" RUNS("0", "10") RUNS("1", "11") RUNS("2", "12")
				 RUNS("3", "13"));
	for (int i = 0; i < n; i++) {
		uint64_t next = 8 * (uint64_t)(i / 2);
		add_request(&s, 3 * i, 10, 8 << 20, 8 * (uint64_t)i);
		add_request(&s, 3 * i + 1, 11, (8 << 20) + 1, random_sector(&x) / 8 * 8);
		add_request(
			&s, 3 * i + 2, 12 + i % 2, (8 << 20) + 2, i % 2 ? DISK / 2 + next : next);
	}
	assert_false(s.failed);
	run_case_open_scenario(c, s.data);
	mer_str_fini(&s);
}

static double share(const struct mer_table *t, const char *row)
{
	return run_case_cell(t, run_more_row(t, row), "sequential_percent")->v.f;
}

static void sequential_and_random(void **state)
{
	enum { N = 400 };
	struct run_case c;
	(void)state;
	open_patterns(&c, N);
	run_case_run(&c, "disk io", NULL);
	const struct mer_table *disks = run_case_table(&c, "top");
	const struct mer_table *tasks = run_case_table(&c, "disk_tasks");
	assert_true(share(disks, "disk=8,0") == 1);
	expect(disks, "disk=8,0", "seek_p50_bytes", 0);
	expect(disks, "disk=8,0", "seek_mean_bytes", 0);
	/* Two places anywhere are a third of the disk apart, 0.29 of it in the middle. */
	size_t r = run_more_row(disks, "disk=8,1");
	assert_true(share(disks, "disk=8,1") < .01);
	double mean = (double)run_case_int(disks, r, "seek_mean_bytes") / SECTOR / DISK;
	double median = (double)run_case_int(disks, r, "seek_p50_bytes") / SECTOR / DISK;
	if (fabs(mean - 1. / 3) > .04 || fabs(median - .29) > .05)
		fail_msg("mean %g, median %g", mean, median);
	/* To and fro for the disk, straight on for each task. */
	assert_true(share(disks, "disk=8,2") == 0);
	assert_true(share(tasks, "tid=12 disk=8,2") == 1);
	assert_true(share(tasks, "tid=13 disk=8,2") == 1);
	expect(tasks, "tid=13 disk=8,2", "seek_mean_bytes", 0);
	r = run_more_row(disks, "disk=8,2");
	median = (double)run_case_int(disks, r, "seek_p50_bytes") / SECTOR;
	assert_true(fabs(median - DISK / 2.) < 32);
	/* Few enough: each is a point. */
	const struct mer_table *map = run_case_table(&c, "map");
	assert_int_equal(map->n_rows, 3 * N);
	for (size_t i = 0, k = 0; i < map->n_rows; i++)
		if (strcmp(run_case_text(map, i, "disk"), "8,0") == 0) {
			assert_int_equal(run_case_int(map, i, "sector"), 8 * k);
			k++;
		}
	run_case_close(&c);
}

/* Of many requests a bounded number of rows, which hold them all. */
static void maps_are_bounded(void **state)
{
	enum { N = 12000, MOST = 6000 };
	struct run_case c;
	(void)state;
	open_patterns(&c, N);
	run_case_run(&c, "disk io", NULL);
	const struct mer_table *map = run_case_table(&c, "map");
	assert_true(map->n_rows <= MOST && map->n_rows > MOST / 20);
	assert_int_equal(run_case_sum(map, "requests", NULL, NULL), 3 * N);
	assert_int_equal(run_case_sum(map, "bytes", NULL, NULL), INT64_C(3) * N * 8 * SECTOR);
	assert_int_equal(run_case_sum(map, "requests", "name", "disk read"), N + N / 2);
	int64_t begin = INT64_MAX, end = INT64_MIN;
	for (size_t i = 0; i < map->n_rows; i++) {
		int64_t b = run_case_int(map, i, "begin"), e = run_case_int(map, i, "end");
		begin = b < begin ? b : begin;
		end = e > end ? e : end;
	}
	/* A line stays a line, a cloud a cloud: how many bytes a row's sectors and requests are. */
	for (size_t i = 0; i < map->n_rows; i++) {
		int64_t sectors =
			run_case_int(map, i, "sector_end") - run_case_int(map, i, "sector");
		int64_t ns = run_case_int(map, i, "end") - run_case_int(map, i, "begin");
		assert_true(sectors >= 8 && sectors <= DISK / 8 + 8);
		assert_true(ns >= 5 * US && ns <= (end - begin) / 8 + 5 * US);
		if (strcmp(run_case_text(map, i, "disk"), "8,0") == 0)
			assert_int_equal(sectors, 8 * run_case_int(map, i, "requests"));
	}
	run_case_close(&c);
}

/* ---- over time ---- */

static const char *const recordings[] = { "lab/cpu-mem-io", "lab/web-lossy", "lab/ipc-zoo",
	"lab/login-tree", "public/synctraces", "public/bug446190" };
static const char *const of_disks[] = { "read_bytes", "written_bytes" };
static const char *const of_tasks[] = { "block_read_bytes", "block_written_bytes" };

/* Sum over the rows of a host that begin then. */
static int64_t sum_at(const struct mer_table *t, const char *host, int64_t begin, const char *key)
{
	int64_t sum = 0;
	for (size_t i = 0; i < t->n_rows; i++)
		if (run_case_int(t, i, "begin") == begin &&
			strcmp(run_case_text(t, i, "host"), host) == 0)
			sum += run_case_int(t, i, key);
	return sum;
}

static void check_task_bins(const struct run_case *c)
{
	enum { OWN = 10, TASKS = 200 };
	const struct mer_table *bins = run_case_table(c, "bins");
	const struct mer_table *tasks = run_case_table(c, "io:bins_tasks");
	const struct mer_table *on_disks = run_case_table(c, "bins_tasks");
	const struct mer_table *top = run_case_table(c, "io:top");
	for (size_t k = 0; k < 2; k++) {
		assert_int_equal(run_case_sum(tasks, of_disks[k], NULL, NULL),
			run_case_sum(top, of_disks[k], NULL, NULL));
		for (size_t i = 0; i < bins->n_rows; i++) {
			const char *host = run_case_text(bins, i, "host");
			int64_t begin = run_case_int(bins, i, "begin");
			assert_int_equal(sum_at(tasks, host, begin, of_tasks[k]),
				sum_at(bins, host, begin, of_disks[k]));
			assert_int_equal(sum_at(on_disks, host, begin, of_disks[k]),
				sum_at(bins, host, begin, of_disks[k]));
		}
	}
	/* No more tasks than are told by themselves, and "all others" is nobody in particular. */
	int64_t seen[TASKS];
	size_t n = 0;
	for (size_t i = 0; i < tasks->n_rows; i++) {
		const struct mer_cell *tid = run_case_cell(tasks, i, "tid");
		size_t k = 0;
		if (strcmp(run_case_text(tasks, i, "comm"), "all others") == 0)
			assert_false(tid->set);
		while (tid->set && k < n && seen[k] != tid->v.i)
			k++;
		if (tid->set && k == n && n < TASKS)
			seen[n++] = tid->v.i;
	}
	assert_true(n <= OWN * c->e->n_hosts);
}

static void tasks_over_time(void **state)
{
	static const uint64_t n_bins[] = { 1, 40 };
	(void)state;
	for (size_t i = 0; i < sizeof(recordings) / sizeof(recordings[0]); i++) {
		struct run_case c;
		run_case_open_recording(&c, recordings[i]);
		for (size_t k = 0; k < 2; k++) {
			struct analysis_options o = all;
			o.n_bins = n_bins[k];
			run_case_run(&c, "disk io", &o);
			check_task_bins(&c);
		}
		run_case_close(&c);
	}
}

/* Only parts of the time are looked at: bins have what these have by themselves. */
static void parts_of_the_time(void **state)
{
	struct run_case c;
	int64_t sums[4] = { 0 };
	(void)state;
	run_case_open_recording(&c, "lab/cpu-mem-io");
	run_case_run(&c, "disk io", NULL);
	const struct mer_table *log = run_case_table(&c, "log");
	int64_t begin = run_case_int(log, 0, "begin");
	int64_t length = run_case_int(log, log->n_rows - 1, "begin") - begin;
	struct analysis_period periods[] = { { begin + length / 16, begin + length * 19 / 32 },
		{ begin + length * 5 / 8, begin + length * 7 / 8 } };
	for (size_t i = 0; i <= 2; i++) {
		struct analysis_options o = all;
		o.begin = i < 2 ? periods[i].begin : periods[0].begin;
		o.end = i < 2 ? periods[i].end : periods[1].end;
		o.n_bins = 13;
		o.periods = i < 2 ? NULL : periods;
		o.n_periods = i < 2 ? 0 : 2;
		run_case_run(&c, "disk io", &o);
		const struct mer_table *t[2] = { run_case_table(&c, "bins"),
			run_case_table(&c, "io:bins_tasks") };
		for (size_t k = 0; k < 4; k++) {
			int64_t sum = run_case_sum(t[k / 2], of_disks[k % 2], NULL, NULL);
			assert_true(i < 2 || sum > 0);
			sums[k] += i < 2 ? sum : -sum;
		}
	}
	for (size_t k = 0; k < 4; k++)
		assert_int_equal(sums[k], 0);
	run_case_close(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(merged_requests),
		cmocka_unit_test(merges_of_recordings),
		cmocka_unit_test(long_ones_stay_open),
		cmocka_unit_test(flushes_are_one_request),
		cmocka_unit_test(flushes_and_losses),
		cmocka_unit_test(flushes_of_recordings),
		cmocka_unit_test(requests_of_perf),
		cmocka_unit_test(sequential_and_random),
		cmocka_unit_test(maps_are_bounded),
		cmocka_unit_test(tasks_over_time),
		cmocka_unit_test(parts_of_the_time),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
