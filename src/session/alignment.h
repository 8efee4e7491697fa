/* Alignment: clocks aligned in one's own way, to look at: by another method, to another host, from
 * messages of a part of the time or from events that the user declared. It is not applied: the
 * times of the session's traces stay. */
#ifndef MER_SESSION_ALIGNMENT_H
#define MER_SESSION_ALIGNMENT_H

#include "session/session.h"
#include "sync/solve.h"

struct session_alignment_query { /* zeroed: as session_synchronize aligns them */
	/* How; n_threads and cancel are the session's. choices: as the hosts of the experiment. */
	struct sync_options options;
	const char *
		/* file of events that are messages (sync/match/user_pairs.h); NULL: packets only */
		pairs;
	const char *file; /* of the result, which is then not computed; NULL: it is */
	/* Only messages between these moments count, on the own clock of each host. */
	struct session_moment begin, end;
};

struct session_alignment {
	struct sync_host_info *hosts;  /* of the experiment; it belongs to the session */
	struct sync_messages messages; /* without their streams */
	struct sync_result *result;
};

/* For an open session with clocks as recorded: session_synchronize was not called.
 * session_alignment_fini in any case. MER_ERR_USAGE: a moment names a host that does not exist,
 * or the begin is not before the end. */
int session_align(struct session *s, const struct session_alignment_query *q,
	struct session_alignment *a, struct mer_err *err);
/* The same messages once more, in another way. */
int session_align_again(struct session *s, const struct session_alignment *a,
	const struct sync_options *options, struct sync_result **result, struct mer_err *err);
void session_alignment_fini(struct session_alignment *a);

#endif
