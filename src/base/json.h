/* JSON, written as a stream: no tree is built, commas and nesting are kept right.
 *
 * Text goes to a string, and from there to a file when one is given (mer_json_flush). Integers are
 * written exactly, so nanoseconds stay integers; numbers that are not finite become null. Bytes
 * that are not UTF-8 become U+FFFD, so the output is valid whatever a trace contains. Misuse (a
 * value without key in an object, an extra end, nesting deeper than MER_JSON_DEPTH) and allocation
 * failure set failed, which mer_json_finish checks. */
#ifndef MER_BASE_JSON_H
#define MER_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "base/err.h"
#include "base/str.h"

enum { MER_JSON_DEPTH = 256 };
/* "schema_version" of all documents: incremented when a key is removed or changes its meaning
 * (listed in CHANGELOG.md). */
enum { MER_JSON_SCHEMA = 3 };

struct mer_json {
	struct mer_str *out; /* borrowed */
	FILE *file;	     /* borrowed; NULL: text stays in out */
	int indent;	     /* spaces a level; 0: all on one line */
	int depth;
	bool has_key; /* a key was written, its value not yet */
	bool failed;
	struct {
		bool object, used;
	} level[MER_JSON_DEPTH];
};

void mer_json_init(struct mer_json *j, struct mer_str *out, FILE *file, int indent);
/* Ends the document with a newline, writes what is pending. */
int mer_json_finish(struct mer_json *j, struct mer_err *err);
/* Writes pending text to the file; also called automatically from time to time. */
void mer_json_flush(struct mer_json *j);

void mer_json_begin_object(struct mer_json *j);
void mer_json_end_object(struct mer_json *j);
void mer_json_begin_array(struct mer_json *j);
void mer_json_end_array(struct mer_json *j);

void mer_json_key(struct mer_json *j, const char *key);
void mer_json_int(struct mer_json *j, int64_t v);
void mer_json_uint(struct mer_json *j, uint64_t v);
/* The shortest decimal number that reads back as v. */
void mer_json_double(struct mer_json *j, double v);
void mer_json_bool(struct mer_json *j, bool v);
void mer_json_null(struct mer_json *j);
/* NULL becomes null. */
void mer_json_text(struct mer_json *j, const char *s);

/* Key and value in one. */
void mer_json_kv_int(struct mer_json *j, const char *key, int64_t v);
void mer_json_kv_uint(struct mer_json *j, const char *key, uint64_t v);
void mer_json_kv_double(struct mer_json *j, const char *key, double v);
void mer_json_kv_bool(struct mer_json *j, const char *key, bool v);
void mer_json_kv_null(struct mer_json *j, const char *key);
void mer_json_kv_text(struct mer_json *j, const char *key, const char *s);
void mer_json_kv_object(struct mer_json *j, const char *key);
void mer_json_kv_array(struct mer_json *j, const char *key);

/* The text as a JSON string, with its quotes; for writers that lay out their own lines. */
void mer_json_quote(struct mer_str *out, const char *s, size_t len);

#endif
