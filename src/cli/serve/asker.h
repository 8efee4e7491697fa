/* Questions that are asked of the program while it serves, with the words of its own command line
 * for what they have in common. */
#ifndef MER_CLI_SERVE_ASKER_H
#define MER_CLI_SERVE_ASKER_H

#include "ask/words.h"

/* Borrows of ask. */
struct ask_asker cli_asker(const struct ask *ask);
/* server_options.surroundings: the time zone and the width; from the arena. NULL: no memory. */
const char *cli_surroundings(struct ask *ask);

#endif
