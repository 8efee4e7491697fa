/* Marks: what the page shows as flags, and the file in which they are kept (session/marks.h).
 * Besides the cache, this is the only file that the server writes.
 *
 * A line is added or removed; everything else in the file, such as comments and times as somebody
 * typed them, stays as it is. The file is replaced as a whole, so nobody ever reads half of it. */
#include "session/marks.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ask/library/api.h"
#include "base/file.h"
#include "server/state.h"
#include "session/selection.h"

static const char HEAD[] = "begin\tend\ttext\n";

struct marks_file {
	char *path;	       /* malloc'ed */
	struct mer_file bytes; /* empty: the file does not exist */
	struct session_marks marks;
};

static void close_marks(struct marks_file *f)
{
	session_marks_fini(&f->marks);
	mer_file_close(&f->bytes);
	free(f->path);
}

/* Call close_marks afterwards, also after an error. */
static int open_marks(struct server *s, struct marks_file *f, struct mer_err *err)
{
	*f = (struct marks_file){ 0 };
	f->path = session_marks_path(
		s->o.paths, s->o.n_paths, s->o.session->cache_folder, false, err);
	if (!f->path)
		return MER_ERR_USAGE;
	if (access(f->path, F_OK) != 0)
		return 0;
	int rc = mer_file_open(&f->bytes, f->path, err);
	if (rc)
		return rc;
	return session_marks_parse(
		&f->marks, f->path, (const char *)f->bytes.data, f->bytes.size, err);
}

/* ---- Reading ---- */

/* Resolves the times of a mark. false: they do not fit these traces (an unknown host, for example),
 * and the mark is left out. */
static bool find_window(
	const struct session *session, const struct session_mark *k, int64_t *begin, int64_t *end)
{
	struct session_selection of = { .begin = k->begin };
	struct session_window w;
	struct mer_err why = { 0 };
	if (!k->is_moment)
		of.end = k->end;
	if (session_window(session, &of, &w, &why))
		return false;
	*begin = w.begin;
	*end = k->is_moment ? w.begin : w.end;
	return true;
}

static void each(
	const struct marks_file *f, const struct session *session, server_mark_fn *fn, void *ctx)
{
	int64_t begin, end;
	for (size_t i = 0; i < f->marks.n; i++)
		if (find_window(session, &f->marks.all[i], &begin, &end))
			fn(ctx, f->marks.all[i].line, f->marks.all[i].text, begin, end);
}

int server_marks_each(struct server *s, const struct session *session, server_mark_fn *fn,
	void *ctx, struct mer_err *err)
{
	struct marks_file f;
	int rc = open_marks(s, &f, err);
	if (rc == 0)
		each(&f, session, fn, ctx);
	close_marks(&f);
	return rc;
}

static void put_mark(void *ctx, unsigned line, const char *text, int64_t begin, int64_t end)
{
	struct mer_json *j = ctx;
	mer_json_begin_object(j);
	mer_json_kv_uint(j, "line", line);
	mer_json_kv_int(j, "begin", begin);
	mer_json_kv_int(j, "end", end);
	mer_json_kv_text(j, "text", text);
	mer_json_end_object(j);
}

static int put_marks(
	struct server *s, const struct server_traces *t, struct http_answer *a, struct mer_err *err)
{
	struct marks_file f;
	struct mer_json j;
	int rc = open_marks(s, &f, err);
	if (rc == 0) {
		mer_json_init(&j, &a->body, NULL, 0);
		mer_json_begin_object(&j);
		mer_json_kv_text(&j, "file", f.path);
		mer_json_kv_array(&j, "marks");
		each(&f, api_session(t->session), put_mark, &j);
		mer_json_end_array(&j);
		mer_json_end_object(&j);
		rc = mer_json_finish(&j, err);
	}
	close_marks(&f);
	return rc;
}

/* ---- Changes ---- */

/* Replaces the marks file of these traces by the parts, one after the other. */
static int write_marks(
	struct server *s, const struct mer_bytes *parts, size_t n, struct mer_err *err)
{
	struct stat old;
	char *path =
		session_marks_path(s->o.paths, s->o.n_paths, s->o.session->cache_folder, true, err);
	if (!path)
		return MER_ERR_USAGE;
	bool was_there = stat(path, &old) == 0;
	int rc = mer_file_replace(path, parts, n) ? 0 : mer_fail_errno(err, "write", path);
	/* Readable for others, as the traces are. */
	if (rc == 0 && chmod(path, was_there ? old.st_mode & 0777 : 0644) != 0)
		rc = mer_fail_errno(err, "set the mode of", path);
	free(path);
	return rc;
}

/* Writes what is left after a removal. If that is nothing but the header line that this server
 * writes, the file is deleted. */
static int write_rest(
	struct server *s, const char *path, const struct mer_bytes *rest, struct mer_err *err)
{
	size_t n = sizeof(HEAD) - 1;
	bool is_head = rest[0].n + rest[1].n == n && rest[0].n <= n &&
		       memcmp(rest[0].bytes, HEAD, rest[0].n) == 0 &&
		       memcmp(rest[1].bytes, HEAD + rest[0].n, rest[1].n) == 0;
	if (is_head && unlink(path) == 0)
		return 0;
	return write_marks(s, rest, 2, err);
}

/* Checks that the text is exactly one mark, with or without a newline, and parses it into *one. */
static int check_line(const char *line, size_t n, struct session_marks *one, struct mer_err *err)
{
	static const char form[] = "a mark is one line: begin, end and text with tabs between";
	*one = (struct session_marks){ 0 };
	if (n && line[n - 1] == '\n')
		n--;
	if (!n || memchr(line, '\n', n) || memchr(line, '\r', n))
		return mer_fail(err, MER_ERR_USAGE, form);
	int rc = session_marks_parse(one, "mark", line, n, err);
	return rc == 0 && one->n != 1 ? mer_fail(err, MER_ERR_USAGE, form) : rc;
}

int server_marks_add_line(struct server *s, const char *line, size_t len, struct mer_err *err)
{
	struct session_marks one;
	struct marks_file f = { 0 };
	int rc = check_line(line, len, &one, err);
	if (rc == 0)
		rc = open_marks(s, &f, err);
	if (rc == 0 && f.marks.n >= SESSION_MAX_MARKS)
		rc = mer_fail(err, MER_ERR_USAGE, "there are %d marks already: remove some",
			SESSION_MAX_MARKS);
	size_t n = f.bytes.size;
	const char *bytes = (const char *)f.bytes.data;
	bool is_open = n && bytes[n - 1] != '\n', has_end = len && line[len - 1] == '\n';
	if (rc == 0 && n + len + sizeof(HEAD) > SESSION_MAX_MARKS_BYTES)
		rc = mer_fail(err, MER_ERR_USAGE, "the file of marks is full: remove some");
	if (rc == 0)
		rc = write_marks(s,
			(const struct mer_bytes[]){ { n ? bytes : HEAD, n ? n : sizeof(HEAD) - 1 },
				{ "\n", is_open }, { line, len }, { "\n", !has_end } },
			4, err);
	session_marks_fini(&one);
	close_marks(&f);
	return rc;
}

static int add_mark(struct server *s, const struct http_request *r, struct mer_err *err)
{
	return server_marks_add_line(s, r->body, r->body_len, err);
}

/* Finds the line that the client saw; the file may have changed since. */
static const struct session_mark *find_mark(
	const struct session_marks *m, unsigned long number, const char *text)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->all[i].line == number && strcmp(m->all[i].text, text) == 0)
			return &m->all[i];
	return NULL;
}

int server_marks_remove_line(
	struct server *s, unsigned long line, const char *text, struct mer_err *err)
{
	struct marks_file f;
	int rc = open_marks(s, &f, err);
	const struct session_mark *k = rc ? NULL : find_mark(&f.marks, line, text);
	if (rc == 0 && !k)
		rc = mer_fail(err, MER_ERR_USAGE,
			"there is no such mark any more; reload the page to see what there is");
	if (rc == 0) {
		const char *bytes = (const char *)f.bytes.data, *all = bytes + f.bytes.size;
		const char *from = bytes, *to;
		for (unsigned at = 1; at < k->line; at++)
			from = (const char *)memchr(from, '\n', (size_t)(all - from)) + 1;
		to = memchr(from, '\n', (size_t)(all - from));
		to = to ? to + 1 : all;
		const struct mer_bytes rest[] = { { bytes, (size_t)(from - bytes) },
			{ to, (size_t)(all - to) } };
		rc = write_rest(s, f.path, rest, err);
	}
	close_marks(&f);
	return rc;
}

static int remove_mark(struct server *s, const struct http_request *r, struct mer_err *err)
{
	const char *line = http_argument(r, "line"), *text = http_argument(r, "text");
	char *end = NULL;
	unsigned long number = line ? strtoul(line, &end, 10) : 0;
	return server_marks_remove_line(s, end && !*end ? number : 0, text ? text : "", err);
}

/* ---- Requests ---- */

typedef int change_fn(struct server *s, const struct http_request *r, struct mer_err *err);

/* Makes the change, if any, then answers with all marks. Changes are serialized by the use of the
 * traces. */
static void answer(
	struct server *s, const struct http_request *r, change_fn *change, struct http_answer *a)
{
	struct mer_err err = { 0 };
	enum server_clocks clocks = change ? SERVER_CLOCKS_ALIGNED : server_clocks_of(r);
	struct server_traces *t = server_traces_use(s, clocks, a);
	if (!t)
		return;
	int rc = change ? change(s, r, &err) : 0;
	if (rc == 0)
		rc = put_marks(s, t, a, &err);
	server_traces_done(t);
	a->status = 200;
	a->type = "application/json";
	if (rc)
		server_refuse_err(a, rc, err.text);
}

void server_marks(struct server *s, const struct http_request *r, struct http_answer *a)
{
	answer(s, r, NULL, a);
}

void server_marks_add(struct server *s, const struct http_request *r, struct http_answer *a)
{
	answer(s, r, add_mark, a);
}

void server_marks_remove(struct server *s, const struct http_request *r, struct http_answer *a)
{
	answer(s, r, remove_mark, a);
}
