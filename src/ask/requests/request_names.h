/* Names of requests: from access logs and spans, as the options of `requests` say. */
#ifndef MER_ASK_REQUESTS_REQUEST_NAMES_H
#define MER_ASK_REQUESTS_REQUEST_NAMES_H

#include "ask/requests/one_request.h"
#include "ask/requests/requests_print.h"
#include "requests/names/names.h"

enum ask_requests_group { /* "kind|name|status|trace_id" */
	ASK_GROUP_KIND,
	ASK_GROUP_NAME,
	ASK_GROUP_STATUS,
	ASK_GROUP_TRACE
};

struct ask_names_values { /* of options */
	const char *file, *format, *to, *name;
	unsigned group; /* enum ask_requests_group */
};

/* Reads the file and joins it with the requests; says what of it could be used. names_fini in any
 * case. */
int ask_names_find(struct ask *ask, const struct ask_names_values *v, const struct ask_request *q,
	const struct requests_kinds *k, struct names *names);
/* The name, status or trace of a request; NULL: none. */
const char *ask_names_text(
	const struct names *names, uint32_t exchange, enum ask_requests_group which);
/* The selected requests (c->which) that have names, and others of the same kinds, become kinds by
 * that name; further ones are left out of the selection. k: as c->kinds. */
int ask_names_group(struct ask_requests *c, struct requests_kinds *k, enum ask_requests_group by);

#endif
