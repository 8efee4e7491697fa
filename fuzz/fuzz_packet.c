/* Fuzzer of data streams: the first byte says which of the schemas below the rest is read with,
 * packet after packet. The compiled programs and the plain decoder must agree on all of it. */
#include <stdio.h>
#include <stdlib.h>
#include "../tests/ctf/plain_rows.h"
#include "ctf/metadata.h"
#include "ctf/packet.h"
#include "check.h"

static const char kernel_text[] =
	"/* CTF 1.8 */\n"
	"typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
	"typealias integer { size = 16; align = 8; signed = false; } := uint16_t;\n"
	"typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
	"typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
	"typealias integer { size = 32; align = 8; signed = true; } := int32_t;\n"
	"typealias integer { size = 5; align = 1; signed = false; } := uint5_t;\n"
	"typealias integer { size = 27; align = 1; signed = false; } := uint27_t;\n"
	"trace { major = 1; minor = 8; byte_order = le;\n"
	"  packet.header := struct { uint32_t magic; uint8_t stream_id; }; };\n"
	"struct event_header { enum : uint5_t { compact = 0 ... 30, extended = 31 } id;\n"
	"  variant <id> { struct { uint27_t timestamp; } compact;\n"
	"    struct { uint32_t id; uint64_t timestamp; } extended; } v; } align(8);\n"
	"stream { id = 0; event.header := struct event_header;\n"
	"  packet.context := struct { uint64_t timestamp_begin; uint64_t timestamp_end;\n"
	"    uint16_t content_size; uint16_t packet_size; uint32_t cpu_id; };\n"
	"  event.context := struct { int32_t tid; }; };\n"
	"event { name = sched_switch; id = 0; stream_id = 0; fields := struct {\n"
	"  integer { size = 8; align = 8; encoding = UTF8; } prev_comm[16]; int32_t prev_tid;\n"
	"  int32_t prev_prio; uint64_t prev_state; int32_t next_tid; }; };\n"
	"event { name = openat; id = 1; stream_id = 0; fields := struct {\n"
	"  int32_t dfd; string filename; uint16_t mode; }; };\n"
	"event { name = poll; id = 2; stream_id = 0; fields := struct { uint8_t n;\n"
	"  struct { int32_t fd; uint16_t events; } fds[n]; uint8_t tail[3]; }; };\n"
	"event { name = big; id = 1000; stream_id = 0; fields := struct { uint64_t n;\n"
	"  uint16_t words[n]; uint32_t last; }; };\n";

static const char bits_text[] =
	"/* CTF 1.8 */\n"
	"typealias integer { size = 32; align = 8; } := uint32_t;\n"
	"typealias integer { size = 3; align = 1; } := uint3_t;\n"
	"typealias integer { size = 13; align = 4; signed = true; } := int13_t;\n"
	"typealias integer { size = 64; align = 1; } := uint64_t;\n"
	"trace { major = 1; minor = 8; byte_order = be; };\n"
	"stream { packet.context := struct { uint32_t content_size; uint3_t x; };\n"
	"  event.header := struct { uint3_t id; int13_t pad; }; };\n"
	"event { name = a; id = 0; fields := struct { uint3_t n; int13_t a[n]; uint64_t b;\n"
	"  integer { size = 16; align = 8; byte_order = le; } c;\n"
	"  floating_point { exp_dig = 8; mant_dig = 24; align = 1; } f; }; };\n"
	"event { name = b; id = 1; fields := struct { uint3_t n; struct { uint3_t m;\n"
	"  struct { uint3_t x; uint64_t y[m]; } in[m]; } out[n]; }; };\n"
	"event { name = c; id = 2; fields := struct { enum : uint3_t { P = 0 ... 2, Q = 3 ... 5 } "
	"t;\n"
	"  variant <t> { int13_t P; struct { uint3_t k; string s; uint3_t v[k]; } Q; } v;\n"
	"  struct { } e[t]; uint3_t end; }; };\n";

static const char nested_text[] =
	"\x1e{\"type\":\"preamble\",\"version\":2}\n"
	"\x1e{\"type\":\"field-class-alias\",\"name\":\"u8\",\"field-class\":{\"type\":"
	"\"fixed-length-unsigned-integer\",\"length\":8,\"alignment\":8,"
	"\"byte-order\":\"little-endian\"}}\n"
	"\x1e{\"type\":\"data-stream-class\",\"event-record-header-field-class\":{\"type\":"
	"\"structure\",\"member-classes\":[{\"name\":\"id\",\"field-class\":{\"type\":"
	"\"variable-length-unsigned-integer\",\"roles\":[\"event-record-class-id\"]}}]}}\n"
	"\x1e{\"type\":\"event-record-class\",\"name\":\"all\",\"payload-field-class\":{\"type\":"
	"\"structure\",\"member-classes\":["
	"{\"name\":\"n\",\"field-class\":\"u8\"},"
	"{\"name\":\"flag\",\"field-class\":{\"type\":\"fixed-length-boolean\",\"length\":3,"
	"\"byte-order\":\"little-endian\"}},"
	"{\"name\":\"opt\",\"field-class\":{\"type\":\"optional\",\"selector-field-location\":"
	"{\"path\":[\"flag\"]},\"field-class\":{\"type\":\"structure\",\"member-classes\":["
	"{\"name\":\"len\",\"field-class\":\"u8\"},{\"name\":\"v\",\"field-class\":"
	"{\"type\":\"variable-length-signed-integer\"}}]}}},"
	"{\"name\":\"text\",\"field-class\":{\"type\":\"dynamic-length-string\","
	"\"length-field-location\":{\"path\":[\"n\"]}}},"
	"{\"name\":\"rows\",\"field-class\":{\"type\":\"dynamic-length-array\","
	"\"length-field-location\":{\"path\":[\"n\"]},\"element-field-class\":"
	"{\"type\":\"structure\",\"member-classes\":[{\"name\":\"sel\",\"field-class\":\"u8\"},"
	"{\"name\":\"var\",\"field-class\":{\"type\":\"variant\",\"selector-field-location\":"
	"{\"path\":[\"sel\"]},\"options\":["
	"{\"selector-field-ranges\":[[0,3]],\"field-class\":{\"type\":\"null-terminated-string\","
	"\"encoding\":\"utf-16le\"}},"
	"{\"selector-field-ranges\":[[4,9]],\"field-class\":{\"type\":\"dynamic-length-blob\","
	"\"length-field-location\":{\"path\":[\"sel\"]}}},"
	"{\"selector-field-ranges\":[[10,200]],\"field-class\":{\"type\":\"static-length-array\","
	"\"length\":2,\"element-field-class\":{\"type\":\"fixed-length-floating-point-number\","
	"\"length\":16,\"byte-order\":\"big-endian\"}}}]}}]}}},"
	"{\"name\":\"none\",\"field-class\":{\"type\":\"dynamic-length-array\","
	"\"length-field-location\":{\"path\":[\"n\"]},\"element-field-class\":{\"type\":"
	"\"optional\","
	"\"selector-field-location\":{\"path\":[\"flag\"]},\"field-class\":\"u8\"}}}"
	"]}}\n";

struct bench { /* a schema and all that reads it */
	struct mer_arena arena;
	struct ctf_schema *schema;
	struct ctf_program *full, *skip;
	struct ctf_plain plain;
};

enum { N_SCHEMAS = 3, POOL_SLOTS = 1 << 16, MAX_EVENTS = 1000 };

static int32_t want_none(
	void *arg, const struct ctf_stream_class *sc, const struct ctf_event_class *ec)
{
	(void)arg;
	(void)sc;
	(void)ec;
	return CTF_UNWANTED;
}

static struct seen seen;

static struct bench *bench_of(unsigned i)
{
	static const char *const texts[N_SCHEMAS] = { kernel_text, bits_text, nested_text };
	static struct bench benches[N_SCHEMAS];
	static struct ctf_plain_field fields[MAX_SEEN];
	struct bench *b = &benches[i];
	struct mer_err err;
	if (b->schema)
		return b;
	seen.fields = fields;
	mer_arena_init(&b->arena);
	int rc = ctf_metadata_read((const uint8_t *)texts[i], strlen(texts[i]), "fuzz", &b->arena,
		NULL, &b->schema, &err);
	if (rc == 0)
		rc = ctf_program_compile(b->schema, NULL, &b->arena, &b->full, &err);
	if (rc == 0)
		rc = ctf_program_compile(b->schema, &(struct ctf_wants){ .event = want_none },
			&b->arena, &b->skip, &err);
	if (rc)
		fprintf(stderr, "%s\n", err.text);
	check(rc == 0 && ctf_plain_init(&b->plain, b->schema, &b->arena));
	b->plain.see = note;
	b->plain.arg = &seen;
	return b;
}

struct reader {
	struct ctf_decoder d;
	struct ctf_pool pool;
	uint64_t *row, *header_row;
};

static void reader_init(struct reader *r, const struct ctf_program *p)
{
	*r = (struct reader){ .d = { .program = p, .pool = &r->pool, .order = -1 } };
	r->pool.cap = POOL_SLOTS;
	r->pool.slots = malloc(POOL_SLOTS * sizeof(uint64_t));
	r->d.regs = calloc(p->n_regs, sizeof(uint64_t));
	r->row = malloc(p->max_slots * sizeof(uint64_t));
	r->header_row = malloc(p->max_slots * sizeof(uint64_t));
	check(r->pool.slots && r->d.regs && r->row && r->header_row);
}

static void reader_fini(struct reader *r)
{
	free(r->pool.slots);
	free(r->d.regs);
	free(r->row);
	free(r->header_row);
}

static enum ctf_status read_event(
	struct reader *r, uint32_t stream, struct ctf_pos *pos, const struct ctf_plan **plan)
{
	const struct ctf_stream_plan *s = &r->d.program->streams[stream];
	const struct ctf_entry *entry;
	r->pool.n = 0;
	enum ctf_status st = ctf_read_header(&r->d, s, s->header_kind, pos, r->header_row, &entry);
	if (st)
		return st;
	*plan = entry->plan;
	return ctf_read_body(&r->d, pos, *plan, r->row);
}

static bool too_long(enum ctf_status s)
{
	return s == CTF_E_END || s == CTF_E_LENGTH || s == CTF_E_ORDER;
}

static void read_events(struct bench *b, struct reader *full, struct reader *skip, uint32_t stream,
	struct ctf_pos pos)
{
	const struct ctf_stream_class *sc = &b->schema->streams[stream];
	struct ctf_pos full_pos = pos, skip_pos = pos;
	const struct ctf_event_class *class;
	const struct ctf_plan *plan, *other;
	for (int i = 0; i < MAX_EVENTS; i++) {
		if (ctf_at_end(&b->full->streams[stream], &pos))
			return;
		uint64_t head = pos.bit;
		seen.n = 0;
		seen.full = false;
		enum ctf_status want = ctf_plain_event(&b->plain, &pos, sc, &class);
		enum ctf_status got = read_event(full, stream, &full_pos, &plan);
		enum ctf_status skipped = read_event(skip, stream, &skip_pos, &other);
		if (got == CTF_E_SPACE)
			return;
		check(got == want);
		check(skipped == want || (too_long(skipped) && too_long(want)));
		if (want)
			return;
		check(pos.bit <= pos.end_bit && pos.bit == full_pos.bit && pos.bit == skip_pos.bit);
		check(pos.clock == full_pos.clock && pos.clock == skip_pos.clock);
		check(plan->class == class && other->class == class);
		for (int s = CTF_SCOPE_COMMON_CONTEXT; s < CTF_N_SCOPES && !seen.full; s++)
			check(same_scope(&seen, plan, (enum ctf_scope)s,
				ctf_scope_fc(b->schema, sc, class, (enum ctf_scope)s), full->row));
		if (pos.bit == head)
			return;
	}
}

/* The plain decoder's idea of a packet's header and context; false: damaged. */
static bool read_plain_header(struct bench *b, const uint8_t *file, uint64_t bytes, uint64_t offset,
	uint32_t stream, struct ctf_packet_info *info, uint64_t *body_bit)
{
	struct ctf_pos pos = { .base = file + offset, .end_bit = (bytes - offset) * 8 };
	*info = (struct ctf_packet_info){ 0 };
	ctf_plain_begin_packet(&b->plain);
	b->plain.info = info;
	enum ctf_status st =
		ctf_plain_read(&b->plain, &pos, CTF_SCOPE_PACKET_HEADER, b->schema->packet_header);
	if (!st)
		st = ctf_plain_read(&b->plain, &pos, CTF_SCOPE_PACKET_CONTEXT,
			b->schema->streams[stream].packet_context);
	b->plain.info = NULL;
	*body_bit = pos.bit;
	return st == CTF_OK;
}

static void read_file(struct bench *b, const uint8_t *file, uint64_t bytes)
{
	struct reader full, skip;
	reader_init(&full, b->full);
	reader_init(&skip, b->skip);
	uint64_t offset = 0;
	while (offset < bytes) {
		struct ctf_packet_info info, other_info, want;
		struct ctf_packet p, other;
		enum ctf_status why;
		uint64_t bit, body_bit;
		enum ctf_packet_status st = ctf_packet_read(&full.d, file, bytes, offset,
			full.header_row, full.row, &info, &p, &why, &bit);
		check(ctf_packet_read(&skip.d, file, bytes, offset, skip.header_row, skip.row,
			      &other_info, &other, &why, &bit) == st);
		check(bit <= (bytes - offset) * 8 && p.size_bits <= (bytes - offset) * 8);
		if (st > CTF_PACKET_TRUNCATED) {
			if (p.size_bits == 0)
				break;
			offset += p.size_bits / 8;
			continue;
		}
		check(p.size_bits > 0 && p.size_bits % 8 == 0 && p.content_bits <= p.size_bits &&
			info.body_bit <= p.content_bits);
		check(read_plain_header(b, file, bytes, offset, p.stream_class, &want, &body_bit));
		want.body_bit = body_bit;
		check(memcmp(&want, &info, sizeof(info)) == 0);
		read_events(b, &full, &skip, p.stream_class,
			ctf_packet_body(&p, body_bit, file, bytes, 0));
		offset += p.size_bits / 8;
	}
	reader_fini(&full);
	reader_fini(&skip);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2)
		return 0;
	/* Of its own size, so that a sanitizer sees what is read beyond it. */
	uint8_t *file = malloc(size - 1);
	check(file);
	memcpy(file, data + 1, size - 1);
	read_file(bench_of(data[0] % N_SCHEMAS), file, size - 1);
	free(file);
	return 0;
}
