/* Rows: rows of a table, held for a query in packed columns (store/pack.h), of which only those are
 * kept that somebody asked for. Ten million facts of four columns take some dozens of megabytes.
 *
 * Rows come in blocks of a fixed number. Each block knows the least and the greatest value of the
 * first column, which is a time in tables of facts, so whoever wants a part of the time reads few
 * of them. Rows are only added until query_rows_end, and only read after it. */
#ifndef MER_QUERY_ROWS_H
#define MER_QUERY_ROWS_H

#include "base/arena.h"
#include "base/err.h"
#include "base/map.h"
#include "base/spill.h"
#include "base/table.h"

enum { QUERY_BLOCK = 2048, QUERY_COLUMNS = 64 };

struct query_block {
	uint32_t n;
	int64_t first, last; /* of the first column, if it is kept; else INT64_MIN, INT64_MAX */
	uint8_t *bytes;	     /* columns one after the other, a block of spill */
	uint32_t at[QUERY_COLUMNS + 1]; /* where each kept column begins; the end */
};

struct query_rows {
	const struct mer_column *columns;
	size_t n_columns;
	uint64_t kept;		      /* bit i: column i */
	uint8_t place[QUERY_COLUMNS]; /* of a kept column among those kept */
	size_t n_kept;
	struct query_block *blocks;
	size_t n_blocks, cap_blocks;
	uint64_t n_rows, bytes;
	struct mer_spill *spill;
	struct mer_arena arena;
	struct mer_intern texts;
	uint64_t *filling;   /* of the block that is being filled: columns, then what is known */
	uint32_t *last_text; /* by kept column: of the row before; MER_INTERN_NONE: none */
	uint32_t n_filling;
};

/* kept: bits of columns; those behind the 64th are never kept. spill: NULL: memory. */
int query_rows_init(struct query_rows *r, const struct mer_column *columns, uint64_t kept,
	struct mer_spill *spill, struct mer_err *err);
void query_rows_fini(struct query_rows *r);
int query_rows_add(struct query_rows *r, const struct mer_cell *cells, struct mer_err *err);
int query_rows_end(struct query_rows *r, struct mer_err *err);

/* A place in the rows. Zeroed, with rows set: before the first block. */
struct query_place {
	const struct query_rows *rows;
	size_t block;
	uint32_t row;
	uint64_t decoded; /* bit i: column i of the block is in values */
	uint64_t *values; /* QUERY_BLOCK for each kept column, and as many that say what is known */
};
int query_place_init(struct query_place *p, const struct query_rows *rows, struct mer_err *err);
void query_place_fini(struct query_place *p);
/* The block at p->block, from its first row on. */
void query_place_enter(struct query_place *p);
/* The cell of a kept column, in the unit of its key: ints, texts, or doubles. */
struct mer_cell query_place_cell(struct query_place *p, size_t column);

#endif
