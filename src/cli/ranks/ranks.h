/* meridian-mpi: one question, whose traces are read by the ranks of an MPI job.
 *
 *   options.c  options, help and manual page
 *   deal.c     which rank reads which traces
 *   main.c     the steps, which are those of a fleet (cli/fleet/fleet.h), in one process a rank,
 *              and what goes between ranks; nothing else needs MPI, so only that program has it */
#ifndef MER_CLI_RANKS_RANKS_H
#define MER_CLI_RANKS_RANKS_H

#include "ask/verb.h"

struct ranks_options {
	struct ask_amount rate;
	bool stats;
};

/* Not one of the program's verbs: it has a program of its own. */
extern const struct ask_verb cli_verb_mpi;

#endif
