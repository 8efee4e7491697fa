/* States: what a reading of everything leaves in the cache folder, so that later ones read only the part of the time
 * that is asked about (kernel/checkpoint/checkpoint.h). Found again as synchronizations are
 * (cli/sync_cache.h), and by the clocks that were applied. */
#ifndef MER_CLI_STATES_H
#define MER_CLI_STATES_H

#include "cli/sync_cache.h"
#include "kernel/checkpoint/checkpoint.h"

struct cli_states {
	struct sync_cache_place place;
	struct kernel_checkpoint_key key;
	struct kernel_checkpoints *from; /* NULL: none, everything has to be read */
	struct kernel_keeper *keeper;	 /* for that reading; NULL: nothing can be kept */
	uint32_t kind;
};

/* Looks for states from which a reading of this kind (kernel_checkpoint_kind) can go on. r: the synchronization
 * that is (or will be) applied; NULL: none is. cli_states_close in any case. */
void cli_states_open(struct cli_states *s, const struct mer_experiment *e,
	const struct sync_result *r, uint32_t kind);
/* When there are none: a keeper for the reading that is made now. */
void cli_states_keep(struct cli_states *s, struct mer_experiment *e);
/* After it: they are there from now on. */
void cli_states_save(struct cli_states *s, const struct kernel_world *w);
/* They do not serve after all: no later reading finds them. */
void cli_states_drop(struct cli_states *s);
void cli_states_close(struct cli_states *s);

#endif
