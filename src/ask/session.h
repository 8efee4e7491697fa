/* The session of a verb: the traces of the command line, opened and aligned as its options say, and
 * reported on at the end. What the verbs have in common is here; a verb only understands its
 * options, asks, and prints.
 *
 * Verbs that compare times of several hosts align the clocks, which costs a reading of all network
 * events, once (session/sync_cache.h). Those that can do without leave it: info shows spans and
 * must be instant, check judges one host after the other, layout shows one record. */
#ifndef MER_ASK_SESSION_H
#define MER_ASK_SESSION_H

#include "base/json.h"
#include "ask/context.h"
#include "meridian/session.h"
#include "session/request.h"
#include "session/tasks.h"

enum ask_sync_when {
	ASK_SYNC_NEVER,
	ASK_SYNC_GIVEN, /* only when --sync auto or a file is given */
	ASK_SYNC_AUTO	/* unless --sync none */
};

/* What the command line says of sessions: clocks, threads, the cache. */
int ask_session_options(struct ask *ask, struct mer_session_options *o);
/* Opens ask->args; hosts and CPUs that are selected must be there. ask_session_close in any
 * case. */
int ask_session_open(struct ask *ask, struct session **s);
/* Aligns the clocks as --sync says, and says in a line how exact the times are; finds ask->window.
 * messages: of session_synchronize. */
int ask_session_synchronize(struct ask *ask, struct session *s, bool messages);
/* Both: for those who need no messages. *s is NULL after a failure. */
int ask_session_open_synced(struct ask *ask, enum ask_sync_when when, struct session **s);
/* Both, and the model of what tasks did. */
int ask_session_open_world(
	struct ask *ask, enum session_usage usage, struct session **s, struct session_world *w);
/* Reports what was found (ask_report) and frees. s may be NULL. */
void ask_session_close(struct ask *ask, struct session *s);

/* ---- A question, from the traces to what is printed ---- */

/* Tables of an analysis, requested as any program of the library requests them
 * (meridian/session.h). */
struct api_partials; /* library/api.h */
struct ask_tables_question {
	const char *analysis;
	const char *const *tables; /* ids */
	size_t n;
	const struct mer_table_options *options; /* their selection is that of the command line */
	const struct analysis_period_rule *periods; /* of options, for warnings; NULL: none */
	bool messages;				    /* will be needed: see session_synchronize */
	bool goes_on;				    /* print asks further */
	struct api_partials *partials;		    /* of --part; NULL: none */
	int (*print)(void *ctx, struct mer_result *const *results);
	void *ctx;
};
int ask_tables(struct ask *ask, const struct ask_tables_question *q);

/* What is done with the tasks that --comm, --tid and --host select, in a world of their spans. */
struct ask_task_question {
	enum session_usage usage;
	bool all;	     /* print gets all of them; otherwise the selected one */
	bool list;	     /* no, they are only listed */
	uint64_t nth, limit; /* --nth, 0: not given; rows of the list */
	int (*print)(void *ctx, const struct session_world *w, const struct session_tasks *tasks);
	void *ctx;
};
int ask_tasks(struct ask *ask, const struct ask_task_question *q);

#endif
