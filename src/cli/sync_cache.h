/* Sync cache: results of synchronizations, kept between runs.
 *
 * A result is found again by what it was made of: the experiment's hosts, and device, number, size
 * and times of change of every file, the program's own included. So a trace that grew, or was
 * replaced, is synchronized anew. The cache is a help, not a promise: what cannot be read or written
 * is computed, and nothing is said.
 * Files are in $XDG_CACHE_HOME/meridian, else ~/.cache/meridian; they are replaced by renaming, so
 * that programs running at the same time never see half of one. */
#ifndef MER_CLI_SYNC_CACHE_H
#define MER_CLI_SYNC_CACHE_H

#include "sync/result.h"
#include "trace/experiment.h"

enum { SYNC_CACHE_PATH = 1200 };
struct sync_cache_place {
	char dir[1024]; /* CLI_PLACE_BYTES; "": there is none */
};

struct sync_cache {
	struct sync_cache_place place;
	char file[1100]; /* of this experiment's result */
};

/* Finds the place. The experiment's files are looked at, so before the result is made. */
void sync_cache_find(struct sync_cache *c, const struct mer_experiment *e);
/* NULL: not there, or not usable. */
struct sync_result *sync_cache_load(const struct sync_cache *c, const struct mer_experiment *e);
/* Also removes the oldest files where there are too many. */
void sync_cache_save(const struct sync_cache *c, const struct sync_result *r);

/* ---- for other files of the folder, which depend on the same ---- */

/* key: what tells this experiment, as it is now, from all others, and this program from others. False: there is
 * no place, or a file cannot be looked at. */
bool sync_cache_place_find(
	struct sync_cache_place *p, const struct mer_experiment *e, uint64_t key[2]);
void sync_cache_mix(uint64_t key[2], const void *data, size_t len);
bool sync_cache_make_dir(const struct sync_cache_place *p);
void sync_cache_touch(const char *path); /* it was used: it is not the oldest any more */
/* The oldest files whose names begin so, where there are too many. */
void sync_cache_remove_old(const struct sync_cache_place *p, const char *begin);

#endif
