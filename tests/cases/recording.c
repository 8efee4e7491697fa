#include "recording.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "given.h"
#include "path_check.h"

void recording_path(char *path, size_t size, const char *name)
{
	given_path(path, size, name);
}

void recording_open(struct recording *r, const char *name)
{
	char path[500];
	recording_path(path, sizeof(path), name);
	recording_open_paths(r, (const char *const[]){ path }, 1, 1);
	snprintf(r->name, sizeof(r->name), "%s", name);
}

void recording_open_paths(
	struct recording *r, const char *const *paths, size_t n, unsigned n_threads)
{
	struct mer_err err = { 0 };
	*r = (struct recording){ 0 };
	if (mer_experiment_open(paths, n, NULL, &r->e, &err) ||
		sync_gather(r->e,
			&(struct sync_gather_options){
				.n_threads = n_threads, .keep_streams = true },
			&r->messages, &err))
		fail_msg("%s", err.text);
	struct mer_arena arena;
	mer_arena_init(&arena);
	struct sync_host_info *infos = sync_host_infos(r->e, &arena);
	assert_non_null(infos);
	struct sync_options solve = { .n_threads = n_threads, .no_lines = true };
	if (r->e->n_hosts > 1 &&
		(sync_solve(&r->messages, infos, r->e->n_hosts, &solve, &r->result, &err) ||
			sync_apply(r->e, r->result, &err)))
		fail_msg("%s", err.text);
	mer_arena_fini(&arena);
	struct kernel_world_options o = { .n_threads = n_threads };
	if (kernel_world_build(r->e, &r->messages, r->result, &o, &r->w, &err))
		fail_msg("%s", err.text);
}

void recording_open_cut(struct recording *r, const struct recording *whole, const char *dir)
{
	struct mer_err err = { 0 };
	struct sync_gather_options gather = { .n_threads = 1, .keep_streams = true };
	struct kernel_world_options build = { .n_threads = 1 };
	*r = (struct recording){ 0 };
	snprintf(r->name, sizeof(r->name), "%s", whole->name);
	if (mer_experiment_open(&dir, 1, NULL, &r->e, &err) ||
		sync_gather(r->e, &gather, &r->messages, &err) ||
		(whole->result && sync_apply(r->e, whole->result, &err)) ||
		kernel_world_build(r->e, &r->messages, whole->result, &build, &r->w, &err))
		fail_msg("%s: %s", whole->name, err.text);
	assert_int_equal(r->w->n_hosts, whole->w->n_hosts);
	for (uint32_t i = 0; i < r->w->n_hosts; i++)
		assert_string_equal(r->e->hosts[i].name, whole->e->hosts[i].name);
}

void recording_close(struct recording *r)
{
	kernel_world_free(r->w);
	sync_result_free(r->result);
	sync_messages_free(&r->messages);
	mer_experiment_free(r->e);
}

uint32_t recording_host(const struct recording *r, const char *name)
{
	for (uint32_t h = 0; h < r->e->n_hosts; h++)
		if (strcmp(r->e->hosts[h].name, name) == 0)
			return h;
	fail_msg("%s: no host %s", r->name, name);
	return 0;
}

uint32_t recording_task(const struct recording *r, uint32_t host, int32_t tid, const char *comm)
{
	uint32_t task = kernel_find_task(&r->w->hosts[host], tid, comm, 0);
	if (task == KERNEL_NONE)
		fail_msg("%s: no task %d %s", r->name, (int)tid, comm ? comm : "");
	return task;
}

void recording_find_path(const struct recording *r, uint32_t host, uint32_t task, int64_t begin,
	int64_t end, struct path *path)
{
	struct mer_err err = { 0 };
	if (path_find(r->w, host, task, begin, end, path, &err))
		fail_msg("%s: %s", r->name, err.text);
	path_check(path);
}

int64_t recording_time(const struct recording *r, uint32_t host, int64_t monotonic)
{
	int64_t base = 0;
	for (uint32_t p = 0; p < r->e->n_parts; p++) {
		const struct mer_trace *t = &r->e->traces[r->e->parts[p].trace];
		if (t->host == host && t->has_clock && strcmp(t->domain, "kernel") == 0)
			base = r->e->parts[p].clocks[0].base_ns;
	}
	assert_int_not_equal(base, 0);
	int64_t t = monotonic + base;
	return r->result ? trace_map_time(&r->result->hosts[host].map, t) : t;
}
