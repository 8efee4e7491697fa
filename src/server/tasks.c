/* All tasks, with the numbers by which lanes name them: the tree of a timeline. */
#include <inttypes.h>
#include <stdlib.h>
#include "analysis/tracer.h"
#include "api/api.h"
#include "server/state.h"
#include "session/lanes.h"

/* Names of the numbers that stand for states and causes in lanes. */
static void put_words(struct mer_json *j)
{
	mer_json_kv_array(j, "states");
	for (unsigned i = 0; i < KERNEL_N_STATES; i++)
		mer_json_text(j, kernel_state_name((enum kernel_state)i));
	mer_json_end_array(j);
	mer_json_kv_array(j, "causes");
	for (unsigned i = 0; i < KERNEL_N_CAUSES; i++)
		mer_json_text(j, i ? kernel_cause_name((enum kernel_cause)i) : NULL);
	mer_json_end_array(j);
}

static void put_number(struct mer_json *j, const char *key, int32_t v)
{
	if (v >= 0)
		mer_json_kv_int(j, key, v);
}

static void put_task(const struct session_world *w, const struct session_task *t, bool is_tracer,
	struct mer_json *j)
{
	const struct kernel_host *h = &w->world->hosts[t->host];
	const struct kernel_task *k = &h->tasks[t->task];
	mer_json_begin_object(j);
	mer_json_kv_uint(j, "task", t->task);
	put_number(j, "tid", k->tid);
	put_number(j, "pid", k->pid);
	mer_json_kv_text(j, "comm", session_task_comm(w, t));
	mer_json_kv_int(j, "begin", t->begin);
	mer_json_kv_int(j, "end", t->end);
	if (k->is_kernel)
		mer_json_kv_bool(j, "kernel", true);
	if (k->born)
		mer_json_kv_bool(j, "born", true);
	if (is_tracer)
		mer_json_kv_bool(j, "tracer", true);
	mer_json_end_object(j);
}

static int put_tasks(const struct session_world *w, uint32_t host,
	const struct session_tasks *tasks, struct mer_json *j, struct mer_err *err)
{
	bool *is_tracer = analysis_tracer_tasks(&w->world->hosts[host]);
	if (!is_tracer)
		return mer_fail_nomem(err);
	mer_json_kv_array(j, "tasks");
	for (size_t i = 0; i < tasks->n; i++)
		if (tasks->item[i].host == host)
			put_task(w, &tasks->item[i], is_tracer[tasks->item[i].task], j);
	mer_json_end_array(j);
	free(is_tracer);
	return 0;
}

static int put_hosts(
	struct session_world *w, struct mer_arena *arena, struct mer_json *j, struct mer_err *err)
{
	const struct session_selection all = { 0 };
	const struct session_window window = { INT64_MIN, INT64_MAX };
	struct session_tasks tasks;
	struct session_lanes cpus = { 0 };
	int rc = session_tasks_find(w, &all, &window, arena, &tasks, err);
	if (rc == 0)
		rc = session_lanes_of_cpus(w, &all, arena, &cpus, err);
	mer_json_kv_array(j, "hosts");
	for (uint32_t h = 0; rc == 0 && h < w->e->n_hosts; h++) {
		mer_json_begin_object(j);
		mer_json_kv_text(j, "name", session_task_host(w, h));
		mer_json_kv_array(j, "cpus");
		for (size_t i = 0; i < cpus.n; i++)
			if (cpus.item[i].host == h)
				mer_json_uint(j, cpus.item[i].number);
		mer_json_end_array(j);
		rc = put_tasks(w, h, &tasks, j, err);
		mer_json_end_object(j);
	}
	mer_json_end_array(j);
	session_lanes_fini(&cpus);
	return rc;
}

void server_tasks(struct server *s, const struct http_request *r, struct http_answer *a)
{
	struct server_traces *t = server_pictures_use(s, server_clocks_of(r), a);
	if (!t)
		return;
	struct session_world w;
	struct mer_err err = { 0 };
	struct mer_arena arena;
	struct mer_json j;
	mer_arena_init(&arena);
	mer_json_init(&j, &a->body, NULL, 0);
	mer_json_begin_object(&j);
	put_words(&j);
	int rc = session_world(api_session(t->session), SESSION_USAGE_NONE, &w, &err);
	if (rc == 0)
		rc = put_hosts(&w, &arena, &j, &err);
	server_traces_done(t);
	mer_arena_fini(&arena);
	if (rc == 0) {
		mer_json_end_object(&j);
		rc = mer_json_finish(&j, &err);
	}
	a->status = 200;
	a->type = "application/json";
	if (rc)
		server_refuse_err(a, rc, err.text);
}
