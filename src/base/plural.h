/* Singular or plural: every text with a number in it takes its words from here, so that none
 * says "1 tasks". Both forms are written out, verbs included: mer_plural(n, "task fits", "tasks
 * fit"). */
#ifndef MER_BASE_PLURAL_H
#define MER_BASE_PLURAL_H

#include <stdint.h>

static inline const char *mer_plural(uint64_t n, const char *one, const char *many)
{
	return n == 1 ? one : many;
}

#endif
