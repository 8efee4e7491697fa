#include "cli/sync_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/map.h"
#include "cli/places.h"
#include "sync/auto.h"

enum {
	KEEP_FILES = 64,
	KEEP_DAYS = 30,
	LOOK_AT_FILES = 4096 /* in a folder that somebody filled */
};

static const char prefix[] = "sync-";
static const char suffix[] = ".json";

struct key { /* two hashes of the same bytes: 128 bits, so that no two experiments share one */
	uint64_t hash[2];
};

static void mix(struct key *k, const void *data, size_t len)
{
	for (unsigned i = 0; i < 2; i++) {
		uint64_t chain[3] = { k->hash[i], mer_hash(data, len), len };
		k->hash[i] = mer_hash(chain, sizeof(chain));
	}
}

static void mix_text(struct key *k, const char *text)
{
	mix(k, text, strlen(text) + 1);
}

static bool mix_file(struct key *k, const char *path)
{
	struct stat st;
	if (stat(path, &st) != 0)
		return false;
	int64_t what[] = { (int64_t)st.st_dev, (int64_t)st.st_ino, (int64_t)st.st_size,
		st.st_mtim.tv_sec, st.st_mtim.tv_nsec, st.st_ctim.tv_sec, st.st_ctim.tv_nsec };
	mix(k, what, sizeof(what));
	return true;
}

static bool mix_experiment(struct key *k, const struct mer_experiment *e)
{
	for (uint32_t h = 0; h < e->n_hosts; h++) {
		mix_text(k, e->hosts[h].id);
		mix_text(k, e->hosts[h].name);
	}
	mix(k, &e->options.keep_offsets, sizeof(e->options.keep_offsets));
	mix(k, &e->options.ignore_uuid, sizeof(e->options.ignore_uuid));
	bool ok = true;
	for (uint32_t i = 0; ok && i < e->n_parts; i++) {
		char path[4200];
		int n = snprintf(path, sizeof(path), "%s/metadata", e->parts[i].path);
		ok = n > 0 && (size_t)n < sizeof(path) && mix_file(k, path);
	}
	for (uint32_t i = 0; ok && i < e->n_files; i++)
		ok = mix_file(k, e->files[i].path);
	return ok;
}

bool sync_cache_place_find(
	struct sync_cache_place *p, const struct mer_experiment *e, uint64_t key[2])
{
	bool has_folder = cli_cache_folder(p->dir);
	struct key k = { { 1, 2 } };
	/* Another program may compute something else, or write it another way. */
	bool known = mix_file(&k, "/proc/self/exe") && mix_experiment(&k, e);
	key[0] = k.hash[0];
	key[1] = k.hash[1];
	if (has_folder && known)
		return true;
	p->dir[0] = '\0';
	return false;
}

void sync_cache_mix(uint64_t key[2], const void *data, size_t len)
{
	struct key k = { { key[0], key[1] } };
	mix(&k, data, len);
	key[0] = k.hash[0];
	key[1] = k.hash[1];
}

void sync_cache_find(struct sync_cache *c, const struct mer_experiment *e)
{
	uint64_t key[2];
	*c = (struct sync_cache){ 0 };
	if (!sync_cache_place_find(&c->place, e, key))
		return;
	snprintf(c->file, sizeof(c->file), "%s/%s%016" PRIx64 "%016" PRIx64 "%s", c->place.dir,
		prefix, key[0], key[1], suffix);
}

void sync_cache_touch(const char *path)
{
	utimensat(AT_FDCWD, path, NULL, 0);
}

struct sync_result *sync_cache_load(const struct sync_cache *c, const struct mer_experiment *e)
{
	struct sync_result *r = NULL;
	struct mer_err err;
	if (!c->place.dir[0] || sync_load(e, c->file, &r, &err))
		return NULL;
	sync_cache_touch(c->file);
	return r;
}

struct kept {
	char name[64];
	time_t used;
};

static int newest_first(const void *a, const void *b)
{
	const struct kept *p = a, *q = b;
	return p->used > q->used ? -1 : p->used < q->used;
}

static bool is_ours(const char *name, const char *begin)
{
	size_t len = strlen(name), before = strlen(begin);
	return len > before && len < sizeof(((struct kept *)0)->name) &&
	       memcmp(name, begin, before) == 0;
}

/* Also what a run that was killed left unfinished. */
void sync_cache_remove_old(const struct sync_cache_place *p, const char *begin)
{
	DIR *d = opendir(p->dir);
	struct kept *files = malloc(LOOK_AT_FILES * sizeof(*files));
	size_t n = 0;
	struct dirent *entry;
	while (d && files && n < LOOK_AT_FILES && (entry = readdir(d))) {
		struct stat st;
		if (!is_ours(entry->d_name, begin) ||
			fstatat(dirfd(d), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
			!S_ISREG(st.st_mode))
			continue;
		memcpy(files[n].name, entry->d_name,
			strlen(entry->d_name) + 1); /* is_ours: it fits */
		files[n++].used = st.st_mtime;
	}
	time_t oldest = time(NULL) - (time_t)KEEP_DAYS * 86400;
	if (n)
		qsort(files, n, sizeof(*files), newest_first);
	for (size_t i = 0; i < n; i++)
		if (i >= KEEP_FILES || files[i].used < oldest)
			unlinkat(dirfd(d), files[i].name, 0);
	free(files);
	if (d)
		closedir(d);
}

bool sync_cache_make_dir(const struct sync_cache_place *p)
{
	return mer_make_folder(p->dir);
}

static bool write_all(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		data += n;
		len -= (size_t)n;
	}
	return true;
}

void sync_cache_save(const struct sync_cache *c, const struct sync_result *r)
{
	struct mer_str text = { 0 };
	struct mer_err err;
	char path[1120];
	if (!c->place.dir[0] || !sync_cache_make_dir(&c->place))
		return;
	if (sync_result_write(r, true, &text, &err) == 0) {
		snprintf(path, sizeof(path), "%s/%sXXXXXX", c->place.dir, prefix);
		int fd = mkstemp(path);
		bool ok = fd >= 0 && write_all(fd, text.data, text.len);
		if (fd >= 0)
			ok = close(fd) == 0 && ok;
		if (fd >= 0 && (!ok || rename(path, c->file) != 0))
			unlink(path);
	}
	mer_str_fini(&text);
	sync_cache_remove_old(&c->place, prefix);
}
