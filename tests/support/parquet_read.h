/* Reads Parquet files as our writer makes them. It shares no code with src/parquet, and believes
 * nothing: sizes, checksums, counts and bounds must be those of the values. */
#ifndef MER_TESTS_PARQUET_READ_H
#define MER_TESTS_PARQUET_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum parquet_read_type { READ_BOOL, READ_INT64, READ_TIME, READ_DOUBLE, READ_TEXT };

struct parquet_read_column {
	char *name;
	enum parquet_read_type type;
	/* By row: whether it is known; the number (of a double: its bits), or where the text is. */
	bool *known;
	uint64_t *values;
	char **texts; /* NUL terminated; may have NUL inside: no */
	/* Encodings that data pages have: bit i: encoding i. Bit 31: one chunk is compressed. */
	uint32_t encodings;
	size_t n_bounds;   /* row groups with a least and a greatest value */
	uint64_t min, max; /* the last of these, as values; not of texts */
};

struct parquet_read {
	size_t n_rows, n_columns, n_groups, n_pairs;
	struct parquet_read_column *columns;
	char **keys, **pairs;
	char *made_by;
	char why[256]; /* it could not be read */
};

bool parquet_read(struct parquet_read *f, const char *path);
void parquet_read_free(struct parquet_read *f);
/* The value of a key; NULL: there is none. */
const char *parquet_read_pair(const struct parquet_read *f, const char *key);

#endif
