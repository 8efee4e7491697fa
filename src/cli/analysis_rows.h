/* Rows of an analysis' table as cells of ours: for programs, all columns under their keys in JSON and CSV,
 * and what people's tables need of them. */
#ifndef MER_CLI_ANALYSIS_ROWS_H
#define MER_CLI_ANALYSIS_ROWS_H

#include "base/table.h"
#include "cli/table.h"

/* Is the cell's value in v.f? */
bool cli_analysis_is_real(enum mer_type type);
/* What it is for people. */
enum cli_type cli_analysis_type(enum mer_type type);
/* people: ratios from 0 to 1, as tables for people want them; else in percent. */
struct cli_cell cli_analysis_cell(enum mer_type type, const struct mer_cell *c, bool people);

/* Rows first to end - 1 with all columns, as the next value of j (format JSON), or as text to out: CSV has
 * its heading where first is 0. */
int cli_analysis_rows(const struct mer_table *t, size_t first, size_t end, enum cli_format format,
	const char *name, struct mer_json *j, struct mer_str *out, struct mer_err *err);
/* The table with its columns and the first n rows, as the next value of j. */
int cli_analysis_json(const struct mer_table *t, size_t n, struct mer_json *j, struct mer_err *err);

#endif
