/* meridian layout: where the fields of a record lie, bit by bit. */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/nearest.h"
#include "base/plural.h"
#include "ask/print/answer_print.h"
#include "ask/events/layout.h"
#include "ask/program.h"
#include "ask/print/table.h"
#include "ask/print/text.h"
#include "ask/session.h"
#include "ask/verb.h"
#include "trace/locate.h"

struct values {
	uint64_t record;
};

struct view {
	struct ask *ask;
	struct session *session;
	struct mer_experiment *e;
	const char *event;
	struct layout layout;
	/* The record; not found: only the layout that the metadata tells. */
	bool found;
	uint64_t number; /* of the record, from 1 */
	struct trace_record_place place;
	const struct ctf_packet *packet;
	const uint8_t *base; /* of the packet */
	uint64_t end_bit;    /* behind the record, or the field that could not be read */
	enum ctf_status status;
	const struct ctf_field *bad_field;
};

enum { SHOWN_ELEMENTS = 8, SHOWN_BYTES = 256, MAX_JSON_BYTES = 1 << 20 };

/* ---- which event ---- */

struct names {
	const char **item;
	size_t n;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names of all event record classes, each once. */
static int all_names(const struct mer_experiment *e, struct names *names, struct mer_err *err)
{
	size_t n = 0;
	for (uint32_t p = 0; p < e->n_parts; p++)
		for (uint32_t i = 0; i < e->parts[p].schema->n_streams; i++)
			n += e->parts[p].schema->streams[i].n_events;
	names->item = calloc(n + 1, sizeof(*names->item));
	if (!names->item)
		return mer_fail_nomem(err);
	n = 0;
	for (uint32_t p = 0; p < e->n_parts; p++)
		for (uint32_t i = 0; i < e->parts[p].schema->n_streams; i++) {
			const struct ctf_stream_class *sc = &e->parts[p].schema->streams[i];
			for (uint32_t c = 0; c < sc->n_events; c++)
				names->item[n++] = sc->events[c].name;
		}
	if (n)
		qsort(names->item, n, sizeof(*names->item), by_name);
	for (size_t i = 0; i < n; i++)
		if (names->n == 0 || strcmp(names->item[names->n - 1], names->item[i]) != 0)
			names->item[names->n++] = names->item[i];
	return 0;
}

static int choose_event(struct view *v, const struct names *names, const char *word)
{
	struct mer_str fits = { 0 };
	size_t n = 0;
	for (size_t i = 0; i < names->n; i++) {
		if (strcmp(names->item[i], word) == 0) {
			v->event = names->item[i];
			n = 1;
			break;
		}
		if (!mer_glob(word, names->item[i]))
			continue;
		v->event = names->item[i];
		if (++n <= 5)
			mer_str_printf(&fits, "%s%.80s", n > 1 ? ", " : "", names->item[i]);
	}
	int rc = 0;
	const char *near = n ? NULL : mer_nearest(word, names->item, names->n);
	if (n > 1)
		rc = mer_fail(&v->ask->err, MER_ERR_USAGE,
			"'%.100s' matches %zu events (%s%s): name one", word, n,
			fits.data ? fits.data : "", n > 5 ? ", ..." : "");
	else if (n == 0)
		rc = mer_fail(&v->ask->err, MER_ERR_USAGE,
			"no trace has an event '%.100s'%s%.100s%s", word,
			near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
	mer_str_fini(&fits);
	return rc;
}

/* ---- the record ---- */

static int find_record(struct view *v, uint64_t n)
{
	struct ask *ask = v->ask;
	struct ask_progress progress;
	uint64_t n_found = 0;
	ask_progress_begin(&progress, ask, "looking for the record", v->e->bytes);
	int rc = trace_locate(v->e, v->event, n, session_cancel_of(v->session),
		&progress.done_bytes, &v->place, &n_found, &ask->err);
	ask_progress_end(&progress);
	if (rc)
		return rc;
	v->found = n_found == n;
	v->number = n;
	if (!v->found && n_found)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"there is no record %" PRIu64 " of '%.100s': the trace has %" PRIu64, n,
			v->event, n_found);
	return 0;
}

/* Reads packet header, packet context and the record; what can be read of them goes to the rows. */
static int read_record(struct view *v, struct mer_arena *arena)
{
	const struct ctf_packet *p = &v->e->data[v->place.stream].packets[v->place.packet];
	const struct trace_file *f = &v->e->files[p->file];
	const struct ctf_schema *s = v->e->parts[f->part].schema;
	const struct ctf_stream_class *sc = &s->streams[p->stream_class];
	struct ctf_plain plain;
	struct ctf_packet_info info = { 0 };
	if (!ctf_plain_init(&plain, s, arena))
		return mer_fail_nomem(&v->ask->err);
	plain.see = layout_see;
	plain.arg = &v->layout;
	plain.info = &info;
	v->packet = p;
	const uint8_t *data = trace_file_use(v->e, p->file); /* until the traces are closed */
	if (!data)
		return mer_fail(
			&v->ask->err, MER_ERR_INPUT, "%s: changed while it was read", f->path);
	v->base = data + p->offset;
	struct ctf_pos pos = { .base = v->base, .end_bit = (f->bytes - p->offset) * 8 };
	ctf_plain_begin_packet(&plain);
	enum ctf_status st =
		ctf_plain_read(&plain, &pos, CTF_SCOPE_PACKET_HEADER, s->packet_header);
	if (!st)
		st = ctf_plain_read(&plain, &pos, CTF_SCOPE_PACKET_CONTEXT, sc->packet_context);
	if (!st) {
		const struct ctf_event_class *class;
		plain.info = NULL;
		pos.bit = v->place.head_bit;
		pos.clock = v->place.head_clock;
		pos.end_bit = p->content_bits;
		st = ctf_plain_event(&plain, &pos, sc, &class);
	}
	v->end_bit = pos.bit;
	/* A record without bits is damage too; only the walk knows. */
	v->status = st ? st : v->place.status;
	v->bad_field = plain.bad_field;
	return v->layout.failed ? mer_fail_nomem(&v->ask->err) : 0;
}

static int read_static(struct view *v)
{
	for (uint32_t p = 0; p < v->e->n_parts; p++)
		for (uint32_t i = 0; i < v->e->parts[p].schema->n_streams; i++) {
			const struct ctf_schema *s = v->e->parts[p].schema;
			const struct ctf_stream_class *sc = &s->streams[i];
			for (uint32_t c = 0; c < sc->n_events; c++) {
				if (strcmp(sc->events[c].name, v->event) != 0)
					continue;
				for (int k = 0; k < CTF_N_SCOPES; k++)
					layout_add_static(&v->layout, (enum ctf_scope)k,
						ctf_scope_fc(
							s, sc, &sc->events[c], (enum ctf_scope)k));
				return v->layout.failed ? mer_fail_nomem(&v->ask->err) : 0;
			}
		}
	return 0;
}

/* ---- the fields as a table ---- */

enum {
	COL_SCOPE,
	COL_FIELD,
	COL_BIT,
	COL_BYTE,
	COL_BITS,
	COL_ALIGN,
	COL_ORDER,
	COL_CLASS,
	COL_VALUE,
	N_COLS
};

/* For programs; people get those with a title. */
static const struct mer_column columns[N_COLS + 1] = {
	[COL_SCOPE] = { "scope", NULL, MER_TEXT },
	[COL_FIELD] = { "field", "FIELD", MER_TEXT },
	[COL_BIT] = { "bit", "BIT", MER_ID },
	[COL_BYTE] = { "byte", NULL, MER_ID },
	[COL_BITS] = { "bits", "SIZE", MER_ID },
	[COL_ALIGN] = { "align", "ALIGN", MER_ID },
	[COL_ORDER] = { "order", "ORDER", MER_TEXT },
	[COL_CLASS] = { "class", "CLASS", MER_TEXT },
	[COL_VALUE] = { "value", "VALUE", MER_TEXT },
};

/* The table of fields, and what its cells point to. */
struct fields {
	const struct view *v;
	struct mer_table table;
	struct mer_arena arena;
	bool tree; /* for people: indented names instead of paths, long arrays cut */
};

/* The text as a cell, kept in the arena; s is empty again. */
static struct mer_cell keep(struct mer_arena *arena, struct mer_str *s)
{
	const char *text = mer_arena_strndup(arena, s->data ? s->data : "", s->len);
	mer_str_clear(s);
	return mer_text(text);
}

static void put_tree_name(struct mer_str *out, const struct layout_row *r)
{
	mer_str_printf(out, "%*s", (int)(r->depth * 2), "");
	if (r->depth == 0)
		mer_str_puts(out, layout_scope_name(r->scope));
	else if (r->index != CTF_PLAIN_NO_INDEX)
		mer_str_printf(out, "[%" PRIu64 "]", r->index);
	else if (!r->name)
		mer_str_puts(out, "[]");
	else if (r->name[0])
		ask_text_clean(out, r->name, strlen(r->name), false);
	else
		mer_str_puts(out, "-");
}

static void add_field(struct fields *f, size_t i)
{
	const struct layout_row *r = &f->v->layout.rows[i];
	struct mer_cell cells[N_COLS] = { 0 };
	struct mer_str s = { 0 };
	if (f->tree)
		put_tree_name(&s, r);
	else
		layout_path(&s, &f->v->layout, i);
	cells[COL_SCOPE] = mer_text(layout_scope_name(r->scope));
	cells[COL_FIELD] = keep(&f->arena, &s);
	if (r->bit != UINT64_MAX) {
		cells[COL_BIT] = MER_INT(r->bit);
		cells[COL_BYTE] = MER_INT(r->bit / 8);
	}
	if (r->n_bits != UINT64_MAX)
		cells[COL_BITS] = MER_INT(r->n_bits);
	cells[COL_ALIGN] = MER_INT(r->fc->align_bits);
	cells[COL_ORDER] = mer_text(layout_order(r->fc));
	layout_class(&s, r->fc);
	cells[COL_CLASS] = keep(&f->arena, &s);
	layout_value(&s, r);
	cells[COL_VALUE] = keep(&f->arena, &s);
	mer_table_add(&f->table, cells);
	f->table.failed |= s.failed;
	mer_str_fini(&s);
}

/* Stands for the elements that are not shown. */
static void add_dots(struct fields *f, const struct layout_row *r)
{
	struct mer_cell cells[N_COLS];
	struct mer_str s = { 0 };
	for (int c = 0; c < N_COLS; c++)
		cells[c] = columns[c].type == MER_TEXT ? mer_text("") : MER_NONE;
	mer_str_printf(&s, "%*s...", (int)(r->depth * 2), "");
	cells[COL_FIELD] = keep(&f->arena, &s);
	mer_table_add(&f->table, cells);
	mer_str_fini(&s);
}

static void fields_init(struct fields *f, const struct view *v, bool tree)
{
	*f = (struct fields){ .v = v, .tree = tree };
	mer_arena_init(&f->arena);
	mer_table_init(&f->table, "fields", "Fields", columns, &f->arena);
	unsigned hidden = UINT_MAX; /* deeper rows are those of an element that is not shown */
	for (size_t i = 0; i < v->layout.n; i++) {
		const struct layout_row *r = &v->layout.rows[i];
		if (tree && r->depth > hidden)
			continue;
		hidden = UINT_MAX;
		if (!tree || r->index == CTF_PLAIN_NO_INDEX || r->index < SHOWN_ELEMENTS) {
			add_field(f, i);
			continue;
		}
		hidden = r->depth;
		if (r->index == SHOWN_ELEMENTS)
			add_dots(f, r);
	}
	f->table.failed |= f->arena.failed;
}

static void fields_fini(struct fields *f)
{
	mer_table_fini(&f->table);
	mer_arena_fini(&f->arena);
}

/* ---- the record's bytes ---- */

/* Fields that have bits in this byte of the packet, in their order. */
static bool next_of_byte(const struct layout *l, uint64_t byte, size_t *row)
{
	for (; *row < l->n; (*row)++) {
		const struct layout_row *r = &l->rows[*row];
		if (r->scope < CTF_SCOPE_EVENT_HEADER || r->fc->kind >= CTF_STRUCT ||
			r->n_bits == UINT64_MAX || r->n_bits == 0)
			continue;
		if (r->bit >= (byte + 1) * 8)
			return false;
		if (r->bit + r->n_bits > byte * 8)
			return true;
	}
	return false;
}

static void put_binary(struct mer_str *out, uint8_t b)
{
	mer_str_puts(out, "0b");
	for (int i = 7; i >= 0; i--)
		mer_str_putc(out, (char)('0' + (b >> i & 1)));
}

/* The bytes that the record touches. After damage some more, to see what is there instead. */
static void record_bytes(const struct view *v, uint64_t *first, uint64_t *end)
{
	enum { MORE_BYTES = 16 };
	uint64_t content = (v->packet->content_bits + 7) / 8;
	*first = v->place.head_bit / 8;
	*end = (v->end_bit + 7) / 8;
	if (v->status)
		*end = content - *end > MORE_BYTES ? *end + MORE_BYTES : content;
}

static void put_bytes(const struct view *v, struct mer_str *out)
{
	const struct layout *l = &v->layout;
	uint64_t first, end, at;
	size_t from = 0; /* no field before this row reaches the byte */
	record_bytes(v, &first, &end);
	mer_str_printf(out, "\n%6s  %-10s  %-4s  %s\n", "BYTE", "BINARY", "HEX", "FIELDS");
	for (at = first; at < end && at - first < SHOWN_BYTES; at++) {
		mer_str_printf(out, "%6" PRIu64 "  ", at);
		put_binary(out, v->base[at]);
		mer_str_printf(out, "  0x%02X", v->base[at]);
		bool any = false;
		struct mer_str names = { 0 };
		size_t row = from;
		while (next_of_byte(l, at, &row)) {
			if (!any)
				from = row;
			mer_str_puts(&names, any ? ", " : "");
			layout_path(&names, l, row++);
			any = true;
		}
		if (!any)
			mer_str_puts(&names, v->status && (at + 1) * 8 > v->end_bit ? "(not read)"
										    : "(padding)");
		mer_str_puts(out, "  ");
		ask_text_shorten(out, names.data ? names.data : "", names.len, 54);
		mer_str_putc(out, '\n');
		out->failed |= names.failed;
		mer_str_fini(&names);
	}
	if (at < end)
		mer_str_printf(out, "%" PRIu64 " more %s (--json shows all)\n", end - at,
			mer_plural(end - at, "byte", "bytes"));
}

/* ---- output ---- */

static void put_damage(const struct view *v, struct mer_str *out)
{
	const struct ctf_field *f = v->bad_field;
	mer_str_printf(out, "\nThe record cannot be read beyond bit %" PRIu64, v->end_bit);
	if (f && f->name[0]) {
		mer_str_puts(out, " (field ");
		ask_text_clean(out, f->name, strlen(f->name), false);
		mer_str_putc(out, ')');
	}
	mer_str_printf(out, ":\n%s.\nThe content ends at bit %" PRIu64 ".\n",
		ctf_status_text(v->status), v->packet->content_bits);
}

static void put_head(const struct view *v, struct mer_str *out)
{
	ask_text_clean(out, v->event, strlen(v->event), false);
	if (!v->found) {
		mer_str_puts(out,
			", no record in the trace\n"
			"The layout as the metadata defines it: offsets are relative to the start of each\n"
			"structure; -: unknown without a record.\n\n");
		return;
	}
	const char *path = v->e->files[v->packet->file].path;
	mer_str_printf(out, ", record %" PRIu64, v->number);
	if (v->place.ts != MER_NO_TIME) {
		mer_str_puts(out, ", ");
		ask_text_time(out, v->place.ts);
	}
	mer_str_puts(out, "\nfile    ");
	ask_text_clean(out, path, strlen(path), false);
	mer_str_printf(out,
		"\npacket  %" PRIu32 " of its stream, at byte %" PRIu64 ", %" PRIu64
		" bytes\nrecord  at bit %" PRIu64 " of the packet (byte %" PRIu64 "), %" PRIu64
		" bits%s\n\n",
		v->place.packet, v->packet->offset, v->packet->size_bits / 8, v->place.head_bit,
		v->place.head_bit / 8, v->end_bit - v->place.head_bit,
		v->status ? " as far as it can be read" : "");
}

static int print_text(struct view *v)
{
	struct fields f;
	struct mer_str out = { 0 };
	fields_init(&f, v, true);
	put_head(v, &out);
	ask_table_text(&f.table, &out, (size_t)ask_width(v->ask), v->ask->bold_out, v->ask->ascii);
	if (v->layout.n_dropped)
		mer_str_printf(&out, "%" PRIu64 " more %s not shown.\n", v->layout.n_dropped,
			mer_plural(v->layout.n_dropped, "field is", "fields are"));
	if (v->found)
		put_bytes(v, &out);
	if (v->found && v->status)
		put_damage(v, &out);
	fwrite(out.data ? out.data : "", 1, out.len, v->ask->out);
	bool failed = out.failed || f.table.failed;
	mer_str_fini(&out);
	fields_fini(&f);
	return failed ? mer_fail_nomem(&v->ask->err) : 0;
}

/* ---- for programs ---- */

static void add_record(const struct view *v, struct answer *a)
{
	enum { EVENT, RECORD, TIME, PATH, PACKET, PACKET_BYTE, CONTENT, BIT, BITS, DAMAGE, N };
	static const struct mer_column of_record[N + 1] = {
		[EVENT] = { "event", "Event", MER_TEXT },
		[RECORD] = { "record", "Record", MER_ID },
		[TIME] = { "time", "Time", MER_DATE },
		[PATH] = { "path", "File", MER_TEXT },
		[PACKET] = { "packet", "Packet", MER_ID },
		[PACKET_BYTE] = { "packet_byte", "Packet at byte", MER_ID },
		[CONTENT] = { "content_bits", "Bits of content", MER_ID },
		[BIT] = { "bit", "At bit", MER_ID },
		[BITS] = { "bits", "Bits", MER_ID },
		[DAMAGE] = { "damage", "Damage", MER_TEXT },
	};
	struct mer_table *t = answer_add_beside(a, "record", "Record", of_record);
	struct mer_cell row[N] = { [EVENT] = mer_text(v->event) };
	if (v->found) {
		row[RECORD] = MER_INT(v->number);
		row[TIME] = mer_int_unless(v->place.ts, MER_NO_TIME);
		row[PATH] = mer_text(v->e->files[v->packet->file].path);
		row[PACKET] = MER_INT(v->place.packet);
		row[PACKET_BYTE] = MER_INT(v->packet->offset);
		row[CONTENT] = MER_INT(v->packet->content_bits);
		row[BIT] = MER_INT(v->place.head_bit);
		row[BITS] = MER_INT(v->end_bit - v->place.head_bit);
		row[DAMAGE] = mer_text(v->status ? ctf_status_text(v->status) : NULL);
	}
	mer_table_add(t, row);
}

struct bytes { /* that are still to be written */
	const struct view *v;
	uint64_t next, end;
};

static int more_bytes(void *ctx, struct mer_table *t, struct mer_err *err)
{
	enum { PART = 4096 };
	struct bytes *b = ctx;
	(void)err;
	for (unsigned i = 0; i < PART && b->next < b->end; i++, b->next++) {
		struct mer_str binary = { 0 }, hex = { 0 };
		put_binary(&binary, b->v->base[b->next]);
		mer_str_printf(&hex, "0x%02X", b->v->base[b->next]);
		mer_table_add(t, (struct mer_cell[]){ MER_INT(b->next), mer_table_keep(t, &binary),
					 mer_table_keep(t, &hex) });
	}
	return 0;
}

static int print_answer(struct view *v)
{
	static const struct mer_column of_bytes[] = { { "byte", "Byte", MER_ID },
		{ "binary", "Binary", MER_TEXT }, { "hex", "Hex", MER_TEXT }, { 0 } };
	struct answer a;
	struct fields f;
	struct bytes b = { .v = v };
	answer_init(&a, v->e);
	fields_init(&f, v, false);
	answer_add_made(&a, &f.table);
	add_record(v, &a);
	if (v->found) {
		record_bytes(v, &b.next, &b.end);
		if (b.end > b.next + MAX_JSON_BYTES)
			b.end = b.next + MAX_JSON_BYTES;
		answer_stream_beside(&a, "bytes", "Bytes", of_bytes, more_bytes, &b);
	}
	int rc = ask_answer_print(v->ask, &a);
	fields_fini(&f);
	answer_fini(&a);
	return rc;
}

static int print(struct view *v)
{
	return v->ask->format == ASK_FORMAT_TABLE ? print_text(v) : print_answer(v);
}

static int run(struct ask *ask, const void *values)
{
	const struct values *o = values;
	struct view v = { .ask = ask };
	struct names names = { 0 };
	struct mer_arena arena;
	ask->n_args = 1; /* the other one is the event */
	int rc = ask_session_open(ask, &v.session);
	if (rc)
		return rc;
	v.e = session_experiment(v.session);
	mer_arena_init(&arena);
	rc = all_names(v.e, &names, &ask->err);
	if (rc == 0)
		rc = choose_event(&v, &names, ask->args[1]);
	if (rc == 0)
		rc = find_record(&v, o->record ? o->record : 1);
	if (rc == 0)
		rc = v.found ? read_record(&v, &arena) : read_static(&v);
	if (rc == 0)
		rc = print(&v);
	layout_fini(&v.layout);
	mer_arena_fini(&arena);
	free(names.item);
	ask_session_close(ask, v.session);
	return rc;
}

static const struct ask_option options[] = {
	{ .name = "nth",
		.kind = ASK_NTH,
		.arg = "N",
		.help = "the N-th record of EVENT (default: the first)",
		.offset = offsetof(struct values, record) },
	{ 0 },
};

const struct ask_verb ask_verb_layout = {
	.name = "layout",
	.help = "show where the fields of an event are, bit by bit",
	.is_aside = true,
	.synopsis = "[OPTION...] TRACE EVENT",
	.description =
		"Prints the fields of one record of EVENT with bit offset, size, byte order and "
		"value, and the bytes of the record in hexadecimal and binary. This is for "
		"debugging a tracer. If the record is damaged, it shows how much can be read.",
	.more = "EVENT may be a pattern with * and ? that matches only one event. Records are counted "
		"from 1 in time order; those of one stream in the order of its packets. Offsets are "
		"relative to the start of the packet, like alignments. If the trace has no such record, "
		"the layout is shown as far as the metadata defines it.",
	.formats = "table|json|jsonl|csv",
	.uses = ASK_USES_FORMAT | ASK_USES_INPUT | ASK_USES_TABLES,
	.options = options,
	.values_size = sizeof(struct values),
	.min_args = 2,
	.max_args = 2,
	.args = "TRACE",
	.examples = {
		{ "meridian layout client/ sched_switch", "The first context switch." },
		{ "meridian layout --nth 3 --json client/ sched_switch | jq '.tables[0].rows[0]'",
			"The first field of the third record." },
	},
	.run = run,
};
