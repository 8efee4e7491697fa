/* The library's sessions: options of any version, mistakes, and answers that agree with each
 * other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "ask.h"

/* ---- Options ---- */

static void options_of_other_versions(void **state)
{
	const char *paths[] = { ask_path };
	struct {
		struct mer_session_options o;
		uint64_t later;
	} newer = { .o.size = sizeof(newer) };
	/* The first version may have ended after the threads. What follows is not looked at. */
	struct mer_session_options older = { .size = offsetof(
						     struct mer_session_options, clocks_file),
		.clocks_file = "not read",
		.store = true };
	struct mer_session *s;
	(void)state;
	OK(mer_session_new(paths, 1, &newer.o, &s, &err));
	mer_session_free(s);
	OK(mer_session_new(paths, 1, &older, &s, &err));
	mer_session_free(s);
	newer.later = 1;
	FAILS(mer_session_new(paths, 1, &newer.o, &s, &err), MER_ERR_USAGE);
	assert_null(s);
	struct mer_session_options forgotten = { 0 };
	FAILS(mer_session_new(paths, 1, &forgotten, &s, &err), MER_ERR_USAGE);
}

/* The same of those that questions have: of a program that knows only the size, and of a later
 * one. */
static void questions_of_other_versions(void **state)
{
	struct mer_session *s = ask_open_session();
	struct mer_result *r;
	size_t only_size = sizeof(only_size);
	union {
		size_t size;
		char bytes[1000];
	} later = { 0 };
	const struct {
		size_t size;
		int kind;
	} list[] = { { sizeof(struct mer_selection), 0 }, { sizeof(struct mer_table_options), 1 },
		{ sizeof(struct mer_path_options), 2 }, { sizeof(struct mer_lane_options), 3 },
		{ sizeof(struct mer_blocked_options), 4 }, { sizeof(struct mer_task_options), 5 } };
	const char *task_table = "residual";
	(void)state;
	for (size_t i = 0; i < sizeof(list) / sizeof(*list); i++) {
		for (int version = 0; version < 3; version++) {
			const void *o = version ? (const void *)&later : &only_size;
			int rc;
			memset(&later, 0, sizeof(later));
			later.size = sizeof(later);
			later.bytes[list[i].size] = version == 2; /* an option of a later version */
			memset(&err, 0, sizeof(err));
			rc = list[i].kind == 0	 ? mer_session_tasks(s, o, &r, &err)
			     : list[i].kind == 1 ? mer_session_table(s, "cpu", "top", o, &r, &err)
			     : list[i].kind == 2 ? mer_session_path(s, o, &r, &err)
			     : list[i].kind == 3 ? mer_session_lanes(s, o, &r, &err)
			     : list[i].kind == 4 ? mer_session_blocked(s, o, &r, &err)
						 : mer_session_task(s, &task_table, 1, o, &r, &err);
			assert_int_equal(rc, version == 2 ? MER_ERR_USAGE : 0);
			assert_int_equal(err.code, rc);
			mer_result_free(r);
		}
	}
	mer_session_free(s);
}

/* In the options of meridian.h the size may be forgotten. */
static void events_of_other_versions(void **state)
{
	const char *paths[] = { ask_path };
	struct {
		union {
			size_t size;
			struct mer_open_options open;
			struct mer_sync_options sync;
			struct mer_read_options read;
		} o;
		uint64_t later;
	} x;
	struct mer_experiment *e;
	struct mer_cursor *c;
	(void)state;
	for (int version = 0; version < 3; version++) {
		memset(&x, 0, sizeof(x));
		x.o.size = version == 0 ? 0 : sizeof(x);
		x.later = version == 2;
		if (version == 2) {
			FAILS(mer_experiment_open(paths, 1, &x.o.open, &e, &err), MER_ERR_USAGE);
			OK(mer_experiment_open(paths, 1, NULL, &e, &err));
			FAILS(mer_synchronize(e, &x.o.sync, &err), MER_ERR_USAGE);
			FAILS(mer_cursor_open(e, &x.o.read, &c, &err), MER_ERR_USAGE);
		} else {
			OK(mer_experiment_open(paths, 1, &x.o.open, &e, &err));
			OK(mer_synchronize(e, &x.o.sync, &err));
			OK(mer_cursor_open(e, &x.o.read, &c, &err));
			mer_cursor_free(c);
		}
		assert_true(mer_n_hosts(e) == 2 && mer_host_at(e, 1) && !mer_host_at(e, 2));
		assert_null(mer_trace_at(e, mer_n_traces(e)));
		assert_null(mer_stream_at(e, mer_n_streams(e)));
		assert_null(mer_loss_at(e, mer_n_losses(e)));
		assert_null(mer_diagnostic_at(e, mer_n_diagnostics(e)));
		mer_experiment_free(e);
	}
}

static void mistakes(void **state)
{
	const char *paths[] = { ask_path }, *nobody[] = { "nobody" }, *wget[] = { "wget" };
	struct mer_session_options o = MER_OPTIONS(struct mer_session_options);
	struct mer_selection sel = MER_OPTIONS(struct mer_selection);
	struct mer_table_options t = MER_OPTIONS(struct mer_table_options);
	struct mer_path_options p = MER_OPTIONS(struct mer_path_options);
	struct mer_result *r;
	struct mer_session *s;
	int64_t offset;
	(void)state;
	FAILS(mer_session_new(paths, 0, NULL, &s, &err), MER_ERR_USAGE);
	o.clocks = MER_CLOCKS_SAVED;
	FAILS(mer_session_new(paths, 1, &o, &s, &err), MER_ERR_USAGE);
	o.clocks = 77;
	FAILS(mer_session_new(paths, 1, &o, &s, &err), MER_ERR_USAGE);
	o.clocks = MER_CLOCKS_RECORDED;
	o.vms = nobody;
	o.n_vms = 1;
	FAILS(mer_session_new(paths, 1, &o, &s, &err), MER_ERR_USAGE);
	o.clocks = MER_CLOCKS_AUTO;
	OK(mer_session_new(paths, 1, &o, &s, &err));
	OK(mer_session_open(s, &err));
	FAILS(mer_session_synchronize(s, &err), MER_ERR_USAGE);
	mer_session_free(s);
	o.n_vms = 0;
	o.store = true;
	FAILS(mer_session_new(paths, 1, &o, &s, &err), MER_ERR_USAGE);
	s = ask_new_session(NULL);
	FAILS(mer_session_table(s, "cpu", "top", NULL, &r, &err), MER_ERR_USAGE);
	assert_null(r);
	FAILS(mer_session_synchronize(s, &err), MER_ERR_USAGE);
	OK(mer_session_open(s, &err));
	FAILS(mer_session_open(s, &err), MER_ERR_USAGE);
	FAILS(mer_session_table(s, "cpux", "top", NULL, &r, &err), MER_ERR_USAGE);
	FAILS(mer_session_table(s, "cpu", "topx", NULL, &r, &err), MER_ERR_USAGE);
	t.filter = "((";
	FAILS(mer_session_table(s, "syscall", "top", &t, &r, &err), MER_ERR_USAGE);
	t.filter = NULL;
	t.group_by = "no_such_key";
	FAILS(mer_session_table(s, "syscall", "stats", &t, &r, &err), MER_ERR_USAGE);
	t.group_by = "host";
	FAILS(mer_session_table(s, "syscall", "top", &t, &r, &err), MER_ERR_USAGE);
	t.group_by = NULL;
	t.n_bins = 3;
	FAILS(mer_session_table(s, "cpu", "top", &t, &r, &err), MER_ERR_USAGE);
	t.n_bins = 0;
	sel.hosts = nobody;
	sel.n_hosts = 1;
	t.selection = &sel;
	FAILS(mer_session_table(s, "cpu", "top", &t, &r, &err), MER_ERR_USAGE);
	assert_int_equal(err.remedy, MER_REMEDY_HOSTS);
	sel.n_hosts = 0;
	sel.begin = "yesterday";
	FAILS(mer_session_table(s, "cpu", "top", &t, &r, &err), MER_ERR_USAGE);
	assert_int_equal(err.remedy, MER_REMEDY_BEGIN);
	sel.begin = NULL;
	sel.comms = wget;
	sel.n_comms = 1;
	p.selection = &sel;
	p.nth = 100;
	FAILS(mer_session_path(s, &p, &r, &err), MER_ERR_USAGE);
	t.selection = NULL;
	t.sort = "no_such_column";
	FAILS(mer_session_table(s, "cpu", "top", &t, &r, &err), MER_ERR_USAGE);
	t.sort = NULL;
	t.min_bytes = 1;
	FAILS(mer_session_table(s, "cpu", "top", &t, &r, &err), MER_ERR_USAGE);
	t.max_bytes = 1;
	t.min_bytes = 2;
	FAILS(mer_session_table(s, "io", "log", &t, &r, &err), MER_ERR_USAGE);
	t.min_bytes = t.max_bytes = 0;
	t.period_min_ns = 1;
	FAILS(mer_session_table(s, "cpu", "top", &t, &r, &err), MER_ERR_USAGE);
	t.period_min_ns = 0;
	FAILS(mer_session_table(s, "period", "log", &t, &r, &err), MER_ERR_USAGE);
	assert_int_equal(err.remedy, MER_REMEDY_PERIOD_NEEDED);
	t.period = "no_such_event : neither";
	FAILS(mer_session_table(s, "period", "log", &t, &r, &err), MER_ERR_USAGE);
	t.period = NULL;
	FAILS(mer_session_tables(s, "cpu", NULL, 0, &t, NULL, &err), MER_ERR_USAGE);
	FAILS(mer_session_offset(s, "nobody", 0, &offset, NULL, &err), MER_ERR_USAGE);
	FAILS(mer_session_messages(s, "client", "nobody", 0, 0, &r, &err), MER_ERR_USAGE);
	assert_int_equal(mer_session_table(s, "cpu", "topx", NULL, &r, NULL), MER_ERR_USAGE);
	assert_null(r);
	mer_session_free(s);
	mer_session_free(NULL);
	mer_result_free(NULL);
}

/* ---- Results ---- */

static void cells_one_by_one_and_together(void **state)
{
	struct mer_session *s = ask_open_session();
	struct mer_table_options o = MER_OPTIONS(struct mer_table_options);
	struct mer_result *r;
	int64_t ints[5], v;
	double reals[5];
	const char *texts[5];
	bool known[5];
	(void)state;
	o.limit = 4;
	OK(mer_session_table(s, "cpu", "top", &o, &r, &err));
	assert_int_equal(mer_result_n_rows(r), 4);
	assert_true(mer_result_n_left_out(r) > 0);
	size_t total = mer_result_column(r, "self_ns"), comm = mer_result_column(r, "comm");
	size_t percent = mer_result_column(r, "percent"), n = mer_result_n_columns(r);
	assert_true(total < n && comm < n && percent < n);
	assert_string_equal(mer_result_type(r, total), "duration");
	assert_string_equal(mer_result_unit(r, total), "ns");
	assert_string_equal(mer_result_unit(r, percent), "percent");
	assert_int_equal(mer_result_ints(r, total, 1, 5, ints, known), 3);
	for (size_t i = 0; i < 3; i++) {
		assert_true(known[i] && mer_result_int(r, 1 + i, total, &v) && v == ints[i]);
		assert_true(i == 0 || ints[i - 1] >= ints[i]);
	}
	assert_int_equal(mer_result_texts(r, comm, 0, 5, texts, NULL), 4);
	assert_string_equal(texts[0], ask_text_of(r, 0, "comm"));
	assert_int_equal(mer_result_reals(r, percent, 0, 2, reals, known), 2);
	assert_true(known[0] && reals[0] > 1 && reals[0] <= 100);
	/* What is not there. */
	assert_int_equal(mer_result_column(r, "nothing"), n);
	assert_null(mer_result_key(r, n));
	assert_null(mer_result_unit(r, n));
	assert_false(mer_result_int(r, 4, total, &v));
	assert_false(mer_result_int(r, 0, n, &v));
	assert_false(mer_result_int(r, 0, comm, &v));
	assert_int_equal(mer_result_ints(r, comm, 0, 5, ints, known), 0);
	assert_int_equal(mer_result_ints(r, total, 4, 5, ints, known), 0);
	mer_result_free(r);
	mer_session_free(s);
}

static void what_is_selected(void **state)
{
	struct mer_session *s = ask_open_session();
	const char *client[] = { "client" };
	struct mer_selection sel = MER_OPTIONS(struct mer_selection);
	struct mer_table_options o = MER_OPTIONS(struct mer_table_options);
	struct mer_result *all, *some;
	(void)state;
	o.selection = &sel;
	sel.hosts = client;
	sel.n_hosts = 1;
	OK(mer_session_table(s, "cpu", "top", NULL, &all, &err));
	OK(mer_session_table(s, "cpu", "top", &o, &some, &err));
	assert_true(mer_result_n_rows(some) && mer_result_n_rows(some) < mer_result_n_rows(all));
	for (size_t i = 0; i < mer_result_n_rows(some); i++)
		assert_string_equal(ask_text_of(some, i, "host"), "client");
	mer_result_free(some);
	/* One task, by its number, in a part of the time. */
	uint32_t tid = (uint32_t)ask_int(all, 0, "tid");
	sel.n_hosts = 0;
	sel.tids = &tid;
	sel.n_tids = 1;
	OK(mer_session_table(s, "cpu", "top", &o, &some, &err));
	int64_t whole = ask_int(some, 0, "self_ns");
	assert_int_equal(ask_int(some, 0, "tid"), tid);
	mer_result_free(some);
	sel.end = "+1s";
	OK(mer_session_table(s, "cpu", "top", &o, &some, &err));
	for (size_t i = 0; i < mer_result_n_rows(some); i++)
		assert_true(ask_int(some, i, "tid") == tid && ask_int(some, i, "self_ns") <= whole);
	mer_result_free(some);
	mer_result_free(all);
	mer_session_free(s);
}

static void groups_and_filters(void **state)
{
	struct mer_session *s = ask_open_session();
	struct mer_table_options o = MER_OPTIONS(struct mer_table_options);
	struct mer_result *r;
	(void)state;
	o.group_by = "host";
	o.filter = "name == \"read\"";
	OK(mer_session_table(s, "syscall", "stats", &o, &r, &err));
	assert_int_equal(mer_result_n_rows(r), 2);
	assert_string_equal(mer_result_key(r, 0), "host");
	mer_result_free(r);
	mer_session_free(s);
}

/* ---- Tasks, paths, clocks ---- */

static void paths_have_no_gaps(void **state)
{
	struct mer_session *s = ask_open_session();
	const char *wget[] = { "wget" };
	struct mer_selection sel = MER_OPTIONS(struct mer_selection);
	struct mer_path_options o = MER_OPTIONS(struct mer_path_options);
	struct mer_result *tasks, *p;
	(void)state;
	sel.comms = wget;
	sel.n_comms = 1;
	o.selection = &sel;
	OK(mer_session_tasks(s, &sel, &tasks, &err));
	size_t n = mer_result_n_rows(tasks);
	assert_true(n >= 2);
	for (size_t k = 0; k < n; k++) {
		bool elsewhere = false;
		o.nth = k + 1;
		OK(mer_session_path(s, &o, &p, &err));
		size_t n_segments = mer_result_n_rows(p);
		assert_true(n_segments > 10);
		assert_int_equal(ask_int(p, 0, "begin"), ask_int(tasks, k, "begin"));
		assert_int_equal(ask_int(p, n_segments - 1, "end"), ask_int(tasks, k, "end"));
		for (size_t i = 0; i < n_segments; i++) {
			assert_true(i == 0 || ask_int(p, i, "begin") == ask_int(p, i - 1, "end"));
			assert_int_equal(ask_int(p, i, "duration_ns"),
				ask_int(p, i, "end") - ask_int(p, i, "begin"));
			elsewhere |= strcmp(ask_text_of(p, i, "host"),
					     ask_text_of(tasks, k, "host")) != 0;
		}
		assert_true(elsewhere);
		mer_result_free(p);
	}
	mer_result_free(tasks);
	mer_session_free(s);
}

static void clocks_and_messages(void **state)
{
	struct mer_session *s = ask_open_session();
	struct mer_result *hosts, *clocks, *m;
	int n_references = 0;
	(void)state;
	OK(mer_session_hosts(s, &hosts, &err)); /* by their own clocks */
	OK(mer_session_clocks(s, &clocks, &err));
	assert_null(mer_session_clocks_error(s));
	assert_int_equal(mer_result_n_rows(clocks), 2);
	for (size_t i = 0; i < 2; i++) {
		int64_t begin = ask_int(hosts, i, "begin"), offset, bound;
		const char *host = ask_text_of(clocks, i, "host");
		OK(mer_session_offset(s, host, begin, &offset, &bound, &err));
		assert_int_equal(offset, ask_int(clocks, i, "offset_ns"));
		if (strcmp(host, ask_text_of(clocks, i, "reference")) == 0) {
			assert_true(offset == 0 && bound == 0);
			n_references++;
		} else {
			assert_true(bound > 0 && bound < 1000000000);
		}
	}
	assert_int_equal(n_references, 1);
	OK(mer_session_messages(s, "client", "server", 0, 5, &m, &err));
	assert_int_equal(mer_result_n_rows(m), 5);
	assert_true(mer_result_n_left_out(m) > 0);
	/* Aligned, all of them arrive after they were sent. */
	for (size_t i = 0; i < 5; i++) {
		int64_t from, to, sent = ask_int(m, i, "sent"),
				  received = ask_int(m, i, "received");
		OK(mer_session_offset(s, "client", sent, &from, NULL, &err));
		OK(mer_session_offset(s, "server", received, &to, NULL, &err));
		assert_true(received + to >= sent + from);
		assert_string_equal(ask_text_of(m, i, "kind"), "tcp");
	}
	/* In parts they are the same as together. */
	struct mer_result *part;
	OK(mer_session_messages(s, "client", "server", 3, 1, &part, &err));
	assert_int_equal(mer_result_n_rows(part), 1);
	assert_int_equal(ask_int(part, 0, "sent"), ask_int(m, 3, "sent"));
	assert_int_equal(mer_result_n_left_out(part), mer_result_n_left_out(m) + 1);
	mer_result_free(part);
	OK(mer_session_messages(s, "client", "server", UINT64_MAX, 0, &part, &err));
	assert_int_equal(mer_result_n_rows(part), 0);
	mer_result_free(part);
	mer_result_free(m);
	mer_result_free(clocks);
	mer_result_free(hosts);
	mer_session_free(s);
}

/* Of one host nothing can be compared, and nothing has to be; recorded clocks promise nothing. */
static void clocks_as_recorded(void **state)
{
	struct mer_session_options o = MER_OPTIONS(struct mer_session_options);
	struct mer_result *clocks;
	int64_t offset = 1, bound = 1;
	(void)state;
	o.clocks = MER_CLOCKS_RECORDED;
	struct mer_session *s = ask_new_session(&o);
	OK(mer_session_open(s, NULL));
	OK(mer_session_clocks(s, &clocks, NULL));
	assert_int_equal(mer_result_n_rows(clocks), 0);
	assert_null(mer_session_clocks_error(s));
	OK(mer_session_offset(s, "client", 5, &offset, &bound, NULL));
	assert_true(offset == 0 && bound == INT64_MAX);
	mer_result_free(clocks);
	mer_session_free(s);
	char client[sizeof(ask_path) + 10];
	const char *paths[] = { client };
	snprintf(client, sizeof(client), "%s/client", ask_path);
	OK(mer_session_new(paths, 1, NULL, &s, &err));
	OK(mer_session_open(s, &err));
	OK(mer_session_offset(s, "client", 5, &offset, &bound, &err));
	assert_true(offset == 0 && bound == 0);
	mer_session_free(s);
}

static void what_can_be_analysed(void **state)
{
	struct mer_session *s = ask_open_session();
	struct mer_result *r, *tables;
	bool found = false, any = false;
	(void)state;
	OK(mer_session_capabilities(s, &r, &err));
	for (size_t i = 0; i < mer_result_n_rows(r); i++) {
		bool yes = strcmp(ask_text_of(r, i, "possible"), "yes") == 0;
		assert_true(yes == (*ask_text_of(r, i, "missing") == '\0'));
		found |= yes && strcmp(ask_text_of(r, i, "ids"), "cpu") == 0;
	}
	assert_true(found);
	mer_result_free(r);
	OK(mer_session_diagnostics(s, &r, &err));
	for (size_t i = 0; i < mer_result_n_rows(r); i++)
		assert_true(*ask_text_of(r, i, "code") && *ask_text_of(r, i, "message"));
	mer_result_free(r);
	/* All tables that there are said to be can be had. */
	OK(mer_session_catalog(s, &tables, &err));
	for (size_t i = 0; i < mer_result_n_rows(tables); i++) {
		if (strcmp(ask_text_of(tables, i, "table"), "stats") != 0 ||
			ask_int(tables, i, "periods") || ask_int(tables, i, "views"))
			continue;
		OK(mer_session_table(s, ask_text_of(tables, i, "analysis"),
			ask_text_of(tables, i, "table"), NULL, &r, &err));
		any |= mer_result_n_rows(r) > 0;
		assert_string_equal(mer_result_id(r), "stats");
		mer_result_free(r);
	}
	assert_true(any);
	mer_result_free(tables);
	mer_session_free(s);
}

/* Each table of a call is that of a call of its own, and a whole one keeps its rows. */
static void several_tables(void **state)
{
	const char *ids[] = { "top", "cpus", "top" };
	struct mer_table_options o = MER_OPTIONS(struct mer_table_options);
	struct mer_result *r[3], *one;
	struct mer_session *s = ask_open_session();
	int64_t begin, end;
	(void)state;
	o.sort = "+tid";
	o.limit = 3;
	o.n_whole = 1;
	OK(mer_session_tables(s, "cpu", ids, 3, &o, r, &err));
	assert_int_equal(mer_result_n_rows(r[0]), 3);
	assert_string_equal(mer_result_sorted(r[0]), "tid");
	for (size_t i = 1; i < 3; i++)
		assert_true(ask_int(r[0], i - 1, "tid") <= ask_int(r[0], i, "tid"));
	assert_int_equal(
		mer_result_n_rows(r[0]) + mer_result_n_left_out(r[0]), mer_result_n_rows(r[2]));
	assert_string_equal(mer_result_id(r[1]), "cpus");
	assert_null(mer_result_sorted(r[1]));
	OK(mer_session_table(s, "cpu", "top", NULL, &one, &err));
	assert_true(mer_result_window(one, &begin, &end) && begin < end);
	mer_result_free(r[0]);
	mer_result_free(r[1]);
	ask_same_rows(r[2], one); /* it lives on without the others */
	mer_result_free(r[2]);
	mer_result_free(one);
	/* Rows of the tracer are gone; and of the order the opposite. */
	o = (struct mer_table_options){ .size = sizeof(o), .leave_out = true, .reverse = true };
	OK(mer_session_table(s, "cpu", "top", &o, &r[0], &err));
	o.reverse = false;
	OK(mer_session_table(s, "cpu", "top", &o, &r[1], &err));
	OK(mer_session_table(s, "cpu", "top", NULL, &r[2], &err));
	size_t n = mer_result_n_rows(r[0]);
	assert_true(n < mer_result_n_rows(r[2]));
	for (size_t i = 0; i < n; i++)
		assert_true(strncmp(ask_text_of(r[0], i, "comm"), "lttng", 5) != 0);
	assert_int_equal(ask_int(r[0], 0, "self_ns"), ask_int(r[1], n - 1, "self_ns"));
	for (size_t i = 0; i < 3; i++)
		mer_result_free(r[i]);
	mer_session_free(s);
}

/* Periods divide the time: what is in them is part of all, and their table has their durations. */
/* Those of the summary are tables like others; hosts and times alone select what is in them. */
static void summary_tables(void **state)
{
	const char *ids[] = { "cpus", "findings", "hosts" };
	const uint32_t cpu = 0;
	struct mer_selection selection = MER_OPTIONS(struct mer_selection);
	struct mer_table_options o = MER_OPTIONS(struct mer_table_options);
	struct mer_session *s = ask_open_session();
	struct mer_result *r[3], *cpus;
	int64_t begin, end, value;
	(void)state;
	OK(mer_session_tables(s, "summary", ids, 3, &o, r, &err));
	assert_true(mer_result_window(r[0], &begin, &end) && begin < end);
	OK(mer_session_table(s, "cpu", "cpus", NULL, &cpus, &err));
	assert_int_equal(mer_result_n_rows(r[0]), mer_result_n_rows(cpus));
	assert_true(mer_result_n_rows(r[1]) > 0);
	assert_true(*ask_text_of(r[1], 0, "rule") && !*ask_text_of(r[1], 0, "next"));
	assert_int_equal(mer_result_n_rows(r[2]), 2);
	mer_result_free(cpus);
	mer_result_free(r[0]);
	mer_result_free(r[2]);
	mer_result_free(r[1]);
	o.sort = "+cpu_percent";
	o.limit = 1;
	OK(mer_session_table(s, "summary", "cpus", &o, &r[0], &err));
	assert_int_equal(mer_result_n_rows(r[0]), 1);
	assert_true(mer_result_n_left_out(r[0]) > 0);
	assert_string_equal(mer_result_sorted(r[0]), "cpu_percent");
	mer_result_free(r[0]);
	/* Joins and waits for children are added. */
	o = (struct mer_table_options){ .size = sizeof(o), .all = true };
	OK(mer_session_table(s, "summary", "waits", &o, &r[0], &err));
	o.all = false;
	OK(mer_session_table(s, "summary", "waits", &o, &r[1], &err));
	for (int i = 0; i < 2; i++) {
		size_t column = mer_result_column(r[i], "total_ns");
		int64_t sum = 0;
		for (size_t k = 0; k < mer_result_n_rows(r[i]); k++)
			sum += mer_result_int(r[i], k, column, &value) ? value : 0;
		assert_true(i == 0 || sum <= begin);
		begin = sum;
		mer_result_free(r[i]);
	}
	o.selection = &selection;
	selection.hosts = (const char *const[]){ "client" };
	selection.n_hosts = 1;
	OK(mer_session_table(s, "summary", "hosts", &o, &r[0], &err));
	assert_int_equal(mer_result_n_rows(r[0]), 1);
	mer_result_free(r[0]);
	selection.cpus = &cpu;
	selection.n_cpus = 1;
	FAILS(mer_session_table(s, "summary", "hosts", &o, &r[0], &err), MER_ERR_USAGE);
	selection.n_cpus = 0;
	FAILS(mer_session_table(s, "summary", "host", &o, &r[0], &err), MER_ERR_USAGE);
	FAILS(mer_session_tables(s, "summary", NULL, 0, &o, NULL, &err), MER_ERR_USAGE);
	o.n_bins = 3;
	FAILS(mer_session_table(s, "summary", "hosts", &o, &r[0], &err), MER_ERR_USAGE);
	o.n_bins = 0;
	o.sort = "no_such_column";
	FAILS(mer_session_table(s, "summary", "hosts", &o, &r[0], &err), MER_ERR_USAGE);
	o.sort = NULL;
	o.all = true;
	FAILS(mer_session_table(s, "cpu", "hosts", &o, &r[0], &err), MER_ERR_USAGE);
	mer_session_free(s);
}

static void periods(void **state)
{
	static const char *const by[] = { "tid" };
	struct mer_table_options o = MER_OPTIONS(struct mer_table_options);
	struct mer_result *log, *all, *in;
	struct mer_session *s = ask_open_session();
	int64_t sum_all = 0, sum_in = 0;
	(void)state;
	OK(mer_session_table(s, "syscall", "stats", &o, &all, &err));
	o.period = "syscall_entry_read : syscall_exit_read";
	o.period_by = by;
	o.n_period_by = 1;
	OK(mer_session_table(s, "period", "log", &o, &log, &err));
	size_t n = mer_result_n_rows(log);
	assert_true(n > 1);
	OK(mer_session_table(s, "syscall", "stats", &o, &in, &err));
	for (size_t i = 0; i < mer_result_n_rows(all); i++)
		sum_all += ask_int(all, i, "count");
	for (size_t i = 0; i < mer_result_n_rows(in); i++)
		sum_in += ask_int(in, i, "count");
	assert_true(sum_in > 0 && sum_in < sum_all);
	mer_result_free(in);
	mer_result_free(log);
	o.period_min_ns = 1000000000000;
	FAILS(mer_session_table(s, "period", "log", &o, &log, &err), MER_ERR_USAGE);
	assert_int_equal(err.remedy, MER_REMEDY_PERIOD_LIMITS);
	mer_result_free(all);
	mer_session_free(s);
}

/* A range selects what its numbers select. */
static void ranges(void **state)
{
	static const uint64_t range[] = { 0, 0 }, empty[] = { 4000000, UINT64_MAX };
	static const uint32_t numbers[] = { 0 };
	struct mer_selection sel = MER_OPTIONS(struct mer_selection);
	struct mer_table_options o = MER_OPTIONS(struct mer_table_options);
	struct mer_result *a, *b;
	struct mer_session *s = ask_open_session();
	(void)state;
	o.selection = &sel;
	sel.cpus = numbers;
	sel.n_cpus = 1;
	OK(mer_session_table(s, "cpu", "cpus", &o, &a, &err));
	sel.n_cpus = 0;
	sel.cpu_ranges = range;
	sel.n_cpu_ranges = 1;
	OK(mer_session_table(s, "cpu", "cpus", &o, &b, &err));
	ask_same_rows(a, b);
	mer_result_free(a);
	mer_result_free(b);
	sel.tid_ranges = empty;
	sel.n_tid_ranges = 1;
	OK(mer_session_table(s, "cpu", "top", &o, &a, &err));
	assert_int_equal(mer_result_n_rows(a), 0);
	mer_result_free(a);
	mer_session_free(s);
}

/* ---- Kept between sessions ---- */

/* The first path of everything leaves states in the cache; from then on only windows are read. */
static void windows_are_as_the_whole(void **state)
{
	static const char *const moments[][2] = { { "+0s", "+1s" }, { "+1s", "+1.2s" },
		{ "+2s", NULL } };
	char dir[] = "/tmp/test_api.XXXXXX", command[100];
	const char *wget[] = { "wget" };
	struct mer_session_options o = MER_OPTIONS(struct mer_session_options);
	struct mer_selection sel = MER_OPTIONS(struct mer_selection);
	struct mer_path_options p = MER_OPTIONS(struct mer_path_options);
	struct mer_task_options t = MER_OPTIONS(struct mer_task_options);
	const char *const tables[] = { "accounting", "resources" };
	struct mer_result *whole, *part, *first, *costs[2], *costs_in_part[2];
	size_t n_paths = 0, n_costs = 0;
	(void)state;
	assert_non_null(mkdtemp(dir));
	o.cache_folder = dir;
	p.selection = &sel;
	t.selection = &sel;
	struct mer_session *s = ask_new_session(&o), *with;
	OK(mer_session_open(s, &err));
	OK(mer_session_tasks(s, NULL, &first, &err));
	OK(mer_session_task(s, tables, 2, NULL, costs, &err)); /* which leaves what is kept */
	mer_result_free(costs[0]);
	mer_result_free(costs[1]);
	for (size_t i = 0; i < 3; i++) {
		sel = (struct mer_selection){
			.size = sizeof(sel), .begin = moments[i][0], .end = moments[i][1]
		};
		with = ask_new_session(&o);
		OK(mer_session_open(with, &err));
		OK(mer_session_tasks(s, &sel, &whole, &err));
		OK(mer_session_tasks(with, &sel, &part, &err));
		ask_same_rows(whole, part);
		mer_result_free(whole);
		sel.comms = wget;
		sel.n_comms = 1;
		if (mer_session_path(s, &p, &whole, &err) == 0) {
			struct mer_result *path_in_part;
			OK(mer_session_path(with, &p, &path_in_part, &err));
			ask_same_rows(whole, path_in_part);
			mer_result_free(whole);
			mer_result_free(path_in_part);
			n_paths++;
		}
		if (mer_session_task(s, tables, 2, &t, costs, &err) == 0) {
			OK(mer_session_task(with, tables, 2, &t, costs_in_part, &err));
			for (int k = 0; k < 2; k++) {
				ask_same_rows(costs[k], costs_in_part[k]);
				mer_result_free(costs[k]);
				mer_result_free(costs_in_part[k]);
			}
			n_costs++;
		}
		/* The world that they came from is gone. */
		ask_same_rows(part, part);
		mer_result_free(part);
		mer_session_free(with);
	}
	assert_true(n_paths > 0 && n_costs > 0);
	mer_result_free(first);
	mer_session_free(s);
	snprintf(command, sizeof(command), "ls %s/* >/dev/null && rm -r %s", dir, dir);
	assert_int_equal(system(command), 0);
}

/* Options' texts are copied: what they were read from may go. */
static void answers_of_a_store(void **state)
{
	char dir[] = "/tmp/test_api.XXXXXX", command[100];
	struct mer_session_options o = MER_OPTIONS(struct mer_session_options);
	struct mer_table_options t = MER_OPTIONS(struct mer_table_options);
	struct mer_selection sel = MER_OPTIONS(struct mer_selection);
	struct mer_result *read, *stored;
	struct mer_session *s = ask_open_session();
	(void)state;
	assert_non_null(mkdtemp(dir));
	t.selection = &sel;
	sel.begin = "+1s";
	sel.end = "+2s";
	OK(mer_session_table(s, "syscall", "stats", &t, &read, &err));
	for (int run = 0; run < 2; run++) {
		char *folder = strdup(dir);
		o.store = true;
		o.cache_folder = folder;
		struct mer_session *with = ask_new_session(&o);
		memset(folder, 'x', strlen(folder));
		free(folder);
		OK(mer_session_open(with, &err));
		OK(mer_session_table(with, "syscall", "stats", &t, &stored, &err));
		assert_true(mer_result_n_rows(stored) > 0);
		ask_same_rows(read, stored);
		mer_result_free(stored);
		mer_session_free(with);
	}
	mer_result_free(read);
	mer_session_free(s);
	snprintf(command, sizeof(command), "ls %s/* >/dev/null && rm -r %s", dir, dir);
	assert_int_equal(system(command), 0);
}

/* ---- Progress ---- */

struct waiting {
	struct mer_session *s;
	int n_begun, n_open;
	bool cancels;
};

static void hear(void *data, const char *stage)
{
	struct waiting *w = data;
	uint64_t done, total;
	w->n_open += stage ? 1 : -1;
	w->n_begun += stage != NULL;
	assert_int_equal(w->n_open, stage ? 1 : 0);
	assert_int_equal(mer_session_progress(w->s, &done, &total), stage != NULL);
	assert_true(done <= total && (total > 0) == (stage != NULL));
	if (w->cancels)
		mer_session_cancel(w->s);
}

/* "check" reads the traces as nobody has aligned them: in a session of its own. */
static const char *const check[] = { "check" };

static void progress_and_cancel(void **state)
{
	(void)state;
	for (int cancels = 0; cancels < 2; cancels++) {
		struct waiting w = { .cancels = cancels };
		struct mer_session_options o = MER_OPTIONS(struct mer_session_options);
		struct mer_result *r;
		struct mer_answer *a;
		o.n_threads = 2;
		o.progress = hear;
		o.progress_data = &w;
		w.s = ask_new_session(&o);
		OK(mer_session_open(w.s, &err));
		if (cancels) {
			FAILS(mer_session_tasks(w.s, NULL, &r, &err), MER_ERR_CANCELLED);
			FAILS(mer_session_table(w.s, "cpu", "top", NULL, &r, &err),
				MER_ERR_CANCELLED);
			FAILS(mer_ask(w.s, check, 1, &a, &err), MER_ERR_CANCELLED);
			assert_null(a);
		} else {
			OK(mer_session_tasks(w.s, NULL, &r, &err));
			mer_result_free(r);
			int n_before = w.n_begun;
			OK(mer_ask(w.s, check, 1, &a, &err));
			assert_true(w.n_begun > n_before);
			mer_answer_free(a);
		}
		assert_true(w.n_begun >= 1 && w.n_open == 0);
		mer_session_free(w.s);
	}
}

/* Also what reads nothing ends: a path in a world that is there. */
static void cancelled_without_reading(void **state)
{
	struct mer_session *s = ask_open_session();
	struct mer_result *r;
	struct mer_answer *a;
	(void)state;
	OK(mer_session_path(s, NULL, &r, &err));
	mer_result_free(r);
	OK(mer_ask(s, check, 1, &a, &err));
	mer_answer_free(a);
	mer_session_cancel(s);
	FAILS(mer_ask(s, check, 1, &a, &err), MER_ERR_CANCELLED);
	FAILS(mer_session_path(s, NULL, &r, &err), MER_ERR_CANCELLED);
	assert_null(r);
	mer_session_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_of_other_versions),
		cmocka_unit_test(questions_of_other_versions),
		cmocka_unit_test(events_of_other_versions),
		cmocka_unit_test(mistakes),
		cmocka_unit_test(cells_one_by_one_and_together),
		cmocka_unit_test(what_is_selected),
		cmocka_unit_test(groups_and_filters),
		cmocka_unit_test(paths_have_no_gaps),
		cmocka_unit_test(clocks_and_messages),
		cmocka_unit_test(clocks_as_recorded),
		cmocka_unit_test(what_can_be_analysed),
		cmocka_unit_test(windows_are_as_the_whole),
		cmocka_unit_test(answers_of_a_store),
		cmocka_unit_test(several_tables),
		cmocka_unit_test(summary_tables),
		cmocka_unit_test(periods),
		cmocka_unit_test(ranges),
		cmocka_unit_test(progress_and_cancel),
		cmocka_unit_test(cancelled_without_reading),
	};
	return cmocka_run_group_tests_name("api", tests, ask_find_recording, NULL);
}
