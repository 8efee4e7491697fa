/* Bookmarks: the marks of the traces (server/marks.c), so what a viewer adds is on the page, too.
 *
 * A bookmark's UUID is made of its line number and a hash of its text and times, so that it does
 * not name another mark after somebody else has changed the file. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "ask/library/api.h"
#include "base/map.h"
#include "server/tsp/tsp.h"

struct bookmark {
	char uuid[40];
	unsigned line;
	const char *text;
	int64_t begin, end;
};

static struct bookmark bookmark_of(unsigned line, const char *text, int64_t begin, int64_t end)
{
	struct bookmark b = { .line = line, .text = text, .begin = begin, .end = end };
	const uint64_t parts[] = { mer_hash(text, strlen(text)), (uint64_t)begin, (uint64_t)end };
	snprintf(b.uuid, sizeof(b.uuid), "%08" PRIx32 "-0000-4000-8000-%012u",
		(uint32_t)mer_hash(parts, sizeof(parts)), line);
	return b;
}

static void put(struct mer_json *j, const struct bookmark *b)
{
	mer_json_begin_object(j);
	mer_json_kv_text(j, "uuid", b->uuid);
	mer_json_kv_text(j, "UUID", b->uuid); /* some clients read this one */
	mer_json_kv_text(j, "name", b->text);
	mer_json_kv_int(j, "start", b->begin);
	mer_json_kv_int(j, "end", b->end);
	mer_json_end_object(j);
}

static void put_one(void *ctx, unsigned line, const char *text, int64_t begin, int64_t end)
{
	struct tsp *t = ctx;
	struct bookmark b = bookmark_of(line, text, begin, end);
	put(&t->j, &b);
}

/* ---- With the aligned traces in use, so that the times of marks can be resolved ---- */

typedef int with_traces(
	struct tsp *t, const struct session *session, void *ctx, struct mer_err *err);

static int use(struct tsp *t, with_traces *fn, void *ctx, struct mer_err *err)
{
	struct http_answer refusal = { 0 };
	struct server_traces *traces = server_traces_use(t->s, SERVER_CLOCKS_ALIGNED, &refusal);
	t->status = traces ? 0 : refusal.status;
	int rc = traces ? fn(t, api_session(traces->session), ctx, err)
			: mer_fail(err, MER_ERR_USAGE, "the traces are still being read");
	if (traces)
		server_traces_done(traces);
	mer_str_fini(&refusal.body);
	return rc;
}

/* If the marks file cannot be read, the list is empty: the page and `--marks` report the error. */
static int list(struct tsp *t, const struct session *session, void *ctx, struct mer_err *err)
{
	struct mer_err why = { 0 };
	(void)ctx;
	(void)err;
	server_marks_each(t->s, session, put_one, t, &why);
	return 0;
}

int tsp_bookmarks(struct tsp *t, struct mer_err *err)
{
	mer_json_begin_array(&t->j);
	/* While the traces are read there are none yet. */
	if (use(t, list, NULL, err))
		t->status = 0;
	mer_json_end_array(&t->j);
	return 0;
}

struct search {
	struct tsp *t;
	const char *uuid; /* NULL: the last one */
	bool found;
	struct bookmark b; /* text in the arena */
};

static void look(void *ctx, unsigned line, const char *text, int64_t begin, int64_t end)
{
	struct search *x = ctx;
	struct bookmark b = bookmark_of(line, text, begin, end);
	if (x->uuid ? strcmp(b.uuid, x->uuid) != 0 : x->found && line < x->b.line)
		return;
	b.text = mer_arena_strdup(&x->t->arena, text);
	x->found = b.text != NULL;
	x->b = b;
}

static int find(struct tsp *t, const struct session *session, struct search *x, struct mer_err *err)
{
	int rc = server_marks_each(t->s, session, look, x, err);
	return rc || x->found ? rc : tsp_not_there(t, err, "there is no such bookmark (any more)");
}

static int show(struct tsp *t, const struct session *session, void *ctx, struct mer_err *err)
{
	struct search x = { .t = t, .uuid = t->m.words[1] };
	int rc = find(t, session, &x, err);
	(void)ctx;
	if (rc == 0)
		put(&t->j, &x.b);
	return rc;
}

int tsp_bookmark(struct tsp *t, struct mer_err *err)
{
	return use(t, show, NULL, err);
}

/* ---- Changes ---- */

/* The line of a mark, as docs/marks.md has it. */
static int line_of(struct tsp *t, struct mer_str *line, struct mer_err *err)
{
	const struct tsp_query *q = &t->q;
	if (!q->name || !q->has_start || (q->has_end && q->end_time < q->start_time))
		return mer_fail(err, MER_ERR_USAGE,
			"a bookmark has a name, a start and an end, ns since 1970, the end not before the start");
	if (!*q->name || strpbrk(q->name, "\t\r\n"))
		return mer_fail(err, MER_ERR_USAGE,
			"the name of a bookmark is one line without tabs, and not empty");
	mer_str_printf(line, "%" PRId64 "\t", q->start_time);
	if (q->has_end && q->end_time > q->start_time)
		mer_str_printf(line, "%" PRId64, q->end_time);
	mer_str_printf(line, "\t%s\n", q->name);
	return line->failed ? mer_fail_nomem(err) : 0;
}

static int add(struct tsp *t, const struct session *session, void *ctx, struct mer_err *err)
{
	const struct mer_str *line = ctx;
	struct search x = { .t = t };
	int rc = server_marks_add_line(t->s, line->data, line->len, err);
	if (rc == 0)
		rc = find(t, session, &x, err);
	if (rc == 0)
		put(&t->j, &x.b);
	return rc;
}

static int change(struct tsp *t, with_traces *fn, struct mer_err *err)
{
	struct mer_str line = { 0 };
	int rc = line_of(t, &line, err);
	if (rc == 0)
		rc = use(t, fn, &line, err);
	mer_str_fini(&line);
	return rc;
}

int tsp_make_bookmark(struct tsp *t, struct mer_err *err)
{
	return change(t, add, err);
}

static int drop(struct tsp *t, const struct session *session, void *ctx, struct mer_err *err)
{
	struct search x = { .t = t, .uuid = t->m.words[1] };
	int rc = find(t, session, &x, err);
	(void)ctx;
	if (rc == 0)
		rc = server_marks_remove_line(t->s, x.b.line, x.b.text, err);
	if (rc == 0)
		put(&t->j, &x.b);
	return rc;
}

/* Adds the new line at the end of the file, then removes the old one. If the new line is not a
 * mark, the old one stays. */
static int replace(struct tsp *t, const struct session *session, void *ctx, struct mer_err *err)
{
	const struct mer_str *line = ctx;
	struct search old = { .t = t, .uuid = t->m.words[1] }, made = { .t = t };
	int rc = find(t, session, &old, err);
	if (rc == 0)
		rc = server_marks_add_line(t->s, line->data, line->len, err);
	if (rc == 0)
		rc = server_marks_remove_line(t->s, old.b.line, old.b.text, err);
	if (rc == 0)
		rc = find(t, session, &made, err);
	if (rc == 0)
		put(&t->j, &made.b);
	return rc;
}

int tsp_change_bookmark(struct tsp *t, struct mer_err *err)
{
	return change(t, replace, err);
}

int tsp_drop_bookmark(struct tsp *t, struct mer_err *err)
{
	return use(t, drop, NULL, err);
}
