#include "ctf/text_place.h"

#include <stdio.h>
#include <string.h>

/* What is shown of a line: SHOWN_BYTES in all, at most BEFORE_BYTES of them before the place. */
enum { SHOWN_BYTES = 120, BEFORE_BYTES = 80, PATH_BYTES = 300, MESSAGE_BYTES = 400 };

static bool is_continuation(char c)
{
	return ((unsigned char)c & 0xC0) == 0x80;
}

struct ctf_text_place ctf_text_place_find(
	const char *text, size_t len, size_t offset, const struct ctf_text_place *from)
{
	struct ctf_text_place p = { .line = 1 };
	if (from && from->line_start <= offset)
		p = *from;
	if (offset > len)
		offset = len;
	const char *at = text + p.line_start, *end = text + offset;
	for (const char *nl; at < end && (nl = memchr(at, '\n', (size_t)(end - at)));) {
		at = nl + 1;
		p.line++;
	}
	p.line_start = (size_t)(at - text);
	p.offset = offset;
	p.column = 1;
	for (; at < end; at++)
		p.column += !is_continuation(*at);
	return p;
}

/* The part of the line around the place, and the caret line, both as one text. */
static void show_line(char *out, const char *text, size_t len, const struct ctf_text_place *p)
{
	size_t from = p->line_start, to = p->offset;
	if (to - from > BEFORE_BYTES)
		from = to - BEFORE_BYTES;
	while (from < p->offset && is_continuation(text[from]))
		from++;
	while (to < len && to - from < SHOWN_BYTES && text[to] != '\n' && text[to] != '\r')
		to++;
	while (to > p->offset && to < len && is_continuation(text[to]))
		to--;
	char *o = out;
	if (from > p->line_start)
		o = stpcpy(o, "...");
	for (size_t i = from; i < to; i++) {
		unsigned char c = (unsigned char)text[i];
		*o++ = (c < 0x20 && c != '\t') || c == 0x7F ? '?' : text[i];
	}
	if (to < len && text[to] != '\n' && text[to] != '\r')
		o = stpcpy(o, "...");
	*o++ = '\n';
	if (from > p->line_start)
		o = stpcpy(o, "   ");
	for (size_t i = from; i < p->offset; i++)
		if (!is_continuation(text[i]))
			*o++ = text[i] == '\t' ? '\t' : ' ';
	*o++ = '^';
	*o = '\0';
}

int ctf_place_vfail(struct mer_err *err, int code, const char *path, const char *text, size_t len,
	size_t offset, const char *fmt, va_list ap)
{
	char message[MESSAGE_BYTES], line[2 * SHOWN_BYTES + 64];
	struct ctf_text_place p = ctf_text_place_find(text, len, offset, NULL);
	vsnprintf(message, sizeof(message), fmt, ap);
	show_line(line, text, len, &p);
	size_t path_len = strlen(path);
	bool cut = path_len > PATH_BYTES;
	return mer_fail(err, code, "%s%s:%llu:%llu: %s\n%s", cut ? "..." : "",
		cut ? path + path_len - PATH_BYTES : path, (unsigned long long)p.line,
		(unsigned long long)p.column, message, line);
}

int ctf_place_fail(struct mer_err *err, int code, const char *path, const char *text, size_t len,
	size_t offset, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	int rc = ctf_place_vfail(err, code, path, text, len, offset, fmt, ap);
	va_end(ap);
	return rc;
}
