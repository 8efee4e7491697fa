/* What an account of any part of the time needs of the whole recording (path/account_index.h), kept
 * for questions about a window: of each wait who ended it, when, and since when that one worked for
 * it; what tasks used, by time; and the program of each task. One file, of blocks of facts as a
 * store has them (facts.h), so that a window costs its blocks.
 *
 * It is a help: what does not read is not there. The file is bounded; where it would be larger,
 * nothing is kept. */
#ifndef MER_STORE_KEPT_ACCOUNT_H
#define MER_STORE_KEPT_ACCOUNT_H

#include "path/account_index.h"
#include "store/cache.h"

/* Writes the file, at most so large; the folder is there. x: of a whole recording, with spans; u:
 * settled. False: it is not there, or as it was. */
bool store_kept_account_save(const char *path, const struct store_key *key,
	const struct account_index *x, const struct usage *u, uint64_t max_bytes);

struct store_kept_account;
/* NULL: there is none, not of this key, or its checksums are not right. */
struct store_kept_account *store_kept_account_open(const char *path, const struct store_key *key);
void store_kept_account_close(struct store_kept_account *); /* NULL is fine */
/* What tasks used in [begin, end], for a world of that part. usage_free in any case. MER_ERR_INPUT:
 * it is damaged, or of another world; also of the following. */
int store_kept_account_usage(const struct store_kept_account *k, const struct kernel_world *w,
	int64_t begin, int64_t end, struct usage **u, struct mer_err *err);
/* b: at least the waits of [begin, end], which are all that can be accounted for with it. */
int store_kept_account_index(const struct store_kept_account *k, const struct blocked *b,
	const struct usage *u, int64_t begin, int64_t end, struct account_index **x,
	struct mer_err *err);

#endif
