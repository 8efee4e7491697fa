/* meridian freq: histograms of durations. */
#include "cli/grid.h"
#include "cli/verb.h"

static int run(struct cli *cli, const void *values)
{
	return cli_grid_run(cli, "freq", values);
}

static const struct cli_option options[] = {
	CLI_GRID_LIMIT("at most N histograms (default 6), 0: all"),
	CLI_GRID_MIN(""),
	CLI_GRID_MAX(""),
	CLI_GRID_SIZES("of io: "),
	CLI_GRID_NAME("only what is called so (openat, eth0, /etc/*)"),
	CLI_GRID_PERIOD,
	{ 0 },
};

const struct cli_verb cli_verb_freq = {
	.name = "freq",
	.help = "histograms of durations: interrupts, calls, requests, ...",
	.synopsis = "[ANALYSIS [OPTION...] TRACE...]",
	.description = "Counts how often what took how long, as histograms. 'meridian freq' alone lists "
		       "the analyses.",
	.more = "Rows are durations (of mem sizes) from the first column on, and less than the second; each "
		"is half as long again, or a third, so that the times of a nanosecond and of an hour fit one "
		"picture. Bars are relative to the longest of the same histogram.\n\n" CLI_GRID_NAME_MANUAL CLI_PERIOD_MANUAL,
	.formats = "table|json|jsonl|csv",
	.uses = CLI_USES_TASKS | CLI_USES_CPU,
	.options = options,
	.values_size = sizeof(struct cli_grid_values),
	.max_args = -1,
	.args = "ANALYSIS",
	.examples = {
		{ "meridian freq irq client/ server/", "How long interrupts took." },
		{ "meridian freq syscall --comm wget --limit 1 client/",
			"A program's system calls." },
	},
	.run = run,
};
