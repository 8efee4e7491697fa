#include "ftrace/copy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "copied/files.h"
#include "ctf/writer.h"
#include "ftrace/bytes.h"
#include "ftrace/plan.h"

enum { PATH_BYTES = 4200, MAX_RECORD = 1 << 20 };

struct ftrace_copy {
	struct mer_arena arena;
	const char *folder;
	struct ftrace_copy_host host;
	enum ctf_byte_order order;
	struct ctf_schema schema;
	struct ctf_clock clock;
	struct ctf_stream_class class;
	const struct ftrace_formats *formats;
	struct ftrace_plan **plans;	    /* by the event's id; NULL: none was there yet */
	const struct ctf_event_class *task; /* of ftrace_stream_task */
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
	uint64_t last; /* time */
	bool is_after_loss;
};

static int make_schema(struct ftrace_copy *c, struct mer_err *err)
{
	struct mer_arena *a = &c->arena;
	int64_t s = c->host.offset_ns / 1000000000, ns = c->host.offset_ns % 1000000000;
	c->clock = (struct ctf_clock){ .name = c->host.clock,
		.freq_hz = 1000000000,
		.offset_s = ns < 0 ? s - 1 : s,
		.offset_cycles = ns < 0 ? ns + 1000000000 : ns,
		.has_uuid = true };
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
	c->plans = mer_arena_zalloc(&c->arena, FTRACE_MAX_IDS, sizeof(struct ftrace_plan *));
	if (!c->plans)
		return mer_fail_nomem(err);
	return make_schema(c, err);
}

void ftrace_copy_free(struct ftrace_copy *c)
{
	if (!c)
		return;
	free(c->record);
	free(c->events);
	mer_arena_fini(&c->arena);
	free(c);
}

const struct ftrace_copied *ftrace_copied(const struct ftrace_copy *c)
{
	return &c->done;
}

int ftrace_copy_end(struct ftrace_copy *c, struct mer_err *err)
{
	struct ctf_env env[5];
	uint32_t n = 0;
	if (c->host.name)
		env[n++] = (struct ctf_env){ .name = "hostname", .text = c->host.name };
	env[n++] = (struct ctf_env){ .name = "domain", .text = "kernel" };
	env[n++] = (struct ctf_env){ .name = "sysname", .text = "Linux" };
	if (c->host.release)
		env[n++] = (struct ctf_env){ .name = "kernel_release", .text = c->host.release };
	env[n++] = (struct ctf_env){ .name = "tracer_name", .text = c->host.tracer };
	c->schema.env = env;
	c->schema.n_env = n;
	int rc = copied_write_metadata(c->folder, &c->schema, err);
	c->schema.env = NULL;
	c->schema.n_env = 0;
	return rc;
}

/* ---- streams ---- */

int ftrace_stream_open(struct ftrace_copy *c, const char *buffer, uint32_t cpu,
	struct ftrace_stream **stream, struct mer_err *err)
{
	char path[PATH_BYTES];
	struct ftrace_stream *s = calloc(1, sizeof(*s));
	*stream = s;
	if (!s)
		return mer_fail_nomem(err);
	s->copy = c;
	/* The buffer's name may have any character. */
	int n = snprintf(path, sizeof(path), "%s/%s%u_%u", c->folder, *buffer ? "buffer" : "cpu",
		(unsigned)c->n_streams, (unsigned)cpu);
	if ((size_t)n >= sizeof(path))
		return mer_fail(err, MER_ERR_LIMIT, "%s: the path is too long", c->folder);
	return ctf_writer_open(&c->schema, &c->class,
		&(struct ctf_writer_options){
			.path = path, .stream_id = c->n_streams++, .cpu_id = cpu },
		&s->writer, err);
}

int ftrace_stream_close(struct ftrace_stream *s, struct mer_err *err)
{
	if (!s)
		return 0;
	int rc = ctf_writer_close(s->writer, err);
	free(s);
	return rc;
}

/* A class of the events with this name; its id is the next one. */
static const struct ctf_event_class *new_class(
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
	p->class = new_class(
		c, mer_arena_printf(&c->arena, "%s:%s", f->system, f->name), payload, err);
	if (!p->class)
		return MER_ERR_NOMEM;
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

int ftrace_stream_record(struct ftrace_stream *s, uint64_t time, const uint8_t *data, uint32_t size,
	struct mer_err *err)
{
	struct ftrace_copy *c = s->copy;
	if (size < 2 || size > MAX_RECORD) {
		c->done.n_short++;
		return 0;
	}
	uint16_t id = ftrace_load16(data, c->host.is_be);
	if (!c->plans[id]) {
		const struct ftrace_format *f = c->formats->by_id ? c->formats->by_id[id] : NULL;
		int rc = f ? add_event(c, f, err) : 0;
		if (rc)
			return rc;
		if (!f) {
			c->done.n_unknown++;
			return 0;
		}
	}
	const struct ftrace_plan *p = c->plans[id];
	if (!make_room(c, ftrace_plan_most(p, size)))
		return mer_fail_nomem(err);
	size_t n = ftrace_plan_run(p, data, size, c->host.is_be, c->record);
	if (n == 0) {
		c->done.n_short++;
		return 0;
	}
	if (time < s->last) {
		c->done.n_back++;
		time = s->last;
	}
	s->last = time;
	c->done.n_records++;
	return ctf_writer_record(s->writer, p->class, time, c->record, n, err);
}

static uint8_t *put_i32(const struct ftrace_copy *c, uint8_t *out, int32_t value)
{
	uint32_t v = (uint32_t)value;
	v = c->host.is_be ? __builtin_bswap32(v) : v;
	memcpy(out, &v, sizeof(v));
	return out + sizeof(v);
}

int ftrace_stream_task(struct ftrace_stream *s, uint64_t time, int32_t tid, int32_t pid,
	int32_t ppid, const char *comm, struct mer_err *err)
{
	struct ftrace_copy *c = s->copy;
	uint8_t bytes[6 + 3 * 4 + 64], *p = bytes + 6;
	if (!c->task) {
		/* As LTTng's dump of the state has it. */
		static const char *const fields[] = { "tid", "pid", "ppid" };
		struct ctf_fc *payload = ctf_new_struct(&c->arena, 8);
		for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
			ctf_struct_add(&c->arena, payload, fields[i],
				ctf_new_int(&c->arena, 32, true, 8, c->order));
		ctf_struct_add(&c->arena, payload, "name", ctf_new_string(&c->arena));
		c->task = new_class(c, "lttng_statedump_process_state", payload, err);
		if (!c->task)
			return MER_ERR_NOMEM;
	}
	memset(bytes, 0, 6);
	p = put_i32(c, p, tid);
	p = put_i32(c, p, pid);
	p = put_i32(c, p, ppid);
	size_t len = strnlen(comm, 63);
	memcpy(p, comm, len);
	p[len] = '\0';
	s->last = time > s->last ? time : s->last;
	return ctf_writer_record(
		s->writer, c->task, s->last, bytes, (size_t)(p - bytes) + len + 1, err);
}

int ftrace_stream_lost(struct ftrace_stream *s, uint64_t n, struct mer_err *err)
{
	s->copy->done.n_lost += n;
	/* They count for the packet that begins with the next record. */
	int rc = ctf_writer_end(s->writer, s->last, err);
	ctf_writer_discard(s->writer, n);
	return rc;
}
