/* CTF 2 metadata: checked access to JSON values; errors with their place. */
#include "ctf/json_parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"
#include "base/str.h"

enum { EXCERPT_CHARS = 100, EXCERPT_BEFORE = 60 };

_Noreturn void ctf_json_nomem(struct json_parser *p)
{
	p->code = mer_fail_nomem(p->err);
	longjmp(p->failed, 1);
}

static bool starts_char(char c)
{
	return ((unsigned char)c & 0xC0) != 0x80;
}

/* Line and column (in characters) of the place, from 1; *bol is where the line begins. */
static void locate(
	const struct json_parser *p, size_t at, size_t *line, size_t *column, size_t *bol)
{
	*line = 1;
	*bol = 0;
	for (size_t i = 0; i < at; i++)
		if (p->text[i] == '\n') {
			(*line)++;
			*bol = i + 1;
		}
	*column = 1;
	for (size_t i = *bol; i < at; i++)
		*column += starts_char(p->text[i]);
}

/* The line around the place, cut when it is long, and a caret below the place. */
static void add_excerpt(struct mer_str *s, const struct json_parser *p, size_t at, size_t bol)
{
	size_t from = at, to = at, chars = 0;
	while (from > bol && chars < EXCERPT_BEFORE)
		chars += starts_char(p->text[--from]);
	bool cut_left = from > bol;
	while (to < p->len && p->text[to] != '\n' && chars < EXCERPT_CHARS)
		chars += starts_char(p->text[to++]);
	while (to < p->len && !starts_char(p->text[to]))
		to++;
	mer_str_puts(s, cut_left ? "\n..." : "\n");
	for (size_t i = from; i < to; i++)
		mer_str_putc(s, (unsigned char)p->text[i] < 0x20 ? ' ' : p->text[i]);
	if (to < p->len && p->text[to] != '\n')
		mer_str_puts(s, "...");
	mer_str_puts(s, cut_left ? "\n   " : "\n");
	for (size_t i = from; i < at; i++)
		if (starts_char(p->text[i]))
			mer_str_putc(s, ' ');
	mer_str_putc(s, '^');
}

static void add_name(struct mer_str *s, const char *text, size_t len)
{
	enum { SHOWN = 60 };
	size_t n = len > SHOWN ? SHOWN : len;
	while (n > 0 && n < len && !starts_char(text[n]))
		n--;
	for (size_t i = 0; i < n; i++)
		mer_str_putc(s, (unsigned char)text[i] < 0x20 ? ' ' : text[i]);
	if (n < len)
		mer_str_puts(s, "...");
}

/* " (in the payload of event record class `foo`, at `a/b`)" */
static void add_where(struct mer_str *s, const struct json_parser *p)
{
	if (!p->fragment)
		return;
	mer_str_puts(s, " (in ");
	if (p->scope < N_SCOPES && !p->checking_alias)
		mer_str_printf(s, "the %s of ", ctf_json_scope_names[p->scope]);
	mer_str_printf(s, "the %s", p->fragment);
	if (p->fragment_name && p->fragment_name->kind == MER_JSON_STRING) {
		mer_str_puts(s, " `");
		add_name(s, p->fragment_name->u.text, p->fragment_name->n);
		mer_str_puts(s, "`");
	} else if (p->fragment_name && p->fragment_name->kind == MER_JSON_UINT) {
		mer_str_printf(s, " %llu", (unsigned long long)p->fragment_name->u.number);
	}
	bool first = true;
	for (unsigned i = 0; i < p->depth && s->len < 500; i++) {
		const struct json_frame *f = &p->frames[i];
		const char *name = NULL;
		if (f->fc->kind == CTF_STRUCT && f->n < f->fc->u.record.n)
			name = f->fc->u.record.fields[f->n].name;
		if (!name)
			continue;
		mer_str_puts(s, first ? ", at `" : "/");
		add_name(s, name, strlen(name));
		first = false;
	}
	mer_str_puts(s, first ? ")" : "`)");
}

_Noreturn void ctf_json_error(struct json_parser *p, int code, size_t at, const char *fmt, ...)
{
	struct mer_str s = { 0 };
	size_t line, column, bol;
	char message[400];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	if (at > p->len)
		at = p->len;
	locate(p, at, &line, &column, &bol);
	mer_str_printf(&s, "%s:%zu:%zu: %s", p->path, line, column, message);
	add_where(&s, p);
	add_excerpt(&s, p, at, bol);
	bool failed = s.failed;
	if (!failed)
		p->code = mer_fail(p->err, code, "%s", s.data);
	mer_str_fini(&s);
	if (failed)
		ctf_json_nomem(p);
	longjmp(p->failed, 1);
}

void ctf_json_warn(struct json_parser *p, const char *code, size_t at, const char *fmt, ...)
{
	/* Finding the line costs a walk over the text; a hostile text may cause many warnings. */
	enum { ENOUGH = 100 };
	if (!p->diags || p->n_warnings++ >= ENOUGH)
		return;
	size_t line, column, bol;
	char message[400];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	locate(p, at, &line, &column, &bol);
	struct mer_diag where = { .severity = MER_WARNING,
		.code = code,
		.path = p->path,
		.stream = -1,
		.packet = -1,
		.offset_bits = -1 };
	mer_diag_add(p->diags, &where, "line %zu, column %zu: %s", line, column, message);
}

void *ctf_json_alloc(struct json_parser *p, size_t n, size_t bytes_each)
{
	void *m = mer_arena_zalloc(p->out, n, bytes_each);
	if (!m)
		ctf_json_nomem(p);
	return m;
}

void *ctf_json_grow(struct json_parser *p, void *list, size_t n, size_t *cap, size_t bytes_each)
{
	if (!mer_grow(&list, n, cap, bytes_each))
		ctf_json_nomem(p);
	return list;
}

const char *ctf_json_copy(struct json_parser *p, const char *text, size_t len, size_t at)
{
	if (len && memchr(text, 0, len))
		ctf_json_error(p, MER_ERR_INPUT, at, "a name or text with a NUL character");
	const char *copy = mer_arena_strndup(p->out, len ? text : "", len);
	if (!copy)
		ctf_json_nomem(p);
	return copy;
}

const char *ctf_json_copy_text(struct json_parser *p, const struct mer_json_value *string)
{
	return ctf_json_copy(p, string->u.text, string->n, string->at);
}

void ctf_json_expect(struct json_parser *p, const struct mer_json_value *v, enum mer_json_kind kind,
	const char *what)
{
	if (v->kind == kind)
		return;
	ctf_json_error(p, MER_ERR_INPUT, v->at, "%s: expected %s, found %s", what,
		mer_json_kind_name(kind), mer_json_kind_name(v->kind));
}

const struct mer_json_value *ctf_json_get(const struct mer_json_value *object, const char *key)
{
	const struct mer_json_member *m = mer_json_member(object, key);
	return m ? &m->value : NULL;
}

const struct mer_json_value *ctf_json_need(struct json_parser *p,
	const struct mer_json_value *object, const char *key, const char *what)
{
	const struct mer_json_value *v = ctf_json_get(object, key);
	if (!v)
		ctf_json_error(p, MER_ERR_INPUT, object->at, "%s: the property `%s` is missing",
			what, key);
	return v;
}

static const char *property(const char *key, char buf[80])
{
	snprintf(buf, 80, "property `%s`", key);
	return buf;
}

const struct mer_json_value *ctf_json_get_kind(struct json_parser *p,
	const struct mer_json_value *object, const char *key, enum mer_json_kind kind)
{
	char what[80];
	const struct mer_json_value *v = ctf_json_get(object, key);
	/* LTTng-tools writes null for an object without members. */
	if (v && v->kind == MER_JSON_NULL && kind == MER_JSON_OBJECT)
		return NULL;
	if (v)
		ctf_json_expect(p, v, kind, property(key, what));
	return v;
}

uint64_t ctf_json_get_uint(struct json_parser *p, const struct mer_json_value *object,
	const char *key, uint64_t fallback)
{
	const struct mer_json_value *v = ctf_json_get_kind(p, object, key, MER_JSON_UINT);
	return v ? v->u.number : fallback;
}

int64_t ctf_json_sint(struct json_parser *p, const struct mer_json_value *v, const char *what)
{
	if (v->kind != MER_JSON_INT && v->kind != MER_JSON_UINT)
		ctf_json_error(p, MER_ERR_INPUT, v->at, "%s: expected an integer, found %s", what,
			mer_json_kind_name(v->kind));
	if (v->kind == MER_JSON_UINT && v->u.number > INT64_MAX)
		ctf_json_error(p, MER_ERR_INPUT, v->at, "%s: %llu is greater than %lld", what,
			(unsigned long long)v->u.number, (long long)INT64_MAX);
	return (int64_t)v->u.number;
}

const char *ctf_json_get_text(
	struct json_parser *p, const struct mer_json_value *object, const char *key)
{
	const struct mer_json_value *v = ctf_json_get_kind(p, object, key, MER_JSON_STRING);
	return v ? ctf_json_copy_text(p, v) : NULL;
}

void ctf_json_uuid(struct json_parser *p, const struct mer_json_value *v, uint8_t uuid[16])
{
	if (v->kind != MER_JSON_ARRAY || v->n != 16)
		ctf_json_error(p, MER_ERR_INPUT, v->at,
			"property `uuid`: expected an array of 16 integers");
	for (unsigned i = 0; i < 16; i++) {
		const struct mer_json_value *b = &v->u.items[i];
		if (b->kind != MER_JSON_UINT || b->u.number > 255)
			ctf_json_error(p, MER_ERR_INPUT, b->at,
				"property `uuid`: expected an integer of 0 to 255");
		uuid[i] = (uint8_t)b->u.number;
	}
}

/* An extension may change how the trace is to be read, and none is known here. Those in use must
 * be declared by the preamble, where they are thus refused; one elsewhere is not allowed. */
static void refuse_extensions(struct json_parser *p, const struct mer_json_value *v)
{
	ctf_json_expect(p, v, MER_JSON_OBJECT, "property `extensions`");
	for (uint32_t i = 0; i < v->n; i++) {
		const struct mer_json_member *ns = &v->u.members[i];
		ctf_json_expect(p, &ns->value, MER_JSON_OBJECT, "an extension namespace");
		if (ns->value.n == 0)
			continue;
		const struct mer_json_member *m = &ns->value.u.members[0];
		ctf_json_error(p, MER_ERR_INPUT, m->key_at, "the extension `%.*s` of `%.*s` %s",
			(int)(m->key_len > 80 ? 80 : m->key_len), m->key,
			(int)(ns->key_len > 80 ? 80 : ns->key_len), ns->key,
			p->preamble_seen ? "is not declared in the preamble"
					 : "is not supported, so this trace cannot be decoded");
	}
}

static bool has_word(const char *words, const char *word, size_t len)
{
	for (const char *w = words; *w;) {
		size_t n = strcspn(w, " ");
		if (n == len && memcmp(w, word, len) == 0)
			return true;
		w += n;
		w += *w == ' ';
	}
	return false;
}

/* Is the edit distance between two keys (letters changed, inserted, left out) at most 2? */
static bool is_near(const char *a, size_t n, const char *b, size_t m)
{
	enum { LONGEST = 48, NEAR = 2 };
	unsigned row[LONGEST + 1];
	if (n > LONGEST || m > LONGEST)
		return false;
	for (size_t j = 0; j <= m; j++)
		row[j] = (unsigned)j;
	for (size_t i = 1; i <= n; i++) {
		unsigned corner = row[0];
		row[0] = (unsigned)i;
		for (size_t j = 1; j <= m; j++) {
			unsigned best = corner + (a[i - 1] != b[j - 1]);
			corner = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[m] <= NEAR;
}

/* The key in the list that the unknown key is, or is a misspelling of; *len: its length. NULL:
 * none. */
static const char *meant_by(const struct mer_json_member *m, const char *const *known, size_t *len)
{
	for (const char *const *k = known; *k; k++)
		for (const char *w = *k; *w; w += *len + (w[*len] == ' ')) {
			*len = strcspn(w, " ");
			if (is_near(m->key, m->key_len, w, *len))
				return w;
		}
	return NULL;
}

/* An unknown property may be a producer's addition, which a reader can ignore: unless it is a known
 * one misspelled, one of another kind of field class, or stands for fields: the rest would then be
 * misread. */
static void take_unknown(struct json_parser *p, const struct mer_json_member *m, const char *what,
	const char *const *known)
{
	static const char fields[] = "field-class";
	static const char *const layout[] = { "length length-field-location byte-order bit-order",
		"alignment minimum-alignment encoding mappings flags roles options",
		"member-classes selector-field-location selector-field-ranges", NULL };
	const size_t n = sizeof(fields) - 1;
	int shown = (int)(m->key_len > 80 ? 80 : m->key_len);
	size_t len;
	const char *meant = meant_by(m, known, &len);
	if (meant)
		ctf_json_error(p, MER_ERR_INPUT, m->key_at,
			"%s has no property `%.*s`; did you mean `%.*s`?", what, shown, m->key,
			(int)len, meant);
	bool has_fields = m->key_len >= n && memcmp(m->key + m->key_len - n, fields, n) == 0;
	if (has_fields || meant_by(m, layout, &len))
		ctf_json_error(p, MER_ERR_INPUT, m->key_at, "%s has no property `%.*s`", what,
			shown, m->key);
	if (!p->in_alias)
		ctf_json_warn(p, "unknown-property", m->key_at,
			"%s has no property `%.*s`; it is ignored", what, shown, m->key);
}

void ctf_json_check_keys(struct json_parser *p, const struct mer_json_value *object,
	const char *what, const char *const *known)
{
	for (uint32_t i = 0; i < object->n; i++) {
		const struct mer_json_member *m = &object->u.members[i];
		bool found =
			has_word("type attributes user-attributes extensions", m->key, m->key_len);
		for (const char *const *k = known; *k && !found; k++)
			found = has_word(*k, m->key, m->key_len);
		if (!found)
			take_unknown(p, m, what, known);
		if (has_word("attributes user-attributes", m->key, m->key_len))
			ctf_json_expect(p, &m->value, MER_JSON_OBJECT, "attributes");
		if (has_word("extensions", m->key, m->key_len))
			refuse_extensions(p, &m->value);
	}
}
