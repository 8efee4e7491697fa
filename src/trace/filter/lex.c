#include "trace/filter/lex.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/time_unit.h"

/* ---- errors ---- */

/* Number of characters in the first n bytes of s. */
static size_t characters(const char *s, size_t n)
{
	size_t k = 0;
	for (size_t i = 0; i < n; i++)
		k += ((unsigned char)s[i] & 0xc0) != 0x80;
	return k;
}

/* The expression around a place, on one line, and a caret under it. */
static void show_place(struct mer_str *s, const char *text, size_t len, size_t at)
{
	enum { BEFORE = 60, AFTER = 40 };
	size_t from = at > BEFORE ? at - BEFORE : 0, to = len - at > AFTER ? at + AFTER : len;
	while (from > 0 && ((unsigned char)text[from] & 0xc0) == 0x80)
		from--;
	while (to < len && ((unsigned char)text[to] & 0xc0) == 0x80)
		to++;
	mer_str_puts(s, from ? "\n  ..." : "\n  ");
	for (size_t i = from; i < to; i++)
		mer_str_putc(s, (unsigned char)text[i] < ' ' || text[i] == 0x7f ? ' ' : text[i]);
	mer_str_puts(s, to < len ? "...\n  " : "\n  ");
	size_t blanks = characters(text + from, at - from) + (from ? 3 : 0);
	for (size_t i = 0; i < blanks; i++)
		mer_str_putc(s, ' ');
	mer_str_putc(s, '^');
}

int filter_wrong(struct filter_lexer *l, int code, size_t at, const char *fmt, ...)
{
	char message[400];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	struct mer_str s = { 0 };
	mer_str_printf(&s, "%s:%zu: %s", l->what, characters(l->text, at) + 1, message);
	show_place(&s, l->text, l->len, at);
	code = s.failed ? mer_fail_nomem(l->err) : mer_fail(l->err, code, "%s", s.data);
	mer_str_fini(&s);
	return code;
}

const char *trace_filter_mistake(struct mer_err *err, size_t *column)
{
	char *colon = strchr(err->text, ':'), *what = err->text;
	size_t from_one = colon ? strtoul(colon + 1, &what, 10) : 0;
	what += strspn(what, ": ");
	what[strcspn(what, "\n")] = '\0';
	*column = from_one ? from_one - 1 : 0;
	return what;
}

int filter_expected(struct filter_lexer *l, const char *expected, ...)
{
	char what[200], found[64] = "the end";
	va_list ap;
	va_start(ap, expected);
	vsnprintf(what, sizeof(what), expected, ap);
	va_end(ap);
	const struct filter_token *t = &l->now;
	if (t->kind != FILTER_END) {
		size_t n = t->len > 40 ? 40 : t->len;
		while (n < t->len && ((unsigned char)l->text[t->at + n] & 0xc0) == 0x80)
			n--;
		snprintf(found, sizeof(found), "'%.*s%s'", (int)n, l->text + t->at,
			n < t->len ? "..." : "");
	}
	return filter_wrong(l, MER_ERR_USAGE, t->at, "expected %s, found %s", what, found);
}

/* ---- tokens ---- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}

static int hex_digit(char c)
{
	return is_digit(c)	      ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

static size_t word_end(const struct filter_lexer *l, size_t at)
{
	while (at < l->len && is_word(l->text[at]))
		at++;
	return at;
}

static char peek(const struct filter_lexer *l, size_t at)
{
	return at < l->len ? l->text[at] : '\0';
}

static size_t name_end(const struct filter_lexer *l, size_t at)
{
	at = word_end(l, at);
	while (l->colons_in_words && peek(l, at) == ':' && is_word(peek(l, at + 1)))
		at = word_end(l, at + 1);
	return at;
}

static int too_big(struct filter_lexer *l, const struct filter_token *t)
{
	return filter_wrong(l, MER_ERR_USAGE, t->at, "the number does not fit in 64 bits");
}

/* A whole number in base 8, 10 or 16: digits from at to end. */
static int read_whole(
	struct filter_lexer *l, struct filter_token *t, size_t at, size_t end, unsigned base)
{
	uint64_t v = 0;
	for (; at < end; at++) {
		int d = hex_digit(l->text[at]);
		if (d < 0 || (unsigned)d >= base)
			return filter_wrong(
				l, MER_ERR_USAGE, at, "expected a digit, found '%c'", l->text[at]);
		if (__builtin_mul_overflow(v, base, &v) ||
			__builtin_add_overflow(v, (unsigned)d, &v))
			return too_big(l, t);
	}
	t->number.integer = v;
	return 0;
}

/* Decimal digits, a point and an exponent, read as the C locale does. */
static int read_real(struct filter_lexer *l, struct filter_token *t, size_t end)
{
	char text[400];
	size_t len = end - t->at;
	if (len >= sizeof(text))
		return filter_wrong(l, MER_ERR_USAGE, t->at, "the number is too long");
	memcpy(text, l->text + t->at, len);
	text[len] = '\0';
	locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	if (!c)
		return mer_fail_nomem(l->err);
	t->number.is_real = true;
	t->number.real = strtod_l(text, NULL, c);
	freelocale(c);
	return 0;
}

/* A decimal number with a unit, as exact nanoseconds; fractions of one are dropped. */
static int read_duration(struct filter_lexer *l, struct filter_token *t, size_t point,
	size_t digits_end, uint64_t unit)
{
	int rc = read_whole(l, t, t->at, point, 10);
	if (rc)
		return rc;
	uint64_t ns, part = 0, digit = unit;
	if (__builtin_mul_overflow(t->number.integer, unit, &ns))
		return too_big(l, t);
	for (size_t i = point + 1; i < digits_end && digit; i++) {
		/* 60 and 3600 seconds are no powers of ten, but have enough zeros at their end. */
		digit /= 10;
		part += digit * (unsigned)(l->text[i] - '0');
	}
	if (__builtin_add_overflow(ns, part, &t->number.integer))
		return too_big(l, t);
	return 0;
}

static int lex_number(struct filter_lexer *l, struct filter_token *t)
{
	size_t at = t->at, end;
	t->kind = FILTER_NUMBER;
	if (l->text[at] == '0' && (peek(l, at + 1) == 'x' || peek(l, at + 1) == 'X')) {
		end = word_end(l, at);
		t->len = end - at;
		if (t->len == 2)
			return filter_wrong(l, MER_ERR_USAGE, end, "expected a digit after '0x'");
		return read_whole(l, t, at + 2, end, 16);
	}
	size_t point = at;
	while (is_digit(peek(l, point)))
		point++;
	end = point;
	if (peek(l, end) == '.' && is_digit(peek(l, end + 1)))
		while (is_digit(peek(l, ++end)))
			;
	size_t digits_end = end;
	bool exponent = peek(l, end) == 'e' || peek(l, end) == 'E';
	if (exponent) {
		size_t e = end + 1;
		if (peek(l, e) == '-' || peek(l, e) == '+')
			e++;
		exponent = is_digit(peek(l, e));
		if (exponent)
			while (is_digit(peek(l, e)))
				end = ++e;
	}
	size_t unit_end = end;
	while (is_word(peek(l, unit_end)) || (unsigned char)peek(l, unit_end) >= 0x80)
		unit_end++;
	t->len = unit_end - at;
	if (unit_end > end) {
		int64_t ns = exponent ? 0 : mer_time_unit(l->text + end, unit_end - end);
		if (ns)
			return read_duration(l, t, point, digits_end, (uint64_t)ns);
		return filter_wrong(l, MER_ERR_USAGE, end,
			"expected a unit (" MER_TIME_UNITS ") or the number's end, found '%.*s'",
			(int)(unit_end - end > 40 ? 40 : unit_end - end), l->text + end);
	}
	if (end > point)
		return read_real(l, t, end);
	bool octal = l->text[at] == '0' && point > at + 1;
	return read_whole(l, t, at, point, octal ? 8 : 10);
}

/* One escape of a text, after the backslash at l->pos; -1: not an escape. */
static int escape(struct filter_lexer *l, size_t *used)
{
	char c = peek(l, l->pos + 1);
	*used = 2;
	switch (c) {
	case '\\':
	case '"':
	case '\'':
	case '*':
	case '?': return (unsigned char)c;
	case 'n': return '\n';
	case 't': return '\t';
	case 'r': return '\r';
	case 'x': {
		if (l->len - l->pos < 4)
			return -1;
		int high = hex_digit(l->text[l->pos + 2]), low = hex_digit(l->text[l->pos + 3]);
		*used = 4;
		return high < 0 || low < 0 ? -1 : high * 16 + low;
	}
	default: return -1;
	}
}

static int lex_text(struct filter_lexer *l, struct filter_token *t, bool regex)
{
	char quote = l->text[t->at];
	size_t close = t->at + 1;
	while (close < l->len && l->text[close] != quote)
		close += l->text[close] == '\\' ? 2 : 1;
	if (close >= l->len)
		return filter_wrong(
			l, MER_ERR_USAGE, t->at, "this text has no %c at its end", quote);
	size_t room = close - t->at; /* decoded it is not longer */
	char *text = mer_arena_alloc(l->arena, room + 1);
	bool *wild = mer_arena_zalloc(l->arena, room + 1, sizeof(*wild));
	if (!text || !wild)
		return mer_fail_nomem(l->err);
	size_t n = 0;
	for (l->pos = t->at + 1; l->text[l->pos] != quote; n++) {
		char c = l->text[l->pos];
		size_t used = 1;
		wild[n] = c == '*' || c == '?';
		if (c == '\\' && regex) {
			char next = peek(l, l->pos + 1);
			if (next == quote || next == 'n' || next == 't' || next == 'r') {
				c = (char)escape(l, &used);
			} else { /* two characters for the regular expression */
				text[n++] = c;
				c = next;
				used = 2;
			}
		} else if (c == '\\') {
			int e = escape(l, &used);
			if (e < 0)
				return filter_wrong(l, MER_ERR_USAGE, l->pos,
					"expected one of \\\\ \\\" \\' \\n \\t \\r \\xHH \\* \\?");
			c = (char)e;
		}
		text[n] = c;
		l->pos += used;
	}
	text[n] = '\0';
	t->kind = FILTER_TEXT;
	t->len = l->pos + 1 - t->at;
	t->text = text;
	t->text_len = n;
	t->wild = wild;
	return 0;
}

static const struct {
	char text[3];
	uint8_t kind;
} signs[] = { /* longer ones first */
	{ "==", FILTER_EQ }, { "!=", FILTER_NE }, { "<=", FILTER_LE }, { ">=", FILTER_GE },
	{ "=~", FILTER_MATCH }, { "!~", FILTER_NO_MATCH }, { "&&", FILTER_AND },
	{ "||", FILTER_OR }, { "<", FILTER_LT }, { ">", FILTER_GT }, { "!", FILTER_NOT },
	{ "-", FILTER_MINUS }, { ".", FILTER_DOT }, { "(", FILTER_LEFT }, { ")", FILTER_RIGHT },
	{ "[", FILTER_LEFT_BRACKET }, { "]", FILTER_RIGHT_BRACKET }, { ":", FILTER_COLON }
};

static void lex_sign(struct filter_lexer *l, struct filter_token *t)
{
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		size_t n = strlen(signs[i].text);
		if (l->len - t->at >= n && memcmp(signs[i].text, l->text + t->at, n) == 0) {
			t->kind = (enum filter_token_kind)signs[i].kind;
			t->len = n;
			return;
		}
	}
	t->kind = FILTER_OTHER;
	t->len = 1;
	while ((unsigned char)l->text[t->at] >= 0xc0 && t->at + t->len < l->len &&
		((unsigned char)l->text[t->at + t->len] & 0xc0) == 0x80)
		t->len++;
}

int filter_next(struct filter_lexer *l)
{
	enum filter_token_kind before = l->now.kind;
	while (l->pos < l->len && strchr(" \t\r\n", l->text[l->pos]))
		l->pos++;
	struct filter_token t = { .at = l->pos };
	char c = peek(l, l->pos);
	int rc = 0;
	if (l->pos == l->len) {
		t.kind = FILTER_END;
	} else if (is_digit(c)) {
		rc = lex_number(l, &t);
	} else if (is_word(c) || (c == '$' && is_word(peek(l, l->pos + 1)))) {
		size_t from = l->pos + (c == '$');
		t.kind = c == '$' ? FILTER_BUILTIN : FILTER_WORD;
		t.text_len = (c == '$' ? word_end(l, from) : name_end(l, from)) - from;
		t.len = from + t.text_len - t.at;
		t.text = mer_arena_strndup(l->arena, l->text + from, t.text_len);
		if (!t.text)
			rc = mer_fail_nomem(l->err);
	} else if (c == '"' || c == '\'') {
		rc = lex_text(l, &t, before == FILTER_MATCH || before == FILTER_NO_MATCH);
	} else {
		lex_sign(l, &t);
	}
	l->pos = t.at + t.len;
	l->now = t;
	return rc;
}
