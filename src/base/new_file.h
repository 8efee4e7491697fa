/* New file: written beside the name that it will have, and given that name when it is complete. So
 * a full disk, a mistake or a signal leaves what was there before as it was.
 *
 * What is no regular file (a terminal, a pipe, /dev/null) is written as it is; so is a file in a
 * folder where none can be made. */
#ifndef MER_BASE_NEW_FILE_H
#define MER_BASE_NEW_FILE_H

#include <stdbool.h>

struct mer_new_file {
	int fd;		   /* to write to */
	char target[4096]; /* links are followed; "": written as it is */
	char beside[4096]; /* the name for now; "": it has none yet (O_TMPFILE) */
};

/* False: errno says why. */
bool mer_new_file_open(struct mer_new_file *f, const char *path);
/* It is complete, and takes its place. False: errno says why, and what was there is as it was. The
 * descriptor is closed in any case. */
bool mer_new_file_commit(struct mer_new_file *f);
/* It is not wanted; what was there before stays. */
void mer_new_file_abandon(struct mer_new_file *f);

#endif
