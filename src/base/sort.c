/* Bottom-up merge sort: runs of a few elements are sorted by insertion, then pairs of neighbouring
 * runs are merged. Elements that are already in place at both ends of a pair are found by bisection
 * and stay, so that only the part where the two overlap is moved. */
#include "base/sort.h"

#include <stdint.h>
#include <string.h>

enum { RUN = 32, MOST_BYTES_EACH = 256 };

struct sorting {
	struct mer_spill *spill;
	char *array, *spare;
	size_t cap_spare, bytes;
	int (*compare)(const void *, const void *);
};

static char *at(const struct sorting *s, size_t i)
{
	return s->array + i * s->bytes;
}

/* The first element of [low, high) that is greater than `what` (or_equal: not less). */
static size_t bound(
	const struct sorting *s, size_t low, size_t high, const void *what, bool or_equal)
{
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int c = s->compare(at(s, middle), what);
		if (c < 0 || (c == 0 && !or_equal))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void insert(const struct sorting *s, size_t first, size_t end)
{
	char moved[MOST_BYTES_EACH];
	for (size_t i = first + 1; i < end; i++) {
		if (s->compare(at(s, i - 1), at(s, i)) <= 0)
			continue;
		size_t to = bound(s, first, i, at(s, i), false);
		memcpy(moved, at(s, i), s->bytes);
		memmove(at(s, to + 1), at(s, to), (i - to) * s->bytes);
		memcpy(at(s, to), moved, s->bytes);
	}
}

static bool merge(struct sorting *s, size_t first, size_t middle, size_t end)
{
	if (s->compare(at(s, middle - 1), at(s, middle)) <= 0)
		return true;
	first = bound(s, first, middle, at(s, middle), false);
	end = bound(s, middle, end, at(s, middle - 1), true);
	size_t n = middle - first;
	if (n > s->cap_spare) {
		mer_spill_release(s->spare);
		s->cap_spare = 2 * n;
		s->spare = mer_spill_array(s->spill, s->cap_spare, s->bytes);
		if (!s->spare)
			return false;
	}
	memcpy(s->spare, at(s, first), n * s->bytes);
	const char *left = s->spare, *left_end = left + n * s->bytes;
	const char *right = at(s, middle), *right_end = at(s, end);
	for (char *to = at(s, first); left < left_end; to += s->bytes) {
		bool is_left = right == right_end || s->compare(left, right) <= 0;
		memcpy(to, is_left ? left : right, s->bytes);
		left += is_left ? s->bytes : 0;
		right += is_left ? 0 : s->bytes;
	}
	return true;
}

bool mer_sort(struct mer_spill *spill, void *array, size_t n, size_t bytes_each,
	int (*compare)(const void *, const void *))
{
	struct sorting s = {
		.spill = spill, .array = array, .bytes = bytes_each, .compare = compare
	};
	bool ok = bytes_each <= MOST_BYTES_EACH;
	for (size_t i = 0; i < n && ok; i += RUN)
		insert(&s, i, n - i < RUN ? n : i + RUN);
	for (size_t width = RUN; width < n && ok; width *= 2)
		for (size_t i = 0; i + width < n && ok; i += 2 * width)
			ok = merge(&s, i, i + width, n - i < 2 * width ? n : i + 2 * width);
	mer_spill_release(s.spare);
	return ok;
}

int mer_compare_int64(const void *a, const void *b)
{
	int64_t p = *(const int64_t *)a, q = *(const int64_t *)b;
	return (p > q) - (p < q);
}
