/* Archive: an OTF2 archive, such as Score-P's traces.otf2, as a kind of recording that is copied
 * (copied/copied.h): read.c ──→ copy.c.
 *
 * A damaged archive can crash or hang only the child process that reads it. The reading is then
 * started again and ends that location where the attempt before failed.
 *
 * Names begin with otf2ctf_, as libotf2 has functions of its own that begin with otf2_, which ours
 * would replace in programs that export their symbols. */
#ifndef MER_OTF2_ARCHIVE_H
#define MER_OTF2_ARCHIVE_H

#include "copied/copied.h"

/* Is this file an anchor (NAME.otf2), by its name? */
bool otf2ctf_is_anchor(const char *path);
/* The kind for anchors. MER_ERR_INPUT also means: this build has no libotf2. */
extern const struct copied_kind otf2ctf_archive;

#endif
