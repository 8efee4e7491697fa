/* The states of views as stacks, for flame graphs: log view --format folded, speedscope. */
#ifndef MER_ASK_REPORTS_VIEW_STACKS_H
#define MER_ASK_REPORTS_VIEW_STACKS_H

#include "ask/context.h"

/* args: the traces. */
int ask_view_stacks(struct ask *ask);

#endif
