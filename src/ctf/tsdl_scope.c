/* Scopes: which names can be seen.
 *
 * All symbols form one stack; those of a scope are its top part, and leaving the scope pops them.
 * heads[] finds the newest symbol of a name in one step, each symbol knows the one that it hides:
 *
 *   heads[name, space] -> symbol -> symbol of an outer scope -> ...
 *
 * Field names are symbols too. So the nearest field before a place, in the innermost structure
 * that has one of that name, is what tsdl_find(SPACE_FIELD) gives. */
#include "ctf/tsdl_type.h"

#include <stdlib.h>

static uint32_t head_of(enum tsdl_space space, uint32_t name)
{
	return name * N_SPACES + (uint32_t)space;
}

void tsdl_scope_open(struct tsdl *t)
{
	t->scope++;
}

void tsdl_scope_close(struct tsdl *t)
{
	while (t->n_symbols > 0 && t->symbols[t->n_symbols - 1].scope == t->scope) {
		const struct tsdl_symbol *s = &t->symbols[--t->n_symbols];
		t->heads[s->head] = s->older;
	}
	t->scope--;
}

const struct tsdl_symbol *tsdl_find(const struct tsdl *t, enum tsdl_space space, uint32_t name)
{
	uint32_t head = head_of(space, name);
	return head < t->n_heads && t->heads[head] ? &t->symbols[t->heads[head] - 1] : NULL;
}

void tsdl_define(struct tsdl *t, enum tsdl_space space, uint32_t name, const char *start,
	struct tsdl_type *type, struct tsdl_type *owner, uint32_t index)
{
	static const char *const what[N_SPACES] = { "a type", "a structure", "a variant",
		"an enumeration", "a field", "an option" };
	if (name >= UINT32_MAX / N_SPACES - 1)
		tsdl_fail_at(t, MER_ERR_LIMIT, start, "too many names");
	uint32_t head = head_of(space, name);
	if (head >= t->n_heads) {
		uint32_t cap = t->n_heads;
		tsdl_grow(t, (void **)&t->heads, &cap, head, sizeof(*t->heads));
		for (uint32_t i = t->n_heads; i < cap; i++)
			t->heads[i] = 0;
		t->n_heads = cap;
	}
	const struct tsdl_symbol *hidden = tsdl_find(t, space, name);
	if (hidden && hidden->scope == t->scope)
		tsdl_fail_at(t, MER_ERR_INPUT, start, "there is %s of this name here already",
			what[space]);
	tsdl_grow(t, (void **)&t->symbols, &t->cap_symbols, t->n_symbols, sizeof(*t->symbols));
	t->symbols[t->n_symbols++] = (struct tsdl_symbol){ .head = head,
		.older = t->heads[head],
		.scope = t->scope,
		.index = index,
		.type = type,
		.owner = owner };
	t->heads[head] = t->n_symbols;
}

void tsdl_scopes_fini(struct tsdl *t)
{
	free(t->symbols);
	free(t->heads);
	free(t->members);
	t->symbols = NULL;
	t->heads = NULL;
	t->members = NULL;
}
