/* meridian freq: histograms of durations. */
#include "cli/reports/grid.h"
#include "cli/verb.h"

static int run(struct cli *cli, const void *values)
{
	return cli_grid_run(cli, "freq", values);
}

static const struct cli_option options[] = {
	CLI_GRID_LIMIT("at most N histograms (default: 6; 0: all)"),
	CLI_GRID_MIN(""),
	CLI_GRID_MAX(""),
	CLI_GRID_SIZES("io, disk: "),
	CLI_GRID_NAME("only these (openat, eth0); also --filter, --group-by"),
	CLI_GRID_GROUP_BY(""),
	CLI_GRID_FILTER(""),
	CLI_GRID_PERIOD,
	{ 0 },
};

const struct cli_verb cli_verb_freq = {
	.name = "freq",
	.help = "histograms of durations: interrupts, calls, requests, ...",
	.synopsis = "[ANALYSIS [OPTION...] TRACE...]",
	.description = "Prints histograms of how long things took. 'meridian freq' without arguments "
		       "lists the analyses.",
	.more = "Each row is a range of durations (for mem, of sizes), from the first column to the second, "
		"exclusive. Ranges grow by a half or a third, so nanoseconds and hours fit into one "
		"picture. Bars are relative to the largest count of the same histogram.\n\n"  CLI_GRID_NAME_MANUAL CLI_GRID_GROUP_BY_MANUAL CLI_GRID_FILTER_MANUAL CLI_PERIOD_MANUAL,
	.formats = "table|json|jsonl|csv",
	.uses = CLI_USES_TASKS | CLI_USES_VIEWS | CLI_USES_CPU | CLI_USES_TABLES,
	.options = options,
	.values_size = sizeof(struct cli_grid_values),
	.max_args = -1,
	.args = "ANALYSIS",
	.examples = {
		{ "meridian freq irq client/ server/", "Duration of interrupts." },
		{ "meridian freq syscall --comm wget --limit 1 client/",
			"System calls of one program." },
	},
	.run = run,
};
