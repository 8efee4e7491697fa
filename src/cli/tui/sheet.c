#include "cli/tui/sheet.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ask/print/table.h"

/* ---- Columns ---- */

static bool ends_with(const char *key, const char *end)
{
	size_t len = strlen(key), n = strlen(end);
	return len >= n && strcmp(key + len - n, end) == 0;
}

/* As the program's JSON names types. */
static enum mer_type type_named(const char *type, const char *unit)
{
	static const struct {
		const char *name, *unit;
		enum mer_type type;
	} types[] = { { "id", NULL, MER_ID }, { "count", NULL, MER_COUNT },
		{ "bytes", NULL, MER_BYTES }, { "duration", NULL, MER_DURATION },
		{ "time", NULL, MER_TIME }, { "frequency", "Hz", MER_HZ },
		{ "frequency", "kHz", MER_KHZ }, { "ratio", NULL, MER_RATIO },
		{ "real", "ppm", MER_PPM }, { "real", NULL, MER_REAL },
		{ "rate", NULL, MER_RATE } };
	for (size_t i = 0; type && i < sizeof(types) / sizeof(*types); i++)
		if (strcmp(type, types[i].name) == 0 &&
			(!types[i].unit || (unit && strcmp(unit, types[i].unit) == 0)))
			return types[i].type;
	return MER_TEXT;
}

/* By its unit, and the first value that is known. */
static enum mer_type type_of_key(const char *key, const struct mer_json_value *v)
{
	static const struct {
		const char *end;
		enum mer_type type;
	} ends[] = { { "percent", MER_RATIO }, { "_ppm", MER_PPM }, { "bytes_per_s", MER_RATE },
		{ "_ns", MER_DURATION }, { "bytes", MER_BYTES } };
	static const char *const times[] = { "begin", "end", "time", "read", "answered", "at",
		"first", "last" };
	static const char *const names[] = { "tid", "pid", "cpu", "port", "irq", "group",
		"stream" };
	const char *last = strrchr(key, '.');
	last = last ? last + 1 : key;
	bool is_number = v && (v->kind == MER_JSON_UINT || v->kind == MER_JSON_INT ||
				      v->kind == MER_JSON_REAL);
	if (!is_number)
		return MER_TEXT;
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (ends_with(key, ends[i].end) || strcmp(last, ends[i].end + 1) == 0)
			return ends[i].type;
	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++)
		if (strcmp(last, times[i]) == 0)
			return MER_TIME;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(last, names[i]) == 0)
			return MER_ID;
	return v->kind == MER_JSON_REAL ? MER_REAL : MER_COUNT;
}

/* Without its unit, and with blanks. */
static const char *title_of(struct mer_arena *arena, const char *key)
{
	static const char *const units[] = { "_ns", "_percent", "_ppm", "_bytes" };
	size_t len = strlen(key);
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (ends_with(key, units[i])) {
			len -= strlen(units[i]);
			break;
		}
	char *title = mer_arena_strndup(arena, key, len);
	for (char *p = title; p && *p; p++)
		*p = *p == '_' || *p == '.' ? ' ' : *p;
	return title;
}

/* ---- Cells ---- */

/* "key=value key=value" of an object; of anything else the value. */
static void put_text(struct mer_str *out, const struct mer_json_value *v)
{
	switch (v->kind) {
	case MER_JSON_STRING: mer_str_add(out, v->u.text, v->n); break;
	case MER_JSON_BOOL: mer_str_puts(out, v->u.truth ? "yes" : "no"); break;
	case MER_JSON_REAL: mer_str_printf(out, "%g", v->u.real); break;
	case MER_JSON_UINT: mer_str_printf(out, "%" PRIu64, v->u.number); break;
	case MER_JSON_INT: mer_str_printf(out, "%" PRId64, (int64_t)v->u.number); break;
	case MER_JSON_OBJECT:
		for (uint32_t i = 0; i < v->n; i++) {
			const struct mer_json_member *m = &v->u.members[i];
			mer_str_printf(out, "%s%.*s=", i ? " " : "", (int)m->key_len, m->key);
			if (m->value.kind < MER_JSON_ARRAY)
				put_text(out, &m->value);
		}
		break;
	default: break;
	}
}

static struct mer_cell cell_of(
	struct mer_table *t, enum mer_type type, const struct mer_json_value *v)
{
	if (!v || v->kind == MER_JSON_NULL || v->kind == MER_JSON_ARRAY)
		return MER_NONE;
	if (type == MER_TEXT) {
		struct mer_str text = { 0 };
		put_text(&text, v);
		return mer_table_keep(t, &text);
	}
	if (v->kind != MER_JSON_UINT && v->kind != MER_JSON_INT && v->kind != MER_JSON_REAL)
		return MER_NONE;
	double real = v->kind == MER_JSON_REAL	 ? v->u.real
		      : v->kind == MER_JSON_UINT ? (double)v->u.number
						 : (double)(int64_t)v->u.number;
	if (type == MER_RATIO)
		return MER_REAL_CELL(real / 100);
	if (mer_type_is_real(type))
		return MER_REAL_CELL(real);
	if (v->kind == MER_JSON_REAL || (v->kind == MER_JSON_UINT && v->u.number > INT64_MAX))
		return MER_NONE;
	return MER_INT(v->u.number);
}

/* Integers that the program has with fractions: of means. */
static enum mer_type with_fractions(enum mer_type type, const struct mer_json_value *v)
{
	bool is_real = v && v->kind == MER_JSON_REAL;
	return !is_real		      ? type
	       : type == MER_DURATION ? MER_MEAN
	       : type == MER_COUNT    ? MER_REAL
				      : type;
}

static bool begin(struct tui_sheet *s, struct mer_column **columns)
{
	*s = (struct tui_sheet){ .is_there = true };
	mer_arena_init(&s->arena);
	*columns = mer_arena_zalloc(&s->arena, TUI_SHEET_COLUMNS + 1, sizeof(**columns));
	s->table = (struct mer_table){ .id = "sheet", .columns = *columns, .arena = &s->arena };
	return *columns != NULL;
}

static bool is_time(const struct mer_column *c)
{
	return c->title && (c->type == MER_TIME || c->type == MER_DATE);
}

/* Of begin and end, people want how long it was. */
static void make_durations(struct tui_sheet *s, struct mer_column *columns)
{
	size_t begin = mer_table_column(&s->table, "begin"),
	       end = mer_table_column(&s->table, "end");
	if (begin == SIZE_MAX || end == SIZE_MAX || !is_time(&columns[begin]) ||
		!is_time(&columns[end]) || mer_table_column(&s->table, "duration_ns") != SIZE_MAX ||
		mer_table_column(&s->table, "latency_ns") != SIZE_MAX)
		return;
	columns[begin].type = MER_TIME;
	columns[end] = (struct mer_column){ "duration_ns", "duration", MER_DURATION };
	for (size_t r = 0; r < s->table.n_rows; r++) {
		struct mer_cell *row = s->table.cells + r * s->table.n_columns;
		bool known = row[begin].set && row[end].set;
		int64_t ns;
		known = known && !__builtin_sub_overflow(row[end].v.i, row[begin].v.i, &ns);
		row[end] = known ? MER_INT(ns) : MER_NONE;
	}
}

bool tui_sheet_of_table(struct tui_sheet *s, const struct mer_json_value *table)
{
	struct mer_column *columns;
	const struct mer_json_value *heads, *rows;
	struct mer_cell cells[TUI_SHEET_COLUMNS];
	if (!begin(s, &columns))
		return false;
	s->title = tui_text(table, "title", &s->arena);
	size_t n = tui_items(table, "columns", &heads), n_rows = tui_items(table, "rows", &rows);
	for (size_t i = 0; i < n && s->table.n_columns < TUI_SHEET_COLUMNS; i++) {
		struct mer_column *c = &columns[s->table.n_columns];
		c->key = tui_text(&heads[i], "key", &s->arena);
		c->title = tui_text(&heads[i], "title", &s->arena);
		c->type = type_named(tui_text(&heads[i], "type", &s->arena),
			tui_text(&heads[i], "unit", &s->arena));
		for (size_t r = 0; c->key && r < n_rows; r++)
			c->type = with_fractions(c->type, mer_json_find(&rows[r], c->key));
		s->table.n_columns += c->key != NULL;
	}
	for (size_t r = 0; r < n_rows; r++) {
		for (size_t c = 0; c < s->table.n_columns; c++)
			cells[c] = cell_of(&s->table, columns[c].type,
				mer_json_find(&rows[r], columns[c].key));
		mer_table_add(&s->table, cells);
	}
	make_durations(s, columns);
	return !s->table.failed && !s->arena.failed;
}

/* ---- Lists ---- */

/* "client.host": a member of a member; its own name may have dots, too. */
static const struct mer_json_value *member_at(const struct mer_json_value *row, const char *key)
{
	const struct mer_json_value *v = mer_json_find(row, key);
	const char *dot = strchr(key, '.');
	char outer[64];
	if (v || !dot || (size_t)(dot - key) >= sizeof(outer))
		return v;
	memcpy(outer, key, (size_t)(dot - key));
	outer[dot - key] = '\0';
	return mer_json_find(mer_json_find(row, outer), dot + 1);
}

static void add_column(struct tui_sheet *s, struct mer_column *columns, const char *outer,
	const struct mer_json_member *m)
{
	const char *key = mer_arena_printf(&s->arena, "%s%s%.*s", outer ? outer : "",
		outer ? "." : "", (int)m->key_len, m->key);
	if (!key || s->table.n_columns == TUI_SHEET_COLUMNS)
		return;
	for (size_t c = 0; c < s->table.n_columns; c++)
		if (strcmp(columns[c].key, key) == 0) {
			bool unknown =
				columns[c].type == MER_TEXT && m->value.kind != MER_JSON_STRING;
			columns[c].type = unknown ? type_of_key(key, &m->value)
						  : with_fractions(columns[c].type, &m->value);
			return;
		}
	columns[s->table.n_columns++] =
		(struct mer_column){ key, title_of(&s->arena, key), type_of_key(key, &m->value) };
}

static void add_columns(struct tui_sheet *s, struct mer_column *columns,
	const struct mer_json_value *row, bool join)
{
	for (uint32_t i = 0; row->kind == MER_JSON_OBJECT && i < row->n; i++) {
		const struct mer_json_member *m = &row->u.members[i];
		if (m->value.kind == MER_JSON_OBJECT && join) {
			add_column(s, columns, NULL, m);
		} else if (m->value.kind == MER_JSON_OBJECT && m->key_len < 60) {
			const char *outer = mer_arena_strndup(&s->arena, m->key, m->key_len);
			for (uint32_t k = 0; outer && k < m->value.n; k++)
				if (m->value.u.members[k].value.kind < MER_JSON_ARRAY)
					add_column(s, columns, outer, &m->value.u.members[k]);
		} else if (m->value.kind < MER_JSON_ARRAY) {
			add_column(s, columns, NULL, m);
		}
	}
}

bool tui_sheet_of_list(struct tui_sheet *s, const struct mer_json_value *items, size_t n, bool join)
{
	struct mer_column *columns;
	struct mer_cell cells[TUI_SHEET_COLUMNS];
	enum { LOOKED_AT = 200 }; /* rows in which columns are looked for */
	if (!begin(s, &columns))
		return false;
	for (size_t r = 0; r < n && r < LOOKED_AT; r++)
		add_columns(s, columns, &items[r], join);
	for (size_t r = 0; r < n; r++) {
		for (size_t c = 0; c < s->table.n_columns; c++)
			cells[c] = cell_of(
				&s->table, columns[c].type, member_at(&items[r], columns[c].key));
		mer_table_add(&s->table, cells);
	}
	make_durations(s, columns);
	return !s->table.failed && !s->arena.failed;
}

/* 0: names the row; then as the keys say; last: the others. */
static unsigned rank_of(const struct tui_sheet *s, size_t column, const char *keys)
{
	enum { FIRST = 1, OTHERS = 1000 };
	const char *key = s->table.columns[column].key;
	bool is_pid = strcmp(key, "pid") == 0 && mer_table_column(&s->table, "tid") != SIZE_MAX;
	unsigned rank = FIRST;
	size_t len = strlen(key);
	bool names = !is_pid;
	for (size_t c = 0; c <= column; c++) /* those before the first that measures */
		names &= mer_column_names(&s->table.columns[c]);
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

void tui_sheet_prefer(struct tui_sheet *s, const char *keys)
{
	size_t n = s->table.n_columns, order[TUI_SHEET_COLUMNS], at = 0;
	unsigned rank[TUI_SHEET_COLUMNS];
	struct mer_column *columns = mer_arena_zalloc(&s->arena, n + 1, sizeof(*columns));
	struct mer_cell row[TUI_SHEET_COLUMNS];
	if (!keys || !columns || !n)
		return;
	for (size_t c = 0; c < n; c++)
		rank[c] = rank_of(s, c, keys);
	for (size_t c = 0; c < n; c++) { /* stable, and few */
		size_t i = at++;
		for (; i && rank[order[i - 1]] > rank[c]; i--)
			order[i] = order[i - 1];
		order[i] = c;
	}
	for (size_t c = 0; c < n; c++)
		columns[c] = s->table.columns[order[c]];
	for (size_t r = 0; r < s->table.n_rows; r++) {
		struct mer_cell *cells = s->table.cells + r * n;
		for (size_t c = 0; c < n; c++)
			row[c] = cells[order[c]];
		memcpy(cells, row, n * sizeof(*row));
	}
	s->table.columns = columns;
}

void tui_sheet_fini(struct tui_sheet *s)
{
	if (s->is_there) {
		mer_table_fini(&s->table);
		mer_arena_fini(&s->arena);
	}
	*s = (struct tui_sheet){ 0 };
}

/* ---- Looking at it ---- */

static const struct mer_cell *cell_at(const struct tui_sheet *s, size_t row, size_t column)
{
	bool is = row < s->table.n_rows && column < s->table.n_columns;
	return is ? &s->table.cells[row * s->table.n_columns + column] : NULL;
}

void tui_sheet_cell(
	const struct tui_sheet *s, size_t row, size_t column, bool ascii, struct mer_str *out)
{
	const struct mer_cell *cell = cell_at(s, row, column);
	if (cell)
		ask_table_cell(out, s->table.columns[column].type, cell, ascii);
}

bool tui_sheet_is_number(const struct tui_sheet *s, size_t column)
{
	return column < s->table.n_columns && s->table.columns[column].type != MER_TEXT;
}

bool tui_sheet_int(const struct tui_sheet *s, size_t row, const char *key, int64_t *v)
{
	size_t c = mer_table_column(&s->table, key);
	const struct mer_cell *cell = cell_at(s, row, c);
	if (!cell || !cell->set || s->table.columns[c].type == MER_TEXT ||
		mer_type_is_real(s->table.columns[c].type))
		return false;
	*v = cell->v.i;
	return true;
}

const char *tui_sheet_text(const struct tui_sheet *s, size_t row, const char *key)
{
	size_t c = mer_table_column(&s->table, key);
	const struct mer_cell *cell = cell_at(s, row, c);
	return cell && cell->set && s->table.columns[c].type == MER_TEXT ? cell->v.text : NULL;
}

static bool row_has(const struct tui_sheet *s, size_t row, const char *text, bool ascii)
{
	struct mer_str cell = { 0 };
	bool found = false;
	for (size_t c = 0; !found && c < s->table.n_columns; c++) {
		mer_str_clear(&cell);
		tui_sheet_cell(s, row, c, ascii, &cell);
		found = cell.len && strcasestr(cell.data, text);
	}
	mer_str_fini(&cell);
	return found;
}

size_t tui_sheet_search(
	const struct tui_sheet *s, size_t from, const char *text, bool back, bool ascii)
{
	size_t n = s->table.n_rows;
	for (size_t i = 0; i < n; i++) {
		size_t row = back ? (from + n - i % n) % n : (from + i) % n;
		if (row_has(s, row, text, ascii))
			return row;
	}
	return SIZE_MAX;
}
