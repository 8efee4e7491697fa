/* Leftovers: recordings whose program was killed before it could clean up.
 *
 * While a recording runs, a copy of its manifest is in a folder of the user, named after session
 * and process: SESSION.PID.START.json. A manifest whose process is gone is a leftover. */
#ifndef MER_RECORD_LEFTOVERS_H
#define MER_RECORD_LEFTOVERS_H

#include "base/arena.h"
#include "base/err.h"

struct record_leftover {
	const char *path, *session;
};

/* The path for a recording of this process, below dir. NULL: no memory. */
const char *record_leftover_path(struct mer_arena *arena, const char *dir, const char *session);
/* Finds the leftovers in dir, at most `most`; returns how many. A missing folder has none. */
size_t record_leftovers_find(
	struct mer_arena *arena, const char *dir, struct record_leftover *found, size_t most);
/* Removes folders of ssh connections whose process is gone; returns how many. */
size_t record_leftover_folders_remove(void);

#endif
