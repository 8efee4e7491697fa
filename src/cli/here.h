/* The current folder, where a command names no traces: whoever is in a folder of traces means
 * these. */
#ifndef MER_CLI_HERE_H
#define MER_CLI_HERE_H

#include "cli/context.h"

/* Are there traces in the current folder, or where LTTng puts them below it? */
bool cli_here_has_traces(void);
/* Adds "." to the arguments if there are. False: there are none, or no memory. */
bool cli_here_add(struct cli *cli);

#endif
