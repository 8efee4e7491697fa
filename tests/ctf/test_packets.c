/* Headers and contexts of packets: what each field means, sizes that contradict each other, and
 * packets that are not of this trace. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "ctf/metadata.h"
#include "ctf/packet.h"

#define UUID "00010203-0405-0607-0809-0a0b0c0d0e0f"

/* Header: magic, uuid, stream_id. Context: the fields that are given. Times are of the clock. */
#define HEADER "u32 magic; u8 uuid[16]; u8 stream_id;"
#define SIZES "u64 content_size; u64 packet_size;"
#define ALL                                                                                        \
	SIZES "time timestamp_begin; time timestamp_end; u64 events_discarded; u64 packet_seq_num;"

struct reading {
	struct mer_arena arena, diag_arena;
	struct mer_diags diags;
	struct ctf_schema *s;
	struct ctf_program *p;
	uint64_t regs[64], pool[256], header_row[64], row[64];
	uint8_t bytes[400];
	size_t n;
	struct ctf_packet_info info;
	struct ctf_packet packet;
	enum ctf_status why;
	uint64_t bit;
};

static void begin(struct reading *r, const char *header, const char *context, const char *streams)
{
	struct mer_err err = { 0 };
	struct mer_str text = { 0 };
	memset(r, 0, sizeof(*r));
	mer_arena_init(&r->arena);
	mer_arena_init(&r->diag_arena);
	mer_diags_init(&r->diags, &r->diag_arena);
	mer_str_printf(&text,
		"/* CTF 1.8 */\n"
		"typealias integer { size = 8; } := u8;\n"
		"typealias integer { size = 32; } := u32;\n"
		"typealias integer { size = 64; } := u64;\n"
		"trace { major = 1; minor = 8; byte_order = le; uuid = \"" UUID "\";\n"
		"  packet.header := struct { %s }; };\n"
		"clock { name = c; };\n"
		"typealias integer { size = 64; map = clock.c.value; } := time;\n",
		header);
	for (const char *id = streams; *id; id++)
		mer_str_printf(&text,
			"stream { id = %c; packet.context := struct { %s }; event.header := struct { u8 id; }; };\n",
			*id, context);
	if (ctf_metadata_read(
		    (const uint8_t *)text.data, text.len, "m", &r->arena, &r->diags, &r->s, &err) ||
		ctf_program_compile(r->s, NULL, &r->arena, &r->p, &err))
		fail_msg("%s", err.text);
	assert_true(r->p->n_regs <= 64 && r->p->max_slots <= 64);
	mer_str_fini(&text);
}

static void end(struct reading *r)
{
	mer_diags_fini(&r->diags);
	mer_arena_fini(&r->diag_arena);
	mer_arena_fini(&r->arena);
}

static void put(struct reading *r, uint64_t v, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		r->bytes[r->n++] = (uint8_t)(v >> 8 * i);
}

/* Then a context, u64 each. */
static void put_header(struct reading *r, uint32_t magic, uint8_t last_of_uuid, uint8_t stream)
{
	r->n = 0;
	put(r, magic, 4);
	for (uint8_t i = 0; i < 15; i++)
		put(r, i, 1);
	put(r, last_of_uuid, 1);
	put(r, stream, 1);
}

/* A file of so many bytes; the packet is at offset 3 of a larger one as well. */
static enum ctf_packet_status read_packet(struct reading *r, size_t bytes)
{
	enum ctf_packet_status status[2];
	for (size_t at = 0; at <= 3; at += 3) {
		uint8_t *file = calloc(1, at + bytes + 16);
		struct ctf_pool slots = { r->pool, 0, 256 };
		struct ctf_decoder d = { .program = r->p, .regs = r->regs, .pool = &slots };
		assert_non_null(file);
		memcpy(file + at, r->bytes, r->n < bytes ? r->n : bytes);
		status[at / 3] = ctf_packet_read(&d, file, at + bytes, at, r->header_row, r->row,
			&r->info, &r->packet, &r->why, &r->bit);
		assert_int_equal(r->packet.offset, at);
		assert_int_equal(slots.n, 0);
		free(file);
	}
	assert_int_equal(status[0], status[1]);
	assert_non_null(ctf_packet_status_text(status[0]));
	return status[0];
}

static void all_fields(void **state)
{
	struct reading r;
	(void)state;
	begin(&r, HEADER, ALL, "05");
	put_header(&r, CTF_PACKET_MAGIC, 15, 5);
	put(&r, 1000, 8);
	put(&r, 1600, 8);
	for (uint64_t v = 7; v <= 10; v++)
		put(&r, v, 8);
	assert_int_equal(read_packet(&r, 200), CTF_PACKET_OK);
	assert_int_equal(r.packet.stream_class, 1);
	assert_int_equal(r.packet.content_bits, 1000);
	assert_int_equal(r.packet.size_bits, 1600);
	assert_true(r.packet.has_begin && r.packet.has_end && r.packet.has_discarded &&
		    r.packet.has_seq_num && !r.packet.is_cut);
	assert_int_equal(r.packet.begin, 7);
	assert_int_equal(r.packet.end, 8);
	assert_int_equal(r.packet.discarded, 9);
	assert_int_equal(r.packet.discarded_len, 64);
	assert_int_equal(r.packet.seq_num, 10);
	assert_int_equal(r.info.body_bit, (21 + 48) * 8);
	uint8_t uuid[16];
	assert_true(ctf_packet_uuid(r.p, r.header_row, uuid));
	for (int i = 0; i < 16; i++)
		assert_int_equal(uuid[i], i);
	/* Its first event: the clock begins at the packet's begin. */
	static const uint8_t file[200];
	struct ctf_pos pos = ctf_packet_body(&r.packet, r.info.body_bit, file, 203, 99);
	assert_true(pos.base == file + 3);
	assert_int_equal(pos.bit, (21 + 48) * 8);
	assert_int_equal(pos.end_bit, 1000);
	assert_int_equal(pos.mapped_bit, 1600);
	assert_int_equal(pos.clock, 7);
	r.packet.has_begin = 0;
	assert_int_equal(ctf_packet_body(&r.packet, 0, file, 203, 99).clock, 99);
	end(&r);
	begin(&r, HEADER, SIZES, "0");
	put_header(&r, CTF_PACKET_MAGIC, 15, 0);
	put(&r, 800, 8);
	put(&r, 800, 8);
	assert_int_equal(read_packet(&r, 100), CTF_PACKET_OK);
	assert_false(r.packet.has_begin || r.packet.has_end || r.packet.has_discarded ||
		     r.packet.has_seq_num);
	end(&r);
}

static void not_of_this_trace(void **state)
{
	struct reading r;
	(void)state;
	begin(&r, HEADER, SIZES, "05");
	static const struct {
		uint32_t magic;
		uint8_t last, stream;
		enum ctf_packet_status status;
	} rows[] = { { CTF_PACKET_MAGIC, 15, 5, CTF_PACKET_OK },
		{ CTF_PACKET_MAGIC, 15, 0, CTF_PACKET_OK },
		{ CTF_PACKET_MAGIC + 1, 15, 5, CTF_PACKET_MAGIC_BAD },
		{ CTF_PACKET_MAGIC, 14, 5, CTF_PACKET_UUID_BAD },
		{ CTF_PACKET_MAGIC, 15, 1, CTF_PACKET_CLASS_UNKNOWN },
		{ CTF_PACKET_MAGIC, 14, 1, CTF_PACKET_UUID_BAD },
		{ 0, 14, 1, CTF_PACKET_MAGIC_BAD } };
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		put_header(&r, rows[i].magic, rows[i].last, rows[i].stream);
		put(&r, 800, 8);
		put(&r, 800, 8);
		assert_int_equal(read_packet(&r, 100), rows[i].status);
		assert_int_equal(r.bit, i < 2 ? (21 + 16) * 8 : 0); /* all of it is meant */
		r.s->any_uuid = true;
		bool is_other = rows[i].status == CTF_PACKET_UUID_BAD;
		assert_int_equal(read_packet(&r, 100), !is_other ? rows[i].status
						       : rows[i].stream == 1
							       ? CTF_PACKET_CLASS_UNKNOWN
							       : CTF_PACKET_OK);
		r.s->any_uuid = false;
		r.s->has_uuid = false;
		assert_true(read_packet(&r, 100) != CTF_PACKET_UUID_BAD);
		r.s->has_uuid = true;
	}
	/* Cut within the magic number, the rest of the header, the context. */
	put_header(&r, CTF_PACKET_MAGIC, 15, 5);
	put(&r, 800, 8);
	put(&r, 800, 8);
	for (size_t bytes = 0; bytes < 37; bytes++) {
		assert_int_equal(read_packet(&r, bytes), CTF_PACKET_HEADER_BAD);
		assert_int_not_equal(r.why, CTF_OK);
		assert_int_equal(r.packet.size_bits, 0);
	}
	assert_int_not_equal(read_packet(&r, 37), CTF_PACKET_HEADER_BAD);
	end(&r);
	/* Without stream_id: the only class there is, else that with the number 0. */
	static const char *const streams[] = { "5", "50", "56" };
	for (int i = 0; i < 3; i++) {
		begin(&r, "u32 magic;", SIZES, streams[i]);
		put(&r, CTF_PACKET_MAGIC, 4);
		put(&r, 800, 8);
		put(&r, 800, 8);
		uint8_t uuid[16];
		assert_int_equal(
			read_packet(&r, 100), i == 2 ? CTF_PACKET_CLASS_UNKNOWN : CTF_PACKET_OK);
		if (i < 2)
			assert_int_equal(r.s->streams[r.packet.stream_class].id, i ? 0 : 5);
		assert_false(ctf_packet_uuid(r.p, r.header_row, uuid));
		end(&r);
	}
}

/* In bits; the file has 100 bytes, header and context end at 20. */
static void sizes(void **state)
{
	static const struct {
		uint64_t content, size;
		enum ctf_packet_status status;
		uint64_t is_content, is_size;
		bool is_cut;
	} rows[] = { { 800, 800, CTF_PACKET_OK, 800, 800, false },
		{ 160, 160, CTF_PACKET_OK, 160, 160, false },
		{ 161, 168, CTF_PACKET_OK, 161, 168, false },
		{ 160, 152, CTF_PACKET_SIZE_BAD, 0, 0, false },
		{ 0, 0, CTF_PACKET_SIZE_BAD, 0, 0, false },
		{ 160, 161, CTF_PACKET_SIZE_BAD, 0, 0, false },
		{ 161, 160, CTF_PACKET_SIZE_BAD, 160, 160, false },
		{ 159, 160, CTF_PACKET_CONTENT_BAD, 159, 160, false },
		{ 800, 808, CTF_PACKET_TRUNCATED, 800, 800, false },
		{ 801, 808, CTF_PACKET_TRUNCATED, 800, 800, true },
		{ 808, 808, CTF_PACKET_TRUNCATED, 800, 800, true },
		{ 816, 808, CTF_PACKET_SIZE_BAD, 800, 800, true } };
	struct reading r;
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		begin(&r, "u32 magic;", SIZES, "0");
		put(&r, CTF_PACKET_MAGIC, 4);
		put(&r, rows[i].content, 8);
		put(&r, rows[i].size, 8);
		assert_int_equal(read_packet(&r, 100), rows[i].status);
		assert_int_equal(r.packet.size_bits, rows[i].is_size);
		if (rows[i].is_size) {
			assert_int_equal(r.packet.content_bits, rows[i].is_content);
			assert_int_equal(r.packet.is_cut, rows[i].is_cut);
		}
		end(&r);
	}
	/* With one of them the other one follows, to whole bytes; without both it is the file. */
	begin(&r, "u32 magic;", "u64 content_size; u64 other;", "0");
	put(&r, CTF_PACKET_MAGIC, 4);
	put(&r, 201, 8);
	assert_int_equal(read_packet(&r, 100), CTF_PACKET_OK);
	assert_int_equal(r.packet.size_bits, 208);
	assert_int_equal(r.packet.content_bits, 201);
	end(&r);
	begin(&r, "u32 magic;", "u64 packet_size; u64 other;", "0");
	put(&r, CTF_PACKET_MAGIC, 4);
	put(&r, 208, 8);
	assert_int_equal(read_packet(&r, 100), CTF_PACKET_OK);
	assert_int_equal(r.packet.size_bits, 208);
	assert_int_equal(r.packet.content_bits, 208);
	end(&r);
	begin(&r, "u32 magic;", "u64 one; u64 other;", "0");
	put(&r, CTF_PACKET_MAGIC, 4);
	assert_int_equal(read_packet(&r, 100), CTF_PACKET_OK);
	assert_int_equal(r.packet.size_bits, 800);
	assert_int_equal(r.packet.content_bits, 800);
	end(&r);
}

static void words(void **state)
{
	(void)state;
	for (int i = CTF_PACKET_OK; i <= CTF_PACKET_CONTENT_BAD; i++)
		for (int k = 0; k < i; k++)
			assert_string_not_equal(ctf_packet_status_text((enum ctf_packet_status)i),
				ctf_packet_status_text((enum ctf_packet_status)k));
	assert_string_equal(ctf_packet_status_text(CTF_PACKET_OK), "sound");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(all_fields),
		cmocka_unit_test(not_of_this_trace), cmocka_unit_test(sizes),
		cmocka_unit_test(words) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
