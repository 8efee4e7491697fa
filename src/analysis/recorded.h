/* Recorded: whether a host's recording has events of a kind. Where it has none, a count of them is
 * not 0 but unknown: an empty cell. */
#ifndef MER_ANALYSIS_RECORDED_H
#define MER_ANALYSIS_RECORDED_H

#include "analysis/analysis.h"
#include "kernel/events.h"

/* Has a kernel trace of the host such events, by their name ("syscall_exit_*": any of them)? */
bool analysis_records(const struct analysis_run *run, uint32_t host, enum kernel_event event);
/* Empties the cells of these columns (ends with NULL) in rows of hosts that do not record the
 * event; of a table without hosts only if none of them does. */
void analysis_forget_unrecorded(const struct analysis_run *run, const struct mer_table *t,
	enum kernel_event event, const char *const *columns);

#endif
