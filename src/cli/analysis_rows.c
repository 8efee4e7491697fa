#include "cli/analysis_rows.h"

#include <stdlib.h>

bool cli_analysis_is_real(enum mer_type type)
{
	return type == MER_RATIO || type == MER_REAL || type == MER_RATE;
}

static const struct {
	const char *name, *unit;
	enum cli_type exact, people;
} types[] = {
	[MER_TEXT] = { "text", NULL, CLI_TYPE_TEXT, CLI_TYPE_TEXT },
	[MER_ID] = { "id", NULL, CLI_TYPE_ID, CLI_TYPE_ID },
	[MER_COUNT] = { "count", NULL, CLI_TYPE_COUNT, CLI_TYPE_COUNT },
	[MER_BYTES] = { "bytes", "bytes", CLI_TYPE_BYTES, CLI_TYPE_BYTES },
	[MER_DURATION] = { "duration", "ns", CLI_TYPE_DURATION, CLI_TYPE_DURATION },
	[MER_TIME] = { "time", "ns", CLI_TYPE_TIME, CLI_TYPE_CLOCK },
	[MER_RATIO] = { "ratio", "percent", CLI_TYPE_REAL, CLI_TYPE_RATIO },
	[MER_REAL] = { "real", NULL, CLI_TYPE_REAL, CLI_TYPE_REAL },
	[MER_RATE] = { "rate", "bytes/s", CLI_TYPE_RATE, CLI_TYPE_RATE },
};

enum cli_type cli_analysis_type(enum mer_type type)
{
	return types[type].people;
}

struct cli_cell cli_analysis_cell(enum mer_type type, const struct mer_cell *c, bool people)
{
	if (!c->set)
		return CLI_CELL_NONE;
	if (type == MER_TEXT)
		return CLI_CELL_TEXT(c->v.text);
	if (!cli_analysis_is_real(type))
		return CLI_CELL(c->v.i);
	return CLI_CELL_RATIO(type == MER_RATIO && !people ? c->v.f * 100 : c->v.f);
}

int cli_analysis_rows(const struct mer_table *t, size_t first, size_t end, enum cli_format format,
	const char *name, struct mer_json *j, struct mer_str *out, struct mer_err *err)
{
	struct cli_column *columns = calloc(t->n_columns + 1, sizeof(*columns));
	struct cli_cell *cells = calloc(t->n_columns + 1, sizeof(*cells));
	struct cli_table rows = { 0 };
	bool ok = columns && cells;
	for (size_t c = 0; ok && c < t->n_columns; c++)
		columns[c] = (struct cli_column){ t->columns[c].key, "",
			types[t->columns[c].type].exact };
	if (ok)
		cli_table_init(&rows, columns);
	rows.name = name;
	for (size_t r = first; ok && r < end; r++) {
		for (size_t c = 0; c < t->n_columns; c++)
			cells[c] = cli_analysis_cell(
				t->columns[c].type, &t->cells[r * t->n_columns + c], false);
		cli_table_add(&rows, cells);
		ok = !rows.failed;
	}
	if (ok && format == CLI_FORMAT_JSON)
		cli_table_json(&rows, j);
	else if (ok && format == CLI_FORMAT_JSONL)
		cli_table_jsonl(&rows, out);
	else if (ok && first)
		cli_table_csv_rows(&rows, out);
	else if (ok)
		cli_table_csv(&rows, out);
	cli_table_fini(&rows);
	free(columns);
	free(cells);
	return ok ? 0 : mer_fail_nomem(err);
}

int cli_analysis_json(const struct mer_table *t, size_t n, struct mer_json *j, struct mer_err *err)
{
	mer_json_begin_object(j);
	mer_json_kv_text(j, "id", t->id);
	mer_json_kv_text(j, "title", t->title);
	mer_json_kv_array(j, "columns");
	for (size_t c = 0; c < t->n_columns; c++) {
		mer_json_begin_object(j);
		mer_json_kv_text(j, "key", t->columns[c].key);
		mer_json_kv_text(j, "title", t->columns[c].title);
		mer_json_kv_text(j, "type", types[t->columns[c].type].name);
		mer_json_kv_text(j, "unit", types[t->columns[c].type].unit);
		mer_json_end_object(j);
	}
	mer_json_end_array(j);
	mer_json_key(j, "rows");
	int rc = cli_analysis_rows(t, 0, n, CLI_FORMAT_JSON, NULL, j, NULL, err);
	mer_json_end_object(j);
	return rc;
}
