/* Tables: rows of typed cells, printed for people or for programs from the same columns.
 *
 * The type of a column decides its unit, its alignment and its form: people get 12.3 ms, JSON and
 * CSV get 12345678. A table for people fits the width: text columns shrink, numbers never do. */
#ifndef MER_CLI_TABLE_H
#define MER_CLI_TABLE_H

#include "base/json.h"
#include "cli/context.h"

enum cli_type {
	CLI_TYPE_TEXT = 1,
	CLI_TYPE_ID, /* a number that names something: tid, cpu, stream */
	CLI_TYPE_COUNT,
	CLI_TYPE_BYTES,
	CLI_TYPE_DURATION, /* ns */
	CLI_TYPE_TIME,	   /* ns since 1970 */
	CLI_TYPE_RATIO,	   /* double, 0..1 shown as % */
	CLI_TYPE_SECONDS,  /* ns, shown as seconds to the last digit, with its sign */
	CLI_TYPE_REAL,	   /* double, shown with two decimals */
	CLI_TYPE_CLOCK,	   /* ns since 1970, shown as time of day */
	CLI_TYPE_RATE,	   /* double, bytes per second */
	CLI_TYPE_BAR /* double, 0..1: for people, in what width the others leave; not for programs */
};

struct cli_column {
	const char *key;   /* JSON key and CSV heading */
	const char *title; /* heading for people; NULL: not for them */
	enum cli_type type;
};

struct cli_cell {
	bool set; /* otherwise: not known; "-", null, empty */
	union {
		int64_t i;
		double f;
		const char *text; /* lives as long as the table */
	} v;
};

#define CLI_CELL(x) ((struct cli_cell){ .set = true, .v = { .i = (int64_t)(x) } })
/* Of CLI_TYPE_RATIO, _REAL, _RATE and _BAR. */
#define CLI_CELL_RATIO(x) ((struct cli_cell){ .set = true, .v = { .f = (x) } })
/* NULL: not known. */
#define CLI_CELL_TEXT(x) ((struct cli_cell){ .set = (x) != NULL, .v = { .text = (x) } })
#define CLI_CELL_NONE ((struct cli_cell){ 0 })

struct cli_table {
	const struct cli_column *columns; /* ends with {0} */
	size_t n_columns;
	/* Of several that go one after the other: what programs find in the first column, "table", of each
	 * row in CSV and JSON Lines. NULL: it is alone. */
	const char *name;
	struct cli_cell *cells; /* row by row, malloc'ed */
	size_t n_rows, cap_rows;
	bool failed; /* memory ran out: rows are missing */
};

void cli_table_init(struct cli_table *t, const struct cli_column *columns);
void cli_table_fini(struct cli_table *t);
/* A cell for each column. */
void cli_table_add(struct cli_table *t, const struct cli_cell *cells);

/* For people: heading and rows; nothing when there are no rows. */
void cli_table_text(const struct cli_table *t, struct mer_str *out, size_t width, bool bold);
/* The width that it takes when texts are shortened to text_min. */
size_t cli_table_least_width(const struct cli_table *t, size_t text_min);
/* With one heading line; fields quoted as in RFC 4180, lines end with LF. */
void cli_table_csv(const struct cli_table *t, struct mer_str *out);
/* Without it. */
void cli_table_csv_rows(const struct cli_table *t, struct mer_str *out);
/* An array of objects, as the next value of j. */
void cli_table_json(const struct cli_table *t, struct mer_json *j);
void cli_table_jsonl(const struct cli_table *t, struct mer_str *out);

/* Prints to cli->out as --format says; for table a title goes before, unless NULL. JSON is the
 * object {"schema_version":1, NAME: [rows]}. */
int cli_table_print(
	struct cli *cli, const struct cli_table *t, const char *name, const char *title);

#endif
