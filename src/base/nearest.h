/* Suggestions for a mistyped word. */
#ifndef MER_BASE_NEAREST_H
#define MER_BASE_NEAREST_H

#include <stddef.h>

/* The most similar of the words to this one, or NULL when none is similar enough. */
const char *mer_nearest(const char *word, const char *const *words, size_t n);

#endif
