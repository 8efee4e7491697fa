/* Parts of answers of grids: written where the traces are, and merged to the answer of all. */
#ifndef MER_ASK_REPORTS_GRID_PART_H
#define MER_ASK_REPORTS_GRID_PART_H

#include "ask/reports/grid.h"
#include "meridian/session.h"
#include "session/request.h"

/* Before traces are opened: can --part be answered? Times that are relative to the traces are those
 * of all hosts whose clocks are aligned. */
int ask_grid_begin_part(struct ask_grid *g);
/* What of that is the same for all questions: where bytes go, --begin and --end. */
int ask_part_begin(struct ask_grid *g);
/* Whatever has begun. */
void ask_part_end(struct ask_grid *g);
/* Writes what the hosts have: a is of the run that took g->partials, if there are any. own: a table
 * of rows of hosts, which is all they have; NULL: none. */
int ask_grid_put_part(struct ask_grid *g, const struct session_answer *a, struct mer_table *own);
/* Says how the clocks are, and has --begin and --end as all hosts have understood them. */
void ask_parts_begin(struct ask *ask);
/* Reports what was found. */
void ask_parts_end(struct ask *ask);
/* The answer of ask->parts, printed. ids: tables. */
int ask_grid_merge(struct ask_grid *g, const char *const *ids, const struct mer_table_options *o);

#endif
