/* Requests of the tracer: requests that its daemons, its tools and its threads in traced
 * programs send or answer. Every recording has them, and they are of no interest. */
#ifndef MER_REQUESTS_OF_TRACER_H
#define MER_REQUESTS_OF_TRACER_H

#include "requests/requests.h"

struct requests_of_tracer {
	const struct requests *r; /* borrowed */
	bool **tasks;		  /* by host: its tasks (analysis/tracer.h) */
};

/* requests_of_tracer_fini in any case. */
int requests_of_tracer_find(
	const struct requests *r, struct requests_of_tracer *t, struct mer_err *err);
void requests_of_tracer_fini(struct requests_of_tracer *t);
bool requests_of_tracer_has(const struct requests_of_tracer *t, uint32_t exchange);

#endif
