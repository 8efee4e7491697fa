#include "ctf/tsdl_lex.h"
#include "base/grow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WARNINGS = 100 };

/* Limit of search steps: valid metadata never needs so many, hostile metadata may. */
static const uint64_t MAX_STEPS = 200000000;

void tsdl_fail_at(struct tsdl *t, int code, const char *place, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	t->fail_code = ctf_place_vfail(t->err, code, t->path, t->text, (size_t)(t->end - t->text),
		(size_t)(place - t->text), fmt, ap);
	va_end(ap);
	longjmp(t->fail, 1);
}

void tsdl_fail_nomem(struct tsdl *t)
{
	t->fail_code = mer_fail_nomem(t->err);
	longjmp(t->fail, 1);
}

void tsdl_fail_expected(struct tsdl *t, const char *what)
{
	const struct tsdl_token *tok = &t->tok;
	if (tok->kind == TOK_END)
		tsdl_fail_at(t, MER_ERR_INPUT, tok->start,
			"expected %s, found the end of the metadata", what);
	int shown = tok->len > 40 ? 40 : (int)tok->len;
	tsdl_fail_at(t, MER_ERR_INPUT, tok->start, "expected %s, found %s%.*s%s", what,
		tok->kind == TOK_KEYWORD ? "the keyword " : "", shown, tok->start,
		tok->len > 40 ? "..." : "");
}

void tsdl_warn_at(struct tsdl *t, const char *place, const char *fmt, ...)
{
	if (!t->diags)
		return;
	/* Finding a place takes time, and so many warnings are not read. */
	if (++t->n_warnings > MAX_WARNINGS)
		return;
	char message[400];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	t->warned_at = ctf_text_place_find(
		t->text, (size_t)(t->end - t->text), (size_t)(place - t->text), &t->warned_at);
	struct mer_diag where = { .severity = MER_WARNING,
		.code = "metadata",
		.path = t->path,
		.stream = -1,
		.packet = -1,
		.offset_bits = -1 };
	mer_diag_add(t->diags, &where, "line %llu, column %llu: %s",
		(unsigned long long)t->warned_at.line, (unsigned long long)t->warned_at.column,
		message);
}

void tsdl_warn_rest(struct tsdl *t)
{
	if (!t->diags || t->n_warnings <= MAX_WARNINGS)
		return;
	struct mer_diag where = { .severity = MER_WARNING,
		.code = "metadata",
		.path = t->path,
		.stream = -1,
		.packet = -1,
		.offset_bits = -1,
		.count = t->n_warnings - MAX_WARNINGS };
	mer_diag_add(t->diags, &where, "more warnings about the metadata");
}

void *tsdl_alloc(struct tsdl *t, struct mer_arena *a, size_t n, size_t bytes_each)
{
	void *p = mer_arena_zalloc(a, n, bytes_each);
	if (!p)
		tsdl_fail_nomem(t);
	return p;
}

uint32_t tsdl_intern(struct tsdl *t, const char *text, size_t len)
{
	uint32_t id = mer_intern_add(&t->names, text, len);
	if (id == MER_INTERN_NONE)
		tsdl_fail_nomem(t);
	return id;
}

void tsdl_grow(struct tsdl *t, void **data, uint32_t *cap, uint32_t n, size_t bytes_each)
{
	if (!mer_grow32(data, n, cap, bytes_each))
		tsdl_fail_nomem(t);
}

void tsdl_count_steps(struct tsdl *t, uint64_t n)
{
	t->steps += n;
	if (t->steps > MAX_STEPS)
		tsdl_fail_at(t, MER_ERR_LIMIT, t->tok.start ? t->tok.start : t->end,
			"too many references to follow");
}

/* Character classes, one table look-up each. */
enum { SPACE = 1, WORD_START = 2, DIGIT = 4, HEX = 8, OCTAL = 16 };
#define A (WORD_START | HEX)
#define W WORD_START
#define D (DIGIT | HEX)
#define O (DIGIT | HEX | OCTAL)
static const uint8_t class_of[256] = {
	['\t'] = SPACE,
	['\n'] = SPACE,
	['\v'] = SPACE,
	['\f'] = SPACE,
	['\r'] = SPACE,
	[' '] = SPACE,
	['0'] = O,
	['1'] = O,
	['2'] = O,
	['3'] = O,
	['4'] = O,
	['5'] = O,
	['6'] = O,
	['7'] = O,
	['8'] = D,
	['9'] = D,
	['A'] = A,
	['B'] = A,
	['C'] = A,
	['D'] = A,
	['E'] = A,
	['F'] = A,
	['G'] = W,
	['H'] = W,
	['I'] = W,
	['J'] = W,
	['K'] = W,
	['L'] = W,
	['M'] = W,
	['N'] = W,
	['O'] = W,
	['P'] = W,
	['Q'] = W,
	['R'] = W,
	['S'] = W,
	['T'] = W,
	['U'] = W,
	['V'] = W,
	['W'] = W,
	['X'] = W,
	['Y'] = W,
	['Z'] = W,
	['_'] = W,
	['a'] = A,
	['b'] = A,
	['c'] = A,
	['d'] = A,
	['e'] = A,
	['f'] = A,
	['g'] = W,
	['h'] = W,
	['i'] = W,
	['j'] = W,
	['k'] = W,
	['l'] = W,
	['m'] = W,
	['n'] = W,
	['o'] = W,
	['p'] = W,
	['q'] = W,
	['r'] = W,
	['s'] = W,
	['t'] = W,
	['u'] = W,
	['v'] = W,
	['w'] = W,
	['x'] = W,
	['y'] = W,
	['z'] = W,
};
#undef A
#undef W
#undef D
#undef O

static inline bool is(char c, int classes)
{
	return class_of[(unsigned char)c] & classes;
}

static const struct {
	char word[16];
	enum tsdl_keyword keyword;
} keywords[] = {
	{ "align", KW_ALIGN },
	{ "callsite", KW_CALLSITE },
	{ "clock", KW_CLOCK },
	{ "const", KW_CONST },
	{ "char", KW_CHAR },
	{ "double", KW_DOUBLE },
	{ "enum", KW_ENUM },
	{ "env", KW_ENV },
	{ "event", KW_EVENT },
	{ "floating_point", KW_FLOATING_POINT },
	{ "float", KW_FLOAT },
	{ "integer", KW_INTEGER },
	{ "int", KW_INT },
	{ "long", KW_LONG },
	{ "short", KW_SHORT },
	{ "signed", KW_SIGNED },
	{ "stream", KW_STREAM },
	{ "string", KW_STRING },
	{ "struct", KW_STRUCT },
	{ "trace", KW_TRACE },
	{ "typealias", KW_TYPEALIAS },
	{ "typedef", KW_TYPEDEF },
	{ "unsigned", KW_UNSIGNED },
	{ "variant", KW_VARIANT },
	{ "void", KW_VOID },
	{ "_Bool", KW_BOOL },
	{ "_Complex", KW_COMPLEX },
	{ "_Imaginary", KW_IMAGINARY },
};

static enum tsdl_keyword keyword_of(const char *word, size_t len)
{
	/* By first letter: where its keywords begin in the table, and how many there are. */
	static const struct {
		uint8_t first, n;
	} by_letter[128] = { ['a'] = { 0, 1 },
		['c'] = { 1, 4 },
		['d'] = { 5, 1 },
		['e'] = { 6, 3 },
		['f'] = { 9, 2 },
		['i'] = { 11, 2 },
		['l'] = { 13, 1 },
		['s'] = { 14, 5 },
		['t'] = { 19, 3 },
		['u'] = { 22, 1 },
		['v'] = { 23, 2 },
		['_'] = { 25, 3 } };
	if (len < 3 || len > 14)
		return KW_NONE;
	unsigned char c = (unsigned char)word[0];
	for (unsigned i = by_letter[c].first, n = by_letter[c].n; n > 0; i++, n--)
		if (memcmp(keywords[i].word, word, len) == 0 && keywords[i].word[len] == '\0')
			return keywords[i].keyword;
	return KW_NONE;
}

static const char *skip_space(struct tsdl *t, const char *p)
{
	const char *end = t->end;
	for (;;) {
		while (p < end && is(*p, SPACE))
			p++;
		if (end - p < 2 || *p != '/')
			return p;
		if (p[1] == '/') {
			const char *nl = memchr(p, '\n', (size_t)(end - p));
			const char *stop = nl ? nl : end;
			const char *nul = memchr(p, '\0', (size_t)(stop - p));
			if (nul)
				return nul;
			p = stop;
		} else if (p[1] == '*') {
			const char *close = memmem(p + 2, (size_t)(end - p - 2), "*/", 2);
			if (!close)
				tsdl_fail_at(t, MER_ERR_INPUT, p, "this comment has no end");
			const char *nul = memchr(p, '\0', (size_t)(close - p));
			if (nul)
				return nul;
			p = close + 2;
		} else {
			return p;
		}
	}
}

static unsigned digit_value(char c)
{
	return c <= '9' ? (unsigned)(c - '0') : ((unsigned)c | 0x20) - 'a' + 10;
}

/* An integer with its suffix; p is at the first digit. */
static const char *lex_int(struct tsdl *t, const char *p)
{
	const char *start = p, *end = t->end;
	unsigned base = 10;
	int digits = DIGIT;
	if (*p == '0' && end - p > 1 && (p[1] | 0x20) == 'x') {
		base = 16;
		digits = HEX;
		p += 2;
		if (p == end || !is(*p, HEX))
			tsdl_fail_at(t, MER_ERR_INPUT, start,
				"a hexadecimal number needs digits after 0x");
	} else if (*p == '0') {
		base = 8;
		digits = OCTAL;
	}
	uint64_t v = 0;
	for (; p < end && is(*p, digits); p++)
		if (__builtin_mul_overflow(v, (uint64_t)base, &v) ||
			__builtin_add_overflow(v, (uint64_t)digit_value(*p), &v))
			tsdl_fail_at(
				t, MER_ERR_INPUT, start, "this number does not fit in 64 bits");
	unsigned n_u = 0, n_l = 0;
	for (; p < end; p++) {
		char c = (char)(*p | 0x20);
		if (c == 'u' && is(*p, WORD_START))
			n_u++;
		else if (c == 'l' && is(*p, WORD_START))
			n_l++;
		else
			break;
	}
	if (n_u > 1 || n_l > 2 || (p < end && is(*p, WORD_START | DIGIT)))
		tsdl_fail_at(t, MER_ERR_INPUT, start, "this is not a number");
	t->tok.kind = TOK_INT;
	t->tok.value = v;
	return p;
}

/* A string or character constant; p is at the opening quote. The content is checked later. */
static const char *lex_quoted(struct tsdl *t, const char *p)
{
	char quote = *p;
	const char *start = p++;
	for (; p < t->end && *p != quote; p++) {
		if (*p == '\\' && t->end - p > 1)
			p++;
		if (*p == '\n' || *p == '\0')
			break;
	}
	if (p < t->end && *p == '\0')
		tsdl_fail_at(t, MER_ERR_INPUT, p, "there is a NUL byte in the metadata");
	if (p >= t->end || *p != quote)
		tsdl_fail_at(t, MER_ERR_INPUT, start, "this %s has no closing quote",
			quote == '"' ? "string" : "character constant");
	t->tok.kind = quote == '"' ? TOK_STRING : TOK_CHAR;
	return p + 1;
}

static const char *lex_punct(struct tsdl *t, const char *p)
{
	size_t left = (size_t)(t->end - p);
	t->tok.kind = TOK_PUNCT;
	t->tok.value = (unsigned char)*p;
	switch (*p) {
	case '=': t->tok.kind = TOK_ASSIGN; return p + 1;
	case ':':
		if (left > 1 && p[1] == '=') {
			t->tok.kind = TOK_TYPE_IS;
			return p + 2;
		}
		return p + 1;
	case '.':
		if (left > 2 && p[1] == '.' && p[2] == '.') {
			t->tok.kind = TOK_ELLIPSIS;
			return p + 3;
		}
		return p + 1;
	case '-':
		if (left > 1 && p[1] == '>') {
			t->tok.kind = TOK_ARROW;
			return p + 2;
		}
		return p + 1;
	case '{':
	case '}':
	case '[':
	case ']':
	case '(':
	case ')':
	case '<':
	case '>':
	case ';':
	case ',':
	case '+':
	case '*': return p + 1;
	case '\0': tsdl_fail_at(t, MER_ERR_INPUT, p, "there is a NUL byte in the metadata");
	default:
		tsdl_fail_at(
			t, MER_ERR_INPUT, p, "byte 0x%02X does not belong here", (unsigned char)*p);
	}
}

void tsdl_next(struct tsdl *t)
{
	const char *p = skip_space(t, t->at);
	t->tok.start = p;
	t->tok.keyword = KW_NONE;
	if (p >= t->end) {
		t->tok.kind = TOK_END;
		t->tok.len = 0;
		t->at = p;
		return;
	}
	if (is(*p, WORD_START)) {
		do
			p++;
		while (p < t->end && is(*p, WORD_START | DIGIT));
		t->tok.keyword = keyword_of(t->tok.start, (size_t)(p - t->tok.start));
		t->tok.kind = t->tok.keyword == KW_NONE ? TOK_NAME : TOK_KEYWORD;
	} else if (is(*p, DIGIT)) {
		p = lex_int(t, p);
	} else if (*p == '"' || *p == '\'') {
		p = lex_quoted(t, p);
	} else {
		p = lex_punct(t, p);
	}
	t->tok.len = (uint32_t)(p - t->tok.start);
	t->at = p;
}

bool tsdl_accept_punct(struct tsdl *t, char c)
{
	if (!tsdl_is_punct(t, c))
		return false;
	tsdl_next(t);
	return true;
}

void tsdl_expect_punct(struct tsdl *t, char c)
{
	if (!tsdl_is_punct(t, c)) {
		char what[4] = { '\'', c, '\'', '\0' };
		tsdl_fail_expected(t, what);
	}
	tsdl_next(t);
}

const char *tsdl_unquote(
	struct tsdl *t, const struct tsdl_token *tok, struct mer_arena *a, size_t *len)
{
	const char *p = tok->start + 1, *end = tok->start + tok->len - 1;
	char *out = tsdl_alloc(t, a, tok->len, 1), *o = out;
	while (p < end) {
		if (*p != '\\') {
			*o++ = *p++;
			continue;
		}
		const char *start = p++;
		if (is(*p, OCTAL)) {
			unsigned v = 0;
			for (int i = 0; i < 3 && p < end && is(*p, OCTAL); i++)
				v = v * 8 + digit_value(*p++);
			if (v > 0xFF)
				tsdl_fail_at(
					t, MER_ERR_INPUT, start, "this octal escape is above 0377");
			*o++ = (char)v;
		} else if (*p == 'x') {
			/* C does not limit the number of digits; here, as many as fit in a byte are
			 * read. */
			unsigned v = 0, n = 0;
			for (p++; p < end && is(*p, HEX) && v * 16 + digit_value(*p) <= 0xFF; n++)
				v = v * 16 + digit_value(*p++);
			if (n == 0)
				tsdl_fail_at(
					t, MER_ERR_INPUT, start, "\\x needs hexadecimal digits");
			*o++ = (char)v;
		} else {
			static const char from[] = "abfnrtv\\'\"?", to[] = "\a\b\f\n\r\t\v\\'\"?";
			const char *which = strchr(from, *p);
			if (which) {
				*o++ = to[which - from];
				p++;
			} else {
				tsdl_warn_at(t, start,
					"there is no escape \\%c: kept as it is written", *p);
				*o++ = '\\';
			}
		}
	}
	*o = '\0';
	*len = (size_t)(o - out);
	return out;
}
