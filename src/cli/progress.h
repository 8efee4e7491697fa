/* The progress line: bytes done, rate, time left.
 *
 * On stderr, when that is a terminal, from the first second on, ten times a second at most; it is
 * gone at the end. A thread of its own draws it, so that those who work only add to a number. */
#ifndef MER_CLI_PROGRESS_H
#define MER_CLI_PROGRESS_H

#include "ask/program.h"

/* For struct ask_program. Whether it is shown: --progress, -q, no terminal. */
void cli_progress_begin(struct ask_progress *p);
void cli_progress_end(struct ask_progress *p);

/* Takes the line away while something else is printed; p may be NULL. */
void cli_progress_hide(struct ask_progress *p);
void cli_progress_show(struct ask_progress *p);

#endif
