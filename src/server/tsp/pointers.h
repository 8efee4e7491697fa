/* Pointers: which fields of events are shown in hexadecimal, as their traces declare. The JSON
 * from which event lines are made has no hexadecimal numbers. */
#ifndef MER_SERVER_TSP_POINTERS_H
#define MER_SERVER_TSP_POINTERS_H

#include <stdbool.h>
#include <stddef.h>
#include "base/map.h"

struct mer_experiment;

struct tsp_pointers {	   /* zeroed: not looked for yet */
	struct mer_map of; /* hash of event and field -> enum in pointers.c */
	bool is_made;
};

/* Is this field of this event hexadecimal in all traces that have it? */
bool tsp_is_pointer(struct tsp_pointers *x, const struct mer_experiment *e, const char *event,
	const char *field, size_t field_len);
void tsp_pointers_fini(struct tsp_pointers *x);

#endif
