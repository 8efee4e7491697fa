/* Account: what a task waited for and what it cost, as tables (path/account.h computes it). */
#ifndef MER_SESSION_ACCOUNT_H
#define MER_SESSION_ACCOUNT_H

#include "base/table.h"
#include "path/account.h"
#include "path/account_index.h"
#include "session/session.h"

struct session_account {
	const struct session_world *w;
	const struct account *a;
	struct mer_arena *arena; /* for texts of tables */
	bool averaged;		 /* no rests are known */
	bool of_request;	 /* of services: no waits and rests are known then */
};

enum session_blocking_column { /* of SESSION_BLOCKING */
	BLOCKING_FD,
	BLOCKING_OBJECT,
	BLOCKING_KIND,
	BLOCKING_CALL,
	BLOCKING_COUNT,
	BLOCKING_TOTAL,
	BLOCKING_MIN,
	BLOCKING_MAX,
	BLOCKING_MEAN,
	BLOCKING_STDDEV,
	BLOCKING_UNFINISHED,
	BLOCKING_N_COLUMNS
};

enum session_account_table {
	SESSION_BLOCKING,   /* what the task waited for, by descriptor and call */
	SESSION_ACCOUNTING, /* CPU time of it and of all that worked for it, depth first */
	SESSION_RESOURCES,  /* the same of memory, disks and network */
	SESSION_RESIDUAL,   /* time without CPU */
	SESSION_ACCOUNT_TABLES
};
/* "blocking", ... */
const char *session_account_id(enum session_account_table which);
/* Texts live as long as the arena and the world; mer_table_fini in any case. */
int session_account_table(const struct session_account *c, enum session_account_table which,
	struct mer_table *t, struct mer_err *err);
/* The node behind this one, depth first; KERNEL_NONE: it was the last. */
uint32_t session_account_next(const struct account *a, uint32_t node);

struct session_account_found { /* zeroed: nothing */
	struct blocked blocked;
	struct account_index *index;
	struct account account;
};
/* Of a task in the window; all: also work in idle waits. session_account_fini in any case. */
int session_account_find(struct session_account_found *x, const struct session_world *w,
	uint32_t host, uint32_t task, const struct session_window *window, bool all,
	struct mer_err *err);
void session_account_fini(struct session_account_found *x);

#endif
