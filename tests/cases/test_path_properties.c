/* What holds for the path of every task of every recording: see path_check.h. And a path over a
 * part of a task's life is the path of all of it, cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "path_check.h"
#include "recording.h"

enum { MAX_TASKS = 400 }; /* of a recording; those that did most, as many from each host */

static uint32_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 33);
}

static void check_parts(const struct recording *r, const struct path *whole, uint64_t *random)
{
	int64_t length = whole->end - whole->begin;
	for (int i = 0; i < 3 && length > 1; i++) {
		double a = next_random(random) / (double)(1u << 31),
		       b = next_random(random) / (double)(1u << 31);
		int64_t begin = whole->begin + (int64_t)((double)length * (a < b ? a : b)),
			end = whole->begin + (int64_t)((double)length * (a < b ? b : a));
		struct path part;
		recording_find_path(r, whole->host, whole->task, begin, end, &part);
		assert_int_equal(part.begin, begin);
		assert_int_equal(part.end, end);
		path_check_cut(whole, &part);
		path_fini(&part);
	}
}

static void check_recording(void **state)
{
	struct recording r;
	uint64_t random = 1;
	size_t n_paths = 0, n_segments = 0;
	recording_open(&r, *state);
	world_check(r.w);
	for (uint32_t h = 0; h < r.w->n_hosts; h++) {
		const struct kernel_host *host = &r.w->hosts[h];
		uint32_t step = host->n_tasks * r.w->n_hosts / MAX_TASKS + 1;
		for (uint32_t t = 0; t < host->n_tasks; t += step) {
			struct path whole;
			recording_find_path(&r, h, t, INT64_MIN, INT64_MAX, &whole);
			check_parts(&r, &whole, &random);
			n_paths++;
			n_segments += whole.n_segments;
			path_fini(&whole);
		}
	}
	print_message("%s: %zu paths, %zu segments\n", r.name, n_paths, n_segments);
	recording_close(&r);
}

int main(void)
{
	static const char *const names[] = {
		"lab/clihog-srvhog-1vm",
		"lab/clihog-srvhog-2vm",
		"lab/cluster-10",
		"lab/cold-disk",
		"lab/cpu-mem-io",
		"lab/h2-mux",
		"lab/ipc-zoo",
		"lab/kvm-nested",
		"lab/login-tree",
		"lab/long-ntp",
		"lab/lost-events",
		"lab/mpi-3vm",
		"lab/netns-containers",
		"lab/reader-zoo/channels",
		"lab/reader-zoo/chunks",
		"lab/reader-zoo/empty",
		"lab/reader-zoo/filtered",
		"lab/reader-zoo/restart",
		"lab/reader-zoo/rotated-files",
		"lab/reader-zoo/snapshot",
		"lab/reader-zoo",
		"lab/shop-a",
		"lab/shop-node",
		"lab/threadirqs",
		"lab/web-load",
		"lab/web-lossy",
		"lab/wget-cold-hot",
		"lab/wget-cold-hot-nogro",
		"public/bug446190",
		"public/django-vote",
		"public/many-threads",
		"public/perf-taskset2",
		"public/synctraces",
	};
	enum { N = sizeof(names) / sizeof(names[0]) };
	struct CMUnitTest tests[N];
	for (size_t i = 0; i < N; i++)
		tests[i] = (struct CMUnitTest){ .name = names[i],
			.test_func = check_recording,
			.initial_state = (void *)(uintptr_t)names[i] };
	return cmocka_run_group_tests_name("paths of every recording", tests, NULL, NULL);
}
