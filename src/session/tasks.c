#include "session/tasks.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/map.h"

const char *session_task_host(const struct session_world *w, uint32_t host)
{
	return w->e->hosts[host].name;
}

const char *session_task_comm(const struct session_world *w, const struct session_task *t)
{
	return kernel_comm(&w->world->hosts[t->host], t->task);
}

uint64_t session_task_count(const struct session_world *w)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < w->world->n_hosts; i++)
		n += w->world->hosts[i].n_tasks;
	return n;
}

/* In the order of begin, and what cannot be compared by it in that of hosts and tasks. */
static int by_begin(const void *a, const void *b)
{
	const struct session_task *p = a, *q = b;
	if (p->begin != q->begin)
		return p->begin < q->begin ? -1 : 1;
	if (p->host != q->host)
		return p->host < q->host ? -1 : 1;
	return p->task < q->task ? -1 : p->task > q->task;
}

/* Within its life: a task that has exited still exists until its parent has noticed, but is no
 * longer alive. */
static int64_t end_of(const struct kernel_task *t)
{
	return t->died < t->end ? t->died : t->end;
}

/* The next task that is meant, from *task on. */
static bool next(const struct kernel_host *h, const struct session_selection *s,
	const struct session_window *w, uint32_t *task)
{
	for (; *task < h->n_tasks; ++*task) {
		const struct kernel_task *t = &h->tasks[*task];
		if (t->last != KERNEL_NONE && t->begin < w->end && end_of(t) > w->begin &&
			session_selects_task(s, h, *task))
			return true;
	}
	return false;
}

int session_tasks_find(const struct session_world *w, const struct session_selection *s,
	const struct session_window *window, struct mer_arena *arena, struct session_tasks *tasks,
	struct mer_err *err)
{
	size_t cap = 0;
	*tasks = (struct session_tasks){ 0 };
	for (int counting = 1; counting >= 0; counting--) {
		for (uint32_t i = 0; i < w->world->n_hosts; i++) {
			const struct kernel_host *h = &w->world->hosts[i];
			if (!session_selects_host(s, session_task_host(w, i)))
				continue;
			for (uint32_t k = 0; next(h, s, window, &k); k++) {
				const struct kernel_task *t = &h->tasks[k];
				int64_t end = end_of(t);
				if (counting)
					cap++;
				else
					tasks->item[tasks->n++] = (struct session_task){ i, k,
						t->begin > window->begin ? t->begin : window->begin,
						end < window->end ? end : window->end };
			}
		}
		if (counting) {
			tasks->item = mer_arena_zalloc(arena, cap + 1, sizeof(*tasks->item));
			if (!tasks->item)
				return mer_fail_nomem(err);
		}
	}
	qsort(tasks->item, tasks->n, sizeof(*tasks->item), by_begin);
	return 0;
}

static const struct kernel_task *task_of(
	const struct session_world *w, const struct session_tasks *tasks, size_t i)
{
	return &w->world->hosts[tasks->item[i].host].tasks[tasks->item[i].task];
}

size_t session_tasks_default(const struct session_world *w, const struct session_tasks *tasks)
{
	size_t born = tasks->n;
	for (size_t i = 0; i < tasks->n; i++) {
		const struct kernel_task *t = task_of(w, tasks, i);
		if (t->born && t->died != INT64_MAX)
			return i;
		if (t->born && born == tasks->n)
			born = i;
	}
	return born < tasks->n ? born : 0;
}

size_t session_tasks_second(
	const struct session_world *w, const struct session_tasks *tasks, size_t first)
{
	for (size_t i = first + 1; i < tasks->n; i++)
		if (task_of(w, tasks, i)->born)
			return i;
	for (size_t i = 0; i < tasks->n; i++)
		if (i != first)
			return i;
	return tasks->n;
}

int session_task_rank(const struct kernel_task *t)
{
	return t->is_kernel ? 3 : t->pid >= 0 && t->pid != t->tid ? 2 : !t->born;
}

size_t session_task_names(const struct session_world *w, const struct session_selection *s,
	const char **names, size_t max)
{
	size_t n = 0;
	struct mer_map seen = { 0 };
	for (int rank = 0; rank < SESSION_TASK_RANKS; rank++)
		for (uint32_t i = 0; i < w->world->n_hosts; i++) {
			const struct kernel_host *h = &w->world->hosts[i];
			if (!session_selects_host(s, session_task_host(w, i)))
				continue;
			for (uint32_t k = 0; k < h->n_tasks && n < max; k++) {
				const char *comm = kernel_comm(h, k);
				uint32_t *known;
				if (!*comm || session_task_rank(&h->tasks[k]) != rank)
					continue;
				known = mer_map_put(&seen, mer_hash(comm, strlen(comm)));
				if (!known)
					break; /* fewer names then */
				if (!*known)
					names[n++] = comm;
				*known = 1;
			}
		}
	mer_map_fini(&seen);
	return n;
}
