/* A set of edges: each distinct edge once, with its sums. It is bounded: above a number of
 * edges, new ones lose their object; above twice that number they are only counted. */
#ifndef MER_ANALYSIS_RELATIONS_SET_H
#define MER_ANALYSIS_RELATIONS_SET_H

#include "analysis/relations/relations.h"

enum { RELATION_MAX = 1 << 20 };
#define RELATION_NO_OBJECT UINT64_MAX

struct relation {
	uint32_t from_host, from, to_host, to; /* hosts and tasks */
	uint64_t object; /* its meaning depends on the kind of edge; NO_OBJECT */
	uint8_t kind;	 /* enum relation_kind; the members up to here are the key */
	bool has_bytes;
	/* the count of an edge is n_given if that is not 0, otherwise n_waits */
	uint64_t n_given, n_waits, bytes;
	int64_t wait_ns, first, last;
};

struct relation_set { /* zeroed: empty */
	struct mer_map map;
	struct relation *rows;
	size_t n, cap;
	uint64_t n_rest; /* edges that did not fit */
};

/* Adds the members of r that are not part of the key. False: no memory. */
bool relation_add(struct relation_set *s, const struct relation *r);
void relation_set_fini(struct relation_set *s);

#endif
