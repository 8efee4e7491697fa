/* A schema as CTF 2 metadata: a JSON text sequence (RFC 7464), one fragment an object.
 *
 * Field classes are written out where they are used, locations always from a scope's root. What
 * CTF 2 does not have is left out where it changes no value: labels' order, clocks mapped to fields
 * that have no role. Equal labels become one mapping of all their ranges. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/map.h"
#include "ctf/write.h"

struct json_out {
	const struct ctf_schema *schema;
	struct mer_str *out;
	struct mer_json json;
	struct mer_err *err;
	int rc;
	struct ctf_write_place place;
	const char *where;
	struct mer_arena arena; /* scratch for labels */
};

static void fail(struct json_out *w, const struct ctf_field *f, const char *what)
{
	if (!w->rc)
		w->rc = mer_fail(
			w->err, MER_ERR_USAGE, "%s: field \"%s\": %s", w->where, f->name, what);
}

static void begin_fragment(struct json_out *w, const char *type)
{
	mer_str_putc(w->out, 0x1E);
	mer_json_init(&w->json, w->out, NULL, 0);
	mer_json_begin_object(&w->json);
	mer_json_kv_text(&w->json, "type", type);
}

static void end_fragment(struct json_out *w)
{
	mer_json_end_object(&w->json);
	int rc = w->rc ? 0 : mer_json_finish(&w->json, w->err);
	if (rc)
		w->rc = rc;
}

static void put_ranges(struct json_out *w, const struct ctf_range *r, uint32_t n, bool is_signed)
{
	for (uint32_t i = 0; i < n; i++) {
		mer_json_begin_array(&w->json);
		if (is_signed) {
			mer_json_int(&w->json, (int64_t)r[i].lo);
			mer_json_int(&w->json, (int64_t)r[i].hi);
		} else {
			mer_json_uint(&w->json, r[i].lo);
			mer_json_uint(&w->json, r[i].hi);
		}
		mer_json_end_array(&w->json);
	}
}

static void put_location(
	struct json_out *w, const char *key, const struct ctf_field *f, const struct ctf_ref *ref)
{
	static const char *const origins[] = { "packet-header", "packet-context",
		"event-record-header", "event-record-common-context",
		"event-record-specific-context", "event-record-payload" };
	struct ctf_target g;
	if (!ctf_find_target(&w->place, ref->reg, &g))
		return fail(w, f, "the field that it refers to is not before it");
	mer_json_kv_object(&w->json, key);
	mer_json_kv_text(&w->json, "origin", origins[g.scope]);
	mer_json_kv_array(&w->json, "path");
	for (int i = 0; i < g.frame; i++) {
		const struct ctf_frame *fr = &w->place.frames[i];
		mer_json_text(&w->json, fr->record->u.record.fields[fr->at].name);
	}
	for (uint32_t i = 0; i < g.n_names; i++)
		mer_json_text(&w->json, g.names[i]);
	mer_json_end_array(&w->json);
	mer_json_end_object(&w->json);
}

static void put_roles(struct json_out *w, const struct ctf_field *f)
{
	static const struct {
		uint32_t role;
		const char *name;
	} roles[] = { { CTF_ROLE_MAGIC, "packet-magic-number" },
		{ CTF_ROLE_TRACE_UUID, "metadata-stream-uuid" },
		{ CTF_ROLE_STREAM_CLASS_ID, "data-stream-class-id" },
		{ CTF_ROLE_STREAM_ID, "data-stream-id" },
		{ CTF_ROLE_PACKET_SIZE, "packet-total-length" },
		{ CTF_ROLE_CONTENT_SIZE, "packet-content-length" },
		{ CTF_ROLE_TIMESTAMP, "default-clock-timestamp" },
		{ CTF_ROLE_TIMESTAMP_END, "packet-end-default-clock-timestamp" },
		{ CTF_ROLE_SEQ_NUM, "packet-sequence-number" },
		{ CTF_ROLE_DISCARDED, "discarded-event-record-counter-snapshot" },
		{ CTF_ROLE_EVENT_ID, "event-record-class-id" } };
	bool any = false;
	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++)
		if ((f->roles & roles[i].role) &&
			(w->schema->has_uuid || roles[i].role != CTF_ROLE_TRACE_UUID)) {
			if (!any)
				mer_json_kv_array(&w->json, "roles");
			any = true;
			mer_json_text(&w->json, roles[i].name);
		}
	if (any)
		mer_json_end_array(&w->json);
}

/* Mappings are an object: each label is a key once. `next` chains the mappings of one label. */
static void put_mappings(struct json_out *w, const struct ctf_fc *fc, const char *key)
{
	uint32_t n = fc->u.bits.n_mappings;
	bool is_signed = fc->u.bits.is_signed && fc->kind != CTF_BIT_MAP;
	struct mer_intern labels;
	if (!n)
		return;
	uint32_t *last = calloc(n, sizeof(*last)), *next = calloc(n, sizeof(*next));
	bool *later = calloc(n, sizeof(*later));
	mer_intern_init(&labels, &w->arena);
	for (uint32_t i = 0; last && next && later && !w->rc && i < n; i++) {
		const char *label = fc->u.bits.mappings[i].label;
		uint32_t known = labels.n, id = mer_intern_add(&labels, label, strlen(label));
		if (id == MER_INTERN_NONE) {
			w->rc = mer_fail_nomem(w->err);
		} else {
			if (id < known) {
				next[last[id]] = i;
				later[i] = true;
			}
			last[id] = i;
		}
	}
	if (!last || !next || !later)
		w->rc = mer_fail_nomem(w->err);
	mer_json_kv_object(&w->json, key);
	for (uint32_t i = 0; !w->rc && i < n; i++) {
		if (later[i])
			continue;
		mer_json_kv_array(&w->json, fc->u.bits.mappings[i].label);
		for (uint32_t k = i;; k = next[k]) {
			const struct ctf_mapping *m = &fc->u.bits.mappings[k];
			put_ranges(w, m->ranges, m->n_ranges, is_signed);
			if (!next[k])
				break;
		}
		mer_json_end_array(&w->json);
	}
	mer_json_end_object(&w->json);
	mer_intern_fini(&labels);
	free(last);
	free(next);
	free(later);
}

static void put_bits(struct json_out *w, const struct ctf_fc *fc)
{
	static const char *const types[] = { [CTF_BIT_ARRAY] = "fixed-length-bit-array",
		[CTF_BIT_MAP] = "fixed-length-bit-map",
		[CTF_BOOL] = "fixed-length-boolean",
		[CTF_FLOAT] = "fixed-length-floating-point-number" };
	const char *type = fc->kind == CTF_INT ? fc->u.bits.is_signed
							 ? "fixed-length-signed-integer"
							 : "fixed-length-unsigned-integer"
					       : types[fc->kind];
	bool be = fc->u.bits.order == CTF_BE;
	mer_json_kv_text(&w->json, "type", type);
	mer_json_kv_uint(&w->json, "length", fc->u.bits.len_bits);
	mer_json_kv_text(&w->json, "byte-order", be ? "big-endian" : "little-endian");
	if (fc->align_bits > 1)
		mer_json_kv_uint(&w->json, "alignment", fc->align_bits);
	if (fc->u.bits.reversed)
		mer_json_kv_text(&w->json, "bit-order", be ? "first-to-last" : "last-to-first");
	if (fc->kind == CTF_BIT_MAP)
		put_mappings(w, fc, "flags");
	if (fc->kind != CTF_INT)
		return;
	if (fc->u.bits.base && fc->u.bits.base != 10)
		mer_json_kv_uint(&w->json, "preferred-display-base", fc->u.bits.base);
	put_mappings(w, fc, "mappings");
}

static void put_text(struct json_out *w, const struct ctf_field *f)
{
	static const char *const encodings[] = { "utf-8", "utf-16be", "utf-16le", "utf-32be",
		"utf-32le" };
	const struct ctf_fc *fc = f->fc;
	bool is_dynamic = fc->u.text.ref.reg != CTF_NO_REG, blob = fc->kind == CTF_BLOB;
	if (fc->kind == CTF_STRING)
		mer_json_kv_text(&w->json, "type", "null-terminated-string");
	else if (is_dynamic)
		mer_json_kv_text(
			&w->json, "type", blob ? "dynamic-length-blob" : "dynamic-length-string");
	else
		mer_json_kv_text(
			&w->json, "type", blob ? "static-length-blob" : "static-length-string");
	if (fc->kind != CTF_STRING && is_dynamic)
		put_location(w, "length-field-location", f, &fc->u.text.ref);
	else if (fc->kind != CTF_STRING)
		mer_json_kv_uint(&w->json, "length", fc->u.text.len_bytes);
	if (!blob && fc->u.text.encoding != CTF_UTF8)
		mer_json_kv_text(&w->json, "encoding", encodings[fc->u.text.encoding]);
	if (blob && fc->u.text.media_type)
		mer_json_kv_text(&w->json, "media-type", fc->u.text.media_type);
}

static void put_class(
	struct json_out *w, const char *key, const struct ctf_field *f, unsigned depth);

static void put_struct(struct json_out *w, const struct ctf_fc *record, unsigned depth)
{
	struct ctf_write_place *p = &w->place;
	uint32_t natural = 1;
	if (p->depth >= CTF_MAX_DEPTH + 1) {
		w->rc = mer_fail(w->err, MER_ERR_LIMIT, "%s: nested too deeply", w->where);
		return;
	}
	struct ctf_frame *frame = &p->frames[p->depth++];
	*frame = (struct ctf_frame){ .record = record };
	mer_json_kv_text(&w->json, "type", "structure");
	mer_json_kv_array(&w->json, "member-classes");
	for (; !w->rc && frame->at < record->u.record.n; frame->at++) {
		const struct ctf_field *f = &record->u.record.fields[frame->at];
		if (f->fc->kind != CTF_VARIANT && f->fc->kind != CTF_OPTIONAL &&
			f->fc->align_bits > natural)
			natural = f->fc->align_bits;
		mer_json_begin_object(&w->json);
		mer_json_kv_text(&w->json, "name", f->name);
		put_class(w, "field-class", f, depth + 1);
		mer_json_end_object(&w->json);
	}
	mer_json_end_array(&w->json);
	p->depth--;
	if (record->align_bits > natural)
		mer_json_kv_uint(&w->json, "minimum-alignment", record->align_bits);
}

static void put_array(struct json_out *w, const struct ctf_field *f, unsigned depth)
{
	const struct ctf_fc *fc = f->fc;
	bool is_dynamic = fc->u.array.ref.reg != CTF_NO_REG;
	mer_json_kv_text(
		&w->json, "type", is_dynamic ? "dynamic-length-array" : "static-length-array");
	if (is_dynamic)
		put_location(w, "length-field-location", f, &fc->u.array.ref);
	else
		mer_json_kv_uint(&w->json, "length", fc->u.array.n);
	if (fc->align_bits > fc->u.array.element.fc->align_bits)
		mer_json_kv_uint(&w->json, "minimum-alignment", fc->align_bits);
	put_class(w, "element-field-class", &fc->u.array.element, depth + 1);
}

static void put_variant(struct json_out *w, const struct ctf_field *f, unsigned depth)
{
	const struct ctf_fc *fc = f->fc;
	mer_json_kv_text(&w->json, "type", "variant");
	put_location(w, "selector-field-location", f, &fc->u.variant.ref);
	mer_json_kv_array(&w->json, "options");
	for (uint32_t i = 0; !w->rc && i < fc->u.variant.n; i++) {
		const struct ctf_option *o = &fc->u.variant.options[i];
		if (!o->n_ranges)
			continue; /* TSDL has options that nothing selects */
		mer_json_begin_object(&w->json);
		if (o->field.name[0])
			mer_json_kv_text(&w->json, "name", o->field.name);
		mer_json_kv_array(&w->json, "selector-field-ranges");
		put_ranges(w, o->ranges, o->n_ranges, fc->u.variant.ref.is_signed);
		mer_json_end_array(&w->json);
		put_class(w, "field-class", &o->field, depth + 1);
		mer_json_end_object(&w->json);
	}
	mer_json_end_array(&w->json);
}

static void put_optional(struct json_out *w, const struct ctf_field *f, unsigned depth)
{
	const struct ctf_fc *fc = f->fc;
	mer_json_kv_text(&w->json, "type", "optional");
	put_location(w, "selector-field-location", f, &fc->u.optional.ref);
	if (fc->u.optional.n_ranges) {
		mer_json_kv_array(&w->json, "selector-field-ranges");
		put_ranges(w, fc->u.optional.ranges, fc->u.optional.n_ranges,
			fc->u.optional.ref.is_signed);
		mer_json_end_array(&w->json);
	}
	put_class(w, "field-class", &fc->u.optional.content, depth + 1);
}

/* The identifier of the trace is bytes in CTF 1.8, a blob here. */
static bool is_uuid(const struct ctf_field *f)
{
	const struct ctf_fc *fc = f->fc;
	return (f->roles & CTF_ROLE_TRACE_UUID) && fc->kind == CTF_ARRAY &&
	       fc->u.array.ref.reg == CTF_NO_REG && fc->u.array.n == 16;
}

static void put_class(
	struct json_out *w, const char *key, const struct ctf_field *f, unsigned depth)
{
	const struct ctf_fc *fc = f->fc;
	if (w->rc)
		return;
	if (depth > CTF_MAX_DEPTH + 2)
		return fail(w, f, "nested too deeply");
	mer_json_kv_object(&w->json, key);
	switch (fc->kind) {
	case CTF_BIT_ARRAY:
	case CTF_BIT_MAP:
	case CTF_BOOL:
	case CTF_INT:
	case CTF_FLOAT: put_bits(w, fc); break;
	case CTF_VARINT:
		mer_json_kv_text(&w->json, "type",
			fc->u.bits.is_signed ? "variable-length-signed-integer"
					     : "variable-length-unsigned-integer");
		if (fc->u.bits.base && fc->u.bits.base != 10)
			mer_json_kv_uint(&w->json, "preferred-display-base", fc->u.bits.base);
		put_mappings(w, fc, "mappings");
		break;
	case CTF_STRING:
	case CTF_TEXT:
	case CTF_BLOB: put_text(w, f); break;
	case CTF_STRUCT: put_struct(w, fc, depth); break;
	case CTF_ARRAY:
		if (is_uuid(f)) {
			mer_json_kv_text(&w->json, "type", "static-length-blob");
			mer_json_kv_uint(&w->json, "length", 16);
		} else {
			put_array(w, f, depth);
		}
		break;
	case CTF_VARIANT: put_variant(w, f, depth); break;
	case CTF_OPTIONAL: put_optional(w, f, depth); break;
	}
	if (f->roles)
		put_roles(w, f);
	mer_json_end_object(&w->json);
}

static void put_scope(
	struct json_out *w, const char *key, enum ctf_scope scope, const struct ctf_fc *record)
{
	if (!record)
		return;
	struct ctf_field f = { .name = key, .fc = (struct ctf_fc *)(uintptr_t)record, .clock = -1 };
	w->place.scope = scope;
	w->place.depth = 0;
	w->place.scopes[scope] = record;
	put_class(w, key, &f, 0);
}

static void put_trace(struct json_out *w)
{
	const struct ctf_schema *s = w->schema;
	begin_fragment(w, "preamble");
	mer_json_kv_uint(&w->json, "version", 2);
	if (s->has_uuid) {
		mer_json_kv_array(&w->json, "uuid");
		for (int i = 0; i < 16; i++)
			mer_json_uint(&w->json, s->uuid[i]);
		mer_json_end_array(&w->json);
	}
	end_fragment(w);
	if (!s->name && !s->uid && !s->n_env && !s->packet_header)
		return;
	begin_fragment(w, "trace-class");
	if (s->name)
		mer_json_kv_text(&w->json, "name", s->name);
	if (s->uid)
		mer_json_kv_text(&w->json, "uid", s->uid);
	if (s->n_env)
		mer_json_kv_object(&w->json, "environment");
	for (uint32_t i = 0; i < s->n_env; i++) {
		if (s->env[i].text)
			mer_json_kv_text(&w->json, s->env[i].name, s->env[i].text);
		else
			mer_json_kv_int(&w->json, s->env[i].name, s->env[i].number);
	}
	if (s->n_env)
		mer_json_end_object(&w->json);
	w->where = "packet header";
	put_scope(w, "packet-header-field-class", CTF_SCOPE_PACKET_HEADER, s->packet_header);
	end_fragment(w);
}

/* Clock classes are named by their index, because two of a trace may have the same name. */
static void put_clock(struct json_out *w, const struct ctf_clock *c, uint32_t index)
{
	char id[32], uid[40];
	const char *uid_text = c->uid;
	snprintf(id, sizeof(id), "clock-%" PRIu32, index);
	if (!uid_text && c->has_uuid) {
		int n = 0;
		for (int i = 0; i < 16; i++)
			n += snprintf(uid + n, sizeof(uid) - (size_t)n, "%s%02x",
				i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", c->uuid[i]);
		uid_text = uid;
	}
	begin_fragment(w, "clock-class");
	mer_json_kv_text(&w->json, "id", id);
	mer_json_kv_text(&w->json, "name", c->name);
	if (uid_text)
		mer_json_kv_text(&w->json, "uid", uid_text);
	if (c->description)
		mer_json_kv_text(&w->json, "description", c->description);
	mer_json_kv_uint(&w->json, "frequency", c->freq_hz);
	if (c->precision_cycles)
		mer_json_kv_uint(&w->json, "precision", c->precision_cycles);
	/* The cycles of CTF 2 are those of less than a second, and not negative. */
	int64_t freq = c->freq_hz > INT64_MAX ? INT64_MAX : (int64_t)c->freq_hz;
	int64_t seconds = c->offset_cycles / freq, cycles = c->offset_cycles % freq;
	if (cycles < 0) {
		cycles += freq;
		seconds--;
	}
	if (__builtin_add_overflow(seconds, c->offset_s, &seconds))
		w->rc = mer_fail(w->err, MER_ERR_USAGE, "clock %s: offset too large", c->name);
	mer_json_kv_object(&w->json, "offset-from-origin");
	mer_json_kv_int(&w->json, "seconds", seconds);
	mer_json_kv_int(&w->json, "cycles", cycles);
	mer_json_end_object(&w->json);
	if (c->is_absolute)
		mer_json_kv_text(&w->json, "origin", "unix-epoch");
	end_fragment(w);
}

static void put_stream(struct json_out *w, const struct ctf_stream_class *c)
{
	begin_fragment(w, "data-stream-class");
	w->where = "data stream class";
	mer_json_kv_uint(&w->json, "id", c->id);
	if (c->name)
		mer_json_kv_text(&w->json, "name", c->name);
	if (c->clock >= 0) {
		char id[32];
		snprintf(id, sizeof(id), "clock-%d", c->clock);
		mer_json_kv_text(&w->json, "default-clock-class-id", id);
	}
	memset(&w->place.scopes[1], 0, sizeof(w->place.scopes) - sizeof(w->place.scopes[0]));
	put_scope(w, "packet-context-field-class", CTF_SCOPE_PACKET_CONTEXT, c->packet_context);
	put_scope(w, "event-record-header-field-class", CTF_SCOPE_EVENT_HEADER, c->event_header);
	put_scope(w, "event-record-common-context-field-class", CTF_SCOPE_COMMON_CONTEXT,
		c->event_context);
	end_fragment(w);
}

static void put_event(
	struct json_out *w, const struct ctf_stream_class *c, const struct ctf_event_class *e)
{
	begin_fragment(w, "event-record-class");
	w->where = e->name;
	mer_json_kv_uint(&w->json, "id", e->id);
	mer_json_kv_uint(&w->json, "data-stream-class-id", c->id);
	mer_json_kv_text(&w->json, "name", e->name);
	if (e->log_level >= 0 || e->emf_uri) {
		mer_json_kv_object(&w->json, "attributes");
		mer_json_kv_object(&w->json, "lttng.org,2009");
		if (e->log_level >= 0)
			mer_json_kv_int(&w->json, "log-level", e->log_level);
		if (e->emf_uri)
			mer_json_kv_text(&w->json, "emf-uri", e->emf_uri);
		mer_json_end_object(&w->json);
		mer_json_end_object(&w->json);
	}
	w->place.scopes[CTF_SCOPE_SPECIFIC_CONTEXT] = NULL;
	put_scope(
		w, "specific-context-field-class", CTF_SCOPE_SPECIFIC_CONTEXT, e->specific_context);
	put_scope(w, "payload-field-class", CTF_SCOPE_PAYLOAD, e->payload);
	end_fragment(w);
}

int ctf_write_json(const struct ctf_schema *s, struct mer_str *out, struct mer_err *err)
{
	struct json_out *w = calloc(1, sizeof(*w));
	if (!w)
		return mer_fail_nomem(err);
	w->schema = s;
	w->out = out;
	w->err = err;
	mer_arena_init(&w->arena);
	put_trace(w);
	for (uint32_t i = 0; !w->rc && i < s->n_clocks; i++)
		put_clock(w, &s->clocks[i], i);
	for (uint32_t i = 0; !w->rc && i < s->n_streams; i++) {
		put_stream(w, &s->streams[i]);
		for (uint32_t k = 0; !w->rc && k < s->streams[i].n_events; k++)
			put_event(w, &s->streams[i], &s->streams[i].events[k]);
	}
	int rc = w->rc;
	mer_arena_fini(&w->arena);
	free(w);
	return !rc && out->failed ? mer_fail_nomem(err) : rc;
}
