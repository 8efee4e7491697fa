/* Join: collective operations, from the members with the same number on the same communicator; and
 * marked parts with the same number, which all ranks of a program have. If a rank was not recorded,
 * the last one is unknown: such a collective is only counted. */
#include "base/sort.h"
#include "mpi/record.h"

void mpi_waited(struct mpi_run *run, uint32_t call, enum mpi_wait wait, uint32_t by, int64_t until)
{
	struct mpi_call *c = &run->calls[call];
	if (until > c->end)
		until = c->end;
	if (until <= c->begin || (c->wait && until <= c->until) || by == c->line)
		return;
	c->wait = (uint8_t)wait;
	c->by = by;
	c->until = until;
}

static int compare_members(const void *a, const void *b)
{
	const struct mpi_member *p = a, *q = b;
	int mark = (p->id == MPI_CALL_COMPUTE) - (q->id == MPI_CALL_COMPUTE);
	if (p->job != q->job)
		return p->job < q->job ? -1 : 1;
	if (mark)
		return mark;
	if (p->comm != q->comm)
		return p->comm < q->comm ? -1 : 1;
	if (p->seq != q->seq)
		return p->seq < q->seq ? -1 : 1;
	if (p->enter != q->enter)
		return p->enter < q->enter ? -1 : 1;
	return (p->line > q->line) - (p->line < q->line);
}

static bool is_same(const struct mpi_member *p, const struct mpi_member *q)
{
	return p->job == q->job && p->comm == q->comm && p->seq == q->seq &&
	       (p->id == MPI_CALL_COMPUTE) == (q->id == MPI_CALL_COMPUTE);
}

static const struct mpi_process *process_of(const struct mpi_run *run, const struct mpi_member *m)
{
	return mpi_process_of(run, m->line);
}

static int compare_ranks(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
	return (x > y) - (x < y);
}

/* Is each rank in it only once? */
static int are_different(
	struct mpi_recorder *r, const struct mpi_member *m, uint32_t n, bool *different)
{
	int32_t *ranks = mer_spill_array(r->run->spill, n + 1u, sizeof(*ranks));
	if (!ranks)
		return mer_fail_nomem(r->err);
	for (uint32_t i = 0; i < n; i++)
		ranks[i] = process_of(r->run, &m[i])->rank;
	bool ok = mer_sort(r->run->spill, ranks, n, sizeof(*ranks), compare_ranks);
	*different = n > 0 && ranks[0] >= 0;
	for (uint32_t i = 1; i < n; i++)
		*different &= ranks[i] != ranks[i - 1];
	mer_spill_release(ranks);
	return ok ? 0 : mer_fail_nomem(r->err);
}

static const struct mpi_member *root_of(
	const struct mpi_run *run, const struct mpi_member *m, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (process_of(run, &m[i])->rank == m->root)
			return &m[i];
	return NULL;
}

/* m is sorted by the time of entering. */
static void find_waits(struct mpi_run *run, const struct mpi_member *m, uint32_t n)
{
	enum mpi_shape shape = mpi_call_shape(m->id);
	const struct mpi_member *last = &m[n - 1], *root = root_of(run, m, n);
	if (shape == MPI_SHAPE_ALL_TO_ONE && root) {
		if (root != last)
			mpi_waited(run, root->call, MPI_EARLY_REDUCE, last->line, last->enter);
		return;
	}
	bool one = shape == MPI_SHAPE_ONE_TO_ALL,
	     all = shape == MPI_SHAPE_BARRIER || shape == MPI_SHAPE_NXN;
	const struct mpi_member *by = one ? root : all ? last : NULL;
	enum mpi_wait kind = one			  ? MPI_LATE_BROADCAST
			     : shape == MPI_SHAPE_BARRIER ? MPI_WAIT_BARRIER
							  : MPI_WAIT_NXN;
	for (uint32_t i = 0; i < n && by; i++) {
		mpi_waited(run, m[i].call, kind, by->line, by->enter);
		if (all && run->calls[m[i].call].end < last->enter)
			run->doubts.early++;
	}
}

/* Do all members agree about it? *expected: how many members it should have; 0: not known. */
static bool agree(const struct mpi_run *run, const struct mpi_member *m, uint32_t n,
	uint32_t *expected, bool *has_calls)
{
	bool same = true;
	*expected = m->size;
	*has_calls = true;
	for (uint32_t i = 0; i < n; i++) {
		same &= m[i].id == m->id && m[i].root == m->root && m[i].size == m->size;
		*has_calls &= m[i].call != MPI_NONE;
	}
	if (m->id == MPI_CALL_COMPUTE) {
		*expected = (uint32_t)process_of(run, m)->size;
		*has_calls = true;
	}
	return same;
}

static int add(struct mpi_recorder *r, const struct mpi_member *m, uint32_t n)
{
	struct mpi_run *run = r->run;
	struct mpi_collective c = { .first = m->line,
		.last = m[n - 1].line,
		.begin = m->enter,
		.end = m[n - 1].enter,
		.left = m[n - 1].enter,
		.comm = m->comm,
		.seq = m->seq,
		.n = n,
		.job = m->job,
		.id = m->id };
	for (uint32_t i = 0; i < n; i++) {
		const struct mpi_call *call = m[i].call == MPI_NONE ? NULL : &run->calls[m[i].call];
		c.bytes += m[i].bytes;
		if (call && call->end > c.left)
			c.left = call->end;
		c.waited += call && call->wait ? call->until - call->begin : 0;
	}
	if (!mer_spill_grow32(run->spill, &run->collectives, run->n_collectives,
		    &run->cap_collectives, sizeof(c)))
		return mer_fail_nomem(r->err);
	run->collectives[run->n_collectives++] = c;
	return 0;
}

static int join(struct mpi_recorder *r, const struct mpi_member *m, uint32_t n)
{
	struct mpi_run *run = r->run;
	uint32_t expected;
	bool has_calls, different = false, is_mark = m->id == MPI_CALL_COMPUTE;
	bool same = agree(run, m, n, &expected, &has_calls);
	int rc = are_different(r, m, n, &different);
	if (rc)
		return rc;
	if (is_mark && (!different || n != expected))
		return 0; /* a part that some ranks do not have, or have twice */
	if (!same || !different || (expected && n > expected)) {
		run->doubts.contradictory++;
		return 0;
	}
	if (n < expected || !has_calls) {
		run->doubts.incomplete++;
		return 0;
	}
	for (uint32_t i = 1; i < n; i++)
		if (!mpi_is_comparable(run, m->line, m[i].line)) {
			run->doubts.apart++;
			return 0;
		}
	if (!is_mark)
		find_waits(run, m, n);
	return add(r, m, n);
}

static int compare_begin(const void *a, const void *b)
{
	const struct mpi_collective *p = a, *q = b;
	if (p->begin != q->begin)
		return p->begin < q->begin ? -1 : 1;
	if (p->job != q->job)
		return p->job < q->job ? -1 : 1;
	return (p->seq > q->seq) - (p->seq < q->seq);
}

int mpi_join(struct mpi_recorder *r)
{
	struct mpi_run *run = r->run;
	int rc = 0;
	if (!mer_sort(run->spill, r->members, r->n_members, sizeof(*r->members), compare_members))
		return mer_fail_nomem(r->err);
	for (uint32_t i = 0; i < r->n_members && rc == 0;) {
		uint32_t k = i + 1;
		while (k < r->n_members && is_same(&r->members[i], &r->members[k]))
			k++;
		rc = join(r, &r->members[i], k - i);
		i = k;
	}
	if (rc == 0 && !mer_sort(run->spill, run->collectives, run->n_collectives,
			       sizeof(*run->collectives), compare_begin))
		rc = mer_fail_nomem(r->err);
	return rc;
}
