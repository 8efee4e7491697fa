/* Attributes: "name = value;" and what values mean. Knows nothing of types. */
#include "ctf/tsdl_type.h"

#include <string.h>

static bool at_word(const struct tsdl *t)
{
	return t->tok.kind == TOK_NAME || t->tok.kind == TOK_KEYWORD;
}

void tsdl_parse_name(struct tsdl *t, struct tsdl_name *name)
{
	name->start = t->tok.start;
	size_t used = 0;
	for (;;) {
		if (!at_word(t))
			tsdl_fail_expected(t, "the name of an attribute");
		if (used + t->tok.len + 2 < sizeof(name->text)) {
			memcpy(name->text + used, t->tok.start, t->tok.len);
			used += t->tok.len;
		} else {
			used = 0;
		}
		name->len = (size_t)(t->tok.start + t->tok.len - name->start);
		tsdl_next(t);
		if (!tsdl_accept_punct(t, '.'))
			break;
		name->text[used++] = '.';
	}
	name->text[used] = '\0';
}

bool tsdl_name_is(const struct tsdl_name *name, const char *word)
{
	return strcmp(name->text, word) == 0;
}

struct tsdl_value tsdl_parse_value(struct tsdl *t)
{
	struct tsdl_value v = { .start = t->tok.start };
	bool is_signed = false;
	while (tsdl_is_punct(t, '-') || tsdl_is_punct(t, '+')) {
		v.is_negative ^= t->tok.value == '-';
		is_signed = true;
		tsdl_next(t);
	}
	if (t->tok.kind == TOK_INT) {
		v.kind = VALUE_INT;
		v.magnitude = t->tok.value;
		tsdl_next(t);
		return v;
	}
	if (is_signed)
		tsdl_fail_expected(t, "a number");
	if (t->tok.kind == TOK_STRING || t->tok.kind == TOK_CHAR) {
		v.kind = VALUE_STRING;
		v.text = tsdl_unquote(t, &t->tok, &t->tmp, &v.len);
		tsdl_next(t);
		return v;
	}
	v.kind = VALUE_WORDS;
	v.text = t->tok.start;
	for (;;) {
		if (!at_word(t))
			tsdl_fail_expected(t, "a value");
		v.len = (size_t)(t->tok.start + t->tok.len - v.text);
		v.n_words++;
		tsdl_next(t);
		if (t->tok.kind == TOK_ARROW)
			tsdl_next(t);
		else if (!tsdl_accept_punct(t, '.'))
			return v;
	}
}

struct tsdl_value tsdl_parse_assigned(struct tsdl *t)
{
	if (t->tok.kind != TOK_ASSIGN)
		tsdl_fail_expected(t, "'='");
	tsdl_next(t);
	struct tsdl_value v = tsdl_parse_value(t);
	tsdl_expect_punct(t, ';');
	return v;
}

bool tsdl_value_is(const struct tsdl_value *v, const char *word)
{
	return v->kind == VALUE_WORDS && v->len == strlen(word) &&
	       memcmp(v->text, word, v->len) == 0;
}

uint64_t tsdl_value_unsigned(struct tsdl *t, const struct tsdl_value *v, const char *what)
{
	if (v->kind != VALUE_INT)
		tsdl_fail_at(t, MER_ERR_INPUT, v->start, "%s must be a number", what);
	if (v->is_negative && v->magnitude != 0)
		tsdl_fail_at(t, MER_ERR_INPUT, v->start, "%s must not be negative", what);
	return v->magnitude;
}

int64_t tsdl_value_signed(struct tsdl *t, const struct tsdl_value *v, const char *what)
{
	if (v->kind != VALUE_INT)
		tsdl_fail_at(t, MER_ERR_INPUT, v->start, "%s must be a number", what);
	if (v->magnitude > (uint64_t)INT64_MAX + v->is_negative)
		tsdl_fail_at(
			t, MER_ERR_INPUT, v->start, "%s does not fit in 64 bits with a sign", what);
	return v->is_negative ? (int64_t)(0 - v->magnitude) : (int64_t)v->magnitude;
}

bool tsdl_value_bool(struct tsdl *t, const struct tsdl_value *v)
{
	if (tsdl_value_is(v, "true") || tsdl_value_is(v, "TRUE"))
		return true;
	if (tsdl_value_is(v, "false") || tsdl_value_is(v, "FALSE"))
		return false;
	if (v->kind == VALUE_INT && v->magnitude <= 1 && !v->is_negative)
		return v->magnitude == 1;
	tsdl_fail_at(t, MER_ERR_INPUT, v->start, "expected true, false, 1 or 0");
}

uint32_t tsdl_value_align(struct tsdl *t, const struct tsdl_value *v)
{
	uint64_t bits = tsdl_value_unsigned(t, v, "an alignment");
	if (bits == 0 || (bits & (bits - 1)) != 0)
		tsdl_fail_at(t, MER_ERR_INPUT, v->start, "an alignment must be a power of two");
	if (bits > UINT32_C(1) << 31)
		tsdl_fail_at(
			t, MER_ERR_LIMIT, v->start, "no alignment above 2^31 bits can be read");
	return (uint32_t)bits;
}

int tsdl_value_byte_order(struct tsdl *t, const struct tsdl_value *v)
{
	if (tsdl_value_is(v, "le"))
		return CTF_LE;
	if (tsdl_value_is(v, "be") || tsdl_value_is(v, "network"))
		return CTF_BE;
	if (tsdl_value_is(v, "native"))
		return -1;
	tsdl_fail_at(t, MER_ERR_INPUT, v->start, "expected le, be, network or native");
}

void tsdl_value_uuid(struct tsdl *t, const struct tsdl_value *v, uint8_t uuid[16])
{
	if (v->kind != VALUE_STRING || !ctf_uuid_parse(v->text, v->len, uuid))
		tsdl_fail_at(t, MER_ERR_INPUT, v->start,
			"expected a UUID: \"xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx\"");
}

const char *tsdl_value_text(struct tsdl *t, const struct tsdl_value *v)
{
	if (v->kind == VALUE_INT)
		tsdl_fail_at(t, MER_ERR_INPUT, v->start, "expected a string");
	const char *s = mer_arena_strndup(t->arena, v->text, strnlen(v->text, v->len));
	if (!s)
		tsdl_fail_nomem(t);
	return s;
}

void tsdl_once(struct tsdl *t, uint32_t *given, unsigned bit, const struct tsdl_name *name)
{
	if (*given & 1U << bit)
		tsdl_fail_at(t, MER_ERR_INPUT, name->start, "%s is given twice", name->text);
	*given |= 1U << bit;
}
