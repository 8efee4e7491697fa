#include "analysis/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

void analysis_table_init(struct analysis_table *t, const char *id, const char *title,
	const struct analysis_column *columns, struct mer_arena *arena)
{
	*t = (struct analysis_table){
		.id = id, .title = title, .columns = columns, .arena = arena
	};
	while (columns[t->n_columns].key)
		t->n_columns++;
}

void analysis_table_fini(struct analysis_table *t)
{
	free(t->cells);
	t->cells = NULL;
	t->n_rows = t->cap_rows = 0;
}

void analysis_table_add(struct analysis_table *t, const struct analysis_cell *cells)
{
	if (t->failed)
		return;
	if (!mer_grow(&t->cells, t->n_rows, &t->cap_rows, t->n_columns * sizeof(*t->cells))) {
		t->failed = true;
		return;
	}
	memcpy(t->cells + t->n_rows++ * t->n_columns, cells, t->n_columns * sizeof(*cells));
}

struct sort {				  /* of a row */
	const struct analysis_cell *cell; /* to sort by */
	size_t row;
	enum analysis_type type;
	bool ascending;
};

static int compare_cells(
	const struct analysis_cell *a, const struct analysis_cell *b, enum analysis_type type)
{
	if (!a->set || !b->set)
		return (int)a->set - (int)b->set;
	switch (type) {
	case ANALYSIS_TEXT: return strcmp(a->v.text, b->v.text);
	case ANALYSIS_RATIO:
	case ANALYSIS_REAL:
	case ANALYSIS_RATE: return (a->v.f > b->v.f) - (a->v.f < b->v.f);
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

bool analysis_table_sort(struct analysis_table *t, const char *key, bool ascending)
{
	size_t column = 0;
	while (column < t->n_columns && strcmp(t->columns[column].key, key) != 0)
		column++;
	if (column == t->n_columns)
		return false;
	if (t->n_rows < 2)
		return true;
	struct sort *order = calloc(t->n_rows, sizeof(*order));
	struct analysis_cell *cells = malloc(t->n_rows * t->n_columns * sizeof(*cells));
	if (!order || !cells) {
		t->failed = true;
		free(order);
		free(cells);
		return true;
	}
	for (size_t i = 0; i < t->n_rows; i++)
		order[i] = (struct sort){ &t->cells[i * t->n_columns + column], i,
			t->columns[column].type, ascending };
	qsort(order, t->n_rows, sizeof(*order), compare_rows);
	for (size_t i = 0; i < t->n_rows; i++)
		memcpy(&cells[i * t->n_columns], &t->cells[order[i].row * t->n_columns],
			t->n_columns * sizeof(*cells));
	free(order);
	free(t->cells);
	t->cells = cells;
	t->cap_rows = t->n_rows;
	return true;
}

void analysis_table_limit(struct analysis_table *t, size_t n)
{
	if (!n || t->n_rows <= n)
		return;
	t->n_left_out += t->n_rows - n;
	t->n_rows = n;
}
