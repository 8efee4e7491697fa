/* Unpack: files that a host packed with tar, because they are many and small.
 *
 * What is in it comes from another host: only plain files and folders are made, below the folder,
 * under names that lead nowhere else; all else is left out. */
#ifndef MER_RECORD_UNPACK_H
#define MER_RECORD_UNPACK_H

#include "base/err.h"

/* Into a folder, which is made; what is there by the same name is replaced. An archive that is cut
 * gives what is before. */
int record_unpack(const char *archive, const char *folder, struct mer_err *err);

#endif
