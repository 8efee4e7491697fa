/* The TSDL parser and the framing of metadata packets.
 *
 * Cases: tests/ctf/tsdl/{pass,fail}-NAME.tsdl, the metadata and below it, in lines that begin with
 * "//= ", what comes of it: the schema and the warnings, or the error. UPDATE=1 in the environment
 * rewrites these lines; read the difference. The public cases beside the project (../shared) are
 * checked for their verdict only, and skipped when they are not there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/str.h"
#include "ctf/metadata.h"
#include "given.h"

struct parsed {
	struct mer_arena arena, diag_arena;
	struct mer_diags diags;
	struct mer_err err;
	struct ctf_schema *schema;
	int rc;
};

static void parse(struct parsed *p, const void *data, size_t len, const char *path)
{
	/* Exactly as long as the data, so that a sanitizer sees what reads past it. */
	uint8_t *copy = malloc(len ? len : 1);
	assert_non_null(copy);
	if (len > 0)
		memcpy(copy, data, len);
	*p = (struct parsed){ 0 };
	mer_arena_init(&p->arena);
	mer_arena_init(&p->diag_arena);
	mer_diags_init(&p->diags, &p->diag_arena);
	p->rc = ctf_metadata_read(copy, len, path, &p->arena, &p->diags, &p->schema, &p->err);
	free(copy);
}

static void done(struct parsed *p)
{
	mer_diags_fini(&p->diags);
	mer_arena_fini(&p->diag_arena);
	mer_arena_fini(&p->arena);
}

static char *read_file(const char *path, size_t *len)
{
	FILE *f = fopen(path, "rb");
	if (!f)
		return NULL;
	struct mer_str s = { 0 };
	char buf[65536];
	for (size_t n; (n = fread(buf, 1, sizeof(buf), f)) > 0;)
		mer_str_add(&s, buf, n);
	fclose(f);
	mer_str_puts(&s, "");
	*len = s.len;
	return s.data ? s.data : calloc(1, 1);
}

static const char *source_dir(void)
{
	const char *src = getenv("SRC");
	return src ? src : ".";
}

/* ── what a schema is shown as ──────────────────────────────────────────────────────────────── */

static void show_fc(struct mer_str *s, const struct ctf_fc *fc, int depth);

static void show_ranges(struct mer_str *s, const struct ctf_range *r, uint32_t n, bool is_signed)
{
	for (uint32_t i = 0; i < n; i++) {
		mer_str_puts(s, i > 0 ? "," : "");
		mer_str_printf(s, is_signed ? "%lld" : "%llu", (unsigned long long)r[i].lo);
		if (r[i].lo != r[i].hi)
			mer_str_printf(
				s, is_signed ? "..%lld" : "..%llu", (unsigned long long)r[i].hi);
	}
}

static void show_field(struct mer_str *s, const struct ctf_field *f, int depth)
{
	static const char *const roles[] = { "magic", "uuid", "stream-class-id", "stream-id",
		"packet-size", "content-size", "timestamp", "timestamp-end", "seq-num", "discarded",
		"event-id", "cpu-id" };
	mer_str_printf(s, "//= %*s\"%s\"", 2 * depth, "", f->name);
	for (unsigned i = 0; i < sizeof(roles) / sizeof(roles[0]); i++)
		if (f->roles & 1U << i)
			mer_str_printf(s, " (%s)", roles[i]);
	if (f->clock >= 0)
		mer_str_printf(s, " clock %d", f->clock);
	if (f->reg)
		mer_str_printf(s, " -> r%u", f->reg);
	show_fc(s, f->fc, depth);
}

static void show_ref(struct mer_str *s, const struct ctf_ref *ref, uint64_t n)
{
	if (ref->reg)
		mer_str_printf(s, "[r%u %s]", ref->reg, ref->path);
	else
		mer_str_printf(s, "[%llu]", (unsigned long long)n);
}

static void show_bits(struct mer_str *s, const struct ctf_fc *fc)
{
	mer_str_printf(s, " %s%u %s base %u",
		fc->kind == CTF_FLOAT  ? "f"
		: fc->u.bits.is_signed ? "s"
				       : "u",
		fc->u.bits.len_bits, fc->u.bits.order == CTF_BE ? "be" : "le", fc->u.bits.base);
	if (!fc->u.bits.is_enum)
		return;
	mer_str_puts(s, " enum");
	for (uint32_t i = 0; i < fc->u.bits.n_mappings; i++) {
		const struct ctf_mapping *m = &fc->u.bits.mappings[i];
		mer_str_printf(s, " %s=", m->label);
		show_ranges(s, m->ranges, m->n_ranges, fc->u.bits.is_signed);
	}
}

static void show_fc(struct mer_str *s, const struct ctf_fc *fc, int depth)
{
	if (!fc) {
		mer_str_puts(s, " none\n");
		return;
	}
	switch (fc->kind) {
	case CTF_STRING: mer_str_puts(s, " string"); break;
	case CTF_TEXT:
	case CTF_BLOB:
		mer_str_puts(s, fc->kind == CTF_TEXT ? " text" : " blob");
		show_ref(s, &fc->u.text.ref, fc->u.text.len_bytes);
		break;
	case CTF_STRUCT: mer_str_puts(s, " struct"); break;
	case CTF_ARRAY:
		mer_str_puts(s, " array");
		show_ref(s, &fc->u.array.ref, fc->u.array.n);
		break;
	case CTF_VARIANT:
		mer_str_printf(
			s, " variant <r%u %s>", fc->u.variant.ref.reg, fc->u.variant.ref.path);
		break;
	default: show_bits(s, fc);
	}
	mer_str_printf(s, " align %u\n", fc->align_bits);
	if (fc->kind == CTF_STRUCT)
		for (uint32_t i = 0; i < fc->u.record.n; i++)
			show_field(s, &fc->u.record.fields[i], depth + 1);
	if (fc->kind == CTF_ARRAY)
		show_field(s, &fc->u.array.element, depth + 1);
	for (uint32_t i = 0; fc->kind == CTF_VARIANT && i < fc->u.variant.n; i++) {
		const struct ctf_option *o = &fc->u.variant.options[i];
		mer_str_printf(s, "//= %*swhen ", 2 * depth + 2, "");
		show_ranges(s, o->ranges, o->n_ranges, fc->u.variant.ref.is_signed);
		mer_str_puts(s, o->n_ranges ? "\n" : "never\n");
		show_field(s, &o->field, depth + 1);
	}
}

static void show_root(struct mer_str *s, const char *what, const struct ctf_fc *fc)
{
	if (!fc)
		return;
	mer_str_printf(s, "//= %s:", what);
	show_fc(s, fc, 0);
}

static void show_uuid(struct mer_str *s, bool has, const uint8_t uuid[16])
{
	mer_str_puts(s, has ? " uuid " : "");
	for (unsigned i = 0; has && i < 16; i++)
		mer_str_printf(s, "%02x", uuid[i]);
}

static void show_text(struct mer_str *s, const char *text)
{
	mer_str_putc(s, '"');
	for (; *text; text++)
		if ((unsigned char)*text < 0x20)
			mer_str_printf(s, "\\x%02x", (unsigned)*text);
		else
			mer_str_putc(s, *text);
	mer_str_putc(s, '"');
}

static void show_globals(struct mer_str *s, const struct ctf_schema *sc)
{
	mer_str_printf(
		s, "//= version %u.%u %s", sc->major, sc->minor, sc->order == CTF_BE ? "be" : "le");
	show_uuid(s, sc->has_uuid, sc->uuid);
	mer_str_printf(s, " registers %u\n", sc->n_regs);
	for (uint32_t i = 0; i < sc->n_env; i++) {
		mer_str_printf(s, "//= env %s = ", sc->env[i].name);
		if (sc->env[i].text)
			show_text(s, sc->env[i].text);
		else
			mer_str_printf(s, "%lld", (long long)sc->env[i].number);
		mer_str_putc(s, '\n');
	}
	for (uint32_t i = 0; i < sc->n_clocks; i++) {
		const struct ctf_clock *c = &sc->clocks[i];
		mer_str_printf(s, "//= clock %u %s: %llu Hz, offset %lld s %lld, precision %llu%s",
			i, c->name, (unsigned long long)c->freq_hz, (long long)c->offset_s,
			(long long)c->offset_cycles, (unsigned long long)c->precision_cycles,
			c->is_absolute ? ", absolute" : "");
		show_uuid(s, c->has_uuid, c->uuid);
		mer_str_putc(s, '\n');
	}
}

static void show(struct mer_str *s, const struct parsed *p)
{
	if (p->rc) {
		for (const char *line = p->err.text; line && *line;) {
			size_t n = strcspn(line, "\n");
			mer_str_puts(s, "//= ");
			mer_str_add(s, line, n);
			mer_str_putc(s, '\n');
			line += n + (line[n] == '\n');
		}
		return;
	}
	show_globals(s, p->schema);
	for (size_t i = 0; i < p->diags.n; i++)
		mer_str_printf(s, "//= warning: %s\n", p->diags.rows[i].message);
	show_root(s, "trace.packet.header", p->schema->packet_header);
	for (uint32_t i = 0; i < p->schema->n_streams; i++) {
		const struct ctf_stream_class *c = &p->schema->streams[i];
		mer_str_printf(
			s, "//= stream %llu clock %d\n", (unsigned long long)c->id, c->clock);
		show_root(s, "stream.packet.context", c->packet_context);
		show_root(s, "stream.event.header", c->event_header);
		show_root(s, "stream.event.context", c->event_context);
		for (uint32_t k = 0; k < c->n_events; k++) {
			const struct ctf_event_class *e = &c->events[k];
			mer_str_printf(s, "//= event %llu ", (unsigned long long)e->id);
			show_text(s, e->name);
			if (e->log_level >= 0)
				mer_str_printf(s, " level %d", e->log_level);
			if (e->emf_uri)
				mer_str_printf(s, " %s", e->emf_uri);
			mer_str_putc(s, '\n');
			show_root(s, "event.context", e->specific_context);
			show_root(s, "event.fields", e->payload);
		}
	}
}

/* ── the cases ──────────────────────────────────────────────────────────────────────────────── */

/* The input ends where the first line of the expectation begins. */
static size_t input_length(const char *text)
{
	if (strncmp(text, "//=", 3) == 0)
		return 0;
	const char *p = strstr(text, "\n//=");
	return p ? (size_t)(p + 1 - text) : strlen(text);
}

static int check_case(const char *dir, const char *name)
{
	char *path = NULL;
	size_t len;
	assert_true(asprintf(&path, "%s/%s", dir, name) > 0);
	char *text = read_file(path, &len);
	assert_non_null(text);
	size_t input = input_length(text);
	struct parsed p;
	parse(&p, text, input, name);
	struct mer_str s = { 0 };
	show(&s, &p);
	int bad = (p.rc == 0) != (strncmp(name, "pass-", 5) == 0);
	if (bad)
		print_error("%s: %s\n", name, p.rc ? p.err.text : "accepted");
	if (getenv("UPDATE")) {
		FILE *f = fopen(path, "wb");
		assert_non_null(f);
		fwrite(text, 1, input, f);
		fwrite(s.data, 1, s.len, f);
		fclose(f);
	} else if (strcmp(text + input, s.data) != 0) {
		print_error("%s: expected\n%sgot\n%s", name, text + input, s.data);
		bad = 1;
	}
	done(&p);
	mer_str_fini(&s);
	free(text);
	free(path);
	return bad;
}

static int is_case(const struct dirent *e)
{
	size_t n = strlen(e->d_name);
	return n > 5 && strcmp(e->d_name + n - 5, ".tsdl") == 0;
}

static void test_cases(void **state)
{
	(void)state;
	char *dir = NULL;
	struct dirent **names;
	int bad = 0;
	assert_true(asprintf(&dir, "%s/tests/ctf/tsdl", source_dir()) > 0);
	int n = scandir(dir, &names, is_case, alphasort);
	assert_true(n > 0);
	for (int i = 0; i < n; i++) {
		bad += check_case(dir, names[i]->d_name);
		free(names[i]);
	}
	free(names);
	free(dir);
	assert_int_equal(bad, 0);
}

/* ── packets ────────────────────────────────────────────────────────────────────────────────── */

static const char tiny[] = "/* CTF 1.8 */ trace { major = 1; minor = 8; byte_order = be; };\n";

static void put_u32(struct mer_str *s, uint32_t v, bool be)
{
	for (int i = 0; i < 4; i++)
		mer_str_putc(s, (char)(v >> (be ? 24 - 8 * i : 8 * i)));
}

struct packet {
	const char *text;
	size_t padding;
	uint8_t uuid, compression, major, minor;
	int64_t content_bits, packet_bits; /* 0: what they must be */
};

static void put_packet(struct mer_str *s, bool be, const struct packet *p)
{
	size_t n = 37 + strlen(p->text);
	put_u32(s, 0x75D11D57, be);
	for (int i = 0; i < 16; i++)
		mer_str_putc(s, (char)p->uuid);
	put_u32(s, 0xDEADBEEF, be); /* a checksum that is not looked at */
	put_u32(s, p->content_bits ? (uint32_t)p->content_bits : (uint32_t)n * 8, be);
	put_u32(s, p->packet_bits ? (uint32_t)p->packet_bits : (uint32_t)(n + p->padding) * 8, be);
	mer_str_putc(s, (char)p->compression);
	mer_str_putc(s, 0);
	mer_str_putc(s, 0);
	mer_str_putc(s, (char)(p->major ? p->major : 1));
	mer_str_putc(s, (char)(p->minor ? p->minor : 8));
	mer_str_puts(s, p->text);
	for (size_t i = 0; i < p->padding; i++)
		mer_str_putc(s, 0);
}

static void expect(struct mer_str *s, const char *error, size_t n_diags)
{
	struct parsed p;
	parse(&p, s->data, s->len, "m");
	if (error) {
		assert_true(p.rc < 0);
		if (!strstr(p.err.text, error))
			fail_msg("expected \"%s\", got \"%s\"", error, p.err.text);
	} else {
		if (p.rc)
			fail_msg("%s", p.err.text);
		assert_int_equal(p.diags.n, n_diags);
	}
	done(&p);
	mer_str_fini(s);
}

static void test_packets(void **state)
{
	(void)state;
	struct mer_str s = { 0 };
	/* Two packets, the text divided within a word, padding between. */
	for (int be = 0; be < 2; be++) {
		put_packet(&s, be, &(struct packet){ .text = "/* CTF 1.8 */ tra", .padding = 100 });
		put_packet(&s, be,
			&(struct packet){ .text = be ? "ce { byte_order = be; };"
						     : "ce { byte_order = le; };",
				.padding = 3 });
		expect(&s, NULL, 0);
	}
	put_packet(&s, false, &(struct packet){ .text = tiny });
	expect(&s, "m:1:58: the trace is big endian, but the metadata packets are little endian",
		0);
	put_packet(&s, true, &(struct packet){ .text = tiny, .compression = 1 });
	expect(&s, "compressed", 0);
	put_packet(&s, true, &(struct packet){ .text = tiny, .major = 3 });
	expect(&s, "version 3.8", 0);
	put_packet(&s, true, &(struct packet){ .text = tiny, .content_bits = 8 });
	expect(&s, "sizes that cannot be", 0);
	put_packet(&s, true, &(struct packet){ .text = tiny, .content_bits = 37 * 8 + 1 });
	expect(&s, "sizes that cannot be", 0);
	put_packet(&s, true, &(struct packet){ .text = tiny, .packet_bits = 37 * 8 });
	expect(&s, "sizes that cannot be", 0);
	put_packet(&s, true, &(struct packet){ .text = tiny });
	mer_str_puts(&s, "what else is there, and more than a packet header is long");
	expect(&s, "expected metadata packet 1 to begin with 0x75D11D57", 0);
	put_packet(&s, true, &(struct packet){ .text = tiny });
	mer_str_puts(&s, "short");
	expect(&s, "5 bytes that are no metadata packet", 0);
	put_packet(&s, true, &(struct packet){ .text = tiny });
	put_packet(&s, true, &(struct packet){ .text = "", .uuid = 1 });
	expect(&s, NULL, 1);
	put_packet(&s, true, &(struct packet){ .text = tiny });
	mer_str_add(&s, "\0\0\0\0\0\0\0\0", 8);
	expect(&s, NULL, 0);
	mer_str_add(&s, "\x75\xD1\x1D\x57\0", 5);
	expect(&s, "within its first packet header", 0);
}

/* Version 2: the header may have seven more bytes, or not. */
static void test_packets_of_2(void **state)
{
	(void)state;
	static const char json[] = "\x1E{\"type\":\"preamble\",\"version\":2}\n";
	struct mer_str s = { 0 };
	struct packet p = { .text = "", .major = 2, .minor = (uint8_t)-1 };
	for (int is_long = 0; is_long < 2; is_long++) {
		size_t n = strlen(json) + (is_long ? 44 : 37);
		p.content_bits = p.packet_bits = (int64_t)n * 8;
		put_packet(&s, true, &p);
		s.data[36] = 0;
		if (is_long) {
			mer_str_add(&s, "\0\0\0", 3);
			put_u32(&s, 44 * 8, true);
		}
		mer_str_puts(&s, json);
		expect(&s, NULL, 0);
	}
}

/* Cut anywhere: an error, or all the text up to there and a diagnostic. */
static void test_cut_packets(void **state)
{
	(void)state;
	struct mer_str s = { 0 };
	put_packet(&s, true, &(struct packet){ .text = tiny, .padding = 9 });
	size_t first = s.len;
	put_packet(&s, true, &(struct packet){ .text = "event { name = a; };", .padding = 5 });
	for (size_t len = 0; len <= s.len; len++) {
		struct parsed p;
		parse(&p, s.data, len, "m");
		bool is_whole = len == first || len >= s.len - 5;
		/* The line break at the end of the text is not needed. */
		bool has_trace = len >= first - 10;
		if (p.rc == 0) {
			assert_true(has_trace);
			assert_int_equal(
				p.diags.n, is_whole || (len >= first - 9 && len <= first) ? 0 : 1);
			assert_int_equal(p.schema->streams[0].n_events, len >= s.len - 5);
			/* Where it is: of the start of a header where that begins. */
			size_t cut = len > first && len - first < 37 ? first : len;
			if (p.diags.n)
				assert_int_equal(p.diags.rows[0].offset_bits, 8 * cut);
		}
		assert_true(p.rc == 0 || !is_whole);
		done(&p);
	}
	mer_str_fini(&s);
}

/* ── hostile input ──────────────────────────────────────────────────────────────────────────── */

static void test_limits(void **state)
{
	(void)state;
	struct mer_str s = { 0 };
	for (int i = 0; i < 100000; i++)
		mer_str_puts(&s, "struct {");
	expect(&s, "nested more than", 0);
	mer_str_puts(&s, "/* CTF 1.8 */ env { a = \"");
	expect(&s, "m:1:25: this string has no closing quote", 0);
	/* Each type twice in the next: 2^40 fields. */
	mer_str_puts(&s, "typealias integer { size = 8; } := t; struct s0 { t a; };");
	for (int i = 1; i < 40; i++)
		mer_str_printf(&s, "struct s%d { struct s%d a, b; };", i, i - 1);
	mer_str_puts(&s, "trace { byte_order = le; }; event { fields := struct s39; };");
	expect(&s, "fields in all", 0);
	/* Named types as deep as can be, and one more. */
	for (int extra = 0; extra < 2; extra++) {
		mer_str_puts(&s, "typealias integer { size = 8; } := t0;");
		for (int i = 1; i < CTF_MAX_DEPTH - 2 + extra; i++)
			mer_str_printf(&s, "typedef t%d t%d[2];", i - 1, i);
		mer_str_printf(&s,
			"trace { byte_order = le; }; event { fields := struct { t%d x; }; };",
			CTF_MAX_DEPTH - 3 + extra);
		expect(&s, extra ? "nested more than" : NULL, 1);
	}
	/* Nothing that is quadratic in options, labels or dimensions. */
	mer_str_puts(&s, "typealias integer { size = 32; } := t; trace { byte_order = le; };"
			 "event { fields := struct { enum : t { o0");
	for (int i = 1; i < 200000; i++)
		mer_str_printf(&s, ",o%d", i);
	mer_str_puts(&s, "} tag; variant <tag> {");
	for (int i = 0; i < 200000; i++)
		mer_str_printf(&s, "t o%d;", i);
	mer_str_puts(&s, "} v; }; };");
	expect(&s, NULL, 1);
	/* More registers than there are. */
	mer_str_puts(&s, "typealias integer { size = 8; } := t; trace { byte_order = le; };"
			 "event { fields := struct {");
	for (int i = 0; i < 5000; i++)
		mer_str_printf(&s, "t n%d; t x%d[n%d];", i, i, i);
	mer_str_puts(&s, "}; };");
	expect(&s, "are referred to", 0);
	/* Quadratic: every reference passes all fields, and finds its own behind them. */
	mer_str_puts(&s,
		"typealias integer { size = 8; } := t; struct o { t q[n]; }; event { fields := "
		"struct { t n; t n2;");
	for (int i = 0; i < 30000; i++)
		mer_str_printf(&s, "t x%d; struct o y%d;", i, i);
	mer_str_puts(&s, "}; }; trace { byte_order = le; };");
	expect(&s, "too many references", 0);
}

/* ── the public cases ───────────────────────────────────────────────────────────────────────── */

static int check_verdict(const char *dir, const char *name, bool must_pass)
{
	char *path = NULL;
	size_t len;
	assert_true(asprintf(&path, "%s/%s/metadata", dir, name) > 0);
	char *data = read_file(path, &len);
	assert_non_null(data);
	struct parsed p;
	parse(&p, data, len, name);
	int bad = (p.rc == 0) != must_pass;
	print_message(
		"%s %-60s %s\n", bad ? "WRONG" : "right", name, p.rc ? p.err.text : "accepted");
	done(&p);
	free(data);
	free(path);
	return bad;
}

static void test_verdicts(void **state)
{
	(void)state;
	char list[1000], dir[1000];
	given_path(list, sizeof(list), "expected/ctf_testsuite.csv");
	given_path(dir, sizeof(dir), "cases/ctf-testsuite");
	FILE *f = fopen(list, "r");
	assert_non_null(f);
	char line[1000], *name;
	int bad = 0, n = 0;
	while (fgets(line, sizeof(line), f)) {
		char *rest = line;
		name = strsep(&rest, ",");
		bool is_metadata = strncmp(name, "metadata/", 9) == 0;
		if (!rest || (!is_metadata && strncmp(name, "stream/", 7) != 0))
			continue;
		/* In the stream cases the damage is elsewhere. */
		bad += check_verdict(dir, name, !is_metadata || strncmp(rest, "pass", 4) == 0);
		n++;
	}
	fclose(f);
	print_message("%d cases, %d wrong\n", n, bad);
	assert_int_equal(bad, 0);
}

static int n_traces, n_bad_traces;

static int visit(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)st;
	size_t len;
	char *data;
	if (type != FTW_F || strcmp(path + where->base, "metadata") != 0 ||
		!(data = read_file(path, &len)))
		return 0;
	struct parsed p;
	parse(&p, data, len, path);
	n_traces++;
	if (p.rc) {
		n_bad_traces++;
		print_error("%s\n", p.err.text);
	}
	done(&p);
	free(data);
	return 0;
}

static void test_traces(void **state)
{
	(void)state;
	char dir[1000];
	n_traces = n_bad_traces = 0;
	given_path(dir, sizeof(dir), "lab/");
	nftw(dir, visit, 20, 0);
	assert_true(n_traces > 0);
	if (given_find(dir, sizeof(dir), "public"))
		nftw(dir, visit, 20, FTW_PHYS);
	assert_int_equal(n_bad_traces, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_cases),
		cmocka_unit_test(test_packets), cmocka_unit_test(test_packets_of_2),
		cmocka_unit_test(test_cut_packets), cmocka_unit_test(test_limits),
		cmocka_unit_test(test_verdicts), cmocka_unit_test(test_traces) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
