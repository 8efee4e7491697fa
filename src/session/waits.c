#include "session/waits.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "session/state.h"

bool session_waits_open(struct session_waits *x, const struct session_states *states, uint32_t kind)
{
	*x = (struct session_waits){ .dir = states->dir, .key = states->key };
	if (!x->dir)
		return false;
	/* Merges change which request a wait was for. */
	kind &= KERNEL_KEPT_PACKETS | KERNEL_KEPT_MERGES;
	store_key_mix(&x->key, &kind, sizeof(kind));
	x->path = store_cache_path(x->dir, STORE_CACHED_WAITS, &x->key);
	if (x->path)
		x->from = store_kept_waits_open(x->path, &x->key);
	if (x->from)
		store_cache_touch(x->path);
	return x->from != NULL;
}

static int get(void *ctx, const struct kernel_world *w, int64_t begin, int64_t end, void *blocked,
	struct mer_err *err)
{
	const struct session_waits *x = ctx;
	return store_kept_waits_get(x->from, w, begin, end, blocked, err);
}

struct kernel_waits session_waits_of(struct session_waits *x)
{
	return (struct kernel_waits){ .get = get, .ctx = x, .is_only_way = true };
}

static void found(void *ctx, const struct kernel_world *w, const void *blocked)
{
	struct session_waits *x = ctx;
	(void)w;
	if (!x->keeps || !mer_make_folder(x->dir) ||
		!store_kept_waits_save(x->path, &x->key, blocked, x->n_threads, x->max_bytes))
		return;
	x->keeps = false;
	store_cache_trim(x->dir, x->path);
}

struct kernel_waits session_waits_keep(struct session_waits *x, const struct session *s)
{
	enum { SHARE = 16, LEAST = 16 << 20 };
	x->max_bytes = s->e->bytes / SHARE > LEAST ? s->e->bytes / SHARE : LEAST;
	x->n_threads = session_threads(s);
	x->keeps = x->path && !x->from;
	return (struct kernel_waits){ .found = found, .ctx = x };
}

void session_waits_drop(struct session_waits *x)
{
	if (x->path)
		unlink(x->path);
}

void session_waits_close(struct session_waits *x)
{
	store_kept_waits_close(x->from);
	free(x->path);
	*x = (struct session_waits){ 0 };
}
