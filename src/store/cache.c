#include "store/cache.h"

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

#include "base/build_id.h"
#include "base/file.h"
#include "base/grow.h"
#include "base/map.h"
#include "sync/rounds/rounds.h"

enum {
	KEEP_DAYS = 30,
	UNFINISHED_SECONDS = 86400,
	LOOK_AT = 65536 /* files, in a folder that somebody filled */
};

static const struct {
	const char *suffix;
	size_t keep; /* files */
	uint64_t keep_bytes;
	const char *prefixes[5]; /* the first one is that of new files; ends with NULL */
} kinds[STORE_N_CACHED] = {
	[STORE_CACHED_SYNC] = { ".json", 64, (uint64_t)1 << 30, { "sync-" } },
	[STORE_CACHED_WORLD] = { ".store", 32, (uint64_t)32 << 30, { "world-" } },
	[STORE_CACHED_READ] = { ".mark", 1024, (uint64_t)1 << 20, { "read-" } },
	[STORE_CACHED_ANSWER] = { ".bin", 512, (uint64_t)256 << 20, { "answer-" } },
	[STORE_CACHED_COPY] = { ".ctf", 32, (uint64_t)32 << 30, { "otf2-", "ftrace-" } },
	[STORE_CACHED_FORMER] = { ".bin", 0, 0, { "states-", "waits-", "facts-", "accounts-" } },
};

/* ---- keys ---- */

void store_key_mix(struct store_key *k, const void *data, size_t len)
{
	for (unsigned i = 0; i < 2; i++) {
		uint64_t chain[3] = { k->hash[i], mer_hash(data, len), len };
		k->hash[i] = mer_hash(chain, sizeof(chain));
	}
}

static void mix_text(struct store_key *k, const char *text)
{
	store_key_mix(k, text, strlen(text) + 1);
}

static bool mix_file(struct store_key *k, const char *path)
{
	struct stat st;
	if (stat(path, &st) != 0)
		return false;
	int64_t what[] = { (int64_t)st.st_dev, (int64_t)st.st_ino, (int64_t)st.st_size,
		st.st_mtim.tv_sec, st.st_mtim.tv_nsec, st.st_ctim.tv_sec, st.st_ctim.tv_nsec };
	store_key_mix(k, what, sizeof(what));
	return true;
}

/* Another build may compute or write results differently. It is identified by its build id: the
 * file's times and inode change with chmod, a copy or a reinstallation, and for the library it
 * would be the file of the program that loaded it. */
static bool mix_program(struct store_key *k)
{
	const uint8_t *id;
	size_t n = mer_build_id(&id);
	if (n)
		store_key_mix(k, id, n);
	return n || mix_file(k, "/proc/self/exe");
}

/* Clocks are aligned with the measurements in manifests, too. */
static bool mix_manifests(struct store_key *k, const struct mer_experiment *e)
{
	struct mer_arena arena;
	const char *const *paths;
	bool ok = true;
	mer_arena_init(&arena);
	size_t n = e->n_hosts > 1 ? sync_rounds_files(e, &arena, &paths) : 0;
	for (size_t i = 0; ok && i < n; i++)
		ok = mix_file(k, paths[i]);
	mer_arena_fini(&arena);
	return ok;
}

bool store_key_of(struct store_key *k, const struct mer_experiment *e)
{
	struct store_key program = { { 1, 2 } };
	bool ok = mix_program(&program);
	*k = (struct store_key){ { 1, program.hash[1] } };
	for (uint32_t h = 0; h < e->n_hosts; h++) {
		mix_text(k, e->hosts[h].id);
		mix_text(k, e->hosts[h].name);
	}
	store_key_mix(k, &e->options.keep_offsets, sizeof(e->options.keep_offsets));
	store_key_mix(k, &e->options.ignore_uuid, sizeof(e->options.ignore_uuid));
	store_key_mix(k, &e->options.clock_wrap_ns, sizeof(e->options.clock_wrap_ns));
	store_key_mix(k, &e->options.clock_wrap_bits, sizeof(e->options.clock_wrap_bits));
	for (uint32_t i = 0; ok && i < e->n_parts; i++) {
		char path[4200];
		int n = snprintf(path, sizeof(path), "%s/metadata", e->parts[i].path);
		ok = n > 0 && (size_t)n < sizeof(path) && mix_file(k, path);
	}
	for (uint32_t i = 0; ok && i < e->n_files; i++)
		ok = mix_file(k, e->files[i].path);
	return ok && mix_manifests(k, e);
}

void store_key_mix_clocks(struct store_key *k, const struct sync_result *r)
{
	uint32_t n = r ? r->n_hosts : 0;
	store_key_mix(k, &n, sizeof(n));
	for (uint32_t i = 0; i < n; i++) {
		const struct trace_clock_map *map = &r->hosts[i].map;
		store_key_mix(k, &r->hosts[i].group, sizeof(r->hosts[i].group));
		store_key_mix(k, map->pieces, map->n * sizeof(*map->pieces));
	}
	/* Which host a guest belongs to determines the steal time of its tasks. */
	for (uint32_t i = 0; r && i < r->n_vms; i++) {
		const struct sync_vm *vm = &r->vms[i];
		const uint32_t who[] = { vm->hypervisor, vm->guest, vm->pid };
		store_key_mix(k, who, sizeof(who));
	}
}

/* ---- files ---- */

static char *join(const char *dir, const char *name)
{
	size_t n = strlen(dir) + strlen(name) + 2;
	char *path = malloc(n);
	if (path)
		snprintf(path, n, "%s/%s", dir, name);
	return path;
}

char *store_cache_path(const char *dir, enum store_cached what, const struct store_key *k)
{
	char name[80];
	snprintf(name, sizeof(name), "%s%016" PRIx64 "%016" PRIx64 "%s", kinds[what].prefixes[0],
		k->hash[0], k->hash[1], kinds[what].suffix);
	return join(dir, name);
}

bool store_cache_has_other(const char *dir, const char *path)
{
	enum { HALF = 16 }; /* digits of the hash without the program */
	struct store_entry *entries;
	size_t n;
	bool has = false;
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	const char *key = strchr(name, '-');
	size_t len = key ? (size_t)(key + 1 - name) + HALF : 0;
	if (!len || strlen(name) < len || store_cache_list(dir, &entries, &n, NULL))
		return false;
	for (size_t i = 0; i < n && !has; i++)
		has = !entries[i].is_unfinished && strncmp(entries[i].name, name, len) == 0 &&
		      strcmp(entries[i].name, name) != 0;
	free(entries);
	return has;
}

void store_cache_touch(const char *path)
{
	utimensat(AT_FDCWD, path, NULL, 0);
}

static bool begins_with(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static bool ends_with(const char *text, const char *with)
{
	size_t len = strlen(text), n = strlen(with);
	return len >= n && strcmp(text + len - n, with) == 0;
}

/* Total size of the files in a folder and its subfolders. */
static uint64_t bytes_below(int dir, const char *name, unsigned depth)
{
	int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	uint64_t bytes = 0;
	for (struct dirent *e; d && (e = readdir(d));) {
		struct stat st;
		if (e->d_name[0] == '.' || fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		if (S_ISDIR(st.st_mode))
			bytes += depth ? bytes_below(fd, e->d_name, depth - 1) : 0;
		else
			bytes += (uint64_t)st.st_size;
	}
	if (d)
		closedir(d);
	else if (fd >= 0)
		close(fd);
	return bytes;
}

static bool is_of_kind(const char *name, unsigned what)
{
	const char *const *prefix = kinds[what].prefixes;
	while (*prefix && !begins_with(name, *prefix))
		prefix++;
	return *prefix != NULL;
}

static bool look_at(int dir, const char *name, struct store_entry *e)
{
	struct stat st;
	unsigned what = 0;
	while (what < STORE_N_CACHED && !is_of_kind(name, what))
		what++;
	if (what == STORE_N_CACHED || strlen(name) >= sizeof(e->name) ||
		fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return false;
	bool is_folder = what == STORE_CACHED_COPY;
	if (is_folder ? !S_ISDIR(st.st_mode) : !S_ISREG(st.st_mode))
		return false;
	*e = (struct store_entry){ .used = st.st_mtim.tv_sec,
		.bytes = is_folder ? bytes_below(dir, name, 1) : (uint64_t)st.st_size,
		.what = (enum store_cached)what,
		.is_unfinished = !ends_with(name, kinds[what].suffix) };
	memcpy(e->name, name, strlen(name) + 1);
	return true;
}

static int latest_first(const void *a, const void *b)
{
	const struct store_entry *p = a, *q = b;
	if (p->used != q->used)
		return p->used > q->used ? -1 : 1;
	return strcmp(p->name, q->name);
}

int store_cache_list(const char *dir, struct store_entry **entries, size_t *n, struct mer_err *err)
{
	size_t cap = 0;
	int rc = 0;
	*entries = NULL;
	*n = 0;
	DIR *d = opendir(dir);
	if (!d)
		return errno == ENOENT || errno == ENOTDIR ? 0 : mer_fail_errno(err, "open", dir);
	struct dirent *entry;
	while (rc == 0 && *n < LOOK_AT && (entry = readdir(d))) {
		struct store_entry e;
		if (!look_at(dirfd(d), entry->d_name, &e))
			continue;
		if (!mer_grow(entries, *n, &cap, sizeof(e)))
			rc = mer_fail_nomem(err);
		else
			(*entries)[(*n)++] = e;
	}
	closedir(d);
	if (*n)
		qsort(*entries, *n, sizeof(**entries), latest_first);
	return rc;
}

int store_cache_remove(const char *dir, const struct store_entry *entry, struct mer_err *err)
{
	char *path = join(dir, entry->name);
	int rc = path ? 0 : mer_fail_nomem(err);
	bool is_gone = rc == 0 && (entry->what == STORE_CACHED_COPY ? mer_remove_folder(path)
								    : unlink(path) == 0);
	if (rc == 0 && !is_gone && errno != ENOENT)
		rc = mer_fail_errno(err, "remove", path);
	free(path);
	return rc;
}

void store_cache_trim(const char *dir, const char *keep)
{
	struct store_entry *entries;
	size_t n, n_files[STORE_N_CACHED] = { 0 };
	uint64_t bytes[STORE_N_CACHED] = { 0 };
	time_t now = time(NULL);
	const char *name = keep ? strrchr(keep, '/') : NULL;
	if (store_cache_list(dir, &entries, &n, NULL))
		n = 0;
	for (size_t i = 0; i < n; i++) {
		const struct store_entry *e = &entries[i];
		bool is_old;
		if (e->is_unfinished) {
			is_old = e->used < now - UNFINISHED_SECONDS;
		} else {
			n_files[e->what]++;
			bytes[e->what] += e->bytes;
			is_old = n_files[e->what] > kinds[e->what].keep ||
				 bytes[e->what] > kinds[e->what].keep_bytes ||
				 e->used < now - (time_t)KEEP_DAYS * 86400;
		}
		if (is_old && !(name && strcmp(name + 1, e->name) == 0))
			(void)store_cache_remove(dir, e, NULL);
	}
	free(entries);
}
