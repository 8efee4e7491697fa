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
/* A full part has these instead of ends: outlines of the traces (sync/write_traces.h) in folders
 * with numbers, what the hosts' tasks did (store/parts.h), and their clocks, by which it is told
 * (sync/result_lines.h); none if the clocks are as recorded. */
#define PART_WORLD "world"
#define PART_CLOCKS "clocks"

extern const struct copied_kind part_file;
bool part_is_file(const char *path);
/* Is it the copy of a full one? */
bool part_is_full(const struct copied *copy);
/* A file of the copy, in room for its path; false: it does not have it. */
enum { PART_PATH_BYTES = 4300 };
bool part_path(const struct copied *copy, const char *name, char path[PART_PATH_BYTES]);

#endif
