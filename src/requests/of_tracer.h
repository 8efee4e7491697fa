/* Requests of the tracer: those that its daemons, its tools and the threads that it has in traced
 * programs send or answer. They are in every recording, and nobody asks about them. */
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
