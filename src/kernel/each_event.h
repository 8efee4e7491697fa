/* Each event: a reading of one host ahead of its model, from its first event to its last. Inline,
 * so that what is called for each event is, too. */
#ifndef MER_KERNEL_EACH_EVENT_H
#define MER_KERNEL_EACH_EVENT_H

#include "base/pool.h"
#include "trace/cursor.h"

/* see's error ends it. cancel may be NULL. */
static inline int kernel_each_event(struct mer_experiment *e, const struct trace_reading *reading,
	uint32_t host, struct mer_cancel *cancel, int (*see)(void *ctx, const struct mer_event *ev),
	void *ctx, struct mer_err *err)
{
	struct mer_cursor *c;
	size_t n = 1;
	int rc = trace_cursor_of_host(e, reading, host, &c, err);
	if (rc)
		return rc;
	while (rc == 0 && n) {
		const struct mer_event *ev;
		rc = mer_cancelled(cancel) ? mer_fail(err, MER_ERR_CANCELLED, "cancelled")
					   : mer_cursor_next(c, &ev, &n, err);
		for (size_t i = 0; rc == 0 && i < n; i++)
			rc = see(ctx, &ev[i]);
	}
	trace_cursor_drop(c);
	return rc;
}

#endif
