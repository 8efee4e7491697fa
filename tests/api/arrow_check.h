/* A reader of Arrow's C interfaces, of its own: it takes nothing from the library but the layout of
 * the structs, and checks what their specification says of buffers, offsets, counts and bits. */
#ifndef MER_TESTS_API_ARROW_CHECK_H
#define MER_TESTS_API_ARROW_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "meridian/session.h"

/* Checks a schema, and an array against it, with all below them. */
void arrow_check_schema(const struct ArrowSchema *s);
void arrow_check_array(const struct ArrowArray *a, const struct ArrowSchema *s);

/* Is the value of a column known? Its value; of a dictionary the text that is meant. */
bool arrow_known(const struct ArrowArray *column, int64_t row);
int64_t arrow_int(const struct ArrowArray *column, int64_t row);
double arrow_real(const struct ArrowArray *column, int64_t row);
const char *arrow_text(const struct ArrowArray *column, int64_t row, size_t *length);

/* The value of a key of metadata, "" if it is not there; valid until the next call. */
const char *arrow_metadata(const struct ArrowSchema *s, const char *key);

/* Reads the stream to its end and releases it: all is that of the result, which may have no texts
 * but UTF-8. Returns the number of batches. */
size_t arrow_same_rows(struct ArrowArrayStream *stream, const struct mer_result *r);

#endif
