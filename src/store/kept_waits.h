/* Kept waits: all waits of a recording with their classes (path/blocked.h), in a file of their own,
 * by time. So what a window needs is had without the spans, and although who felt a wait may follow
 * from what came long before and after it.
 *
 * A host's waits are cut into chunks by their end. A chunk has besides, as guests, those that began
 * before it is over and ended later: the waits of a window are those of the chunks that it touches,
 * and the guests of the last of them. */
#ifndef MER_STORE_KEPT_WAITS_H
#define MER_STORE_KEPT_WAITS_H

#include "path/blocked.h"
#include "store/cache.h"

/* Writes the file, at most so large. False: it is not there, or as it was. b: of the whole
 * recording, with spans. */
bool store_kept_waits_save(const char *path, const struct store_key *key, const struct blocked *b,
	unsigned n_threads, uint64_t max_bytes);

struct store_kept_waits;
/* NULL: there is none, not of this key, or its checksums are not right. */
struct store_kept_waits *store_kept_waits_open(const char *path, const struct store_key *key);
void store_kept_waits_close(struct store_kept_waits *); /* NULL is fine */
/* Those that were under way at any time in [begin, end]; w may be of any part of the recording.
 * blocked_fini in any case. MER_ERR_INPUT: they are damaged. */
int store_kept_waits_get(const struct store_kept_waits *k, const struct kernel_world *w,
	int64_t begin, int64_t end, struct blocked *b, struct mer_err *err);

#endif
