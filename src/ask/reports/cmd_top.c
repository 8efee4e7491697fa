/* meridian top: who uses or does most of something. */
#include "ask/reports/grid.h"
#include "ask/verb.h"

static int run(struct ask *ask, const void *values)
{
	return ask_grid_run(ask, "top", values);
}

static const struct ask_option options[] = {
	ASK_GRID_LIMIT("at most N rows (default: 20; 0: all)"),
	ASK_GRID_SORT("sort by this column: largest first, names a to z"),
	ASK_GRID_ALL,
	ASK_GRID_OPTION(bins, ASK_AMOUNT, "N", "over time, in N bins; or --interval TIME"),
	ASK_GRID_MANUAL_OPTION(interval, ASK_DURATION, "TIME", "over time, in bins of TIME (10ms)"),
	ASK_GRID_OPTION(
		plot, ASK_PICTURE, "FILE", "also draw a chart over time, as SVG (-: that alone)"),
	ASK_GRID_NAME("only these (openat, eth0); also --filter, --min, --max"),
	ASK_GRID_GROUP_BY(""),
	ASK_GRID_FILTER(""),
	ASK_GRID_MANUAL_OPTION(min, ASK_DURATION, "TIME", "only what took TIME or longer"),
	ASK_GRID_MANUAL_OPTION(max, ASK_DURATION, "TIME", "only what took TIME or less"),
	ASK_GRID_SIZES("io, disk: "),
	ASK_GRID_TABLE("another table (list: names them; all); also --group-by"),
	ASK_GRID_PERIOD,
	{ 0 },
};

const struct ask_verb ask_verb_top = {
	.name = "top",
	.help = "who uses most CPU, memory, disk, network, system calls, ...",
	.synopsis = "[ANALYSIS [OPTION...] TRACE...]",
	.description = "Totals for each task, device, file, ... on all hosts, the largest first. "
		       "'meridian top' alone lists the analyses.",
	.more = "Totals are exact: time on CPUs, in states and in waits is clipped to --begin and --end, and "
		"with --bins or --interval to the bins; what is counted one by one (interrupts, system "
		"calls, requests, messages) belongs as a whole to the range in which it begins. So the "
		"bins of a row add up to its total. The last bin ends with the traces. --comm selects "
		"a task by any name that it had at any time; --tid "
		"and --pid take numbers of the outermost PID namespace.\n\n"
		"With --plot, amounts are stacked and levels are lines; the nine largest are drawn "
		"separately, the others as one. JSON and CSV have more columns than the table, under the "
		"keys that --sort takes; times are nanoseconds since 1970, durations nanoseconds. If "
		"there are several tables, each row of CSV and JSON Lines begins with the name of its "
		"table (column 'table'), and in CSV a blank line separates the tables. --table all selects all tables of "
		"the analysis; those over time have 20 bins without --bins. -o DIR/ writes each table "
		"to its own file, DIR/top.csv, DIR/cpus.csv, ... Where "
		"a line has no room for all columns, those that matter least are left out and named "
		"below the table; those without any value go first, without a word.\n\n"
		"meridian top vm --table neighbours --host GUEST shows which other VMs, and which programs of "
		"the hypervisor, took CPU time from the guest, and how much.\n\n"
		"The analysis view shows states that programs declare. --view takes a view file, or "
		"the name of one that belongs to meridian (mpi, mpi-imbalance, ros2, cyg-profile, "
		"libc-memory, callstack, meridian-work); the other columns say what the kernel did with the "
		"thread in that state. meridian-view(5) explains view files.\n\n"  ASK_GRID_OPENMETRICS_MANUAL ASK_GRID_NAME_MANUAL ASK_GRID_GROUP_BY_MANUAL ASK_GRID_FILTER_MANUAL ASK_PERIOD_MANUAL,
	.formats = "table|json|jsonl|csv|openmetrics",
	.uses = ASK_USES_TASKS | ASK_USES_VIEWS | ASK_USES_CPU | ASK_USES_TABLES | ASK_USES_PARTS,
	.options = options,
	.values_size = sizeof(struct ask_grid_values),
	.max_args = -1,
	.args = "ANALYSIS",
	.examples = {
		{ "meridian top cpu client/ server/", "The threads that used most CPU time on two hosts." },
		{ "meridian top cpu --interval 100ms --plot cpu.svg client/",
			"The same over time, also as a chart." },
	},
	.run = run,
};
