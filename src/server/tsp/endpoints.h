/* Endpoints of the Trace Server Protocol: one table, for routing, documentation and tests. */
#ifndef MER_SERVER_TSP_ENDPOINTS_H
#define MER_SERVER_TSP_ENDPOINTS_H

#include <stdbool.h>
#include <stddef.h>
#include "base/err.h"

/* For server_options.protocol. */
extern const struct server_protocol tsp_protocol;

struct tsp;
typedef int tsp_handler(struct tsp *t, struct mer_err *err);

enum tsp_form {
	TSP_PLAIN, /* the plain value; answered also while the traces are read */
	/* {"model": ..., "status": ...}; without a model while the traces are read. The handler
	 * has exclusive use of the session. */
	TSP_MODEL
};

struct tsp_endpoint {
	const char *method;
	/* After "/tsp/api"; braces stand for any word: "/traces/{trace}". */
	const char *path;
	const char *help; /* what it answers; NULL: the same as the row above */
	tsp_handler *handler;
	enum tsp_form form;
};
extern const struct tsp_endpoint tsp_endpoints[]; /* ends with {0} */

enum { TSP_MAX_WORDS = 3, TSP_MAX_WORD = 512 };
struct tsp_match {
	const struct tsp_endpoint *endpoint; /* NULL: the path does not exist with this method */
	bool is_there;			     /* the path exists, with some method */
	/* The words in place of the braces, in order; empty: none. */
	char words[TSP_MAX_WORDS][TSP_MAX_WORD];
};

/* Finds the row for a request. path: after "/tsp/api". */
void tsp_find(const char *method, const char *path, struct tsp_match *m);
/* The methods of a path, "GET, POST, OPTIONS", written to `text` of `bytes` bytes. */
void tsp_methods(const char *path, char *text, size_t bytes);

#endif
