/* Options passed by a caller: a struct that begins with its size, from this or another version of
 * the header. */
#ifndef MER_BASE_OPTIONS_H
#define MER_BASE_OPTIONS_H

#include "base/err.h"

/* Copies the options to a struct of size bytes; from NULL: all defaults. Members that the caller's
 * older header lacks become 0, the default; members unknown to this version must be 0. first_size:
 * the size assumed if the caller left it 0; 0: that is not allowed. MER_ERR_USAGE: the options are
 * invalid. */
int mer_options_read(
	void *to, size_t size, size_t first_size, const void *from, struct mer_err *err);

#endif
