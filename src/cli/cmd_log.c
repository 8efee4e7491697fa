/* meridian log: each occurrence of something, in the order of time. */
#include "cli/grid.h"
#include "cli/verb.h"

static int run(struct cli *cli, const void *values)
{
	return cli_grid_run(cli, "log", values);
}

static const struct cli_option options[] = {
	CLI_GRID_LIMIT("at most N rows (default: a screenful), 0: all"),
	CLI_GRID_SORT("by this column (keys as in --json); +KEY: least first"),
	CLI_GRID_ALL,
	CLI_GRID_MIN(""),
	CLI_GRID_MAX(""),
	CLI_GRID_SIZES("of io: "),
	CLI_GRID_NAME("only what is called so (openat, eth0, /etc/*)"),
	CLI_GRID_PERIOD,
	{ .name = "plot",
		.kind = CLI_FILE,
		.arg = "FILE",
		.help = "of io: where requests went on disks over time, as SVG",
		.offset = offsetof(struct cli_grid_values, plot) },
	{ 0 },
};

const struct cli_verb cli_verb_log = {
	.name = "log",
	.help = "each wake-up, interrupt, call, request, ... in order",
	.synopsis = "[ANALYSIS [OPTION...] TRACE...]",
	.description = "Lists what an analysis sums up, one by one, in the order of time over all "
		       "hosts. 'meridian log' alone lists the analyses.",
	.more = "What began before --begin, or ended after --end, is cut or left out as the analysis "
		"does it in its sums, so that rows add up to what 'meridian top' and 'meridian stats' "
		"show. Without --sort only as many rows are kept in memory as are shown.\n\n"
		"With --plot (meridian log io --plot disks.svg TRACE) each disk is a chart with a point "
		"for each request, at its time and sector: requests one after the other make lines, "
		"random ones clouds. Of thousands, those near each other are one point. The points are "
		"the table 'map'.\n\n" CLI_GRID_NAME_MANUAL CLI_PERIOD_MANUAL,
	.formats = "table|json|jsonl|csv",
	.uses = CLI_USES_TASKS | CLI_USES_CPU,
	.options = options,
	.values_size = sizeof(struct cli_grid_values),
	.max_args = -1,
	.args = "ANALYSIS",
	.examples = {
		{ "meridian log sched --min 1ms client/ server/",
			"Who waited for a processor for long, and who had it." },
		{ "meridian log syscall --comm wget --format csv client/ | head -4",
			"The first system calls of a program, for a spreadsheet." },
	},
	.run = run,
};
