/* Archive: an OTF2 archive, such as Score-P's traces.otf2, as CTF traces: it is copied once
 * (copy.h), into the cache folder, never beside the user's data, and then read like any trace.
 *
 *   archive ── a process of its own: read.c ──→ copy.c ──→ CACHE/otf2-KEY.ctf/0, 1, ..., notes
 *
 * Its key is what the archive's files are: device, number, size, times of change. What libotf2 does
 * with a damaged archive happens to the other process: it is begun again, and ends that location
 * where the first one ended.
 *
 * Names begin with otf2ctf_, as libotf2 has functions of its own that begin with otf2_, which ours
 * would replace in programs that show their symbols. */
#ifndef MER_OTF2_ARCHIVE_H
#define MER_OTF2_ARCHIVE_H

#include <stdbool.h>
#include "base/arena.h"
#include "base/diag.h"
#include "base/err.h"

struct otf2ctf_archive {
	const char *anchor; /* the file NAME.otf2 */
	const char *folder; /* of its copy: a trace for each host */
	bool is_temporary;  /* it is to be removed when nobody reads it any more */
};

/* Is this file an anchor, by its name? */
bool otf2ctf_is_anchor(const char *path);
/* Its copy, made if there is none in the cache; cache NULL: in a temporary folder. Texts are in
 * arena. MER_ERR_INPUT: it cannot be read, or this build has no libotf2, and err says so. */
int otf2ctf_archive_open(const char *anchor, const char *cache, struct mer_arena *arena,
	struct mer_diags *diags, struct otf2ctf_archive *archive, struct mer_err *err);
void otf2ctf_archive_close(const struct otf2ctf_archive *archive);

#endif
