#include "session/marks.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/safe_text.h"
#include "base/str.h"
#include "store/cache.h"

/* ---- Lines ---- */

struct line {
	const char *name; /* of the file */
	unsigned number;
};

static int wrong(const struct line *at, struct mer_err *err, const char *what)
{
	return mer_fail(err, MER_ERR_USAGE, "%s:%u: %s", at->name, at->number, what);
}

static int read_moment(struct session_marks *m, const struct line *at, const char *s, size_t len,
	struct session_moment *to, struct mer_err *err)
{
	enum { MAX_TIME = 200 };
	struct mer_err why = { 0 };
	if (!len || len > MAX_TIME)
		return wrong(at, err,
			len ? "this is too long for a time"
			    : "no time before the first tab; a line is BEGIN, END and TEXT with tabs between");
	const char *text = mer_arena_strndup(&m->arena, s, len);
	if (!text)
		return mer_fail_nomem(err);
	int rc = session_moment_parse(to, text, &why);
	return rc ? mer_fail(err, rc, "%s:%u: %s", at->name, at->number, why.text) : 0;
}

/* Tabs separate fields, and nothing else that a terminal obeys has a place here: what a line shows
 * is what it says. */
static bool is_text(const char *s, size_t len)
{
	for (size_t i = 0, n; i < len; i += n) {
		n = s[i] == '\t' ? 1 : mer_safe_length(s + i, len - i);
		if (!n)
			return false;
	}
	return true;
}

static bool is_head(const char *s, size_t len)
{
	static const char head[] = "begin\tend\ttext";
	return len == sizeof(head) - 1 && memcmp(s, head, len) == 0;
}

static int read_line(struct session_marks *m, const struct line *at, const char *s, size_t len,
	struct mer_err *err)
{
	struct session_mark *k = &m->all[m->n];
	if (!len || s[0] == '#' || (at->number == 1 && is_head(s, len)))
		return 0;
	if (!is_text(s, len))
		return wrong(at, err,
			"control characters, or bytes that are no UTF-8; a line is BEGIN, END and TEXT with tabs between");
	if (m->n == SESSION_MAX_MARKS)
		return mer_fail(err, MER_ERR_USAGE, "%s:%u: more than %d marks; split the file",
			at->name, at->number, SESSION_MAX_MARKS);
	const char *end = s + len, *tab = memchr(s, '\t', len);
	const char *second = tab ? tab + 1 : end;
	const char *tab2 = memchr(second, '\t', (size_t)(end - second));
	const char *text = tab2 ? tab2 + 1 : end;
	size_t begin_len = (size_t)((tab ? tab : end) - s);
	size_t end_len = (size_t)((tab2 ? tab2 : end) - second);
	if ((size_t)(end - text) > SESSION_MAX_MARK_TEXT)
		return mer_fail(err, MER_ERR_USAGE, "%s:%u: the text is longer than %d bytes",
			at->name, at->number, SESSION_MAX_MARK_TEXT);
	*k = (struct session_mark){ .line = at->number };
	int rc = read_moment(m, at, s, begin_len, &k->begin, err);
	if (rc == 0 && end_len)
		rc = read_moment(m, at, second, end_len, &k->end, err);
	else
		k->end = k->begin;
	if (rc)
		return rc;
	bool is_one_kind = k->begin.kind == k->end.kind && k->begin.kind != SESSION_MOMENT_ON_HOST;
	k->is_moment =
		is_one_kind ? k->begin.ns == k->end.ns : strcmp(k->begin.text, k->end.text) == 0;
	/* A time of day may be that of the next day. */
	if (is_one_kind && k->begin.kind != SESSION_MOMENT_DAY && k->end.ns < k->begin.ns)
		return wrong(at, err, "the mark ends before it begins; exchange the two times");
	k->text = mer_arena_strndup(&m->arena, text, (size_t)(end - text));
	if (!k->text)
		return mer_fail_nomem(err);
	m->n++;
	return 0;
}

int session_marks_parse(
	struct session_marks *m, const char *name, const char *bytes, size_t n, struct mer_err *err)
{
	static const char byte_order_mark[] = "\xef\xbb\xbf";
	struct line at = { .name = name };
	*m = (struct session_marks){ 0 };
	mer_arena_init(&m->arena);
	if (n > SESSION_MAX_MARKS_BYTES)
		return mer_fail(err, MER_ERR_USAGE,
			"%s: %zu bytes are no file of marks: it has at most %d", name, n,
			SESSION_MAX_MARKS_BYTES);
	m->all = mer_arena_zalloc(&m->arena, SESSION_MAX_MARKS + 1, sizeof(*m->all));
	if (!m->all)
		return mer_fail_nomem(err);
	if (n >= 3 && memcmp(bytes, byte_order_mark, 3) == 0) {
		bytes += 3;
		n -= 3;
	}
	int rc = 0;
	for (size_t from = 0; from < n && rc == 0;) {
		const char *end = memchr(bytes + from, '\n', n - from);
		size_t len = end ? (size_t)(end - bytes) - from : n - from;
		at.number++;
		bool has_return = len && bytes[from + len - 1] == '\r';
		rc = read_line(m, &at, bytes + from, len - has_return, err);
		from += len + 1;
	}
	return rc;
}

int session_marks_read(struct session_marks *m, const char *path, struct mer_err *err)
{
	struct mer_file f;
	*m = (struct session_marks){ 0 };
	int rc = mer_file_open(&f, path, err);
	if (rc)
		return rc;
	rc = session_marks_parse(m, path, (const char *)f.data, f.size, err);
	mer_file_close(&f);
	return rc;
}

void session_marks_fini(struct session_marks *m)
{
	mer_arena_fini(&m->arena);
	*m = (struct session_marks){ 0 };
}

/* ---- The file of traces ---- */

static void cut_name(char *path)
{
	char *slash = strrchr(path, '/');
	if (slash)
		slash[slash == path] = '\0';
}

/* The folder that marks of this trace lie in: that around a trace, or the one that was named and
 * has several. Without links. */
static bool folder_of(const char *trace, bool is_only, char *folder)
{
	char inner[PATH_MAX + 16];
	if (!realpath(trace, folder))
		return false;
	struct stat st;
	if (stat(folder, &st) == 0 && S_ISREG(st.st_mode)) /* its metadata */
		cut_name(folder);
	snprintf(inner, sizeof(inner), "%s/metadata", folder);
	if (!is_only || access(inner, F_OK) == 0)
		cut_name(folder);
	return true;
}

/* False: they have none in common. */
static bool folder_of_all(const char *const *traces, size_t n, char *folder)
{
	char other[PATH_MAX];
	if (!n || !folder_of(traces[0], n == 1, folder))
		return false;
	for (size_t i = 1; i < n; i++)
		if (!folder_of(traces[i], false, other) || strcmp(folder, other) != 0)
			return false;
	return true;
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* By where the traces are, in any order; malloc'ed. */
static char *cached_path(const char *const *traces, size_t n, const char *cache)
{
	struct store_key k = { { 0 } };
	struct mer_str s = { 0 };
	char **paths = calloc(n + 1, sizeof(*paths));
	if (!paths)
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (!(paths[i] = realpath(traces[i], NULL)))
			paths[i] = strdup(traces[i]);
	bool ok = true;
	for (size_t i = 0; i < n; i++)
		ok &= paths[i] != NULL;
	if (ok)
		qsort(paths, n, sizeof(*paths), compare);
	for (size_t i = 0; ok && i < n; i++)
		store_key_mix(&k, paths[i], strlen(paths[i]) + 1);
	for (size_t i = 0; i < n; i++)
		free(paths[i]);
	free(paths);
	mer_str_printf(
		&s, "%s/marks-%016" PRIx64 "%016" PRIx64 ".tsv", cache, k.hash[0], k.hash[1]);
	if (ok && !s.failed)
		return s.data;
	mer_str_fini(&s);
	return NULL;
}

char *session_marks_path(
	const char *const *traces, size_t n, const char *cache, bool to_write, struct mer_err *err)
{
	static const char name[] = "/marks.tsv";
	char folder[PATH_MAX];
	bool has_folder = folder_of_all(traces, n, folder);
	bool is_writable = has_folder && access(folder, W_OK) == 0;
	char *beside = has_folder ? malloc(strlen(folder) + sizeof(name)) : NULL;
	char *cached = cache ? cached_path(traces, n, cache) : NULL;
	if ((has_folder && !beside) || (cache && !cached)) {
		free(beside);
		free(cached);
		mer_fail_nomem(err);
		return NULL;
	}
	if (beside) {
		strcpy(beside, folder);
		strcat(beside, name);
	}
	bool is_there = beside && access(beside, F_OK) == 0;
	bool is_cached = cached && access(cached, F_OK) == 0;
	bool takes_cached = to_write ? !is_writable : is_cached && !(is_there && is_writable);
	if (!is_writable && !is_there && !beside)
		takes_cached = true;
	char *path = takes_cached ? cached : beside;
	free(takes_cached ? beside : cached);
	if (!path)
		mer_fail(err, MER_ERR_USAGE,
			"no folder for the marks of these traces: they lie in no folder of their own that can be written, and there is no cache; set HOME or XDG_CACHE_HOME");
	return path;
}
