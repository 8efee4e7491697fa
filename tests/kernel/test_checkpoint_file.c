/* The file of checkpoints: who can use which, when there are states, how many are left where they
 * would be too large, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/str.h"
#include "kernel/checkpoint/keep.h"
#include "scenario.h"

static const struct kernel_checkpoint_key key = { { 5, 6 } };
static struct scenario scenario;
static struct mer_err err;
static char path[] = "/tmp/test_checkpoint.XXXXXX";
enum { N_EVENTS = 2000 };

/* Two CPUs, a switch each microsecond. */
static int open_all(void **state)
{
	struct mer_str text = { 0 };
	(void)state;
	mer_str_puts(&text, "host h\n");
	for (int i = 0; i < N_EVENTS; i++)
		mer_str_printf(&text, "%dus %d sched_switch prev_tid=%d prev_state=1 next_tid=%d\n",
			10 + i, i & 1, 1 + (i & 1), 1 + (i & 1));
	assert_false(text.failed);
	scenario_open(&scenario, text.data);
	mer_str_fini(&text);
	int fd = mkstemp(path);
	assert_true(fd >= 0 && close(fd) == 0);
	return 0;
}

static int close_all(void **state)
{
	(void)state;
	unlink(path);
	scenario_close(&scenario);
	return 0;
}

/* With at most so many bytes of states. */
static struct kernel_checkpoints *keep(uint32_t n_states, size_t max_bytes)
{
	struct kernel_keeper *keeper;
	struct kernel_world *w;
	assert_int_equal(kernel_keeper_new(scenario.e, n_states, &keeper, &err), 0);
	if (max_bytes)
		keeper->max_bytes = max_bytes;
	struct kernel_world_options o = { .n_threads = 1, .keeper = keeper };
	assert_int_equal(kernel_world_build(scenario.e, &scenario.messages, NULL, &o, &w, &err), 0);
	assert_true(kernel_keeper_save(keeper, w, &key, path));
	kernel_keeper_free(keeper);
	kernel_world_free(w);
	return kernel_checkpoints_open(path, &key, scenario.e);
}

/* ---- who can use which ---- */

static void kinds(void **state)
{
	(void)state;
	struct kernel_observer observers[1] = { { .wants = 0 } };
	struct kernel_world_options o = { 0 };
	assert_int_equal(kernel_checkpoint_kind(&o, false), KERNEL_KEPT_SPANS);
	assert_int_equal(kernel_checkpoint_kind(&o, true), KERNEL_KEPT_SPANS | KERNEL_KEPT_PACKETS);
	o.forget = true;
	assert_int_equal(kernel_checkpoint_kind(&o, false), 0);
	o.observers = observers;
	assert_int_equal(kernel_checkpoint_kind(&o, false), 0);
	observers[0].wants = KERNEL_WANT_RAISES | KERNEL_WANT_MEMORY;
	assert_int_equal(kernel_checkpoint_kind(&o, false), KERNEL_KEPT_RAISES);
	observers[0].wants = KERNEL_WANT_MERGES | KERNEL_WANT_SIGNALS;
	assert_int_equal(kernel_checkpoint_kind(&o, false), KERNEL_KEPT_MERGES);
	observers[0].wants = KERNEL_WANT_PACKETS;
	assert_int_equal(kernel_checkpoint_kind(&o, false), KERNEL_KEPT_DEVICES);
	for (uint32_t then = 0; then < KERNEL_N_KEPT; then++)
		for (uint32_t now = 0; now < KERNEL_N_KEPT; now++) {
			const uint32_t exactly = KERNEL_KEPT_MERGES | KERNEL_KEPT_DEVICES;
			bool has_all = (then & now) == now;
			assert_int_equal(kernel_checkpoint_serves(then, now),
				(then & exactly) == (now & exactly) && has_all);
		}
}

/* ---- when ---- */

/* About as many bytes between them, so here as much time; inside of the recording, and rising. */
static void times(void **state)
{
	(void)state;
	for (uint32_t n = 1; n <= 2 * KERNEL_CHECKPOINTS; n = 3 * n + 1) {
		struct kernel_keeper *k;
		const struct mer_experiment *e = scenario.e;
		uint32_t most = n < KERNEL_CHECKPOINTS ? n : KERNEL_CHECKPOINTS;
		assert_int_equal(kernel_keeper_new(scenario.e, n, &k, &err), 0);
		assert_in_range(k->n_states, (most + 3) / 4, most);
		for (uint32_t i = 0; i < k->n_states; i++) {
			assert_true(k->times[i] > e->begin && k->times[i] < e->end);
			assert_true(i == 0 || k->times[i] > k->times[i - 1]);
		}
		if (n <= 4) /* within the grain of what packets say */
			for (uint32_t i = 0; i < k->n_states; i++) {
				double part = (double)(k->times[i] - e->begin) /
					      (double)(e->end - e->begin);
				assert_true(part > (i + 1.0) / (n + 1) - 0.2 &&
					    part < (i + 1.0) / (n + 1) + 0.2);
			}
		assert_true(k->max_bytes == 2 << 20); /* of a small recording */
		kernel_keeper_free(k);
	}
}

static void the_state_before(void **state)
{
	(void)state;
	struct kernel_checkpoints *c = keep(4, 0);
	struct kernel_keeper *k;
	assert_non_null(c);
	assert_int_equal(kernel_checkpoints_kind(c), KERNEL_KEPT_SPANS | KERNEL_KEPT_PACKETS);
	assert_int_equal(kernel_keeper_new(scenario.e, 4, &k, &err), 0);
	assert_true(kernel_checkpoints_before(c, INT64_MIN) == KERNEL_NONE);
	for (uint32_t i = 0; i < k->n_states; i++) {
		assert_true(
			kernel_checkpoints_before(c, k->times[i] - 1) == (i ? i - 1 : KERNEL_NONE));
		assert_true(kernel_checkpoints_before(c, k->times[i]) == i);
	}
	assert_true(kernel_checkpoints_before(c, INT64_MAX) == k->n_states - 1);
	kernel_keeper_free(k);
	kernel_checkpoints_free(c);
}

/* Half of them, then half of these, the first one always. */
static void fewer_where_they_are_large(void **state)
{
	(void)state;
	uint32_t n[3];
	int64_t first[3];
	for (int i = 0; i < 3; i++) {
		/* A state of these two tasks has about a thousand bytes. */
		struct kernel_keeper *k;
		struct kernel_checkpoints *c = keep(16, i == 0 ? 1 << 20 : i == 1 ? 6000 : 1);
		assert_non_null(c);
		assert_int_equal(kernel_keeper_new(scenario.e, 16, &k, &err), 0);
		n[i] = kernel_checkpoints_before(c, INT64_MAX) + 1;
		first[i] = kernel_checkpoints_before(c, k->times[0]);
		assert_true(i != 0 || n[i] == k->n_states);
		kernel_keeper_free(k);
		kernel_checkpoints_free(c);
	}
	assert_true(n[0] == 16 && (n[1] == 2 || n[1] == 4 || n[1] == 8) && n[2] == 1);
	assert_true(first[0] == 0 && first[1] == 0 && first[2] == 0);
}

/* ---- what is refused ---- */

static uint8_t *bytes;
static size_t n_bytes;

static void read_all(void)
{
	struct mer_file f;
	assert_int_equal(mer_file_open(&f, path, &err), 0);
	n_bytes = f.size;
	bytes = malloc(n_bytes);
	assert_non_null(bytes);
	memcpy(bytes, f.data, n_bytes);
	mer_file_close(&f);
}

static bool opens(size_t n)
{
	const struct mer_bytes part = { bytes, n };
	assert_true(mer_file_replace(path, &part, 1));
	struct kernel_checkpoints *c = kernel_checkpoints_open(path, &key, scenario.e);
	kernel_checkpoints_free(c);
	return c != NULL;
}

static void set_hash(void)
{
	struct checkpoint_header h;
	memcpy(&h, bytes, sizeof(h));
	h.hash = mer_hash(bytes + sizeof(h), n_bytes - sizeof(h));
	memcpy(bytes, &h, sizeof(h));
}

static void what_is_refused(void **state)
{
	(void)state;
	struct kernel_checkpoints *c = keep(4, 0);
	struct checkpoint_header h, wrong;
	assert_non_null(c);
	kernel_checkpoints_free(c);
	read_all();
	memcpy(&h, bytes, sizeof(h));
	assert_true(opens(n_bytes));
	/* Each of its fields matters, but that it may be of another kind. */
	for (size_t i = 0; i < sizeof(h); i++) {
		bool is_kind = i >= offsetof(struct checkpoint_header, kind) &&
			       i < offsetof(struct checkpoint_header, key);
		bytes[i] ^= 0x40;
		assert_false(opens(n_bytes) && !(is_kind && i == 15));
		bytes[i] ^= 0x40;
	}
	for (uint32_t kind = 0; kind <= KERNEL_N_KEPT; kind++) {
		wrong = h;
		wrong.kind = kind;
		memcpy(bytes, &wrong, sizeof(h));
		assert_int_equal(opens(n_bytes), kind < KERNEL_N_KEPT);
	}
	memcpy(bytes, &h, sizeof(h));
	for (size_t n = 0; n < n_bytes; n += n < 80 ? 1 : 37)
		assert_false(opens(n));
	for (size_t i = sizeof(h); i < n_bytes; i += 11) {
		bytes[i] ^= 1;
		assert_false(opens(n_bytes));
		bytes[i] ^= 1;
	}
	/* A table that is not where the header says, although the hash is right. */
	static const int64_t moves[] = { -1, 1 };
	for (int i = 0; i < 2; i++) {
		wrong = h;
		wrong.toc = (uint64_t)((int64_t)h.toc + moves[i]);
		memcpy(bytes, &wrong, sizeof(h));
		set_hash();
		(void)opens(n_bytes);
		wrong = h;
		wrong.toc_bytes = h.toc_bytes - 1;
		memcpy(bytes, &wrong, sizeof(h));
		assert_false(opens(n_bytes));
		wrong = h;
		wrong.toc = n_bytes + 1;
		memcpy(bytes, &wrong, sizeof(h));
		assert_false(opens(n_bytes));
	}
	memcpy(bytes, &h, sizeof(h));
	assert_true(opens(n_bytes));
	free(bytes);
	const struct kernel_checkpoint_key other[] = { { { 5, 7 } }, { { 4, 6 } } };
	for (int i = 0; i < 2; i++)
		assert_null(kernel_checkpoints_open(path, &other[i], scenario.e));
	assert_null(kernel_checkpoints_open("/nonexistent/file", &key, scenario.e));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds),
		cmocka_unit_test(times),
		cmocka_unit_test(the_state_before),
		cmocka_unit_test(fewer_where_they_are_large),
		cmocka_unit_test(what_is_refused),
	};
	return cmocka_run_group_tests(tests, open_all, close_all);
}
