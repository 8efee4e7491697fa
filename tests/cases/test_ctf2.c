/* Public CTF 2 cases: each is read to exactly the text in its refs/out.ref, which another reader
 * has written: every value of every event, headers and contexts included. Cases whose name ends in
 * _nok are damaged: what can be read is, then an error tells where the damage is. */
#include <dirent.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/str.h"
#include "given.h"
#include "trace/cursor.h"

/* ---- the layout of the references ---- */

static void put_digits(struct mer_str *out, uint64_t v, unsigned base)
{
	char buf[65], *p = buf + 64;
	*p = '\0';
	do
		*--p = "0123456789abcdef"[v % base];
	while (v /= base);
	mer_str_puts(out, p);
}

static void put_number(struct mer_str *out, const struct ctf_fc *fc, uint64_t v)
{
	if (fc->u.bits.is_signed && (int64_t)v < 0) {
		mer_str_putc(out, '-');
		v = 0 - v;
	}
	unsigned base = fc->u.bits.base ? fc->u.bits.base : 10;
	mer_str_puts(out, base == 16 ? "0x" : base == 8 ? "0" : base == 2 ? "0b" : "");
	put_digits(out, v, base);
}

static bool is_mapped(const struct ctf_fc *fc, const struct ctf_mapping *m, uint64_t v)
{
	for (uint32_t i = 0; i < m->n_ranges; i++) {
		uint64_t lo = m->ranges[i].lo, hi = m->ranges[i].hi;
		if (fc->kind == CTF_BIT_MAP) {
			for (uint64_t bit = lo; bit <= hi && bit < 64; bit++)
				if (v >> bit & 1)
					return true;
		} else if (fc->u.bits.is_signed
				   ? (int64_t)v >= (int64_t)lo && (int64_t)v <= (int64_t)hi
				   : v >= lo && v <= hi) {
			return true;
		}
	}
	return false;
}

static void put_labels(struct mer_str *out, const struct ctf_fc *fc, uint64_t v)
{
	bool any = false;
	mer_str_puts(out, ": ");
	for (uint32_t i = 0; i < fc->u.bits.n_mappings; i++)
		if (is_mapped(fc, &fc->u.bits.mappings[i], v)) {
			mer_str_printf(
				out, "%s\"%s\"", any ? "," : "", fc->u.bits.mappings[i].label);
			any = true;
		}
	if (!any)
		mer_str_puts(out, "nil");
}

static void put_code_point(struct mer_str *out, uint32_t c)
{
	if (c < 0x80) {
		mer_str_putc(out, (char)c);
		return;
	}
	unsigned more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
	mer_str_putc(out, (char)(0xf0u << (3 - more) | c >> (6 * more)));
	while (more-- > 0)
		mer_str_putc(out, (char)(0x80 | (c >> (6 * more) & 63)));
}

static void put_text(struct mer_str *out, const uint8_t *p, uint64_t n, unsigned encoding)
{
	mer_str_putc(out, '"');
	bool be = encoding == CTF_UTF16BE || encoding == CTF_UTF32BE;
	uint64_t unit = encoding == CTF_UTF8 ? 1 : encoding <= CTF_UTF16LE ? 2 : 4;
	for (uint64_t i = 0; unit > 1 && i + unit <= n; i += unit)
		put_code_point(out, unit == 2 ? mer_load_u16(p + i, be) : mer_load_u32(p + i, be));
	if (unit == 1)
		mer_str_add(out, (const char *)p, n);
	mer_str_putc(out, '"');
}

static void put_value(struct mer_str *out, const struct ctf_fc *fc, const uint64_t *slot)
{
	const uint8_t *bytes = (const uint8_t *)(uintptr_t)slot[0];
	switch (fc->kind) {
	case CTF_BIT_ARRAY: put_digits(out, slot[0], 10); break;
	case CTF_BOOL: mer_str_puts(out, slot[0] ? "1" : "0"); break;
	case CTF_BIT_MAP:
		mer_str_puts(out, "0x");
		put_digits(out, slot[0], 16);
		put_labels(out, fc, slot[0]);
		break;
	case CTF_INT:
	case CTF_VARINT:
		put_number(out, fc, slot[0]);
		if (fc->u.bits.n_mappings)
			put_labels(out, fc, slot[0]);
		break;
	case CTF_FLOAT: mer_str_puts(out, "a float"); break; /* no case has one */
	case CTF_STRING:
	case CTF_TEXT: put_text(out, bytes, slot[1], fc->u.text.encoding); break;
	case CTF_BLOB:
		for (uint64_t i = 0; i < slot[1]; i++)
			mer_str_printf(out, "%02x", bytes[i]);
		break;
	case CTF_STRUCT:
		mer_str_puts(out, "{ ");
		for (uint32_t i = 0; i < fc->u.record.n; i++) {
			const struct ctf_field *f = &fc->u.record.fields[i];
			mer_str_printf(out, "%s%s: ", i ? ", " : "", f->name);
			put_value(out, f->fc, slot);
			slot += ctf_slot_width(f->fc);
		}
		mer_str_puts(out, " }");
		break;
	case CTF_ARRAY: {
		const uint64_t *rows = (const uint64_t *)(uintptr_t)slot[1];
		mer_str_putc(out, '[');
		for (uint64_t i = 0; i < slot[0]; i++) {
			mer_str_puts(out, i ? ", " : "");
			put_value(out, fc->u.array.element.fc,
				rows + i * ctf_slot_width(fc->u.array.element.fc));
		}
		mer_str_putc(out, ']');
		break;
	}
	case CTF_VARIANT: put_value(out, fc->u.variant.options[slot[0]].field.fc, slot + 1); break;
	case CTF_OPTIONAL:
		if (slot[0])
			put_value(out, fc->u.optional.content.fc, slot + 1);
		else
			mer_str_puts(out, "nil");
		break;
	}
}

/* ---- events ---- */

struct header { /* of a stream's packets: the same in all of them */
	const struct ctf_program *program;
	uint64_t *row;
	struct ctf_pool pool;
};

static void read_packet_header(const struct mer_experiment *e, const struct trace_stream *s,
	const struct ctf_program *p, struct mer_arena *arena, struct header *h)
{
	h->program = p;
	h->pool.cap = 4096;
	h->pool.slots = mer_arena_zalloc(arena, h->pool.cap, 8);
	h->row = mer_arena_zalloc(arena, p->max_slots, 8);
	uint64_t *row = mer_arena_zalloc(arena, p->max_slots, 8);
	struct ctf_decoder d = {
		.program = p, .pool = &h->pool, .regs = mer_arena_zalloc(arena, p->n_regs, 8)
	};
	struct ctf_packet_info info;
	struct ctf_packet packet;
	enum ctf_status why;
	uint64_t bit;
	const struct trace_file *f = &e->files[s->packets[0].file];
	ctf_packet_read(&d, f->data, f->bytes, s->packets[0].offset, h->row, row, &info, &packet,
		&why, &bit);
}

static void put_event(struct mer_str *out, const struct mer_experiment *e,
	const struct mer_cursor *c, const struct mer_event *ev, const struct header *headers)
{
	static const char *const scopes[CTF_N_SCOPES] = { "packet-header", "packet-context",
		"event-header", "event-common-context", "event-specific-context", "event-payload" };
	const struct ctf_stream_plan *sp = ev->plan->stream;
	const struct trace_part *part = &e->parts[e->data[ev->stream].part];
	if (ev->ts != MER_NO_TIME) {
		/* Records that carry no time have their packet's, here; in the references they have
		 * that of the clock's zero. */
		int64_t ts = ev->ts;
		if (!sp->class->event_header)
			ts = mer_clock_ns(&part->clocks[sp->class->clock], 0);
		time_t second = (time_t)(ts / NS_PER_S);
		struct tm tm;
		char text[40];
		strftime(text, sizeof(text), "%H:%M:%S", localtime_r(&second, &tm));
		mer_str_printf(out, "[%s.%09d] ", text, (int)(ts % NS_PER_S));
	}
	char unnamed[40];
	snprintf(unnamed, sizeof(unnamed), "event %" PRIu64, ev->plan->class->id);
	if (strcmp(unnamed, mer_event_name(ev)) != 0)
		mer_str_printf(out, "%s: ", mer_event_name(ev));
	mer_str_puts(out, "{ ");
	bool any = false;
	for (int s = 0; s < CTF_N_SCOPES; s++) {
		const struct ctf_fc *fc =
			ctf_scope_fc(part->schema, sp->class, ev->plan->class, (enum ctf_scope)s);
		if (!fc)
			continue;
		const struct header *h = &headers[ev->stream];
		const struct ctf_plan *plan = s == CTF_SCOPE_PACKET_HEADER
						      ? &h->program->packet_header
					      : s == CTF_SCOPE_PACKET_CONTEXT ? &sp->context
									      : ev->plan;
		const uint64_t *row = s == CTF_SCOPE_PACKET_HEADER    ? h->row
				      : s == CTF_SCOPE_PACKET_CONTEXT ? trace_cursor_context(c, ev)
								      : ev->slots;
		mer_str_printf(out, "%s%s: { ", any ? ", " : "", scopes[s]);
		for (uint32_t i = 0; i < fc->u.record.n; i++) {
			const struct ctf_field *f = &fc->u.record.fields[i];
			mer_str_printf(out, "%s%s: ", i ? ", " : "", f->name);
			put_value(out, f->fc, row + plan->slots[s][i]);
		}
		mer_str_puts(out, " }");
		any = true;
	}
	mer_str_puts(out, " }\n");
}

static int put_events(struct mer_experiment *e, struct mer_str *out, struct mer_err *err)
{
	struct mer_arena arena;
	struct mer_cursor *c;
	struct ctf_program *p = NULL;
	struct mer_read_options o = { .headers = true };
	mer_arena_init(&arena);
	struct header *headers = mer_arena_zalloc(&arena, e->n_streams + 1u, sizeof(*headers));
	for (uint32_t i = 0; i < e->n_streams; i++)
		if (ctf_program_compile(e->parts[e->data[i].part].schema, NULL, &arena, &p, err) ==
			0)
			read_packet_header(e, &e->data[i], p, &arena, &headers[i]);
	int rc = mer_cursor_open(e, &o, &c, err);
	const struct mer_event *events;
	size_t n = 1;
	while (rc == 0 && n) {
		rc = mer_cursor_next(c, &events, &n, err);
		for (size_t i = 0; rc == 0 && i < n; i++)
			put_event(out, e, c, &events[i], headers);
	}
	mer_cursor_free(c);
	mer_arena_fini(&arena);
	return rc;
}

/* ---- the cases ---- */

static bool first_difference(
	const char *name, const struct mer_str *got, const struct mer_file *want)
{
	size_t n = got->len < want->size ? got->len : want->size, at = 0, line = 1, begin = 0;
	while (at < n && got->data[at] == (char)want->data[at])
		if (got->data[at++] == '\n') {
			line++;
			begin = at;
		}
	/* Of several streams, one of them damaged, the others are read to their ends here. */
	bool goes_on = strcmp(name, "philo_nok") == 0;
	if (at == want->size && (at == got->len || goes_on))
		return false;
	printf("%s: line %zu differs:\n  got  %.*s\n  want %.*s\n", name, line,
		(int)(got->len - begin < 300 ? got->len - begin : 300),
		got->data ? got->data + begin : "",
		(int)(want->size - begin < 300 ? want->size - begin : 300),
		(const char *)want->data + begin);
	return true;
}

/* Is there an error that says where? */
static bool is_located(const struct mer_experiment *e)
{
	size_t n;
	const struct mer_diag *d = trace_findings(e, &n);
	for (size_t i = 0; i < n; i++)
		if (d[i].severity == MER_ERROR && d[i].path && d[i].offset_bits >= 0)
			return true;
	return false;
}

static bool run_case(const char *root, const char *name)
{
	char path[4096], ref[4200];
	snprintf(path, sizeof(path), "%s/%s", root, name);
	snprintf(ref, sizeof(ref), "%s/refs/out.ref", path);
	const char *const paths[] = { path };
	if (getenv("VERBOSE"))
		printf("%s\n", name);
	bool nok = strlen(name) > 4 && strcmp(name + strlen(name) - 4, "_nok") == 0;
	struct mer_str got = { 0 };
	struct mer_err err = { 0 };
	struct mer_experiment *e = NULL;
	int rc = mer_experiment_open(paths, 1, NULL, &e, &err);
	/* An error in the metadata names its line. */
	bool told = rc && strstr(err.text, "/metadata:");
	if (rc == 0) {
		rc = put_events(e, &got, &err);
		told = is_located(e);
	}
	struct mer_file want;
	bool bad = false;
	if (rc && !nok) {
		printf("%s: %s\n", name, err.text);
		bad = true;
	}
	if (told != nok) {
		printf("%s: %s\n", name, nok ? "no error with a place" : "an error is told");
		size_t n = 0;
		const struct mer_diag *d = e ? trace_findings(e, &n) : NULL;
		for (size_t i = 0; i < n; i++)
			printf("  %s: %s\n", d[i].code, d[i].message);
		bad = true;
	}
	if (mer_file_open(&want, ref, &err) != 0) {
		printf("%s\n", err.text);
		bad = true;
	} else {
		bad |= first_difference(name, &got, &want);
		mer_file_close(&want);
	}
	mer_experiment_free(e);
	mer_str_fini(&got);
	return !bad;
}

static void test_cases(void **state)
{
	char root[2000];
	(void)state;
	given_path(root, sizeof(root), "cases/ctf2");
	DIR *dir = opendir(root);
	assert_non_null(dir);
	setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1); /* that of the references */
	tzset();
	unsigned n = 0, n_bad = 0;
	for (struct dirent *d; (d = readdir(dir));) {
		if (d->d_name[0] == '.')
			continue;
		n++;
		n_bad += !run_case(root, d->d_name);
	}
	closedir(dir);
	printf("%u cases, %u bad\n", n, n_bad);
	assert_true(n > 40);
	assert_int_equal(n_bad, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
