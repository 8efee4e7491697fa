/* Options of a caller: a struct that begins with its size, of this or another version of the
 * header. */
#ifndef MER_BASE_OPTIONS_H
#define MER_BASE_OPTIONS_H

#include "base/err.h"

/* Reads them to a struct of size bytes; from NULL: all defaults. Members that an older header lacks
 * are 0, which is the default; those that this one lacks have to be 0. first_size: what a size of 0
 * stands for, where it may be forgotten; 0: nowhere. MER_ERR_USAGE: none of these. */
int mer_options_read(
	void *to, size_t size, size_t first_size, const void *from, struct mer_err *err);

#endif
