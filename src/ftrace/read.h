/* Read: all that is in a file, into a copy (copy.h), with notes of what was missing, lost or
 * damaged. */
#ifndef MER_FTRACE_READ_H
#define MER_FTRACE_READ_H

#include "base/err.h"

/* Writes the copy FOLDER/0 and FOLDER/notes. id: of the recording. */
int ftrace_read(const char *path, const char *folder, uint64_t id, struct mer_err *err);

#endif
