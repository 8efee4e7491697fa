/* What the plain decoder saw against the rows that a program filled. For tests and fuzzers. */
#ifndef MER_TESTS_PLAIN_ROWS_H
#define MER_TESTS_PLAIN_ROWS_H

#include <math.h>
#include <string.h>
#include "ctf/plain.h"

enum { MAX_SEEN = 1 << 16, MAX_MEMBERS = 64 };

struct seen {
	struct ctf_plain_field *fields;
	size_t n;
	bool full;
	size_t first[CTF_N_SCOPES][MAX_MEMBERS]; /* of each member of a scope's structure */
	unsigned members[CTF_N_SCOPES];
};

static inline void note(void *arg, const struct ctf_plain_field *f)
{
	struct seen *s = arg;
	if (f->step == CTF_PLAIN_END)
		return;
	if (f->depth == 0)
		s->members[f->scope] = 0;
	if (f->depth == 1 && s->members[f->scope] < MAX_MEMBERS)
		s->first[f->scope][s->members[f->scope]++] = s->n;
	if (s->n == MAX_SEEN) {
		s->full = true;
		return;
	}
	s->fields[s->n++] = *f;
}

static inline double float_of(const struct ctf_plain_field *f)
{
	double d;
	float s;
	uint32_t w = (uint32_t)f->value;
	switch (f->fc->u.bits.len_bits) {
	case 64: memcpy(&d, &f->value, 8); return d;
	case 32: memcpy(&s, &w, 4); return (double)s;
	default: {
		int e = w >> 10 & 31, frac = w & 1023;
		d = e == 31 ? (frac ? (double)NAN : (double)INFINITY)
		    : e	    ? ldexp(1024 + frac, e - 25)
			    : ldexp(frac, -24);
		return w & 0x8000 ? -d : d;
	}
	}
}

/* The row at slot holds what the plain decoder saw from s->fields[*at] on. */
static inline bool same(
	const struct seen *s, size_t *at, const struct ctf_fc *fc, const uint64_t *slot)
{
	const struct ctf_plain_field *f = &s->fields[(*at)++];
	if (f->fc != fc)
		return false;
	switch (fc->kind) {
	case CTF_BIT_ARRAY:
	case CTF_BIT_MAP:
	case CTF_BOOL:
	case CTF_INT:
	case CTF_VARINT: return slot[0] == f->value;
	case CTF_FLOAT: {
		double want = float_of(f), got;
		memcpy(&got, slot, 8);
		return isnan(want) ? isnan(got) : memcmp(&want, &got, 8) == 0;
	}
	case CTF_STRING:
	case CTF_TEXT:
	case CTF_BLOB: return slot[0] == (uintptr_t)f->bytes && slot[1] == f->n_bytes;
	case CTF_STRUCT:
		for (uint32_t i = 0; i < fc->u.record.n; i++) {
			if (!same(s, at, fc->u.record.fields[i].fc, slot))
				return false;
			slot += ctf_slot_width(fc->u.record.fields[i].fc);
		}
		return true;
	case CTF_ARRAY: {
		const uint64_t *rows = (const uint64_t *)(uintptr_t)slot[1];
		uint32_t width = ctf_slot_width(fc->u.array.element.fc);
		if (slot[0] != f->value)
			return false;
		for (uint64_t i = 0; i < slot[0]; i++)
			if (!same(s, at, fc->u.array.element.fc, rows + (width ? i * width : 0)))
				return false;
		return true;
	}
	case CTF_VARIANT:
		return slot[0] == f->value &&
		       same(s, at, fc->u.variant.options[f->value].field.fc, slot + 1);
	case CTF_OPTIONAL:
		return slot[0] == f->value &&
		       (!f->value || same(s, at, fc->u.optional.content.fc, slot + 1));
	}
	return false;
}

/* Wanted members of a scope: those with a slot. */
static inline bool same_scope(const struct seen *s, const struct ctf_plan *plan,
	enum ctf_scope scope, const struct ctf_fc *fc, const uint64_t *row)
{
	for (uint32_t i = 0; fc && i < fc->u.record.n; i++) {
		uint32_t slot = plan->slots[scope][i];
		size_t at = s->first[scope][i];
		if (slot != CTF_NO_SLOT && !same(s, &at, fc->u.record.fields[i].fc, row + slot))
			return false;
	}
	return true;
}

#endif
