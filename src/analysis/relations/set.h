/* A set of edges: each different one once, with what it sums up to. Bounded: beyond a number of
 * edges, new ones lose their object, and beyond twice that they are only counted. */
#ifndef MER_ANALYSIS_RELATIONS_SET_H
#define MER_ANALYSIS_RELATIONS_SET_H

#include "analysis/relations/relations.h"

enum { RELATION_MAX = 1 << 20 };
#define RELATION_NO_OBJECT UINT64_MAX

struct relation {
	uint32_t from_host, from, to_host, to; /* hosts and tasks */
	uint64_t object;		       /* what it is, the kind of edge says; NO_OBJECT */
	uint8_t kind;			       /* enum relation_kind; up to here: the key */
	bool has_bytes;
	uint64_t n_given, n_waits, bytes; /* count is the first, if there is any */
	int64_t wait_ns, first, last;
};

struct relation_set { /* zeroed: empty */
	struct mer_map map;
	struct relation *rows;
	size_t n, cap;
	uint64_t n_rest; /* what there was no room for */
};

/* Adds what is in r besides the key. False: no memory. */
bool relation_add(struct relation_set *s, const struct relation *r);
void relation_set_fini(struct relation_set *s);

#endif
