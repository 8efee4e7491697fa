/* meridian log: each occurrence of something, in the order of time. */
#include <string.h>

#include "cli/reports/grid.h"
#include "cli/reports/view_stacks.h"
#include "cli/verb.h"

static int run(struct cli *cli, const void *values)
{
	if (cli->format != CLI_FORMAT_FOLDED && cli->format != CLI_FORMAT_SPEEDSCOPE)
		return cli_grid_run(cli, "log", values);
	if (cli->n_args < 2 || strcmp(cli->args[0], "view") != 0)
		return mer_fail(&cli->err, MER_ERR_USAGE,
			"--format folded and speedscope are for the states of a view: log view --view FILE TRACE...");
	cli->args++;
	cli->n_args--;
	return cli_view_stacks(cli);
}

static const struct cli_option options[] = {
	CLI_GRID_LIMIT("at most N rows (default: 20; 0: all)"),
	CLI_GRID_SORT("sort by this column: largest first, names a to z"),
	CLI_GRID_ALL,
	CLI_GRID_MIN(""),
	CLI_GRID_MAX(""),
	CLI_GRID_SIZES("io, disk: "),
	CLI_GRID_NAME("only these (openat, eth0, /etc/*); also --filter"),
	CLI_GRID_FILTER(""),
	CLI_GRID_PERIOD,
	{ .name = "plot",
		.kind = CLI_PICTURE,
		.arg = "FILE",
		.help = "for disk: sectors over time, as SVG (-: that alone)",
		.offset = offsetof(struct cli_grid_values, plot) },
	{ 0 },
};

const struct cli_verb cli_verb_log = {
	.name = "log",
	.help = "list every wake-up, interrupt, system call, request, ...",
	.synopsis = "[ANALYSIS [OPTION...] TRACE...]",
	.description = "Lists every occurrence that an analysis counts, on all hosts, in time order. "
		       "'meridian log' without arguments lists the analyses.",
	.more = "An occurrence belongs as a whole to the time range in which it begins, so that rows add up to "
		"what 'meridian stats' shows. States of programs (view) and calls of MPI are listed as a "
		"whole wherever a part of them is in the range: 'meridian top' counts only that part. Without --sort and --reverse only the "
		"rows shown are kept in memory.\n\n"
		"With --plot (meridian log disk --plot disks.svg TRACE), each disk is a chart with one "
		"point per request, at its time and sector: sequential requests form lines, random ones "
		"clouds. If there are thousands, neighbouring points are merged. The points are in the "
		"table 'map'.\n\n"
		"log view --format folded is the input of flame graph tools, speedscope a file for "
		"speedscope.app: the time of each row in its states, by those around them "
		"(docs/views.md).\n\n"  CLI_GRID_NAME_MANUAL CLI_GRID_FILTER_MANUAL CLI_PERIOD_MANUAL,
	.formats = "table|json|jsonl|csv|folded|speedscope",
	.uses = CLI_USES_TASKS | CLI_USES_VIEWS | CLI_USES_CPU,
	.options = options,
	.values_size = sizeof(struct cli_grid_values),
	.max_args = -1,
	.args = "ANALYSIS",
	.examples = {
		{ "meridian log sched --min 1ms client/ server/",
			"Scheduling latencies of 1 ms and more, and the next task." },
		{ "meridian log syscall --comm wget --format csv client/ | head -4",
			"The first system calls of a program, for a spreadsheet." },
	},
	.run = run,
};
