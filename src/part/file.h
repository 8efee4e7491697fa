/* File: a part of a recording (sync/part/part.h), read through its unpacked copy like any other
 * recording. */
#ifndef MER_PART_FILE_H
#define MER_PART_FILE_H

#include <stdbool.h>
#include "copied/copied.h"

/* Names in the archive: those of the copy. */
#define PART_FOLDER "0"
#define PART_METADATA PART_FOLDER "/metadata"
#define PART_STREAM PART_FOLDER "/ends"
#define PART_NOTES "notes"
#define PART_MANIFEST "manifest.json" /* an excerpt of the recording's, if it has one */

extern const struct copied_kind part_file;
bool part_is_file(const char *path);

#endif
