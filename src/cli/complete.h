/* Completion scripts for shells, from the option tables. */
#ifndef MER_CLI_COMPLETE_H
#define MER_CLI_COMPLETE_H

#include "base/str.h"

/* shell: "bash", "zsh" or "fish". */
void cli_complete(struct mer_str *s, const char *shell);

#endif
