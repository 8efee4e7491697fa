/* A file's bytes, mapped for reading only.
 *
 * Only regular files are opened (a FIFO in a trace's folder must not hang the program); the
 * descriptor is closed at once, so that thousands of streams need no more than a few. The bytes
 * are those of the file: another program that writes it changes them, one that cuts it makes reads
 * beyond the new end fatal (SIGBUS), which src/cli turns into a message. */
#ifndef MER_BASE_FILE_H
#define MER_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"

struct mer_file {
	const uint8_t *data; /* never NULL after a successful open, even when size is 0 */
	size_t size;
};

int mer_file_open(struct mer_file *f, const char *path, struct mer_err *err);
/* A zeroed or closed struct may be closed again. */
void mer_file_close(struct mer_file *f);

/* Drops these bytes of a mapped file from this process' resident memory (not from the page cache);
 * they are mapped again when they are read. For values too large to keep resident. */
void mer_file_release(const void *bytes, size_t n);

/* Makes the folder and its parents if missing, accessible by the owner only. False: errno says
 * why. */
bool mer_make_folder(const char *path);

/* Makes the folders that the file lies in if missing, with this mode. False: errno says why, and
 * path is cut off behind the folder that could not be made. */
bool mer_make_folders_of(char *path, unsigned mode);

/* Removes the folder and all that is in it; links are removed, not followed. False: errno says
 * why. */
bool mer_remove_folder(const char *path);

/* Writes all n bytes, also after partial writes and signals. False: errno says why. */
bool mer_write_all(int fd, const void *bytes, size_t n);

struct mer_bytes {
	const void *bytes;
	size_t n;
};
/* Writes these parts, one after the other, to PATH.XXXXXX and renames it when complete, so that
 * readers of PATH see either the whole new file or the old one. False: errno says why, and PATH is
 * unchanged. */
bool mer_file_replace(const char *path, const struct mer_bytes *parts, size_t n_parts);

#endif
