/* MPI: which tasks the ranks of MPI programs are (mpi/run.h), so that what they waited for in MPI
 * can be followed, although the kernel shows them running.
 *
 * Tasks are known while hosts are read, or when they were; both ask here. */
#ifndef MER_KERNEL_MPI_H
#define MER_KERNEL_MPI_H

#include "kernel/host.h"
#include "mpi/run.h"

struct kernel_mpi {
	struct mpi_run *run;
	uint32_t *next;	      /* by line: another one of the same host and thread number, plus 1 */
	struct mer_map lines; /* host and thread number -> the first line, plus 1 */
	uint32_t *tasks;      /* by line, once all hosts were read: its task; KERNEL_NONE */
	struct mer_map of;    /* host and task -> its line, plus 1, then too */
};

/* r: the synchronization that was applied to e; NULL: none was. *mpi NULL: no MPI was recorded. */
struct sync_result;
int kernel_mpi_read(struct mer_experiment *e, const struct sync_result *r,
	struct mer_cancel *cancel, struct kernel_mpi **mpi, struct mer_err *err);
void kernel_mpi_free(struct kernel_mpi *); /* NULL is fine */
/* The line of a task, from all that is known of it so far; MPI_NONE: it is of none. */
uint32_t kernel_mpi_line(
	const struct kernel_mpi *m, const struct kernel_host *h, uint32_t host, uint32_t task);

struct kernel_world;
/* Finds all tasks; the world then has it, but does not own it. */
int kernel_mpi_settle(struct kernel_mpi *m, struct kernel_world *w, struct mer_err *err);
/* Then: MPI_NONE. */
static inline uint32_t kernel_mpi_line_of(const struct kernel_mpi *m, uint32_t host, uint32_t task)
{
	const uint32_t *at = m ? mer_map_get(&m->of, (uint64_t)host << 32 | task) : NULL;
	return at && *at ? *at - 1 : MPI_NONE;
}

#endif
