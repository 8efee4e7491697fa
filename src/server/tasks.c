/* All tasks, with the numbers by which lanes name them: the tree of a timeline, as tables and as
 * JSON. */
#include <inttypes.h>
#include <stdlib.h>
#include "analysis/tracer.h"
#include "ask/library/api.h"
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

/* Of cpus and tasks, row is that of their host. */
enum { HOST, N_HOSTS };
enum { CPU_ROW, CPU, N_CPUS };
enum { ROW, TASK, TID, PID, COMM, BEGIN, END, KERNEL, BORN, TRACER, N_TASKS };

static int add_tasks(const struct session_world *w, uint32_t host,
	const struct session_tasks *tasks, struct mer_table *t, struct mer_err *err)
{
	bool *is_tracer = analysis_tracer_tasks(&w->world->hosts[host]);
	if (!is_tracer)
		return mer_fail_nomem(err);
	for (size_t i = 0; i < tasks->n; i++) {
		const struct session_task *own = &tasks->item[i];
		const struct kernel_task *k = &w->world->hosts[host].tasks[own->task];
		if (own->host == host)
			mer_table_add(t, (struct mer_cell[N_TASKS]){
						 [ROW] = MER_INT(host + 1),
						 [TASK] = MER_INT(own->task),
						 [TID] = mer_natural(k->tid),
						 [PID] = mer_natural(k->pid),
						 [COMM] = mer_text(session_task_comm(w, own)),
						 [BEGIN] = MER_INT(own->begin),
						 [END] = MER_INT(own->end),
						 [KERNEL] = mer_int_unless(k->is_kernel, 0),
						 [BORN] = mer_int_unless(k->born, 0),
						 [TRACER] = mer_int_unless(is_tracer[own->task], 0),
					 });
	}
	free(is_tracer);
	return 0;
}

static int add_hosts(
	struct session_world *w, struct mer_arena *arena, struct answer *a, struct mer_err *err)
{
	static const struct mer_column of_hosts[N_HOSTS + 1] = {
		[HOST] = { "host", "Host", MER_TEXT },
	};
	static const struct mer_column of_cpus[N_CPUS + 1] = {
		[CPU_ROW] = { "row", NULL, MER_ID },
		[CPU] = { "cpu", "CPU", MER_ID },
	};
	static const struct mer_column of_tasks[N_TASKS + 1] = {
		[ROW] = { "row", NULL, MER_ID },
		[TASK] = { "task", "Task", MER_ID },
		[TID] = { "tid", "TID", MER_ID },
		[PID] = { "pid", "PID", MER_ID },
		[COMM] = { "comm", "Name", MER_TEXT },
		[BEGIN] = { "begin", "Begin", MER_DATE },
		[END] = { "end", "End", MER_DATE },
		[KERNEL] = { "kernel", NULL, MER_ID },
		[BORN] = { "born", NULL, MER_ID },
		[TRACER] = { "tracer", NULL, MER_ID },
	};
	const struct session_selection all = { 0 };
	const struct session_window window = { INT64_MIN, INT64_MAX };
	struct session_tasks tasks;
	struct session_lanes lanes = { 0 };
	struct mer_table *hosts = answer_add(a, "hosts", "Hosts", of_hosts);
	struct mer_table *cpus = answer_add(a, "cpus", "CPUs", of_cpus);
	struct mer_table *t = answer_add(a, "tasks", "Tasks", of_tasks);
	int rc = session_tasks_find(w, &all, &window, arena, &tasks, err);
	if (rc == 0)
		rc = session_lanes_of_cpus(w, &all, arena, &lanes, err);
	for (size_t i = 0; rc == 0 && i < lanes.n; i++)
		mer_table_add(cpus, (struct mer_cell[N_CPUS]){
					    [CPU_ROW] = MER_INT(lanes.item[i].host + 1),
					    [CPU] = MER_INT(lanes.item[i].number),
				    });
	for (uint32_t h = 0; rc == 0 && h < w->e->n_hosts; h++) {
		mer_table_add(hosts,
			(struct mer_cell[N_HOSTS]){ [HOST] = mer_text(session_task_host(w, h)) });
		rc = add_tasks(w, h, &tasks, t, err);
	}
	session_lanes_fini(&lanes);
	return rc;
}

/* While the traces are in use: it borrows their texts. */
static int find(
	struct server_traces *t, struct mer_arena *arena, struct answer *a, struct mer_err *err)
{
	struct session *session = api_session(t->session);
	struct session_world w;
	int rc = session_world(session, SESSION_USAGE_NONE, &w, err);
	answer_init(a, NULL);
	if (rc)
		return rc;
	a->begin = w.e->begin;
	a->end = w.e->end;
	a->synced = session_synced(session);
	rc = add_hosts(&w, arena, a, err);
	return rc ? rc : answer_check(a, err);
}

int server_all_tasks(struct server *s, struct answer *answer, struct mer_err *err)
{
	struct server_traces *t;
	struct mer_arena arena;
	struct answer a;
	answer_init(answer, NULL);
	int rc = server_traces_take(s, server_pictures_use, SERVER_CLOCKS_ALIGNED, &t, err);
	if (rc)
		return rc;
	mer_arena_init(&arena);
	rc = find(t, &arena, &a, err);
	if (rc == 0)
		rc = answer_take(answer, &a, err);
	answer_fini(&a);
	server_traces_done(t);
	mer_arena_fini(&arena);
	return rc ? rc : server_check_cut(err);
}

/* ---- JSON ---- */

static void put_task(const struct mer_table *t, const struct mer_cell *row, struct mer_json *j)
{
	mer_json_begin_object(j);
	for (size_t c = TASK; c < N_TASKS; c++) {
		const char *key = t->columns[c].key;
		if (c == COMM)
			mer_json_kv_text(j, key, row[c].set ? row[c].v.text : NULL);
		else if (row[c].set && c >= KERNEL)
			mer_json_kv_bool(j, key, true);
		else if (row[c].set)
			mer_json_kv_int(j, key, row[c].v.i);
	}
	mer_json_end_object(j);
}

static void put_hosts(const struct answer *a, struct mer_json *j)
{
	const struct mer_table *hosts = answer_find(a, "hosts"), *cpus = answer_find(a, "cpus"),
			       *tasks = answer_find(a, "tasks");
	mer_json_kv_array(j, "hosts");
	for (size_t h = 0; h < hosts->n_rows; h++) {
		mer_json_begin_object(j);
		mer_json_kv_text(j, "name", hosts->cells[h].v.text);
		mer_json_kv_array(j, "cpus");
		for (size_t i = 0; i < cpus->n_rows; i++)
			if (cpus->cells[i * N_CPUS + CPU_ROW].v.i == (int64_t)h + 1)
				mer_json_int(j, cpus->cells[i * N_CPUS + CPU].v.i);
		mer_json_end_array(j);
		mer_json_kv_array(j, "tasks");
		for (size_t i = 0; i < tasks->n_rows; i++)
			if (tasks->cells[i * N_TASKS + ROW].v.i == (int64_t)h + 1)
				put_task(tasks, tasks->cells + i * N_TASKS, j);
		mer_json_end_array(j);
		mer_json_end_object(j);
	}
	mer_json_end_array(j);
}

void server_tasks(struct server *s, const struct http_request *r, struct http_answer *a)
{
	struct server_traces *t = server_pictures_use(s, server_clocks_of(r), a);
	struct mer_err err = { 0 };
	struct mer_arena arena;
	struct mer_json j;
	struct answer all;
	if (!t)
		return;
	mer_arena_init(&arena);
	mer_json_init(&j, &a->body, NULL, 0);
	mer_json_begin_object(&j);
	put_words(&j);
	int rc = find(t, &arena, &all, &err);
	if (rc == 0)
		put_hosts(&all, &j);
	answer_fini(&all);
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
