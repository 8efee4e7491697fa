/* The writer: bytes of packets and events, checks of values, metadata there and back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/bits.h"
#include "ctf/metadata.h"
#include "ctf/write.h"
#include "ctf/writer.h"
#include "same_schema.h"

struct fixture {
	struct mer_arena arena;
	struct ctf_schema schema;
	struct ctf_stream_class stream;
	struct ctf_event_class event;
	struct ctf_clock clock;
	char path[64], index[64];
	struct ctf_writer *w;
	struct mer_err err;
	uint8_t file[65536];
	size_t len;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	assert_non_null(f);
	mer_arena_init(&f->arena);
	strcpy(f->path, "/tmp/meridian-writer-XXXXXX");
	strcpy(f->index, "/tmp/meridian-writer-XXXXXX");
	int fd = mkstemp(f->path), fd2 = mkstemp(f->index);
	assert_true(fd >= 0 && fd2 >= 0);
	close(fd);
	close(fd2);
	f->clock = (struct ctf_clock){ .name = "monotonic", .freq_hz = 1000000000 };
	f->schema = (struct ctf_schema){ .major = 1,
		.minor = 8,
		.clocks = &f->clock,
		.n_clocks = 1,
		.streams = &f->stream,
		.n_streams = 1 };
	f->stream.events = &f->event;
	f->stream.n_events = 1;
	f->event = (struct ctf_event_class){
		.name = "e", .log_level = -1, .payload = ctf_new_struct(&f->arena, 1)
	};
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	unlink(f->path);
	unlink(f->index);
	mer_arena_fini(&f->arena);
	free(f);
	return 0;
}

static struct ctf_field *member(struct fixture *f, const char *name, struct ctf_fc *fc)
{
	return ctf_struct_add(&f->arena, f->event.payload, name, fc);
}

static void headers(struct fixture *f, enum ctf_header_shape shape, enum ctf_byte_order order)
{
	f->schema.order = (uint8_t)order;
	f->schema.packet_header = ctf_new_packet_header(&f->arena, order);
	f->stream.packet_context = ctf_new_packet_context(&f->arena, order, 0);
	f->stream.event_header = ctf_new_event_header(&f->arena, &f->schema, shape, order, 0);
}

static void open_writer(struct fixture *f, size_t packet_bytes, bool pad)
{
	struct ctf_writer_options o = { .path = f->path,
		.index_path = f->index,
		.stream_id = 7,
		.cpu_id = 3,
		.packet_bytes = packet_bytes,
		.pad = pad };
	assert_int_equal(ctf_writer_open(&f->schema, &f->stream, &o, &f->w, &f->err), 0);
}

static void read_back(struct fixture *f, const char *path)
{
	FILE *file = fopen(path, "rb");
	assert_non_null(file);
	f->len = fread(f->file, 1, sizeof(f->file), file);
	fclose(file);
}

static void close_writer(struct fixture *f)
{
	assert_int_equal(ctf_writer_close(f->w, &f->err), 0);
	read_back(f, f->path);
}

static struct ctf_value uint_value(uint64_t v)
{
	return (struct ctf_value){ .kind = CTF_VALUE_UINT, .v.u = v };
}

static struct ctf_value int_value(int64_t v)
{
	return (struct ctf_value){ .kind = CTF_VALUE_INT, .v.i = v };
}

static struct ctf_value text_value(const char *s)
{
	return (struct ctf_value){ .kind = CTF_VALUE_BYTES, .v.bytes = { s, strlen(s) } };
}

static int write_event(struct fixture *f, uint64_t clock, const struct ctf_value *v, size_t n)
{
	return ctf_writer_event(f->w, &f->event, clock, v, n, &f->err);
}

/* Without headers a file is what its event is. */
static void bit_fields_of_the_example(void **state)
{
	static const uint8_t want[2][5] = { { 0x4E, 0x3D, 0x2C, 0x1B, 0xFA },
		{ 0xEA, 0x1B, 0x2C, 0x3D, 0x4F } };
	struct fixture *f = *state;
	for (int order = 0; order < 2; order++) {
		enum ctf_byte_order o = order ? CTF_BE : CTF_LE;
		f->event.payload = ctf_new_struct(&f->arena, 1);
		member(f, "a", ctf_new_int(&f->arena, 4, false, 1, o));
		member(f, "b", ctf_new_int(&f->arena, 32, false, 1, o));
		member(f, "c", ctf_new_int(&f->arena, 4, false, 1, o));
		struct ctf_value v[] = { uint_value(0xE), uint_value(0xA1B2C3D4), uint_value(0xF) };
		open_writer(f, 0, false);
		assert_int_equal(write_event(f, 0, v, 3), 0);
		close_writer(f);
		assert_int_equal(f->len, 5);
		assert_memory_equal(f->file, want[order], 5);
	}
}

static void all_kinds_of_leaves(void **state)
{
	struct fixture *f = *state;
	struct mer_arena *a = &f->arena;
	member(f, "half", ctf_new_bits(a, CTF_FLOAT, 16, 8, CTF_LE));
	member(f, "single", ctf_new_bits(a, CTF_FLOAT, 32, 8, CTF_BE));
	member(f, "string", ctf_new_string(a));
	member(f, "text", ctf_new_bytes(a, CTF_TEXT, 4));
	member(f, "u", ctf_new_varint(a, false));
	member(f, "s", ctf_new_varint(a, true));
	member(f, "reversed", ctf_new_int(a, 8, false, 8, CTF_LE))->fc->u.bits.reversed = true;
	struct ctf_field *n = member(f, "n", ctf_new_int(a, 8, false, 8, CTF_LE));
	struct ctf_fc *array = ctf_new_array(a, ctf_new_int(a, 16, true, 16, CTF_LE), 0);
	assert_true(ctf_refer(&f->schema, array, n));
	member(f, "array", array);
	struct ctf_field *tag = member(f, "tag", ctf_new_int(a, 8, true, 8, CTF_LE));
	struct ctf_fc *v = ctf_new_variant(a);
	assert_true(ctf_refer(&f->schema, v, tag));
	ctf_variant_add(a, v, "x", ctf_new_string(a), 0, 9);
	ctf_variant_add(a, v, "y", ctf_new_int(a, 8, false, 8, CTF_LE), (uint64_t)-5, (uint64_t)-1);
	member(f, "v", v);
	struct ctf_field *there = member(f, "there", ctf_new_bits(a, CTF_BOOL, 8, 8, CTF_LE));
	struct ctf_fc *optional = ctf_new_optional(a, ctf_new_int(a, 8, false, 8, CTF_LE));
	assert_true(ctf_refer(&f->schema, optional, there));
	member(f, "optional", optional);
	struct ctf_value values[] = { { .kind = CTF_VALUE_REAL, .v.f = -1.5 },
		{ .kind = CTF_VALUE_REAL, .v.f = 0.5 }, text_value("ab"), text_value("cd"),
		uint_value(300), int_value(-65), uint_value(1), uint_value(2), int_value(-2),
		int_value(258), int_value(-3), uint_value(0x77), uint_value(1), uint_value(0x99) };
	static const uint8_t want[] = { 0x00, 0xBE, 0x3F, 0x00, 0x00, 0x00, 'a', 'b', 0, 'c', 'd',
		0, 0, 0xAC, 0x02, 0xBF, 0x7F, 0x80, 2, 0, 0xFE, 0xFF, 0x02, 0x01, 0xFD, 0x77, 1,
		0x99 };
	open_writer(f, 0, false);
	assert_int_equal(write_event(f, 0, values, 14), 0);
	close_writer(f);
	/* the array is aligned to two bytes, relative to the packet: byte 19 is padding */
	assert_int_equal(f->len, sizeof(want));
	assert_memory_equal(f->file, want, sizeof(want));
}

static void wrong_values_are_refused_and_leave_nothing(void **state)
{
	struct fixture *f = *state;
	struct ctf_value v;
	member(f, "n", ctf_new_int(&f->arena, 5, true, 1, CTF_LE));
	open_writer(f, 0, false);
	v = int_value(16);
	assert_int_equal(write_event(f, 0, &v, 1), MER_ERR_USAGE);
	v = text_value("16");
	assert_int_equal(write_event(f, 0, &v, 1), MER_ERR_USAGE);
	assert_int_equal(write_event(f, 0, &v, 0), MER_ERR_USAGE);
	struct ctf_value two[] = { int_value(-16), int_value(1) };
	assert_int_equal(write_event(f, 0, two, 2), MER_ERR_USAGE);
	assert_int_equal(write_event(f, 0, two, 1), 0);
	close_writer(f);
	assert_int_equal(f->len, 1);
	assert_int_equal(f->file[0], 0x10);
}

static void a_byte_order_does_not_change_inside_a_byte(void **state)
{
	struct fixture *f = *state;
	struct ctf_value v[] = { uint_value(1), uint_value(1) };
	member(f, "a", ctf_new_int(&f->arena, 4, false, 1, CTF_LE));
	member(f, "b", ctf_new_int(&f->arena, 4, false, 1, CTF_BE));
	open_writer(f, 0, false);
	assert_int_equal(write_event(f, 0, v, 2), MER_ERR_USAGE);
	close_writer(f);
}

static uint64_t u64_at(const struct fixture *f, size_t at)
{
	return mer_load_u64(f->file + at, f->schema.order == CTF_BE);
}

enum {
	HEADER = 32,
	BEGIN = HEADER,
	END = 40,
	CONTENT = 48,
	SIZE = 56,
	SEQ = 64,
	DISCARDED = 72,
	CPU = 80,
	BODY = 84
};

static void packets_tell_sizes_times_and_losses(void **state)
{
	struct fixture *f = *state;
	for (int order = 0; order < 2; order++) {
		headers(f, CTF_WRITE_PLAIN, order ? CTF_BE : CTF_LE);
		open_writer(f, 128, true);
		assert_int_equal(write_event(f, 1000, NULL, 0), 0);
		assert_int_equal(write_event(f, 1010, NULL, 0), 0);
		ctf_writer_discard(f->w, 5);
		assert_int_equal(ctf_writer_end(f->w, 1020, &f->err), 0);
		ctf_writer_skip_packets(f->w, 2);
		assert_int_equal(ctf_writer_begin(f->w, 2000, &f->err), 0); /* empty */
		assert_int_equal(ctf_writer_end(f->w, 2001, &f->err), 0);
		for (unsigned i = 0; i < 4; i++) /* three fit */
			assert_int_equal(write_event(f, 3000 + i, NULL, 0), 0);
		close_writer(f);
		assert_int_equal(f->len, 4 * 128);
		assert_int_equal(mer_load_u32(f->file, order), 0xC1FC1FC1);
		assert_int_equal(u64_at(f, 24), 7);
		assert_int_equal(u64_at(f, BEGIN), 1000);
		assert_int_equal(u64_at(f, END), 1020);
		assert_int_equal(u64_at(f, CONTENT), (BODY + 2 * 12) * 8);
		assert_int_equal(u64_at(f, SIZE), 1024);
		assert_int_equal(u64_at(f, SEQ), 0);
		assert_int_equal(u64_at(f, DISCARDED), 5);
		assert_int_equal(mer_load_u32(f->file + CPU, order), 3);
		assert_int_equal(u64_at(f, BODY), 1000);
		assert_int_equal(u64_at(f, 128 + SEQ), 3);
		assert_int_equal(u64_at(f, 128 + CONTENT), BODY * 8);
		assert_int_equal(u64_at(f, 256 + BEGIN), 3000);
		assert_int_equal(u64_at(f, 256 + END), 3002);
		assert_int_equal(u64_at(f, 384 + BEGIN), 3003);
		assert_int_equal(u64_at(f, 384 + SEQ), 5);
		read_back(f, f->index);
		assert_int_equal(f->len, 16 + 4 * 72);
		assert_int_equal(mer_load_u32(f->file, true), 0xC1F1DCC1);
		assert_int_equal(mer_load_u64(f->file + 16 + 72, true), 128);
		assert_int_equal(mer_load_u64(f->file + 16 + 72 + 64, true), 3);
	}
}

static void compact_headers_are_extended_when_they_must(void **state)
{
	struct fixture *f = *state;
	headers(f, CTF_WRITE_COMPACT, CTF_LE);
	open_writer(f, 0, false);
	f->event.id = 4;
	assert_int_equal(write_event(f, 1000, NULL, 0), 0);
	assert_int_equal(write_event(f, 1000 + (1 << 27) - 1, NULL, 0), 0);
	assert_int_equal(write_event(f, 1000 + (2 << 27), NULL, 0), 0); /* too late for 27 bits */
	f->event.id = 31;
	assert_int_equal(write_event(f, 1000 + (2 << 27), NULL, 0), 0);
	f->event.id = 30;
	assert_int_equal(write_event(f, 999, NULL, 0), 0); /* the clock goes back */
	close_writer(f);
	const uint8_t *p = f->file + BODY;
	assert_int_equal(mer_load_u32(p, false), 4 | 1000 << 5);
	assert_int_equal(mer_load_u32(p + 4, false), 4 | 999 << 5);
	assert_int_equal(p[8] & 31, 31);
	assert_int_equal(mer_load_u32(p + 9, false), 4);
	assert_int_equal(mer_load_u64(p + 13, false), 1000 + (2 << 27));
	assert_int_equal(p[21] & 31, 31);
	assert_int_equal(mer_load_u32(p + 22, false), 31);
	assert_int_equal(mer_load_u32(p + 35, false), 30);
	assert_int_equal(mer_load_u64(p + 39, false), 999);
	assert_int_equal(f->len, BODY + 47);
}

static void damage_can_be_made(void **state)
{
	struct fixture *f = *state;
	headers(f, CTF_WRITE_PLAIN, CTF_LE);
	open_writer(f, 0, false);
	assert_int_equal(write_event(f, 5, NULL, 0), 0);
	assert_int_equal(ctf_writer_raw(f->w, "\xDE\xAD", 2, &f->err), 0);
	ctf_writer_override(f->w, CTF_ROLE_CONTENT_SIZE, 12345);
	close_writer(f);
	assert_int_equal(f->len, BODY + 14);
	assert_int_equal(u64_at(f, CONTENT), 12345);
	assert_memory_equal(f->file + BODY + 12, "\xDE\xAD", 2);
}

static void read_again(struct fixture *f, unsigned major, enum ctf_framing framing, unsigned how)
{
	struct ctf_metadata_options o = {
		.major = (uint8_t)major, .framing = framing, .packet_bytes = 300
	};
	struct mer_str text = { 0 };
	struct ctf_schema *again;
	if (ctf_write_metadata(&f->schema, &o, &text, &f->err))
		fail_msg("%s", f->err.text);
	/* CTF2-PMETA-1.0: three reserved bytes and the header's size, then the text. */
	if (major == 2 && framing != CTF_PLAIN) {
		const uint8_t *p = (const uint8_t *)text.data;
		assert_int_equal(mer_load_u32(p + 40, framing == CTF_PACKETS_BE), 44 * 8);
		assert_memory_equal(p + 37, "\0\0", 3);
		assert_int_equal(p[44], 0x1e);
	}
	if (ctf_metadata_read((const uint8_t *)text.data, text.len, "again", &f->arena, NULL,
		    &again, &f->err))
		fail_msg("%s\n%.*s", f->err.text, (int)text.len, text.data);
	const char *d = same_schema(&f->schema, again, how);
	if (d)
		fail_msg("%s\n%.*s", d, (int)text.len, text.data);
	mer_str_fini(&text);
}

static void metadata_by_hand_is_read_as_meant(void **state)
{
	struct fixture *f = *state;
	struct mer_arena *a = &f->arena;
	headers(f, CTF_WRITE_COMPACT, CTF_LE);
	struct ctf_env env[] = { { .name = "hostname", .text = "a \"b\"\\\n" },
		{ .name = "n", .number = -4 } };
	f->schema.env = env;
	f->schema.n_env = 2;
	f->schema.has_uuid = true;
	memset(f->schema.uuid, 0x5A, 16);
	f->clock.offset_s = -3;
	f->clock.offset_cycles = 17;
	f->event.log_level = 6;
	f->event.emf_uri = "http://example.org/";
	f->event.specific_context = ctf_new_struct(a, 1);
	struct ctf_field *n = ctf_struct_add(
		a, f->event.specific_context, "n", ctf_new_int(a, 8, false, 8, CTF_LE));
	struct ctf_fc *inner = ctf_new_struct(a, 64), *e = ctf_new_int(a, 7, true, 1, CTF_LE);
	ctf_enum_add(a, e, "minus", (uint64_t)-3, (uint64_t)-1);
	ctf_enum_add(a, e, "_x", 0, 0);
	ctf_enum_add(a, e, "y z", 1, 5);
	struct ctf_field *tag = ctf_struct_add(a, inner, "tag", e);
	struct ctf_fc *v = ctf_new_variant(a);
	assert_true(ctf_refer(&f->schema, v, tag));
	ctf_variant_add(a, v, "minus", ctf_new_string(a), (uint64_t)-3, (uint64_t)-1);
	ctf_variant_add(a, v, "x", ctf_new_array(a, ctf_new_int(a, 8, false, 8, CTF_LE), 3), 0, 0);
	ctf_struct_add(a, inner, "string", v); /* a keyword */
	member(f, "in", inner);
	struct ctf_fc *by_context = ctf_new_array(a, ctf_new_bits(a, CTF_FLOAT, 64, 8, CTF_LE), 0);
	assert_true(ctf_refer(&f->schema, by_context, n));
	member(f, "_underscore", by_context);
	struct ctf_fc *deep = ctf_new_bytes(a, CTF_TEXT, 0);
	struct ctf_field *m = member(f, "m", ctf_new_int(a, 16, false, 8, CTF_LE));
	assert_true(ctf_refer(&f->schema, deep, m));
	struct ctf_fc *element = ctf_new_struct(a, 1);
	ctf_struct_add(a, element, "deep", deep);
	member(f, "list", ctf_new_array(a, ctf_new_array(a, element, 2), 3));
	member(f, "", ctf_new_string(a));
	assert_false(a->failed);
	read_again(f, 1, CTF_PLAIN, 0);
	read_again(f, 1, CTF_PACKETS_LE, 0);
	f->schema.major = 2;
	f->schema.minor = 0;
	read_again(f, 2, CTF_PLAIN, SAME_BUT_LANGUAGE);
	read_again(f, 2, CTF_PACKETS_BE, SAME_BUT_LANGUAGE);
}

static void what_tsdl_cannot_say_is_refused(void **state)
{
	struct fixture *f = *state;
	struct mer_str text = { 0 };
	member(f, "v", ctf_new_varint(&f->arena, false));
	assert_int_equal(ctf_write_tsdl(&f->schema, &text, &f->err), MER_ERR_USAGE);
	assert_non_null(strstr(f->err.text, "\"v\""));
	mer_str_fini(&text);
}

/* Every trace at hand: parsed, written in both languages, parsed again. */
static void metadata_of_real_traces_there_and_back(void **state)
{
	struct fixture *f = *state;
	FILE *list = popen(
		"find -L \"$RECORDINGS\" ../shared/traces/public -name metadata 2>/dev/null", "r");
	unsigned n = 0;
	char path[1000];
	assert_non_null(list);
	while (fgets(path, sizeof(path), list)) {
		path[strcspn(path, "\n")] = '\0';
		struct ctf_schema *s;
		struct mer_str bytes = { 0 };
		FILE *file = fopen(path, "rb");
		assert_non_null(file);
		for (size_t got = 1; got;) {
			got = fread(f->file, 1, sizeof(f->file), file);
			mer_str_add(&bytes, (const char *)f->file, got);
		}
		fclose(file);
		if (!ctf_metadata_read((const uint8_t *)bytes.data, bytes.len, path, &f->arena,
			    NULL, &s, &f->err)) {
			f->schema = *s;
			unsigned other = s->major == 1 ? 2 : 1;
			read_again(f, s->major, CTF_PLAIN, 0);
			read_again(f, s->major, s->order ? CTF_PACKETS_BE : CTF_PACKETS_LE, 0);
			read_again(f, other, CTF_PLAIN, SAME_BUT_LANGUAGE);
			n++;
		}
		mer_str_fini(&bytes);
		mer_arena_reset(&f->arena);
	}
	pclose(list);
	assert_true(n > 0);
	print_message("%u metadata streams\n", n);
}

/* Registers that are in use stay when there are more of them; the new ones hold 0. */
static void registers_stay_when_they_grow(void **state)
{
	struct fixture *f = *state;
	struct ctf_encoder e = { .err = &f->err };
	enum { FEW = 3, MANY = 200 };
	assert_int_equal(ctf_encoder_regs(&e, FEW), 0);
	for (uint32_t i = 0; i <= FEW; i++) {
		assert_int_equal(e.regs[i], 0);
		e.regs[i] = 100 + i;
	}
	assert_int_equal(ctf_encoder_regs(&e, MANY), 0);
	assert_int_equal(e.n_regs, MANY);
	for (uint32_t i = 0; i <= MANY; i++)
		assert_int_equal(e.regs[i], i <= FEW ? 100 + i : 0);
	assert_int_equal(ctf_encoder_regs(&e, FEW), 0);
	assert_int_equal(e.n_regs, MANY);
	ctf_encoder_fini(&e);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(bit_fields_of_the_example),
		TEST(all_kinds_of_leaves),
		TEST(wrong_values_are_refused_and_leave_nothing),
		TEST(a_byte_order_does_not_change_inside_a_byte),
		TEST(packets_tell_sizes_times_and_losses),
		TEST(compact_headers_are_extended_when_they_must),
		TEST(damage_can_be_made),
		TEST(metadata_by_hand_is_read_as_meant),
		TEST(what_tsdl_cannot_say_is_refused),
		TEST(registers_stay_when_they_grow),
		TEST(metadata_of_real_traces_there_and_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
