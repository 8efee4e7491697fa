#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/library/api.h"
#include "ask/print/text.h"
#include "ask/words.h"
#include "base/nearest.h"
#include "query/groups.h"
#include "query/state.h"

/* ---- What a statement may do ---- */

static bool is_harmless_pragma(const char *name)
{
	return sqlite3_stricmp(name, "table_info") == 0 ||
	       sqlite3_stricmp(name, "table_xinfo") == 0;
}

static bool is_harmful_function(const char *name)
{
	return sqlite3_stricmp(name, "load_extension") == 0 ||
	       sqlite3_stricmp(name, "fts3_tokenizer") == 0;
}

static int authorize(void *ctx, int action, const char *a, const char *b, const char *database,
	const char *trigger)
{
	struct query *q = ctx;
	(void)database;
	(void)trigger;
	if (action == SQLITE_FUNCTION)
		query_weigh_function(q, b);
	if (action == SQLITE_READ && !q->is_declaring)
		query_weigh_table(q, a);
	if (q->is_declaring || action == SQLITE_SELECT || action == SQLITE_READ ||
		action == SQLITE_RECURSIVE ||
		(action == SQLITE_FUNCTION && !is_harmful_function(b)) ||
		(action == SQLITE_PRAGMA && is_harmless_pragma(a)))
		return SQLITE_OK;
	q->is_refused = true;
	return SQLITE_DENY;
}

static int is_cancelled(void *ctx)
{
	const struct query *q = ctx;
	return session_is_cancelled(api_session(q->of.session));
}

static int open_database(struct query *q, struct mer_err *err)
{
	enum { STEPS = 20000, MOST_TEXT = 64 << 20, MOST_SQL = 1 << 20 };
	int rc = sqlite3_open_v2(":memory:", &q->db,
		SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
	if (rc)
		return mer_fail_nomem(err);
	sqlite3_db_config(q->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(q->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(q->db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
	sqlite3_limit(q->db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_limit(q->db, SQLITE_LIMIT_LENGTH, MOST_TEXT);
	sqlite3_limit(q->db, SQLITE_LIMIT_SQL_LENGTH, MOST_SQL);
	sqlite3_progress_handler(q->db, STEPS, is_cancelled, q);
	sqlite3_set_authorizer(q->db, authorize, q);
	if (query_add_count(q))
		return mer_fail_nomem(err);
	return query_add_tables(q, err);
}

int query_new(const struct query_of *of, struct query **out, struct mer_err *err)
{
	struct query *q = calloc(1, sizeof(*q));
	*out = q;
	if (!q)
		return mer_fail_nomem(err);
	q->of = *of;
	mer_arena_init(&q->arena);
	q->tables = query_tables(&q->arena, of->views, &q->n_tables);
	int rc = q->n_tables ? open_database(q, err) : mer_fail_nomem(err);
	if (rc) {
		query_free(q);
		*out = NULL;
	}
	return rc;
}

void query_free(struct query *q)
{
	if (!q)
		return;
	sqlite3_close(q->db);
	query_forget(q, true);
	mer_arena_fini(&q->arena);
	free(q);
}

bool query_is_complete(const char *sql)
{
	return sqlite3_complete(sql);
}

/* ---- What is wrong with a statement ---- */

/* Of the tables that the statement has the names of. */
static const char *nearest_column(const struct query *q, const char *sql, const char *name)
{
	enum { MOST = 512 };
	const char *names[MOST];
	size_t n = 0;
	const char *dot = strrchr(name, '.');
	for (size_t i = 0; i < q->n_tables; i++)
		for (const struct mer_column *c = q->tables[i].columns;
			c->key && n < MOST && strcasestr(sql, q->tables[i].name); c++)
			names[n++] = c->key;
	return mer_nearest(dot ? dot + 1 : name, names, n);
}

static const char *after(const char *text, const char *words)
{
	size_t n = strlen(words);
	return strncmp(text, words, n) == 0 ? text + n : NULL;
}

static void put_hint(const struct query *q, const char *sql, const char *text, struct mer_str *out)
{
	const char *table = after(text, "no such table: "),
		   *column = after(text, "no such column: ");
	const char *best = table    ? query_table_meant(q->tables, q->n_tables, table)
			   : column ? nearest_column(q, sql, column)
				    : NULL;
	if (best)
		mer_str_printf(out, " (did you mean %s?)", best);
	else if (table || column)
		mer_str_puts(out,
			table ? " (.tables lists them)"
			      : " (.schema TABLE lists them; texts stand between single quotes)");
}

/* "line 2, character 15, at 'shed limit 3': ". */
static void put_place(struct mer_str *out, const char *sql, int offset)
{
	enum { SHOWN = 24 };
	size_t line = 1, at = 1;
	if (offset < 0 || (size_t)offset > strlen(sql))
		return;
	for (int i = 0; i < offset; i++) {
		bool is_end = sql[i] == '\n';
		line += is_end;
		/* Bytes that go on with a character are none. */
		at = is_end ? 1 : at + ((sql[i] & 0xc0) != 0x80);
	}
	const char *rest = sql + offset;
	size_t n = strcspn(rest, "\r\n");
	bool is_cut = n > SHOWN;
	n = is_cut ? SHOWN : n;
	while (is_cut && n && (rest[n] & 0xc0) == 0x80)
		n--;
	if (strchr(sql, '\n'))
		mer_str_printf(out, "line %zu, ", line);
	mer_str_printf(out, "character %zu", at);
	if (n) {
		mer_str_puts(out, ", at '");
		ask_text_clean(out, rest, n, false);
		mer_str_puts(out, is_cut ? "...'" : "'");
	}
	mer_str_puts(out, ": ");
}

static int refuse(const char *sql, struct mer_err *err)
{
	size_t blanks = strspn(sql, " \t\r\n(");
	size_t n = strspn(sql + blanks, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
	return mer_fail(err, MER_ERR_USAGE,
		"a query only reads tables: this statement (%.*s ...) would do more than that",
		n < 20 ? (int)n : 20, sql + blanks);
}

static int fail(struct query *q, const char *sql, struct mer_err *err)
{
	struct mer_str text = { 0 };
	const char *said = sqlite3_errmsg(q->db);
	int code = sqlite3_extended_errcode(q->db) & 0xff;
	int of_session = q->failed_with;
	q->failed_with = 0;
	if (of_session) {
		*err = q->failed;
		return of_session;
	}
	if (is_cancelled(q))
		return mer_fail(err, MER_ERR_CANCELLED, "cancelled");
	/* What is no virtual table of ours cannot be changed in any case. */
	if (q->is_refused || strstr(said, "may not be modified") ||
		strstr(said, "may not be altered"))
		return refuse(sql, err);
	if (code == SQLITE_NOMEM)
		return mer_fail_nomem(err);
	mer_str_puts(&text, "SQL: ");
	put_place(&text, sql, sqlite3_error_offset(q->db));
	ask_text_clean(&text, said, strlen(said), false);
	put_hint(q, sql, said, &text);
	int rc = mer_fail(err,
		code == SQLITE_FULL || code == SQLITE_IOERR ? MER_ERR_SYS : MER_ERR_USAGE, "%s",
		text.data ? text.data : said);
	mer_str_fini(&text);
	return rc;
}

/* ---- Running it ---- */

int query_check_table(const struct query *q, const struct query_table *t, struct mer_err *err)
{
	char verb[32];
	if (!t->asked)
		return 0;
	snprintf(verb, sizeof(verb), "%.*s", (int)strcspn(t->asked->words, " "), t->asked->words);
	const char *option = ask_cannot_select(verb, q->of.select);
	return option ? mer_fail(err, MER_ERR_USAGE,
				"table %s cannot be made with %s, which 'meridian %s' does not know",
				t->name, option, verb)
		      : 0;
}

int query_prepare(struct query *q, const bool *is_wanted, struct mer_err *err)
{
	struct analysis_request requests[QUERY_TABLES];
	size_t n = 0;
	bool is_asked = false;
	int rc = 0;
	for (size_t i = 0; i < q->n_tables && rc == 0; i++) {
		const struct query_table *t = &q->tables[i];
		if (!is_wanted[i])
			continue;
		if (!t->asked)
			requests[n++] = t->request;
		is_asked |= t->asked && !ask_wants_recorded(t->asked->words);
		rc = query_check_table(q, t, err);
	}
	bool messages = is_asked || (n && analysis_needs_messages(requests, n));
	return rc == 0 && q->of.prepare && (n || is_asked) ? q->of.prepare(q->of.ctx, messages, err)
							   : rc;
}

static int step_all(struct query *q, sqlite3_stmt *s, const char *sql, struct query_result *r,
	struct mer_err *err)
{
	const struct mer_experiment *e = session_experiment(api_session(q->of.session));
	int code, rc = query_result_begin(r, s, e ? e->spill : NULL, err);
	while (rc == 0 && (code = sqlite3_step(s)) != SQLITE_DONE && !q->needs_whole) {
		r->is_cut = code == SQLITE_ROW && q->of.most_rows && r->n_rows == q->of.most_rows;
		if (r->is_cut)
			break;
		rc = code == SQLITE_ROW ? query_result_add(r, s, err) : fail(q, sql, err);
	}
	return rc;
}

static int run(struct query *q, sqlite3_stmt *s, const char *sql, struct query_result *r,
	struct mer_err *err)
{
	int rc = query_prepare(q, q->is_named, err);
	if (rc == 0)
		rc = step_all(q, s, sql, r, err);
	if (rc == 0 && q->needs_whole) {
		q->needs_whole = false;
		q->is_of_whole = true;
		query_result_fini(r);
		sqlite3_reset(s);
		rc = step_all(q, s, sql, r, err);
	}
	if (rc == 0)
		query_result_end(r, q->tables, q->n_tables);
	return rc;
}

size_t query_empty_tables(const struct query *q, const struct query_table **tables, size_t most)
{
	size_t n = 0;
	for (const struct query_kept *k = q->kept; k; k = k->next) {
		if (k->is_all && !k->rows.n_rows && q->is_named[k->table - q->tables] && n < most)
			tables[n++] = k->table;
	}
	return n;
}

int query_run(struct query *q, const char *sql, const char **rest, struct query_result *r,
	struct mer_err *err)
{
	sqlite3_stmt *s = NULL;
	query_result_fini(r);
	memset(q->is_named, 0, sizeof(q->is_named));
	memset(q->n_made, 0, sizeof(q->n_made));
	q->is_refused = q->is_of_whole = q->needs_whole = false;
	*rest = sql;
	query_weigh_begin(q, sql);
	if (sqlite3_prepare_v2(q->db, sql, -1, &s, rest))
		return fail(q, sql, err);
	if (!s)
		return 0;
	if (!sqlite3_stmt_readonly(s)) {
		sqlite3_finalize(s);
		return refuse(sql, err);
	}
	int rc = run(q, s, sql, r, err);
	sqlite3_finalize(s);
	query_forget(q, false);
	return rc;
}
