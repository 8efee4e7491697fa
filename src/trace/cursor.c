#include "trace/cursor.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/lower_bound.h"
#include "base/options.h"
#include "trace/damage.h"
#include "trace/lane.h"
#include "trace/timesort.h"
#include "trace/twins.h"
#include "trace/wrap.h"

enum {
	/* Target numbers of events: few enough to stay in the cache, but some for each stream. */
	WINDOW_MIN_EVENTS = 512,
	WINDOW_STREAM_EVENTS = 8,
	WINDOW_MAX_EVENTS = 16384,
	/* For cursors of single hosts, which are open at the same time: all together, and the
	 * minimum for each. */
	HOSTS_EVENTS = 1 << 16,
	HOST_MIN_EVENTS = 64,
	POOL_SLOTS = 1 << 18, /* 2 MB */
	MAX_CONTEXTS = 1 << 16,
	/* Files in use for a window, where not all stay mapped; packets of one stream that are done
	 * and wait for the window's end. */
	MAX_FILES = 2048,
	MAX_DONE = 4096
};
#define MAX_WIDTH_NS ((int64_t)UINT32_MAX) /* sort keys have 32 bits */

/* Values at the end of the previous packet, for packets that do not say when they begin. */
struct carry {
	uint64_t clock, peak;
	int64_t key;
};

struct stream_cursor {
	uint32_t first;		   /* packet that reading began with */
	uint32_t next, saved_next; /* packet to open */
	uint32_t begin_of;	   /* packet whose begin is known, plus 1 */
	int64_t begin;
	uint32_t n_lanes, cap_lanes;
	struct lane *lanes; /* in the order of their packets; done ones stay for the window */
	uint64_t saved_window;
	struct carry carry, saved_carry;
	uint64_t n_back;     /* events out of order, in packets that are closed */
	uint64_t worst_back; /* cycles */
	uint64_t worst_from; /* the value before */
};

struct mer_cursor {
	struct mer_experiment *e;
	const struct trace_reading *reading;
	struct trace_reading *owned_reading; /* made by mer_cursor_open */
	struct trace_range range;
	uint32_t first_stream, end_stream; /* that it reads */
	struct stream_cursor *streams;	   /* of these, as keys */
	/* per stream: no event of the stream is earlier; INT64_MAX: it has no more events */
	int64_t *keys;
	struct lane_sink sink;	  /* the window, as decoded */
	struct mer_event *events; /* in order */
	struct timesort_key *spare;
	struct ctf_pool pool;
	const uint64_t **contexts;
	uint32_t n_contexts;
	uint32_t *files; /* in use for the window; NULL: all stay mapped */
	uint32_t n_files;
	uint32_t window_events; /* target number in a window */
	int64_t width;		/* of the next window, ns */
	uint64_t window;	/* its number, from 1 */
	bool *is_twin;		/* by ctf_plan.id: skipped within twins (twins.h); NULL: none is */
	bool flushing;		/* an instant is handed out in pieces */
	uint32_t flush_stream;
	int64_t flush_key;
	uint64_t bytes;
	struct mer_diags diags;
	struct mer_arena diag_arena;
};

/* Result of filling a window from a stream. */
enum fill {
	FILL_OK,
	FILL_FULL, /* no room for more events or values */
	FILL_BUSY, /* too many files in use, or finished packets kept */
	FILL_NOMEM
};

static struct stream_cursor *stream_of(struct mer_cursor *c, uint32_t stream)
{
	return &c->streams[stream - c->first_stream];
}

static int64_t *key_of(struct mer_cursor *c, uint32_t stream)
{
	return &c->keys[stream - c->first_stream];
}

/* Begin of the packet that is opened next; there must be one. */
static int64_t next_begin(struct mer_cursor *c, uint32_t stream)
{
	struct stream_cursor *s = stream_of(c, stream);
	if (s->begin_of != s->next + 1) {
		s->begin_of = s->next + 1;
		s->begin = trace_packet_begin(c->e, &c->e->data[stream].packets[s->next]);
	}
	return s->begin;
}

static struct lane *add_lane(struct mer_cursor *c, struct stream_cursor *s)
{
	if (s->n_lanes == s->cap_lanes) {
		uint32_t cap = s->cap_lanes ? s->cap_lanes * 2 : 1;
		struct lane *p = realloc(s->lanes, cap * sizeof(*p));
		if (!p)
			return NULL;
		memset(p + s->cap_lanes, 0, (cap - s->cap_lanes) * sizeof(*p));
		s->lanes = p;
		s->cap_lanes = cap;
	}
	struct lane *l = &s->lanes[s->n_lanes];
	if (!l->d.regs) {
		l->d.regs = calloc(c->reading->max_regs + 1u, sizeof(*l->d.regs));
		if (!l->d.regs)
			return NULL;
	}
	s->n_lanes++;
	return l;
}

static void save_stream(struct mer_cursor *c, struct stream_cursor *s)
{
	if (s->saved_window == c->window)
		return;
	s->saved_window = c->window;
	s->saved_next = s->next;
	s->saved_carry = s->carry;
}

static struct carry carry_of(const struct lane *l)
{
	return (struct carry){ l->now.pos.clock, l->now.peak, l->now.key };
}

/* Keeps the file mapped until the window's end. *data NULL: it cannot be read any more. */
static enum fill use_file(struct mer_cursor *c, uint32_t file, const uint8_t **data)
{
	if (c->n_files == MAX_FILES)
		return FILL_BUSY;
	*data = trace_file_use(c->e, file);
	if (*data)
		c->files[c->n_files++] = file;
	else
		trace_file_report_gone(c->e, file, &c->diags);
	return FILL_OK;
}

static void release_files(struct mer_cursor *c)
{
	while (c->n_files)
		trace_file_done(c->e, c->files[--c->n_files]);
}

/* Are many finished packets kept in case the window has to be restarted? */
static bool many_done(const struct stream_cursor *s)
{
	if (s->n_lanes == 0 || s->n_lanes % MAX_DONE)
		return false;
	uint32_t n = 0;
	for (uint32_t i = 0; i < s->n_lanes; i++)
		n += s->lanes[i].now.done;
	return n > MAX_DONE / 2;
}

static enum fill open_packet(struct mer_cursor *c, uint32_t stream)
{
	struct stream_cursor *s = stream_of(c, stream);
	const struct ctf_packet *p = &c->e->data[stream].packets[s->next];
	const uint8_t *data = NULL;
	if (many_done(s))
		return FILL_BUSY;
	if (c->files && use_file(c, p->file, &data) != FILL_OK)
		return FILL_BUSY;
	save_stream(c, s);
	if (c->files && !data) {
		s->next++;
		return FILL_OK;
	}
	struct lane *l = add_lane(c, s);
	if (!l)
		return FILL_NOMEM;
	lane_open(l, c->e, c->reading, p, &c->pool, s->carry.clock, s->carry.peak, c->range.begin,
		c->sink.header_row, c->sink.row);
	l->packet_number = s->next++;
	l->opened_window = l->file_window = c->window;
	l->saved_window = 0;
	return FILL_OK;
}

/* Maps a lane's bytes again if they were unmapped since the last window. */
static enum fill use_lane(struct mer_cursor *c, struct lane *l)
{
	const uint8_t *data = NULL;
	if (!c->files || l->file_window == c->window)
		return FILL_OK;
	if (use_file(c, l->packet->file, &data) != FILL_OK)
		return FILL_BUSY;
	if (data)
		l->now.pos.base = data + l->packet->offset;
	else
		l->now.done = true;
	l->file_window = c->window;
	return FILL_OK;
}

/* Makes the row of the lane's packet context for this batch, before its first event in it. */
static enum fill use_context(struct mer_cursor *c, struct lane *l)
{
	if (l->context_window == c->window)
		return FILL_OK;
	uint32_t n = l->stream->context.n_slots;
	if (c->n_contexts == MAX_CONTEXTS || c->pool.cap - c->pool.n < n)
		return FILL_FULL;
	uint64_t *row = c->pool.slots + c->pool.n;
	size_t used = c->pool.n += n;
	const struct trace_file *f = &c->e->files[l->packet->file];
	/* Reads the context again, now keeping its values: those of arrays follow it in the
	 * pool. */
	struct ctf_packet_info info = { 0 };
	struct ctf_pos pos = { .base = f->data + l->packet->offset,
		.end_bit = (f->bytes - l->packet->offset) * 8 };
	struct ctf_decoder d = l->d;
	d.info = &info;
	enum ctf_status st =
		ctf_execute(&d, &pos, d.program->packet_header.first_op, c->sink.header_row);
	c->pool.n = used;
	if (st == CTF_OK)
		st = ctf_execute(&d, &pos, l->stream->context.first_op, row);
	if (st)
		return FILL_FULL; /* it could be read before: only the pool can be full */
	c->contexts[c->n_contexts] = row;
	l->context = c->n_contexts++;
	l->context_window = c->window;
	return FILL_OK;
}

static enum fill fill_from_lane(struct mer_cursor *c, uint32_t stream, struct lane *l, int64_t end)
{
	if (l->now.done || l->now.key >= end)
		return FILL_OK;
	if (l->saved_window != c->window) {
		l->saved_window = c->window;
		l->saved = l->now;
	}
	if (use_lane(c, l) != FILL_OK)
		return FILL_BUSY;
	if (l->now.done)
		return FILL_OK;
	uint32_t context = UINT32_MAX;
	if (c->reading->contexts) {
		if (use_context(c, l) != FILL_OK)
			return FILL_FULL;
		context = l->context;
	}
	return lane_run(l, &c->sink, c->range.begin, end, stream, context) == LANE_OK ? FILL_OK
										      : FILL_FULL;
}

/* All of a stream's events before end. Packets are opened when their time has come. */
static enum fill fill_from_stream(struct mer_cursor *c, uint32_t stream, int64_t end)
{
	struct stream_cursor *s = stream_of(c, stream);
	const struct trace_stream *t = &c->e->data[stream];
	for (uint32_t i = 0;; i++) {
		while (i == s->n_lanes && s->next < t->n_packets) {
			bool after = s->n_lanes > 0;
			if (t->ordered ? next_begin(c, stream) >= end
				       : after && !s->lanes[s->n_lanes - 1].now.done)
				break;
			if (after && !t->ordered) {
				save_stream(c, s);
				s->carry = carry_of(&s->lanes[s->n_lanes - 1]);
			}
			enum fill f = open_packet(c, stream);
			if (f != FILL_OK)
				return f;
		}
		if (i == s->n_lanes)
			return FILL_OK;
		enum fill f = fill_from_lane(c, stream, &s->lanes[i], end);
		if (f != FILL_OK)
			return f;
	}
}

static void free_lanes(struct stream_cursor *s)
{
	for (uint32_t l = 0; l < s->cap_lanes; l++)
		free(s->lanes[l].d.regs);
	free(s->lanes);
	s->lanes = NULL;
	s->n_lanes = s->cap_lanes = 0;
}

/* The window is done: forget the packets that ended in it. */
static void commit_stream(struct mer_cursor *c, uint32_t stream)
{
	struct stream_cursor *s = stream_of(c, stream);
	const struct trace_stream *t = &c->e->data[stream];
	uint32_t kept = 0;
	for (uint32_t i = 0; i < s->n_lanes; i++) {
		struct lane *l = &s->lanes[i];
		if (!l->now.done) {
			if (kept != i) { /* swap: registers stay with their place */
				struct lane swap = s->lanes[kept];
				s->lanes[kept] = *l;
				*l = swap;
			}
			kept++;
			continue;
		}
		if (l->now.status && l->now.key >= c->range.begin)
			trace_report_damage(&c->diags, c->e, stream, l->packet_number,
				&(struct trace_damage){
					l->now.status, l->now.head_bit, l->d.event_id });
		if (l->clock && mer_clock_host_ns(l->clock, l->now.peak) == TRACE_LAST_TIME)
			trace_report_overflow(&c->diags, c->e, stream, l->packet_number);
		s->n_back += l->now.n_back;
		if (l->now.worst_back > s->worst_back) {
			s->worst_back = l->now.worst_back;
			s->worst_from = l->now.worst_from;
		}
		if (!t->ordered)
			s->carry = carry_of(l);
		c->bytes += l->packet->size_bits / 8;
	}
	s->n_lanes = kept;
	if (kept == 0 && s->next >= t->n_packets)
		free_lanes(s); /* there may be very many streams */
	int64_t key = INT64_MAX;
	for (uint32_t i = 0; i < kept; i++)
		if (s->lanes[i].now.key < key)
			key = s->lanes[i].now.key;
	if (s->next < t->n_packets) {
		int64_t begin = t->ordered ? next_begin(c, stream) : kept ? key : s->carry.key;
		if (begin < key)
			key = begin;
	}
	*key_of(c, stream) = key;
}

static void roll_back(struct mer_cursor *c)
{
	for (uint32_t i = 0; i < c->end_stream - c->first_stream; i++) {
		struct stream_cursor *s = &c->streams[i];
		while (s->n_lanes && s->lanes[s->n_lanes - 1].opened_window == c->window)
			s->n_lanes--;
		for (uint32_t l = 0; l < s->n_lanes; l++)
			if (s->lanes[l].saved_window == c->window)
				s->lanes[l].now = s->lanes[l].saved;
		if (s->saved_window == c->window) {
			s->next = s->saved_next;
			s->carry = s->saved_carry;
		}
	}
}

static void begin_window(struct mer_cursor *c)
{
	c->window++;
	c->sink.n = 0;
	c->n_contexts = 0;
	c->pool.n = 0;
	release_files(c);
}

/* Hands out the events of one instant, in the order of the streams. Ends when none is left. */
static int flush(struct mer_cursor *c, struct mer_err *err)
{
	begin_window(c);
	while (c->flush_stream < c->end_stream) {
		enum fill f = FILL_OK;
		if (*key_of(c, c->flush_stream) <= c->flush_key)
			f = fill_from_stream(c, c->flush_stream, c->flush_key + 1);
		if (f == FILL_NOMEM)
			return mer_fail_nomem(err);
		if (f != FILL_OK && c->sink.n)
			return 0;
		if (f == FILL_BUSY) { /* no events to return, and the window is not restarted */
			commit_stream(c, c->flush_stream);
			begin_window(c);
			continue;
		}
		if (f == FILL_FULL && c->pool.cap < TRACE_MAX_EVENT_SLOTS) {
			if (!trace_pool_grow(&c->pool))
				return mer_fail_nomem(err);
			begin_window(c);
			continue;
		}
		if (f == FILL_FULL) { /* one event record that does not fit into the largest pool */
			struct stream_cursor *s = stream_of(c, c->flush_stream);
			for (uint32_t i = 0; i < s->n_lanes; i++)
				if (!s->lanes[i].now.done && s->lanes[i].now.key <= c->flush_key) {
					s->lanes[i].now.done = true;
					s->lanes[i].now.status = CTF_E_SPACE;
					break;
				}
			begin_window(c);
			continue;
		}
		commit_stream(c, c->flush_stream++);
	}
	c->flushing = false;
	return 0;
}

static void adapt_width(struct mer_cursor *c)
{
	int64_t w = c->width;
	uint32_t n = c->sink.n, want = c->window_events;
	if (n < want / 4)
		w = w > MAX_WIDTH_NS / 4 ? MAX_WIDTH_NS : w * 4;
	else if (n < want * 3 / 4 || n > want * 5 / 4)
		w = (int64_t)((double)w * want / n);
	c->width = w < 1 ? 1 : w > MAX_WIDTH_NS ? MAX_WIDTH_NS : w;
}

/* Fills the sink with the next window that has any event; *more is false when there is none. */
static int fill_window(struct mer_cursor *c, bool *more, struct mer_err *err)
{
	*more = false;
	for (;;) {
		int64_t begin = INT64_MAX;
		uint32_t n_streams = c->end_stream - c->first_stream;
		for (uint32_t i = 0; i < n_streams; i++)
			if (c->keys[i] < begin)
				begin = c->keys[i];
		if (begin >= c->range.end)
			return 0;
		int64_t end = begin > INT64_MAX - c->width ? INT64_MAX : begin + c->width;
		if (end > c->range.end)
			end = c->range.end;
		begin_window(c);
		c->flush_key = c->sink.origin = begin;
		enum fill f = FILL_OK;
		for (uint32_t i = 0; i < n_streams && f == FILL_OK; i++)
			if (c->keys[i] < end)
				f = fill_from_stream(c, c->first_stream + i, end);
		if (f == FILL_NOMEM)
			return mer_fail_nomem(err);
		if (f != FILL_OK) {
			roll_back(c);
			if (end - begin == 1) {
				c->flushing = true;
				c->flush_stream = c->first_stream;
				*more = true;
				return 0;
			}
			c->width = (end - begin) / 4 > 0 ? (end - begin) / 4 : 1;
			continue;
		}
		bool stuck = false;
		for (uint32_t i = 0; i < n_streams; i++)
			if (c->keys[i] < end) {
				commit_stream(c, c->first_stream + i);
				stuck |= c->keys[i] < end;
			}
		if (stuck)
			return mer_fail(err, MER_ERR_BUG,
				"the merge does not advance; please report this trace");
		adapt_width(c);
		if (c->sink.n) {
			*more = true;
			return 0;
		}
	}
}

static uint32_t drop_twins(const struct mer_cursor *c, struct mer_event *events, uint32_t n)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < n; i++)
		if (!c->is_twin[events[i].plan->id] ||
			!trace_is_in_twin(c->e, events[i].stream, events[i].ts))
			events[kept++] = events[i];
	return kept;
}

int mer_cursor_next(
	struct mer_cursor *c, const struct mer_event **events, size_t *n, struct mer_err *err)
{
	bool more = true;
	*n = 0;
	for (;;) {
		int rc = 0;
		if (!c->flushing)
			rc = fill_window(c, &more, err);
		if (rc || !more)
			return rc;
		bool flushed = c->flushing;
		if (flushed)
			rc = flush(c, err);
		if (rc)
			return rc;
		if (c->sink.n == 0)
			continue;
		struct mer_event *found = c->sink.events;
		const struct timesort_key *order =
			flushed ? NULL : timesort(c->sink.keys, c->spare, c->sink.n);
		if (order) {
			for (uint32_t i = 0; i < c->sink.n; i++)
				c->events[i] = c->sink.events[order[i].index];
			found = c->events;
		}
		*n = __builtin_expect(c->is_twin != NULL, 0) ? drop_twins(c, found, c->sink.n)
							     : c->sink.n;
		if (*n == 0)
			continue;
		*events = found;
		return 0;
	}
}

/* Ends the use of the batch's files. */
static void release_batch(struct trace_batch *b)
{
	while (b->n_files)
		trace_file_done(b->e, b->files[--b->n_files]);
}

static bool ready_batch(const struct mer_cursor *c, struct trace_batch *b)
{
	if (!b->storage)
		b->storage = malloc(WINDOW_MAX_EVENTS * sizeof(*b->storage));
	if (!b->pool.slots) {
		b->pool.cap = c->pool.cap;
		b->pool.slots = malloc(b->pool.cap * sizeof(*b->pool.slots));
	}
	if (c->contexts && !b->contexts)
		b->contexts = calloc(MAX_CONTEXTS, sizeof(*b->contexts));
	if (c->files && !b->files)
		b->files = calloc(MAX_FILES, sizeof(*b->files));
	return b->storage && b->pool.slots && (b->contexts || !c->contexts) &&
	       (b->files || !c->files);
}

int trace_cursor_take(struct mer_cursor *c, struct trace_batch *b, struct mer_err *err)
{
	release_batch(b);
	if (!ready_batch(c, b))
		return mer_fail_nomem(err);
	int rc = mer_cursor_next(c, &b->events, &b->n, err);
	if (rc || b->n == 0)
		return rc;
	struct mer_event **from = b->events == c->events ? &c->events : &c->sink.events;
	struct mer_event *storage = *from;
	*from = b->storage;
	b->storage = storage;
	struct ctf_pool pool = c->pool;
	c->pool = b->pool;
	b->pool = pool;
	const uint64_t **contexts = c->contexts;
	c->contexts = b->contexts;
	b->contexts = contexts;
	uint32_t *files = c->files;
	c->files = b->files;
	b->files = files;
	b->n_files = c->n_files;
	c->n_files = 0;
	b->e = c->e;
	return 0;
}

void trace_batch_fini(struct trace_batch *b)
{
	release_batch(b);
	free(b->files);
	free(b->storage);
	free(b->pool.slots);
	free(b->contexts);
	*b = (struct trace_batch){ 0 };
}

void trace_cursor_aim(struct mer_cursor *c, uint32_t n_events)
{
	if (n_events > WINDOW_MAX_EVENTS / 2)
		n_events = WINDOW_MAX_EVENTS / 2;
	if (c->window_events < n_events)
		c->window_events = n_events;
}

static uint32_t first_packet(const struct mer_experiment *e, uint32_t stream, int64_t begin)
{
	const struct trace_stream *t = &e->data[stream];
	/* The packets before lo begin before the range. */
	MER_LOWER_BOUND(lo, 0, t->ordered && begin != INT64_MIN ? t->n_packets : 0, at,
		trace_packet_begin(e, &t->packets[at]) < begin);
	/* Goes back over those that have not ended by then. */
	while (lo > 0) {
		int64_t end = trace_packet_end(e, &t->packets[lo - 1]);
		if (end == MER_NO_TIME && lo < t->n_packets)
			end = trace_packet_begin(e, &t->packets[lo]);
		if (end != MER_NO_TIME && end < begin)
			break;
		lo--;
	}
	return (uint32_t)lo;
}

void trace_first_packets(const struct mer_experiment *e, int64_t begin, uint32_t *first)
{
	for (uint32_t i = 0; i < e->n_streams; i++)
		first[i] = first_packet(e, i, begin);
}

/* first: the packets to begin with, by stream from first_stream on; NULL: found from the range. */
static int new_cursor(struct mer_experiment *e, const struct trace_reading *reading,
	struct trace_range range, uint32_t first_stream, uint32_t end_stream,
	uint32_t window_events, const uint32_t *first, struct mer_cursor **cursor,
	struct mer_err *err)
{
	uint32_t n_streams = end_stream - first_stream;
	if (e->has_no_events)
		return mer_fail(err, MER_ERR_USAGE,
			"this needs the events themselves, and full parts of recordings have none: ask it where the traces are");
	struct mer_cursor *c = calloc(1, sizeof(*c));
	if (!c)
		return mer_fail_nomem(err);
	c->e = e;
	c->reading = reading;
	c->range = range;
	c->width = 1 << 20;
	c->first_stream = first_stream;
	c->end_stream = end_stream;
	c->window_events = window_events;
	mer_arena_init(&c->diag_arena);
	mer_diags_init(&c->diags, &c->diag_arena);
	c->pool.cap = POOL_SLOTS > 4 * reading->max_slots ? POOL_SLOTS : 4 * reading->max_slots;
	c->sink.pool = &c->pool;
	c->sink.cap = WINDOW_MAX_EVENTS;
	c->streams = calloc(n_streams + 1u, sizeof(*c->streams));
	c->keys = calloc(n_streams + 1u, sizeof(*c->keys));
	c->sink.events = malloc(WINDOW_MAX_EVENTS * sizeof(*c->sink.events));
	c->events = malloc(WINDOW_MAX_EVENTS * sizeof(*c->events));
	c->sink.keys = malloc(WINDOW_MAX_EVENTS * sizeof(*c->sink.keys));
	c->spare = malloc(WINDOW_MAX_EVENTS * sizeof(*c->spare));
	c->pool.slots = malloc(c->pool.cap * sizeof(*c->pool.slots));
	c->sink.header_row = calloc(reading->max_slots + 1u, sizeof(*c->sink.row));
	c->sink.row = calloc(reading->max_slots + 1u, sizeof(*c->sink.row));
	c->contexts = reading->contexts ? calloc(MAX_CONTEXTS, sizeof(*c->contexts)) : NULL;
	c->files = trace_files_stay(e) ? NULL : calloc(MAX_FILES, sizeof(*c->files));
	if (!c->streams || !c->keys || !c->sink.events || !c->events || !c->sink.keys ||
		!c->spare || !c->pool.slots || !c->sink.header_row || !c->sink.row ||
		(reading->contexts && !c->contexts) || (!trace_files_stay(e) && !c->files)) {
		mer_cursor_free(c);
		return mer_fail_nomem(err);
	}
	enum { MARGIN = 2 };
	for (uint32_t i = 0; i < n_streams; i++) {
		uint32_t begin = first ? first[i] : first_packet(e, first_stream + i, range.begin);
		if (!first)
			begin -= begin < MARGIN ? begin : MARGIN;
		c->streams[i].first = c->streams[i].next = begin;
		c->streams[i].carry.key = INT64_MIN;
		commit_stream(c, first_stream + i);
	}
	*cursor = c;
	return 0;
}

static uint32_t window_for(uint32_t n_streams)
{
	if (n_streams > WINDOW_MAX_EVENTS / 2 / WINDOW_STREAM_EVENTS)
		return WINDOW_MAX_EVENTS / 2;
	uint32_t n = n_streams * WINDOW_STREAM_EVENTS;
	return n < WINDOW_MIN_EVENTS ? WINDOW_MIN_EVENTS : n;
}

int trace_cursor_new(struct mer_experiment *e, const struct trace_reading *reading,
	struct trace_range range, const uint32_t *first, struct mer_cursor **cursor,
	struct mer_err *err)
{
	return new_cursor(
		e, reading, range, 0, e->n_streams, window_for(e->n_streams), first, cursor, err);
}

int trace_cursor_of_host(struct mer_experiment *e, const struct trace_reading *reading,
	uint32_t host, struct mer_cursor **cursor, struct mer_err *err)
{
	return trace_cursor_of_host_from(
		e, reading, host, (struct trace_range){ INT64_MIN, INT64_MAX }, NULL, cursor, err);
}

int trace_cursor_of_host_from(struct mer_experiment *e, const struct trace_reading *reading,
	uint32_t host, struct trace_range range, const uint32_t *packets,
	struct mer_cursor **cursor, struct mer_err *err)
{
	uint32_t first = 0, end;
	while (first < e->n_streams && e->traces[e->streams[first].trace].host != host)
		first++;
	for (end = first; end < e->n_streams && e->traces[e->streams[end].trace].host == host;)
		end++;
	uint32_t window = window_for(end - first);
	if (window > HOSTS_EVENTS / e->n_hosts)
		window = HOSTS_EVENTS / e->n_hosts;
	if (window < HOST_MIN_EVENTS)
		window = HOST_MIN_EVENTS;
	int rc = new_cursor(e, reading, range, first, end, window, packets, cursor, err);
	if (rc == 0 && e->n_twins && !((*cursor)->is_twin = trace_twin_classes(e, reading, host))) {
		trace_cursor_drop(*cursor);
		return mer_fail_nomem(err);
	}
	return rc;
}

int mer_cursor_open(struct mer_experiment *e, const struct mer_read_options *options,
	struct mer_cursor **cursor, struct mer_err *err)
{
	struct mer_read_options o;
	struct trace_reading *r;
	int rc = mer_options_read(&o, sizeof(o),
		offsetof(struct mer_read_options, headers) + sizeof(o.headers), options, err);
	if (rc == 0)
		rc = trace_reading_from_needs(e, o.needs, o.n_needs, o.headers, &r, err);
	if (rc)
		return rc;
	struct trace_range range = { o.has_begin ? o.begin : INT64_MIN,
		o.has_end ? o.end : INT64_MAX };
	rc = trace_cursor_new(e, r, range, NULL, cursor, err);
	if (rc)
		trace_reading_free(r);
	else
		(*cursor)->owned_reading = r;
	return rc;
}

static void report_regressions(struct mer_cursor *c, uint32_t stream)
{
	const struct stream_cursor *s = stream_of(c, stream);
	if (!s->n_back)
		return;
	const struct mer_trace *t = &c->e->traces[c->e->streams[stream].trace];
	double worst = t->has_clock ? (double)s->worst_back / (double)t->clock.freq_hz : 0;
	bool long_ago = worst >= 1;
	struct mer_diag d = { .severity = MER_WARNING,
		.code = "clock-backwards",
		.host = c->e->hosts[t->host].name,
		.path = c->e->streams[stream].path,
		.stream = stream,
		.packet = -1,
		.offset_bits = -1,
		.count = s->n_back };
	uint64_t freq = t->has_clock ? t->clock.freq_hz : 0;
	struct trace_wrap wrap =
		trace_guess_wrap(s->worst_from, s->worst_from - s->worst_back, freq);
	struct mer_str hint = { 0 };
	trace_put_wrap(&hint, &wrap, freq);
	d.remedy = wrap.cycles ? MER_REMEDY_CLOCK_WRAP : MER_REMEDY_NONE;
	mer_diag_add(&c->diags, &d,
		"the clock goes backwards %" PRIu64
		" time%s inside packets, by up to %.3f %s; these events are kept in the order in which they were written%s",
		s->n_back, s->n_back == 1 ? "" : "s", long_ago ? worst : worst * 1e6,
		long_ago ? "s" : "us", hint.data ? hint.data : "");
	mer_str_fini(&hint);
}

void trace_cursor_packets(const struct mer_cursor *c, uint32_t *first, uint32_t *left)
{
	for (uint32_t i = 0; i < c->end_stream - c->first_stream; i++) {
		const struct stream_cursor *s = &c->streams[i];
		first[i] = s->first;
		left[i] = s->next;
		for (uint32_t l = 0; l < s->n_lanes; l++)
			if (!s->lanes[l].now.done && s->lanes[l].packet_number < left[i])
				left[i] = s->lanes[l].packet_number;
	}
}

void trace_cursor_free_to(struct mer_cursor *c, struct mer_diags *found)
{
	for (uint32_t i = c->first_stream; c->streams && i < c->end_stream; i++)
		report_regressions(c, i);
	mer_diags_merge(found, &c->diags);
	trace_cursor_drop(c);
}

void mer_cursor_free(struct mer_cursor *c)
{
	if (c)
		trace_cursor_free_to(c, &c->e->diags);
}

void trace_cursor_drop(struct mer_cursor *c)
{
	for (uint32_t i = 0; c->streams && i < c->end_stream - c->first_stream; i++)
		free_lanes(&c->streams[i]);
	release_files(c);
	mer_diags_fini(&c->diags);
	mer_arena_fini(&c->diag_arena);
	trace_reading_free(c->owned_reading);
	free(c->streams);
	free(c->keys);
	free(c->sink.events);
	free(c->events);
	free(c->sink.keys);
	free(c->spare);
	free(c->pool.slots);
	free(c->sink.header_row);
	free(c->sink.row);
	free(c->contexts);
	free(c->files);
	free(c->is_twin);
	free(c);
}

const uint64_t *trace_cursor_context(const struct mer_cursor *c, const struct mer_event *ev)
{
	return ev->context == UINT32_MAX ? NULL : c->contexts[ev->context];
}

const uint64_t *trace_batch_context(const struct trace_batch *b, const struct mer_event *ev)
{
	return ev->context == UINT32_MAX ? NULL : b->contexts[ev->context];
}

uint64_t trace_cursor_bytes(const struct mer_cursor *c)
{
	return c->bytes;
}
