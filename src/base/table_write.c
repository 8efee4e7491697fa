#include "base/table_write.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/real.h"

/* Key of the column with the table that a row belongs to, if several tables follow each other. */
#define TABLE_KEY "table"

double mer_table_real(enum mer_type type, const struct mer_cell *cell)
{
	return type == MER_RATIO ? cell->v.f * 100 : cell->v.f;
}

static void csv_heading(const struct mer_table *t, bool named, struct mer_str *out)
{
	if (named)
		mer_str_puts(out, TABLE_KEY ",");
	for (size_t c = 0; c < t->n_columns; c++)
		mer_str_printf(out, "%s%s", c ? "," : "", t->columns[c].key);
	mer_str_putc(out, '\n');
}

static void csv_cell(enum mer_type type, const struct mer_cell *cell, struct mer_str *out)
{
	if (!cell->set)
		return;
	if (type == MER_TEXT)
		mer_csv_text(out, cell->v.text, strlen(cell->v.text));
	else if (!mer_type_is_real(type))
		mer_str_printf(out, "%" PRId64, cell->v.i);
	else if (isfinite(cell->v.f))
		mer_str_printf(out, "%.12g", mer_table_real(type, cell));
}

void mer_table_csv(const struct mer_table *t, struct mer_table_part part, struct mer_str *out)
{
	if (part.first == 0 && !part.is_rest)
		csv_heading(t, part.named, out);
	for (size_t r = part.first; r < part.end; r++) {
		if (part.named) {
			mer_csv_text(out, t->id, strlen(t->id));
			mer_str_putc(out, ',');
		}
		for (size_t c = 0; c < t->n_columns; c++) {
			if (c)
				mer_str_putc(out, ',');
			csv_cell(t->columns[c].type, &t->cells[r * t->n_columns + c], out);
		}
		mer_str_putc(out, '\n');
	}
}

static void json_row(const struct mer_table *t, struct mer_json *j, size_t row, bool named)
{
	mer_json_begin_object(j);
	if (named)
		mer_json_kv_text(j, TABLE_KEY, t->id);
	for (size_t c = 0; c < t->n_columns; c++) {
		const struct mer_cell *cell = &t->cells[row * t->n_columns + c];
		enum mer_type type = t->columns[c].type;
		mer_json_key(j, t->columns[c].key);
		if (!cell->set)
			mer_json_null(j);
		else if (type == MER_TEXT)
			mer_json_text(j, cell->v.text);
		else if (mer_type_is_real(type))
			mer_json_double(j, mer_table_real(type, cell));
		else
			mer_json_int(j, cell->v.i);
	}
	mer_json_end_object(j);
}

void mer_table_jsonl(const struct mer_table *t, struct mer_table_part part, struct mer_str *out)
{
	for (size_t r = part.first; r < part.end; r++) {
		struct mer_json j;
		mer_json_init(&j, out, NULL, 0);
		json_row(t, &j, r, part.named);
		mer_json_finish(&j, NULL);
	}
}

void mer_table_json_head(const struct mer_table *t, struct mer_json *j)
{
	mer_json_begin_object(j);
	mer_json_kv_text(j, "id", t->id);
	mer_json_kv_text(j, "title", t->title);
	mer_json_kv_array(j, "columns");
	for (size_t c = 0; c < t->n_columns; c++) {
		mer_json_begin_object(j);
		mer_json_kv_text(j, "key", t->columns[c].key);
		mer_json_kv_text(j, "title", t->columns[c].title);
		mer_json_kv_text(j, "type", mer_type_name(t->columns[c].type));
		mer_json_kv_text(j, "unit", mer_column_unit(&t->columns[c]));
		mer_json_end_object(j);
	}
	mer_json_end_array(j);
	mer_json_kv_array(j, "rows");
}

/* Keys as they stand before the values of a row, quoted once for all rows: '"id":', ',"begin":'. */
struct keys {
	struct mer_str text;
	size_t *ends; /* by column */
};

static bool quote_keys(const struct mer_table *t, struct keys *k)
{
	k->ends = malloc((t->n_columns + 1) * sizeof(*k->ends));
	for (size_t c = 0; k->ends && c < t->n_columns; c++) {
		const char *key = t->columns[c].key;
		if (c)
			mer_str_putc(&k->text, ',');
		mer_json_quote(&k->text, key, strlen(key));
		mer_str_putc(&k->text, ':');
		k->ends[c] = k->text.len;
	}
	return k->ends && !k->text.failed;
}

static void put_int(struct mer_str *out, int64_t v)
{
	char digits[24];
	char *p = digits + sizeof(digits);
	uint64_t rest = v < 0 ? -(uint64_t)v : (uint64_t)v;
	do {
		*--p = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest);
	if (v < 0)
		*--p = '-';
	mer_str_add(out, p, (size_t)(digits + sizeof(digits) - p));
}

static void put_value(enum mer_type type, const struct mer_cell *cell, struct mer_str *out)
{
	static const char null[] = "null";
	double v = cell->set && mer_type_is_real(type) ? mer_table_real(type, cell) : 0;
	if (!cell->set || !isfinite(v))
		mer_str_add(out, null, sizeof(null) - 1);
	else if (type == MER_TEXT)
		mer_json_quote(out, cell->v.text, strlen(cell->v.text));
	else if (mer_type_is_real(type))
		mer_put_real(out, v, false);
	else
		put_int(out, cell->v.i);
}

/* There may be millions of rows: what j would look at for each value is the same for all. */
void mer_table_json_add(const struct mer_table *t, struct mer_json *j)
{
	struct keys keys = { 0 };
	if (j->indent || !quote_keys(t, &keys)) {
		for (size_t r = 0; r < t->n_rows; r++)
			json_row(t, j, r, false);
	} else {
		const struct mer_cell *cell = t->cells;
		for (size_t r = 0; r < t->n_rows; r++) {
			size_t from = 0;
			mer_json_begin_object(j);
			for (size_t c = 0; c < t->n_columns; c++, cell++) {
				mer_str_add(j->out, keys.text.data + from, keys.ends[c] - from);
				from = keys.ends[c];
				put_value(t->columns[c].type, cell, j->out);
			}
			mer_json_end_object(j);
		}
	}
	free(keys.ends);
	mer_str_fini(&keys.text);
}

void mer_table_json_end(struct mer_json *j)
{
	mer_json_end_array(j);
	mer_json_end_object(j);
}
