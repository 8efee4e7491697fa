/* Fuzzer of what is made of MPI's events: whatever ranks, peers, numbers and times they claim, in
 * whatever order, states tile the life of each line, waits lie in their calls, and messages are
 * between ranks of one program. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/record.h"
#include "check.h"

struct input {
	const uint8_t *data;
	size_t n;
};

static uint64_t take(struct input *in, size_t bytes)
{
	uint64_t v = 0;
	for (size_t i = 0; i < bytes && in->n; i++, in->n--)
		v |= (uint64_t)*in->data++ << (8 * i);
	return v;
}

/* Mostly small: so that ranks meet. */
static void take_slots(struct input *in, uint64_t slots[MPI_N_SLOTS])
{
	memset(slots, 0, MPI_N_SLOTS * sizeof(*slots));
	for (unsigned i = 0; i < MPI_TEXT; i++) {
		uint8_t b = (uint8_t)take(in, 1);
		slots[i] = b < 0xf0    ? b & 7
			   : b == 0xff ? take(in, 8)
				       : (uint64_t)(int64_t)(int8_t)b;
	}
}

static void check_lines(const struct mpi_run *run)
{
	for (uint32_t l = 0; l < run->n_lines; l++) {
		int64_t at = run->lines[l].begin;
		uint32_t before = MPI_NONE;
		for (uint32_t i = run->lines[l].first; i != MPI_NONE; i = run->calls[i].next) {
			const struct mpi_call *c = &run->calls[i];
			check(c->line == l && c->before == before && c->begin == at);
			check(c->end >= c->begin && c->id < MPI_CALL_N);
			check(!c->wait || (c->until > c->begin && c->until <= c->end &&
						  c->by < run->n_lines && c->by != l));
			at = c->end;
			before = i;
		}
		check(run->lines[l].last == before && at == run->lines[l].end);
	}
}

static void check_others(const struct mpi_run *run)
{
	for (uint32_t i = 0; i < run->n_messages; i++) {
		const struct mpi_message *m = &run->messages[i];
		check(m->from < run->n_lines && m->to < run->n_lines);
		check(mpi_process_of(run, m->from)->job == mpi_process_of(run, m->to)->job);
		check(!i || run->messages[i - 1].sent <= m->sent);
		check(mpi_process_of(run, m->from)->host != mpi_process_of(run, m->to)->host ||
			m->received >= m->sent);
	}
	for (uint32_t i = 0; i < run->n_collectives; i++) {
		const struct mpi_collective *c = &run->collectives[i];
		check(c->first < run->n_lines && c->last < run->n_lines && c->n > 0);
		check(c->begin <= c->end);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	struct mer_err err = { 0 };
	struct mer_trace trace = { .domain = "ust", .end = INT64_MAX };
	struct mer_stream stream = { 0 };
	struct mer_loss loss = { .begin = (int64_t)take(&in, 2), .end = (int64_t)take(&in, 2) };
	struct mer_experiment e = { .traces = &trace,
		.n_traces = 1,
		.streams = &stream,
		.n_streams = 1,
		.losses = &loss,
		.n_losses = (uint32_t)take(&in, 1) & 1 };
	struct mpi_run *run = calloc(1, sizeof(*run));
	struct mpi_recorder r = { .e = &e, .run = run, .err = &err };
	check(run != NULL);
	for (unsigned host = 0; host < 2; host++) {
		int64_t ts = 0;
		uint64_t slots[MPI_N_SLOTS];
		trace.host = host;
		trace.end = 1 << 20;
		check(mpi_recorder_host(&r, host) == 0);
		for (unsigned n = 0; in.n && n < 400; n++) {
			const struct mpi_event_row *row = &mpi_events[take(&in, 1) % mpi_n_events];
			ts += (int64_t)take(&in, 1);
			take_slots(&in, slots);
			check((row->actions & MPI_DEFINES
					      ? mpi_otf2_define(&r.otf2, row, slots, &err)
					      : mpi_record(&r, row, ts, slots)) == 0);
		}
		check(mpi_recorder_end(&r) == 0);
	}
	check(mpi_find_jobs(&r) == 0 && mpi_match(&r) == 0 && mpi_join(&r) == 0);
	mpi_recorder_fini(&r);
	check_lines(run);
	check_others(run);
	mpi_run_free(run);
	return 0;
}
