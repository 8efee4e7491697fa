/* Guests: why analyses of VMs show less of them than was recorded. */
#ifndef MER_ASK_REPORTS_GRID_VMS_H
#define MER_ASK_REPORTS_GRID_VMS_H

#include "ask/reports/grid.h"
#include "sync/result.h"

bool ask_grid_is_of_vms(const struct ask_grid *g);
/* Are clocks a user's, so that it has to be looked at whether they are right for guests? Then the
 * table of this name is wanted beside those that are printed. */
#define ASK_GRID_BAD "bad"
bool ask_grid_wants_bad(const struct ask_grid *g);
/* Warns, if tasks of guests are wanted. r: the clocks' result; NULL: they stay as recorded. */
int ask_grid_warn_of_guests(const struct ask_grid *g, const struct sync_result *r);

#endif
