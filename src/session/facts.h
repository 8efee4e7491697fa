/* Facts: what a reading of everything made of the kinds that no reading of a part can make
 * (store/kept_facts.h), in the cache folder beside the states, and with the same key. Who asks
 * about a window has them from there. */
#ifndef MER_SESSION_FACTS_H
#define MER_SESSION_FACTS_H

#include "session/session.h"
#include "session/states.h"
#include "store/kept_facts.h"

struct session_facts {
	struct session_facts_of { /* a kind */
		char *path;	  /* malloc'ed */
		struct store_key key;
		struct store_kept_facts *from;	   /* NULL: none */
		struct store_facts_keeper *keeper; /* NULL: none are kept */
	} of[ANALYSIS_MAX_KINDS];
	const struct fact_kind *const *kinds; /* as `of`; borrowed, ends with NULL */
	size_t n;
	bool has_place;
};

/* states: were opened. kind: of the reading (kernel_checkpoint_kind). kinds must outlive x;
 * session_facts_close in any case. False: some of them are not there. */
bool session_facts_open(struct session_facts *x, const struct session_states *states, uint32_t kind,
	const struct fact_kind *const *kinds);
/* For a reading of a part; x must outlive it. */
struct analysis_kept session_facts_of(struct session_facts *x);
/* For a reading of everything: those that are not there are kept. */
struct analysis_kept session_facts_keep(
	struct session_facts *x, const struct session *s, const struct session_states *states);
/* After it. ok: the world is sound, and its states are there. */
void session_facts_save(struct session_facts *x, const struct session_states *states,
	const struct kernel_world *w, bool ok);
/* They do not serve after all: no later reading finds them. */
void session_facts_drop(struct session_facts *x);
void session_facts_close(struct session_facts *x);

#endif
