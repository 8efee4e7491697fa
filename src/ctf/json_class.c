/* CTF 2 metadata: field classes. */
#include "ctf/json_parser.h"

#include <stdlib.h>
#include <string.h>

enum { LONG_STRUCT = 16, MAX_FROM_ALIAS = 1 << 20 };

const char *const ctf_json_scope_names[N_SCOPES] = { "packet header", "packet context",
	"event record header", "common context", "specific context", "payload" };

static void push_frame(struct json_parser *p, struct ctf_fc *fc, const struct mer_json_value *v)
{
	if (p->depth >= CTF_MAX_DEPTH)
		ctf_json_error(p, MER_ERR_LIMIT, v->at,
			"field classes are nested more than %d deep", CTF_MAX_DEPTH);
	p->frames[p->depth++] = (struct json_frame){ .fc = fc, .json = v };
}

static void pop_frame(struct json_parser *p)
{
	p->depth--;
}

static uint32_t get_alignment(
	struct json_parser *p, const struct mer_json_value *v, const char *key, uint32_t fallback)
{
	const struct mer_json_value *a = ctf_json_get_kind(p, v, key, MER_JSON_UINT);
	if (!a)
		return fallback;
	uint64_t n = a->u.number;
	if (n == 0 || (n & (n - 1)))
		ctf_json_error(p, MER_ERR_INPUT, a->at,
			"property `%s`: expected a power of two, found %llu", key,
			(unsigned long long)n);
	if (n > (uint64_t)1 << 31)
		ctf_json_error(p, MER_ERR_LIMIT, a->at, "property `%s`: %llu is more than 2^31",
			key, (unsigned long long)n);
	return (uint32_t)n;
}

/* Ranges of integers. */

static void fail_bound(struct json_parser *p, const struct mer_json_value *v, const char *why)
{
	ctf_json_error(p, MER_ERR_INPUT, v->at, "an integer range: %s", why);
}

/* [lower, upper]. For unsigned fields a range that begins below zero is cut at zero: producers
 * write such. any: the signedness is not known, only the form is checked. */
static struct ctf_range read_range(
	struct json_parser *p, const struct mer_json_value *v, bool is_signed, bool any)
{
	ctf_json_expect(p, v, MER_JSON_ARRAY, "an integer range");
	if (v->n != 2)
		fail_bound(p, v, "expected two integers");
	const struct mer_json_value *lo = &v->u.items[0], *hi = &v->u.items[1];
	for (unsigned i = 0; i < 2; i++)
		if (v->u.items[i].kind != MER_JSON_INT && v->u.items[i].kind != MER_JSON_UINT)
			ctf_json_error(p, MER_ERR_INPUT, v->u.items[i].at,
				"an integer range: expected a 64-bit integer, found %s",
				mer_json_kind_name(v->u.items[i].kind));
	bool lo_negative = lo->kind == MER_JSON_INT, hi_negative = hi->kind == MER_JSON_INT;
	bool ordered = lo_negative == hi_negative ? lo->u.number <= hi->u.number : lo_negative;
	if (!ordered)
		fail_bound(p, lo, "the lower bound is greater than the upper one");
	struct ctf_range r = { .lo = lo->u.number, .hi = hi->u.number };
	if (any)
		return r;
	if (is_signed) {
		ctf_json_sint(p, lo, "an integer range of a signed field");
		ctf_json_sint(p, hi, "an integer range of a signed field");
	} else {
		if (hi_negative)
			fail_bound(p, hi, "a negative value of an unsigned field");
		if (lo_negative)
			r.lo = 0;
	}
	return r;
}

static const struct ctf_range *read_ranges(struct json_parser *p, const struct mer_json_value *v,
	bool is_signed, bool any, uint32_t *n)
{
	ctf_json_expect(p, v, MER_JSON_ARRAY, "a set of integer ranges");
	if (v->n == 0)
		ctf_json_error(p, MER_ERR_INPUT, v->at,
			"a set of integer ranges must have at least one range");
	struct ctf_range *ranges = ctf_json_alloc(p, v->n, sizeof(*ranges));
	for (uint32_t i = 0; i < v->n; i++)
		ranges[i] = read_range(p, &v->u.items[i], is_signed, any);
	*n = v->n;
	return ranges;
}

static void read_mappings(struct json_parser *p, const struct mer_json_value *v, struct ctf_fc *fc)
{
	struct ctf_mapping *m = ctf_json_alloc(p, v->n, sizeof(*m));
	for (uint32_t i = 0; i < v->n; i++) {
		const struct mer_json_member *from = &v->u.members[i];
		m[i].label = ctf_json_copy(p, from->key, from->key_len, from->key_at);
		m[i].ranges =
			read_ranges(p, &from->value, fc->u.bits.is_signed, false, &m[i].n_ranges);
	}
	fc->u.bits.n_mappings = v->n;
	fc->u.bits.mappings = m;
	if (!ctf_index_labels(fc, p->out))
		ctf_json_nomem(p);
}

/* Roles. */

static const struct {
	const char *name;
	enum ctf_role role;
	unsigned scopes;
} role_table[] = {
	{ "packet-magic-number", CTF_ROLE_MAGIC, 1u << SCOPE_PACKET_HEADER },
	{ "metadata-stream-uuid", CTF_ROLE_TRACE_UUID, 1u << SCOPE_PACKET_HEADER },
	{ "trace-class-uuid", CTF_ROLE_TRACE_UUID, 1u << SCOPE_PACKET_HEADER },
	{ "data-stream-class-id", CTF_ROLE_STREAM_CLASS_ID, 1u << SCOPE_PACKET_HEADER },
	{ "data-stream-id", CTF_ROLE_STREAM_ID, 1u << SCOPE_PACKET_HEADER },
	{ "packet-total-length", CTF_ROLE_PACKET_SIZE, 1u << SCOPE_PACKET_CONTEXT },
	{ "packet-content-length", CTF_ROLE_CONTENT_SIZE, 1u << SCOPE_PACKET_CONTEXT },
	{ "default-clock-timestamp", CTF_ROLE_TIMESTAMP,
		1u << SCOPE_PACKET_CONTEXT | 1u << SCOPE_EVENT_HEADER },
	{ "packet-end-default-clock-timestamp", CTF_ROLE_TIMESTAMP_END,
		1u << SCOPE_PACKET_CONTEXT },
	{ "packet-sequence-number", CTF_ROLE_SEQ_NUM, 1u << SCOPE_PACKET_CONTEXT },
	{ "discarded-event-record-counter-snapshot", CTF_ROLE_DISCARDED,
		1u << SCOPE_PACKET_CONTEXT },
	{ "event-record-class-id", CTF_ROLE_EVENT_ID, 1u << SCOPE_EVENT_HEADER },
};

/* 16 bytes: a blob, or before CTF 2.0 an array of bytes. */
static bool is_uuid(const struct ctf_fc *fc)
{
	if (fc->kind == CTF_BLOB)
		return fc->u.text.ref.path == NULL && fc->u.text.len_bytes == 16;
	const struct ctf_fc *e = fc->kind == CTF_ARRAY ? fc->u.array.element.fc : NULL;
	return e && fc->u.array.ref.path == NULL && fc->u.array.n == 16 && e->kind == CTF_INT &&
	       e->u.bits.len_bits == 8;
}

static void check_role(struct json_parser *p, const struct ctf_fc *fc, enum ctf_role role,
	const struct mer_json_value *at)
{
	const char *why = NULL;
	bool is_int = fc->kind == CTF_INT || fc->kind == CTF_VARINT;
	if (role == CTF_ROLE_TRACE_UUID) {
		if (!is_uuid(fc))
			why = "a static-length blob of 16 bytes";
		else if (!p->schema->has_uuid)
			why = "in a trace whose preamble has a UUID";
	} else if (!is_int || fc->u.bits.is_signed) {
		why = "an unsigned integer";
	} else if (role == CTF_ROLE_MAGIC) {
		const struct json_frame *root = &p->frames[0];
		if (fc->kind != CTF_INT || fc->u.bits.len_bits != 32)
			why = "a fixed-length unsigned integer of 32 bits";
		else if (p->depth != 1 || root->n != 0)
			why = "the first member of the packet header";
	}
	if (why)
		ctf_json_error(p, MER_ERR_INPUT, at->at,
			"a field with the role \"%.*s\" must be %s", (int)at->n, at->u.text, why);
	if ((role == CTF_ROLE_TIMESTAMP || role == CTF_ROLE_TIMESTAMP_END) &&
		p->stream->class.clock < 0)
		ctf_json_error(p, MER_ERR_INPUT, at->at,
			"the role \"%.*s\" needs a data stream class with a default clock class",
			(int)at->n, at->u.text);
}

static void read_roles(struct json_parser *p, const struct mer_json_value *v,
	const struct ctf_fc *fc, struct ctf_field *field)
{
	const struct mer_json_value *roles = ctf_json_get_kind(p, v, "roles", MER_JSON_ARRAY);
	for (uint32_t i = 0; roles && i < roles->n; i++) {
		const struct mer_json_value *r = &roles->u.items[i];
		size_t k = 0, n = sizeof(role_table) / sizeof(role_table[0]);
		ctf_json_expect(p, r, MER_JSON_STRING, "a role");
		while (k < n && !mer_json_is(r, role_table[k].name))
			k++;
		if (p->checking_alias || !field)
			continue;
		if (k == n || !(role_table[k].scopes >> p->scope & 1)) {
			ctf_json_warn(p, k == n ? "unknown-role" : "role-without-meaning", r->at,
				"the role \"%.*s\" %s and is ignored", (int)(r->n > 80 ? 80 : r->n),
				r->u.text, k == n ? "is not known" : "has no meaning here");
			continue;
		}
		check_role(p, fc, role_table[k].role, r);
		field->roles |= role_table[k].role;
	}
}

/* The kinds. */

static bool read_byte_order(
	struct json_parser *p, const struct mer_json_value *v, struct ctf_fc *fc)
{
	const struct mer_json_value *o =
		ctf_json_need(p, v, "byte-order", "fixed-length field class");
	if (mer_json_is(o, "big-endian"))
		fc->u.bits.order = CTF_BE;
	else if (!mer_json_is(o, "little-endian"))
		ctf_json_error(p, MER_ERR_INPUT, o->at,
			"property `byte-order`: expected \"little-endian\" or \"big-endian\"");
	return fc->u.bits.order == CTF_BE;
}

static void read_fixed(struct json_parser *p, const struct mer_json_value *v, struct ctf_fc *fc)
{
	const struct mer_json_value *len =
		ctf_json_need(p, v, "length", "fixed-length field class");
	ctf_json_expect(p, len, MER_JSON_UINT, "property `length`");
	if (len->u.number == 0)
		ctf_json_error(
			p, MER_ERR_INPUT, len->at, "property `length`: must be at least 1 bit");
	if (len->u.number > 64)
		ctf_json_error(p, MER_ERR_LIMIT, len->at,
			"property `length`: fields of %llu bits are not supported, at most 64",
			(unsigned long long)len->u.number);
	fc->u.bits.len_bits = (uint16_t)len->u.number;
	bool be = read_byte_order(p, v, fc);
	const struct mer_json_value *bits = ctf_json_get(v, "bit-order");
	if (bits && mer_json_is(bits, be ? "first-to-last" : "last-to-first"))
		fc->u.bits.reversed = true;
	else if (bits && !mer_json_is(bits, be ? "last-to-first" : "first-to-last"))
		ctf_json_error(p, MER_ERR_INPUT, bits->at,
			"property `bit-order`: expected \"first-to-last\" or \"last-to-first\"");
	fc->align_bits = get_alignment(p, v, "alignment", 1);
	fc->u.bits.base = 10;
}

static void read_bit_map(struct json_parser *p, const struct mer_json_value *v, struct ctf_fc *fc)
{
	const struct mer_json_value *flags = ctf_json_need(p, v, "flags", "bit map field class");
	ctf_json_expect(p, flags, MER_JSON_OBJECT, "property `flags`");
	if (flags->n == 0)
		ctf_json_error(p, MER_ERR_INPUT, flags->at,
			"property `flags`: expected at least one flag");
	read_mappings(p, flags, fc);
}

static void read_int(struct json_parser *p, const struct mer_json_value *v, struct ctf_fc *fc)
{
	const struct mer_json_value *base =
		ctf_json_get_kind(p, v, "preferred-display-base", MER_JSON_UINT);
	fc->u.bits.base = 10;
	if (base) {
		uint64_t b = base->u.number;
		if (b != 2 && b != 8 && b != 10 && b != 16)
			ctf_json_error(p, MER_ERR_INPUT, base->at,
				"property `preferred-display-base`: expected 2, 8, 10 or 16");
		fc->u.bits.base = (uint8_t)b;
	}
	const struct mer_json_value *m = ctf_json_get_kind(p, v, "mappings", MER_JSON_OBJECT);
	if (m)
		read_mappings(p, m, fc);
	if (fc->u.bits.n_mappings)
		fc->u.bits.is_enum = true;
	else if (fc->u.bits.is_enum)
		ctf_json_error(p, MER_ERR_INPUT, v->at,
			"enumeration field class: the property `mappings` is missing or empty");
}

static void read_float(struct json_parser *p, const struct mer_json_value *v, struct ctf_fc *fc)
{
	const struct mer_json_value *len = ctf_json_get(v, "length");
	if (len && len->kind == MER_JSON_UINT && len->u.number != 16 && len->u.number != 32 &&
		len->u.number != 64)
		ctf_json_error(p, MER_ERR_LIMIT, len->at,
			"property `length`: floating point numbers of %llu bits are not supported, only of 16, 32 and 64",
			(unsigned long long)len->u.number);
	read_fixed(p, v, fc);
}

static void read_encoding(struct json_parser *p, const struct mer_json_value *v, struct ctf_fc *fc)
{
	static const char *const names[] = { "utf-8", "utf-16be", "utf-16le", "utf-32be",
		"utf-32le" };
	const struct mer_json_value *e = ctf_json_get_kind(p, v, "encoding", MER_JSON_STRING);
	if (!e)
		return;
	for (uint8_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (mer_json_is(e, names[i])) {
			fc->u.text.encoding = i;
			return;
		}
	ctf_json_error(p, MER_ERR_INPUT, e->at,
		"property `encoding`: expected \"utf-8\", \"utf-16be\", \"utf-16le\", \"utf-32be\" or \"utf-32le\"");
}

static uint64_t need_length(struct json_parser *p, const struct mer_json_value *v)
{
	const struct mer_json_value *n = ctf_json_need(p, v, "length", "static-length field class");
	ctf_json_expect(p, n, MER_JSON_UINT, "property `length`");
	return n->u.number;
}

static void read_length_ref(
	struct json_parser *p, const struct mer_json_value *v, struct ctf_ref *ref)
{
	bool is_bool;
	const struct mer_json_value *loc =
		ctf_json_need(p, v, "length-field-location", "dynamic-length field class");
	ctf_json_resolve(p, loc, TARGET_LENGTH, ref, &is_bool);
}

static void read_text(
	struct json_parser *p, const struct mer_json_value *v, struct ctf_fc *fc, bool dynamic)
{
	fc->align_bits = 8;
	if (fc->kind == CTF_BLOB)
		fc->u.text.media_type = ctf_json_get_text(p, v, "media-type");
	else
		read_encoding(p, v, fc);
	if (fc->kind == CTF_STRING)
		return;
	if (dynamic) {
		read_length_ref(p, v, &fc->u.text.ref);
		return;
	}
	/* The length need not be a multiple of the code unit if a NUL ends the text before (CTF 2,
	 * 5.3.13). */
	fc->u.text.len_bytes = need_length(p, v);
}

static void read_member(
	struct json_parser *p, const struct mer_json_value *v, struct ctf_field *field)
{
	static const char *const keys[] = { "name field-class", NULL };
	ctf_json_expect(p, v, MER_JSON_OBJECT, "a structure member class");
	const struct mer_json_value *name = ctf_json_need(p, v, "name", "structure member class");
	ctf_json_expect(p, name, MER_JSON_STRING, "property `name`");
	field->name = ctf_json_copy_text(p, name);
	field->clock = -1;
	ctf_json_check_keys(p, v, "a structure member class", keys);
	ctf_json_class(p, ctf_json_need(p, v, "field-class", "structure member class"), field);
}

static int compare_texts(const void *a, const void *b)
{
	const struct mer_json_value *x = *(const struct mer_json_value *const *)a;
	const struct mer_json_value *y = *(const struct mer_json_value *const *)b;
	if (x->n != y->n)
		return x->n < y->n ? -1 : 1;
	int c = x->n ? memcmp(x->u.text, y->u.text, x->n) : 0;
	return c ? c : x->at < y->at ? -1 : x->at > y->at;
}

static bool same_text(const struct mer_json_value *x, const struct mer_json_value *y)
{
	return x->n == y->n && (x->n == 0 || memcmp(x->u.text, y->u.text, x->n) == 0);
}

/* The second value of property `name` that occurs twice in a list of objects, NULL when none does.
 * Objects without a name are allowed. */
static const struct mer_json_value *find_duplicate(
	struct json_parser *p, const struct mer_json_value *list)
{
	enum { FEW = 12 };
	const struct mer_json_value *few[FEW], **names = few, *found = NULL;
	uint32_t n = 0;
	if (list->n > FEW)
		names = mer_arena_zalloc(&p->scratch, list->n, sizeof(*names));
	if (!names)
		ctf_json_nomem(p);
	for (uint32_t i = 0; i < list->n; i++) {
		const struct mer_json_value *name = ctf_json_get(&list->u.items[i], "name");
		if (name)
			names[n++] = name;
	}
	qsort(names, n, sizeof(*names), compare_texts);
	for (uint32_t i = 1; i < n && !found; i++)
		if (same_text(names[i - 1], names[i]))
			found = names[i];
	return found;
}

static void read_struct(struct json_parser *p, const struct mer_json_value *v, struct ctf_fc *fc)
{
	const struct mer_json_value *list =
		ctf_json_get_kind(p, v, "member-classes", MER_JSON_ARRAY);
	uint32_t n = list ? list->n : 0;
	fc->align_bits = get_alignment(p, v, "minimum-alignment", 1);
	fc->u.record.n = n;
	fc->u.record.fields = n ? ctf_json_alloc(p, n, sizeof(*fc->u.record.fields)) : NULL;
	push_frame(p, fc, v);
	struct json_frame *frame = &p->frames[p->depth - 1];
	for (; frame->n < n; frame->n++) {
		struct ctf_field *field = &fc->u.record.fields[frame->n];
		read_member(p, &list->u.items[frame->n], field);
		if (n > LONG_STRUCT && !p->checking_alias)
			ctf_json_index_member(p, fc, frame->n);
		if (field->fc->align_bits > fc->align_bits)
			fc->align_bits = field->fc->align_bits;
	}
	/* Not allowed, but harmless: only a location by this name is ambiguous (the first is
	 * meant). */
	const struct mer_json_value *twice = list ? find_duplicate(p, list) : NULL;
	if (twice && !p->checking_alias)
		ctf_json_warn(p, "duplicate-field", twice->at,
			"the structure has more than one member `%.*s`",
			(int)(twice->n > 80 ? 80 : twice->n), twice->u.text);
	pop_frame(p);
}

static void read_array(
	struct json_parser *p, const struct mer_json_value *v, struct ctf_fc *fc, bool dynamic)
{
	const struct mer_json_value *element =
		ctf_json_need(p, v, "element-field-class", "array field class");
	fc->align_bits = get_alignment(p, v, "minimum-alignment", 1);
	if (dynamic)
		read_length_ref(p, v, &fc->u.array.ref);
	else
		fc->u.array.n = need_length(p, v);
	fc->u.array.element = (struct ctf_field){ .name = "", .clock = -1 };
	push_frame(p, fc, v);
	ctf_json_class(p, element, &fc->u.array.element);
	pop_frame(p);
	if (fc->u.array.element.fc->align_bits > fc->align_bits)
		fc->align_bits = fc->u.array.element.fc->align_bits;
}

static void read_optional(struct json_parser *p, const struct mer_json_value *v, struct ctf_fc *fc)
{
	bool is_bool;
	struct ctf_ref *ref = &fc->u.optional.ref;
	const struct mer_json_value *content =
		ctf_json_need(p, v, "field-class", "optional field class");
	const struct mer_json_value *loc =
		ctf_json_need(p, v, "selector-field-location", "optional field class");
	const struct mer_json_value *ranges = ctf_json_get(v, "selector-field-ranges");
	ctf_json_resolve(p, loc, TARGET_SELECTOR_ANY, ref, &is_bool);
	if (ranges && is_bool)
		ctf_json_error(p, MER_ERR_INPUT, ranges->at,
			"property `selector-field-ranges`: the selector is a boolean field");
	if (!ranges && !is_bool && !p->checking_alias)
		ctf_json_error(p, MER_ERR_INPUT, v->at,
			"optional field class: the selector is an integer field, so the property `selector-field-ranges` is needed");
	if (ranges)
		fc->u.optional.ranges = read_ranges(
			p, ranges, ref->is_signed, p->checking_alias, &fc->u.optional.n_ranges);
	fc->align_bits = 1;
	fc->u.optional.content = (struct ctf_field){ .name = "", .clock = -1 };
	push_frame(p, fc, v);
	ctf_json_class(p, content, &fc->u.optional.content);
	pop_frame(p);
}

struct owned_range {
	struct ctf_range range;
	uint32_t option;
	bool is_signed;
};

static int compare_ranges(const void *a, const void *b)
{
	const struct owned_range *x = a, *y = b;
	if (x->is_signed && ((x->range.lo ^ y->range.lo) >> 63))
		return x->range.lo >> 63 ? -1 : 1;
	return x->range.lo < y->range.lo ? -1 : x->range.lo > y->range.lo;
}

static bool is_below(const struct owned_range *r, uint64_t a, uint64_t b)
{
	return r->is_signed ? (int64_t)a < (int64_t)b : a < b;
}

/* A value of the selector must not select two options. */
static void check_overlap(
	struct json_parser *p, const struct mer_json_value *v, const struct ctf_fc *fc)
{
	size_t n = 0, k = 0;
	for (uint32_t i = 0; i < fc->u.variant.n; i++)
		n += fc->u.variant.options[i].n_ranges;
	struct owned_range *all = mer_arena_zalloc(&p->scratch, n, sizeof(*all));
	if (!all)
		ctf_json_nomem(p);
	for (uint32_t i = 0; i < fc->u.variant.n; i++)
		for (uint32_t j = 0; j < fc->u.variant.options[i].n_ranges; j++)
			all[k++] = (struct owned_range){ fc->u.variant.options[i].ranges[j], i,
				fc->u.variant.ref.is_signed };
	qsort(all, n, sizeof(*all), compare_ranges);
	/* The one that reaches farthest so far, and the farthest one of another option. */
	const struct owned_range *far = NULL, *other = NULL;
	for (k = 0; k < n; k++) {
		const struct owned_range *r = &all[k];
		const struct owned_range *before = far && far->option == r->option ? other : far;
		if (before && !is_below(r, before->range.hi, r->range.lo)) {
			uint32_t a = before->option, b = r->option;
			ctf_json_error(p, MER_ERR_INPUT, v->u.items[a > b ? a : b].at,
				"options %u and %u of the variant have overlapping selector ranges",
				(a < b ? a : b) + 1, (a < b ? b : a) + 1);
		}
		if (!far || is_below(r, far->range.hi, r->range.hi)) {
			if (far && far->option != r->option)
				other = far;
			far = r;
		} else if (far->option != r->option &&
			   (!other || is_below(r, other->range.hi, r->range.hi))) {
			other = r;
		}
	}
}

static void read_option(struct json_parser *p, const struct mer_json_value *v, struct ctf_fc *fc,
	struct ctf_option *option)
{
	static const char *const keys[] = { "name field-class selector-field-ranges", NULL };
	ctf_json_expect(p, v, MER_JSON_OBJECT, "a variant option");
	ctf_json_check_keys(p, v, "a variant option", keys);
	const char *name = ctf_json_get_text(p, v, "name");
	option->field = (struct ctf_field){ .name = name ? name : "", .clock = -1 };
	option->ranges =
		read_ranges(p, ctf_json_need(p, v, "selector-field-ranges", "variant option"),
			fc->u.variant.ref.is_signed, p->checking_alias, &option->n_ranges);
	ctf_json_class(p, ctf_json_need(p, v, "field-class", "variant option"), &option->field);
}

static void read_variant(struct json_parser *p, const struct mer_json_value *v, struct ctf_fc *fc)
{
	bool is_bool;
	const struct mer_json_value *loc =
		ctf_json_need(p, v, "selector-field-location", "variant field class");
	const struct mer_json_value *list = ctf_json_need(p, v, "options", "variant field class");
	ctf_json_expect(p, list, MER_JSON_ARRAY, "property `options`");
	if (list->n == 0)
		ctf_json_error(p, MER_ERR_INPUT, list->at,
			"property `options`: expected at least one option");
	ctf_json_resolve(p, loc, TARGET_SELECTOR_INT, &fc->u.variant.ref, &is_bool);
	fc->align_bits = 1;
	fc->u.variant.n = list->n;
	fc->u.variant.options = ctf_json_alloc(p, list->n, sizeof(*fc->u.variant.options));
	push_frame(p, fc, v);
	struct json_frame *frame = &p->frames[p->depth - 1];
	for (; frame->n < list->n; frame->n++)
		read_option(p, &list->u.items[frame->n], fc, &fc->u.variant.options[frame->n]);
	const struct mer_json_value *twice = find_duplicate(p, list);
	if (twice)
		ctf_json_error(p, MER_ERR_INPUT, twice->at,
			"the variant has more than one option `%.*s`",
			(int)(twice->n > 80 ? 80 : twice->n), twice->u.text);
	if (!p->checking_alias)
		check_overlap(p, list, fc);
	if (!ctf_index_options(fc, p->out))
		ctf_json_nomem(p);
	pop_frame(p);
}

/* The types of field classes: for each its kind, its flags, and its properties besides `type`. */
enum { IS_SIGNED = 1, IS_ENUM = 2, IS_DYNAMIC = 4 };
#define FIXED "length byte-order bit-order alignment"
#define INT_KEYS "preferred-display-base mappings"
static const struct class_type {
	const char *name;
	enum ctf_kind kind;
	unsigned flags;
	const char *keys[3];
} class_types[] = {
	{ "fixed-length-bit-array", CTF_BIT_ARRAY, 0, { FIXED } },
	{ "fixed-length-bit-map", CTF_BIT_MAP, 0, { FIXED, "flags" } },
	{ "fixed-length-boolean", CTF_BOOL, 0, { FIXED } },
	{ "fixed-length-unsigned-integer", CTF_INT, 0, { FIXED, INT_KEYS " roles" } },
	{ "fixed-length-signed-integer", CTF_INT, IS_SIGNED, { FIXED, INT_KEYS } },
	{ "fixed-length-unsigned-enumeration", CTF_INT, IS_ENUM, { FIXED, INT_KEYS " roles" } },
	{ "fixed-length-signed-enumeration", CTF_INT, IS_SIGNED | IS_ENUM, { FIXED, INT_KEYS } },
	{ "fixed-length-floating-point-number", CTF_FLOAT, IS_SIGNED, { FIXED } },
	{ "variable-length-unsigned-integer", CTF_VARINT, 0, { INT_KEYS " roles" } },
	{ "variable-length-signed-integer", CTF_VARINT, IS_SIGNED, { INT_KEYS } },
	{ "variable-length-unsigned-enumeration", CTF_VARINT, IS_ENUM, { INT_KEYS " roles" } },
	{ "variable-length-signed-enumeration", CTF_VARINT, IS_SIGNED | IS_ENUM, { INT_KEYS } },
	{ "null-terminated-string", CTF_STRING, 0, { "encoding" } },
	{ "static-length-string", CTF_TEXT, 0, { "length encoding" } },
	{ "dynamic-length-string", CTF_TEXT, IS_DYNAMIC, { "length-field-location encoding" } },
	{ "static-length-blob", CTF_BLOB, 0, { "length media-type roles" } },
	{ "dynamic-length-blob", CTF_BLOB, IS_DYNAMIC, { "length-field-location media-type" } },
	{ "structure", CTF_STRUCT, 0, { "member-classes minimum-alignment" } },
	{ "static-length-array", CTF_ARRAY, 0,
		{ "length element-field-class minimum-alignment roles" } },
	{ "dynamic-length-array", CTF_ARRAY, IS_DYNAMIC,
		{ "length-field-location element-field-class minimum-alignment" } },
	{ "optional", CTF_OPTIONAL, 0,
		{ "field-class selector-field-location selector-field-ranges" } },
	{ "variant", CTF_VARIANT, 0, { "options selector-field-location" } },
};

static const struct class_type *find_type(struct json_parser *p, const struct mer_json_value *v)
{
	const struct mer_json_value *type = ctf_json_need(p, v, "type", "field class");
	ctf_json_expect(p, type, MER_JSON_STRING, "property `type` of a field class");
	for (size_t i = 0; i < sizeof(class_types) / sizeof(class_types[0]); i++)
		if (mer_json_is(type, class_types[i].name))
			return &class_types[i];
	ctf_json_error(p, MER_ERR_INPUT, type->at, "there is no field class type \"%.*s\"",
		(int)(type->n > 80 ? 80 : type->n), type->u.text);
}

static void read_kind(struct json_parser *p, const struct mer_json_value *v,
	const struct class_type *t, struct ctf_fc *fc)
{
	bool dynamic = t->flags & IS_DYNAMIC;
	switch (t->kind) {
	case CTF_STRUCT: read_struct(p, v, fc); return;
	case CTF_ARRAY: read_array(p, v, fc, dynamic); return;
	case CTF_VARIANT: read_variant(p, v, fc); return;
	case CTF_OPTIONAL: read_optional(p, v, fc); return;
	case CTF_STRING:
	case CTF_TEXT:
	case CTF_BLOB: read_text(p, v, fc, dynamic); return;
	default: break;
	}
	fc->u.bits.is_signed = t->flags & IS_SIGNED;
	fc->u.bits.is_enum = t->flags & IS_ENUM;
	fc->align_bits = 8;
	if (t->kind == CTF_FLOAT)
		read_float(p, v, fc);
	else if (t->kind != CTF_VARINT)
		read_fixed(p, v, fc);
	if (t->kind == CTF_BIT_MAP)
		read_bit_map(p, v, fc);
	if (t->kind == CTF_INT || t->kind == CTF_VARINT)
		read_int(p, v, fc);
}

static const struct mer_json_value *find_alias(
	struct json_parser *p, const struct mer_json_value *v)
{
	uint32_t i = mer_intern_find(&p->alias_names, v->u.text, v->n);
	if (i >= p->n_aliases)
		ctf_json_error(p, MER_ERR_INPUT, v->at, "there is no field class alias `%.*s`",
			(int)(v->n > 80 ? 80 : v->n), v->u.text);
	return &p->aliases[i].field_class;
}

struct ctf_fc *ctf_json_class(
	struct json_parser *p, const struct mer_json_value *v, struct ctf_field *field)
{
	if (v->kind == MER_JSON_STRING) {
		/* An alias must be defined before it is used, so there are no cycles. */
		p->in_alias++;
		struct ctf_fc *fc = ctf_json_class(p, find_alias(p, v), field);
		p->in_alias--;
		return fc;
	}
	if (v->kind != MER_JSON_OBJECT)
		ctf_json_error(p, MER_ERR_INPUT, v->at,
			"a field class must be an object or the name of an alias, found %s",
			mer_json_kind_name(v->kind));
	if (p->in_alias && ++p->n_from_alias > MAX_FROM_ALIAS)
		ctf_json_error(p, MER_ERR_LIMIT, v->at,
			"the field class aliases stand for more than %d field classes",
			MAX_FROM_ALIAS);
	const struct class_type *t = find_type(p, v);
	ctf_json_check_keys(p, v, t->name, t->keys);
	struct ctf_fc *fc = ctf_json_alloc(p, 1, sizeof(*fc));
	fc->kind = t->kind;
	read_kind(p, v, t, fc);
	if (field)
		field->fc = fc;
	read_roles(p, v, fc, field);
	return fc;
}

static void check_header_roles(struct json_parser *p, const struct mer_json_value *v,
	const struct ctf_fc *root, enum json_scope scope)
{
	if (root->kind != CTF_STRUCT)
		ctf_json_error(p, MER_ERR_INPUT, v->at,
			"the field class of the %s must be a structure",
			ctf_json_scope_names[scope]);
	for (uint32_t i = 0; scope == SCOPE_PACKET_CONTEXT && i < root->u.record.n; i++) {
		struct ctf_field *f = &root->u.record.fields[i];
		if (strcmp(f->name, "cpu_id") == 0 &&
			(f->fc->kind == CTF_INT || f->fc->kind == CTF_VARINT))
			f->roles |= CTF_ROLE_CPU_ID;
	}
}

struct ctf_fc *ctf_json_scope(struct json_parser *p, const struct mer_json_value *fragment,
	const char *key, enum json_scope scope)
{
	const struct mer_json_value *v = ctf_json_get(fragment, key);
	p->scopes[scope] = NULL;
	if (!v)
		return NULL;
	p->scope = scope;
	p->depth = 0;
	struct ctf_fc *fc = ctf_json_class(p, v, NULL);
	check_header_roles(p, v, fc, scope);
	p->scopes[scope] = fc;
	p->scope = N_SCOPES;
	return fc;
}
