/*
 * bursts: threads compute for a while, all at once, and are idle for a while: a load of known CPU
 * time.
 */
#include "work.h"

enum { THREADS, COUNT, HOG, IDLE };

static const struct work_setting settings[] = {
	{ .name = "threads",
		.unit = "N",
		.value = 2,
		.least = 1,
		.most = 256,
		.help = "that compute at once" },
	{ .name = "count",
		.unit = "N",
		.value = 10,
		.least = 1,
		.most = 1000000,
		.help = "bursts" },
	{ .name = "hog",
		.unit = "MS",
		.value = 20,
		.least = 0,
		.most = 60000,
		.help = "CPU time of a thread in a burst" },
	{ .name = "idle",
		.unit = "MS",
		.value = 30,
		.least = 0,
		.most = 60000,
		.help = "from one burst to the next" },
	{ 0 },
};

struct thread {
	struct work *work;
	pthread_barrier_t *start;
	pthread_t thread;
	int number;
};

static void *burst(void *arg)
{
	struct thread *self = arg;
	struct work *work = self->work;
	struct worker worker;
	char name[16];
	snprintf(name, sizeof name, "burst-%d", self->number);
	worker_start(&worker, work, name);
	for (int64_t i = 0; i < work_number(work, COUNT); i++) {
		/* Whoever comes last lets all go on. */
		struct step step = worker_wait(&worker, "meet", "threads", i);
		pthread_barrier_wait(self->start);
		worker_done(&worker, &step);
		step = worker_begin(&worker, "hog", i);
		work_hog(work, work_number(work, HOG) * 1000000);
		worker_done(&worker, &step);
		step = worker_wait(&worker, "idle", "timer", i);
		work_sleep(work_number(work, IDLE) * 1000000);
		worker_done(&worker, &step);
	}
	worker_end(&worker);
	return NULL;
}

static int run(struct work *work)
{
	struct worker worker;
	struct thread threads[256];
	pthread_barrier_t start;
	int n = (int)work_number(work, THREADS);
	worker_start(&worker, work, "bursts");
	work_calibrate(&worker, 3, 20);
	pthread_barrier_init(&start, NULL, (unsigned)n);
	for (int i = 0; i < n; i++) {
		threads[i] = (struct thread){ .work = work, .start = &start, .number = i };
		if (pthread_create(&threads[i].thread, NULL, burst, &threads[i]) != 0)
			work_fail("cannot make a thread");
	}
	struct step step = worker_wait(&worker, "wait-threads", "threads", -1);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i].thread, NULL);
	worker_done(&worker, &step);
	pthread_barrier_destroy(&start);
	worker_end(&worker);
	return 0;
}

const struct work_mode mode_bursts = { .name = "bursts",
	.help = "threads compute all at once, then are idle",
	.settings = settings,
	.run = run };
