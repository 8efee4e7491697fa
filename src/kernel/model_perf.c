/* What perf itself records of tasks, besides all tracepoints: perf_fork, perf_comm (perf_exit says
 * nothing else than sched_process_exit). Where the kernel's own events of the same are there, too,
 * these come right after them, and add what perf does not say. */
#include <string.h>

#include "kernel/model_state.h"

/* Of a task that was there before. */
static int dump(struct kernel_model *m, const uint64_t *slots)
{
	uint32_t task;
	int rc = model_task_of(m, (int32_t)slots[FORK_CHILD], &task);
	if (rc)
		return rc;
	struct kernel_task *t = &m->h->tasks[task];
	t->pid = (int32_t)slots[FORK_CHILD_PID];
	if (!t->born && slots[FORK_CHILD_PID] == slots[FORK_CHILD])
		t->ppid = (int32_t)slots[FORK_PARENT_PID];
	return 0;
}

int model_perf_fork(struct kernel_model *m, struct cpu *c, const struct mer_event *ev,
	const struct kernel_binding *b)
{
	const uint64_t *slots = ev->slots;
	int32_t tid = (int32_t)slots[FORK_CHILD];
	if (tid <= 0)
		return 0;
	if (slots[FORK_TIME] == 0)
		return dump(m, slots);
	int rc = model_fork(m, c, ev, b);
	uint32_t *at = mer_map_get(&m->tids, (uint32_t)tid);
	if (rc || !at || !*at)
		return rc;
	c->forked_tid = tid;
	/* It has its parent's name until it gets its own. */
	uint32_t child = *at - 1, parent = m->h->tasks[child].parent;
	const char *name = parent == KERNEL_NONE ? "" : kernel_comm(m->h, parent);
	return *name ? kernel_rename(m->h, child, ev->ts, name, strlen(name), m->err) : 0;
}

int model_perf_comm(struct kernel_model *m, struct cpu *c, const struct mer_event *ev,
	const struct kernel_binding *b)
{
	const uint64_t *slots = ev->slots;
	int32_t tid = (int32_t)slots[TASK_TID], pid = (int32_t)slots[RENAME_PID];
	uint32_t task;
	(void)b;
	if (tid <= 0)
		return 0;
	int rc = model_task_of(m, tid, &task);
	if (rc)
		return rc;
	if (m->h->tasks[task].pid < 0 && pid > 0)
		m->h->tasks[task].pid = pid;
	if (!slots[RENAME_EXEC])
		return model_rename(m, task, ev->ts, &slots[RENAME_COMM]);
	/* The one that does it has the number of its process already. */
	uint32_t runs = c->task >= ON_CPU_IDLE ? task : c->task;
	const struct kernel_task *t = &m->h->tasks[runs];
	if (runs != task && t->pid == pid && t->end == INT64_MAX)
		rc = model_take_number(m, t->tid, ev->ts, task, &task);
	m->h->tasks[task].is_kernel = false;
	if (rc == 0)
		rc = model_rename(m, task, ev->ts, &slots[RENAME_COMM]);
	return rc ? rc : kernel_files_exec(m->files, task, m->err);
}
