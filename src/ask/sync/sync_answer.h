/* A synchronization for programs: what `sync` and `latency` answer. */
#ifndef MER_ASK_SYNC_SYNC_ANSWER_H
#define MER_ASK_SYNC_SYNC_ANSWER_H

#include "ask/print/answer_print.h"
#include "ask/sync/sync_run.h"

/* Begins an answer with the findings, and with how the clocks were aligned. answer_fini in any
 * case; s outlives it. */
void ask_sync_answer_init(struct ask_sync *s, struct answer *a);
/* A table of one row: by which method, to which clock. */
void ask_sync_add_clocks(const struct sync_result *r, struct answer *a);
/* All tables of a result; "row" of those beside is the number of the host, pair or VM. */
void ask_sync_add_result(const struct sync_result *r, struct answer *a);

#endif
