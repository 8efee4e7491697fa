/* Table: the typed output of an analysis. Columns are part of its description (analysis.h); printers
 * derive text, JSON and CSV from them. */
#ifndef MER_ANALYSIS_TABLE_H
#define MER_ANALYSIS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"

enum analysis_type {
	ANALYSIS_TEXT = 1,
	ANALYSIS_ID, /* a number that names something: tid, cpu, irq */
	ANALYSIS_COUNT,
	ANALYSIS_BYTES,
	ANALYSIS_DURATION, /* ns */
	ANALYSIS_TIME,	   /* ns since 1970, reference clock */
	ANALYSIS_RATIO,	   /* double, 0..1; keys end with "percent" and print 0..100 */
	ANALYSIS_REAL,	   /* double */
	ANALYSIS_RATE	   /* double, bytes per second */
};

struct analysis_column {
	const char *key;   /* JSON key and CSV heading; units in the name: total_ns, bytes */
	const char *title; /* for people; NULL: not shown to them, programs get it */
	enum analysis_type type;
};

struct analysis_cell {
	bool set; /* otherwise: not known */
	union {
		int64_t i;
		double f;
		const char *text; /* lives as long as the table */
	} v;
};
#define ANALYSIS_INT(x) ((struct analysis_cell){ .set = true, .v = { .i = (int64_t)(x) } })
#define ANALYSIS_REAL_CELL(x) ((struct analysis_cell){ .set = true, .v = { .f = (x) } })
#define ANALYSIS_NONE ((struct analysis_cell){ 0 })
static inline struct analysis_cell analysis_text(const char *text)
{
	return (struct analysis_cell){ .set = text != NULL, .v = { .text = text } };
}

struct analysis_table {
	const char *id, *title;		       /* "top", "CPU usage by thread" */
	const struct analysis_column *columns; /* ends with {0} */
	size_t n_columns;
	struct analysis_cell *cells; /* row by row, malloc'ed */
	size_t n_rows, cap_rows;
	struct mer_arena *arena; /* for texts that live as long as the table */
	uint64_t n_left_out;	 /* rows that a limit kept out */
	bool failed;		 /* memory ran out: rows are missing */
};

void analysis_table_init(struct analysis_table *t, const char *id, const char *title,
	const struct analysis_column *columns, struct mer_arena *arena);
void analysis_table_fini(struct analysis_table *t);
/* A cell for each column. Texts are borrowed: see arena. */
void analysis_table_add(struct analysis_table *t, const struct analysis_cell *cells);
/* The column of this key; SIZE_MAX: there is none. */
size_t analysis_table_column(const struct analysis_table *t, const char *key);
/* By a column, descending or ascending; stable. False: no such key. */
bool analysis_table_sort(struct analysis_table *t, const char *key, bool ascending);
/* Keeps the first n rows; 0: all. */
void analysis_table_limit(struct analysis_table *t, size_t n);

#endif
