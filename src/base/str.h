/* A growing string, for text that is built piece by piece. An allocation failure sets failed and
 * drops what does not fit: check it once, at the end. data is NUL terminated (or NULL if empty). */
#ifndef MER_BASE_STR_H
#define MER_BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct mer_str {
	char *data;
	size_t len, cap;
	bool failed;
};

void mer_str_fini(struct mer_str *s);
void mer_str_clear(struct mer_str *s);
/* Makes room for n more bytes and the NUL; false when memory is out. */
bool mer_str_reserve(struct mer_str *s, size_t n);
void mer_str_add(struct mer_str *s, const char *text, size_t len);
void mer_str_puts(struct mer_str *s, const char *text);
void mer_str_putc(struct mer_str *s, char c);
/* Are these the same word, ignoring case and treating "-" and a blank as "_"? */
bool mer_same_word(const char *a, const char *b);
void mer_str_printf(struct mer_str *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
