#include "analysis/relations/started.h"

static bool is_of_processes(const struct relation *r)
{
	return r->kind == RELATION_FORK || r->kind == RELATION_WAIT;
}

/* Is it communication through an object that both tasks use? */
static bool communicates(const struct relation *r)
{
	return !is_of_processes(r) && r->kind != RELATION_KERNEL && r->kind != RELATION_MEMORY &&
	       r->kind != RELATION_SIGNAL && r->kind != RELATION_PTRACE;
}

static uint64_t key_of(const struct kernel_host *h, uint32_t host, uint32_t from, uint32_t to)
{
	const struct kernel_task *p = &h->tasks[from], *q = &h->tasks[to];
	uint32_t key[3] = { host, (uint32_t)(p->pid >= 0 ? p->pid : p->tid),
		(uint32_t)(q->pid >= 0 ? q->pid : q->tid) };
	return mer_hash(key, sizeof(key));
}

bool relation_started_note(
	struct relation_started *x, const struct analysis_run *run, const struct relation *r)
{
	if (r->from_host != r->to_host || !communicates(r))
		return true;
	const struct kernel_host *h = &run->world->hosts[r->from_host];
	uint32_t *at = mer_map_put(&x->gives, key_of(h, r->from_host, r->from, r->to));
	if (at)
		*at = 1;
	return at != NULL;
}

static bool same_process(const struct kernel_host *h, uint32_t a, uint32_t b)
{
	return a == b || (h->tasks[a].pid >= 0 && h->tasks[a].pid == h->tasks[b].pid);
}

static bool stems_from(const struct kernel_host *h, uint32_t task, uint32_t of)
{
	enum { GENERATIONS = 64 }; /* ancestors: processes and threads */
	if (same_process(h, task, of))
		return false;
	for (int i = 0; i < GENERATIONS && task != KERNEL_NONE; i++) {
		if (same_process(h, task, of))
			return true;
		task = h->tasks[task].born ? h->tasks[task].parent : KERNEL_NONE;
	}
	return false;
}

bool relation_is_started(
	const struct relation_started *x, const struct analysis_run *run, const struct relation *r)
{
	const struct kernel_host *h = &run->world->hosts[r->to_host];
	if (is_of_processes(r))
		return true;
	if (r->from_host != r->to_host || !communicates(r) || !stems_from(h, r->from, r->to))
		return false;
	return !mer_map_get(&x->gives, key_of(h, r->to_host, r->to, r->from));
}

void relation_started_fini(struct relation_started *x)
{
	mer_map_fini(&x->gives);
}
