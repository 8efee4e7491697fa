/* Lower bound: the binary search of the project, for anything that can be indexed. */
#ifndef MER_BASE_LOWER_BOUND_H
#define MER_BASE_LOWER_BOUND_H

#include <stddef.h>

/* Declares size_t `first`: the first index of [from, to) for which is_before, an expression over
 * the index `at`, is false; `to` when there is none. All for which it is true must come before all
 * for which it is false. As a statement of its own:
 *
 * 	MER_LOWER_BOUND(i, 0, n, at, rows[at].time < time);
 */
#define MER_LOWER_BOUND(first, from, to, at, is_before)                                            \
	size_t first = (from);                                                                     \
	for (size_t first##_left = (size_t)(to)-first, at = 0;                                     \
		first##_left && (at = first + first##_left / 2, 1);)                               \
		if (is_before) {                                                                   \
			first = at + 1;                                                            \
			first##_left -= first##_left / 2 + 1;                                      \
		} else {                                                                           \
			first##_left /= 2;                                                         \
		}

#endif
