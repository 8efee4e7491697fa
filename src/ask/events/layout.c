#include "ask/events/layout.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "ask/print/text.h"

void layout_fini(struct layout *l)
{
	free(l->rows);
	*l = (struct layout){ 0 };
}

static struct layout_row *add_row(struct layout *l)
{
	if (l->n == LAYOUT_MAX_ROWS) {
		l->n_dropped++;
		return NULL;
	}
	if (!mer_grow(&l->rows, l->n, &l->cap, sizeof(*l->rows))) {
		l->failed = true;
		return NULL;
	}
	return &l->rows[l->n++];
}

void layout_see(void *arg, const struct ctf_plain_field *f)
{
	struct layout *l = arg;
	if (f->step == CTF_PLAIN_END) {
		if (l->open[f->depth] < l->n)
			l->rows[l->open[f->depth]].n_bits = f->n_bits;
		return;
	}
	struct layout_row *r = add_row(l);
	if (f->step == CTF_PLAIN_BEGIN)
		l->open[f->depth] = r ? l->n - 1 : SIZE_MAX;
	if (!r)
		return;
	*r = (struct layout_row){ .scope = f->scope,
		.depth = f->depth,
		.name = f->field && f->index == CTF_PLAIN_NO_INDEX ? f->field->name : NULL,
		.fc = f->fc,
		.bit = f->bit,
		.n_bits = f->step == CTF_PLAIN_BEGIN ? UINT64_MAX : f->n_bits,
		.index = f->index,
		.has_value = true,
		.value = f->value,
		.bytes = f->bytes,
		.n_bytes = f->n_bytes };
}

/* ---- without a record ---- */

struct place { /* UINT64_MAX: not known any more */
	uint64_t bit;
};

static void align(struct place *at, uint64_t bits)
{
	if (at->bit != UINT64_MAX)
		at->bit = (at->bit + bits - 1) / bits * bits;
}

static void add_static(struct layout *l, struct place *at, enum ctf_scope scope, const char *name,
	const struct ctf_fc *fc, unsigned depth)
{
	struct ctf_size size = ctf_size_of(fc);
	align(at, fc->align_bits);
	struct layout_row *r = add_row(l);
	if (!r)
		return;
	*r = (struct layout_row){ .scope = scope,
		.depth = depth,
		.name = name,
		.fc = fc,
		.bit = at->bit,
		.n_bits = size.exact,
		.index = CTF_PLAIN_NO_INDEX };
	struct place inside = *at, unknown = { UINT64_MAX };
	if (fc->kind == CTF_STRUCT)
		for (uint32_t i = 0; i < fc->u.record.n; i++)
			add_static(l, &inside, scope, fc->u.record.fields[i].name,
				fc->u.record.fields[i].fc, depth + 1);
	else if (fc->kind == CTF_ARRAY && fc->u.array.element.fc->kind >= CTF_STRUCT)
		add_static(l, &inside, scope, NULL, fc->u.array.element.fc, depth + 1);
	else if (fc->kind == CTF_OPTIONAL)
		add_static(l, &inside, scope, "", fc->u.optional.content.fc, depth + 1);
	else if (fc->kind == CTF_VARIANT)
		for (uint32_t i = 0; i < fc->u.variant.n; i++) {
			inside = *at;
			add_static(l, &inside, scope, fc->u.variant.options[i].field.name,
				fc->u.variant.options[i].field.fc, depth + 1);
		}
	if (size.exact == UINT64_MAX)
		*at = unknown;
	else if (at->bit != UINT64_MAX)
		at->bit += size.exact;
}

void layout_add_static(struct layout *l, enum ctf_scope scope, const struct ctf_fc *fc)
{
	struct place at = { 0 };
	if (fc)
		add_static(l, &at, scope, NULL, fc, 0);
}

/* ---- text ---- */

const char *layout_scope_name(enum ctf_scope scope)
{
	static const char *const names[CTF_N_SCOPES] = { "packet header", "packet context",
		"event header", "common context", "specific context", "payload" };
	return names[scope];
}

static void put_count(struct mer_str *out, const char *what, uint64_t n, const struct ctf_ref *ref)
{
	if (ref->reg == CTF_NO_REG)
		mer_str_printf(out, "%s[%" PRIu64 "]", what, n);
	else
		mer_str_printf(out, "%s[%s]", what, ref->path ? ref->path : "?");
}

static const char *selector(const struct ctf_ref *ref)
{
	return ref->path ? ref->path : "?";
}

void layout_class(struct mer_str *out, const struct ctf_fc *fc)
{
	static const char *const encodings[] = { "", " utf-16be", " utf-16le", " utf-32be",
		" utf-32le" };
	switch (fc->kind) {
	case CTF_BIT_ARRAY: mer_str_puts(out, "bit array"); break;
	case CTF_BIT_MAP: mer_str_puts(out, "bit map"); break;
	case CTF_BOOL: mer_str_puts(out, "boolean"); break;
	case CTF_INT:
	case CTF_VARINT:
		mer_str_puts(out, fc->u.bits.is_signed ? "signed" : "unsigned");
		mer_str_puts(out, fc->kind == CTF_VARINT ? " varint" : "");
		mer_str_puts(out, fc->u.bits.is_enum ? " enum" : "");
		break;
	case CTF_FLOAT: mer_str_puts(out, "float"); break;
	case CTF_STRING: mer_str_printf(out, "string%s", encodings[fc->u.text.encoding]); break;
	case CTF_TEXT:
		put_count(out, "text", fc->u.text.len_bytes, &fc->u.text.ref);
		mer_str_puts(out, encodings[fc->u.text.encoding]);
		break;
	case CTF_BLOB: put_count(out, "blob", fc->u.text.len_bytes, &fc->u.text.ref); break;
	case CTF_STRUCT: mer_str_puts(out, "struct"); break;
	case CTF_ARRAY: put_count(out, "array", fc->u.array.n, &fc->u.array.ref); break;
	case CTF_VARIANT: mer_str_printf(out, "variant <%s>", selector(&fc->u.variant.ref)); break;
	case CTF_OPTIONAL: mer_str_printf(out, "optional <%s>", selector(&fc->u.optional.ref));
	}
}

const char *layout_order(const struct ctf_fc *fc)
{
	if (fc->kind > CTF_FLOAT)
		return "";
	if (fc->u.bits.reversed)
		return fc->u.bits.order == CTF_BE ? "be, reversed" : "le, reversed";
	return fc->u.bits.order == CTF_BE ? "be" : "le";
}

static void put_number(struct mer_str *out, const struct ctf_fc *fc, uint64_t v)
{
	bool negative = fc->u.bits.is_signed && (int64_t)v < 0;
	uint64_t abs = negative ? 0 - v : v;
	const char *sign = negative ? "-" : "";
	switch (fc->u.bits.base) {
	case 16: mer_str_printf(out, "%s0x%" PRIX64, sign, abs); break;
	case 8: mer_str_printf(out, "%s0%" PRIo64, sign, abs); break;
	case 2:
		mer_str_printf(out, "%s0b", sign);
		for (unsigned i = abs ? 64 - (unsigned)__builtin_clzll(abs) : 1; i-- > 0;)
			mer_str_putc(out, (char)('0' + (abs >> i & 1)));
		break;
	default:
		mer_str_printf(out, "%s%" PRIu64, sign, abs);
		if (abs > 9)
			mer_str_printf(out, " = %s0x%" PRIX64, sign, abs);
	}
}

static void put_labels(struct mer_str *out, const struct ctf_fc *fc, uint64_t v)
{
	const char *before = " ";
	struct ctf_labels labels;
	ctf_labels_begin(&labels, fc, v);
	for (const struct ctf_mapping *m; (m = ctf_labels_next(&labels));) {
		mer_str_puts(out, before);
		ask_text_clean(out, m->label, strlen(m->label), false);
		before = ", ";
	}
}

static void put_bytes(struct mer_str *out, const uint8_t *p, uint64_t n)
{
	enum { SHOWN = 16 };
	for (uint64_t i = 0; i < n && i < SHOWN; i++)
		mer_str_printf(out, "%02X", p[i]);
	if (n > SHOWN)
		mer_str_puts(out, "...");
}

void layout_value(struct mer_str *out, const struct layout_row *r)
{
	const struct ctf_fc *fc = r->fc;
	if (!r->has_value)
		return;
	switch (fc->kind) {
	case CTF_BIT_ARRAY: mer_str_printf(out, "0x%" PRIX64, r->value); break;
	case CTF_BIT_MAP:
		mer_str_printf(out, "0x%" PRIX64, r->value);
		put_labels(out, fc, r->value);
		break;
	case CTF_BOOL: mer_str_puts(out, r->value ? "true" : "false"); break;
	case CTF_INT:
	case CTF_VARINT:
		put_number(out, fc, r->value);
		put_labels(out, fc, r->value);
		break;
	case CTF_FLOAT: {
		uint64_t bits = ctf_float_slot(r->value, fc->u.bits.len_bits);
		double d;
		memcpy(&d, &bits, sizeof(d));
		mer_str_printf(out, "%g", d);
		break;
	}
	case CTF_STRING:
	case CTF_TEXT:
		if (fc->u.text.encoding != CTF_UTF8) {
			put_bytes(out, r->bytes, r->n_bytes);
			break;
		}
		mer_str_putc(out, '"');
		ask_text_clean(out, (const char *)r->bytes, r->n_bytes, false);
		mer_str_putc(out, '"');
		break;
	case CTF_BLOB: put_bytes(out, r->bytes, r->n_bytes); break;
	case CTF_STRUCT: break;
	case CTF_ARRAY: ask_text_things(out, r->value, "element", "elements"); break;
	case CTF_VARIANT: {
		const char *name = fc->u.variant.options[r->value].field.name;
		mer_str_printf(out, "option %" PRIu64 "%s", r->value, name[0] ? " " : "");
		ask_text_clean(out, name, strlen(name), false);
		break;
	}
	case CTF_OPTIONAL: mer_str_puts(out, r->value ? "there" : "not there"); break;
	}
}

void layout_path(struct mer_str *out, const struct layout *l, size_t row)
{
	size_t way[CTF_MAX_DEPTH + 2];
	unsigned n = 0, depth = l->rows[row].depth;
	/* Who contains it is the nearest row before that is less deep. */
	for (size_t i = row; depth > 0; depth--) {
		while (l->rows[i].depth > depth)
			i--;
		way[n++] = i;
	}
	for (bool first = true; n-- > 0; first = false) {
		const struct layout_row *r = &l->rows[way[n]];
		if (r->index != CTF_PLAIN_NO_INDEX) {
			mer_str_printf(out, "[%" PRIu64 "]", r->index);
		} else if (!r->name) {
			mer_str_puts(out, "[]");
		} else if (r->name[0] || first) {
			mer_str_puts(out, first ? "" : ".");
			ask_text_clean(out, r->name, strlen(r->name), false);
		}
	}
}
