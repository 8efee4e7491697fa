/* Requests as facts (analysis/facts/request.h). */
#ifndef MER_REQUESTS_FACTS_H
#define MER_REQUESTS_FACTS_H

#include "analysis/facts/request.h"
#include "requests/requests.h"

/* Makes the facts of all requests, but of own ones. hosts: of the world; by_host: see
 * fact_maker.of_world. */
int requests_make_facts(const struct requests *r, struct kernel_host *hosts,
	struct fact_host *const *by_host, struct mer_err *err);

#endif
