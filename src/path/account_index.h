/* Account index: for each task the waits that it ended, in the order in which it ended them. It
 * decides to which waiting task a moment of work belongs. For account*.c only.
 *
 * Waits for work that a task ended are requests, or work handed on. A task that hands on a
 * request does so for the client of the task that gets it: a moment that no other wait has a
 * claim on belongs to the next such wait. */
#ifndef MER_PATH_ACCOUNT_INDEX_H
#define MER_PATH_ACCOUNT_INDEX_H

#include "path/account.h"

struct account_ended { /* a wait, listed under the task that ended it */
	int64_t asked; /* when it did so; by a packet: when that was sent */
	int64_t begin; /* of the wait; of a client that was ready first: when its request arrived */
	int64_t earliest;    /* begin of this and all behind it of the same waker that are claims */
	int64_t work_before; /* asked of the one for work before this one, INT64_MIN: none */
	uint32_t host, task;
	uint32_t span; /* who waited */
	bool for_work;
	bool is_claim; /* of a client of who ended it: blocked_wait.is_answer */
};

struct account_index {
	const struct blocked *b;
	const struct usage *u;	     /* NULL: nothing was used */
	struct account_ended *ended; /* by the task that ended them, then by asked */
	size_t *first;		     /* in ended, of each task (account_task_number), and the end */
};

/* The order of what one task ended. */
int account_compare_ended(const void *a, const void *b);

/* A number for a task, different for each of any host. */
static inline size_t account_task_number(const struct blocked *b, uint32_t host, uint32_t task)
{
	return (size_t)b->hosts[host].processes + task;
}

/* Of the wait in this span, which ends then. False: no task, or not known. */
bool account_find_waker(const struct kernel_world *w, uint32_t host, uint32_t span, int64_t end,
	struct kernel_waker *by);
/* Since when who ended the wait may have worked for it, at least since begin: for a guest's request
 * since that was issued. */
int64_t account_since(const struct kernel_world *w, uint32_t host, uint32_t span, int64_t begin);
/* The wait that this span is part of; NULL: it is none. */
const struct blocked_wait *account_wait(
	const struct blocked *b, uint32_t host, uint32_t span, int64_t end);
/* Where this wait is among those that its waker ended; they end at x->first[number + 1]. found: it
 * is there, and not only its place. */
size_t account_position(const struct account_index *x, const struct kernel_waker *by, uint32_t host,
	uint32_t span, bool *found);

#endif
