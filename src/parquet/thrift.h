/* Thrift's compact protocol, as far as the metadata of Parquet files needs it: structs, lists,
 * numbers, texts and truth values, written in the order of their field numbers.
 *
 * https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md */
#ifndef MER_PARQUET_THRIFT_H
#define MER_PARQUET_THRIFT_H

#include <stddef.h>
#include <stdint.h>
#include "base/str.h"

enum thrift_type { /* of the elements of a list */
	THRIFT_I32 = 5,
	THRIFT_TEXT = 8,
	THRIFT_STRUCT = 12
};

enum { THRIFT_DEPTH = 8 }; /* of structs in structs */

struct thrift {
	struct mer_str *out;	/* bytes; failed: no memory */
	int last[THRIFT_DEPTH]; /* number of the field before, by depth */
	int depth;
};

/* The struct that is the whole message, and one that is the next element of a list. */
void thrift_begin(struct thrift *t);
void thrift_end(struct thrift *t);

/* Fields of the struct that was begun last; field: their numbers, ascending. thrift_struct and
 * thrift_list begin them: the struct needs a thrift_end, the list n elements. */
void thrift_i16(struct thrift *t, int field, int v);
void thrift_i32(struct thrift *t, int field, int32_t v);
void thrift_i64(struct thrift *t, int field, int64_t v);
void thrift_bool(struct thrift *t, int field, bool v);
void thrift_text(struct thrift *t, int field, const void *bytes, size_t n);
void thrift_struct(struct thrift *t, int field);
void thrift_list(struct thrift *t, int field, enum thrift_type type, size_t n);

/* Elements of lists. */
void thrift_add_i32(struct thrift *t, int32_t v);
void thrift_add_text(struct thrift *t, const void *bytes, size_t n);

/* Seven bits a byte, the low ones first; Parquet's encodings use it as well. */
void thrift_varint(struct mer_str *out, uint64_t v);
/* Small numbers of either sign in few bytes. */
void thrift_zigzag(struct mer_str *out, int64_t v);

#endif
