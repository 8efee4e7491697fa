/* meridian summary: the whole experiment on one screen, and what to type next. */
#include "analysis/summary.h"

#include <inttypes.h>
#include <string.h>

#include "cli/grid.h"
#include "cli/progress.h"
#include "cli/summary_plot.h"
#include "cli/sync_print.h"
#include "cli/sync_traces.h"
#include "cli/text.h"
#include "cli/traces.h"
#include "cli/verb.h"

struct values {
	struct cli_amount limit;
	const char *plot;
	struct cli_period_values period;
};

struct screen {
	struct cli *cli;
	const struct values *values;
	struct cli_grid grid;
	struct analysis_request requests[SUMMARY_REQUESTS];
	struct analysis_options options;
	struct cli_periods periods;
};

/* ---- The commands to go on with ---- */

/* As a shell reads it. */
static void put_word(struct mer_str *out, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789._-:@+/,=%";
	if (word[0] && strspn(word, plain) == strlen(word)) {
		mer_str_puts(out, word);
		return;
	}
	mer_str_putc(out, '\'');
	for (const char *p = word; *p; p++)
		if (*p == '\'')
			mer_str_puts(out, "'\\''");
		else
			mer_str_putc(out, *p);
	mer_str_putc(out, '\'');
}

static const struct cli_verb *verb_of(const char *words)
{
	char name[32];
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(words, " "), words);
	return cli_verb_find(name);
}

static bool uses(const char *words, unsigned what)
{
	const struct cli_verb *verb = verb_of(words);
	return verb && verb->uses & what;
}

static bool has_option(const char *words, const char *name)
{
	const struct cli_verb *verb = verb_of(words);
	const struct cli_option *o = verb ? verb->options : NULL;
	while (o && o->name && strcmp(o->name, name) != 0)
		o++;
	return o && o->name;
}

static void put_period(struct mer_str *out, const struct cli_period_values *v)
{
	if (!v->expression)
		return;
	mer_str_puts(out, " --period ");
	put_word(out, v->expression);
	for (size_t i = 0; i < v->by.n; i++) {
		mer_str_puts(out, " --period-by ");
		put_word(out, v->by.item[i]);
	}
	if (v->min.set)
		mer_str_printf(out, " --period-min %" PRId64 "ns", v->min.v);
	if (v->max.set)
		mer_str_printf(out, " --period-max %" PRId64 "ns", v->max.v);
}

/* The words of the summary, what was asked for as far as the verb knows it, and the traces. */
static const char *command(struct screen *x, struct mer_arena *arena, const char *words)
{
	const struct cli *cli = x->cli;
	struct mer_str line = { 0 };
	mer_str_printf(&line, "meridian %s", words);
	if (cli->begin.kind != CLI_MOMENT_NONE && uses(words, CLI_USES_TIME))
		mer_str_printf(&line, " --begin %" PRId64, x->options.begin);
	if (cli->end.kind != CLI_MOMENT_NONE && uses(words, CLI_USES_TIME))
		mer_str_printf(&line, " --end %" PRId64, x->options.end);
	if (cli->sync && uses(words, CLI_USES_SYNC)) {
		mer_str_puts(&line, " --sync ");
		put_word(&line, cli->sync);
	}
	/* A finding about one host has it already. */
	for (size_t i = 0; i < cli->hosts.n && !strstr(words, " --host "); i++) {
		mer_str_puts(&line, " --host ");
		put_word(&line, cli->hosts.item[i]);
	}
	if (has_option(words, "period"))
		put_period(&line, &x->values->period);
	for (size_t i = 0; i < cli->n_args; i++) {
		mer_str_puts(&line, cli->args[i][0] == '-' ? " ./" : " ");
		put_word(&line, cli->args[i]);
	}
	const char *copy = line.failed ? NULL : mer_arena_strdup(arena, line.data);
	mer_str_fini(&line);
	return copy;
}

static bool complete_commands(struct screen *x, struct analysis_table *t)
{
	size_t c = analysis_table_column(t, SUMMARY_NEXT);
	for (size_t r = 0; c != SIZE_MAX && r < t->n_rows; r++) {
		struct analysis_cell *cell = &t->cells[r * t->n_columns + c];
		*cell = analysis_text(command(x, t->arena, cell->v.text));
		if (!cell->set)
			return false;
	}
	return true;
}

/* ---- One screen ---- */

/* Rows of each table: few hosts leave room for more of the rest. */
static size_t rows_of(const struct screen *x, int table)
{
	static const size_t few[] = { 4, 6, 8, 4 }, many[] = { 8, 4, 5, 3 };
	if (x->values->limit.set)
		return (size_t)x->values->limit.v;
	if (x->cli->format != CLI_FORMAT_TABLE)
		return 0;
	return x->grid.tables[SUMMARY_HOSTS].n_rows <= few[0] ? few[table] : many[table];
}

/* Of every cause in turn the longest, so that a few rows show many causes. */
static void spread_causes(struct analysis_table *t, size_t most)
{
	size_t width = t->n_columns, n = 0;
	analysis_table_sort(t, "max_ns", false);
	for (bool again = true; again && n < most && n < t->n_rows;) {
		size_t first = n;
		again = false;
		for (size_t r = n; r < t->n_rows && n < most; r++) {
			const char *cause = t->cells[r * width].v.text;
			bool seen = false;
			for (size_t k = first; k < n && !seen; k++)
				seen = strcmp(t->cells[k * width].v.text, cause) == 0;
			if (seen)
				continue;
			for (size_t c = 0; c < width; c++) { /* the row goes up, others down */
				struct analysis_cell up = t->cells[r * width + c];
				for (size_t k = r; k > n; k--)
					t->cells[k * width + c] = t->cells[(k - 1) * width + c];
				t->cells[n * width + c] = up;
			}
			n++;
			again = true;
		}
	}
}

static void limit_tables(struct screen *x)
{
	struct analysis_table *t = x->grid.tables;
	size_t limits[SUMMARY_TABLES];
	for (int i = 0; i < SUMMARY_TABLES; i++)
		limits[i] = rows_of(x, i);
	if (limits[SUMMARY_HOSTS] && t[SUMMARY_HOSTS].n_rows > limits[SUMMARY_HOSTS]) {
		analysis_table_sort(&t[SUMMARY_HOSTS], "cpu_percent", false);
		x->grid.sorted[SUMMARY_HOSTS] = "cpu_percent";
	}
	if (limits[SUMMARY_WAITS])
		spread_causes(&t[SUMMARY_WAITS], limits[SUMMARY_WAITS]);
	for (int i = 0; i < SUMMARY_TABLES; i++)
		analysis_table_limit(&t[i], limits[i]);
	if (limits[SUMMARY_WAITS])
		analysis_table_sort(&t[SUMMARY_WAITS], "max_ns", false);
	/* Those that use most, and the longest: it is understood that there are more. */
	t[SUMMARY_TOP].n_left_out = t[SUMMARY_WAITS].n_left_out = 0;
}

static bool knows_disks(const struct screen *x)
{
	const struct analysis_table *t = &x->grid.tables[SUMMARY_HOSTS];
	size_t c = analysis_table_column(t, "disk_percent"), r = 0;
	while (r < t->n_rows && !t->cells[r * t->n_columns + c].set)
		r++;
	return r < t->n_rows;
}

/* A line for the finding, and its command on a line of its own that can be copied. */
static void put_findings(const struct screen *x, struct mer_str *out)
{
	const struct analysis_table *t = &x->grid.tables[SUMMARY_FINDINGS];
	const char *more = x->cli->bold_out ? "\033[1m" : "", *less = *more ? "\033[0m" : "";
	mer_str_printf(out, "\n%s, and what tells more\n", t->title);
	if (!t->n_rows)
		mer_str_printf(out,
			"Nothing: no processor%s is near its limit, nothing was lost.\n",
			knows_disks(x) ? " or disk" : "");
	for (size_t r = 0; r < t->n_rows; r++) {
		const struct analysis_cell *c = &t->cells[r * t->n_columns];
		struct mer_str line = { 0 };
		if (x->grid.e->n_hosts > 1 && c[1].set)
			mer_str_printf(&line, "%s: ", c[1].v.text);
		mer_str_puts(&line, c[2].v.text);
		if (line.data)
			cli_text_shorten(out, line.data, line.len, (size_t)cli_width(x->cli));
		mer_str_printf(out, "\n  %s", more);
		cli_text_clean(out, c[3].v.text, strlen(c[3].v.text), false);
		mer_str_printf(out, "%s\n", less);
		out->failed |= line.failed;
		mer_str_fini(&line);
	}
	if (t->n_left_out)
		mer_str_printf(
			out, "... and %" PRIu64 " more (--limit 0 shows all)\n", t->n_left_out);
}

static int print(struct screen *x, struct analysis_run *run)
{
	struct cli *cli = x->cli;
	struct cli_grid *g = &x->grid;
	g->begin = g->end = MER_NO_TIME;
	for (uint32_t h = 0; h < run->world->n_hosts; h++) {
		int64_t begin, end;
		if (!cli_host_wanted(cli, g->e->hosts[h].name) ||
			!analysis_range(run, h, &begin, &end))
			continue;
		if (g->begin == MER_NO_TIME || begin < g->begin)
			g->begin = begin;
		if (g->end == MER_NO_TIME || end > g->end)
			g->end = end;
	}
	for (int i = 0; i < SUMMARY_TABLES; i++)
		if (!complete_commands(x, &g->tables[i]))
			return mer_fail_nomem(&cli->err);
	limit_tables(x);
	bool people = cli->format == CLI_FORMAT_TABLE;
	g->n_printed = people ? SUMMARY_FINDINGS : SUMMARY_TABLES;
	int rc = cli_grid_print(g);
	if (rc || !people)
		return rc;
	struct mer_str out = { 0 };
	put_findings(x, &out);
	return cli_sync_put(cli, &out, 0);
}

/* ---- Running it ---- */

static bool wants_host(void *ctx, uint32_t host)
{
	const struct screen *x = ctx;
	return cli_host_wanted(x->cli, x->grid.e->hosts[host].name);
}

static int analyse(struct screen *x, struct sync_messages *messages, struct sync_result *r)
{
	struct cli *cli = x->cli;
	struct cli_grid *g = &x->grid;
	struct analysis_table tables[SUMMARY_REQUESTS];
	struct analysis_run run;
	struct cli_progress progress;
	x->options = (struct analysis_options){ .begin = cli_moment_resolve(&cli->begin,
							g->e->begin, g->e->end, INT64_MIN),
		.end = cli_moment_resolve(&cli->end, g->e->begin, g->e->end, INT64_MAX),
		.max_ns = INT64_MAX,
		.n_bins = 1,
		.wants_host = cli->hosts.n ? wants_host : NULL,
		.ctx = x,
		.limit = 1 };
	int rc = cli_periods_find(cli, g->e, &x->periods, &x->options);
	if (rc)
		return rc;
	g->options = &x->options;
	cli_progress_begin(&progress, cli, "reading", g->e->bytes);
	struct kernel_world_options world = { .n_threads = cli_jobs(cli),
		.cancel = &cli->cancel,
		.done_bytes = &progress.done_bytes,
		.drop = x->values->plot ? NULL : messages }; /* the picture needs them too */
	rc = analysis_run(&run, g->e, messages, r, &world, &x->options, x->requests,
		SUMMARY_REQUESTS, tables, &cli->err);
	cli_progress_end(&progress);
	if (rc == 0) {
		rc = summary_make(&run, tables, g->tables, &cli->err);
		if (rc == 0)
			rc = print(x, &run);
		for (int i = 0; i < SUMMARY_TABLES; i++)
			analysis_table_fini(&g->tables[i]);
	}
	for (int i = 0; i < SUMMARY_REQUESTS; i++)
		analysis_table_fini(&tables[i]);
	analysis_run_fini(&run);
	return rc;
}

static int run(struct cli *cli, const void *values)
{
	static const struct cli_grid_values none = { 0 };
	struct screen x = { .cli = cli,
		.values = values,
		.grid = { .cli = cli, .values = &none, .verb = "summary", .n = SUMMARY_TABLES } };
	struct sync_messages messages = { 0 };
	struct sync_result *r = NULL;
	cli->synced = NULL;
	int rc = cli_periods_understand(cli, &x.values->period, false, &x.periods);
	if (rc == 0)
		rc = cli_traces_open(cli, &x.grid.e);
	if (rc) {
		cli_periods_fini(&x.periods);
		return rc;
	}
	summary_requests(x.requests);
	rc = cli_traces_sync_for(cli, x.grid.e, x.requests, SUMMARY_REQUESTS, &messages, &r);
	if (rc == 0)
		rc = analyse(&x, &messages, r);
	if (rc == 0 && x.values->plot)
		rc = cli_summary_plot(cli, x.grid.e, &messages, r, &x.options, x.values->plot);
	sync_result_free(r);
	sync_messages_free(&messages);
	cli_periods_fini(&x.periods);
	cli_traces_close(cli, x.grid.e);
	return rc;
}

static const struct cli_option options[] = {
	{ .name = "limit",
		.letter = 'n',
		.kind = CLI_AMOUNT,
		.arg = "N",
		.help = "at most N rows a table (default: a screenful), 0: all",
		.offset = offsetof(struct values, limit) },
	{ .name = "plot",
		.kind = CLI_TEXT,
		.arg = "FILE",
		.help = "a picture of it over time as well, as SVG",
		.offset = offsetof(struct values, plot) },
	CLI_PERIOD_OPTIONS(struct values, period),
	{ 0 },
};

const struct cli_verb cli_verb_summary = {
	.name = "summary",
	.help = "one screen: what is busy, full or lost; what to ask next",
	.synopsis = "[OPTION...] TRACE...",
	.description = "Shows of each host how busy its processors and busiest disk were, how many "
		       "threads and disk requests waited on the average, how many system calls failed "
		       "and events were lost; who used most; the longest waits by cause; and what stands "
		       "out, with the command that tells more.",
	.more = "Numbers are those of 'meridian top' and 'meridian stats': busy is the share of all "
		"processors of the host, interrupts included; waiting the sum of the times that threads "
		"were ready to run and did not, divided by the duration; queued the same of requests "
		"before their disk took them; disk that of the busiest. Network is what interfaces "
		"other than lo sent and received. Lost events are those of the whole recording, even "
		"with --begin and --end. Most system calls that fail are everyday life: files that are "
		"not there, and calls that would block.\n\n"
		"The duration of a system call counts as a wait, also when it worked. The findings are: "
		"events lost; requests to disks that failed, and a tenth of system calls; threads that at the "
		"end had waited for a lock for a second, or half of the time; half a thread "
		"for each processor waiting, half a request at a disk, softirqs with a tenth of the "
		"processors, 10 ms between a wake-up and running, half a thread waiting at futexes; "
		"processors or a disk busy for 80 % of the time, a thread with 90 % of a processor, "
		"a tenth of one for busy polling; hosts of "
		"which no sched_switch was recorded; and that no processors or disks were busy for half of "
		"the time. "
		"--json and "
		"CSV have the commands of all rows, as 'next'.\n\n" CLI_PERIOD_MANUAL,
	.formats = "table|json|jsonl|csv",
	.uses = CLI_USES_FORMAT | CLI_USES_TIME | CLI_USES_HOST | CLI_USES_SYNC | CLI_USES_JOBS |
		CLI_USES_INPUT,
	.options = options,
	.values_size = sizeof(struct values),
	.min_args = 1,
	.max_args = -1,
	.args = "TRACE",
	.examples = {
		{ "meridian summary client/ server/", "Where to look first." },
		{ "meridian summary --begin +1s --end +2s --plot all.svg client/ server/",
			"The same of a second, also as a picture." },
	},
	.run = run,
};
