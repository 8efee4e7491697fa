/* meridian log: each occurrence of something, in the order of time. */
#include <string.h>

#include "ask/reports/grid.h"
#include "ask/reports/view_stacks.h"
#include "ask/verb.h"

static int run(struct ask *ask, const void *values)
{
	if (ask->format != ASK_FORMAT_FOLDED && ask->format != ASK_FORMAT_SPEEDSCOPE)
		return ask_grid_run(ask, "log", values);
	if (ask->n_args < 2 || strcmp(ask->args[0], "view") != 0)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--format folded and speedscope are for the states of a view: log view --view FILE TRACE...");
	ask->args++;
	ask->n_args--;
	return ask_view_stacks(ask);
}

static const struct ask_option options[] = {
	ASK_GRID_LIMIT("at most N rows (default: 20; 0: all)"),
	ASK_GRID_SORT("sort by this column: largest first, names a to z"),
	ASK_GRID_ALL,
	ASK_GRID_MIN(""),
	ASK_GRID_MAX(""),
	ASK_GRID_SIZES("io, disk: "),
	ASK_GRID_NAME("only these (openat, eth0, /etc/*); also --filter"),
	ASK_GRID_FILTER(""),
	ASK_GRID_PERIOD,
	{ .name = "plot",
		.kind = ASK_PICTURE,
		.arg = "FILE",
		.help = "for disk: sectors over time, as SVG (-: that alone)",
		.offset = offsetof(struct ask_grid_values, plot) },
	{ 0 },
};

const struct ask_verb ask_verb_log = {
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
		"(docs/views.md).\n\n"  ASK_GRID_NAME_MANUAL ASK_GRID_FILTER_MANUAL ASK_PERIOD_MANUAL,
	.formats = "table|json|jsonl|csv|folded|speedscope",
	.uses = ASK_USES_TASKS | ASK_USES_VIEWS | ASK_USES_CPU | ASK_USES_TABLES | ASK_USES_PARTS,
	.options = options,
	.values_size = sizeof(struct ask_grid_values),
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
