/* Allocated objects of the kernel heap: the size of each by its address, because the events of
 * freeing do not have it.
 *
 * Memory is bounded: when there are too many objects, new ones are not recorded. */
#ifndef MER_ANALYSIS_FACTS_MEM_OBJECTS_H
#define MER_ANALYSIS_FACTS_MEM_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MEM_MAX_OBJECTS = 1 << 20 };

struct mem_object {
	uint64_t address; /* 0: slot is empty */
	int64_t bytes;
};
struct mem_objects { /* zeroed: empty */
	struct mem_object *slots;
	size_t n, cap;	    /* cap: 0 or a power of two, at least twice n */
	uint64_t forgotten; /* number of objects that did not fit */
};

/* If there is an object at this address already, it is replaced (the event of its freeing is
 * missing). False: no memory. */
bool mem_objects_put(struct mem_objects *o, uint64_t address, int64_t bytes);
/* The object is freed: returns its size, -1: not known. */
int64_t mem_objects_take(struct mem_objects *o, uint64_t address);
void mem_objects_fini(struct mem_objects *o);

#endif
