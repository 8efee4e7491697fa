/* Choices: which parts of a question apply to which tables of an analysis. A part that does not
 * apply is an error of the caller, so that rows are not mistaken for something else; each caller
 * reports it in its own words. */
#ifndef MER_SESSION_CHOICE_H
#define MER_SESSION_CHOICE_H

#include "analysis/analysis.h"

enum session_choice {
	SESSION_CHOICE_GROUPS,	  /* other groups than the table's own */
	SESSION_CHOICE_FILTER,	  /* by an expression */
	SESSION_CHOICE_DURATIONS, /* by limits of durations */
	SESSION_CHOICE_SIZES,
	SESSION_CHOICE_NAMES,
	SESSION_CHOICE_TASKS,
	SESSION_CHOICE_BINS /* a resolution */
};

/* Bit i: it applies to outputs[i]; 0: to none. */
uint32_t session_choice_tables(const struct analysis *a, enum session_choice choice);
/* Is this output one of the tables of such a kind: "top" of "top", "top_cpu"? */
bool session_is_table_of(const struct analysis_output *o, const char *kind);
/* Do rows of these tables say who began and ended a period (analysis_period_query.tells_tasks)? */
bool session_tells_tasks(const struct analysis_request *requests, size_t n);

#endif
