/* Answers of the library about two CPUs from text, each cell; and what it says of options that do
 * not apply, contradict each other, or mean nothing. */
#include <inttypes.h>
#include <stdio.h>

#include "base/str.h"
#include "scenario.h"

#include "ask.h" /* the last: its `err` is a macro */

/* 1 runs on CPU 0, reads, waits from 25 to 30 us for 2, and runs again from 35 to 50; 2 runs on CPU
 * 1 from 12 to 60. 3 is forked at 45 and never runs, as the thread 4 of process 1 at 46. */
static const char text[] =
	"host h\n"
	"10us 0 sched_switch prev_comm=\"swapper/0\" prev_tid=0 prev_state=0 next_comm=\"a\" "
	"next_tid=1\n"
	"12us 1 sched_switch prev_comm=\"swapper/1\" prev_tid=0 prev_state=0 next_comm=\"b\" "
	"next_tid=2\n"
	"20us 0 syscall_entry_read fd=3\n"
	"25us 0 sched_switch prev_comm=\"a\" prev_tid=1 prev_state=1 next_comm=\"swapper/0\" "
	"next_tid=0\n"
	"30us 1 sched_waking comm=\"a\" tid=1 target_cpu=0\n"
	"35us 0 sched_switch prev_comm=\"swapper/0\" prev_tid=0 prev_state=0 next_comm=\"a\" "
	"next_tid=1\n"
	"40us 0 syscall_exit_read ret=1\n"
	"45us 0 sched_process_fork parent_comm=\"a\" parent_tid=1 parent_pid=1 child_comm=\"a\" "
	"child_tid=3 child_pid=3\n"
	"46us 0 sched_process_fork parent_comm=\"a\" parent_tid=1 parent_pid=1 child_comm=\"a\" "
	"child_tid=4 child_pid=1\n"
	"50us 0 sched_switch prev_comm=\"a\" prev_tid=1 prev_state=1 next_comm=\"swapper/0\" "
	"next_tid=0\n"
	"60us 1 sched_switch prev_comm=\"b\" prev_tid=2 prev_state=1 next_comm=\"swapper/1\" "
	"next_tid=0\n";

static struct scenario scenario;
static struct mer_session *session;
static int64_t t0; /* of the scenario */

static int open_all(void **state)
{
	char path[80];
	const char *paths[] = { path };
	(void)state;
	scenario_open(&scenario, text);
	snprintf(path, sizeof(path), "%s/traces", scenario.dir);
	OK(mer_session_new(paths, 1, NULL, &session, &err));
	OK(mer_session_open(session, &err));
	t0 = mer_trace_at(mer_session_experiment(session), 0)->begin - 10000;
	return 0;
}

static int close_all(void **state)
{
	(void)state;
	mer_session_free(session);
	scenario_close(&scenario);
	return 0;
}

/* Rows with ", " between, cells with blanks: times and durations in us, "-" where nothing is
 * known. */
static void rows_are(struct mer_result *r, const char *expected)
{
	struct mer_str out = { 0 };
	for (size_t i = 0; i < mer_result_n_rows(r); i++)
		for (size_t c = 0; c < mer_result_n_columns(r); c++) {
			const char *key = mer_result_key(r, c), *text_of;
			bool is_time = strcmp(key, "begin") == 0 || strcmp(key, "end") == 0;
			int64_t v;
			mer_str_puts(&out, c ? " " : i ? ", " : "");
			if (mer_result_int(r, i, c, &v))
				mer_str_printf(&out, "%" PRId64,
					is_time				  ? (v - t0) / 1000
					: strcmp(key, "duration_ns") == 0 ? v / 1000
									  : v);
			else if (mer_result_text(r, i, c, &text_of))
				mer_str_puts(&out, text_of);
			else
				mer_str_puts(&out, "-");
		}
	assert_string_equal(out.data ? out.data : "", expected);
	mer_str_fini(&out);
	mer_result_free(r);
}

static void tasks(void **state)
{
	struct mer_selection sel = MER_OPTIONS(struct mer_selection);
	struct mer_result *r;
	(void)state;
	OK(mer_session_tasks(session, NULL, &r, &err));
	/* nth host tid pid comm begin end duration born kernel */
	rows_are(r, "1 h 1 1 a 10 60 50 0 0, 2 h 2 - b 10 60 50 0 0, 3 h 3 3 a 45 60 15 1 0, "
		    "4 h 4 1 a 46 60 14 1 0");
	uint32_t tids[] = { 2, 3 };
	sel.tids = tids;
	sel.n_tids = 2;
	OK(mer_session_tasks(session, &sel, &r, &err));
	rows_are(r, "1 h 2 - b 10 60 50 0 0, 2 h 3 3 a 45 60 15 1 0");
	uint64_t range[] = { 2, 9 };
	sel.n_tids = 0;
	sel.tid_ranges = range;
	sel.n_tid_ranges = 1;
	OK(mer_session_tasks(session, &sel, &r, &err));
	rows_are(r, "1 h 2 - b 10 60 50 0 0, 2 h 3 3 a 45 60 15 1 0, 3 h 4 1 a 46 60 14 1 0");
	uint32_t pid = 1;
	sel.n_tid_ranges = 0;
	sel.pids = &pid;
	sel.n_pids = 1;
	OK(mer_session_tasks(session, &sel, &r, &err));
	rows_are(r, "1 h 1 1 a 10 60 50 0 0, 2 h 4 1 a 46 60 14 1 0");
	sel.n_pids = 0;
	sel.pid_ranges = range;
	sel.n_pid_ranges = 1;
	sel.begin = "+30us";
	sel.end = "+40us";
	OK(mer_session_tasks(session, &sel, &r, &err));
	rows_are(r, "1 h 2 - b 40 50 10 0 0, 2 h 3 3 a 45 50 5 1 0");
}

static void path_of(uint64_t nth, const char *expected)
{
	struct mer_path_options p = MER_OPTIONS(struct mer_path_options);
	struct mer_result *r;
	p.nth = nth;
	OK(mer_session_path(session, &p, &r, &err));
	rows_are(r, expected);
}

static void paths(void **state)
{
	(void)state;
	/* begin end host tid comm state cause detail depth in_flight delivery user_state duration
	 * cpu syscall */
	path_of(1, "10 20 h 1 a user running - 0 0 0 - 10 0 -, "
		   "20 25 h 1 a syscall running read fd 3 0 0 0 - 5 0 read, "
		   "25 30 h 2 b running running - 1 0 0 - 5 1 -, "
		   "30 35 h 1 a runnable runnable - 0 0 0 - 5 0 read, "
		   "35 40 h 1 a syscall running read fd 3 0 0 0 - 5 0 read, "
		   "40 50 h 1 a user running - 0 0 0 - 10 0 -, "
		   "50 60 h 1 a blocked blocked - 0 0 0 - 10 0 -");
	path_of(2, "10 12 h 2 b runnable runnable - 0 0 0 - 2 - -, "
		   "12 60 h 2 b running running - 0 0 0 - 48 1 -");
	path_of(3, "45 60 h 3 a new fork - 0 0 0 - 15 0 -");
	path_of(0, "45 60 h 3 a new fork - 0 0 0 - 15 0 -"); /* the first that was born */
	struct mer_path_options p = MER_OPTIONS(struct mer_path_options);
	struct mer_result *r;
	p.nth = 5;
	FAILS(mer_session_path(session, &p, &r, &err), MER_ERR_USAGE);
	assert_string_equal(err.text, "number 5 of the tasks: only 4 are selected");
	struct mer_selection sel = MER_OPTIONS(struct mer_selection);
	uint32_t tid = 2;
	sel.tids = &tid;
	sel.n_tids = 1;
	p.selection = &sel;
	FAILS(mer_session_path(session, &p, &r, &err), MER_ERR_USAGE);
	assert_string_equal(err.text, "number 5 of the tasks: only 1 is selected");
	tid = 99;
	p.nth = 0;
	FAILS(mer_session_path(session, &p, &r, &err), MER_ERR_USAGE);
	assert_string_equal(err.text, "no task of the traces is selected");
}

/* Task 1 waited once, for what 2 did in that time; and at the end, for what is not known. */
static void waits(void **state)
{
	struct mer_blocked_options o = MER_OPTIONS(struct mer_blocked_options);
	struct mer_selection sel = MER_OPTIONS(struct mer_selection);
	struct mer_result *r;
	const uint32_t tid = 1;
	(void)state;
	sel.tids = &tid;
	sel.n_tids = 1;
	o.selection = &sel;
	/* depth doing by_host host tid comm kind call object cause class by count, then ns: total
	 * min max mean runnable; and when the longest one began */
	OK(mer_session_blocked(session, &o, &r, &err));
	rows_are(r,
		"0 blocked - h 1 a page-fault - - not-ended request - 1 10000 10000 10000 10000 0 50000, "
		"0 blocked h h 1 a syscall read - task request b 1 5000 5000 5000 5000 5000 25000");
	o.depth = 1;
	OK(mer_session_blocked(session, &o, &r, &err));
	rows_are(r,
		"0 blocked - h 1 a page-fault - - not-ended request - 1 10000 10000 10000 10000 0 50000, "
		"0 blocked h h 1 a syscall read - task request b 1 5000 5000 5000 5000 5000 25000, "
		"1 ran - h 2 b - - - - - - - 5000 - - - - -");
	o.limit = 1;
	OK(mer_session_blocked(session, &o, &r, &err));
	assert_int_equal(mer_result_n_left_out(r), 1);
	assert_int_equal(mer_result_n_rows(r), 1);
	mer_result_free(r);
	o.depth = 51;
	FAILS(mer_session_blocked(session, &o, &r, &err), MER_ERR_USAGE);
}

static void costs(void **state)
{
	struct mer_task_options o = MER_OPTIONS(struct mer_task_options);
	const char *ids[] = { "accounting", "blocking", "residual", "resources" };
	struct mer_result *r[4];
	(void)state;
	o.nth = 1;
	OK(mer_session_task(session, ids, 4, &o, r, &err));
	assert_string_equal(mer_result_id(r[3]), "resources");
	mer_result_free(r[3]);
	/* depth host tid pid comm count self children total interrupted residual requests disk */
	rows_are(r[0],
		"0 h 1 1 a - 30000 5000 35000 - 15000 0 0 0 0, 1 h 2 - b 1 5000 0 5000 - 0 0 0 0 0");
	/* fd object kind call count total min max mean stddev unfinished */
	rows_are(r[1], "- - - page fault 1 10000 10000 10000 10000 - 1, "
		       "3 - - read 1 5000 5000 5000 5000 - 0");
	/* cause host tid comm total */
	rows_are(r[2], "blocked h 1 a 10000, runnable h 1 a 5000");
	FAILS(mer_session_task(session, NULL, 0, &o, NULL, &err), MER_ERR_USAGE);
	ids[1] = "blockings";
	FAILS(mer_session_task(session, ids, 2, &o, r, &err), MER_ERR_USAGE);
	assert_null(r[0]);
	o.nth = 9;
	FAILS(mer_session_task(session, ids, 1, &o, r, &err), MER_ERR_USAGE);
}

/* Which task gave what to which: an edge says both. */
static void relations(void **state)
{
	struct mer_table_options o = MER_OPTIONS(struct mer_table_options);
	struct mer_selection sel = MER_OPTIONS(struct mer_selection);
	struct mer_result *r;
	const uint32_t tid = 3;
	(void)state;
	OK(mer_session_table(session, "relations", "graph", NULL, &r, &err));
	size_t n = mer_result_n_rows(r);
	bool found = false;
	for (size_t i = 0; i < n; i++)
		found |= ask_int(r, i, "from_tid") == 1 && ask_int(r, i, "to_tid") == 3 &&
			 strcmp(ask_text_of(r, i, "kind"), "fork") == 0;
	assert_true(found && n > 1);
	mer_result_free(r);
	/* No requests were made; who makes them would be named as a program or a task. */
	o.group_by = "task";
	OK(mer_session_table(session, "relations", "requests", &o, &r, &err));
	assert_int_equal(mer_result_n_rows(r), 0);
	assert_true(mer_result_column(r, "p99_ns") < mer_result_n_columns(r));
	mer_result_free(r);
	o.group_by = "host";
	FAILS(mer_session_table(session, "relations", "requests", &o, &r, &err), MER_ERR_USAGE);
	o.group_by = NULL;
	o.all = true;
	FAILS(mer_session_table(session, "relations", "graph", &o, &r, &err), MER_ERR_USAGE);
	o.all = false;
	sel.tids = &tid;
	sel.n_tids = 1;
	o.selection = &sel;
	o.leave_out = true;
	OK(mer_session_table(session, "relations", "graph", &o, &r, &err));
	assert_int_equal(mer_result_n_rows(r), 1);
	mer_result_free(r);
	o.filter = "count > 1";
	FAILS(mer_session_table(session, "relations", "graph", &o, &r, &err), MER_ERR_USAGE);
}

static void lanes_are(
	enum mer_lanes of, const struct mer_selection *sel, uint32_t bins, const char *expected)
{
	struct mer_lane_options o = MER_OPTIONS(struct mer_lane_options);
	struct mer_result *r;
	o.lanes = (uint32_t)of;
	o.selection = sel;
	o.max_bins = bins;
	OK(mer_session_lanes(session, &o, &r, &err));
	rows_are(r, expected);
}

static void lanes(void **state)
{
	(void)state;
	/* lane host cpu tid comm begin end state duration cause syscall */
	lanes_are(MER_LANES_CPUS, NULL, 0,
		"0 h 0 1 a 10 20 user 10 - -, 0 h 0 1 a 20 25 syscall 5 - read, "
		"0 h 0 1 a 35 40 syscall 5 - read, 0 h 0 1 a 40 50 user 10 - -, "
		"1 h 1 2 b 12 60 running 48 - -");
	uint32_t cpu = 1;
	struct mer_selection sel = MER_OPTIONS(struct mer_selection);
	sel.cpus = &cpu;
	sel.n_cpus = 1;
	lanes_are(MER_LANES_CPUS, &sel, 0, "0 h 1 2 b 12 60 running 48 - -");
	sel.begin = "+5us";
	sel.end = "+20us";
	lanes_are(MER_LANES_CPUS, &sel, 0, "0 h 1 2 b 15 30 running 15 - -");
	uint32_t tid = 1;
	sel = (struct mer_selection)MER_OPTIONS(struct mer_selection);
	sel.tids = &tid;
	sel.n_tids = 1;
	lanes_are(MER_LANES_TASKS, &sel, 0,
		"0 h 0 1 a 10 20 user 10 - -, 0 h 0 1 a 20 25 syscall 5 - read, "
		"0 h 0 1 a 25 30 blocked 5 task read, 0 h 0 1 a 30 35 runnable 5 - read, "
		"0 h 0 1 a 35 40 syscall 5 - read, 0 h 0 1 a 40 50 user 10 - -, "
		"0 h 0 1 a 50 60 blocked 10 - -");
	tid = 3;
	lanes_are(MER_LANES_TASKS, &sel, 0, "0 h 0 3 a 45 60 new 15 task -");
	tid = 99;
	lanes_are(MER_LANES_TASKS, &sel, 0, "");
	struct mer_lane_options o = MER_OPTIONS(struct mer_lane_options);
	struct mer_result *r;
	o.lanes = MER_LANES_TASKS + 1;
	FAILS(mer_session_lanes(session, &o, &r, &err), MER_ERR_USAGE);
	o.lanes = MER_LANES_TASKS;
	o.max_bins = (1 << 20) + 1;
	FAILS(mer_session_lanes(session, &o, &r, &err), MER_ERR_USAGE);
	o.max_bins--;
	OK(mer_session_lanes(session, &o, &r, &err));
	mer_result_free(r);
}

/* ---- options ---- */

static struct mer_table_options table;

static void refused(const char *analysis, const char *output, const char *why)
{
	struct mer_result *r;
	FAILS(mer_session_table(session, analysis, output, &table, &r, &err), MER_ERR_USAGE);
	assert_string_equal(err.text, why);
	assert_null(r);
	table = (struct mer_table_options)MER_OPTIONS(struct mer_table_options);
}

static void taken(const char *analysis, const char *output)
{
	struct mer_result *r;
	OK(mer_session_table(session, analysis, output, &table, &r, &err));
	mer_result_free(r);
	table = (struct mer_table_options)MER_OPTIONS(struct mer_table_options);
}

#define WITH(...) (table.size = sizeof(table), __VA_ARGS__)

static void what_does_not_apply(void **state)
{
	(void)state;
	table = (struct mer_table_options)MER_OPTIONS(struct mer_table_options);
	WITH(table.n_bins = 3);
	refused("cpu", "top",
		"n_bins does not apply to the table 'top' of 'cpu', which is not over time");
	WITH(table.interval_ns = 3);
	refused("cpu", "top",
		"interval_ns does not apply to the table 'top' of 'cpu', which is not over time");
	WITH(table.n_bins = 3);
	taken("cpu", "bins");
	WITH(table.n_bins = 3, table.interval_ns = 3);
	refused("cpu", "bins", "n_bins and interval_ns exclude each other");
	WITH(table.min_bytes = 1);
	refused("cpu", "top", "min_bytes does not apply to the table 'top' of 'cpu'");
	WITH(table.max_bytes = 1);
	refused("cpu", "top", "max_bytes does not apply to the table 'top' of 'cpu'");
	WITH(table.zero_max = true, table.max_ns = INT64_MAX, table.period_max_ns = INT64_MAX);
	refused("cpu", "top", "max_bytes does not apply to the table 'top' of 'cpu'");
	WITH(table.group_by = "host");
	refused("cpu", "log", "group_by does not apply to the table 'log' of 'cpu'");
	WITH(table.sort = "+nothing");
	refused("cpu", "top", "the table 'top' of 'cpu' has no column 'nothing'");
	WITH(table.sort = "+comm");
	taken("cpu", "top");
	refused("cpu", "topx", "'cpu' has no table 'topx'");
	refused("cpux", "top", "no analysis 'cpux'");
}

static void what_contradicts(void **state)
{
	static const char *const by[] = { "tid" };
	static const char *names[65];
	(void)state;
	for (int i = 0; i < 65; i++)
		names[i] = "x";
	table = (struct mer_table_options)MER_OPTIONS(struct mer_table_options);
	static const char durations[] =
		"a duration is negative, or the greatest one less than the least";
	WITH(table.min_ns = -1);
	refused("syscall", "log", durations);
	WITH(table.min_ns = 5, table.max_ns = 4);
	refused("syscall", "log", durations);
	WITH(table.min_ns = 5, table.max_ns = 5);
	taken("syscall", "log");
	WITH(table.interval_ns = -1);
	refused("cpu", "bins", durations);
	WITH(table.period = "sched_waking : sched_switch", table.period_min_ns = -1);
	refused("cpu", "top", durations);
	WITH(table.period = "sched_waking : sched_switch", table.period_min_ns = 5,
		table.period_max_ns = 4);
	refused("cpu", "top", durations);
	WITH(table.period = "sched_waking : sched_switch", table.period_min_ns = 5000,
		table.period_max_ns = 5000);
	taken("cpu", "top");
	WITH(table.min_bytes = 2, table.max_bytes = 1);
	refused("io", "log", "max_bytes is less than min_bytes");
	WITH(table.min_bytes = 2, table.max_bytes = 2);
	taken("io", "log");
	WITH(table.period_min_ns = 1);
	refused("cpu", "top", "period_min_ns needs period");
	WITH(table.period_max_ns = 1);
	refused("cpu", "top", "period_max_ns needs period");
	WITH(table.period_by = by, table.n_period_by = 1);
	refused("cpu", "top", "period_by needs period");
	WITH(table.names = names, table.n_names = 65);
	refused("syscall", "top", "names: at most 64");
	WITH(table.names = names, table.n_names = 64);
	taken("syscall", "top");
	refused("period", "log", "'period' needs periods between two events");
}

/* Which of the two moments is wrong is said, if anybody wants to know; one that is fine leaves the
 * error as it was. */
static void moments(void **state)
{
	struct mer_selection sel = MER_OPTIONS(struct mer_selection);
	struct mer_result *r;
	(void)state;
	sel.begin = "+10us";
	sel.end = "+40us";
	memset(&err, 0, sizeof(err));
	OK(mer_session_tasks(session, &sel, &r, &err));
	mer_result_free(r);
	assert_int_equal(err.remedy, 0);
	sel.end = "tomorrow";
	FAILS(mer_session_tasks(session, &sel, &r, &err), MER_ERR_USAGE);
	assert_int_equal(err.remedy, MER_REMEDY_END);
	sel.begin = "yesterday";
	FAILS(mer_session_tasks(session, &sel, &r, &err), MER_ERR_USAGE);
	assert_int_equal(err.remedy, MER_REMEDY_BEGIN);
	assert_int_equal(mer_session_tasks(session, &sel, &r, NULL), MER_ERR_USAGE);
}

/* Results beyond their ends. */
static void beyond(void **state)
{
	struct mer_result *r;
	int64_t v = 7, window[2];
	double real;
	const char *word;
	(void)state;
	OK(mer_session_tasks(session, NULL, &r, &err));
	size_t tid = mer_result_column(r, "tid"), n = mer_result_n_columns(r);
	size_t host = mer_result_column(r, "host");
	assert_int_equal(n, 10);
	assert_int_equal(mer_result_column(r, "none"), n);
	assert_null(mer_result_key(r, n));
	assert_null(mer_result_column_title(r, n));
	assert_null(mer_result_type(r, n));
	assert_null(mer_result_unit(r, n));
	assert_string_equal(mer_result_key(r, tid), "tid");
	assert_string_equal(mer_result_column_title(r, tid), "TID");
	assert_string_equal(mer_result_unit(r, mer_result_column(r, "duration_ns")), "ns");
	assert_int_equal(mer_result_value(r, n), MER_VALUE_TEXT);
	assert_int_equal(mer_result_value(r, tid), MER_VALUE_INT);
	assert_false(mer_result_int(r, 4, tid, &v));
	assert_false(mer_result_int(r, 0, n, &v));
	assert_false(mer_result_int(r, 0, host, &v)); /* a text */
	assert_false(mer_result_real(r, 0, tid, &real));
	assert_false(mer_result_text(r, 0, tid, &word));
	assert_int_equal(v, 7);
	assert_false(mer_result_window(r, &window[0], &window[1]));
	int64_t values[5] = { 9, 9, 9, 9, 9 };
	bool known[5] = { 0 };
	size_t pid = mer_result_column(r, "pid");
	assert_int_equal(mer_result_ints(r, pid, 0, 5, values, known), 4);
	assert_true(values[0] == 1 && values[1] == 0 && values[2] == 3 && values[3] == 1);
	assert_true(known[0] && !known[1] && known[2] && known[3] && values[4] == 9);
	assert_int_equal(mer_result_ints(r, tid, 1, 1, values, NULL), 1);
	assert_true(values[0] == 2 && values[1] == 0);
	assert_int_equal(mer_result_ints(r, tid, 4, 1, values, NULL), 0);
	assert_int_equal(mer_result_ints(r, n, 0, 1, values, NULL), 0);
	assert_int_equal(mer_result_ints(r, host, 0, 1, values, NULL), 0);
	mer_result_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tasks),
		cmocka_unit_test(paths),
		cmocka_unit_test(waits),
		cmocka_unit_test(costs),
		cmocka_unit_test(relations),
		cmocka_unit_test(lanes),
		cmocka_unit_test(what_does_not_apply),
		cmocka_unit_test(what_contradicts),
		cmocka_unit_test(moments),
		cmocka_unit_test(beyond),
	};
	return cmocka_run_group_tests(tests, open_all, close_all);
}
