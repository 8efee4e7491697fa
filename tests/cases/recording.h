/* Recording: real traces, synchronized and read into a world of tasks.
 *
 * A test that needs one which is absent is skipped. Failures are the test's. */
#ifndef TESTS_RECORDING_H
#define TESTS_RECORDING_H

#include "path/path.h"
#include "kernel/world.h"
#include "sync/auto.h"
#include "sync/result.h"

struct recording {
	char name[100];
	struct mer_experiment *e;
	struct sync_messages messages;
	struct sync_result *result; /* NULL: one host */
	struct kernel_world *w;
};

/* Where "lab/NAME" or "public/NAME" is (given.h); skips the test when it is absent. */
void recording_path(char *path, size_t size, const char *name);
/* name: such as "lab/threadirqs". */
void recording_open(struct recording *r, const char *name);
/* These directories, which exist. */
void recording_open_paths(
	struct recording *r, const char *const *paths, size_t n, unsigned n_threads);
/* A copy of a whole one (cut.h), on the clocks of that one. */
void recording_open_cut(struct recording *r, const struct recording *whole, const char *dir);
void recording_close(struct recording *r);

uint32_t recording_host(const struct recording *r, const char *name);
/* The first task with this tid, or (tid -1) this name; from: number to begin with. */
uint32_t recording_task(const struct recording *r, uint32_t host, int32_t tid, const char *comm);
/* The path, checked (path_check.h); path_fini by the caller. */
void recording_find_path(const struct recording *r, uint32_t host, uint32_t task, int64_t begin,
	int64_t end, struct path *path);
/* Time on the common clock when a host's CLOCK_MONOTONIC, which the programs of the lab log, was
 * ns. */
int64_t recording_time(const struct recording *r, uint32_t host, int64_t monotonic);

#endif
