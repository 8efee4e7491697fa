/* Leftovers: recordings whose program was killed before it could clean up.
 *
 * While a recording runs, its manifest also lies in a folder of the user's, named after session and
 * process: SESSION.PID.START.json. One whose process is gone is a leftover. */
#ifndef MER_RECORD_LEFTOVERS_H
#define MER_RECORD_LEFTOVERS_H

#include "base/arena.h"
#include "base/err.h"

struct record_leftover {
	const char *path, *session;
};

/* The path for a recording of this process, below dir. NULL: no memory. */
const char *record_leftover_path(struct mer_arena *arena, const char *dir, const char *session);
/* All leftovers of dir, at most `most`; how many. A folder that is not there has none. */
size_t record_leftovers_find(
	struct mer_arena *arena, const char *dir, struct record_leftover *found, size_t most);
/* Folders of ssh's connections whose process is gone; how many were removed. */
size_t record_leftover_folders_remove(void);

#endif
