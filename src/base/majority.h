/* Majority: the value that more than half of the votes are for, in constant memory.
 *
 * Source: Boyer and Moore, "MJRTY: A fast majority vote algorithm", 1981. If no value has a
 * majority, the result is one of the values voted for, or none. */
#ifndef MER_BASE_MAJORITY_H
#define MER_BASE_MAJORITY_H

#include <stdbool.h>
#include <stdint.h>

struct mer_majority { /* zeroed: no votes */
	uint64_t value;
	uint32_t votes; /* 0: nothing is ahead */
};

/* Returns whether this vote made the value the leading one. */
static inline bool mer_majority_vote(struct mer_majority *m, uint64_t value)
{
	if (m->votes && m->value == value) {
		m->votes++;
		return false;
	}
	if (m->votes && --m->votes)
		return false;
	*m = (struct mer_majority){ value, 1 };
	return true;
}

#endif
