/* Prints Parquet files of one schema as CSV, as meridian prints tables: what tests compare. With
 * --about: what each file says of itself, and its row groups. The reader is that of the tests and
 * shares no code with what writes the files. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/csv.h"
#include "parquet_read.h"

static void put_cell(struct mer_str *out, const struct parquet_read_column *c, size_t row)
{
	double v;
	if (!c->known[row])
		return;
	if (c->type == READ_TEXT) {
		mer_csv_text(out, c->texts[row], strlen(c->texts[row]));
	} else if (c->type == READ_DOUBLE) {
		memcpy(&v, &c->values[row], sizeof(v));
		mer_str_printf(out, "%.12g", v);
	} else {
		mer_str_printf(out, "%" PRId64, (int64_t)c->values[row]);
	}
}

static void put_rows(const struct parquet_read *f, bool has_heading, struct mer_str *out)
{
	for (size_t c = 0; c < f->n_columns && has_heading; c++)
		mer_str_printf(out, "%s%s", c ? "," : "", f->columns[c].name);
	mer_str_puts(out, has_heading ? "\n" : "");
	for (size_t row = 0; row < f->n_rows; row++)
		for (size_t c = 0; c < f->n_columns; c++) {
			put_cell(out, &f->columns[c], row);
			mer_str_putc(out, c + 1 < f->n_columns ? ',' : '\n');
		}
}

static void put_about(const struct parquet_read *f, struct mer_str *out)
{
	static const char *const types[] = {
		[READ_BOOL] = "bool",
		[READ_INT64] = "int64",
		[READ_TIME] = "time",
		[READ_DOUBLE] = "double",
		[READ_TEXT] = "text",
	};
	mer_str_printf(
		out, "made by %s\nrows %zu\nrow groups %zu\n", f->made_by, f->n_rows, f->n_groups);
	for (size_t i = 0; i < f->n_pairs; i++)
		mer_str_printf(out, "%s %s\n", f->keys[i], f->pairs[i]);
	for (size_t c = 0; c < f->n_columns; c++)
		mer_str_printf(
			out, "column %s %s\n", f->columns[c].name, types[f->columns[c].type]);
}

int main(int argc, char **argv)
{
	bool about = argc > 1 && strcmp(argv[1], "--about") == 0;
	if (argc < 2 + about) {
		fprintf(stderr, "usage: parquet_csv [--about] FILE...\n");
		return 2;
	}
	for (int i = 1 + about; i < argc; i++) {
		struct parquet_read f;
		struct mer_str out = { 0 };
		if (!parquet_read(&f, argv[i])) {
			fprintf(stderr, "%s: %s\n", argv[i], f.why);
			parquet_read_free(&f);
			return 1;
		}
		if (about)
			put_about(&f, &out);
		else
			put_rows(&f, i == 1, &out);
		fwrite(out.data, 1, out.len, stdout);
		mer_str_fini(&out);
		parquet_read_free(&f);
	}
	return 0;
}
