/* Tables that are computed from the answer to a request of their own: the summary, and relations
 * between tasks. They have ids like an analysis and its tables; only some options apply. */
#include <string.h>

#include "analysis/relations/relations.h"
#include "ask/library/api.h"
#include "base/err.h"
#include "requests/edges.h"
#include "session/summary.h"

enum { GRAPH, REQUESTS, RELATIONS };
#define SUMMARY_GROUPS_BY "name, all or program"

struct api_made {
	const char *id;
	int n;
	struct summary_about (*about)(int table);
	bool of_tasks;	    /* tasks may be selected */
	const char *groups; /* what group_by may be: "program or task"; NULL: it does not apply */
	int (*ask)(struct api_answer *x, const struct mer_table_options *o, const bool *wanted,
		struct mer_err *err);
	/* n tables, to be freed with mer_table_fini in any case. */
	int (*make)(struct api_answer *x, const struct mer_table_options *o, struct mer_table *made,
		struct mer_err *err);
};

/* ---- the summary ---- */

static struct summary_about about_summary(int table)
{
	return summary_about((enum summary_table)table, false);
}

static int ask_summary(struct api_answer *x, const struct mer_table_options *o, const bool *wanted,
	struct mer_err *err)
{
	(void)o;
	(void)wanted;
	x->wanted = mer_arena_zalloc(&x->arena, SUMMARY_REQUESTS, sizeof(*x->wanted));
	if (!x->wanted)
		return mer_fail_nomem(err);
	session_summary_ask(&x->request, x->wanted);
	return 0;
}

static int make_summary(struct api_answer *x, const struct mer_table_options *o,
	struct mer_table *made, struct mer_err *err)
{
	enum peers_by by = PEERS_BY_NAME;
	while (o->group_by && by < PEERS_N_BY && strcmp(o->group_by, peers_by_name(by)) != 0)
		by++;
	return by == PEERS_N_BY ? mer_fail(err, MER_ERR_USAGE, "group_by of 'summary' is %s",
					  SUMMARY_GROUPS_BY)
				: session_summary_make(&x->answer, o->all, by, made, err);
}

/* ---- relations ---- */

static struct summary_about about_relations(int table)
{
	const struct analysis_output *o = &analysis_relations.outputs[0];
	return table == GRAPH
		       ? (struct summary_about){ o->id, o->title, o->columns }
		       : (struct summary_about){ "requests", "Requests", requests_edges_columns };
}

static int ask_relations(struct api_answer *x, const struct mer_table_options *o,
	const bool *wanted, struct mer_err *err)
{
	static const struct analysis_request relations = { &analysis_relations, 0 };
	if (o->group_by && strcmp(o->group_by, "program") != 0 && strcmp(o->group_by, "task") != 0)
		return mer_fail(err, MER_ERR_USAGE, "group_by of '%s' is program or task",
			analysis_relations.id);
	if (wanted[REQUESTS] && x->periods)
		return mer_fail(
			err, MER_ERR_USAGE, "period does not apply to the table 'requests'");
	x->request.tables = &relations;
	x->request.n = 1;
	x->request.all_hosts = true;
	x->request.with_requests = wanted[REQUESTS];
	x->request.options = (struct analysis_options){ .max_ns = INT64_MAX,
		.keep_spans = o->leave_out, /* to leave out idle waits */
		.without_tracer = o->leave_out && !session_selects_tasks(&x->selection) };
	x->request.stage = SESSION_READING;
	return 0;
}

static int make_relations(struct api_answer *x, const struct mer_table_options *o,
	struct mer_table *made, struct mer_err *err)
{
	struct session_window window;
	made[GRAPH] = x->answer.tables[0];
	x->answer.tables[0] = (struct mer_table){ 0 };
	if (!x->answer.requests) { /* not wanted */
		struct summary_about about = about_relations(REQUESTS);
		mer_table_init(&made[REQUESTS], about.id, about.title, about.columns, &x->arena);
		return 0;
	}
	int rc = session_window(x->answer.session, &x->selection, &window, err);
	if (rc)
		return rc;
	return requests_edges_find(x->answer.requests,
		&(struct requests_edges_options){
			.by_task = o->group_by && strcmp(o->group_by, "task") == 0,
			.begin = window.begin,
			.end = window.end,
			.wanted = &x->answer.options },
		&x->arena, &made[REQUESTS], err);
}

/* ---- both ---- */

static const struct api_made all[] = {
	{ "summary", SUMMARY_TABLES, about_summary, false, SUMMARY_GROUPS_BY, ask_summary,
		make_summary },
	{ "relations", RELATIONS, about_relations, true, "program or task", ask_relations,
		make_relations },
};

const struct api_made *api_made_find(const char *id)
{
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (strcmp(all[i].id, id) == 0)
			return &all[i];
	return NULL;
}

bool api_made_next(size_t *at, int *table, const char **id, struct summary_about *about)
{
	if (*at == sizeof(all) / sizeof(all[0]))
		return false;
	*id = all[*at].id;
	*about = all[*at].about(*table);
	if (++*table == all[*at].n) {
		*table = 0;
		++*at;
	}
	return true;
}

static int check(const struct api_made *m, const struct mer_table_options *o,
	const struct session_selection *s, struct mer_err *err)
{
	const struct {
		const char *name;
		bool is_set;
	} list[] = {
		{ "group_by", o->group_by && !m->groups },
		{ "filter", o->filter },
		{ "min_ns", o->min_ns },
		{ "max_ns", o->max_ns != INT64_MAX },
		{ "min_bytes", o->min_bytes },
		{ "max_bytes", o->max_bytes != UINT64_MAX },
		{ "names", o->n_names },
		{ "n_bins", o->n_bins },
		{ "interval_ns", o->interval_ns },
		{ "reverse", o->reverse },
		{ "all", o->all && m->of_tasks },
		{ "a selection of tasks", !m->of_tasks && session_selects_tasks(s) },
		{ "a selection of CPUs", s->cpus.n },
	};
	for (size_t i = 0; i < sizeof(list) / sizeof(*list); i++)
		if (list[i].is_set)
			return mer_fail(err, MER_ERR_USAGE, "%s does not apply to '%s'",
				list[i].name, m->id);
	return 0;
}

static int find(const struct api_made *m, const char *id, int *table, struct mer_err *err)
{
	for (*table = 0; *table < m->n; ++*table)
		if (strcmp(m->about(*table).id, id) == 0)
			return 0;
	return mer_fail(err, MER_ERR_USAGE, "'%s' has no table '%.100s'", m->id, id);
}

/* Finds the wanted tables; one of them must have the column to sort by. */
static int choose(const struct api_made *m, const char *const *tables, size_t n,
	const struct mer_table_options *o, bool *wanted, struct mer_err *err)
{
	const char *sort = o->sort ? o->sort + (*o->sort == '+') : NULL;
	bool any = !sort;
	for (size_t i = 0; i < n; i++) {
		int table, rc = find(m, tables[i], &table, err);
		if (rc)
			return rc;
		wanted[table] = true;
		any |= sort && mer_column_meant(m->about(table).columns, sort);
	}
	if (!n)
		return mer_fail(err, MER_ERR_USAGE, "no table");
	return any ? 0 : mer_fail(err, MER_ERR_USAGE, "'%s' has no column '%.100s'", m->id, sort);
}

/* Sorts rows, and keeps the first ones. */
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

int api_make(struct mer_session *s, const struct api_made *m, const char *const *tables, size_t n,
	const struct mer_table_options *o, struct api_answer *x, struct mer_result **results,
	struct mer_err *err)
{
	bool *wanted = mer_arena_zalloc(&x->arena, (size_t)m->n, sizeof(*wanted));
	int rc = wanted ? 0 : mer_fail_nomem(err);
	if (rc == 0)
		rc = check(m, o, &x->selection, err);
	if (rc == 0)
		rc = choose(m, tables, n, o, wanted, err);
	if (rc == 0)
		rc = api_periods(x, o, err);
	x->request.selection = &x->selection;
	x->request.periods = x->periods;
	if (rc == 0)
		rc = m->ask(x, o, wanted, err);
	if (rc == 0)
		rc = session_request(s->session, &x->request, &x->answer, err);
	if (rc)
		return rc;
	struct mer_table *made = mer_arena_zalloc(&x->arena, (size_t)m->n, sizeof(*made));
	if (!made)
		return mer_fail_nomem(err);
	x->made = made;
	x->n_made = m->n;
	rc = m->make(x, o, made, err);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		int table;
		rc = find(m, tables[i], &table, err);
		if (rc == 0)
			rc = api_result_of(x, &made[table], &results[i], err);
		if (rc == 0)
			arrange(results[i], &made[table], o);
	}
	return rc;
}
