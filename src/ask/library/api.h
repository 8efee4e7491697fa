/* Api: implements include/meridian/session.h: handles, options with a size, results.
 *
 * Nothing is computed here. It only translates: texts and numbers of the caller to a selection,
 * tables of the session to results. Every answer is a table, so that a new column changes no
 * struct of the interface.
 *
 * The program calls the same functions as other users, and looks behind a handle only to print
 * it: api_session, api_answer, api_table. */
#ifndef MER_API_API_H
#define MER_API_API_H

#include "analysis/leave_out.h"
#include "analysis/partial.h"
#include "base/map.h"
#include "base/options.h"
#include "base/spill.h"
#include "base/table.h"
#include "meridian/session.h"
#include "session/request.h"
#include "session/session.h"
#include "session/tasks.h"

struct mer_session {
	struct session *session;
	struct mer_arena arena; /* for texts of options */
	bool is_open;
	struct mer_spill_options spill;
	/* What it was made with, in the arena, for a twin whose clocks nobody aligns. */
	struct mer_session_options made_with;
	struct session_texts paths, vms, views;
	_Atomic(struct mer_session *) twin; /* once it was needed; NULL: not yet */
	void (*progress)(void *data, const char *stage);
	void *progress_data;
	/* The running stage; read by any thread. */
	atomic_bool runs;
	_Atomic uint64_t done_bytes, total_bytes;
};

struct mer_result {
	atomic_uint n_holders;	   /* who frees it: its owner, and streams of it */
	struct mer_answer *within; /* whose table it is: held and freed with it; NULL: none */
	struct mer_arena arena;
	const struct mer_table *table; /* `own`, or a table of `answer` */
	struct mer_table own;	       /* columns NULL: not used */
	struct mer_intern texts;       /* texts of `own` that would be freed with the session's
					  world */
	struct api_answer *answer;     /* owner of the table; NULL: `own` is used */
	const char *sorted;
};

/* The answer to one call of mer_session_tables, shared by its results and freed with the last of
 * them. */
struct api_answer {
	struct mer_arena arena;
	atomic_uint n_results;
	struct session_answer answer; /* points into the other members */
	struct session_request request;
	struct session_selection selection;
	struct session_texts names;
	struct analysis_request *wanted;
	struct analysis_period_rule *periods;
	struct trace_filter *filter;
	struct analysis_left_out left_out; /* of all tables */
	struct mer_experiment *none;	   /* of tables without a session; has no host */
	struct mer_table *made;		   /* n_made tables made from those of the answer; NULL: the
					      answer's own are used */
	int n_made;
};

/* A session of the same traces and options whose clocks have not been aligned: it is opened when it
 * is first needed, cancelled with s, and freed with it. */
int api_twin(struct mer_session *s, struct mer_session **twin, struct mer_err *err);
/* mer_ask: the answer itself, filled in any case and freed with answer_fini. select: what it is
 * about, as far as the verb can be limited so; NULL: what the words say. */
struct answer;
int api_ask(struct mer_session *session, const struct session_selection *select,
	const char *const *words, size_t n_words, struct answer *answer, struct mer_err *err);
/* An answer without tables; NULL: no memory. Once what is inside has tables with all their rows
 * (answer_take), api_answer_is_filled makes results of them. */
struct mer_answer *api_new_answer(void);
struct answer *api_answer_inside(struct mer_answer *a);
void api_answer_is_filled(struct mer_answer *a);
/* One more who frees the answer. */
void api_hold_answer(struct mer_answer *a);
/* The objects behind a handle, for the program. */
struct session *api_session(const struct mer_session *s);
const struct api_answer *api_answer(
	const struct mer_result *r); /* NULL: the table does not come from an analysis */
const struct mer_table *api_table(const struct mer_result *r);

/* Callers may pass NULL for err; the layers below need one. */
#define API_ERR(err)                                                                               \
	(err) = (err) ? (err) : &(struct mer_err)                                                  \
	{                                                                                          \
		0                                                                                  \
	}

/* Translates the selection `from` (NULL: everything) and checks it against the traces. Copied to
 * the arena. */
int api_selection(const struct mer_session *s, const struct mer_selection *from,
	struct mer_arena *arena, struct session_selection *to, struct mer_err *err);
/* Copies the list of texts to *to. */
int api_texts(struct session_texts *to, const char *const *from, size_t n, struct mer_arena *arena,
	struct mer_err *err);

/* Begins a result. MER_ERR_USAGE: the session is not open; *result is NULL then. */
int api_begin(const struct mer_session *s, struct mer_result **result, struct mer_err *err);
/* The same, with an empty table of its own; columns NULL: without a table. */
int api_begin_table(const struct mer_session *s, const char *id, const char *title,
	const struct mer_column *columns, struct mer_result **result, struct mer_err *err);
int api_new_result(const char *id, const char *title, const struct mer_column *columns,
	struct mer_result **result, struct mer_err *err);
/* Called when a result is freed. NULL is allowed. */
void api_answer_release(struct api_answer *a);
/* A text cell; equal texts share one copy. Unknown if the text is empty. */
struct mer_cell api_text(struct mer_result *r, const char *text);
/* Copies the texts of its own table that belong to the session's world. */
void api_keep_texts(struct mer_result *r);
/* These diagnostics as a result, with copies of their texts. */
int api_diagnostics(
	const struct mer_diag *d, size_t n, struct mer_result **result, struct mer_err *err);
/* Ends a result: frees it if rc is an error or memory ran out. */
int api_end(struct mer_result **result, int rc, struct mer_err *err);

/* A selection, looked up in a world, with its tasks. */
struct api_asked { /* all parts are in a result's arena */
	struct session_world world;
	struct session_selection selection;
	struct session_window window;
	struct session_tasks tasks;
};
int api_tasks(struct mer_session *s, const struct mer_selection *selection,
	enum session_usage usage, struct mer_result *r, struct api_asked *x, struct mer_err *err);
/* The nth of the selected tasks, from 1; 0: the default one. */
int api_choose(const struct api_asked *x, uint64_t nth, size_t *chosen, struct mer_err *err);

/* What hosts have for tables (analysis/partial.h). */
struct api_partials {
	struct analysis_partials *taken; /* filled besides the tables; NULL: nobody wants it */
	/* See analysis_options; of those of several hosts. */
	bool knows_events;
	int64_t first_event, last_event;
	/* Tables are made of these, without a session; NULL: they are those of the session. */
	const struct analysis_partial_host *hosts;
	uint32_t n_hosts;
};
/* mer_session_tables of a selection that was read already; it outlives the results. NULL: that of
 * the options. partials NULL: neither. */
int api_tables(struct mer_session *s, const char *analysis, const char *const *tables,
	size_t n_tables, const struct mer_table_options *options,
	const struct session_selection *selected, struct api_partials *partials,
	struct mer_result **results, struct mer_err *err);
/* Parts of it: api_periods sets the periods from the options; the other makes a
 * new result of the answer. */
int api_periods(struct api_answer *x, const struct mer_table_options *o, struct mer_err *err);
int api_result_of(struct api_answer *x, const struct mer_table *t, struct mer_result **result,
	struct mer_err *err);

/* Tables that do not come from an analysis (made.c). NULL: none has this id. */
struct api_made;
struct summary_about;
const struct api_made *api_made_find(const char *id);
int api_make(struct mer_session *s, const struct api_made *m, const char *const *tables, size_t n,
	const struct mer_table_options *o, struct api_answer *x, struct mer_result **results,
	struct mer_err *err);
/* Iterates over all of them; *at and *table start at 0. False: no more. */
bool api_made_next(size_t *at, int *table, const char **id, struct summary_about *about);

/* The number of the host with this name. */
int api_host(const struct mer_session *s, const char *name, uint32_t *host, struct mer_err *err);

#endif
