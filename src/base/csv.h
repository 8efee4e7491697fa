/* CSV fields, as in RFC 4180, except that each row is one line: control characters are escaped. */
#ifndef MER_BASE_CSV_H
#define MER_BASE_CSV_H

#include "base/str.h"

/* The text as a field, in UTF-8; bytes that are not UTF-8 become U+FFFD. */
void mer_csv_text(struct mer_str *out, const char *s, size_t len);
/* Turns the text in `out` from offset `since` on into a field: quotes it if needed. */
void mer_csv_quote(struct mer_str *out, size_t since);

#endif
