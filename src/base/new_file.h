/* New file: written under a temporary name in the same folder, and renamed when it is complete. So
 * a full disk, an error or a signal leaves the previous file unchanged.
 *
 * Anything but a regular file (a terminal, a pipe, /dev/null) is written directly; so is a file in
 * a folder where no file can be created. */
#ifndef MER_BASE_NEW_FILE_H
#define MER_BASE_NEW_FILE_H

#include <stdbool.h>

struct mer_new_file {
	int fd;		   /* to write to */
	char target[4096]; /* final name, links resolved; "": written directly */
	char beside[4096]; /* temporary name; "": none (O_TMPFILE) */
};

/* False: errno says why. */
bool mer_new_file_open(struct mer_new_file *f, const char *path);
/* The file is complete: renames it to its final name. False: errno says why, and the previous file
 * is unchanged. Closes the descriptor in any case. */
bool mer_new_file_commit(struct mer_new_file *f);
/* Discards the new file; the previous one stays. */
void mer_new_file_abandon(struct mer_new_file *f);

#endif
