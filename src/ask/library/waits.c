/* What tasks waited for, and what one of them cost. Texts are copied, as the next query may free
 * the world that owns them. */
#include <string.h>

#include "ask/library/api.h"
#include "base/err.h"
#include "session/account.h"
#include "session/blocked.h"

int mer_session_blocked(struct mer_session *s, const struct mer_blocked_options *options,
	struct mer_result **result, struct mer_err *err)
{
	API_ERR(err);
	enum { DEEPEST = 50 };
	struct mer_blocked_options o;
	struct api_asked x;
	struct session_blocked found = { 0 };
	int rc = api_begin_table(s, NULL, NULL, NULL, result, err);
	if (rc)
		return rc;
	rc = mer_options_read(&o, sizeof(o), 0, options, err);
	if (rc == 0 && o.depth > DEEPEST)
		rc = mer_fail(err, MER_ERR_USAGE, "depth: at most %d", (int)DEEPEST);
	if (rc == 0)
		rc = api_tasks(s, o.selection, SESSION_USAGE_NONE, *result, &x, err);
	if (rc == 0)
		rc = session_blocked_find(&x.world, &x.tasks, &x.window,
			&(struct session_blocked_options){ .all = o.all,
				.chosen = session_selects_tasks(&x.selection),
				.depth = o.depth },
			&found, err);
	if (rc == 0) {
		struct mer_table *t = &(*result)->own;
		session_blocked_table(&x.world, &found.tree, true, o.limit, &(*result)->arena, t);
		t->title = "Waits";
		api_keep_texts(*result);
	}
	session_blocked_fini(&found);
	return api_end(result, rc, err);
}

/* ---- The cost of a task ---- */

static int find_table(const char *id, enum session_account_table *which, struct mer_err *err)
{
	for (int i = 0; i < SESSION_ACCOUNT_TABLES; i++) {
		*which = (enum session_account_table)i;
		if (strcmp(session_account_id(*which), id) == 0)
			return 0;
	}
	return mer_fail(err, MER_ERR_USAGE, "no table '%.100s' of a task", id);
}

static int make_tables(const struct session_account *a, const char *const *tables, size_t n,
	struct mer_result **results, struct mer_err *err)
{
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < n; i++) {
		enum session_account_table which;
		struct session_account own = *a;
		rc = find_table(tables[i], &which, err);
		if (rc == 0)
			rc = api_new_result(NULL, NULL, NULL, &results[i], err);
		if (rc)
			return rc;
		own.arena = &results[i]->arena;
		rc = session_account_table(&own, which, &results[i]->own, err);
		api_keep_texts(results[i]);
		if (rc == 0 && results[i]->own.failed)
			rc = mer_fail_nomem(err);
	}
	return rc;
}

int mer_session_task(struct mer_session *s, const char *const *tables, size_t n_tables,
	const struct mer_task_options *options, struct mer_result **results, struct mer_err *err)
{
	API_ERR(err);
	struct mer_task_options o;
	struct api_asked x;
	struct session_account_found found = { 0 };
	struct mer_result *asked; /* owns what is selected; has no table */
	enum session_account_table which;
	size_t chosen = 0;
	for (size_t i = 0; i < n_tables; i++)
		results[i] = NULL;
	int rc = api_begin_table(s, NULL, NULL, NULL, &asked, err);
	if (rc)
		return rc;
	rc = mer_options_read(&o, sizeof(o), 0, options, err);
	if (rc == 0 && !n_tables)
		rc = mer_fail(err, MER_ERR_USAGE, "no table");
	for (size_t i = 0; rc == 0 && i < n_tables; i++)
		rc = find_table(tables[i], &which, err);
	if (rc == 0)
		rc = api_tasks(s, o.selection, SESSION_USAGE_ALL, asked, &x, err);
	if (rc == 0)
		rc = api_choose(&x, o.nth, &chosen, err);
	if (rc == 0)
		rc = session_account_find(&found, &x.world, x.tasks.item[chosen].host,
			x.tasks.item[chosen].task, &x.window, o.all, err);
	const struct session_account a = { .w = &x.world, .a = &found.account };
	if (rc == 0)
		rc = make_tables(&a, tables, n_tables, results, err);
	for (size_t i = 0; rc && i < n_tables; i++) {
		mer_result_free(results[i]);
		results[i] = NULL;
	}
	session_account_fini(&found);
	mer_result_free(asked);
	return rc;
}
