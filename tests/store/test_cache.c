/* The folder of kept results: names of files by their keys, what is listed as ours, and what is
 * removed: the old, the many, the large, and what was left unfinished. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "store/cache.h"

#define DAY INT64_C(86400)

static int make_folder(void **state)
{
	char *dir = *state = strdup("/tmp/meridian-cache-XXXXXX");
	return dir && mkdtemp(dir) ? 0 : -1;
}

static int remove_folder(void **state)
{
	bool ok = mer_remove_folder(*state);
	free(*state);
	return ok ? 0 : -1;
}

/* A file of so many bytes (nothing is on the disk), last used so long ago. */
static void add(const char *dir, const char *name, int64_t bytes, int64_t age)
{
	char path[256];
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT }, { .tv_sec = time(NULL) - age } };
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, bytes), 0);
	assert_int_equal(futimens(fd, times), 0);
	assert_int_equal(close(fd), 0);
}

static void add_folder(const char *dir, const char *name)
{
	char path[256];
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	assert_int_equal(mkdir(path, 0700), 0);
}

static bool is_there(const char *dir, const char *name)
{
	char path[256];
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return access(path, F_OK) == 0;
}

static void paths(void **state)
{
	static const char *const names[] = { "sync-%s.json", "world-%s.store", "read-%s.mark",
		"answer-%s.bin" };
	const struct store_key k = { { 0x0123456789abcdef, 0xfe } };
	(void)state;
	for (unsigned i = 0; i < STORE_CACHED_COPY; i++) {
		char name[100], expected[120];
		snprintf(name, sizeof(name), names[i], "0123456789abcdef00000000000000fe");
		snprintf(expected, sizeof(expected), "/some/dir/%s", name);
		char *path = store_cache_path("/some/dir", (enum store_cached)i, &k);
		assert_string_equal(path, expected);
		free(path);
	}
}

/* Each byte, the length, and what came before count, in both halves. */
static void keys(void **state)
{
	static const struct {
		const char *first, *second;
		size_t n_first, n_second;
	} cases[] = {
		{ "", "", 0, 0 },
		{ "a", "", 1, 0 },
		{ "", "a", 0, 1 },
		{ "ab", "", 2, 0 },
		{ "a", "b", 1, 1 },
		{ "b", "a", 1, 1 },
		{ "a\0", "", 2, 0 },
	};
	enum { N = sizeof(cases) / sizeof(cases[0]) };
	struct store_key k[N];
	(void)state;
	for (size_t i = 0; i < N; i++) {
		k[i] = (struct store_key){ { 1, 2 } };
		store_key_mix(&k[i], cases[i].first, cases[i].n_first);
		store_key_mix(&k[i], cases[i].second, cases[i].n_second);
		assert_true(k[i].hash[0] != k[i].hash[1]);
		for (size_t j = 0; j < i; j++)
			assert_true(k[i].hash[0] != k[j].hash[0] && k[i].hash[1] != k[j].hash[1]);
	}
}

/* A piece of the clocks of two hosts, their groups, and who is whose guest. */
static struct store_key key_of_clocks(uint32_t group, int64_t offset, uint32_t pid, uint32_t n_vms)
{
	struct trace_clock_piece pieces[2] = { { .time = 5 }, { .time = offset } };
	struct sync_host hosts[2] = { { .map = { .pieces = &pieces[0], .n = 1 } },
		{ .group = group, .map = { .pieces = &pieces[1], .n = 1 } } };
	struct sync_vm vms[2] = { { .hypervisor = 1, .guest = 0, .pid = 7 },
		{ .hypervisor = 0, .guest = 1, .pid = pid } };
	struct sync_result r = { .hosts = hosts, .n_hosts = 2, .vms = vms, .n_vms = n_vms };
	struct store_key k = { { 1, 2 } };
	store_key_mix_clocks(&k, &r);
	return k;
}

static bool same(struct store_key a, struct store_key b)
{
	return memcmp(&a, &b, sizeof(a)) == 0;
}

static void keys_of_clocks(void **state)
{
	(void)state;
	struct store_key k = key_of_clocks(1, 10, 3, 2), none = { { 1, 2 } };
	assert_true(same(k, key_of_clocks(1, 10, 3, 2)));
	assert_false(same(k, key_of_clocks(2, 10, 3, 2)));
	assert_false(same(k, key_of_clocks(1, 11, 3, 2)));
	assert_false(same(k, key_of_clocks(1, 10, 4, 2)));
	assert_false(same(k, key_of_clocks(1, 10, 3, 1)));
	assert_false(same(key_of_clocks(1, 10, 3, 1), key_of_clocks(1, 10, 3, 0)));
	assert_true(same(key_of_clocks(1, 10, 3, 1), key_of_clocks(1, 10, 4, 1)));
	store_key_mix_clocks(&none, NULL);
	assert_false(same(none, (struct store_key){ { 1, 2 } }));
	assert_false(same(none, k));
}

static const struct store_entry *entry(
	const struct store_entry *entries, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(entries[i].name, name) == 0)
			return &entries[i];
	return NULL;
}

static void listed(void **state)
{
	const char *dir = *state;
	struct store_entry *entries;
	struct mer_err err = { 0 };
	size_t n;
	char longest[81], target[256], path[256];
	/* Ours. */
	add(dir, "sync-1.json", 10, 1);
	add(dir, "world-1.store", 20, 2);
	add(dir, "read-1.mark", 30, 3);
	add(dir, "answer-1.bin", 40, 4);
	add(dir, "states-1.bin", 60, 5); /* as earlier versions kept them */
	add(dir, "waits-1.bin", 60, 5);
	add(dir, "facts-1.bin", 60, 6);
	add(dir, "accounts-1.bin", 60, 6);
	add(dir, "world-1.store.x4F2aB", 80, 8); /* what a run is at */
	add(dir, "facts-", 90, 8);
	snprintf(longest, sizeof(longest), "facts-%073d", 0);
	longest[79] = '\0';
	add(dir, longest, 5, 9);
	add_folder(dir, "ftrace-1.ctf");
	add_folder(dir, "otf2-1.ctf");
	add(dir, "otf2-1.ctf/a", 100, 0);
	add(dir, "otf2-1.ctf/.b", 1000, 0);
	add_folder(dir, "otf2-1.ctf/sub");
	add(dir, "otf2-1.ctf/sub/c", 11, 0);
	add_folder(dir, "otf2-1.ctf/sub/deep");
	add(dir, "otf2-1.ctf/sub/deep/d", 10000, 0);
	/* Not ours. */
	add(dir, "notes.txt", 10, 0);
	add(dir, "xworld-1.store", 10, 0);
	add(dir, "world", 10, 0);
	add(dir, "otf2-2.ctf", 10, 0);
	add_folder(dir, "world-2.store");
	memset(longest, '0', 80);
	memcpy(longest, "facts-", 6);
	longest[80] = '\0';
	add(dir, longest, 5, 9);
	snprintf(target, sizeof(target), "%s/notes.txt", dir);
	snprintf(path, sizeof(path), "%s/world-3.store", dir);
	assert_int_equal(symlink(target, path), 0);

	assert_int_equal(store_cache_list(dir, &entries, &n, &err), 0);
	assert_int_equal(n, 13);
	for (size_t i = 0; i + 1 < n; i++) /* the latest first, then by name */
		assert_true(entries[i].used > entries[i + 1].used ||
			    (entries[i].used == entries[i + 1].used &&
				    strcmp(entries[i].name, entries[i + 1].name) < 0));
	static const char *const names[] = { "sync-1.json", "world-1.store", "read-1.mark",
		"answer-1.bin", "otf2-1.ctf", "accounts-1.bin" };
	int64_t now = time(NULL);
	for (unsigned i = 0; i < STORE_N_CACHED; i++) {
		const struct store_entry *e = entry(entries, n, names[i]);
		assert_non_null(e);
		assert_int_equal(e->what, i);
		assert_int_equal(e->bytes, i == STORE_CACHED_COPY ? 111 : 10 * (i + 1));
		assert_false(e->is_unfinished);
		assert_in_range(now - e->used, 0, 3600);
	}
	const struct store_entry *e = entry(entries, n, "world-1.store.x4F2aB");
	assert_true(e && e->is_unfinished && e->what == STORE_CACHED_WORLD && e->bytes == 80);
	e = entry(entries, n, "ftrace-1.ctf");
	assert_true(e && e->what == STORE_CACHED_COPY && !e->is_unfinished);
	static const char *const former[] = { "states-1.bin", "waits-1.bin", "facts-1.bin" };
	for (int i = 0; i < 3; i++) {
		e = entry(entries, n, former[i]);
		assert_true(e && e->what == STORE_CACHED_FORMER && !e->is_unfinished);
	}
	e = entry(entries, n, "facts-");
	assert_true(e && e->is_unfinished);
	free(entries);
}

static void no_folder(void **state)
{
	const char *dir = *state;
	struct store_entry *entries;
	struct mer_err err = { 0 };
	size_t n = 5;
	char path[256];
	assert_int_equal(store_cache_list(dir, &entries, &n, &err), 0);
	assert_true(n == 0 && !entries);
	snprintf(path, sizeof(path), "%s/none", dir);
	assert_int_equal(store_cache_list(path, &entries, &n, &err), 0);
	assert_int_equal(n, 0);
	store_cache_trim(path, NULL);
	add(dir, "file", 1, 0);
	snprintf(path, sizeof(path), "%s/file", dir);
	assert_int_equal(store_cache_list(path, &entries, &n, &err), 0);
	assert_int_equal(n, 0);
}

static void removed(void **state)
{
	const char *dir = *state;
	struct mer_err err = { 0 };
	const struct store_entry file = { .name = "world-1.store", .what = STORE_CACHED_WORLD };
	const struct store_entry folder = { .name = "otf2-1.ctf", .what = STORE_CACHED_COPY };
	const struct store_entry wrong = { .name = "otf2-1.ctf", .what = STORE_CACHED_WORLD };
	add(dir, "world-1.store", 1, 0);
	add_folder(dir, "otf2-1.ctf");
	add(dir, "otf2-1.ctf/a", 1, 0);
	assert_int_equal(store_cache_remove(dir, &file, &err), 0);
	assert_false(is_there(dir, "world-1.store"));
	assert_int_equal(store_cache_remove(dir, &file, &err), 0); /* not there any more */
	assert_int_not_equal(store_cache_remove(dir, &wrong, &err), 0);
	assert_non_null(strstr(err.text, "remove"));
	assert_true(is_there(dir, "otf2-1.ctf/a"));
	assert_int_equal(store_cache_remove(dir, &folder, &err), 0);
	assert_false(is_there(dir, "otf2-1.ctf"));
}

static void touched(void **state)
{
	const char *dir = *state;
	struct store_entry *entries;
	struct mer_err err = { 0 };
	size_t n;
	char path[256];
	add(dir, "world-1.store", 1, 20 * DAY);
	snprintf(path, sizeof(path), "%s/world-1.store", dir);
	store_cache_touch(path);
	assert_int_equal(store_cache_list(dir, &entries, &n, &err), 0);
	assert_int_equal(n, 1);
	assert_in_range(time(NULL) - entries[0].used, 0, 3600);
	free(entries);
}

/* After 30 days; what is unfinished after one; but never the one that is kept. */
static void old_ones(void **state)
{
	const char *dir = *state;
	char keep[256];
	add(dir, "world-1.store", 1, 30 * DAY - 3600);
	add(dir, "world-2.store", 1, 30 * DAY + 3600);
	add(dir, "world-3.store", 1, 60 * DAY);
	add(dir, "world-4.store.a", 1, DAY - 3600);
	add(dir, "world-5.store.a", 1, DAY + 3600);
	add(dir, "other", 1, 60 * DAY);
	snprintf(keep, sizeof(keep), "%s/world-3.store", dir);
	store_cache_trim(dir, keep);
	assert_true(is_there(dir, "world-1.store"));
	assert_false(is_there(dir, "world-2.store"));
	assert_true(is_there(dir, "world-3.store"));
	assert_true(is_there(dir, "world-4.store.a"));
	assert_false(is_there(dir, "world-5.store.a"));
	assert_true(is_there(dir, "other"));
	store_cache_trim(dir, NULL);
	assert_false(is_there(dir, "world-3.store"));
}

/* Of each kind so many files, the latest used ones; each kind by itself, and those that are not
 * finished do not count. */
static void too_many(void **state)
{
	static const struct {
		const char *name;
		int keep;
	} kinds[] = { { "sync-%d.json", 64 }, { "world-%d.store", 32 }, { "read-%d.mark", 1024 },
		{ "answer-%d.bin", 512 }, { "states-%d.bin", 0 }, { "waits-%d.bin", 0 },
		{ "facts-%d.bin", 0 }, { "accounts-%d.bin", 0 } };
	const char *dir = *state;
	char name[80];
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
		for (int i = 0; i < kinds[k].keep + 2; i++) {
			snprintf(name, sizeof(name), kinds[k].name, i);
			add(dir, name, 1, 100 + i);
		}
	add(dir, "world-a.store.b", 1, 1);
	for (int i = 0; i < 33; i++) {
		snprintf(name, sizeof(name), "otf2-%d.ctf", i);
		add_folder(dir, name);
	}
	store_cache_trim(dir, NULL);
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
		for (int i = 0; i < kinds[k].keep + 2; i++) {
			snprintf(name, sizeof(name), kinds[k].name, i);
			assert_int_equal(is_there(dir, name), i < kinds[k].keep);
		}
	int n_folders = 0;
	for (int i = 0; i < 33; i++) {
		snprintf(name, sizeof(name), "otf2-%d.ctf", i);
		n_folders += is_there(dir, name);
	}
	assert_int_equal(n_folders, 32);
}

/* Of each kind so many bytes, just so many too. */
static void too_large(void **state)
{
	static const struct {
		const char *name;
		int64_t most;
	} kinds[] = { { "sync-%d.json", (int64_t)1 << 30 }, { "world-%d.store", (int64_t)32 << 30 },
		{ "answer-%d.bin", (int64_t)256 << 20 } };
	const char *dir = *state;
	char name[80];
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
		for (int i = 0; i < 3; i++) {
			snprintf(name, sizeof(name), kinds[k].name, i);
			add(dir, name, i == 1 ? kinds[k].most - 1 : 1, 100 + i);
		}
	store_cache_trim(dir, NULL);
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
		for (int i = 0; i < 3; i++) {
			snprintf(name, sizeof(name), kinds[k].name, i);
			assert_int_equal(is_there(dir, name), i < 2);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths),
		cmocka_unit_test(keys),
		cmocka_unit_test(keys_of_clocks),
		cmocka_unit_test_setup_teardown(listed, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(no_folder, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(removed, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(touched, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(old_ones, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(too_many, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(too_large, make_folder, remove_folder),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
