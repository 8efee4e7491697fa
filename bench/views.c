/* Finds the states of views in a trace: events of the trace per second, and what was found.
 *
 *   views TRACE VIEW... */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "trace/experiment.h"
#include "views/states.h"

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double cpu(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	const struct view *views[VIEW_MAX_FILES];
	struct mer_experiment *e;
	struct view_states *states;
	struct mer_err err = { 0 };
	struct view_options o = { .n_threads = 1 };
	uint32_t n = 0;
	if (argc < 3 || argc > VIEW_MAX_FILES + 2) {
		fprintf(stderr, "usage: views TRACE VIEW...\n");
		return 2;
	}
	int rc = mer_experiment_open((const char *const *)&argv[1], 1, NULL, &e, &err);
	for (int i = 2; i < argc && rc == 0; i++) {
		struct view *v;
		rc = view_load(argv[i], &v, &err);
		views[n++] = v;
	}
	double wall = now(), used = cpu();
	if (rc == 0)
		rc = view_states_find(e, views, n, &o, &states, &err);
	wall = now() - wall;
	used = cpu() - used;
	if (rc) {
		fprintf(stderr, "%s\n", err.text);
		return 3;
	}
	uint64_t fits = 0, n_states = 0, rows = 0;
	for (uint32_t h = 0; h < states->n_hosts; h++) {
		fits += states->hosts[h].n_events;
		n_states += states->hosts[h].n_states;
		rows += states->hosts[h].n_rows;
	}
	printf("%" PRIu64 " events fit, %" PRIu64 " states in %" PRIu64
	       " rows: %.3f s, %.3f s on a CPU, %.1f M fitting events/s of CPU\n",
		fits, n_states, rows, wall, used, (double)fits / used / 1e6);
	view_states_free(states);
	mer_experiment_free(e);
	return 0;
}
