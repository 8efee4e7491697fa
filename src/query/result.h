/* Result: rows that a statement gave. SQLite has a type for each value, tables have one for each
 * column: what it is shows when all rows are there, so they are kept, packed, until then.
 *
 * A column of whole numbers is of those; with other numbers among them it is real, with texts a
 * text. Its name says what is counted: total_ns is a duration, begin a time. */
#ifndef MER_QUERY_RESULT_H
#define MER_QUERY_RESULT_H

#include "base/arena.h"
#include "base/err.h"
#include "base/spill.h"
#include "base/table.h"

struct query_table;
struct sqlite3_stmt;

struct query_result {
	struct mer_arena arena;
	struct mer_column *columns; /* types are known after query_result_end */
	size_t n_columns;
	uint64_t n_rows;
	struct mer_spill *spill;
	struct query_chunk {	/* of rows that follow each other */
		uint8_t *bytes; /* a block of spill */
		uint32_t n, cap;
	} * chunks;
	size_t n_chunks, cap_chunks;
	uint8_t *seen; /* by column: types of values, as bits */
	bool is_begun;
	bool is_cut; /* there are more rows, which nobody wants */
	/* Where reading is. */
	size_t chunk;
	uint32_t at;
};

int query_result_begin(struct query_result *r, struct sqlite3_stmt *s, struct mer_spill *spill,
	struct mer_err *err);
int query_result_add(struct query_result *r, struct sqlite3_stmt *s, struct mer_err *err);
/* tables: which names are of times and of numbers that name things. */
void query_result_end(struct query_result *r, const struct query_table *tables, size_t n);
/* The next rows, at most `most`, are added to the table, whose arena has their texts: the `more` of
 * an answer with QUERY_SOME. */
void query_result_next(struct query_result *r, size_t most, struct mer_table *t);
void query_result_fini(struct query_result *r); /* zeroed is fine */

#endif
