#include "ftrace/copy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "copied/copied.h"
#include "copied/files.h"
#include "copied/packet_headers.h"
#include "ctf/writer.h"
#include "ftrace/bytes.h"
#include "ftrace/plan.h"

enum { PATH_BYTES = 4200, MAX_RECORD = 1 << 20, MOST_RECORDED = 500 };

struct ftrace_copy {
	struct mer_arena arena;
	const char *folder;
	struct ftrace_copy_host host;
	enum ctf_byte_order order;
	struct ctf_schema schema;
	struct ctf_clock clock;
	struct ctf_stream_class class;
	const struct ftrace_formats *formats;
	struct ftrace_plan **plans; /* by the event's id; NULL: none was there yet */
	const struct ctf_event_class *dumps[FTRACE_N_DUMPS];
	struct ftrace_closes closes;
	struct ctf_event_class *events;
	uint32_t events_cap;
	uint8_t *record; /* as CTF has it */
	size_t record_cap;
	uint32_t n_streams;
	struct ftrace_copied done;
};

struct ftrace_stream {
	struct ftrace_copy *copy;
	struct ctf_writer *writer;
	uint64_t first, last;		/* times, of records */
	uint64_t n_records, lost_after; /* n_records when events were last lost */
	struct ftrace_join *join;	/* NULL: no probe has bytes of packets */
	bool is_joining;		/* records wait in it */
};

static void set_offset(struct ctf_clock *clock, int64_t offset_ns)
{
	int64_t s = offset_ns / 1000000000, ns = offset_ns % 1000000000;
	clock->offset_s = ns < 0 ? s - 1 : s;
	clock->offset_cycles = ns < 0 ? ns + 1000000000 : ns;
}

static int make_schema(struct ftrace_copy *c, struct mer_err *err)
{
	struct mer_arena *a = &c->arena;
	c->clock = (struct ctf_clock){
		.name = c->host.clock, .freq_hz = 1000000000, .has_uuid = true
	};
	set_offset(&c->clock, c->host.offset_ns);
	if (c->host.boot)
		memcpy(c->clock.uuid, c->host.boot, sizeof(c->clock.uuid));
	else
		copied_uuid(c->clock.uuid, c->host.id, 1, 0);
	c->schema = (struct ctf_schema){ .major = 1,
		.minor = 8,
		.order = c->order,
		.has_uuid = true,
		.clocks = &c->clock,
		.n_clocks = 1,
		.streams = &c->class,
		.n_streams = 1 };
	copied_uuid(c->schema.uuid, c->host.id, 0, 0);
	c->schema.packet_header = ctf_new_packet_header(a, c->order);
	c->class = (struct ctf_stream_class){ .packet_context =
						      ctf_new_packet_context(a, c->order, 0),
		.event_header = ctf_new_event_header(a, &c->schema, CTF_WRITE_COMPACT, c->order, 0),
		.event_context = ftrace_plan_context(a, c->order) };
	return a->failed ? mer_fail_nomem(err) : 0;
}

int ftrace_copy_new(const char *folder, const struct ftrace_copy_host *host,
	const struct ftrace_formats *formats, struct ftrace_copy **copy, struct mer_err *err)
{
	struct ftrace_copy *c = calloc(1, sizeof(*c));
	*copy = c;
	if (!c)
		return mer_fail_nomem(err);
	mer_arena_init(&c->arena);
	c->folder = folder;
	c->host = *host;
	c->order = host->is_be ? CTF_BE : CTF_LE;
	c->formats = formats;
	if (host->wants_closes)
		ftrace_closes_want(&c->closes, host->machine);
	/* Stream 0 has the state before the recording: it comes before events of the same time. */
	c->n_streams = 1;
	c->plans = mer_arena_zalloc(&c->arena, FTRACE_MAX_IDS, sizeof(struct ftrace_plan *));
	if (!c->plans)
		return mer_fail_nomem(err);
	return make_schema(c, err);
}

void ftrace_copy_offset(struct ftrace_copy *c, int64_t offset_ns)
{
	if (c->host.offset_ns == 0)
		set_offset(&c->clock, offset_ns);
}

void ftrace_copy_free(struct ftrace_copy *c)
{
	if (!c)
		return;
	ftrace_closes_fini(&c->closes);
	free(c->record);
	free(c->events);
	mer_arena_fini(&c->arena);
	free(c);
}

const struct ftrace_copied *ftrace_copied(const struct ftrace_copy *c)
{
	return &c->done;
}

/* ---- streams ---- */

static int open_stream(struct ftrace_copy *c, const char *name, uint32_t id, uint32_t cpu,
	struct ftrace_stream **stream, struct mer_err *err)
{
	char path[PATH_BYTES];
	struct ftrace_stream *s = calloc(1, sizeof(*s));
	*stream = s;
	if (!s)
		return mer_fail_nomem(err);
	s->copy = c;
	int n = snprintf(
		path, sizeof(path), "%s/%s%u_%u", c->folder, name, (unsigned)id, (unsigned)cpu);
	if ((size_t)n >= sizeof(path))
		return mer_fail(err, MER_ERR_LIMIT, "%s: the path is too long", c->folder);
	return ctf_writer_open(&c->schema, &c->class,
		&(struct ctf_writer_options){ .path = path, .stream_id = id, .cpu_id = cpu },
		&s->writer, err);
}

int ftrace_stream_open(struct ftrace_copy *c, const char *buffer, uint32_t cpu,
	struct ftrace_stream **stream, struct mer_err *err)
{
	/* Files do not have the buffer's name, in which any character may be. */
	return open_stream(c, *buffer ? "buffer" : "cpu", c->n_streams++, cpu, stream, err);
}

int ftrace_stream_open_state(
	struct ftrace_copy *c, struct ftrace_stream **stream, struct mer_err *err)
{
	return open_stream(c, "state", 0, 0, stream, err);
}

struct ftrace_copy_of ftrace_copy_of(struct ftrace_stream *s)
{
	struct ftrace_copy *c = s->copy;
	return (struct ftrace_copy_of){
		.copy = c, .arena = &c->arena, .order = c->order, .dumps = c->dumps
	};
}

const struct ftrace_copy_host *ftrace_copy_host(const struct ftrace_copy *c)
{
	return &c->host;
}

const struct ftrace_closes *ftrace_copy_closes(const struct ftrace_copy *c)
{
	return &c->closes;
}

const struct ctf_event_class *ftrace_copy_class(
	struct ftrace_copy *c, const char *name, struct ctf_fc *payload, struct mer_err *err)
{
	struct ctf_event_class *new = mer_arena_zalloc(&c->arena, 1, sizeof(*new));
	if (!name || !new || !payload) {
		mer_fail_nomem(err);
		return NULL;
	}
	if (c->class.n_events == c->events_cap) {
		uint32_t cap = c->events_cap ? 2 * c->events_cap : 64;
		struct ctf_event_class *events = realloc(c->events, cap * sizeof(*events));
		if (!events) {
			mer_fail_nomem(err);
			return NULL;
		}
		c->events = c->class.events = events;
		c->events_cap = cap;
	}
	*new = (struct ctf_event_class){
		.id = c->class.n_events, .name = name, .log_level = -1, .payload = payload
	};
	c->class.events[c->class.n_events++] = *new;
	return new;
}

static int add_event(struct ftrace_copy *c, const struct ftrace_format *f, struct mer_err *err)
{
	struct ctf_fc *payload;
	struct ftrace_plan *p = ftrace_plan_new(&c->arena, &c->schema, f, c->order, &payload);
	if (!p)
		return mer_fail_nomem(err);
	p->part = ftrace_part_of(f);
	p->has_headers = p->part.kind == FTRACE_PART_PACKET && ftrace_has_bytes(c->formats);
	if (p->has_headers)
		copied_add_headers(&c->arena, &c->schema, payload);
	else if (p->part.kind == FTRACE_PART_PACKET)
		p->part.kind = FTRACE_PART_NONE;
	if (c->host.has_chains && !ftrace_plan_add_chain(&c->arena, &c->schema, payload, c->order))
		return mer_fail_nomem(err);
	p->class = ftrace_copy_class(c,
		mer_arena_printf(&c->arena, "%s%s%s", f->system, *f->system ? ":" : "", f->name),
		payload, err);
	if (!p->class)
		return MER_ERR_NOMEM;
	if (c->closes.is_wanted)
		p->closes = ftrace_close_plan(f);
	c->plans[f->id] = p;
	return 0;
}

static bool make_room(struct ftrace_copy *c, size_t most)
{
	if (most <= c->record_cap)
		return true;
	uint8_t *record = realloc(c->record, 2 * most);
	if (!record)
		return false;
	c->record = record;
	c->record_cap = 2 * most;
	return true;
}

/* The plan for the records with this id; *p NULL: there is no such format. */
static int plan_of(
	struct ftrace_copy *c, uint16_t id, const struct ftrace_plan **p, struct mer_err *err)
{
	const struct ftrace_format *f = c->formats->by_id ? c->formats->by_id[id] : NULL;
	int rc = !c->plans[id] && f ? add_event(c, f, err) : 0;
	*p = c->plans[id];
	return rc;
}

/* Counts a record; returns its time, which is no earlier than that of the one before. */
static inline uint64_t count(struct ftrace_stream *s, uint64_t time)
{
	struct ftrace_copied *done = &s->copy->done;
	if (time < s->last) {
		done->n_back++;
		time = s->last;
	}
	if (s->n_records++ == 0)
		s->first = time;
	s->last = time;
	done->n_records++;
	return time;
}

static inline __attribute__((always_inline)) int write_by(struct ftrace_stream *s,
	const struct ftrace_plan *p, const struct ftrace_joined *r, struct mer_err *err)
{
	struct ftrace_copy *c = s->copy;
	size_t chain_bytes = c->host.has_chains ? 4 + (size_t)r->chain.n * 8 : 0;
	if (!make_room(c, ftrace_plan_most(p, r->size) + COPIED_HEADERS_MOST + chain_bytes))
		return mer_fail_nomem(err);
	size_t n = ftrace_plan_run(p, r->data, r->size, c->host.is_be, c->record);
	if (p->has_headers)
		n += copied_put_headers(r->bytes, r->n_bytes, c->record + n);
	if (chain_bytes)
		n = (size_t)(ftrace_put_list(
				     c->record + n, r->chain.at, r->chain.n, 8, c->host.is_be) -
			     c->record);
	return ctf_writer_record(s->writer, p->class, count(s, r->time), c->record, n, err);
}

static int write_record(void *arg, const struct ftrace_joined *r, struct mer_err *err)
{
	struct ftrace_stream *s = arg;
	return write_by(s, s->copy->plans[ftrace_load16(r->data, s->copy->host.is_be)], r, err);
}

/* Writes an event of a packet, a probe with a packet's bytes, or any record while such ones
 * wait. */
static int join(struct ftrace_stream *s, const struct ftrace_plan *p, uint64_t time,
	const uint8_t *data, uint32_t size, struct ftrace_chain chain, struct mer_err *err)
{
	if (!s->join)
		s->join = ftrace_join_new(s->copy->host.is_be, write_record, s);
	if (!s->join)
		return mer_fail_nomem(err);
	ftrace_join_chain(s->join, chain);
	int rc = ftrace_join_record(s->join, &p->part, time, data, size, err);
	s->is_joining = ftrace_join_waits(s->join);
	return rc;
}

static inline __attribute__((always_inline)) int put_sample(struct ftrace_stream *s, uint64_t time,
	const uint8_t *data, uint32_t size, struct ftrace_chain chain, struct mer_err *err)
{
	struct ftrace_copy *c = s->copy;
	if (size < 2 || size > MAX_RECORD) {
		c->done.n_short++;
		return 0;
	}
	uint16_t id = ftrace_load16(data, c->host.is_be);
	const struct ftrace_plan *p = c->plans[id];
	int rc = p ? 0 : plan_of(c, id, &p, err);
	if (rc)
		return rc;
	if (!p) {
		c->done.n_unknown++;
		return 0;
	}
	if (size < p->format->least) {
		c->done.n_short++;
		return 0;
	}
	if (__builtin_expect(p->closes.way != FTRACE_CLOSES_NOTHING, 0) &&
		!ftrace_closes_take(&c->closes, &p->closes, p->format, data, c->host.is_be))
		return mer_fail_nomem(err);
	if (p->part.kind != FTRACE_PART_NONE || s->is_joining)
		return join(s, p, time, data, size, chain, err);
	return write_by(s, p,
		&(struct ftrace_joined){ .time = time, .data = data, .size = size, .chain = chain },
		err);
}

int ftrace_stream_record(struct ftrace_stream *s, uint64_t time, const uint8_t *data, uint32_t size,
	struct mer_err *err)
{
	return put_sample(s, time, data, size, (struct ftrace_chain){ 0 }, err);
}

int ftrace_stream_sample(struct ftrace_stream *s, uint64_t time, const uint8_t *data, uint32_t size,
	struct ftrace_chain chain, struct mer_err *err)
{
	return put_sample(s, time, data, size, chain, err);
}

static int flush(struct ftrace_stream *s, struct mer_err *err)
{
	s->is_joining = false;
	return s->join ? ftrace_join_flush(s->join, err) : 0;
}

int ftrace_stream_own(struct ftrace_stream *s, const struct ctf_event_class *class, uint64_t time,
	const void *bytes, size_t n, struct mer_err *err)
{
	int rc = flush(s, err);
	if (rc)
		return rc;
	s->last = time > s->last ? time : s->last;
	return ctf_writer_record(s->writer, class, s->last, bytes, n, err);
}

int ftrace_stream_event(struct ftrace_stream *s, const struct ctf_event_class *class, uint64_t time,
	const void *bytes, size_t n, struct mer_err *err)
{
	int rc = flush(s, err);
	return rc ? rc : ctf_writer_record(s->writer, class, count(s, time), bytes, n, err);
}

int ftrace_stream_close(struct ftrace_stream *s, struct mer_err *err)
{
	if (!s)
		return 0;
	int rc = flush(s, err);
	struct ftrace_copied *done = &s->copy->done;
	/* Events were lost after the last record: a packet without events has their count. */
	if (rc == 0 && s->n_records && s->lost_after == s->n_records)
		rc = ctf_writer_begin(s->writer, s->last, err);
	if (s->n_records) {
		if (!done->has_times || s->first < done->first)
			done->first = s->first;
		if (!done->has_times || s->last > done->last)
			done->last = s->last;
		done->has_times = true;
	}
	int closed = ctf_writer_close(s->writer, rc ? NULL : err);
	ftrace_join_free(s->join);
	free(s);
	return rc ? rc : closed;
}

int ftrace_stream_lost(struct ftrace_stream *s, uint64_t n, struct mer_err *err)
{
	int rc = flush(s, err);
	if (rc)
		return rc;
	s->copy->done.n_lost += n;
	s->lost_after = s->n_records;
	/* They count for the packet that begins with the next record. */
	rc = ctf_writer_end(s->writer, s->last, err);
	ctf_writer_discard(s->writer, n);
	return rc;
}

/* ---- the end ---- */

int ftrace_copy_declare(struct ftrace_copy *c, struct mer_err *err)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < c->formats->n; i++)
		n += strcmp(c->formats->list[i]->system, "ftrace") != 0;
	if (n > MOST_RECORDED)
		return 0;
	const struct ftrace_plan *p;
	int rc = 0;
	for (uint32_t i = 0; i < c->formats->n && rc == 0; i++)
		if (strcmp(c->formats->list[i]->system, "ftrace") != 0)
			rc = plan_of(c, (uint16_t)c->formats->list[i]->id, &p, err);
	return rc;
}

int ftrace_copy_end(struct ftrace_copy *c, struct mer_err *err)
{
	struct ctf_env env[8];
	uint32_t n = 0;
	if (c->host.name)
		env[n++] = (struct ctf_env){ .name = "hostname", .text = c->host.name };
	env[n++] = (struct ctf_env){ .name = "domain", .text = "kernel" };
	env[n++] = (struct ctf_env){ .name = "sysname", .text = "Linux" };
	if (c->host.release)
		env[n++] = (struct ctf_env){ .name = "kernel_release", .text = c->host.release };
	if (c->host.machine)
		env[n++] = (struct ctf_env){ .name = "architecture", .text = c->host.machine };
	env[n++] = (struct ctf_env){ .name = "tracer_name", .text = c->host.tracer };
	env[n++] = (struct ctf_env){ .name = COPIED_ENV_FORM, .text = c->host.form };
	/* The original name: as the name of a clock, metadata allow identifiers only. */
	env[n++] = (struct ctf_env){ .name = COPIED_ENV_CLOCK, .text = c->host.clock };
	c->schema.env = env;
	c->schema.n_env = n;
	int rc = copied_write_metadata(c->folder, &c->schema, err);
	c->schema.env = NULL;
	c->schema.n_env = 0;
	return rc;
}
