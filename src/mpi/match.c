/* Match: finds messages by counting (run.h). All ends are sorted by program, communicator, ranks
 * and tag; in each such channel the k-th send and the k-th receive are one message, as long as both
 * counts are certain. A receive takes its place when it is posted; whether it took a message is
 * known only later. */
#include <stdlib.h>

#include "base/grow.h"
#include "base/sort.h"
#include "mpi/record.h"

static int compare_ends(const void *a, const void *b)
{
	const struct mpi_end *p = a, *q = b;
	if (p->job != q->job)
		return p->job < q->job ? -1 : 1;
	if (p->comm != q->comm)
		return p->comm < q->comm ? -1 : 1;
	if (p->from != q->from)
		return p->from < q->from ? -1 : 1;
	if (p->to != q->to)
		return p->to < q->to ? -1 : 1;
	if (p->tag != q->tag)
		return p->tag < q->tag ? -1 : 1;
	return q->is_send - p->is_send; /* sends first */
}

/* ---- receives that have not completed ---- */

struct open_receive { /* by process; it may have taken an unknown message */
	uint32_t process, number;
	int64_t comm;
	int32_t from, tag;
};

struct open_receives {
	struct open_receive *rows;
	size_t n, cap;
};

static bool may_take(const struct open_receive *o, const struct mpi_end *x)
{
	return o->comm == x->comm && (o->from < 0 || o->from == x->from) &&
	       (o->tag < 0 || o->tag == x->tag);
}

/* Receives after one that has not completed and could have taken the same message cannot be
 * counted. In OTF2 a posting does not have source and tag. */
static int find_late(struct mpi_recorder *r)
{
	enum { LOOK_AT = 64 };
	struct open_receives open = { 0 };
	bool *all = calloc((size_t)r->run->n_processes + 1, sizeof(*all));
	int rc = all ? 0 : mer_fail_nomem(r->err);
	for (uint32_t i = 0; i < r->n_ends && rc == 0; i++) {
		struct mpi_end *x = &r->ends[i];
		uint32_t process = r->run->lines[x->line].process;
		if (x->is_send || x->is_void)
			continue;
		if (!x->is_complete) {
			if (!mer_grow(&open.rows, open.n, &open.cap, sizeof(*open.rows))) {
				rc = mer_fail_nomem(r->err);
				break;
			}
			all[process] |= open.n >= LOOK_AT || r->run->processes[process].is_otf2;
			open.rows[open.n++] =
				(struct open_receive){ process, i, x->comm, x->from, x->tag };
			continue;
		}
		x->is_late |= all[process];
		for (size_t k = 0; k < open.n && k < LOOK_AT && !x->is_late; k++)
			x->is_late = open.rows[k].process == process && may_take(&open.rows[k], x);
	}
	free(open.rows);
	free(all);
	return rc;
}

/* ---- channels ---- */

/* other: the counter of the reason; NULL: the other end was not recorded. */
static void give_up(struct mpi_run *run, uint32_t n_s, uint32_t n_v, uint64_t *other)
{
	if (other) {
		*other += n_s + n_v;
	} else {
		run->doubts.unmatched_sends += n_s;
		run->doubts.unmatched_receives += n_v;
	}
}

static int64_t begin_of(const struct mpi_run *run, uint32_t call, int64_t otherwise)
{
	return call == MPI_NONE ? otherwise : run->calls[call].begin;
}

static int64_t end_of(const struct mpi_run *run, uint32_t call, int64_t otherwise)
{
	return call == MPI_NONE ? otherwise : run->calls[call].end;
}

static struct mpi_message message_of(
	const struct mpi_run *run, const struct mpi_end *s, const struct mpi_end *v)
{
	struct mpi_message m = { .from = s->line,
		.to = v->line,
		.sent = begin_of(run, s->posted, s->time),
		.sent_end = end_of(run, s->posted, s->time),
		.posted = begin_of(run, v->posted, v->time),
		.received = end_of(run, v->done, v->time),
		.waited_from = begin_of(run, v->done, v->time),
		.comm = s->comm,
		.bytes = s->bytes,
		.tag = s->tag,
		.is_any = v->is_any };
	return m;
}

static bool is_one_clock(const struct mpi_run *run, const struct mpi_message *m)
{
	return mpi_process_of(run, m->from)->host == mpi_process_of(run, m->to)->host;
}

/* Can s and v be ends of one message? */
static bool agree(const struct mpi_run *run, const struct mpi_end *s, const struct mpi_end *v,
	const struct mpi_message *m)
{
	bool sizes = s->bytes == v->bytes;
	return sizes && (m->received >= m->sent || !is_one_clock(run, m));
}

static void find_waits(struct mpi_run *run, const struct mpi_end *s, const struct mpi_end *v,
	struct mpi_message *m)
{
	const struct mpi_call *recv = v->done == MPI_NONE ? NULL : &run->calls[v->done];
	const struct mpi_call *send = s->done == MPI_NONE ? NULL : &run->calls[s->done];
	if (recv && mpi_call_waits(recv) && m->sent > recv->begin) {
		m->wait = MPI_LATE_SENDER;
		mpi_waited(run, v->done, MPI_LATE_SENDER, s->line, m->sent);
	}
	if (send && mpi_call_waits(send) && m->posted > send->begin && m->posted < send->end) {
		m->wait = m->wait ? m->wait : (uint8_t)MPI_LATE_RECEIVER;
		mpi_waited(run, s->done, MPI_LATE_RECEIVER, v->line, m->posted);
	}
}

static int add_message(struct mpi_recorder *r, const struct mpi_end *s, const struct mpi_end *v,
	struct mpi_message *m)
{
	struct mpi_run *run = r->run;
	if (mpi_is_comparable(run, m->from, m->to))
		find_waits(run, s, v, m);
	else
		run->doubts.apart++;
	if (m->received < m->sent && mpi_is_comparable(run, m->from, m->to))
		run->doubts.inversions++;
	if (!mer_spill_grow32(
		    run->spill, &run->messages, run->n_messages, &run->cap_messages, sizeof(*m)))
		return mer_fail_nomem(r->err);
	run->messages[run->n_messages++] = *m;
	return 0;
}

/* Sends s and receives v of one channel, in the order of their posting. */
static int match_channel(struct mpi_recorder *r, const struct mpi_end *s, uint32_t n_s,
	const struct mpi_end *v, uint32_t n_v)
{
	struct mpi_run *run = r->run;
	uint32_t n = n_s < n_v ? n_s : n_v, sure = 0;
	bool late = false;
	if (n == 0) {
		give_up(run, n_s, n_v, NULL);
		return 0;
	}
	for (; sure < n; sure++) {
		struct mpi_message m = message_of(run, &s[sure], &v[sure]);
		late = s[sure].is_late || v[sure].is_late;
		if (late || !agree(run, &s[sure], &v[sure], &m))
			break;
	}
	/* If the begin of one process was not recorded, the count is certain only if all of them
	 * match. */
	bool from_start = mpi_process_of(run, s->line)->from_start &&
			  mpi_process_of(run, v->line)->from_start;
	if (!from_start && (sure < n || n_s != n_v))
		sure = 0;
	for (uint32_t i = 0; i < sure; i++) {
		struct mpi_message m = message_of(run, &s[i], &v[i]);
		int rc = add_message(r, &s[i], &v[i], &m);
		if (rc)
			return rc;
	}
	uint64_t *why = sure == n ? NULL : late ? &run->doubts.after_loss : &run->doubts.doubtful;
	give_up(run, n_s - sure, n_v - sure, why);
	return 0;
}

static int compare_sent(const void *a, const void *b)
{
	const struct mpi_message *p = a, *q = b;
	if (p->sent != q->sent)
		return p->sent < q->sent ? -1 : 1;
	if (p->from != q->from)
		return p->from < q->from ? -1 : 1;
	return (p->received > q->received) - (p->received < q->received);
}

int mpi_match(struct mpi_recorder *r)
{
	struct mpi_run *run = r->run;
	int rc = find_late(r);
	uint32_t n = 0;
	for (uint32_t i = 0; i < r->n_ends; i++)
		if (r->ends[i].is_complete && !r->ends[i].is_void && r->ends[i].from >= 0 &&
			r->ends[i].to >= 0)
			r->ends[n++] = r->ends[i];
	r->n_ends = n;
	if (rc == 0 && !mer_sort(run->spill, r->ends, n, sizeof(*r->ends), compare_ends))
		rc = mer_fail_nomem(r->err);
	for (uint32_t i = 0; i < n && rc == 0;) {
		uint32_t k = i, sends = 0;
		struct mpi_end key = r->ends[i];
		for (; k < n; k++) {
			key.is_send = r->ends[k].is_send;
			if (compare_ends(&key, &r->ends[k]) != 0)
				break;
			sends += key.is_send;
		}
		rc = match_channel(r, &r->ends[i], sends, &r->ends[i + sends], k - i - sends);
		i = k;
	}
	if (rc == 0 && !mer_sort(run->spill, run->messages, run->n_messages, sizeof(*run->messages),
			       compare_sent))
		rc = mer_fail_nomem(r->err);
	return rc;
}
