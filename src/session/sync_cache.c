#include "session/sync_cache.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "store/cache.h"
#include "sync/auto.h"

void sync_cache_find(struct sync_cache *c, const struct mer_experiment *e,
	const struct session_texts *vms, const char *dir)
{
	struct store_key k;
	*c = (struct sync_cache){ 0 };
	bool ok = dir && store_key_of(&k, e);
	for (size_t i = 0; ok && i < vms->n; i++)
		store_key_mix(&k, vms->item[i], strlen(vms->item[i]) + 1);
	char *path = ok ? store_cache_path(dir, STORE_CACHED_SYNC, &k) : NULL;
	if (path && strlen(dir) < sizeof(c->dir) && strlen(path) < sizeof(c->file)) {
		memcpy(c->dir, dir, strlen(dir) + 1);
		memcpy(c->file, path, strlen(path) + 1);
	}
	free(path);
}

struct sync_result *sync_cache_load(const struct sync_cache *c, const struct mer_experiment *e)
{
	struct sync_result *r = NULL;
	struct mer_err err;
	if (!c->dir[0] || sync_load(e, c->file, &r, &err))
		return NULL;
	store_cache_touch(c->file);
	return r;
}

void sync_cache_save(const struct sync_cache *c, const struct sync_result *r)
{
	struct mer_str text = { 0 };
	struct mer_err err;
	if (!c->dir[0] || !mer_make_folder(c->dir))
		return;
	if (sync_result_write(r, true, &text, &err) == 0)
		(void)mer_file_replace(c->file, &(struct mer_bytes){ text.data, text.len }, 1);
	mer_str_fini(&text);
	store_cache_trim(c->dir, c->file);
}
