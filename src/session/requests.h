/* The requests of a session's traces: all that services were asked for (requests/requests.h). They
 * are found in what a store has of them, or while the traces are read. */
#ifndef MER_SESSION_REQUESTS_H
#define MER_SESSION_REQUESTS_H

#include "requests/requests.h"
#include "session/session.h"

/* Without a store reads the traces, with the log of spans, and what tasks used: the first time, if
 * the session is not for one question. *requests and the world belong to the session. */
int session_requests_used(struct session *s, enum session_usage usage, struct session_world *w,
	struct requests **requests, struct mer_err *err);

/* Those that a store that is open has, for who looks at more of it. MER_ERR_INPUT: it is
 * damaged. */
struct store;
int session_requests_stored(
	struct session *s, struct store *store, struct requests **requests, struct mer_err *err);

/* Whoever added to them (requests/own.h) or needs them no more: the next one reads again. */
void session_requests_forget(struct session *s);

static inline int session_requests(
	struct session *s, struct session_world *w, struct requests **requests, struct mer_err *err)
{
	return session_requests_used(s, SESSION_USAGE_NONE, w, requests, err);
}

#endif
