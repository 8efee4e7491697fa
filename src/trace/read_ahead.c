#include "trace/read_ahead.h"

#include <stdlib.h>

#include "base/ahead.h"

/* A batch and its description. */
struct taken {
	struct trace_batch batch;
	uint64_t bytes;
};

enum { AHEAD_EVENTS = 2048 }; /* about 100 us of decoding; handing over a batch takes about 10 us */

struct trace_read_ahead {
	struct mer_cursor *cursor;
	struct mer_ahead *thread; /* NULL: none */
	struct mer_ahead_job job;
	struct taken taken[2];
	unsigned then; /* the batch to read next; the job owns it, and the cursor */
	bool at_end;
};

static int take(void *ctx, struct mer_err *err)
{
	struct trace_read_ahead *a = ctx;
	struct taken *t = &a->taken[a->then];
	int rc = trace_cursor_take(a->cursor, &t->batch, err);
	t->bytes = trace_cursor_bytes(a->cursor);
	return rc;
}

int trace_read_ahead_start(
	struct mer_cursor *c, bool has_thread, struct trace_read_ahead **out, struct mer_err *err)
{
	struct trace_read_ahead *a = *out = calloc(1, sizeof(*a));
	if (!a)
		return mer_fail_nomem(err);
	a->cursor = c;
	a->thread = has_thread ? mer_ahead_start() : NULL;
	if (a->thread)
		trace_cursor_aim(c, AHEAD_EVENTS);
	a->job = (struct mer_ahead_job){ .fn = take, .ctx = a };
	mer_ahead_begin(a->thread, &a->job);
	return 0;
}

int trace_read_ahead_next(
	struct trace_read_ahead *a, struct trace_ahead_batch *batch, struct mer_err *err)
{
	*batch = (struct trace_ahead_batch){ 0 };
	if (a->at_end)
		return 0;
	int rc = mer_ahead_wait(a->thread, &a->job, err);
	const struct taken *t = &a->taken[a->then];
	a->at_end = rc || t->batch.n == 0;
	if (rc)
		return rc;
	*batch = (struct trace_ahead_batch){ t->batch.events, t->batch.n, t->bytes };
	a->then ^= 1;
	if (!a->at_end)
		mer_ahead_begin(a->thread, &a->job);
	return 0;
}

void trace_read_ahead_stop(struct trace_read_ahead *a)
{
	if (!a)
		return;
	mer_ahead_stop(a->thread);
	for (int i = 0; i < 2; i++)
		trace_batch_fini(&a->taken[i].batch);
	free(a);
}
