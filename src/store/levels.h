/* Levels of the pyramid of lanes (lanes.h), as they lie in the file. */
#ifndef MER_STORE_LEVELS_H
#define MER_STORE_LEVELS_H

#include "store/lanes.h"
#include "store/sections.h"

enum {
	STORE_LEVEL_STEP = 2,	 /* powers of two from one level to the next */
	STORE_LEVEL_BLOCK = 512, /* records */
	STORE_LEVELS_MOST = 40,
	STORE_SPANS_PER_BIN = 512, /* of the lowest level, about */
	STORE_BINS_LEAST =
		256, /* a level of fewer is the last one: what is asked for has more bins */
	STORE_NO_KIND = STORE_KINDS /* before its begin, after its end; CPUs: always */
};

/* Lanes of CPUs have their numbers, those of tasks begin here. */
#define STORE_FIRST_TASK ((uint64_t)KERNEL_NO_CPU + 1)

struct store_level {
	uint32_t shift, reserved;
};

struct store_level_block {
	struct store_block block;
	int64_t first, last; /* bins; both rise from block to block */
	uint32_t n, reserved;
};

struct store_level_record {
	uint64_t lane;
	int64_t bin; /* begins at bin << shift */
	int64_t times[STORE_KINDS];
	uint8_t last; /* kind at its end */
};

#endif
