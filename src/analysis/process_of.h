/* Process of: which task stands for the process of each task. */
#ifndef MER_ANALYSIS_PROCESS_OF_H
#define MER_ANALYSIS_PROCESS_OF_H

#include "kernel/host.h"

/* By task: the leader of its process, or the first of it that was seen; of two processes with one
 * number each has its own. A task whose process is not known is one by itself. In arena; NULL: no
 * memory. */
uint32_t *analysis_process_of(const struct kernel_host *h, struct mer_arena *arena);

#endif
