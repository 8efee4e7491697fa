/* Pages: one column of a row group, collected value by value, and written as a chunk of the file:
 * a dictionary where that is shorter, and one page of data.
 *
 * Of numbers the shortest of three is taken: a dictionary, differences to the value before, and the
 * values as they are. What zstd makes smaller is compressed. */
#ifndef MER_PARQUET_PAGES_H
#define MER_PARQUET_PAGES_H

#include "base/map.h"
#include "base/str.h"
#include "parquet/parquet.h"

enum parquet_encoding { /* as in the file */
	PARQUET_PLAIN = 0,
	PARQUET_RLE = 3,
	PARQUET_DELTAS = 5,
	PARQUET_DICTIONARY = 8
};

struct parquet_pages {
	enum parquet_type type;
	/* By row: 1: known. By known value: the number's bits, or the number of the text. */
	uint64_t *known, *values;
	size_t n_rows, n_values, cap_rows, cap_values;
	struct mer_arena arena; /* of texts */
	struct mer_intern texts;
};

struct parquet_chunk { /* what the file's end tells of a chunk; places count from its begin */
	bool is_compressed, has_dictionary, has_bounds;
	enum parquet_encoding encoding;
	uint64_t dictionary_bytes; /* with its header: where the data begins */
	uint64_t plain_bytes;	   /* of all pages before compression, with headers */
	uint64_t n_nulls;
	struct mer_str min, max; /* as a value stands in a page without its length */
};

void parquet_pages_init(struct parquet_pages *p, enum parquet_type type);
void parquet_pages_fini(struct parquet_pages *p);
bool parquet_pages_add(
	struct parquet_pages *p, const struct parquet_value *v); /* false: no memory */
/* How many bytes of memory values take. */
size_t parquet_pages_bytes(const struct parquet_pages *p);
/* Adds the chunk to out, and forgets the values. c: zeroed; parquet_chunk_fini in any case. False:
 * no memory. */
bool parquet_pages_write(struct parquet_pages *p, struct mer_str *out, struct parquet_chunk *c);
void parquet_chunk_fini(struct parquet_chunk *c);

#endif
