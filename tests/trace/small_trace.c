/* See small_trace.h. Apart, because the writer and the reader are not for one source. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ctf/writer.h"
#include "small_trace.h"

struct maker {
	struct small_trace *out;
	struct mer_arena arena;
	struct ctf_schema schema;
	struct ctf_clock clock;
	struct ctf_stream_class stream;
	struct ctf_event_class events[3]; /* switch, named, kinds */
	struct mer_err err;
};

static struct ctf_fc *new_uint(struct maker *t, unsigned bits)
{
	return ctf_new_int(&t->arena, bits, false, 8, CTF_LE);
}

static struct ctf_fc *new_int(struct maker *t, unsigned bits)
{
	return ctf_new_int(&t->arena, bits, true, 8, CTF_LE);
}

/* A member that something else refers to, and that something. */
static void add_referred(
	struct maker *t, struct ctf_fc *record, const char *name, struct ctf_fc *what)
{
	enum ctf_kind kind = what->kind == CTF_OPTIONAL ? CTF_BOOL : CTF_INT;
	struct ctf_field *f = ctf_struct_add(
		&t->arena, record, name, ctf_new_bits(&t->arena, kind, 8, 8, CTF_LE));
	assert_true(ctf_refer(&t->schema, what, f));
}

static void add_member(struct maker *t, struct ctf_fc *record, const char *name, struct ctf_fc *fc)
{
	assert_non_null(ctf_struct_add(&t->arena, record, name, fc));
}

static struct ctf_fc *make_kinds(struct maker *t)
{
	struct mer_arena *a = &t->arena;
	struct ctf_fc *p = ctf_new_struct(a, 1);
	add_member(t, p, "u", new_uint(t, 64));
	add_member(t, p, "i", new_int(t, 64));
	struct ctf_fc *state = new_uint(t, 8);
	ctf_enum_add(a, state, "RUNNING", 0, 0);
	ctf_enum_add(a, state, "SLEEPING", 1, 3);
	ctf_enum_add(a, state, "DEAD", 10, 10);
	ctf_enum_add(a, state, "DEAD", 20, 29);
	add_member(t, p, "state", state);
	struct ctf_fc *level = new_int(t, 8);
	ctf_enum_add(a, level, "LOW", (uint64_t)-5, (uint64_t)-1);
	ctf_enum_add(a, level, "ZERO", 0, 0);
	ctf_enum_add(a, level, "HIGH", 1, 100);
	add_member(t, p, "level", level);
	add_member(t, p, "real", ctf_new_bits(a, CTF_FLOAT, 64, 8, CTF_LE));
	add_member(t, p, "single", ctf_new_bits(a, CTF_FLOAT, 32, 8, CTF_LE));
	struct ctf_fc *map = ctf_new_bits(a, CTF_BIT_MAP, 8, 8, CTF_LE);
	ctf_enum_add(a, map, "READ", 0, 0);
	ctf_enum_add(a, map, "WRITE", 1, 2);
	map->u.bits.is_enum = false;
	add_member(t, p, "map", map);
	add_member(t, p, "on", ctf_new_bits(a, CTF_BOOL, 8, 8, CTF_LE));
	add_member(t, p, "text", ctf_new_string(a));
	struct ctf_fc *wide = ctf_new_string(a);
	wide->u.text.encoding = CTF_UTF16LE;
	add_member(t, p, "wide", wide);
	add_member(t, p, "blob", ctf_new_bytes(a, CTF_BLOB, 3));
	struct ctf_fc *seq = ctf_new_array(a, new_uint(t, 16), 0);
	add_referred(t, p, "n", seq);
	add_member(t, p, "seq", seq);
	struct ctf_fc *point = ctf_new_struct(a, 1), *inner = ctf_new_struct(a, 1);
	add_member(t, point, "x", new_int(t, 32));
	add_member(t, point, "y", new_int(t, 32));
	add_member(t, inner, "a", new_uint(t, 8));
	add_member(t, inner, "at", point);
	add_member(t, inner, "points", ctf_new_array(a, point, 2));
	add_member(t, p, "inner", inner);
	struct ctf_fc *optional = ctf_new_optional(a, new_uint(t, 32));
	add_referred(t, p, "has", optional);
	add_member(t, p, "maybe", optional);
	struct ctf_fc *variant = ctf_new_variant(a);
	ctf_variant_add(a, variant, "number", new_int(t, 32), 0, 0);
	ctf_variant_add(a, variant, "word", ctf_new_string(a), 1, 1);
	add_referred(t, p, "which", variant);
	add_member(t, p, "either", variant);
	return p;
}

static void make_schema(struct maker *t)
{
	struct mer_arena *a = &t->arena;
	t->clock = (struct ctf_clock){
		.name = "monotonic", .freq_hz = 1000000000, .offset_s = 1000, .is_absolute = true
	};
	t->schema = (struct ctf_schema){ .major = 2,
		.n_clocks = 1,
		.clocks = &t->clock,
		.n_streams = 1,
		.streams = &t->stream };
	t->schema.packet_header = ctf_new_packet_header(a, CTF_LE);
	t->stream = (struct ctf_stream_class){ .n_events = 3, .events = t->events };
	t->stream.packet_context = ctf_new_packet_context(a, CTF_LE, 0);
	t->stream.event_header = ctf_new_event_header(a, &t->schema, CTF_WRITE_PLAIN, CTF_LE, 0);
	t->stream.event_context = ctf_new_struct(a, 1);
	add_member(t, t->stream.event_context, "vtid", new_int(t, 32));
	struct ctf_fc *p[3] = { ctf_new_struct(a, 1), ctf_new_struct(a, 1), make_kinds(t) };
	add_member(t, p[0], "prev_comm", ctf_new_bytes(a, CTF_TEXT, 16));
	add_member(t, p[0], "prev_tid", new_int(t, 32));
	add_member(t, p[0], "next_comm", ctf_new_bytes(a, CTF_TEXT, 16));
	add_member(t, p[0], "next_tid", new_int(t, 32));
	add_member(t, p[1], "name", ctf_new_string(a));
	add_member(t, p[1], "odd, \"name\"", new_uint(t, 8));
	struct ctf_fc *own = ctf_new_struct(a, 1);
	add_member(t, own, "vpid", new_int(t, 32));
	static const char *const names[] = { "switch", "named", "kinds" };
	for (unsigned i = 0; i < 3; i++)
		t->events[i] = (struct ctf_event_class){
			.id = i, .name = names[i], .log_level = -1, .payload = p[i]
		};
	t->events[1].specific_context = own;
	assert_false(a->failed);
}

#define U(x)                                                                                       \
	{                                                                                          \
		.kind = CTF_VALUE_UINT, .v.u = (x)                                                 \
	}
#define I(x)                                                                                       \
	{                                                                                          \
		.kind = CTF_VALUE_INT, .v.i = (x)                                                  \
	}
#define F(x)                                                                                       \
	{                                                                                          \
		.kind = CTF_VALUE_REAL, .v.f = (x)                                                 \
	}
#define B(x, n)                                                                                    \
	{                                                                                          \
		.kind = CTF_VALUE_BYTES, .v.bytes = {(x), (n) }                                    \
	}
#define S(x) B(x, sizeof(x) - 1)

static void add_event(struct maker *t, struct ctf_writer *w, unsigned event, uint64_t clock,
	const struct ctf_value *v, size_t n)
{
	if (ctf_writer_event(w, &t->events[event], clock, v, n, &t->err))
		fail_msg("%s", t->err.text);
}

#define EVENT(w, event, clock, ...)                                                                \
	do {                                                                                       \
		const struct ctf_value values[] = { __VA_ARGS__ };                                 \
		add_event(t, w, event, clock, values, sizeof(values) / sizeof(values[0]));         \
	} while (0)

static struct ctf_writer *open_writer(struct maker *t, uint32_t cpu)
{
	char path[100];
	struct ctf_writer *w;
	snprintf(path, sizeof(path), "%s/stream_%u", t->out->dir, (unsigned)cpu);
	struct ctf_writer_options o = { .path = path, .stream_id = cpu, .cpu_id = cpu };
	if (ctf_writer_open(&t->schema, &t->stream, &o, &w, &t->err))
		fail_msg("%s", t->err.text);
	return w;
}

static void write_trace(struct maker *t)
{
	struct mer_str text = { 0 };
	struct ctf_metadata_options o = { .major = 2 };
	char path[100];
	if (ctf_write_metadata(&t->schema, &o, &text, &t->err))
		fail_msg("%s", t->err.text);
	snprintf(path, sizeof(path), "%s/metadata", t->out->dir);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(text.data, 1, text.len, f), text.len);
	assert_int_equal(fclose(f), 0);
	mer_str_fini(&text);

	struct ctf_writer *w = open_writer(t, 0);
	EVENT(w, 2, 1000, I(7), U(UINT64_MAX), I(INT64_MIN), U(2), I(-3), F(0.1), F(0.1), U(5),
		U(1), S("say \"hi\",\n\xff\x01"), B("h\0\x3d\xd8\x00\xde\xe9\0", 8),
		B("\x00\xab\xff", 3), U(3), U(10), U(20), U(30), U(1), I(2), I(-3), I(4), I(5),
		I(6), I(7), U(1), U(99), U(1), S("w"));
	EVENT(w, 0, 2000, I(0), S("swapper/0"), I(0), S("bash"), I(42));
	assert_int_equal(ctf_writer_close(w, &t->err), 0);
	w = open_writer(t, 1);
	EVENT(w, 1, 1500, I(8), I(77), S("eth0"), U(5));
	EVENT(w, 0, 2500, I(42), S("bash"), I(42), S("swapper/1"), I(0));
	EVENT(w, 2, 3000, I(-1), U(5), I(-5), U(20), I(0), F(1e300 * 1e10), F(-2.5), U(8), U(0),
		S(""), B("", 0), B("\1\2\3", 3), U(0), U(0), I(0), I(0), I(0), I(0), I(0), I(0),
		U(0), U(0), I(-12));
	assert_int_equal(ctf_writer_close(w, &t->err), 0);
}

int small_trace_set_up(void **state)
{
	struct small_trace *out = calloc(1, sizeof(*out));
	assert_non_null(out);
	struct maker t = { .out = out };
	mer_arena_init(&t.arena);
	strcpy(out->dir, "/tmp/meridian-small-XXXXXX");
	assert_non_null(mkdtemp(out->dir));
	make_schema(&t);
	write_trace(&t);
	mer_arena_fini(&t.arena);
	const char *path = out->dir;
	struct mer_open_options o = { 0 };
	if (mer_experiment_open(&path, 1, &o, &out->e, &out->err))
		fail_msg("%s", out->err.text);
	*state = out;
	return 0;
}

int small_trace_tear_down(void **state)
{
	struct small_trace *t = *state;
	static const char *const files[] = { "metadata", "stream_0", "stream_1" };
	char path[100];
	mer_experiment_free(t->e);
	for (int i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s/%s", t->dir, files[i]);
		unlink(path);
	}
	rmdir(t->dir);
	free(t);
	return 0;
}
