#include "base/ahead.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct mer_ahead {
	pthread_t thread;
	pthread_mutex_t lock; /* guards all states and the list */
	pthread_cond_t begun, done;
	struct mer_ahead_job *first, *last; /* those that wait */
	bool stop;
};

static struct mer_ahead_job *take_first(struct mer_ahead *a)
{
	struct mer_ahead_job *job = a->first;
	a->first = job->next;
	if (!a->first)
		a->last = NULL;
	return job;
}

static void *work(void *arg)
{
	struct mer_ahead *a = arg;
	pthread_mutex_lock(&a->lock);
	while (!a->stop) {
		if (!a->first) {
			pthread_cond_wait(&a->begun, &a->lock);
			continue;
		}
		struct mer_ahead_job *job = take_first(a);
		job->state = MER_AHEAD_RUNNING;
		pthread_mutex_unlock(&a->lock);
		int rc = job->fn(job->ctx, &job->err);
		pthread_mutex_lock(&a->lock);
		job->rc = rc;
		job->state = MER_AHEAD_DONE;
		pthread_cond_broadcast(&a->done);
	}
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

struct mer_ahead *mer_ahead_start(void)
{
	struct mer_ahead *a = calloc(1, sizeof(*a));
	if (!a)
		return NULL;
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->begun, NULL);
	pthread_cond_init(&a->done, NULL);
	if (pthread_create(&a->thread, NULL, work, a) == 0)
		return a;
	pthread_cond_destroy(&a->begun);
	pthread_cond_destroy(&a->done);
	pthread_mutex_destroy(&a->lock);
	free(a);
	return NULL;
}

void mer_ahead_stop(struct mer_ahead *a)
{
	if (!a)
		return;
	pthread_mutex_lock(&a->lock);
	a->stop = true;
	pthread_cond_signal(&a->begun);
	pthread_mutex_unlock(&a->lock);
	pthread_join(a->thread, NULL);
	pthread_cond_destroy(&a->begun);
	pthread_cond_destroy(&a->done);
	pthread_mutex_destroy(&a->lock);
	free(a);
}

void mer_ahead_begin(struct mer_ahead *a, struct mer_ahead_job *job)
{
	if (!a)
		return;
	pthread_mutex_lock(&a->lock);
	job->state = MER_AHEAD_WAITING;
	job->next = NULL;
	if (a->last)
		a->last->next = job;
	else
		a->first = job;
	a->last = job;
	pthread_cond_signal(&a->begun);
	pthread_mutex_unlock(&a->lock);
}

/* Takes the job out of the list of waiting jobs. */
static void take_out(struct mer_ahead *a, struct mer_ahead_job *job)
{
	struct mer_ahead_job *before = NULL, *j = a->first;
	for (; j != job; j = j->next)
		before = j;
	if (before)
		before->next = job->next;
	else
		a->first = job->next;
	if (a->last == job)
		a->last = before;
}

int mer_ahead_wait(struct mer_ahead *a, struct mer_ahead_job *job, struct mer_err *err)
{
	bool done = false;
	if (a) {
		pthread_mutex_lock(&a->lock);
		if (job->state == MER_AHEAD_WAITING)
			take_out(a, job);
		while (job->state == MER_AHEAD_RUNNING)
			pthread_cond_wait(&a->done, &a->lock);
		done = job->state == MER_AHEAD_DONE;
		job->state = MER_AHEAD_IDLE;
		pthread_mutex_unlock(&a->lock);
	}
	if (!done)
		return job->fn(job->ctx, err);
	if (job->rc && err)
		*err = job->err;
	return job->rc;
}
