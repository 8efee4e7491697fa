/* Record: keeps what is open on each line and applies the next event to it. A line is always in one
 * state: an MPI call, or outside. After lost events the state is unknown. */
#include "mpi/record.h"

#include <stdlib.h>

#include "base/grow.h"

/* In a damaged trace each event may seem to belong to another process. */
enum { MOST_LINES = 1 << 20 };

static int fail(const struct mpi_recorder *r)
{
	return mer_fail_nomem(r->err);
}

static uint64_t key_of(uint64_t a, uint64_t b, uint64_t c)
{
	const uint64_t key[3] = { a, b, c };
	return mer_hash(key, sizeof(key));
}

/* ---- lines ---- */

static struct mpi_process *process_of(struct mpi_recorder *r, uint32_t line)
{
	return &r->run->processes[r->run->lines[line].process];
}

static uint32_t new_process(struct mpi_recorder *r, const struct mpi_process *p)
{
	struct mpi_run *run = r->run;
	if (!mer_grow32(&run->processes, run->n_processes, &run->cap_processes, sizeof(*p)))
		return MPI_NONE;
	run->processes[run->n_processes] = *p;
	return run->n_processes++;
}

static uint32_t new_line(struct mpi_recorder *r, uint32_t process, int64_t tid, int64_t ts)
{
	struct mpi_run *run = r->run;
	uint32_t n = run->n_lines;
	struct mpi_open *o = mer_grow_at(&r->open, &r->cap_open, n, sizeof(*o));
	if (!o || !mer_grow32(&run->lines, n, &run->cap_lines, sizeof(*run->lines)))
		return MPI_NONE;
	*o = (struct mpi_open){
		.last = ts, .call = MPI_NONE, .pending = MPI_NONE, .spare = MPI_NONE
	};
	run->lines[n] = (struct mpi_line){ .process = process,
		.tid = tid,
		.begin = ts,
		.end = ts,
		.first = MPI_NONE,
		.last = MPI_NONE };
	return run->n_lines++;
}

static int64_t slot_of(const struct mpi_event_row *row, const uint64_t *slots, enum mpi_slot s)
{
	(void)row;
	return (int64_t)slots[s];
}

/* The line of an event, created if it is new; MPI_NONE: no memory, or too many lines. */
static uint32_t find_line(
	struct mpi_recorder *r, const struct mpi_event_row *row, int64_t ts, const uint64_t *slots)
{
	bool is_otf2 = row->source == MPI_OTF2, begins = row->actions & MPI_INIT;
	int64_t pid = is_otf2 ? 0 : slot_of(row, slots, MPI_VPID);
	int64_t who = slot_of(row, slots, MPI_RANK);
	int64_t tid = is_otf2		       ? who
		      : row->source == MPI_OWN ? slot_of(row, slots, MPI_TID)
					       : slot_of(row, slots, MPI_VTID);
	if (is_otf2)
		who = (int64_t)mpi_otf2_main(r->otf2, (uint64_t)who);
	uint64_t kind = is_otf2 ? 0 : pid > 0 ? 1 : 2;
	uint64_t key = key_of((uint64_t)r->host << 2 | kind, (uint64_t)(kind == 1 ? pid : who), 0);
	uint32_t *at = mer_map_put(&r->processes, key);
	if (!at)
		return MPI_NONE;
	/* A process that has left MPI; its number (pid) is used again. */
	if ((!*at || (begins && r->run->processes[*at - 1].to_end)) &&
		r->run->n_processes == MOST_LINES) {
		r->run->doubts.strays++;
		return MPI_NONE;
	}
	if (!*at || (begins && r->run->processes[*at - 1].to_end)) {
		struct mpi_process p = {
			.rank = -1, .host = r->host, .begin = ts, .is_otf2 = is_otf2
		};
		if (is_otf2)
			p.rank = mpi_otf2_rank(r->otf2, (uint64_t)who);
		else if (who >= 0 && who <= INT32_MAX)
			p.rank = (int32_t)who;
		p.size = is_otf2 ? (int32_t)mpi_otf2_world(r->otf2) : 0;
		uint32_t n = new_process(r, &p);
		if (n == MPI_NONE)
			return MPI_NONE;
		*at = n + 1;
	}
	uint32_t process = *at - 1;
	uint32_t *line = mer_map_put(&r->lines, key_of(process, (uint64_t)tid, 1));
	if (!line)
		return MPI_NONE;
	if (!*line && r->run->n_lines == MOST_LINES) {
		r->run->doubts.strays++;
		return MPI_NONE;
	}
	if (!*line) {
		uint32_t n = new_line(r, process, tid > 0 || is_otf2 ? tid : -1, ts);
		if (n == MPI_NONE)
			return MPI_NONE;
		*line = n + 1;
	}
	return *line - 1;
}

/* ---- states ---- */

/* Begins a state of the line at ts. A state outside of MPI that lasted no time is dropped. */
static int begin_state(
	struct mpi_recorder *r, uint32_t line, int64_t ts, unsigned id, unsigned flags)
{
	struct mpi_run *run = r->run;
	struct mpi_open *o = &r->open[line];
	struct mpi_line *l = &run->lines[line];
	struct mpi_call *now = o->call != MPI_NONE ? &run->calls[o->call] : NULL;
	struct mpi_call c = { .begin = ts,
		.end = ts,
		.line = line,
		.before = MPI_NONE,
		.next = MPI_NONE,
		.by = MPI_NONE,
		.until = ts,
		.seq = id == MPI_CALL_COMPUTE ? o->mark : -1,
		.peer = -1,
		.tag = -1,
		.id = (uint16_t)id,
		.flags = (uint8_t)flags };
	if (now && now->id < MPI_CALL_OTHER && now->begin == ts) {
		c.before = now->before;
		*now = c;
		return 0;
	}
	if (now)
		now->end = ts;
	bool is_new = o->spare == MPI_NONE;
	if (is_new && !mer_spill_grow32(
			      run->spill, &run->calls, run->n_calls, &run->cap_calls, sizeof(c)))
		return fail(r);
	uint32_t n = is_new ? run->n_calls++ : o->spare;
	o->spare = MPI_NONE;
	c.before = l->last;
	run->calls[n] = c;
	if (l->last != MPI_NONE)
		run->calls[l->last].next = n;
	else
		l->first = n;
	l->last = o->call = n;
	return 0;
}

static void end_state(struct mpi_recorder *r, uint32_t line, int64_t ts)
{
	struct mpi_open *o = &r->open[line];
	if (o->call != MPI_NONE)
		r->run->calls[o->call].end = ts;
	r->run->lines[line].end = ts;
	o->call = o->pending = MPI_NONE;
	o->depth = 0;
	o->is_marked = false;
}

/* Begins the state between calls: outside of MPI, or in a marked part. */
static int go_outside(struct mpi_recorder *r, uint32_t line, int64_t ts)
{
	const struct mpi_open *o = &r->open[line];
	return o->is_marked ? begin_state(r, line, ts, MPI_CALL_COMPUTE, MPI_CONTINUED)
			    : begin_state(r, line, ts, MPI_CALL_OUTSIDE, 0);
}

/* If events were lost since the line's last one, its state is unknown from the loss on. */
static int pass_losses(struct mpi_recorder *r, uint32_t line, int64_t ts)
{
	struct mpi_open *o = &r->open[line];
	while (o->loss < r->n_losses && r->losses[o->loss].end < o->last)
		o->loss++;
	for (size_t i = o->loss; i < r->n_losses && r->losses[i].begin <= ts; i++) {
		if (r->losses[i].end < o->last || o->call == MPI_NONE)
			continue;
		int64_t from = r->losses[i].begin > o->last ? r->losses[i].begin : o->last;
		struct mpi_call *c = &r->run->calls[o->call];
		c->flags |= c->id == MPI_CALL_UNKNOWN ? 0 : MPI_OPEN;
		o->depth = 0;
		o->is_marked = false;
		o->pending = MPI_NONE;
		return c->id == MPI_CALL_UNKNOWN ? 0
						 : begin_state(r, line, from, MPI_CALL_UNKNOWN, 0);
	}
	return 0;
}

/* ---- what events mean ---- */

static uint32_t call_of(const struct mpi_recorder *r, uint32_t line)
{
	return r->open[line].depth ? r->open[line].call : MPI_NONE;
}

static unsigned id_of(
	const struct mpi_recorder *r, const struct mpi_event_row *row, const uint64_t *slots)
{
	if (row->call != MPI_CALL_OUTSIDE)
		return row->call;
	if (row->source == MPI_OTF2)
		return mpi_otf2_call(r->otf2, slots[MPI_CALL]);
	return slots[MPI_CALL] < MPI_CALL_N && slots[MPI_CALL] > MPI_CALL_UNKNOWN
		       ? (unsigned)slots[MPI_CALL]
		       : MPI_CALL_OTHER;
}

static void init(struct mpi_recorder *r, const struct mpi_event_row *row, uint32_t line,
	const uint64_t *slots)
{
	struct mpi_process *p = process_of(r, line);
	int64_t rank = slot_of(row, slots, MPI_RANK), size = slot_of(row, slots, MPI_SIZE);
	p->from_start = true;
	r->run->lines[line].is_main = true;
	if (row->source == MPI_OTF2)
		return;
	if (size > 0 && size <= INT32_MAX)
		p->size = (int32_t)size;
	p->rank = rank >= 0 && rank < p->size ? (int32_t)rank : -1;
	p->job_key = slots[MPI_JOB];
}

/* Does this poll continue a run? Then the line counts as in that call since the poll before. Polls
 * that are recorded one by one take as long as their recording, so only a gap longer than both
 * polls is a pause. A gap that is short compared with the run so far is not a pause: the task may
 * not have had the CPU. */
static bool goes_on(struct mpi_recorder *r, uint32_t line, int64_t ts, unsigned id)
{
	enum { PAUSE_NS = 1000, PAUSE_PART = 16 };
	struct mpi_open *o = &r->open[line];
	struct mpi_run *run = r->run;
	const struct mpi_call *out = o->call == MPI_NONE ? NULL : &run->calls[o->call];
	if (!out || out->id != MPI_CALL_OUTSIDE || out->before == MPI_NONE || !mpi_call_polls(id) ||
		o->spare != MPI_NONE)
		return false;
	struct mpi_call *c = &run->calls[out->before];
	bool is_run =
		c->id == id && c->end == out->begin && !(c->flags & (MPI_COMPLETES | MPI_OPEN));
	int64_t pause = 2 * (c->end - o->poll) + PAUSE_NS, part = (c->end - c->begin) / PAUSE_PART;
	if (!is_run || ts - out->begin > (pause > part ? pause : part))
		return false;
	o->spare = o->call;
	o->call = r->run->lines[line].last = out->before;
	c->next = MPI_NONE;
	c->polls = c->polls ? c->polls + (c->polls < UINT32_MAX) : 2;
	return true;
}

static int enter(struct mpi_recorder *r, uint32_t line, int64_t ts, unsigned id)
{
	struct mpi_open *o = &r->open[line];
	if (id == MPI_CALL_OUTSIDE || o->depth++)
		return 0;
	int rc = goes_on(r, line, ts, id) ? 0 : begin_state(r, line, ts, id, 0);
	o->poll = ts;
	return rc;
}

static void count_polls(struct mpi_recorder *r, uint32_t line, int64_t ts, uint64_t n)
{
	uint32_t call = call_of(r, line);
	struct mpi_call *c = call == MPI_NONE ? NULL : &r->run->calls[call];
	uint64_t all =
		c ? (uint64_t)(c->polls ? c->polls - 1 : 0) + (n < UINT32_MAX ? n : UINT32_MAX) : 0;
	if (c && (n > 1 || c->polls))
		c->polls = all < UINT32_MAX ? (uint32_t)all : UINT32_MAX;
	if (c && n > 1) /* how long one of them took */
		r->open[line].poll =
			ts - (ts - r->open[line].poll) / (int64_t)(n < UINT32_MAX ? n : UINT32_MAX);
}

static int leave(struct mpi_recorder *r, uint32_t line, int64_t ts, unsigned id)
{
	struct mpi_open *o = &r->open[line];
	if (id == MPI_CALL_OUTSIDE)
		return 0;
	if (o->depth == 0) {
		r->run->doubts.strays++;
		return go_outside(r, line, ts);
	}
	if (--o->depth)
		return 0;
	if (r->run->calls[o->call].id != id)
		r->run->doubts.strays++;
	o->pending = MPI_NONE;
	return go_outside(r, line, ts);
}

/* The rank of a peer; below 0: any, or none. */
static int32_t peer_of(
	const struct mpi_recorder *r, const struct mpi_event_row *row, const uint64_t *slots)
{
	int64_t peer = slot_of(row, slots, MPI_PEER);
	if (row->source == MPI_OTF2)
		return mpi_otf2_member(r->otf2, slots[MPI_COMM_ID], slots[MPI_PEER]);
	return peer >= 0 && peer <= INT32_MAX ? (int32_t)peer : -1;
}

static int32_t tag_of(const struct mpi_event_row *row, const uint64_t *slots)
{
	int64_t tag = slot_of(row, slots, MPI_TAG);
	return tag >= 0 && tag <= INT32_MAX ? (int32_t)tag : -1;
}

/* A negative size is none. */
static uint64_t bytes_of(const uint64_t *slots)
{
	return slots[MPI_BYTES] <= INT64_MAX ? slots[MPI_BYTES] : 0;
}

/* 0: it has none. */
static uint64_t request_of(const struct mpi_event_row *row, const uint64_t *slots)
{
	static const char word[] = "requestID";
	const char *has = row->source == MPI_OTF2 ? row->fields : NULL;
	while (has && *has && __builtin_strncmp(has, word, sizeof(word) - 1) != 0)
		has++;
	return has && *has ? slots[MPI_REQUEST] + 1 : slots[MPI_REQUEST];
}

/* NULL: no memory. */
static struct mpi_end *new_end(struct mpi_recorder *r, const struct mpi_event_row *row,
	uint32_t line, int64_t ts, const uint64_t *slots, bool is_send)
{
	if (!mer_spill_grow32(r->run->spill, &r->ends, r->n_ends, &r->cap_ends, sizeof(*r->ends)))
		return NULL;
	int32_t rank = process_of(r, line)->rank, peer = peer_of(r, row, slots);
	struct mpi_end *x = &r->ends[r->n_ends++];
	*x = (struct mpi_end){ .comm = slot_of(row, slots, MPI_COMM_ID),
		.time = ts,
		.bytes = bytes_of(slots),
		.line = line,
		.posted = call_of(r, line),
		.done = MPI_NONE,
		.from = is_send ? rank : peer,
		.to = is_send ? peer : rank,
		.tag = tag_of(row, slots),
		.is_send = is_send,
		.is_complete = is_send,
		.is_void = is_send && peer < 0,
		.is_late = r->n_losses && ts >= r->losses[0].begin };
	return x;
}

/* Numbers of requests only grow, and few are open at a time: numbers with the same last bits share
 * a place, so the map does not exceed the number of requests that can be open. */
static uint64_t request_key(const struct mpi_recorder *r, uint32_t line, uint64_t request)
{
	enum { OPEN = 1 << 16 };
	return key_of(r->run->lines[line].process, request % OPEN, 2);
}

/* Maps the request to the newest end. */
static int remember_request(struct mpi_recorder *r, uint32_t line, uint64_t request)
{
	uint32_t *at = mer_map_put(&r->requests, request_key(r, line, request));
	if (!at)
		return fail(r);
	*at = r->n_ends;
	r->ends[r->n_ends - 1].request = request;
	return 0;
}

/* The end of a request, which is then forgotten; NULL: not known. */
static struct mpi_end *end_of_request(struct mpi_recorder *r, uint32_t line, uint64_t request)
{
	uint32_t *at = mer_map_get(&r->requests, request_key(r, line, request));
	struct mpi_end *x = at && *at ? &r->ends[*at - 1] : NULL;
	if (!x || x->request != request)
		return NULL;
	*at = 0;
	return x;
}

static void tell_call(
	struct mpi_recorder *r, uint32_t call, int32_t peer, int32_t tag, uint64_t bytes)
{
	if (call == MPI_NONE)
		return;
	struct mpi_call *c = &r->run->calls[call];
	c->peer = peer;
	c->tag = tag;
	c->bytes += bytes;
}

static void complete(struct mpi_recorder *r, uint32_t call)
{
	if (call != MPI_NONE)
		r->run->calls[call].flags |= MPI_COMPLETES;
}

static int sent(struct mpi_recorder *r, const struct mpi_event_row *row, uint32_t line, int64_t ts,
	const uint64_t *slots)
{
	struct mpi_end *x = new_end(r, row, line, ts, slots, true);
	uint64_t request = request_of(row, slots);
	if (!x)
		return fail(r);
	tell_call(r, x->posted, x->to, x->tag, x->bytes);
	if (request)
		return remember_request(r, line, request);
	x->done = x->posted;
	return 0;
}

static int posted(struct mpi_recorder *r, const struct mpi_event_row *row, uint32_t line,
	int64_t ts, const uint64_t *slots)
{
	struct mpi_end *x = new_end(r, row, line, ts, slots, false);
	uint64_t request = request_of(row, slots);
	if (!x)
		return fail(r);
	x->is_any = row->source != MPI_OTF2 && (x->from < 0 || x->tag < 0);
	if (request)
		return remember_request(r, line, request);
	r->open[line].pending = r->n_ends - 1;
	/* The rank for which it waits, in case that it never ends. */
	if (row->source != MPI_OTF2)
		tell_call(r, x->posted, x->from, x->tag, 0);
	return 0;
}

static int received(struct mpi_recorder *r, const struct mpi_event_row *row, uint32_t line,
	int64_t ts, const uint64_t *slots)
{
	struct mpi_open *o = &r->open[line];
	uint64_t request = request_of(row, slots);
	struct mpi_end *x = request		     ? end_of_request(r, line, request)
			    : o->pending != MPI_NONE ? &r->ends[o->pending]
						     : NULL;
	bool was_posted = x != NULL;
	if (!request)
		o->pending = MPI_NONE;
	if (!x) /* the call itself posted it, unless the posting was not recorded */
		x = new_end(r, row, line, ts, slots, false);
	if (!x)
		return fail(r);
	x->is_late |= !was_posted && request;
	x->from = peer_of(r, row, slots);
	x->tag = tag_of(row, slots);
	x->bytes = bytes_of(slots);
	if (row->source == MPI_OTF2) /* the posting does not have these */
		x->comm = slot_of(row, slots, MPI_COMM_ID);
	x->is_complete = true;
	x->is_void = x->from < 0 || x->tag < 0;
	x->done = call_of(r, line);
	complete(r, x->done);
	tell_call(r, x->done, x->from, x->tag, x->bytes);
	return 0;
}

static void done(struct mpi_recorder *r, uint32_t line, uint64_t request)
{
	struct mpi_end *x = end_of_request(r, line, request);
	if (x && x->is_send)
		x->done = call_of(r, line);
	complete(r, call_of(r, line));
}

static int add_member(struct mpi_recorder *r, const struct mpi_member *m)
{
	if (!mer_spill_grow32(
		    r->run->spill, &r->members, r->n_members, &r->cap_members, sizeof(*r->members)))
		return fail(r);
	r->members[r->n_members++] = *m;
	return 0;
}

static int set_size(struct mpi_recorder *r, const struct mpi_event_row *row, uint32_t line,
	const uint64_t *slots)
{
	int64_t size = slot_of(row, slots, MPI_SIZE);
	uint32_t *at =
		mer_map_put(&r->sizes, key_of(r->run->lines[line].process, slots[MPI_COMM_ID], 3));
	if (!at)
		return fail(r);
	*at = size > 0 && size < INT32_MAX ? (uint32_t)size : 0;
	return 0;
}

static int joined(struct mpi_recorder *r, const struct mpi_event_row *row, uint32_t line,
	const uint64_t *slots, int64_t ts)
{
	uint32_t call = call_of(r, line), process = r->run->lines[line].process;
	uint64_t comm = slots[MPI_COMM_ID];
	struct mpi_member m = { .comm = (int64_t)comm,
		.seq = slot_of(row, slots, MPI_SEQ),
		.enter = call == MPI_NONE ? ts : r->run->calls[call].begin,
		.bytes = bytes_of(slots),
		.line = line,
		.call = call,
		.root = -1,
		.id = call == MPI_NONE ? (uint16_t)MPI_CALL_OTHER : r->run->calls[call].id };
	if (row->source == MPI_OTF2) {
		uint32_t *at = mer_map_put(&r->counters, key_of(process, comm, 4));
		if (!at)
			return fail(r);
		m.seq = (*at)++;
		m.size = mpi_otf2_size(r->otf2, comm);
		m.root = mpi_otf2_member(r->otf2, comm, slots[MPI_ROOT]);
		/* Its number is uncertain after lost events. */
		if (r->n_losses && m.enter >= r->losses[0].begin)
			m.call = MPI_NONE;
	} else {
		const uint32_t *size = mer_map_get(&r->sizes, key_of(process, comm, 3));
		int64_t root = slot_of(row, slots, MPI_ROOT);
		m.size = size ? *size : comm == 0 ? (uint32_t)process_of(r, line)->size : 0;
		m.root = root >= 0 && root <= INT32_MAX ? (int32_t)root : -1;
	}
	if (call != MPI_NONE) {
		r->run->calls[call].seq = m.seq;
		r->run->calls[call].bytes += m.bytes;
	}
	return add_member(r, &m);
}

static int mark(struct mpi_recorder *r, uint32_t line, int64_t ts, int64_t number)
{
	struct mpi_open *o = &r->open[line];
	process_of(r, line)->is_marked = true;
	o->is_marked = true;
	o->mark = number;
	return o->depth ? 0 : begin_state(r, line, ts, MPI_CALL_COMPUTE, 0);
}

static int unmark(struct mpi_recorder *r, uint32_t line, int64_t ts)
{
	struct mpi_open *o = &r->open[line];
	if (!o->is_marked) {
		r->run->doubts.strays++;
		return 0;
	}
	o->is_marked = false;
	int rc = o->depth ? 0 : begin_state(r, line, ts, MPI_CALL_OUTSIDE, 0);
	return rc ? rc
		  : add_member(r, &(struct mpi_member){ .seq = o->mark,
					  .enter = ts,
					  .line = line,
					  .call = MPI_NONE,
					  .root = -1,
					  .id = MPI_CALL_COMPUTE });
}

int mpi_record(
	struct mpi_recorder *r, const struct mpi_event_row *row, int64_t ts, const uint64_t *slots)
{
	uint32_t line = find_line(r, row, ts, slots), does = row->actions;
	if (line == MPI_NONE)
		return r->run->n_lines == MOST_LINES || r->run->n_processes == MOST_LINES ? 0
											  : fail(r);
	if (does & MPI_POLLED) {
		int64_t ago = slots[MPI_SEQ] <= INT64_MAX ? (int64_t)slots[MPI_SEQ] : 0;
		ts = ts - r->open[line].last > ago ? ts - ago : r->open[line].last;
	}
	struct mpi_process *p = process_of(r, line);
	/* The process has left MPI: its later events do not count. */
	if (p->to_end && r->open[line].call == MPI_NONE && !(does & MPI_INIT))
		return 0;
	if (p->rank < 0 && !(does & (MPI_INIT | MPI_ENTER | MPI_LEAVE)))
		r->run->doubts.strays++;
	int rc = pass_losses(r, line, ts);
	if (rc == 0 && r->open[line].call == MPI_NONE)
		rc = begin_state(r, line, ts, MPI_CALL_OUTSIDE, 0);
	if (does & MPI_INIT)
		init(r, row, line, slots);
	if (rc == 0 && does & MPI_COMM)
		rc = set_size(r, row, line, slots);
	if (rc == 0 && does & MPI_ENTER)
		rc = enter(r, line, ts, id_of(r, row, slots));
	if (rc == 0 && does & MPI_SENT)
		rc = sent(r, row, line, ts, slots);
	if (rc == 0 && does & MPI_POSTED)
		rc = posted(r, row, line, ts, slots);
	if (rc == 0 && does & MPI_RECEIVED)
		rc = received(r, row, line, ts, slots);
	if (does & MPI_DONE)
		done(r, line, request_of(row, slots));
	if (rc == 0 && does & MPI_JOINED)
		rc = joined(r, row, line, slots, ts);
	if (rc == 0 && does & MPI_POLLED)
		count_polls(r, line, ts, slots[MPI_BYTES]);
	if (rc == 0 && does & MPI_LEAVE)
		rc = leave(r, line, ts, id_of(r, row, slots));
	if (rc == 0 && does & MPI_MARK)
		rc = mark(r, line, ts, slot_of(row, slots, MPI_SEQ));
	if (rc == 0 && does & MPI_UNMARK)
		rc = unmark(r, line, ts);
	if (does & MPI_FINAL) {
		p->to_end = true;
		end_state(r, line, ts);
	}
	r->open[line].last = ts;
	return rc;
}

/* ---- hosts ---- */

static int compare_losses(const void *a, const void *b)
{
	const struct mpi_loss *p = a, *q = b;
	return (p->begin > q->begin) - (p->begin < q->begin);
}

int mpi_recorder_host(struct mpi_recorder *r, uint32_t host)
{
	const struct mer_experiment *e = r->e;
	r->host = host;
	r->n_losses = 0;
	r->host_end = INT64_MIN;
	for (uint32_t i = 0; i < e->n_traces; i++)
		if (e->traces[i].host == host && e->traces[i].end > r->host_end)
			r->host_end = e->traces[i].end;
	for (uint32_t i = 0; i < e->n_losses; i++) {
		const struct mer_loss *l = &e->losses[i];
		const struct mer_trace *t = &e->traces[e->streams[l->stream].trace];
		/* Lost kernel events do not matter here. */
		if (t->host != host || __builtin_strcmp(t->domain, "kernel") == 0)
			continue;
		if (!mer_grow(&r->losses, r->n_losses, &r->cap_losses, sizeof(*r->losses)))
			return fail(r);
		r->losses[r->n_losses++] =
			(struct mpi_loss){ l->begin, l->end == MER_NO_TIME ? INT64_MAX : l->end };
	}
	if (r->n_losses)
		qsort(r->losses, r->n_losses, sizeof(*r->losses), compare_losses);
	return 0;
}

/* A call that has not ended lasts to the end of the recording, so that a rank that hangs is
 * visible. */
int mpi_recorder_end(struct mpi_recorder *r)
{
	struct mpi_run *run = r->run;
	for (uint32_t i = 0; i < run->n_lines; i++) {
		struct mpi_open *o = &r->open[i];
		if (process_of(r, i)->host != r->host || o->call == MPI_NONE)
			continue;
		int rc = r->host_end > o->last ? pass_losses(r, i, r->host_end) : 0;
		if (rc)
			return rc;
		struct mpi_call *c = &run->calls[o->call];
		int64_t end = o->depth && r->host_end > o->last ? r->host_end : o->last;
		if (o->depth)
			c->flags |= MPI_OPEN;
		end_state(r, i, end > c->begin ? end : c->begin);
	}
	return 0;
}

void mpi_recorder_fini(struct mpi_recorder *r)
{
	mer_spill_release(r->ends);
	mer_spill_release(r->members);
	free(r->open);
	free(r->losses);
	mer_map_fini(&r->processes);
	mer_map_fini(&r->lines);
	mer_map_fini(&r->requests);
	mer_map_fini(&r->sizes);
	mer_map_fini(&r->counters);
	mpi_otf2_free(r->otf2);
}
