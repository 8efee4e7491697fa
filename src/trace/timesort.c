#include "trace/timesort.h"

#include <stddef.h>
#include <string.h>

enum {
	DIGIT_BITS = 11,
	BUCKETS = 1 << DIGIT_BITS,
	/* Of few keys: counting in so many buckets would take longer than sorting into them. */
	FEW = 2048,
	FEW_DIGIT_BITS = 8
};

/* Least significant digit first: each pass is stable, so the whole is. */
const struct timesort_key *timesort(
	struct timesort_key *keys, struct timesort_key *spare, uint32_t n)
{
	uint32_t all = 0, falls = 0;
	for (uint32_t i = 1; i < n; i++) {
		all |= keys[i].time;
		falls += keys[i].time < keys[i - 1].time;
	}
	if (!falls)
		return NULL;
	all |= keys[0].time;
	unsigned bits = 32 - (unsigned)__builtin_clz(all);
	unsigned most = n < FEW ? FEW_DIGIT_BITS : DIGIT_BITS;
	unsigned passes = (bits + most - 1) / most, digit = (bits + passes - 1) / passes;
	uint32_t mask = (1u << digit) - 1, start[BUCKETS];
	for (unsigned p = 0; p < passes; p++) {
		unsigned shift = p * digit;
		memset(start, 0, (mask + 1) * sizeof(*start));
		for (uint32_t i = 0; i < n; i++)
			start[keys[i].time >> shift & mask]++;
		uint32_t sum = 0;
		for (uint32_t b = 0; b <= mask; b++) {
			uint32_t count = start[b];
			start[b] = sum;
			sum += count;
		}
		for (uint32_t i = 0; i < n; i++)
			spare[start[keys[i].time >> shift & mask]++] = keys[i];
		struct timesort_key *swap = keys;
		keys = spare;
		spare = swap;
	}
	return keys;
}
