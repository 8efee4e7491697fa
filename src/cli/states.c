#include "cli/states.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char prefix[] = "model-";

static void mix_clocks(uint64_t key[2], const struct sync_result *r)
{
	uint32_t n = r ? r->n_hosts : 0;
	sync_cache_mix(key, &n, sizeof(n));
	for (uint32_t i = 0; i < n; i++) {
		const struct trace_clock_map *map = &r->hosts[i].map;
		sync_cache_mix(key, &r->hosts[i].group, sizeof(r->hosts[i].group));
		sync_cache_mix(key, map->pieces, map->n * sizeof(*map->pieces));
	}
}

static void put_path(const struct cli_states *s, uint32_t kind, char *path, size_t size)
{
	snprintf(path, size, "%s/%s%016" PRIx64 "%016" PRIx64 "-%u", s->place.dir, prefix,
		s->key.of[0], s->key.of[1], (unsigned)kind);
}

void cli_states_open(struct cli_states *s, const struct mer_experiment *e,
	const struct sync_result *r, uint32_t kind)
{
	*s = (struct cli_states){ .kind = kind };
	if (!sync_cache_place_find(&s->place, e, s->key.of))
		return;
	mix_clocks(s->key.of, r);
	for (uint32_t then = 0; then < KERNEL_N_KEPT && !s->from; then++) {
		char path[SYNC_CACHE_PATH];
		if (!kernel_checkpoint_serves(then, kind))
			continue;
		put_path(s, then, path, sizeof(path));
		s->from = kernel_checkpoints_open(path, &s->key, e);
		if (s->from)
			sync_cache_touch(path);
	}
}

void cli_states_keep(struct cli_states *s, struct mer_experiment *e)
{
	enum { BYTES_EACH = 64 << 10 };
	struct mer_err err;
	uint64_t n = e->bytes / BYTES_EACH;
	if (s->from || !s->place.dir[0] || n < 2)
		return;
	if (kernel_keeper_new(
		    e, n < KERNEL_CHECKPOINTS ? (uint32_t)n : KERNEL_CHECKPOINTS, &s->keeper, &err))
		s->keeper = NULL;
}

void cli_states_save(struct cli_states *s, const struct kernel_world *w)
{
	char path[SYNC_CACHE_PATH];
	if (!s->keeper || !sync_cache_make_dir(&s->place))
		return;
	put_path(s, kernel_keeper_kind(s->keeper), path, sizeof(path));
	kernel_keeper_save(s->keeper, w, &s->key, path);
	sync_cache_remove_old(&s->place, prefix);
}

void cli_states_drop(struct cli_states *s)
{
	char path[SYNC_CACHE_PATH];
	if (!s->from)
		return;
	put_path(s, kernel_checkpoints_kind(s->from), path, sizeof(path));
	unlink(path);
}

void cli_states_close(struct cli_states *s)
{
	kernel_checkpoints_free(s->from);
	kernel_keeper_free(s->keeper);
	*s = (struct cli_states){ 0 };
}
