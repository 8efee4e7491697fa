/* Patterns for text: plain text, * and ?, regular expressions. Those that are only text with open
 * ends, which most are, become comparisons of bytes. Immutable once made. */
#ifndef MER_TRACE_FILTER_PATTERN_H
#define MER_TRACE_FILTER_PATTERN_H

#include <regex.h>
#include "trace/filter/lex.h"

enum filter_pattern_kind {
	FILTER_IS,
	FILTER_BEGINS,
	FILTER_ENDS,
	FILTER_CONTAINS,
	FILTER_GLOB,
	FILTER_REGEX
};

struct filter_pattern {
	enum filter_pattern_kind kind;
	const char *text; /* NUL terminated */
	size_t len;
	const bool *wild; /* FILTER_GLOB: as text */
	regex_t regex;	  /* FILTER_REGEX: to be freed */
};

/* From the current token, a text; it stays in the lexer's arena. */
void filter_pattern_glob(struct filter_pattern *p, const struct filter_token *t);
int filter_pattern_regex(struct filter_pattern *p, struct filter_lexer *l);
void filter_pattern_fini(struct filter_pattern *p);

bool filter_pattern_fits(const struct filter_pattern *p, const char *s, size_t len);

#endif
