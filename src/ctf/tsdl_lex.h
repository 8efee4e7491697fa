/* TSDL tokens, and the state that all of the TSDL parser shares (struct tsdl).
 *
 * Errors: tsdl_fail_at() and its like jump to ctf_tsdl_parse(), which frees everything. So no
 * function may own memory through a local variable only: it must be in an arena or reachable from
 * struct tsdl. */
#ifndef MER_CTF_TSDL_LEX_H
#define MER_CTF_TSDL_LEX_H

#include <setjmp.h>
#include "base/map.h"
#include "ctf/metadata.h"
#include "ctf/text_place.h"

enum tsdl_token_kind {
	TOK_END,
	TOK_NAME,
	TOK_KEYWORD,
	TOK_INT,
	TOK_STRING,
	TOK_CHAR,
	TOK_ASSIGN,   /* = */
	TOK_TYPE_IS,  /* := */
	TOK_ELLIPSIS, /* ... */
	TOK_ARROW,    /* -> */
	TOK_PUNCT     /* one character: .value */
};

/* Words that no field, type or option can have as its name. */
enum tsdl_keyword {
	KW_NONE,
	KW_ALIGN,
	KW_CALLSITE,
	KW_CLOCK,
	KW_ENUM,
	KW_ENV,
	KW_EVENT,
	KW_FLOATING_POINT,
	KW_INTEGER,
	KW_STREAM,
	KW_STRING,
	KW_STRUCT,
	KW_TRACE,
	KW_TYPEALIAS,
	KW_TYPEDEF,
	KW_VARIANT,
	KW_CONST,
	/* From here on: words that type names are made of. */
	KW_BOOL,
	KW_CHAR,
	KW_COMPLEX,
	KW_DOUBLE,
	KW_FLOAT,
	KW_IMAGINARY,
	KW_INT,
	KW_LONG,
	KW_SHORT,
	KW_SIGNED,
	KW_UNSIGNED,
	KW_VOID
};

struct tsdl_token {
	enum tsdl_token_kind kind;
	enum tsdl_keyword keyword;
	const char *start; /* in the text; strings: with the quotes */
	uint32_t len;
	uint64_t value; /* integers; TOK_PUNCT: the character */
};

struct tsdl_symbol;
struct tsdl_type;
struct tsdl_ref;

/* Labels of the enumeration that was a tag last, see tsdl_ref.c. */
struct tsdl_labels {
	const struct tsdl_type *tag;
	struct mer_map heads; /* label without the escape -> its first mapping, plus 1 */
	uint32_t *next;	      /* of a mapping: the next one of its label, plus 1 */
};

struct tsdl {
	const char *text, *end, *path;
	int packet_order;
	struct mer_arena *arena; /* of the schema */
	struct mer_diags *diags;
	struct mer_err *err;
	jmp_buf fail;
	int fail_code;

	const char *at; /* after the current token */
	struct tsdl_token tok;
	struct ctf_text_place warned_at; /* last place looked up; the next search starts there */
	uint64_t n_warnings;

	struct mer_arena tmp;	 /* lives as long as the parsing */
	struct mer_intern names; /* identifiers and labels; text in arena */

	/* Names visible now: see tsdl_scope.c. */
	struct tsdl_symbol *symbols;
	uint32_t n_symbols, cap_symbols;
	uint32_t *heads; /* by name and kind: newest symbol, plus 1 */
	uint32_t n_heads;
	uint32_t scope; /* depth of the innermost scope */

	/* Fields and options of the structures under construction, innermost last. */
	struct tsdl_member *members;
	uint32_t n_members, cap_members;

	struct tsdl_labels labels;

	unsigned depth;		/* of types within types, while parsing */
	uint64_t steps;		/* of searches so far, to stop quadratic input */
	struct tsdl_ref *refs;	/* all, newest first */
	struct tsdl_type *maps; /* integers that name a clock, newest first */
	struct tsdl_root *root;
};

/* tsdl_fail_at: at a place of the text. Both never return. */
_Noreturn void tsdl_fail_at(struct tsdl *t, int code, const char *place, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
_Noreturn void tsdl_fail_nomem(struct tsdl *t);
/* "expected WHAT, found (the current token)". */
_Noreturn void tsdl_fail_expected(struct tsdl *t, const char *what);
void tsdl_warn_at(struct tsdl *t, const char *place, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Reports the number of warnings beyond the limit for single ones. */
void tsdl_warn_rest(struct tsdl *t);

/* Allocates, or does not return. */
void *tsdl_alloc(struct tsdl *t, struct mer_arena *a, size_t n, size_t bytes_each);
uint32_t tsdl_intern(struct tsdl *t, const char *text, size_t len);
/* Grows a malloc'ed array to hold at least n + 1 elements. */
void tsdl_grow(struct tsdl *t, void **data, uint32_t *cap, uint32_t n, size_t bytes_each);
/* Counts the work of searches and fails when it is out of proportion. */
void tsdl_count_steps(struct tsdl *t, uint64_t n);

/* Makes the next token the current one. */
void tsdl_next(struct tsdl *t);
static inline bool tsdl_is_punct(const struct tsdl *t, char c)
{
	return t->tok.kind == TOK_PUNCT && t->tok.value == (uint64_t)c;
}
static inline bool tsdl_is_keyword(const struct tsdl *t, enum tsdl_keyword k)
{
	return t->tok.kind == TOK_KEYWORD && t->tok.keyword == k;
}
bool tsdl_accept_punct(struct tsdl *t, char c);
void tsdl_expect_punct(struct tsdl *t, char c);

/* The content of a string token, escapes replaced; may contain NUL bytes, and ends with one more.
 * In arena a. */
const char *tsdl_unquote(
	struct tsdl *t, const struct tsdl_token *tok, struct mer_arena *a, size_t *len);

#endif
