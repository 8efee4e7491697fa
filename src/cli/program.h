/* What this program lends to the questions that it is asked. */
#ifndef MER_CLI_PROGRAM_H
#define MER_CLI_PROGRAM_H

#include "ask/program.h"

extern const struct ask_program cli_program;

#endif
