#include "session/states.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "session/state.h"

/* malloc'ed; NULL: no memory. */
static char *path_of(const struct session_states *x, uint32_t kind)
{
	struct store_key k = x->key;
	store_key_mix(&k, &kind, sizeof(kind));
	return store_cache_path(x->dir, STORE_CACHED_STATES, &k);
}

static struct kernel_checkpoint_key key_of(const struct session_states *x)
{
	return (struct kernel_checkpoint_key){ { x->key.hash[0], x->key.hash[1] } };
}

void session_states_open(struct session_states *x, const struct session *s, uint32_t kind)
{
	*x = (struct session_states){ 0 };
	if (!s->o.cache_dir || !store_key_of(&x->key, s->e))
		return;
	x->dir = s->o.cache_dir;
	store_key_mix_clocks(&x->key, s->result);
	struct kernel_checkpoint_key key = key_of(x);
	for (uint32_t then = 0; then < KERNEL_N_KEPT && !x->from; then++) {
		char *path = kernel_checkpoint_serves(then, kind) ? path_of(x, then) : NULL;
		if (path)
			x->from = kernel_checkpoints_open(path, &key, s->e);
		if (x->from)
			store_cache_touch(path);
		free(path);
	}
}

void session_states_keep(struct session_states *x, struct session *s)
{
	enum { BYTES_EACH = 64 << 10 };
	struct mer_err err;
	uint64_t n = s->e->bytes / BYTES_EACH;
	if (x->from || !x->dir || n < 2)
		return;
	if (kernel_keeper_new(s->e, n < KERNEL_CHECKPOINTS ? (uint32_t)n : KERNEL_CHECKPOINTS,
		    &x->keeper, &err))
		x->keeper = NULL;
}

bool session_states_save(struct session_states *x, const struct kernel_world *w)
{
	struct kernel_checkpoint_key key = key_of(x);
	if (!x->keeper || !mer_make_folder(x->dir))
		return x->from != NULL;
	char *path = path_of(x, kernel_keeper_kind(x->keeper));
	bool is_saved = path && kernel_keeper_save(x->keeper, w, &key, path);
	if (is_saved)
		store_cache_trim(x->dir, path);
	free(path);
	return is_saved;
}

void session_states_drop(struct session_states *x)
{
	char *path = x->from ? path_of(x, kernel_checkpoints_kind(x->from)) : NULL;
	if (path)
		unlink(path);
	free(path);
}

void session_states_close(struct session_states *x)
{
	kernel_checkpoints_free(x->from);
	kernel_keeper_free(x->keeper);
	*x = (struct session_states){ 0 };
}
