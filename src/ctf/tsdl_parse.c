/* TSDL: the root blocks (trace, env, clock, stream, event, callsite), and the schema of them.
 *
 * The text is read once, into written types and a list of each kind of block. Only then is the
 * schema made, so that blocks may come in any order: LTTng declares its integers before the byte
 * order of the trace that they depend on. */
#include "base/lower_bound.h"
#include "ctf/tsdl_use.h"

#include <stdlib.h>
#include <string.h>

struct stream_block {
	const char *start;
	uint64_t id;
	const struct tsdl_type *packet_context, *event_header, *event_context;
};

struct event_block {
	const char *start;
	uint32_t place; /* among the events */
	uint32_t stream;
	bool has_stream;
	uint64_t id, stream_id;
	const char *name, *emf_uri;
	int32_t log_level;
	const struct tsdl_type *context, *fields;
};

struct clock_block {
	uint32_t name; /* id */
	struct ctf_clock clock;
};

struct tsdl_root {
	bool has_trace, has_order, has_uuid;
	uint8_t order, uuid[16];
	const char *order_start;
	const struct tsdl_type *packet_header;
	struct clock_block *clocks;
	struct stream_block *streams;
	struct event_block *events;
	struct ctf_env *env;
	uint32_t n_clocks, cap_clocks, n_streams, cap_streams, n_events, cap_events, n_env, cap_env;
	struct mer_map env_by_name; /* name id -> place in env, plus 1 */
	struct tsdl_use use;
};

/* ":= TYPE ;" */
static const struct tsdl_type *parse_type_assigned(struct tsdl *t)
{
	bool ignored;
	if (t->tok.kind != TOK_TYPE_IS)
		tsdl_fail_expected(t, "':='");
	tsdl_next(t);
	if (!tsdl_at_type(t))
		tsdl_fail_expected(t, "a type");
	const struct tsdl_type *type = tsdl_parse_type(t, &ignored);
	tsdl_expect_punct(t, ';');
	return type;
}

static void skip_attribute(struct tsdl *t, const struct tsdl_name *name, const char *of)
{
	if (of)
		tsdl_warn_at(t, name->start, "unknown attribute %.*s of %s ignored",
			name->len > 60 ? 60 : (int)name->len, name->start, of);
	if (t->tok.kind == TOK_TYPE_IS)
		parse_type_assigned(t);
	else if (t->tok.kind == TOK_ASSIGN)
		tsdl_parse_assigned(t);
	else
		tsdl_fail_expected(t, "'=' or ':='");
}

/* Declarations of types may stand in blocks, too. */
static bool parse_declaration(struct tsdl *t)
{
	if (tsdl_parse_alias(t))
		return true;
	if (!tsdl_is_keyword(t, KW_STRUCT) && !tsdl_is_keyword(t, KW_VARIANT) &&
		!tsdl_is_keyword(t, KW_ENUM))
		return false;
	bool is_declaration = false;
	tsdl_parse_type(t, &is_declaration);
	if (!is_declaration)
		tsdl_fail_expected(t, "'{'");
	/* The specification wants a ";", but its example grammar does without in front of another
	 * declaration, and so do readers. */
	if (!tsdl_accept_punct(t, ';') && t->tok.kind != TOK_KEYWORD)
		tsdl_fail_expected(t, "';'");
	return true;
}

static void open_block(struct tsdl *t)
{
	tsdl_next(t);
	tsdl_expect_punct(t, '{');
	tsdl_scope_open(t);
}

static bool close_block(struct tsdl *t)
{
	if (!tsdl_accept_punct(t, '}'))
		return false;
	tsdl_scope_close(t);
	tsdl_expect_punct(t, ';');
	return true;
}

static void check_version(
	struct tsdl *t, const struct tsdl_value *v, uint64_t is, uint64_t want, const char *which)
{
	if (is != want)
		tsdl_warn_at(t, v->start, "%s version %llu of the format is read as 1.8", which,
			(unsigned long long)is);
}

static void parse_trace(struct tsdl *t)
{
	enum { MAJOR, MINOR, UUID, ORDER, HEADER };
	struct tsdl_root *r = t->root;
	uint32_t given = 0;
	if (r->has_trace)
		tsdl_fail_at(t, MER_ERR_INPUT, t->tok.start, "there is a trace block already");
	r->has_trace = true;
	open_block(t);
	while (!close_block(t)) {
		if (parse_declaration(t))
			continue;
		struct tsdl_name name;
		tsdl_parse_name(t, &name);
		if (tsdl_name_is(&name, "major")) {
			tsdl_once(t, &given, MAJOR, &name);
			struct tsdl_value v = tsdl_parse_assigned(t);
			check_version(t, &v, tsdl_value_unsigned(t, &v, "a version"), 1, "major");
		} else if (tsdl_name_is(&name, "minor")) {
			tsdl_once(t, &given, MINOR, &name);
			struct tsdl_value v = tsdl_parse_assigned(t);
			check_version(t, &v, tsdl_value_unsigned(t, &v, "a version"), 8, "minor");
		} else if (tsdl_name_is(&name, "uuid")) {
			tsdl_once(t, &given, UUID, &name);
			struct tsdl_value v = tsdl_parse_assigned(t);
			tsdl_value_uuid(t, &v, r->uuid);
			r->has_uuid = true;
		} else if (tsdl_name_is(&name, "byte_order")) {
			tsdl_once(t, &given, ORDER, &name);
			struct tsdl_value v = tsdl_parse_assigned(t);
			int order = tsdl_value_byte_order(t, &v);
			if (order < 0)
				tsdl_fail_at(t, MER_ERR_INPUT, v.start,
					"native is the byte order that is given here: expected le, be or network");
			r->order = (uint8_t)order;
			r->order_start = v.start;
			r->has_order = true;
		} else if (tsdl_name_is(&name, "packet.header")) {
			tsdl_once(t, &given, HEADER, &name);
			r->packet_header = parse_type_assigned(t);
		} else {
			skip_attribute(t, &name, "the trace");
		}
	}
}

static void parse_env(struct tsdl *t)
{
	struct tsdl_root *r = t->root;
	open_block(t);
	while (!close_block(t)) {
		struct tsdl_name name;
		tsdl_parse_name(t, &name);
		struct tsdl_value v = tsdl_parse_assigned(t);
		uint32_t id = tsdl_intern(t, name.start, name.len);
		struct ctf_env entry = { .name = mer_intern_text(&t->names, id) };
		if (v.kind == VALUE_INT)
			entry.number = (int64_t)(v.is_negative ? 0 - v.magnitude : v.magnitude);
		else
			entry.text = tsdl_value_text(t, &v);
		uint32_t *place = mer_map_put(&r->env_by_name, id);
		if (!place)
			tsdl_fail_nomem(t);
		if (*place == 0) {
			tsdl_grow(t, (void **)&r->env, &r->cap_env, r->n_env, sizeof(*r->env));
			*place = ++r->n_env;
		}
		r->env[*place - 1] = entry;
	}
}

static void parse_clock(struct tsdl *t)
{
	enum { NAME, UUID, DESCRIPTION, FREQ, PRECISION, OFFSET_S, OFFSET, ABSOLUTE };
	struct tsdl_root *r = t->root;
	struct clock_block c = { .clock.freq_hz = 1000000000 };
	const char *start = t->tok.start;
	uint32_t given = 0;
	open_block(t);
	while (!close_block(t)) {
		struct tsdl_name name;
		tsdl_parse_name(t, &name);
		struct tsdl_value v = tsdl_parse_assigned(t);
		if (tsdl_name_is(&name, "name")) {
			tsdl_once(t, &given, NAME, &name);
			c.clock.name = tsdl_value_text(t, &v);
			c.name = tsdl_intern(t, c.clock.name, strlen(c.clock.name));
		} else if (tsdl_name_is(&name, "uuid")) {
			tsdl_once(t, &given, UUID, &name);
			tsdl_value_uuid(t, &v, c.clock.uuid);
			c.clock.has_uuid = true;
		} else if (tsdl_name_is(&name, "description")) {
			tsdl_once(t, &given, DESCRIPTION, &name);
			c.clock.description = tsdl_value_text(t, &v);
		} else if (tsdl_name_is(&name, "freq")) {
			tsdl_once(t, &given, FREQ, &name);
			c.clock.freq_hz = tsdl_value_unsigned(t, &v, "a frequency");
			if (c.clock.freq_hz == 0)
				tsdl_fail_at(
					t, MER_ERR_INPUT, v.start, "a frequency must not be 0");
		} else if (tsdl_name_is(&name, "precision")) {
			tsdl_once(t, &given, PRECISION, &name);
			c.clock.precision_cycles = tsdl_value_unsigned(t, &v, "a precision");
		} else if (tsdl_name_is(&name, "offset_s")) {
			tsdl_once(t, &given, OFFSET_S, &name);
			c.clock.offset_s = tsdl_value_signed(t, &v, "an offset");
		} else if (tsdl_name_is(&name, "offset")) {
			tsdl_once(t, &given, OFFSET, &name);
			c.clock.offset_cycles = tsdl_value_signed(t, &v, "an offset");
		} else if (tsdl_name_is(&name, "absolute")) {
			tsdl_once(t, &given, ABSOLUTE, &name);
			c.clock.is_absolute = tsdl_value_bool(t, &v);
		} else {
			tsdl_warn_at(t, name.start, "unknown attribute %.*s of a clock ignored",
				name.len > 60 ? 60 : (int)name.len, name.start);
		}
	}
	if (!c.clock.name)
		tsdl_fail_at(t, MER_ERR_INPUT, start, "this clock has no name");
	if (r->n_clocks >= 1000)
		tsdl_fail_at(t, MER_ERR_LIMIT, start, "more than 1000 clocks");
	for (uint32_t i = 0; i < r->n_clocks; i++)
		if (r->clocks[i].name == c.name)
			tsdl_fail_at(
				t, MER_ERR_INPUT, start, "there is a clock of this name already");
	tsdl_grow(t, (void **)&r->clocks, &r->cap_clocks, r->n_clocks, sizeof(*r->clocks));
	r->clocks[r->n_clocks++] = c;
}

static void parse_stream(struct tsdl *t)
{
	enum { ID, PACKET_CONTEXT, HEADER, CONTEXT };
	struct tsdl_root *r = t->root;
	struct stream_block s = { .start = t->tok.start };
	uint32_t given = 0;
	open_block(t);
	while (!close_block(t)) {
		if (parse_declaration(t))
			continue;
		struct tsdl_name name;
		tsdl_parse_name(t, &name);
		if (tsdl_name_is(&name, "id")) {
			tsdl_once(t, &given, ID, &name);
			struct tsdl_value v = tsdl_parse_assigned(t);
			s.id = tsdl_value_unsigned(t, &v, "an id");
		} else if (tsdl_name_is(&name, "packet.context")) {
			tsdl_once(t, &given, PACKET_CONTEXT, &name);
			s.packet_context = parse_type_assigned(t);
		} else if (tsdl_name_is(&name, "event.header")) {
			tsdl_once(t, &given, HEADER, &name);
			s.event_header = parse_type_assigned(t);
		} else if (tsdl_name_is(&name, "event.context")) {
			tsdl_once(t, &given, CONTEXT, &name);
			s.event_context = parse_type_assigned(t);
		} else {
			skip_attribute(t, &name, "a stream");
		}
	}
	if (r->n_streams == CTF_MAX_STREAM_CLASSES)
		tsdl_fail_at(
			t, MER_ERR_LIMIT, s.start, "more than %d streams", CTF_MAX_STREAM_CLASSES);
	tsdl_grow(t, (void **)&r->streams, &r->cap_streams, r->n_streams, sizeof(*r->streams));
	r->streams[r->n_streams++] = s;
}

static int32_t parse_log_level(struct tsdl *t)
{
	struct tsdl_value v = tsdl_parse_assigned(t);
	if (v.kind == VALUE_INT && !v.is_negative && v.magnitude <= INT32_MAX)
		return (int32_t)v.magnitude;
	tsdl_warn_at(t, v.start, "this log level is ignored");
	return -1;
}

static void parse_event(struct tsdl *t)
{
	enum { ID, STREAM, NAME, CONTEXT, FIELDS, LEVEL, EMF };
	struct tsdl_root *r = t->root;
	struct event_block e = { .start = t->tok.start, .place = r->n_events, .log_level = -1 };
	uint32_t given = 0;
	open_block(t);
	while (!close_block(t)) {
		if (parse_declaration(t))
			continue;
		struct tsdl_name name;
		tsdl_parse_name(t, &name);
		if (tsdl_name_is(&name, "id")) {
			tsdl_once(t, &given, ID, &name);
			struct tsdl_value v = tsdl_parse_assigned(t);
			e.id = tsdl_value_unsigned(t, &v, "an id");
		} else if (tsdl_name_is(&name, "stream_id")) {
			tsdl_once(t, &given, STREAM, &name);
			struct tsdl_value v = tsdl_parse_assigned(t);
			e.stream_id = tsdl_value_unsigned(t, &v, "an id");
			e.has_stream = true;
		} else if (tsdl_name_is(&name, "name")) {
			tsdl_once(t, &given, NAME, &name);
			struct tsdl_value v = tsdl_parse_assigned(t);
			e.name = tsdl_value_text(t, &v);
		} else if (tsdl_name_is(&name, "context")) {
			tsdl_once(t, &given, CONTEXT, &name);
			e.context = parse_type_assigned(t);
		} else if (tsdl_name_is(&name, "fields")) {
			tsdl_once(t, &given, FIELDS, &name);
			e.fields = parse_type_assigned(t);
		} else if (tsdl_name_is(&name, "loglevel")) {
			tsdl_once(t, &given, LEVEL, &name);
			e.log_level = parse_log_level(t);
		} else if (tsdl_name_is(&name, "model.emf.uri")) {
			tsdl_once(t, &given, EMF, &name);
			struct tsdl_value v = tsdl_parse_assigned(t);
			e.emf_uri = tsdl_value_text(t, &v);
		} else {
			skip_attribute(t, &name, "an event");
		}
	}
	if (r->n_events == CTF_MAX_EVENT_CLASSES)
		tsdl_fail_at(
			t, MER_ERR_LIMIT, e.start, "more than %d events", CTF_MAX_EVENT_CLASSES);
	tsdl_grow(t, (void **)&r->events, &r->cap_events, r->n_events, sizeof(*r->events));
	r->events[r->n_events++] = e;
}

/* Call sites are addresses in programs: nothing that is needed to read the trace. */
static void parse_callsite(struct tsdl *t)
{
	open_block(t);
	while (!close_block(t)) {
		struct tsdl_name name;
		tsdl_parse_name(t, &name);
		skip_attribute(t, &name, NULL);
	}
}

static void parse_root(struct tsdl *t)
{
	while (t->tok.kind != TOK_END) {
		switch (t->tok.keyword) {
		case KW_TRACE: parse_trace(t); break;
		case KW_ENV: parse_env(t); break;
		case KW_CLOCK: parse_clock(t); break;
		case KW_STREAM: parse_stream(t); break;
		case KW_EVENT: parse_event(t); break;
		case KW_CALLSITE: parse_callsite(t); break;
		default:
			if (!parse_declaration(t))
				tsdl_fail_expected(t,
					"trace, env, clock, stream, event, callsite or the declaration of a type");
		}
	}
}

/* ── the schema ─────────────────────────────────────────────────────────────────────────────── */

static void make_trace(struct tsdl *t, struct ctf_schema *s)
{
	struct tsdl_root *r = t->root;
	if (!r->has_trace)
		tsdl_fail_at(t, MER_ERR_INPUT, t->end, "there is no trace block");
	if (!r->has_order)
		tsdl_fail_at(t, MER_ERR_INPUT, t->end, "the trace block has no byte_order");
	if (t->packet_order >= 0 && t->packet_order != r->order)
		tsdl_fail_at(t, MER_ERR_INPUT, r->order_start,
			"the trace is %s endian, but the metadata packets are %s endian",
			r->order == CTF_BE ? "big" : "little",
			t->packet_order == CTF_BE ? "big" : "little");
	s->major = 1;
	s->minor = 8;
	s->order = r->order;
	s->has_uuid = r->has_uuid;
	memcpy(s->uuid, r->uuid, sizeof(s->uuid));
	s->n_env = r->n_env;
	s->env = tsdl_alloc(t, t->arena, r->n_env, sizeof(*s->env));
	if (r->n_env > 0)
		memcpy(s->env, r->env, r->n_env * sizeof(*s->env));
}

/* LTTng never says that its clocks are absolute, but their offset is documented to be the Unix
 * epoch's ("clock value offset from Epoch"); so for its tracers all clocks are taken as such. Other
 * tracers' clocks are absolute when they say so. */
static void make_clocks(struct tsdl *t, struct ctf_schema *s)
{
	struct tsdl_root *r = t->root;
	const struct ctf_env *tracer = ctf_env_find(s, "tracer_name");
	bool is_lttng = tracer && tracer->text && strncmp(tracer->text, "lttng", 5) == 0;
	s->n_clocks = r->n_clocks;
	s->clocks = tsdl_alloc(t, t->arena, r->n_clocks + UINT32_C(1), sizeof(*s->clocks));
	for (uint32_t i = 0; i < r->n_clocks; i++) {
		s->clocks[i] = r->clocks[i].clock;
		s->clocks[i].is_absolute |= is_lttng;
	}
	uint32_t name = 0; /* mostly the same clock as that of the previous field */
	uint16_t index = 0;
	for (struct tsdl_type *m = t->maps; m; m = m->older_map) {
		if (m->clock != name) {
			name = m->clock;
			index = 0;
			for (uint32_t i = 0; i < r->n_clocks && index == 0; i++)
				if (r->clocks[i].name + 1 == name)
					index = (uint16_t)(i + 1);
		}
		if (index == 0)
			tsdl_fail_at(t, MER_ERR_INPUT, m->clock_start, "there is no clock \"%s\"",
				mer_intern_text(&t->names, name - 1));
		/* An integer that is read as an array is no time. */
		m->clock_index = m->kind == TSDL_WIDE ? 0 : index;
	}
}

static int compare_streams(const void *a, const void *b)
{
	const struct stream_block *x = a, *y = b;
	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

static int compare_events(const void *a, const void *b)
{
	const struct event_block *x = a, *y = b;
	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

static void sort_streams(struct tsdl *t)
{
	struct tsdl_root *r = t->root;
	if (r->n_streams == 0) {
		/* A trace need not declare its only stream. */
		tsdl_grow(t, (void **)&r->streams, &r->cap_streams, 0, sizeof(*r->streams));
		r->streams[r->n_streams++] = (struct stream_block){ .start = t->text };
	}
	qsort(r->streams, r->n_streams, sizeof(*r->streams), compare_streams);
	for (uint32_t i = 1; i < r->n_streams; i++)
		if (r->streams[i].id == r->streams[i - 1].id)
			tsdl_fail_at(t, MER_ERR_INPUT, r->streams[i].start,
				"there is a stream with id %llu already",
				(unsigned long long)r->streams[i].id);
}

static uint32_t stream_of(struct tsdl *t, const struct event_block *e)
{
	struct tsdl_root *r = t->root;
	if (!e->has_stream && r->n_streams > 1)
		tsdl_fail_at(t, MER_ERR_INPUT, e->start,
			"this event has no stream_id, and there are %u streams", r->n_streams);
	if (!e->has_stream)
		return 0;
	MER_LOWER_BOUND(lo, 0, r->n_streams, at, r->streams[at].id < e->stream_id);
	if (lo == r->n_streams || r->streams[lo].id != e->stream_id)
		tsdl_fail_at(t, MER_ERR_INPUT, e->start,
			"there is no stream with id %llu for this event",
			(unsigned long long)e->stream_id);
	return (uint32_t)lo;
}

static void sort_events(struct tsdl *t)
{
	struct tsdl_root *r = t->root;
	for (uint32_t i = 0; i < r->n_events; i++)
		r->events[i].stream = stream_of(t, &r->events[i]);
	if (r->n_events > 0)
		qsort(r->events, r->n_events, sizeof(*r->events), compare_events);
	for (uint32_t i = 1; i < r->n_events; i++)
		if (r->events[i].stream == r->events[i - 1].stream &&
			r->events[i].id == r->events[i - 1].id)
			tsdl_fail_at(t, MER_ERR_INPUT, r->events[i].start,
				"there is an event with id %llu in this stream already",
				(unsigned long long)r->events[i].id);
}

static void make_event(
	struct tsdl *t, struct tsdl_use *u, const struct event_block *b, struct ctf_event_class *e)
{
	e->id = b->id;
	e->name = b->name;
	if (!e->name)
		e->name = mer_arena_printf(t->arena, "event %llu", (unsigned long long)b->id);
	if (!e->name)
		tsdl_fail_nomem(t);
	e->log_level = b->log_level;
	e->emf_uri = b->emf_uri;
	u->n_event_regs = 0;
	e->specific_context = tsdl_use_level(u, LEVEL_SPECIFIC_CONTEXT, b->context, b->start);
	e->payload = tsdl_use_level(u, LEVEL_PAYLOAD, b->fields, b->start);
}

static void make_streams(struct tsdl *t, struct ctf_schema *s)
{
	struct tsdl_root *r = t->root;
	struct tsdl_use *u = &r->use;
	u->t = t;
	u->schema = s;
	u->order = r->order;
	s->packet_header = tsdl_use_level(u, LEVEL_PACKET_HEADER, r->packet_header, t->text);
	tsdl_packet_header_roles(u, s);
	s->n_streams = r->n_streams;
	s->streams = tsdl_alloc(t, t->arena, r->n_streams, sizeof(*s->streams));
	uint32_t event = 0;
	for (uint32_t i = 0; i < r->n_streams; i++) {
		const struct stream_block *b = &r->streams[i];
		struct ctf_stream_class *c = &s->streams[i];
		c->id = b->id;
		c->packet_context =
			tsdl_use_level(u, LEVEL_PACKET_CONTEXT, b->packet_context, b->start);
		c->event_header = tsdl_use_level(u, LEVEL_EVENT_HEADER, b->event_header, b->start);
		c->event_context =
			tsdl_use_level(u, LEVEL_EVENT_CONTEXT, b->event_context, b->start);
		c->clock = tsdl_stream_roles(u, s);
		uint32_t first = event;
		while (event < r->n_events && r->events[event].stream == i)
			event++;
		c->n_events = event - first;
		c->events = tsdl_alloc(t, t->arena, c->n_events, sizeof(*c->events));
		for (uint32_t k = 0; k < c->n_events; k++)
			make_event(t, u, &r->events[first + k], &c->events[k]);
	}
	s->n_regs = tsdl_use_finish(u);
}

/* Types that are not used must be valid, too. */
static void check_unused(struct tsdl *t)
{
	for (const struct tsdl_ref *ref = t->refs; ref; ref = ref->older)
		if (!ref->is_settled)
			tsdl_fail_at(t, MER_ERR_INPUT, ref->start,
				"there is no field \"%s\" before this one", ref->path);
}

/* "CTF 1.8" in a comment is how plain text says what it is. */
static void check_signature(struct tsdl *t)
{
	const char *p = t->tok.start ? t->tok.start : t->text, *start = p;
	while (p < t->end && strchr(" \t\r\n", *p) && *p)
		p++;
	if (t->end - p < 6 || memcmp(p, "/* CTF", 6) != 0) {
		if (t->packet_order < 0)
			tsdl_warn_at(t, start, "the metadata does not begin with \"/* CTF 1.8\"");
		return;
	}
	start = p;
	p += 6;
	while (p < t->end && *p == ' ')
		p++;
	if (t->end - p < 4 || memcmp(p, "1.8", 3) != 0 || (p[3] >= '0' && p[3] <= '9'))
		tsdl_fail_at(t, MER_ERR_INPUT, start,
			"this is not a version of the format that can be read: expected \"/* CTF 1.8 */\"");
}

static int run(struct tsdl *t, struct ctf_schema **out)
{
	if (setjmp(t->fail))
		return t->fail_code;
	t->root = tsdl_alloc(t, &t->tmp, 1, sizeof(*t->root));
	if (t->end - t->text >= 3 && memcmp(t->text, "\xEF\xBB\xBF", 3) == 0)
		t->at += 3;
	t->tok.start = t->at;
	check_signature(t);
	tsdl_next(t);
	parse_root(t);
	struct ctf_schema *s = tsdl_alloc(t, t->arena, 1, sizeof(*s));
	make_trace(t, s);
	make_clocks(t, s);
	sort_streams(t);
	sort_events(t);
	make_streams(t, s);
	check_unused(t);
	tsdl_warn_rest(t);
	*out = s;
	return 0;
}

int ctf_tsdl_parse(const char *text, size_t len, const char *path, int packet_order,
	struct mer_arena *arena, struct mer_diags *diags, struct ctf_schema **schema,
	struct mer_err *err)
{
	if (len > CTF_MAX_METADATA_BYTES)
		return mer_fail(err, MER_ERR_LIMIT, "%s: more than %d bytes of metadata", path,
			CTF_MAX_METADATA_BYTES);
	/* Made here, because the variables of the function that calls setjmp may be lost by a
	 * jump. */
	struct tsdl *t = calloc(1, sizeof(*t));
	if (!t)
		return mer_fail_nomem(err);
	t->text = t->at = text;
	t->warned_at.line = 1;
	t->end = text + len;
	t->path = path;
	t->packet_order = packet_order;
	t->arena = arena;
	t->diags = diags;
	t->err = err;
	mer_arena_init(&t->tmp);
	mer_intern_init(&t->names, arena);
	int code = run(t, schema);
	if (t->root) {
		free(t->root->clocks);
		free(t->root->streams);
		free(t->root->events);
		free(t->root->env);
		free(t->root->use.outer);
		mer_map_fini(&t->root->env_by_name);
	}
	tsdl_scopes_fini(t);
	mer_map_fini(&t->labels.heads);
	mer_intern_fini(&t->names);
	mer_arena_fini(&t->tmp);
	free(t);
	return code;
}
