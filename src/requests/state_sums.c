#include "requests/state_sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

struct summing {
	const struct requests_kinds *k;
	struct requests_state_sums *s;
	struct mer_map rows; /* hash of what it is -> row, plus 1 */
};

static bool add(struct summing *x, const struct requests_part *p)
{
	struct requests_state_sums *s = x->s;
	const char *state = requests_part_state(x->k->r, p);
	if (!state)
		return true;
	const char *program = requests_program(x->k, p->host, p->task);
	uint32_t key[] = { x->k->of[p->exchange],
		mer_intern_add(&s->names, program, strlen(program)),
		mer_intern_add(&s->names, state, strlen(state)) };
	uint32_t *at = key[1] == MER_INTERN_NONE || key[2] == MER_INTERN_NONE
			       ? NULL
			       : mer_map_put(&x->rows, mer_hash(key, sizeof(key)));
	if (!at || !mer_grow(&s->rows, s->n, &s->cap, sizeof(*s->rows)))
		return false;
	if (!*at) {
		s->rows[s->n++] = (struct requests_state_row){
			.kind = key[0], .program = key[1], .state = key[2]
		};
		*at = (uint32_t)s->n;
	}
	/* Whoever the program is, requester or server: what it did in the state. */
	unsigned kind = p->kind == REQUESTS_REQUESTER ? requests_part_kind_of(p) : p->kind;
	s->rows[*at - 1].ns += p->end - p->begin;
	s->rows[*at - 1].parts_ns[kind] += p->end - p->begin;
	return true;
}

static int by_kind_and_time(const void *a, const void *b)
{
	const struct requests_state_row *p = a, *q = b;
	if (p->kind != q->kind)
		return p->kind < q->kind ? -1 : 1;
	if (p->ns != q->ns)
		return p->ns > q->ns ? -1 : 1;
	if (p->program != q->program)
		return p->program < q->program ? -1 : 1;
	return (p->state > q->state) - (p->state < q->state);
}

int requests_state_sum(const struct requests_kinds *k, struct requests_parts_finder *f,
	const uint32_t *which, uint32_t n, struct requests_state_sums *s, struct mer_err *err)
{
	struct summing x = { .k = k, .s = s };
	struct requests_parts parts = { 0 };
	int rc = 0;
	*s = (struct requests_state_sums){ 0 };
	mer_arena_init(&s->arena);
	mer_intern_init(&s->names, &s->arena);
	for (uint32_t i = 0; rc == 0 && i < n; i++) {
		const struct requests_exchange *e = &k->r->exchanges[which[i]];
		if (e->n_messages > 1 || e->is_damaged)
			continue;
		rc = requests_parts_find(f, which[i], &parts, err);
		for (size_t p = 0; rc == 0 && p < parts.n; p++)
			if (parts.item[p].exchange == which[i] && !add(&x, &parts.item[p]))
				rc = mer_fail_nomem(err);
	}
	if (s->n)
		qsort(s->rows, s->n, sizeof(*s->rows), by_kind_and_time);
	requests_parts_fini(&parts);
	mer_map_fini(&x.rows);
	return rc;
}

void requests_state_sums_fini(struct requests_state_sums *s)
{
	free(s->rows);
	mer_intern_fini(&s->names);
	mer_arena_fini(&s->arena);
}
