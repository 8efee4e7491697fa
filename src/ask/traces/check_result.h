/* How the result of `check` (session/check.h) is printed. */
#ifndef MER_ASK_TRACES_CHECK_RESULT_H
#define MER_ASK_TRACES_CHECK_RESULT_H

#include "ask/context.h"
#include "session/check.h"

struct check {
	struct ask *ask;
	const struct mer_experiment *e;
	struct session_check found;
};

/* To ask->out, as --format says. */
int check_print(const struct check *c);
/* For people: whether traces are sound, and of several hosts whether clocks can be aligned. */
int check_print_short(const struct check *c);
/* For programs. */
int check_print_answer(const struct check *c);
/* The same when no trace could be opened (ask->err says why): JSON only, nothing for people. */
int check_print_unopened(struct ask *ask);
/* Why the clock of the host cannot be compared with others; in ask->arena. */
const char *check_why(struct ask *ask, const struct capability_host *h);

#endif
