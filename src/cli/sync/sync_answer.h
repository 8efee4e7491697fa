/* A synchronization for programs: what `sync` and `latency` answer. */
#ifndef MER_CLI_SYNC_SYNC_ANSWER_H
#define MER_CLI_SYNC_SYNC_ANSWER_H

#include "cli/answer.h"
#include "cli/sync/sync_run.h"

/* Begins an answer with the findings, and with how the clocks were aligned. answer_fini in any
 * case; s outlives it. */
void cli_sync_answer_init(struct cli_sync *s, struct answer *a);
/* A table of one row: by which method, to which clock. */
void cli_sync_add_clocks(const struct sync_result *r, struct answer *a);
/* All tables of a result; "row" of those beside is the number of the host, pair or VM. */
void cli_sync_add_result(const struct sync_result *r, struct answer *a);

#endif
