#include "cli/verb.h"

enum by { BY_ALL, BY_NAME, BY_HOST, BY_STREAM };

struct values {
	unsigned by; /* enum by */
	uint64_t limit;
};

static int run(struct cli *cli, const void *values)
{
	(void)values;
	return mer_fail(&cli->err, MER_ERR_BUG, "not there yet");
}

static const struct cli_option options[] = {
	{ .name = "by",
		.kind = CLI_CHOICE,
		.arg = "WHAT",
		.choices = "all|name|host|stream",
		.help = "only one table: name, host or stream",
		.offset = offsetof(struct values, by) },
	{ .name = "limit",
		.letter = 'n',
		.kind = CLI_NUMBER,
		.arg = "N",
		.help = "only the first N rows of each table",
		.offset = offsetof(struct values, limit) },
	{ 0 },
};

const struct cli_verb cli_verb_stats = {
	.name = "stats",
	.help = "event counts, rates, bytes and losses",
	.synopsis = "[OPTION...] TRACE...",
	.description = "Counts events by name, host and stream, with their rate and the bytes that they "
		       "take; lists what was lost, when, and what to change in the recording so "
		       "that it is not lost next time.",
	.formats = "table|json|jsonl|csv",
	.uses = CLI_USES_FORMAT | CLI_USES_TIME | CLI_USES_HOST | CLI_USES_SYNC | CLI_USES_JOBS |
		CLI_USES_INPUT,
	.options = options,
	.values_size = sizeof(struct values),
	.min_args = 1,
	.max_args = -1,
	.args = "TRACE",
	.examples = {
		{ "meridian stats client/ server/", "What was recorded most." },
		{ "meridian stats --by name --format csv client/ | head -4",
			"The names that take most space, for a spreadsheet." },
	},
	.run = run,
};
