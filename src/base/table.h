/* Table: rows of typed cells under constant columns. Text, CSV, JSON and charts are made from it.
 *
 * A column's type decides the unit of its values, and its key says that unit: total_ns, disk_bytes,
 * busy_percent. Programs get the value in that unit, people a text such as "12.3 ms".
 * mer_table_init asserts that keys and types agree.
 *
 * Where rows are filled by hand, columns and cells are written by name: an enum beside the columns
 * has a constant for each of them and one for their number.
 *
 *   enum { HOST, TOTAL, N };
 *   static const struct mer_column columns[N + 1] = {
 *     [HOST] = { "host", "Host", MER_TEXT },
 *     [TOTAL] = { "total_ns", "Time", MER_DURATION },
 *   };
 *   mer_table_add(t, (struct mer_cell[N]){ [HOST] = mer_text(name), [TOTAL] = MER_INT(ns) });
 *
 * A cell that is not mentioned is unknown. */
#ifndef MER_BASE_TABLE_H
#define MER_BASE_TABLE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/spill.h"

enum mer_type {
	MER_TEXT = 1,
	MER_ID, /* a number that names something: tid, cpu, irq */
	MER_COUNT,
	MER_BYTES,
	MER_DURATION, /* ns */
	MER_OFFSET,   /* ns; people see seconds to the last digit */
	MER_TIME,     /* ns since 1970, reference clock; people see the time of day */
	MER_DATE,     /* the same; people see the date, too, and all digits */
	MER_HZ,
	MER_KHZ,
	MER_MEAN,  /* double, ns: of durations, to fractions of them */
	MER_RATIO, /* double, 0..1; programs get 0..100 */
	MER_REAL,  /* double */
	MER_PPM,   /* double, parts per million */
	MER_RATE,  /* double, bytes per second */
	MER_BAR	   /* double, 0..1: for people only; fills the width that other columns leave */
};

struct mer_column {
	const char *key;   /* JSON key and CSV heading; ends with the unit, if the type has one */
	const char *title; /* for people; NULL: not shown to them, programs get it */
	enum mer_type type;
};

/* Does the column identify things, as opposed to measuring them? */
static inline bool mer_column_names(const struct mer_column *c)
{
	return c->type == MER_TEXT || c->type == MER_ID;
}

struct mer_cell {
	bool set; /* otherwise: unknown; "-", null, empty */
	union {
		int64_t i;
		double f;	  /* of types that mer_type_is_real */
		const char *text; /* lives as long as the table */
	} v;
};
#define MER_INT(x) ((struct mer_cell){ .set = true, .v = { .i = (int64_t)(x) } })
#define MER_REAL_CELL(x) ((struct mer_cell){ .set = true, .v = { .f = (x) } })
#define MER_NONE ((struct mer_cell){ 0 })
/* NULL: unknown. */
static inline struct mer_cell mer_text(const char *text)
{
	return (struct mer_cell){ .set = text != NULL, .v = { .text = text } };
}
/* Empty for "" as well. */
static inline struct mer_cell mer_text_if_any(const char *text)
{
	return mer_text(text && *text ? text : NULL);
}
/* Empty for the value that means "not known", such as MER_NO_TIME. */
static inline struct mer_cell mer_int_unless(int64_t v, int64_t unknown)
{
	return v == unknown ? MER_NONE : MER_INT(v);
}
/* Empty below 0: numbers of things that are not known. */
static inline struct mer_cell mer_natural(int64_t v)
{
	return v < 0 ? MER_NONE : MER_INT(v);
}
/* Rounded; empty for what has no integer. */
static inline struct mer_cell mer_rounded(double v)
{
	return fabs(v) < 9e18 ? MER_INT(llround(v)) : MER_NONE;
}

struct mer_table {
	const char *id;			  /* "top": what programs call it */
	const char *title;		  /* "CPU usage by thread"; NULL: people see none */
	const struct mer_column *columns; /* ends with {0} */
	size_t n_columns;
	struct mer_cell *cells; /* row by row, a block of spill */
	size_t n_rows, cap_rows;
	struct mer_spill *spill; /* NULL: memory; may be set before the first row */
	struct mer_arena *arena; /* for texts that live as long as the table */
	uint64_t n_left_out;	 /* rows that a limit kept out */
	/* Of all rows, including those left out: total time, and how much of it is unexplained. */
	int64_t time_ns, unknown_ns;
	bool failed; /* memory ran out: rows are missing */
};

/* arena NULL: all texts are borrowed. */
void mer_table_init(struct mer_table *t, const char *id, const char *title,
	const struct mer_column *columns, struct mer_arena *arena);
void mer_table_fini(struct mer_table *t);
/* A cell for each column. Texts are borrowed: see arena. */
void mer_table_add(struct mer_table *t, const struct mer_cell *cells);
/* The column of this key; SIZE_MAX: there is none. */
size_t mer_table_column(const struct mer_table *t, const char *key);
/* Does the table have these columns, with the same keys and types? */
bool mer_same_columns(const struct mer_table *t, const struct mer_column *columns);
/* The column that a user means: by its key, whose unit "_ns" may be left out, or by its title if
 * only one column has it; NULL: none. */
const struct mer_column *mer_column_meant(const struct mer_column *columns, const char *word);
/* Sorts by a column, descending or ascending; stable. False: no such key. */
bool mer_table_sort(struct mer_table *t, const char *key, bool ascending);
/* Keeps the first n rows; 0: all. */
void mer_table_limit(struct mer_table *t, size_t n);

/* Hides the column from people, in this table only. */
void mer_table_hide(struct mer_table *t, size_t column);

/* The text, copied to the table's arena, as a cell; empties s. Without memory the table has
 * failed. */
struct mer_str;
struct mer_cell mer_table_keep(struct mer_table *t, struct mer_str *s);

/* Is the value in v.f? */
bool mer_type_is_real(enum mer_type type);
/* "duration", "text": for programs. */
const char *mer_type_name(enum mer_type type);
/* Unit of the values that programs get: "ns", "percent"; NULL: no unit. */
const char *mer_column_unit(const struct mer_column *c);
/* What is wrong with the column's key: the unit of its type is missing, or it has a unit that the
 * type lacks. NULL: nothing. */
const char *mer_column_flaw(const struct mer_column *c);

#endif
