/* Places: folders that the environment names, and what may be kept in memory. The only user of these variables. */
#ifndef MER_CLI_PLACES_H
#define MER_CLI_PLACES_H

#include "cli/context.h"
#include "trace/experiment.h"

enum { CLI_PLACE_BYTES = 1024 };

/* $XDG_CACHE_HOME/meridian, else ~/.cache/meridian. False: there is neither. */
bool cli_cache_folder(char path[CLI_PLACE_BYTES]);

/* Gives the experiment its spill: $MERIDIAN_MEMORY (512 MiB) in memory, the rest in a file in $TMPDIR, the cache
 * folder or /var/tmp. */
int cli_spill_begin(struct cli *cli, struct mer_experiment *e);
/* A warning if that was not possible, with -v a note if it was. */
void cli_spill_report(struct cli *cli, const struct mer_experiment *e);

#endif
