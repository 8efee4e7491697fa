#include "analysis/process_of.h"

/* Tasks are in the order in which they were first seen, so a second leader with the same number
 * begins a second process. first: by task, the first task of its process; who: by that first task,
 * the one that stands for the process (its leader, if it was seen). */
static bool place(struct mer_map *pids, const struct kernel_host *h, uint32_t task, uint32_t *first,
	uint32_t *who)
{
	const struct kernel_task *t = &h->tasks[task];
	bool leads = t->pid < 0 || t->pid == t->tid;
	uint32_t *at = mer_map_put(pids, (uint32_t)(t->pid < 0 ? t->tid : t->pid));
	if (!at)
		return false;
	const struct kernel_task *leader = *at ? &h->tasks[who[*at - 1]] : NULL;
	if (!leader || (leads && (leader->pid < 0 || leader->pid == leader->tid)))
		*at = task + 1;
	first[task] = *at - 1;
	if (*at == task + 1 || leads)
		who[*at - 1] = task;
	return true;
}

uint32_t *analysis_process_of(const struct kernel_host *h, struct mer_arena *arena)
{
	struct mer_map pids = { 0 };
	uint32_t *first = mer_arena_zalloc(arena, (size_t)h->n_tasks + 1, sizeof(*first));
	uint32_t *who = mer_arena_zalloc(arena, (size_t)h->n_tasks + 1, sizeof(*who));
	bool ok = first && who;
	for (uint32_t i = 0; i < h->n_tasks && ok; i++)
		ok = place(&pids, h, i, first, who);
	mer_map_fini(&pids);
	for (uint32_t i = 0; i < h->n_tasks && ok; i++)
		first[i] = who[first[i]];
	return ok ? first : NULL;
}
