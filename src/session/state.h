/* The inside of a session, for this layer alone. */
#ifndef MER_SESSION_STATE_H
#define MER_SESSION_STATE_H

#include "session/findings.h"
#include "session/session.h"

struct requests; /* requests/requests.h */
struct view;
struct view_states;

struct session {
	struct session_options o;
	struct mer_arena arena;
	struct mer_cancel cancel;
	struct mer_experiment *e;
	struct mer_diags opened;		    /* e's findings when it was opened */
	struct session_found found[SESSION_N_KEPT]; /* by what is kept */
	bool is_asked; /* e's findings are those of a question (session_findings_begin) */

	struct sync_result *result; /* what was applied to e; NULL: nothing was */
	struct session_synced synced;
	struct mer_err sync_error; /* code 0: none */
	bool is_synchronized;	   /* as the options say, which may be not at all */

	struct sync_messages messages;
	bool has_messages;
	struct mer_diags matched; /* what was found while they were */

	const struct view **views; /* of the options, as soon as it is open; malloc'ed */
	size_t n_views;
	struct view_states *view_states;     /* NULL: not needed so far */
	const struct view_host **view_hosts; /* by host; malloc'ed */

	struct store *store;
	const struct kernel_observer *listeners; /* while it is made; NULL: none */
	char *store_path;
	bool has_store;		    /* or why there is none is known */
	struct mer_err store_error; /* of one that is wanted; code 0: none */
	struct store_again
		*again;		 /* what it should have, from the traces; NULL: it was not needed */
	bool store_was_damaged;	 /* one that is not open any more */
	bool store_is_of_itself; /* made for this session though its options do not say so */

	struct kernel_world *world; /* of the store, if there is one */
	struct kernel_mpi *mpi;	    /* the world's; NULL: none was recorded */
	struct usage *usage;
	enum session_usage usage_kind; /* of world */
	/* Of services, with a world of its own: that of a store may be used beside it. */
	struct requests *requests;
	struct kernel_world *requests_world;
	bool requests_are_stored; /* and that world, too */
	struct usage *requests_usage;
	enum session_usage requests_usage_kind;
};

/* Opens the store, and makes it if it is not there and the options say so, or this is the second
 * question; once. NULL: there is none. An error is one that ends it all. */
int session_store(struct session *s, struct store **store, struct mer_err *err);
/* The messages as sync_gather finds them, from a store that another question has made, and what was
 * found with them; not those of manifests. Into m, which is zeroed. False: there is none. */
bool session_stored_messages(struct session *s, struct sync_messages *m);
/* Spans and tables of the store that are damaged are read from the traces when they are looked at,
 * on that thread. Off while several threads look at them: they are unknown then, and
 * session_stored says so. */
void session_store_mend(struct session *s, bool on);
/* It is damaged: closed, and removed. From now on the traces are read. The session's world goes,
 * too. MER_ERR_INPUT: it was all that there is, of full parts. */
int session_store_drop(struct session *s, struct mer_err *err);
void session_store_close(struct session *s);

/* Are clocks to be aligned, to each other and not as a file says? */
static inline bool session_aligns(const struct session *s)
{
	return s->o.clocks != SESSION_CLOCKS_RECORDED && (s->e->n_hosts > 1 || s->o.vms.n);
}

void session_drop_world(struct session *s);

/* Where a stage counts what is done; NULL: nowhere. session_stage_end in any case. */
_Atomic uint64_t *session_stage_begin(
	struct session *s, enum session_stage stage, uint64_t total_bytes);
void session_stage_end(struct session *s);

#endif
