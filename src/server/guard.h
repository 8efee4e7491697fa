/* Guard: who may ask. Decided by texts alone, so that it can be tested and fuzzed alone.
 *
 * A server on the loopback interface can be reached by every page that a browser shows: by a name
 * that an attacker resolves to 127.0.0.1 (so Host must be one of ours), by forms and scripts of
 * other sites (so Origin, where it is sent, must be one of ours), and by other users of the machine
 * (so addresses begin with a secret token). */
#ifndef MER_SERVER_GUARD_H
#define MER_SERVER_GUARD_H

#include <stdbool.h>
#include <stddef.h>

enum { GUARD_TOKEN_CHARS = 32 };

struct guard {
	char token[GUARD_TOKEN_CHARS + 1]; /* "": none is needed */
	const char *address;		   /* that is listened on; borrowed */
	const char *name;		   /* of this host, if others may use it; NULL: not */
};

/* A new token, from the kernel's random numbers; false: there were none. */
bool guard_make_token(struct guard *g);

/* Host of a request, "localhost:8080": one of ours? NULL: the header was not sent. The port is not
 * compared, as ssh -L changes it. */
bool guard_host(const struct guard *g, const char *host);
/* Origin, "http://localhost:8080": a page of ours? NULL: not from a page of elsewhere. */
bool guard_origin(const struct guard *g, const char *origin, const char *host);
/* The path behind the token, "/TOKEN/x" → "/x"; the path itself where no token is needed; NULL: it
 * has not the token. "/TOKEN" → "". */
const char *guard_path(const struct guard *g, const char *path);

#endif
