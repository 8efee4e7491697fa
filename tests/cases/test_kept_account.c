/* What is kept for accounts: with the waits and the usage of a window alone, each task costs in
 * that window what it does with those of the whole recording, and its program is the same. Damage
 * is noticed, and harms nobody. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "recording.h"
#include "store/kept_account.h"

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
	struct usage *u;
	struct account_index *x;
	char path[64];
};

/* Usage is that of disks: what else is counted came with the events. */
static void begin(struct kept *k, const char *name)
{
	struct mer_err err = { 0 };
	*k = (struct kept){ .path = "/tmp/meridian-accounts-XXXXXX" };
	int fd = mkstemp(k->path);
	assert_true(fd >= 0);
	close(fd);
	recording_open(&k->r, name);
	assert_int_equal(blocked_find(k->r.w, &k->all, &err), 0);
	assert_int_equal(usage_new(k->r.w->n_hosts, NULL, &k->u, &err), 0);
	assert_int_equal(usage_settle(k->u, k->r.w, &err), 0);
	assert_int_equal(account_index_new(&k->all, k->u, &k->x, &err), 0);
	assert_true(store_kept_account_save(k->path, &key, k->x, k->u, 1 << 26));
}

static void end(struct kept *k)
{
	account_index_free(k->x);
	usage_free(k->u);
	blocked_fini(&k->all);
	recording_close(&k->r);
	unlink(k->path);
}

static void check_account(const struct account *a, const struct account *b)
{
	assert_int_equal(a->n, b->n);
	assert_int_equal(a->begin, b->begin);
	assert_int_equal(a->end, b->end);
	assert_int_equal(a->waited_ns, b->waited_ns);
	assert_string_equal(a->program, b->program);
	for (uint32_t i = 0; i < a->n; i++)
		assert_memory_equal(&a->nodes[i], &b->nodes[i], sizeof(a->nodes[i]));
}

static bool lives(const struct kernel_task *t, int64_t b, int64_t e)
{
	return t->begin <= e && t->end >= b && t->died >= b && t->last != KERNEL_NONE;
}

/* How many rows the accounts of some tasks had. */
static size_t check_window(
	const struct kept *k, const struct store_kept_account *from, int64_t b, int64_t e)
{
	struct account_index *part;
	struct usage *u;
	struct mer_err err = { 0 };
	const struct kernel_world *w = k->r.w;
	size_t n = 0;
	assert_int_equal(store_kept_account_usage(from, w, b, e, &u, &err), 0);
	assert_int_equal(store_kept_account_index(from, &k->all, u, b, e, &part, &err), 0);
	for (uint32_t h = 0; h < w->n_hosts; h++)
		for (unsigned kind = 0; kind < USAGE_N_KINDS; kind++)
			assert_int_equal(usage_is_recorded(u, h, (enum usage_kind)kind),
				usage_is_recorded(k->u, h, (enum usage_kind)kind));
	for (uint32_t h = 0; h < w->n_hosts; h++)
		for (uint32_t t = 0; t < w->hosts[h].n_tasks; t++) {
			struct account is, should_be;
			if (!lives(&w->hosts[h].tasks[t], b, e) || draw(3))
				continue;
			bool all = draw(2);
			assert_int_equal(account_find(k->x, h, t, b, e, all, &should_be, &err), 0);
			assert_int_equal(account_find(part, h, t, b, e, all, &is, &err), 0);
			assert_false(is.is_open);
			check_account(&is, &should_be);
			n += is.n;
			account_fini(&is);
			account_fini(&should_be);
		}
	account_index_free(part);
	usage_free(u);
	return n;
}

static void test_is_the_same(void **state)
{
	struct kept k;
	begin(&k, *state);
	struct store_kept_account *from = store_kept_account_open(k.path, &key);
	const struct mer_experiment *e = k.r.e;
	int64_t length = e->end - e->begin;
	assert_non_null(from);
	assert_null(store_kept_account_open(k.path, &another_key));
	size_t n = check_window(&k, from, INT64_MIN, INT64_MAX);
	for (int i = 0; i < 8; i++) {
		int64_t width = length / (int64_t)(1 + draw(200));
		int64_t b = e->begin + (int64_t)draw((uint64_t)(length - width) + 1);
		n += check_window(&k, from, b, b + width);
	}
	print_message("%s: %zu rows\n", k.r.name, n);
	store_kept_account_close(from);
	end(&k);
}

/* All at once says of each what it says by itself. */
static void test_programs(void **state)
{
	struct kept k;
	struct mer_err err = { 0 };
	size_t n = 0;
	begin(&k, *state);
	for (uint32_t i = 0; i < k.r.w->n_hosts; i++) {
		const struct kernel_host *h = &k.r.w->hosts[i];
		uint32_t *programs = calloc((size_t)h->n_tasks + 1, sizeof(*programs));
		assert_non_null(programs);
		assert_int_equal(account_programs(h, programs, &err), 0);
		for (uint32_t t = 0; t < h->n_tasks; t++) {
			assert_string_equal(
				kernel_name_text(h, programs[t]), account_program(h, t));
			n += programs[t] != KERNEL_NONE;
		}
		free(programs);
	}
	assert_true(n > 0);
	end(&k);
}

static void test_is_bounded(void **state)
{
	struct kept k;
	begin(&k, *state);
	assert_false(store_kept_account_save(k.path, &key, k.x, k.u, 1000));
	struct store_kept_account *from = store_kept_account_open(k.path, &key);
	assert_non_null(from); /* what was there is there */
	store_kept_account_close(from);
	end(&k);
}

/* Reads all of it. */
static int read_all(const struct kept *k)
{
	struct account_index *x = NULL;
	struct usage *u = NULL;
	struct mer_err err;
	struct store_kept_account *from = store_kept_account_open(k->path, &key);
	if (!from)
		return MER_ERR_INPUT;
	int rc = store_kept_account_usage(from, k->r.w, INT64_MIN, INT64_MAX, &u, &err);
	if (rc == 0)
		rc = store_kept_account_index(from, &k->all, u, INT64_MIN, INT64_MAX, &x, &err);
	account_index_free(x);
	usage_free(u);
	store_kept_account_close(from);
	return rc;
}

static void test_damage(void **state)
{
	struct kept k;
	enum { MOST = 1 << 24, ROUNDS = 200 };
	begin(&k, *state);
	FILE *f = fopen(k.path, "rb");
	uint8_t *bytes = malloc(MOST), *broken = malloc(MOST);
	assert_true(f && bytes && broken);
	size_t n = fread(bytes, 1, MOST, f), n_noticed = 0;
	fclose(f);
	for (size_t round = 0; round < ROUNDS; round++) {
		memcpy(broken, bytes, n);
		broken[draw(n)] ^= (uint8_t)(1 + draw(255));
		size_t keep = round % 5 ? n : draw(n);
		f = fopen(k.path, "wb");
		assert_non_null(f);
		assert_int_equal(fwrite(broken, 1, keep, f), keep);
		fclose(f);
		int rc = read_all(&k);
		assert_true(rc == 0 || rc == MER_ERR_INPUT);
		n_noticed += rc == MER_ERR_INPUT;
	}
	print_message("%zu of %d noticed\n", n_noticed, (int)ROUNDS);
	assert_in_range(n_noticed, ROUNDS / 2, ROUNDS);
	free(bytes);
	free(broken);
	end(&k);
}

/* Of another world: its numbers are not ours. */
static void test_another_world(void **state)
{
	struct kept k, another;
	(void)state;
	begin(&k, "lab/wget-cold-hot-nogro");
	begin(&another, "lab/reader-zoo");
	strcpy(another.path, k.path);
	assert_int_equal(read_all(&another), MER_ERR_INPUT);
	end(&another);
	end(&k);
}

int main(void)
{
	static const char *const names[] = { "lab/clihog-srvhog-1vm", "lab/ipc-zoo",
		"lab/login-tree", "lab/mpi-3vm", "lab/reader-zoo", "lab/threadirqs",
		"lab/wget-cold-hot-nogro" };
	enum { N = sizeof(names) / sizeof(*names) };
	struct CMUnitTest tests[N + 4];
	for (size_t i = 0; i < N; i++)
		tests[i] = (struct CMUnitTest){ names[i], test_is_the_same, NULL, NULL,
			(void *)(uintptr_t)names[i] };
	tests[N] = (struct CMUnitTest){ "programs", test_programs, NULL, NULL,
		(void *)(uintptr_t)names[6] };
	tests[N + 1] = (struct CMUnitTest){ "bounded", test_is_bounded, NULL, NULL,
		(void *)(uintptr_t)names[0] };
	tests[N + 2] = (struct CMUnitTest){ "damage", test_damage, NULL, NULL,
		(void *)(uintptr_t)names[4] };
	tests[N + 3] = (struct CMUnitTest){ "another world", test_another_world, NULL, NULL, NULL };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
