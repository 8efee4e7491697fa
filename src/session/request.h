/* Request: a question about tables: which ones (analysis and output), of which hosts, CPUs, tasks
 * and times, at which resolution. The answer are the tables.
 *
 * All tables of a request come from one reading, so their numbers agree. */
#ifndef MER_SESSION_REQUEST_H
#define MER_SESSION_REQUEST_H

#include "analysis/analysis.h"
#include "analysis/period.h"
#include "session/session.h"

struct session_request {
	const struct analysis_request *tables;
	size_t n;
	const struct session_selection *selection; /* NULL: everything, of all of the time */
	/* Tasks of all hosts are looked at, and those of the selected hosts count as selected: for
	 * rows about two tasks, of which one must be. */
	bool all_hosts;
	/* What rows are named after, by patterns of * and ? (FOLD_BY_NAME); NULL: all of them.
	 * At most SESSION_NAMES. */
	const struct session_texts *names;
	const struct analysis_period_rule *periods; /* only what lies in these counts; NULL: all */
	/* Limits of durations and sizes, bins, rows to keep. What is said above is not looked at
	 * here, but set: begin, end, wants_*, ctx; and periods and found, which otherwise may be
	 * those of an answer that is still there. */
	struct analysis_options options;
	bool with_requests;	  /* also those of services: answer.requests */
	enum session_stage stage; /* that it is for who waits: SESSION_READING, SESSION_DRAWING */
};

enum { SESSION_NAMES = 64 };

struct requests;	/* requests/requests.h */
struct requests_log;	/* requests/log.h */
struct session_answer { /* zeroed: none */
	struct session *session;
	const struct session_request *request;
	const struct session_selection *selection;
	struct mer_table *tables;	 /* as request->tables */
	struct analysis_run run;	 /* what analyses know besides: its world */
	struct analysis_options options; /* as they ran */
	struct analysis_periods found;	 /* of request->periods */
	int64_t begin, end; /* of what was looked at, on all selected hosts; MER_NO_TIME: nothing */
	_Atomic uint64_t named; /* bit i: something is named as names->item[i] says */
	bool has_run;
	struct requests *requests; /* NULL: not wanted */
	bool has_kept_requests;	   /* they are the session's */
	struct requests_log *log;  /* until they are found */
};

/* Synchronizes first if that was not done. a lives no longer than s and q; session_answer_fini
 * in any case. MER_ERR_USAGE: something in the question does not exist; err->remedy says which
 * part of it. */
int session_request(struct session *s, const struct session_request *q, struct session_answer *a,
	struct mer_err *err);
void session_answer_fini(struct session_answer *a);
/* The first of request->names that nothing is named after; NULL: there is none. */
const char *session_answer_unnamed(const struct session_answer *a);
/* For questions about its tasks (session/tasks.h). The world may have forgotten its spans. */
struct session_world session_answer_world(const struct session_answer *a);

/* The periods of a rule, once the clocks are aligned; none is an error that says why.
 * analysis_periods_fini in any case. */
int session_periods(struct session *s, const struct analysis_period_rule *rule,
	struct analysis_periods *p, struct mer_err *err);

#endif
