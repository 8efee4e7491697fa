/* meridian summary: the whole experiment on one screen, and what to type next. */
#include "analysis/summary/summary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ask/library/api.h"
#include "ask/reports/findings.h"
#include "ask/reports/grid.h"
#include "ask/library/api.h"
#include "ask/parts.h"
#include "ask/reports/grid_part.h"
#include "ask/reports/summary_peers.h"
#include "ask/reports/summary_plot.h"
#include "ask/session.h"
#include "ask/print/text.h"
#include "ask/verb.h"
#include "session/capabilities.h"

struct values {
	bool all, peers;
	const char *group_by;
	struct ask_amount limit;
	const char *plot;
	struct ask_period_values period;
};

struct screen {
	struct ask *ask;
	const struct values *values;
	struct ask_grid grid;
	struct mer_table tables[SUMMARY_TABLES];
	struct capability_host *recorded; /* by host: what was; NULL: not known */
};

/* ---- The commands to go on with ---- */

static const struct ask_verb *verb_of(const char *words)
{
	char name[32];
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(words, " "), words);
	for (size_t i = 0; ask_verbs[i]; i++)
		if (strcmp(ask_verbs[i]->name, name) == 0)
			return ask_verbs[i];
	return NULL;
}

static bool uses(const char *words, unsigned what)
{
	const struct ask_verb *verb = verb_of(words);
	return verb && verb->uses & what;
}

static bool has_option(const char *words, const char *name)
{
	const struct ask_verb *verb = verb_of(words);
	const struct ask_option *o = verb ? verb->options : NULL;
	while (o && o->name && strcmp(o->name, name) != 0)
		o++;
	return o && o->name;
}

static void put_period(struct mer_str *out, const struct ask_period_values *v)
{
	if (!v->expression)
		return;
	mer_str_puts(out, " --period ");
	ask_shell_word(out, v->expression);
	for (size_t i = 0; i < v->by.n; i++) {
		mer_str_puts(out, " --period-by ");
		ask_shell_word(out, v->by.item[i]);
	}
	if (v->min.set)
		mer_str_printf(out, " --period-min %" PRId64 "ns", v->min.v);
	if (v->max.set)
		mer_str_printf(out, " --period-max %" PRId64 "ns", v->max.v);
}

static const char *kept(struct mer_arena *arena, struct mer_str *text)
{
	const char *copy =
		text->failed ? NULL : mer_arena_strdup(arena, text->data ? text->data : "");
	mer_str_fini(text);
	return copy;
}

/* The words of the summary, what was asked for as far as the verb knows it, and the traces. */
static const char *command(struct screen *x, struct mer_arena *arena, const char *words)
{
	const struct ask *ask = x->ask;
	struct mer_str line = { 0 };
	mer_str_printf(&line, "meridian %s", words);
	if (ask->select.begin.kind != SESSION_MOMENT_NONE && uses(words, ASK_USES_TIME))
		mer_str_printf(&line, " --begin %" PRId64, x->ask->window.begin);
	if (ask->select.end.kind != SESSION_MOMENT_NONE && uses(words, ASK_USES_TIME))
		mer_str_printf(&line, " --end %" PRId64, x->ask->window.end);
	if (ask->sync && uses(words, ASK_USES_SYNC)) {
		mer_str_puts(&line, " --sync ");
		ask_shell_word(&line, ask->sync);
	}
	/* A finding about one host has it already. */
	for (size_t i = 0; i < ask->select.hosts.n && !strstr(words, " --host "); i++) {
		mer_str_puts(&line, " --host ");
		ask_shell_word(&line, ask->select.hosts.item[i]);
	}
	if (has_option(words, "period"))
		put_period(&line, &x->values->period);
	for (size_t i = 0; i < ask->n_args; i++) {
		mer_str_puts(&line, ask->args[i][0] == '-' ? " ./" : " ");
		ask_shell_word(&line, ask->args[i]);
	}
	return kept(arena, &line);
}

/* Was what the table needs recorded on that host (NULL: on any)? A command that leads to an empty
 * table helps nobody: 'check' says what is missing. */
static bool has_data(const struct screen *x, const struct summary_next *to)
{
	bool lacking[CAPABILITY_N_EVENTS] = { 0 }, is_needed = false;
	if (to->view != SUMMARY_VIEW_TABLE || !x->recorded)
		return true;
	for (const struct capability *a = capabilities(); a->name; a++)
		for (uint32_t h = 0; capability_is_of(a, to->analysis) && h < x->grid.e->n_hosts;
			h++) {
			is_needed = true;
			bool is_asked = !to->host || a->is_of_others ||
					strcmp(to->host, x->grid.e->hosts[h].name) == 0;
			if (is_asked &&
				capability_judge(a, &x->recorded[h], lacking) != CAPABILITY_NO)
				return true;
		}
	return !is_needed;
}

/* Fills in what the analysis leaves to us: a sentence for each finding, a command for each row. */
static bool put_into_words(struct screen *x, struct mer_table *t)
{
	size_t next = mer_table_column(t, SUMMARY_NEXT);
	size_t sentence = mer_table_column(t, SUMMARY_SENTENCE);
	bool many = x->grid.e->n_hosts > 1, ok = true;
	for (size_t r = 0; next != SIZE_MAX && r < t->n_rows && ok; r++) {
		struct mer_str words = { 0 }, text = { 0 };
		if (t == &x->tables[SUMMARY_KINDS]) {
			mer_str_puts(&words, "requests --explain --kind ");
			ask_shell_word(&words, t->cells[r * t->n_columns].v.text);
		} else {
			struct summary_next to =
				sentence != SIZE_MAX ? finding_next(t, r) : summary_next(t, r);
			if (!has_data(x, &to))
				to = (struct summary_next){ .view = SUMMARY_VIEW_CHECK,
					.host = to.host };
			ask_next_command(&to, many, &words);
		}
		ok = words.data && !words.failed;
		const char *line = ok ? command(x, t->arena, words.data) : NULL;
		t->cells[r * t->n_columns + next] = mer_text(line);
		mer_str_fini(&words);
		ok = line != NULL;
		if (sentence == SIZE_MAX || !ok)
			continue;
		ask_finding_sentence(t, r, &text);
		const char *copy = kept(t->arena, &text);
		t->cells[r * t->n_columns + sentence] = mer_text(copy);
		ok = copy != NULL;
	}
	return ok;
}

/* ---- One screen ---- */

/* Rows of each table: few hosts leave room for more of the rest. */
static size_t rows_of(const struct screen *x, int table)
{
	static const size_t few[SUMMARY_TABLES] = { 4, 4, 5, 5, 2, 3, 0, 4, 12, 12 },
			    many[SUMMARY_TABLES] = { 6, 6, 4, 3, 2, 3, 0, 3, 12, 12 };
	if (x->values->limit.set)
		return (size_t)x->values->limit.v;
	if (x->ask->format != ASK_FORMAT_TABLE)
		return 0;
	return x->grid.tables[SUMMARY_HOSTS].n_rows <= few[0] ? few[table] : many[table];
}

static void limit_tables(struct screen *x)
{
	struct mer_table *t = x->grid.tables;
	size_t most = rows_of(x, SUMMARY_HOSTS);
	if (most && t[SUMMARY_HOSTS].n_rows > most) {
		mer_table_sort(&t[SUMMARY_HOSTS], "cpu_percent", false);
		mer_table_sort(&t[SUMMARY_IO], "disk_percent", false);
		x->grid.sorted[SUMMARY_HOSTS] = "cpu_percent";
	}
	for (int i = 0; i < SUMMARY_TABLES; i++)
		mer_table_limit(&t[i], rows_of(x, i));
	/* Those that use most, and the longest: it is understood that there are more. */
	t[SUMMARY_TOP].n_left_out = t[SUMMARY_WAITS].n_left_out = t[SUMMARY_LINKS].n_left_out = 0;
	t[SUMMARY_KINDS].n_left_out = 0;
}

/* Is it 0 wherever it is known? Then people need no column of it: what is lost or unknown is
 * said. */
static bool is_zero(const struct mer_table *t, size_t column)
{
	enum mer_type type = t->columns[column].type;
	bool zero = type != MER_TEXT && type != MER_ID;
	for (size_t r = 0; r < t->n_rows && zero; r++) {
		const struct mer_cell *c = &t->cells[r * t->n_columns + column];
		zero = !c->set || (mer_type_is_real(type) ? c->v.f <= 0 : c->v.i == 0);
	}
	return zero;
}

/* A table in which nothing but names is left goes as a whole. */
static bool hide_zeros(struct mer_table *t)
{
	bool any = false;
	struct mer_column *columns = mer_arena_zalloc(t->arena, t->n_columns + 1, sizeof(*columns));
	if (!columns)
		return false;
	for (size_t c = 0; c < t->n_columns; c++) {
		columns[c] = t->columns[c];
		if (is_zero(t, c))
			columns[c].title = NULL;
		any |= columns[c].title && !ask_grid_names(&columns[c]);
	}
	t->columns = columns;
	t->n_rows = any ? t->n_rows : 0;
	return true;
}

static void put_heading(const struct screen *x, struct mer_str *out)
{
	const struct ask_grid *g = &x->grid;
	ask_heading_text(
		x->ask, g->tables[SUMMARY_FINDINGS].title, g->options, g->begin, g->end, out);
}

/* The finding, and its command on a line of its own that can be copied. */
static void put_findings(const struct screen *x, struct mer_str *out)
{
	const struct mer_table *t = &x->grid.tables[SUMMARY_FINDINGS];
	const char *more = x->ask->bold_out ? "\033[1m" : "", *less = *more ? "\033[0m" : "";
	put_heading(x, out);
	if (!t->n_rows)
		mer_str_puts(out, "None.\n");
	for (size_t r = 0; r < t->n_rows; r++) {
		const struct mer_cell *c = &t->cells[r * t->n_columns];
		struct mer_str line = { 0 }, clean = { 0 };
		if (x->grid.e->n_hosts > 1 && c[FINDING_COL_HOST].set)
			mer_str_printf(&line, "%s: ", c[FINDING_COL_HOST].v.text);
		mer_str_puts(&line, c[FINDING_COL_SENTENCE].v.text);
		if (line.data)
			ask_text_clean(&clean, line.data, line.len, false);
		if (clean.data)
			ask_text_wrap(out, clean.data, (size_t)ask_width(x->ask), 0);
		mer_str_printf(out, "  %s", more);
		ask_text_clean(
			out, c[FINDING_COL_NEXT].v.text, strlen(c[FINDING_COL_NEXT].v.text), false);
		mer_str_printf(out, "%s\n", less);
		out->failed |= line.failed | clean.failed;
		mer_str_fini(&line);
		mer_str_fini(&clean);
	}
	if (t->n_left_out)
		mer_str_printf(out, "... and %" PRIu64 " more (-n 0 shows all)\n", t->n_left_out);
}

/* Findings first; the others as tables, each CPU only for programs. */
static int print_screen(struct screen *x)
{
	bool any = false;
	struct ask_grid *g = &x->grid;
	if (!hide_zeros(&g->tables[SUMMARY_HOSTS]) || !hide_zeros(&g->tables[SUMMARY_IO]) ||
		!hide_zeros(&g->tables[SUMMARY_LINKS]))
		return mer_fail_nomem(&x->ask->err);
	struct mer_str out = { 0 };
	/* One screen: where there are services, requests say more about the network. */
	if (g->tables[SUMMARY_KINDS].n_rows)
		g->tables[SUMMARY_LINKS].n_rows = 0;
	g->tables[SUMMARY_KINDS].title =
		"Requests of services, the slowest first (why: meridian requests --explain)";
	put_findings(x, &out);
	mer_str_putc(&out, '\n');
	int rc = ask_put(x->ask, &out, 0);
	g->n_printed = SUMMARY_CPUS;
	g->begin = MER_NO_TIME; /* has been said */
	for (int i = 0; i < SUMMARY_CPUS; i++)
		any |= g->tables[i].n_rows > 0;
	return rc || !any ? rc : ask_grid_print(g);
}

static const char *command_of(void *ctx, const char *words)
{
	struct screen *x = ctx;
	return command(x, &x->ask->arena, words);
}

/* Hosts unlike the others alone. */
static int print_peers(struct screen *x)
{
	struct ask_grid *g = &x->grid;
	enum { HOSTS = 12 };
	size_t most = x->values->limit.set		   ? (size_t)x->values->limit.v
		      : x->ask->format == ASK_FORMAT_TABLE ? HOSTS
							   : 0;
	struct mer_table *peers = &g->tables[SUMMARY_PEERS];
	struct mer_str out = { 0 };
	if (x->ask->format != ASK_FORMAT_TABLE) {
		mer_table_limit(peers, most);
		g->tables = peers;
		g->n = g->n_printed = SUMMARY_MEASURES - SUMMARY_PEERS;
		return ask_grid_print(g);
	}
	ask_heading_text(x->ask, peers->title, g->options, g->begin, g->end, &out);
	const struct ask_peers p = { x->ask, peers, &g->tables[SUMMARY_GROUPS],
		x->values->group_by ? x->values->group_by : peers_by_name(PEERS_BY_NAME), most,
		command_of, x };
	ask_peers_put(&p, &out);
	return ask_put(x->ask, &out, 0);
}

static int print_tables(struct screen *x)
{
	if (x->values->peers)
		return print_peers(x);
	x->recorded = calloc((size_t)x->grid.e->n_hosts + 1, sizeof(*x->recorded));
	if (!x->recorded)
		return mer_fail_nomem(&x->ask->err);
	capability_declared(x->grid.e, x->recorded);
	for (int i = 0; i < SUMMARY_TABLES; i++)
		if (!put_into_words(x, &x->tables[i]))
			return mer_fail_nomem(&x->ask->err);
	limit_tables(x);
	if (x->ask->format == ASK_FORMAT_TABLE)
		return print_screen(x);
	x->grid.n_printed = SUMMARY_PEERS; /* those are asked for */
	return ask_grid_print(&x->grid);
}

static int print(void *ctx, struct mer_result *const *results)
{
	struct screen *x = ctx;
	struct ask_grid *g = &x->grid;
	const struct session_answer *a = &api_answer(results[0])->answer;
	g->e = session_experiment(a->session);
	g->options = &a->options;
	g->tables = x->tables;
	g->begin = a->begin;
	g->end = a->end;
	for (int i = 0; i < SUMMARY_TABLES; i++)
		x->tables[i] = *api_table(results[i]);
	if (x->ask->part)
		return ask_grid_put_part(g, a, &x->tables[SUMMARY_MEASURES]);
	int rc = print_tables(x);
	return rc || !x->values->plot ? rc : ask_summary_plot(x->ask, a, x->values->plot);
}

static bool is_by(const char *word, enum peers_by by)
{
	return strcmp(word, peers_by_name(by)) == 0;
}

/* --peers of what hosts have measured. */
static int merge(struct screen *x)
{
	struct ask *ask = x->ask;
	const struct ask_parts *p = ask->parts;
	struct ask_grid *g = &x->grid;
	struct analysis_options options = { .begin = INT64_MIN, .end = INT64_MAX };
	const char *by = x->values->group_by ? x->values->group_by : "name";
	struct peers_host *hosts = mer_arena_zalloc(&ask->arena, p->n_hosts + 1u, sizeof(*hosts));
	const char **names = mer_arena_zalloc(&ask->arena, p->n_hosts + 1u, sizeof(*names));
	struct mer_table *t = x->tables;
	if (!hosts || !names)
		return mer_fail_nomem(&ask->err);
	ask_parts_begin(ask);
	for (uint32_t h = 0; h < p->n_hosts; h++)
		names[h] = p->hosts[h].name;
	for (size_t i = 0; i < p->n; i++) {
		const struct answer *about = &p->of[i].about;
		if (!about->n || !mer_same_columns(about->tables[0].table, peers_measure_columns))
			return mer_fail(&ask->err, MER_ERR_INPUT,
				"%.500s: this part of an answer is damaged", p->of[i].path);
		peers_gather(about->tables[0].table, names, p->n_hosts, hosts);
	}
	for (int i = SUMMARY_PEERS; i < SUMMARY_MEASURES; i++) {
		struct summary_about about = summary_about((enum summary_table)i, false);
		mer_table_init(&t[i], about.id, about.title, about.columns, &ask->arena);
	}
	peers_compare(hosts, p->n_hosts,
		is_by(by, PEERS_BY_ALL)	      ? PEERS_BY_ALL
		: is_by(by, PEERS_BY_PROGRAM) ? PEERS_BY_PROGRAM
					      : PEERS_BY_NAME,
		&ask->arena, &t[SUMMARY_PEERS], &t[SUMMARY_GROUPS]);
	g->e = p->e;
	g->options = &options;
	g->tables = t;
	g->begin = p->begin;
	g->end = p->end;
	int rc = print_peers(x);
	mer_table_fini(&t[SUMMARY_PEERS]);
	mer_table_fini(&t[SUMMARY_GROUPS]);
	ask_parts_end(ask);
	return rc;
}

static int run(struct ask *ask, const void *values)
{
	static const struct ask_grid_values none = { 0 };
	const struct values *v = values;
	struct screen x = { .ask = ask,
		.values = v,
		.grid = { .ask = ask, .values = &none, .verb = "summary", .n = SUMMARY_TABLES } };
	struct analysis_period_rule *periods;
	const struct mer_table_options o = { .size = sizeof(o),
		.all = v->all,
		.group_by = v->group_by,
		.period = v->period.expression,
		.period_by = v->period.by.item,
		.n_period_by = v->period.by.n,
		.period_min_ns = v->period.min.v,
		.period_max_ns = v->period.max.set ? v->period.max.v : INT64_MAX,
		.max_ns = INT64_MAX,
		.max_bytes = UINT64_MAX,
		.zero_max = true };
	const char *ids[SUMMARY_TABLES];
	for (int i = 0; i < SUMMARY_TABLES; i++)
		ids[i] = summary_about((enum summary_table)i, false).id;
	if (v->group_by && !v->peers)
		return mer_fail(&ask->err, MER_ERR_USAGE, "--group-by is for --peers");
	if (ask->parts)
		return merge(&x);
	struct api_partials partials = { .taken = NULL };
	if (ask->part && (!v->peers || v->plot || v->period.expression))
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--part: of a summary only --peers can be merged, without --plot and --period");
	x.grid.partials = ask->part ? &partials : NULL;
	int rc = ask->part ? ask_part_begin(&x.grid) : 0;
	if (rc) {
		ask_part_end(&x.grid);
		return rc;
	}
	rc = ask_periods_understand(ask, &v->period, false, &periods);
	if (rc == 0)
		rc = ask_tables(
			ask, &(struct ask_tables_question){ .analysis = "summary",
				     .tables = ids,
				     .n = SUMMARY_TABLES,
				     .options = &o,
				     .periods = periods,
				     .messages = true,
				     .goes_on = v->plot != NULL, /* the picture needs them, too */
				     .print = print,
				     .ctx = &x });
	ask_part_end(&x.grid);
	analysis_period_rule_free(periods);
	free(x.recorded);
	return rc;
}

static const struct ask_option options[] = {
	{ .name = "all",
		.letter = 'a',
		.kind = ASK_FLAG,
		.help = "also joins of threads and waits for children",
		.offset = offsetof(struct values, all) },
	{ .name = "limit",
		.letter = 'n',
		.kind = ASK_AMOUNT,
		.arg = "N",
		.help = "at most N rows per table (default: a screenful; 0: all)",
		.offset = offsetof(struct values, limit) },
	{ .name = "peers",
		.kind = ASK_FLAG,
		.help = "only which hosts are unlike others that do the same",
		.offset = offsetof(struct values, peers) },
	{ .name = "group-by",
		.kind = ASK_TEXT,
		.arg = "WHAT",
		.choices = "name|all|program",
		.help = "peers: by name (web1, web2), program, or all",
		.offset = offsetof(struct values, group_by) },
	{ .name = "plot",
		.kind = ASK_PICTURE,
		.arg = "FILE",
		.help = "also draw the load over time, as SVG (-: that alone)",
		.offset = offsetof(struct values, plot) },
	ASK_PERIOD_OPTIONS(struct values, period),
	{ 0 },
};

const struct ask_verb ask_verb_summary = {
	.name = "summary",
	.help = "one screen: what was lost, what took time, what to run next",
	.synopsis = "[OPTION...] TRACE...",
	.description = "Shows findings, each with a command that shows more: first what was lost or is "
		       "unknown, then failures, then what took time, by that time. Below are the load "
		       "of each host and CPU, disks and network, the tasks that used most, waits by "
		       "cause and packets between hosts. Idle waits and the tracer's own tasks are left "
		       "out.",
	.more = "Values are those of 'meridian top' and 'meridian stats'. Busy is the share of CPU time "
		"that was not idle, interrupts included; runnable is the mean number of runnable "
		"tasks, which had no CPU, queued that of disk requests; disk is the share of time in which the "
		"busiest disk was busy. Network counts the bytes of all interfaces except lo, in both "
		"directions. Switches are all sched_switch events; "
		"irq counts interrupts of devices, not timers or softirqs. Lost events and packets are those of the whole recording, "
		"even with --begin and --end. Latencies between hosts are one-way; clock bound says how "
		"far off the clocks can be. 'Repeated' are packets seen again (retransmitted, or passing "
		"a bridge), 'not received' those that the other host did not record.\n\n"
		"Waits are those that 'meridian blocked' shows, all waits for disks, and without --host and "
		"--period those of servers for locks and timers on the path of a request; joins "
		"of threads and waits for child processes are left out without --all, because the waits of "
		"the thread or child are listed. Everyday errors are not "
		"counted as odd: EAGAIN, EINPROGRESS, ETIMEDOUT, ECHILD, EINTR, and ENOENT where a program "
		"searches for a file.\n\n"
		"Findings: events or packets lost; 5 % of the CPU time unknown, or between "
		"recordings; no sched_switch; disk "
		"requests that failed; threads that waited for a lock for a second, or half of the time, "
		"until the end. Then, by time: 0.2 runnable tasks per CPU; a CPU without idle time for a "
		"second; short-lived tasks, 10 a second, that take 40 % of the tasks' CPU time and a "
		"quarter of the CPUs; 2 % of the time waiting for disks, major faults, locks, packets in "
		"flight (1 ms on average, and twice the clock bound) or packets of unknown senders; a disk "
		"busy, or with requests queued, half of the time; a twentieth of what tasks of a guest seemed to run stolen; interrupts or softirqs with a tenth of the "
		"CPU time; busy polling with a tenth of a CPU; flushes of 20 ms. Last: scheduling latencies "
		"of 10 ms, 5 % odd errors, 1 % of packets repeated or not received. If none of them "
		"took a tenth of the time, the first says that nothing is saturated. A finding on four hosts or more "
		"is shown once, for the median host, with the number of other hosts within a factor of two of it; "
		"the rest have findings of their own.\n\n"
		"--peers compares some forty measures of each host with the median of its group: hosts of one name "
		"but for its numbers, all hosts, or those where the same program used most CPU time. A measure is unusual "
		"if it is six deviations (more in small groups) from the median, by the median deviation of its side, and "
		"by more than matters; loads also if they are lower. Rates, latencies and bytes count by their magnitude, "
		"of clocks only differences. What more than a tenth of a group, and more than two hosts, have is no "
		"exception; groups of fewer than five hosts are not compared.\n\n"
		"Where nothing of the kernel was recorded, the views that belong to "
		"meridian and fit the recorded events are named. --json and CSV "
		"have all rows, with numbers, sentence and command.\n\n" ASK_PERIOD_MANUAL,
	.formats = "table|json|jsonl|csv",
	.uses = ASK_USES_FORMAT | ASK_USES_TIME | ASK_USES_MARKS | ASK_USES_HOST | ASK_USES_SYNC | ASK_USES_JOBS |
		ASK_USES_INPUT | ASK_USES_STORE | ASK_USES_TABLES | ASK_USES_PARTS,
	.skips_holes = true,
	.options = options,
	.values_size = sizeof(struct values),
	.min_args = 1,
	.max_args = -1,
	.args = "TRACE",
	.examples = {
		{ "meridian summary client/ server/", "Where to look first." },
		{ "meridian summary --begin +1s --end +2s --plot all.svg client/ server/",
			"One second of it, also as a picture." },
	},
	.run = run,
};
