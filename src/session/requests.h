/* The requests of a session's traces: all that services were asked for (requests/requests.h). They
 * are found while the traces are read; a store has no part of that. */
#ifndef MER_SESSION_REQUESTS_H
#define MER_SESSION_REQUESTS_H

#include "requests/requests.h"
#include "session/session.h"

/* Reads the traces, with the log of spans, and what tasks used: the first time, if the session is
 * not for one question. *requests and the world belong to the session. */
int session_requests_used(struct session *s, enum session_usage usage, struct session_world *w,
	struct requests **requests, struct mer_err *err);

/* Whoever added to them (requests/own.h) or needs them no more: the next one reads again. */
void session_requests_forget(struct session *s);

static inline int session_requests(
	struct session *s, struct session_world *w, struct requests **requests, struct mer_err *err)
{
	return session_requests_used(s, SESSION_USAGE_NONE, w, requests, err);
}

#endif
