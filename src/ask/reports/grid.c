#include "ask/reports/grid.h"
#include "ask/reports/grid_part.h"
#include "ask/reports/grid_vms.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "analysis/bins.h"
#include "ask/library/api.h"
#include "base/nearest.h"
#include "draw/chart_table.h"
#include "ask/print/bins.h"
#include "ask/words/here.h"
#include "ask/session.h"
#include "ask/print/table.h"
#include "ask/tasks.h"
#include "ask/print/text.h"
#include "ask/verb.h"
#include "session/choice.h"
#include "trace/filter/filter.h"

enum { SCREENFUL = 20, PLOT_BINS = 300, MAX_ANALYSES = 64 };

/* ---- What there is ---- */

static bool has_output(const struct analysis *a, const char *verb)
{
	for (const struct analysis_output *o = a->outputs; o->id; o++)
		if (session_is_table_of(o, verb))
			return true;
	return false;
}

static size_t list_names(const char *verb, const char **names)
{
	size_t n = 0;
	for (size_t i = 0; analyses[i] && n < MAX_ANALYSES; i++)
		if (has_output(analyses[i], verb))
			names[n++] = analyses[i]->id;
	return n;
}

/* "cpu, sched and irq" */
static void put_names(struct mer_str *out, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		mer_str_printf(out, "%s%s", i == 0 ? "" : i + 1 < n ? ", " : " and ", names[i]);
}

/* The verbs that an analysis has. */
static void put_verbs(struct mer_str *out, const struct analysis *a)
{
	static const char *const verbs[] = { "top", "log", "freq", "stats" };
	const char *has[4];
	size_t n = 0;
	for (size_t i = 0; i < 4; i++)
		if (has_output(a, verbs[i]))
			has[n++] = verbs[i];
	put_names(out, has, n);
}

/* For people a line each; columns are for programs. */
static int list_analyses(struct ask *ask, const char *verb)
{
	enum { ANALYSIS, HELP, TABLES, N };
	static const struct mer_column columns[N + 1] = {
		[ANALYSIS] = { "analysis", NULL, MER_TEXT },
		[HELP] = { "help", NULL, MER_TEXT },
		[TABLES] = { "tables", NULL, MER_TEXT },
	};
	struct mer_table t;
	struct mer_str out = { 0 }, line = { 0 }, text = { 0 };
	mer_table_init(&t, "analyses", NULL, columns, &ask->arena);
	mer_str_printf(&out, "Usage: meridian %s ANALYSIS [OPTION...] TRACE...\n\n", verb);
	for (size_t i = 0; analyses[i]; i++) {
		const struct analysis *a = analyses[i];
		struct mer_str tables = { 0 };
		if (!has_output(a, verb))
			continue;
		for (const struct analysis_output *o = a->outputs; o->id; o++)
			mer_str_printf(&tables, "%s%s", o == a->outputs ? "" : ",", o->id);
		mer_str_printf(&line, "%s\n", a->help);
		ask_text_wrap(&text, line.data ? line.data : "", 79, 13);
		mer_str_printf(&out, "  %-10s %s", a->id, text.len > 13 ? text.data + 13 : "\n");
		mer_str_clear(&line);
		mer_str_clear(&text);
		mer_table_add(&t, (struct mer_cell[N]){
					  [ANALYSIS] = mer_text(a->id),
					  [HELP] = mer_text(a->help),
					  [TABLES] = mer_table_keep(&t, &tables),
				  });
	}
	mer_str_printf(&out, "\n'meridian %s --help' lists the options.\n", verb);
	int rc = ask->format == ASK_FORMAT_TABLE ? ask_put(ask, &out, 0) : ask_table_print(ask, &t);
	mer_str_fini(&out);
	mer_str_fini(&line);
	mer_str_fini(&text);
	mer_table_fini(&t);
	return rc;
}

/* --table ?: the tables of an analysis, with the keys of their columns. */
static bool asks_for_tables(const struct ask *ask, const struct ask_grid_values *values)
{
	const char *word = values->tables.n == 1 ? values->tables.item[0] : "";
	return (strcmp(word, "?") == 0 || strcmp(word, "list") == 0 || strcmp(word, "help") == 0) &&
	       analysis_find(ask->args[0]);
}

static int list_tables(struct ask *ask)
{
	enum { TABLE, TITLE, COLUMNS, N };
	static const struct mer_column columns[N + 1] = {
		[TABLE] = { "table", NULL, MER_TEXT },
		[TITLE] = { "title", NULL, MER_TEXT },
		[COLUMNS] = { "columns", NULL, MER_TEXT },
	};
	const struct analysis *a = analysis_find(ask->args[0]);
	struct mer_table t;
	struct mer_str out = { 0 };
	mer_table_init(&t, "tables", NULL, columns, &ask->arena);
	mer_str_printf(&out, "Tables of '%s', for --table and --sort:\n", a->id);
	for (const struct analysis_output *o = a->outputs; o->id; o++) {
		struct mer_str keys = { 0 };
		for (const struct mer_column *c = o->columns; c->key; c++)
			mer_str_printf(&keys, "%s%s", c == o->columns ? "" : " ", c->key);
		mer_str_printf(&out, "\n%s: %s\n", o->id, o->title);
		ask_text_wrap(&out, keys.data ? keys.data : "", (size_t)ask_width(ask), 2);
		mer_table_add(&t, (struct mer_cell[N]){
					  [TABLE] = mer_text(o->id),
					  [TITLE] = mer_text(o->title),
					  [COLUMNS] = mer_table_keep(&t, &keys),
				  });
	}
	int rc = ask->format == ASK_FORMAT_TABLE ? ask_put(ask, &out, 0) : ask_table_print(ask, &t);
	mer_str_fini(&out);
	mer_table_fini(&t);
	return rc;
}

bool ask_grid_asked(const struct ask *ask)
{
	return ask->n_args && analysis_find(ask->args[0]) && access(ask->args[0], F_OK) != 0;
}

const char *ask_grid_meant(const struct ask *ask)
{
	const char *names[MAX_ANALYSES];
	if (!ask->n_args || access(ask->args[0], F_OK) == 0)
		return NULL;
	return mer_nearest(ask->args[0], names, list_names(ask->verb->name, names));
}

/* ---- What was asked for ---- */

int ask_grid_no_view(struct ask *ask, const char *what, const char *how)
{
	return mer_fail(&ask->err, MER_ERR_USAGE,
		"--view does not apply to '%s'%s; for the states of a view: meridian %s view --view %.200s TRACE...",
		what, how, ask->verb->name, ask->views.item[0]);
}

static int no_such_analysis(struct ask *ask, const char *verb)
{
	const char *names[MAX_ANALYSES], *word = ask->args[0];
	size_t n = list_names(verb, names);
	struct mer_str list = { 0 };
	put_names(&list, names, n);
	bool is_path = access(word, F_OK) == 0;
	const char *best = is_path ? NULL : mer_nearest(word, names, n);
	int rc = is_path ? mer_fail(&ask->err, MER_ERR_USAGE,
				   "the analysis comes before the traces ('%.100s'); there are: %s",
				   word, list.data ? list.data : "none")
			 : mer_fail(&ask->err, MER_ERR_USAGE,
				   "no analysis '%.100s'%s%s%s; there are: %s", word,
				   best ? " (did you mean " : "", best ? best : "",
				   best ? "?)" : "", list.data ? list.data : "none");
	mer_str_fini(&list);
	return rc;
}

static int has_no_output(struct ask *ask, const struct analysis *a, const char *what)
{
	struct mer_str list = { 0 };
	put_verbs(&list, a);
	int rc = mer_fail(&ask->err, MER_ERR_USAGE, "'%s' has no '%s'; it has: %s", a->id, what,
		list.data ? list.data : "nothing");
	mer_str_fini(&list);
	return rc;
}

/* Each table once, however often it is asked for. */
static void request_one(struct ask_grid *g, unsigned output)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->requests[i].output == output)
			return;
	if (g->n < ASK_GRID_TABLES)
		g->requests[g->n++] = (struct analysis_request){ g->analysis, output };
}

static void request(struct ask_grid *g, const char *what)
{
	for (unsigned i = 0; g->analysis->outputs[i].id; i++)
		if (session_is_table_of(&g->analysis->outputs[i], what))
			request_one(g, i);
}

/* For a chart, with all rows: also what is printed. */
static void request_whole(struct ask_grid *g, const char *what)
{
	for (unsigned i = 0; g->analysis->outputs[i].id; i++)
		if (session_is_table_of(&g->analysis->outputs[i], what) && g->n < ASK_GRID_TABLES)
			g->requests[g->n++] = (struct analysis_request){ g->analysis, i };
}

static const struct analysis_output *output_of(const struct ask_grid *g, size_t i)
{
	return &g->requests[i].analysis->outputs[g->requests[i].output];
}

/* Unknown keys are found before anything is read. */
static int check_sort(struct ask_grid *g)
{
	const char *names[256], *key = g->values->sort;
	size_t n = 0;
	if (!key)
		return 0;
	key += *key == '+';
	for (size_t i = 0; i < g->n_printed; i++) {
		if (mer_column_meant(output_of(g, i)->columns, key) || g->values->group_by)
			return 0;
		for (const struct mer_column *c = output_of(g, i)->columns; c->key; c++)
			if (n < sizeof(names) / sizeof(*names))
				names[n++] = c->key;
	}
	struct mer_str list = { 0 };
	put_names(&list, names, n);
	const char *best = mer_nearest(key, names, n);
	int rc = mer_fail(&g->ask->err, MER_ERR_USAGE,
		"--sort: no column '%.100s'%s%s%s; there are: %s", key,
		best ? " (did you mean " : "", best ? best : "", best ? "?)" : "",
		list.data ? list.data : "");
	mer_str_fini(&list);
	return rc;
}

static int check_options(struct ask_grid *g)
{
	const struct ask_grid_values *v = g->values;
	const struct analysis *a = g->analysis;
	struct mer_err *err = &g->ask->err;
	int rc = ask_bins_check(&v->bins, &v->interval, v->plot, err);
	if (rc)
		return rc;
	const struct analysis_moved *map = analysis_find_moved(a, "map");
	if (v->plot && strcmp(g->verb, "log") == 0 && map)
		return mer_fail(err, MER_ERR_USAGE,
			"--plot: the chart of '%s' is now: meridian log %s --plot %s", a->id,
			map->analysis, v->plot);
	if (v->plot && strcmp(g->verb, "log") == 0 && !has_output(a, "map"))
		return mer_fail(err, MER_ERR_USAGE,
			"--plot does not apply to '%s': it has no table 'map'", a->id);
	if ((v->bins.set || v->interval.set || (v->plot && strcmp(g->verb, "log") != 0)) &&
		!session_choice_tables(a, SESSION_CHOICE_BINS))
		return mer_fail(err, MER_ERR_USAGE,
			"--%s does not apply to '%s': it has no data over time",
			v->plot	      ? "plot"
			: v->bins.set ? "bins"
				      : "interval",
			a->id);
	if (v->min.set && v->max.set && v->max.v < v->min.v)
		return mer_fail(err, MER_ERR_USAGE, "--max is less than --min");
	if ((v->min_size.set || v->max_size.set) && !session_choice_tables(a, SESSION_CHOICE_SIZES))
		return mer_fail(err, MER_ERR_USAGE,
			"--%s-size does not apply to '%s': it has no sizes to select by",
			v->min_size.set ? "min" : "max", a->id);
	if (v->min_size.set && v->max_size.set && v->max_size.v < v->min_size.v)
		return mer_fail(err, MER_ERR_USAGE, "--max-size is less than --min-size");
	if (v->names.n > SESSION_NAMES)
		return mer_fail(err, MER_ERR_USAGE, "--name: at most %d", (int)SESSION_NAMES);
	/* Those of a server are for whichever command needs them. */
	bool are_own = !g->ask->shared || g->ask->marks;
	if (g->ask->views.n && are_own && !a->of_views)
		return ask_grid_no_view(g->ask, a->id, "");
	if (a->of_periods && !v->period.expression)
		return mer_fail(err, MER_ERR_USAGE,
			"'%s' needs --period 'BEGIN : END', two events: meridian %s %s --period 'syscall_entry_fsync : syscall_exit_fsync' --period-by tid TRACE...",
			a->id, g->verb, a->id);
	if (a->of_periods && session_selects_tasks(&g->ask->select))
		return mer_fail(err, MER_ERR_USAGE,
			"--%s does not apply to '%s': choose in the expression of --period",
			g->ask->select.tids.n ? ask_tids_option(g->ask) : "comm", a->id);
	if (session_selects_tasks(&g->ask->select) &&
		!session_choice_tables(a, SESSION_CHOICE_TASKS))
		return mer_fail(err, MER_ERR_USAGE,
			"--%s does not apply to '%s': it has no data per task",
			g->ask->select.tids.n ? ask_tids_option(g->ask) : "comm", a->id);
	return check_sort(g);
}

/* An option that chooses what counts in some tables of the analysis needs to do so in all that are
 * asked for. */
static int check_choice(
	const struct ask_grid *g, const char *option, enum session_choice choice, const char *what)
{
	const struct analysis *a = g->analysis;
	uint32_t by = session_choice_tables(a, choice);
	struct mer_err *err = &g->ask->err;
	const char *names[MAX_ANALYSES];
	size_t i = 0, n = 0;
	while (i < g->n && by >> g->requests[i].output & 1)
		i++;
	if (i == g->n)
		return 0;
	if (!by)
		return mer_fail(err, MER_ERR_USAGE, "--%s does not apply to '%s': it has no %s",
			option, a->id, what);
	for (unsigned k = 0; a->outputs[k].id && n < MAX_ANALYSES; k++)
		if (by >> k & 1)
			names[n++] = a->outputs[k].id;
	struct mer_str list = { 0 };
	put_names(&list, names, n);
	int rc = mer_fail(err, MER_ERR_USAGE,
		"--%s does not apply to the table '%s' of '%s'; it applies to %s", option,
		output_of(g, i)->id, a->id, list.data ? list.data : "none");
	mer_str_fini(&list);
	return rc;
}

/* Of tables that are named one is over time, or --bins would change nothing. */
static int check_bins(const struct ask_grid *g)
{
	bool any = false;
	for (size_t i = 0; i < g->n; i++)
		any |= session_is_table_of(output_of(g, i), "bins");
	return any ? 0
		   : check_choice(g, g->values->bins.set ? "bins" : "interval", SESSION_CHOICE_BINS,
			     "data over time");
}

/* Of tables that nobody has named, those that an option applies to; all, where it applies to
 * none. */
static void drop_others(struct ask_grid *g, uint32_t tables)
{
	size_t n = 0;
	if (g->values->tables.n || g->values->plot)
		return;
	for (size_t i = 0; i < g->n; i++)
		if (tables >> g->requests[i].output & 1)
			g->requests[n++] = g->requests[i];
	if (n)
		g->n = g->n_printed = n;
}

/* --group-by and --filter are for tables that are made of facts; the first for groups of them. */
static int check_folds(struct ask_grid *g)
{
	const struct ask_grid_values *v = g->values;
	if (v->group_by && v->plot)
		return mer_fail(
			&g->ask->err, MER_ERR_USAGE, "--plot and --group-by exclude each other");
	if (v->group_by || v->filter)
		drop_others(
			g, session_choice_tables(g->analysis,
				   v->group_by ? SESSION_CHOICE_GROUPS : SESSION_CHOICE_FILTER));
	int rc = v->group_by ? check_choice(g, "group-by", SESSION_CHOICE_GROUPS, "groups") : 0;
	return rc || !v->filter
		       ? rc
		       : check_choice(g, "filter", SESSION_CHOICE_FILTER, "facts to select");
}

/* The command that prints a table now. */
static int has_moved(const struct ask_grid *g, const struct analysis_moved *m)
{
	bool is_verb = strcmp(m->to, "top") == 0;
	return mer_fail(&g->ask->err, MER_ERR_USAGE,
		"--table: the table '%s' of '%s' is now: meridian top %s%s%s", m->output,
		g->analysis->id, m->analysis, is_verb ? "" : " --table ", is_verb ? "" : m->to);
}

/* The tables of --table, instead of the verb's. */
static int request_tables(struct ask_grid *g)
{
	const struct session_texts *wanted = &g->values->tables;
	const char *names[MAX_ANALYSES];
	size_t n = 0;
	for (const struct analysis_output *o = g->analysis->outputs; o->id && n < MAX_ANALYSES; o++)
		names[n++] = o->id;
	for (size_t i = 0; i < wanted->n; i++) {
		bool all = strcmp(wanted->item[i], "all") == 0;
		int k = all ? -1 : analysis_find_output(g->analysis, wanted->item[i]);
		for (unsigned o = 0; all && o < n; o++)
			request_one(g, o);
		if (all)
			continue;
		if (k >= 0) {
			request_one(g, (unsigned)k);
			continue;
		}
		const struct analysis_moved *moved =
			analysis_find_moved(g->analysis, wanted->item[i]);
		if (moved)
			return has_moved(g, moved);
		struct mer_str list = { 0 };
		const char *best = mer_nearest(wanted->item[i], names, n);
		put_names(&list, names, n);
		int rc = mer_fail(&g->ask->err, MER_ERR_USAGE,
			"--table: '%s' has no '%.100s'%s%s%s; it has: %s", g->analysis->id,
			wanted->item[i], best ? " (did you mean " : "", best ? best : "",
			best ? "?)" : "", list.data ? list.data : "none");
		mer_str_fini(&list);
		return rc;
	}
	return 0;
}

/* From words to requests. What the library would say no to is found before traces are opened, in
 * the words of the command line. */
static int understand(struct ask_grid *g, struct analysis_period_rule **periods)
{
	struct trace_filter *filter = NULL;
	struct ask *ask = g->ask;
	const struct ask_grid_values *v = g->values;
	g->analysis = analysis_find(ask->args[0]);
	if (!g->analysis)
		return no_such_analysis(ask, g->verb);
	if (g->analysis->was && strcmp(g->analysis->was, ask->args[0]) == 0)
		ask_note(ask, "the analysis '%s' is called '%s' now", g->analysis->was,
			g->analysis->id);
	if (!has_output(g->analysis, g->verb))
		return has_no_output(ask, g->analysis, g->verb);
	if (ask->n_args < 2 && !ask->parts && !ask_here_add(ask))
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"no traces were named, and the current folder has none; usage: meridian %s %s [OPTION...] TRACE...",
			g->verb, g->analysis->id);
	ask->args++;
	ask->n_args--;
	bool bins = v->bins.set || v->interval.set;
	int rc = request_tables(g);
	if (rc)
		return rc;
	if (!v->tables.n)
		request(g, bins ? "bins" : g->verb);
	g->n_printed = g->n;
	rc = check_options(g);
	if (rc == 0 && bins && v->tables.n && !v->plot)
		rc = check_bins(g);
	bool is_log = strcmp(g->verb, "log") == 0;
	if (rc == 0 && v->plot)
		request_whole(g, is_log ? "map" : "bins");
	else if (rc == 0 && ask_grid_wants_bad(g))
		request_whole(g, ASK_GRID_BAD);
	if (rc == 0 && (v->min.set || v->max.set))
		rc = check_choice(
			g, v->min.set ? "min" : "max", SESSION_CHOICE_DURATIONS, "durations");
	if (rc == 0 && v->names.n)
		rc = check_choice(g, "name", SESSION_CHOICE_NAMES, "names to select by");
	if (rc == 0)
		rc = check_folds(g);
	if (rc == 0 && v->filter)
		rc = trace_filter_parse(v->filter, &filter, &ask->err);
	trace_filter_free(filter);
	return rc ? rc : ask_periods_understand(ask, &v->period, false, periods);
}

/* ---- Running it ---- */

static int64_t limit_of(const struct ask_grid *g)
{
	if (g->values->limit.set)
		return g->values->limit.v;
	return g->ask->format == ASK_FORMAT_TABLE ? SCREENFUL : 0;
}

/* People look for their programs; other programs get everything, and so does who asks for a
 * task. */
static bool leaves_out(const struct ask_grid *g)
{
	const struct ask *ask = g->ask;
	bool lists = strcmp(g->verb, "top") == 0 || strcmp(g->verb, "log") == 0;
	return lists && (ask->format == ASK_FORMAT_TABLE || ask->leaves_out) && !g->values->all &&
	       !ask->select.tids.n && !ask->select.comms.n && !g->analysis->names_others;
}

static struct mer_table_options options_of(const struct ask_grid *g)
{
	const struct ask_grid_values *v = g->values;
	bool is_log = strcmp(g->verb, "log") == 0; /* its chart is of single ones */
	return (struct mer_table_options){ .size = sizeof(struct mer_table_options),
		.filter = v->filter,
		.group_by = v->group_by,
		.limit = (uint64_t)limit_of(g),
		.min_ns = v->min.v,
		.max_ns = v->max.set ? v->max.v : INT64_MAX,
		.names = v->names.item,
		.n_names = v->names.n,
		.n_bins = v->bins.set				   ? (uint64_t)v->bins.v
			  : v->plot && !v->interval.set && !is_log ? PLOT_BINS
								   : 0,
		.interval_ns = v->interval.v,
		.max_bins = v->plot ? DRAW_CHART_BINS : 0,
		.min_bytes = (uint64_t)v->min_size.v,
		.max_bytes = v->max_size.set ? (uint64_t)v->max_size.v : UINT64_MAX,
		.sort = v->sort,
		.reverse = v->reverse,
		.leave_out = leaves_out(g),
		.period = v->period.expression,
		.period_by = v->period.by.item,
		.n_period_by = v->period.by.n,
		.period_min_ns = v->period.min.v,
		.period_max_ns = v->period.max.set ? v->period.max.v : INT64_MAX,
		.zero_max = true,
		.n_whole = g->n - g->n_printed };
}

/* A name of calls, devices and other things of the kernel that looks most like it; not of tasks. */
static const char *nearest_name(const struct ask_grid *g, const char *name)
{
	const char *best = NULL;
	for (uint32_t h = 0; g->world && h < g->world->n_hosts; h++) {
		const struct kernel_host *host = &g->world->hosts[h];
		struct mer_map tasks = { 0 };
		bool ok = true;
		for (uint32_t i = 0; i < host->n_renames && ok; i++)
			ok = mer_map_put(&tasks, host->renames[i].name) != NULL;
		for (uint32_t i = 0; i < host->names.n && ok; i++) {
			const char *text = mer_intern_text(&host->names, i);
			const char *two[] = { best ? best : text, text };
			if (!mer_map_get(&tasks, i))
				best = mer_nearest(name, two, 2);
		}
		mer_map_fini(&tasks);
	}
	return best;
}

static int check_names(const struct ask_grid *g, const struct session_answer *a)
{
	const char *name = session_answer_unnamed(a);
	const struct session_texts *views = &g->ask->views;
	bool has_view = g->analysis->of_views && views->n;
	if (!name)
		return 0;
	const char *best = has_view ? NULL : nearest_name(g, name);
	return mer_fail(&g->ask->err, MER_ERR_USAGE,
		"--name: no %s named '%.100s'%s%.100s%s; 'meridian %s %s%s%.200s' without --name lists what there is",
		g->analysis->names, name, best ? " (did you mean " : "", best ? best : "",
		best ? "?)" : "", g->verb, g->analysis->id, has_view ? " --view " : "",
		has_view ? views->item[0] : "");
}

int ask_grid_take(struct ask_grid *g, struct mer_result *const *results)
{
	const struct api_answer *x = api_answer(results[0]);
	g->options = &x->answer.options;
	g->left_out = &x->left_out;
	g->tables = mer_arena_zalloc(&g->ask->arena, g->n + 1, sizeof(*g->tables));
	if (!g->tables)
		return mer_fail_nomem(&g->ask->err);
	for (size_t i = 0; i < g->n; i++) {
		g->tables[i] = *api_table(results[i]);
		g->sorted[i] = mer_result_sorted(results[i]);
	}
	return 0;
}

static int show(void *ctx, struct mer_result *const *results)
{
	struct ask_grid *g = ctx;
	const struct session_answer *a = &api_answer(results[0])->answer;
	struct session_world w = session_answer_world(a);
	g->e = w.e;
	g->world = w.world;
	g->begin = a->begin;
	g->end = a->end;
	int rc = ask_grid_take(g, results);
	if (rc || g->partials)
		return rc ? rc : ask_grid_put_part(g, a, NULL);
	rc = ask_tasks_check_answer(g->ask, a);
	if (rc == 0)
		rc = check_names(g, a);
	if (rc == 0)
		rc = ask_grid_warn_of_guests(g, session_sync_result(a->session));
	if (rc == 0 && g->values->plot)
		rc = strcmp(g->verb, "log") == 0 ? ask_grid_map(g, g->values->plot)
						 : ask_grid_plot(g, g->values->plot);
	return rc ? rc : ask_grid_print(g);
}

int ask_grid_run(struct ask *ask, const char *verb, const struct ask_grid_values *values)
{
	struct ask_grid g = { .ask = ask, .values = values, .verb = verb };
	struct analysis_partials taken = { 0 };
	struct api_partials partials = { .taken = &taken };
	struct analysis_period_rule *periods = NULL;
	const char *ids[ASK_GRID_TABLES];
	if (!ask->n_args)
		return list_analyses(ask, verb);
	if (asks_for_tables(ask, values))
		return list_tables(ask);
	int rc = understand(&g, &periods);
	if (rc == 0) {
		struct mer_table_options o = options_of(&g);
		for (size_t i = 0; i < g.n; i++)
			ids[i] = output_of(&g, i)->id;
		g.partials = ask->part ? &partials : NULL;
		rc = ask->parts	 ? ask_grid_merge(&g, ids, &o)
		     : ask->part ? ask_grid_begin_part(&g)
				 : 0;
		if (rc == 0 && !ask->parts)
			rc = ask_tables(
				ask, &(struct ask_tables_question){ .analysis = g.analysis->id,
					     .tables = ids,
					     .n = g.n,
					     .options = &o,
					     .periods = periods,
					     .messages = analysis_needs_messages(g.requests, g.n),
					     .partials = g.partials,
					     .print = show,
					     .ctx = &g });
	}
	if (rc == MER_ERR_LIMIT && (values->interval.set || values->bins.set))
		rc = MER_ERR_USAGE; /* so many bins */
	analysis_period_rule_free(periods);
	analysis_partials_fini(&taken);
	ask_part_end(&g);
	return rc;
}
