/* meridian graph: who talks to whom, through what, and who waits for whom. */
#include <fnmatch.h>
#include <string.h>

#include "cli/graph.h"
#include "cli/grid.h"
#include "cli/progress.h"
#include "cli/sync_print.h"
#include "cli/sync_traces.h"
#include "cli/tasks.h"
#include "cli/traces.h"
#include "cli/verb.h"

enum { SCREENFUL = 20 };

struct values {
	struct cli_amount limit;
	const char *plot;
	bool all;
};

struct asking { /* which tasks */
	const struct cli *cli;
	const struct analysis_run *run;
};

/* By any of its names. */
static bool wants_task(void *ctx, const struct kernel_host *h, uint32_t task)
{
	const struct asking *x = ctx;
	const struct cli *cli = x->cli;
	const struct kernel_task *t = &h->tasks[task];
	uint32_t host = (uint32_t)(h - x->run->world->hosts);
	if (!cli_host_wanted(cli, x->run->e->hosts[host].name))
		return false;
	if (cli->tids.n && (t->tid < 0 || !cli_ranges_contain(&cli->tids, (uint64_t)t->tid)))
		return false;
	for (uint32_t n = t->name; cli->comms.n && n != KERNEL_NONE; n = h->renames[n].before)
		for (size_t i = 0; i < cli->comms.n; i++)
			if (fnmatch(cli->comms.item[i], kernel_name_text(h, h->renames[n].name),
				    0) == 0)
				return true;
	return cli->comms.n == 0;
}

/* Without what is only the kernel's own work: that is counted. */
static void drop_kernel(struct cli_graph *g, struct analysis_table *t)
{
	size_t n = 0;
	for (size_t r = 0; r < t->n_rows; r++) {
		const struct analysis_cell *c = &t->cells[r * t->n_columns];
		if (strcmp(c[RELATION_KIND].v.text, relation_kind_name(RELATION_KERNEL)) == 0) {
			g->n_kernel++;
			continue;
		}
		if (n < r)
			memcpy(&t->cells[n * t->n_columns], c, t->n_columns * sizeof(*c));
		n++;
	}
	t->n_rows = n;
}

/* Nothing is found where no task fits: that is a mistake in the command line. */
static int check_tasks(struct cli *cli, struct mer_experiment *e, const struct analysis_run *run,
	const struct analysis_options *o)
{
	struct cli_world w = { .e = e, .world = run->world, .synced = cli->synced };
	struct cli_selection s = { &cli->comms, &cli->tids, o->begin, o->end };
	struct cli_tasks tasks;
	if (!cli->comms.n && !cli->tids.n)
		return 0;
	int rc = cli_tasks_find(cli, &w, &s, &tasks);
	return rc || tasks.n ? rc : cli_tasks_none(cli, &w, &s);
}

/* For programs: the form that all tables of analyses have. */
static int print_rows(const struct cli_graph *g, struct analysis_table *t, struct mer_experiment *e)
{
	struct cli_grid_values none = { 0 };
	struct cli_grid grid = { .cli = g->cli,
		.values = &none,
		.verb = "graph",
		.analysis = &analysis_relations,
		.e = e,
		.begin = g->begin,
		.end = g->end,
		.requests = { { &analysis_relations, 0 } },
		.tables = { *t },
		.n = 1,
		.n_printed = 1 };
	return cli_grid_print(&grid);
}

static int print(struct cli *cli, const struct values *v, struct mer_experiment *e,
	const struct analysis_run *run, struct analysis_table *t)
{
	struct cli_graph g = { .cli = cli, .e = e, .table = t, .begin = MER_NO_TIME };
	struct mer_str out = { 0 };
	for (uint32_t h = 0; h < run->world->n_hosts; h++) {
		int64_t begin, end;
		if (!analysis_range(run, h, &begin, &end))
			continue;
		g.end = g.begin == MER_NO_TIME || end > g.end ? end : g.end;
		g.begin = g.begin == MER_NO_TIME || begin < g.begin ? begin : g.begin;
	}
	if (g.begin == MER_NO_TIME)
		g.end = MER_NO_TIME;
	if (!v->all)
		drop_kernel(&g, t);
	analysis_table_limit(t, v->limit.set			  ? (size_t)v->limit.v
				: cli->format == CLI_FORMAT_TABLE ? SCREENFUL
								  : 0);
	int rc = v->plot ? cli_graph_svg(&g, v->plot) : 0;
	if (rc)
		return rc;
	if (cli->format != CLI_FORMAT_TABLE && cli->format != CLI_FORMAT_DOT)
		return print_rows(&g, t, e);
	rc = cli->format == CLI_FORMAT_DOT ? cli_graph_dot(&g, &out) : cli_graph_text(&g, &out);
	return cli_sync_put(cli, &out, rc);
}

static int analyse(struct cli *cli, const struct values *v, struct mer_experiment *e,
	const struct sync_messages *messages, struct sync_result *r)
{
	struct analysis_run run;
	struct analysis_table t;
	struct cli_progress progress;
	struct asking asking = { cli, &run };
	bool chosen = cli->tids.n || cli->comms.n || cli->hosts.n;
	struct analysis_options o = { .begin = cli_moment_resolve(
					      &cli->begin, e->begin, e->end, INT64_MIN),
		.end = cli_moment_resolve(&cli->end, e->begin, e->end, INT64_MAX),
		.max_ns = INT64_MAX,
		.wants_task = chosen ? wants_task : NULL,
		.ctx = &asking };
	const struct analysis_request request = { &analysis_relations, 0 };
	cli_progress_begin(&progress, cli, "reading", e->bytes);
	struct kernel_world_options world = { .n_threads = cli_jobs(cli),
		.cancel = &cli->cancel,
		.done_bytes = &progress.done_bytes };
	int rc = analysis_run(&run, e, messages, r, &world, &o, &request, 1, &t, &cli->err);
	cli_progress_end(&progress);
	if (rc == 0)
		rc = check_tasks(cli, e, &run, &o);
	if (rc == 0)
		rc = print(cli, v, e, &run, &t);
	analysis_table_fini(&t);
	analysis_run_fini(&run);
	return rc;
}

static int run(struct cli *cli, const void *values)
{
	struct sync_messages messages = { 0 };
	struct sync_result *r = NULL;
	struct mer_experiment *e;
	cli->synced = NULL;
	int rc = cli_traces_open(cli, &e);
	if (rc)
		return rc;
	rc = cli_traces_sync_keep(cli, e, &messages, &r);
	if (rc == 0)
		rc = analyse(cli, values, e, &messages, r);
	sync_result_free(r);
	sync_messages_free(&messages);
	cli_traces_close(cli, e);
	return rc;
}

#define AT(member) offsetof(struct values, member)

static const struct cli_option options[] = {
	{ .name = "all",
		.letter = 'a',
		.kind = CLI_FLAG,
		.help = "waits for threads and locks of the kernel too",
		.offset = AT(all) },
	{ .name = "plot",
		.kind = CLI_FILE,
		.arg = "FILE",
		.help = "a drawing of it as well, as SVG (needs Graphviz)",
		.offset = AT(plot) },
	{ .name = "limit",
		.letter = 'n',
		.kind = CLI_AMOUNT,
		.arg = "N",
		.help = "at most N relations (default: a screenful), 0: all",
		.offset = AT(limit) },
	{ 0 },
};

const struct cli_verb cli_verb_graph = {
	.name = "graph",
	.help = "who talks to whom through what, and who waits for whom",
	.synopsis = "[OPTION...] TRACE...",
	.description = "Relations between tasks, on one machine and across: sockets, pipes, fifos, "
		       "eventfds, futexes, signals, file locks, forks and waits for exits. Of each: "
		       "how often, how many bytes, how long the one was blocked until the other one "
		       "ended it. The longest wait first, then the greatest count.",
	.more = "An edge goes from who writes, wakes, signals, unlocks or exits to who reads or waits. "
		"Count is the number of writes, signals or forks; where nothing is handed over, of waits "
		"that were ended. With --comm, --tid or --host one end must fit. Of --begin and --end counts when "
		"something was given, or the wait ended.\n\n"
		"Writes and reads of a pipe, a fifo or a socketpair are followed byte by byte, whether or "
		"not anybody waited. Other sockets and eventfds have no name that both ends know: "
		"what is written to one goes to the task that it woke last, and before it woke anybody "
		"to nobody. A fifo is known as one once a wait for its other end was seen. Packets "
		"that a thread or an interrupt of the kernel handled count for the tasks at both ends; a "
		"connection is called as the one who opened it calls it. Futexes of two processes are "
		"marked as shared memory; of a thread that was joined, and a child that was waited "
		"for, the wait is for its exit.\n\n"
		"A kernel trace does not show everything: not memory that is shared and polled without "
		"futexes, not files that one task writes and another one reads later, and of tasks "
		"that were not recorded nothing. Waits that threads of the kernel end (kworker, "
		"jbd2), or tasks that held a lock inside the kernel, say little about who talks to "
		"whom: they are kind 'kernel', with --all.\n\n"
		"--format dot is a graph for Graphviz, with the hosts as boxes; the longer the wait, the "
		"thicker and redder. --plot draws it at once. Without signal_generate in the trace, "
		"signals are known only by the waits that they ended, without their number.",
	.formats = "table|json|jsonl|csv|dot",
	.uses = CLI_USES_FORMAT | CLI_USES_TIME | CLI_USES_HOST | CLI_USES_TID | CLI_USES_COMM |
		CLI_USES_SYNC | CLI_USES_JOBS | CLI_USES_INPUT,
	.options = options,
	.values_size = sizeof(struct values),
	.min_args = 1,
	.max_args = -1,
	.args = "TRACE",
	.examples = {
		{ "meridian graph client/ server/", "Who waits for whom, on both machines." },
		{ "meridian graph --comm wget --format dot client/ server/ > wget.dot",
			"What wget has to do with others, to be drawn by Graphviz." },
	},
	.run = run,
};
