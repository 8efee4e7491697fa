/* Parquet: a file of rows under typed columns, written row by row in bounded memory.
 *
 *   parquet.c   the file: row groups, and what its end says of them
 *   pages.c     a column of a row group: pages, dictionaries, bounds
 *   bits.c      encodings of whole numbers
 *   thrift.c    metadata
 *
 * Every column is optional: what is not known is NULL. Readers find the least and the greatest
 * value, and how many are NULL, of each column and row group.
 *
 * https://github.com/apache/parquet-format */
#ifndef MER_PARQUET_PARQUET_H
#define MER_PARQUET_PARQUET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"

enum parquet_type {
	PARQUET_INT64 = 1,
	PARQUET_TIME, /* ns since 1970, UTC */
	PARQUET_DOUBLE,
	PARQUET_BOOL,
	PARQUET_TEXT /* UTF-8; what is not becomes U+FFFD */
};

struct parquet_column {
	const char *name;
	enum parquet_type type;
};

struct parquet_value {
	bool known; /* otherwise NULL */
	union {
		int64_t i; /* also of times; 0, 1 */
		double f;
		const char *text;
	} v;
};

struct parquet_pair { /* what the file says of itself */
	const char *key, *value;
};

/* Rows of a row group at most; bytes of memory of its values, about. */
enum { PARQUET_GROUP_ROWS = 122880, PARQUET_GROUP_BYTES = 64 << 20 };

struct parquet;

/* To be written to fd, which stays open; path: for errors. All is borrowed. */
int parquet_new(int fd, const char *path, const struct parquet_column *columns, size_t n,
	struct parquet **p, struct mer_err *err);
/* A value for each column. Texts are copied. */
int parquet_add(struct parquet *p, const struct parquet_value *values, struct mer_err *err);
/* Writes what is left, and the end. made_by: "meridian version 1.1.0". */
int parquet_end(struct parquet *p, const char *made_by, const struct parquet_pair *pairs,
	size_t n_pairs, struct mer_err *err);
void parquet_free(struct parquet *p); /* NULL is fine */
uint64_t parquet_rows(const struct parquet *p);
/* Of the file, so far. */
uint64_t parquet_bytes(const struct parquet *p);

#endif
