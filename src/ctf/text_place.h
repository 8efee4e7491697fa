/* Places in metadata text: offset to line and column, and the error that shows the source line.
 *
 *   PATH:LINE:COLUMN: message
 *   the source line (cut around the place when it is long)
 *        ^
 *
 * Lines and columns count from 1, columns in characters. Tabs are kept, so that the caret stands
 * below its place however wide they are. */
#ifndef MER_CTF_TEXT_PLACE_H
#define MER_CTF_TEXT_PLACE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"

struct ctf_text_place {
	size_t offset, line_start; /* bytes */
	uint64_t line, column;
};

/* from: an earlier place to go on from, or NULL for the start of the text. */
struct ctf_text_place ctf_text_place_find(
	const char *text, size_t len, size_t offset, const struct ctf_text_place *from);

/* Fills err and returns code. */
int ctf_place_vfail(struct mer_err *err, int code, const char *path, const char *text, size_t len,
	size_t offset, const char *fmt, va_list ap);
int ctf_place_fail(struct mer_err *err, int code, const char *path, const char *text, size_t len,
	size_t offset, const char *fmt, ...) __attribute__((format(printf, 7, 8)));

#endif
