/* A run of a program from its beginning to its exit status. Signals are handled here and nowhere
 * else. */
#ifndef MER_CLI_RUN_H
#define MER_CLI_RUN_H

#include "ask/context.h"

/* Signals and standard streams of this process. */
void cli_prepare_process(void);
/* A question without words yet. */
void cli_begin(struct ask *ask);
/* Says what is wrong with the command line (ask->err); the exit status. */
int cli_misused(struct ask *ask);
/* The same of another error, whose code is negative. */
int cli_failed(struct ask *ask, int code);
/* Answers, once the command line is understood; the exit status. */
int cli_run(struct ask *ask, const void *values);
/* Whatever came before: results are written, notes said. The exit status, which is another one if
 * results could not be written. */
int cli_end(struct ask *ask, int status);

#endif
