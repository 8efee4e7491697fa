/* Hash map from a 64-bit key to a 32-bit value, and from text to a dense number (interning).
 * Open addressing; grows; nothing is ever removed. */
#ifndef MER_BASE_MAP_H
#define MER_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"

struct mer_map_slot {
	uint64_t key;
	uint32_t value;
	uint32_t used;
};

struct mer_map { /* zeroed: empty */
	struct mer_map_slot *slots;
	size_t n, cap; /* cap: 0 or a power of two */
};

void mer_map_fini(struct mer_map *m);
/* The place of key's value, or NULL. Valid until the next mer_map_put. */
uint32_t *mer_map_get(const struct mer_map *m, uint64_t key);
/* The place of key's value, added as 0 when new; NULL when memory is out. */
uint32_t *mer_map_put(struct mer_map *m, uint64_t key);

/* Sets the number of key, below UINT32_MAX; replaces an earlier one. False: no memory. */
bool mer_map_put_number(struct mer_map *m, uint64_t key, uint32_t number);
/* UINT32_MAX: it has none. */
uint32_t mer_map_number(const struct mer_map *m, uint64_t key);

/* Interned text: each different text gets the numbers 0, 1, 2, ... */
struct mer_intern {
	struct mer_map map; /* hash of the text -> number of the newest text of that hash, plus 1 */
	struct mer_arena *arena; /* borrowed; owns the texts */
	struct mer_intern_text {
		const char *text;
		uint32_t len, next; /* next: older text of the same hash, plus 1 */
	} * texts;
	uint32_t n, cap;
};

enum { MER_INTERN_NONE = UINT32_MAX };
void mer_intern_init(struct mer_intern *in, struct mer_arena *arena);
void mer_intern_fini(struct mer_intern *in);
/* The text's number; MER_INTERN_NONE when memory is out. */
uint32_t mer_intern_add(struct mer_intern *in, const char *text, size_t len);
/* The text's number, MER_INTERN_NONE when it was never added. */
uint32_t mer_intern_find(const struct mer_intern *in, const char *text, size_t len);
const char *mer_intern_text(const struct mer_intern *in, uint32_t id);

uint64_t mer_hash(const void *data, size_t len);

#endif
