/* Lanes of CPUs and tasks: without gaps or overlaps, the same exactly and in bins, read or from a
 * store, in a window and of everything. */
#include "ask.h"

#include <stdio.h>

#include "base/str.h"

/* A row, as far as bins have it. */
static void put(struct mer_str *out, const struct mer_result *r, size_t i)
{
	mer_str_printf(out, "%d %s %lld-%lld %s %lld\n", (int)ask_int(r, i, "lane"),
		ask_text_of(r, i, "host"), (long long)ask_int(r, i, "begin"),
		(long long)ask_int(r, i, "end"), ask_text_of(r, i, "state"),
		(long long)ask_int(r, i, "duration_ns"));
}

enum { STATES = 11, LANES = 64 };
/* How long each lane was in each state in [begin, end), and how long in all. */
struct sums {
	char states[STATES][20];
	int64_t ns[LANES][STATES], all[LANES];
};

static unsigned state_of(struct sums *x, const char *name)
{
	for (unsigned i = 0; i < STATES; i++) {
		if (!x->states[i][0])
			snprintf(x->states[i], sizeof(x->states[i]), "%s", name);
		if (strcmp(x->states[i], name) == 0)
			return i;
	}
	fail_msg("more than %d states", STATES);
	return 0;
}

static void sum_up(struct sums *x, const struct mer_result *r, int64_t begin, int64_t end)
{
	for (size_t i = 0; i < mer_result_n_rows(r); i++) {
		int64_t lane = ask_int(r, i, "lane"), from = ask_int(r, i, "begin"),
			to = ask_int(r, i, "end"), ns = ask_int(r, i, "duration_ns");
		assert_true(lane >= 0 && lane < LANES && from < to && ns > 0 && ns <= to - from);
		if (from >= begin && to <= end) {
			x->ns[lane][state_of(x, ask_text_of(r, i, "state"))] += ns;
			x->all[lane] += ns;
		}
	}
}

static struct mer_result *lanes(struct mer_session *s, const struct mer_selection *sel,
	enum mer_lanes of, uint32_t max_bins)
{
	struct mer_lane_options o = {
		.size = sizeof(o), .selection = sel, .lanes = (uint32_t)of, .max_bins = max_bins
	};
	struct mer_result *r;
	OK(mer_session_lanes(s, &o, &r, &err));
	return r;
}

/* A task does one thing after the other for all of its life; a CPU has at most one task at a
 * time. */
static void one_after_the_other(void **state)
{
	const char *wget[] = { "wget" };
	struct mer_selection sel = { .size = sizeof(sel), .comms = wget, .n_comms = 1 };
	struct mer_session *s = ask_open_session();
	struct mer_result *tasks, *r = lanes(s, &sel, MER_LANES_TASKS, 0);
	int64_t lived = 0, did = 0;
	(void)state;
	OK(mer_session_tasks(s, &sel, &tasks, &err));
	for (size_t i = 0; i < mer_result_n_rows(tasks); i++)
		lived += ask_int(tasks, i, "duration_ns");
	for (size_t i = 0; i < mer_result_n_rows(r); i++) {
		bool goes_on = i && ask_int(r, i, "lane") == ask_int(r, i - 1, "lane");
		assert_true(!goes_on || ask_int(r, i, "begin") == ask_int(r, i - 1, "end"));
		assert_string_equal(ask_text_of(r, i, "host"),
			ask_text_of(tasks, (size_t)ask_int(r, i, "lane"), "host"));
		assert_int_equal(
			ask_int(r, i, "tid"), ask_int(tasks, (size_t)ask_int(r, i, "lane"), "tid"));
		if (strcmp(ask_text_of(r, i, "state"), "dead") != 0)
			did += ask_int(r, i, "duration_ns");
	}
	assert_true(did > 0);
	assert_int_equal(did, lived);
	mer_result_free(tasks);
	mer_result_free(r);
	r = lanes(s, NULL, MER_LANES_CPUS, 0);
	for (size_t i = 1; i < mer_result_n_rows(r); i++)
		assert_true(ask_int(r, i, "lane") > ask_int(r, i - 1, "lane") ||
			    ask_int(r, i, "begin") >= ask_int(r, i - 1, "end"));
	mer_result_free(r);
	mer_session_free(s);
}

/* Rows that name a task: it is called what the list of tasks calls it. Returns how many. */
static size_t named_as_in(const struct mer_result *tasks, const struct mer_result *r)
{
	size_t n = 0;
	for (size_t i = 0; i < mer_result_n_rows(r); i++) {
		int64_t tid, other;
		bool is_task = false, is_called = false;
		if (!mer_result_int(r, i, mer_result_column(r, "tid"), &tid))
			continue;
		for (size_t k = 0; k < mer_result_n_rows(tasks); k++) {
			if (!mer_result_int(tasks, k, mer_result_column(tasks, "tid"), &other) ||
				other != tid ||
				strcmp(ask_text_of(tasks, k, "host"), ask_text_of(r, i, "host")) !=
					0)
				continue;
			is_task = true; /* two may have had the same tid */
			is_called |= strcmp(ask_text_of(tasks, k, "comm"),
					     ask_text_of(r, i, "comm")) == 0;
		}
		assert_true(!is_task || is_called);
		n += is_task;
	}
	return n;
}

/* A task has one name, its last one, also before it had it (the child of a shell that is wget
 * later), and in a window that ends before. */
static void one_name(void **state)
{
	const char *wget[] = { "wget" };
	(void)state;
	struct mer_session *s = ask_open_session();
	struct mer_result *tasks, *r;
	OK(mer_session_tasks(s, NULL, &tasks, &err));
	struct mer_selection sel = { .size = sizeof(sel), .comms = wget, .n_comms = 1 };
	r = lanes(s, NULL, MER_LANES_CPUS, 0);
	assert_true(named_as_in(tasks, r) > 0);
	mer_result_free(r);
	r = lanes(s, &sel, MER_LANES_TASKS, 0);
	assert_true(named_as_in(tasks, r) > 0);
	mer_result_free(r);
	struct mer_path_options o = { .size = sizeof(o), .selection = &sel };
	OK(mer_session_path(s, &o, &r, &err));
	assert_true(named_as_in(tasks, r) > 0);
	mer_result_free(r);
	static const char *const asked[][2] = { { "cpu", "top" }, { "sched", "log" } };
	sel = (struct mer_selection){ .size = sizeof(sel), .end = "+1s" };
	struct mer_table_options to = { .size = sizeof(to), .selection = &sel };
	for (size_t i = 0; i < 2; i++) {
		OK(mer_session_table(s, asked[i][0], asked[i][1], &to, &r, &err));
		assert_true(named_as_in(tasks, r) > 0);
		mer_result_free(r);
	}
	mer_result_free(tasks);
	mer_session_free(s);
}

/* Time of tasks on CPUs is that of the table of CPUs. */
static void as_in_tables(void **state)
{
	struct mer_session *s = ask_open_session();
	struct mer_result *r = lanes(s, NULL, MER_LANES_CPUS, 0), *cpus;
	static struct sums x;
	(void)state;
	memset(&x, 0, sizeof(x));
	sum_up(&x, r, INT64_MIN, INT64_MAX);
	OK(mer_session_table(s, "cpu", "cpus", NULL, &cpus, &err));
	assert_true(mer_result_n_rows(cpus) > 1);
	for (size_t i = 0; i < mer_result_n_rows(cpus); i++) {
		int64_t on = 0;
		for (size_t k = 0; k < mer_result_n_rows(r); k++)
			if (ask_int(r, k, "cpu") == ask_int(cpus, i, "cpu") &&
				strcmp(ask_text_of(r, k, "host"), ask_text_of(cpus, i, "host")) ==
					0 &&
				strcmp(ask_text_of(r, k, "state"), "syscall") == 0)
				on += ask_int(r, k, "duration_ns");
		assert_int_equal(on, ask_int(cpus, i, "syscall_ns"));
	}
	mer_result_free(cpus);
	mer_result_free(r);
	mer_session_free(s);
}

/* Bins have the time of the spans in them. */
static void bins_are_sums(void **state)
{
	static struct sums exact, bins;
	struct mer_session *s = ask_open_session();
	(void)state;
	for (int of = MER_LANES_CPUS; of <= MER_LANES_TASKS; of++) {
		const char *wget[] = { "wget", "python3" };
		struct mer_selection sel = {
			.size = sizeof(sel), .comms = wget, .n_comms = of == MER_LANES_TASKS ? 2 : 0
		};
		struct mer_result *all = lanes(s, &sel, (enum mer_lanes)of, 0);
		for (uint32_t n = 1; n < 5000; n = n * 7 + 1) {
			struct mer_result *r = lanes(s, &sel, (enum mer_lanes)of, n);
			memset(&exact, 0, sizeof(exact));
			memset(&bins, 0, sizeof(bins));
			/* Bins of everything have everything. */
			memcpy(bins.states, exact.states, sizeof(bins.states));
			sum_up(&exact, all, INT64_MIN, INT64_MAX);
			memcpy(bins.states, exact.states, sizeof(bins.states));
			sum_up(&bins, r, INT64_MIN, INT64_MAX);
			assert_memory_equal(exact.ns, bins.ns, sizeof(exact.ns));
			assert_true(n > 100 || mer_result_n_rows(r) <= n * STATES * LANES);
			mer_result_free(r);
		}
		mer_result_free(all);
	}
	mer_session_free(s);
}

static void check_same(const struct mer_result *a, const struct mer_result *b)
{
	struct mer_str x = { 0 }, y = { 0 };
	for (size_t i = 0; i < mer_result_n_rows(a); i++)
		put(&x, a, i);
	for (size_t i = 0; i < mer_result_n_rows(b); i++)
		put(&y, b, i);
	assert_true(x.len > 0);
	assert_string_equal(x.data, y.data);
	mer_str_fini(&x);
	mer_str_fini(&y);
}

/* The same of a store, and of a window that is read alone. */
static void from_anywhere(void **state)
{
	static const char *const moments[][2] = { { NULL, NULL }, { "+1s", "+1.01s" },
		{ "+1.2s", "+2s" } };
	char dir[] = "/tmp/test_api.XXXXXX", command[100];
	struct mer_session_options o = MER_OPTIONS(struct mer_session_options);
	struct mer_session *s[3] = { ask_open_session() };
	struct mer_result *first;
	(void)state;
	assert_non_null(mkdtemp(dir));
	o.cache_folder = dir;
	for (int i = 1; i < 3; i++) {
		o.store = i == 2;
		s[i] = ask_new_session(&o);
		OK(mer_session_open(s[i], &err));
	}
	/* This leaves the states from which windows are read. */
	OK(mer_session_tasks(s[1], NULL, &first, &err));
	mer_result_free(first);
	mer_session_free(s[1]);
	o.store = false;
	o.no_store = true;
	for (size_t i = 0; i < 3; i++)
		for (int of = MER_LANES_CPUS; of <= MER_LANES_TASKS; of++)
			for (uint32_t n = 0; n < 2000; n = n ? n * 40 : 20) {
				struct mer_selection sel = { .size = sizeof(sel),
					.begin = moments[i][0],
					.end = moments[i][1] };
				enum mer_lanes kind = (enum mer_lanes)of;
				s[1] = ask_new_session(&o);
				OK(mer_session_open(s[1], &err));
				struct mer_result *a = lanes(s[0], &sel, kind, n),
						  *b = lanes(s[1], &sel, kind, n),
						  *c = lanes(s[2], &sel, kind, n);
				check_same(a, b);
				check_same(a, c);
				if (!n) {
					ask_same_rows(a, b);
					ask_same_rows(a, c);
				}
				mer_result_free(a);
				mer_result_free(b);
				mer_result_free(c);
				mer_session_free(s[1]);
			}
	mer_session_free(s[0]);
	mer_session_free(s[2]);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
}

static struct mer_result *counts(struct mer_session *s, const struct mer_selection *sel,
	const char *kinds, uint32_t max_bins)
{
	struct mer_count_options o = {
		.size = sizeof(o), .selection = sel, .kinds = kinds, .max_bins = max_bins
	};
	struct mer_result *r;
	OK(mer_session_counts(s, &o, &r, &err));
	return r;
}

static int64_t sum_of(const struct mer_result *r, const char *key)
{
	int64_t sum = 0;
	for (size_t i = 0; i < mer_result_n_rows(r); i++)
		sum += ask_int(r, i, key);
	return sum;
}

/* However many bins there are, they have all system calls, once; bytes of packets are those of the
 * table; a host alone has its own. */
static void counts_are_complete(void **state)
{
	static const uint32_t bins[] = { 1, 7, 500, 65536 };
	const char *hosts[] = { "client" };
	struct mer_selection sel = { .size = sizeof(sel), .hosts = hosts, .n_hosts = 1 };
	struct mer_session *s = ask_open_session();
	struct mer_result *table, *faults;
	(void)state;
	OK(mer_session_table(s, "net", "log", NULL, &table, &err));
	OK(mer_session_table(s, "faults", "log", NULL, &faults, &err));
	for (size_t i = 0; i < 4; i++) {
		struct mer_result *r = counts(s, NULL, "packet", bins[i]),
				  *f = counts(s, NULL, "fault", bins[i]),
				  *own = counts(s, &sel, "packet", bins[i]);
		assert_int_equal(sum_of(r, "count"), mer_result_n_rows(table));
		assert_int_equal(sum_of(f, "count"), mer_result_n_rows(faults));
		assert_true(sum_of(r, "bytes") > 0);
		int64_t n = 0;
		for (size_t k = 0; k < mer_result_n_rows(r); k++) {
			int64_t begin = ask_int(r, k, "begin"), end = ask_int(r, k, "end");
			assert_true(end > begin && ((end - begin) & (end - begin - 1)) == 0);
			assert_int_equal(begin % (end - begin), 0);
			assert_true(ask_int(r, k, "count") > 0);
			if (strcmp(ask_text_of(r, k, "host"), "client") == 0)
				n += ask_int(r, k, "count");
		}
		assert_int_equal(sum_of(own, "count"), n);
		mer_result_free(r);
		mer_result_free(f);
		mer_result_free(own);
	}
	mer_result_free(table);
	mer_result_free(faults);
	mer_session_free(s);
}

static void mistakes_with_counts(void **state)
{
	struct mer_count_options o = {
		.size = sizeof(o), .max_bins = 10, .kinds = "packet nothing"
	};
	struct mer_session *s = ask_open_session();
	struct mer_result *r;
	(void)state;
	FAILS(mer_session_counts(s, &o, &r, &err), MER_ERR_USAGE);
	o.kinds = "packet packet";
	FAILS(mer_session_counts(s, &o, &r, &err), MER_ERR_USAGE);
	o.kinds = "packet fault";
	for (o.max_bins = 0; o.max_bins <= 65537; o.max_bins += 65537)
		FAILS(mer_session_counts(s, &o, &r, &err), MER_ERR_USAGE);
	mer_session_free(s);
}

static void mistakes(void **state)
{
	struct mer_lane_options o = MER_OPTIONS(struct mer_lane_options);
	struct mer_session *s = ask_open_session();
	struct mer_result *r;
	(void)state;
	o.lanes = 2;
	FAILS(mer_session_lanes(s, &o, &r, &err), MER_ERR_USAGE);
	o.lanes = MER_LANES_TASKS;
	o.max_bins = (1 << 20) + 1;
	FAILS(mer_session_lanes(s, &o, &r, &err), MER_ERR_USAGE);
	assert_null(r);
	mer_session_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_after_the_other),
		cmocka_unit_test(one_name),
		cmocka_unit_test(as_in_tables),
		cmocka_unit_test(bins_are_sums),
		cmocka_unit_test(from_anywhere),
		cmocka_unit_test(counts_are_complete),
		cmocka_unit_test(mistakes_with_counts),
		cmocka_unit_test(mistakes),
	};
	return cmocka_run_group_tests_name("lanes", tests, ask_find_recording, NULL);
}
