/* Rows: a table of structs that is too large to store uncompressed. It is stored in blocks of
 * packed columns, and a block is decoded when one of its rows is first accessed. The kind of row
 * defines the columns.
 *
 * Address space for all rows is reserved at once, and takes physical memory only where rows are
 * decoded: a pointer to a row stays valid as long as the table. Only one thread may read. */
#ifndef MER_STORE_ROWS_H
#define MER_STORE_ROWS_H

#include "base/spill.h"
#include "kernel/world.h"
#include "store/pack.h"
#include "store/sections.h"

enum { STORE_ROWS_BITS = 9, STORE_ROWS = 1 << STORE_ROWS_BITS }; /* of a block */

struct store_row_kind {
	size_t size; /* of the struct */
	/* n <= STORE_ROWS rows; first: the number of rows[0]. */
	void (*put)(struct mer_str *out, const void *rows, size_t n, uint32_t first);
	/* Fills zeroed rows. False: the data is damaged; the rows are zeroed again, and `absent`
	 * fills them with harmless values. */
	bool (*get)(struct store_in *in, void *rows, size_t n, uint32_t first, const void *ctx);
	void (*absent)(void *rows, size_t n);
};

/* For struct kernel_bridge; ctx: the struct kernel_world to which their indexes refer. */
extern const struct store_row_kind store_bridge_rows;
/* For struct kernel_request; ctx: struct kernel_host. */
extern const struct store_row_kind store_request_rows;

void store_rows_put(struct store_writer *w, uint32_t type, uint32_t host,
	const struct store_row_kind *kind, const void *rows, uint32_t n);

struct store_rows {
	const struct store_file *file;
	const struct store_row_kind *kind;
	const void *ctx;
	const struct store_block *blocks;
	uint32_t n;
	void *rows;	 /* a block of the spill */
	bool *is_loaded; /* by block */
};

/* Does the file have so many of them? */
bool store_rows_are_of(const struct store_file *f, uint32_t type, uint32_t host, uint32_t n);

int store_rows_open(struct store_rows *r, const struct store_file *f, uint32_t type, uint32_t host,
	const struct store_row_kind *kind, const void *ctx, uint32_t n, struct mer_spill *spill,
	struct mer_err *err);
void store_rows_close(struct store_rows *r);
/* Loads the block of this row: rows *first .. *first + *n - 1. False: it is damaged, and its rows
 * are now absent ones. */
bool store_rows_load(struct store_rows *r, uint32_t row, uint32_t *first, uint32_t *n);

#endif
