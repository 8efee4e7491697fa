/* Parts of answers of grids: written where the traces are, and merged to the answer of all. */
#ifndef MER_ASK_REPORTS_GRID_PART_H
#define MER_ASK_REPORTS_GRID_PART_H

#include "ask/reports/grid.h"
#include "meridian/session.h"

/* Before traces are opened: can --part be answered? Times that are relative to the traces are those
 * of all hosts whose clocks are aligned. */
int ask_grid_begin_part(struct ask_grid *g);
/* Writes what the hosts have: results are of the run that took g->partials. */
int ask_grid_put_part(struct ask_grid *g, struct mer_result *const *results);
/* The answer of ask->parts, printed. ids: tables. */
int ask_grid_merge(struct ask_grid *g, const char *const *ids, const struct mer_table_options *o);

#endif
