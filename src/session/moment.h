/* Moments and durations as people type them.
 *
 * A moment: 2024-05-03T12:34:56.789 (or with a blank; Z or +02:00 may follow, else local time),
 * 12:34:56.789 (of the day on which the trace begins, local time), +1.5s or 1.5s (after the trace's
 * begin), @1714732496.5 (seconds since 1970), or nanoseconds since 1970 as in --json. What is
 * relative is resolved when the trace's span is known. HOST: before any of them makes it what that
 * host's own clock showed (session/selection.h resolves it). */
#ifndef MER_SESSION_MOMENT_H
#define MER_SESSION_MOMENT_H

#include <stdbool.h>

#include "base/err.h"

enum session_moment_kind {
	SESSION_MOMENT_NONE,
	SESSION_MOMENT_ABSOLUTE,
	SESSION_MOMENT_RELATIVE,
	SESSION_MOMENT_DAY,
	SESSION_MOMENT_ON_HOST
};

struct session_moment {
	enum session_moment_kind kind;
	int64_t ns;	  /* since 1970; since the trace's begin; since midnight */
	const char *text; /* as typed, borrowed */
};

int session_moment_parse(struct session_moment *m, const char *text, struct mer_err *err);
/* The TIME of "HOST:TIME" if it is of this host's clock. */
bool session_moment_on_host(
	const struct session_moment *m, const char *host, struct session_moment *time);
/* A number and its unit, or 0. False: it is none. */
bool session_duration_parse(int64_t *ns, const char *text);
/* As ns since 1970, for a trace that spans begin..end; fallback when the moment is not set. A time
 * of day before the trace's begin means the next day when the trace lasts that long. */
int64_t session_moment_resolve(
	const struct session_moment *m, int64_t begin, int64_t end, int64_t fallback);

#endif
