#include "trace/filter/pattern.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf.h"
#include "trace/filter/filter.h"

void filter_pattern_glob(struct filter_pattern *p, const struct filter_token *t)
{
	*p = (struct filter_pattern){ FILTER_IS, t->text, t->text_len, t->wild, NULL };
	size_t n_wild = 0;
	for (size_t i = 0; i < p->len; i++)
		n_wild += p->wild[i];
	if (n_wild == 0)
		return;
	bool first = p->wild[0] && p->text[0] == '*';
	bool last = p->wild[p->len - 1] && p->text[p->len - 1] == '*' && p->len > 1;
	p->kind = FILTER_GLOB;
	if (n_wild != (size_t)first + last)
		return;
	p->kind = first && last ? FILTER_CONTAINS : first ? FILTER_ENDS : FILTER_BEGINS;
	p->text += first;
	p->len -= (size_t)first + last;
}

/* Is the text free of characters that have a meaning in regular expressions? */
static bool is_plain(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (strchr("\\^$.[]|()*+?{}", s[i]))
			return false;
	return true;
}

/* As in POSIX, a point matches any character, also a line end, and $ matches only at the end of the
 * text. In text that is not valid UTF-8, the invalid bytes match nothing. */
static int compile(struct filter_pattern *p, struct filter_lexer *l)
{
	const struct filter_token *t = &l->now;
	int code = 0;
	size_t at = 0;
	p->regex = mer_arena_zalloc(l->arena, 1, sizeof(*p->regex));
	if (!p->regex)
		return mer_fail_nomem(l->err);
	p->regex->code = pcre2_compile((PCRE2_SPTR)t->text, t->text_len,
		PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_DOTALL | PCRE2_DOLLAR_ENDONLY |
			PCRE2_NEVER_BACKSLASH_C,
		&code, &at, NULL);
	if (!p->regex->code) {
		PCRE2_UCHAR message[120];
		if (code == PCRE2_ERROR_NOMEMORY)
			return mer_fail_nomem(l->err);
		pcre2_get_error_message(code, message, sizeof(message));
		return filter_wrong(l, MER_ERR_USAGE, t->at, "not a regular expression: %s",
			(const char *)message);
	}
	pcre2_jit_compile(p->regex->code, PCRE2_JIT_COMPLETE); /* or it is interpreted */
	p->kind = FILTER_REGEX;
	return 0;
}

int filter_pattern_regex(struct filter_pattern *p, struct filter_lexer *l)
{
	const struct filter_token *t = &l->now;
	const char *s = t->text;
	size_t len = t->text_len;
	bool begin = len > 0 && s[0] == '^', end = len > (size_t)begin && s[len - 1] == '$';
	*p = (struct filter_pattern){ .text = s, .len = len };
	if (is_plain(s + begin, len - begin - end)) {
		p->kind = begin && end ? FILTER_IS
			  : begin      ? FILTER_BEGINS
			  : end	       ? FILTER_ENDS
				       : FILTER_CONTAINS;
		p->text += begin;
		p->len -= (size_t)begin + end;
		return 0;
	}
	return compile(p, l);
}

void filter_pattern_fini(struct filter_pattern *p)
{
	if (p->kind == FILTER_REGEX)
		pcre2_code_free(p->regex->code);
}

uint64_t filter_pattern_given_up(const struct filter_pattern *p)
{
	return p->kind == FILTER_REGEX ? atomic_load(&p->regex->n_given_up) : 0;
}

/* Bytes of the character at s. */
static size_t one_character(const char *s, size_t len)
{
	size_t n = mer_utf8_length(s, len);
	return n ? n : 1;
}

static bool glob_fits(const struct filter_pattern *p, const char *s, size_t len)
{
	size_t at = 0, i = 0;			    /* in the pattern, in the text */
	size_t retry_at = SIZE_MAX, retry_from = 0; /* after the last *, and where it ended */
	while (i < len) {
		if (at < p->len && p->wild[at] && p->text[at] == '*') {
			retry_at = ++at;
			retry_from = i;
		} else if (at < p->len && p->wild[at]) {
			at++;
			i += one_character(s + i, len - i);
		} else if (at < p->len && p->text[at] == s[i]) {
			at++;
			i++;
		} else if (retry_at != SIZE_MAX) {
			at = retry_at;
			i = ++retry_from;
		} else {
			return false;
		}
	}
	while (at < p->len && p->wild[at] && p->text[at] == '*')
		at++;
	return at == p->len;
}

/* Compiled code can run out of its small stack where interpreted code does not. */
static bool regex_fits(const struct filter_pattern *p, const char *s, size_t len)
{
	pcre2_match_data *data = pcre2_match_data_create(1, NULL);
	pcre2_match_context *limits = pcre2_match_context_create(NULL);
	int rc = PCRE2_ERROR_NOMEMORY;
	if (data && limits) {
		pcre2_set_match_limit(limits, FILTER_MAX_REGEX_STEPS);
		pcre2_set_heap_limit(limits, FILTER_MAX_REGEX_KIB);
		rc = pcre2_match(p->regex->code, (PCRE2_SPTR)s, len, 0, 0, data, limits);
		if (rc == PCRE2_ERROR_JIT_STACKLIMIT)
			rc = pcre2_match(
				p->regex->code, (PCRE2_SPTR)s, len, 0, PCRE2_NO_JIT, data, limits);
	}
	pcre2_match_context_free(limits);
	pcre2_match_data_free(data);
	if (rc < 0 && rc != PCRE2_ERROR_NOMATCH)
		atomic_fetch_add(&p->regex->n_given_up, 1);
	return rc >= 0;
}

bool filter_pattern_fits(const struct filter_pattern *p, const char *s, size_t len)
{
	switch (p->kind) {
	case FILTER_IS: return len == p->len && (len == 0 || memcmp(s, p->text, len) == 0);
	case FILTER_BEGINS:
		return len >= p->len && (p->len == 0 || memcmp(s, p->text, p->len) == 0);
	case FILTER_ENDS:
		return len >= p->len &&
		       (p->len == 0 || memcmp(s + len - p->len, p->text, p->len) == 0);
	case FILTER_CONTAINS:
		return p->len == 0 || (len && memmem(s, len, p->text, p->len) != NULL);
	case FILTER_GLOB: return glob_fits(p, s, len);
	case FILTER_REGEX: return regex_fits(p, len ? s : "", len);
	}
	return false;
}
