/* States: what a reading of everything leaves in the cache folder, so that later ones read only the
 * part of the time that is asked about (kernel/checkpoint/checkpoint.h). Found again as other
 * cached results are (store/cache.h), by the clocks that were applied, too. */
#ifndef MER_SESSION_STATES_H
#define MER_SESSION_STATES_H

#include "kernel/checkpoint/checkpoint.h"
#include "session/session.h"
#include "store/cache.h"

struct session_states {
	const char *dir; /* NULL: there is no place */
	struct store_key key;
	struct kernel_checkpoints *from; /* NULL: none, everything has to be read */
	struct kernel_keeper *keeper;	 /* for that reading; NULL: nothing can be kept */
};

/* Looks for states from which a reading of this kind (kernel_checkpoint_kind) can go on; after the
 * clocks were aligned. session_states_close in any case. */
void session_states_open(struct session_states *x, const struct session *s, uint32_t kind);
/* When there are none: a keeper for the reading that is made now. */
void session_states_keep(struct session_states *x, struct session *s);
/* After it: they are there from now on. False: there are none, then or before. */
bool session_states_save(struct session_states *x, const struct kernel_world *w);
/* They do not serve after all: no later reading finds them. */
void session_states_drop(struct session_states *x);
void session_states_close(struct session_states *x);

#endif
