/* The current folder, where a command names no traces: whoever is in a folder of traces means
 * these. */
#ifndef MER_ASK_WORDS_HERE_H
#define MER_ASK_WORDS_HERE_H

#include "ask/context.h"

/* Are there traces in the current folder, or where LTTng puts them below it? */
bool ask_here_has_traces(void);
/* Adds "." to the arguments if there are. False: there are none, or no memory. */
bool ask_here_add(struct ask *ask);

#endif
