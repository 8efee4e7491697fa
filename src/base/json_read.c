#include "base/json_read.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"
#include "meridian/meridian.h"

enum { SMALL_OBJECT = 12 };

void mer_json_reader_init(
	struct mer_json_reader *r, const char *text, size_t len, struct mer_arena *arena)
{
	*r = (struct mer_json_reader){ .text = text, .len = len, .arena = arena };
}

void mer_json_reader_fini(struct mer_json_reader *r)
{
	free(r->stack);
	r->stack = NULL;
}

__attribute__((format(printf, 3, 4))) static int fail(
	struct mer_json_reader *r, size_t at, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(r->err, sizeof(r->err), fmt, ap);
	va_end(ap);
	r->err_at = at;
	return MER_ERR_INPUT;
}

/* Describes what is at `at`, for messages ("found ..."). */
static const char *found(const struct mer_json_reader *r, size_t at, char buf[24])
{
	if (at >= r->len)
		return "the end of the text";
	unsigned char c = (unsigned char)r->text[at];
	if (c > 0x20 && c < 0x7F)
		snprintf(buf, 24, "`%c`", c);
	else
		snprintf(buf, 24, "the byte 0x%02X", c);
	return buf;
}

static int unexpected(struct mer_json_reader *r, const char *expected)
{
	char buf[24];
	return fail(r, r->pos, "expected %s, found %s", expected, found(r, r->pos, buf));
}

static void skip_space(struct mer_json_reader *r)
{
	while (r->pos < r->len) {
		char c = r->text[r->pos];
		if (c != ' ' && c != '\n' && c != '\t' && c != '\r')
			break;
		r->pos++;
	}
}

/* Bytes of the UTF-8 sequence at p, whose first byte is 0x80 or more; 0 when it is none. */
static unsigned utf8_len(const unsigned char *p, size_t left)
{
	unsigned n = p[0] >= 0xF0 ? 4 : p[0] >= 0xE0 ? 3 : 2;
	if (p[0] < 0xC2 || p[0] > 0xF4 || left < n)
		return 0;
	for (unsigned i = 1; i < n; i++)
		if ((p[i] & 0xC0) != 0x80)
			return 0;
	if ((p[0] == 0xE0 && p[1] < 0xA0) || (p[0] == 0xED && p[1] > 0x9F) ||
		(p[0] == 0xF0 && p[1] < 0x90) || (p[0] == 0xF4 && p[1] > 0x8F))
		return 0;
	return n;
}

static unsigned put_utf8(char *out, uint32_t c)
{
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xC0 | c >> 6);
		out[1] = (char)(0x80 | (c & 0x3F));
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (char)(0xE0 | c >> 12);
		out[1] = (char)(0x80 | (c >> 6 & 0x3F));
		out[2] = (char)(0x80 | (c & 0x3F));
		return 3;
	}
	out[0] = (char)(0xF0 | c >> 18);
	out[1] = (char)(0x80 | (c >> 12 & 0x3F));
	out[2] = (char)(0x80 | (c >> 6 & 0x3F));
	out[3] = (char)(0x80 | (c & 0x3F));
	return 4;
}

static bool hex4(const char *p, uint32_t *value)
{
	uint32_t v = 0;
	for (unsigned i = 0; i < 4; i++) {
		unsigned char c = (unsigned char)p[i];
		unsigned char low = c | 0x20;
		if (c >= '0' && c <= '9')
			v = v << 4 | (c - (unsigned)'0');
		else if (low >= 'a' && low <= 'f')
			v = v << 4 | (low - (unsigned)'a' + 10);
		else
			return false;
	}
	*value = v;
	return true;
}

/* The escape at text[at] (a backslash), inside of a string that ends at end. */
static int unescape(struct mer_json_reader *r, size_t at, size_t end, uint32_t *c, size_t *used)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	char kind = r->text[at + 1];
	const char *known = kind ? strchr(from, kind) : NULL;
	if (known) {
		*c = (unsigned char)to[known - from];
		*used = 2;
		return 0;
	}
	if (kind != 'u')
		return fail(r, at, "a backslash must be followed by one of \"\\/bfnrtu");
	uint32_t low;
	if (end - at < 6 || !hex4(r->text + at + 2, c))
		return fail(r, at, "\\u must be followed by four hexadecimal digits");
	*used = 6;
	if (*c < 0xD800 || *c > 0xDFFF)
		return 0;
	if (*c > 0xDBFF || end - at < 12 || r->text[at + 6] != '\\' || r->text[at + 7] != 'u' ||
		!hex4(r->text + at + 8, &low) || low < 0xDC00 || low > 0xDFFF)
		return fail(r, at, "half of a surrogate pair stands alone");
	*c = 0x10000 + ((*c - 0xD800) << 10) + (low - 0xDC00);
	*used = 12;
	return 0;
}

/* Copies the bytes from .. end - 1 with the escapes replaced. An escape never gets longer. */
static int copy_unescaped(
	struct mer_json_reader *r, size_t from, size_t end, const char **text, uint32_t *n)
{
	char *out = mer_arena_alloc(r->arena, end - from + 1);
	if (!out)
		return MER_ERR_NOMEM;
	size_t len = 0;
	for (size_t at = from; at < end;) {
		if (r->text[at] != '\\') {
			out[len++] = r->text[at++];
			continue;
		}
		uint32_t c = 0;
		size_t used = 0;
		int rc = unescape(r, at, end, &c, &used);
		if (rc)
			return rc;
		len += put_utf8(out + len, c);
		at += used;
	}
	*text = out;
	*n = (uint32_t)len;
	return 0;
}

/* The string whose opening quote is at r->pos. */
static int read_string(struct mer_json_reader *r, const char **text, uint32_t *n)
{
	const unsigned char *p = (const unsigned char *)r->text;
	size_t from = r->pos + 1, at = from;
	bool escapes = false;
	for (;;) {
		while (at < r->len && p[at] >= 0x20 && p[at] < 0x80 && p[at] != '"' &&
			p[at] != '\\')
			at++;
		if (at >= r->len)
			return fail(r, r->pos, "this string has no closing quote");
		if (p[at] == '"')
			break;
		if (p[at] < 0x20)
			return fail(r, at,
				"a control character (0x%02X) in a string must be escaped", p[at]);
		if (p[at] == '\\') {
			escapes = true;
			at += 2;
			continue;
		}
		unsigned len = utf8_len(p + at, r->len - at);
		if (len == 0)
			return fail(r, at, "the byte 0x%02X is not part of valid UTF-8", p[at]);
		at += len;
	}
	if (escapes) {
		int rc = copy_unescaped(r, from, at, text, n);
		if (rc)
			return rc;
	} else {
		*text = r->text + from;
		*n = (uint32_t)(at - from);
	}
	r->pos = at + 1;
	return 0;
}

static bool is_digit(const struct mer_json_reader *r, size_t at)
{
	return at < r->len && r->text[at] >= '0' && r->text[at] <= '9';
}

static int read_real(struct mer_json_reader *r, size_t from, struct mer_json_value *v)
{
	char *copy = mer_arena_strndup(r->arena, r->text + from, r->pos - from);
	if (!copy)
		return MER_ERR_NOMEM;
	v->kind = MER_JSON_REAL;
	v->u.real = strtod(copy, NULL);
	return 0;
}

static int read_number(struct mer_json_reader *r, struct mer_json_value *v)
{
	size_t from = r->pos;
	bool negative = r->text[r->pos] == '-', integer = true;
	uint64_t number = 0;
	if (negative)
		r->pos++;
	if (!is_digit(r, r->pos))
		return unexpected(r, "a digit");
	if (r->text[r->pos] == '0' && is_digit(r, r->pos + 1))
		return fail(r, from, "a number must not begin with a zero");
	for (; is_digit(r, r->pos); r->pos++)
		if (__builtin_mul_overflow(number, 10, &number) ||
			__builtin_add_overflow(number, (uint64_t)(r->text[r->pos] - '0'), &number))
			integer = false;
	if (r->pos < r->len && r->text[r->pos] == '.') {
		integer = false;
		r->pos++;
		if (!is_digit(r, r->pos))
			return unexpected(r, "a digit");
		while (is_digit(r, r->pos))
			r->pos++;
	}
	if (r->pos < r->len && (r->text[r->pos] | 0x20) == 'e') {
		integer = false;
		r->pos++;
		if (r->pos < r->len && (r->text[r->pos] == '+' || r->text[r->pos] == '-'))
			r->pos++;
		if (!is_digit(r, r->pos))
			return unexpected(r, "a digit");
		while (is_digit(r, r->pos))
			r->pos++;
	}
	if (!integer || (negative && number > (uint64_t)1 << 63))
		return read_real(r, from, v);
	v->kind = negative && number ? MER_JSON_INT : MER_JSON_UINT;
	v->u.number = negative ? 0 - number : number;
	return 0;
}

static int read_word(struct mer_json_reader *r, struct mer_json_value *v)
{
	static const struct {
		const char *word;
		enum mer_json_kind kind;
		bool truth;
	} words[] = { { "null", MER_JSON_NULL, false }, { "true", MER_JSON_BOOL, true },
		{ "false", MER_JSON_BOOL, false } };
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t n = strlen(words[i].word);
		if (r->len - r->pos >= n && memcmp(r->text + r->pos, words[i].word, n) == 0) {
			v->kind = words[i].kind;
			v->u.truth = words[i].truth;
			r->pos += n;
			return 0;
		}
	}
	return unexpected(r, "a JSON value");
}

static struct mer_json_member *push(struct mer_json_reader *r)
{
	if (!mer_grow(&r->stack, r->n_stack, &r->cap_stack, sizeof(*r->stack)))
		return NULL;
	return &r->stack[r->n_stack++];
}

static int compare_keys(const struct mer_json_member *a, const struct mer_json_member *b)
{
	if (a->key_len != b->key_len)
		return a->key_len < b->key_len ? -1 : 1;
	return a->key_len ? memcmp(a->key, b->key, a->key_len) : 0;
}

static int compare_members(const void *a, const void *b)
{
	const struct mer_json_member *x = *(const struct mer_json_member *const *)a;
	const struct mer_json_member *y = *(const struct mer_json_member *const *)b;
	int c = compare_keys(x, y);
	return c ? c : x->key_at < y->key_at ? -1 : x->key_at > y->key_at;
}

static int fail_twice(struct mer_json_reader *r, const struct mer_json_member *m)
{
	int shown = m->key_len > 60 ? 60 : (int)m->key_len;
	return fail(r, m->key_at, "the key `%.*s` occurs twice in this object", shown, m->key);
}

static int check_keys(struct mer_json_reader *r, const struct mer_json_member *m, uint32_t n)
{
	if (n <= SMALL_OBJECT) {
		for (uint32_t i = 1; i < n; i++)
			for (uint32_t k = 0; k < i; k++)
				if (compare_keys(&m[i], &m[k]) == 0)
					return fail_twice(r, &m[i]);
		return 0;
	}
	const struct mer_json_member **sorted = malloc(n * sizeof(*sorted));
	if (!sorted)
		return MER_ERR_NOMEM;
	for (uint32_t i = 0; i < n; i++)
		sorted[i] = &m[i];
	qsort(sorted, n, sizeof(*sorted), compare_members);
	int rc = 0;
	for (uint32_t i = 1; i < n && rc == 0; i++)
		if (compare_keys(sorted[i - 1], sorted[i]) == 0)
			rc = fail_twice(r, sorted[i]);
	free(sorted);
	return rc;
}

static int read_value(struct mer_json_reader *r, struct mer_json_value *v, unsigned depth);

static int read_key(struct mer_json_reader *r, struct mer_json_member *m)
{
	if (r->pos >= r->len || r->text[r->pos] != '"')
		return unexpected(r, "a key in quotes");
	m->key_at = (uint32_t)r->pos;
	int rc = read_string(r, &m->key, &m->key_len);
	if (rc)
		return rc;
	skip_space(r);
	if (r->pos >= r->len || r->text[r->pos] != ':')
		return unexpected(r, "`:` after the key");
	r->pos++;
	return 0;
}

/* Goes past the comma or the closing bracket; *more tells which. */
static int read_separator(struct mer_json_reader *r, char close, bool *more)
{
	skip_space(r);
	char c = r->pos < r->len ? r->text[r->pos] : '\0';
	if (c == close) {
		r->pos++;
		*more = false;
		return 0;
	}
	if (c != ',')
		return unexpected(r, close == ']' ? "`,` or `]`" : "`,` or `}`");
	size_t comma = r->pos++;
	skip_space(r);
	*more = r->pos >= r->len || r->text[r->pos] != close;
	if (*more)
		return 0;
	if (!r->allow_trailing_comma)
		return fail(r, comma, "a comma before the closing bracket");
	if (r->n_trailing_commas++ == 0)
		r->trailing_comma_at = comma;
	r->pos++;
	return 0;
}

/* Moves what was pushed since base to the arena. */
static int close_container(struct mer_json_reader *r, struct mer_json_value *v, size_t base)
{
	size_t n = r->n_stack - base;
	r->n_stack = base;
	v->n = (uint32_t)n;
	if (n == 0)
		return 0;
	const struct mer_json_member *from = r->stack + base;
	if (v->kind == MER_JSON_OBJECT) {
		struct mer_json_member *m = mer_arena_alloc(r->arena, n * sizeof(*m));
		if (!m)
			return MER_ERR_NOMEM;
		memcpy(m, from, n * sizeof(*m));
		v->u.members = m;
		return check_keys(r, m, v->n);
	}
	struct mer_json_value *items = mer_arena_alloc(r->arena, n * sizeof(*items));
	if (!items)
		return MER_ERR_NOMEM;
	for (size_t i = 0; i < n; i++)
		items[i] = from[i].value;
	v->u.items = items;
	return 0;
}

static int read_container(struct mer_json_reader *r, struct mer_json_value *v, unsigned depth)
{
	bool object = r->text[r->pos] == '{';
	char close = object ? '}' : ']';
	size_t base = r->n_stack;
	if (depth >= MER_JSON_MAX_DEPTH) {
		fail(r, r->pos, "values are nested more than %d deep", MER_JSON_MAX_DEPTH);
		return MER_ERR_LIMIT;
	}
	v->kind = object ? MER_JSON_OBJECT : MER_JSON_ARRAY;
	v->u.items = NULL;
	r->pos++;
	skip_space(r);
	bool more = r->pos >= r->len || r->text[r->pos] != close;
	if (!more)
		r->pos++;
	while (more) {
		struct mer_json_member m = { 0 };
		int rc = 0;
		skip_space(r);
		if (object)
			rc = read_key(r, &m);
		if (rc == 0)
			rc = read_value(r, &m.value, depth + 1);
		if (rc)
			return rc;
		/* Pushed when complete: reading the value may have moved the stack. */
		struct mer_json_member *slot = push(r);
		if (!slot)
			return MER_ERR_NOMEM;
		*slot = m;
		rc = read_separator(r, close, &more);
		if (rc)
			return rc;
	}
	return close_container(r, v, base);
}

static int read_value(struct mer_json_reader *r, struct mer_json_value *v, unsigned depth)
{
	skip_space(r);
	if (r->pos >= r->len)
		return unexpected(r, "a JSON value");
	if (++r->n_values > MER_JSON_MAX_VALUES) {
		fail(r, r->pos, "more than %d values", MER_JSON_MAX_VALUES);
		return MER_ERR_LIMIT;
	}
	*v = (struct mer_json_value){ .at = (uint32_t)r->pos };
	char c = r->text[r->pos];
	if (c == '{' || c == '[')
		return read_container(r, v, depth);
	if (c == '"') {
		v->kind = MER_JSON_STRING;
		return read_string(r, &v->u.text, &v->n);
	}
	if (c == '-' || (c >= '0' && c <= '9'))
		return read_number(r, v);
	return read_word(r, v);
}

int mer_json_read(struct mer_json_reader *r, struct mer_json_value *value)
{
	if (r->len > UINT32_MAX) {
		fail(r, 0, "the text is longer than 4 GiB");
		return MER_ERR_LIMIT;
	}
	r->n_stack = 0;
	r->n_values = 0;
	return read_value(r, value, 0);
}

const struct mer_json_member *mer_json_member(const struct mer_json_value *object, const char *key)
{
	size_t len = strlen(key);
	for (uint32_t i = 0; i < object->n; i++) {
		const struct mer_json_member *m = &object->u.members[i];
		if (m->key_len == len && memcmp(m->key, key, len) == 0)
			return m;
	}
	return NULL;
}

const struct mer_json_value *mer_json_find(const struct mer_json_value *object, const char *key)
{
	const struct mer_json_member *m =
		object && object->kind == MER_JSON_OBJECT ? mer_json_member(object, key) : NULL;
	return m ? &m->value : NULL;
}

bool mer_json_int_of(const struct mer_json_value *v, int64_t *to)
{
	bool is = v && (v->kind == MER_JSON_INT ||
			       (v->kind == MER_JSON_UINT && v->u.number <= INT64_MAX));
	*to = is ? (int64_t)v->u.number : 0;
	return is;
}

const char *mer_json_text_of(const struct mer_json_value *v, struct mer_arena *arena)
{
	return v && v->kind == MER_JSON_STRING ? mer_arena_strndup(arena, v->u.text, v->n) : NULL;
}

bool mer_json_is(const struct mer_json_value *string, const char *text)
{
	return string->kind == MER_JSON_STRING && string->n == strlen(text) &&
	       memcmp(string->u.text, text, string->n) == 0;
}

const char *mer_json_kind_name(enum mer_json_kind kind)
{
	static const char *const names[] = { "null", "a boolean", "an unsigned integer",
		"a negative integer", "a number that is no 64-bit integer", "a string", "an array",
		"an object" };
	return names[kind];
}
