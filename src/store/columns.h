/* Columns: rows of a struct, any number of them, each member as packed numbers (numbers.h) that are
 * read as a whole. Which members is data. */
#ifndef MER_STORE_COLUMNS_H
#define MER_STORE_COLUMNS_H

#include <stddef.h>

#include "store/pack.h"
#include "store/sections.h"

struct store_column {
	uint16_t at, bytes; /* of the member: 1, 2, 4 or 8; 0: a flag */
	enum store_packing packing;
	/* The member, of the same size and among the columns before, that it is stored as the
	 * difference from: where it lies, plus 1. 0: none. */
	uint16_t since;
	bool has_none; /* KERNEL_NONE is stored as 0, and others as one more */
};
struct store_columns {
	size_t size; /* of a row */
	const struct store_column *columns;
	uint32_t n;
};

#define STORE_MEMBER(struct_, member_)                                                             \
	.at = offsetof(struct struct_, member_), .bytes = sizeof(((struct struct_ *)0)->member_)
#define STORE_COLUMN(struct_, member_, packing_)                                                   \
	{                                                                                          \
		STORE_MEMBER(struct_, member_), .packing = STORE_##packing_                        \
	}
#define STORE_COLUMN_OR_NONE(struct_, member_, packing_)                                           \
	{                                                                                          \
		STORE_MEMBER(struct_, member_), .packing = STORE_##packing_, .has_none = true      \
	}
#define STORE_COLUMN_SINCE(struct_, member_, since_)                                               \
	{                                                                                          \
		STORE_MEMBER(struct_, member_), .packing = STORE_PLAIN,                            \
						.since = offsetof(struct struct_, since_) + 1      \
	}
#define STORE_FLAG(struct_, member_)                                                               \
	{                                                                                          \
		.at = offsetof(struct struct_, member_), .packing = STORE_DICT                     \
	}
#define STORE_COLUMNS(struct_, columns_)                                                           \
	{                                                                                          \
		sizeof(struct struct_), columns_, sizeof(columns_) / sizeof(*(columns_))           \
	}

extern const struct store_columns store_sizes; /* an array of size_t, which rise */

/* A column of n rows; number: of the first column. A failure is recorded in the writer. */
void store_put_column(struct store_writer *w, uint32_t type, uint32_t host, uint32_t number,
	const struct store_columns *of, uint32_t column, const void *rows, size_t n);
/* n rows are read in so many parts, of all columns each: a part stays in the cache of the CPU until
 * its last column is there. No rows are one. */
static inline size_t store_n_parts(size_t n)
{
	return n ? (n + STORE_PACK_MAX - 1) / STORE_PACK_MAX : 1;
}
/* The part of it. False: it is missing, damaged, or not of n rows. Indexes are not checked. */
bool store_get_column(const struct store_file *f, uint32_t type, uint32_t host, uint32_t number,
	const struct store_columns *of, uint32_t column, void *rows, size_t n, size_t part);
/* All columns. */
void store_put_columns(struct store_writer *w, uint32_t type, uint32_t host, uint32_t number,
	const struct store_columns *of, const void *rows, size_t n);
bool store_get_columns(const struct store_file *f, uint32_t type, uint32_t host, uint32_t number,
	const struct store_columns *of, void *rows, size_t n);

#endif
