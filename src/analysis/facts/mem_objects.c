#include "analysis/facts/mem_objects.h"

#include <stdlib.h>

static size_t home(const struct mem_objects *o, uint64_t address)
{
	/* Addresses are multiples of eight at least: the product's upper half is what is mixed. */
	return (size_t)((address * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (o->cap - 1);
}

/* Where it is, or where it would go. */
static size_t find(const struct mem_objects *o, uint64_t address)
{
	size_t i = home(o, address);
	while (o->slots[i].address && o->slots[i].address != address)
		i = (i + 1) & (o->cap - 1);
	return i;
}

static bool grow(struct mem_objects *o)
{
	enum { FIRST = 1024 };
	struct mem_objects more = { .cap = o->cap ? o->cap * 2 : FIRST, .n = o->n };
	more.slots = calloc(more.cap, sizeof(*more.slots));
	if (!more.slots)
		return false;
	for (size_t i = 0; i < o->cap; i++)
		if (o->slots[i].address)
			more.slots[find(&more, o->slots[i].address)] = o->slots[i];
	free(o->slots);
	o->slots = more.slots;
	o->cap = more.cap;
	return true;
}

bool mem_objects_put(struct mem_objects *o, uint64_t address, int64_t bytes)
{
	if (address == 0)
		return true;
	if (2 * (o->n + 1) > o->cap && o->n < MEM_MAX_OBJECTS && !grow(o))
		return false;
	size_t i = find(o, address);
	if (!o->slots[i].address) {
		if (o->n >= MEM_MAX_OBJECTS) {
			o->forgotten++;
			return true;
		}
		o->n++;
	}
	o->slots[i] = (struct mem_object){ address, bytes };
	return true;
}

int64_t mem_objects_take(struct mem_objects *o, uint64_t address)
{
	if (o->n == 0 || address == 0)
		return -1;
	size_t i = find(o, address), mask = o->cap - 1;
	if (!o->slots[i].address)
		return -1;
	int64_t bytes = o->slots[i].bytes;
	/* Those behind it that would not be found over the hole move into it. */
	for (size_t k = (i + 1) & mask; o->slots[k].address; k = (k + 1) & mask) {
		size_t h = home(o, o->slots[k].address);
		if (((k - h) & mask) >= ((k - i) & mask)) {
			o->slots[i] = o->slots[k];
			i = k;
		}
	}
	o->slots[i] = (struct mem_object){ 0 };
	o->n--;
	return bytes;
}

void mem_objects_fini(struct mem_objects *o)
{
	free(o->slots);
	*o = (struct mem_objects){ 0 };
}
