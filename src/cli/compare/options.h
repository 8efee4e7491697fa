/* Options of verbs that compare. */
#ifndef MER_CLI_COMPARE_OPTIONS_H
#define MER_CLI_COMPARE_OPTIONS_H

/* S: a struct with a member `common`, a struct compare_values. */
#define COMPARE_OPTIONS(S)                                                                         \
	{ .name = "limit",                                                                         \
		.letter = 'n',                                                                     \
		.kind = ASK_LIMIT,                                                                 \
		.arg = "N",                                                                        \
		.help = "at most N rows of each table (default: 10; 0: all)",                      \
		.offset = offsetof(S, common.limit) },                                             \
		{ .name = "false-alarms",                                                          \
			.kind = ASK_TEXT,                                                          \
			.arg = "P",                                                                \
			.help = "accepted chance of any false alarm (default: 1%)",                \
			.offset = offsetof(S, common.false_alarms) },                              \
		{ .name = "fail-above",                                                            \
			.kind = ASK_TEXT,                                                          \
			.arg = "P",                                                                \
			.help = "exit status 1 if something is worse by more than P (5%)",         \
			.offset = offsetof(S, common.fail_above) },                                \
	{                                                                                          \
		.name = "junit", .kind = ASK_FILE, .arg = "FILE",                                  \
		.help = "with --fail-above: also write FILE, as JUnit XML",                        \
		.offset = offsetof(S, common.junit)                                                \
	}

#define COMPARE_ROWS 10

#endif
