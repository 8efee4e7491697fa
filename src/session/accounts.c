#include "session/accounts.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "session/state.h"

bool session_accounts_open(struct session_accounts *x, const struct session *s,
	const struct session_states *states, uint32_t kind, enum session_usage usage)
{
	enum { SHARE = 16, LEAST = 16 << 20 };
	const uint32_t more[] = { kind, usage };
	*x = (struct session_accounts){ .dir = states->dir, .key = states->key };
	if (!x->dir)
		return false;
	x->max_bytes = s->e->bytes / SHARE > LEAST ? s->e->bytes / SHARE : LEAST;
	store_key_mix(&x->key, more, sizeof(more));
	x->path = store_cache_path(x->dir, STORE_CACHED_ACCOUNTS, &x->key);
	if (x->path)
		x->from = store_kept_account_open(x->path, &x->key);
	if (x->from)
		store_cache_touch(x->path);
	return x->from != NULL;
}

void session_accounts_keep(
	struct session_accounts *x, const struct account_index *index, const struct usage *u)
{
	if (!x->keeps || !x->path || x->from || !mer_make_folder(x->dir))
		return;
	x->keeps = false;
	if (store_kept_account_save(x->path, &x->key, index, u, x->max_bytes))
		store_cache_trim(x->dir, x->path);
}

void session_accounts_drop(struct session_accounts *x)
{
	if (x->path)
		unlink(x->path);
}

void session_accounts_close(struct session_accounts *x)
{
	store_kept_account_close(x->from);
	free(x->path);
	*x = (struct session_accounts){ 0 };
}
