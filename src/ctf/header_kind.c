#include "ctf/header_kind.h"

static bool is_uint(const struct ctf_field *f, unsigned len, unsigned align_bits)
{
	return f->fc->kind == CTF_INT && f->fc->u.bits.len_bits == len &&
	       !f->fc->u.bits.is_signed && f->fc->u.bits.order == CTF_LE &&
	       !f->fc->u.bits.reversed && (align_bits == 0 || f->fc->align_bits == align_bits);
}

static const struct ctf_option *option_for(const struct ctf_fc *v, uint64_t value)
{
	for (uint32_t i = 0; i < v->u.variant.n; i++)
		for (uint32_t r = 0; r < v->u.variant.options[i].n_ranges; r++)
			if (value >= v->u.variant.options[i].ranges[r].lo &&
				value <= v->u.variant.options[i].ranges[r].hi)
				return &v->u.variant.options[i];
	return NULL;
}

bool ctf_is_lttng_header(const struct ctf_fc *h, unsigned id_bits, unsigned time_bits)
{
	if (h->u.record.n != 2 || h->align_bits != 8)
		return false;
	const struct ctf_field *id = &h->u.record.fields[0], *v = &h->u.record.fields[1];
	if (!is_uint(id, id_bits, 0) || id->roles != CTF_ROLE_EVENT_ID ||
		v->fc->kind != CTF_VARIANT || v->fc->u.variant.ref.reg != id->reg)
		return false;
	uint64_t extended = (1u << id_bits) - 1;
	const struct ctf_option *small = option_for(v->fc, 0), *big = option_for(v->fc, extended);
	if (!small || !big || small->n_ranges != 1 || small->ranges[0].hi != extended - 1 ||
		big->n_ranges != 1 || big->ranges[0].lo != extended)
		return false;
	const struct ctf_fc *s = small->field.fc, *b = big->field.fc;
	if (s->kind != CTF_STRUCT || b->kind != CTF_STRUCT || s->u.record.n != 1 ||
		b->u.record.n != 2)
		return false;
	const struct ctf_field *t = &s->u.record.fields[0], *bi = &b->u.record.fields[0],
			       *bt = &b->u.record.fields[1];
	return !t->reg && !bi->reg && !bt->reg && is_uint(t, time_bits, id_bits == 5 ? 1 : 8) &&
	       t->roles == CTF_ROLE_TIMESTAMP && is_uint(bi, 32, 8) &&
	       bi->roles == CTF_ROLE_EVENT_ID && is_uint(bt, 64, 8) &&
	       bt->roles == CTF_ROLE_TIMESTAMP && s->align_bits <= (id_bits == 5 ? 1u : 8u) &&
	       b->align_bits == 8;
}

bool ctf_is_plain_header(struct ctf_stream_plan *s, const struct ctf_fc *h)
{
	uint64_t bit = 0;
	bool id = false, time = false;
	s->plain.id_size = 0;
	if (h->align_bits != 8)
		return false;
	for (uint32_t i = 0; i < h->u.record.n; i++) {
		const struct ctf_field *f = &h->u.record.fields[i];
		if (f->fc->kind != CTF_INT || f->fc->align_bits > 8 || f->reg || bit % 8 ||
			bit > 1000)
			return false;
		unsigned len = f->fc->u.bits.len_bits;
		if (len % 8 || !is_uint(f, len, 0))
			return false;
		if (f->roles == CTF_ROLE_EVENT_ID && !id &&
			(len == 8 || len == 16 || len == 32 || len == 64)) {
			id = true;
			s->plain.id_at = (uint8_t)(bit / 8);
			s->plain.id_size = (uint8_t)(len / 8);
		} else if (f->roles == CTF_ROLE_TIMESTAMP && !time && len == 64) {
			time = true;
			s->plain.time_at = (uint8_t)(bit / 8);
		} else if (f->roles) {
			return false;
		}
		bit += len;
	}
	s->plain.size = (uint8_t)(bit / 8);
	return id && time && bit % 8 == 0;
}
