/* Cache: the folder in which results are kept between runs, such as stores and clock alignments.
 *
 * The key of a result is a hash of its inputs: the experiment's hosts and options; device, inode,
 * size, modification and change time of every file; and the build of the program. The caller mixes
 * in whatever else the result depends on. So a trace that grew or was replaced has another key, and
 * the old result is removed once it has long been unused. A result may be missing at any time.
 * Several processes may use the cache at once: files are replaced by renaming, and a process keeps
 * the file it has open. */
#ifndef MER_STORE_CACHE_H
#define MER_STORE_CACHE_H

#include "store/sections.h"
#include "sync/result.h"
#include "trace/experiment.h"

/* Two hashes of the same bytes: 128 bits, so that no two experiments share one. The build of the
 * program enters only the second one, so that results of the same traces from another build can be
 * recognized. */
struct store_key {
	uint64_t hash[2];
};

void store_key_mix(struct store_key *k, const void *data, size_t len);
/* Hashes the program's build and the experiment's hosts, options and files. False: stat failed on
 * one of the files. */
bool store_key_of(struct store_key *k, const struct mer_experiment *e);
/* Mixes in the clock maps and groups of the hosts. r NULL: clocks as recorded. */
void store_key_mix_clocks(struct store_key *k, const struct sync_result *r);

enum store_cached {
	STORE_CACHED_SYNC,
	STORE_CACHED_WORLD,
	STORE_CACHED_READ,   /* an empty file: a question was answered by reading the traces */
	STORE_CACHED_ANSWER, /* of a server */
	STORE_CACHED_COPY,   /* a folder: the copy of a recording (copied/copied.h) */
	STORE_CACHED_FORMER, /* what versions before 1.1 kept; removed when the cache is trimmed */
	STORE_N_CACHED
};

/* The file of this key in the folder: "world-0123456789abcdef0123456789abcdef.store",
 * "sync-....json", "read-....mark" or "answer-....bin". Not for STORE_CACHED_COPY, which has
 * another key. malloc'ed; NULL: no memory. */
char *store_cache_path(const char *dir, enum store_cached what, const struct store_key *k);
/* Did another build keep a result of the same traces? path: from store_cache_path. */
bool store_cache_has_other(const char *dir, const char *path);
/* Marks the file as just used, so that trimming removes others first. */
void store_cache_touch(const char *path);

struct store_entry {
	char name[80];
	int64_t used; /* seconds since 1970: when it was last used */
	uint64_t bytes;
	enum store_cached what;
	bool is_unfinished; /* partial file of a run that is still writing, or was killed */
};

/* Lists our files in the folder, most recently used first; malloc'ed. A missing folder counts as
 * empty. */
int store_cache_list(const char *dir, struct store_entry **entries, size_t *n, struct mer_err *err);
/* Removes the file; no error if it is already gone. */
int store_cache_remove(const char *dir, const struct store_entry *entry, struct mer_err *err);
/* Removes files that have long been unused; then, for each kind, the least recently used ones
 * beyond a maximum number or total size; and unfinished files older than a day. keep: a path to
 * spare; NULL: none. */
void store_cache_trim(const char *dir, const char *keep);

#endif
