/* Tables of the summary, by their ids: as those of an analysis. */
#include <string.h>

#include "api/api.h"
#include "base/err.h"
#include "session/summary.h"

const char api_summary_id[] = "summary";

/* Only hosts, times and periods choose what is in it. */
static int check(const struct mer_table_options *o, const struct session_selection *s, size_t n,
	struct mer_err *err)
{
	const struct {
		const char *name;
		bool is_set;
	} list[] = {
		{ "group_by", o->group_by },
		{ "filter", o->filter },
		{ "min_ns", o->min_ns },
		{ "max_ns", o->max_ns != INT64_MAX },
		{ "min_bytes", o->min_bytes },
		{ "max_bytes", o->max_bytes != UINT64_MAX },
		{ "names", o->n_names },
		{ "n_bins", o->n_bins },
		{ "interval_ns", o->interval_ns },
		{ "reverse", o->reverse },
		{ "a selection of tasks", session_selects_tasks(s) },
		{ "a selection of CPUs", s->cpus.n },
	};
	for (size_t i = 0; i < sizeof(list) / sizeof(*list); i++)
		if (list[i].is_set)
			return mer_fail(err, MER_ERR_USAGE, "%s does not apply to '%s'",
				list[i].name, api_summary_id);
	return n ? 0 : mer_fail(err, MER_ERR_USAGE, "no table");
}

static int find(const char *id, int *table, struct mer_err *err)
{
	for (*table = 0; *table < SUMMARY_TABLES; ++*table)
		if (strcmp(summary_about((enum summary_table) * table, false).id, id) == 0)
			return 0;
	return mer_fail(err, MER_ERR_USAGE, "'%s' has no table '%.100s'", api_summary_id, id);
}

/* Is there a column to sort by? */
static int check_sort(
	const char *const *tables, size_t n, const struct mer_table_options *o, struct mer_err *err)
{
	bool any = !o->sort;
	for (size_t i = 0; i < n; i++) {
		int table, rc = find(tables[i], &table, err);
		if (rc)
			return rc;
		any |= o->sort &&
		       mer_column_meant(summary_about((enum summary_table)table, false).columns,
			       o->sort + (*o->sort == '+'));
	}
	return any ? 0
		   : mer_fail(err, MER_ERR_USAGE, "'%s' has no column '%.100s'", api_summary_id,
			     o->sort + (*o->sort == '+'));
}

/* Rows in another order, and the first ones. */
static void arrange(struct mer_result *r, struct mer_table *t, const struct mer_table_options *o)
{
	const char *word = o->sort ? o->sort : "";
	const struct mer_column *c = mer_column_meant(t->columns, word + (*word == '+'));
	if (c && o->sort) {
		r->sorted = c->key;
		mer_table_sort(
			t, c->key, *word == '+' || mer_column_names(c) || c->type == MER_TIME);
	}
	mer_table_limit(t, (size_t)o->limit);
}

int api_summary(struct mer_session *s, const char *const *tables, size_t n,
	const struct mer_table_options *o, struct api_answer *x, struct mer_result **results,
	struct mer_err *err)
{
	x->wanted = mer_arena_zalloc(&x->arena, SUMMARY_REQUESTS, sizeof(*x->wanted));
	int rc = x->wanted ? api_selection(s, o->selection, &x->arena, &x->selection, err)
			   : mer_fail_nomem(err);
	if (rc == 0)
		rc = check(o, &x->selection, n, err);
	if (rc == 0)
		rc = check_sort(tables, n, o, err);
	if (rc == 0)
		rc = api_periods(x, o, err);
	x->request.selection = &x->selection;
	x->request.periods = x->periods;
	if (rc == 0) {
		session_summary_ask(&x->request, x->wanted);
		rc = session_request(s->session, &x->request, &x->answer, err);
	}
	struct mer_table *made =
		rc ? NULL : mer_arena_zalloc(&x->arena, SUMMARY_TABLES, sizeof(*made));
	if (rc == 0 && !made)
		rc = mer_fail_nomem(err);
	x->summary = made;
	if (rc == 0)
		rc = session_summary_make(&x->answer, o->all, made, err);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		int table;
		rc = find(tables[i], &table, err);
		if (rc == 0)
			rc = api_result_of(x, &made[table], &results[i], err);
		if (rc == 0)
			arrange(results[i], &made[table], o);
	}
	return rc;
}
