#include "ask/answer.h"

#include <assert.h>
#include <string.h>

#include "base/map.h"
#include "trace/experiment.h"

void answer_init(struct answer *a, const struct mer_experiment *e)
{
	*a = (struct answer){ .begin = MER_NO_TIME, .end = MER_NO_TIME, .e = e };
	mer_arena_init(&a->arena);
}

void answer_fini(struct answer *a)
{
	for (size_t i = 0; i < a->n; i++) {
		struct answer_table *x = &a->tables[i];
		if (x->table == &x->own)
			mer_table_fini(&x->own);
		if (x->more)
			mer_arena_fini(&x->texts);
	}
	if (a->found == &a->taken)
		mer_diags_fini(&a->taken);
	mer_arena_fini(&a->arena);
	a->n = 0;
}

static struct answer_table *add(struct answer *a)
{
	assert(a->n < ANSWER_TABLES);
	struct answer_table *x = &a->tables[a->n++];
	*x = (struct answer_table){ .table = &x->own };
	return x;
}

struct mer_table *answer_add(
	struct answer *a, const char *id, const char *title, const struct mer_column *columns)
{
	struct answer_table *x = add(a);
	mer_table_init(&x->own, id, title, columns, &a->arena);
	return &x->own;
}

struct mer_table *answer_add_beside(
	struct answer *a, const char *id, const char *title, const struct mer_column *columns)
{
	struct mer_table *t = answer_add(a, id, title, columns);
	a->tables[a->n - 1].is_beside = true;
	return t;
}

void answer_add_made(struct answer *a, struct mer_table *t)
{
	add(a)->table = t;
}

void answer_stream(struct answer *a, const char *id, const char *title,
	const struct mer_column *columns, answer_more *more, void *ctx)
{
	struct answer_table *x = add(a);
	x->more = more;
	x->ctx = ctx;
	mer_arena_init(&x->texts);
	mer_table_init(&x->own, id, title, columns, &x->texts);
}

void answer_stream_beside(struct answer *a, const char *id, const char *title,
	const struct mer_column *columns, answer_more *more, void *ctx)
{
	answer_stream(a, id, title, columns, more, ctx);
	a->tables[a->n - 1].is_beside = true;
}

struct mer_table *answer_find(const struct answer *a, const char *id)
{
	for (size_t i = 0; i < a->n; i++)
		if (strcmp(a->tables[i].table->id, id) == 0)
			return a->tables[i].table;
	return NULL;
}

size_t answer_rows(const struct mer_table *t)
{
	return t ? t->n_rows : 0;
}

/* NULL: not known, or a text although it is to be none, or the other way round. */
static const struct mer_cell *cell_at(
	const struct mer_table *t, size_t row, const char *key, bool is_text, enum mer_type *type)
{
	size_t c = row < answer_rows(t) ? mer_table_column(t, key) : SIZE_MAX;
	if (c == SIZE_MAX || (t->columns[c].type == MER_TEXT) != is_text)
		return NULL;
	const struct mer_cell *cell = &t->cells[row * t->n_columns + c];
	*type = t->columns[c].type;
	return cell->set ? cell : NULL;
}

bool answer_int(const struct mer_table *t, size_t row, const char *key, int64_t *v)
{
	enum mer_type type;
	const struct mer_cell *cell = cell_at(t, row, key, false, &type);
	bool is = cell && !mer_type_is_real(type);
	if (is)
		*v = cell->v.i;
	return is;
}

bool answer_real(const struct mer_table *t, size_t row, const char *key, double *v)
{
	enum mer_type type;
	const struct mer_cell *cell = cell_at(t, row, key, false, &type);
	if (cell)
		*v = mer_type_is_real(type) ? cell->v.f : (double)cell->v.i;
	return cell != NULL;
}

const char *answer_text(const struct mer_table *t, size_t row, const char *key)
{
	enum mer_type type;
	const struct mer_cell *cell = cell_at(t, row, key, true, &type);
	return cell ? cell->v.text : NULL;
}

int answer_next(struct answer_table *x, struct mer_err *err)
{
	x->own.n_rows = 0;
	mer_arena_reset(&x->texts);
	int rc = x->more(x->ctx, &x->own, err);
	return rc == 0 && (x->own.failed || x->texts.failed) ? mer_fail_nomem(err) : rc;
}

int answer_check(const struct answer *a, struct mer_err *err)
{
	bool failed = a->arena.failed;
	for (size_t i = 0; i < a->n; i++)
		failed |= a->tables[i].table->failed;
	return failed ? mer_fail_nomem(err) : 0;
}

/* ---- Copies ---- */

struct copying {
	struct answer *to;
	struct mer_intern texts; /* many are equal */
	bool failed;		 /* memory ran out: a text is missing */
};

static const char *copy_text(struct copying *c, const char *text)
{
	uint32_t id = text ? mer_intern_add(&c->texts, text, strlen(text)) : MER_INTERN_NONE;
	c->failed |= text && id == MER_INTERN_NONE;
	return id == MER_INTERN_NONE ? NULL : mer_intern_text(&c->texts, id);
}

static const struct mer_column *copy_columns(struct copying *c, const struct mer_table *t)
{
	struct mer_column *to = mer_arena_zalloc(&c->to->arena, t->n_columns + 1, sizeof(*to));
	for (size_t i = 0; to && i < t->n_columns; i++)
		to[i] = (struct mer_column){ copy_text(c, t->columns[i].key),
			copy_text(c, t->columns[i].title), t->columns[i].type };
	return to;
}

static void copy_rows(struct copying *c, const struct mer_table *from, struct mer_table *to)
{
	for (size_t r = 0; r < from->n_rows; r++) {
		mer_table_add(to, from->cells + r * from->n_columns);
		if (to->failed)
			return;
		struct mer_cell *row = to->cells + (to->n_rows - 1) * to->n_columns;
		for (size_t i = 0; i < to->n_columns; i++)
			if (to->columns[i].type == MER_TEXT && row[i].set)
				row[i] = mer_text(copy_text(c, row[i].v.text));
	}
}

static int copy_table(struct copying *c, struct answer_table *x, struct mer_err *err)
{
	const struct mer_table *from = x->table;
	const struct mer_column *columns = copy_columns(c, from);
	int rc = 0;
	if (!columns || c->failed) /* a column without a key would be the end of them */
		return mer_fail_nomem(err);
	struct mer_table *to =
		answer_add(c->to, copy_text(c, from->id), copy_text(c, from->title), columns);
	c->to->tables[c->to->n - 1].is_beside = x->is_beside;
	to->n_left_out = from->n_left_out;
	to->time_ns = from->time_ns;
	to->unknown_ns = from->unknown_ns;
	if (!x->more)
		copy_rows(c, from, to);
	while (x->more && (rc = answer_next(x, err)) == 0 && x->own.n_rows)
		copy_rows(c, &x->own, to);
	return rc;
}

static const struct session_synced *copy_synced(
	struct copying *c, const struct session_synced *from)
{
	struct session_synced *to = mer_arena_zalloc(&c->to->arena, 1, sizeof(*to));
	if (!to)
		return NULL;
	*to = *from;
	to->reference = copy_text(c, from->reference);
	to->one_sided = copy_text(c, from->one_sided);
	to->contradictory = copy_text(c, from->contradictory);
	to->file = copy_text(c, from->file);
	return to;
}

int answer_take(struct answer *to, struct answer *from, struct mer_err *err)
{
	struct copying c = { .to = to };
	size_t n = 0;
	const struct mer_diag *rows = from->e ? trace_findings(from->e, &n) : NULL;
	int rc = answer_check(from, err);
	mer_intern_init(&c.texts, &to->arena);
	for (size_t i = 0; rc == 0 && i < from->n; i++)
		rc = copy_table(&c, &from->tables[i], err);
	to->begin = from->begin;
	to->end = from->end;
	to->synced = from->synced ? copy_synced(&c, from->synced) : NULL;
	to->e = NULL;
	mer_diags_init(&to->taken, &to->arena);
	to->found = &to->taken;
	if (from->found)
		mer_diags_merge(&to->taken, from->found);
	for (size_t i = 0; i < n; i++)
		mer_diag_add(&to->taken, &rows[i], "%s", rows[i].message);
	mer_intern_fini(&c.texts);
	if (rc == 0)
		rc = c.failed ? mer_fail_nomem(err) : answer_check(to, err);
	to->is_whole = rc == 0;
	return rc;
}
