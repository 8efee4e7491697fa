/* Whole: archives with truncated files. Where a file of a location ends early, libotf2 keeps
 * reading the old contents of its buffer forever: old events come again as new ones. With zeros
 * after the end it stops there, with an error. So such an archive is read through a folder of links
 * to its files, in which the truncated files are copies with zeros appended. */
#ifndef MER_OTF2_WHOLE_H
#define MER_OTF2_WHOLE_H

#include <stddef.h>
#include "base/err.h"

/* The anchor to read: the given one, or the one in FOLDER/whole/ if a file is truncated. to:
 * PATH_MAX bytes. */
int otf2ctf_whole(const char *anchor, const char *folder, char *to, struct mer_err *err);
/* Takes FOLDER/whole/ out of a message: users know only the names of the archive itself. */
void otf2ctf_whole_hide(const char *folder, char *text);
/* Removes FOLDER/whole. */
void otf2ctf_whole_end(const char *folder);

#endif
