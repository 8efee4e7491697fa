#include "ftrace/perf/write.h"

#include <stdlib.h>

#include "base/ahead.h"
#include "base/grow.h"
#include "ftrace/copy.h"
#include "ftrace/perf/switches.h"

enum { BATCH = 2048 };

struct cpu {
	struct ftrace_stream *stream;
	struct perf_on_cpu on;
	/* Records of tasks since its last sample, malloc'ed: only the next sample shows whether
	 * they belong to the recorded time. */
	struct copied_waiting *held;
	size_t n_held, cap_held;
};

struct batch {
	struct mer_ahead_job job;
	struct perf_writer *writer;
	size_t n;
	struct copied_waiting entries[BATCH];
	uint32_t cpus[BATCH];
};

struct perf_writer {
	struct mer_ahead *ahead; /* NULL: there is no thread */
	struct batch batches[2]; /* one is filled while the other is written */
	unsigned filled;
	bool is_given; /* the thread has the other one, until it is waited for */
	/* From here on: used by the thread that writes. */
	struct ftrace_copy *copy;
	struct perf_tasks *tasks;
	const struct ctf_event_class *switches; /* NULL: none yet */
	bool is_be;
	struct cpu *cpus;
	size_t cap_cpus;
	uint64_t first, last; /* times of samples; last 0: none yet */
};

static int open_stream(struct perf_writer *w, struct cpu *c, uint32_t cpu, struct mer_err *err)
{
	return c->stream ? 0 : ftrace_stream_open(w->copy, "", cpu, &c->stream, err);
}

/* The record whose head is at this place. */
static bool record_at(const struct perf_writer *w, const void *at, struct perf_record *r)
{
	uint16_t size = ftrace_load16((const uint8_t *)at + 6, w->is_be);
	struct ftrace_bytes b = ftrace_bytes(at, size, w->is_be);
	return perf_record_next(&b, r);
}

/* Writes a record of a task if it is within the recorded time. An earlier one belongs to the state
 * at the begin; a later one is left out. */
static int write_held(
	struct perf_writer *w, struct cpu *c, const struct copied_waiting *e, struct mer_err *err)
{
	struct perf_record r;
	if (!record_at(w, e->at, &r) || e->time > w->last)
		return 0;
	if (e->time >= w->first) {
		int rc = perf_tasks_event(w->tasks, c->stream, e->time, &r, err);
		return rc || r.type != PERF_EXIT ? rc
						 : perf_switch_exit(w->switches, &c->on, c->stream,
							   e->time, &r, w->is_be, err);
	}
	return perf_tasks_take(w->tasks, &r, w->is_be) ? 0 : mer_fail_nomem(err);
}

static int write_all_held(struct perf_writer *w, struct cpu *c, uint32_t cpu, struct mer_err *err)
{
	int rc = open_stream(w, c, cpu, err);
	for (size_t i = 0; i < c->n_held && rc == 0; i++)
		rc = write_held(w, c, &c->held[i], err);
	c->n_held = 0;
	return rc;
}

/* Called before a sample or a loss is written: writes held records, and dumps tasks. */
static int prepare(
	struct perf_writer *w, struct cpu *c, uint32_t cpu, uint64_t time, struct mer_err *err)
{
	if (w->last == 0 || time < w->first)
		w->first = time;
	w->last = time > w->last ? time : w->last;
	int rc = write_all_held(w, c, cpu, err);
	return rc ? rc : perf_tasks_dump(w->tasks, c->stream, time, err);
}

static int write_entry(
	struct perf_writer *w, uint32_t cpu, const struct copied_waiting *e, struct mer_err *err)
{
	struct cpu *c = mer_grow_at(&w->cpus, &w->cap_cpus, cpu, sizeof(*w->cpus));
	if (!c)
		return mer_fail_nomem(err);
	if (e->at && !e->size && !e->more) {
		if (!mer_grow(&c->held, c->n_held, &c->cap_held, sizeof(*c->held)))
			return mer_fail_nomem(err);
		c->held[c->n_held++] = *e;
		return 0;
	}
	if (!c->stream || c->n_held || w->tasks->n_dumped < w->tasks->n) {
		int rc = prepare(w, c, cpu, e->time, err);
		if (rc)
			return rc;
	}
	w->last = e->time > w->last ? e->time : w->last;
	if (!e->at) {
		perf_switch_lost(&c->on);
		return ftrace_stream_lost(c->stream, e->more, err);
	}
	struct perf_record r;
	if (!e->size)
		return record_at(w, e->at, &r) ? perf_switch_event(&w->switches, &c->on, c->stream,
							 e->time, &r, w->is_be, err)
					       : 0;
	const struct ftrace_chain chain = { .at = (const uint8_t *)e->at - 4 - (size_t)e->more * 8,
		.n = e->more };
	return ftrace_stream_sample(c->stream, e->time, e->at, e->size, chain, err);
}

/* ---- by a thread ---- */

static int write_batch(void *ctx, struct mer_err *err)
{
	struct batch *b = ctx;
	int rc = 0;
	for (size_t i = 0; i < b->n && rc == 0; i++)
		rc = write_entry(b->writer, b->cpus[i], &b->entries[i], err);
	b->n = 0;
	return rc;
}

static int wait_for_other(struct perf_writer *w, struct mer_err *err)
{
	bool is_given = w->is_given;
	w->is_given = false;
	return is_given ? mer_ahead_wait(w->ahead, &w->batches[!w->filled].job, err) : 0;
}

/* Gives the filled batch to the thread, once it has written the one before. */
static int hand_over(struct perf_writer *w, struct mer_err *err)
{
	struct batch *b = &w->batches[w->filled];
	if (!w->ahead)
		return write_batch(b, err);
	int rc = wait_for_other(w, err);
	if (rc)
		return rc;
	mer_ahead_begin(w->ahead, &b->job);
	w->is_given = true;
	w->filled = !w->filled;
	return 0;
}

int perf_writer_put(
	struct perf_writer *w, uint32_t cpu, const struct copied_waiting *e, struct mer_err *err)
{
	struct batch *b = &w->batches[w->filled];
	b->entries[b->n] = *e;
	b->cpus[b->n] = cpu;
	return ++b->n == BATCH ? hand_over(w, err) : 0;
}

static int end(struct perf_writer *w, struct mer_err *err)
{
	int rc = 0;
	for (size_t i = 0; i < w->cap_cpus && rc == 0; i++)
		if (w->cpus[i].n_held && w->last)
			rc = write_all_held(w, &w->cpus[i], (uint32_t)i, err);
	for (size_t i = 0; i < w->cap_cpus && rc == 0; i++)
		if (w->cpus[i].stream)
			rc = perf_tasks_dump(w->tasks, w->cpus[i].stream, w->last, err);
	for (size_t i = 0; i < w->cap_cpus; i++) {
		int closed = ftrace_stream_close(w->cpus[i].stream, rc ? NULL : err);
		w->cpus[i].stream = NULL;
		rc = rc ? rc : closed;
	}
	return rc;
}

int perf_writer_end(struct perf_writer *w, struct mer_err *err)
{
	int rc = hand_over(w, err);
	if (rc == 0)
		rc = wait_for_other(w, err);
	return rc ? rc : end(w, err);
}

struct perf_writer *perf_writer_new(struct ftrace_copy *copy, struct perf_tasks *tasks, bool is_be)
{
	struct perf_writer *w = calloc(1, sizeof(*w));
	if (!w)
		return NULL;
	w->copy = copy;
	w->tasks = tasks;
	w->is_be = is_be;
	for (unsigned i = 0; i < 2; i++) {
		w->batches[i].writer = w;
		w->batches[i].job.fn = write_batch;
		w->batches[i].job.ctx = &w->batches[i];
	}
	/* ThreadSanitizer allows no new thread in a process that was forked from one with
	 * threads. */
#ifndef __SANITIZE_THREAD__
	w->ahead = mer_ahead_start();
#endif
	return w;
}

void perf_writer_free(struct perf_writer *w)
{
	if (!w)
		return;
	mer_ahead_stop(w->ahead);
	for (size_t i = 0; i < w->cap_cpus; i++) {
		(void)ftrace_stream_close(w->cpus[i].stream, NULL);
		free(w->cpus[i].held);
	}
	free(w->cpus);
	free(w);
}
