#include "cli/tui/sheet.h"

#include <string.h>

#include "ask/print/table.h"

/* ---- Columns ---- */

/* Of begin and end, people want how long it was. */
static void make_durations(struct mer_table *t, struct mer_column *columns)
{
	size_t begin = mer_table_column(t, "begin"), end = mer_table_column(t, "end");
	if (begin == SIZE_MAX || end == SIZE_MAX || !columns[begin].title || !columns[end].title ||
		columns[begin].type != MER_TIME || columns[end].type != MER_TIME ||
		mer_table_column(t, "duration_ns") != SIZE_MAX ||
		mer_table_column(t, "latency_ns") != SIZE_MAX)
		return;
	columns[end] = (struct mer_column){ "duration_ns", "duration", MER_DURATION };
	for (size_t r = 0; r < t->n_rows; r++) {
		struct mer_cell *row = t->cells + r * t->n_columns;
		bool known = row[begin].set && row[end].set;
		int64_t ns;
		known = known && !__builtin_sub_overflow(row[end].v.i, row[begin].v.i, &ns);
		row[end] = known ? MER_INT(ns) : MER_NONE;
	}
}

/* 0: names the row; then as the keys say; last: the others. */
static unsigned rank_of(const struct mer_table *t, size_t column, const char *keys)
{
	enum { FIRST = 1, OTHERS = 1000 };
	const char *key = t->columns[column].key;
	bool is_pid = strcmp(key, "pid") == 0 && mer_table_column(t, "tid") != SIZE_MAX;
	unsigned rank = FIRST;
	size_t len = strlen(key);
	bool names = !is_pid;
	for (size_t c = 0; c <= column; c++) /* those before the first that measures */
		names &= mer_column_names(&t->columns[c]);
	if (names)
		return 0;
	for (const char *p = keys; *p; rank++) {
		size_t n = strcspn(p, " ");
		if (n == len && memcmp(p, key, n) == 0)
			return rank;
		p += n + (p[n] == ' ');
	}
	return OTHERS;
}

static bool prefer(struct mer_table *t, const char *keys)
{
	size_t n = t->n_columns, at = 0;
	struct mer_column *columns = mer_arena_zalloc(t->arena, n + 1, sizeof(*columns));
	size_t *order = mer_arena_zalloc(t->arena, n + 1, sizeof(*order));
	struct mer_cell *row = mer_arena_zalloc(t->arena, n + 1, sizeof(*row));
	if (!columns || !order || !row)
		return false;
	for (size_t c = 0; c < n; c++) { /* stable, and few */
		size_t i = at++;
		for (; i && rank_of(t, order[i - 1], keys) > rank_of(t, c, keys); i--)
			order[i] = order[i - 1];
		order[i] = c;
	}
	for (size_t c = 0; c < n; c++)
		columns[c] = t->columns[order[c]];
	for (size_t r = 0; r < t->n_rows; r++) {
		struct mer_cell *cells = t->cells + r * n;
		for (size_t c = 0; c < n; c++)
			row[c] = cells[order[c]];
		memcpy(cells, row, n * sizeof(*row));
	}
	t->columns = columns;
	return true;
}

bool tui_sheet_prepare(struct mer_table *t, const char *keys)
{
	size_t n = t->n_columns;
	struct mer_column *columns = mer_arena_zalloc(t->arena, n + 1, sizeof(*columns));
	if (!columns)
		return false;
	memcpy(columns, t->columns, n * sizeof(*columns));
	for (size_t c = 0; c < n; c++)
		columns[c].type = columns[c].type == MER_DATE	  ? MER_TIME
				  : columns[c].type == MER_OFFSET ? MER_DURATION
								  : columns[c].type;
	t->columns = columns;
	make_durations(t, columns);
	return !keys || prefer(t, keys);
}

/* ---- Looking at it ---- */

void tui_sheet_cell(
	const struct mer_table *t, size_t row, size_t column, bool ascii, struct mer_str *out)
{
	if (row < t->n_rows && column < t->n_columns)
		ask_table_cell(out, t->columns[column].type, &t->cells[row * t->n_columns + column],
			ascii);
}

bool tui_sheet_is_number(const struct mer_table *t, size_t column)
{
	return column < t->n_columns && t->columns[column].type != MER_TEXT;
}

static bool row_has(const struct mer_table *t, size_t row, const char *text, bool ascii)
{
	struct mer_str cell = { 0 };
	bool found = false;
	for (size_t c = 0; !found && c < t->n_columns; c++) {
		mer_str_clear(&cell);
		tui_sheet_cell(t, row, c, ascii, &cell);
		found = cell.len && strcasestr(cell.data, text);
	}
	mer_str_fini(&cell);
	return found;
}

size_t tui_sheet_search(
	const struct mer_table *t, size_t from, const char *text, bool back, bool ascii)
{
	size_t n = t->n_rows;
	for (size_t i = 0; i < n; i++) {
		size_t row = back ? (from + n - i % n) % n : (from + i) % n;
		if (row_has(t, row, text, ascii))
			return row;
	}
	return SIZE_MAX;
}
