#include "ask/marks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/json.h"
#include "base/plural.h"
#include "ask/period.h"
#include "ask/program.h"
#include "ask/session.h"
#include "ask/print/text.h"
#include "ask/verb.h"
#include "session/marks.h"

/* ---- Lines with the name of the mark ---- */

struct naming {
	FILE *to;
	bool is_csv;
	struct mer_str name; /* as a field of CSV, or as a key and value of JSON */
	struct mer_str line; /* what came of it so far */
	struct mer_str head; /* of the table before, also of another mark; CSV */
	bool in_table, began;
	bool failed;
};

/* Tables of the same columns are one table. */
static void put_head(struct naming *w, const char *s, size_t len)
{
	w->in_table = true;
	if (w->began && w->head.len == len && memcmp(w->head.data, s, len) == 0)
		return;
	if (w->began)
		fputc('\n', w->to);
	fputs("mark,", w->to);
	fwrite(s, 1, len, w->to);
	mer_str_clear(&w->head);
	mer_str_add(&w->head, s, len);
	w->began = true;
}

static void put_line(struct naming *w, const char *s, size_t len)
{
	bool is_empty = len == 1 && s[0] == '\n';
	if (w->is_csv && is_empty) {
		w->in_table = false; /* another one follows */
	} else if (w->is_csv && !w->in_table) {
		put_head(w, s, len);
	} else if (w->is_csv) {
		fprintf(w->to, "%s,", w->name.data);
		fwrite(s, 1, len, w->to);
	} else if (len > 1 && s[0] == '{') {
		bool has_keys = s[1] != '}';
		fprintf(w->to, "{%s%s", w->name.data, has_keys ? "," : "");
		fwrite(s + 1, 1, len - 1, w->to);
	} else {
		fwrite(s, 1, len, w->to);
	}
}

static ssize_t on_write(void *cookie, const char *s, size_t len)
{
	struct naming *w = cookie;
	for (size_t i = 0, n; i < len; i += n) {
		const char *end = memchr(s + i, '\n', len - i);
		n = end ? (size_t)(end - s) - i + 1 : len - i;
		mer_str_add(&w->line, s + i, n);
		if (!end || w->line.failed)
			continue;
		put_line(w, w->line.data, w->line.len);
		mer_str_clear(&w->line);
	}
	w->failed |= w->line.failed || w->head.failed || ferror(w->to);
	if (!w->failed)
		return (ssize_t)len;
	errno = EIO;
	return 0;
}

/* ---- One mark ---- */

struct marked {
	struct ask *ask;
	const void *values;
	const char *file; /* of the marks */
	struct session_marks marks;
	struct naming naming;
	size_t n_run;
};

/* What a verb may change. */
struct kept {
	struct session_selection select;
	const char **args;
	size_t n_args;
};

/* "FILE:3 (rush hour)" */
static const char *place_of(struct marked *x, const struct session_mark *k)
{
	const char *place = mer_arena_printf(&x->ask->arena, "%s:%u%s%.80s%s", x->file, k->line,
		k->text[0] ? " (" : "", k->text, k->text[0] ? ")" : "");
	return place ? place : x->file;
}

/* As the command line would say it: however near to 1970 it is. */
static int set_moment(struct ask *ask, struct session_moment *m, int64_t ns)
{
	const char *text = mer_arena_printf(
		&ask->arena, "@%" PRId64 ".%09" PRId64, ns / NS_PER_S, ns % NS_PER_S);
	*m = (struct session_moment){ SESSION_MOMENT_ABSOLUTE, ns, text };
	return text ? 0 : mer_fail_nomem(&ask->err);
}

/* The window of a mark, in the traces; false: nothing is to be printed of it. */
static int find_window(struct marked *x, struct session *s, const struct session_mark *k,
	struct session_window *w, bool *is_in)
{
	struct ask *ask = x->ask;
	const struct mer_experiment *e = session_experiment(s);
	struct session_selection of = { .begin = k->begin, .end = k->end };
	struct mer_err why = { 0 };
	*is_in = false;
	int rc = session_window(s, &of, w, &why);
	if (rc) /* by the place in the file, not by an option */
		return mer_fail(&ask->err, rc, "%s: %s", place_of(x, k), why.text);
	if (w->begin > e->end || w->end <= e->begin || w->begin < 0) {
		struct mer_str span = { 0 };
		ask_text_time(&span, e->begin);
		mer_str_puts(&span, " to ");
		ask_text_time(&span, e->end);
		ask_warn(ask, "%s: outside of the recording, which is from %s; it is left out",
			place_of(x, k), span.data ? span.data : "?");
		mer_str_fini(&span);
		return 0;
	}
	*is_in = true;
	return 0;
}

static int put_heading(struct marked *x, const char *name, const struct session_window *w)
{
	struct mer_str title = { 0 }, line = { 0 };
	mer_str_puts(&line, x->n_run ? "\n" : "");
	mer_str_puts(&title, "Mark: ");
	ask_text_clean(&title, name, strlen(name), false);
	if (title.data && !title.failed)
		ask_heading_text(x->ask, title.data, NULL, w->begin, w->end, &line);
	mer_str_puts(&line, "\n");
	line.failed |= title.failed;
	mer_str_fini(&title);
	return ask_put(x->ask, &line, 0);
}

static void put_json(struct marked *x, const char *name, const struct session_window *w)
{
	struct mer_str s = { 0 };
	mer_json_quote(&s, name, strlen(name));
	fprintf(x->ask->out,
		"%s{ \"mark\": %s, \"begin_ns\": %" PRId64 ", \"end_ns\": %" PRId64
		", \"result\": ",
		x->n_run ? ",\n" : "", s.data ? s.data : "\"\"", w->begin, w->end);
	mer_str_fini(&s);
}

/* The verb, its lines with the name. */
static int run_named(struct marked *x, const char *name)
{
	struct ask *ask = x->ask;
	struct naming *w = &x->naming;
	FILE *out = ask->out;
	mer_str_clear(&w->name);
	if (w->is_csv) {
		mer_csv_text(&w->name, name, strlen(name));
	} else {
		mer_str_puts(&w->name, "\"mark\":");
		mer_json_quote(&w->name, name, strlen(name));
	}
	mer_str_clear(&w->line);
	w->to = out;
	w->in_table = false;
	FILE *f = w->name.failed
			  ? NULL
			  : fopencookie(w, "w", (cookie_io_functions_t){ .write = on_write });
	if (!f)
		return mer_fail_nomem(&ask->err);
	ask->out = f;
	int rc = ask->verb->run(ask, x->values);
	bool failed = fclose(f) != 0 || w->failed;
	ask->out = out;
	if (failed && !ferror(out) && rc >= 0)
		return mer_fail_nomem(&ask->err);
	return rc;
}

static int run_mark(struct marked *x, const struct session_mark *k, const struct session_window *w)
{
	struct ask *ask = x->ask;
	const struct kept kept = { ask->select, ask->args, ask->n_args };
	const char *name = k->text;
	if (!name[0])
		name = mer_arena_printf(&ask->arena, "%zu", (size_t)(k - x->marks.all) + 1);
	int rc = name ? set_moment(ask, &ask->select.begin, w->begin) : mer_fail_nomem(&ask->err);
	if (rc == 0)
		rc = set_moment(ask, &ask->select.end, w->end);
	if (rc)
		return rc;
	if (ask->format == ASK_FORMAT_JSON) {
		put_json(x, name, w);
		rc = ask->verb->run(ask, x->values);
		fputs("}", ask->out);
	} else if (ask->format == ASK_FORMAT_CSV || ask->format == ASK_FORMAT_JSONL) {
		rc = run_named(x, name);
	} else {
		rc = put_heading(x, name, w);
		rc = rc ? rc : ask->verb->run(ask, x->values);
	}
	x->n_run++;
	ask->select = kept.select;
	ask->args = kept.args;
	ask->n_args = kept.n_args;
	if (rc < 0 && x->n_run > 1) { /* otherwise it is true of any time */
		const struct mer_err why = ask->err;
		mer_fail_remedy(&ask->err, rc, why.remedy, "%s: %s", place_of(x, k), why.text);
	}
	return rc;
}

/* ---- All of them ---- */

static int none_in(struct marked *x, size_t n_moments)
{
	if (!x->marks.n)
		return mer_fail(&x->ask->err, MER_ERR_USAGE,
			"%s: no marks; a line is BEGIN, END and TEXT with tabs between", x->file);
	return mer_fail(&x->ask->err, MER_ERR_USAGE,
		n_moments == x->marks.n
			? "%s: no mark is a range: a table needs a BEGIN and an END that differ"
			: "%s: no mark is a range within the recording",
		x->file);
}

static int run_all(struct marked *x, struct session *s)
{
	struct ask *ask = x->ask;
	bool is_json = ask->format == ASK_FORMAT_JSON;
	size_t n_moments = 0;
	int status = ASK_OK;
	for (size_t i = 0; i < x->marks.n; i++) {
		const struct session_mark *k = &x->marks.all[i];
		struct session_window w;
		bool is_in;
		n_moments += k->is_moment;
		if (k->is_moment)
			continue;
		int rc = find_window(x, s, k, &w, &is_in);
		if (rc == 0 && !is_in)
			continue;
		if (rc == 0 && is_json && !x->n_run)
			fprintf(ask->out, "{ \"schema_version\": %d, \"marks\": [\n",
				MER_JSON_SCHEMA);
		if (rc == 0)
			rc = run_mark(x, k, &w);
		if (rc < 0)
			return rc;
		status = rc > status ? rc : status;
	}
	if (!x->n_run)
		return none_in(x, n_moments);
	if (is_json)
		fputs("\n] }\n", ask->out);
	if (n_moments)
		ask_note(ask, "%zu %s without a table: 'meridian state --at TIME' shows a moment",
			n_moments,
			mer_plural(n_moments, "mark is a moment,", "marks are moments,"));
	return status;
}

/* The words behind an analysis, which comes first where there is one. */
static size_t first_trace(const struct ask *ask)
{
	bool has_analysis = ask->verb->args && strcmp(ask->verb->args, "ANALYSIS") == 0;
	bool may_lack = strcmp(ask->verb->name, "stats") == 0;
	return has_analysis && ask->n_args && (!may_lack || analysis_find(ask->args[0])) ? 1 : 0;
}

static int refuse(struct ask *ask, const char *why)
{
	return mer_fail(&ask->err, MER_ERR_USAGE, "--marks: %s", why);
}

static int check_options(struct ask *ask, const void *values)
{
	if (session_selects_part(&ask->select))
		return refuse(ask, "--begin and --end are those of the marks; leave them out");
	if (ask->folder)
		return refuse(ask, "-o needs a file: the tables of all marks go into one");
	switch (ask->format) {
	case ASK_FORMAT_TABLE:
	case ASK_FORMAT_TEXT:
	case ASK_FORMAT_JSON:
	case ASK_FORMAT_JSONL:
	case ASK_FORMAT_CSV: break;
	default: return refuse(ask, "only for --format table, text, json, jsonl and csv");
	}
	for (const struct ask_option *o = ask->verb->options; o && o->name; o++)
		if (o->kind == ASK_PICTURE &&
			*(const char *const *)((const char *)values + o->offset))
			return refuse(ask, "not with --plot, which draws one picture");
	return 0;
}

static int read_marks(struct marked *x, size_t first)
{
	struct ask *ask = x->ask;
	x->file = ask->marks;
	if (strcmp(ask->marks, "-") == 0) {
		char *path = session_marks_path(ask->args + first, ask->n_args - first,
			ask_cache_folder(ask), false, &ask->err);
		if (!path)
			return MER_ERR_USAGE;
		x->file = mer_arena_strdup(&ask->arena, path);
		free(path);
		if (!x->file)
			return mer_fail_nomem(&ask->err);
	}
	return session_marks_read(&x->marks, x->file, &ask->err);
}

/* The traces, once for all: those of the verb's words. */
static int open_shared(struct ask *ask, size_t first, struct session **s)
{
	const char **args = ask->args;
	size_t n_args = ask->n_args;
	ask->args += first;
	ask->n_args -= first;
	int rc = ask_session_open_synced(ask, ASK_SYNC_AUTO, s);
	ask->args = args;
	ask->n_args = n_args;
	if (rc == 0)
		ask->shared = ask->library;
	return rc;
}

int ask_marks_run(struct ask *ask, const void *values)
{
	struct marked x = { .ask = ask, .values = values };
	struct session *s = NULL;
	size_t first = first_trace(ask);
	if (ask->n_args <= first)
		return ask->verb->run(ask, values); /* it says what it lacks */
	int rc = check_options(ask, values);
	if (rc == 0)
		rc = read_marks(&x, first);
	if (rc == 0 && !x.marks.n)
		rc = none_in(&x, 0);
	if (rc == 0)
		rc = open_shared(ask, first, &s);
	x.naming.is_csv = ask->format == ASK_FORMAT_CSV;
	if (rc == 0)
		rc = run_all(&x, s);
	ask->library = ask->shared;
	ask->shared = NULL;
	if (ask->library)
		ask_session_close(ask, s);
	mer_str_fini(&x.naming.name);
	mer_str_fini(&x.naming.line);
	mer_str_fini(&x.naming.head);
	session_marks_fini(&x.marks);
	return rc;
}
