/* JSON reader: parses one JSON value of a text to a tree in an arena (RFC 8259, strict UTF-8).
 *
 * Made for metadata: integers are exact over the whole of int64_t and uint64_t, every value and key
 * knows its place in the text, members keep their order, a key that occurs twice is an error. The
 * tree refers to the text for strings without escapes, so the text must live as long as the tree.
 * It does not validate whole documents: it reads one value from a given position and stops after
 * it; text between two values is up to the caller. Nesting is limited, all work is linear in the
 * length of the text (n log n in the members of one object). */
#ifndef MER_BASE_JSON_READ_H
#define MER_BASE_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"

/* Limits for one value read, including everything nested in it. */
enum { MER_JSON_MAX_DEPTH = 4096, MER_JSON_MAX_VALUES = 1 << 23 };

enum mer_json_kind {
	MER_JSON_NULL,
	MER_JSON_BOOL,
	MER_JSON_UINT, /* an integer, not negative, up to UINT64_MAX */
	MER_JSON_INT,  /* a negative integer, down to INT64_MIN */
	MER_JSON_REAL, /* with fraction or exponent, or an integer of more than 64 bits */
	MER_JSON_STRING,
	MER_JSON_ARRAY,
	MER_JSON_OBJECT
};

struct mer_json_member;
struct mer_json_value {
	enum mer_json_kind kind;
	uint32_t at; /* offset of its first byte in the text */
	uint32_t n;  /* string: bytes; array: items; object: members */
	union {
		bool truth;
		uint64_t number; /* of MER_JSON_INT: the bit pattern of an int64_t */
		double real;
		const char *text; /* not NUL terminated, may contain NUL */
		const struct mer_json_value *items;
		const struct mer_json_member *members;
	} u;
};

struct mer_json_member {
	const char *key; /* not NUL terminated, may contain NUL */
	uint32_t key_len, key_at;
	struct mer_json_value value;
};

struct mer_json_reader {
	const char *text;	   /* borrowed; less than 4 GiB */
	size_t len, pos;	   /* pos: where the next value is looked for */
	struct mer_arena *arena;   /* of the trees; borrowed */
	bool allow_trailing_comma; /* [1,] and {"a":1,}: not JSON, but some producers write it */
	uint32_t n_trailing_commas;
	size_t trailing_comma_at; /* of the first one */
	/* After a failure: */
	size_t err_at;
	char err[160];
	/* Private to the reader: values of the containers that are still open. */
	struct mer_json_member *stack;
	size_t n_stack, cap_stack, n_values;
};

void mer_json_reader_init(
	struct mer_json_reader *r, const char *text, size_t len, struct mer_arena *arena);
void mer_json_reader_fini(struct mer_json_reader *r);

/* Reads the value at r->pos (white space before it is skipped) and leaves r->pos behind it. On
 * failure returns a negative MER_ERR_* and fills err_at and err (not when memory is out). */
int mer_json_read(struct mer_json_reader *r, struct mer_json_value *value);

/* The member called key, or NULL. object must be an object. */
const struct mer_json_member *mer_json_member(const struct mer_json_value *object, const char *key);
/* Access to values of unknown type: these functions accept NULL, too. The value of the member
 * called key; NULL: there is none, or `object` is no object. */
const struct mer_json_value *mer_json_find(const struct mer_json_value *object, const char *key);
/* A signed 64-bit integer; false, and *to is 0: it is none. */
bool mer_json_int_of(const struct mer_json_value *v, int64_t *to);
/* A NUL-terminated copy of a string, in the arena; NULL: v is no string, or memory is out. */
const char *mer_json_text_of(const struct mer_json_value *v, struct mer_arena *arena);
bool mer_json_is(const struct mer_json_value *string, const char *text);
/* "an array", "the string", ...: for messages. */
const char *mer_json_kind_name(enum mer_json_kind kind);

#endif
