/* What a test reads that is no part of its source: recordings, and published cases.
 *
 * A name is "lab/NAME" for a recording (tests/recordings has most of them packed, the build
 * unpacks them), "public/NAME" for one of others, and "cases/NAME" or "expected/NAME"; these lie
 * in ../shared beside the project, where not everyone has them: what is absent is skipped, and
 * said. */
#ifndef TESTS_GIVEN_H
#define TESTS_GIVEN_H

#include <stdbool.h>
#include <stddef.h>

/* Sanitized, a program takes four times as long. Of what is repeated for many recordings or seeds
 * it does a part then, every so many-th; the plain build has all. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define GIVEN_EVERY(n_) (n_)
#else
#define GIVEN_EVERY(n_) 1
#endif

/* The path of that, whether it is there or not; false: it is not. */
bool given_find(char *path, size_t size, const char *name);
/* Skips the test when it is not there. */
void given_path(char *path, size_t size, const char *name);
/* Value of a variable that ctest sets; skips the test when this is not run by ctest. */
const char *given_environment(const char *name);

#endif
