/* meridian top: who uses or does most of something. */
#include "cli/grid.h"
#include "cli/verb.h"

static int run(struct cli *cli, const void *values)
{
	return cli_grid_run(cli, "top", values);
}

static const struct cli_option options[] = {
	CLI_GRID_LIMIT("at most N rows (default: a screenful), 0: all"),
	CLI_GRID_SORT("by this column (keys as in --json); +KEY: least first"),
	CLI_GRID_OPTION(bins, CLI_AMOUNT, "N", "over time instead, in N bins; also --interval"),
	CLI_GRID_MANUAL_OPTION(
		interval, CLI_DURATION, "TIME", "over time instead, in bins of TIME (10ms)"),
	CLI_GRID_OPTION(plot, CLI_FILE, "FILE", "a chart of it over time as well, as SVG"),
	CLI_GRID_NAME("only what is called so (openat, eth0); also --min, --max"),
	CLI_GRID_MANUAL_OPTION(min, CLI_DURATION, "TIME", "only what took at least TIME"),
	CLI_GRID_MANUAL_OPTION(max, CLI_DURATION, "TIME", "only what took at most TIME"),
	CLI_GRID_SIZES("of io: "),
	CLI_GRID_TABLE("other tables of the analysis; ? tells which"),
	CLI_GRID_PERIOD,
	{ 0 },
};

const struct cli_verb cli_verb_top = {
	.name = "top",
	.help = "who uses most: CPU, memory, disk, network, calls, ...",
	.synopsis = "[ANALYSIS [OPTION...] TRACE...]",
	.description = "Totals per task, device, file, ..., largest first, all hosts on one clock. "
		       "'meridian top' lists the analyses. CSV of several tables has a column 'table'.",
	.more = "Sums are exact: intervals are cut to --begin and --end to the nanosecond, and with "
		"--bins or --interval to the bins, so that the bins of a row sum up to it. The last bin "
		"ends with the traces. A task is selected by --comm by any name that it had at any time, "
		"by --tid with its number in the outermost namespace.\n\n"
		"With --plot amounts are stacked and others are lines; the nine largest are drawn by "
		"themselves. --json and CSV have more columns than the table, under the keys that --sort "
		"takes; times there are nanoseconds since 1970, durations nanoseconds. Where several "
		"tables are printed, each row of CSV and JSON Lines begins with the name of its table "
		"(table); in CSV a blank line separates the tables.\n\n" CLI_GRID_NAME_MANUAL CLI_PERIOD_MANUAL,
	.formats = "table|json|jsonl|csv",
	.uses = CLI_USES_TASKS | CLI_USES_CPU,
	.options = options,
	.values_size = sizeof(struct cli_grid_values),
	.max_args = -1,
	.args = "ANALYSIS",
	.examples = {
		{ "meridian top cpu client/ server/", "Which threads of two machines used most CPU." },
		{ "meridian top cpu --interval 100ms --plot cpu.svg client/",
			"The same over time, also as a picture." },
	},
	.run = run,
};
