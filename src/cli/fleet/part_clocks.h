/* Clocks of full parts: those of their own hosts, and whose parts are needed to make one. */
#ifndef MER_CLI_FLEET_PART_CLOCKS_H
#define MER_CLI_FLEET_PART_CLOCKS_H

#include "ask/context.h"
#include "session/session.h"

struct part_clocks {
	struct sync_result *saved; /* of all hosts, from the file of --sync; NULL: there is none */
};

/* Reads the file of --sync, if there is one. MER_ERR_USAGE: a host that the own ones (by host of
 * the session's experiment) exchanged messages with, as the file says, is not in the session: what
 * its messages did would be missing. part_clocks_fini in any case. */
int part_clocks_open(
	struct part_clocks *c, struct ask *ask, const struct session *all, const bool *own);
/* What a part has of them (sync/result_lines.h), appended to out; nothing where times are as
 * recorded, or where the file is of some hosts alone, and so does not have what a part must. */
int part_clocks_put(const struct part_clocks *c, struct ask *ask, struct session *all,
	const bool *own, struct mer_str *out);
void part_clocks_fini(struct part_clocks *c);

#endif
