/* Waits: what a reading of everything found of all waits (store/kept_waits.h), in the cache folder
 * beside the states, and with the same key. Who asks about a window has them from there. */
#ifndef MER_SESSION_WAITS_H
#define MER_SESSION_WAITS_H

#include "session/session.h"
#include "session/states.h"
#include "store/kept_waits.h"

struct session_waits {
	const char *dir; /* NULL: there is no place */
	char *path;	 /* malloc'ed */
	struct store_key key;
	uint64_t max_bytes;
	unsigned n_threads;
	bool keeps;
	struct store_kept_waits *from; /* NULL: none */
};

/* states: were opened. kind: of the reading (kernel_checkpoint_kind), as with messages other waits
 * are for work, and with merges for other requests. session_waits_close in any case. False: there
 * are none. */
bool session_waits_open(
	struct session_waits *x, const struct session_states *states, uint32_t kind);
/* For a world of which only a part is read; x must outlive it. */
struct kernel_waits session_waits_of(struct session_waits *x);
/* For a world of everything: they are kept when they are found, if states are. */
struct kernel_waits session_waits_keep(struct session_waits *x, const struct session *s);
/* They do not serve after all: no later reading finds them. */
void session_waits_drop(struct session_waits *x);
void session_waits_close(struct session_waits *x);

#endif
