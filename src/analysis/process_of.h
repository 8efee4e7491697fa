/* Finds the task that represents the process of each task. */
#ifndef MER_ANALYSIS_PROCESS_OF_H
#define MER_ANALYSIS_PROCESS_OF_H

#include "kernel/host.h"

/* By task: the leader of its process, or the first thread of it that was seen. If a pid is
 * reused, each process is kept apart. A task whose process is not known represents itself. In
 * arena; NULL: no memory. */
uint32_t *analysis_process_of(const struct kernel_host *h, struct mer_arena *arena);

#endif
