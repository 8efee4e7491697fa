/* Maker of the facts of MPI programs: from what ranks did (mpi/run.h), which is known before,
 * and from what the kernel recorded about their tasks.
 *
 * Each line of a rank is walked once, in parallel with its task's spans: stretches on and off a
 * CPU come in time order, and each is cut where calls begin and waits end. Time without a span
 * becomes a piece as well, with on_cpu unknown. */
#include "analysis/facts/mpi.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/all.h"
#include "analysis/facts/poll_loops.h"
#include "base/grow.h"
#include "kernel/mpi.h"

/* ---- kinds ---- */

static const char *const cpu_names[] = { "unknown", "off", "on" };

#define RANK(struct_, member_, key_, title_)                                                       \
	{                                                                                          \
		key_, title_, MER_ID, FACT_NUMBER, FACT_MEMBER(struct_, member_), FACT_NONE_IS(-1) \
	}
#define JOB(struct_)                                                                               \
	{                                                                                          \
		"job", "program", MER_ID, FACT_NUMBER, FACT_MEMBER(struct_, job)                   \
	}
#define CALL(struct_)                                                                              \
	{                                                                                          \
		"call", "call", MER_TEXT, FACT_WORDS(mpi_call_names), FACT_MEMBER(struct_, call)   \
	}
#define CLASS                                                                                      \
	{                                                                                          \
		"class", "state", MER_TEXT, FACT_WORDS(mpi_class_names),                           \
			FACT_MEMBER(struct fact, choice)                                           \
	}
#define WAIT(struct_, member_)                                                                     \
	{                                                                                          \
		"wait", "wait", MER_TEXT, FACT_WORDS(mpi_wait_names),                              \
			FACT_MEMBER(struct_, member_), FACT_NONE_IS(MPI_NO_WAIT)                   \
	}
#define TID(struct_)                                                                               \
	{                                                                                          \
		"thread_number", "tid", MER_ID, FACT_NUMBER, FACT_MEMBER(struct_, tid),            \
			FACT_NONE_IS(-1)                                                           \
	}

static const struct fact_field state_fields[] = {
	CLASS,
	CALL(struct mpi_state),
	WAIT(struct mpi_state, wait),
	RANK(struct mpi_state, rank, "rank", "rank"),
	RANK(struct mpi_state, by, "by_rank", "by rank"),
	JOB(struct mpi_state),
	TID(struct mpi_state),
	{ "on_cpu", "on CPU", MER_TEXT, FACT_WORDS(cpu_names),
		FACT_MEMBER(struct mpi_state, on_cpu) },
	{ 0 },
};

/* The class of a state on a CPU; otherwise unknown. */
static int64_t cpu_class(const struct kernel_host *h, const struct fact *f)
{
	(void)h;
	return ((const struct mpi_state *)f)->on_cpu == MPI_ON_CPU ? f->choice : FACT_UNKNOWN;
}

static int64_t spins(const struct kernel_host *h, const struct fact *f)
{
	const struct mpi_state *x = (const struct mpi_state *)f;
	(void)h;
	return x->wait && x->on_cpu == MPI_ON_CPU ? 1 : FACT_UNKNOWN;
}

static const struct fact_view state_views[] = {
	{ "cpu_class", NULL, MER_TEXT, FACT_BY_FUNCTION, .get = cpu_class, .meaning = FACT_CHOICE,
		.words = mpi_class_names, .n_words = MPI_N_CLASSES },
	{ "spins", NULL, MER_ID, FACT_BY_FUNCTION, .get = spins, .meaning = FACT_NUMBER },
	{ 0 },
};

static const struct fact_field call_fields[] = {
	CLASS,
	CALL(struct mpi_call_fact),
	WAIT(struct mpi_call_fact, wait),
	RANK(struct mpi_call_fact, rank, "rank", "rank"),
	RANK(struct mpi_call_fact, by, "by_rank", "by rank"),
	RANK(struct mpi_call_fact, peer, "peer", "peer"),
	RANK(struct mpi_call_fact, tag, "tag", "tag"),
	JOB(struct mpi_call_fact),
	TID(struct mpi_call_fact),
	RANK(struct mpi_call_fact, seq, "seq", "number"),
	{ "bytes", "size", MER_BYTES, FACT_NUMBER, FACT_MEMBER(struct mpi_call_fact, bytes) },
	{ "wait_ns", "waited", MER_DURATION, FACT_NUMBER,
		FACT_MEMBER(struct mpi_call_fact, wait_ns) },
	{ "polls", "polls", MER_COUNT, FACT_NUMBER, FACT_MEMBER(struct mpi_call_fact, polls),
		FACT_NONE_IS(0) },
	{ 0 },
};

static int64_t wait_end(const struct kernel_host *h, const struct fact *f)
{
	const struct mpi_call_fact *x = (const struct mpi_call_fact *)f;
	(void)h;
	return x->wait == MPI_NO_WAIT ? FACT_UNKNOWN : f->begin + x->wait_ns;
}

static const struct fact_view call_views[] = {
	{ "wait_end", NULL, MER_TIME, FACT_BY_FUNCTION, .get = wait_end, .meaning = FACT_NUMBER },
	{ 0 },
};

static const struct fact_field message_fields[] = {
	{ "wait", "wait", MER_TEXT, FACT_WORDS(mpi_wait_names), FACT_MEMBER(struct fact, choice),
		FACT_NONE_IS(MPI_NO_WAIT) },
	RANK(struct mpi_message_fact, from, "from_rank", "from"),
	RANK(struct mpi_message_fact, to, "to_rank", "to"),
	RANK(struct mpi_message_fact, tag, "tag", "tag"),
	JOB(struct mpi_message_fact),
	TID(struct mpi_message_fact),
	{ "comm_id", "communicator", MER_ID, FACT_NUMBER,
		FACT_MEMBER(struct mpi_message_fact, comm) },
	{ "bytes", "size", MER_BYTES, FACT_NUMBER, FACT_MEMBER(struct mpi_message_fact, bytes) },
	{ "wait_ns", "waited", MER_DURATION, FACT_NUMBER,
		FACT_MEMBER(struct mpi_message_fact, wait_ns) },
	{ "from_host", "from host", MER_TEXT, FACT_HOST,
		FACT_MEMBER(struct mpi_message_fact, from_host), FACT_NONE_IS(KERNEL_NONE) },
	{ "to_host", "to host", MER_TEXT, FACT_HOST, FACT_MEMBER(struct mpi_message_fact, to_host),
		FACT_NONE_IS(KERNEL_NONE) },
	{ "any_source", NULL, MER_ID, FACT_NUMBER, FACT_MEMBER(struct mpi_message_fact, is_any) },
	{ "reversed", NULL, MER_ID, FACT_NUMBER,
		FACT_MEMBER(struct mpi_message_fact, is_reversed) },
	{ 0 },
};

static const struct fact_field collective_fields[] = {
	CALL(struct mpi_collective_fact),
	RANK(struct mpi_collective_fact, first, "first_rank", "first"),
	RANK(struct mpi_collective_fact, last, "last_rank", "last"),
	RANK(struct mpi_collective_fact, seq, "seq", "number"),
	JOB(struct mpi_collective_fact),
	TID(struct mpi_collective_fact),
	{ "comm_id", "communicator", MER_ID, FACT_NUMBER,
		FACT_MEMBER(struct mpi_collective_fact, comm) },
	{ "ranks", "ranks", MER_COUNT, FACT_NUMBER, FACT_MEMBER(struct mpi_collective_fact, n) },
	{ "bytes", "size", MER_BYTES, FACT_NUMBER, FACT_MEMBER(struct mpi_collective_fact, bytes) },
	{ "waited_ns", "all waited", MER_DURATION, FACT_NUMBER,
		FACT_MEMBER(struct mpi_collective_fact, waited) },
	{ "left_ns", "until all left", MER_DURATION, FACT_NUMBER,
		FACT_MEMBER(struct mpi_collective_fact, left_ns) },
	{ 0 },
};

static const struct fact_field poll_fields[] = {
	CLASS,
	CALL(struct mpi_poll),
	WAIT(struct mpi_poll, wait),
	RANK(struct mpi_poll, rank, "rank", "rank"),
	JOB(struct mpi_poll),
	{ "cpu_ns", "CPU time", MER_DURATION, FACT_NUMBER, FACT_MEMBER(struct mpi_poll, cpu_ns) },
	{ "calls", "calls", MER_COUNT, FACT_NUMBER, FACT_MEMBER(struct mpi_poll, calls) },
	{ 0 },
};

static const char *const data_names[] = { "no", "yes" };
static const struct fact_field syscall_fields[] = {
	{ "moves_data", "moves data", MER_TEXT, FACT_WORDS(data_names),
		FACT_MEMBER(struct fact, choice) },
	CALL(struct mpi_syscall),
	WAIT(struct mpi_syscall, wait),
	{ "first_data", NULL, MER_ID, FACT_NUMBER, FACT_MEMBER(struct mpi_syscall, is_first) },
	RANK(struct mpi_syscall, rank, "rank", "rank"),
	JOB(struct mpi_syscall),
	{ "system_call", NULL, MER_ID, FACT_CALL, FACT_MEMBER(struct mpi_syscall, name) },
	{ 0 },
};
static const struct fact_view syscall_views[] = {
	{ "syscall", "system call", MER_TEXT, FACT_CALL_NAME, .of = "system_call" },
	{ 0 },
};

static const struct fact_maker maker;
const struct fact_kind fact_mpi_state = { .id = "mpi_state",
	.title = "States of MPI ranks",
	.maker = &maker,
	.rule = FACT_CUT,
	.size = sizeof(struct mpi_state),
	.of_tasks = true,
	.thread = "thread_number",
	.fields = state_fields,
	.views = state_views };
const struct fact_kind fact_mpi_call = { .id = "mpi_call",
	.title = "Calls of MPI",
	.maker = &maker,
	.rule = FACT_BEGINS,
	.size = sizeof(struct mpi_call_fact),
	.of_tasks = true,
	.thread = "thread_number",
	.fields = call_fields,
	.views = call_views,
	.duration = "duration_ns",
	.bytes = "bytes",
	.name = "call" };
const struct fact_kind fact_mpi_message = { .id = "mpi_message",
	.title = "Messages of MPI",
	.maker = &maker,
	.rule = FACT_BEGINS,
	.size = sizeof(struct mpi_message_fact),
	.of_tasks = true,
	.thread = "thread_number",
	.fields = message_fields,
	.duration = "duration_ns",
	.bytes = "bytes" };
const struct fact_kind fact_mpi_collective = { .id = "mpi_collective",
	.title = "Collective operations of MPI",
	.maker = &maker,
	.rule = FACT_BEGINS,
	.size = sizeof(struct mpi_collective_fact),
	.of_tasks = true,
	.thread = "thread_number",
	.fields = collective_fields,
	.duration = "duration_ns",
	.name = "call" };
const struct fact_kind fact_mpi_poll = { .id = "mpi_poll",
	.title = "Polling loops of MPI ranks",
	.maker = &maker,
	.rule = FACT_BEGINS,
	.size = sizeof(struct mpi_poll),
	.of_tasks = true,
	.fields = poll_fields,
	.duration = "duration_ns",
	.name = "call" };
const struct fact_kind fact_mpi_syscall = { .id = "mpi_syscall",
	.title = "System calls in calls of MPI",
	.maker = &maker,
	.rule = FACT_BEGINS,
	.size = sizeof(struct mpi_syscall),
	.of_tasks = true,
	.fields = syscall_fields,
	.views = syscall_views,
	.duration = "duration_ns",
	.name = "call" };
enum { STATE, CALL, MESSAGE, COLLECTIVE, POLL, SYSCALL };
static const struct fact_kind *const kinds[] = { &fact_mpi_state, &fact_mpi_call, &fact_mpi_message,
	&fact_mpi_collective, &fact_mpi_poll, &fact_mpi_syscall, NULL };

/* ---- lines ---- */

struct track {		  /* state of a line */
	uint32_t call;	  /* the first call that is not completely reported */
	uint32_t seek;	  /* the same, for seek() */
	uint32_t data;	  /* the last call in which data was moved, plus 1 */
	int64_t told;	  /* reported up to this time */
	int64_t from, to; /* a stretch that is not reported yet; from >= to: none */
	uint8_t on_cpu;
	bool has_begun;
};

struct state {
	struct track *tracks; /* by line, in the spill */
	uint32_t *lines;      /* by task: its line, plus 2; 1: none; 0: not known yet */
	uint8_t *moves;	      /* by number in kernel_host.calls: moves data 2, not 1, not known 0 */
	size_t cap_lines, cap_moves;
	struct poll_loops loops;
};

static const struct mpi_run *run_of(const struct kernel_host *h)
{
	return h->mpi ? h->mpi->run : NULL;
}

static int32_t rank_of(const struct mpi_run *run, uint32_t line)
{
	return line == MPI_NONE ? -1 : mpi_process_of(run, line)->rank;
}

/* MPI_NONE: the task is no rank, *rc: no memory. */
static uint32_t line_of(struct fact_host *f, const struct kernel_host *h, uint32_t task, int *rc)
{
	struct state *s = f->state;
	*rc = 0;
	if (!h->mpi || task == KERNEL_NONE)
		return MPI_NONE;
	uint32_t *at = mer_grow_at(&s->lines, &s->cap_lines, task, sizeof(*s->lines));
	if (!at) {
		*rc = mer_fail_nomem(f->err);
		return MPI_NONE;
	}
	if (!*at) {
		uint32_t line = kernel_mpi_line(h->mpi, h, f->host, task);
		*at = line == MPI_NONE ? 1 : line + 2;
	}
	return *at == 1 ? MPI_NONE : *at - 2;
}

/* NULL: no memory. */
static struct track *track_of(struct fact_host *f, const struct mpi_run *run, uint32_t line)
{
	struct state *s = f->state;
	if (!s->tracks)
		s->tracks = mer_spill_array(f->e->spill, run->n_lines + 1u, sizeof(*s->tracks));
	struct track *t = s->tracks ? &s->tracks[line] : NULL;
	if (t && !t->has_begun)
		*t = (struct track){ .call = run->lines[line].first,
			.seek = run->lines[line].first,
			.told = run->lines[line].begin,
			.has_begun = true };
	if (!t)
		mer_fail_nomem(f->err);
	return t;
}

/* ---- states ---- */

static int add_piece(struct fact_host *f, const struct kernel_host *h, uint32_t task,
	const struct mpi_call *c, int64_t begin, int64_t end, uint8_t on_cpu)
{
	const struct mpi_run *run = run_of(h);
	const struct mpi_process *p = mpi_process_of(run, c->line);
	bool waits = c->wait && begin < c->until;
	struct mpi_state x = {
		.fact = { begin, end, task, KERNEL_NO_CPU,
			(uint16_t)mpi_call_class(c->id, p->is_marked) },
		.tid = run->lines[c->line].tid,
		.rank = p->rank,
		.by = waits ? rank_of(run, c->by) : -1,
		.job = p->job,
		.call = c->id,
		.wait = waits ? c->wait : (uint8_t)MPI_NO_WAIT,
		.on_cpu = on_cpu,
	};
	return begin < end ? fact_add(f, h, STATE, &x) : 0;
}

/* The time from t->told up to `to` was in this state: reports it. */
static int tell(struct fact_host *f, const struct kernel_host *h, uint32_t task, struct track *t,
	int64_t to, uint8_t on_cpu)
{
	const struct mpi_run *run = run_of(h);
	int rc = 0;
	while (t->call != MPI_NONE && t->told < to && rc == 0) {
		const struct mpi_call *c = &run->calls[t->call];
		int64_t end = c->end < to ? c->end : to;
		int64_t begin = t->told > c->begin ? t->told : c->begin;
		if (c->wait && begin < c->until && c->until < end)
			end = c->until;
		if (fact_is_used(f, STATE))
			rc = add_piece(f, h, task, c, begin, end, on_cpu);
		t->told = end > t->told ? end : t->told;
		if (end == c->end)
			t->call = c->next;
	}
	return rc;
}

/* Reports the pending stretch, and the time between it and the previous one. */
static int flush(struct fact_host *f, const struct kernel_host *h, uint32_t task, struct track *t)
{
	int rc = 0;
	if (t->from >= t->to)
		return 0;
	if (t->from > t->told)
		rc = tell(f, h, task, t, t->from, MPI_CPU_UNKNOWN);
	if (rc == 0 && t->to > t->told)
		rc = tell(f, h, task, t, t->to, t->on_cpu);
	t->from = t->to = 0;
	return rc;
}

static uint8_t on_cpu_of(const struct kernel_span *k)
{
	return k->state == KERNEL_UNKNOWN ? MPI_CPU_UNKNOWN
	       : kernel_is_on_cpu((enum kernel_state)k->state) && !kernel_is_away(k) ? MPI_ON_CPU
										     : MPI_OFF_CPU;
}

static int on_span(void *ctx, const struct kernel_host *h, uint32_t span, int64_t end)
{
	struct fact_host *f = ctx;
	struct state *s = f->state;
	const struct kernel_span *k = kernel_span(h, span);
	int rc;
	uint32_t task = k->task, line = line_of(f, h, task, &rc);
	if (line == MPI_NONE)
		return rc;
	if (fact_is_used(f, POLL))
		rc = poll_loops_span(&s->loops, h, span, end);
	struct track *t = track_of(f, run_of(h), line);
	if (rc || !t)
		return rc ? rc : MER_ERR_NOMEM;
	uint8_t on = on_cpu_of(k);
	if (t->from < t->to && t->to == k->begin && t->on_cpu == on) {
		t->to = end;
		return 0;
	}
	rc = flush(f, h, task, t);
	t->from = k->begin;
	t->to = end;
	t->on_cpu = on;
	return rc;
}

/* ---- system calls ---- */

/* The call that the line was in at that time; times must rise. NULL: before the first call, or
 * after the last one. */
static const struct mpi_call *seek(const struct mpi_run *run, struct track *t, int64_t time)
{
	while (t->seek != MPI_NONE && run->calls[t->seek].end <= time)
		t->seek = run->calls[t->seek].next;
	const struct mpi_call *c = t->seek == MPI_NONE ? NULL : &run->calls[t->seek];
	return c && c->begin <= time ? c : NULL;
}

/* Does it move data between processes? Includes process_vm_readv, which copies data from another
 * process. 0: no memory. */
static uint8_t moves_data(struct state *s, const struct kernel_host *h, uint32_t call)
{
	static const char copy[] = "process_vm_";
	uint8_t *at = mer_grow_at(&s->moves, &s->cap_moves, call, sizeof(*s->moves));
	if (at && !*at) {
		const char *name = kernel_name_text(h, h->calls[call].name);
		bool moves = kernel_classes(h, call) &
				     (KERNEL_CALLS_READ | KERNEL_CALLS_WRITE | KERNEL_CALLS_COPY) ||
			     strncmp(name, copy, sizeof(copy) - 1) == 0;
		*at = moves ? 2 : 1;
	}
	return at ? *at : 0;
}

static int on_call(void *ctx, const struct kernel_host *h, const struct kernel_call_end *c)
{
	struct fact_host *f = ctx;
	struct state *s = f->state;
	int rc;
	uint32_t line = line_of(f, h, c->task, &rc);
	if (line == MPI_NONE)
		return rc;
	const struct mpi_run *run = run_of(h);
	struct track *t = track_of(f, run, line);
	if (!t)
		return MER_ERR_NOMEM;
	const struct mpi_call *in = seek(run, t, c->begin);
	uint32_t number = in ? (uint32_t)(in - run->calls) : MPI_NONE;
	bool waits = in && in->wait && c->begin < in->until;
	if (fact_is_used(f, POLL))
		rc = poll_loops_call(&s->loops, h, c, ((uint64_t)number + 1) << 1 | waits);
	if (rc || !in || in->id < MPI_CALL_OTHER || !fact_is_used(f, SYSCALL))
		return rc;
	const struct mpi_process *p = mpi_process_of(run, line);
	uint8_t moves = moves_data(s, h, c->call);
	if (!moves)
		return mer_fail_nomem(f->err);
	struct mpi_syscall x = {
		.fact = { c->begin, c->end, c->task, c->cpu, moves == 2 && c->ret > 0 },
		.rank = p->rank,
		.job = p->job,
		.name = c->call,
		.call = in->id,
		.wait = waits ? in->wait : (uint8_t)MPI_NO_WAIT,
	};
	if (x.fact.choice) {
		x.is_first = t->data != number + 1;
		t->data = number + 1;
	}
	return fact_add(f, h, SYSCALL, &x);
}

static int add_loop(void *ctx, const struct kernel_host *h, const struct poll_loop *loop)
{
	struct fact_host *f = ctx;
	const struct mpi_run *run = run_of(h);
	int rc;
	uint32_t number = (uint32_t)(loop->place >> 1) - 1, line = line_of(f, h, loop->task, &rc);
	if (number == MPI_NONE || line == MPI_NONE)
		return rc;
	const struct mpi_call *c = &run->calls[number];
	const struct mpi_process *p = mpi_process_of(run, line);
	struct mpi_poll x = {
		.fact = { loop->begin, loop->end, loop->task, loop->cpu,
			(uint16_t)mpi_call_class(c->id, p->is_marked) },
		.cpu_ns = loop->cpu_ns,
		.calls = loop->calls,
		.rank = p->rank,
		.job = p->job,
		.call = c->id,
		.wait = loop->place & 1 ? c->wait : (uint8_t)MPI_NO_WAIT,
	};
	return fact_add(f, h, POLL, &x);
}

/* ---- what is known at the end ---- */

static int end_line(struct fact_host *f, const struct kernel_host *h, uint32_t task, uint32_t line)
{
	const struct mpi_run *run = run_of(h);
	struct track *t = track_of(f, run, line);
	if (!t)
		return MER_ERR_NOMEM;
	int rc = flush(f, h, task, t);
	return rc ? rc : tell(f, h, task, t, INT64_MAX, MPI_CPU_UNKNOWN);
}

static int add_calls(struct fact_host *f, const struct kernel_host *h, uint32_t task, uint32_t line)
{
	const struct mpi_run *run = run_of(h);
	const struct mpi_process *p = mpi_process_of(run, line);
	int rc = 0;
	for (uint32_t i = run->lines[line].first; i != MPI_NONE && rc == 0;) {
		const struct mpi_call *c = &run->calls[i];
		i = c->next;
		if (c->id == MPI_CALL_OUTSIDE || c->id == MPI_CALL_UNKNOWN ||
			c->flags & MPI_CONTINUED)
			continue;
		struct mpi_call_fact x = {
			.fact = { c->begin, c->flags & MPI_OPEN ? FACT_UNKNOWN : c->end, task,
				KERNEL_NO_CPU, (uint16_t)mpi_call_class(c->id, p->is_marked) },
			.tid = run->lines[line].tid,
			.seq = c->seq >= 0 ? c->seq : -1,
			.wait_ns = c->wait ? c->until - c->begin : 0,
			.bytes = c->bytes,
			.polls = c->polls,
			.rank = p->rank,
			.peer = c->peer,
			.tag = c->tag,
			.by = c->wait ? rank_of(run, c->by) : -1,
			.job = p->job,
			.call = c->id,
			.wait = c->wait,
		};
		rc = fact_add(f, h, CALL, &x);
	}
	return rc;
}

static int add_messages(
	struct fact_host *f, const struct kernel_world *w, const struct kernel_host *h)
{
	const struct mpi_run *run = run_of(h);
	int rc = 0;
	for (uint32_t i = 0; i < run->n_messages && rc == 0; i++) {
		const struct mpi_message *m = &run->messages[i];
		const struct mpi_process *from = mpi_process_of(run, m->from);
		const struct mpi_process *to = mpi_process_of(run, m->to);
		if (to->host != f->host)
			continue;
		bool apart = !mpi_is_comparable(run, m->from, m->to);
		int64_t wait = apart			      ? FACT_UNKNOWN
			       : m->wait == MPI_LATE_SENDER   ? m->sent - m->waited_from
			       : m->wait == MPI_LATE_RECEIVER ? m->posted - m->sent
							      : 0;
		struct mpi_message_fact x = {
			.fact = { apart ? m->received : m->sent,
				apart			? FACT_UNKNOWN
				: m->received > m->sent ? m->received
							: m->sent,
				w->mpi->tasks[m->to], KERNEL_NO_CPU, m->wait },
			.tid = run->lines[m->to].tid,
			.comm = m->comm,
			.wait_ns = wait,
			.bytes = m->bytes,
			.from = from->rank,
			.to = to->rank,
			.tag = m->tag,
			.job = to->job,
			.from_host = from->host,
			.to_host = to->host,
			.is_any = m->is_any,
			.is_reversed = !apart && m->received < m->sent,
		};
		rc = fact_add(f, h, MESSAGE, &x);
	}
	return rc;
}

static int add_collectives(
	struct fact_host *f, const struct kernel_world *w, const struct kernel_host *h)
{
	const struct mpi_run *run = run_of(h);
	int rc = 0;
	for (uint32_t i = 0; i < run->n_collectives && rc == 0; i++) {
		const struct mpi_collective *c = &run->collectives[i];
		if (mpi_process_of(run, c->last)->host != f->host)
			continue;
		struct mpi_collective_fact x = {
			.fact = { c->begin, c->end, w->mpi->tasks[c->last], KERNEL_NO_CPU, 0 },
			.tid = run->lines[c->last].tid,
			.comm = c->comm,
			.seq = c->seq >= 0 ? c->seq : -1,
			.waited = c->waited,
			.bytes = c->bytes,
			.first = rank_of(run, c->first),
			.last = rank_of(run, c->last),
			.job = c->job,
			.n = c->n,
			.left_ns = c->left - c->end,
			.call = c->id,
		};
		rc = fact_add(f, h, COLLECTIVE, &x);
	}
	return rc;
}

static int begin(struct fact_host *f)
{
	struct state *s = f->state;
	s->loops = (struct poll_loops){
		.spill = f->e->spill, .ctx = f, .add = add_loop, .err = f->err
	};
	return 0;
}

static int end(struct fact_host *f, const struct kernel_world *w, const struct kernel_host *h)
{
	struct state *s = f->state;
	const struct mpi_run *run = run_of(h);
	int rc = run && fact_is_used(f, POLL) ? poll_loops_end(&s->loops, h) : 0;
	for (uint32_t i = 0; run && i < run->n_lines && rc == 0; i++) {
		if (mpi_process_of(run, i)->host != f->host)
			continue;
		rc = end_line(f, h, w->mpi->tasks[i], i);
		if (rc == 0 && fact_is_used(f, CALL))
			rc = add_calls(f, h, w->mpi->tasks[i], i);
	}
	if (rc == 0 && run && fact_is_used(f, MESSAGE))
		rc = add_messages(f, w, h);
	if (rc == 0 && run && fact_is_used(f, COLLECTIVE))
		rc = add_collectives(f, w, h);
	return rc;
}

static void free_state(void *state)
{
	struct state *s = state;
	mer_spill_release(s->tracks);
	free(s->lines);
	free(s->moves);
	poll_loops_fini(&s->loops);
}

static const struct fact_maker maker = {
	.id = "mpi",
	.kinds = kinds,
	.wants = KERNEL_WANT_MPI,
	.state_size = sizeof(struct state),
	.begin = begin,
	.on = { .span = on_span, .call = on_call },
	.end = end,
	.free_state = free_state,
};
