/* Pattern: what the matrix of messages of a program looks like: ring, halo, all to all, master and
 * workers. A program may do several things: the pattern that explains most messages is taken out,
 * and the rest is looked at again; what is left is "other". */
#ifndef MER_MPI_PATTERN_H
#define MER_MPI_PATTERN_H

#include "base/err.h"
#include "base/str.h"

enum { MPI_PATTERN_RANKS = 1024 }; /* more are not looked at */

/* counts: n * n, messages from rank i to rank k in [i * n + k]; it is used up. Adds "ring", or
 * "halo 1-D 76 %, master-worker (0) 19 %, other 5 %". */
int mpi_pattern(uint32_t n, uint64_t *counts, struct mer_str *words, struct mer_err *err);

#endif
