/* What may be concluded without sched_waking: recordings of real machines are read twice, as they
 * are and with that event hidden, as if only sched_wakeup had been recorded. A sched_wakeup comes
 * on the woken task's CPU when the waker's CPU leaves the rest to it, by an interprocessor
 * interrupt: then whatever runs there has nothing to do with it. What ended a wait may be unknown
 * then, and hardly ever somebody else. */
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "recording.h"

/* ---- a recording without the event ---- */

/* Another name of the same length: nothing reads such events, and sizes stay as they are. */
static int hide(const char *path, const struct stat *st, int type, struct FTW *at)
{
	static const char name[] = "sched_waking";
	(void)st;
	if (type != FTW_F || strcmp(path + at->base, "metadata") != 0)
		return 0;
	FILE *f = fopen(path, "r+b");
	assert_non_null(f);
	assert_int_equal(fseek(f, 0, SEEK_END), 0);
	size_t n = (size_t)ftell(f);
	char *text = malloc(n + 1);
	assert_non_null(text);
	rewind(f);
	assert_int_equal(fread(text, 1, n, f), n);
	for (char *p = text; (p = memmem(p, (size_t)(text + n - p), name, sizeof(name) - 1));)
		memcpy(p, "other_waking", sizeof(name) - 1);
	rewind(f);
	assert_int_equal(fwrite(text, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
	free(text);
	return 0;
}

static void copy_without(char *dir, size_t size, const char *name)
{
	char from[500], command[2000];
	recording_path(from, sizeof(from), name);
	snprintf(dir, size, "%s/wakings.XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	assert_non_null(mkdtemp(dir));
	snprintf(command, sizeof(command), "cp -rL '%s/.' '%s' && chmod -R u+w '%s'", from, dir,
		dir);
	assert_int_equal(system(command), 0);
	assert_int_equal(nftw(dir, hide, 16, FTW_PHYS), 0);
}

static int drop(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(path);
}

/* ---- comparing ---- */

struct tally {
	size_t n, unknown, wrong, missing;
};

static bool is_wait(const struct kernel_span *s)
{
	return s->state == KERNEL_BLOCKED || s->state == KERNEL_STOPPED;
}

static int64_t waker_of(const struct kernel_host *h, const struct kernel_span *s)
{
	return s->by == KERNEL_NONE ? -1 : h->tasks[kernel_span(h, s->by)->task].tid;
}

/* The wait of this task that begins at this time, from a span of it on; KERNEL_NONE: there is
 * none. */
static uint32_t find_wait(const struct kernel_host *h, uint32_t from, int64_t begin)
{
	while (from != KERNEL_NONE && kernel_span(h, from)->begin > begin)
		from = kernel_span(h, from)->before;
	while (from != KERNEL_NONE && kernel_span(h, from)->begin == begin &&
		!is_wait(kernel_span(h, from)))
		from = kernel_span(h, from)->before;
	return from != KERNEL_NONE && kernel_span(h, from)->begin == begin ? from : KERNEL_NONE;
}

static void compare_task(const struct kernel_host *whole, uint32_t task,
	const struct kernel_host *hidden, uint32_t same, struct tally *t)
{
	uint32_t last = whole->tasks[task].last, at = hidden->tasks[same].last;
	for (uint32_t i = last; i != KERNEL_NONE; i = kernel_span(whole, i)->before) {
		const struct kernel_span *s = kernel_span(whole, i), *o;
		if (!is_wait(s) || i == last || s->cause == KERNEL_NO_CAUSE)
			continue;
		uint32_t found = find_wait(hidden, at, s->begin);
		t->n++;
		if (found == KERNEL_NONE) {
			t->missing++;
			continue;
		}
		at = found;
		o = kernel_span(hidden, at);
		if (o->cause == s->cause && waker_of(whole, s) == waker_of(hidden, o))
			continue;
		bool unknown = o->by == KERNEL_NONE &&
			       (o->cause == KERNEL_NO_CAUSE || o->cause == KERNEL_IPI);
		t->unknown += unknown;
		t->wrong += !unknown;
	}
}

/* The task of that number, of several the same one. */
static uint32_t find_same(
	const struct kernel_host *whole, uint32_t task, const struct kernel_host *hidden)
{
	uint32_t nth = 0;
	for (uint32_t i = 0; i < task; i++)
		nth += whole->tasks[i].tid == whole->tasks[task].tid;
	for (uint32_t i = 0; i < hidden->n_tasks; i++)
		if (hidden->tasks[i].tid == whole->tasks[task].tid && nth-- == 0)
			return i;
	return KERNEL_NONE;
}

static struct tally compare(const char *name)
{
	char dir[500];
	struct recording whole, hidden;
	struct tally t = { 0 };
	recording_open(&whole, name);
	copy_without(dir, sizeof(dir), name);
	recording_open_cut(&hidden, &whole, dir);
	for (uint32_t i = 0; i < whole.w->n_hosts; i++) {
		const struct kernel_host *h = &whole.w->hosts[i], *o = &hidden.w->hosts[i];
		for (uint32_t task = 0; task < h->n_tasks; task++) {
			uint32_t same = find_same(h, task, o);
			if (same != KERNEL_NONE)
				compare_task(h, task, o, same, &t);
		}
	}
	recording_close(&whole);
	recording_close(&hidden);
	assert_int_equal(nftw(dir, drop, 16, FTW_DEPTH | FTW_PHYS), 0);
	printf("%s: %zu waits, of %zu the cause is unknown, of %zu another one, %zu are missing\n",
		name, t.n, t.unknown, t.wrong, t.missing);
	return t;
}

/* Several CPUs: less than one in a hundred is wrong, and most is still known. */
static void several_cpus(void **state)
{
	struct tally t = compare(*state);
	assert_true(t.n > 500 && t.missing == 0);
	assert_true(100 * t.wrong < t.n);
	assert_true(t.unknown > 0 && 10 * t.unknown < 6 * t.n);
}

/* One CPU: nobody else can wake. */
static void one_cpu(void **state)
{
	struct tally t = compare(*state);
	assert_true(t.n > 400 && t.missing + t.wrong + t.unknown == 0);
}

int main(void)
{
#define OF(test_, name_) cmocka_unit_test_prestate(test_, (void *)(uintptr_t)name_)
	const struct CMUnitTest tests[] = {
		OF(several_cpus, "lab/web-load"),
		OF(several_cpus, "lab/cpu-mem-io"),
		OF(several_cpus, "lab/netns-containers"),
		OF(several_cpus, "lab/swap"),
		OF(several_cpus, "lab/mpi-3vm"),
		OF(several_cpus, "lab/shop-a"),
		OF(several_cpus, "lab/shop-node"),
		OF(several_cpus, "lab/h2-mux"),
		OF(several_cpus, "lab/mpi-shm-openmpi"),
		OF(one_cpu, "lab/ipc-zoo"),
		OF(one_cpu, "lab/login-tree"),
		OF(one_cpu, "lab/threadirqs"),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
