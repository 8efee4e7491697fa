/* Kept waits: all waits of a recording with their classes (path/blocked.h), by time, in a file of
 * their own. A window gets its waits from there without any spans. Which task felt a wait may
 * depend on events long before and after it, so it cannot be computed from the window alone.
 *
 * A host's waits are split into chunks by end time. A chunk also lists, as guests, the waits that
 * began before the chunk's end and ended later. So the waits of a window are those of all chunks
 * that it touches, plus the guests of the last one. */
#ifndef MER_STORE_KEPT_WAITS_H
#define MER_STORE_KEPT_WAITS_H

#include "path/blocked.h"
#include "store/cache.h"

/* Writes the file, at most max_bytes. False: nothing was written, and a file that existed is
 * unchanged. b: of the whole recording, with spans. */
bool store_kept_waits_save(const char *path, const struct store_key *key, const struct blocked *b,
	unsigned n_threads, uint64_t max_bytes);

struct store_kept_waits;
/* NULL: there is no file, it has another key, or a checksum is wrong. */
struct store_kept_waits *store_kept_waits_open(const char *path, const struct store_key *key);
void store_kept_waits_close(struct store_kept_waits *); /* NULL is fine */
/* The waits that overlap [begin, end]; w may be of any part of the recording. Call blocked_fini in
 * any case. MER_ERR_INPUT: the file is damaged. */
int store_kept_waits_get(const struct store_kept_waits *k, const struct kernel_world *w,
	int64_t begin, int64_t end, struct blocked *b, struct mer_err *err);

#endif
