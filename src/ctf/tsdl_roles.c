/* Roles: fields of headers and packet contexts that have a meaning by their name (CTF 1.8, sections
 * 5 and 6), and by their clock.
 *
 * A field that counts time is one that names a clock. When none does, and the trace has one clock
 * only, the reserved names "timestamp", "timestamp_begin" and "timestamp_end" mean that clock; and
 * when it has no clock, one of 1 GHz is made up. Babeltrace 2 does the same. */
#include "ctf/tsdl_use.h"

#include <string.h>

struct role_name {
	const char *name;
	uint32_t role;
	bool is_time;
};

static const struct role_name packet_header_roles[] = { { "magic", CTF_ROLE_MAGIC, false },
	{ "uuid", CTF_ROLE_TRACE_UUID, false }, { "stream_id", CTF_ROLE_STREAM_CLASS_ID, false },
	{ "stream_instance_id", CTF_ROLE_STREAM_ID, false }, { NULL, 0, false } };
static const struct role_name packet_context_roles[] = { { "timestamp_begin", CTF_ROLE_TIMESTAMP,
								 true },
	{ "timestamp_end", CTF_ROLE_TIMESTAMP_END, true },
	{ "content_size", CTF_ROLE_CONTENT_SIZE, false },
	{ "packet_size", CTF_ROLE_PACKET_SIZE, false },
	{ "events_discarded", CTF_ROLE_DISCARDED, false },
	{ "packet_seq_num", CTF_ROLE_SEQ_NUM, false }, { "cpu_id", CTF_ROLE_CPU_ID, false },
	{ NULL, 0, false } };
static const struct role_name event_header_roles[] = { { "id", CTF_ROLE_EVENT_ID, false },
	{ "timestamp", CTF_ROLE_TIMESTAMP, true }, { NULL, 0, false } };

struct roles {
	struct tsdl_use *u;
	struct ctf_schema *s;
	const struct role_name *names;
	bool all_times; /* every field with a clock is a time stamp */
	int16_t clock;	/* of the stream; -1: not known yet */
};

/* The clock of a field that counts time by its name only; -1: cannot be told. */
static int16_t only_clock(struct roles *r, const struct tsdl_member *m)
{
	struct ctf_schema *s = r->s;
	if (s->n_clocks > 1) {
		tsdl_warn_at(r->u->t, m->start,
			"this field names no clock, and there are several: its time is not used");
		return -1;
	}
	if (s->n_clocks == 0) {
		/* The array has room for it. */
		s->clocks[0] = (struct ctf_clock){ .name = "default", .freq_hz = 1000000000 };
		s->n_clocks = 1;
	}
	return 0;
}

static void set_role(struct roles *r, const struct tsdl_member *m, struct ctf_field *f,
	const struct role_name *name)
{
	struct tsdl *t = r->u->t;
	bool is_int = m->type->kind == TSDL_INT || m->type->kind == TSDL_ENUM;
	if (name && name->role == CTF_ROLE_TRACE_UUID) {
		struct ctf_fc *fc = f->fc;
		bool is_text = fc->kind == CTF_TEXT && fc->u.text.ref.reg == CTF_NO_REG &&
			       fc->u.text.len_bytes == 16;
		bool is_array = fc->kind == CTF_ARRAY && fc->u.array.ref.reg == CTF_NO_REG &&
				fc->u.array.n == 16 && fc->u.array.element.fc->kind == CTF_INT &&
				fc->u.array.element.fc->u.bits.len_bits == 8;
		if (!is_text && !is_array)
			tsdl_fail_at(t, MER_ERR_INPUT, m->start,
				"the packet header's uuid must be an array of 16 integers of 8 bits");
		if (is_text)
			fc->kind = CTF_BLOB;
		f->roles |= name->role;
		return;
	}
	if (name && !is_int)
		tsdl_fail_at(t, MER_ERR_INPUT, m->start, "this field must be an integer, not %s",
			tsdl_kind_name(m->type));
	if (name && name->role == CTF_ROLE_MAGIC && f->fc->u.bits.len_bits != 32)
		tsdl_fail_at(
			t, MER_ERR_INPUT, m->start, "the packet header's magic must have 32 bits");
	if (name && name->is_time && f->clock < 0)
		f->clock = only_clock(r, m);
	if (name && (!r->all_times || !name->is_time))
		f->roles |= name->role;
	if (r->all_times && is_int && f->clock >= 0)
		f->roles |= CTF_ROLE_TIMESTAMP;
	if ((f->roles & (CTF_ROLE_TIMESTAMP | CTF_ROLE_TIMESTAMP_END)) && f->clock >= 0) {
		if (r->clock >= 0 && r->clock != f->clock)
			tsdl_fail_at(t, MER_ERR_INPUT, m->start,
				"this stream's time stamps are of more than one clock");
		r->clock = f->clock;
	}
}

static void walk(struct roles *r, const struct tsdl_type *type, struct ctf_fc *fc, bool is_top)
{
	for (uint32_t i = 0; i < type->n; i++) {
		const struct tsdl_member *m = &type->members[i];
		struct ctf_field *f = type->kind == TSDL_STRUCT ? &fc->u.record.fields[i]
								: &fc->u.variant.options[i].field;
		const char *written = mer_intern_text(&r->u->t->names, m->name);
		const struct role_name *name = r->names;
		while (name->name && strcmp(name->name, written) != 0)
			name++;
		bool is_compound = m->type->kind == TSDL_STRUCT || m->type->kind == TSDL_VARIANT;
		bool is_int = m->type->kind == TSDL_INT || m->type->kind == TSDL_ENUM;
		set_role(r, m, f, name->name && (is_top || is_int) ? name : NULL);
		if (is_compound)
			walk(r, m->type, f->fc, false);
	}
}

void tsdl_packet_header_roles(struct tsdl_use *u, struct ctf_schema *s)
{
	const struct tsdl_level_root *root = &u->levels[LEVEL_PACKET_HEADER];
	struct roles r = { .u = u, .s = s, .names = packet_header_roles, .clock = -1 };
	if (root->type)
		walk(&r, root->type, root->fc, true);
}

int16_t tsdl_stream_roles(struct tsdl_use *u, struct ctf_schema *s)
{
	struct roles r = { .u = u, .s = s, .clock = -1 };
	const struct tsdl_level_root *header = &u->levels[LEVEL_EVENT_HEADER];
	const struct tsdl_level_root *context = &u->levels[LEVEL_PACKET_CONTEXT];
	r.names = event_header_roles;
	r.all_times = true;
	if (header->type)
		walk(&r, header->type, header->fc, true);
	r.names = packet_context_roles;
	r.all_times = false;
	if (context->type)
		walk(&r, context->type, context->fc, true);
	return r.clock;
}
