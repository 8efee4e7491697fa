/* Text for people: made safe for a terminal, wrapped, measured; numbers with human units. */
#ifndef MER_ASK_PRINT_TEXT_H
#define MER_ASK_PRINT_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include "base/human.h"

/* Adds s with what a terminal would obey as escapes (base/safe_text.h). Line ends and tabs pass
 * when multiline. */
void ask_text_clean(struct mer_str *out, const char *s, size_t len, bool multiline);
/* Columns that clean text takes: its characters (wide ones count as one). */
size_t ask_text_width(const char *s, size_t len);
/* Adds s, made clean, in at most width columns; what does not fit is replaced by an ellipsis in its
 * middle. */
void ask_text_shorten(struct mer_str *out, const char *s, size_t len, size_t width);
/* Adds paragraphs (separated by empty lines), wrapped to width columns, each line after indent
 * blanks. Lines that begin with a blank are kept as they are. */
void ask_text_wrap(struct mer_str *out, const char *s, size_t width, size_t indent);

static inline void ask_text_count(struct mer_str *out, int64_t v)
{
	mer_put_count(out, v); /* 1,234,567 */
}
static inline void ask_text_bytes(struct mer_str *out, int64_t v)
{
	mer_put_bytes(out, v); /* 12.3 MiB */
}
static inline void ask_text_duration(struct mer_str *out, int64_t v)
{
	mer_put_duration(out, v); /* 12.3 ms */
}
/* "1 host", "1,234 hosts"; for words in formats: base/plural.h. */
void ask_text_things(struct mer_str *out, uint64_t n, const char *one, const char *many);
void ask_text_time(struct mer_str *out, int64_t ns);	 /* 2024-05-03 12:34:56.123456789, local */
void ask_text_ratio(struct mer_str *out, double v);	 /* 12.3 % */
void ask_text_seconds(struct mer_str *out, int64_t ns);	 /* -12.345678901 */
void ask_text_real(struct mer_str *out, double v);	 /* 12.35; - when not finite */
void ask_text_clock(struct mer_str *out, int64_t ns);	 /* 12:34:56.789, local */
void ask_text_clock_us(struct mer_str *out, int64_t ns); /* 12:34:56.789012, local */
void ask_text_rate(struct mer_str *out, double v);	 /* 12.3 MiB/s; - when not finite */
/* A bar of a part (0..1) of width characters, in eighths of one. */
void ask_text_bar(struct mer_str *out, double part, size_t width);

#endif
