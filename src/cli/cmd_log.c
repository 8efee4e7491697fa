/* meridian log: each occurrence of something, in the order of time. */
#include "cli/grid.h"
#include "cli/verb.h"

static int run(struct cli *cli, const void *values)
{
	return cli_grid_run(cli, "log", values);
}

static const struct cli_option options[] = {
	{ .name = "limit",
		.letter = 'n',
		.kind = CLI_AMOUNT,
		.arg = "N",
		.help = "at most N rows (default: a screenful), 0: all",
		.offset = offsetof(struct cli_grid_values, limit) },
	{ .name = "sort",
		.kind = CLI_TEXT,
		.arg = "KEY",
		.help = "by this column (keys as in --json); +KEY: least first",
		.offset = offsetof(struct cli_grid_values, sort) },
	{ .name = "min",
		.kind = CLI_DURATION,
		.arg = "TIME",
		.help = "only what took at least TIME (250us, 1.5ms)",
		.offset = offsetof(struct cli_grid_values, min) },
	{ .name = "max",
		.kind = CLI_DURATION,
		.arg = "TIME",
		.help = "only what took at most TIME",
		.offset = offsetof(struct cli_grid_values, max) },
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
		"show. Without --sort only as many rows are kept in memory as are shown.",
	.formats = "table|json|jsonl|csv",
	.uses = CLI_USES_FORMAT | CLI_USES_TIME | CLI_USES_HOST | CLI_USES_CPU | CLI_USES_TID |
		CLI_USES_COMM | CLI_USES_SYNC | CLI_USES_JOBS | CLI_USES_INPUT,
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
