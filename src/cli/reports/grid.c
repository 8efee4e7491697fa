#include "cli/reports/grid.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "analysis/bins.h"
#include "base/glob.h"
#include "cli/reports/chart_table.h"
#include "cli/progress.h"
#include "cli/sync/sync_print.h"
#include "cli/sync_traces.h"
#include "cli/table.h"
#include "cli/tasks.h"
#include "cli/text.h"
#include "cli/traces.h"
#include "cli/verb.h"

enum { SCREENFUL = 20, PLOT_BINS = 300, MAX_ANALYSES = 64 };
enum { MAX_NAMES = 64 }; /* of --name: bits of cli_grid.named */

/* ---- What there is ---- */

/* Is this output a table of the verb: "top", "top_cpu"? */
static bool belongs(const struct analysis_output *o, const char *verb)
{
	size_t n = strlen(verb);
	return strncmp(o->id, verb, n) == 0 && (!o->id[n] || o->id[n] == '_');
}

static bool has_output(const struct analysis *a, const char *verb)
{
	for (const struct analysis_output *o = a->outputs; o->id; o++)
		if (belongs(o, verb))
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
static int list_analyses(struct cli *cli, const char *verb)
{
	enum { ANALYSIS, HELP, TABLES, N };
	static const struct mer_column columns[N + 1] = {
		[ANALYSIS] = { "analysis", NULL, MER_TEXT },
		[HELP] = { "help", NULL, MER_TEXT },
		[TABLES] = { "tables", NULL, MER_TEXT },
	};
	struct mer_table t;
	struct mer_str out = { 0 }, line = { 0 }, text = { 0 };
	mer_table_init(&t, "analyses", NULL, columns, &cli->arena);
	mer_str_printf(&out, "Usage: meridian %s ANALYSIS [OPTION...] TRACE...\n\n", verb);
	for (size_t i = 0; analyses[i]; i++) {
		const struct analysis *a = analyses[i];
		struct mer_str tables = { 0 };
		if (!has_output(a, verb))
			continue;
		for (const struct analysis_output *o = a->outputs; o->id; o++)
			mer_str_printf(&tables, "%s%s", o == a->outputs ? "" : ",", o->id);
		mer_str_printf(&line, "%s\n", a->help);
		cli_text_wrap(&text, line.data ? line.data : "", 79, 13);
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
	int rc = cli->format == CLI_FORMAT_TABLE ? cli_sync_put(cli, &out, 0)
						 : cli_table_print(cli, &t);
	mer_str_fini(&out);
	mer_str_fini(&line);
	mer_str_fini(&text);
	mer_table_fini(&t);
	return rc;
}

/* --table ?: the tables of an analysis, with the keys of their columns. */
static bool asks_for_tables(const struct cli *cli, const struct cli_grid_values *values)
{
	const char *word = values->tables.n == 1 ? values->tables.item[0] : "";
	return (strcmp(word, "?") == 0 || strcmp(word, "list") == 0 || strcmp(word, "help") == 0) &&
	       analysis_find(cli->args[0]);
}

static int list_tables(struct cli *cli)
{
	enum { TABLE, TITLE, COLUMNS, N };
	static const struct mer_column columns[N + 1] = {
		[TABLE] = { "table", NULL, MER_TEXT },
		[TITLE] = { "title", NULL, MER_TEXT },
		[COLUMNS] = { "columns", NULL, MER_TEXT },
	};
	const struct analysis *a = analysis_find(cli->args[0]);
	struct mer_table t;
	struct mer_str out = { 0 };
	mer_table_init(&t, "tables", NULL, columns, &cli->arena);
	mer_str_printf(&out, "Tables of '%s', for --table and --sort:\n", a->id);
	for (const struct analysis_output *o = a->outputs; o->id; o++) {
		struct mer_str keys = { 0 };
		for (const struct mer_column *c = o->columns; c->key; c++)
			mer_str_printf(&keys, "%s%s", c == o->columns ? "" : " ", c->key);
		mer_str_printf(&out, "\n%s: %s\n", o->id, o->title);
		cli_text_wrap(&out, keys.data ? keys.data : "", (size_t)cli_width(cli), 2);
		mer_table_add(&t, (struct mer_cell[N]){
					  [TABLE] = mer_text(o->id),
					  [TITLE] = mer_text(o->title),
					  [COLUMNS] = mer_table_keep(&t, &keys),
				  });
	}
	int rc = cli->format == CLI_FORMAT_TABLE ? cli_sync_put(cli, &out, 0)
						 : cli_table_print(cli, &t);
	mer_str_fini(&out);
	mer_table_fini(&t);
	return rc;
}

bool cli_grid_asked(const struct cli *cli)
{
	return cli->n_args && analysis_find(cli->args[0]) && access(cli->args[0], F_OK) != 0;
}

const char *cli_grid_meant(const struct cli *cli)
{
	const char *names[MAX_ANALYSES];
	if (!cli->n_args || access(cli->args[0], F_OK) == 0)
		return NULL;
	return cli_nearest(cli->args[0], names, list_names(cli->verb->name, names));
}

/* ---- What was asked for ---- */

static int no_such_analysis(struct cli *cli, const char *verb)
{
	const char *names[MAX_ANALYSES], *word = cli->args[0];
	size_t n = list_names(verb, names);
	struct mer_str list = { 0 };
	put_names(&list, names, n);
	bool is_path = access(word, F_OK) == 0;
	const char *best = is_path ? NULL : cli_nearest(word, names, n);
	int rc = is_path ? mer_fail(&cli->err, MER_ERR_USAGE,
				   "the analysis comes before the traces ('%.100s'); there are: %s",
				   word, list.data ? list.data : "none")
			 : mer_fail(&cli->err, MER_ERR_USAGE,
				   "no analysis '%.100s'%s%s%s; there are: %s", word,
				   best ? " (did you mean " : "", best ? best : "",
				   best ? "?)" : "", list.data ? list.data : "none");
	mer_str_fini(&list);
	return rc;
}

static int has_no_output(struct cli *cli, const struct analysis *a, const char *what)
{
	struct mer_str list = { 0 };
	put_verbs(&list, a);
	int rc = mer_fail(&cli->err, MER_ERR_USAGE, "'%s' has no '%s'; it has: %s", a->id, what,
		list.data ? list.data : "nothing");
	mer_str_fini(&list);
	return rc;
}

/* Each table once, however often it is asked for. */
static void request_one(struct cli_grid *g, unsigned output)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->requests[i].output == output)
			return;
	if (g->n < CLI_GRID_TABLES)
		g->requests[g->n++] = (struct analysis_request){ g->analysis, output };
}

static void request(struct cli_grid *g, const char *what)
{
	for (unsigned i = 0; g->analysis->outputs[i].id; i++)
		if (belongs(&g->analysis->outputs[i], what))
			request_one(g, i);
}

static const struct analysis_output *output_of(const struct cli_grid *g, size_t i)
{
	return &g->requests[i].analysis->outputs[g->requests[i].output];
}

static const struct mer_column *find_key(const struct analysis_output *o, const char *key)
{
	for (const struct mer_column *c = o->columns; c->key; c++)
		if (strcmp(c->key, key) == 0)
			return c;
	return NULL;
}

/* The column that the user means: by its key, whose unit may be left out, or by what people see above it if
 * that is above one only. */
static const struct mer_column *find_meant(const struct analysis_output *o, const char *word)
{
	char key[128];
	const struct mer_column *found = find_key(o, word);
	size_t n = 0;
	snprintf(key, sizeof(key), "%.100s_ns", word);
	if (!found)
		found = find_key(o, key);
	if (found)
		return found;
	for (const struct mer_column *c = o->columns; c->key; c++)
		if (cli_same_word(word, c->key) || cli_same_word(key, c->key) ||
			(c->title && cli_same_word(word, c->title))) {
			found = c;
			n++;
		}
	return n == 1 ? found : NULL;
}

/* Has any table of the analysis such a column? By key, or by type. */
static bool has_column(const struct analysis *a, const char *key, enum mer_type type)
{
	for (const struct analysis_output *o = a->outputs; o->id; o++)
		for (const struct mer_column *c = o->columns; c->key; c++)
			if (key ? strcmp(c->key, key) == 0 : c->type == type)
				return true;
	return false;
}

/* Unknown keys are found before anything is read. */
static int check_sort(struct cli_grid *g)
{
	const char *names[256], *key = g->values->sort;
	size_t n = 0;
	if (!key)
		return 0;
	key += *key == '+';
	for (size_t i = 0; i < g->n_printed; i++) {
		if (find_meant(output_of(g, i), key))
			return 0;
		for (const struct mer_column *c = output_of(g, i)->columns; c->key; c++)
			if (n < sizeof(names) / sizeof(*names))
				names[n++] = c->key;
	}
	struct mer_str list = { 0 };
	put_names(&list, names, n);
	const char *best = cli_nearest(key, names, n);
	int rc = mer_fail(&g->cli->err, MER_ERR_USAGE,
		"--sort: no column '%.100s'%s%s%s; there are: %s", key,
		best ? " (did you mean " : "", best ? best : "", best ? "?)" : "",
		list.data ? list.data : "");
	mer_str_fini(&list);
	return rc;
}

static int check_options(struct cli_grid *g)
{
	const struct cli_grid_values *v = g->values;
	const struct analysis *a = g->analysis;
	struct mer_err *err = &g->cli->err;
	if (v->bins.set && v->interval.set)
		return mer_fail(err, MER_ERR_USAGE, "--bins and --interval exclude each other");
	if (v->bins.set && (v->bins.v < 1 || v->bins.v > ANALYSIS_MAX_BINS))
		return mer_fail(
			err, MER_ERR_USAGE, "--bins: between 1 and %d", (int)ANALYSIS_MAX_BINS);
	if (v->plot && v->bins.set && v->bins.v > CLI_CHART_BINS)
		return mer_fail(err, MER_ERR_USAGE,
			"--plot: %" PRId64 " bins are more than a chart can show (%d)", v->bins.v,
			(int)CLI_CHART_BINS);
	if (v->interval.set && v->interval.v < 1)
		return mer_fail(err, MER_ERR_USAGE, "--interval: a duration above 0 is required");
	if (v->plot && strcmp(g->verb, "log") == 0 && !has_output(a, "map"))
		return mer_fail(err, MER_ERR_USAGE,
			"--plot does not apply to '%s': it has no table 'map'", a->id);
	if ((v->bins.set || v->interval.set || (v->plot && strcmp(g->verb, "log") != 0)) &&
		!has_output(a, "bins"))
		return mer_fail(err, MER_ERR_USAGE,
			"--%s does not apply to '%s': it has no data over time",
			v->plot	      ? "plot"
			: v->bins.set ? "bins"
				      : "interval",
			a->id);
	if (v->min.set && v->max.set && v->max.v < v->min.v)
		return mer_fail(err, MER_ERR_USAGE, "--max is less than --min");
	if ((v->min_size.set || v->max_size.set) && !a->has_sizes)
		return mer_fail(err, MER_ERR_USAGE,
			"--%s-size does not apply to '%s': it has no sizes to select by",
			v->min_size.set ? "min" : "max", a->id);
	if (v->min_size.set && v->max_size.set && v->max_size.v < v->min_size.v)
		return mer_fail(err, MER_ERR_USAGE, "--max-size is less than --min-size");
	if (v->names.n > MAX_NAMES)
		return mer_fail(err, MER_ERR_USAGE, "--name: at most %d", (int)MAX_NAMES);
	if (a->of_periods && !v->period.expression)
		return mer_fail(err, MER_ERR_USAGE,
			"'%s' needs --period 'BEGIN : END', two events: meridian %s %s --period "
			"'syscall_entry_fsync : syscall_exit_fsync' --period-by tid TRACE...",
			a->id, g->verb, a->id);
	if (a->of_periods && (g->cli->tids.n || g->cli->comms.n))
		return mer_fail(err, MER_ERR_USAGE,
			"--%s does not apply to '%s': choose in the expression of --period",
			g->cli->tids.n ? cli_tids_option(g->cli) : "comm", a->id);
	if ((g->cli->tids.n || g->cli->comms.n) && !has_column(a, "tid", MER_ID))
		return mer_fail(err, MER_ERR_USAGE,
			"--%s does not apply to '%s': it has no data per task",
			g->cli->tids.n ? cli_tids_option(g->cli) : "comm", a->id);
	return check_sort(g);
}

/* An option that chooses what counts in some tables of the analysis needs to do so in all that are asked
 * for. Those that it does: bits. */
static int check_choice(const struct cli_grid *g, const char *option, uint32_t by, const char *what)
{
	const struct analysis *a = g->analysis;
	struct mer_err *err = &g->cli->err;
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

/* The tables of --table, instead of the verb's. */
static int request_tables(struct cli_grid *g)
{
	const struct cli_texts *wanted = &g->values->tables;
	const char *names[MAX_ANALYSES];
	size_t n = 0;
	for (const struct analysis_output *o = g->analysis->outputs; o->id && n < MAX_ANALYSES; o++)
		names[n++] = o->id;
	for (size_t i = 0; i < wanted->n; i++) {
		int k = analysis_find_output(g->analysis, wanted->item[i]);
		if (k >= 0) {
			request_one(g, (unsigned)k);
			continue;
		}
		struct mer_str list = { 0 };
		const char *best = cli_nearest(wanted->item[i], names, n);
		put_names(&list, names, n);
		int rc = mer_fail(&g->cli->err, MER_ERR_USAGE,
			"--table: '%s' has no '%.100s'%s%s%s; it has: %s", g->analysis->id,
			wanted->item[i], best ? " (did you mean " : "", best ? best : "",
			best ? "?)" : "", list.data ? list.data : "none");
		mer_str_fini(&list);
		return rc;
	}
	return 0;
}

/* Who begins and ends periods is in rows of them alone. */
static bool tells_tasks(const struct cli_grid *g)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->analysis->of_periods && find_key(output_of(g, i), "comm"))
			return true;
	return false;
}

/* From words to requests. */
static int understand(struct cli_grid *g, struct cli_periods *periods)
{
	struct cli *cli = g->cli;
	const struct cli_grid_values *v = g->values;
	g->analysis = analysis_find(cli->args[0]);
	if (!g->analysis)
		return no_such_analysis(cli, g->verb);
	if (!has_output(g->analysis, g->verb))
		return has_no_output(cli, g->analysis, g->verb);
	if (cli->n_args < 2)
		return mer_fail(&cli->err, MER_ERR_USAGE,
			"no trace given; usage: meridian %s %s [OPTION...] TRACE...", g->verb,
			g->analysis->id);
	cli->args++;
	cli->n_args--;
	bool bins = v->bins.set || v->interval.set;
	int rc = request_tables(g);
	if (rc)
		return rc;
	if (bins || !g->n)
		request(g, bins ? "bins" : g->verb);
	g->n_printed = g->n;
	rc = check_options(g);
	bool is_log = strcmp(g->verb, "log") == 0;
	if (rc == 0 && v->plot && (is_log || !bins))
		request(g, is_log ? "map" : "bins");
	if (rc == 0 && (v->min.set || v->max.set))
		rc = check_choice(
			g, v->min.set ? "min" : "max", g->analysis->by_duration, "durations");
	if (rc == 0 && v->names.n)
		rc = check_choice(g, "name", g->analysis->by_name, "names to select by");
	return rc ? rc : cli_periods_understand(cli, &v->period, tells_tasks(g), periods);
}

/* ---- Which tasks, hosts, CPUs ---- */

static bool wants_host(void *ctx, uint32_t host)
{
	const struct cli_grid *g = ctx;
	return cli_host_wanted(g->cli, g->e->hosts[host].name);
}

static bool wants_cpu(void *ctx, uint16_t cpu)
{
	const struct cli_grid *g = ctx;
	return cli_ranges_contain(&g->cli->cpus, cpu);
}

/* A name with brackets may be given as it is. */
static bool wants_task(void *ctx, const struct kernel_host *h, uint32_t task)
{
	const struct cli *cli = ((const struct cli_grid *)ctx)->cli;
	return cli_task_fits(h, task, &cli->comms, &cli->tids);
}

/* All patterns are tried, so that those that fit nothing are known. */
static bool wants_name(void *ctx, const char *name)
{
	struct cli_grid *g = ctx;
	const struct cli_texts *names = &g->values->names;
	uint64_t named = 0;
	for (size_t i = 0; i < names->n; i++)
		if (mer_glob(names->item[i], name))
			named |= (uint64_t)1 << i;
	if (named)
		atomic_fetch_or_explicit(&g->named, named, memory_order_relaxed);
	return named != 0;
}

/* As with tasks. */
static int check_names(struct cli_grid *g)
{
	const struct cli_texts *names = &g->values->names;
	for (size_t i = 0; i < names->n; i++)
		if (!(atomic_load(&g->named) >> i & 1))
			return mer_fail(&g->cli->err, MER_ERR_USAGE,
				"--name: no %s named '%.100s'; 'meridian %s %s' without --name "
				"lists what there is",
				g->analysis->names, names->item[i], g->verb, g->analysis->id);
	return 0;
}

/* ---- Running it ---- */

static int64_t limit_of(const struct cli_grid *g)
{
	if (g->values->limit.set)
		return g->values->limit.v;
	return g->cli->format == CLI_FORMAT_TABLE ? SCREENFUL : 0;
}

/* Rows that an analysis keeps while it reads: sums need none, sorting needs all. */
static uint64_t kept_rows(const struct cli_grid *g)
{
	enum { SPARE = 2000 }; /* of which some are left out afterwards */
	if (!g->values->tables.n && (strcmp(g->verb, "freq") == 0 || strcmp(g->verb, "stats") == 0))
		return 1;
	uint64_t limit = (uint64_t)limit_of(g);
	return g->values->sort || g->values->reverse ? 0
	       : limit && g->leaves_out		     ? limit + SPARE
						     : limit;
}

/* People look for their programs; other programs get everything, and so does who asks for a task. */
static bool leaves_out(const struct cli_grid *g)
{
	const struct cli *cli = g->cli;
	bool lists = strcmp(g->verb, "top") == 0 || strcmp(g->verb, "log") == 0;
	return lists && cli->format == CLI_FORMAT_TABLE && !g->values->all && !cli->tids.n &&
	       !cli->comms.n && !g->analysis->names_others;
}

static bool lists_calls(const struct cli_grid *g)
{
	bool any = false;
	for (size_t i = 0; i < g->n_printed; i++)
		any |= g->analysis->calls >> g->requests[i].output & 1;
	return any;
}

static struct analysis_options options_of(struct cli_grid *g)
{
	const struct cli *cli = g->cli;
	const struct cli_grid_values *v = g->values;
	struct analysis_options o = {
		.begin = cli_moment_resolve(&cli->begin, g->e->begin, g->e->end, INT64_MIN),
		.end = cli_moment_resolve(&cli->end, g->e->begin, g->e->end, INT64_MAX),
		.min_ns = v->min.v,
		.max_ns = v->max.set ? v->max.v : INT64_MAX,
		.sizes = { v->min_size.set || v->max_size.set, (uint64_t)v->min_size.v,
			v->max_size.set ? (uint64_t)v->max_size.v : UINT64_MAX },
		.n_bins = v->bins.set ? (uint64_t)v->bins.v : 0,
		.interval_ns = v->interval.v,
		.max_bins = v->plot ? CLI_CHART_BINS : 0,
		.wants_host = cli->hosts.n ? wants_host : NULL,
		.wants_cpu = cli->cpus.n ? wants_cpu : NULL,
		.wants_task = cli->tids.n || cli->comms.n ? wants_task : NULL,
		.wants_names = cli->comms.n != 0,
		.wants_name = v->names.n ? wants_name : NULL,
		.ctx = g,
		.limit = kept_rows(g),
		.keep_spans = g->leaves_out && lists_calls(g),
	};
	if (v->plot && !v->bins.set && !v->interval.set)
		o.n_bins = PLOT_BINS;
	return o;
}

/* What was looked at, over all hosts. */
static void find_range(struct cli_grid *g, const struct analysis_run *run)
{
	g->begin = g->end = MER_NO_TIME;
	if (!run->world && g->e->begin != MER_NO_TIME && g->e->begin < g->options->end &&
		g->e->end >= g->options->begin) {
		g->begin = g->e->begin > g->options->begin ? g->e->begin : g->options->begin;
		g->end = g->e->end < g->options->end ? g->e->end : g->options->end;
	}
	if (!run->world)
		return;
	for (uint32_t h = 0; h < run->world->n_hosts; h++) {
		int64_t begin, end;
		if (!cli_host_wanted(g->cli, g->e->hosts[h].name) ||
			!analysis_range(run, h, &begin, &end))
			continue;
		if (g->begin == MER_NO_TIME || begin < g->begin)
			g->begin = begin;
		if (g->end == MER_NO_TIME || end > g->end)
			g->end = end;
	}
}

/* By --sort, or with --reverse alone by what the table is sorted by: its key, else its first column. Of
 * amounts the largest come first, names go from a to z, times forward; + before a key: ascending. */
static void sort_table(struct cli_grid *g, size_t table)
{
	const struct analysis_output *o = output_of(g, table);
	const char *sort = g->values->sort ? g->values->sort
			   : o->sort	   ? o->sort
					   : o->columns[0].key;
	bool plus = *sort == '+';
	const struct mer_column *c = find_meant(o, sort + plus);
	if (!c)
		return;
	bool ascending = plus || cli_grid_names(c) || c->type == MER_TIME;
	mer_table_sort(&g->tables[table], c->key, ascending != g->values->reverse);
	g->sorted[table] = c->key;
}

/* Sums over time have all of it. */
static int leave_out(struct cli_grid *g, size_t table, struct analysis_run *run)
{
	const struct analysis *a = g->requests[table].analysis;
	if (!g->leaves_out || strncmp(g->tables[table].id, "bins", 4) == 0)
		return 0;
	return analysis_leave_out(
		run, &g->tables[table], a->calls >> g->requests[table].output & 1, &g->left_out);
}

static int show(struct cli_grid *g, struct analysis_run *run)
{
	for (size_t i = 0; i < g->n; i++)
		g->sorted[i] = output_of(g, i)->sort;
	find_range(g, run);
	int rc = cli_tasks_check(g->cli, g->e, run->world, INT64_MIN, INT64_MAX);
	if (rc == 0)
		rc = check_names(g);
	if (rc == 0 && g->values->plot)
		rc = strcmp(g->verb, "log") == 0 ? cli_grid_map(g, g->values->plot)
						 : cli_grid_plot(g, g->values->plot);
	for (size_t i = 0; i < g->n_printed; i++) {
		if (rc == 0)
			rc = leave_out(g, i, run);
		if (g->values->sort || g->values->reverse)
			sort_table(g, i);
		if (strncmp(g->tables[i].id, "freq", 4) !=
			0) /* of these as many as limit says are printed */
			mer_table_limit(&g->tables[i], (size_t)limit_of(g));
		if (rc == 0 && g->tables[i].failed)
			rc = mer_fail_nomem(&g->cli->err);
	}
	return rc ? rc : cli_grid_print(g);
}

/* Only the part of the traces that is asked about, if what comes before is known; else states are kept. */
static void choose_part(struct cli_grid *g, const struct analysis_options *o,
	const struct sync_result *r, struct kernel_world_options *world,
	struct kernel_window *window)
{
	bool is_part = o->begin != INT64_MIN || o->end != INT64_MAX, slices;
	uint32_t kind;
	if (!analysis_reads_part(o, g->requests, g->n, &kind, &slices))
		return;
	cli_states_open(&g->states, g->e, r, kind);
	*window = (struct kernel_window){ .from = g->states.from,
		.begin = o->begin,
		.until = o->end,
		.is_told = true,
		.settles = slices };
	if (is_part && g->states.from)
		world->window = window;
	cli_states_keep(&g->states, g->e);
	world->keeper = g->states.keeper;
}

static int analyse(struct cli_grid *g, struct cli_periods *periods, struct sync_messages *messages,
	struct sync_result *r)
{
	struct cli *cli = g->cli;
	g->leaves_out = leaves_out(g);
	struct analysis_options o = options_of(g);
	struct cli_progress progress;
	struct analysis_run run;
	int rc = cli_periods_find(cli, g->e, periods, &o);
	if (rc)
		return rc;
	g->options = &o;
	cli_progress_begin(&progress, cli, "reading",
		g->e->bytes * (analysis_reads_names(&o, g->requests, g->n) ? 2 : 1));
	struct kernel_world_options world = { .n_threads = cli_jobs(cli),
		.cancel = &cli->cancel,
		.done_bytes = &progress.done_bytes,
		.drop = messages };
	struct kernel_window window;
	choose_part(g, &o, r, &world, &window);
	rc = analysis_run(
		&run, g->e, messages, r, &world, &o, g->requests, g->n, g->tables, &cli->err);
	cli_progress_end(&progress);
	if (rc == MER_ERR_LIMIT && (g->values->interval.set || g->values->bins.set))
		rc = MER_ERR_USAGE; /* so many bins */
	if (rc == 0)
		cli_states_save(&g->states, run.world);
	else if (rc == MER_ERR_INPUT && world.window)
		cli_states_drop(&g->states);
	cli_states_close(&g->states);
	if (rc == 0)
		rc = show(g, &run);
	for (size_t i = 0; i < g->n; i++)
		mer_table_fini(&g->tables[i]);
	analysis_run_fini(&run);
	return rc;
}

int cli_grid_run(struct cli *cli, const char *verb, const struct cli_grid_values *values)
{
	struct cli_grid g = { .cli = cli, .values = values, .verb = verb };
	struct sync_messages messages = { 0 };
	struct sync_result *r = NULL;
	struct cli_periods periods = { 0 };
	if (!cli->n_args)
		return list_analyses(cli, verb);
	if (asks_for_tables(cli, values))
		return list_tables(cli);
	int rc = understand(&g, &periods);
	cli->synced = NULL;
	if (rc == 0)
		rc = cli_traces_open(cli, &g.e);
	if (rc == 0)
		rc = cli_traces_sync_for(cli, g.e, g.requests, g.n, &messages, &r);
	if (rc == 0)
		rc = analyse(&g, &periods, &messages, r);
	sync_result_free(r);
	sync_messages_free(&messages);
	cli_periods_fini(&periods);
	cli_traces_close(cli, g.e);
	return rc;
}
