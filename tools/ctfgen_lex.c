/* ctfgen: tokens, values and expressions. */
#include "ctfgen.h"

#include <ctype.h>
#include <stdarg.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fail_plain(const char *text)
{
	fprintf(stderr, "%s: %s\n", program_invocation_short_name, text);
	exit(1);
}

void check_memory(const void *p)
{
	if (!p)
		fail_plain("out of memory");
}

void fail_at(const struct lexer *l, size_t at, const char *fmt, ...)
{
	const struct source *s = l->source;
	size_t line = 1, begin = 0, end;
	if (at > s->len)
		at = s->len;
	for (size_t i = 0; i < at; i++)
		if (s->text[i] == '\n') {
			line++;
			begin = i + 1;
		}
	for (end = begin; end < s->len && s->text[end] != '\n'; end++)
		;
	fprintf(stderr, "%s:%zu:%zu: ", s->path, line, at - begin + 1);
	va_list ap;
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "\n%.*s\n", (int)(end - begin), s->text + begin);
	for (size_t i = begin; i < at; i++)
		fputc(s->text[i] == '\t' ? '\t' : ' ', stderr);
	fputs("^\n", stderr);
	exit(1);
}

void *more(struct gen *g, const void *array, uint32_t n, size_t bytes_each)
{
	if (n & (n - 1))
		return (void *)(uintptr_t)array;
	void *p = mer_arena_zalloc(&g->arena, n ? (size_t)n * 2 : 1, bytes_each);
	check_memory(p);
	if (n)
		memcpy(p, array, n * bytes_each);
	return p;
}

static bool is_start(char c)
{
	return isalpha((unsigned char)c) || c == '_';
}

static bool is_part(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("_:./@-", c));
}

static size_t var_length(const char *s, size_t len)
{
	size_t n = 1;
	if (n < len && s[n] == '{') {
		while (n < len && s[n] != '}')
			n++;
		return n < len ? n + 1 : 0;
	}
	while (n < len && (isalnum((unsigned char)s[n]) || s[n] == '_'))
		n++;
	return n > 1 ? n : 0;
}

static void lex_number(struct lexer *l)
{
	const char *s = l->source->text;
	size_t len = l->source->len, i = l->at, digits = i;
	struct token *t = &l->t;
	uint64_t v = 0;
	bool over = false;
	t->kind = T_NUMBER;
	if (s[i] == '0' && i + 1 < len && (s[i + 1] | 32) == 'x') {
		for (i += 2; i < len && isxdigit((unsigned char)s[i]); i++) {
			int c = tolower((unsigned char)s[i]);
			over |= v >> 60 != 0;
			v = v << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
		}
	} else {
		for (; i < len && isdigit((unsigned char)s[i]); i++)
			over |= __builtin_mul_overflow(v, (uint64_t)10, &v) ||
				__builtin_add_overflow(v, (uint64_t)(s[i] - '0'), &v);
		uint64_t frac = 0, scale = 1;
		bool real = false;
		if (i + 1 < len && s[i] == '.' && isdigit((unsigned char)s[i + 1])) {
			real = true;
			for (i++; i < len && isdigit((unsigned char)s[i]); i++)
				if (scale < 1000000000) {
					frac = frac * 10 + (uint64_t)(s[i] - '0');
					scale *= 10;
				}
		}
		if (i + 1 < len && (s[i] | 32) == 'e' &&
			(isdigit((unsigned char)s[i + 1]) || s[i + 1] == '-' || s[i + 1] == '+')) {
			real = true;
			for (i += 2; i < len && isdigit((unsigned char)s[i]); i++)
				;
		}
		static const struct {
			const char *name;
			uint64_t ns;
		} units[] = { { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 },
			{ "min", 60000000000 }, { "h", 3600000000000 } };
		size_t w = i;
		while (w < len && isalpha((unsigned char)s[w]))
			w++;
		for (size_t k = 0; k < sizeof(units) / sizeof(units[0]) && w > i; k++) {
			size_t n = strlen(units[k].name);
			if (n != w - i || memcmp(s + i, units[k].name, n) != 0)
				continue;
			over |= __builtin_mul_overflow(v, units[k].ns, &v);
			if (real && (frac * units[k].ns) % scale)
				fail_at(l, l->at, "less than a nanosecond");
			v += (uint64_t)((unsigned __int128)frac * units[k].ns / scale);
			t->has_unit = true;
			real = false;
			i = w;
			break;
		}
		if (real) {
			char buf[64];
			size_t n = i - digits < sizeof(buf) - 1 ? i - digits : sizeof(buf) - 1;
			memcpy(buf, s + digits, n);
			buf[n] = '\0';
			t->kind = T_REAL;
			t->real = strtod(buf, NULL);
		}
	}
	if (over && t->kind == T_NUMBER)
		fail_at(l, l->at, "this number has more than 64 bits");
	if (i < len && (is_start(s[i])))
		fail_at(l, i, "not a unit: use ns, us, ms, s, min or h");
	t->number = v;
	l->at = i;
}

void lex_next(struct lexer *l)
{
	const char *s = l->source->text;
	size_t len = l->source->len;
	struct token *t = &l->t;
	for (;;) {
		while (l->at < len && (s[l->at] == ' ' || s[l->at] == '\t' || s[l->at] == '\r'))
			l->at++;
		if (l->at < len && s[l->at] == '\\' && l->at + 1 < len && s[l->at + 1] == '\n') {
			l->at += 2;
			continue;
		}
		if (l->at >= len || s[l->at] != '#')
			break;
		while (l->at < len && s[l->at] != '\n')
			l->at++;
	}
	*t = (struct token){ .at = l->at };
	if (l->at >= len) {
		t->kind = T_END;
		return;
	}
	char c = s[l->at];
	size_t i = l->at;
	if (c == '\n' || c == ';') {
		t->kind = T_LINE;
		l->at++;
	} else if (isdigit((unsigned char)c)) {
		lex_number(l);
	} else if (is_start(c)) {
		t->kind = T_WORD;
		while (i < len) {
			size_t n = s[i] == '$' ? var_length(s + i, len - i) : is_part(s[i]);
			/* a dash that begins an arrow or range is none of the word's */
			if (!n || (s[i] == '.' && i + 1 < len && s[i + 1] == '.'))
				break;
			i += n;
		}
		t->len = i - l->at;
		l->at = i;
	} else if (c == '$') {
		t->kind = T_VAR;
		t->len = var_length(s + i, len - i);
		if (!t->len)
			fail_at(l, i, "expected the name of a variable after $");
		l->at += t->len;
	} else if (c == '"') {
		t->kind = T_TEXT;
		for (i++; i < len && s[i] != '"' && s[i] != '\n'; i++)
			if (s[i] == '\\' && i + 1 < len)
				i++;
		if (i >= len || s[i] != '"')
			fail_at(l, l->at, "this text does not end on its line");
		t->at = l->at + 1;
		t->len = i - t->at;
		l->at = i + 1;
	} else {
		static const char *const pairs[] = { "..", "==", "!=", "<=", ">=", "&&", "||", "<<",
			">>" };
		t->kind = T_PUNCT;
		t->punct = c;
		l->at++;
		for (size_t k = 0; k < sizeof(pairs) / sizeof(pairs[0]); k++)
			if (i + 1 < len && c == pairs[k][0] && s[i + 1] == pairs[k][1]) {
				t->punct = c << 8 | s[i + 1];
				l->at = i + 2;
				break;
			}
	}
}

void lex_go(struct lexer *l, size_t at)
{
	l->at = at;
	lex_next(l);
}

bool is_punct(const struct lexer *l, int punct)
{
	return l->t.kind == T_PUNCT && l->t.punct == punct;
}

bool accept(struct lexer *l, int punct)
{
	if (!is_punct(l, punct))
		return false;
	lex_next(l);
	return true;
}

void expect(struct lexer *l, int punct)
{
	if (!accept(l, punct))
		fail_at(l, l->t.at, "expected '%c'", punct);
}

bool is_word(const struct lexer *l, const char *word)
{
	return l->t.kind == T_WORD && l->t.len == strlen(word) &&
	       !memcmp(l->source->text + l->t.at, word, l->t.len);
}

bool accept_word(struct lexer *l, const char *word)
{
	if (!is_word(l, word))
		return false;
	lex_next(l);
	return true;
}

void skip_lines(struct lexer *l)
{
	while (l->t.kind == T_LINE)
		lex_next(l);
}

void end_line(struct lexer *l)
{
	if (l->t.kind == T_LINE)
		lex_next(l);
	else if (l->t.kind != T_END && !is_punct(l, '}'))
		fail_at(l, l->t.at, "expected the end of the line");
}

void skip_block(struct lexer *l)
{
	size_t from = l->t.at;
	for (unsigned depth = 1; depth; lex_next(l)) {
		if (l->t.kind == T_END)
			fail_at(l, from, "the block that begins before this does not end");
		if (is_punct(l, '{'))
			depth++;
		else if (is_punct(l, '}') && --depth == 0)
			break;
	}
	lex_next(l);
}

void set_var(struct gen *g, const char *name, struct value v)
{
	for (uint32_t i = g->n_vars; i-- > 0;)
		if (!strcmp(g->vars[i].name, name)) {
			g->vars[i].value = v;
			return;
		}
	g->vars = more(g, g->vars, g->n_vars, sizeof(*g->vars));
	g->vars[g->n_vars].name = mer_arena_strdup(&g->arena, name);
	check_memory(g->vars[g->n_vars].name);
	g->vars[g->n_vars++].value = v;
}

static struct value get_var(struct gen *g, const struct lexer *l, size_t at, size_t len)
{
	const char *s = l->source->text + at + 1;
	len--;
	if (*s == '{') {
		s++;
		len -= 2;
	}
	for (uint32_t i = g->n_vars; i-- > 0;)
		if (strlen(g->vars[i].name) == len && !memcmp(g->vars[i].name, s, len))
			return g->vars[i].value;
	fail_at(l, at, "there is no variable called %.*s", (int)len, s);
}

/* A word or text with variables and escapes put in. */
static const char *interpolate(struct gen *g, const struct lexer *l, size_t at, size_t len,
	bool escapes, struct mer_arena *a, size_t *out_len)
{
	const char *s = l->source->text + at;
	size_t plain = 0;
	while (plain < len && s[plain] != '$' && s[plain] != '\\')
		plain++;
	struct mer_str out = { 0 };
	mer_str_add(&out, s, plain);
	for (size_t i = plain; i < len; i++) {
		size_t n = s[i] == '$' ? var_length(s + i, len - i) : 0;
		if (n) {
			struct value v = get_var(g, l, at + i, n);
			if (v.kind == V_INT)
				mer_str_printf(&out, "%lld", (long long)v.i);
			else if (v.kind == V_REAL)
				mer_str_printf(&out, "%.17g", v.f);
			else
				mer_str_add(&out, v.s, v.len);
			i += n - 1;
		} else if (s[i] == '\\' && escapes && i + 1 < len) {
			static const char from[] = "nrt0\\\"$", to[] = "\n\r\t\0\\\"$";
			const char *p = strchr(from, s[++i]);
			unsigned byte;
			if (p && *p)
				mer_str_putc(&out, to[p - from]);
			else if (s[i] == 'x' && i + 2 < len &&
				 sscanf(s + i + 1, "%2x", &byte) == 1) {
				mer_str_putc(&out, (char)byte);
				i += 2;
			} else
				fail_at(l, at + i, "unknown escape");
		} else {
			mer_str_putc(&out, s[i]);
		}
	}
	if (out.failed)
		check_memory(NULL);
	const char *copy = mer_arena_strndup(a, out.data ? out.data : "", out.len);
	check_memory(copy);
	if (out_len)
		*out_len = out.len;
	mer_str_fini(&out);
	return copy;
}

const char *take_name(struct gen *g, struct lexer *l, const char *what, struct mer_arena *a)
{
	if (l->t.kind != T_WORD && l->t.kind != T_TEXT)
		fail_at(l, l->t.at, "expected %s", what);
	const char *s = interpolate(g, l, l->t.at, l->t.len, l->t.kind == T_TEXT, a, NULL);
	lex_next(l);
	return s;
}

struct value *new_value(struct gen *g, enum value_kind kind, size_t at)
{
	struct value *v = mer_arena_zalloc(&g->line, 1, sizeof(*v));
	check_memory(v);
	v->kind = kind;
	v->at = at;
	return v;
}

static uint64_t next_random(struct gen *g)
{
	uint64_t x = g->random += 0x9E3779B97F4A7C15;
	x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
	x = (x ^ x >> 27) * 0x94D049BB133111EB;
	return x ^ x >> 31;
}

static int64_t take_expr(struct gen *g, struct lexer *l, int level);

static int64_t take_operand(struct gen *g, struct lexer *l)
{
	size_t at = l->t.at;
	int64_t v;
	if (++g->depth > 100)
		fail_at(l, at, "nested too deeply");
	if (accept(l, '(')) {
		v = take_expr(g, l, 0);
		expect(l, ')');
	} else if (accept(l, '-')) {
		v = (int64_t) - (uint64_t)take_operand(g, l);
	} else if (accept(l, '!')) {
		v = !take_operand(g, l);
	} else if (l->t.kind == T_NUMBER) {
		v = (int64_t)l->t.number;
		lex_next(l);
	} else if (l->t.kind == T_VAR) {
		struct value x = get_var(g, l, at, l->t.len);
		if (x.kind != V_INT)
			fail_at(l, at, "this variable is no integer");
		v = (int64_t)x.i;
		lex_next(l);
	} else if (is_word(l, "rand") || is_word(l, "min") || is_word(l, "max")) {
		char f = l->source->text[l->t.at + 1];
		lex_next(l);
		expect(l, '(');
		int64_t a = take_expr(g, l, 0);
		expect(l, ',');
		int64_t b = take_expr(g, l, 0);
		expect(l, ')');
		if (f == 'a' && l->source->text[at] == 'r') {
			if (b < a)
				fail_at(l, at, "rand: the second number is less than the first");
			uint64_t span = (uint64_t)b - (uint64_t)a + 1, r = next_random(g);
			v = (int64_t)((uint64_t)a + (span ? r % span : r));
		} else {
			v = (f == 'i') == (a < b) ? a : b;
		}
	} else {
		fail_at(l, at, "expected a number, a $variable or a parenthesis");
	}
	g->depth--;
	return v;
}

static int level_of(int punct)
{
	switch (punct) {
	case '|' << 8 | '|': return 1;
	case '&' << 8 | '&': return 2;
	case '=' << 8 | '=':
	case '!' << 8 | '=':
	case '<' << 8 | '=':
	case '>' << 8 | '=':
	case '<':
	case '>': return 3;
	case '&':
	case '|':
	case '^': return 4;
	case '<' << 8 | '<':
	case '>' << 8 | '>': return 5;
	case '+':
	case '-': return 6;
	case '*':
	case '/':
	case '%': return 7;
	default: return 0;
	}
}

static int64_t take_expr(struct gen *g, struct lexer *l, int level)
{
	int64_t a = take_operand(g, l);
	for (;;) {
		int op = l->t.kind == T_PUNCT ? l->t.punct : 0, mine = level_of(op);
		size_t at = l->t.at;
		if (!mine || mine <= level)
			return a;
		lex_next(l);
		int64_t b = take_expr(g, l, mine);
		uint64_t x = (uint64_t)a, y = (uint64_t)b;
		if ((op == '/' || op == '%') && (b == 0 || (b == -1 && a == INT64_MIN)))
			fail_at(l, at, "division by zero");
		switch (op) {
		case '|' << 8 | '|': a = a || b; break;
		case '&' << 8 | '&': a = a && b; break;
		case '=' << 8 | '=': a = a == b; break;
		case '!' << 8 | '=': a = a != b; break;
		case '<' << 8 | '=': a = a <= b; break;
		case '>' << 8 | '=': a = a >= b; break;
		case '<': a = a < b; break;
		case '>': a = a > b; break;
		case '&': a = a & b; break;
		case '|': a = a | b; break;
		case '^': a = a ^ b; break;
		case '<' << 8 | '<': a = (int64_t)(x << (y & 63)); break;
		case '>' << 8 | '>': a = (int64_t)(x >> (y & 63)); break;
		case '+': a = (int64_t)(x + y); break;
		case '-': a = (int64_t)(x - y); break;
		case '*': a = (int64_t)(x * y); break;
		case '/': a = a / b; break;
		case '%': a = a % b; break;
		default: break;
		}
	}
}

struct value take_term(struct gen *g, struct lexer *l)
{
	struct value v = { .kind = V_INT, .at = l->t.at };
	bool minus = accept(l, '-');
	if (l->t.kind == T_REAL) {
		v.kind = V_REAL;
		v.f = minus ? -l->t.real : l->t.real;
		lex_next(l);
	} else if (l->t.kind == T_NUMBER) {
		v.i = minus ? -l->t.number : l->t.number;
		v.big = !minus && l->t.number > INT64_MAX;
		if (minus && l->t.number > (uint64_t)INT64_MAX + 1)
			fail_at(l, v.at, "this number has more than 64 bits");
		lex_next(l);
	} else if (l->t.kind == T_VAR && !minus) {
		v = get_var(g, l, l->t.at, l->t.len);
		v.at = l->t.at;
		lex_next(l);
	} else if (l->t.kind == T_TEXT && !minus) {
		v.kind = V_TEXT;
		v.s = interpolate(g, l, l->t.at, l->t.len, true, &g->line, &v.len);
		lex_next(l);
	} else if (l->t.kind == T_WORD && !minus) {
		v.kind = V_WORD;
		v.s = interpolate(g, l, l->t.at, l->t.len, false, &g->line, &v.len);
		lex_next(l);
	} else {
		int64_t x = take_operand(g, l);
		v.i = minus ? -(uint64_t)x : (uint64_t)x;
	}
	return v;
}

int64_t take_int(struct gen *g, struct lexer *l, const char *what)
{
	struct value v = take_term(g, l);
	if (v.kind != V_INT || v.big)
		fail_at(l, v.at, "expected %s", what);
	return (int64_t)v.i;
}

uint64_t take_uint(struct gen *g, struct lexer *l, const char *what)
{
	struct value v = take_term(g, l);
	if (v.kind != V_INT || (!v.big && (int64_t)v.i < 0))
		fail_at(l, v.at, "expected %s, not negative", what);
	return v.i;
}

struct value *record_get(const struct value *record, const char *name)
{
	for (struct value *m = record ? record->first : NULL; m; m = m->next)
		if (m->name && !strcmp(m->name, name))
			return m;
	return NULL;
}

void record_put(struct value *record, struct value *member, const char *name)
{
	member->name = name;
	member->next = NULL;
	if (record->last)
		record->last->next = member;
	else
		record->first = member;
	record->last = member;
}

/* name = value into the record; dots in the name lead into members. */
void take_member(struct gen *g, struct lexer *l, struct value *record)
{
	size_t at = l->t.at;
	char *name = (char *)(uintptr_t)take_name(g, l, "the name of a field", &g->line);
	expect(l, '=');
	for (char *dot; (dot = strchr(name, '.')); name = dot + 1) {
		*dot = '\0';
		struct value *inner = record_get(record, name);
		if (!inner) {
			inner = new_value(g, V_RECORD, at);
			record_put(record, inner, name);
		}
		if (inner->kind != V_RECORD)
			fail_at(l, at, "%s has a value already", name);
		record = inner;
	}
	if (record_get(record, name))
		fail_at(l, at, "%s has a value already", name);
	struct value *v = take_value(g, l);
	record_put(record, v, name);
}

struct value *take_value(struct gen *g, struct lexer *l)
{
	size_t at = l->t.at;
	bool list = is_punct(l, '[');
	if (!list && !is_punct(l, '{')) {
		struct value *v = new_value(g, V_NONE, at);
		*v = take_term(g, l);
		return v;
	}
	if (++g->depth > 100)
		fail_at(l, at, "nested too deeply");
	struct value *v = new_value(g, list ? V_LIST : V_RECORD, at);
	int end = list ? ']' : '}';
	lex_next(l);
	skip_lines(l);
	while (!accept(l, end)) {
		if (list)
			record_put(v, take_value(g, l), NULL);
		else
			take_member(g, l, v);
		skip_lines(l);
		if (accept(l, ','))
			skip_lines(l);
		else if (list && !is_punct(l, end))
			fail_at(l, l->t.at, "expected ',' or '%c'", end);
		else if (!list && !is_punct(l, end) && l->t.kind != T_WORD)
			fail_at(l, l->t.at, "expected a field or '%c'", end);
	}
	g->depth--;
	return v;
}

size_t hex_bytes(const struct lexer *l, size_t at, const char *text, uint8_t *out)
{
	size_t n = 0, digits = 0;
	for (; *text; text++) {
		if (*text == ' ' || *text == '\t')
			continue;
		if (!isxdigit((unsigned char)*text))
			fail_at(l, at, "expected hexadecimal digits");
		int c = tolower((unsigned char)*text);
		uint8_t d = (uint8_t)(c <= '9' ? c - '0' : c - 'a' + 10);
		if (digits++ % 2 == 0)
			out[n] = (uint8_t)(d << 4);
		else
			out[n++] |= d;
	}
	if (digits % 2)
		fail_at(l, at, "an odd number of hexadecimal digits");
	return n;
}

bool parse_uuid(const char *s, uint8_t uuid[16])
{
	unsigned n = 0;
	for (; *s; s++) {
		if (*s == '-')
			continue;
		if (!isxdigit((unsigned char)*s) || n == 32)
			return false;
		int c = tolower((unsigned char)*s);
		uint8_t d = (uint8_t)(c <= '9' ? c - '0' : c - 'a' + 10);
		uuid[n / 2] = (uint8_t)(n % 2 ? uuid[n / 2] | d : d << 4);
		n++;
	}
	return n == 32;
}

/* The same names always give the same identifier. */
void make_uuid(uint8_t uuid[16], const char *a, const char *b)
{
	char text[512];
	int n = snprintf(text, sizeof(text), "%s\n%s", a, b);
	size_t len = n < 0 ? 0 : (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1;
	uint64_t h[2] = { mer_hash(text, len), 0 };
	h[1] = mer_hash(h, 8) ^ 0x9E3779B97F4A7C15;
	memcpy(uuid, h, 16);
	uuid[6] = (uint8_t)((uuid[6] & 0x0F) | 0x40);
	uuid[8] = (uint8_t)((uuid[8] & 0x3F) | 0x80);
}
