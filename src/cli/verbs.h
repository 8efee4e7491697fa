/* All verbs of the program: those that ask about traces (ask/verbs.c), and those that record, serve
 * and help. */
#ifndef MER_CLI_VERBS_H
#define MER_CLI_VERBS_H

#include "ask/verb.h"

/* In the order of the help; ends with NULL. */
extern const struct ask_verb *const cli_verbs[];
/* NULL: there is none. */
const struct ask_verb *cli_verb_find(const char *name);

#endif
