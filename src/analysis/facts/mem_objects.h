/* Objects of the kernel's heap that are allocated now: how large each is, by its address. The
 * events of their end do not say that.
 *
 * Memory is bounded: when there are too many, new ones are not remembered. */
#ifndef MER_ANALYSIS_FACTS_MEM_OBJECTS_H
#define MER_ANALYSIS_FACTS_MEM_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MEM_MAX_OBJECTS = 1 << 20 };

struct mem_object {
	uint64_t address; /* 0: nothing here */
	int64_t bytes;
};
struct mem_objects { /* zeroed: empty */
	struct mem_object *slots;
	size_t n, cap;	    /* cap: 0 or a power of two, at least twice n */
	uint64_t forgotten; /* how many did not fit */
};

/* One that is there already ends by that (its end is missing). False: no memory. */
bool mem_objects_put(struct mem_objects *o, uint64_t address, int64_t bytes);
/* It ends: its size, -1: not known. */
int64_t mem_objects_take(struct mem_objects *o, uint64_t address);
void mem_objects_fini(struct mem_objects *o);

#endif
