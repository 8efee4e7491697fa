/* Reads a trace through the library and does nothing with it: what reading itself costs.
 *
 *   read_rows all|sched|walk [-j N] [-p N] TRACE...
 *
 * all: every field of every event into rows, merged in the order of time; sched: the scheduling and
 * network events only, merged; walk: no fields, no order. -p: every host's clock is put on a
 * reference by a map of so many pieces. Prints events and seconds, after the traces were opened. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "trace/slices.h"
#include "trace/walk.h"

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

struct sum { /* of one slice: so that nothing can be left out */
	uint64_t events, times, slots;
	_Alignas(64) char apart;
};

struct job {
	struct sum slot[300], all;
};

static void begin(void *ctx, size_t slot)
{
	((struct job *)ctx)->slot[slot] = (struct sum){ 0 };
}

static int batch(void *ctx, size_t slot, const struct mer_cursor *c, const struct mer_event *ev,
	size_t n, struct mer_err *err)
{
	struct sum *s = &((struct job *)ctx)->slot[slot];
	(void)c;
	(void)err;
	s->events += n;
	for (size_t i = 0; i < n; i++) {
		s->times += (uint64_t)ev[i].ts;
		s->slots += ev[i].slots[0];
	}
	return 0;
}

static int consume(void *ctx, size_t slot, struct mer_err *err)
{
	struct job *j = ctx;
	(void)err;
	j->all.events += j->slot[slot].events;
	j->all.times += j->slot[slot].times;
	j->all.slots += j->slot[slot].slots;
	return 0;
}

static const struct mer_need sched[] = {
	{ "sched_switch", "prev_tid next_tid prev_state" },
	{ "sched_wak*", "tid target_cpu" },
	{ "sched_process_*", "tid" },
	{ "net_dev_queue", "skbaddr len" },
	{ "net*_receive_skb", "skbaddr len" },
};

static int read_rows(
	struct mer_experiment *e, const char *what, unsigned threads, struct mer_err *err)
{
	struct trace_reading *r;
	bool all = strcmp(what, "all") == 0;
	int rc = all ? trace_reading_new(e, NULL, false, &r, err)
		     : trace_reading_from_needs(
			       e, sched, sizeof(sched) / sizeof(*sched), false, &r, err);
	if (rc)
		return rc;
	static struct job job;
	struct trace_slices_job slices = { .reading = r,
		.range = { INT64_MIN, INT64_MAX },
		.n_threads = threads,
		.slice_bytes = 32 << 20,
		.ctx = &job,
		.begin = begin,
		.batch = batch,
		.consume = consume };
	rc = trace_run_slices(e, &slices, err);
	printf("%" PRIu64 " events, times %016" PRIx64 ", slots %016" PRIx64 "\n", job.all.events,
		job.all.times, job.all.slots);
	trace_reading_free(r);
	return rc;
}

static int walk(struct mer_experiment *e, unsigned threads, struct mer_err *err)
{
	struct trace_counts *counts;
	int rc = trace_walk(e, threads, NULL, NULL, &counts, err);
	if (rc)
		return rc;
	printf("%" PRIu64 " events\n", counts->all.events);
	trace_counts_free(counts);
	return 0;
}

/* What the process has in memory but for the mapped files. */
static void print_memory(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[200];
	long kb;
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "RssAnon: %ld", &kb) == 1)
			printf("private %ld KB\n", kb);
	if (f)
		fclose(f);
}

/* Clocks up to 50 ppm fast and slow, by turns. */
static int apply_maps(struct mer_experiment *e, size_t n_pieces, struct mer_err *err)
{
	struct trace_clock_piece *p = calloc(n_pieces, sizeof(*p));
	struct trace_clock_map *maps = calloc(e->n_hosts + 1u, sizeof(*maps));
	if (!p || !maps || e->begin == MER_NO_TIME) {
		free(p);
		free(maps);
		return mer_fail(err, MER_ERR_USAGE, "-p: no memory or no time");
	}
	const int64_t ppm = ((int64_t)1 << TRACE_RATE_BITS) / 1000000;
	int64_t each = (e->end - e->begin) / (int64_t)n_pieces + 1;
	for (size_t i = 0; i < n_pieces; i++) {
		p[i].begin = e->begin + (int64_t)i * each;
		p[i].rate = (i % 2 ? -50 : 50) * ppm;
		p[i].time = i ? trace_piece_time(&p[i - 1], p[i].begin) : p[i].begin + 12345;
	}
	for (uint32_t h = 0; h < e->n_hosts; h++)
		maps[h] = (struct trace_clock_map){ p, n_pieces };
	int rc = trace_apply_clock_maps(e, maps, err);
	free(p);
	free(maps);
	return rc;
}

int main(int argc, char **argv)
{
	unsigned threads = 1;
	size_t pieces = 0;
	int first = 2;
	for (; argc > first + 2 && argv[first][0] == '-'; first += 2)
		if (strcmp(argv[first], "-j") == 0)
			threads = (unsigned)atoi(argv[first + 1]);
		else if (strcmp(argv[first], "-p") == 0)
			pieces = (size_t)atoi(argv[first + 1]);
		else
			break;
	if (argc <= first || argv[first][0] == '-') {
		fprintf(stderr, "usage: read_rows all|sched|walk [-j N] [-p N] TRACE...\n");
		return 2;
	}
	struct mer_err err;
	struct mer_experiment *e;
	double t0 = now();
	if (mer_experiment_open(
		    (const char *const *)argv + first, (size_t)(argc - first), NULL, &e, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 3;
	}
	if (pieces && apply_maps(e, pieces, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 3;
	}
	double t1 = now();
	int rc = strcmp(argv[1], "walk") == 0 ? walk(e, threads, &err)
					      : read_rows(e, argv[1], threads, &err);
	if (rc)
		fprintf(stderr, "%s\n", err.text);
	printf("open %.6f s, read %.6f s\n", t1 - t0, now() - t1);
	print_memory();
	mer_experiment_free(e);
	return rc ? 3 : 0;
}
