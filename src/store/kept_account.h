/* Data of the whole recording that the account of any window needs (path/account_index.h): for each
 * wait the task that ended it, when, and since when that task had been working for the waiter; what
 * tasks used over time; and the program of each task. It is one file with blocks of facts like
 * those of a store (facts.h), so a window reads only its own blocks.
 *
 * It only saves time: an unreadable file counts as missing. The file's size is limited; if it would
 * be larger, nothing is kept. */
#ifndef MER_STORE_KEPT_ACCOUNT_H
#define MER_STORE_KEPT_ACCOUNT_H

#include "path/account_index.h"
#include "store/cache.h"

/* Writes the file, at most max_bytes; the folder must exist. x: of a whole recording, with spans;
 * u: settled. False: nothing was written, and a file that existed is unchanged. */
bool store_kept_account_save(const char *path, const struct store_key *key,
	const struct account_index *x, const struct usage *u, uint64_t max_bytes);

struct store_kept_account;
/* NULL: there is no file, it has another key, or a checksum is wrong. */
struct store_kept_account *store_kept_account_open(const char *path, const struct store_key *key);
void store_kept_account_close(struct store_kept_account *); /* NULL is allowed */
/* What tasks used in [begin, end], for a world of that window. Call usage_free in any case.
 * MER_ERR_INPUT, also from the next function: the file is damaged, or made from another world. */
int store_kept_account_usage(const struct store_kept_account *k, const struct kernel_world *w,
	int64_t begin, int64_t end, struct usage **u, struct mer_err *err);
/* b: at least the waits of [begin, end]. The index can account for these waits only. */
int store_kept_account_index(const struct store_kept_account *k, const struct blocked *b,
	const struct usage *u, int64_t begin, int64_t end, struct account_index **x,
	struct mer_err *err);

#endif
