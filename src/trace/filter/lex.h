/* Tokens of filter expressions, and errors with their place. Numbers and text are decoded here. */
#ifndef MER_TRACE_FILTER_LEX_H
#define MER_TRACE_FILTER_LEX_H

#include "base/arena.h"
#include "base/err.h"

enum filter_token_kind {
	FILTER_END,
	FILTER_WORD,
	FILTER_BUILTIN, /* $word, without the $ */
	FILTER_NUMBER,
	FILTER_TEXT,
	FILTER_EQ, /* the comparisons in this order */
	FILTER_NE,
	FILTER_LT,
	FILTER_LE,
	FILTER_GT,
	FILTER_GE,
	FILTER_MATCH,
	FILTER_NO_MATCH,
	FILTER_AND,
	FILTER_OR,
	FILTER_NOT,
	FILTER_MINUS,
	FILTER_DOT,
	FILTER_LEFT,
	FILTER_RIGHT,
	FILTER_LEFT_BRACKET,
	FILTER_RIGHT_BRACKET,
	FILTER_COLON,
	FILTER_OTHER /* anything else */
};

struct filter_number {
	bool is_real;
	uint64_t integer; /* not negative */
	double real;
};

struct filter_token {
	enum filter_token_kind kind;
	size_t at, len; /* in the expression */
	struct filter_number number;
	const char *text; /* word; text decoded, NUL terminated, may contain NUL */
	size_t text_len;
	const bool *wild; /* for each byte of text: is it an unescaped * or ? */
};

struct filter_lexer {
	const char *what, *text;
	size_t len, pos;
	bool colons_in_words; /* as in event names: app:begin */
	struct mer_arena *arena;
	struct mer_err *err;
	struct filter_token now;
};

/* Reads the next token to l->now. */
int filter_next(struct filter_lexer *l);
/* "WHAT:COLUMN: expected EXPECTED, found ...", the expression, a caret, at the current token. */
int filter_expected(struct filter_lexer *l, const char *expected, ...)
	__attribute__((format(printf, 2, 3)));
/* "WHAT:COLUMN: message", the expression, a caret. */
int filter_wrong(struct filter_lexer *l, int code, size_t at, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif
