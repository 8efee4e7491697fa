/* Results: created, read, freed. Rows, columns and cells that do not exist are unknown; nothing
 * outside of a table is accessed. */
#include <stdlib.h>
#include <string.h>

#include "ask/library/api.h"
#include "base/err.h"
#include "base/table_write.h"

int api_new_result(const char *id, const char *title, const struct mer_column *columns,
	struct mer_result **result, struct mer_err *err)
{
	struct mer_result *r = *result = calloc(1, sizeof(*r));
	if (!r)
		return mer_fail_nomem(err);
	r->n_holders = 1;
	mer_arena_init(&r->arena);
	mer_intern_init(&r->texts, &r->arena);
	if (columns)
		mer_table_init(&r->own, id, title, columns, &r->arena);
	r->table = &r->own;
	return 0;
}

int api_begin(const struct mer_session *s, struct mer_result **result, struct mer_err *err)
{
	*result = NULL;
	return s->is_open ? 0 : mer_fail(err, MER_ERR_USAGE, "the session is not open");
}

int api_begin_table(const struct mer_session *s, const char *id, const char *title,
	const struct mer_column *columns, struct mer_result **result, struct mer_err *err)
{
	int rc = api_begin(s, result, err);
	return rc ? rc : api_new_result(id, title, columns, result, err);
}

struct mer_cell api_text(struct mer_result *r, const char *text)
{
	if (!*text)
		return MER_NONE;
	uint32_t id = mer_intern_add(&r->texts, text, strlen(text));
	r->own.failed |= id == MER_INTERN_NONE;
	return id == MER_INTERN_NONE ? MER_NONE : mer_text(mer_intern_text(&r->texts, id));
}

void api_keep_texts(struct mer_result *r)
{
	struct mer_table *t = &r->own;
	for (size_t i = 0; i < t->n_rows * t->n_columns; i++)
		if (t->columns[i % t->n_columns].type == MER_TEXT && t->cells[i].set)
			t->cells[i] = api_text(r, t->cells[i].v.text);
}

int api_end(struct mer_result **result, int rc, struct mer_err *err)
{
	struct mer_result *r = *result;
	if (rc == 0 && (!r || r->table->failed))
		rc = mer_fail_nomem(err);
	if (rc) {
		mer_result_free(r);
		*result = NULL;
	}
	return rc;
}

void mer_result_free(struct mer_result *r)
{
	if (!r || atomic_fetch_sub(&r->n_holders, 1) > 1)
		return;
	if (r->own.columns)
		mer_table_fini(&r->own);
	api_answer_release(r->answer);
	mer_intern_fini(&r->texts);
	mer_arena_fini(&r->arena);
	free(r);
}

/* ---- Table and columns ---- */

const struct api_answer *api_answer(const struct mer_result *r)
{
	return r->answer;
}

const struct mer_table *api_table(const struct mer_result *r)
{
	return r->table;
}

size_t mer_result_n_rows(const struct mer_result *r)
{
	return r->table->n_rows;
}

size_t mer_result_n_columns(const struct mer_result *r)
{
	return r->table->n_columns;
}

uint64_t mer_result_n_left_out(const struct mer_result *r)
{
	return r->table->n_left_out;
}

bool mer_result_window(const struct mer_result *r, int64_t *begin, int64_t *end)
{
	const struct session_answer *a = r->answer ? &r->answer->answer : NULL;
	if (!a || a->begin == MER_NO_TIME)
		return false;
	*begin = a->begin;
	*end = a->end;
	return true;
}

const char *mer_result_sorted(const struct mer_result *r)
{
	return r->sorted;
}

const char *mer_result_id(const struct mer_result *r)
{
	return r->table->id;
}

const char *mer_result_title(const struct mer_result *r)
{
	return r->table->title;
}

size_t mer_result_column(const struct mer_result *r, const char *key)
{
	size_t c = mer_table_column(r->table, key);
	return c == SIZE_MAX ? r->table->n_columns : c;
}

static const struct mer_column *column_of(const struct mer_result *r, size_t column)
{
	return column < r->table->n_columns ? &r->table->columns[column] : NULL;
}

const char *mer_result_key(const struct mer_result *r, size_t column)
{
	const struct mer_column *c = column_of(r, column);
	return c ? c->key : NULL;
}

const char *mer_result_column_title(const struct mer_result *r, size_t column)
{
	const struct mer_column *c = column_of(r, column);
	return c ? c->title : NULL;
}

const char *mer_result_type(const struct mer_result *r, size_t column)
{
	const struct mer_column *c = column_of(r, column);
	return c ? mer_type_name(c->type) : NULL;
}

const char *mer_result_unit(const struct mer_result *r, size_t column)
{
	const struct mer_column *c = column_of(r, column);
	return c ? mer_column_unit(c) : NULL;
}

enum mer_value mer_result_value(const struct mer_result *r, size_t column)
{
	const struct mer_column *c = column_of(r, column);
	return !c || c->type == MER_TEXT   ? MER_VALUE_TEXT
	       : mer_type_is_real(c->type) ? MER_VALUE_REAL
					   : MER_VALUE_INT;
}

/* ---- Cells ---- */

/* NULL: unknown, not there, or of another kind. */
static const struct mer_cell *cell_of(
	const struct mer_result *r, size_t row, size_t column, enum mer_value kind)
{
	const struct mer_table *t = r->table;
	if (row >= t->n_rows || column >= t->n_columns || mer_result_value(r, column) != kind)
		return NULL;
	const struct mer_cell *c = &t->cells[row * t->n_columns + column];
	return c->set ? c : NULL;
}

bool mer_result_int(const struct mer_result *r, size_t row, size_t column, int64_t *value)
{
	const struct mer_cell *c = cell_of(r, row, column, MER_VALUE_INT);
	if (c)
		*value = c->v.i;
	return c;
}

bool mer_result_real(const struct mer_result *r, size_t row, size_t column, double *value)
{
	const struct mer_cell *c = cell_of(r, row, column, MER_VALUE_REAL);
	if (c)
		*value = mer_table_real(r->table->columns[column].type, c);
	return c;
}

bool mer_result_text(const struct mer_result *r, size_t row, size_t column, const char **value)
{
	const struct mer_cell *c = cell_of(r, row, column, MER_VALUE_TEXT);
	if (c)
		*value = c->v.text;
	return c;
}

/* Rows of the column from first on, n at most. */
static size_t count_rows(
	const struct mer_result *r, size_t column, size_t first, size_t n, enum mer_value kind)
{
	const struct mer_table *t = r->table;
	if (first >= t->n_rows || column >= t->n_columns || mer_result_value(r, column) != kind)
		return 0;
	return n < t->n_rows - first ? n : t->n_rows - first;
}

size_t mer_result_ints(const struct mer_result *r, size_t column, size_t first, size_t n,
	int64_t *values, bool *known)
{
	n = count_rows(r, column, first, n, MER_VALUE_INT);
	for (size_t i = 0; i < n; i++) {
		values[i] = 0;
		bool is_known = mer_result_int(r, first + i, column, &values[i]);
		if (known)
			known[i] = is_known;
	}
	return n;
}

size_t mer_result_reals(const struct mer_result *r, size_t column, size_t first, size_t n,
	double *values, bool *known)
{
	n = count_rows(r, column, first, n, MER_VALUE_REAL);
	for (size_t i = 0; i < n; i++) {
		values[i] = 0;
		bool is_known = mer_result_real(r, first + i, column, &values[i]);
		if (known)
			known[i] = is_known;
	}
	return n;
}

size_t mer_result_texts(const struct mer_result *r, size_t column, size_t first, size_t n,
	const char **values, bool *known)
{
	n = count_rows(r, column, first, n, MER_VALUE_TEXT);
	for (size_t i = 0; i < n; i++) {
		values[i] = NULL;
		bool is_known = mer_result_text(r, first + i, column, &values[i]);
		if (known)
			known[i] = is_known;
	}
	return n;
}
