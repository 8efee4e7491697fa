#include "cli/verb.h"

struct values {
	uint64_t record;
};

static int run(struct cli *cli, const void *values)
{
	(void)values;
	return mer_fail(&cli->err, MER_ERR_BUG, "not there yet");
}

static const struct cli_option options[] = {
	{ .name = "record",
		.letter = 'n',
		.kind = CLI_NUMBER,
		.arg = "N",
		.help = "show the bytes of the N-th record (default: the first)",
		.offset = offsetof(struct values, record) },
	{ 0 },
};

const struct cli_verb cli_verb_layout = {
	.name = "layout",
	.help = "where an event's fields lie, bit by bit",
	.synopsis = "[OPTION...] TRACE EVENT",
	.description = "Prints the fields of a record of EVENT with bit offset, size, byte order and "
		       "value, and the record's bytes in hexadecimal and binary: for those who "
		       "write a tracer and want to see what went wrong.",
	.formats = "table|json|jsonl|csv",
	.uses = CLI_USES_FORMAT | CLI_USES_INPUT,
	.options = options,
	.values_size = sizeof(struct values),
	.min_args = 2,
	.max_args = 2,
	.args = "TRACE",
	.examples = {
		{ "meridian layout client/ sched_switch", "The first task switch." },
		{ "meridian layout -n 3 --json client/ sched_switch | jq '.fields[0]'",
			"The first field of the third one." },
	},
	.run = run,
};
