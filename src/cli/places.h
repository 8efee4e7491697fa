/* Places: folders that the environment names, and what may be kept in memory. The only user of
 * these variables. */
#ifndef MER_CLI_PLACES_H
#define MER_CLI_PLACES_H

#include "ask/context.h"

/* $XDG_CACHE_HOME/meridian, else ~/.cache/meridian; in ask->arena. NULL: there is neither. */
const char *cli_cache_folder(struct ask *ask);
/* $XDG_STATE_HOME/meridian, else ~/.local/state/meridian: what must outlive a cache. */
const char *cli_state_folder(struct ask *ask);

/* The spill of experiments: $MERIDIAN_MEMORY (512 MiB) in memory, the rest in a file in $TMPDIR,
 * the cache folder or /var/tmp; in ask->arena. */
int cli_spill_options(struct ask *ask, const struct mer_spill_options **options);

#endif
