/* The manifest of a recording: what is written is read again, each field says what it is of, and
 * what a stranger may have changed is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "arena_setup.h"
#include "record/manifest.h"

static void has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no %s in:\n%s", part, text);
}

static void fields(void **state)
{
	static const char *const command[] = { "ls", "-l", NULL }, *const presets[] = { "path",
		"cost" };
	struct record_round round = { 1, 2, 3, 4, 5 };
	struct record_host hosts[2] = {
		{ .name = "a",
			.folder = "/r/a",
			.n_discarded = 0,
			.bytes = 7,
			.has_data = true,
			.rounds = &round,
			.n_rounds = 1,
			.counted = true,
			.sends_beacons = true,
			.n_answered = 8,
			.n_silent = 9,
			.facts = { .lttng = "2.13", .perf = "3", .cpus = 0, .name = "" } },
		{ .name = "b",
			.target = "u@b",
			.backend = RECORD_PERF,
			.n_discarded = -1,
			.bytes = -1,
			.counted = true,
			.facts = { .lttng = "2.13", .perf = "3", .cpus = -1 } },
	};
	struct record_run r = { .arena = &arena,
		.plan = { .label = "l", .session = "s" },
		.folder = "/r",
		.hosts = hosts,
		.n_hosts = 2,
		.began_ns = 10,
		.spread_ns = 6,
		.command = command,
		.command_code = 3 };
	struct record_about about = {
		.version = "1", .presets = presets, .n_presets = 2, .own_name = "me"
	};
	struct mer_str s = { 0 };
	(void)state;
	record_manifest_put(&r, &about, &s);
	has(s.data, "\n \"meridian_recording\": 1,");
	has(s.data, "\n \"complete\": false,");
	has(s.data, "\"mode\": \"normal\"");
	has(s.data, "\"exit_status\": 3");
	has(s.data, "\"duration_ns\": null");
	has(s.data, "\"start_spread_ns\": null");
	has(s.data, "\"start_spread_by\": \"answers\"");
	has(s.data, "\"tracer\": \"lttng\"");
	has(s.data, "\"tracer_version\": \"2.13\"");
	has(s.data, "\"tracer\": \"perf\"");
	has(s.data, "\"tracer_version\": \"3\"");
	has(s.data, "\"cpus\": 0");
	has(s.data, "\"cpus\": null");
	has(s.data, "\"hostname\": null");
	has(s.data, "\"recorded\": true");
	has(s.data, "\"recorded\": false");
	has(s.data, "\"discarded_events\": 0");
	has(s.data, "\"discarded_events\": null");
	has(s.data, "\"trace_bytes\": 7");
	has(s.data, "\"trace_bytes\": null");
	has(s.data, "\"beacons_answered\": 8");
	has(s.data, "\"beacons_unanswered\": 9");
	has(s.data, "\"beacons_answered\": null");
	has(s.data, "\"beacons_unanswered\": null");
	mer_str_clear(&s);
	r.ended_ns = 30;
	r.spread_seen = true;
	r.command = NULL;
	r.plan.mode = RECORD_LIVE;
	about.complete = true;
	record_manifest_put(&r, &about, &s);
	has(s.data, "\n \"complete\": true,");
	has(s.data, "\"mode\": \"live\"");
	has(s.data, "\"duration_ns\": 20");
	has(s.data, "\"start_spread_ns\": 6");
	has(s.data, "\"start_spread_by\": \"events\"");
	assert_null(strstr(s.data, "exit_status"));
	mer_str_fini(&s);
}

#define HOST(name, target, folder, tracer, recorded)                                               \
	"{\"name\":\"" name "\",\"target\":" target ",\"folder\":" folder ",\"tracer\":\"" tracer  \
	"\",\"recorded\":" recorded "}"
#define RUN(version, session, label, mode, folder, hosts)                                          \
	"{\"meridian_recording\":" version ",\"label\":\"" label "\",\"session\":\"" session       \
	"\",\"mode\":\"" mode "\",\"folder\":\"" folder "\",\"complete\":true,\"hosts\":[" hosts   \
	"]}"
#define OWN HOST("a", "null", "\"/r/a\"", "lttng", "true")
#define OTHER HOST("b", "\"u@b\"", "\"~/meridian-traces/s\"", "perf", "false")

static int read_text(struct record_run *r, const char *text, bool *complete, struct mer_err *err)
{
	*r = (struct record_run){ .arena = &arena };
	return record_manifest_read(r, complete, text, strlen(text), "m", err);
}

static void read_again(void **state)
{
	struct record_run r;
	struct mer_err err = { 0 };
	bool complete = false;
	(void)state;
	if (read_text(&r, RUN("1", "s", "l", "normal", "/r", OWN "," OTHER), &complete, &err))
		fail_msg("%s", err.text);
	assert_true(complete && r.n_hosts == 2 && r.plan.mode == RECORD_NORMAL);
	assert_string_equal(r.plan.session, "s");
	assert_string_equal(r.plan.label, "l");
	assert_string_equal(r.folder, "/r");
	const struct record_host *a = &r.hosts[0], *b = &r.hosts[1];
	assert_string_equal(a->folder, "/r/a");
	assert_true(!a->target && a->has_data && a->backend == RECORD_LTTNG);
	assert_string_equal(b->target, "u@b");
	assert_true(!b->has_data && b->backend == RECORD_PERF);
	/* As version 1.0 wrote it: it is fetched, and what runs is ended. */
	if (read_text(&r,
		    RUN("1", "s", "l", "normal", "/r",
			    HOST("c", "\"u@c\"", "\"~/lttng-traces/s\"", "trace-cmd", "true")),
		    &complete, &err))
		fail_msg("%s", err.text);
	assert_true(r.n_hosts == 1 && r.hosts[0].has_data && r.hosts[0].backend == RECORD_PERF);
	assert_string_equal(r.hosts[0].folder, "~/lttng-traces/s");
	assert_true(b->n_discarded == -1 && b->free_kib == -1 && b->bytes == -1);
	/* Live, all are of the relay daemon; and one without a folder was never begun. */
	assert_int_equal(
		read_text(&r,
			RUN("1", "s", "l", "live", "/r",
				HOST("a", "null", "\"~/lttng-traces/*/s*\"", "lttng",
					"true") "," HOST("c", "null", "null", "lttng", "true")),
			&complete, &err),
		0);
	assert_int_equal(r.plan.mode, RECORD_LIVE);
	assert_null(r.hosts[1].folder);
	assert_int_equal(
		read_text(&r, RUN("1", "s", "l", "snapshot", "/r", ""), &complete, &err), 0);
	assert_int_equal(r.plan.mode, RECORD_SNAPSHOT);
}

static void refused(const char *text, const char *why)
{
	struct record_run r;
	struct mer_err err = { 0 };
	bool complete;
	assert_int_equal(read_text(&r, text, &complete, &err), MER_ERR_INPUT);
	if (!strstr(err.text, why) || strncmp(err.text, "m:", 2) != 0)
		fail_msg("'%s' and not '%s'", err.text, why);
}

static void strangers(void **state)
{
	static const char no_folder[] = "not the folder of this recording on the host",
			  no_session[] = "not a session's name and folder",
			  no_host[] = "not a host";
	(void)state;
	refused(RUN("2", "s", "l", "normal", "/r", OWN),
		"not a recording of a version that this program knows");
	refused(RUN("1", "a b", "l", "normal", "/r", OWN), no_session);
	refused(RUN("1", "s", ".l", "normal", "/r", OWN), no_session);
	refused(RUN("1", "s", "l", "normal", "r", OWN), no_session);
	refused(RUN("1", "s", "l", "other", "/r", OWN), "'mode' has a value that is not known");
	refused(RUN("1", "s", "l", "normal", "/r", HOST("-a", "null", "null", "lttng", "true")),
		no_host);
	refused(RUN("1", "s", "l", "normal", "/r", HOST("a", "\"-x\"", "null", "lttng", "true")),
		no_host);
	refused(RUN("1", "s", "l", "normal", "/r", HOST("a", "null", "\"/r/b\"", "lttng", "true")),
		no_folder);
	refused(RUN("1", "s", "l", "normal", "/q", OWN), no_folder);
	refused(RUN("1", "t", "l", "normal", "/r", OTHER), no_folder);
	refused(RUN("1", "s", "l", "live", "/r", OWN), no_folder);
	refused(RUN("1", "s", "l", "normal", "/r", HOST("a", "null", "null", "strace", "true")),
		"'tracer' has a value that is not known");
	refused(RUN("1", "s", "l", "normal", "/r", HOST("a", "null", "null", "lttng", "1")),
		"recorded");
	refused(RUN("1", "s", "l", "normal", "/r",
			HOST("c", "\"u@c\"", "\"~/meridian-traces/s\"", "trace-cmd", "true")),
		no_folder);
	refused(RUN("1", "s", "l", "normal", "/r",
			HOST("c", "\"u@c\"", "\"~/lttng-traces/s\"", "perf", "true")),
		no_folder);
	refused("{", "");
}

static void how_many(void **state)
{
	struct record_run r;
	struct mer_err err = { 0 };
	struct mer_str s = { 0 };
	bool complete;
	(void)state;
	for (int n = RECORD_MOST_HOSTS; n <= RECORD_MOST_HOSTS + 1; n++) {
		mer_str_clear(&s);
		for (int i = 0; i < n; i++)
			mer_str_printf(
				&s, "%s" HOST("h", "null", "null", "lttng", "true"), i ? "," : "");
		char *hosts = s.data;
		struct mer_str all = { 0 };
		mer_str_printf(&all, RUN("1", "s", "l", "normal", "/r", "%s"), hosts);
		int rc = read_text(&r, all.data, &complete, &err);
		assert_int_equal(rc, n == RECORD_MOST_HOSTS ? 0 : MER_ERR_INPUT);
		mer_str_fini(&all);
	}
	assert_non_null(strstr(err.text, "too many hosts"));
	/* Not even looked at. */
	assert_int_equal(record_manifest_read(
				 &r, &complete, "", (size_t)RECORD_MANIFEST_BYTES + 1, "m", &err),
		MER_ERR_INPUT);
	assert_string_equal(err.text, "m: larger than any manifest");
	mer_str_fini(&s);
}

static void put_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void is_file(const char *path, const char *expected)
{
	char text[4096];
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	assert_string_equal(text, expected);
}

static void marked_complete(void **state)
{
	char path[] = "/tmp/manifest-XXXXXX";
	struct mer_err err = { 0 };
	int fd = mkstemp(path);
	(void)state;
	assert_true(fd >= 0);
	close(fd);
	put_file(path, "{\n \"a\": 1,\n \"complete\": false,\n \"b\": 2\n}\n");
	assert_int_equal(record_mark_complete(path, &err), 0);
	is_file(path, "{\n \"a\": 1,\n \"complete\": true,\n \"b\": 2\n}\n");
	assert_int_equal(record_mark_complete(path, &err), 0);
	is_file(path, "{\n \"a\": 1,\n \"complete\": true,\n \"b\": 2\n}\n");
	/* What the program writes is found. */
	struct record_run r = {
		.arena = &arena, .plan = { .label = "l", .session = "s" }, .folder = "/r"
	};
	struct record_about about = { .version = "1" };
	bool complete = true;
	struct mer_str s = { 0 };
	assert_int_equal(record_manifest_write(&r, &about, path, &err), 0);
	assert_int_equal(record_mark_complete(path, &err), 0);
	about.complete = true;
	record_manifest_put(&r, &about, &s);
	is_file(path, s.data);
	assert_int_equal(read_text(&r, s.data, &complete, &err), 0);
	assert_true(complete);
	mer_str_fini(&s);
	unlink(path);
	assert_true(record_mark_complete(path, &err) < 0);
	assert_true(record_manifest_write(&r, &about, "/nowhere/at/all", &err) < 0);
	assert_non_null(strstr(err.text, "cannot write"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(fields, arena_begin, arena_end),
		cmocka_unit_test_setup_teardown(read_again, arena_begin, arena_end),
		cmocka_unit_test_setup_teardown(strangers, arena_begin, arena_end),
		cmocka_unit_test_setup_teardown(how_many, arena_begin, arena_end),
		cmocka_unit_test_setup_teardown(marked_complete, arena_begin, arena_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
