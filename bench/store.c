/* A store: how long it takes to build beside the reading, how large it is, and how fast it answers.
 *
 *   store TRACE...   reads, saves, and then asks: opening, paths of windows of 10 ms, pictures,
 *                    tables, all spans
 *
 * Each question opens the file anew, as a process of its own would, but those of pictures and
 * tables. STORE_VERBOSE=1 prints each of these, too; STORE_KEEP=1 leaves the file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "analysis/all.h"
#include "path/path.h"
#include "store/record.h"
#include "sync/auto.h"

enum { QUESTIONS = 200, WINDOW_NS = 10000000 };

static const uint8_t key[STORE_KEY_BYTES] = "bench";

static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int fail(const struct mer_err *err)
{
	fprintf(stderr, "store: %s\n", err->text);
	return 1;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static void print_times(const char *title, double *took, size_t n)
{
	qsort(took, n, sizeof(*took), compare);
	printf("%s: median %.3f ms, p95 %.3f ms, longest %.3f ms\n", title, took[n / 2] * 1e3,
		took[n * 95 / 100] * 1e3, took[n - 1] * 1e3);
}

static uint32_t next_random(void)
{
	static uint64_t state = 1;
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33);
}

static int build(struct mer_experiment *e, const char *path, struct mer_err *err)
{
	struct sync_messages messages;
	struct stat st = { 0 };
	double t0 = seconds();
	int rc = sync_gather(e,
		&(struct sync_gather_options){ .n_threads = 1, .keep_streams = true }, &messages,
		err);
	double gathered = seconds();
	if (rc == 0)
		rc = store_record(
			&(struct store_target){ .path = path, .key = key, .about = "bench" }, e,
			&messages, &e->diags, NULL,
			&(struct kernel_world_options){ .n_threads = 2, .drop = &messages }, err);
	if (rc == 0 && stat(path, &st) == 0)
		printf("build: messages %.3f s, reading and writing %.3f s\n"
		       "size: %.1f MB, %.2f of the traces\n",
			gathered - t0, seconds() - gathered, (double)st.st_size / 1e6,
			(double)st.st_size / (double)e->bytes);
	return rc;
}

static int ask_path(const struct kernel_world *w, struct mer_err *err)
{
	uint32_t host = next_random() % w->n_hosts;
	const struct kernel_host *h = &w->hosts[host];
	struct path p = { 0 };
	uint32_t task = next_random() % h->n_tasks;
	int64_t begin = h->begin +
			(int64_t)((double)(h->end - h->begin) * next_random() / (double)(1u << 31));
	int rc = path_find(w, host, task, begin, begin + WINDOW_NS, &p, err);
	path_fini(&p);
	return rc;
}

static int ask(struct mer_experiment *e, const char *path, struct mer_err *err)
{
	double opening[QUESTIONS], paths[QUESTIONS];
	for (size_t i = 0; i < QUESTIONS; i++) {
		struct store *s;
		double t0 = seconds();
		int rc = store_open(path, key, e, &s, err);
		if (rc)
			return rc;
		opening[i] = seconds() - t0;
		/* Of a window that no such task lived in there is no path. */
		(void)ask_path(store_world(s), err);
		paths[i] = seconds() - t0;
		store_close(s);
	}
	print_times("opening", opening, QUESTIONS);
	print_times("opening, and a path of 10 ms", paths, QUESTIONS);
	return 0;
}

static int look_at_all(struct mer_experiment *e, const char *path, struct mer_err *err)
{
	struct store *s;
	uint64_t blocked = 0, n = 0;
	double t0 = seconds();
	int rc = store_open(path, key, e, &s, err);
	if (rc)
		return rc;
	const struct kernel_world *w = store_world(s);
	for (uint32_t i = 0; i < w->n_hosts; i++)
		for (uint32_t k = 0; k < w->hosts[i].n_spans; k++, n++)
			blocked += kernel_span(&w->hosts[i], k)->state == KERNEL_BLOCKED;
	printf("all spans, the first time: %.1f ns each (%llu are waits)\n",
		(seconds() - t0) * 1e9 / (double)n, (unsigned long long)blocked);
	store_close(s);
	return 0;
}

/* Windows of any length at any place. */
static int draw(struct mer_experiment *e, const char *path, struct mer_err *err)
{
	enum { LANES = 60, PIXELS = 1600 };
	double took[QUESTIONS];
	struct store *s;
	struct store_lane lanes[LANES];
	int64_t *times = malloc((size_t)LANES * 2 * PIXELS * STORE_KINDS * sizeof(*times));
	if (!times)
		return mer_fail_nomem(err);
	int rc = store_open(path, key, e, &s, err);
	if (rc)
		return rc;
	const struct kernel_host *h = &store_world(s)->hosts[0];
	for (uint32_t i = 0; i < LANES; i++)
		lanes[i] = i < 8 ? (struct store_lane){ true, i }
				 : (struct store_lane){ false, next_random() % h->n_tasks };
	for (size_t i = 0; rc == 0 && i < QUESTIONS; i++) {
		int64_t length = (h->end - h->begin) >> (i % 20);
		int64_t begin = h->begin + (int64_t)((double)(h->end - h->begin - length) *
						     next_random() / (double)(1u << 31));
		unsigned shift = store_lanes_shift(begin, begin + length, 2 * PIXELS);
		struct store_window w = { begin >> shift << shift, shift,
			(uint32_t)((begin + length) >> shift) - (uint32_t)(begin >> shift) + 1 };
		w.n_bins = w.n_bins < 2 * PIXELS ? w.n_bins : 2 * PIXELS;
		double t0 = seconds();
		rc = store_lanes(s, 0, lanes, LANES, &w, times, err);
		took[i] = seconds() - t0;
		if (getenv("STORE_VERBOSE"))
			printf("  length %.3f s, %u bins of 2^%u: %.3f ms\n", (double)length / 1e9,
				w.n_bins, shift, took[i] * 1e3);
	}
	if (rc == 0)
		print_times("60 lanes x 1600 to 3200 pixels", took, QUESTIONS);
	store_close(s);
	free(times);
	return rc;
}

/* The same windows, of all kinds of facts. */
static int count(struct mer_experiment *e, const char *path, struct mer_err *err)
{
	enum { BINS = 3200 };
	static uint64_t counts[BINS], bytes[BINS];
	double took[QUESTIONS];
	struct store *s;
	int rc = store_open(path, key, e, &s, err);
	if (rc)
		return rc;
	const struct kernel_host *h = &store_world(s)->hosts[0];
	for (size_t i = 0; rc == 0 && i < QUESTIONS; i++) {
		int64_t length = (h->end - h->begin) >> (i % 20);
		int64_t begin = h->begin + (int64_t)((double)(h->end - h->begin - length) *
						     next_random() / (double)(1u << 31));
		unsigned shift = store_lanes_shift(begin, begin + length, BINS);
		struct store_window w = { begin >> shift << shift, shift, BINS };
		double t0 = seconds();
		for (size_t k = 0; rc == 0 && fact_kinds[k]; k++)
			if (!fact_kinds[k]->origin)
				rc = store_counts(s, 0, fact_kinds[k], &w, counts, bytes, err);
		took[i] = seconds() - t0;
		if (getenv("STORE_VERBOSE"))
			printf("  length %.3f s, bins of 2^%u: %.3f ms\n", (double)length / 1e9,
				shift, took[i] * 1e3);
	}
	if (rc == 0)
		print_times("counts of all kinds in 1600 to 3200 bins", took, QUESTIONS);
	store_close(s);
	return rc;
}

static int ask_table(struct store *s, const struct analysis_request *request,
	const struct analysis_options *o, double *took, struct mer_err *err)
{
	struct analysis_source source = store_source(s);
	struct analysis_run run;
	struct mer_table table;
	double t0 = seconds();
	int rc = analysis_run_from(&run, &source, NULL, o, request, 1, &table, err);
	*took = seconds() - t0;
	if (getenv("STORE_VERBOSE"))
		printf("  %s %s: %.3f ms, %zu rows\n", request->analysis->id,
			request->analysis->outputs[request->output].id, *took * 1e3, table.n_rows);
	mer_table_fini(&table);
	analysis_run_fini(&run);
	return rc;
}

/* Every table that is made of facts, of a part of the time: 1 is all of it. */
static int ask_tables(struct mer_experiment *e, const char *path, unsigned parts, const char *title,
	struct mer_err *err)
{
	enum { MOST = 300 };
	double took[MOST];
	size_t n = 0;
	struct store *s;
	int rc = store_open(path, key, e, &s, err);
	if (rc)
		return rc;
	int64_t length = (e->end - e->begin) / parts;
	for (size_t i = 0; analyses[i]; i++)
		for (unsigned k = 0; rc == 0 && analyses[i]->outputs[k].id && n < MOST; k++) {
			const struct analysis_request request = { analyses[i], k };
			struct analysis_options o = { .begin = INT64_MIN,
				.end = INT64_MAX,
				.max_ns = INT64_MAX,
				.n_bins = 100,
				.limit = 20 };
			if (parts > 1) {
				o.begin = e->begin + (int64_t)(next_random() % parts) * length;
				o.end = o.begin + length;
			}
			if (analysis_is_of_facts(&request, 1))
				rc = ask_table(s, &request, &o, &took[n++], err);
		}
	if (rc == 0 && n)
		print_times(title, took, n);
	store_close(s);
	return rc;
}

int main(int argc, char **argv)
{
	struct mer_err err = { 0 };
	struct mer_experiment *e;
	char path[4096];
	const char *dir = getenv("TMPDIR");
	snprintf(path, sizeof(path), "%s/meridian-bench.store", dir ? dir : "/tmp");
	if (argc < 2) {
		fprintf(stderr, "usage: store TRACE...\n");
		return 2;
	}
	if (mer_experiment_open((const char *const *)argv + 1, (size_t)argc - 1, NULL, &e, &err))
		return fail(&err);
	int rc = build(e, path, &err);
	if (rc == 0)
		rc = ask(e, path, &err);
	if (rc == 0)
		rc = draw(e, path, &err);
	if (rc == 0)
		rc = count(e, path, &err);
	if (rc == 0)
		rc = ask_tables(e, path, 1, "tables of all", &err);
	if (rc == 0)
		rc = ask_tables(e, path, 20, "tables of a twentieth", &err);
	if (rc == 0)
		rc = ask_tables(e, path, 1000, "tables of a thousandth", &err);
	if (rc == 0)
		rc = look_at_all(e, path, &err);
	if (!getenv("STORE_KEEP"))
		unlink(path);
	mer_experiment_free(e);
	return rc ? fail(&err) : 0;
}
