/* Looking for traces in folders: what is neither a file nor a folder is passed over where folders
 * are looked for, and reported where a file is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/str.h"
#include "trace/discover.h"

static const char *const entries[] = { "one", "one/metadata", "one/stream", "one/pipe", "pipe",
	"two", "two/metadata" };
enum { N_ENTRIES = sizeof(entries) / sizeof(*entries) };
static char dir[40];

/* "one" is a trace; the metadata of "two" is a FIFO. */
static int make(void **state)
{
	char path[100];
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/test_discover.XXXXXX");
	assert_non_null(mkdtemp(dir));
	for (size_t i = 0; i < N_ENTRIES; i++) {
		const char *name = entries[i], *slash = strchr(name, '/');
		snprintf(path, sizeof(path), "%s/%s", dir, name);
		if (strstr(name, "pipe") || strcmp(name, "two/metadata") == 0) {
			assert_int_equal(mkfifo(path, 0600), 0);
		} else if (!slash) {
			assert_int_equal(mkdir(path, 0700), 0);
		} else {
			FILE *f = fopen(path, "w");
			assert_true(f && fclose(f) == 0);
		}
	}
	return 0;
}

static int clear(void **state)
{
	char path[100];
	(void)state;
	for (size_t i = N_ENTRIES; i-- > 0;) {
		snprintf(path, sizeof(path), "%s/%s", dir, entries[i]);
		assert_int_equal(remove(path), 0);
	}
	return rmdir(dir);
}

/* Names below dir, ";", and what is reported. */
static void is(const struct trace_dirs *found, const struct mer_diags *diags, const char *expected)
{
	struct mer_str out = { 0 };
	size_t len = strlen(dir) + 1;
	for (uint32_t i = 0; i < found->n; i++)
		mer_str_printf(&out, "%s ", found->paths[i] + len);
	mer_str_putc(&out, ';');
	for (size_t i = 0; i < diags->n; i++) {
		const struct mer_diag *d = &diags->rows[i];
		mer_str_printf(&out, " %s %s: %s", d->code, d->path + len, d->message);
		assert_int_equal(d->severity, MER_ERROR);
		assert_true(d->stream == -1 && d->packet == -1 && d->offset_bits == -1);
	}
	assert_string_equal(out.data, expected);
	mer_str_fini(&out);
}

static void odd_entries(void **state)
{
	struct mer_arena arena;
	struct mer_diags diags;
	struct trace_dirs traces = { 0 }, anchors = { 0 }, streams = { 0 };
	struct mer_err err = { 0 };
	char path[100];
	(void)state;
	mer_arena_init(&arena);
	mer_diags_init(&diags, &arena);
	assert_int_equal(trace_discover(dir, &arena, &diags, &traces, &anchors, &err), 0);
	is(&traces, &diags,
		"one ; trace-unreadable two/metadata: skipped: a FIFO, not a regular file");
	assert_int_equal(anchors.n, 0);
	mer_diags_fini(&diags);
	mer_diags_init(&diags, &arena);
	snprintf(path, sizeof(path), "%s/one", dir);
	assert_int_equal(trace_stream_files(path, &arena, &diags, &streams, &err), 0);
	is(&streams, &diags,
		"one/stream ; file-unreadable one/pipe: skipped: a FIFO, not a regular file");
	mer_diags_fini(&diags);
	mer_arena_fini(&arena);
}

/* What is no trace, and what is not there, with the reason. */
static void not_found(void **state)
{
	struct mer_arena arena;
	struct mer_diags diags;
	struct trace_dirs dirs = { 0 }, anchors = { 0 }, files = { 0 };
	struct mer_err err = { 0 };
	char path[100], want[300];
	(void)state;
	mer_arena_init(&arena);
	mer_diags_init(&diags, &arena);
	const struct {
		const char *name, *message;
		int rc;
	} rows[] = { { "none", "%s: cannot open: No such file or directory", MER_ERR_SYS },
		{ "one/stream",
			"%s: this file is empty; a trace is a folder with a file `metadata`",
			MER_ERR_INPUT },
		{ "pipe", "%s: neither a folder nor a file", MER_ERR_INPUT },
		{ "two",
			"%s: no trace here or below (a folder with a file `metadata`, perf.data, "
			"trace.dat, text or pages of ftrace, a pcap, or an OTF2 archive with a "
			"file `*.otf2`)",
			MER_ERR_INPUT } };
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, rows[i].name);
		snprintf(want, sizeof(want), "%s%s", path, rows[i].message + 2);
		assert_int_equal(
			trace_discover(path, &arena, &diags, &dirs, &anchors, &err), rows[i].rc);
		assert_string_equal(err.text, want);
	}
	snprintf(path, sizeof(path), "%s/none", dir);
	snprintf(want, sizeof(want), "%s: cannot open the folder: No such file or directory", path);
	assert_int_equal(trace_stream_files(path, &arena, &diags, &files, &err), MER_ERR_SYS);
	assert_string_equal(err.text, want);
	assert_int_equal(dirs.n + anchors.n + files.n, 0);
	/* A trace by its folder, with any slashes, or by its metadata. */
	static const char *const names[] = { "one", "one/", "one///", "one/metadata" };
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct trace_dirs found = { 0 };
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		snprintf(want, sizeof(want), "%s/one", dir);
		assert_int_equal(trace_discover(path, &arena, &diags, &found, &anchors, &err), 0);
		assert_int_equal(found.n, 1);
		assert_string_equal(found.paths[0], want);
	}
	/* Of a trace its files but for the metadata. */
	snprintf(path, sizeof(path), "%s/one", dir);
	assert_int_equal(trace_stream_files(path, &arena, &diags, &files, &err), 0);
	assert_int_equal(files.n, 1);
	assert_string_equal(strrchr(files.paths[0], '/'), "/stream");
	mer_diags_fini(&diags);
	mer_arena_fini(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(odd_entries),
		cmocka_unit_test(not_found) };
	return cmocka_run_group_tests(tests, make, clear);
}
