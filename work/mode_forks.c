/*
 * forks: a tree of processes. Each makes its children and waits for all; those without children
 * compute. A tree of depth d with n children each has 1 + n + n^2 + ... + n^d processes.
 */
#include "work.h"

#include <unistd.h>

enum { DEPTH, CHILDREN, HOG };
enum { MOST_PROCESSES = 5000 };

static const struct work_setting settings[] = {
	{ .name = "depth",
		.unit = "N",
		.value = 2,
		.least = 0,
		.most = 12,
		.help = "generations below the first process" },
	{ .name = "children",
		.unit = "N",
		.value = 3,
		.least = 1,
		.most = 16,
		.help = "of each process" },
	{ .name = "hog",
		.unit = "MS",
		.value = 5,
		.least = 0,
		.most = 60000,
		.help = "CPU time of each leaf" },
	{ 0 },
};

static void process(struct work *work, struct worker *worker, int64_t depth)
{
	pid_t children[16];
	if (depth == 0) {
		struct step step = worker_begin(worker, "hog", -1);
		work_hog(work, work_number(work, HOG) * 1000000);
		worker_done(worker, &step);
		return;
	}
	for (int i = 0; i < work_number(work, CHILDREN); i++) {
		struct step step = worker_begin(worker, "fork", i);
		children[i] = work_fork();
		if (children[i] == 0) {
			struct worker own;
			char name[16];
			snprintf(name, sizeof name, "fork-%d",
				(int)(work_number(work, DEPTH) - depth + 1));
			worker_start(&own, work, name);
			process(work, &own, depth - 1);
			worker_end(&own);
			_exit(0);
		}
		step.by = children[i];
		worker_done(worker, &step);
	}
	for (int i = 0; i < work_number(work, CHILDREN); i++) {
		struct step step = worker_wait(worker, "wait-child", "child", i);
		if (!work_reap(children[i]))
			work_fail("a child failed");
		step.by = children[i];
		worker_done(worker, &step);
	}
}

static int run(struct work *work)
{
	struct worker worker;
	int64_t processes = 1, generation = 1;
	for (int64_t i = 0; i < work_number(work, DEPTH); i++) {
		generation *= work_number(work, CHILDREN);
		processes += generation;
		if (processes > MOST_PROCESSES)
			work_fail("this tree has more than %d processes: choose a smaller --depth",
				MOST_PROCESSES);
	}
	worker_start(&worker, work, "fork-0");
	work_calibrate(&worker, 3, 20);
	worker_fact(&worker, "processes", processes);
	process(work, &worker, work_number(work, DEPTH));
	worker_end(&worker);
	return 0;
}

const struct work_mode mode_forks = { .name = "forks",
	.help = "a tree of processes that wait for their children",
	.settings = settings,
	.run = run };
