/* The result of the verb `check`, and how it is printed. */
#ifndef MER_CLI_CHECK_RESULT_H
#define MER_CLI_CHECK_RESULT_H

#include "cli/check.h"

struct verdict {		 /* on a trace, or on a path that is none */
	const char *path, *host; /* host NULL: could not be opened */
	uint64_t events, lost_events, lost_packets, errors, warnings;
	bool wanted, sound;
	bool unread; /* a path or trace that could not be opened: nothing of its host is known */
};

struct check {
	struct cli *cli;
	const struct mer_experiment *e;
	const struct trace_counts *counts;
	struct check_host *hosts;
	struct verdict *verdicts; /* of mer_traces(), then of what could not be opened */
	uint32_t n_verdicts;
	bool sound, can_sync;
};

/* To cli->out, as --format says. */
int check_print(const struct check *c);
/* The same when no trace could be opened (cli->err says why): JSON only, nothing for people. */
int check_print_unopened(struct cli *cli);

#endif
