/* Stretches: what each task did, and for which request, from one change to the next. A stretch
 * lies in one of the task's spans, so that walking along them in the order of time looks nothing
 * up. Tasks that had nothing to do with any request have none. */
#ifndef MER_REQUESTS_STRETCHES_H
#define MER_REQUESTS_STRETCHES_H

#include "path/blocked.h"
#include "requests/requests.h"

struct requests_stretch { /* ends where the next one begins */
	int64_t begin;
	uint32_t span; /* KERNEL_NONE: what it did is not known */
	uint32_t acts; /* the exchange that it acts for, plus 1; 0: none that is known */
};

/* Of a stretch: its enum path_cause, and flags. */
enum {
	REQUESTS_CAUSE = 31,
	REQUESTS_IS_BUSY = 32, /* it does not wait */
	REQUESTS_IS_BLOCKED = 64,
	/* The wait was ended by a task that did something for it. Before the fork of the task: its
	 * parent did. */
	REQUESTS_IS_HELPED = 128
};

struct requests_stint;

struct requests_stretches { /* of a host */
	struct requests_stretch *item;
	uint8_t *what;
	/* By task; the first one of a task begins before all time. */
	size_t *from, *to;
	size_t n, cap, cap_what;
	/* What they are made of: for whom each task acts when; by task, and the end. */
	struct requests_stint *stints;
	uint32_t *stints_of;
};

/* As far as [begin, end] needs them: at these times, and where a span or a request changes in them,
 * they are those of all times. What a task did long before and after is not looked at. Into s,
 * zeroed, or with those of a part of that time; in any case requests_stretches_fini. False: no
 * memory. */
bool requests_stretches_within(const struct requests *r, uint32_t host, int64_t begin, int64_t end,
	struct requests_stretches *s);
/* The same in steps, as far as [begin, end] needs it: of few tasks yet, then of those that are
 * needed, from their waits. All that is
 * not a wait is then one stretch, as long as the task acts for the same one, with the span
 * KERNEL_NONE, and no cause is known; but not of tasks that were forked while recorded. */
bool requests_stretches_begin(const struct requests *r, uint32_t host, int64_t begin, int64_t end,
	struct requests_stretches *s);
bool requests_stretches_add(const struct requests *r, uint32_t host, uint32_t task,
	const struct blocked_host *waits, int64_t begin, int64_t end, struct requests_stretches *s);
void requests_stretches_fini(struct requests_stretches *s);

static inline bool requests_has_stretches(const struct requests_stretches *s, uint32_t task)
{
	return s->from[task] < s->to[task];
}
/* That a task, which has some, is in at that time. */
size_t requests_stretch_at(const struct requests_stretches *s, uint32_t task, int64_t time);
/* INT64_MAX: it is the task's last one. */
static inline int64_t requests_stretch_end(
	const struct requests_stretches *s, uint32_t task, size_t i)
{
	return i + 1 < s->to[task] ? s->item[i + 1].begin : INT64_MAX;
}

#endif
