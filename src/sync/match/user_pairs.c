/* User pairs: the parser. Words separated by blanks; a line is a declaration. */
#include "sync/match/user_pairs.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/grow.h"
#include "trace/filter/filter.h"

struct parser {
	struct sync_user_pairs *out;
	const char *path, *line, *end, *at; /* line: its begin */
	uint32_t number, cap;
	struct mer_err *err;
};

struct word {
	const char *text;
	size_t len;
};

static int fail_at(struct parser *p, const char *at, const char *what)
{
	return mer_fail(p->err, MER_ERR_INPUT, "%s:%u:%zu: %s", p->path, (unsigned)p->number,
		(size_t)(at - p->line) + 1, what);
}

/* Length 0 at the end of the line. */
static struct word next_word(struct parser *p)
{
	while (p->at < p->end && (*p->at == ' ' || *p->at == '\t' || *p->at == '\r'))
		p->at++;
	struct word w = { p->at, 0 };
	if (p->at < p->end && *p->at == '#')
		return w;
	while (p->at < p->end && *p->at != ' ' && *p->at != '\t' && *p->at != '\r')
		p->at++;
	w.len = (size_t)(p->at - w.text);
	return w;
}

static bool is(struct word w, const char *text)
{
	return w.len == strlen(text) && memcmp(w.text, text, w.len) == 0;
}

static int copy_word(struct parser *p, struct word w, const char *missing, const char **copy)
{
	if (w.len == 0 || is(w, "->") || is(w, "key"))
		return fail_at(p, w.text, missing);
	*copy = mer_arena_strndup(&p->out->arena, w.text, w.len);
	return *copy ? 0 : mer_fail_nomem(p->err);
}

static int parse_path(struct parser *p, const char *at, size_t len, struct trace_path *path)
{
	const char *text = mer_arena_strndup(&p->out->arena, at, len);
	if (!text)
		return mer_fail_nomem(p->err);
	if (len == 0)
		return fail_at(p, at, "expected the name of a field");
	struct mer_err inner = { 0 };
	int rc = trace_path_parse(text, "key", &p->out->arena, path, &inner);
	if (rc == MER_ERR_NOMEM)
		return mer_fail_nomem(p->err);
	if (rc == 0)
		return 0;
	size_t column;
	const char *what = trace_filter_mistake(&inner, &column);
	return fail_at(p, at + (column < len ? column : 0), what);
}

/* FIELD or FIELD=FIELD */
static int parse_field(struct parser *p, struct sync_user_pair *pair, struct word w)
{
	if (pair->n_fields == SYNC_USER_MAX_FIELDS)
		return fail_at(p, w.text, "a key has at most 16 fields");
	const char *equal = memchr(w.text, '=', w.len), *end = w.text + w.len;
	const char *second = equal ? equal + 1 : w.text;
	int rc = parse_path(p, w.text, (size_t)((equal ? equal : end) - w.text),
		&pair->fields[true][pair->n_fields]);
	if (rc == 0)
		rc = parse_path(
			p, second, (size_t)(end - second), &pair->fields[false][pair->n_fields]);
	pair->n_fields++;
	return rc;
}

static int parse_pair(struct parser *p, struct sync_user_pair *pair)
{
	pair->line = p->number;
	for (int i = 0; i < 2; i++) {
		pair->fields[i] = mer_arena_zalloc(
			&p->out->arena, SYNC_USER_MAX_FIELDS, sizeof(*pair->fields[i]));
		if (!pair->fields[i])
			return mer_fail_nomem(p->err);
	}
	int rc = copy_word(p, next_word(p), "expected a name for the pair", &pair->name);
	if (rc)
		return rc;
	rc = copy_word(p, next_word(p), "expected the name of the send event", &pair->event[true]);
	if (rc)
		return rc;
	struct word w = next_word(p);
	if (!is(w, "->"))
		return fail_at(p, w.text, "expected -> and the name of the receive event");
	rc = copy_word(
		p, next_word(p), "expected the name of the receive event", &pair->event[false]);
	if (rc)
		return rc;
	w = next_word(p);
	if (!is(w, "key"))
		return fail_at(p, w.text, "expected key and the fields that identify a message");
	for (w = next_word(p); w.len && !is(w, "ordered"); w = next_word(p)) {
		rc = parse_field(p, pair, w);
		if (rc)
			return rc;
	}
	if (pair->n_fields == 0)
		return fail_at(p, w.text, "expected a field, or SEND-FIELD=RECEIVE-FIELD");
	if (w.len) {
		pair->is_ordered = true;
		w = next_word(p);
	}
	return w.len ? fail_at(p, w.text, "expected the end of the line after ordered") : 0;
}

static int add_pair(struct parser *p)
{
	struct sync_user_pairs *out = p->out;
	if (out->n == SYNC_USER_MAX_PAIRS)
		return fail_at(p, p->line, "more than 1000 pairs");
	if (!mer_grow32(&out->pairs, out->n, &p->cap, sizeof(*out->pairs)))
		return mer_fail_nomem(p->err);
	struct sync_user_pair *pair = &out->pairs[out->n];
	*pair = (struct sync_user_pair){ 0 };
	int rc = parse_pair(p, pair);
	if (rc)
		return rc;
	for (uint32_t i = 0; i < out->n; i++)
		if (strcmp(out->pairs[i].name, pair->name) == 0)
			return mer_fail(p->err, MER_ERR_INPUT,
				"%s:%u: the pair %s was declared before, in line %u", p->path,
				(unsigned)p->number, pair->name, (unsigned)out->pairs[i].line);
	out->n++;
	return 0;
}

int sync_user_pairs_parse(const char *text, size_t len, const char *path,
	struct sync_user_pairs **pairs, struct mer_err *err)
{
	struct sync_user_pairs *out = calloc(1, sizeof(*out));
	if (!out)
		return mer_fail_nomem(err);
	mer_arena_init(&out->arena);
	struct parser p = { .out = out, .path = path, .line = text, .err = err };
	const char *end = text + len;
	int rc = 0;
	while (rc == 0 && p.line < end) {
		const char *newline = memchr(p.line, '\n', (size_t)(end - p.line));
		p.end = newline ? newline : end;
		p.at = p.line;
		p.number++;
		struct word w = next_word(&p);
		if (memchr(p.line, '\0', (size_t)(p.end - p.line)))
			rc = fail_at(&p, p.line, "a NUL byte: this is not a text file");
		else if (is(w, "pair"))
			rc = add_pair(&p);
		else if (w.len)
			rc = fail_at(&p, w.text, "expected pair, or # and a comment");
		p.line = newline ? newline + 1 : end;
	}
	if (rc == 0 && out->n == 0)
		rc = mer_fail(err, MER_ERR_INPUT, "%s: no pairs are declared here", path);
	if (rc) {
		sync_user_pairs_free(out);
		return rc;
	}
	*pairs = out;
	return 0;
}

int sync_user_pairs_load(const char *path, struct sync_user_pairs **pairs, struct mer_err *err)
{
	struct mer_file f = { 0 };
	int rc = mer_file_open(&f, path, err);
	if (rc)
		return rc;
	rc = sync_user_pairs_parse((const char *)f.data, f.size, path, pairs, err);
	mer_file_close(&f);
	return rc;
}

void sync_user_pairs_free(struct sync_user_pairs *u)
{
	if (!u)
		return;
	free(u->pairs);
	mer_arena_fini(&u->arena);
	free(u);
}
