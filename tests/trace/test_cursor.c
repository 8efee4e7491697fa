/* The merge: the same events in the same order for any cutting into slices, number of threads and
 * ranges; time never falls but where the trace itself says so. On the demo recordings, and on those
 * of ../shared where it is there. */
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

#include "base/map.h"
#include "given.h"
#include "trace/slices.h"

struct digest { /* of a sequence of events */
	uint64_t hash, n;
};

struct page { /* events of one slice, as they matter */
	struct key {
		int64_t ts;
		uint64_t stream, plan;
	} * keys;
	size_t n, cap;
};

static struct page pages[64];
static struct digest all;
static int64_t last_ts;
static uint64_t n_falls;

static void begin(void *ctx, size_t slot)
{
	(void)ctx;
	pages[slot].n = 0;
}

static int batch(void *ctx, size_t slot, const struct mer_cursor *c, const struct mer_event *ev,
	size_t n, struct mer_err *err)
{
	struct page *p = &pages[slot];
	(void)ctx;
	(void)c;
	(void)err;
	for (size_t i = 0; i < n; i++) {
		if (p->n == p->cap) {
			p->cap = p->cap ? p->cap * 2 : 1024;
			p->keys = realloc(p->keys, p->cap * sizeof(*p->keys));
			assert_non_null(p->keys);
		}
		p->keys[p->n++] = (struct key){ ev[i].ts, ev[i].stream, ev[i].plan->id };
	}
	return 0;
}

static int consume(void *ctx, size_t slot, struct mer_err *err)
{
	(void)ctx;
	(void)err;
	for (size_t i = 0; i < pages[slot].n; i++) {
		const struct key *k = &pages[slot].keys[i];
		uint64_t chain[4] = { all.hash, (uint64_t)k->ts, k->stream, k->plan };
		all.hash = mer_hash(chain, sizeof(chain));
		all.n++;
		n_falls += k->ts < last_ts;
		last_ts = k->ts;
	}
	return 0;
}

static struct digest read_slices(struct mer_experiment *e, const struct trace_reading *r,
	struct trace_range range, unsigned threads, uint64_t slice_bytes)
{
	struct mer_err err;
	struct trace_slices_job job = { .reading = r,
		.range = range,
		.n_threads = threads,
		.slice_bytes = slice_bytes,
		.begin = begin,
		.batch = batch,
		.consume = consume };
	if (trace_run_slices(e, &job, &err))
		fail_msg("%s", err.text);
	return all;
}

static void restart(void)
{
	all = (struct digest){ 0 };
	last_ts = INT64_MIN;
	n_falls = 0;
}

static void same_for_any_cut(const char *path)
{
	struct mer_err err;
	struct mer_experiment *e;
	struct trace_reading *r;
	static const struct trace_range whole = { INT64_MIN, INT64_MAX };
	if (mer_experiment_open(&path, 1, NULL, &e, &err))
		fail_msg("%s", err.text);
	assert_int_equal(trace_reading_new(e, NULL, false, &r, &err), 0);
	restart();
	struct digest one = read_slices(e, r, whole, 1, 0);
	uint64_t falls = n_falls, n_back = 0;
	size_t n_diags;
	const struct mer_diag *d = trace_findings(e, &n_diags);
	for (size_t i = 0; i < n_diags; i++)
		if (strcmp(d[i].code, "clock-backwards") == 0)
			n_back += d[i].count;
	/* Every fall of time is one of those that are told. */
	if (falls > n_back)
		fail_msg("%s: time falls %lu times, told are %lu", path, (unsigned long)falls,
			(unsigned long)n_back);
	static const uint64_t cuts[] = { 1, 5000, 100000 };
	for (size_t i = 0; i < sizeof(cuts) / sizeof(*cuts); i++) {
		restart();
		struct digest cut = read_slices(e, r, whole, 2 + (unsigned)i, cuts[i]);
		if (cut.n != one.n || cut.hash != one.hash)
			fail_msg("%s: %lu events in slices of %lu bytes, %lu at once (or another "
				 "order)",
				path, (unsigned long)cut.n, (unsigned long)cuts[i],
				(unsigned long)one.n);
	}
	/* Ranges side by side. */
	if (e->begin != MER_NO_TIME) {
		restart();
		int64_t from = INT64_MIN;
		srand(7);
		for (int i = 1; i <= 20; i++) {
			int64_t to = i == 20 ? INT64_MAX
					     : e->begin + (int64_t)((double)(e->end - e->begin) *
								    i / 20);
			read_slices(e, r, (struct trace_range){ from, to }, 1, 0);
			from = to;
		}
		if (all.n != one.n || all.hash != one.hash)
			fail_msg("%s: %lu events in 20 ranges, %lu at once (or another order)",
				path, (unsigned long)all.n, (unsigned long)one.n);
	}
	print_message("%-60s %8lu events\n", path, (unsigned long)one.n);
	trace_reading_free(r);
	mer_experiment_free(e);
}

static void each_below(const char *dir)
{
	struct dirent **names;
	int n = scandir(dir, &names, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		char path[1200];
		snprintf(path, sizeof(path), "%.600s/%.500s", dir, names[i]->d_name);
		if (names[i]->d_name[0] != '.' && names[i]->d_type == DT_DIR)
			same_for_any_cut(path);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
}

static void demo_recordings(void **state)
{
	char path[1000];
	(void)state;
	snprintf(path, sizeof(path), "%.900s/demo", given_environment("SRC"));
	each_below(path);
}

static void other_recordings(void **state)
{
	static const char *const folders[] = { "public", "public/synctraces" };
	(void)state;
	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		char path[1000];
		given_path(path, sizeof(path), folders[i]);
		each_below(path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(demo_recordings),
		cmocka_unit_test(other_recordings),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
