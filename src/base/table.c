#include "base/table.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

/* ---- Types ---- */

static const struct {
	const char *name, *unit;
	const char *key; /* keys of this type are this, or end with '_' and this */
	bool is_real;
} types[] = {
	[MER_TEXT] = { .name = "text" },
	[MER_ID] = { .name = "id" },
	[MER_COUNT] = { .name = "count" },
	[MER_BYTES] = { .name = "bytes", .unit = "bytes", .key = "bytes" },
	[MER_DURATION] = { .name = "duration", .unit = "ns", .key = "ns" },
	[MER_OFFSET] = { .name = "duration", .unit = "ns", .key = "ns" },
	[MER_TIME] = { .name = "time", .unit = "ns" },
	[MER_DATE] = { .name = "time", .unit = "ns" },
	[MER_HZ] = { .name = "frequency", .unit = "Hz", .key = "hz" },
	[MER_KHZ] = { .name = "frequency", .unit = "kHz", .key = "khz" },
	[MER_MEAN] = { .name = "duration", .unit = "ns", .key = "ns", .is_real = true },
	[MER_RATIO] = { .name = "ratio", .unit = "percent", .key = "percent", .is_real = true },
	[MER_REAL] = { .name = "real", .is_real = true },
	[MER_PPM] = { .name = "real", .unit = "ppm", .key = "ppm", .is_real = true },
	[MER_RATE] = { .name = "rate", .unit = "bytes/s", .key = "bytes_per_s", .is_real = true },
	[MER_BAR] = { .name = "bar", .is_real = true },
};
enum { N_TYPES = sizeof(types) / sizeof(*types) };

bool mer_type_is_real(enum mer_type type)
{
	return types[type].is_real;
}

const char *mer_type_name(enum mer_type type)
{
	return types[type].name;
}

/* Is the unit the whole key, or its last words? */
static bool ends_with(const char *key, const char *unit)
{
	size_t len = strlen(key), n = strlen(unit);
	return len >= n && strcmp(key + len - n, unit) == 0 &&
	       (len == n || key[len - n - 1] == '_');
}

const char *mer_column_unit(const struct mer_column *c)
{
	bool is_number = c->type == MER_COUNT || c->type == MER_REAL;
	return is_number && ends_with(c->key, "per_s") ? "1/s" : types[c->type].unit;
}

const char *mer_column_flaw(const struct mer_column *c)
{
	const char *unit = types[c->type].key;
	if (unit)
		return ends_with(c->key, unit) ? NULL : "the key lacks the unit of its type";
	/* Not checked for these: a text may hold exact decimals, and a frequency may identify a
	 * row. */
	if (c->type == MER_TEXT || c->type == MER_ID)
		return NULL;
	for (size_t i = 0; i < N_TYPES; i++)
		if (types[i].key && ends_with(c->key, types[i].key))
			return "the key has a unit that its type does not have";
	return NULL;
}

/* ---- Rows ---- */

void mer_table_init(struct mer_table *t, const char *id, const char *title,
	const struct mer_column *columns, struct mer_arena *arena)
{
	*t = (struct mer_table){ .id = id, .title = title, .columns = columns, .arena = arena };
	for (; columns[t->n_columns].key; t->n_columns++)
		assert(!mer_column_flaw(&columns[t->n_columns]));
}

void mer_table_fini(struct mer_table *t)
{
	mer_spill_release(t->cells);
	t->cells = NULL;
	t->n_rows = t->cap_rows = 0;
}

void mer_table_add(struct mer_table *t, const struct mer_cell *cells)
{
	if (t->failed)
		return;
	if (!mer_spill_grow(t->spill, &t->cells, t->n_rows, &t->cap_rows,
		    t->n_columns * sizeof(*t->cells))) {
		t->failed = true;
		return;
	}
	memcpy(t->cells + t->n_rows++ * t->n_columns, cells, t->n_columns * sizeof(*cells));
}

void mer_table_hide(struct mer_table *t, size_t column)
{
	struct mer_column *copy = mer_arena_zalloc(t->arena, t->n_columns + 1, sizeof(*copy));
	if (!copy) {
		t->failed = true;
		return;
	}
	memcpy(copy, t->columns, t->n_columns * sizeof(*copy));
	copy[column].title = NULL;
	t->columns = copy;
}

struct mer_cell mer_table_keep(struct mer_table *t, struct mer_str *s)
{
	const char *text =
		s->failed ? NULL : mer_arena_strndup(t->arena, s->data ? s->data : "", s->len);
	t->failed |= !text;
	mer_str_fini(s);
	return mer_text(text);
}

bool mer_same_columns(const struct mer_table *t, const struct mer_column *columns)
{
	size_t c = 0;
	while (c < t->n_columns && columns[c].key &&
		strcmp(t->columns[c].key, columns[c].key) == 0 &&
		t->columns[c].type == columns[c].type)
		c++;
	return c == t->n_columns && !columns[c].key;
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
	if (type == MER_TEXT)
		return strcmp(a->v.text, b->v.text);
	if (mer_type_is_real(type))
		return (a->v.f > b->v.f) - (a->v.f < b->v.f);
	return (a->v.i > b->v.i) - (a->v.i < b->v.i);
}

static int compare_rows(const void *a, const void *b)
{
	const struct sort *p = a, *q = b;
	int c = compare_cells(p->cell, q->cell, p->type);
	if (!p->ascending)
		c = -c;
	return c ? c : (p->row > q->row) - (p->row < q->row);
}

/* Moves row order[i].row to row i, for all i; cycle by cycle, because tables may be large. row:
 * room for one row. */
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

static const struct mer_column *find_key(const struct mer_column *columns, const char *key)
{
	for (const struct mer_column *c = columns; c->key; c++)
		if (strcmp(c->key, key) == 0)
			return c;
	return NULL;
}

const struct mer_column *mer_column_meant(const struct mer_column *columns, const char *word)
{
	char key[128];
	const struct mer_column *found = find_key(columns, word);
	size_t n = 0;
	snprintf(key, sizeof(key), "%.100s_ns", word);
	if (!found)
		found = find_key(columns, key);
	if (found)
		return found;
	for (const struct mer_column *c = columns; c->key; c++)
		if (mer_same_word(word, c->key) || mer_same_word(key, c->key) ||
			(c->title && mer_same_word(word, c->title))) {
			found = c;
			n++;
		}
	return n == 1 ? found : NULL;
}

void mer_table_limit(struct mer_table *t, size_t n)
{
	if (!n || t->n_rows <= n)
		return;
	t->n_left_out += t->n_rows - n;
	t->n_rows = n;
}
