#include "kernel/mpi.h"

#include <stdlib.h>

#include "kernel/world.h"
#include "sync/result.h"

static uint64_t key_of(uint32_t host, int64_t tid)
{
	return (uint64_t)host << 32 | (uint32_t)tid;
}

int kernel_mpi_read(struct mer_experiment *e, const struct sync_result *r,
	struct mer_cancel *cancel, struct kernel_mpi **mpi, struct mer_err *err)
{
	*mpi = NULL;
	struct mpi_run *run;
	uint32_t *groups = calloc((size_t)e->n_hosts + 1, sizeof(*groups));
	if (!groups)
		return mer_fail_nomem(err);
	for (uint32_t h = 0; h < e->n_hosts; h++)
		groups[h] = r ? r->hosts[h].group : h;
	int rc = mpi_read(e, groups, cancel, &run, err);
	free(groups);
	if (rc || !run)
		return rc;
	struct kernel_mpi *m = calloc(1, sizeof(*m));
	if (!m) {
		mpi_run_free(run);
		return mer_fail_nomem(err);
	}
	m->run = run;
	m->next = calloc((size_t)run->n_lines + 1, sizeof(*m->next));
	m->tasks = calloc((size_t)run->n_lines + 1, sizeof(*m->tasks));
	bool ok = m->next && m->tasks;
	for (uint32_t i = 0; i < run->n_lines && ok; i++) {
		const struct mpi_process *p = mpi_process_of(run, i);
		m->tasks[i] = KERNEL_NONE;
		if (run->lines[i].tid <= 0 || p->is_otf2)
			continue;
		uint32_t *at = mer_map_put(&m->lines, key_of(p->host, run->lines[i].tid));
		ok = at != NULL;
		if (ok) {
			m->next[i] = *at;
			*at = i + 1;
		}
	}
	if (!ok) {
		kernel_mpi_free(m);
		return mer_fail_nomem(err);
	}
	*mpi = m;
	return 0;
}

void kernel_mpi_free(struct kernel_mpi *m)
{
	if (!m)
		return;
	mpi_run_free(m->run);
	free(m->next);
	free(m->tasks);
	mer_map_fini(&m->lines);
	mer_map_fini(&m->of);
	free(m);
}

/* Thread numbers are used again: the line's first event is in the task's life. */
static uint32_t find(
	const struct kernel_mpi *m, const struct kernel_task *t, uint32_t host, int32_t tid)
{
	const uint32_t *at = tid > 0 ? mer_map_get(&m->lines, key_of(host, tid)) : NULL;
	for (uint32_t i = at ? *at : 0; i; i = m->next[i - 1]) {
		const struct mpi_line *l = &m->run->lines[i - 1];
		if (l->end >= t->begin && l->begin <= t->died)
			return i - 1;
	}
	return MPI_NONE;
}

uint32_t kernel_mpi_line(
	const struct kernel_mpi *m, const struct kernel_host *h, uint32_t host, uint32_t task)
{
	const struct kernel_task *t = &h->tasks[task];
	uint32_t line = find(m, t, host, t->tid);
	return line != MPI_NONE || t->vtid == t->tid ? line : find(m, t, host, t->vtid);
}

int kernel_mpi_settle(struct kernel_mpi *m, struct kernel_world *w, struct mer_err *err)
{
	for (uint32_t h = 0; h < w->n_hosts; h++)
		for (uint32_t t = 0; t < w->hosts[h].n_tasks; t++) {
			uint32_t line = kernel_mpi_line(m, &w->hosts[h], h, t);
			if (line == MPI_NONE || m->tasks[line] != KERNEL_NONE)
				continue;
			uint32_t *at = mer_map_put(&m->of, (uint64_t)h << 32 | t);
			if (!at)
				return mer_fail_nomem(err);
			m->tasks[line] = t;
			*at = line + 1;
		}
	w->mpi = m;
	return 0;
}
