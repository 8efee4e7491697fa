/* Patterns for text: plain text, * and ?, regular expressions. Patterns that are plain text,
 * possibly with * at the ends (most are), become byte comparisons; regular expressions use PCRE2.
 * Immutable once made, except for a count. */
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
	/* Number of texts whose comparison exceeded FILTER_MAX_REGEX_STEPS: they do not match. */
	_Atomic uint64_t n_given_up;
};

struct filter_pattern {
	enum filter_pattern_kind kind;
	const char *text; /* NUL terminated */
	size_t len;
	const bool *wild;	    /* FILTER_GLOB: as text */
	struct filter_regex *regex; /* FILTER_REGEX; in the lexer's arena */
};

/* Makes the pattern from the current token, a text; it is allocated in the lexer's arena. */
void filter_pattern_glob(struct filter_pattern *p, const struct filter_token *t);
int filter_pattern_regex(struct filter_pattern *p, struct filter_lexer *l);
void filter_pattern_fini(struct filter_pattern *p);

/* May be called from any number of threads. */
bool filter_pattern_fits(const struct filter_pattern *p, const char *s, size_t len);
uint64_t filter_pattern_given_up(const struct filter_pattern *p);

#endif
