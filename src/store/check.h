/* Check: verifies a whole store file, and says what it was made from. */
#ifndef MER_STORE_CHECK_H
#define MER_STORE_CHECK_H

#include "base/err.h"

/* Verifies all checksums, including those of the blocks. MER_ERR_INPUT: the file is damaged. */
int store_check(const char *path, struct mer_err *err);
/* What the store was made from: lines "trace: PATH", "host: NAME", "bytes: N". malloc'ed; NULL: it
 * cannot be read. */
char *store_about(const char *path);

#endif
