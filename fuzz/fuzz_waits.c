/* Fuzzer of kept waits whose checksums are right (store/kept_waits.h). Whatever the bytes are: they
 * are refused, or all that waits refer to is there, and they lie by task, then time.
 *
 * Input: how many waits end in the chunk, and how many guests it has, a byte each; then its
 * bytes. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/kept_waits.h"
#include "store/types.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TASKS = 40, CALLS = 20, NAMES = 30 };

/* As it is in kept_waits.c. */
struct chunk {
	struct store_block block;
	int64_t until;
	uint32_t n_own, n_guests;
};

static const struct store_key key = { { 1, 2 } };
static char path[] = "/tmp/fuzz_waits.XXXXXX";

static void need(bool ok)
{
	if (!ok)
		abort();
}

static void write_file(const uint8_t *data, size_t size)
{
	struct store_writer w;
	struct mer_err err;
	uint8_t bytes[STORE_KEY_BYTES];
	struct chunk c = { .until = INT64_MAX, .n_own = data[0], .n_guests = data[1] };
	memcpy(bytes, key.hash, sizeof(bytes));
	need(store_writer_begin(&w, path, bytes, &err) == 0);
	store_put_block(&w, data + 2, size - 2, &c.block);
	store_put_section(&w, STORE_WAIT_CHUNKS, 0, 0, &c, 1, sizeof(c));
	need(store_writer_end(&w, true, &err) == 0);
}

static void check_wait(const struct blocked *b, const struct blocked_wait *w)
{
	need(w->task < TASKS && (w->call == KERNEL_NONE || w->call < CALLS) &&
		(w->by_host == KERNEL_NONE || w->by_host == 0) &&
		(w->by_task == KERNEL_NONE || (w->by_host == 0 && w->by_task < TASKS)) &&
		(w->asker == KERNEL_NONE || w->asker < TASKS) && w->kind < BLOCKED_N_KINDS &&
		w->cause < KERNEL_N_CAUSES && w->whole >= BLOCKED_FIRST_KEPT);
	uint32_t disk = blocked_disk(b, 0, w);
	need(disk == KERNEL_NONE || disk < NAMES);
	need(blocked_started_of(b, 0, w) <= BLOCKED_CHILD);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct kernel_task tasks[TASKS];
	struct kernel_host h = {
		.tasks = tasks, .n_tasks = TASKS, .n_calls = CALLS, .names = { .n = NAMES }
	};
	const struct kernel_world world = { .hosts = &h, .n_hosts = 1 };
	struct blocked b;
	struct mer_err err;
	if (path[sizeof(path) - 2] == 'X') {
		int fd = mkstemp(path);
		need(fd >= 0);
		close(fd);
	}
	if (size < 2 || size > 1 << 16)
		return 0;
	write_file(data, size);
	struct store_kept_waits *k = store_kept_waits_open(path, &key);
	need(k != NULL);
	int rc = store_kept_waits_get(k, &world, INT64_MIN, INT64_MAX, &b, &err);
	need(rc == 0 || rc == MER_ERR_INPUT);
	for (uint32_t t = 0; rc == 0 && t < TASKS; t++)
		for (size_t i = b.hosts[0].first[t]; i < b.hosts[0].first[t + 1]; i++) {
			need(i < b.hosts[0].n && b.hosts[0].waits[i].task == t);
			check_wait(&b, &b.hosts[0].waits[i]);
		}
	blocked_fini(&b);
	store_kept_waits_close(k);
	return 0;
}
