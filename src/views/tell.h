/* What to tell of views when all is read, among the experiment's findings. */
#ifndef MER_VIEWS_TELL_H
#define MER_VIEWS_TELL_H

#include "views/states.h"

struct view_reading;
void view_tell(struct mer_experiment *e, const struct view_reading *r, const struct view_states *s);

#endif
