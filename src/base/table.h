/* Table: rows of typed cells under constant columns. Printers derive text, JSON and CSV from them. */
#ifndef MER_BASE_TABLE_H
#define MER_BASE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"

enum mer_type {
	MER_TEXT = 1,
	MER_ID, /* a number that names something: tid, cpu, irq */
	MER_COUNT,
	MER_BYTES,
	MER_DURATION, /* ns */
	MER_TIME,     /* ns since 1970, reference clock */
	MER_RATIO,    /* double, 0..1; keys end with "percent" and print 0..100 */
	MER_REAL,     /* double */
	MER_RATE      /* double, bytes per second */
};

struct mer_column {
	const char *key;   /* JSON key and CSV heading; units in the name: total_ns, bytes */
	const char *title; /* for people; NULL: not shown to them, programs get it */
	enum mer_type type;
};

struct mer_cell {
	bool set; /* otherwise: not known */
	union {
		int64_t i;
		double f;
		const char *text; /* lives as long as the table */
	} v;
};
#define MER_INT(x) ((struct mer_cell){ .set = true, .v = { .i = (int64_t)(x) } })
#define MER_REAL_CELL(x) ((struct mer_cell){ .set = true, .v = { .f = (x) } })
#define MER_NONE ((struct mer_cell){ 0 })
static inline struct mer_cell mer_text(const char *text)
{
	return (struct mer_cell){ .set = text != NULL, .v = { .text = text } };
}

struct mer_table {
	const char *id, *title;		  /* "top", "CPU usage by thread" */
	const struct mer_column *columns; /* ends with {0} */
	size_t n_columns;
	struct mer_cell *cells; /* row by row, malloc'ed */
	size_t n_rows, cap_rows;
	struct mer_arena *arena; /* for texts that live as long as the table */
	uint64_t n_left_out;	 /* rows that a limit kept out */
	bool failed;		 /* memory ran out: rows are missing */
};

void mer_table_init(struct mer_table *t, const char *id, const char *title,
	const struct mer_column *columns, struct mer_arena *arena);
void mer_table_fini(struct mer_table *t);
/* A cell for each column. Texts are borrowed: see arena. */
void mer_table_add(struct mer_table *t, const struct mer_cell *cells);
/* The column of this key; SIZE_MAX: there is none. */
size_t mer_table_column(const struct mer_table *t, const char *key);
/* By a column, descending or ascending; stable. False: no such key. */
bool mer_table_sort(struct mer_table *t, const char *key, bool ascending);
/* Keeps the first n rows; 0: all. */
void mer_table_limit(struct mer_table *t, size_t n);

#endif
