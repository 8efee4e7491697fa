#include "trace/locate.h"

#include <string.h>

#include "trace/damage.h"

struct walker { /* of one stream */
	struct trace_record_place at;
	int64_t key;   /* greatest time so far in the packet: the sort key */
	uint32_t next; /* packet to open */
	bool open, done;
	struct ctf_pos pos;
	const struct ctf_stream_plan *plan;
	const struct mer_clock *clock;
	struct ctf_decoder d;
};

struct search {
	struct mer_experiment *e;
	const char *event;
	struct mer_cancel *cancel;
	atomic_uint_least64_t *done_bytes;
	struct walker *walkers;
	uint64_t *row, *header_row;
	struct ctf_pool pool;
	bool ***by_stream; /* per part and stream class: is a class, by its number, the event? */
};

static bool make_search(struct search *s, struct mer_arena *arena)
{
	struct mer_experiment *e = s->e;
	uint32_t n_regs = 1, n_slots = 1;
	enum { POOL_SLOTS = 4096 };
	s->by_stream = mer_arena_zalloc(arena, e->n_parts, sizeof(*s->by_stream));
	s->walkers = mer_arena_zalloc(arena, e->n_streams, sizeof(*s->walkers));
	s->pool.slots = mer_arena_zalloc(arena, POOL_SLOTS, sizeof(*s->pool.slots));
	s->pool.cap = POOL_SLOTS;
	if (!s->by_stream || !s->walkers || !s->pool.slots)
		return false;
	for (uint32_t p = 0; p < e->n_parts; p++) {
		const struct ctf_program *scan = e->parts[p].scan;
		const struct ctf_schema *schema = e->parts[p].schema;
		n_regs = scan->n_regs > n_regs ? scan->n_regs : n_regs;
		n_slots = scan->max_slots > n_slots ? scan->max_slots : n_slots;
		s->by_stream[p] =
			mer_arena_zalloc(arena, schema->n_streams, sizeof(**s->by_stream));
		for (uint32_t i = 0; s->by_stream[p] && i < schema->n_streams; i++) {
			const struct ctf_stream_class *sc = &schema->streams[i];
			bool *wanted = mer_arena_zalloc(arena, sc->n_events, sizeof(*wanted));
			s->by_stream[p][i] = wanted;
			for (uint32_t c = 0; wanted && c < sc->n_events; c++)
				wanted[c] = strcmp(sc->events[c].name, s->event) == 0;
		}
	}
	s->row = mer_arena_zalloc(arena, n_slots, sizeof(*s->row));
	s->header_row = mer_arena_zalloc(arena, n_slots, sizeof(*s->header_row));
	for (uint32_t i = 0; i < e->n_streams; i++) {
		struct walker *w = &s->walkers[i];
		w->at.stream = i;
		w->key = INT64_MIN;
		w->d = (struct ctf_decoder){ .pool = &s->pool, .order = -1 };
		w->d.regs = mer_arena_zalloc(arena, n_regs, sizeof(*w->d.regs));
	}
	return !arena->failed;
}

/* False: the packet's file cannot be read any more. */
static bool open_packet(struct search *s, struct walker *w)
{
	struct mer_experiment *e = s->e;
	const struct ctf_packet *p = &e->data[w->at.stream].packets[w->next];
	const struct trace_file *f = &e->files[p->file];
	struct ctf_packet_info info;
	struct ctf_packet again;
	enum ctf_status why;
	uint64_t bit;
	w->at.packet = w->next++;
	const uint8_t *data = trace_file_use(e, p->file);
	if (!data) {
		trace_file_report_gone(e, p->file, &e->diags);
		return false;
	}
	w->d.program = e->parts[f->part].scan;
	ctf_packet_read(
		&w->d, data, f->bytes, p->offset, s->header_row, s->row, &info, &again, &why, &bit);
	w->plan = &w->d.program->streams[p->stream_class];
	w->clock = trace_clock(&e->parts[f->part], p->stream_class);
	w->pos = ctf_packet_body(p, info.body_bit, data, f->bytes, w->pos.clock);
	trace_file_done(e, p->file);
	w->open = true;
	int64_t begin = trace_packet_begin(e, p);
	if (e->data[w->at.stream].ordered || begin > w->key)
		w->key = begin;
	if (s->done_bytes)
		atomic_fetch_add_explicit(s->done_bytes, p->size_bits / 8, memory_order_relaxed);
	return true;
}

/* Moves to the next record of the event in the open packet; false: there are no more. */
static bool next_in_packet(struct search *s, struct walker *w)
{
	const struct ctf_packet *p = &s->e->data[w->at.stream].packets[w->at.packet];
	const bool *wanted = s->by_stream[s->e->files[p->file].part][p->stream_class];
	while (!ctf_at_end(w->plan, &w->pos)) {
		const struct ctf_entry *entry = NULL;
		w->at.head_bit = w->pos.bit;
		w->at.head_clock = w->pos.clock;
		enum ctf_status st = ctf_read_header(
			&w->d, w->plan, w->plan->header_kind, &w->pos, s->header_row, &entry);
		bool hit = st == CTF_OK && wanted[entry->number];
		w->at.ts = w->clock ? mer_clock_ns(w->clock, w->pos.clock) : MER_NO_TIME;
		if (st == CTF_OK)
			st = ctf_read_body(&w->d, &w->pos, entry->plan, s->row);
		if (st == CTF_OK && w->pos.bit == w->at.head_bit)
			st = CTF_E_EMPTY;
		w->at.status = st;
		w->key = w->at.ts > w->key ? w->at.ts : w->key;
		if (st) {
			trace_report_damage(&s->e->diags, s->e, w->at.stream, w->at.packet,
				&(struct trace_damage){ st, w->at.head_bit, w->d.event_id });
			w->open = false;
		}
		if (hit || st)
			return hit;
	}
	w->open = false;
	return false;
}

/* The same; the packet's file is mapped during the call. */
static bool next_in_file(struct search *s, struct walker *w)
{
	const struct ctf_packet *p = &s->e->data[w->at.stream].packets[w->at.packet];
	const uint8_t *data = trace_file_use(s->e, p->file);
	if (!data) {
		trace_file_report_gone(s->e, p->file, &s->e->diags);
		w->open = false;
		return false;
	}
	w->pos.base = data + p->offset;
	bool found = next_in_packet(s, w);
	trace_file_done(s->e, p->file);
	return found;
}

static int next_record(struct search *s, struct walker *w, struct mer_err *err)
{
	const struct trace_stream *t = &s->e->data[w->at.stream];
	for (;;) {
		if (w->open && next_in_file(s, w))
			return 0;
		if (mer_cancelled(s->cancel))
			return mer_fail(err, MER_ERR_CANCELLED, "interrupted");
		if (w->next == t->n_packets) {
			w->done = true;
			return 0;
		}
		w->open = open_packet(s, w);
	}
}

static int search(struct search *s, uint64_t n, struct trace_record_place *place, uint64_t *n_found,
	struct mer_err *err)
{
	uint32_t n_streams = s->e->n_streams;
	for (uint32_t i = 0; i < n_streams; i++) {
		int rc = next_record(s, &s->walkers[i], err);
		if (rc)
			return rc;
	}
	for (*n_found = 0;;) {
		struct walker *first = NULL;
		for (uint32_t i = 0; i < n_streams; i++) {
			struct walker *w = &s->walkers[i];
			if (!w->done && (!first || w->key < first->key))
				first = w;
		}
		if (!first)
			return 0;
		*place = first->at;
		if (++*n_found == n)
			return 0;
		int rc = next_record(s, first, err);
		if (rc)
			return rc;
	}
}

int trace_locate(struct mer_experiment *e, const char *event, uint64_t n, struct mer_cancel *cancel,
	atomic_uint_least64_t *done_bytes, struct trace_record_place *place, uint64_t *n_found,
	struct mer_err *err)
{
	struct search s = { .e = e, .event = event, .cancel = cancel, .done_bytes = done_bytes };
	struct mer_arena arena;
	mer_arena_init(&arena);
	int rc = make_search(&s, &arena) ? search(&s, n, place, n_found, err) : mer_fail_nomem(err);
	mer_arena_fini(&arena);
	return rc;
}
