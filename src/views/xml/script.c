/* The expressions of scripts: numbers, texts, variables, + - * / %, comparisons, && || !, and ?:.
 * No calls, no assignments, no loops, so running an expression always ends. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "views/xml/program.h"

enum { MAX_NODES = 200, MAX_NESTED = 50 };

struct xml_script {
	int op; /* character(s); 'n': number, 's': text, 'v': variable, '?': conditional */
	struct xml_value value;
	const char *name;
	const struct xml_script *a, *b, *c;
};

struct parser {
	const char *at;
	struct mer_arena *arena;
	unsigned n, depth;
};

static struct xml_script *node(struct parser *p, int op, const struct xml_script *a,
	const struct xml_script *b, const struct xml_script *c)
{
	struct xml_script *s =
		p->n++ < MAX_NODES ? mer_arena_zalloc(p->arena, 1, sizeof(*s)) : NULL;
	if (s)
		*s = (struct xml_script){ .op = op, .a = a, .b = b, .c = c };
	return s;
}

static void skip(struct parser *p)
{
	while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r')
		p->at++;
}

static bool take(struct parser *p, const char *word)
{
	skip(p);
	size_t len = strlen(word);
	if (strncmp(p->at, word, len) != 0)
		return false;
	p->at += len;
	return true;
}

static const struct xml_script *conditional(struct parser *p);

static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '$';
}

static const struct xml_script *primary(struct parser *p)
{
	skip(p);
	char c = *p->at;
	if (take(p, "(")) {
		const struct xml_script *s = conditional(p);
		return s && take(p, ")") ? s : NULL;
	}
	if (c == '\'' || c == '"') {
		const char *end = strchr(p->at + 1, c);
		struct xml_script *s = end ? node(p, 's', NULL, NULL, NULL) : NULL;
		if (!s)
			return NULL;
		s->value.type = XML_STRING;
		s->value.s = mer_arena_strndup(p->arena, p->at + 1, (size_t)(end - p->at) - 1);
		p->at = end + 1;
		return s->value.s ? s : NULL;
	}
	if (c >= '0' && c <= '9') {
		char *end;
		struct xml_script *s = node(p, 'n', NULL, NULL, NULL);
		if (!s)
			return NULL;
		s->value = (struct xml_value){ .type = XML_DOUBLE, .f = strtod(p->at, &end) };
		p->at = end;
		return s;
	}
	const char *from = p->at;
	while (is_name(*p->at))
		p->at++;
	struct xml_script *s = p->at > from ? node(p, 'v', NULL, NULL, NULL) : NULL;
	if (s)
		s->name = mer_arena_strndup(p->arena, from, (size_t)(p->at - from));
	return s && s->name ? s : NULL;
}

static const struct xml_script *unary(struct parser *p)
{
	const struct xml_script *s = NULL;
	if (++p->depth > MAX_NESTED)
		return NULL;
	skip(p);
	if (*p->at == '!' && p->at[1] != '=') {
		p->at++;
		s = unary(p);
		s = s ? node(p, '!', s, NULL, NULL) : NULL;
	} else if (take(p, "-")) {
		s = unary(p);
		s = s ? node(p, 'm', s, NULL, NULL) : NULL;
	} else {
		s = primary(p);
	}
	p->depth--;
	return s;
}

enum { EQUAL = 256, UNEQUAL, AT_LEAST, AT_MOST, BOTH, EITHER };
static const struct {
	const char *word;
	int op, level;
} operators[] = { { "===", EQUAL, 2 }, { "!==", UNEQUAL, 2 }, { "==", EQUAL, 2 },
	{ "!=", UNEQUAL, 2 }, { ">=", AT_LEAST, 3 }, { "<=", AT_MOST, 3 }, { "&&", BOTH, 1 },
	{ "||", EITHER, 0 }, { ">", '>', 3 }, { "<", '<', 3 }, { "+", '+', 4 }, { "-", '-', 4 },
	{ "*", '*', 5 }, { "/", '/', 5 }, { "%", '%', 5 } };

static const struct xml_script *binary(struct parser *p, int level)
{
	const struct xml_script *s = level == 6 ? unary(p) : binary(p, level + 1);
	while (s && level < 6) {
		size_t i = 0, n = sizeof(operators) / sizeof(*operators);
		skip(p);
		while (i < n && strncmp(p->at, operators[i].word, strlen(operators[i].word)) != 0)
			i++;
		if (i == n || operators[i].level != level)
			break;
		p->at += strlen(operators[i].word);
		const struct xml_script *right = binary(p, level + 1);
		s = right ? node(p, operators[i].op, s, right, NULL) : NULL;
	}
	return s;
}

static const struct xml_script *conditional(struct parser *p)
{
	const struct xml_script *s = ++p->depth > MAX_NESTED ? NULL : binary(p, 0);
	if (s && take(p, "?")) {
		const struct xml_script *yes = conditional(p);
		const struct xml_script *no = yes && take(p, ":") ? conditional(p) : NULL;
		s = no ? node(p, '?', s, yes, no) : NULL;
	}
	p->depth--;
	return s;
}

const struct xml_script *xml_script_parse(const char *text, struct mer_arena *arena)
{
	struct parser p = { .at = text, .arena = arena };
	const struct xml_script *s = conditional(&p);
	take(&p, ";");
	skip(&p);
	return s && !*p.at ? s : NULL;
}

/* ---- running ---- */

static bool is_true(const struct xml_value *v)
{
	switch (v->type) {
	case XML_INT:
	case XML_LONG: return v->i != 0;
	case XML_DOUBLE: return v->f != 0 && !isnan(v->f);
	case XML_STRING: return *v->s;
	default: return false;
	}
}

static double number_of(const struct xml_value *v)
{
	char *end;
	switch (v->type) {
	case XML_INT:
	case XML_LONG: return (double)v->i;
	case XML_DOUBLE: return v->f;
	case XML_STRING: {
		double d = strtod(v->s, &end);
		return end > v->s && !*end ? d : NAN;
	}
	default: return 0;
	}
}

static struct xml_value truth(bool is)
{
	return (struct xml_value){ .type = XML_INT, .i = is };
}

static struct xml_value real(double d)
{
	return (struct xml_value){ .type = XML_DOUBLE, .f = d };
}

static bool is_text(const struct xml_value *v)
{
	return v->type == XML_STRING;
}

static bool same(const struct xml_value *a, const struct xml_value *b)
{
	if (is_text(a) && is_text(b))
		return strcmp(a->s, b->s) == 0;
	if (a->type == XML_NULL || b->type == XML_NULL)
		return a->type == b->type;
	return number_of(a) == number_of(b);
}

struct xml_value xml_script_run(
	const struct xml_script *s, struct xml_value (*get)(void *ctx, const char *name), void *ctx)
{
	struct xml_value a = { 0 }, b = { 0 };
	if (s->op == 'n' || s->op == 's')
		return s->value;
	if (s->op == 'v')
		return get(ctx, s->name);
	a = xml_script_run(s->a, get, ctx);
	if (s->op == '?')
		return xml_script_run(is_true(&a) ? s->b : s->c, get, ctx);
	if (s->op == '!')
		return truth(!is_true(&a));
	if (s->op == 'm')
		return real(-number_of(&a));
	if (s->op == BOTH || s->op == EITHER)
		return is_true(&a) == (s->op == BOTH) ? xml_script_run(s->b, get, ctx) : a;
	b = xml_script_run(s->b, get, ctx);
	/* Whole numbers stay exact: times in ns are beyond what a double holds. */
	bool whole = (a.type == XML_LONG || a.type == XML_INT) &&
		     (b.type == XML_LONG || b.type == XML_INT || b.f == floor(b.f));
	int64_t right = b.type == XML_DOUBLE && fabs(b.f) < 9e15 ? (int64_t)b.f : b.i, sum;
	if (whole && b.type != XML_STRING && b.type != XML_NULL &&
		((s->op == '+' && !__builtin_add_overflow(a.i, right, &sum)) ||
			(s->op == '-' && !__builtin_sub_overflow(a.i, right, &sum))))
		return (struct xml_value){ .type = XML_LONG, .i = sum };
	int order = is_text(&a) && is_text(&b) ? strcmp(a.s, b.s) : 0;
	double x = is_text(&a) && is_text(&b) ? order : number_of(&a);
	double y = is_text(&a) && is_text(&b) ? 0 : number_of(&b);
	switch (s->op) {
	case EQUAL: return truth(same(&a, &b));
	case UNEQUAL: return truth(!same(&a, &b));
	case AT_LEAST: return truth(x >= y);
	case AT_MOST: return truth(x <= y);
	case '>': return truth(x > y);
	case '<': return truth(x < y);
	case '+': return real(number_of(&a) + number_of(&b));
	case '-': return real(number_of(&a) - number_of(&b));
	case '*': return real(number_of(&a) * number_of(&b));
	case '/': return real(number_of(&a) / number_of(&b));
	default: return real(fmod(number_of(&a), number_of(&b)));
	}
}
