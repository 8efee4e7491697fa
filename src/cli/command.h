/* A command: the words of a command line, parsed: its verb, the verb's options, the common ones.
 *
 * The program reads its own command line; a server reads those in its requests. */
#ifndef MER_CLI_COMMAND_H
#define MER_CLI_COMMAND_H

#include "cli/context.h"

/* Reads argv[verb_at] as the verb and all that follows; options before it were read already
 * (cli_parse without a verb). Fills cli->verb, cli->args, the common options and *values, the
 * verb's own, in cli->arena. With --help nothing that is missing is a mistake. MER_ERR_USAGE: see
 * cli->err. */
int cli_command_read(struct cli *cli, int argc, char **argv, int verb_at, void **values);
/* Afterwards: are there as many words (cli->args) as the verb takes? */
int cli_command_check_words(struct cli *cli);

#endif
