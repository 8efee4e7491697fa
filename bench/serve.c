/* The server's pictures: how long lanes take, at any zoom and place.
 *
 *   serve CACHE TRACE...   60 lanes of 1600 bins in 300 windows, from a store in the folder CACHE,
 *                          which is made first if it is not there
 *
 * Without HTTP: what a connection on the same host adds is some 0.1 ms. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ask/library/api.h"
#include "server/server.h"
#include "server/state.h"
#include "session/lanes.h"

enum { WINDOWS = 300, LANES = 60, BINS = 1600 };

static double now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static double next_random(void) /* 0 to 1 */
{
	static uint64_t state = 1;
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (double)(state >> 33) / (double)(1u << 31);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* All CPUs, then tasks, evenly over all that there are. */
static int choose_lanes(struct server *s, struct mer_str *list, struct mer_err *err)
{
	const struct session_selection all = { 0 };
	const struct session_window always = { INT64_MIN, INT64_MAX };
	struct session *session = api_session(s->traces[SERVER_CLOCKS_ALIGNED].session);
	struct session_world w;
	struct session_tasks tasks;
	struct session_lanes cpus = { 0 };
	struct mer_arena arena;
	mer_arena_init(&arena);
	int rc = session_world(session, SESSION_USAGE_NONE, &w, err);
	if (rc == 0)
		rc = session_tasks_find(&w, &all, &always, &arena, &tasks, err);
	if (rc == 0)
		rc = session_lanes_of_cpus(&w, &all, &arena, &cpus, err);
	size_t n = 0;
	for (; rc == 0 && n < cpus.n && n < LANES; n++)
		mer_str_printf(list, "%sc:%" PRIu32 ":%" PRIu32, n ? "," : "", cpus.item[n].host,
			cpus.item[n].number);
	for (size_t left = LANES - n, i = 0; rc == 0 && i < left && i < tasks.n; i++) {
		const struct session_task *t = &tasks.item[i * tasks.n / left % tasks.n];
		mer_str_printf(list, "%st:%" PRIu32 ":%" PRIu32, n++ ? "," : "", t->host, t->task);
	}
	session_lanes_fini(&cpus);
	mer_arena_fini(&arena);
	return rc;
}

static double ask(struct server *s, const char *lanes, int64_t begin, int64_t end)
{
	struct mer_str target = { 0 };
	struct http_answer a = { 0 };
	mer_str_printf(&target, "/api/lanes?begin=%" PRId64 "&end=%" PRId64 "&bins=%d&lanes=%s",
		begin, end, BINS, lanes);
	double since = now_ms();
	server_ask(s, target.data, &a);
	double took = now_ms() - since;
	if (a.status != 200)
		fprintf(stderr, "serve: %s\n", a.body.data);
	mer_str_fini(&a.body);
	mer_str_fini(&target);
	return a.status == 200 ? took : -1;
}

int main(int argc, char **argv)
{
	struct mer_session_options session = { .size = sizeof(session), .store = true };
	struct server *s;
	struct mer_err err = { 0 };
	struct mer_str lanes = { 0 };
	double took[WINDOWS];
	if (argc < 3) {
		fprintf(stderr, "usage: serve CACHE TRACE...\n");
		return 2;
	}
	session.cache_folder = argv[1];
	struct server_options o = { .paths = (const char *const *)argv + 2,
		.n_paths = (size_t)argc - 2,
		.session = &session };
	double since = now_ms();
	if (server_open(&o, &s, &err) || choose_lanes(s, &lanes, &err)) {
		fprintf(stderr, "serve: %s\n", err.text);
		return 1;
	}
	printf("open: %.1f ms\n", now_ms() - since);
	const struct mer_experiment *e =
		mer_session_experiment(s->traces[SERVER_CLOCKS_ALIGNED].session);
	for (int i = 0; i < WINDOWS; i++) {
		double whole = (double)(e->end - e->begin);
		double width = whole * pow(10, -6 * next_random());
		int64_t begin = e->begin + (int64_t)((whole - width) * next_random());
		took[i] = ask(s, lanes.data, begin, begin + (int64_t)width + 1);
		if (took[i] < 0)
			return 1;
	}
	qsort(took, WINDOWS, sizeof(*took), compare);
	printf("%d lanes of %d bins: median %.3f ms, p95 %.3f ms, longest %.3f ms\n", LANES, BINS,
		took[WINDOWS / 2], took[WINDOWS * 95 / 100], took[WINDOWS - 1]);
	mer_str_fini(&lanes);
	server_stop(s);
	return 0;
}
