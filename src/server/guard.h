/* Guard: decides who may use the server, from texts alone, so that it can be tested and fuzzed
 * without a server.
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
	char token[GUARD_TOKEN_CHARS + 1]; /* "": no token is needed */
	const char *address;		   /* on which the server listens; borrowed */
	const char *name;		   /* of this host, if other hosts may use the server; NULL:
					      they may not */
};

/* Makes a token from the kernel's random numbers; false: these were not available. */
bool guard_make_token(struct guard *g);

/* Is the Host header of a request, "localhost:8080", one of ours? NULL: the header was not sent.
 * The port is not compared, as ssh -L changes it. */
bool guard_host(const struct guard *g, const char *host);
/* Is the Origin header, "http://localhost:8080", that of our own page? NULL: not sent, so the
 * request does not come from another site's page. */
bool guard_origin(const struct guard *g, const char *origin, const char *host);
/* May a viewer with this Origin (a page of a program or of another server) use the protocol? With
 * a token, any that knows it; without one, only viewers on this host: a program's own pages, or
 * pages served on the loopback interface. */
bool guard_viewer(const struct guard *g, const char *origin);
/* The path behind the token, "/TOKEN/x" → "/x"; the path itself where no token is needed; NULL:
 * the path does not have the token. "/TOKEN" → "". */
const char *guard_path(const struct guard *g, const char *path);

#endif
