/* Endpoints of the Trace Server Protocol: one table, for routing, documentation and tests. */
#ifndef MER_SERVER_TSP_ENDPOINTS_H
#define MER_SERVER_TSP_ENDPOINTS_H

#include <stdbool.h>
#include <stddef.h>
#include "base/err.h"

struct tsp;
typedef int tsp_handler(struct tsp *t, struct mer_err *err);

enum tsp_form {
	TSP_PLAIN, /* the value alone; also while the traces are read */
	/* {"model": ..., "status": ...}; without a model while the traces are read. The handler has
	 * the session for itself. */
	TSP_MODEL
};

struct tsp_endpoint {
	const char *method;
	/* Behind "/tsp/api"; what is in braces is any word: "/traces/{trace}". */
	const char *path;
	const char *help; /* what it answers; NULL: the same as the row above */
	tsp_handler *handler;
	enum tsp_form form;
};
extern const struct tsp_endpoint tsp_endpoints[]; /* ends with {0} */

enum { TSP_MAX_WORDS = 3, TSP_MAX_WORD = 512 };
struct tsp_match {
	const struct tsp_endpoint *endpoint; /* NULL: none has this method */
	bool is_there;			     /* some method has the path */
	/* What the braces of the path stand for, in order; empty: not there. */
	char words[TSP_MAX_WORDS][TSP_MAX_WORD];
};

/* Which row a request is for. path: behind "/tsp/api". */
void tsp_find(const char *method, const char *path, struct tsp_match *m);
/* The methods that a path has, "GET, POST, OPTIONS"; text of `bytes` bytes. */
void tsp_methods(const char *path, char *text, size_t bytes);

#endif
