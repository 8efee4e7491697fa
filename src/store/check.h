/* Check: looks at all of a store's file, for people who want to know what they have. */
#ifndef MER_STORE_CHECK_H
#define MER_STORE_CHECK_H

#include "store/cache.h"
#include "store/sections.h"

/* Compares all checksums, those of the blocks too. MER_ERR_INPUT: it is damaged. */
int store_check(const char *path, struct mer_err *err);
/* Opens a file that is small enough to be compared as a whole before it is used. False: it is not
 * there, damaged, or of other traces. */
bool store_open_whole(struct store_file *f, const char *path, const struct store_key *key);
/* What it was made of: lines "trace: PATH", "host: NAME", "bytes: N". malloc'ed; NULL: it cannot be
 * read. */
char *store_about(const char *path);

#endif
