/*
 * pipeline: processes in a row, connected by pipes. Each takes an item, computes, and hands it on;
 * one of them is slower than the others, so those behind it wait, and those before it when the
 * pipe is full. Items keep their order: each stage handles 0, 1, 2, ...
 */
#include "work.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { STAGES, ITEMS, HOG, SLOW, FACTOR };

static const struct work_setting settings[] = {
	{ .name = "stages", .unit = "N", .value = 4, .least = 2, .most = 32, .help = "processes" },
	{ .name = "items",
		.unit = "N",
		.value = 50,
		.least = 1,
		.most = 1000000,
		.help = "that pass through" },
	{ .name = "hog",
		.unit = "US",
		.value = 500,
		.least = 0,
		.most = 10000000,
		.help = "CPU time for an item in each stage" },
	{ .name = "slow",
		.unit = "STAGE",
		.value = 2,
		.least = 0,
		.most = 31,
		.help = "which stage is slower (from 0)" },
	{ .name = "factor",
		.unit = "N",
		.value = 4,
		.least = 1,
		.most = 1000,
		.help = "how many times slower" },
	{ 0 },
};

/* An item is large, so that a pipe of one page holds few of them. */
struct item {
	int64_t id;
	pid_t from;
	char padding[1012];
};

static int stage(struct work *work, int number, int in, int out)
{
	struct worker worker;
	char name[24];
	struct item item = { .id = -1 };
	int64_t ns = work_number(work, HOG) * 1000;
	if (number == work_number(work, SLOW))
		ns *= work_number(work, FACTOR);
	snprintf(name, sizeof name, "stage-%d", number);
	worker_start(&worker, work, name);
	for (int64_t id = 0; id < work_number(work, ITEMS) && !work_stopped(); id++) {
		if (in >= 0) {
			struct step step = worker_wait(&worker, "take", "item", id);
			if (!work_read(in, &item, sizeof item))
				break;
			step.by = item.from;
			worker_done(&worker, &step);
			if (item.id != id)
				work_fail("item %lld overtook", (long long)item.id);
		}
		struct step step = worker_begin(&worker, "hog", id);
		work_hog(work, ns);
		worker_done(&worker, &step);
		if (out >= 0) {
			item.id = id;
			item.from = worker.tid;
			step = worker_wait(&worker, "put", "room", id);
			if (!work_write(out, &item, sizeof item))
				break;
			worker_done(&worker, &step);
		}
	}
	worker_end(&worker);
	return 0;
}

static int run(struct work *work)
{
	struct worker worker;
	int stages = (int)work_number(work, STAGES), in = -1;
	pid_t children[32];
	worker_start(&worker, work, "pipeline");
	work_calibrate(&worker, 3, 20);
	for (int i = 0; i < stages; i++) {
		int pipes[2] = { -1, -1 };
		if (i + 1 < stages && pipe(pipes) != 0)
			work_fail("cannot make a pipe: %s", strerror(errno));
		if (pipes[1] >= 0)
			fcntl(pipes[1], F_SETPIPE_SZ, 4096);
		children[i] = work_fork();
		if (children[i] == 0) {
			if (pipes[0] >= 0)
				close(pipes[0]);
			_exit(stage(work, i, in, pipes[1]));
		}
		if (in >= 0)
			close(in);
		if (pipes[1] >= 0)
			close(pipes[1]);
		in = pipes[0];
	}
	struct step step = worker_wait(&worker, "wait-stages", "children", -1);
	bool good = true;
	for (int i = 0; i < stages; i++)
		good &= work_reap(children[i]);
	step.by = children[stages - 1];
	worker_done(&worker, &step);
	worker_end(&worker);
	return good ? 0 : 1;
}

const struct work_mode mode_pipeline = { .name = "pipeline",
	.help = "processes connected by pipes, one slower than the others",
	.settings = settings,
	.run = run };
