/* What one host has for a table. */
#include "analysis/fold/partial.h"

#include <stdlib.h>
#include <string.h>

bool fold_is_by_host(const struct fold_plan *p)
{
	return p->fold->shape == FOLD_ROWS || p->fold->shape == FOLD_BINS || p->scopes[0].by_host;
}

size_t fold_n_words(const struct fold_keys *keys)
{
	size_t n = 0;
	for (uint32_t i = 0; i < keys->n; i++)
		n += keys->keys[i].what != FOLD_KEY_HOST;
	return n;
}

/* ---- Bytes ---- */

static void walk_rank(struct mer_walk *w, struct fold_rank *r)
{
	MER_WALK(w, r->number);
	mer_walk_text(w, &r->text);
}

static void walk_left(struct mer_walk *w, struct analysis_left_row *x)
{
	uint8_t why = (uint8_t)x->why;
	MER_WALK(w, why);
	w->failed |= why > ANALYSIS_STARTED;
	x->why = w->failed ? ANALYSIS_KEPT : (enum analysis_left_why)why;
	if (x->why == ANALYSIS_KEPT)
		return;
	MER_WALK(w, x->n);
	MER_WALK(w, x->ns);
}

static void write_histogram(struct mer_walk *w, int64_t histogram)
{
	size_t n;
	struct fold_bucket *list = fold_histogram_list(histogram, &n);
	w->failed |= !list;
	n = mer_walk_count(w, list ? n : 0);
	for (size_t i = 0; i < n; i++) {
		MER_WALK(w, list[i].bucket);
		MER_WALK(w, list[i].n);
	}
	free(list);
}

static void read_histogram(struct mer_walk *w, int64_t *histogram)
{
	size_t n = mer_walk_count(w, 0);
	*histogram = 0;
	for (size_t i = 0; i < n && !w->failed; i++) {
		struct fold_bucket b = { 0 };
		MER_WALK(w, b.bucket);
		MER_WALK(w, b.n);
		w->failed |= b.bucket > fold_bucket(INT64_MAX) ||
			     !fold_histogram_add(histogram, b.bucket, b.n);
	}
}

static void walk_values(struct mer_walk *w, int64_t *values)
{
	size_t n = 0;
	const int64_t *list = mer_walk_writes(w) ? fold_values_list(*values, &n) : NULL;
	n = mer_walk_count(w, n);
	if (!mer_walk_writes(w))
		*values = 0;
	for (size_t i = 0; i < n && !w->failed; i++) {
		int64_t v = list ? list[i] : 0;
		MER_WALK(w, v);
		if (!list)
			w->failed |= !fold_values_add(values, v);
	}
}

static bool has(const uint16_t *list, uint32_t n, size_t slot)
{
	for (uint32_t i = 0; i < n; i++)
		if (list[i] == slot)
			return true;
	return false;
}

static void walk_slots(struct mer_walk *w, const struct fold_groups *g, int64_t *slots, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (has(g->lists, g->n_lists, i))
			walk_values(w, &slots[i]);
		else if (!has(g->owned, g->n_owned, i))
			MER_WALK(w, slots[i]);
		else if (mer_walk_writes(w))
			write_histogram(w, slots[i]);
		else
			read_histogram(w, &slots[i]);
	}
}

/* Numbers of things, and lengths, are none below 0. */
static bool are_sums(const struct fold_plan *p, const int64_t *slots)
{
	for (uint32_t i = 0; i < p->n_sums; i++) {
		const struct fold_sum *s = &p->sums[i];
		if ((s->has & FOLD_HAS_COUNT && slots[s->at[0]] < 0) ||
			(s->has & FOLD_HAS_LENGTHS && slots[s->at[10]] < 0))
			return false;
	}
	return true;
}

static void walk(struct mer_walk *w, const struct fold_plan *p, struct fold_partial *x)
{
	struct fold_groups slots;
	fold_groups_init(&slots, p, 0);
	x->by_host = mer_walk_flag(w, x->by_host);
	MER_WALK(w, x->n_seen);
	MER_WALK(w, x->range);
	MER_WALK(w, x->capacity);
	MER_WALK(w, x->time_ns);
	MER_WALK(w, x->unknown_ns);
	MER_WALK(w, x->forgotten);
	MER_WALK(w, x->n_terms);
	MER_WALK(w, x->n_words);
	MER_WALK(w, x->n_slots);
	x->n_rows = mer_walk_count(w, x->n_rows);
	/* What was written for another plan is none of ours. */
	w->failed |= x->by_host != fold_is_by_host(p) || x->n_terms > FOLD_MAX_TERMS ||
		     x->n_words != (x->by_host ? 0 : fold_n_words(&p->scopes[0])) ||
		     x->n_slots != (x->by_host ? 0 : p->n_slots) || x->range < 0 || x->capacity < 0;
	x->cells = mer_walk_room(w, x->cells, x->n_rows * p->n_columns, sizeof(*x->cells));
	x->ranks = mer_walk_room(w, x->ranks, x->n_rows * x->n_terms, sizeof(*x->ranks));
	x->left = mer_walk_room(w, x->left, x->n_rows * x->by_host, sizeof(*x->left));
	x->words = mer_walk_room(w, x->words, x->n_rows * x->n_words, sizeof(*x->words));
	x->slots = mer_walk_room(w, x->slots, x->n_rows * x->n_slots, sizeof(*x->slots));
	for (size_t r = 0; r < x->n_rows && !w->failed; r++) {
		mer_walk_cells(w, p->columns, p->n_columns, &x->cells[r * p->n_columns]);
		for (size_t i = 0; i < x->n_terms; i++)
			walk_rank(w, &x->ranks[r * x->n_terms + i]);
		for (size_t i = 0; i < x->n_words; i++)
			walk_rank(w, &x->words[r * x->n_words + i]);
		if (x->by_host)
			walk_left(w, &x->left[r]);
		else
			walk_slots(w, &slots, &x->slots[r * x->n_slots], x->n_slots);
		w->failed |= !x->by_host && !are_sums(p, &x->slots[r * x->n_slots]);
	}
}

bool fold_partial_read(const struct fold_plan *p, const char *bytes, size_t n,
	struct mer_arena *arena, struct fold_partial *x)
{
	struct mer_walk w = { .p = bytes, .end = bytes + n, .arena = arena };
	*x = (struct fold_partial){ 0 };
	walk(&w, p, x);
	return !w.failed && w.p == w.end;
}

void fold_partial_fini(const struct fold_plan *p, struct fold_partial *x)
{
	struct fold_groups g;
	fold_groups_init(&g, p, 0);
	for (size_t r = 0; x->slots && x->n_slots && r < x->n_rows; r++) {
		for (uint32_t i = 0; i < g.n_owned; i++)
			fold_histogram_free(x->slots[r * x->n_slots + g.owned[i]]);
		for (uint32_t i = 0; i < g.n_lists; i++)
			fold_values_free(x->slots[r * x->n_slots + g.lists[i]]);
	}
	x->slots = NULL;
}

/* ---- Of a host ---- */

struct making {
	const struct fold_plan *p;
	struct analysis_run *run;
	struct fold_state **states; /* by host: those of this one alone */
	struct mer_table t;	    /* the host's rows, finished */
	struct fold_ranks ranks;
	struct fold_joined j; /* of groups */
	struct fold_partial x;
};

/* Rows in the host's order, finished as if it were the only host. */
static int make_table(struct making *m)
{
	const struct fold_plan *p = m->p;
	struct analysis_run *run = m->run;
	uint64_t n_seen = fold_n_seen(run->world->n_hosts, m->states);
	int rc = fold_emit_rows(p, run, m->states, &m->t, &m->ranks);
	if (p->fold->shape == FOLD_ROWS) /* of those that are selected */
		m->x.n_seen = m->t.n_left_out + m->t.n_rows;
	size_t n = m->t.n_rows, bytes = n * m->t.n_columns * sizeof(struct mer_cell);
	/* What a group does not show is only known of its rows before and after. */
	struct mer_cell *before = rc == 0 && !m->x.by_host ? malloc(bytes + 1) : NULL;
	if (before && bytes)
		memcpy(before, m->t.cells, bytes);
	if (rc == 0 && !m->x.by_host && !before)
		rc = mer_fail_nomem(run->err);
	if (rc == 0 && p->fold->finish)
		rc = p->fold->finish(run, &m->t, n_seen);
	for (size_t i = 0; before && rc == 0 && m->t.n_rows == n && i < n * m->t.n_columns; i++)
		if (before[i].set && !m->t.cells[i].set)
			m->x.forgotten |= (uint64_t)1 << i % m->t.n_columns;
	free(before);
	if (rc == 0 && m->x.by_host && m->ranks.n_terms && m->ranks.n_rows != m->t.n_rows)
		rc = mer_fail(run->err, MER_ERR_USAGE,
			"the table '%s' cannot be made of those of single hosts", m->t.id);
	return rc;
}

/* Ordered by host first, rows of hosts follow each other. */
static void find_ranks(struct making *m)
{
	const struct fold_plan *p = m->p;
	char first[64] = "";
	const char *order = p->fold->order;
	if (p->fold->shape == FOLD_ROWS) {
		m->ranks.n_terms = 1;
		return;
	}
	if (p->fold->shape == FOLD_BINS)
		return;
	fold_list_next(&order, first, sizeof(first));
	fold_terms_find(p, &p->scopes[0], p->fold->order, &m->ranks.terms);
	m->ranks.n_terms = m->x.by_host && strcmp(first, "host") == 0 ? 0 : m->ranks.terms.n;
}

static int make_rows(struct making *m, bool idle)
{
	struct fold_partial *x = &m->x;
	x->n_rows = m->t.n_rows;
	x->cells = m->t.cells;
	x->ranks = m->ranks.of;
	x->n_terms = m->ranks.n_terms;
	x->left = calloc(x->n_rows + 1, sizeof(*x->left));
	if (!x->left)
		return mer_fail_nomem(m->run->err);
	/* Sums over time have all of it. */
	return m->p->fold->shape == FOLD_BINS ? 0
					      : analysis_judge_rows(m->run, &m->t, idle, x->left);
}

/* What the group is told apart by, as it is on any host. */
static void put_words(const struct making *m, uint32_t row, struct fold_rank *words)
{
	const struct fold_keys *keys = m->j.keys;
	const int64_t *numbers = fold_group_row(&m->j.rows, row);
	for (uint32_t k = 0; k < keys->n; k++) {
		if (keys->keys[k].what == FOLD_KEY_HOST)
			continue;
		words->number = *numbers++;
		if (fold_key_is_text(keys, &keys->keys[k]) &&
			(uint64_t)words->number < m->j.texts.n) {
			words->text = mer_intern_text(&m->j.texts, (uint32_t)words->number);
			words->number = 0;
		}
		words++;
	}
}

/* The groups of the host, joined as they are for its own table. */
static int make_groups(struct making *m)
{
	const struct fold_plan *p = m->p;
	struct fold_partial *x = &m->x;
	const struct fold_keys *keys = &p->scopes[0];
	int rc = fold_joined_make(p, keys, m->run, m->states, KERNEL_NONE, &m->j);
	struct fold_joined *j = &m->j;
	x->n_rows = rc ? 0 : j->rows.n;
	x->n_terms = m->ranks.n_terms;
	x->n_words = fold_n_words(keys);
	x->n_slots = p->n_slots;
	x->cells = calloc(x->n_rows * p->n_columns + 1, sizeof(*x->cells));
	x->ranks = calloc(x->n_rows * x->n_terms + 1, sizeof(*x->ranks));
	x->words = calloc(x->n_rows * x->n_words + 1, sizeof(*x->words));
	x->slots = calloc(x->n_rows * x->n_slots + 1, sizeof(*x->slots));
	if (rc == 0 && (!x->cells || !x->ranks || !x->words || !x->slots))
		rc = mer_fail_nomem(m->run->err);
	for (uint32_t r = 0; r < x->n_rows && rc == 0; r++) {
		struct mer_cell *cells = &x->cells[r * p->n_columns];
		struct fold_context c = { .j = j,
			.row = r,
			.slots = fold_joined_slots(j, r),
			.range = x->range,
			.capacity = x->capacity,
			.asked = x->range,
			.columns = UINT64_MAX };
		fold_key_cells(j, r, cells);
		rc = fold_cells_fill(&c, cells);
		fold_ranks_of(j, &m->ranks.terms, r, &x->ranks[r * x->n_terms]);
		memcpy(&x->slots[r * x->n_slots], c.slots, x->n_slots * sizeof(*c.slots));
		put_words(m, r, &x->words[r * x->n_words]);
	}
	return rc;
}

int fold_partial_write(const struct fold_plan *p, struct analysis_run *run,
	struct fold_state *const *states, uint32_t host, bool idle, struct mer_str *out)
{
	struct making m = { .p = p, .run = run };
	struct fold_partial *x = &m.x;
	m.states = calloc((size_t)run->world->n_hosts + 1, sizeof(struct fold_state *));
	if (!m.states)
		return mer_fail_nomem(run->err);
	m.states[host] = states[host];
	mer_table_init(&m.t, "partial", NULL, p->columns, &run->arena);
	x->by_host = fold_is_by_host(p);
	x->n_seen = fold_n_seen(run->world->n_hosts, m.states);
	fold_find_range(run, host, &x->range, &x->capacity);
	find_ranks(&m);
	int rc = make_table(&m);
	if (rc == 0)
		rc = x->by_host ? make_rows(&m, idle) : make_groups(&m);
	x->time_ns = m.t.time_ns;
	x->unknown_ns = m.t.unknown_ns;
	struct mer_walk w = { .out = out };
	if (rc == 0)
		walk(&w, p, x);
	if (rc == 0 && (out->failed || m.t.failed || run->arena.failed))
		rc = mer_fail_nomem(run->err);
	else if (rc == 0 && w.failed)
		rc = mer_fail(run->err, MER_ERR_BUG, "a host's table is not as its plan says");
	if (!x->by_host) {
		free(x->cells);
		free(x->ranks);
		free(x->words);
		free(x->slots);
		fold_joined_fini(&m.j);
	}
	free(x->left);
	free(m.ranks.of);
	mer_table_fini(&m.t);
	free(m.states);
	return rc;
}
