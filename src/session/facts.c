#include "session/facts.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "session/state.h"

bool session_facts_open(struct session_facts *x, const struct session_states *states, uint32_t kind,
	const struct fact_kind *const *kinds)
{
	bool all = states->dir != NULL;
	*x = (struct session_facts){ .kinds = kinds, .has_place = all };
	kind &= ~(uint32_t)KERNEL_KEPT_SPANS; /* which says nothing of what was told */
	for (; kinds[x->n] && states->dir; x->n++) {
		struct session_facts_of *of = &x->of[x->n];
		of->key = states->key;
		store_key_mix(&of->key, &kind, sizeof(kind));
		store_key_mix(&of->key, kinds[x->n]->id, strlen(kinds[x->n]->id));
		of->path = store_cache_path(states->dir, STORE_CACHED_FACTS, &of->key);
		of->from = of->path ? store_kept_facts_open(of->path, &of->key) : NULL;
		if (of->from)
			store_cache_touch(of->path);
		all &= of->from != NULL;
	}
	return all;
}

static struct session_facts_of *find(struct session_facts *x, const struct fact_kind *kind)
{
	size_t i = 0;
	while (i < x->n && x->kinds[i] != kind)
		i++;
	return i < x->n ? &x->of[i] : NULL;
}

static int read_kept(void *ctx, uint32_t host, const struct kernel_host *h,
	const struct fact_kind *kind, const struct fact_range *range, fact_taker *take, void *taker,
	struct mer_err *err)
{
	const struct session_facts_of *of = find(ctx, kind);
	if (!of || !of->from)
		return mer_fail(err, MER_ERR_BUG, "facts '%s' are not kept", kind->id);
	return store_kept_facts_read(of->from, host, h, kind, range, take, taker, err);
}

struct analysis_kept session_facts_of(struct session_facts *x)
{
	return (struct analysis_kept){ .kinds = x->kinds, .ctx = x, .read = read_kept };
}

static void *taker(void *ctx, uint32_t host, const struct fact_kind *kind)
{
	const struct session_facts_of *of = find(ctx, kind);
	return of && of->keeper ? store_facts_keeper_of(of->keeper, host) : NULL;
}

struct analysis_kept session_facts_keep(
	struct session_facts *x, const struct session *s, const struct session_states *states)
{
	enum { SHARE = 16, LEAST = 16 << 20 };
	uint64_t most = s->e->bytes / SHARE > LEAST ? s->e->bytes / SHARE : LEAST;
	bool can = x->has_place && (states->from || states->keeper) && mer_make_folder(states->dir);
	for (size_t i = 0; i < x->n && can; i++)
		if (x->of[i].path && !x->of[i].from)
			x->of[i].keeper = store_facts_keeper_new(
				x->of[i].path, &x->of[i].key, x->kinds[i], s->e->n_hosts, most);
	return (struct analysis_kept){
		.kinds = x->kinds, .ctx = x, .taker = taker, .take = store_facts_keeper_take
	};
}

void session_facts_save(struct session_facts *x, const struct session_states *states,
	const struct kernel_world *w, bool ok)
{
	for (size_t i = 0; i < x->n; i++) {
		if (store_facts_keeper_end(x->of[i].keeper, w, ok))
			store_cache_trim(states->dir, x->of[i].path);
		x->of[i].keeper = NULL;
	}
}

void session_facts_drop(struct session_facts *x)
{
	for (size_t i = 0; i < x->n; i++)
		if (x->of[i].path)
			unlink(x->of[i].path);
}

void session_facts_close(struct session_facts *x)
{
	for (size_t i = 0; i < x->n; i++) {
		store_facts_keeper_end(x->of[i].keeper, NULL, false);
		store_kept_facts_close(x->of[i].from);
		free(x->of[i].path);
	}
	*x = (struct session_facts){ 0 };
}
