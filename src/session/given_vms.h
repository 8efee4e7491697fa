/* Guests as the user gives them: "GUEST=HOST:PID", the traced host GUEST is the guest of this
 * process of the traced host HOST. */
#ifndef MER_SESSION_GIVEN_VMS_H
#define MER_SESSION_GIVEN_VMS_H

#include "session/selection.h"
#include "sync/solve.h"
#include "trace/experiment.h"

/* The host of this name. MER_ERR_USAGE: there is none; what: names it. */
int session_find_host(const struct mer_experiment *e, const char *what, const char *name,
	size_t len, uint32_t *host, struct mer_err *err);
/* Sets vms of the options, which then lie in the arena. */
int session_given_vms(const struct mer_experiment *e, const struct session_texts *texts,
	struct mer_arena *arena, struct sync_options *o, struct mer_err *err);

#endif
