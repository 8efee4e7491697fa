/* Ahead: a thread that prepares what is needed next while the caller works on something else.
 *
 * The caller begins a job and waits for it later. If the thread has not started it by then, the
 * caller runs it itself; so everything also works without a thread, and the caller only ever waits
 * for a running job. Jobs run in the order in which they were begun, each on one thread.
 * */
#ifndef MER_BASE_AHEAD_H
#define MER_BASE_AHEAD_H

#include "base/err.h"

struct mer_ahead;

/* Zeroed except for the first two members. Owned by the caller; must not move until it was waited
 * for. */
struct mer_ahead_job {
	int (*fn)(void *ctx, struct mer_err *err);
	void *ctx;
	int rc;
	struct mer_err err;
	enum { MER_AHEAD_IDLE, MER_AHEAD_WAITING, MER_AHEAD_RUNNING, MER_AHEAD_DONE } state;
	struct mer_ahead_job *next;
};

/* NULL if no thread can be made; all functions accept NULL. */
struct mer_ahead *mer_ahead_start(void);
/* Returns when the running job is done; jobs not yet started are dropped. */
void mer_ahead_stop(struct mer_ahead *a);
void mer_ahead_begin(struct mer_ahead *a, struct mer_ahead_job *job);
/* The job's result; it may then be begun again. */
int mer_ahead_wait(struct mer_ahead *a, struct mer_ahead_job *job, struct mer_err *err);

#endif
