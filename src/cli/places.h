/* Places: folders that the environment names, and what may be kept in memory. The only user of
 * these variables. */
#ifndef MER_CLI_PLACES_H
#define MER_CLI_PLACES_H

#include "ask/context.h"
#include "trace/experiment.h"

/* $XDG_CACHE_HOME/meridian, else ~/.cache/meridian; in ask->arena. NULL: there is neither. */
const char *ask_cache_folder(struct ask *ask);
/* $XDG_STATE_HOME/meridian, else ~/.local/state/meridian: what must outlive a cache. */
const char *cli_state_folder(struct ask *ask);

/* The spill of experiments: $MERIDIAN_MEMORY (512 MiB) in memory, the rest in a file in $TMPDIR,
 * the cache folder or /var/tmp; in ask->arena. */
int ask_spill_options(struct ask *ask, const struct mer_spill_options **options);
/* A warning if that was not possible, with -v a note if it was. */
void ask_spill_report(struct ask *ask, const struct mer_experiment *e);

#endif
