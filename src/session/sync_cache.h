/* Sync cache: results of synchronizations, kept between runs.
 *
 * A result is found again by what it was made of: the experiment's hosts, and device, number, size
 * and times of change of every file, the program's own included. So a trace that grew, or was
 * replaced, is synchronized anew. The cache is a help, not a promise: what cannot be read or
 * written is computed, and nothing is said. Files are in the folder that the caller names; they are
 * replaced by renaming, so that programs running at the same time never see half of one. */
#ifndef MER_SESSION_SYNC_CACHE_H
#define MER_SESSION_SYNC_CACHE_H

#include "session/selection.h"
#include "sync/result.h"
#include "trace/experiment.h"

struct sync_cache {
	char dir[1024];	 /* CLI_PLACE_BYTES; "": there is none */
	char file[1100]; /* of this experiment's result */
};

/* Finds the place in dir, which is made when something is saved; NULL: nothing is kept. The
 * experiment's files are looked at, so before the result is made. vms: as the user gives them. */
void sync_cache_find(struct sync_cache *c, const struct mer_experiment *e,
	const struct session_texts *vms, const char *dir);
/* NULL: not there, or not usable. */
struct sync_result *sync_cache_load(const struct sync_cache *c, const struct mer_experiment *e);
/* Also removes the oldest files where there are too many. */
void sync_cache_save(const struct sync_cache *c, const struct sync_result *r);

#endif
