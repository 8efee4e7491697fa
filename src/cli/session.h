/* The session of a verb: the traces of the command line, opened and aligned as its options say, and
 * reported on at the end. What the verbs have in common is here; a verb only understands its
 * options, asks, and prints.
 *
 * Verbs that compare times of several hosts align the clocks, which costs a reading of all network
 * events, once (session/sync_cache.h). Those that can do without leave it: info shows spans and
 * must be instant, check judges one host after the other, layout shows one record. */
#ifndef MER_CLI_SESSION_H
#define MER_CLI_SESSION_H

#include "base/json.h"
#include "cli/context.h"
#include "meridian/session.h"
#include "session/request.h"
#include "session/tasks.h"

enum cli_sync_when {
	CLI_SYNC_NEVER,
	CLI_SYNC_GIVEN, /* only when --sync auto or a file is given */
	CLI_SYNC_AUTO	/* unless --sync none */
};

/* What the command line says of sessions: clocks, threads, the cache. */
int cli_session_options(struct cli *cli, struct mer_session_options *o);
/* Opens cli->args; hosts and CPUs that are selected must be there. cli_session_close in any
 * case. */
int cli_session_open(struct cli *cli, struct session **s);
/* Aligns the clocks as --sync says, and says in a line how exact the times are; finds cli->window.
 * messages: of session_synchronize. */
int cli_session_synchronize(struct cli *cli, struct session *s, bool messages);
/* Both: for those who need no messages. *s is NULL after a failure. */
int cli_session_open_synced(struct cli *cli, enum cli_sync_when when, struct session **s);
/* Both, and the model of what tasks did. */
int cli_session_open_world(
	struct cli *cli, enum session_usage usage, struct session **s, struct session_world *w);
/* The same without usage, of cli->window alone if that is a part of the time: the caller reads
 * further if necessary (session_world_further). */
int cli_session_open_part(struct cli *cli, struct session **s, struct session_world *w);
/* Reports what was found (cli_report) and frees. s may be NULL. */
void cli_session_close(struct cli *cli, struct session *s);

/* ---- A question, from the traces to what is printed ---- */

/* Tables of an analysis, requested as any program of the library requests them
 * (meridian/session.h). */
struct cli_tables_question {
	const char *analysis;
	const char *const *tables; /* ids */
	size_t n;
	const struct mer_table_options *options; /* their selection is that of the command line */
	const struct analysis_period_rule *periods; /* of options, for warnings; NULL: none */
	bool messages;				    /* will be needed: see session_synchronize */
	bool goes_on;				    /* print asks further */
	int (*print)(void *ctx, struct mer_result *const *results);
	void *ctx;
};
int cli_ask_tables(struct cli *cli, const struct cli_tables_question *q);

/* What is done with the tasks that --comm, --tid and --host select, in a world of their spans. */
struct cli_task_question {
	enum session_usage usage;
	bool all;	     /* print gets all of them; otherwise the selected one */
	bool list;	     /* no, they are only listed */
	bool part;	     /* print reads further if it has to (session_world_further) */
	bool waits;	     /* print looks at waits (path/blocked.h) */
	bool accounts;	     /* ... at what tasks cost (session/account.h) */
	uint64_t nth, limit; /* --nth, 0: not given; rows of the list */
	int (*print)(void *ctx, const struct session_world *w, const struct session_tasks *tasks);
	void *ctx;
};
int cli_ask_tasks(struct cli *cli, const struct cli_task_question *q);

/* ---- In JSON ---- */

/* "sync": null (times are as recorded), or method, reference, number of hosts and worst bound. */
void cli_json_synced(struct mer_json *j, const struct cli *cli);
/* null for "". */
void cli_json_known(struct mer_json *j, const char *key, const char *text);
/* "diagnostics": all findings so far. */
void cli_json_diagnostics(struct mer_json *j, const struct mer_experiment *e);

#endif
