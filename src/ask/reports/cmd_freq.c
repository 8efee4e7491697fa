/* meridian freq: histograms of durations. */
#include "ask/reports/grid.h"
#include "ask/verb.h"

static int run(struct ask *ask, const void *values)
{
	return ask_grid_run(ask, "freq", values);
}

static const struct ask_option options[] = {
	ASK_GRID_LIMIT("at most N histograms (default: 6; 0: all)"),
	ASK_GRID_MIN(""),
	ASK_GRID_MAX(""),
	ASK_GRID_SIZES("io, disk: "),
	ASK_GRID_NAME("only these (openat, eth0); also --filter, --group-by"),
	ASK_GRID_GROUP_BY(""),
	ASK_GRID_FILTER(""),
	ASK_GRID_PERIOD,
	{ 0 },
};

const struct ask_verb ask_verb_freq = {
	.name = "freq",
	.help = "histograms of durations: interrupts, calls, requests, ...",
	.synopsis = "[ANALYSIS [OPTION...] TRACE...]",
	.description = "Prints histograms of how long things took. 'meridian freq' without arguments "
		       "lists the analyses.",
	.more = "Each row is a range of durations (for mem, of sizes), from the first column to the second, "
		"exclusive. Ranges grow by a half or a third, so nanoseconds and hours fit into one "
		"picture. Bars are relative to the largest count of the same histogram.\n\n"  ASK_GRID_OPENMETRICS_MANUAL ASK_GRID_NAME_MANUAL ASK_GRID_GROUP_BY_MANUAL ASK_GRID_FILTER_MANUAL ASK_PERIOD_MANUAL,
	.formats = "table|json|jsonl|csv|openmetrics",
	.uses = ASK_USES_TASKS | ASK_USES_VIEWS | ASK_USES_CPU | ASK_USES_TABLES | ASK_USES_PARTS,
	.options = options,
	.values_size = sizeof(struct ask_grid_values),
	.max_args = -1,
	.args = "ANALYSIS",
	.examples = {
		{ "meridian freq irq client/ server/", "Duration of interrupts." },
		{ "meridian freq syscall --comm wget --limit 1 client/",
			"System calls of one program." },
	},
	.run = run,
};
