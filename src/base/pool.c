#include "base/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>

/* One call's state. lock guards all but the constants; the items are large, so a lock per item
 * costs nothing that could be measured. */
struct job {
	pthread_mutex_t lock;
	pthread_cond_t changed; /* an item was produced or consumed, or the end has come */
	size_t n, n_slots;
	mer_pool_fn *fn;	   /* either fn, */
	mer_pool_produce *produce; /* or these two */
	mer_pool_consume *consume;
	void *ctx;
	struct mer_cancel *cancel;
	size_t next;	 /* the next item to hand out */
	size_t consumed; /* items 0..consumed-1 are consumed */
	uint8_t *ready;	 /* per slot: produced and not yet consumed */
	bool stop;	 /* hand out no more */
	bool cancelled;
	int rc; /* of item failed_at, the smallest that failed */
	size_t failed_at;
	struct mer_err err;
};

struct worker {
	struct job *job;
	unsigned id;
	pthread_t thread;
};

unsigned mer_pool_processors(void)
{
	cpu_set_t set;
	if (sched_getaffinity(0, sizeof(set), &set) != 0)
		return 1;
	unsigned n = (unsigned)CPU_COUNT(&set);
	return n > MER_POOL_THREADS ? MER_POOL_THREADS : n;
}

static bool may_hand_out(const struct job *job)
{
	if (job->stop || job->next >= job->n)
		return false;
	return !job->consume || job->next - job->consumed < job->n_slots;
}

static void fail_at(struct job *job, size_t i, int rc, const struct mer_err *err)
{
	if (i < job->n && (!job->rc || i < job->failed_at)) {
		job->rc = rc;
		job->failed_at = i;
		job->err = *err;
	}
	/* Items below i are all handed out already and will be finished: the smallest failing item
	 * is found whatever the order in which they end. */
	job->stop = true;
}

/* Takes the next item and does it. The lock is held on entry and on return, not while working. */
static void do_one(struct job *job, unsigned worker)
{
	struct mer_err err = { 0 };
	if (mer_cancelled(job->cancel)) {
		job->cancelled = job->stop = true;
		pthread_cond_broadcast(&job->changed);
		return;
	}
	size_t i = job->next++;
	size_t slot = job->consume ? i % job->n_slots : 0;
	pthread_mutex_unlock(&job->lock);
	int rc = job->consume ? job->produce(job->ctx, i, slot, worker, &err)
			      : job->fn(job->ctx, i, worker, &err);
	pthread_mutex_lock(&job->lock);
	if (rc < 0)
		fail_at(job, i, rc, &err);
	else if (job->consume)
		job->ready[slot] = 1;
	pthread_cond_broadcast(&job->changed);
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct job *job = w->job;
	pthread_mutex_lock(&job->lock);
	while (!job->stop && job->next < job->n) {
		if (may_hand_out(job))
			do_one(job, w->id);
		else
			pthread_cond_wait(&job->changed, &job->lock);
	}
	pthread_mutex_unlock(&job->lock);
	return NULL;
}

/* Consumes what is ready, in order, and helps producing while nothing is. Lock held. */
static void consume_all(struct job *job)
{
	while (job->consumed < job->n) {
		size_t i = job->consumed, slot = i % job->n_slots;
		if (job->rc && i >= job->failed_at)
			break;
		if (job->ready[slot]) {
			struct mer_err err = { 0 };
			int rc = 0;
			if (mer_cancelled(job->cancel)) {
				job->cancelled = job->stop = true;
				break;
			}
			pthread_mutex_unlock(&job->lock);
			rc = job->consume(job->ctx, i, slot, &err);
			pthread_mutex_lock(&job->lock);
			if (rc < 0)
				fail_at(job, i, rc, &err);
			if (rc == MER_POOL_STOP) {
				/* Items after this one do not count any more, nor do their
				 * errors. */
				job->stop = true;
				job->n = i + 1;
				if (job->rc && job->failed_at > i)
					job->rc = 0;
			}
			if (rc)
				break;
			job->ready[slot] = 0;
			job->consumed++;
			pthread_cond_broadcast(&job->changed);
		} else if (may_hand_out(job)) {
			do_one(job, 0);
		} else if (i >= job->next) {
			break; /* stopped before this item was handed out */
		} else {
			pthread_cond_wait(&job->changed, &job->lock);
		}
	}
	pthread_cond_broadcast(&job->changed);
}

static int run(struct job *job, unsigned n_threads, struct mer_err *err)
{
	struct worker *workers = NULL;
	unsigned n_started = 0;

	if (n_threads > MER_POOL_THREADS)
		n_threads = MER_POOL_THREADS;
	if (n_threads > job->n)
		n_threads = (unsigned)job->n;
	if (n_threads > 1)
		workers = calloc(n_threads, sizeof(*workers));
	pthread_mutex_init(&job->lock, NULL);
	pthread_cond_init(&job->changed, NULL);
	/* A thread that cannot be made is one helper less, not a failure. */
	for (unsigned i = 1; workers && i < n_threads; i++) {
		struct worker *w = &workers[n_started];
		w->job = job;
		w->id = i;
		if (pthread_create(&w->thread, NULL, work, w) != 0)
			break;
		n_started++;
	}

	pthread_mutex_lock(&job->lock);
	if (job->consume) {
		consume_all(job);
	} else {
		while (may_hand_out(job))
			do_one(job, 0);
	}
	job->stop = true;
	pthread_cond_broadcast(&job->changed);
	pthread_mutex_unlock(&job->lock);
	for (unsigned i = 0; i < n_started; i++)
		pthread_join(workers[i].thread, NULL);
	free(workers);
	pthread_cond_destroy(&job->changed);
	pthread_mutex_destroy(&job->lock);

	if (job->rc) {
		if (err)
			*err = job->err;
		return job->rc;
	}
	if (job->cancelled)
		return mer_fail(err, MER_ERR_CANCELLED, "cancelled");
	return 0;
}

int mer_pool_run(unsigned n_threads, size_t n, mer_pool_fn *fn, void *ctx,
	struct mer_cancel *cancel, struct mer_err *err)
{
	struct job job = { .n = n, .fn = fn, .ctx = ctx, .cancel = cancel };
	return run(&job, n_threads, err);
}

int mer_pool_ordered(unsigned n_threads, size_t n, size_t n_slots, mer_pool_produce *produce,
	mer_pool_consume *consume, void *ctx, struct mer_cancel *cancel, struct mer_err *err)
{
	struct job job = { .n = n,
		.n_slots = n_slots ? n_slots : 1,
		.produce = produce,
		.consume = consume,
		.ctx = ctx,
		.cancel = cancel };
	job.ready = calloc(job.n_slots, 1);
	if (!job.ready)
		return mer_fail_nomem(err);
	int rc = run(&job, n_threads, err);
	free(job.ready);
	return rc;
}
