#include "sync/order.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { DIGIT_BITS = 11, N_DIGITS = 1 << DIGIT_BITS, FEW = 64 };

/* False: it would take more than `most` moves; the keys are then in another order, in which equal
 * ones are as before. */
static bool insert(struct sync_order_key *keys, size_t n, size_t most)
{
	for (size_t i = 1; i < n; i++) {
		struct sync_order_key k = keys[i];
		size_t j = i;
		for (; j > 0 && keys[j - 1].time > k.time; j--)
			keys[j] = keys[j - 1];
		keys[j] = k;
		if (i - j > most)
			return false;
		most -= i - j;
	}
	return true;
}

/* Distributes the keys over cells by the leading bits of their times, about two keys in each, so
 * that they are nearly sorted. False: the times are not spread evenly enough, or no memory. */
static bool spread(const struct sync_order_key *from, struct sync_order_key *to, size_t n,
	int64_t min, uint64_t range)
{
	unsigned bits = 1;
	while (bits < 24 && (size_t)1 << bits < n / 2)
		bits++;
	unsigned range_bits = 64 - (unsigned)__builtin_clzll(range | 1);
	unsigned shift = range_bits > bits ? range_bits - bits : 0;
	size_t n_cells = (size_t)(range >> shift) + 1;
	uint32_t *at = calloc(n_cells + 1, sizeof(*at));
	if (!at)
		return false;
	bool even = true;
	for (size_t i = 0; i < n; i++)
		even &= ++at[((uint64_t)from[i].time - (uint64_t)min) >> shift] < FEW;
	uint32_t sum = 0;
	for (size_t c = 0; c < n_cells; c++) {
		uint32_t here = at[c];
		at[c] = sum;
		sum += here;
	}
	for (size_t i = 0; i < n && even; i++)
		to[at[((uint64_t)from[i].time - (uint64_t)min) >> shift]++] = from[i];
	free(at);
	return even;
}

int sync_order(struct sync_order_key *keys, size_t n, struct mer_err *err)
{
	if (insert(keys, n, n <= FEW ? SIZE_MAX : n))
		return 0;
	int64_t min = keys[0].time, max = keys[0].time;
	for (size_t i = 1; i < n; i++) {
		min = keys[i].time < min ? keys[i].time : min;
		max = keys[i].time > max ? keys[i].time : max;
	}
	struct sync_order_key *from = keys, *to = malloc(n * sizeof(*to)), *spare = to;
	if (!to)
		return mer_fail_nomem(err);
	uint64_t range = (uint64_t)max - (uint64_t)min;
	if (spread(keys, to, n, min, range)) {
		insert(to, n, SIZE_MAX);
		memcpy(keys, to, n * sizeof(*keys));
		free(to);
		return 0;
	}
	for (unsigned shift = 0; shift < 64 && range >> shift; shift += DIGIT_BITS) {
		size_t at[N_DIGITS] = { 0 };
		for (size_t i = 0; i < n; i++)
			at[((uint64_t)from[i].time - (uint64_t)min) >> shift & (N_DIGITS - 1)]++;
		size_t sum = 0;
		for (size_t d = 0; d < N_DIGITS; d++) {
			size_t here = at[d];
			at[d] = sum;
			sum += here;
		}
		for (size_t i = 0; i < n; i++)
			to[at[((uint64_t)from[i].time - (uint64_t)min) >> shift &
				(N_DIGITS - 1)]++] = from[i];
		struct sync_order_key *t = from;
		from = to;
		to = t;
	}
	if (from != keys)
		memcpy(keys, from, n * sizeof(*keys));
	free(spare);
	return 0;
}
