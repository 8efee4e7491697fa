/* Patterns for text: plain text, * and ?, regular expressions. Those that are only text with open
 * ends, which most are, become comparisons of bytes; regular expressions are PCRE2's. Immutable
 * once made, but for a count. */
#ifndef MER_TRACE_FILTER_PATTERN_H
#define MER_TRACE_FILTER_PATTERN_H

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdatomic.h>
#include "trace/filter/lex.h"

enum filter_pattern_kind {
	FILTER_IS,
	FILTER_BEGINS,
	FILTER_ENDS,
	FILTER_CONTAINS,
	FILTER_GLOB,
	FILTER_REGEX
};

struct filter_regex {
	pcre2_code *code; /* to be freed */
	/* Texts that it could not be compared with in FILTER_MAX_REGEX_STEPS: they do not match. */
	_Atomic uint64_t n_given_up;
};

struct filter_pattern {
	enum filter_pattern_kind kind;
	const char *text; /* NUL terminated */
	size_t len;
	const bool *wild;	    /* FILTER_GLOB: as text */
	struct filter_regex *regex; /* FILTER_REGEX; in the lexer's arena */
};

/* From the current token, a text; it stays in the lexer's arena. */
void filter_pattern_glob(struct filter_pattern *p, const struct filter_token *t);
int filter_pattern_regex(struct filter_pattern *p, struct filter_lexer *l);
void filter_pattern_fini(struct filter_pattern *p);

/* Any number of threads may ask. */
bool filter_pattern_fits(const struct filter_pattern *p, const char *s, size_t len);
uint64_t filter_pattern_given_up(const struct filter_pattern *p);

#endif
