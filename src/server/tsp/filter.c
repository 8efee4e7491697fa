#include "server/tsp/filter.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/time_unit.h"
#include "trace/filter/filter.h"
#include "trace/filter/pattern.h"

enum { MAX_DEPTH = 50 };

enum kind { WHOLE, OR, AND, NOT, ANYWHERE, TEXT, NUMBER };
enum op { EQUAL, NOT_EQUAL, LESS, AT_MOST, MORE, AT_LEAST, CONTAINS, MATCHES, PRESENT, NO_OP };

struct tsp_filter {
	enum kind kind;
	enum op op;
	int key; /* enum tsp_text, enum tsp_number */
	const char *text;
	double number;
	struct filter_pattern pattern; /* of MATCHES */
	struct tsp_filter *a, *b;      /* of OR and AND; NOT has a */
	struct tsp_filter *before;     /* the one made before it */
};

static const char *const text_keys[] = { "label", "state", "thread", "process", "host" };
static const char *const number_keys[] = { "tid", "pid", "cpu", "duration" };
static const struct {
	const char *sign;
	enum op op;
} ops[] = { { "==", EQUAL }, { "!=", NOT_EQUAL }, { "<=", AT_MOST }, { ">=", AT_LEAST },
	{ "=", EQUAL }, { "<", LESS }, { ">", MORE }, { "contains", CONTAINS },
	{ "matches", MATCHES }, { "present", PRESENT } };

struct parser {
	const char *text, *at;
	struct mer_arena *arena;
	struct mer_err *err;
	unsigned depth;
	struct tsp_filter *made; /* the last one */
	int rc;
};

static struct tsp_filter *fail(struct parser *p, const char *wanted)
{
	if (p->rc == 0)
		p->rc = mer_fail(p->err, MER_ERR_USAGE, "filter '%.200s': at character %d: %s",
			p->text, (int)(p->at - p->text) + 1, wanted);
	return NULL;
}

static struct tsp_filter *make(struct parser *p, struct tsp_filter f)
{
	struct tsp_filter *to = mer_arena_zalloc(p->arena, 1, sizeof(*to));
	if (!to) {
		p->rc = mer_fail_nomem(p->err);
		return NULL;
	}
	f.before = p->made;
	*to = f;
	p->made = to;
	return to;
}

static void skip_blanks(struct parser *p)
{
	while (isspace((unsigned char)*p->at))
		p->at++;
}

static bool take(struct parser *p, const char *sign)
{
	size_t n = strlen(sign);
	skip_blanks(p);
	if (strncmp(p->at, sign, n) != 0)
		return false;
	p->at += n;
	return true;
}

/* Can this character be part of a word? Names of threads and files contain almost any. */
static bool is_of_word(const char *p)
{
	bool is_and = p[0] == '&' && p[1] == '&', is_or = p[0] == '|' && p[1] == '|';
	return *p && !isspace((unsigned char)*p) && !strchr("()!=<>\"", *p) && !is_and && !is_or;
}

/* A word, or a text in quotes; NULL: there is none. */
static const char *word(struct parser *p)
{
	skip_blanks(p);
	const char *from = p->at, *text;
	if (*from == '"') {
		const char *end = strchr(from + 1, '"');
		if (!end) {
			fail(p, "the closing '\"' is missing");
			return NULL;
		}
		text = mer_arena_strndup(p->arena, from + 1, (size_t)(end - from) - 1);
		p->at = end + 1;
	} else {
		while (is_of_word(p->at))
			p->at++;
		if (p->at == from)
			return NULL;
		text = mer_arena_strndup(p->arena, from, (size_t)(p->at - from));
	}
	if (!text)
		p->rc = mer_fail_nomem(p->err);
	return text;
}

static enum op take_op(struct parser *p)
{
	for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++) {
		const char *before = p->at;
		if (!take(p, ops[i].sign))
			continue;
		/* "contains" is an operator, "containsX" a word. */
		if (!isalpha((unsigned char)*ops[i].sign) || !is_of_word(p->at))
			return ops[i].op;
		p->at = before;
	}
	return NO_OP;
}

static int key_of(const char *const *keys, size_t n, const char *key)
{
	for (size_t i = 0; i < n; i++)
		if (strcasecmp(keys[i], key) == 0)
			return (int)i;
	return -1;
}

/* 10ms, 1.5s, 42 */
static bool number_of(const char *text, bool is_duration, double *to)
{
	char *end;
	*to = strtod(text, &end);
	if (end == text || !isfinite(*to))
		return false;
	int64_t unit = is_duration && *end ? mer_time_unit(end, strlen(end)) : 0;
	*to *= unit ? (double)unit : 1;
	return unit || !*end;
}

static struct tsp_filter *compare_number(struct parser *p, struct tsp_filter f)
{
	const char *value = f.op == PRESENT ? "0" : word(p);
	if (f.op == CONTAINS || f.op == MATCHES)
		return fail(p, "numbers are compared with = != < <= > >=");
	if (!value || !number_of(value, f.key == TSP_OF_DURATION, &f.number))
		return fail(
			p, f.key == TSP_OF_DURATION
				   ? "a duration such as 10ms is missing; units: " MER_TIME_UNITS
				   : "a number is missing");
	return make(p, f);
}

static bool make_pattern(struct parser *p, struct tsp_filter *f)
{
	struct mer_err why;
	struct filter_lexer l = { .what = "pattern",
		.text = f->text,
		.len = strlen(f->text),
		.arena = p->arena,
		.err = &why };
	l.now.text = f->text;
	l.now.text_len = l.len;
	return filter_pattern_regex(&f->pattern, &l) == 0;
}

static struct tsp_filter *compare_text(struct parser *p, struct tsp_filter f)
{
	f.text = f.op == PRESENT ? "" : word(p);
	if (!f.text)
		return fail(p, "a word or a text in double quotes is missing");
	struct tsp_filter *to = make(p, f);
	if (to && f.op == MATCHES && !make_pattern(p, to)) {
		to->op = NO_OP; /* nothing to release */
		return fail(p, "this is no regular expression");
	}
	return to;
}

static struct tsp_filter *comparison(struct parser *p)
{
	bool is_quoted = (skip_blanks(p), *p->at == '"');
	const char *first = word(p), *behind = p->at;
	if (!first)
		return fail(p, "a word is missing");
	enum op op = is_quoted ? NO_OP : take_op(p);
	if (op == NO_OP)
		return make(p, (struct tsp_filter){ .kind = ANYWHERE, .text = first });
	struct tsp_filter f = { .op = op };
	f.key = key_of(text_keys, TSP_N_TEXTS, first);
	f.kind = TEXT;
	if (f.key >= 0)
		return compare_text(p, f);
	f.kind = NUMBER;
	f.key = key_of(number_keys, TSP_N_NUMBERS, first);
	if (f.key >= 0)
		return compare_number(p, f);
	p->at = behind;
	return fail(p,
		"this can be compared: label, state, thread, process, host, tid, pid, cpu, duration");
}

static struct tsp_filter *either(struct parser *p);

static struct tsp_filter *one(struct parser *p)
{
	struct tsp_filter *f;
	if (++p->depth > MAX_DEPTH)
		return fail(p, "this is too deep in parentheses");
	if (take(p, "!")) {
		f = one(p);
		f = f ? make(p, (struct tsp_filter){ .kind = NOT, .a = f }) : NULL;
	} else if (take(p, "(")) {
		f = either(p);
		if (f && !take(p, ")"))
			f = fail(p, "a ')' is missing");
	} else
		f = comparison(p);
	p->depth--;
	return f;
}

static struct tsp_filter *both(struct parser *p)
{
	struct tsp_filter *f = one(p);
	while (f && take(p, "&&")) {
		struct tsp_filter *other = one(p);
		f = other ? make(p, (struct tsp_filter){ .kind = AND, .a = f, .b = other }) : NULL;
	}
	return f;
}

static struct tsp_filter *either(struct parser *p)
{
	struct tsp_filter *f = both(p);
	while (f && take(p, "||")) {
		struct tsp_filter *other = both(p);
		f = other ? make(p, (struct tsp_filter){ .kind = OR, .a = f, .b = other }) : NULL;
	}
	return f;
}

static void release(struct tsp_filter *made)
{
	for (; made; made = made->before)
		if (made->op == MATCHES && made->kind == TEXT)
			filter_pattern_fini(&made->pattern);
}

int tsp_filter_parse(
	const char *text, struct mer_arena *arena, struct tsp_filter **filter, struct mer_err *err)
{
	struct parser p = { .text = text, .at = text, .arena = arena, .err = err };
	struct tsp_filter *f = either(&p);
	skip_blanks(&p);
	if (f && p.rc == 0 && *p.at)
		fail(&p, "'&&' or '||' is missing");
	if (p.rc) {
		release(p.made);
		p.made = NULL;
	}
	/* Made last, so that all other nodes can be reached from it, by `before`. */
	*filter = p.rc ? NULL : make(&p, (struct tsp_filter){ .kind = WHOLE, .a = f });
	if (p.rc == MER_ERR_NOMEM)
		release(p.made);
	return p.rc;
}

void tsp_filter_fini(struct tsp_filter *f)
{
	if (f)
		release(f->before);
}

/* ---- Matching ---- */

static bool text_fits(const struct tsp_filter *f, const char *text)
{
	switch (f->op) {
	case EQUAL: return text && strcasecmp(text, f->text) == 0;
	case NOT_EQUAL: return text && strcasecmp(text, f->text) != 0;
	case CONTAINS: return text && strcasestr(text, f->text);
	case MATCHES: return text && filter_pattern_fits(&f->pattern, text, strlen(text));
	case PRESENT: return text != NULL;
	case LESS: return text && strcasecmp(text, f->text) < 0;
	case AT_MOST: return text && strcasecmp(text, f->text) <= 0;
	case MORE: return text && strcasecmp(text, f->text) > 0;
	case AT_LEAST: return text && strcasecmp(text, f->text) >= 0;
	case NO_OP:
	default: return false;
	}
}

static bool number_fits(const struct tsp_filter *f, int64_t n)
{
	double v = (double)n;
	switch (f->op) {
	case EQUAL: return n >= 0 && v == f->number;
	case NOT_EQUAL: return n >= 0 && v != f->number;
	case LESS: return n >= 0 && v < f->number;
	case AT_MOST: return n >= 0 && v <= f->number;
	case MORE: return n >= 0 && v > f->number;
	case AT_LEAST: return n >= 0 && v >= f->number;
	case PRESENT: return n >= 0;
	case CONTAINS:
	case MATCHES:
	case NO_OP:
	default: return false;
	}
}

bool tsp_filter_matches(const struct tsp_filter *f, const struct tsp_facts *facts)
{
	switch (f->kind) {
	case WHOLE: return tsp_filter_matches(f->a, facts);
	case OR: return tsp_filter_matches(f->a, facts) || tsp_filter_matches(f->b, facts);
	case AND: return tsp_filter_matches(f->a, facts) && tsp_filter_matches(f->b, facts);
	case NOT: return !tsp_filter_matches(f->a, facts);
	case TEXT: return text_fits(f, facts->texts[f->key]);
	case NUMBER: return number_fits(f, facts->numbers[f->key]);
	case ANYWHERE:
	default:
		for (int i = 0; i < TSP_N_TEXTS; i++)
			if (facts->texts[i] && strcasestr(facts->texts[i], f->text))
				return true;
		return false;
	}
}
