/* Scheduling latency: by hand, as published, and as simulated machines had it; and that its tables
 * agree with each other and with the CPU usage. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "run_more.h"

enum { TICK = 1000 };

static const struct analysis_options all = {
	.begin = INT64_MIN, .end = INT64_MAX, .max_ns = INT64_MAX
};

/* ---- all tables say the same ---- */

static void check_agreement(struct run_case *c)
{
	run_case_run(c, "cpu", NULL);
	int64_t waited = run_more_sum(run_case_table(c, "top"), "runnable_ns", "");
	run_case_run(c, "sched", NULL);
	const struct mer_table *log = run_case_table(c, "log"), *top = run_case_table(c, "top");
	const struct mer_table *stats = run_case_table(c, "stats");
	const struct mer_table *freq = run_case_table(c, "freq");
	const struct mer_table *preemptions = run_case_table(c, "preemptions");
	int64_t latency = run_more_sum(log, "latency_ns", "");
	assert_true(log->n_rows > 0);
	assert_int_equal(run_more_sum(stats, "total_ns", ""), latency);
	assert_int_equal(run_more_sum(stats, "count", ""), log->n_rows);
	assert_int_equal(run_more_sum(freq, "count", ""), log->n_rows);
	assert_int_equal(run_more_sum(stats, "preemptions", ""), preemptions->n_rows);
	assert_int_equal(run_more_sum(stats, "preempted_ns", ""),
		run_more_sum(preemptions, "duration_ns", ""));
	/* All time that tasks waited for a CPU is of one kind. */
	assert_int_equal(waited, latency + run_more_sum(stats, "preempted_ns", "") +
					 run_more_sum(stats, "unclear_ns", ""));
	int64_t longest = 0;
	for (size_t i = 0; i < log->n_rows; i++) {
		int64_t ns = run_case_int(log, i, "latency_ns");
		assert_true(ns >= 0);
		assert_int_equal(
			run_case_int(log, i, "switch_in"), run_case_int(log, i, "begin") + ns);
		if (i > 0)
			assert_true(
				run_case_int(log, i - 1, "begin") <= run_case_int(log, i, "begin"));
		const struct mer_cell *instead = run_case_cell(log, i, "next_ns");
		assert_true(!instead->set || (instead->v.i > 0 && instead->v.i <= ns));
		longest = ns > longest ? ns : longest;
	}
	assert_int_equal(run_case_int(top, 0, "latency_ns"), longest);
	for (size_t i = 1; i < top->n_rows; i++)
		assert_true(run_case_int(top, i - 1, "latency_ns") >=
			    run_case_int(top, i, "latency_ns"));
}

/* ---- by hand ---- */

/* On CPU 0 hog has the CPU. w is woken at 20 by an interrupt and runs at 50, when hog is preempted
 * until 60; w is woken by hog at 70 and again after it was preempted at 80, when it was about to
 * sleep. */
static const char by_hand[] =
	"host h\ntrace h/kernel\n"
	"10us h 0 sched_switch prev_comm=\"w\" prev_tid=6 prev_prio=20 prev_state=1 "
	"next_comm=\"hog\" next_tid=5 next_prio=25\n"
	"19us h 0 irq_handler_entry irq=7 name=\"x\"\n"
	"20us h 0 sched_waking comm=\"w\" tid=6 target_cpu=0\n"
	"21us h 0 irq_handler_exit irq=7\n"
	"22us h 0 sched_wakeup comm=\"w\" tid=6 target_cpu=0\n"
	"50us h 0 sched_switch prev_comm=\"hog\" prev_tid=5 prev_prio=25 prev_state=0 "
	"next_comm=\"w\" next_tid=6 next_prio=20\n"
	"60us h 0 sched_switch prev_comm=\"w\" prev_tid=6 prev_prio=20 prev_state=1 "
	"next_comm=\"hog\" next_tid=5 next_prio=25\n"
	"70us h 0 sched_waking comm=\"w\" tid=6 target_cpu=0\n"
	"75us h 0 sched_switch prev_comm=\"hog\" prev_tid=5 prev_prio=25 prev_state=1 "
	"next_comm=\"w\" next_tid=6 next_prio=15\n"
	"80us h 0 sched_switch prev_comm=\"w\" prev_tid=6 prev_prio=20 prev_state=0 "
	"next_comm=\"x\" next_tid=9 next_prio=20\n"
	"86us h 0 sched_waking comm=\"w\" tid=6 target_cpu=0\n"
	"88us h 0 sched_wakeup comm=\"w\" tid=6 target_cpu=0\n"
	"90us h 0 sched_switch prev_comm=\"x\" prev_tid=9 prev_prio=20 prev_state=1 "
	"next_comm=\"w\" next_tid=6 next_prio=20\n"
	"95us h 0 sched_waking comm=\"hog\" tid=5 target_cpu=0\n";

static void worked_out(void **state)
{
	(void)state;
	struct run_case c;
	run_case_open_scenario(&c, by_hand);
	check_agreement(&c);
	const struct mer_table *log = run_case_table(&c, "log");
	assert_int_equal(log->n_rows, 3);
	assert_true(run_more_is(log, 0,
		"begin=20000 switch_in=50000 latency_ns=30000 host=h tid=6 comm=w cpu=0 prio=20 "
		"cause=irq waker_tid=- next_tid=5 next_comm=hog next_ns=30000"));
	assert_true(run_more_is(log, 1,
		"begin=70000 latency_ns=5000 tid=6 prio=15 cause=task waker_tid=5 waker_comm=hog "
		"next_tid=5 next_ns=5000"));
	assert_true(run_more_is(
		log, 2, "begin=86000 latency_ns=4000 tid=6 waker_tid=9 next_tid=9 next_ns=4000"));
	const struct mer_table *preemptions = run_case_table(&c, "preemptions");
	assert_int_equal(preemptions->n_rows, 2);
	assert_true(run_more_is(preemptions, 0,
		"begin=50000 duration_ns=10000 tid=5 prio=25 next_tid=6 next_ns=10000"));
	assert_true(run_more_is(
		preemptions, 1, "begin=80000 switch_in=86000 duration_ns=6000 tid=6 next_tid=9"));
	const struct mer_table *stats = run_case_table(&c, "stats");
	assert_true(run_more_is(stats, run_more_row(stats, "tid=6"),
		"count=3 min_ns=4000 max_ns=30000 mean_ns=13000 total_ns=39000 preemptions=1 "
		"preempted_ns=6000 unclear_ns=0"));
	/* hog still waits for the CPU when the recording ends, but no time has passed. */
	assert_true(run_more_is(stats, run_more_row(stats, "tid=5"), "count=0 min_ns=-"));
	/* Only what began then, and took so long. */
	struct analysis_options o = all;
	o.begin = 60 * TICK;
	o.min_ns = 5 * TICK;
	run_case_run(&c, "sched", &o);
	assert_int_equal(run_case_table(&c, "log")->n_rows, 1);
	assert_true(run_more_is(run_case_table(&c, "top"), 0, "begin=70000"));
	/* A limit keeps the first rows of the log, and the longest of the top. */
	o = all;
	o.limit = 1;
	run_case_run(&c, "sched", &o);
	assert_int_equal(run_case_table(&c, "log")->n_rows, 1);
	assert_int_equal(run_case_table(&c, "log")->n_left_out, 2);
	assert_true(run_more_is(run_case_table(&c, "log"), 0, "begin=20000"));
	assert_int_equal(run_case_table(&c, "top")->n_rows, 1);
	assert_int_equal(run_case_table(&c, "top")->n_left_out, 2);
	run_case_close(&c);
}

/* Preempted by a, then b has the CPU for longer; while it waits it is moved to CPU 1, where the one
 * that runs there goes on. */
static void who_instead(void **state)
{
	(void)state;
	struct run_case c;
	run_case_open_scenario(&c,
		"host h\ntrace h/kernel\n"
		"10us h 0 sched_switch prev_comm=\"w\" prev_tid=6 prev_state=0 next_comm=\"a\" "
		"next_tid=1\n"
		"20us h 0 sched_switch prev_comm=\"a\" prev_tid=1 prev_state=1 next_comm=\"b\" "
		"next_tid=2\n"
		"50us h 0 sched_switch prev_comm=\"b\" prev_tid=2 prev_state=1 next_comm=\"w\" "
		"next_tid=6\n"
		"55us h 1 sched_switch prev_comm=\"\" prev_tid=0 next_comm=\"c\" next_tid=3\n"
		"60us h 0 sched_switch prev_comm=\"w\" prev_tid=6 prev_state=1 next_comm=\"\" "
		"next_tid=0\n"
		"65us h 0 sched_waking comm=\"w\" tid=6 target_cpu=1\n"
		"80us h 0 sched_switch prev_comm=\"\" prev_tid=0 next_comm=\"w\" next_tid=6\n"
		"90us h 1 sched_switch prev_comm=\"c\" prev_tid=3 prev_state=1 next_comm=\"\" "
		"next_tid=0\n");
	run_case_run(&c, "sched", NULL);
	const struct mer_table *preemptions = run_case_table(&c, "preemptions");
	assert_true(run_more_is(preemptions, 0, "tid=6 next_comm=b next_ns=30000"));
	/* It waited for CPU 1, and was run by CPU 0 in the end. */
	assert_true(run_more_is(run_case_table(&c, "log"), 0,
		"tid=6 cpu=0 latency_ns=15000 next_comm=c next_ns=15000"));
	run_case_close(&c);
}

/* Where events are lost nobody knows how long it took. */
static void not_seen(void **state)
{
	(void)state;
	struct run_case c;
	run_case_open_scenario(&c,
		"host h\ntrace h/kernel\n"
		"10us h 0 sched_waking comm=\"w\" tid=6 target_cpu=0\n"
		"20us h 0 sched_switch prev_comm=\"u\" prev_tid=5 prev_state=1 next_comm=\"\" "
		"next_tid=0\n"
		"30us h 0 sched_switch prev_comm=\"\" prev_tid=0 next_comm=\"v\" next_tid=7\n");
	run_case_run(&c, "sched", NULL);
	assert_int_equal(run_case_table(&c, "log")->n_rows, 0);
	const struct mer_table *stats = run_case_table(&c, "stats");
	/* w never ran; v was ready, who knows since when. */
	assert_true(run_more_is(stats, run_more_row(stats, "tid=6"), "count=0 unclear_ns=20000"));
	assert_true(run_more_is(stats, run_more_row(stats, "tid=7"), "count=0 unclear_ns=20000"));
	run_case_close(&c);
}

/* ---- published ---- */

/* Theirs: (0-1 tid 2 prio 20) (3-5 tid 3 prio 0) (6-10 tid 4) (10-15 tid 1) (3-25 tid 2). The last
 * one is not: thread 2 was running when it was woken, went on to 20 and was preempted then until
 * 25. */
static void description(void **state)
{
	(void)state;
	struct run_case c;
	run_more_open_xml(&c, "kernel/sws_analysis.xml", "");
	check_agreement(&c);
	static const char *const rows[] = {
		"begin=0 switch_in=1000 tid=2 comm=proc2 prio=20",
		"begin=3000 switch_in=5000 tid=3 comm=proc3 prio=0",
		"begin=6000 switch_in=10000 tid=4 comm=proc4 prio=20",
		"begin=10000 switch_in=15000 tid=1 prio=20",
	};
	const struct mer_table *log = run_case_table(&c, "log");
	assert_int_equal(log->n_rows, sizeof(rows) / sizeof(rows[0]));
	for (size_t i = 0; i < log->n_rows; i++)
		if (!run_more_is(log, i, rows[i]))
			fail_msg("row %zu is not %s", i, rows[i]);
	const struct mer_table *preemptions = run_case_table(&c, "preemptions");
	assert_true(run_more_is(preemptions,
		run_more_row(preemptions, "begin=20000 switch_in=25000 tid=2"), "next_tid=3"));
	run_case_close(&c);
}

/* ---- simulated machines ---- */

struct truth_row {
	int64_t begin, end;
	int tid, by, cpu;
	char state[16];
};

static struct truth_row *read_truth(const struct run_case *c, size_t *n)
{
	char path[200], line[300];
	snprintf(path, sizeof(path), "%s/truth/states.csv", c->dir);
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	struct truth_row *rows = NULL;
	*n = 0;
	assert_non_null(fgets(line, sizeof(line), f));
	while (fgets(line, sizeof(line), f)) {
		if ((*n & (*n - 1)) == 0)
			rows = realloc(rows, (*n ? 2 * *n : 1) * sizeof(*rows));
		assert_non_null(rows);
		struct truth_row *r = &rows[(*n)++];
		char *rest = line, *column[10];
		for (int i = 0; i < 10; i++)
			column[i] = rest ? strsep(&rest, ",\n") : NULL;
		*r = (struct truth_row){ .tid = atoi(column[1]),
			.begin = strtoll(column[2], NULL, 10),
			.end = strtoll(column[3], NULL, 10),
			.by = *column[6] ? atoi(column[6]) : -1,
			.cpu = *column[9] ? atoi(column[9]) : -1 };
		snprintf(r->state, sizeof(r->state), "%s", column[4]);
	}
	fclose(f);
	return rows;
}

static bool has_cpu(const struct truth_row *r)
{
	return strcmp(r->state, "user") == 0 || strcmp(r->state, "syscall") == 0 ||
	       strcmp(r->state, "thread") == 0 || strcmp(r->state, "interrupted") == 0;
}

/* The longest time that another task than tid had the CPU in [begin, end). */
static int64_t truth_instead(const struct truth_row *rows, size_t n, int tid, int cpu,
	int64_t begin, int64_t end, int of)
{
	enum { TIDS = 4096 };
	static int64_t ns[TIDS];
	int64_t most = 0;
	memset(ns, 0, sizeof(ns));
	for (size_t i = 0; i < n; i++) {
		const struct truth_row *r = &rows[i];
		int64_t b = r->begin > begin ? r->begin : begin, e = r->end < end ? r->end : end;
		if (e <= b || r->cpu != cpu || r->tid == tid || !has_cpu(r))
			continue;
		ns[r->tid % TIDS] += e - b;
		most = ns[r->tid % TIDS] > most ? ns[r->tid % TIDS] : most;
	}
	return of >= 0 ? ns[of % TIDS] : most;
}

/* Of every wake-up after which the task ran; who instead: where the queue was that of the CPU it
 * ran on. */
static void simulated_with(const char *options)
{
	struct run_case c;
	size_t n, woken = 0, with_instead = 0;
	run_more_open_world(&c, options);
	check_agreement(&c);
	struct truth_row *rows = read_truth(&c, &n);
	const struct mer_table *log = run_case_table(&c, "log");
	for (size_t i = 1; i + 1 < n; i++) {
		const struct truth_row *r = &rows[i];
		bool of_one = rows[i - 1].tid == r->tid && rows[i + 1].tid == r->tid;
		bool was_woken = strcmp(rows[i - 1].state, "blocked") == 0 ||
				 strcmp(rows[i - 1].state, "new") == 0;
		if (strcmp(r->state, "runnable") != 0 || !of_one || !was_woken ||
			rows[i - 1].end != r->begin || !has_cpu(&rows[i + 1]))
			continue;
		char row[100];
		snprintf(row, sizeof(row), "begin=%" PRId64 " switch_in=%" PRId64 " tid=%d",
			r->begin, r->end, r->tid);
		size_t at = run_more_row(log, row);
		woken++;
		const struct mer_cell *waker = run_case_cell(log, at, "waker_tid");
		if (rows[i - 1].by >= 0 && strcmp(rows[i - 1].state, "blocked") == 0)
			assert_true(waker->set && waker->v.i == rows[i - 1].by);
		if (r->cpu != rows[i + 1].cpu)
			continue;
		const struct mer_cell *instead = run_case_cell(log, at, "next_tid");
		int64_t most = truth_instead(rows, n, r->tid, r->cpu, r->begin, r->end, -1);
		int64_t ours = instead->set ? run_case_int(log, at, "next_ns") : 0;
		assert_int_equal(ours, most);
		if (instead->set)
			assert_int_equal(ours, truth_instead(rows, n, r->tid, r->cpu, r->begin,
						       r->end, (int)instead->v.i));
		with_instead += instead->set;
	}
	assert_int_equal(woken, log->n_rows);
	assert_true(with_instead > 10);
	free(rows);
	run_case_close(&c);
}

static void simulated(void **state)
{
	(void)state;
	simulated_with("--seed 21 --statedump");
	simulated_with("--seed 22 --cpus 1 --tasks 4 --duration 100ms --statedump");
}

/* ---- recordings ---- */

static void recorded(void **state)
{
	static const char *const names[] = { "public/django-vote", "lab/cpu-mem-io",
		"lab/clihog-srvhog-2vm", "lab/ipc-zoo", "lab/lost-events" };
	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct run_case c;
		run_case_open_recording(&c, names[i]);
		check_agreement(&c);
		run_case_close(&c);
	}
}

/* A kernel thread was woken while another task had its CPU, and no interrupt came that would have
 * taken it away: it did wait that long, and so did the migration thread, which goes before all
 * others. */
static void long_wait(void **state)
{
	enum { MS = 1000000 };
	(void)state;
	struct run_case c;
	run_case_open_recording(&c, "lab/cpu-mem-io");
	run_case_run(&c, "sched", NULL);
	const struct mer_table *t = run_case_table(&c, "log");
	int64_t longest[2] = { 0 };
	for (size_t r = 0; r < t->n_rows; r++) {
		const char *comm = run_case_text(t, r, "comm");
		int which = strcmp(comm, "migration/1") == 0;
		if ((!which && strcmp(comm, "kworker/1:1") != 0) ||
			run_case_int(t, r, "latency_ns") < longest[which])
			continue;
		longest[which] = run_case_int(t, r, "latency_ns");
		if (longest[which] < 150 * MS)
			continue;
		/* It called itself "burn" then, and something else in each phase after that. */
		assert_string_equal(run_case_text(t, r, "next_comm"), "disk-reader");
		assert_true(run_case_int(t, r, "next_ns") > longest[which] - 2 * MS);
	}
	assert_in_range(longest[0], 201 * MS, 202 * MS);
	assert_in_range(longest[1], 184 * MS, 185 * MS);
	run_case_close(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(worked_out),
		cmocka_unit_test(who_instead),
		cmocka_unit_test(not_seen),
		cmocka_unit_test(description),
		cmocka_unit_test(simulated),
		cmocka_unit_test(recorded),
		cmocka_unit_test(long_wait),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
