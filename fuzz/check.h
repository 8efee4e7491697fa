/* What a fuzzer holds true of any input. */
#ifndef FUZZ_CHECK_H
#define FUZZ_CHECK_H

#include <stdbool.h>
#include <stdlib.h>

static inline void check(bool ok)
{
	if (!ok)
		abort();
}

#endif
