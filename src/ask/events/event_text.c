#include "ask/events/event_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/grow.h"
#include "base/safe_text.h"
#include "base/utf.h"
#include "ask/events/event_value.h"

/* A line is a list of pieces, made once for each event record class: some text that is always the
 * same, then a value. */
enum piece_kind { PIECE_UNSIGNED, PIECE_SIGNED, PIECE_HEX, PIECE_TEXT, PIECE_ANY, PIECE_NONE };

struct piece {
	const char *before;
	uint32_t before_len;
	uint32_t slot;
	uint8_t kind;	   /* enum piece_kind */
	bool from_context; /* slot is in the row of the packet context */
	uint64_t mask;	   /* PIECE_HEX: digits to show */
	const struct ctf_fc *fc;
};

struct line {
	struct piece *pieces;
	uint32_t n;
};

struct event_text {
	struct mer_arena arena;
	bool ascii; /* text beyond ASCII is escaped */
	const struct mer_experiment *e;
	const struct event_fields *fields; /* NULL: all; used while the lines are made */
	struct line *lines;		   /* by ctf_plan.id */
};

/* ---- values ---- */

static inline char *put_hex(char *p, uint64_t v)
{
	unsigned n = v ? (67 - (unsigned)__builtin_clzll(v)) / 4 : 1;
	*p++ = '0';
	*p++ = 'x';
	for (unsigned i = n; i-- > 0;)
		*p++ = "0123456789ABCDEF"[v >> (i * 4) & 15];
	return p;
}

/* Nine digits of nanoseconds. */
static inline char *put_ns(char *p, uint32_t ns)
{
	for (int i = 7; i > 0; i -= 2) {
		memcpy(p + i, event_digit_pairs + ns % 100 * 2, 2);
		ns /= 100;
	}
	*p = (char)('0' + ns);
	return p + 9;
}

enum { NUMBER_ROOM = 80 }; /* the longest number: 0b and 64 digits */

/* One character or byte that is not plain; returns the bytes that it took. */
static size_t put_special(struct mer_str *out, const char *s, size_t len, bool ascii)
{
	static const char named[] = "\\\\''\"\"??\aa\bb\033e\ff\nn\rr\tt\vv";
	for (const char *n = named; *n; n += 2)
		if (*n == *s) {
			mer_str_putc(out, '\\');
			mer_str_putc(out, n[1]);
			return 1;
		}
	size_t n = ascii ? 0 : mer_safe_length(s, len);
	if (!n)
		return mer_safe_escape(out, s, len);
	mer_str_add(out, s, n);
	return n;
}

/* Bytes that are shown as they are. */
static const bool plain_byte[256] = {
#define ROW8(first)                                                                                \
	[first] = 1, [first + 1] = 1, [first + 2] = 1, [first + 3] = 1, [first + 4] = 1,           \
	[first + 5] = 1, [first + 6] = 1, [first + 7] = 1
	[' '] = 1,
	['!'] = 1,
	['#'] = 1,
	['$'] = 1,
	['%'] = 1,
	['&'] = 1,
	ROW8(40),
	ROW8(48),
	[56] = 1,
	[57] = 1,
	[58] = 1,
	[59] = 1,
	[60] = 1,
	[61] = 1,
	[62] = 1,
	ROW8(64),
	ROW8(72),
	ROW8(80),
	[88] = 1,
	[89] = 1,
	[90] = 1,
	[91] = 1,
	[93] = 1,
	[94] = 1,
	[95] = 1,
	ROW8(96),
	ROW8(104),
	ROW8(112),
	[120] = 1,
	[121] = 1,
	[122] = 1,
	[123] = 1,
	[124] = 1,
	[125] = 1,
	[126] = 1,
#undef ROW8
};

static void add_text(struct mer_str *out, const char *s, size_t len, bool ascii)
{
	for (size_t i = 0; i < len;) {
		size_t n = i;
		while (n < len && plain_byte[(unsigned char)s[n]])
			n++;
		mer_str_add(out, s + i, n - i);
		i = n < len ? n + put_special(out, s + n, len - n, ascii) : n;
	}
}

static void put_text(struct mer_str *out, const char *s, size_t len, bool ascii)
{
	if (!mer_str_reserve(out, len + 2))
		return;
	char *p = out->data + out->len;
	*p++ = '"';
	size_t i = 0;
	for (; i < len && plain_byte[(unsigned char)s[i]]; i++)
		*p++ = s[i];
	if (__builtin_expect(i == len, 1)) {
		*p++ = '"';
		out->len = (size_t)(p - out->data);
		return;
	}
	out->len = (size_t)(p - out->data);
	add_text(out, s + i, len - i, ascii);
	mer_str_putc(out, '"');
}

/* A name of the trace; its quotes and backslashes stay. */
static void put_name(struct mer_str *out, const char *name, bool ascii)
{
	if (ascii)
		mer_ascii_add(out, name, strlen(name));
	else
		mer_safe_add(out, name, strlen(name));
}

/* " NAME = ", of others than the first ", NAME = " */
static void put_member(struct mer_str *out, bool is_first, const char *name, bool ascii)
{
	size_t len = strlen(name), n = 0;
	if (!mer_str_reserve(out, len + 5))
		return;
	char *p = out->data + out->len;
	memcpy(p, is_first ? "  " : ", ", 2);
	p += is_first ? 1 : 2;
	for (; n < len && name[n] >= 0x20 && name[n] < 0x7f; n++)
		*p++ = name[n];
	if (__builtin_expect(n == len, 1)) {
		memcpy(p, " = ", 3);
		out->len = (size_t)(p + 3 - out->data);
		return;
	}
	out->len = (size_t)(p - out->data);
	put_name(out, name + n, ascii);
	mer_str_puts(out, " = ");
}

/* Text that is not UTF-8 becomes it. */
static void put_wide_text(
	struct mer_str *out, const uint8_t *s, size_t len, unsigned encoding, bool ascii)
{
	bool be = encoding == CTF_UTF16BE || encoding == CTF_UTF32BE;
	unsigned unit = encoding == CTF_UTF16BE || encoding == CTF_UTF16LE ? 2 : 4;
	char *utf8 = malloc(mer_utf8_room(len, unit) + 1);
	if (utf8)
		put_text(out, utf8, mer_utf8_from_wide(s, len, unit, be, utf8), ascii);
	else
		out->failed = true;
	free(utf8);
}

static void put_integer(struct mer_str *out, const struct ctf_fc *fc, uint64_t v)
{
	if (!mer_str_reserve(out, NUMBER_ROOM))
		return;
	char *p = out->data + out->len;
	unsigned len = fc->u.bits.len_bits ? fc->u.bits.len_bits : 64;
	switch (fc->u.bits.base) {
	case 16:
		if (len < 64)
			v &= ((uint64_t)1 << ((len + 3) & ~3u)) - 1;
		p = put_hex(p, v);
		break;
	case 8:
		if (fc->u.bits.is_signed && len < 63)
			v &= ((uint64_t)1 << ((len - 1) / 3 + 1) * 3) - 1;
		p += sprintf(p, "0%" PRIo64, v);
		break;
	case 2:
		*p++ = '0';
		*p++ = 'b';
		for (unsigned i = len; i-- > 0;)
			*p++ = (char)('0' + (v >> i & 1));
		break;
	default: p = fc->u.bits.is_signed ? event_put_i64(p, (int64_t)v) : event_put_u64(p, v);
	}
	out->len = (size_t)(p - out->data);
}

/* ( "LABEL", "LABEL" : container = 3 ) */
static void put_mapped(struct mer_str *out, const struct ctf_fc *fc, uint64_t v, bool ascii)
{
	bool any = false;
	mer_str_puts(out, "( ");
	struct ctf_labels labels;
	ctf_labels_begin(&labels, fc, v);
	for (const struct ctf_mapping *m; (m = ctf_labels_next(&labels));) {
		if (any)
			mer_str_puts(out, ", ");
		put_text(out, m->label, strlen(m->label), ascii);
		any = true;
	}
	if (!any)
		mer_str_puts(out, "<unknown>");
	mer_str_puts(out, " : container = ");
	put_integer(out, fc, v);
	mer_str_puts(out, " )");
}

static void put_value(
	struct mer_str *out, const struct ctf_fc *fc, const uint64_t *slot, bool ascii)
{
	switch (fc->kind) {
	case CTF_INT:
	case CTF_VARINT:
		if (fc->u.bits.is_enum)
			put_mapped(out, fc, slot[0], ascii);
		else
			put_integer(out, fc, slot[0]);
		break;
	case CTF_BIT_MAP: put_mapped(out, fc, slot[0], ascii); break;
	case CTF_BIT_ARRAY: mer_str_printf(out, "0x%" PRIX64, slot[0]); break;
	case CTF_BOOL: mer_str_puts(out, slot[0] ? "true" : "false"); break;
	case CTF_FLOAT: {
		double d;
		memcpy(&d, slot, sizeof(d));
		mer_str_printf(out, "%g", d);
		break;
	}
	case CTF_STRING:
	case CTF_TEXT:
		if (fc->u.text.encoding == CTF_UTF8)
			put_text(out, (const char *)(uintptr_t)slot[0], slot[1], ascii);
		else
			put_wide_text(out, (const uint8_t *)(uintptr_t)slot[0], slot[1],
				fc->u.text.encoding, ascii);
		break;
	case CTF_BLOB: {
		const uint8_t *b = (const uint8_t *)(uintptr_t)slot[0];
		mer_str_puts(out, "0x");
		for (uint64_t i = 0; i < slot[1]; i++)
			mer_str_printf(out, "%02X", b[i]);
		break;
	}
	case CTF_STRUCT:
		mer_str_putc(out, '{');
		for (uint32_t i = 0; i < fc->u.record.n; i++) {
			const struct ctf_field *f = &fc->u.record.fields[i];
			put_member(out, i == 0, f->name, ascii);
			put_value(out, f->fc, slot, ascii);
			slot += ctf_slot_width(f->fc);
		}
		mer_str_puts(out, " }");
		break;
	case CTF_ARRAY: {
		const struct ctf_fc *element = fc->u.array.element.fc;
		const uint64_t *rows = (const uint64_t *)(uintptr_t)slot[1];
		uint32_t width = ctf_slot_width(element);
		mer_str_putc(out, '[');
		for (uint64_t i = 0; i < slot[0] && !out->failed; i++) {
			if (!mer_str_reserve(out, NUMBER_ROOM))
				break;
			char *p = out->data + out->len;
			memcpy(p, i ? ", [" : " [", 3);
			p = event_put_u64(p + (i ? 3 : 2), i);
			memcpy(p, "] = ", 4);
			out->len = (size_t)(p + 4 - out->data);
			put_value(out, element, rows + i * width, ascii);
		}
		mer_str_puts(out, " ]");
		break;
	}
	case CTF_VARIANT:
		mer_str_puts(out, "{ ");
		put_value(out, fc->u.variant.options[slot[0]].field.fc, slot + 1, ascii);
		mer_str_puts(out, " }");
		break;
	case CTF_OPTIONAL:
		if (!slot[0]) {
			mer_str_puts(out, "<none>");
			break;
		}
		mer_str_puts(out, "{ ");
		put_value(out, fc->u.optional.content.fc, slot + 1, ascii);
		mer_str_puts(out, " }");
		break;
	}
}

/* ---- lines ---- */

struct builder {
	struct event_text *t;
	struct mer_str before; /* text that gathers before the next value */
	struct piece *pieces;
	uint32_t n, cap;
	bool failed;
};

static void add_piece(struct builder *b, struct piece piece)
{
	if (!mer_grow32(&b->pieces, b->n, &b->cap, sizeof(*b->pieces))) {
		b->failed = true;
		return;
	}
	piece.before_len = (uint32_t)b->before.len;
	piece.before = mer_arena_strndup(
		&b->t->arena, b->before.data ? b->before.data : "", b->before.len);
	b->failed |= !piece.before || b->before.failed;
	b->pieces[b->n++] = piece;
	mer_str_clear(&b->before);
}

static void add_field(struct builder *b, const struct ctf_fc *fc, uint32_t slot, bool from_context)
{
	struct piece p = {
		.slot = slot, .kind = PIECE_ANY, .from_context = from_context, .fc = fc
	};
	bool text = fc->kind == CTF_TEXT || fc->kind == CTF_STRING;
	if ((fc->kind == CTF_INT || fc->kind == CTF_VARINT) && !fc->u.bits.is_enum) {
		unsigned len = fc->u.bits.len_bits;
		if (fc->u.bits.base == 10)
			p.kind = fc->u.bits.is_signed ? PIECE_SIGNED : PIECE_UNSIGNED;
		else if (fc->u.bits.base == 16)
			p.kind = PIECE_HEX;
		p.mask = len == 0 || len > 60 ? UINT64_MAX : ((uint64_t)1 << ((len + 3) & ~3u)) - 1;
	} else if (text && fc->u.text.encoding == CTF_UTF8) {
		p.kind = PIECE_TEXT;
	}
	add_piece(b, p);
}

/* Fields of a packet context that the reader itself uses are not shown. */
enum {
	PACKET_ROLES = CTF_ROLE_PACKET_SIZE | CTF_ROLE_CONTENT_SIZE | CTF_ROLE_TIMESTAMP |
		       CTF_ROLE_TIMESTAMP_END | CTF_ROLE_SEQ_NUM | CTF_ROLE_DISCARDED
};

static bool shown(enum ctf_scope scope, const struct ctf_field *f)
{
	return scope != CTF_SCOPE_PACKET_CONTEXT || !(f->roles & PACKET_ROLES);
}

/* A packet context with nothing to show is left out, an empty context or payload is not. */
static bool any_shown(const struct ctf_fc *fc, enum ctf_scope scope)
{
	for (uint32_t i = 0; fc && i < fc->u.record.n; i++)
		if (shown(scope, &fc->u.record.fields[i]))
			return true;
	return fc && scope != CTF_SCOPE_PACKET_CONTEXT;
}

/* Is the field to be in the line? With --fields only what they name, else what is shown by
 * itself. */
static bool in_line(const struct builder *b, const struct ctf_plan *plan, enum ctf_scope scope,
	const struct ctf_field *f, uint32_t slot)
{
	if (slot == CTF_NO_SLOT)
		return false;
	if (!b->t->fields)
		return shown(scope, f);
	return event_fields_read(b->t->fields, plan->stream->class, plan->class, scope, f);
}

static void add_scope(struct builder *b, const struct ctf_plan *plan, const struct ctf_fc *fc,
	enum ctf_scope scope, const uint32_t *slots, bool *first)
{
	bool any = b->t->fields ? false : any_shown(fc, scope);
	for (uint32_t i = 0; fc && slots && i < fc->u.record.n && !any; i++)
		any = in_line(b, plan, scope, &fc->u.record.fields[i], slots[i]);
	if (!any)
		return;
	mer_str_puts(&b->before, *first ? "{" : ", {");
	*first = false;
	any = false;
	for (uint32_t i = 0; slots && i < fc->u.record.n; i++) {
		const struct ctf_field *f = &fc->u.record.fields[i];
		if (!in_line(b, plan, scope, f, slots[i]))
			continue;
		put_member(&b->before, !any, f->name, b->t->ascii);
		add_field(b, f->fc, slots[i], scope == CTF_SCOPE_PACKET_CONTEXT);
		any = true;
	}
	mer_str_puts(&b->before, " }");
}

/* "host:procname:(vpid) name: " as far as the trace's environment knows them. */
static void add_prefix(struct builder *b, const struct ctf_schema *s, const char *name)
{
	static const char *const keys[] = { "hostname", "procname", "vpid" };
	bool any = false;
	for (int i = 0; i < 3; i++) {
		const struct ctf_env *v = ctf_env_find(s, keys[i]);
		if (!v)
			continue;
		if (any)
			mer_str_putc(&b->before, ':');
		if (i == 2)
			mer_str_printf(&b->before, "(%" PRId64 ")", v->number);
		else
			put_name(&b->before, v->text ? v->text : "", b->t->ascii);
		any = true;
	}
	mer_str_puts(&b->before, any ? " " : "");
	put_name(&b->before, name, b->t->ascii);
	mer_str_puts(&b->before, ": ");
}

static bool build_line(struct event_text *t, const struct ctf_schema *s,
	const struct ctf_stream_plan *sp, const struct ctf_plan *plan, bool contexts,
	struct line *line)
{
	struct builder b = { .t = t };
	bool first = true;
	add_prefix(&b, s, plan->class->name);
	for (int scope = CTF_SCOPE_PACKET_CONTEXT; scope < CTF_N_SCOPES; scope++) {
		if ((scope == CTF_SCOPE_EVENT_HEADER && !t->fields) ||
			(scope == CTF_SCOPE_PACKET_CONTEXT && !contexts))
			continue;
		const uint32_t *slots = scope == CTF_SCOPE_PACKET_CONTEXT ? sp->context.slots[scope]
									  : plan->slots[scope];
		add_scope(&b, plan, ctf_scope_fc(s, sp->class, plan->class, (enum ctf_scope)scope),
			(enum ctf_scope)scope, slots, &first);
	}
	if (first && t->fields)
		mer_str_puts(&b.before, "{ }");
	mer_str_putc(&b.before, '\n');
	add_piece(&b, (struct piece){ .kind = PIECE_NONE });
	if (!b.failed)
		line->pieces = mer_arena_alloc(&t->arena, b.n * sizeof(*b.pieces));
	if (line->pieces) {
		memcpy(line->pieces, b.pieces, b.n * sizeof(*b.pieces));
		line->n = b.n;
	}
	free(b.pieces);
	mer_str_fini(&b.before);
	return line->pieces != NULL;
}

static bool build_all(struct event_text *t, const struct trace_reading *r)
{
	const struct mer_experiment *e = t->e;
	t->lines = mer_arena_zalloc(&t->arena, r->n_plans + 1u, sizeof(*t->lines));
	if (!t->lines)
		return false;
	for (uint32_t p = 0; p < e->n_parts; p++) {
		const struct ctf_schema *s = e->parts[p].schema;
		for (uint32_t c = 0; c < s->n_streams; c++) {
			const struct ctf_stream_plan *sp = &r->programs[p]->streams[c];
			for (uint32_t i = 0; i < sp->class->n_events; i++) {
				const struct ctf_plan *plan = &sp->events[i];
				if (plan->wanted && !build_line(t, s, sp, plan, r->contexts,
							    &t->lines[plan->id]))
					return false;
			}
		}
	}
	return true;
}

int event_text_new(const struct mer_experiment *e, const struct trace_reading *r,
	const struct event_fields *fields, bool ascii, struct event_text **text,
	struct mer_err *err)
{
	struct event_text *t = calloc(1, sizeof(*t));
	if (!t)
		return mer_fail_nomem(err);
	mer_arena_init(&t->arena);
	t->e = e;
	t->fields = fields;
	t->ascii = ascii;
	if (!build_all(t, r)) {
		event_text_free(t);
		return mer_fail_nomem(err);
	}
	*text = t;
	return 0;
}

void event_text_free(struct event_text *t)
{
	if (!t)
		return;
	mer_arena_fini(&t->arena);
	free(t);
}

bool event_text_has_contexts(const struct mer_experiment *e)
{
	for (uint32_t p = 0; p < e->n_parts; p++)
		for (uint32_t c = 0; c < e->parts[p].schema->n_streams; c++)
			if (any_shown(e->parts[p].schema->streams[c].packet_context,
				    CTF_SCOPE_PACKET_CONTEXT))
				return true;
	return false;
}

void event_text_begin(struct event_text_state *s)
{
	*s = (struct event_text_state){ .last = MER_NO_TIME, .second = INT64_MIN, .delta_at = -1 };
}

void event_text_delta(struct mer_str *out, int64_t last, int64_t ts)
{
	if (last == MER_NO_TIME) {
		mer_str_puts(out, "+?.?????????");
		return;
	}
	uint64_t d = ts >= last ? (uint64_t)ts - (uint64_t)last : (uint64_t)last - (uint64_t)ts;
	if (!mer_str_reserve(out, NUMBER_ROOM))
		return;
	char *p = out->data + out->len;
	*p++ = ts >= last ? '+' : '-';
	p = d < NS_PER_S ? (*p = '0', p + 1) : event_put_u64(p, d / NS_PER_S);
	*p++ = '.';
	p = put_ns(p, (uint32_t)(d % NS_PER_S));
	out->len = (size_t)(p - out->data);
}

/* "[17:46:22.794567672] (" in local time; "[-12.000000000] (" before the epoch. */
static void put_time(struct event_text_state *s, struct mer_str *out, int64_t ts, int64_t base_s)
{
	if (!mer_str_reserve(out, NUMBER_ROOM))
		return;
	char *p = out->data + out->len;
	*p++ = '[';
	int64_t second = ts / NS_PER_S, ns = ts % NS_PER_S;
	if (ts < 0 && !base_s) {
		p += sprintf(p, "-%" PRIu64 ".%09" PRId64, (uint64_t)0 - (uint64_t)second, -ns);
	} else {
		if (ns < 0) {
			ns += NS_PER_S;
			second--;
		}
		if (second != s->second || base_s) {
			time_t t = (time_t)((uint64_t)second + (uint64_t)base_s);
			struct tm tm;
			if (localtime_r(&t, &tm)) {
				unsigned hms = (unsigned)(tm.tm_hour * 10000 + tm.tm_min * 100 +
							  tm.tm_sec);
				snprintf(s->clock, sizeof(s->clock), "%02u:%02u:%02u",
					hms / 10000 % 100, hms / 100 % 100, hms % 100);
				s->second = base_s ? INT64_MIN : second;
			} else {
				/* a year beyond what the C library can name: time of its day, in
				 * UTC */
				uint64_t day = ((uint64_t)second + (uint64_t)base_s) % 86400;
				snprintf(s->clock, sizeof(s->clock), "%02u:%02u:%02u",
					(unsigned)(day / 3600), (unsigned)(day / 60 % 60),
					(unsigned)(day % 60));
			}
		}
		memcpy(p, s->clock, 8);
		p[8] = '.';
		p = put_ns(p + 9, (uint32_t)ns);
	}
	memcpy(p, "] (", 3);
	out->len = (size_t)(p + 3 - out->data);
}

static void leave_out(struct event_longs *l, struct mer_str *out, const char *s, size_t len)
{
	mer_str_putc(out, '"');
	if (mer_grow32(&l->rows, l->n, &l->cap, sizeof(*l->rows)))
		l->rows[l->n++] = (struct event_long){ out->len, s, len };
	else
		out->failed = true;
	mer_str_putc(out, '"');
}

size_t event_text_part(const struct event_text *t, struct mer_str *out, const char *s, size_t len)
{
	enum { PART = 1 << 20 };
	size_t n = len < PART ? len : PART;
	/* Not inside of a character, if it is one. */
	for (int i = 0; i < 3 && n < len && n > 3 && ((unsigned char)s[n] & 0xc0) == 0x80; i++)
		n--;
	add_text(out, s, n, t->ascii);
	return n;
}

void event_text_line(const struct event_text *t, struct event_text_state *s, struct mer_str *out,
	const uint64_t *context, const struct mer_event *ev)
{
	const struct mer_experiment *e = t->e;
	uint32_t trace = e->streams[ev->stream].trace;
	if (ev->ts != MER_NO_TIME) {
		put_time(s, out, ev->ts, e->traces[trace].base_s);
		if (s->last == MER_NO_TIME && s->delta_at < 0) {
			s->delta_at = (int64_t)out->len;
			s->first = ev->ts;
			if (!s->leave_delta)
				event_text_delta(out, s->last, ev->ts);
		} else {
			event_text_delta(out, s->last, ev->ts);
		}
		mer_str_add(out, ") ", 2);
		s->last = ev->ts;
	}
	const struct line *line = &t->lines[ev->plan->id];
	for (uint32_t i = 0; i < line->n; i++) {
		const struct piece *pc = &line->pieces[i];
		if (!mer_str_reserve(out, pc->before_len + NUMBER_ROOM))
			return;
		char *p = out->data + out->len;
		memcpy(p, pc->before, pc->before_len);
		p += pc->before_len;
		const uint64_t *slot = (pc->from_context ? context : ev->slots) + pc->slot;
		switch (pc->kind) {
		case PIECE_UNSIGNED: p = event_put_u64(p, *slot); break;
		case PIECE_SIGNED: p = event_put_i64(p, (int64_t)*slot); break;
		case PIECE_HEX: p = put_hex(p, *slot & pc->mask); break;
		case PIECE_TEXT:
			out->len = (size_t)(p - out->data);
			if (s->longs && slot[1] >= EVENT_LONG_TEXT)
				leave_out(s->longs, out, (const char *)(uintptr_t)slot[0], slot[1]);
			else
				put_text(out, (const char *)(uintptr_t)slot[0], slot[1], t->ascii);
			continue;
		case PIECE_ANY:
			out->len = (size_t)(p - out->data);
			put_value(out, pc->fc, slot, t->ascii);
			continue;
		default: break;
		}
		out->len = (size_t)(p - out->data);
	}
}
