/* Rows of all hosts from what each of them has: as joined.c, table.c and rows.c make them of
 * states, in the same order. */
#include <stdlib.h>
#include <string.h>

#include "analysis/fold/partial.h"
#include "analysis/partial.h"
#include "base/grow.h"

struct merging {
	const struct fold_plan *p;
	struct fold_merge *m;
	struct mer_table *t;
	struct fold_partial *of; /* by host */
	struct mer_arena arena;	 /* what is read */
	struct fold_terms terms;
	size_t n_terms;
	uint64_t n_seen;
};

/* ---- Reading ---- */

static int damaged(struct merging *x, uint32_t host)
{
	return mer_fail(x->m->run->err, MER_ERR_INPUT,
		"what host %.100s has for the table '%s' is damaged, or of other options",
		x->m->hosts[host].name, x->t->id);
}

static int read_all(struct merging *x)
{
	const struct fold_merge *m = x->m;
	int rc = 0;
	for (uint32_t h = 0; h < m->n_hosts && rc == 0; h++) {
		const struct analysis_partial_bytes *b = &m->hosts[h].of[m->request];
		struct fold_partial *own = &x->of[h];
		bool ok = fold_partial_read(x->p, b->bytes, b->n, &x->arena, own);
		if (x->arena.failed)
			return mer_fail_nomem(m->run->err);
		if (ok && own->n_rows && x->n_terms == SIZE_MAX)
			x->n_terms = own->n_terms;
		if (!ok || (own->n_rows && own->n_terms != x->n_terms))
			rc = damaged(x, h);
		x->n_seen += own->n_seen;
		x->t->time_ns += own->time_ns;
		x->t->unknown_ns += own->unknown_ns;
	}
	x->n_terms = x->n_terms == SIZE_MAX ? 0 : x->n_terms;
	return rc;
}

/* ---- Rows of single hosts ---- */

struct own_row {
	const struct merging *x;
	uint32_t host;
	size_t row;
};

static int compare_own(const void *a, const void *b)
{
	const struct own_row *p = a, *q = b;
	const struct merging *x = p->x;
	const struct fold_rank *r = &x->of[p->host].ranks[p->row * x->n_terms],
			       *s = &x->of[q->host].ranks[q->row * x->n_terms];
	int c = 0;
	if (x->p->fold->shape == FOLD_ROWS && x->n_terms)
		c = (r->number > s->number) - (r->number < s->number);
	else if (x->n_terms)
		c = fold_ranks_compare(&x->terms, r, s);
	if (c == 0 && p->host != q->host)
		c = p->host < q->host ? -1 : 1;
	return c ? c : (p->row > q->row) - (p->row < q->row);
}

/* Hosts have other numbers here. */
static void number_hosts(struct merging *x, uint32_t host)
{
	struct fold_partial *own = &x->of[host];
	for (size_t i = 0; i < x->terms.n && x->n_terms == x->terms.n; i++)
		for (size_t r = 0; x->terms.of[i].key && r < own->n_rows &&
				   x->terms.of[i].key->what == FOLD_KEY_HOST;
			r++)
			own->ranks[r * x->n_terms + i].number = host;
}

static int add_own_rows(struct merging *x)
{
	struct fold_merge *m = x->m;
	const struct fold_plan *p = x->p;
	size_t n = 0, i = 0;
	if (p->fold->shape != FOLD_ROWS && x->n_terms && x->n_terms != x->terms.n)
		return damaged(x, 0);
	for (uint32_t h = 0; h < m->n_hosts; h++)
		n += x->of[h].n_rows;
	struct own_row *list = malloc((n + 1) * sizeof(*list));
	if (!list)
		return mer_fail_nomem(m->run->err);
	for (uint32_t h = 0; h < m->n_hosts; h++) {
		if (p->fold->shape != FOLD_ROWS)
			number_hosts(x, h);
		for (size_t r = 0; r < x->of[h].n_rows; r++)
			list[i++] = (struct own_row){ x, h, r };
	}
	qsort(list, n, sizeof(*list), compare_own);
	if (p->fold->shape == FOLD_ROWS) {
		n = p->limit && n > p->limit ? p->limit : n;
		x->t->n_left_out = x->n_seen > n ? x->n_seen - n : 0;
	}
	size_t host = mer_table_column(x->t, "host");
	for (i = 0; i < n; i++) {
		struct fold_partial *own = &x->of[list[i].host];
		const struct analysis_left_row *left = &own->left[list[i].row];
		struct mer_cell *cells = &own->cells[list[i].row * p->n_columns];
		/* Where several hosts have one name, they are told apart here alone. */
		if (host != SIZE_MAX && cells[host].set)
			cells[host] = mer_text(m->hosts[list[i].host].name);
		if (!m->leaves_out || left->why == ANALYSIS_KEPT)
			mer_table_add(x->t, cells);
		else
			analysis_left_out_add(m->sum, left);
	}
	free(list);
	return x->t->failed ? mer_fail_nomem(m->run->err) : 0;
}

/* ---- Groups of several hosts ---- */

struct joining {
	struct merging *x;
	struct fold_joined j; /* rows alone: they have no parts here */
	struct joined_row {
		uint32_t row;
		const struct joining *of;
		struct fold_rank ranks[FOLD_MAX_TERMS]; /* of its first group */
		struct mer_cell *cells;			/* likewise: keys, functions */
	} * rows;
	size_t cap;
};

static bool word_of(struct joining *g, const struct fold_rank *from, int64_t *word)
{
	*word = from->number;
	if (!from->text)
		return true;
	uint32_t id = mer_intern_add(&g->j.texts, from->text, strlen(from->text));
	*word = id;
	return id != MER_INTERN_NONE;
}

/* What functions of the parts of a row gave, of two hosts. */
static int add_made(struct joining *g, const struct mer_cell *from, struct mer_cell *to)
{
	const struct fold_plan *p = g->x->p;
	for (uint32_t i = 0; i < p->n_derived; i++) {
		const struct fold_derived *d = &p->derived[i];
		const struct fold_cell *c = d->cell;
		struct mer_cell *sum = &to[d->column];
		bool is_made = c->op == FOLD_FUNCTION || c->op == FOLD_DIFFERENT;
		if (!is_made || c->is_key || !from[d->column].set)
			continue;
		if (c->op == FOLD_FUNCTION && !c->adds)
			return mer_fail(g->x->m->run->err, MER_ERR_USAGE,
				"the column '%s' cannot be made of those of single hosts: group by host as well",
				c->key);
		if (!sum->set)
			*sum = from[d->column];
		else if (__builtin_add_overflow(sum->v.i, from[d->column].v.i, &sum->v.i))
			sum->v.i = INT64_MAX;
	}
	return 0;
}

static int join(struct joining *g, struct fold_partial *own, size_t row)
{
	struct merging *x = g->x;
	const struct fold_plan *p = x->p;
	struct mer_err *err = x->m->run->err;
	int64_t words[FOLD_MAX_KEYS + 2];
	uint32_t before = g->j.rows.n;
	for (size_t i = 0; i < own->n_words; i++)
		if (!word_of(g, &own->words[row * own->n_words + i], &words[i]))
			return mer_fail_nomem(err);
	uint32_t at = fold_group_of(&g->j.rows, words);
	if (at == KERNEL_NONE ||
		!fold_join_slots(p, fold_group_row(&g->j.rows, at) + g->j.rows.n_keys,
			&own->slots[row * own->n_slots]))
		return mer_fail_nomem(err);
	struct mer_cell *cells = &own->cells[row * p->n_columns];
	if (at < before)
		return add_made(g, cells, g->rows[at].cells);
	if (!mer_grow(&g->rows, at, &g->cap, sizeof(*g->rows)))
		return mer_fail_nomem(err);
	g->rows[at] = (struct joined_row){ .row = at, .of = g, .cells = cells };
	memcpy(g->rows[at].ranks, &own->ranks[row * own->n_terms],
		own->n_terms * sizeof(struct fold_rank));
	return 0;
}

static int compare_joined(const void *a, const void *b)
{
	const struct joined_row *p = a, *q = b;
	int c = fold_ranks_compare(&p->of->x->terms, p->ranks, q->ranks);
	return c ? c : (p->row > q->row) - (p->row < q->row);
}

/* Terms that are sums are those of all hosts. */
static void rank_rows(struct joining *g)
{
	const struct fold_terms *terms = &g->x->terms;
	for (uint32_t r = 0; r < g->j.rows.n; r++)
		for (size_t i = 0; i < terms->n; i++)
			if (terms->of[i].sum)
				g->rows[r].ranks[i] = (struct fold_rank){
					fold_joined_slots(
						&g->j, r)[terms->of[i].sum->at[terms->of[i].bit]],
					NULL
				};
	if (g->j.rows.n)
		qsort(g->rows, g->j.rows.n, sizeof(*g->rows), compare_joined);
}

static int put_rows(struct joining *g)
{
	struct merging *x = g->x;
	const struct fold_plan *p = x->p;
	struct fold_context c = { .j = &g->j, .columns = UINT64_MAX };
	int rc = 0;
	for (uint32_t h = 0; h < x->m->n_hosts; h++) {
		c.range = x->of[h].range > c.range ? x->of[h].range : c.range;
		if (__builtin_add_overflow(c.capacity, x->of[h].capacity, &c.capacity))
			c.capacity = INT64_MAX;
	}
	c.asked = c.range;
	for (uint32_t i = 0; i < g->j.rows.n && rc == 0; i++) {
		const struct joined_row *r = &g->rows[i];
		struct mer_cell cells[FOLD_MAX_COLUMNS] = { 0 };
		for (uint32_t k = 0; k < p->n_columns; k++)
			if (p->plan_of[k].what == FOLD_COLUMN_KEY)
				cells[k] = r->cells[k];
		c.row = r->row;
		c.slots = fold_joined_slots(&g->j, r->row);
		c.made = r->cells;
		rc = fold_row_add(&c, cells, x->t);
	}
	return rc;
}

/* Columns that no host has recorded: of those that have rows. */
static void forget(struct merging *x)
{
	uint64_t all = UINT64_MAX;
	bool any = false;
	for (uint32_t h = 0; h < x->m->n_hosts; h++) {
		any |= x->of[h].n_rows > 0;
		all &= x->of[h].n_rows ? x->of[h].forgotten : UINT64_MAX;
	}
	for (size_t r = 0; any && r < x->t->n_rows; r++)
		for (size_t c = 0; c < x->t->n_columns; c++) {
			struct mer_cell *cell = &x->t->cells[r * x->t->n_columns + c];
			if (all >> c & 1 && cell->set && cell->v.i == 0)
				*cell = MER_NONE;
		}
}

static int add_groups(struct merging *x)
{
	const struct fold_plan *p = x->p;
	struct joining g = { .x = x };
	int rc = 0;
	if (x->n_terms != x->terms.n && x->n_terms)
		return damaged(x, 0);
	g.j = (struct fold_joined){ .plan = p, .keys = &p->scopes[0], .run = x->m->run };
	fold_groups_init(&g.j.rows, p, (uint32_t)fold_n_words(&p->scopes[0]));
	mer_arena_init(&g.j.arena);
	mer_intern_init(&g.j.texts, &g.j.arena);
	for (uint32_t h = 0; h < x->m->n_hosts && rc == 0; h++)
		for (size_t r = 0; r < x->of[h].n_rows && rc == 0; r++)
			rc = join(&g, &x->of[h], r);
	if (rc == 0) {
		rank_rows(&g);
		rc = put_rows(&g);
	}
	free(g.rows);
	fold_joined_fini(&g.j);
	if (rc == 0 && p->fold->finish)
		rc = p->fold->finish(x->m->run, x->t, x->n_seen);
	if (rc == 0)
		forget(x);
	return rc;
}

int fold_merge(const struct fold_plan *p, struct fold_merge *m, struct mer_table *t)
{
	struct merging x = { .p = p, .m = m, .t = t, .n_terms = SIZE_MAX };
	mer_arena_init(&x.arena);
	x.of = mer_arena_zalloc(&x.arena, m->n_hosts + 1u, sizeof(*x.of));
	if (p->fold->shape != FOLD_ROWS && p->fold->shape != FOLD_BINS)
		fold_terms_find(p, &p->scopes[0], p->fold->order, &x.terms);
	int rc = x.of ? read_all(&x) : mer_fail_nomem(m->run->err);
	if (rc == 0)
		rc = fold_is_by_host(p) ? add_own_rows(&x) : add_groups(&x);
	for (uint32_t h = 0; x.of && h < m->n_hosts; h++)
		fold_partial_fini(p, &x.of[h]);
	mer_arena_fini(&x.arena);
	if (rc == 0) {
		fold_cells_share(p, t);
		fold_filter_rows(p, t);
	}
	return rc;
}
