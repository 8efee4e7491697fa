#include "base/pipeline.h"

#include <pthread.h>
#include <stdlib.h>

/* State of the item in a slot. */
struct slot {
	bool done; /* worked on, not yet written */
	int rc;
	struct mer_err err;
};

/* lock guards all but the constants; it is not held while an item is read, worked on or written. */
struct run {
	const struct mer_pipeline *p;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct slot *slots;
	size_t n_slots;
	size_t n_read, n_written; /* items */
	bool reading, writing;	  /* a thread is doing this now */
	bool no_more;		  /* nothing is read any more */
	int rc;			  /* of the whole; not 0: nothing is written any more */
	struct mer_err err;
};

static bool ended(const struct run *r)
{
	return r->no_more && !r->reading && (r->rc || r->n_written == r->n_read);
}

static bool may_read(const struct run *r)
{
	return !r->no_more && !r->reading && r->n_read - r->n_written < r->n_slots;
}

static bool may_write(const struct run *r)
{
	return !r->rc && !r->writing && r->n_written < r->n_read &&
	       r->slots[r->n_written % r->n_slots].done;
}

/* Reads an item and works on it. Lock held on entry and return. */
static void read_one(struct run *r)
{
	const struct mer_pipeline *p = r->p;
	size_t slot = r->n_read % r->n_slots;
	struct slot *s = &r->slots[slot];
	*s = (struct slot){ 0 };
	r->reading = true;
	pthread_mutex_unlock(&r->lock);
	int rc = mer_cancelled(p->cancel) ? mer_fail(&s->err, MER_ERR_CANCELLED, "cancelled")
					  : p->read(p->ctx, slot, &s->err);
	pthread_mutex_lock(&r->lock);
	r->reading = false;
	if (rc)
		r->no_more = true;
	if (rc != MER_PIPELINE_END)
		r->n_read++; /* an error counts as an item, to be reported in order */
	pthread_cond_broadcast(&r->changed);
	if (rc == 0) {
		pthread_mutex_unlock(&r->lock);
		rc = p->work(p->ctx, slot, &s->err);
		pthread_mutex_lock(&r->lock);
	}
	if (rc != MER_PIPELINE_END) {
		s->rc = rc;
		s->done = true;
	}
}

/* Writes the next item in order. Lock held on entry and return. */
static void write_one(struct run *r)
{
	size_t slot = r->n_written % r->n_slots;
	struct slot *s = &r->slots[slot];
	int rc = s->rc;
	if (rc == 0) {
		r->writing = true;
		pthread_mutex_unlock(&r->lock);
		rc = r->p->write(r->p->ctx, slot, &s->err);
		pthread_mutex_lock(&r->lock);
		r->writing = false;
	}
	if (rc) {
		r->rc = rc;
		r->err = s->err;
		r->no_more = true;
	}
	r->n_written++;
	pthread_cond_broadcast(&r->changed);
}

static void *work(void *arg)
{
	struct run *r = arg;
	pthread_mutex_lock(&r->lock);
	while (!ended(r)) {
		if (may_write(r))
			write_one(r);
		else if (may_read(r))
			read_one(r);
		else
			pthread_cond_wait(&r->changed, &r->lock);
	}
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

int mer_pipeline_run(const struct mer_pipeline *p, struct mer_err *err)
{
	unsigned n_threads = p->n_threads > MER_POOL_THREADS ? MER_POOL_THREADS : p->n_threads;
	struct run r = { .p = p, .n_slots = p->n_slots ? p->n_slots : 1 };
	r.slots = calloc(r.n_slots, sizeof(*r.slots));
	pthread_t *threads = calloc(n_threads + 1u, sizeof(*threads));
	if (!r.slots || !threads) {
		free(r.slots);
		free(threads);
		return mer_fail_nomem(err);
	}
	pthread_mutex_init(&r.lock, NULL);
	pthread_cond_init(&r.changed, NULL);
	/* A thread that cannot be made is one helper less, not a failure. */
	unsigned n_started = 0;
	while (n_started + 1 < n_threads &&
		pthread_create(&threads[n_started], NULL, work, &r) == 0)
		n_started++;
	work(&r);
	for (unsigned i = 0; i < n_started; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	free(r.slots);
	pthread_cond_destroy(&r.changed);
	pthread_mutex_destroy(&r.lock);
	if (r.rc == 0 || r.rc == MER_PIPELINE_END)
		return 0;
	if (err)
		*err = r.err;
	return r.rc;
}
