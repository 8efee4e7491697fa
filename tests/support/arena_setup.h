/* An arena for the tests of a program, new for each test: cmocka's setup and teardown. */
#ifndef TESTS_SUPPORT_ARENA_SETUP_H
#define TESTS_SUPPORT_ARENA_SETUP_H

#include "base/arena.h"

static struct mer_arena arena;

static inline int arena_begin(void **state)
{
	(void)state;
	mer_arena_init(&arena);
	return 0;
}

static inline int arena_end(void **state)
{
	(void)state;
	mer_arena_fini(&arena);
	return 0;
}

#endif
