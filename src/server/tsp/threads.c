/* Threads: hosts, their processes, and the threads of these. The first thread of a process stands
 * for the process; if it was not recorded, the process has a row without states. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/map.h"
#include "server/tsp/lanes.h"
#include "trace/experiment.h"

struct tree {
	struct tsp *t;
	struct session_world *w;
	struct session_tasks tasks;
	/* By host and pid: the task that is the process, plus 1; UINT32_MAX: it has no such task,
	 * and its row was written. */
	struct mer_map processes;
};

static uint64_t key_of(uint32_t host, int32_t pid)
{
	return (uint64_t)host << 32 | (uint32_t)pid;
}

static bool is_process(const struct kernel_task *k)
{
	return k->pid < 0 || k->pid == k->tid;
}

static void put_number(struct mer_json *j, const char *key, int32_t v)
{
	mer_json_kv_array(j, key);
	mer_json_int(j, v);
	mer_json_end_array(j);
}

static void put_host(struct tree *x, uint32_t h)
{
	const struct mer_experiment *e = x->w->e;
	const char *label = e->hosts[h].name;
	tsp_begin_entry(
		&x->t->j, tsp_entry(TSP_HOST, h, 0), -1, &label, 1, e->begin, e->end, false);
	mer_json_end_object(&x->t->j);
}

static void put_task(struct tree *x, const struct session_task *s, int64_t parent)
{
	const struct kernel_task *k = &x->w->world->hosts[s->host].tasks[s->task];
	struct mer_json *j = &x->t->j;
	char tid[16], pid[16], ppid[16];
	const char *labels[] = { session_task_comm(x->w, s), tid, pid, ppid };
	snprintf(tid, sizeof(tid), "%" PRId32, k->tid);
	snprintf(pid, sizeof(pid), "%.0" PRId32, k->pid < 0 ? 0 : k->pid);
	snprintf(ppid, sizeof(ppid), "%.0" PRId32, k->ppid < 0 ? 0 : k->ppid);
	tsp_begin_entry(j, tsp_entry(TSP_TASK, s->host, s->task), parent, labels, 4, s->begin,
		s->end, true);
	mer_json_kv_object(j, "metadata");
	mer_json_kv_array(j, "hostId");
	mer_json_text(j, session_task_host(x->w, s->host));
	mer_json_end_array(j);
	put_number(j, "tid", k->tid);
	if (k->pid >= 0)
		put_number(j, "pid", k->pid);
	mer_json_end_object(j);
	mer_json_end_object(j);
}

/* The row above a thread. */
static int64_t parent_of(struct tree *x, const struct session_task *s)
{
	const struct kernel_task *k = &x->w->world->hosts[s->host].tasks[s->task];
	const struct mer_experiment *e = x->w->e;
	int64_t host = tsp_entry(TSP_HOST, s->host, 0);
	if (is_process(k))
		return host;
	uint32_t *process = mer_map_put(&x->processes, key_of(s->host, k->pid));
	if (!process)
		return host;
	int64_t id = tsp_entry(TSP_PROCESS, s->host, (uint32_t)k->pid);
	if (*process && *process != UINT32_MAX)
		return tsp_entry(TSP_TASK, s->host, *process - 1);
	if (!*process) {
		char pid[16];
		const char *labels[] = { session_task_comm(x->w, s), "", pid, "" };
		snprintf(pid, sizeof(pid), "%" PRId32, k->pid);
		tsp_begin_entry(&x->t->j, id, host, labels, 4, e->begin, e->end, false);
		mer_json_end_object(&x->t->j);
		*process = UINT32_MAX;
	}
	return id;
}

static int find_processes(struct tree *x, struct mer_err *err)
{
	for (size_t i = 0; i < x->tasks.n; i++) {
		const struct session_task *s = &x->tasks.item[i];
		const struct kernel_task *k = &x->w->world->hosts[s->host].tasks[s->task];
		if (k->pid < 0 || k->pid != k->tid)
			continue;
		uint32_t *process = mer_map_put(&x->processes, key_of(s->host, k->pid));
		if (!process)
			return mer_fail_nomem(err);
		if (!*process) /* if the pid was reused: the first process */
			*process = s->task + 1;
	}
	return 0;
}

/* Processes are written before other threads: a row must follow its parent. */
static void put_tasks(struct tree *x, uint32_t host, bool of_processes)
{
	for (size_t i = 0; i < x->tasks.n; i++) {
		const struct session_task *s = &x->tasks.item[i];
		const struct kernel_task *k = &x->w->world->hosts[s->host].tasks[s->task];
		if (s->host == host && is_process(k) == of_processes)
			put_task(x, s, parent_of(x, s));
	}
}

static int find_tasks(
	struct tsp *t, struct session_world *w, struct session_tasks *tasks, struct mer_err *err)
{
	const struct session_window ever = { INT64_MIN, INT64_MAX };
	const struct session_selection all = { 0 };
	return session_tasks_find(w, &all, &ever, &t->arena, tasks, err);
}

int tsp_threads_tree(struct tsp *t, struct mer_err *err)
{
	static const struct tsp_header headers[] = { { "Process", "name of the thread", NULL },
		{ "TID", "number of the thread", "NUMBER" },
		{ "PID", "number of the process", "NUMBER" },
		{ "PTID", "process that started it", "NUMBER" } };
	struct session_world w;
	struct tree x = { .t = t, .w = &w };
	int rc = tsp_world(t, &w, err);
	if (rc == 0)
		rc = find_tasks(t, &w, &x.tasks, err);
	if (rc == 0)
		rc = find_processes(&x, err);
	tsp_begin_tree(&t->j, headers, 4, 1);
	for (uint32_t h = 0; rc == 0 && h < w.e->n_hosts && h < TSP_MAX_HOSTS; h++) {
		put_host(&x, h);
		put_tasks(&x, h, true);
		put_tasks(&x, h, false);
	}
	tsp_end_tree(&t->j);
	mer_map_fini(&x.processes);
	return rc;
}

int tsp_threads_states(struct tsp *t, struct mer_err *err)
{
	struct session_tasks tasks;
	struct session_lanes l = { 0 };
	struct session_world w;
	int rc = tsp_world(t, &w, err);
	if (rc == 0 && !t->q.has_items)
		rc = find_tasks(t, &w, &tasks, err);
	if (rc == 0 && !t->q.has_items)
		rc = session_lanes_of_tasks(&tasks, &t->arena, &l, err);
	if (rc == 0)
		rc = tsp_lanes_asked(t, &w, TSP_TASK, &l, err);
	if (rc == 0)
		rc = tsp_put_lanes(t, &w, &l, err);
	session_lanes_fini(&l);
	return rc;
}
