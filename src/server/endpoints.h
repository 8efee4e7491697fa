/* Endpoints: one table of all paths that the server answers by itself, for routing, docs/api.md and
 * tests. */
#ifndef MER_SERVER_ENDPOINTS_H
#define MER_SERVER_ENDPOINTS_H

#include "server/state.h"

struct endpoint {
	const char *method;
	const char *path; /* after the token: "/api/status" */
	const char *help; /* what it answers, a sentence */
	server_handler *handler;
};
/* Ends with {0}. */
extern const struct endpoint server_endpoints[];

#endif
