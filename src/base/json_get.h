/* Members of JSON objects by name and type, for files that may be anything.
 *
 * The first mistake is kept, with its file, line and column; after it every function returns zero,
 * "" or empty. So a reader gets all its members in a row and checks once. Returned text lives as
 * long as the tree or the arena: see each function. */
#ifndef MER_BASE_JSON_GET_H
#define MER_BASE_JSON_GET_H

#include "base/err.h"
#include "base/json_read.h"

struct mer_json_get {
	const char *text, *path; /* of the file; borrowed, for messages */
	size_t len;
	struct mer_err *err;
	int rc; /* 0, or the first failure; err is filled */
};

/* Reads the whole text, which must be one JSON object, into the arena. */
void mer_json_get_root(struct mer_json_get *g, struct mer_arena *tree, struct mer_json_value *root);

/* Fails at a place of the text; does nothing after an earlier failure. */
void mer_json_get_fail(struct mer_json_get *g, const struct mer_json_value *at, const char *fmt,
	...) __attribute__((format(printf, 3, 4)));
void mer_json_get_nomem(struct mer_json_get *g);

/* Missing members and wrong types are mistakes. The values returned are never NULL. */
const struct mer_json_value *mer_json_get_object(
	struct mer_json_get *g, const struct mer_json_value *object, const char *key);
const struct mer_json_value *mer_json_get_array(
	struct mer_json_get *g, const struct mer_json_value *object, const char *key);
/* An array of objects, of text, ... */
const struct mer_json_value *mer_json_get_array_of(struct mer_json_get *g,
	const struct mer_json_value *object, const char *key, enum mer_json_kind kind);
bool mer_json_get_bool(
	struct mer_json_get *g, const struct mer_json_value *object, const char *key);
int64_t mer_json_get_int(
	struct mer_json_get *g, const struct mer_json_value *object, const char *key);
/* null stands for nothing. */
int64_t mer_json_get_int_or(struct mer_json_get *g, const struct mer_json_value *object,
	const char *key, int64_t nothing);
uint64_t mer_json_get_uint(
	struct mer_json_get *g, const struct mer_json_value *object, const char *key);
/* Finite, or NAN for null. */
double mer_json_get_real(
	struct mer_json_get *g, const struct mer_json_value *object, const char *key);
/* NUL-terminated, in the arena; without NUL inside. or_null: NULL for null, else a mistake. */
const char *mer_json_get_text(struct mer_json_get *g, const struct mer_json_value *object,
	const char *key, bool or_null, struct mer_arena *arena);
/* Which of the words of a set: name(0) ... name(n - 1). */
unsigned mer_json_get_word(struct mer_json_get *g, const struct mer_json_value *object,
	const char *key, const char *(*name)(unsigned), unsigned n);

/* A value as an integer; key is for the message. */
int64_t mer_json_to_int(
	struct mer_json_get *g, const struct mer_json_value *value, const char *key);

#endif
