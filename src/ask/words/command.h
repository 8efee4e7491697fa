/* A command: the words of a command line, parsed: its verb, the verb's options, the common ones.
 *
 * The program reads its own command line; a server reads those in its requests. */
#ifndef MER_ASK_WORDS_COMMAND_H
#define MER_ASK_WORDS_COMMAND_H

#include "ask/context.h"

/* Reads argv[verb_at] as the verb and all that follows; options before it were read already
 * (ask_parse without a verb). Fills ask->verb, ask->args, the common options and *values, the
 * verb's own, in ask->arena. With --help nothing that is missing is a mistake. MER_ERR_USAGE: see
 * ask->err. */
int ask_command_read(struct ask *ask, int argc, char **argv, int verb_at, void **values);
/* Afterwards: are there as many words (ask->args) as the verb takes? */
int ask_command_check_words(struct ask *ask);

#endif
