/* The spans of streams, traces and the experiment are those of their events, whatever packet
 * headers say: compared with a reading of everything, on recordings, on a trace cut at each byte
 * and on one with packets that are empty, damaged, or long open before the first event. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/experiment.h"
#include "trace/walk.h"

#include "small_trace.h"

static void compare(struct mer_experiment *e, const char *what)
{
	struct trace_counts *c;
	struct mer_err err;
	int64_t begin = MER_NO_TIME, end = MER_NO_TIME;
	if (trace_walk(e, 2, NULL, NULL, &c, &err))
		fail_msg("%s: %s", what, err.text);
	for (uint32_t s = 0; s < e->n_streams; s++) {
		const struct mer_stream *stream = &e->streams[s];
		if (stream->begin != c->first[s] || stream->end != c->last[s])
			fail_msg("%s, stream %u: %ld to %ld, events from %ld to %ld", what, s,
				(long)stream->begin, (long)stream->end, (long)c->first[s],
				(long)c->last[s]);
		trace_widen(&begin, &end, c->first[s], c->last[s]);
	}
	if (e->begin != begin || e->end != end)
		fail_msg("%s: %ld to %ld, events from %ld to %ld", what, (long)e->begin,
			(long)e->end, (long)begin, (long)end);
	trace_counts_free(c);
}

static void compare_path(const char *path)
{
	struct mer_err err;
	struct mer_experiment *e;
	if (mer_experiment_open(&path, 1, NULL, &e, &err))
		return;
	compare(e, path);
	mer_experiment_free(e);
}

static size_t each_below(const char *dir)
{
	struct dirent **names;
	int n = scandir(dir, &names, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		char path[1200];
		snprintf(path, sizeof(path), "%.600s/%.500s", dir, names[i]->d_name);
		if (names[i]->d_name[0] != '.' && names[i]->d_type == DT_DIR)
			compare_path(path);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	return n > 0 ? (size_t)n : 0;
}

static void recordings(void **state)
{
	static const char *const folders[] = { "demo", "../shared/traces/lab",
		"../shared/traces/public", "../shared/traces/public/synctraces" };
	(void)state;
	if (!getenv("SRC"))
		skip();
	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		char path[1000];
		snprintf(path, sizeof(path), "%.800s/%s", getenv("SRC"), folders[i]);
		if (!each_below(path))
			print_message("skipped: %s is not there\n", path);
	}
}

/* The files of a folder, so that they can be cut. */
static long file_size(const char *path)
{
	FILE *f = fopen(path, "rb");
	if (!f)
		return -1;
	fseek(f, 0, SEEK_END);
	long n = ftell(f);
	fclose(f);
	return n;
}

static void cut_anywhere(void **state)
{
	const struct small_trace *t = *state;
	struct dirent **names;
	int n = scandir(t->dir, &names, NULL, alphasort);
	size_t n_cut = 0;
	for (int i = 0; i < n; i++) {
		char path[1200];
		snprintf(path, sizeof(path), "%.600s/%.500s", t->dir, names[i]->d_name);
		long size = strcmp(names[i]->d_name, "metadata") && names[i]->d_type == DT_REG
				    ? file_size(path)
				    : -1;
		for (long k = size; k-- > 0; n_cut++) {
			assert_int_equal(truncate(path, k), 0);
			compare_path(t->dir);
		}
		free(names[i]);
	}
	free(names);
	assert_true(n_cut > 100);
}

static void as_generated(void **state)
{
	char command[1500], dir[] = "/tmp/extent-XXXXXX";
	(void)state;
	if (!getenv("CTFGEN") || !getenv("SRC"))
		skip();
	assert_non_null(mkdtemp(dir));
	snprintf(command, sizeof(command), "'%.500s' -o %s '%.500s/tests/trace/extent.scn' >&2",
		getenv("CTFGEN"), dir, getenv("SRC"));
	assert_int_equal(system(command), 0);
	const char *path = dir;
	struct mer_experiment *e;
	struct mer_err err;
	assert_int_equal(mer_experiment_open(&path, 1, NULL, &e, &err), 0);
	assert_int_equal(e->begin, 5000000000);
	assert_int_equal(e->end, 7500000000);
	assert_int_equal(e->n_hosts, 3);
	for (uint32_t i = 0; i < e->n_traces; i++) {
		const struct mer_trace *t = &e->traces[i];
		if (strcmp(e->hosts[t->host].name, "empty") == 0) {
			assert_int_equal(t->begin, MER_NO_TIME);
			assert_int_equal(t->end, MER_NO_TIME);
		}
	}
	compare(e, "extent.scn");
	mer_experiment_free(e);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recordings),
		cmocka_unit_test_setup_teardown(
			cut_anywhere, small_trace_set_up, small_trace_tear_down),
		cmocka_unit_test(as_generated),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
