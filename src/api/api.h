/* Api: the inside of what include/meridian/session.h promises: handles, options with a size,
 * results.
 *
 * Nothing is computed here. A session and what it answers are translated: texts and numbers of the
 * caller to a selection, tables to results. Every answer is a table, so that a new column changes
 * no struct of the interface.
 *
 * The program asks through the same functions as everybody, and looks at what is behind a handle
 * only to print it: api_session, api_answer, api_table. */
#ifndef MER_API_API_H
#define MER_API_API_H

#include "analysis/leave_out.h"
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
	void (*progress)(void *data, const char *stage);
	void *progress_data;
	/* Of the stage that is running, read by any thread. */
	atomic_bool runs;
	_Atomic uint64_t done_bytes, total_bytes;
};

struct mer_result {
	struct mer_arena arena;
	const struct mer_table *table; /* own, or of the answer */
	struct mer_table own;	       /* columns NULL: there is none */
	struct mer_intern texts;       /* of own, that would go with the session's world */
	struct api_answer *answer;     /* whose table it is; NULL: it has its own */
	const char *sorted;
};

/* Of mer_session_tables: one for all results of the call, freed with the last of them. */
struct api_answer {
	struct mer_arena arena;
	atomic_uint n_results;
	struct session_answer answer; /* which points to the rest */
	struct session_request request;
	struct session_selection selection;
	struct session_texts names;
	struct analysis_request *wanted;
	struct analysis_period_rule *periods;
	struct trace_filter *filter;
	struct analysis_left_out left_out; /* of all tables */
	struct mer_table *made;		   /* of the answer's, n_made; NULL: these themselves */
	int n_made;
};

/* What a handle stands for, for the program. */
struct session *api_session(const struct mer_session *s);
const struct api_answer *api_answer(
	const struct mer_result *r); /* NULL: its table is of no analysis */
const struct mer_table *api_table(const struct mer_result *r);

/* Callers may pass NULL, the layers below look at what they got. */
#define API_ERR(err)                                                                               \
	(err) = (err) ? (err) : &(struct mer_err)                                                  \
	{                                                                                          \
		0                                                                                  \
	}

/* Selects what from says (NULL: everything), if the traces have it. Copied to the arena. */
int api_selection(const struct mer_session *s, const struct mer_selection *from,
	struct mer_arena *arena, struct session_selection *to, struct mer_err *err);
/* The list of texts, copied. */
int api_texts(struct session_texts *to, const char *const *from, size_t n, struct mer_arena *arena,
	struct mer_err *err);

/* MER_ERR_USAGE: it is not open. *result is NULL then, too. */
int api_begin(const struct mer_session *s, struct mer_result **result, struct mer_err *err);
/* The same, and a result with an empty table of its own; columns NULL: without. */
int api_begin_table(const struct mer_session *s, const char *id, const char *title,
	const struct mer_column *columns, struct mer_result **result, struct mer_err *err);
int api_new_result(const char *id, const char *title, const struct mer_column *columns,
	struct mer_result **result, struct mer_err *err);
/* Of a result that goes; NULL is fine. */
void api_answer_release(struct api_answer *a);
/* A copy of the text, one for all cells that have it; unknown if it is empty. */
struct mer_cell api_text(struct mer_result *r, const char *text);
/* At the end: a result that failed, by rc or for want of memory, is freed. */
int api_end(struct mer_result **result, int rc, struct mer_err *err);

/* The world in which a selection is looked up, and its tasks. */
struct api_asked { /* all parts are in a result's arena */
	struct session_world world;
	struct session_selection selection;
	struct session_window window;
	struct session_tasks tasks;
};
struct api_need {
	enum session_usage usage;
	uint32_t max_bins; /* of lanes */
	bool waits;	   /* will be looked at */
	bool accounts;	   /* the cost of tasks will */
};
int api_tasks(struct mer_session *s, const struct mer_selection *selection,
	const struct api_need *need, struct mer_result *r, struct api_asked *x,
	struct mer_err *err);
/* The nth of them, from 1; 0: the one that is meant. */
int api_choose(const struct api_asked *x, uint64_t nth, size_t *chosen, struct mer_err *err);

/* Parts of mer_session_tables: the periods of the options; a new result of the answer. */
int api_periods(struct api_answer *x, const struct mer_table_options *o, struct mer_err *err);
int api_result_of(struct api_answer *x, const struct mer_table *t, struct mer_result **result,
	struct mer_err *err);

/* Tables that no analysis has (made.c). NULL: there are none of this id. */
struct api_made;
struct summary_about;
const struct api_made *api_made_find(const char *id);
int api_make(struct mer_session *s, const struct api_made *m, const char *const *tables, size_t n,
	const struct mer_table_options *o, struct api_answer *x, struct mer_result **results,
	struct mer_err *err);
/* All of them, one after the other: *at and *table are 0 at first. False: no more. */
bool api_made_next(size_t *at, int *table, const char **id, struct summary_about *about);

/* The number of the host of this name. */
int api_host(const struct mer_session *s, const char *name, uint32_t *host, struct mer_err *err);

#endif
