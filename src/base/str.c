#include "base/str.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void mer_str_fini(struct mer_str *s)
{
	free(s->data);
	*s = (struct mer_str){ 0 };
}

void mer_str_clear(struct mer_str *s)
{
	s->len = 0;
	if (s->data)
		s->data[0] = '\0';
}

bool mer_str_reserve(struct mer_str *s, size_t n)
{
	if (s->failed || n > SIZE_MAX / 4 - s->len) {
		s->failed = true;
		return false;
	}
	if (s->len + n < s->cap)
		return true;
	size_t cap = s->cap ? s->cap : 64;
	while (cap <= s->len + n)
		cap *= 2;
	char *p = realloc(s->data, cap);
	if (!p) {
		s->failed = true;
		return false;
	}
	s->data = p;
	s->cap = cap;
	return true;
}

void mer_str_add(struct mer_str *s, const char *text, size_t len)
{
	if (!mer_str_reserve(s, len))
		return;
	if (len)
		memcpy(s->data + s->len, text, len);
	s->len += len;
	s->data[s->len] = '\0';
}

void mer_str_puts(struct mer_str *s, const char *text)
{
	mer_str_add(s, text, strlen(text));
}

void mer_str_putc(struct mer_str *s, char c)
{
	mer_str_add(s, &c, 1);
}

void mer_str_printf(struct mer_str *s, const char *fmt, ...)
{
	va_list ap, again;
	va_start(ap, fmt);
	va_copy(again, ap);
	int n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n >= 0 && mer_str_reserve(s, (size_t)n)) {
		vsnprintf(s->data + s->len, (size_t)n + 1, fmt, again);
		s->len += (size_t)n;
	}
	va_end(again);
}

static char plain_letter(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c == ' ' || c == '-' ? '_' : c;
}

bool mer_same_word(const char *a, const char *b)
{
	while (*a && plain_letter(*a) == plain_letter(*b)) {
		a++;
		b++;
	}
	return !*a && !*b;
}
