/* Pattern: the communication pattern of a program, from its matrix of messages: ring, halo, all to
 * all, master and workers. A program may have several: the pattern that explains most messages is
 * subtracted, and the search is repeated; the remainder is "other". */
#ifndef MER_MPI_PATTERN_H
#define MER_MPI_PATTERN_H

#include "base/err.h"
#include "base/str.h"

enum { MPI_PATTERN_RANKS = 1024 }; /* programs with more ranks are not analyzed */

/* counts: n * n, messages from rank i to rank k in [i * n + k]; overwritten. Appends "ring", or
 * "halo 1-D 76 %, master-worker (0) 19 %, other 5 %". */
int mpi_pattern(uint32_t n, uint64_t *counts, struct mer_str *words, struct mer_err *err);

#endif
