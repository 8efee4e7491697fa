/* Cache: the folder in which results are kept between runs: stores, and synchronizations.
 *
 * A result is found again by what it was made of: the experiment's hosts, device, number, size and
 * times of change of every file, and the build of the program; what else it depends on is mixed in
 * by who keeps it. So a trace that grew, or was replaced, has another result, and the old one is
 * removed when it is long unused. The cache is a help, not a promise. Several processes may use it
 * at once: files are replaced by renaming, and who has one open keeps it. */
#ifndef MER_STORE_CACHE_H
#define MER_STORE_CACHE_H

#include "store/sections.h"
#include "sync/result.h"
#include "trace/experiment.h"

/* Two hashes of the same bytes: 128 bits, so that no two experiments share one. The program is in
 * the second one alone, so that what another build has kept is seen to be of the same traces. */
struct store_key {
	uint64_t hash[2];
};

void store_key_mix(struct store_key *k, const void *data, size_t len);
/* Of the program and the experiment's files. False: one of them cannot be looked at. */
bool store_key_of(struct store_key *k, const struct mer_experiment *e);
/* Mixes in the clock maps and groups of the hosts; r NULL: clocks are as recorded. */
void store_key_mix_clocks(struct store_key *k, const struct sync_result *r);

enum store_cached {
	STORE_CACHED_SYNC,
	STORE_CACHED_WORLD,
	STORE_CACHED_STATES,
	STORE_CACHED_WAITS,
	STORE_CACHED_FACTS,
	STORE_CACHED_ACCOUNTS,
	STORE_CACHED_ANSWER, /* of a server */
	STORE_CACHED_COPY,   /* a folder: the copy of a recording (copied/copied.h) */
	STORE_N_CACHED
};

/* The file of this key in the folder: "world-0123456789abcdef0123456789abcdef.store",
 * "sync-....json", "states-....bin", "waits-....bin", "facts-....bin", "accounts-....bin" or
 * "answer-....bin"; not of STORE_CACHED_COPY, which has another key. malloc'ed; NULL: no
 * memory. */
char *store_cache_path(const char *dir, enum store_cached what, const struct store_key *k);
/* Is there what another build has kept instead of this path of store_cache_path? */
bool store_cache_has_other(const char *dir, const char *path);
/* It was used: it is not the oldest any more. */
void store_cache_touch(const char *path);

struct store_entry {
	char name[80];
	int64_t used; /* seconds since 1970: when it was last used */
	uint64_t bytes;
	enum store_cached what;
	bool is_unfinished; /* what a run that is at it, or was killed, has written so far */
};

/* What there is of ours, the latest used first; malloc'ed. A folder that is not there is empty. */
int store_cache_list(const char *dir, struct store_entry **entries, size_t *n, struct mer_err *err);
/* Removes it; a file that is not there any more is no error. */
int store_cache_remove(const char *dir, const struct store_entry *entry, struct mer_err *err);
/* Removes what was not used for long, and of each kind what is beyond a number or a sum of bytes,
 * the longest unused first; and what was left unfinished a day ago. keep: a path that stays; NULL:
 * none. */
void store_cache_trim(const char *dir, const char *keep);

#endif
