/* Output: where results go, standard output or files, and how the program ends. */
#ifndef MER_CLI_OUTPUT_H
#define MER_CLI_OUTPUT_H

#include "ask/context.h"

/* Opens the output and decides about colors, after parsing. */
int cli_open_output(struct ask *ask);
/* Does -o name a file that the verb writes itself (ask_verb.writes)? */
bool cli_writes_itself(const struct ask *ask);
/* With -o FOLDER/: results go to the file FOLDER/ID.csv (.jsonl, .json) from now on. */
int cli_output_file(struct ask *ask, const char *id);
/* Flushes; 0 or an error when anything that was written did not arrive. */
int cli_close_output(struct ask *ask);

/* The exit status for an error code. */
int cli_exit_of(int code);

#endif
