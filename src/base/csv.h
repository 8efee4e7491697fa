/* Fields of CSV, as in RFC 4180, but each row is one line: control characters are escapes. */
#ifndef MER_BASE_CSV_H
#define MER_BASE_CSV_H

#include "base/str.h"

/* The text as a field, in UTF-8; bytes that are not UTF-8 become U+FFFD. */
void mer_csv_text(struct mer_str *out, const char *s, size_t len);
/* Makes a field of what was added to out since then: quotes it where needed. */
void mer_csv_quote(struct mer_str *out, size_t since);

#endif
