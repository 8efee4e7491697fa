/* Glob: the patterns of the command line, as a shell has them: * ? [a-z]. */
#ifndef MER_BASE_GLOB_H
#define MER_BASE_GLOB_H

#include <fnmatch.h>
#include <stdbool.h>
#include <string.h>

/* A text also matches itself: names of kernel threads and files may have brackets. */
static inline bool mer_glob(const char *pattern, const char *text)
{
	return strcmp(pattern, text) == 0 || fnmatch(pattern, text, 0) == 0;
}

#endif
