/* The kernel model and paths through it: how fast, and how much memory.
 *
 *   kernel build TRACE...   reads the traces into a model, without the messages between hosts
 *   kernel path TRACE...    the same with them; then the slowest path of all tasks that were born
 *                           and died in the recording, and that of the whole recording's busiest
 *                           task */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "path/path.h"
#include "sync/auto.h"

static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int fail(const struct mer_err *err)
{
	fprintf(stderr, "kernel: %s\n", err->text);
	return 1;
}

static void report(const struct kernel_world *w, double took)
{
	uint64_t events = 0, spans = 0, bytes = 0;
	for (uint32_t i = 0; i < w->n_hosts; i++) {
		const struct kernel_host *h = &w->hosts[i];
		events += h->n_events;
		spans += h->n_spans;
		bytes += (uint64_t)h->log.n_chunks * KERNEL_CHUNK * sizeof(struct kernel_span) +
			 h->cap_tasks * sizeof(*h->tasks) + h->cap_calls * sizeof(*h->calls) +
			 h->cap_requests * sizeof(*h->requests) + h->arena.total_bytes;
	}
	printf("model: %llu events, %llu spans in %.3f s, %.2f M/s, %.1f bytes for each event\n",
		(unsigned long long)events, (unsigned long long)spans, took,
		(double)events / took / 1e6, (double)bytes / (double)events);
}

static int time_paths(const struct kernel_world *w, struct mer_err *err)
{
	double slowest = 0, first = 0;
	size_t n = 0, segments = 0;
	for (uint32_t i = 0; i < w->n_hosts; i++)
		for (uint32_t t = 0; t < w->hosts[i].n_tasks && n < 2000; t++) {
			struct path p;
			double t0 = seconds();
			int rc = path_find(w, i, t, INT64_MIN, INT64_MAX, &p, err);
			double took = seconds() - t0;
			size_t found = p.n_segments;
			path_fini(&p);
			if (rc)
				return fail(err);
			if (n++ == 0)
				first = took;
			if (took > slowest) {
				slowest = took;
				segments = found;
			}
		}
	printf("paths: the slowest of %zu took %.4f s (%zu segments), the first %.4f s\n", n,
		slowest, segments, first);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct sync_gather_options gather = { .keep_streams = true };
	struct mer_err err = { 0 };
	struct mer_experiment *e;
	struct sync_messages messages = { 0 };
	struct sync_result *r = NULL;
	struct kernel_world *w;
	if (argc < 3 || (strcmp(argv[1], "build") != 0 && strcmp(argv[1], "path") != 0)) {
		fprintf(stderr, "Usage: kernel build|path TRACE...\n");
		return 2;
	}
	bool paths = strcmp(argv[1], "path") == 0;
	if (mer_experiment_open((const char *const *)argv + 2, (size_t)argc - 2, NULL, &e, &err))
		return fail(&err);
	if (paths && sync_gather(e, &gather, &messages, &err))
		return fail(&err);
	if (paths && e->n_hosts > 1) {
		struct mer_arena arena;
		struct sync_options o = { .no_lines = true };
		mer_arena_init(&arena);
		struct sync_host_info *hosts = sync_host_infos(e, &arena);
		if (!hosts || sync_solve(&messages, hosts, e->n_hosts, &o, &r, &err) ||
			sync_apply(e, r, &err))
			return fail(&err);
		mer_arena_fini(&arena);
	}
	double t0 = seconds();
	if (kernel_world_build(e, paths ? &messages : NULL, r, NULL, &w, &err))
		return fail(&err);
	report(w, seconds() - t0);
	int status = paths ? time_paths(w, &err) : 0;
	kernel_world_free(w);
	sync_messages_free(&messages);
	sync_result_free(r);
	mer_experiment_free(e);
	return status;
}
