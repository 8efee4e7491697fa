/* CTF 2 metadata: from a JSON text sequence (RFC 7464) of fragments to a schema.
 *
 * Each fragment is 0x1E, an object, a line feed; the separators and a byte order mark may also be
 * missing or repeated. A fragment may refer only to what came before it. Also reads what was
 * written before CTF 2.0 was final (CTF2-SPECRC-7.0 and near relatives): `uuid` in the trace class,
 * clock classes that are known by their name, locations that are plain arrays, enumeration types,
 * `user-attributes`. */
#include "ctf/json_parser.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Preamble. */

static void read_preamble(struct json_parser *p, const struct mer_json_value *v)
{
	static const char *const keys[] = { "version uuid", NULL };
	const struct mer_json_value *uuid = ctf_json_get(v, "uuid");
	const struct mer_json_value *version = ctf_json_need(p, v, "version", "preamble");
	if (p->preamble_seen)
		ctf_json_error(p, MER_ERR_INPUT, v->at, "a second preamble");
	ctf_json_expect(p, version, MER_JSON_UINT, "property `version`");
	if (version->u.number != 2)
		ctf_json_error(p, MER_ERR_INPUT, version->at,
			"property `version`: expected 2, found %llu",
			(unsigned long long)version->u.number);
	ctf_json_check_keys(p, v, "the preamble", keys);
	p->preamble_seen = true;
	if (uuid) {
		ctf_json_uuid(p, uuid, p->schema->uuid);
		p->schema->has_uuid = true;
	}
}

/* Field class aliases. */

/* Reads the fragment again into an arena that lives until the end. */
static const struct mer_json_value *keep_tree(struct json_parser *p, const struct mer_json_value *v)
{
	struct mer_json_value again;
	size_t end = p->reader.pos;
	uint32_t commas = p->reader.n_trailing_commas;
	p->reader.pos = v->at;
	p->reader.arena = &p->keep;
	if (mer_json_read(&p->reader, &again))
		ctf_json_nomem(p);
	p->reader.arena = &p->scratch;
	p->reader.pos = end;
	p->reader.n_trailing_commas = commas;
	struct mer_json_value *copy = mer_arena_alloc(&p->keep, sizeof(*copy));
	if (!copy)
		ctf_json_nomem(p);
	*copy = again;
	return copy;
}

static void read_alias(struct json_parser *p, const struct mer_json_value *v)
{
	static const char *const keys[] = { "name field-class", NULL };
	const struct mer_json_value *name = ctf_json_need(p, v, "name", "field class alias");
	const struct mer_json_value *fc = ctf_json_need(p, v, "field-class", "field class alias");
	ctf_json_check_keys(p, v, "a field class alias", keys);
	ctf_json_expect(p, name, MER_JSON_STRING, "property `name`");
	if (mer_intern_find(&p->alias_names, name->u.text, name->n) != MER_INTERN_NONE)
		ctf_json_error(
			p, MER_ERR_INPUT, name->at, "a second field class alias of this name");
	p->checking_alias = true;
	p->out = &p->scratch;
	p->depth = 0;
	ctf_json_class(p, fc, NULL);
	p->out = p->arena;
	p->checking_alias = false;
	p->aliases =
		ctf_json_grow(p, p->aliases, p->n_aliases, &p->cap_aliases, sizeof(*p->aliases));
	p->aliases[p->n_aliases].field_class = *ctf_json_get(keep_tree(p, v), "field-class");
	if (mer_intern_add(&p->alias_names, name->u.text, name->n) != p->n_aliases)
		ctf_json_nomem(p);
	p->n_aliases++;
}

/* Trace class. */

static void read_environment(struct json_parser *p, const struct mer_json_value *v)
{
	struct ctf_env *env = ctf_json_alloc(p, v->n, sizeof(*env));
	for (uint32_t i = 0; i < v->n; i++) {
		const struct mer_json_member *m = &v->u.members[i];
		env[i].name = ctf_json_copy(p, m->key, m->key_len, m->key_at);
		if (m->value.kind == MER_JSON_STRING)
			env[i].text = ctf_json_copy_text(p, &m->value);
		else if (m->value.kind == MER_JSON_INT || m->value.kind == MER_JSON_UINT)
			env[i].number = ctf_json_sint(p, &m->value, "an environment entry");
		else
			ctf_json_error(p, MER_ERR_INPUT, m->value.at,
				"an environment entry: expected an integer or a string, found %s",
				mer_json_kind_name(m->value.kind));
	}
	p->schema->env = env;
	p->schema->n_env = v->n;
}

static void read_trace(struct json_parser *p, const struct mer_json_value *v)
{
	static const char *const keys[] = {
		"namespace name uid environment packet-header-field-class uuid", NULL
	};
	struct ctf_schema *s = p->schema;
	ctf_json_check_keys(p, v, "a trace class", keys);
	if (p->trace_seen)
		ctf_json_error(p, MER_ERR_INPUT, v->at, "a second trace class");
	if (p->n_streams)
		ctf_json_error(p, MER_ERR_INPUT, v->at,
			"the trace class must come before the data stream classes");
	p->trace_seen = true;
	ctf_json_get_kind(p, v, "namespace", MER_JSON_STRING);
	s->name = ctf_json_get_text(p, v, "name");
	s->uid = ctf_json_get_text(p, v, "uid");
	const struct mer_json_value *env = ctf_json_get_kind(p, v, "environment", MER_JSON_OBJECT);
	const struct mer_json_value *uuid = ctf_json_get(v, "uuid");
	if (env)
		read_environment(p, env);
	if (uuid) {
		uint8_t bytes[16];
		ctf_json_uuid(p, uuid, bytes);
		if (!s->has_uuid)
			memcpy(s->uuid, bytes, sizeof(bytes));
		s->has_uuid = true;
	}
	s->packet_header = ctf_json_scope(p, v, "packet-header-field-class", SCOPE_PACKET_HEADER);
}

/* Clock classes. */

static void read_origin(struct json_parser *p, const struct mer_json_value *v, struct ctf_clock *c)
{
	static const char *const keys[] = { "namespace name uid", NULL };
	const struct mer_json_value *origin = ctf_json_get(v, "origin");
	const struct mer_json_value *old =
		ctf_json_get_kind(p, v, "origin-is-unix-epoch", MER_JSON_BOOL);
	if (old)
		c->is_absolute = old->u.truth;
	if (!origin)
		return;
	if (origin->kind == MER_JSON_OBJECT) {
		ctf_json_check_keys(p, origin, "a clock origin", keys);
		ctf_json_get_kind(p, origin, "namespace", MER_JSON_STRING);
		ctf_json_need(p, origin, "name", "clock origin");
		ctf_json_need(p, origin, "uid", "clock origin");
		ctf_json_get_kind(p, origin, "name", MER_JSON_STRING);
		const char *uid = ctf_json_get_text(p, origin, "uid");
		if (!c->has_uuid)
			c->has_uuid = ctf_uuid_parse(uid, strlen(uid), c->uuid);
		return;
	}
	if (!mer_json_is(origin, "unix-epoch"))
		ctf_json_error(p, MER_ERR_INPUT, origin->at,
			"property `origin`: expected \"unix-epoch\" or an object");
	c->is_absolute = true;
}

static void read_offset(struct json_parser *p, const struct mer_json_value *v, struct ctf_clock *c)
{
	static const char *const keys[] = { "seconds cycles", NULL };
	const struct mer_json_value *o =
		ctf_json_get_kind(p, v, "offset-from-origin", MER_JSON_OBJECT);
	if (!o)
		o = ctf_json_get_kind(p, v, "offset", MER_JSON_OBJECT);
	if (!o)
		return;
	ctf_json_check_keys(p, o, "a clock offset", keys);
	const struct mer_json_value *seconds = ctf_json_get(o, "seconds");
	if (seconds)
		c->offset_s = ctf_json_sint(p, seconds, "property `seconds`");
	const struct mer_json_value *cycles = ctf_json_get_kind(p, o, "cycles", MER_JSON_UINT);
	if (!cycles)
		return;
	if (cycles->u.number >= c->freq_hz)
		ctf_json_error(p, MER_ERR_INPUT, cycles->at,
			"property `cycles`: must be less than the frequency, %llu, found %llu",
			(unsigned long long)c->freq_hz, (unsigned long long)cycles->u.number);
	if (cycles->u.number > INT64_MAX)
		ctf_json_error(p, MER_ERR_LIMIT, cycles->at,
			"property `cycles`: %llu is more than 2^63 - 1",
			(unsigned long long)cycles->u.number);
	c->offset_cycles = (int64_t)cycles->u.number;
}

/* Before CTF 2.0 a clock class has no `id`; it is referred to by its name. */
static void add_clock_id(struct json_parser *p, const struct mer_json_value *v)
{
	const struct mer_json_value *id = ctf_json_get_kind(p, v, "id", MER_JSON_STRING);
	if (!id)
		id = ctf_json_get_kind(p, v, "name", MER_JSON_STRING);
	if (!id)
		ctf_json_error(
			p, MER_ERR_INPUT, v->at, "clock class: the property `id` is missing");
	p->fragment_name = id;
	if (mer_intern_find(&p->clock_ids, id->u.text, id->n) != MER_INTERN_NONE)
		ctf_json_error(p, MER_ERR_INPUT, id->at, "a second clock class of this id");
	if (p->n_clocks > INT16_MAX)
		ctf_json_error(p, MER_ERR_LIMIT, v->at, "more than %d clock classes", INT16_MAX);
	if (mer_intern_add(&p->clock_ids, id->u.text, id->n) != p->n_clocks)
		ctf_json_nomem(p);
}

static void read_clock(struct json_parser *p, const struct mer_json_value *v)
{
	static const char *const keys[] = {
		"id namespace name uid frequency origin offset-from-origin precision accuracy "
		"description",
		"uuid offset origin-is-unix-epoch", NULL
	};
	struct ctf_clock c = { 0 };
	ctf_json_check_keys(p, v, "a clock class", keys);
	p->clocks = ctf_json_grow(p, p->clocks, p->n_clocks, &p->cap_clocks, sizeof(*p->clocks));
	add_clock_id(p, v);
	const struct mer_json_value *freq = ctf_json_need(p, v, "frequency", "clock class");
	ctf_json_expect(p, freq, MER_JSON_UINT, "property `frequency`");
	if (freq->u.number == 0)
		ctf_json_error(p, MER_ERR_INPUT, freq->at, "property `frequency`: must not be 0");
	c.freq_hz = freq->u.number;
	ctf_json_get_kind(p, v, "namespace", MER_JSON_STRING);
	c.name = ctf_json_get_text(p, v, "name");
	if (!c.name)
		c.name = ctf_json_get_text(p, v, "id");
	c.description = ctf_json_get_text(p, v, "description");
	c.uid = ctf_json_get_text(p, v, "uid");
	c.precision_cycles = ctf_json_get_uint(p, v, "precision", 0);
	ctf_json_get_uint(p, v, "accuracy", 0);
	const struct mer_json_value *uuid = ctf_json_get(v, "uuid");
	if (uuid) {
		ctf_json_uuid(p, uuid, c.uuid);
		c.has_uuid = true;
	} else if (c.uid) {
		c.has_uuid = ctf_uuid_parse(c.uid, strlen(c.uid), c.uuid);
	}
	read_origin(p, v, &c);
	read_offset(p, v, &c);
	/* LTTng's clocks count from the Unix epoch; translated traces do not say so. */
	const struct ctf_env *tracer = ctf_env_find(p->schema, "tracer_name");
	if (!ctf_json_get(v, "origin") && !ctf_json_get(v, "origin-is-unix-epoch") && tracer &&
		tracer->text && strncmp(tracer->text, "lttng-", 6) == 0)
		c.is_absolute = true;
	p->clocks[p->n_clocks++] = c;
}

/* Data stream classes. */

static int16_t find_clock(struct json_parser *p, const struct mer_json_value *v)
{
	const struct mer_json_value *id =
		ctf_json_get_kind(p, v, "default-clock-class-id", MER_JSON_STRING);
	if (!id)
		id = ctf_json_get_kind(p, v, "default-clock-class-name", MER_JSON_STRING);
	if (!id)
		return -1;
	uint32_t i = mer_intern_find(&p->clock_ids, id->u.text, id->n);
	if (i == MER_INTERN_NONE)
		ctf_json_error(p, MER_ERR_INPUT, id->at, "there is no clock class `%.*s`",
			(int)(id->n > 80 ? 80 : id->n), id->u.text);
	return (int16_t)i;
}

static struct json_stream *find_stream(struct json_parser *p, uint64_t id)
{
	const uint32_t *i = mer_map_get(&p->stream_ids, id);
	return i ? &p->streams[*i] : NULL;
}

static void read_stream(struct json_parser *p, const struct mer_json_value *v)
{
	static const char *const keys[] = {
		"id namespace name uid default-clock-class-id default-clock-class-name",
		"packet-context-field-class event-record-header-field-class "
		"event-record-common-context-field-class",
		NULL
	};
	ctf_json_check_keys(p, v, "a data stream class", keys);
	uint64_t id = ctf_json_get_uint(p, v, "id", 0);
	const struct mer_json_value *where = ctf_json_get(v, "id");
	if (find_stream(p, id))
		ctf_json_error(p, MER_ERR_INPUT, where ? where->at : v->at,
			"a second data stream class of the id %" PRIu64, id);
	if (p->n_streams == CTF_MAX_STREAM_CLASSES)
		ctf_json_error(p, MER_ERR_LIMIT, v->at, "more than %d data stream classes",
			CTF_MAX_STREAM_CLASSES);
	p->streams =
		ctf_json_grow(p, p->streams, p->n_streams, &p->cap_streams, sizeof(*p->streams));
	uint32_t *slot = mer_map_put(&p->stream_ids, id);
	if (!slot)
		ctf_json_nomem(p);
	*slot = (uint32_t)p->n_streams;
	struct json_stream *s = p->stream = &p->streams[p->n_streams++];
	*s = (struct json_stream){ .class = { .id = id, .clock = -1 } };
	ctf_json_get_kind(p, v, "namespace", MER_JSON_STRING);
	ctf_json_get_kind(p, v, "uid", MER_JSON_STRING);
	s->class.name = ctf_json_get_text(p, v, "name");
	s->class.clock = find_clock(p, v);
	p->scopes[SCOPE_PACKET_HEADER] = p->schema->packet_header;
	s->class.packet_context =
		ctf_json_scope(p, v, "packet-context-field-class", SCOPE_PACKET_CONTEXT);
	s->class.event_header =
		ctf_json_scope(p, v, "event-record-header-field-class", SCOPE_EVENT_HEADER);
	s->class.event_context = ctf_json_scope(
		p, v, "event-record-common-context-field-class", SCOPE_COMMON_CONTEXT);
}

/* Event record classes. */

/* Log levels by their names, with - _ and : the same and in any case. */
static int32_t log_level_called(const struct mer_json_value *v)
{
	static const char *const names[] = { "emergency", "alert", "critical", "error", "warning",
		"notice", "info", "debug:system", "debug:program", "debug:process", "debug:module",
		"debug:unit", "debug:function", "debug:line", "debug" };
	char word[24];
	if (v->n >= sizeof(word))
		return -1;
	for (uint32_t i = 0; i < v->n; i++)
		word[i] = v->u.text[i] == '_' || v->u.text[i] == '-' ? ':' : v->u.text[i];
	word[v->n] = '\0';
	for (int32_t i = 0; i < (int32_t)(sizeof(names) / sizeof(names[0])); i++)
		if (strcasecmp(word, names[i]) == 0)
			return i;
	return strcasecmp(word, "emerg") == 0 ? 0 : strcasecmp(word, "crit") == 0 ? 2 : -1;
}

/* Unknown or unexpected attributes are ignored. */
static void read_attributes(
	struct json_parser *p, const struct mer_json_value *v, struct ctf_event_class *e)
{
	static const char *const places[][2] = { { "attributes", "lttng.org,2009" },
		{ "attributes", "babeltrace.org,2020" }, { "user-attributes", "lttng.org,2009" },
		{ "user-attributes", "babeltrace.org,2020" } };
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		const struct mer_json_value *a = ctf_json_get(v, places[i][0]);
		a = a ? ctf_json_get(a, places[i][1]) : NULL;
		if (!a || a->kind != MER_JSON_OBJECT)
			continue;
		const struct mer_json_value *level = ctf_json_get(a, "log-level");
		if (level && level->kind == MER_JSON_UINT && level->u.number <= INT32_MAX)
			e->log_level = (int32_t)level->u.number;
		else if (level && level->kind == MER_JSON_STRING)
			e->log_level = log_level_called(level);
		const struct mer_json_value *uri = ctf_json_get(a, "emf-uri");
		if (uri && uri->kind == MER_JSON_STRING)
			e->emf_uri = ctf_json_copy_text(p, uri);
	}
}

static void enter_stream(struct json_parser *p, struct json_stream *s)
{
	p->stream = s;
	p->scopes[SCOPE_PACKET_HEADER] = p->schema->packet_header;
	p->scopes[SCOPE_PACKET_CONTEXT] = s->class.packet_context;
	p->scopes[SCOPE_EVENT_HEADER] = s->class.event_header;
	p->scopes[SCOPE_COMMON_CONTEXT] = s->class.event_context;
	ctf_json_begin_event(p);
}

static struct json_stream *stream_of_event(struct json_parser *p, const struct mer_json_value *v)
{
	const struct mer_json_value *where = ctf_json_get(v, "data-stream-class-id");
	uint64_t id = ctf_json_get_uint(p, v, "data-stream-class-id", 0);
	struct json_stream *s = find_stream(p, id);
	if (!s)
		ctf_json_error(p, MER_ERR_INPUT, where ? where->at : v->at,
			"there is no data stream class of the id %" PRIu64, id);
	return s;
}

static void read_event(struct json_parser *p, const struct mer_json_value *v)
{
	static const char *const keys[] = {
		"id data-stream-class-id namespace name uid specific-context-field-class "
		"payload-field-class",
		NULL
	};
	ctf_json_check_keys(p, v, "an event record class", keys);
	struct json_stream *s = stream_of_event(p, v);
	const struct mer_json_value *where = ctf_json_get(v, "id");
	uint64_t id = ctf_json_get_uint(p, v, "id", 0);
	if (mer_map_get(&s->event_ids, id))
		ctf_json_error(p, MER_ERR_INPUT, where ? where->at : v->at,
			"a second event record class of the id %" PRIu64
			" in the data stream class %" PRIu64,
			id, s->class.id);
	if (!mer_map_put(&s->event_ids, id))
		ctf_json_nomem(p);
	if (p->n_events++ == CTF_MAX_EVENT_CLASSES)
		ctf_json_error(p, MER_ERR_LIMIT, v->at, "more than %d event record classes",
			CTF_MAX_EVENT_CLASSES);
	struct json_event *e = mer_arena_zalloc(&p->keep, 1, sizeof(*e));
	if (!e)
		ctf_json_nomem(p);
	ctf_json_get_kind(p, v, "namespace", MER_JSON_STRING);
	ctf_json_get_kind(p, v, "uid", MER_JSON_STRING);
	e->class.id = id;
	e->class.log_level = -1;
	e->class.name = ctf_json_get_text(p, v, "name");
	if (!e->class.name)
		e->class.name = mer_arena_printf(p->arena, "event %" PRIu64, id);
	if (!e->class.name)
		ctf_json_nomem(p);
	read_attributes(p, v, &e->class);
	enter_stream(p, s);
	e->class.specific_context =
		ctf_json_scope(p, v, "specific-context-field-class", SCOPE_SPECIFIC_CONTEXT);
	e->class.payload = ctf_json_scope(p, v, "payload-field-class", SCOPE_PAYLOAD);
	e->next = s->events;
	s->events = e;
	s->class.n_events++;
}

/* All together. */

static void read_fragment(struct json_parser *p, const struct mer_json_value *v)
{
	static const struct {
		const char *type, *title;
		void (*read)(struct json_parser *p, const struct mer_json_value *v);
	} types[] = { { "preamble", "preamble", read_preamble },
		{ "field-class-alias", "field class alias", read_alias },
		{ "trace-class", "trace class", read_trace },
		{ "clock-class", "clock class", read_clock },
		{ "data-stream-class", "data stream class", read_stream },
		{ "event-record-class", "event record class", read_event } };
	enum { N = sizeof(types) / sizeof(types[0]) };
	size_t i = 0;
	if (v->kind != MER_JSON_OBJECT)
		ctf_json_error(p, MER_ERR_INPUT, v->at, "a fragment must be an object, found %s",
			mer_json_kind_name(v->kind));
	const struct mer_json_value *type = ctf_json_need(p, v, "type", "fragment");
	ctf_json_expect(p, type, MER_JSON_STRING, "property `type` of a fragment");
	while (i < N && !mer_json_is(type, types[i].type))
		i++;
	if (i == N)
		ctf_json_error(p, MER_ERR_INPUT, type->at, "there is no fragment type \"%.*s\"",
			(int)(type->n > 80 ? 80 : type->n), type->u.text);
	if (i != 0 && !p->preamble_seen)
		ctf_json_error(p, MER_ERR_INPUT, v->at, "the first fragment must be the preamble");
	p->fragment = types[i].title;
	p->fragment_name = ctf_json_get(v, "name");
	if (!p->fragment_name)
		p->fragment_name = ctf_json_get(v, "id");
	types[i].read(p, v);
	p->fragment = NULL;
	p->fragment_name = NULL;
}

static void read_json(struct json_parser *p, struct mer_json_value *v)
{
	uint32_t commas = p->reader.n_trailing_commas;
	int rc = mer_json_read(&p->reader, v);
	if (rc == MER_ERR_NOMEM)
		ctf_json_nomem(p);
	if (rc)
		ctf_json_error(p, rc, p->reader.err_at, "not JSON: %s", p->reader.err);
	if (commas == 0 && p->reader.n_trailing_commas)
		ctf_json_warn(p, "trailing-comma", p->reader.trailing_comma_at,
			"a comma before a closing bracket is not JSON; it is ignored");
}

/* Past separators, white space, and byte order marks; false at the end. */
static bool next_fragment(struct json_parser *p)
{
	size_t *pos = &p->reader.pos;
	while (*pos < p->len) {
		if (p->len - *pos >= 3 && memcmp(p->text + *pos, "\xEF\xBB\xBF", 3) == 0)
			*pos += 3;
		else if (memchr("\x1E \t\r\n", p->text[*pos], 5))
			(*pos)++;
		else
			return true;
	}
	return false;
}

static int compare_events(const void *a, const void *b)
{
	const struct ctf_event_class *x = a, *y = b;
	return x->id < y->id ? -1 : x->id > y->id;
}

static int compare_streams(const void *a, const void *b)
{
	const struct ctf_stream_class *x = a, *y = b;
	return x->id < y->id ? -1 : x->id > y->id;
}

static void finish_stream(
	struct json_parser *p, const struct json_stream *from, struct ctf_stream_class *to)
{
	uint32_t i = from->class.n_events;
	*to = from->class;
	to->events = ctf_json_alloc(p, i, sizeof(*to->events));
	for (const struct json_event *e = from->events; e; e = e->next)
		to->events[--i] = e->class;
	qsort(to->events, to->n_events, sizeof(*to->events), compare_events);
}

static void finish(struct json_parser *p)
{
	struct ctf_schema *s = p->schema;
	if (!p->preamble_seen)
		ctf_json_error(p, MER_ERR_INPUT, 0, "the metadata has no preamble");
	ctf_json_finish_regs(p);
	s->n_clocks = (uint32_t)p->n_clocks;
	s->clocks = ctf_json_alloc(p, p->n_clocks, sizeof(*s->clocks));
	if (p->n_clocks)
		memcpy(s->clocks, p->clocks, p->n_clocks * sizeof(*s->clocks));
	s->n_streams = (uint32_t)p->n_streams;
	s->streams = ctf_json_alloc(p, p->n_streams, sizeof(*s->streams));
	for (size_t i = 0; i < p->n_streams; i++)
		finish_stream(p, &p->streams[i], &s->streams[i]);
	qsort(s->streams, s->n_streams, sizeof(*s->streams), compare_streams);
}

static void parse(struct json_parser *p)
{
	p->schema = ctf_json_alloc(p, 1, sizeof(*p->schema));
	p->schema->major = 2;
	p->schema->order = CTF_LE;
	p->globals = calloc(CTF_MAX_REGS + 1, sizeof(*p->globals));
	p->locals = calloc(CTF_MAX_REGS + 1, sizeof(*p->locals));
	if (!p->globals || !p->locals)
		ctf_json_nomem(p);
	while (next_fragment(p)) {
		struct mer_json_value v;
		mer_arena_reset(&p->scratch);
		read_json(p, &v);
		read_fragment(p, &v);
	}
	finish(p);
}

static void fini(struct json_parser *p)
{
	for (size_t i = 0; i < p->n_streams; i++)
		mer_map_fini(&p->streams[i].event_ids);
	free(p->streams);
	free(p->clocks);
	free(p->aliases);
	free(p->reg_uses);
	free(p->globals);
	free(p->locals);
	mer_intern_fini(&p->alias_names);
	mer_intern_fini(&p->clock_ids);
	mer_intern_fini(&p->names);
	mer_map_fini(&p->stream_ids);
	mer_map_fini(&p->members);
	mer_json_reader_fini(&p->reader);
	mer_arena_fini(&p->scratch);
	mer_arena_fini(&p->keep);
	free(p);
}

int ctf_json_parse(const char *text, size_t len, const char *path, struct mer_arena *arena,
	struct mer_diags *diags, struct ctf_schema **schema, struct mer_err *err)
{
	/* On the heap: what a longjmp must not lose may not be an automatic variable. */
	struct json_parser *p = calloc(1, sizeof(*p));
	if (!p)
		return mer_fail_nomem(err);
	p->text = text;
	p->len = len;
	p->path = path;
	p->arena = p->out = arena;
	p->diags = diags;
	p->err = err;
	p->scope = N_SCOPES;
	mer_arena_init(&p->scratch);
	mer_arena_init(&p->keep);
	mer_intern_init(&p->alias_names, &p->keep);
	mer_intern_init(&p->clock_ids, &p->keep);
	mer_intern_init(&p->names, &p->keep);
	mer_json_reader_init(&p->reader, text, len, &p->scratch);
	p->reader.allow_trailing_comma = true;
	if (setjmp(p->failed) == 0) {
		parse(p);
		*schema = p->schema;
	}
	int rc = p->code;
	fini(p);
	return rc;
}
