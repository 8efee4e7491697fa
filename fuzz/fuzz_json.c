/* Fuzzer of the CTF 2 metadata parser: no input may crash it, and what it accepts keeps the
 * promises that schema.h makes. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "ctf/metadata.h"
#include "check.h"

static void check_class(const struct ctf_schema *s, const struct ctf_fc *fc, unsigned depth);

static void check_field(const struct ctf_schema *s, const struct ctf_field *f, unsigned depth)
{
	check(f->name && f->fc);
	check(f->reg <= s->n_regs);
	check(f->clock == -1);
	check_class(s, f->fc, depth);
}

static void check_ref(const struct ctf_schema *s, const struct ctf_ref *ref)
{
	check(ref->reg != CTF_NO_REG && ref->reg <= s->n_regs && ref->path);
}

static void check_ranges(const struct ctf_range *ranges, uint32_t n, bool is_signed)
{
	for (uint32_t i = 0; i < n; i++)
		check(is_signed ? (int64_t)ranges[i].lo <= (int64_t)ranges[i].hi
				: ranges[i].lo <= ranges[i].hi);
}

static void check_bits(const struct ctf_fc *fc)
{
	unsigned len = fc->u.bits.len_bits;
	check(fc->kind == CTF_VARINT ? len == 0 : len >= 1 && len <= 64);
	check(fc->kind != CTF_FLOAT || len == 16 || len == 32 || len == 64);
	for (uint32_t i = 0; i < fc->u.bits.n_mappings; i++) {
		check(fc->u.bits.mappings[i].label);
		check_ranges(fc->u.bits.mappings[i].ranges, fc->u.bits.mappings[i].n_ranges,
			fc->u.bits.is_signed);
	}
}

static void check_variant(const struct ctf_schema *s, const struct ctf_fc *fc, unsigned depth)
{
	check_ref(s, &fc->u.variant.ref);
	for (uint32_t i = 0; i < fc->u.variant.n; i++) {
		const struct ctf_option *o = &fc->u.variant.options[i];
		check_field(s, &o->field, depth);
		check_ranges(o->ranges, o->n_ranges, fc->u.variant.ref.is_signed);
	}
}

static void check_class(const struct ctf_schema *s, const struct ctf_fc *fc, unsigned depth)
{
	check(depth <= CTF_MAX_DEPTH);
	check(fc->align_bits && (fc->align_bits & (fc->align_bits - 1)) == 0);
	switch (fc->kind) {
	case CTF_STRING: return;
	case CTF_TEXT:
	case CTF_BLOB:
		if (fc->u.text.ref.path)
			check_ref(s, &fc->u.text.ref);
		return;
	case CTF_STRUCT:
		for (uint32_t i = 0; i < fc->u.record.n; i++)
			check_field(s, &fc->u.record.fields[i], depth + 1);
		return;
	case CTF_ARRAY:
		if (fc->u.array.ref.path)
			check_ref(s, &fc->u.array.ref);
		check_field(s, &fc->u.array.element, depth + 1);
		return;
	case CTF_OPTIONAL:
		check_ref(s, &fc->u.optional.ref);
		check_field(s, &fc->u.optional.content, depth + 1);
		return;
	case CTF_VARIANT: check_variant(s, fc, depth + 1); return;
	default: check_bits(fc);
	}
}

static void check_root(const struct ctf_schema *s, const struct ctf_fc *fc)
{
	if (!fc)
		return;
	check(fc->kind == CTF_STRUCT);
	check_class(s, fc, 0);
}

static void check_stream(const struct ctf_schema *s, const struct ctf_stream_class *c)
{
	check(c->clock >= -1 && c->clock < (int64_t)s->n_clocks);
	check_root(s, c->packet_context);
	check_root(s, c->event_header);
	check_root(s, c->event_context);
	for (uint32_t i = 0; i < c->n_events; i++) {
		const struct ctf_event_class *e = &c->events[i];
		check(e->name);
		check(i == 0 || c->events[i - 1].id < e->id);
		check_root(s, e->specific_context);
		check_root(s, e->payload);
	}
}

static void check_schema(const struct ctf_schema *s)
{
	check(s->major == 2 && s->n_regs <= CTF_MAX_REGS);
	for (uint32_t i = 0; i < s->n_clocks; i++)
		check(s->clocks[i].name && s->clocks[i].freq_hz);
	for (uint32_t i = 0; i < s->n_env; i++)
		check(s->env[i].name);
	check_root(s, s->packet_header);
	for (uint32_t i = 0; i < s->n_streams; i++) {
		check(i == 0 || s->streams[i - 1].id < s->streams[i].id);
		check_stream(s, &s->streams[i]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mer_arena arena, diag_arena;
	struct mer_diags diags;
	struct mer_err err = { 0 };
	struct ctf_schema *schema = NULL;
	mer_arena_init(&arena);
	mer_arena_init(&diag_arena);
	mer_diags_init(&diags, &diag_arena);
	int rc = ctf_json_parse((const char *)data, size, "fuzz", &arena, &diags, &schema, &err);
	if (rc == 0)
		check_schema(schema);
	else
		check(err.code == rc && strncmp(err.text, "fuzz:", 5) == 0);
	mer_diags_fini(&diags);
	mer_arena_fini(&diag_arena);
	mer_arena_fini(&arena);
	return 0;
}
