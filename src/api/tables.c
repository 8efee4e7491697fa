/* Tables of analyses: from options to a request, and its answer. What does not apply to a table is an error, so that
 * nobody takes its rows for what was asked for. */
#include <string.h>

#include "analysis/all.h"
#include "analysis/fold.h"
#include "api/api.h"
#include "base/err.h"
#include "trace/filter/filter.h"

enum { BINS = 20 };

static bool is_over_time(const struct analysis_output *o)
{
	return strncmp(o->id, "bins", 4) == 0;
}

static bool has_tasks(const struct analysis *a)
{
	for (const struct analysis_output *o = a->outputs; o->id; o++)
		for (const struct mer_column *c = o->columns; c->key; c++)
			if (strcmp(c->key, "tid") == 0)
				return true;
	return false;
}

/* The first option that says something and does not apply; NULL: there is none. */
static const char *superfluous(const struct mer_result *r, const struct mer_table_options *o)
{
	const struct analysis *a = r->wanted.analysis;
	const struct analysis_output *out = &a->outputs[r->wanted.output];
	uint32_t bit = (uint32_t)1 << r->wanted.output;
	if (o->group_by && !(out->fold && fold_plan_groups_by(out->fold)))
		return "group_by";
	if (o->filter && !out->fold)
		return "filter";
	if ((o->min_ns || o->max_ns) && !(a->by_duration & bit))
		return o->min_ns ? "min_ns" : "max_ns";
	if (o->n_names && !(a->by_name & bit))
		return "names";
	if ((o->n_bins || o->interval_ns) && !is_over_time(out))
		return o->n_bins ? "n_bins" : "interval_ns";
	if (session_selects_tasks(&r->selection) && !has_tasks(a))
		return "a selection of tasks";
	return NULL;
}

static int check(const struct mer_result *r, const struct mer_table_options *o, struct mer_err *err)
{
	const struct analysis *a = r->wanted.analysis;
	const char *word = superfluous(r, o);
	if (word)
		return mer_fail(err, MER_ERR_USAGE, "%s does not apply to the table '%s' of '%s'",
			word, a->outputs[r->wanted.output].id, a->id);
	if (a->of_periods)
		return mer_fail_remedy(err, MER_ERR_USAGE, MER_REMEDY_PERIOD_NEEDED,
			"'%s' needs periods, which only the program has", a->id);
	if (o->n_names > SESSION_NAMES)
		return mer_fail(err, MER_ERR_USAGE, "names: at most %d", (int)SESSION_NAMES);
	if (o->n_bins && o->interval_ns)
		return mer_fail(err, MER_ERR_USAGE, "n_bins and interval_ns exclude each other");
	if (o->min_ns < 0 || o->interval_ns < 0 || (o->max_ns && o->max_ns < o->min_ns))
		return mer_fail(
			err, MER_ERR_USAGE, "a duration is negative, or max_ns less than min_ns");
	return 0;
}

static int find_table(const char *analysis, const char *table, struct analysis_request *wanted,
	struct mer_err *err)
{
	wanted->analysis = analysis_find(analysis);
	if (!wanted->analysis)
		return mer_fail(err, MER_ERR_USAGE, "no analysis '%.100s'", analysis);
	int output = analysis_find_output(wanted->analysis, table);
	const struct analysis_moved *moved = analysis_find_moved(wanted->analysis, table);
	if (moved)
		return mer_fail(err, MER_ERR_USAGE, "the table '%s' of '%s' is now '%s' of '%s'",
			table, analysis, moved->to, moved->analysis);
	if (output < 0)
		return mer_fail(err, MER_ERR_USAGE, "'%s' has no table '%.100s'", analysis, table);
	wanted->output = (unsigned)output;
	return 0;
}

/* The request, all of whose parts are in r. */
static int understand(const struct mer_session *s, const struct mer_table_options *o,
	struct mer_result *r, struct mer_err *err)
{
	int rc = api_selection(s, o->selection, &r->arena, &r->selection, err);
	if (rc == 0)
		rc = api_texts(&r->names, o->names, o->n_names, &r->arena, err);
	if (rc == 0)
		rc = check(r, o, err);
	if (rc == 0 && o->filter)
		rc = trace_filter_parse(o->filter, &r->filter, err);
	bool over_time = is_over_time(&r->wanted.analysis->outputs[r->wanted.output]);
	r->request = (struct session_request){
		.tables = &r->wanted,
		.n = 1,
		.selection = &r->selection,
		.names = r->names.n ? &r->names : NULL,
		.options = { .min_ns = o->min_ns,
			.max_ns = o->max_ns ? o->max_ns : INT64_MAX,
			.sizes = { false, 0, UINT64_MAX },
			.n_bins = o->n_bins || o->interval_ns || !over_time ? o->n_bins : BINS,
			.interval_ns = o->interval_ns,
			.group_by = o->group_by ? mer_arena_strdup(&r->arena, o->group_by) : NULL,
			.filter = r->filter,
			.limit = o->limit },
		.stage = SESSION_READING,
	};
	return rc == 0 && r->arena.failed ? mer_fail_nomem(err) : rc;
}

int mer_session_table(struct mer_session *s, const char *analysis, const char *table,
	const struct mer_table_options *options, struct mer_result **result, struct mer_err *err)
{
	API_ERR(err);
	struct mer_table_options o;
	int rc = api_begin_table(s, NULL, NULL, NULL, result, err);
	if (rc)
		return rc;
	struct mer_result *r = *result;
	rc = api_options(&o, sizeof(o), options, err);
	if (rc == 0)
		rc = find_table(analysis, table, &r->wanted, err);
	if (rc == 0)
		rc = understand(s, &o, r, err);
	if (rc == 0)
		rc = session_request(s->session, &r->request, &r->answer, err);
	if (rc == 0) {
		mer_table_limit(&r->answer.tables[0], o.limit);
		r->table = &r->answer.tables[0];
	}
	return api_end(result, rc, err);
}

/* ---- Which there are ---- */

int mer_session_catalog(struct mer_session *s, struct mer_result **result, struct mer_err *err)
{
	API_ERR(err);
	enum { ANALYSIS, TABLE, TITLE, COLUMNS, GROUPS, FILTERS, N };
	static const struct mer_column columns[N + 1] = {
		[ANALYSIS] = { "analysis", "Analysis", MER_TEXT },
		[TABLE] = { "table", "Table", MER_TEXT },
		[TITLE] = { "title", "Title", MER_TEXT },
		[COLUMNS] = { "columns", "Columns", MER_TEXT },
		[GROUPS] = { "groups", NULL, MER_ID },
		[FILTERS] = { "filters", NULL, MER_ID },
	};
	(void)s;
	int rc = api_new_result("catalog", "Tables of analyses", columns, result, err);
	if (rc)
		return rc;
	struct mer_table *t = &(*result)->own;
	for (size_t i = 0; analyses[i]; i++)
		for (const struct analysis_output *o = analyses[i]->outputs; o->id; o++) {
			struct mer_str keys = { 0 };
			if (analyses[i]->of_periods)
				continue;
			for (const struct mer_column *c = o->columns; c->key; c++)
				mer_str_printf(&keys, "%s%s", c == o->columns ? "" : " ", c->key);
			mer_table_add(t,
				(struct mer_cell[N]){
					[ANALYSIS] = mer_text(analyses[i]->id),
					[TABLE] = mer_text(o->id),
					[TITLE] = mer_text(o->title),
					[COLUMNS] = mer_table_keep(t, &keys),
					[GROUPS] = MER_INT(o->fold && fold_plan_groups_by(o->fold)),
					[FILTERS] = MER_INT(o->fold != NULL),
				});
		}
	return api_end(result, 0, err);
}
