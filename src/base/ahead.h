/* Ahead: a thread that does what will be needed next while the caller works on something else.
 *
 * A job is begun, and later waited for. If the thread has not come to it by then, the caller does
 * it itself; so everything also works without a thread, and nothing is ever waited for that is not
 * being done. Jobs are done in the order in which they were begun, by one thread at a time each. */
#ifndef MER_BASE_AHEAD_H
#define MER_BASE_AHEAD_H

#include "base/err.h"

struct mer_ahead;

/* Zeroed but for the first two; the caller's, at the same place until waited for. */
struct mer_ahead_job {
	int (*fn)(void *ctx, struct mer_err *err);
	void *ctx;
	int rc;
	struct mer_err err;
	enum { MER_AHEAD_IDLE, MER_AHEAD_WAITING, MER_AHEAD_RUNNING, MER_AHEAD_DONE } state;
	struct mer_ahead_job *next;
};

/* NULL when there can be no thread: all functions take that. */
struct mer_ahead *mer_ahead_start(void);
/* Ends when the job that runs is done; those that wait are forgotten. */
void mer_ahead_stop(struct mer_ahead *a);
void mer_ahead_begin(struct mer_ahead *a, struct mer_ahead_job *job);
/* The job's result; it may then be begun again. */
int mer_ahead_wait(struct mer_ahead *a, struct mer_ahead_job *job, struct mer_err *err);

#endif
