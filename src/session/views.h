/* Views of a session: the files of its options, and the states that they find in its traces, once
 * they are asked for. */
#ifndef MER_SESSION_VIEWS_H
#define MER_SESSION_VIEWS_H

#include "session/session.h"
#include "views/states.h"

/* When it is opened: mistakes in files are told before events are read. */
int session_views_load(struct session *s, struct mer_err *err);
void session_views_forget(struct session *s);
/* The states, by the clocks as they are now; the first time they are found. NULL: there are no
 * views. */
int session_views(struct session *s, const struct view_states **states, struct mer_err *err);
/* The hosts of the world know them (kernel_host.views). */
int session_views_attach(struct session *s, struct kernel_world *w, struct mer_err *err);

#endif
