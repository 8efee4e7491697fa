#include "base/select.h"

int64_t mer_select(int64_t *v, size_t n, size_t k)
{
	size_t lo = 0, hi = n - 1;
	while (lo < hi) {
		/* Median of three as pivot, the values equal to it in the middle. */
		int64_t a = v[lo], b = v[lo + (hi - lo) / 2], c = v[hi];
		int64_t pivot = a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
		size_t less = lo, i = lo, more = hi + 1;
		while (i < more) {
			int64_t x = v[i];
			if (x < pivot) {
				v[i++] = v[less];
				v[less++] = x;
			} else if (x > pivot) {
				v[i] = v[--more];
				v[more] = x;
			} else {
				i++;
			}
		}
		if (k < less)
			hi = less - 1;
		else if (k >= more)
			lo = more;
		else
			return pivot;
	}
	return v[lo];
}
