#include "trace/filter/pattern.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "trace/filter/filter.h"

void filter_pattern_glob(struct filter_pattern *p, const struct filter_token *t)
{
	*p = (struct filter_pattern){ FILTER_IS, t->text, t->text_len, t->wild, .regex = { 0 } };
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

/* What the regular expression amounts to when repetitions are written out, which is what the C
 * library does: nested ones multiply. What is repeated counts apart, for there the library's work
 * grows with the square. Also refuses what makes matching take forever. */
static const char *too_costly(const char *s, size_t len)
{
	enum { GROUPS = 100 };
	uint64_t sum[GROUPS + 1] = { 0 }, last = 0; /* per open group; of the last item */
	uint64_t repeated = 0;
	size_t depth = 0;
	for (size_t i = 0; i < len; i++) {
		uint64_t times = 1;
		switch (s[i]) {
		case '(':
			if (depth == GROUPS)
				return "groups are nested too deep";
			sum[++depth] = 0;
			last = 0;
			continue;
		case ')':
			if (depth == 0)
				break; /* the C library will complain */
			last = sum[depth--] + 1;
			sum[depth] += last;
			continue;
		case '+':
		case '*':
		case '?': times = 2; break;
		case '{': {
			uint64_t n = 0;
			times = 2;
			for (i++; i < len && s[i] != '}'; i++) {
				n = s[i] >= '0' && s[i] <= '9' && n < 100000
					    ? n * 10 + (uint64_t)(s[i] - '0')
					    : 0;
				times = n + 1 > times ? n + 1 : times;
			}
			break;
		}
		case '[':
			i += i + 1 < len && s[i + 1] == '^';
			i += i + 1 < len && s[i + 1] == ']';
			while (i + 1 < len && s[i + 1] != ']') {
				bool named =
					s[i + 1] == '[' && i + 2 < len &&
					(s[i + 2] == ':' || s[i + 2] == '.' || s[i + 2] == '=');
				i++;
				if (named) {
					char end = s[++i];
					while (i + 2 < len && !(s[i + 1] == end && s[i + 2] == ']'))
						i++;
					i += i + 2 < len ? 2 : 0;
				}
			}
			i++;
			break;
		case '\\':
			i++;
			if (i < len && s[i] >= '1' && s[i] <= '9')
				return "references to groups (\\1) are not supported";
			break;
		default: break;
		}
		if (times > 1) {
			sum[depth] += last * (times - 1);
			last *= times;
			repeated += last;
		} else {
			sum[depth] += last = 1;
		}
		if (sum[depth] > FILTER_MAX_REGEX_COST || repeated > FILTER_MAX_REPEATED)
			return "it repeats too much";
	}
	return NULL;
}

/* No characters that mean something in a regular expression. */
static bool is_plain(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (strchr("\\^$.[]|()*+?{}", s[i]))
			return false;
	return true;
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
	const char *why = too_costly(s, len);
	if (why)
		return filter_wrong(
			l, MER_ERR_LIMIT, t->at, "this regular expression cannot be used: %s", why);
	int rc = regcomp(&p->regex, s, REG_EXTENDED | REG_NOSUB);
	if (rc) {
		char message[100];
		regerror(rc, &p->regex, message, sizeof(message));
		return rc == REG_ESPACE ? mer_fail_nomem(l->err)
					: filter_wrong(l, MER_ERR_USAGE, t->at,
						  "not a regular expression: %s", message);
	}
	p->kind = FILTER_REGEX;
	return 0;
}

void filter_pattern_fini(struct filter_pattern *p)
{
	if (p->kind == FILTER_REGEX)
		regfree(&p->regex);
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

static bool regex_fits(const struct filter_pattern *p, const char *s, size_t len)
{
#ifdef REG_STARTEND
	regmatch_t range = { .rm_so = 0, .rm_eo = (regoff_t)(len > INT32_MAX ? INT32_MAX : len) };
	return regexec(&p->regex, s, 1, &range, REG_STARTEND) == 0;
#else
	char small[256], *copy = len < sizeof(small) ? small : malloc(len + 1);
	if (!copy)
		return false;
	memcpy(copy, s, len);
	copy[len] = '\0';
	bool fits = regexec(&p->regex, copy, 0, NULL, 0) == 0;
	if (copy != small)
		free(copy);
	return fits;
#endif
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
