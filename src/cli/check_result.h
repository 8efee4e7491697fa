/* How the result of `check` (session/check.h) is printed. */
#ifndef MER_CLI_CHECK_RESULT_H
#define MER_CLI_CHECK_RESULT_H

#include "cli/context.h"
#include "session/check.h"

struct check {
	struct cli *cli;
	const struct mer_experiment *e;
	struct session_check found;
};

/* To cli->out, as --format says. */
int check_print(const struct check *c);
/* For people: whether traces are sound, and of several hosts whether clocks can be aligned. */
int check_print_short(const struct check *c);
/* For programs. */
int check_print_answer(const struct check *c);
/* The same when no trace could be opened (cli->err says why): JSON only, nothing for people. */
int check_print_unopened(struct cli *cli);
/* Why the clock of the host cannot be compared with others; in cli->arena. */
const char *check_why(struct cli *cli, const struct capability_host *h);

#endif
