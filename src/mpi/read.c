/* Reads the MPI events, host by host, and makes a run of them. Only streams that can have such
 * events are read. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/plural.h"
#include "base/str.h"
#include "mpi/record.h"
#include "trace/cursor.h"

const char *const mpi_wait_names[MPI_N_WAITS] = { "", "late sender", "late receiver",
	"wait at barrier", "wait at n x n", "late broadcast", "early reduce" };

struct reader {
	struct mpi_recorder recorder;
	struct mer_cancel *cancel;
	struct mer_arena arena;
	struct mer_need *needs; /* as mpi_events */
	struct mer_err *err;
};

/* All rows get the same slots; slots that an event lacks come last. */
static int make_needs(struct reader *x)
{
	x->needs = mer_arena_zalloc(&x->arena, mpi_n_events + 1u, sizeof(*x->needs));
	for (uint32_t i = 0; x->needs && i < mpi_n_events; i++) {
		struct mer_str s = { 0 };
		uint32_t n = 0;
		mer_str_puts(&s, mpi_events[i].fields);
		for (const char *p = mpi_events[i].fields; *p; p += strspn(p, " ")) {
			size_t len = strcspn(p, " ");
			n += len > 2 && p[len - 2] == ':' ? 2 : 1;
			p += len;
		}
		for (; n < MPI_N_SLOTS; n++)
			mer_str_puts(&s, " -");
		x->needs[i].event = mpi_events[i].name;
		x->needs[i].fields = s.data ? mer_arena_strdup(&x->arena, s.data) : NULL;
		mer_str_fini(&s);
		if (!x->needs[i].fields)
			return mer_fail_nomem(x->err);
	}
	return x->needs ? 0 : mer_fail_nomem(x->err);
}

/* The row of each class, in the order of ctf_plan.id; NULL: not an MPI event. malloc'ed. */
static const struct mpi_event_row **bind_rows(
	const struct mer_experiment *e, const struct trace_reading *reading)
{
	const struct mpi_event_row **rows = calloc((size_t)reading->n_plans + 1, sizeof(*rows));
	for (uint32_t p = 0; rows && p < e->n_parts; p++) {
		const struct ctf_program *program = reading->programs[p];
		for (uint32_t s = 0; s < program->schema->n_streams; s++)
			for (uint32_t c = 0; c < program->schema->streams[s].n_events; c++) {
				const struct ctf_plan *plan = &program->streams[s].events[c];
				if (plan->wanted)
					rows[plan->id] = mpi_event_of(plan->class);
			}
	}
	return rows;
}

static int take(struct reader *x, const struct mpi_event_row *row, const struct mer_event *ev)
{
	struct mpi_recorder *r = &x->recorder;
	if (!row)
		return 0;
	if (row->actions & MPI_DEFINES)
		return mpi_otf2_define(&r->otf2, row, ev->slots, x->err);
	return ev->ts == MER_NO_TIME ? 0 : mpi_record(r, row, ev->ts, ev->slots);
}

static int read_events(struct reader *x, struct mer_cursor *c, const struct mpi_event_row **rows)
{
	for (;;) {
		const struct mer_event *ev;
		size_t n;
		if (mer_cancelled(x->cancel))
			return mer_fail(x->err, MER_ERR_CANCELLED, "cancelled");
		int rc = mer_cursor_next(c, &ev, &n, x->err);
		for (size_t i = 0; i < n && rc == 0; i++)
			rc = take(x, rows[ev[i].plan->id], &ev[i]);
		if (rc || n == 0)
			return rc;
	}
}

/* Reads the streams of the host that can have events with these actions. */
static int read_host(struct reader *x, uint32_t host, const struct trace_reading *reading,
	const struct mpi_event_row **rows, const bool *wanted)
{
	const struct mer_experiment *e = x->recorder.e;
	uint32_t *first = calloc((size_t)e->n_streams + 1, sizeof(*first)), n = 0;
	bool any = false;
	if (!first)
		return mer_fail_nomem(x->err);
	for (uint32_t i = 0; i < e->n_streams; i++) {
		if (e->traces[e->streams[i].trace].host != host)
			continue;
		any |= wanted[i];
		first[n++] = wanted[i] ? 0 : e->data[i].n_packets;
	}
	struct mer_cursor *c = NULL;
	int rc = any ? trace_cursor_of_host_from(x->recorder.e, reading, host,
			       (struct trace_range){ INT64_MIN, INT64_MAX }, first, &c, x->err)
		     : 0;
	if (rc == 0 && any)
		rc = read_events(x, c, rows);
	if (c)
		trace_cursor_drop(c); /* other readings report the same damage */
	free(first);
	return rc;
}

/* Reads events with these actions, of all hosts or of one. */
static int read_all(struct reader *x, uint32_t actions, bool hosts)
{
	struct mpi_recorder *r = &x->recorder;
	struct mer_need *needs = mer_arena_zalloc(&x->arena, mpi_n_events + 1u, sizeof(*x->needs));
	struct trace_reading *reading = NULL;
	const struct mpi_event_row **rows = NULL;
	size_t n = 0;
	bool any = false, *wanted = mpi_event_streams(r->e, actions, &any);
	if (!needs || !wanted) {
		free(wanted);
		return mer_fail_nomem(x->err);
	}
	for (uint32_t i = 0; i < mpi_n_events; i++)
		if (mpi_events[i].actions & actions)
			needs[n++] = x->needs[i];
	int rc = any ? trace_reading_from_needs(r->e, needs, n, false, &reading, x->err) : 0;
	if (rc == 0 && any) {
		rows = bind_rows(r->e, reading);
		rc = rows ? 0 : mer_fail_nomem(x->err);
	}
	for (uint32_t h = 0; h < r->e->n_hosts && rc == 0 && any; h++) {
		rc = hosts ? mpi_recorder_host(r, h) : 0;
		if (rc == 0)
			rc = read_host(x, h, reading, rows, wanted);
		if (rc == 0 && hosts)
			rc = mpi_recorder_end(r);
	}
	free(rows);
	free(wanted);
	trace_reading_free(reading);
	return rc;
}

bool mpi_is_recorded(const struct mer_experiment *e)
{
	bool any = false;
	free(mpi_event_streams(e, ~(uint32_t)MPI_DEFINES, &any));
	return any;
}

int mpi_read(struct mer_experiment *e, const uint32_t *groups, struct mer_cancel *cancel,
	struct mpi_run **run, struct mer_err *err)
{
	*run = NULL;
	if (!mpi_is_recorded(e))
		return 0;
	struct mpi_run *out = calloc(1, sizeof(*out));
	if (!out)
		return mer_fail_nomem(err);
	out->spill = e->spill;
	out->groups = groups ? calloc((size_t)e->n_hosts + 1, sizeof(*groups)) : NULL;
	if (groups && !out->groups) {
		mpi_run_free(out);
		return mer_fail_nomem(err);
	}
	if (groups)
		memcpy(out->groups, groups, e->n_hosts * sizeof(*groups));
	struct reader x = {
		.recorder = { .e = e, .run = out, .err = err }, .cancel = cancel, .err = err
	};
	mer_arena_init(&x.arena);
	int rc = make_needs(&x);
	if (rc == 0)
		rc = read_all(&x, MPI_DEFINES, false);
	if (rc == 0)
		rc = read_all(&x, ~(uint32_t)MPI_DEFINES, true);
	if (rc == 0)
		rc = mpi_find_jobs(&x.recorder);
	if (rc == 0)
		rc = mpi_match(&x.recorder);
	if (rc == 0)
		rc = mpi_join(&x.recorder);
	mpi_recorder_fini(&x.recorder);
	mer_arena_fini(&x.arena);
	if (rc || out->n_lines == 0) {
		mpi_run_free(out);
		return rc;
	}
	*run = out;
	return 0;
}

void mpi_run_free(struct mpi_run *r)
{
	if (!r)
		return;
	mer_spill_release(r->calls);
	mer_spill_release(r->messages);
	mer_spill_release(r->collectives);
	free(r->processes);
	free(r->lines);
	free(r->groups);
	free(r);
}

void mpi_report(struct mer_experiment *e, const struct mpi_run *run)
{
	const struct mpi_doubts *d = &run->doubts;
	const struct {
		uint64_t n;
		const char *one, *many, *text;
	} rows[] = {
		{ d->unmatched_sends, "MPI message was sent", "MPI messages were sent",
			" whose receipt was not recorded" },
		{ d->unmatched_receives, "MPI message was received", "MPI messages were received",
			" whose sending was not recorded" },
		{ d->after_loss, "end of an MPI message", "ends of MPI messages",
			" cannot be matched: events were lost before, or a receive did not complete, so which send belongs to which receive is not known; record with larger buffers (lttng enable-channel --subbuf-size)" },
		{ d->doubtful, "end of an MPI message", "ends of MPI messages",
			" cannot be matched: sends and receives do not agree in size, number or time; record each rank from MPI_Init on" },
		{ d->inversions, "MPI message was received before it was sent",
			"MPI messages were received before they were sent",
			", by the clocks as they are" },
		{ d->incomplete, "collective operation was left out",
			"collective operations were left out",
			": not all of the ranks were recorded" },
		{ d->contradictory, "collective operation was left out",
			"collective operations were left out",
			": the ranks disagree about what it was" },
		{ d->early, "call of a collective operation ended",
			"calls of collective operations ended",
			" before the last rank had entered, by the clocks as they are" },
		{ d->apart, "message or collective operation of MPI is",
			"messages and collective operations of MPI are",
			" between hosts whose clocks are not aligned: waits and times between these are not known" },
		{ d->strays, "event of MPI does not fit to those before it, or is",
			"events of MPI do not fit to those before them, or are",
			" of no known rank" },
		{ d->twice, "process says that it is", "processes say that they are",
			" a rank that another process of the same program is: left out" },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].n)
			mer_diag_add(&e->diags,
				&(struct mer_diag){ .severity = MER_WARNING,
					.code = "mpi-left-out",
					.stream = -1,
					.packet = -1,
					.offset_bits = -1,
					.count = rows[i].n },
				"%" PRIu64 " %s%s", rows[i].n,
				mer_plural(rows[i].n, rows[i].one, rows[i].many), rows[i].text);
}
