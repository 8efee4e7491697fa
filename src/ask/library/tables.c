/* Tables of analyses: options become a request, and its answer becomes results. An option that does
 * not apply to a table is an error: otherwise its rows would be taken for something else. */
#include <stdlib.h>
#include <string.h>

#include "analysis/all.h"
#include "analysis/fold.h"
#include "ask/library/api.h"
#include "base/err.h"
#include "session/choice.h"
#include "session/rows.h"
#include "trace/filter/filter.h"

enum { BINS = 20 };

void api_answer_release(struct api_answer *x)
{
	if (!x || atomic_fetch_sub(&x->n_results, 1) > 1)
		return;
	if (x->answer.request)
		session_answer_fini(&x->answer);
	for (int i = 0; i < x->n_made; i++)
		mer_table_fini(&x->made[i]);
	analysis_period_rule_free(x->periods);
	trace_filter_free(x->filter);
	mer_arena_fini(&x->arena);
	free(x);
}

static const struct analysis_output *output_of(const struct api_answer *x, size_t i)
{
	return &x->wanted[i].analysis->outputs[x->wanted[i].output];
}

/* ---- From options to a request ---- */

/* An option: its name, whether it is set, and what it chooses. */
struct chosen {
	const char *name;
	bool is_set;
	enum session_choice choice;
};

static int check_choices(
	const struct api_answer *x, const struct mer_table_options *o, struct mer_err *err)
{
	const struct chosen list[] = {
		{ "group_by", o->group_by, SESSION_CHOICE_GROUPS },
		{ "filter", o->filter, SESSION_CHOICE_FILTER },
		{ "min_ns", o->min_ns, SESSION_CHOICE_DURATIONS },
		{ "max_ns", o->max_ns != INT64_MAX, SESSION_CHOICE_DURATIONS },
		{ "min_bytes", o->min_bytes, SESSION_CHOICE_SIZES },
		{ "max_bytes", o->max_bytes != UINT64_MAX, SESSION_CHOICE_SIZES },
		{ "names", o->n_names, SESSION_CHOICE_NAMES },
		{ "a selection of tasks", session_selects_tasks(&x->selection),
			SESSION_CHOICE_TASKS },
	};
	const struct analysis *a = x->wanted[0].analysis;
	for (size_t k = 0; k < sizeof(list) / sizeof(*list); k++) {
		uint32_t applies =
			list[k].is_set ? session_choice_tables(a, list[k].choice) : UINT32_MAX;
		for (size_t i = 0; i < x->request.n; i++)
			if (!(applies >> x->wanted[i].output & 1))
				return mer_fail(err, MER_ERR_USAGE,
					"%s does not apply to the table '%s' of '%s'", list[k].name,
					output_of(x, i)->id, a->id);
	}
	return 0;
}

static bool has_bins(const struct api_answer *x)
{
	uint32_t bins = session_choice_tables(x->wanted[0].analysis, SESSION_CHOICE_BINS);
	for (size_t i = 0; i < x->request.n; i++)
		if (bins >> x->wanted[i].output & 1)
			return true;
	return false;
}

/* Does a table have the column to sort by? With group_by, columns are known only when the table is
 * made. */
static bool can_sort(const struct api_answer *x, const struct mer_table_options *o)
{
	for (size_t i = 0; i < x->request.n && !o->group_by; i++)
		if (mer_column_meant(output_of(x, i)->columns, o->sort + (*o->sort == '+')))
			return true;
	return o->group_by;
}

static int check(const struct api_answer *x, const struct mer_table_options *o, struct mer_err *err)
{
	const struct analysis *a = x->wanted[0].analysis;
	int rc = check_choices(x, o, err);
	if (rc)
		return rc;
	if (o->all)
		return mer_fail(err, MER_ERR_USAGE, "all does not apply to '%s'", a->id);
	if ((o->n_bins || o->interval_ns) && !has_bins(x))
		return mer_fail(err, MER_ERR_USAGE,
			"%s does not apply to the table '%s' of '%s', which is not over time",
			o->n_bins ? "n_bins" : "interval_ns", output_of(x, 0)->id, a->id);
	if (a->of_periods && !o->period)
		return mer_fail_remedy(err, MER_ERR_USAGE, MER_REMEDY_PERIOD_NEEDED,
			"'%s' needs periods between two events", a->id);
	if (!o->period && (o->n_period_by || o->period_min_ns || o->period_max_ns != INT64_MAX))
		return mer_fail(err, MER_ERR_USAGE, "%s needs period",
			o->n_period_by	   ? "period_by"
			: o->period_min_ns ? "period_min_ns"
					   : "period_max_ns");
	if (o->n_names > SESSION_NAMES)
		return mer_fail(err, MER_ERR_USAGE, "names: at most %d", (int)SESSION_NAMES);
	if (o->n_bins && o->interval_ns)
		return mer_fail(err, MER_ERR_USAGE, "n_bins and interval_ns exclude each other");
	if (o->min_ns < 0 || o->interval_ns < 0 || o->max_ns < o->min_ns || o->period_min_ns < 0 ||
		o->period_max_ns < o->period_min_ns)
		return mer_fail(err, MER_ERR_USAGE,
			"a duration is negative, or the greatest one less than the least");
	if (o->max_bytes < o->min_bytes)
		return mer_fail(err, MER_ERR_USAGE, "max_bytes is less than min_bytes");
	if (o->sort && !can_sort(x, o))
		return mer_fail(err, MER_ERR_USAGE, "the table '%s' of '%s' has no column '%.100s'",
			output_of(x, 0)->id, a->id, o->sort + (*o->sort == '+'));
	return 0;
}

/* Each table is made once, however often it is listed; where[i]: index in the request of
 * tables[i]. */
static int find_tables(struct api_answer *x, const char *analysis, const char *const *tables,
	size_t n, size_t *where, struct mer_err *err)
{
	const struct analysis *a = analysis_find(analysis);
	if (!a)
		return mer_fail(err, MER_ERR_USAGE, "no analysis '%.100s'", analysis);
	for (size_t i = 0; i < n; i++) {
		int output = analysis_find_output(a, tables[i]);
		size_t k = 0;
		const struct analysis_moved *moved = analysis_find_moved(a, tables[i]);
		if (moved)
			return mer_fail(err, MER_ERR_USAGE,
				"the table '%s' of '%s' is now '%s' of '%s'", moved->output, a->id,
				moved->to, moved->analysis);
		if (output < 0)
			return mer_fail(err, MER_ERR_USAGE, "'%s' has no table '%.100s'", analysis,
				tables[i]);
		while (k < x->request.n && x->wanted[k].output != (unsigned)output)
			k++;
		x->wanted[k] = (struct analysis_request){ a, (unsigned)output };
		x->request.n += k == x->request.n;
		where[i] = k;
	}
	return n ? 0 : mer_fail(err, MER_ERR_USAGE, "no table");
}

static void complete(struct mer_table_options *o)
{
	if (!o->max_ns && !o->zero_max)
		o->max_ns = INT64_MAX;
	if (!o->max_bytes && !o->zero_max)
		o->max_bytes = UINT64_MAX;
	if (!o->period_max_ns && !o->zero_max)
		o->period_max_ns = INT64_MAX;
}

static struct session_rows rows_of(const struct mer_table_options *o)
{
	return (struct session_rows){ .sort = o->sort,
		.reverse = o->reverse,
		.leaves_out = o->leave_out,
		.limit = o->limit };
}

int api_periods(struct api_answer *x, const struct mer_table_options *o, struct mer_err *err)
{
	struct analysis_period_query q = { .expression = o->period,
		.by = o->period_by,
		.n_by = o->n_period_by,
		.min_ns = o->period_min_ns,
		.max_ns = o->period_max_ns,
		.tells_tasks = session_tells_tasks(x->wanted, x->request.n) };
	return o->period ? analysis_period_rule_new(&q, &x->periods, err) : 0;
}

/* Makes x->request from the options; everything that it refers to is in x. */
static int understand(const struct mer_table_options *o, struct api_answer *x, struct mer_err *err)
{
	struct session_rows rows = rows_of(o);
	int rc = api_texts(&x->names, o->names, o->n_names, &x->arena, err);
	if (rc == 0)
		rc = check(x, o, err);
	if (rc == 0 && o->filter)
		rc = trace_filter_parse(o->filter, &x->filter, err);
	if (rc == 0)
		rc = api_periods(x, o, err);
	bool usual = !o->n_bins && !o->interval_ns && has_bins(x);
	x->request.tables = x->wanted;
	x->request.selection = &x->selection;
	x->request.names = x->names.n ? &x->names : NULL;
	x->request.periods = x->periods;
	x->request.options = (struct analysis_options){ .min_ns = o->min_ns,
		.max_ns = o->max_ns,
		.sizes = { o->min_bytes || o->max_bytes != UINT64_MAX, o->min_bytes, o->max_bytes },
		.n_bins = usual ? BINS : o->n_bins,
		.interval_ns = o->interval_ns,
		.max_bins = o->max_bins,
		.group_by = o->group_by ? mer_arena_strdup(&x->arena, o->group_by) : NULL,
		.filter = x->filter };
	x->request.stage = SESSION_READING;
	session_rows_prepare(&rows, x->wanted, x->request.n, &x->request.options);
	return rc == 0 && x->arena.failed ? mer_fail_nomem(err) : rc;
}

/* ---- The answer ---- */

static void copy_rows(struct mer_result *r, const struct mer_table *t)
{
	mer_table_init(&r->own, t->id, t->title, t->columns, NULL);
	for (size_t i = 0; i < t->n_rows; i++)
		mer_table_add(&r->own, &t->cells[i * t->n_columns]);
	r->own.n_left_out = t->n_left_out;
}

int api_result_of(struct api_answer *x, const struct mer_table *t, struct mer_result **result,
	struct mer_err *err)
{
	int rc = api_new_result(NULL, NULL, NULL, result, err);
	if (rc)
		return rc;
	(*result)->answer = x;
	atomic_fetch_add(&x->n_results, 1);
	(*result)->table = t;
	return t->failed ? mer_fail_nomem(err) : 0;
}

/* Makes a result for each table. A table that is listed both for its whole content and not is
 * copied before its rows are arranged. */
static int make_results(struct api_answer *x, const struct mer_table_options *o,
	const size_t *where, size_t n, struct mer_result **results, struct mer_err *err)
{
	struct session_rows rows = rows_of(o);
	size_t n_whole = o->n_whole < n ? o->n_whole : n, n_shown = n - n_whole;
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < n; i++) {
		rc = api_result_of(x, &x->answer.tables[where[i]], &results[i], err);
		if (rc)
			return rc;
		results[i]->sorted = output_of(x, where[i])->sort;
		for (size_t k = 0; k < n_shown && i >= n_shown; k++)
			if (where[k] == where[i] && results[i]->table != &results[i]->own) {
				copy_rows(results[i], results[i]->table);
				results[i]->table = &results[i]->own;
			}
		if (results[i]->table->failed)
			rc = mer_fail_nomem(err);
	}
	for (size_t i = 0; rc == 0 && i < n_shown; i++) {
		size_t before = 0;
		while (where[before] != where[i])
			before++;
		if (before == i)
			rc = session_rows_arrange(&x->answer, where[i], &rows, &results[i]->sorted,
				&x->left_out, err);
		results[i]->sorted = results[before]->sorted;
	}
	return rc;
}

/* ---- What hosts have ---- */

static int take_partials(const struct mer_session *s, struct api_answer *x,
	const struct mer_table_options *o, struct analysis_partials *to, struct mer_err *err)
{
	const struct mer_experiment *e = session_experiment(s->session);
	if (!analysis_partials_init(to, e->n_hosts, x->request.n))
		return mer_fail_nomem(err);
	for (size_t i = 0; i < to->n; i++)
		to->idle[i] = o->leave_out && session_rows_are_calls(&x->wanted[i]);
	x->request.options.partials = to;
	return 0;
}

static bool any_cpu(void *ctx, uint16_t cpu)
{
	(void)ctx;
	(void)cpu;
	return true;
}

/* The tables of an answer without a session. */
static int merge(struct api_answer *x, const struct mer_table_options *o, struct api_partials *from,
	struct mer_err *err)
{
	struct session_answer *a = &x->answer;
	const struct session_selection *s = &x->selection;
	*a = (struct session_answer){ .request = &x->request, .selection = s };
	a->options = x->request.options;
	a->options.begin = s->begin.kind ? s->begin.ns : INT64_MIN;
	a->options.end = s->end.kind ? s->end.ns : INT64_MAX;
	/* Each host has chosen; what finishes rows goes by whether there was a choice. */
	a->options.wants_cpu = s->cpus.n ? any_cpu : NULL;
	a->tables = calloc(x->request.n + 1, sizeof(*a->tables));
	x->none = mer_arena_zalloc(&x->arena, 1, sizeof(*x->none));
	if (!a->tables || !x->none)
		return mer_fail_nomem(err);
	a->has_run = true;
	return analysis_merge(&a->run, x->none, &a->options, x->wanted, x->request.n, from->hosts,
		from->n_hosts, o->leave_out, &x->left_out, a->tables, err);
}

static int ask(struct mer_session *s, const char *analysis, const char *const *tables, size_t n,
	const struct mer_table_options *options, struct api_partials *partials,
	struct api_answer *x, struct mer_result **results, struct mer_err *err)
{
	struct mer_table_options own = *options, *o = &own;
	size_t *where = mer_arena_zalloc(&x->arena, n + 1, sizeof(*where));
	x->wanted = mer_arena_zalloc(&x->arena, n + 1, sizeof(*x->wanted));
	int rc = where && x->wanted ? find_tables(x, analysis, tables, n, where, err)
				    : mer_fail_nomem(err);
	if (rc == 0)
		rc = understand(o, x, err);
	if (partials && partials->knows_events) {
		x->request.options.knows_events = true;
		x->request.options.first_event = partials->first_event;
		x->request.options.last_event = partials->last_event;
	}
	if (rc == 0 && partials && partials->taken)
		rc = take_partials(s, x, o, partials->taken, err);
	if (rc == 0)
		rc = s ? session_request(s->session, &x->request, &x->answer, err)
		       : merge(x, o, partials, err);
	if (!s) /* rows that are left out are none of these any more */
		o->leave_out = false;
	return rc ? rc : make_results(x, o, where, n, results, err);
}

int api_tables(struct mer_session *s, const char *analysis, const char *const *tables,
	size_t n_tables, const struct mer_table_options *options,
	const struct session_selection *selected, struct api_partials *partials,
	struct mer_result **results, struct mer_err *err)
{
	struct mer_table_options o;
	struct mer_result *none;
	for (size_t i = 0; i < n_tables; i++)
		results[i] = NULL;
	int rc = s ? api_begin(s, &none, err) : 0;
	if (rc == 0)
		rc = mer_options_read(&o, sizeof(o), 0, options, err);
	if (rc)
		return rc;
	struct api_answer *x = calloc(1, sizeof(*x));
	if (!x)
		return mer_fail_nomem(err);
	mer_arena_init(&x->arena);
	atomic_init(&x->n_results, 1); /* until all are made */
	complete(&o);
	const struct api_made *made = api_made_find(analysis);
	if (selected)
		x->selection = *selected;
	else
		rc = api_selection(s, o.selection, &x->arena, &x->selection, err);
	if (rc == 0)
		rc = made ? api_make(s, made, tables, n_tables, &o, x, results, err)
			  : ask(s, analysis, tables, n_tables, &o, partials, x, results, err);
	for (size_t i = 0; rc && i < n_tables; i++) {
		mer_result_free(results[i]);
		results[i] = NULL;
	}
	api_answer_release(x);
	return rc;
}

int mer_session_tables(struct mer_session *s, const char *analysis, const char *const *tables,
	size_t n_tables, const struct mer_table_options *options, struct mer_result **results,
	struct mer_err *err)
{
	API_ERR(err);
	return api_tables(s, analysis, tables, n_tables, options, NULL, NULL, results, err);
}

int mer_session_table(struct mer_session *s, const char *analysis, const char *table,
	const struct mer_table_options *options, struct mer_result **result, struct mer_err *err)
{
	return mer_session_tables(s, analysis, &table, 1, options, result, err);
}
