/* Check: verifies a whole store file, and says what it was made from. */
#ifndef MER_STORE_CHECK_H
#define MER_STORE_CHECK_H

#include "store/cache.h"
#include "store/sections.h"

/* Verifies all checksums, including those of the blocks. MER_ERR_INPUT: the file is damaged. */
int store_check(const char *path, struct mer_err *err);
/* Opens a file small enough that all its checksums are verified before use. False: it is missing,
 * damaged, or made from other traces. */
bool store_open_whole(struct store_file *f, const char *path, const struct store_key *key);
/* What the store was made from: lines "trace: PATH", "host: NAME", "bytes: N". malloc'ed; NULL: it
 * cannot be read. */
char *store_about(const char *path);

#endif
