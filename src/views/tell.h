/* Reports problems with views, when everything has been read, as findings of the experiment. */
#ifndef MER_VIEWS_TELL_H
#define MER_VIEWS_TELL_H

#include "views/states.h"

struct view_reading;
void view_tell(struct mer_experiment *e, const struct view_reading *r, const struct view_states *s);

#endif
