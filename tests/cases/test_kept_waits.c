/* Waits that were kept: those of any window are those that were found, with all that is known of
 * them, and pieces of a wait are still of one. Damage is noticed, and harms nobody. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "path/blocked.h"
#include "recording.h"
#include "store/kept_waits.h"

static const struct store_key key = { { 1, 2 } }, another_key = { { 1, 3 } };
static uint64_t seed = 1;

static uint64_t draw(uint64_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % n;
}

struct kept {
	struct recording r;
	struct blocked all;
	char path[64];
};

static void begin(struct kept *k, const char *name)
{
	struct mer_err err = { 0 };
	*k = (struct kept){ .path = "/tmp/meridian-waits-XXXXXX" };
	int fd = mkstemp(k->path);
	assert_true(fd >= 0);
	close(fd);
	recording_open(&k->r, name);
	assert_int_equal(blocked_find(k->r.w, &k->all, &err), 0);
	assert_true(store_kept_waits_save(k->path, &key, &k->all, 2, 1 << 26));
}

static void end(struct kept *k)
{
	blocked_fini(&k->all);
	recording_close(&k->r);
	unlink(k->path);
}

static void check_wait(const struct kept *k, const struct blocked *part, uint32_t host,
	const struct blocked_wait *v, const struct blocked_wait *w)
{
	assert_int_equal(v->begin, w->begin);
	assert_int_equal(v->end, w->end);
	assert_int_equal(v->run, w->run);
	assert_int_equal(v->asked, w->asked);
	assert_int_equal(v->task, w->task);
	assert_int_equal(v->by_host, w->by_host);
	assert_int_equal(v->by_task, w->by_task);
	assert_int_equal(v->call, w->call);
	assert_int_equal(v->kind, w->kind);
	assert_int_equal(v->cause, w->cause);
	assert_int_equal(v->open, w->open);
	assert_int_equal(v->is_input, w->is_input);
	assert_int_equal(v->is_for_work, w->is_for_work);
	assert_int_equal(v->is_felt, w->is_felt);
	assert_int_equal(v->asker, w->asker);
	assert_int_equal(blocked_disk(&k->all, host, v), blocked_disk(part, host, w));
	assert_int_equal(blocked_started_of(&k->all, host, v), blocked_started_of(part, host, w));
}

/* Two waits of the window are pieces of one where they are so in all of them. */
static void check_pieces(const struct blocked_wait *v, const struct blocked_wait *w, size_t n)
{
	enum { NEAR = 40 };
	for (size_t i = 0; i < n; i++) {
		assert_true(w[i].whole >= BLOCKED_FIRST_KEPT);
		assert_int_equal(v[i].whole == v[i].span, w[i].whole == w[i].span);
		for (size_t j = i < NEAR ? 0 : i - NEAR; j < i; j++)
			assert_int_equal(v[i].whole == v[j].whole, w[i].whole == w[j].whole);
	}
}

static size_t check_window(
	const struct kept *k, const struct store_kept_waits *from, int64_t b, int64_t e)
{
	struct blocked part;
	struct mer_err err;
	size_t n_all = 0;
	assert_int_equal(store_kept_waits_get(from, k->r.w, b, e, &part, &err), 0);
	for (uint32_t h = 0; h < k->r.w->n_hosts; h++) {
		const struct blocked_host *all = &k->all.hosts[h], *some = &part.hosts[h];
		struct blocked_wait *expected = calloc(all->n + 1, sizeof(*expected));
		size_t n = 0;
		assert_non_null(expected);
		assert_int_equal(all->processes, some->processes);
		for (uint32_t t = 0; t < k->r.w->hosts[h].n_tasks; t++) {
			assert_int_equal(all->leaders[t], some->leaders[t]);
			assert_int_equal(some->first[t], n);
			for (size_t i = all->first[t]; i < all->first[t + 1]; i++)
				if (all->waits[i].end >= b && all->waits[i].begin <= e)
					expected[n++] = all->waits[i];
		}
		assert_int_equal(some->n, n);
		assert_int_equal(some->first[k->r.w->hosts[h].n_tasks], n);
		for (size_t i = 0; i < n; i++)
			check_wait(k, &part, h, &expected[i], &some->waits[i]);
		check_pieces(expected, some->waits, n);
		free(expected);
		n_all += n;
	}
	blocked_fini(&part);
	return n_all;
}

static void test_is_the_same(void **state)
{
	struct kept k;
	begin(&k, *state);
	struct store_kept_waits *from = store_kept_waits_open(k.path, &key);
	const struct mer_experiment *e = k.r.e;
	int64_t length = e->end - e->begin;
	assert_non_null(from);
	assert_null(store_kept_waits_open(k.path, &another_key));
	size_t n = check_window(&k, from, INT64_MIN, INT64_MAX), n_some = 0;
	for (int i = 0; i < 12; i++) {
		int64_t width = length / (int64_t)(1 + draw(500));
		int64_t b = e->begin + (int64_t)draw((uint64_t)(length - width) + 1);
		n_some += check_window(&k, from, b, b + width);
	}
	/* The edges of a wait, on which it is still under way. */
	for (uint32_t h = 0; h < k.r.w->n_hosts; h++) {
		const struct blocked_host *all = &k.all.hosts[h];
		for (int i = 0; i < 4 && all->n; i++) {
			const struct blocked_wait *w = &all->waits[draw(all->n)];
			check_window(&k, from, w->end, w->end);
			check_window(&k, from, w->begin, w->begin);
		}
	}
	print_message("%s: %zu waits, %zu in windows\n", k.r.name, n, n_some);
	store_kept_waits_close(from);
	end(&k);
}

/* It is not kept where it would be too large; what was there is gone neither. */
static void test_is_bounded(void **state)
{
	struct kept k;
	begin(&k, *state);
	assert_false(store_kept_waits_save(k.path, &key, &k.all, 1, 1000));
	struct store_kept_waits *from = store_kept_waits_open(k.path, &key);
	assert_non_null(from);
	store_kept_waits_close(from);
	end(&k);
}

static void test_damage(void **state)
{
	struct kept k;
	begin(&k, *state);
	FILE *f = fopen(k.path, "rb");
	assert_non_null(f);
	enum { MOST = 1 << 24 };
	uint8_t *bytes = malloc(MOST), *broken = malloc(MOST);
	assert_true(bytes && broken);
	size_t n = fread(bytes, 1, MOST, f), n_noticed = 0, n_rounds = 200;
	fclose(f);
	for (size_t round = 0; round < n_rounds; round++) {
		struct blocked part = { 0 };
		struct mer_err err;
		memcpy(broken, bytes, n);
		broken[draw(n)] ^= (uint8_t)(1 + draw(255));
		size_t keep = round % 5 ? n : draw(n);
		f = fopen(k.path, "wb");
		assert_non_null(f);
		assert_int_equal(fwrite(broken, 1, keep, f), keep);
		fclose(f);
		struct store_kept_waits *from = store_kept_waits_open(k.path, &key);
		int rc = from ? store_kept_waits_get(from, k.r.w, INT64_MIN, INT64_MAX, &part, &err)
			      : MER_ERR_INPUT;
		assert_true(rc == 0 || rc == MER_ERR_INPUT);
		n_noticed += rc == MER_ERR_INPUT;
		if (from)
			blocked_fini(&part);
		store_kept_waits_close(from);
	}
	/* What is left are bytes between sections. */
	print_message("%zu of %zu noticed\n", n_noticed, n_rounds);
	assert_in_range(n_noticed, n_rounds / 2, n_rounds);
	free(bytes);
	free(broken);
	end(&k);
}

int main(void)
{
	static const char *const names[] = { "lab/clihog-srvhog-1vm", "lab/cluster-10",
		"lab/ipc-zoo", "lab/login-tree", "lab/mpi-3vm", "lab/reader-zoo", "lab/swap",
		"lab/web-load", "lab/wget-cold-hot-nogro" };
	enum { N = sizeof(names) / sizeof(*names) };
	struct CMUnitTest tests[N + 2];
	for (size_t i = 0; i < N; i++)
		tests[i] = (struct CMUnitTest){ names[i], test_is_the_same, NULL, NULL,
			(void *)(uintptr_t)names[i] };
	tests[N] = (struct CMUnitTest){ "bounded", test_is_bounded, NULL, NULL,
		(void *)(uintptr_t)names[0] };
	tests[N + 1] = (struct CMUnitTest){ "damage", test_damage, NULL, NULL,
		(void *)(uintptr_t)names[5] };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
