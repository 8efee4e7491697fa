/* Unpack: blocks compressed with zlib or zstd. */
#ifndef MER_FTRACE_UNPACK_H
#define MER_FTRACE_UNPACK_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum ftrace_packing { FTRACE_PLAIN, FTRACE_ZLIB, FTRACE_ZSTD };

/* The compression with this name, as written by trace-cmd. MER_ERR_INPUT: an unknown one, or one
 * that this build does not support. */
int ftrace_packing_of(const char *name, enum ftrace_packing *packing, struct mer_err *err);

/* From n_in bytes, into at most *n_out bytes; sets *n_out to their number. MER_ERR_INPUT: the
 * block is damaged. */
int ftrace_unpack(enum ftrace_packing packing, const void *in, size_t n_in, void *out,
	size_t *n_out, struct mer_err *err);

#endif
