#include "query/answer.h"

#include <inttypes.h>
#include <stdlib.h>

#include "ask/context.h"
#include "base/table.h"
#include "ask/library/api.h"
#include "ask/reports/grid.h"
#include "query/query.h"
#include "query/tables.h"

enum { MOST_RESULTS = 16 }; /* statements with a result: each stays in memory */

struct asked {
	struct mer_session *session;
	struct session_selection all;
	struct query *query;
	struct query_result results[MOST_RESULTS];
	size_t n;
	struct mer_diags found;
};

static int more(void *ctx, struct mer_table *t, struct mer_err *err)
{
	enum { SOME = 4096 };
	(void)err;
	query_result_next(ctx, SOME, t);
	return 0;
}

#define NOWHERE .severity = MER_WARNING, .stream = -1, .packet = -1, .offset_bits = -1
static const struct mer_diag not_recorded = { NOWHERE, .code = "query-not-recorded" };
static const struct mer_diag rows_left = { NOWHERE, .code = "query-rows" };

/* A table without rows may be one of which nothing was recorded: then 0 is no answer. */
static int find_lacking(struct asked *x, struct mer_err *err)
{
	enum { MOST = 16 };
	const struct query_table *empty[MOST];
	struct ask ask = { .select = x->all };
	size_t n = query_empty_tables(x->query, empty, MOST);
	int rc = 0;
	mer_arena_init(&ask.arena);
	for (size_t i = 0; i < n && rc == 0; i++) {
		struct mer_str fix = { 0 }, text = { 0 };
		if (empty[i]->needs)
			rc = ask_grid_lacking(
				&ask, mer_session_experiment(x->session), empty[i]->needs, &fix);
		mer_str_printf(&text,
			"%s has no rows: the traces lack the events that it is made of",
			empty[i]->name);
		if (rc == 0 && fix.len && text.data)
			mer_diag_add(&x->found, &not_recorded, "%s", text.data);
		mer_str_fini(&text);
		mer_str_fini(&fix);
	}
	if (rc)
		*err = ask.err;
	mer_arena_fini(&ask.arena);
	return rc;
}

static int run(struct asked *x, const char *sql, struct mer_err *err)
{
	int rc = 0;
	while (rc == 0 && *sql) {
		struct query_result *r = &x->results[x->n];
		struct mer_str text = { 0 };
		rc = query_run(x->query, sql, &sql, r, err);
		if (rc || !r->is_begun)
			continue;
		rc = find_lacking(x, err);
		mer_str_printf(&text,
			"result %zu has the first %" PRIu64
			" rows alone, and there are more: LIMIT and OFFSET choose which",
			x->n + 1, r->n_rows);
		if (r->is_cut && text.data)
			mer_diag_add(&x->found, &rows_left, "%s", text.data);
		mer_str_fini(&text);
		if (rc == 0 && ++x->n == MOST_RESULTS)
			rc = mer_fail(err, MER_ERR_LIMIT, "at most %d statements at a time",
				(int)MOST_RESULTS - 1);
	}
	return rc;
}

/* Copies what was found, so that nothing of this is needed any more. */
static int take(struct asked *x, struct answer *a, struct mer_err *err)
{
	struct session *s = api_session(x->session);
	struct answer from;
	answer_init(&from, mer_session_experiment(x->session));
	from.synced = session_synced(s);
	from.found = &x->found;
	for (size_t i = 0; i < x->n; i++) {
		const char *id = i ? mer_arena_printf(&from.arena, "result_%zu", i + 1) : "result";
		answer_stream(&from, id ? id : "result", NULL, x->results[i].columns, more,
			&x->results[i]);
	}
	int rc = answer_take(a, &from, err);
	answer_fini(&from);
	return rc;
}

int query_answer(struct mer_session *session, const char *sql, uint64_t most_rows, struct answer *a,
	struct mer_err *err)
{
	struct asked *x = calloc(1, sizeof(*x));
	struct mer_arena arena;
	if (!x)
		return mer_fail_nomem(err);
	x->session = session;
	mer_arena_init(&arena);
	mer_diags_init(&x->found, &arena);
	int rc = query_new(&(struct query_of){ .session = session,
				   .select = &x->all,
				   .views = session->views.n > 0,
				   .most_rows = most_rows },
		&x->query, err);
	if (rc == 0)
		rc = run(x, sql, err);
	if (rc == 0)
		rc = take(x, a, err);
	for (size_t i = 0; i < MOST_RESULTS; i++)
		query_result_fini(&x->results[i]);
	query_free(x->query);
	mer_diags_fini(&x->found);
	mer_arena_fini(&arena);
	free(x);
	return rc;
}

int query_list(bool views, struct answer *a, struct mer_err *err)
{
	enum { NAME, TITLE, COLUMNS, N };
	static const struct mer_column columns[N + 1] = {
		[NAME] = { "name", "Table", MER_TEXT },
		[TITLE] = { "title", "Title", MER_TEXT },
		[COLUMNS] = { "columns", "Columns", MER_TEXT },
	};
	size_t n;
	const struct query_table *all = query_tables(&a->arena, views, &n);
	struct mer_table *t = answer_add(a, "tables", "Tables", columns);
	if (!n)
		return mer_fail_nomem(err);
	for (size_t i = 0; i < n; i++) {
		struct mer_str text = { 0 };
		for (const struct mer_column *c = all[i].columns; c->key; c++) {
			mer_str_puts(&text, c == all[i].columns ? "" : ", ");
			query_put_name(&text, c->key);
		}
		mer_table_add(t, (struct mer_cell[N]){ [NAME] = mer_text(all[i].name),
					 [TITLE] = mer_text(all[i].title),
					 [COLUMNS] = mer_table_keep(t, &text) });
	}
	return answer_check(a, err);
}
