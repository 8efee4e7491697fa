#include "base/nearest.h"

#include <string.h>

/* Edit distance with swaps of neighbours, for words of at most 63 bytes. */
static unsigned distance(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b);
	unsigned char row[3][64];
	if (n > 63 || m > 63)
		return 64;
	for (size_t k = 0; k <= m; k++)
		row[1][k] = (unsigned char)k;
	for (size_t i = 1; i <= n; i++) {
		/* row[0]: two before, row[1]: the one before, row[2]: this one */
		row[2][0] = (unsigned char)i;
		for (size_t k = 1; k <= m; k++) {
			unsigned best = row[1][k - 1] + (a[i - 1] != b[k - 1] ? 1u : 0u);
			if (row[1][k] + 1u < best)
				best = row[1][k] + 1u;
			if (row[2][k - 1] + 1u < best)
				best = row[2][k - 1] + 1u;
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1] &&
				row[0][k - 2] + 1u < best)
				best = row[0][k - 2] + 1u;
			row[2][k] = (unsigned char)best;
		}
		memcpy(row[0], row[1], m + 1);
		memcpy(row[1], row[2], m + 1);
	}
	return row[1][m];
}

const char *mer_nearest(const char *word, const char *const *words, size_t n)
{
	const char *best = NULL;
	size_t len = strlen(word);
	unsigned least = len < 4 ? 2 : (unsigned)(len / 3 + 2);
	for (size_t i = 0; i < n; i++) {
		unsigned d = distance(word, words[i]);
		/* A known word that begins with the given one counts as one wrong letter. */
		if (len >= 2 && strncmp(word, words[i], len) == 0)
			d = 1;
		if (d < least) {
			least = d;
			best = words[i];
		}
	}
	return best;
}
