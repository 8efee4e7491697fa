/* Text of a trace, made safe to show.
 *
 * A trace's names and values may hold anything. What a terminal would obey is never printed:
 * control characters (C0, DEL, and C1 as U+0080 to U+009F), characters that change the direction of
 * text or are invisible, and bytes that are not UTF-8 (a lone 0x9B is CSI to some terminals). They
 * are written as \n, \t, \r, \xHH, \uHHHH or \UHHHHHHHH. */
#ifndef MER_BASE_SAFE_TEXT_H
#define MER_BASE_SAFE_TEXT_H

#include "base/str.h"

/* Bytes of the character at s when it may be shown as it is; 0: it may not (or len is 0). */
size_t mer_safe_length(const char *s, size_t len);
/* How many bytes from s on may be shown as they are. */
size_t mer_safe_span(const char *s, size_t len);
/* Adds the character or byte at s as an escape; returns the bytes that it took. len is not 0. */
size_t mer_safe_escape(struct mer_str *out, const char *s, size_t len);
void mer_safe_add(struct mer_str *out, const char *s, size_t len);
/* The same, and what is beyond ASCII as escapes. */
void mer_ascii_add(struct mer_str *out, const char *s, size_t len);

#endif
