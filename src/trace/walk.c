#include "trace/walk.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "trace/damage.h"
#include "trace/record.h"

struct item { /* packets of one stream, enough work for one task of a thread */
	uint32_t stream, first, end;
};

enum { ITEM_BITS = 8 << 20 };

struct worker {
	struct ctf_decoder d;
	struct ctf_pool pool;
	bool no_memory; /* for a larger pool */
	uint64_t *regs, *row, *header_row;
	struct trace_count **by_class;
	struct trace_count *by_stream;
	int64_t *first, *last;
	uint64_t n_back;
	struct trace_step_back worst;
};

struct walk {
	struct mer_experiment *e;
	const struct trace_reading *reading; /* NULL: what can be skipped is not decoded */
	struct trace_range range;
	struct item *items;
	uint32_t n_items;
	uint32_t **class_base; /* [part][stream class]: number of its first event record class */
	uint32_t *n_classes;   /* [part] */
	struct worker *workers;
	unsigned n_workers;
	pthread_mutex_t diags_lock;
	_Atomic uint64_t *done_bytes;
};

struct span { /* of times in one packet, cycles */
	uint64_t first, last, n_back, n_events, bits;
	uint64_t back_from, back_by; /* the greatest step back */
	bool any;
};

/* Enlarges the pool for an event record that does not fit, as a cursor does. False: it cannot
 * grow. */
static bool more_room(struct worker *w)
{
	if (w->pool.cap >= TRACE_MAX_EVENT_SLOTS)
		return false;
	w->no_memory = !trace_pool_grow(&w->pool);
	return !w->no_memory;
}

static inline void note_time(struct span *span, uint64_t time)
{
	if (!span->any) {
		span->any = true;
		span->first = time;
	}
	if (time > span->last)
		span->last = time;
}

static __attribute__((noinline)) void note_back(struct span *span, uint64_t from, uint64_t to)
{
	span->n_back++;
	if (from - to > span->back_by) {
		span->back_by = from - to;
		span->back_from = from;
	}
}

/* Keeps the larger step; of equal ones that of the first stream, so that the result does not depend
 * on the threads. */
static void keep_worst(struct trace_step_back *to, const struct trace_step_back *s)
{
	if (s->by > to->by || (s->by && s->by == to->by && s->stream < to->stream))
		*to = *s;
}

static inline __attribute__((always_inline)) enum ctf_status walk_packet(struct worker *w,
	const struct ctf_stream_plan *s, enum ctf_header_kind kind, struct ctf_pos *pos,
	struct trace_count *counts, struct span *span, uint64_t *head)
{
	uint64_t before = 0, begin = pos->bit;
	enum ctf_status st = CTF_OK;
	while (!ctf_at_end(s, pos)) {
		const struct ctf_entry *entry;
		uint64_t clock = pos->clock;
		*head = pos->bit;
		st = trace_pass_record(&w->d, s, kind, pos, w->header_row, w->row, &entry);
		if (__builtin_expect(st != CTF_OK, 0)) {
			if (st != CTF_E_SPACE || !more_room(w))
				break;
			pos->bit = *head;
			pos->clock = clock;
			continue;
		}
		struct trace_count *c = counts + entry->number;
		c->events++;
		c->bits += pos->bit - *head;
		span->n_events++;
		if (__builtin_expect(pos->clock < before, 0))
			note_back(span, before, pos->clock);
		before = pos->clock;
		note_time(span, before);
	}
	span->bits = (st ? *head : pos->bit) - begin;
	return st;
}

/* The same for the events that a cursor over the range returns: the sort key of an event is the
 * greatest time so far. */
static enum ctf_status walk_range(struct worker *w, const struct ctf_stream_plan *s,
	struct ctf_pos *pos, struct trace_count *counts, struct span *span, uint64_t *head,
	const struct mer_clock *clock, struct trace_range range, uint64_t *peak)
{
	while (!ctf_at_end(s, pos)) {
		const struct ctf_entry *entry;
		*head = pos->bit;
		enum ctf_status st = trace_pass_record(
			&w->d, s, s->header_kind, pos, w->header_row, w->row, &entry);
		if (st)
			return st;
		if (pos->clock > *peak)
			*peak = pos->clock;
		int64_t key = clock ? mer_clock_ns(clock, *peak) : MER_NO_TIME;
		if (key >= range.end)
			return CTF_OK;
		if (key < range.begin)
			continue;
		struct trace_count *c = counts + entry->number;
		c->events++;
		c->bits += pos->bit - *head;
		span->n_events++;
		span->bits += pos->bit - *head;
		note_time(span, pos->clock);
	}
	return CTF_OK;
}

static enum ctf_status walk_any(struct worker *w, const struct ctf_stream_plan *s,
	struct ctf_pos *pos, struct trace_count *counts, struct span *span, uint64_t *head)
{
	switch (s->header_kind) {
	case CTF_HEADER_COMPACT:
		return walk_packet(w, s, CTF_HEADER_COMPACT, pos, counts, span, head);
	case CTF_HEADER_LARGE: return walk_packet(w, s, CTF_HEADER_LARGE, pos, counts, span, head);
	case CTF_HEADER_PLAIN: return walk_packet(w, s, CTF_HEADER_PLAIN, pos, counts, span, head);
	default: return walk_packet(w, s, CTF_HEADER_GENERIC, pos, counts, span, head);
	}
}

static void sum_up(
	struct worker *w, uint32_t stream, const struct mer_clock *clock, const struct span *span)
{
	w->n_back += span->n_back;
	keep_worst(&w->worst, &(struct trace_step_back){ span->back_from, span->back_by, stream });
	if (!clock || !span->any)
		return;
	int64_t first = mer_clock_ns(clock, span->first), last = mer_clock_ns(clock, span->last);
	if (w->first[stream] == MER_NO_TIME || first < w->first[stream])
		w->first[stream] = first;
	if (w->last[stream] == MER_NO_TIME || last > w->last[stream])
		w->last[stream] = last;
}

static int do_item(void *ctx, size_t number, unsigned worker, struct mer_err *err)
{
	struct walk *walk = ctx;
	struct worker *w = &walk->workers[worker];
	struct mer_experiment *e = walk->e;
	const struct item *item = &walk->items[number];
	const struct trace_range range = walk->range;
	bool all = range.begin == INT64_MIN && range.end == INT64_MAX;
	uint64_t clock = 0, peak = 0;
	for (uint32_t i = item->first; i < item->end; i++) {
		const struct ctf_packet *p = &e->data[item->stream].packets[i];
		const struct trace_file *f = &e->files[p->file];
		const struct trace_part *part = &e->parts[f->part];
		const uint8_t *data = trace_file_use(e, p->file);
		if (!data) {
			pthread_mutex_lock(&walk->diags_lock);
			trace_file_report_gone(e, p->file, &e->diags);
			pthread_mutex_unlock(&walk->diags_lock);
			continue;
		}
		const struct ctf_program *program =
			walk->reading ? walk->reading->programs[f->part] : part->scan;
		w->d.program = program;
		/* For the registers that the header and context set. */
		struct ctf_packet_info info;
		struct ctf_packet again;
		enum ctf_status why;
		uint64_t bit;
		ctf_packet_read(&w->d, data, f->bytes, p->offset, w->header_row, w->row, &info,
			&again, &why, &bit);
		uint64_t head = info.body_bit;
		struct ctf_pos pos = ctf_packet_body(p, head, data, f->bytes, clock);
		struct span span = { 0 };
		struct trace_count *counts =
			w->by_class[f->part] + walk->class_base[f->part][p->stream_class];
		const struct ctf_stream_plan *sp = &program->streams[p->stream_class];
		const struct mer_clock *ns = trace_clock(part, p->stream_class);
		if (p->has_begin)
			peak = p->begin;
		enum ctf_status st =
			all ? walk_any(w, sp, &pos, counts, &span, &head)
			    : walk_range(w, sp, &pos, counts, &span, &head, ns, range, &peak);
		if (w->no_memory)
			return mer_fail_nomem(err);
		if (st) {
			pthread_mutex_lock(&walk->diags_lock);
			trace_report_damage(&e->diags, e, item->stream, i,
				&(struct trace_damage){ st, head, w->d.event_id });
			pthread_mutex_unlock(&walk->diags_lock);
		}
		uint64_t top = p->has_begin && p->begin > span.last ? p->begin : span.last;
		if (ns && mer_clock_host_ns(ns, top) == TRACE_LAST_TIME) {
			pthread_mutex_lock(&walk->diags_lock);
			trace_report_overflow(&e->diags, e, item->stream, i);
			pthread_mutex_unlock(&walk->diags_lock);
		}
		trace_file_done(e, p->file);
		clock = pos.clock;
		w->by_stream[item->stream].events += span.n_events;
		w->by_stream[item->stream].bits += span.bits;
		sum_up(w, item->stream, ns, &span);
		if (walk->done_bytes)
			*walk->done_bytes += p->size_bits / 8;
	}
	return 0;
}

/* A stream whose packets have no begin time is one item: each packet goes on with the clock of the
 * previous one. */
static bool make_items(struct walk *walk)
{
	const struct mer_experiment *e = walk->e;
	uint64_t n_packets = 1;
	for (uint32_t s = 0; s < e->n_streams; s++)
		n_packets += e->data[s].n_packets;
	walk->items = calloc(n_packets, sizeof(*walk->items));
	if (!walk->items)
		return false;
	for (uint32_t s = 0; s < e->n_streams; s++) {
		const struct trace_stream *t = &e->data[s];
		uint64_t bits = 0;
		uint32_t first = 0;
		for (uint32_t i = 0; i < t->n_packets; i++) {
			bits += t->packets[i].size_bits;
			if (i + 1 == t->n_packets || (t->ordered && bits >= ITEM_BITS)) {
				walk->items[walk->n_items++] = (struct item){ s, first, i + 1 };
				first = i + 1;
				bits = 0;
			}
		}
	}
	return true;
}

static bool make_counts(struct walk *walk, struct mer_arena *arena, struct trace_count ***by_class,
	struct trace_count **by_stream, int64_t **first, int64_t **last)
{
	const struct mer_experiment *e = walk->e;
	*by_class = mer_arena_zalloc(arena, e->n_parts, sizeof(**by_class));
	*by_stream = mer_arena_zalloc(arena, e->n_streams, sizeof(**by_stream));
	*first = mer_arena_zalloc(arena, e->n_streams, sizeof(**first));
	*last = mer_arena_zalloc(arena, e->n_streams, sizeof(**last));
	if (!*by_class || !*by_stream || !*first || !*last)
		return false;
	for (uint32_t s = 0; s < e->n_streams; s++)
		(*first)[s] = (*last)[s] = MER_NO_TIME;
	for (uint32_t p = 0; p < e->n_parts; p++) {
		(*by_class)[p] = mer_arena_zalloc(arena, walk->n_classes[p], sizeof(***by_class));
		if (!(*by_class)[p])
			return false;
	}
	return true;
}

static bool make_worker(struct walk *walk, struct worker *w, struct mer_arena *arena)
{
	const struct mer_experiment *e = walk->e;
	const struct trace_reading *r = walk->reading;
	uint32_t regs = r ? r->max_regs + 1 : 1, slots = r ? r->max_slots + 1 : 1;
	for (uint32_t p = 0; p < e->n_parts; p++) {
		if (e->parts[p].scan->n_regs > regs)
			regs = e->parts[p].scan->n_regs;
		if (e->parts[p].scan->max_slots + 1u > slots)
			slots = e->parts[p].scan->max_slots + 1u;
	}
	enum { POOL_SLOTS = 4096 }; /* packet headers with arrays */
	w->regs = mer_arena_zalloc(arena, regs, sizeof(*w->regs));
	w->row = mer_arena_zalloc(arena, slots, sizeof(*w->row));
	w->header_row = mer_arena_zalloc(arena, slots, sizeof(*w->row));
	w->pool.slots = calloc(POOL_SLOTS, sizeof(*w->row));
	w->pool.cap = POOL_SLOTS;
	w->d = (struct ctf_decoder){
		.regs = w->regs, .pool = &w->pool, .order = -1, .passed = mer_file_release
	};
	return w->regs && w->row && w->header_row && w->pool.slots &&
	       make_counts(walk, arena, &w->by_class, &w->by_stream, &w->first, &w->last);
}

static void merge_worker(const struct walk *walk, struct trace_counts *c, const struct worker *w)
{
	const struct mer_experiment *e = walk->e;
	for (uint32_t p = 0; p < e->n_parts; p++)
		for (uint32_t i = 0; i < walk->n_classes[p]; i++) {
			c->by_class[p][i].events += w->by_class[p][i].events;
			c->by_class[p][i].bits += w->by_class[p][i].bits;
			c->all.events += w->by_class[p][i].events;
			c->all.bits += w->by_class[p][i].bits;
		}
	for (uint32_t s = 0; s < e->n_streams; s++) {
		c->by_stream[s].events += w->by_stream[s].events;
		c->by_stream[s].bits += w->by_stream[s].bits;
		if (w->first[s] != MER_NO_TIME &&
			(c->first[s] == MER_NO_TIME || w->first[s] < c->first[s]))
			c->first[s] = w->first[s];
		if (w->last[s] != MER_NO_TIME && w->last[s] > c->last[s])
			c->last[s] = w->last[s];
	}
	c->n_back += w->n_back;
	keep_worst(&c->worst, &w->worst);
}

static bool number_classes(struct walk *walk, struct mer_arena *arena)
{
	const struct mer_experiment *e = walk->e;
	walk->class_base = mer_arena_zalloc(arena, e->n_parts, sizeof(*walk->class_base));
	walk->n_classes = mer_arena_zalloc(arena, e->n_parts, sizeof(*walk->n_classes));
	if (!walk->class_base || !walk->n_classes)
		return false;
	for (uint32_t p = 0; p < e->n_parts; p++) {
		const struct ctf_schema *s = e->parts[p].schema;
		walk->class_base[p] = mer_arena_zalloc(arena, s->n_streams, sizeof(uint32_t));
		if (!walk->class_base[p])
			return false;
		for (uint32_t i = 0; i < s->n_streams; i++) {
			walk->class_base[p][i] = walk->n_classes[p];
			walk->n_classes[p] += s->streams[i].n_events;
		}
	}
	return true;
}

static int walk_all(struct walk *walk, unsigned n_threads, struct mer_arena *scratch,
	struct mer_cancel *cancel, struct trace_counts *c, struct mer_err *err)
{
	walk->workers = mer_arena_zalloc(scratch, n_threads, sizeof(*walk->workers));
	walk->n_workers = n_threads;
	if (!walk->workers || !number_classes(walk, scratch) || !make_items(walk) ||
		!make_counts(walk, &c->arena, &c->by_class, &c->by_stream, &c->first, &c->last))
		return mer_fail_nomem(err);
	for (unsigned i = 0; i < n_threads; i++)
		if (!make_worker(walk, &walk->workers[i], scratch))
			return mer_fail_nomem(err);
	int rc = mer_pool_run(n_threads, walk->n_items, do_item, walk, cancel, err);
	for (unsigned i = 0; i < n_threads; i++)
		merge_worker(walk, c, &walk->workers[i]);
	return rc;
}

static int start(struct mer_experiment *e, const struct trace_reading *reading,
	struct trace_range range, unsigned n_threads, struct mer_cancel *cancel,
	_Atomic uint64_t *done_bytes, struct trace_counts **counts, struct mer_err *err)
{
	struct walk walk = { .e = e,
		.reading = reading,
		.range = range,
		.diags_lock = PTHREAD_MUTEX_INITIALIZER,
		.done_bytes = done_bytes };
	struct trace_counts *c = calloc(1, sizeof(*c));
	if (!c)
		return mer_fail_nomem(err);
	struct mer_arena scratch;
	mer_arena_init(&scratch);
	mer_arena_init(&c->arena);
	int rc = walk_all(&walk, n_threads ? n_threads : 1, &scratch, cancel, c, err);
	for (unsigned i = 0; walk.workers && i < walk.n_workers; i++)
		free(walk.workers[i].pool.slots);
	mer_arena_fini(&scratch);
	free(walk.items);
	if (rc) {
		trace_counts_free(c);
		return rc;
	}
	*counts = c;
	return 0;
}

int trace_walk(struct mer_experiment *e, unsigned n_threads, struct mer_cancel *cancel,
	_Atomic uint64_t *done_bytes, struct trace_counts **counts, struct mer_err *err)
{
	return trace_walk_range(e, (struct trace_range){ INT64_MIN, INT64_MAX }, n_threads, cancel,
		done_bytes, counts, err);
}

int trace_walk_range(struct mer_experiment *e, struct trace_range range, unsigned n_threads,
	struct mer_cancel *cancel, _Atomic uint64_t *done_bytes, struct trace_counts **counts,
	struct mer_err *err)
{
	return start(e, NULL, range, n_threads, cancel, done_bytes, counts, err);
}

int trace_walk_deep(struct mer_experiment *e, const struct trace_reading *reading,
	unsigned n_threads, struct mer_cancel *cancel, _Atomic uint64_t *done_bytes,
	struct trace_counts **counts, struct mer_err *err)
{
	return start(e, reading, (struct trace_range){ INT64_MIN, INT64_MAX }, n_threads, cancel,
		done_bytes, counts, err);
}

void trace_counts_free(struct trace_counts *c)
{
	if (!c)
		return;
	mer_arena_fini(&c->arena);
	free(c);
}
