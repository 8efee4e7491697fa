/* Check: whether traces are sound, and what could be analysed with them. All events are read, with
 * all of their fields, by the clocks as recorded. */
#ifndef MER_SESSION_CHECK_H
#define MER_SESSION_CHECK_H

#include "session/capabilities.h"
#include "session/session.h"
#include "trace/missing.h"

struct session_verdict {	 /* on a trace, or on a path that is none */
	const char *path, *host; /* host NULL: could not be opened */
	uint64_t events, lost_events, lost_packets, errors, warnings;
	uint64_t switch_gaps; /* kernel_switches.n_contradict, of the trace with the first */
	struct trace_missing missing; /* streams, or their first or last packets */
	bool many_gaps;		      /* so that results are partly wrong */
	bool wanted;		      /* its host is selected */
	bool sound;
	bool unread; /* a path or trace that could not be opened: nothing of its host is known */
};

struct session_check {
	struct trace_counts *counts;
	struct capability_host *hosts;	  /* as the hosts */
	struct session_verdict *verdicts; /* of the traces, then of what could not be opened */
	uint32_t n_verdicts;
	bool sound, can_sync; /* of all that is selected */
};

/* The session must not have been synchronized. What it finds besides are findings of the
 * experiment. Lists live as long as s; session_check_fini in any case. */
int session_check(struct session *s, const struct session_selection *selection,
	struct session_check *c, struct mer_err *err);
void session_check_fini(struct session_check *c);

#endif
