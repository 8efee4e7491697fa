/* Jobs: which processes belong to one program. Our interposer records it; otherwise processes are
 * taken in the order of their begin, and a rank that repeats belongs to another program. A rank
 * that occurs twice in one program belongs to none: nothing of it is matched. */
#include <stdlib.h>

#include "mpi/record.h"

static int compare_begin(const void *a, const void *b, void *run)
{
	const struct mpi_process *p = &((struct mpi_run *)run)->processes[*(const uint32_t *)a];
	const struct mpi_process *q = &((struct mpi_run *)run)->processes[*(const uint32_t *)b];
	if (p->begin != q->begin)
		return p->begin < q->begin ? -1 : 1;
	return (*(const uint32_t *)a > *(const uint32_t *)b) -
	       (*(const uint32_t *)a < *(const uint32_t *)b);
}

static uint64_t hash3(uint64_t a, uint64_t b, uint64_t c)
{
	const uint64_t key[3] = { a, b, c };
	return mer_hash(key, sizeof(key));
}

/* maps[0]: rank -> how often it occurred, for programs without a recorded key; [1]: program ->
 * number, plus 1; [2]: program and rank -> seen. */
static int number(struct mpi_recorder *r, const uint32_t *order, struct mer_map maps[3])
{
	struct mpi_run *run = r->run;
	for (uint32_t i = 0; i < run->n_processes; i++) {
		struct mpi_process *p = &run->processes[order[i]];
		uint64_t which = p->job_key;
		if (p->rank < 0) {
			p->job = run->n_jobs++;
			continue;
		}
		if (!which) {
			uint32_t *n = mer_map_put(
				&maps[0], hash3((uint64_t)p->rank, (uint64_t)p->size, p->is_otf2));
			if (!n)
				return mer_fail_nomem(r->err);
			which = hash3((*n)++, (uint64_t)p->size, p->is_otf2);
		}
		uint32_t *job = mer_map_put(&maps[1], hash3(which, p->job_key != 0, 1));
		if (job && !*job)
			*job = ++run->n_jobs;
		uint32_t *seen =
			job ? mer_map_put(&maps[2], hash3(*job, (uint64_t)p->rank, 2)) : NULL;
		if (!seen)
			return mer_fail_nomem(r->err);
		p->job = *job - 1;
		if (*seen) {
			run->doubts.twice++;
			p->job = run->n_jobs++;
		}
		*seen = 1;
	}
	return 0;
}

int mpi_find_jobs(struct mpi_recorder *r)
{
	struct mpi_run *run = r->run;
	struct mer_map maps[3] = { 0 };
	uint32_t *order = calloc((size_t)run->n_processes + 1, sizeof(*order));
	if (!order)
		return mer_fail_nomem(r->err);
	for (uint32_t i = 0; i < run->n_processes; i++)
		order[i] = i;
	qsort_r(order, run->n_processes, sizeof(*order), compare_begin, run);
	int rc = number(r, order, maps);
	for (int i = 0; i < 3; i++)
		mer_map_fini(&maps[i]);
	free(order);
	for (uint32_t i = 0; i < r->n_ends; i++)
		r->ends[i].job = mpi_process_of(run, r->ends[i].line)->job;
	for (uint32_t i = 0; i < r->n_members; i++)
		r->members[i].job = mpi_process_of(run, r->members[i].line)->job;
	return rc;
}
