/*
 * pool: a producer puts jobs into a queue, a pool of threads serves them. A job's time is its time
 * in the queue and its time of service; with more jobs than threads can serve the queue is most of
 * it.
 */
#include "work.h"

#include <stdlib.h>

enum { THREADS, JOBS, INTERVAL, HOG, ROOM };

static const struct work_setting settings[] = {
	{ .name = "threads",
		.unit = "N",
		.value = 2,
		.least = 1,
		.most = 256,
		.help = "that serve jobs" },
	{ .name = "jobs",
		.unit = "N",
		.value = 100,
		.least = 1,
		.most = 10000000,
		.help = "in total" },
	{ .name = "interval",
		.unit = "US",
		.value = 1000,
		.least = 0,
		.most = 60000000,
		.help = "from job to job" },
	{ .name = "hog",
		.unit = "US",
		.value = 3000,
		.least = 0,
		.most = 60000000,
		.help = "CPU time of a job" },
	{ .name = "room",
		.unit = "N",
		.value = 64,
		.least = 1,
		.most = 100000,
		.help = "jobs that the queue holds" },
	{ 0 },
};

struct job {
	int64_t id, queued_ns;
};

struct pool {
	struct work *work;
	pthread_mutex_t lock;
	pthread_cond_t job_there, room_there;
	struct job *jobs; /* a ring */
	int64_t first, count, room;
	bool closed;
	pid_t producer, last; /* who puts; who took the last job */
};

struct server {
	struct pool *pool;
	pthread_t thread;
	int number;
};

static void put(struct worker *worker, struct pool *pool, int64_t id)
{
	struct step step = worker_wait(worker, "put", "room", id);
	pthread_mutex_lock(&pool->lock);
	bool full = pool->count == pool->room;
	while (pool->count == pool->room)
		pthread_cond_wait(&pool->room_there, &pool->lock);
	step.by = full ? pool->last : 0;
	worker_done(worker, &step);
	pool->jobs[(pool->first + pool->count++) % pool->room] = (struct job){ id, work_now() };
	pthread_cond_signal(&pool->job_there);
	pthread_mutex_unlock(&pool->lock);
}

/* false: there will be none */
static bool take(struct worker *worker, struct pool *pool, struct job *job)
{
	struct step step = worker_wait(worker, "take", "job", -1);
	pthread_mutex_lock(&pool->lock);
	bool empty = pool->count == 0;
	while (pool->count == 0 && !pool->closed)
		pthread_cond_wait(&pool->job_there, &pool->lock);
	bool there = pool->count > 0;
	if (there) {
		*job = pool->jobs[pool->first];
		pool->first = (pool->first + 1) % pool->room;
		pool->count--;
		pool->last = worker->tid;
		pthread_cond_signal(&pool->room_there);
	}
	pthread_mutex_unlock(&pool->lock);
	if (there) {
		step.id = job->id;
		step.by = empty ? pool->producer : 0;
		worker_done(worker, &step);
		worker_passed(worker, "queued", "thread", job->id, job->queued_ns, 0);
	}
	return there;
}

static void *serve(void *arg)
{
	struct server *self = arg;
	struct pool *pool = self->pool;
	struct worker worker;
	struct job job;
	char name[16];
	snprintf(name, sizeof name, "pool-%d", self->number);
	worker_start(&worker, pool->work, name);
	while (take(&worker, pool, &job)) {
		struct step step = worker_begin(&worker, "serve", job.id);
		work_hog(pool->work, work_number(pool->work, HOG) * 1000);
		worker_done(&worker, &step);
	}
	worker_end(&worker);
	return NULL;
}

static int run(struct work *work)
{
	struct worker worker;
	struct server servers[256];
	int n = (int)work_number(work, THREADS);
	struct pool pool = { .work = work, .room = work_number(work, ROOM) };
	pool.jobs = calloc((size_t)pool.room, sizeof *pool.jobs);
	if (!pool.jobs)
		work_fail("out of memory");
	pthread_mutex_init(&pool.lock, NULL);
	pthread_cond_init(&pool.job_there, NULL);
	pthread_cond_init(&pool.room_there, NULL);
	worker_start(&worker, work, "producer");
	pool.producer = worker.tid;
	work_calibrate(&worker, 3, 20);
	for (int i = 0; i < n; i++) {
		servers[i] = (struct server){ .pool = &pool, .number = i };
		if (pthread_create(&servers[i].thread, NULL, serve, &servers[i]) != 0)
			work_fail("cannot make a thread");
	}
	for (int64_t id = 0; id < work_number(work, JOBS) && !work_stopped(); id++) {
		put(&worker, &pool, id);
		work_sleep(work_number(work, INTERVAL) * 1000);
	}
	pthread_mutex_lock(&pool.lock);
	pool.closed = true;
	pthread_cond_broadcast(&pool.job_there);
	pthread_mutex_unlock(&pool.lock);
	for (int i = 0; i < n; i++)
		pthread_join(servers[i].thread, NULL);
	worker_end(&worker);
	free(pool.jobs);
	return 0;
}

const struct work_mode mode_pool = { .name = "pool",
	.help = "jobs in a queue, and threads that serve them",
	.settings = settings,
	.run = run };
