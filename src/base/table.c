#include "base/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

void mer_table_init(struct mer_table *t, const char *id, const char *title,
	const struct mer_column *columns, struct mer_arena *arena)
{
	*t = (struct mer_table){ .id = id, .title = title, .columns = columns, .arena = arena };
	while (columns[t->n_columns].key)
		t->n_columns++;
}

void mer_table_fini(struct mer_table *t)
{
	free(t->cells);
	t->cells = NULL;
	t->n_rows = t->cap_rows = 0;
}

void mer_table_add(struct mer_table *t, const struct mer_cell *cells)
{
	if (t->failed)
		return;
	if (!mer_grow(&t->cells, t->n_rows, &t->cap_rows, t->n_columns * sizeof(*t->cells))) {
		t->failed = true;
		return;
	}
	memcpy(t->cells + t->n_rows++ * t->n_columns, cells, t->n_columns * sizeof(*cells));
}

size_t mer_table_column(const struct mer_table *t, const char *key)
{
	for (size_t c = 0; c < t->n_columns; c++)
		if (strcmp(t->columns[c].key, key) == 0)
			return c;
	return SIZE_MAX;
}

struct sort {			     /* of a row */
	const struct mer_cell *cell; /* to sort by */
	size_t row;
	enum mer_type type;
	bool ascending;
};

static int compare_cells(const struct mer_cell *a, const struct mer_cell *b, enum mer_type type)
{
	if (!a->set || !b->set)
		return (int)a->set - (int)b->set;
	switch (type) {
	case MER_TEXT: return strcmp(a->v.text, b->v.text);
	case MER_RATIO:
	case MER_REAL:
	case MER_RATE: return (a->v.f > b->v.f) - (a->v.f < b->v.f);
	default: return (a->v.i > b->v.i) - (a->v.i < b->v.i);
	}
}

static int compare_rows(const void *a, const void *b)
{
	const struct sort *p = a, *q = b;
	int c = compare_cells(p->cell, q->cell, p->type);
	if (!p->ascending)
		c = -c;
	return c ? c : (p->row > q->row) - (p->row < q->row);
}

/* Row i becomes what row order[i].row was: cycle by cycle, as tables may be large. row: room for one. */
static void permute(struct mer_table *t, struct sort *order, struct mer_cell *row)
{
	size_t n = t->n_columns, bytes = n * sizeof(*row);
	for (size_t i = 0; i < t->n_rows; i++) {
		memcpy(row, &t->cells[i * n], bytes);
		size_t to = i;
		for (size_t from; (from = order[to].row) != i && from != to; to = from) {
			memcpy(&t->cells[to * n], &t->cells[from * n], bytes);
			order[to].row = to;
		}
		if (to != i) {
			memcpy(&t->cells[to * n], row, bytes);
			order[to].row = to;
		}
	}
}

bool mer_table_sort(struct mer_table *t, const char *key, bool ascending)
{
	size_t column = mer_table_column(t, key);
	if (column == SIZE_MAX)
		return false;
	if (t->n_rows < 2)
		return true;
	struct sort *order = calloc(t->n_rows, sizeof(*order));
	struct mer_cell *row = calloc(t->n_columns, sizeof(*row));
	if (!order || !row) {
		t->failed = true;
		free(order);
		free(row);
		return true;
	}
	for (size_t i = 0; i < t->n_rows; i++)
		order[i] = (struct sort){ &t->cells[i * t->n_columns + column], i,
			t->columns[column].type, ascending };
	qsort(order, t->n_rows, sizeof(*order), compare_rows);
	permute(t, order, row);
	free(order);
	free(row);
	return true;
}

void mer_table_limit(struct mer_table *t, size_t n)
{
	if (!n || t->n_rows <= n)
		return;
	t->n_left_out += t->n_rows - n;
	t->n_rows = n;
}
