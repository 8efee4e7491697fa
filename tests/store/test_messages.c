/* Messages in a store, and what was found with them: all that is not of streams comes back, and
 * nothing where it could come back in another order, or is damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "store/columns.h"
#include "store/messages.h"
#include "store/types.h"

enum { N_HOSTS = 3 };
static const uint8_t key[STORE_KEY_BYTES] = "messages";

struct saved {
	char path[40];
	struct sync_messages m;
	struct mer_arena arena;
	struct mer_diags found;
};

static void add(struct sync_messages *m, uint32_t from, uint32_t to, int64_t sent, int64_t received,
	enum sync_kind kind)
{
	struct mer_err err;
	struct sync_link *l = sync_messages_link(m, from, to);
	assert_non_null(l);
	assert_int_equal(sync_link_put(l, sent, received, kind, &err), 0);
}

static int make(void **state)
{
	static struct saved x;
	struct mer_err err;
	x = (struct saved){ 0 };
	snprintf(x.path, sizeof(x.path), "/tmp/test_messages.XXXXXX");
	int fd = mkstemp(x.path);
	assert_true(fd >= 0 && close(fd) == 0);
	assert_int_equal(sync_messages_init(&x.m, N_HOSTS, &err), 0);
	mer_arena_init(&x.arena);
	mer_diags_init(&x.found, &x.arena);
	mer_diag_add(&x.found,
		&(struct mer_diag){ .severity = MER_WARNING,
			.code = "sync-one-way",
			.host = "a",
			.stream = -1,
			.packet = 7,
			.offset_bits = -1,
			.count = 3 },
		"only %s", "sent");
	/* More than a part of columns; received before it was sent, too. */
	for (int64_t i = 0; i < STORE_PACK_MAX + 10; i++)
		add(&x.m, 0, 2, 1000 * i, 1000 * i + 50 - i % 100, SYNC_TCP);
	add(&x.m, 2, 0, INT64_MIN, INT64_MAX, SYNC_UDP);
	add(&x.m, 2, 0, 5, 6, SYNC_TCP);
	assert_non_null(sync_messages_link(&x.m, 1, 0));
	assert_int_equal(sync_messages_finish(&x.m, &err), 0);
	x.m.links[0].n_duplicates = 4;
	x.m.links[0].n_reordered = 2;
	x.m.links[1].n_unmatched = 9;
	x.m.hosts[1] = (struct sync_host_counts){ .n_sent = 1, .n_entries = 2 };
	*state = &x;
	return 0;
}

static int clear(void **state)
{
	struct saved *x = *state;
	sync_messages_free(&x->m);
	mer_diags_fini(&x->found);
	mer_arena_fini(&x->arena);
	return unlink(x->path);
}

static void save(const struct saved *x)
{
	struct store_writer w;
	struct mer_err err;
	assert_int_equal(store_writer_begin(&w, x->path, key, &err), 0);
	assert_int_equal(store_put_messages(&w, &x->m, &x->found, &err), 0);
	assert_int_equal(store_writer_end(&w, true, &err), 0);
}

/* Into m and found, to be freed in any case. */
static int load(const struct saved *x, uint32_t n_hosts, struct sync_messages *m,
	struct mer_diags *found, struct mer_arena *arena)
{
	struct store_file f;
	struct mer_err err;
	*m = (struct sync_messages){ 0 };
	mer_diags_init(found, arena);
	assert_int_equal(store_file_open(&f, x->path, key, &err), 0);
	assert_int_equal(sync_messages_init(m, n_hosts, &err), 0);
	int rc = store_get_messages(&f, m, found, &err);
	store_file_close(&f);
	return rc;
}

static void as_they_were(void **state)
{
	struct saved *x = *state;
	struct sync_messages m;
	struct mer_diags found;
	save(x);
	assert_int_equal(load(x, N_HOSTS, &m, &found, &x->arena), 0);
	assert_int_equal(m.n_links, x->m.n_links);
	for (size_t i = 0; i < m.n_links; i++) {
		const struct sync_link *a = &x->m.links[i], *b = &m.links[i];
		assert_true(a->from == b->from && a->to == b->to && a->n == b->n);
		assert_true(a->n_duplicates == b->n_duplicates && a->n_unmatched == b->n_unmatched);
		assert_int_equal(a->n_reordered, b->n_reordered);
		assert_int_equal(a->kinds == NULL, b->kinds == NULL);
		if (a->n)
			assert_memory_equal(a->messages, b->messages, a->n * sizeof(*a->messages));
		if (a->kinds)
			assert_memory_equal(a->kinds, b->kinds, a->n);
	}
	assert_memory_equal(m.hosts, x->m.hosts, N_HOSTS * sizeof(*m.hosts));
	assert_int_equal(found.n, 1);
	assert_string_equal(found.rows[0].code, "sync-one-way");
	assert_string_equal(found.rows[0].message, "only sent");
	assert_true(found.rows[0].count == 3 && found.rows[0].packet == 7);
	sync_messages_free(&m);
	mer_diags_fini(&found);
}

static void of_other_hosts(void **state)
{
	struct saved *x = *state;
	struct sync_messages m;
	struct mer_diags found;
	save(x);
	assert_int_equal(load(x, N_HOSTS - 1, &m, &found, &x->arena), MER_ERR_INPUT);
	sync_messages_free(&m);
	mer_diags_fini(&found);
}

static bool is_there(struct saved *x)
{
	struct sync_messages m;
	struct mer_diags found;
	save(x);
	int rc = load(x, N_HOSTS, &m, &found, &x->arena);
	sync_messages_free(&m);
	mer_diags_fini(&found);
	return rc == 0;
}

/* Of messages with the same times, streams say which is first. */
static void in_another_order(void **state)
{
	struct saved *x = *state;
	add(&x->m, 2, 0, 5, 6, SYNC_TCP);
	assert_true(is_there(x));
	add(&x->m, 2, 0, 5, 6, SYNC_UDP);
	assert_false(is_there(x));
}

static void with_more_found(void **state)
{
	struct saved *x = *state;
	x->found.n_dropped = 1;
	assert_false(is_there(x));
}

static void damaged(void **state)
{
	struct saved *x = *state;
	x->m.links[2].kinds[0] = SYNC_N_KINDS;
	assert_false(is_there(x));
	x->m.links[2].kinds[0] = SYNC_UDP;
	assert_true(is_there(x));
	x->m.links[1].to = N_HOSTS;
	assert_false(is_there(x));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make, clear)

int main(void)
{
	const struct CMUnitTest tests[] = { TEST(as_they_were), TEST(of_other_hosts),
		TEST(in_another_order), TEST(with_more_found), TEST(damaged) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
