/* Whole: archives whose files are cut. Where a file of a location ends early, libotf2 goes on
 * reading what its buffer had before, for ever: old events come again as new ones. With zeros after
 * what is left it stops there, with an error. So a cut archive is read through a folder of links to
 * its files, in which those that are cut are copies with zeros at their end. */
#ifndef MER_OTF2_WHOLE_H
#define MER_OTF2_WHOLE_H

#include <stddef.h>
#include "base/err.h"

/* The anchor to read: the given one, or that of FOLDER/whole/ where a file is cut. to: PATH_MAX. */
int otf2ctf_whole(const char *anchor, const char *folder, char *to, struct mer_err *err);
/* Takes FOLDER/whole/ out of a message: users know only the names of the archive itself. */
void otf2ctf_whole_hide(const char *folder, char *text);
/* Removes FOLDER/whole. */
void otf2ctf_whole_end(const char *folder);

#endif
