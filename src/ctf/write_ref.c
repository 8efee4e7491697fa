/* References back to fields: a schema keeps registers, metadata languages want names. */
#include "ctf/write.h"

/* Looks for the register in f and below; names are filled in from depth on. Fields inside of an
 * array or an optional cannot be referred to from outside: they may not exist. */
static bool search(const struct ctf_field *f, uint16_t reg, unsigned depth, struct ctf_target *t)
{
	if (depth > CTF_MAX_DEPTH)
		return false;
	t->names[depth] = f->name;
	if (f->reg == reg) {
		t->field = f;
		t->n_names = depth + 1;
		t->plain = true;
		return true;
	}
	const struct ctf_fc *fc = f->fc;
	if (fc->kind == CTF_VARIANT) {
		for (uint32_t i = fc->u.variant.n; i-- > 0;) {
			const struct ctf_fc *o = fc->u.variant.options[i].field.fc;
			for (uint32_t k = o->kind == CTF_STRUCT ? o->u.record.n : 0; k-- > 0;)
				if (search(&o->u.record.fields[k], reg, depth + 1, t)) {
					t->plain = false;
					return true;
				}
		}
	} else if (fc->kind == CTF_STRUCT) {
		for (uint32_t i = fc->u.record.n; i-- > 0;)
			if (search(&fc->u.record.fields[i], reg, depth + 1, t))
				return true;
	}
	return false;
}

static bool search_members(
	const struct ctf_fc *record, uint32_t n, uint16_t reg, struct ctf_target *t)
{
	for (uint32_t i = n; i-- > 0;)
		if (search(&record->u.record.fields[i], reg, 0, t)) {
			t->member = i;
			return true;
		}
	return false;
}

bool ctf_find_target(const struct ctf_write_place *p, uint16_t reg, struct ctf_target *t)
{
	for (uint32_t i = p->depth; i-- > 0;)
		if (search_members(p->frames[i].record, p->frames[i].at, reg, t)) {
			t->scope = p->scope;
			t->frame = (int)i;
			return true;
		}
	for (unsigned s = p->scope; s-- > 0;)
		if (p->scopes[s] &&
			search_members(p->scopes[s], p->scopes[s]->u.record.n, reg, t)) {
			t->scope = (enum ctf_scope)s;
			t->frame = -1;
			return true;
		}
	return false;
}
