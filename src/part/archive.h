/* Archive: the few files of a part in one, as a tar archive in gzip, so that any tar shows what is
 * in it. The first entry, NAME, says which form it has.
 *
 * Only the names that a part has are unpacked, as files of their own below a folder that is there:
 * an archive cannot choose where bytes go. Besides, traces have folders with numbers, "0", "1", and
 * in them "metadata" and streams, which are numbers, too. */
#ifndef MER_PART_ARCHIVE_H
#define MER_PART_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include "base/err.h"

#define PART_ARCHIVE_NAME "meridian-part"
enum { PART_ARCHIVE_FORM = 1 };

/* Does the file begin as one? Reads its first bytes only. */
bool part_archive_is(const char *path);

struct part_archive;

/* Writes to the descriptor, which stays the caller's. */
int part_archive_new(int fd, struct part_archive **a, struct mer_err *err);
/* Says that a part is. */
int part_archive_damaged(struct mer_err *err);
int part_archive_add(
	struct part_archive *a, const char *name, const void *bytes, size_t n, struct mer_err *err);
/* Ends and frees it, in any case; after a failure with err NULL. */
int part_archive_end(struct part_archive *a, struct mer_err *err);

/* Unpacks traces, and the entries with these names (the list ends with NULL), into files of the
 * folder, where names may have a folder that is there. MER_ERR_INPUT: damaged, of another form, or
 * one of the first n_needed names is missing. */
int part_archive_unpack(const char *path, const char *folder, const char *const *names,
	size_t n_needed, struct mer_err *err);

#endif
