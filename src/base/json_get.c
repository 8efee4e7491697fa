#include "base/json_get.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct mer_json_value nothing; /* null; returned after a failure */
static const struct mer_json_value empty_object = { .kind = MER_JSON_OBJECT };
static const struct mer_json_value empty_array = { .kind = MER_JSON_ARRAY };

static void fail_at(struct mer_json_get *g, size_t at, const char *what)
{
	size_t line = 1, column = 1;
	for (size_t i = 0; i < at && i < g->len; i++) {
		column++;
		if (g->text[i] == '\n') {
			line++;
			column = 1;
		}
	}
	g->rc = mer_fail(g->err, MER_ERR_INPUT, "%s:%zu:%zu: %s", g->path, line, column, what);
}

void mer_json_get_fail(
	struct mer_json_get *g, const struct mer_json_value *at, const char *fmt, ...)
{
	char what[240];
	va_list ap;
	if (g->rc)
		return;
	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	fail_at(g, at->at, what);
}

void mer_json_get_nomem(struct mer_json_get *g)
{
	if (!g->rc)
		g->rc = mer_fail_nomem(g->err);
}

static void fail_kind(struct mer_json_get *g, const struct mer_json_value *v, const char *key,
	const char *expected)
{
	mer_json_get_fail(
		g, v, "'%s' must be %s, not %s", key, expected, mer_json_kind_name(v->kind));
}

void mer_json_get_root(struct mer_json_get *g, struct mer_arena *tree, struct mer_json_value *root)
{
	struct mer_json_reader r;
	*root = empty_object;
	if (g->len >= UINT32_MAX) {
		g->rc = mer_fail(g->err, MER_ERR_LIMIT, "%s: the file is too large", g->path);
		return;
	}
	mer_json_reader_init(&r, g->text, g->len, tree);
	int rc = mer_json_read(&r, root);
	if (rc == MER_ERR_NOMEM)
		mer_json_get_nomem(g);
	else if (rc)
		fail_at(g, r.err_at, r.err);
	for (size_t i = r.pos; !g->rc && i < g->len; i++)
		if (!g->text[i] || !strchr(" \t\r\n", g->text[i]))
			fail_at(g, i, "something follows the end");
	if (!g->rc && root->kind != MER_JSON_OBJECT)
		mer_json_get_fail(g, root, "an object is expected here, not %s",
			mer_json_kind_name(root->kind));
	mer_json_reader_fini(&r);
	if (g->rc)
		*root = empty_object;
}

static const struct mer_json_value *member(
	struct mer_json_get *g, const struct mer_json_value *object, const char *key)
{
	if (g->rc)
		return &nothing;
	const struct mer_json_member *m = mer_json_member(object, key);
	if (m)
		return &m->value;
	mer_json_get_fail(g, object, "'%s' is missing here", key);
	return &nothing;
}

const struct mer_json_value *mer_json_get_object(
	struct mer_json_get *g, const struct mer_json_value *object, const char *key)
{
	const struct mer_json_value *v = member(g, object, key);
	if (v->kind != MER_JSON_OBJECT)
		fail_kind(g, v, key, "an object");
	return g->rc ? &empty_object : v;
}

const struct mer_json_value *mer_json_get_array(
	struct mer_json_get *g, const struct mer_json_value *object, const char *key)
{
	const struct mer_json_value *v = member(g, object, key);
	if (v->kind != MER_JSON_ARRAY)
		fail_kind(g, v, key, "an array");
	return g->rc ? &empty_array : v;
}

const struct mer_json_value *mer_json_get_array_of(struct mer_json_get *g,
	const struct mer_json_value *object, const char *key, enum mer_json_kind kind)
{
	const struct mer_json_value *v = mer_json_get_array(g, object, key);
	for (uint32_t i = 0; i < v->n; i++)
		if (v->u.items[i].kind != kind)
			mer_json_get_fail(g, &v->u.items[i], "an item of '%s' must be %s, not %s",
				key, mer_json_kind_name(kind),
				mer_json_kind_name(v->u.items[i].kind));
	return g->rc ? &empty_array : v;
}

bool mer_json_get_bool(struct mer_json_get *g, const struct mer_json_value *object, const char *key)
{
	const struct mer_json_value *v = member(g, object, key);
	if (v->kind != MER_JSON_BOOL)
		fail_kind(g, v, key, "true or false");
	return !g->rc && v->u.truth;
}

int64_t mer_json_to_int(struct mer_json_get *g, const struct mer_json_value *v, const char *key)
{
	if (v->kind != MER_JSON_INT && (v->kind != MER_JSON_UINT || v->u.number > INT64_MAX))
		fail_kind(g, v, key, "an integer of 64 bits");
	return g->rc ? 0 : (int64_t)v->u.number;
}

int64_t mer_json_get_int(
	struct mer_json_get *g, const struct mer_json_value *object, const char *key)
{
	return mer_json_to_int(g, member(g, object, key), key);
}

int64_t mer_json_get_int_or(struct mer_json_get *g, const struct mer_json_value *object,
	const char *key, int64_t for_null)
{
	const struct mer_json_value *v = member(g, object, key);
	if (!g->rc && v->kind == MER_JSON_NULL)
		return for_null;
	return mer_json_to_int(g, v, key);
}

uint64_t mer_json_get_uint(
	struct mer_json_get *g, const struct mer_json_value *object, const char *key)
{
	const struct mer_json_value *v = member(g, object, key);
	if (v->kind != MER_JSON_UINT)
		fail_kind(g, v, key, "an integer that is not negative");
	return g->rc ? 0 : v->u.number;
}

double mer_json_get_real(
	struct mer_json_get *g, const struct mer_json_value *object, const char *key)
{
	const struct mer_json_value *v = member(g, object, key);
	double d = NAN;
	if (g->rc)
		return 0;
	switch (v->kind) {
	case MER_JSON_NULL: return NAN;
	case MER_JSON_UINT: return (double)v->u.number;
	case MER_JSON_INT: return (double)(int64_t)v->u.number;
	case MER_JSON_REAL: d = v->u.real; break;
	default: break;
	}
	if (!isfinite(d))
		fail_kind(g, v, key, "a number");
	return g->rc ? 0 : d;
}

const char *mer_json_get_text(struct mer_json_get *g, const struct mer_json_value *object,
	const char *key, bool or_null, struct mer_arena *arena)
{
	const struct mer_json_value *v = member(g, object, key);
	if (!g->rc && or_null && v->kind == MER_JSON_NULL)
		return NULL;
	if (v->kind != MER_JSON_STRING)
		fail_kind(g, v, key, "text");
	else if (memchr(v->u.text, 0, v->n))
		mer_json_get_fail(g, v, "'%s' has a zero byte", key);
	if (g->rc)
		return "";
	const char *text = mer_arena_strndup(arena, v->u.text, v->n);
	if (!text)
		mer_json_get_nomem(g);
	return text ? text : "";
}

unsigned mer_json_get_word(struct mer_json_get *g, const struct mer_json_value *object,
	const char *key, const char *(*name)(unsigned), unsigned n)
{
	const struct mer_json_value *v = member(g, object, key);
	if (v->kind != MER_JSON_STRING)
		fail_kind(g, v, key, "text");
	for (unsigned i = 0; !g->rc && i < n; i++)
		if (mer_json_is(v, name(i)))
			return i;
	mer_json_get_fail(g, v, "'%s' has a value that is not known", key);
	return 0;
}
