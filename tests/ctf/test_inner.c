/* Fields inside of a wanted field of which only some are wanted, and addresses read as numbers: as
 * packet headers are read. One record, value by value, where whole words can be read behind it and
 * where they cannot. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "ctf/decode.h"
#include "ctf/metadata.h"

static const char text[] =
	"/* CTF 1.8 */\n"
	"typealias integer { size = 8; align = 8; signed = false; } := u8;\n"
	"typealias integer { size = 16; align = 8; signed = false; byte_order = be; } := be16;\n"
	"typealias integer { size = 4; align = 4; signed = false; byte_order = be; } := be4;\n"
	"trace { major = 1; minor = 8; byte_order = le; };\n"
	"stream { event.header := struct { u8 id; }; };\n"
	"event { name = \"e\"; id = 0; fields := struct {\n"
	"  string name;\n"
	"  enum : u8 { none = 0, ip = 1, many = 2 ... 40 } kind;\n"
	"  variant <kind> {\n"
	"    struct { } none;\n"
	"    struct { be4 version; be4 ihl; be16 skipped; u8 from[4]; u8 n; u8 list[n]; be16 last; } "
	"ip;\n"
	"    be16 many;\n"
	"  } header;\n"
	"  u8 end;\n"
	"}; };\n";

static const uint8_t record[] = { 'l', 'o', 0, 1, 0x45, 0xaa, 0xbb, 127, 0, 0, 1, 2, 7, 8, 0x12,
	0x34, 99 };

/* What it was called with: fields, and where they are. */
struct calls {
	unsigned n, n_inside;
};

static enum ctf_inner want_inner(
	void *arg, const struct ctf_event_class *ec, const struct ctf_field *f, int *where)
{
	struct calls *c = arg;
	assert_string_equal(ec->name, "e");
	c->n++;
	c->n_inside += *where == 5;
	if (strcmp(f->name, "header") == 0) {
		assert_int_equal(*where, 0);
		*where = 4;
	} else if (strcmp(f->name, "ip") == 0) {
		assert_int_equal(*where, 4);
		*where = 5;
	}
	if (strcmp(f->name, "skipped") == 0 || strcmp(f->name, "n") == 0 ||
		strcmp(f->name, "list") == 0)
		return CTF_INNER_UNWANTED;
	return strcmp(f->name, "from") == 0 ? CTF_INNER_PACKED : CTF_INNER_WANTED;
}

struct reading {
	struct mer_arena arena, diag_arena;
	struct mer_diags diags;
	struct ctf_program *p;
	uint64_t row[64], regs[64], pool[64];
	struct ctf_pool slots;
};

static const struct ctf_plan *begin(struct reading *r, struct calls *calls)
{
	struct mer_err err = { 0 };
	struct ctf_schema *s;
	struct ctf_wants wants = { .arg = calls, .inner = calls ? want_inner : NULL };
	memset(r, 0, sizeof(*r));
	mer_arena_init(&r->arena);
	mer_arena_init(&r->diag_arena);
	mer_diags_init(&r->diags, &r->diag_arena);
	if (ctf_metadata_read((const uint8_t *)text, sizeof(text) - 1, "metadata", &r->arena,
		    &r->diags, &s, &err) ||
		ctf_program_compile(s, &wants, &r->arena, &r->p, &err))
		fail_msg("%s", err.text);
	assert_true(r->p->n_regs <= 64 && r->p->max_slots <= 64);
	return &r->p->streams[0].events[0];
}

static void end(struct reading *r)
{
	mer_diags_fini(&r->diags);
	mer_arena_fini(&r->diag_arena);
	mer_arena_fini(&r->arena);
}

/* mapped: bytes behind the record that can be read. */
static enum ctf_status read_record(
	struct reading *r, const struct ctf_plan *plan, size_t mapped, size_t content)
{
	static const uint8_t after[16];
	uint8_t *data = malloc(sizeof(record) + mapped);
	memcpy(data, record, sizeof(record));
	memcpy(data + sizeof(record), after, mapped);
	r->slots = (struct ctf_pool){ r->pool, 0, 64 };
	memset(r->row, 0xee, sizeof(r->row));
	struct ctf_decoder d = { .program = r->p, .regs = r->regs, .pool = &r->slots, .order = -1 };
	struct ctf_pos pos = {
		.base = data, .end_bit = content * 8, .mapped_bit = (sizeof(record) + mapped) * 8
	};
	enum ctf_status st = ctf_execute(&d, &pos, plan->first_op, r->row);
	if (st == CTF_OK)
		assert_int_equal(pos.bit, sizeof(record) * 8);
	free(data);
	return st;
}

static const uint64_t *member(const struct reading *r, const struct ctf_plan *plan, uint32_t i)
{
	return r->row + plan->slots[CTF_SCOPE_PAYLOAD][i];
}

static void all_or_some(void **state)
{
	(void)state;
	for (int some = 0; some < 2; some++)
		for (size_t mapped = 0; mapped <= 16; mapped += 4) {
			struct reading r;
			struct calls calls = { 0 };
			const struct ctf_plan *plan = begin(&r, some ? &calls : NULL);
			assert_int_equal(read_record(&r, plan, mapped, sizeof(record)), CTF_OK);
			assert_int_equal(*member(&r, plan, 1), 1);
			assert_int_equal(*member(&r, plan, 3), 99);
			/* The option, then version, ihl, skipped, from (2), n, list (2), last. */
			const uint64_t *header = member(&r, plan, 2);
			assert_int_equal(header[0], 1);
			assert_int_equal(header[1], 4);
			assert_int_equal(header[2], 5);
			assert_int_equal(header[9], 0x1234);
			if (some) {
				assert_int_equal(header[4], 0x7f000001);
				assert_int_equal(r.slots.n, 0); /* nobody wants an array */
				assert_true(header[3] != 0xaabb);
				/* name, kind, header, its 3 options, 7 in ip, end */
				assert_int_equal(calls.n, 14);
				assert_int_equal(calls.n_inside, 7);
			} else {
				const uint64_t *from = (const uint64_t *)(uintptr_t)header[5];
				assert_int_equal(header[3], 0xaabb);
				assert_int_equal(header[4], 4);
				assert_int_equal(from[0], 127);
				assert_int_equal(from[3], 1);
				assert_int_equal(r.slots.n, 6);
			}
			end(&r);
		}
}

/* Wherever the packet ends: no value is read beyond it. */
static void cut_off(void **state)
{
	(void)state;
	struct reading r;
	struct calls calls = { 0 };
	const struct ctf_plan *plan = begin(&r, &calls);
	for (size_t n = 0; n < sizeof(record); n++) {
		enum ctf_status st = read_record(&r, plan, 16, n);
		assert_true(st == CTF_E_END || st == CTF_E_LENGTH);
	}
	end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_or_some),
		cmocka_unit_test(cut_off),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
