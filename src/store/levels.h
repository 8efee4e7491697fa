/* Levels of the pyramid of lanes (lanes.h), as laid out in the file. */
#ifndef MER_STORE_LEVELS_H
#define MER_STORE_LEVELS_H

#include "store/lanes.h"
#include "store/sections.h"

enum {
	STORE_LEVEL_STEP = 2,	 /* powers of two from one level to the next */
	STORE_LEVEL_BLOCK = 512, /* records */
	STORE_LEVELS_MOST = 40,
	STORE_SPANS_PER_BIN = 512, /* on average, in the lowest level */
	STORE_BINS_LEAST =
		256, /* a level with fewer bins is the last one: queries have more bins than that */
	STORE_NO_KIND = STORE_KINDS /* before the task's begin or after its end; for CPUs: always */
};

/* CPU lanes are numbered as the CPUs, lanes of tasks from here on. */
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
	uint8_t last; /* kind at the end of the bin */
};

#endif
