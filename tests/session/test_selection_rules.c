/* Selections, each rule by itself: which hosts, CPUs, tasks and times one means, and what is said
 * of those that are not there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "kernel/host.h"
#include "session/selection.h"

#define S INT64_C(1000000000)

static struct mer_err err;

static struct session_moment moment(const char *text)
{
	struct session_moment m = { 0 };
	if (session_moment_parse(&m, text, &err))
		fail_msg("%s", err.text);
	return m;
}

/* ---- Hosts ---- */

static void ranges(void **state)
{
	(void)state;
	struct session_range items[] = { { .first = 3, .last = 5 }, { .first = 9, .last = 9 } };
	const struct session_ranges r = { items, 2 }, none = { 0 };
	static const uint64_t in[] = { 3, 4, 5, 9 }, out[] = { 0, 2, 6, 8, 10 };
	for (size_t i = 0; i < sizeof(in) / sizeof(*in); i++)
		assert_true(session_ranges_contain(&r, in[i]));
	for (size_t i = 0; i < sizeof(out) / sizeof(*out); i++)
		assert_false(session_ranges_contain(&r, out[i]));
	assert_false(session_ranges_contain(&none, 0));
}

/* Streams 0 and 1 are of trace 0, of host "b"; stream 2 of trace 1, of host "a1". */
static struct mer_host two_hosts[] = { { .name = "a1" }, { .name = "b" } };
static struct mer_trace two_traces[] = { { .host = 1, .begin = 100 * S, .end = 200 * S },
	{ .host = 0, .begin = 10 * S, .end = 20 * S } };
static struct mer_stream three_streams[] = { { .trace = 0, .cpu = 0 }, { .trace = 0, .cpu = 1 },
	{ .trace = 1, .cpu = 4 } };
static const struct mer_experiment two = { .hosts = two_hosts,
	.n_hosts = 2,
	.traces = two_traces,
	.n_traces = 2,
	.streams = three_streams,
	.n_streams = 3,
	.begin = 10 * S,
	.end = 200 * S };

static void hosts(void **state)
{
	(void)state;
	const char *patterns[] = { "x", "a?" };
	const struct session_selection all = { 0 }, some = { .hosts = { patterns, 2 } },
				       first = { .hosts = { patterns, 1 } };
	assert_true(session_selects_host(&all, "b"));
	assert_true(session_selects_host(&some, "a1"));
	assert_false(session_selects_host(&some, "b"));
	assert_false(session_selects_host(&first, "a1"));
	assert_false(session_selects_trace(&some, &two, 0));
	assert_true(session_selects_trace(&some, &two, 1));
	assert_false(session_selects_stream(&some, &two, 1));
	assert_true(session_selects_stream(&some, &two, 2));
}

static void is_wrong(const struct session_selection *s, const struct mer_experiment *e,
	enum mer_remedy remedy, const char *text)
{
	err = (struct mer_err){ 0 };
	assert_int_equal(session_selection_check(s, e, &err), MER_ERR_USAGE);
	assert_int_equal(err.remedy, remedy);
	assert_string_equal(err.text, text);
}

static void hosts_that_are_not_there(void **state)
{
	(void)state;
	const char *patterns[] = { "b", "a?", "c*" };
	struct session_selection s = { .hosts = { patterns, 2 } };
	assert_int_equal(session_selection_check(&s, &two, &err), 0);
	s.hosts.n = 3;
	is_wrong(&s, &two, MER_REMEDY_HOSTS, "the traces have no host 'c*'; they have: a1, b");
	/* As many names as there is room for. */
	static const char name[] = "0123456789012345678901234567890123456789"
				   "012345678901234567890123-this is cut off";
	struct mer_host many[12];
	for (size_t i = 0; i < 12; i++)
		many[i] = (struct mer_host){ .name = name };
	const struct mer_experiment e = { .hosts = many, .n_hosts = 12 };
	patterns[0] = "none";
	s.hosts.n = 1;
	char text[1000] = "the traces have no host 'none'; they have: ";
	for (int i = 0; i < 7; i++)
		snprintf(text + strlen(text), 100, "%s%.64s", i ? ", " : "", name);
	is_wrong(&s, &e, MER_REMEDY_HOSTS, text);
}

/* ---- CPUs ---- */

static void cpus_are(
	const int32_t *numbers, uint32_t n, uint64_t first, uint64_t last, const char *expected)
{
	struct mer_stream streams[64] = { 0 };
	for (uint32_t i = 0; i < n; i++)
		streams[i].cpu = numbers[i];
	const struct mer_experiment e = { .streams = streams, .n_streams = n };
	struct session_range r[] = { { .first = 0, .last = UINT64_MAX },
		{ .first = first, .last = last } };
	const struct session_selection s = { .cpus = { r, 2 } };
	if (expected)
		is_wrong(&s, &e, MER_REMEDY_CPUS, expected);
	else
		assert_int_equal(session_selection_check(&s, &e, &err), 0);
}

static void cpus_that_are_not_there(void **state)
{
	(void)state;
	static const int32_t some[] = { 8, 2, 0, 1, 3, 8, 11, 12, -1 };
#define HAVE "; they have: 0-3, 8, 11-12"
	cpus_are(some, 9, 0, 0, NULL);
	cpus_are(some, 9, 3, 3, NULL);
	cpus_are(some, 9, 4, 8, NULL); /* of a range one is enough */
	cpus_are(some, 9, 12, 40, NULL);
	cpus_are(some, 9, 4, 7, "the traces have no CPU 4" HAVE);
	cpus_are(some, 9, 13, UINT64_MAX, "the traces have no CPU 13" HAVE);
	/* Where no stream says of which CPU it is. */
	struct mer_stream streams[] = { { .cpu = -1 }, { .cpu = -1 } };
	struct session_range r = { .first = 7, .last = 7 };
	const struct session_selection s = { .cpus = { &r, 1 } };
	const struct mer_experiment e = { .streams = streams, .n_streams = 2 };
	assert_int_equal(session_selection_check(&s, &e, &err), 0);
	/* 20 runs, and no more of them. */
	int32_t even[21];
	for (int i = 0; i < 21; i++)
		even[i] = 2 * i;
	cpus_are(even, 20, 1, 1,
		"the traces have no CPU 1; they have: 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, "
		"24, 26, 28, 30, 32, 34, 36, 38");
	cpus_are(even, 21, 1, 1,
		"the traces have no CPU 1; they have: 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, "
		"24, 26, 28, 30, 32, 34, 36, 38, ...");
}

/* ---- Tasks ---- */

/* By number, by name, or both. */
static void tasks(void **state)
{
	(void)state;
	struct kernel_host h;
	kernel_host_init(&h);
	assert_int_equal(kernel_add_task(&h, 10, 0), 0);
	assert_int_equal(kernel_add_task(&h, 11, 0), 1);
	assert_int_equal(kernel_add_task(&h, 12, 0), 2);
	assert_int_equal(kernel_add_task(&h, -1, 0), 3);
	h.tasks[0].pid = h.tasks[1].pid = 10;
	h.tasks[2].pid = h.tasks[3].pid = -1;
	assert_int_equal(kernel_rename(&h, 0, 1, "sh", 2, NULL), 0);
	assert_int_equal(kernel_rename(&h, 0, 2, "wget", 4, NULL), 0);
	assert_int_equal(kernel_rename(&h, 1, 1, "sh", 2, NULL), 0);
	const char *names[] = { "w*", "nobody", "sh" };
	static const struct {
		struct session_range r;
		size_t n_tids, first_name, n_names;
		const char *tasks; /* numbers of those that are selected */
	} cases[] = { { { 0 }, 0, 0, 0, "0123" }, { { 10, 10, false }, 1, 0, 0, "0" },
		{ { 10, 11, false }, 1, 0, 0, "01" }, { { 11, 12, false }, 1, 0, 0, "12" },
		{ { 10, 10, true }, 1, 0, 0, "01" }, { { 11, 11, true }, 1, 0, 0, "" },
		{ { 12, 12, true }, 1, 0, 0, "2" }, { { 0, UINT64_MAX, false }, 1, 0, 0, "012" },
		{ { 0 }, 0, 0, 1, "0" }, { { 0 }, 0, 0, 3, "01" }, { { 0 }, 0, 1, 1, "" },
		{ { 0 }, 0, 2, 1, "01" }, { { 11, 11, false }, 1, 0, 2, "" },
		{ { 11, 11, false }, 1, 1, 2, "1" } };
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct session_range r[] = { { .first = 5, .last = 5 }, cases[i].r };
		const struct session_selection s = { .tids = { r, 2 * cases[i].n_tids },
			.comms = { names + cases[i].first_name, cases[i].n_names } };
		char text[5] = "";
		for (uint32_t t = 0; t < 4; t++)
			if (session_selects_task(&s, &h, t))
				text[strlen(text)] = (char)('0' + t);
		if (strcmp(text, cases[i].tasks) != 0)
			fail_msg("case %zu: %s", i, text);
		assert_int_equal(session_selects_tasks(&s), cases[i].n_tids || cases[i].n_names);
	}
	kernel_host_fini(&h);
}

/* The recorder starts a shell, and that other programs: who asks for sh or grep means others. */
static void recorders(void **state)
{
	(void)state;
	struct kernel_host h;
	kernel_host_init(&h);
	static const char *const names[][2] = { { "sh", "meridian-step" },
		{ "meridian-step", "grep" }, { "sh", "sh" }, { "sh", "grep" } };
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(kernel_add_task(&h, 10 + (int32_t)i, 0), i);
		for (int k = 0; k < 2; k++)
			assert_int_equal(
				kernel_rename(&h, i, k, names[i][k], strlen(names[i][k]), NULL), 0);
	}
	h.tasks[1].parent = h.tasks[2].parent = 0;
	static const struct {
		const char *name, *tasks;
	} cases[] = { { "sh", "3" }, { "grep", "3" }, { "meridian-step", "01" }, { "*", "013" } };
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *name = cases[i].name;
		const struct session_selection s = { .comms = { &name, 1 } };
		char text[5] = "";
		for (uint32_t t = 0; t < 4; t++)
			if (session_selects_task(&s, &h, t))
				text[strlen(text)] = (char)('0' + t);
		if (strcmp(text, cases[i].tasks) != 0)
			fail_msg("%s: %s", name, text);
	}
	kernel_host_fini(&h);
}

/* ---- Time ---- */

static void hosts_of_moments(void **state)
{
	(void)state;
	struct session_moment m = moment("b:+1s"), time;
	uint32_t host;
	assert_int_equal(session_moment_host(&m, &two, &host, &time, &err), 0);
	assert_int_equal(host, 1);
	assert_int_equal(time.ns, S);
	m = moment("c:+1s");
	assert_int_equal(session_moment_host(&m, &two, &host, &time, &err), MER_ERR_USAGE);
	assert_string_equal(err.text, "'c:+1s' names no host of the traces; they have: a1, b");
	const struct mer_experiment none = { 0 };
	assert_int_equal(session_moment_host(&m, &none, &host, &time, &err), MER_ERR_USAGE);
	assert_string_equal(err.text, "'c:+1s' names no host of the traces; they have: none");
}

/* begin, end: NULL: not said. */
static int window(
	const char *begin, const char *end, const struct sync_result *r, struct session_window *w)
{
	struct session_selection s = { 0 };
	if (begin)
		s.begin = moment(begin);
	if (end)
		s.end = moment(end);
	err = (struct mer_err){ 0 };
	return session_window_find(&s, &two, r, w, &err);
}

static void windows(void **state)
{
	(void)state;
	struct session_window w;
	assert_int_equal(window(NULL, NULL, NULL, &w), 0);
	assert_true(w.begin == INT64_MIN && w.end == INT64_MAX);
	assert_int_equal(window("+1s", NULL, NULL, &w), 0);
	assert_true(w.begin == 11 * S && w.end == INT64_MAX);
	assert_int_equal(window(NULL, "+1s", NULL, &w), 0);
	assert_true(w.begin == INT64_MIN && w.end == 11 * S);
	assert_int_equal(window("+1s", "1000000001ns", NULL, &w), 0);
	assert_true(w.end == w.begin + 1);
	assert_int_equal(window("+1s", "+1s", NULL, &w), MER_ERR_USAGE);
	assert_int_equal(err.remedy, MER_REMEDY_WINDOW_ORDER);
	assert_int_equal(window("c:+1s", NULL, NULL, &w), MER_ERR_USAGE);
	assert_int_equal(err.remedy, MER_REMEDY_BEGIN);
	assert_int_equal(window("b:+1s", "c:+1s", NULL, &w), MER_ERR_USAGE);
	assert_int_equal(err.remedy, MER_REMEDY_END);
}

/* From a host's first event on, by its own clock, and then by the one that all share. */
static void windows_of_a_host(void **state)
{
	(void)state;
	struct session_window w;
	assert_int_equal(window("b:+1s", "b:+2s", NULL, &w), 0);
	assert_true(w.begin == 101 * S && w.end == 102 * S);
	assert_int_equal(window("a1:+1s", NULL, NULL, &w), 0);
	assert_true(w.begin == 11 * S);
	struct trace_clock_piece piece = { .begin = 0, .time = 7 * S };
	struct sync_host synced[] = { { .span = { 30 * S, 40 * S } },
		{ .span = { 300 * S, 400 * S }, .map = { .pieces = &piece, .n = 1 } } };
	const struct sync_result r = { .hosts = synced, .n_hosts = 2 };
	assert_int_equal(window("b:+1s", "b:+2s", &r, &w), 0);
	assert_true(w.begin == 308 * S && w.end == 309 * S);
	assert_int_equal(window("a1:+1s", NULL, &r, &w), 0);
	assert_true(w.begin == 31 * S);
	/* A host without events: since 1970. */
	synced[0].span = (struct sync_range){ MER_NO_TIME, MER_NO_TIME };
	assert_int_equal(window("a1:+1s", "a1:+2s", &r, &w), 0);
	assert_true(w.begin == S && w.end == 2 * S);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges),
		cmocka_unit_test(hosts),
		cmocka_unit_test(hosts_that_are_not_there),
		cmocka_unit_test(cpus_that_are_not_there),
		cmocka_unit_test(tasks),
		cmocka_unit_test(recorders),
		cmocka_unit_test(hosts_of_moments),
		cmocka_unit_test(windows),
		cmocka_unit_test(windows_of_a_host),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
