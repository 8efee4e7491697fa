#include "store/on_cpu.h"

#include <stdlib.h>

#include "store/lanes.h"
#include "store/types.h"

struct now { /* of a task */
	int64_t begin;
	uint16_t cpu;
	uint8_t state, cause;
	bool is_on;
};

struct reader {
	const struct kernel_host *h;
	struct now *tasks;
	uint32_t n_on; /* tasks on a CPU since a time in the window or before it */
	int64_t end;   /* of the window */
	store_on_cpu_taker *take;
	void *ctx;
};

static void put_on(struct reader *r, uint32_t task, int64_t begin, uint64_t state, uint64_t cause,
	uint64_t cpu)
{
	if (!kernel_is_on_cpu((enum kernel_state)state) || cpu == KERNEL_NO_CPU)
		return;
	r->tasks[task] = (struct now){ begin, (uint16_t)cpu, (uint8_t)state, (uint8_t)cause, true };
	r->n_on += begin <= r->end;
}

static int take_off(struct reader *r, uint32_t task, int64_t end)
{
	struct now *t = &r->tasks[task];
	if (!t->is_on)
		return 0;
	t->is_on = false;
	r->n_on -= t->begin <= r->end;
	return r->take(
		r->ctx, &(struct fact_stretch){ t->begin, end, task, t->cpu, t->state, t->cause });
}

/* The tasks that were on a CPU at the begin of the stretch of blocks. */
static bool begin_blocks(
	struct reader *r, const struct store_spans *s, uint32_t host, uint32_t stretch)
{
	uint64_t n_firsts = 0, n_spans = 0;
	const uint64_t *firsts =
		store_find(s->file, STORE_RUNNING, host, 0, sizeof(*firsts), &n_firsts);
	const uint32_t *spans =
		store_find(s->file, STORE_RUNNING, host, 1, sizeof(*spans), &n_spans);
	if (!firsts || !spans || stretch + 1 >= n_firsts || firsts[stretch + 1] > n_spans)
		return false;
	for (uint64_t i = firsts[stretch]; i < firsts[stretch + 1]; i++) {
		if (spans[i] >= s->n_spans)
			return false;
		const struct kernel_span *k = kernel_span(r->h, spans[i]);
		if (!r->tasks[k->task].is_on)
			put_on(r, k->task, k->begin, k->state, k->cause, k->cpu);
	}
	return true;
}

static int read_block(struct reader *r, const struct store_brief *b)
{
	int rc = 0;
	for (size_t i = 0; i < b->n && rc == 0; i++) {
		uint32_t task = (uint32_t)b->task[i];
		rc = take_off(r, task, (int64_t)b->begin[i]);
		put_on(r, task, (int64_t)b->begin[i], b->state[i], b->cause[i], b->cpu[i]);
	}
	return rc;
}

int store_on_cpu_read(struct store_spans *s, const struct kernel_host *h, uint32_t host,
	int64_t begin, int64_t end, bool is_exact, store_on_cpu_taker *take, void *ctx,
	struct mer_err *err)
{
	struct reader r = { .h = h, .end = end, .take = take, .ctx = ctx };
	struct store_brief *b = malloc(sizeof(*b));
	uint32_t from, to;
	int rc = 0;
	r.tasks = calloc((size_t)h->n_tasks + 1, sizeof(*r.tasks));
	if (!b || !r.tasks)
		rc = mer_fail_nomem(err);
	store_spans_between(s, begin, end, &from, &to);
	from = from / STORE_STRETCH * STORE_STRETCH;
	if (rc == 0 && from < s->n_blocks && !begin_blocks(&r, s, host, from / STORE_STRETCH))
		rc = mer_fail(err, MER_ERR_INPUT, "damaged lanes in the store");
	for (uint32_t k = from; rc == 0 && (k < to || (is_exact && k < s->n_blocks && r.n_on));
		k++) {
		store_spans_read_brief(s, k, b);
		rc = read_block(&r, b);
	}
	for (uint32_t t = 0; rc == 0 && t < h->n_tasks; t++)
		rc = take_off(&r, t, store_lanes_end(h, t));
	if (rc == 0 && s->is_damaged)
		rc = mer_fail(err, MER_ERR_INPUT, "damaged spans in the store");
	free(r.tasks);
	free(b);
	return rc;
}
