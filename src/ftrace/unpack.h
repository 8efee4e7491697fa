/* Unpack: blocks that zlib or zstd made smaller. */
#ifndef MER_FTRACE_UNPACK_H
#define MER_FTRACE_UNPACK_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum ftrace_packing { FTRACE_PLAIN, FTRACE_ZLIB, FTRACE_ZSTD };

/* The packing of this name, as trace-cmd writes it. MER_ERR_INPUT: of another one, or of one that
 * this build cannot unpack. */
int ftrace_packing_of(const char *name, enum ftrace_packing *packing, struct mer_err *err);

/* From n_in bytes, into at most *n_out bytes; *n_out: how many there are. MER_ERR_INPUT: the block
 * is damaged. */
int ftrace_unpack(enum ftrace_packing packing, const void *in, size_t n_in, void *out,
	size_t *n_out, struct mer_err *err);

#endif
