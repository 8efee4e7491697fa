/* The states of views as stacks, for flame graphs: log view --format folded, speedscope. */
#ifndef MER_CLI_VIEW_STACKS_H
#define MER_CLI_VIEW_STACKS_H

#include "cli/context.h"

/* args: the traces. */
int cli_view_stacks(struct cli *cli);

#endif
