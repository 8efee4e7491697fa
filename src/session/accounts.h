/* Accounts: what a reading of everything found for accounts of tasks (store/kept_account.h), in the
 * cache folder beside the states and the waits. Who asks what a task cost in a window has it from
 * there. */
#ifndef MER_SESSION_ACCOUNTS_H
#define MER_SESSION_ACCOUNTS_H

#include "session/session.h"
#include "session/states.h"
#include "store/kept_account.h"

struct session_accounts {
	const char *dir; /* NULL: there is no place */
	char *path;	 /* malloc'ed */
	struct store_key key;
	uint64_t max_bytes;
	bool keeps;
	struct store_kept_account *from; /* NULL: none */
};

/* states: were opened. kind: of the reading (kernel_checkpoint_kind), usage: what it counts.
 * session_accounts_close in any case. False: there are none. */
bool session_accounts_open(struct session_accounts *x, const struct session *s,
	const struct session_states *states, uint32_t kind, enum session_usage usage);
/* Those of a world of everything: they are there from now on, if states are. */
void session_accounts_keep(
	struct session_accounts *x, const struct account_index *index, const struct usage *u);
/* They do not serve after all: no later reading finds them. */
void session_accounts_drop(struct session_accounts *x);
void session_accounts_close(struct session_accounts *x);

#endif
