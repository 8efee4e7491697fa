/* Culprits of waits for a disk: the requests that it served before, and the tasks that made it
 * slow. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/lower_bound.h"
#include "base/sort.h"
#include "kernel/disk.h"
#include "requests/culprits_tell.h"

/* ---- what the disk served first ---- */

static int by_completion(const void *a, const void *b)
{
	const struct requests_done *p = a, *q = b;
	if (p->dev != q->dev)
		return p->dev < q->dev ? -1 : 1;
	if (p->complete != q->complete)
		return p->complete < q->complete ? -1 : 1;
	return (p->request > q->request) - (p->request < q->request);
}

static bool find_done(struct requests_culprits *x, uint32_t host)
{
	const struct kernel_host *h = &x->k->r->w->hosts[host];
	struct requests_culprits_host *i = &x->hosts[host];
	i->done = malloc(((size_t)h->n_requests + 1) * sizeof(*i->done));
	if (!i->done)
		return false;
	for (uint32_t q = 0; q < h->n_requests; q++) {
		const struct kernel_request *r = kernel_request_at(h, q);
		if (r->complete != INT64_MIN && !(r->flags & KERNEL_MERGED))
			i->done[i->n_done++] = (struct requests_done){ r->complete, r->dev, q };
	}
	if (i->n_done)
		qsort(i->done, i->n_done, sizeof(*i->done), by_completion);
	i->has_done = true;
	return true;
}

/* The task that wrote most bytes to files in the time before; KERNEL_NONE: no task did. */
static uint32_t who_wrote(const struct requests_telling *t, int64_t time)
{
	enum { MOST_WRITERS = 64 };
	static const int64_t kept_ns = 30000000000; /* in memory, as a rule */
	const struct requests_host *log = &t->x->k->r->log->hosts[t->p->host];
	struct {
		uint32_t task;
		uint64_t bytes;
	} sums[MOST_WRITERS];
	uint32_t n = 0, best = 0;
	uint64_t all = 0;
	MER_LOWER_BOUND(i, 0, log->n_dirt, m, log->dirt[m].since < time - kept_ns);
	for (; i < log->n_dirt && log->dirt[i].since < time; i++) {
		const struct requests_dirt *d = &log->dirt[i];
		uint32_t k = 0;
		while (k < n && sums[k].task != d->task)
			k++;
		if (k == MOST_WRITERS)
			return KERNEL_NONE;
		if (k == n) {
			sums[n].task = d->task;
			sums[n++].bytes = 0;
		}
		sums[k].bytes += d->bytes;
		all += d->bytes;
		best = sums[k].bytes > sums[best].bytes ? k : best;
	}
	return n && sums[best].bytes > all / 2 ? sums[best].task : KERNEL_NONE;
}

/* What a thread of the kernel wrote back to a disk was written to files by this one, if most of all
 * was; else KERNEL_NONE. */
static uint32_t writer_of(const struct requests_telling *t, const struct kernel_request *r)
{
	enum { SECOND_NS = 1000000000 };
	if (!(r->flags & KERNEL_WRITE) || r->task == KERNEL_NONE ||
		!t->h->tasks[r->task].is_kernel ||
		strncmp(kernel_comm(t->h, r->task), "kworker", 7) != 0)
		return KERNEL_NONE;
	int64_t second = kernel_request_begin(r) / SECOND_NS;
	uint32_t *at = mer_map_put(&t->x->hosts[t->p->host].writers, (uint64_t)second);
	if (at && !*at)
		*at = who_wrote(t, (second + 1) * SECOND_NS) + 1;
	return at ? *at - 1 : KERNEL_NONE;
}

/* Who the bytes of a request are of that has a task: who wrote them to files, or asked for it. */
static uint32_t asker_of(const struct requests_telling *t, const struct kernel_request *r)
{
	uint32_t writer = writer_of(t, r);
	return writer != KERNEL_NONE ? writer : r->task;
}

/* own: the request that is waited for, or one that its task made before; then it has the file. */
static struct requests_culprit disk_culprit(const struct requests_telling *t,
	const struct kernel_request *r, const struct kernel_span *wait, bool is_own)
{
	struct requests_culprit c = requests_culprit_by(t,
		is_own ? wait->task
		: r    ? r->task
		       : KERNEL_NONE,
		REQUESTS_DEED_DISK);
	const struct kernel_call *call =
		wait->call == KERNEL_NONE ? NULL : &t->h->calls[wait->call];
	c.call = requests_culprit_call(t->h, wait->call);
	if (r) {
		c.number = r->dev;
		c.bytes = r->bytes;
		c.is_write = r->flags & (KERNEL_WRITE | KERNEL_DISCARD | KERNEL_FLUSH);
		c.count = 1;
	}
	if (is_own) {
		c.deed = c.is_write ? REQUESTS_DEED_OWN_WRITE : REQUESTS_DEED_OWN_READ;
		c.object = call ? call->object : KERNEL_NONE;
		requests_culprit_set_request(t, &c, t->p->exchange + 1);
	} else if (c.task != KERNEL_NONE) {
		c.task = asker_of(t, r);
		c.is_later = c.task != r->task;
		requests_culprit_set_request(
			t, &c, requests_served_by(t->x->f, t->p->host, c.task, t->p->begin));
	}
	return c;
}

/* ---- The tasks that made the disk slow ---- */

/* Of two to the power of twice that many pages. */
static uint32_t size_class(uint32_t bytes)
{
	uint32_t c = 0;
	for (uint64_t pages = bytes / 4096; pages > 1; pages /= 4)
		c++;
	return c;
}

static bool is_write(const struct kernel_request *r)
{
	return r->flags & (KERNEL_WRITE | KERNEL_DISCARD | KERNEL_FLUSH);
}

/* A disk serves one after the other: how long it was busy with the one that is done[k]. */
static int64_t service_ns(
	const struct requests_telling *t, const struct requests_culprits_host *i, size_t k)
{
	const struct kernel_request *r = kernel_request_at(t->h, i->done[k].request);
	int64_t begin = r->issue != INT64_MIN ? r->issue : kernel_request_begin(r);
	if (k > 0 && i->done[k - 1].dev == r->dev)
		begin = requests_greatest(begin, i->done[k - 1].complete);
	return r->complete - begin;
}

/* What a request of that size takes the disk as a rule; -1: too few are known, or no memory. */
static int64_t usual_ns(const struct requests_telling *t, const struct kernel_request *q)
{
	enum { LEAST = 8 };
	struct requests_culprits_host *i = &t->x->hosts[t->p->host];
	uint32_t size = size_class(q->bytes);
	uint32_t *at = mer_map_put(
		&i->services, (uint64_t)q->dev << 16 | size << 1 | (uint64_t)is_write(q));
	if (!at || (!*at && !mer_grow(&i->service, i->n_services, &i->cap_services,
				    sizeof(*i->service))))
		return -1;
	if (*at)
		return i->service[*at - 1].usual_ns;
	MER_LOWER_BOUND(from, 0, i->n_done, m, i->done[m].dev < q->dev);
	MER_LOWER_BOUND(until, from, i->n_done, n, i->done[n].dev <= q->dev);
	int64_t *all = malloc((until - from + 1) * sizeof(*all));
	size_t n_all = 0;
	for (size_t k = from; all && k < until; k++) {
		const struct kernel_request *r = kernel_request_at(t->h, i->done[k].request);
		if (size_class(r->bytes) == size && is_write(r) == is_write(q))
			all[n_all++] = service_ns(t, i, k);
	}
	if (n_all)
		qsort(all, n_all, sizeof(*all), mer_compare_int64);
	i->service[i->n_services++] =
		(struct requests_disk_service){ n_all < LEAST ? -1 : all[n_all / 4] };
	*at = (uint32_t)i->n_services;
	free(all);
	return i->service[*at - 1].usual_ns;
}

/* Who moved most of all bytes to or from the disk in the second before its request was complete, if
 * that is another one: false: it is not. */
static bool find_slowing(const struct requests_telling *t, const struct kernel_request *q,
	const struct kernel_span *wait, struct requests_culprit *by)
{
	enum { MOST_TASKS = 32, MOST_REQUESTS = 65536, TIMES = 4 };
	static const int64_t second = 1000000000;
	const struct requests_culprits_host *i = &t->x->hosts[t->p->host];
	struct {
		uint32_t task, count;
		uint64_t bytes, written;
		const struct kernel_request *first;
	} sums[MOST_TASKS];
	uint64_t all = 0;
	uint32_t n = 0, best = 0;
	MER_LOWER_BOUND(k, 0, i->n_done, m,
		i->done[m].dev < q->dev ||
			(i->done[m].dev == q->dev && i->done[m].complete < q->complete - second));
	for (size_t end = k + MOST_REQUESTS; k < i->n_done && i->done[k].dev == q->dev && k < end;
		k++) {
		const struct kernel_request *r = kernel_request_at(t->h, i->done[k].request);
		uint32_t s = 0;
		if (r->complete > q->complete + second)
			break;
		if (kernel_request_begin(r) > q->complete)
			continue;
		all += r->bytes;
		if (r->task == KERNEL_NONE || r->task == q->task || r->task == t->p->task)
			continue;
		uint32_t task = asker_of(t, r);
		while (s < n && sums[s].task != task)
			s++;
		if (s == MOST_TASKS)
			return false;
		if (s == n) {
			memset(&sums[n++], 0, sizeof(*sums));
			sums[s].task = task;
			sums[s].first = r;
		}
		sums[s].bytes += r->bytes;
		sums[s].count++;
		sums[s].written += is_write(r) ? r->bytes : 0;
		best = sums[s].bytes > sums[best].bytes ? s : best;
	}
	if (n == 0 || sums[best].bytes <= all / 2 ||
		sums[best].bytes < TIMES * (uint64_t)q->bytes || sums[best].task == t->p->task)
		return false;
	*by = disk_culprit(t, sums[best].first, wait, false);
	by->bytes = sums[best].bytes;
	by->count = sums[best].count;
	by->is_write = sums[best].written > by->bytes / 2;
	by->is_slowing = true;
	return true;
}

/* Its own request took the disk the time from `at` on: much longer than others of its size if
 * somebody used the bandwidth up. */
static bool tell_own_request(const struct requests_telling *t, const struct kernel_request *q,
	const struct kernel_span *wait, int64_t at)
{
	int64_t usual = q ? usual_ns(t, q) : -1, end = t->p->end;
	int64_t more =
		q ? q->complete - requests_greatest(at, kernel_request_begin(q)) - 2 * usual : 0;
	struct requests_culprit by;
	if (usual >= 0 && more > (end - at) / 2 && find_slowing(t, q, wait, &by) &&
		!requests_culprit_tell(t, by, at, at + more))
		return false;
	return requests_culprit_tell(t, disk_culprit(t, q, wait, true), at, end);
}

/* Until its own request was complete, the disk completed others, one after the other: the time up
 * to each is that one's. own: the blocked span; wait: the one with the call. */
bool requests_culprits_tell_disk(
	const struct requests_telling *t, uint32_t own, const struct kernel_span *wait)
{
	struct requests_culprits_host *i = &t->x->hosts[t->p->host];
	uint32_t number = kernel_span(t->h, kernel_wait_end(t->h, own))->source;
	const struct kernel_request *q =
		number < t->h->n_requests ? kernel_request_at(t->h, number) : NULL;
	int64_t at = t->p->begin, end = t->p->end;
	if (!i->has_done && !find_done(t->x, t->p->host))
		return false;
	MER_LOWER_BOUND(k, 0, i->n_done, m,
		!q || i->done[m].dev < q->dev ||
			(i->done[m].dev == q->dev && i->done[m].complete <= at));
	for (; q && k < i->n_done && i->done[k].dev == q->dev && at < end; k++) {
		const struct kernel_request *r = kernel_request_at(t->h, i->done[k].request);
		if (r == q || r->complete >= q->complete)
			break;
		bool is_own =
			r->task != KERNEL_NONE && (r->task == q->task || r->task == t->p->task);
		int64_t since =
			requests_greatest(at, r->insert != INT64_MIN ? r->insert : r->issue);
		if (!requests_culprit_tell(t, disk_culprit(t, r, wait, is_own), since, r->complete))
			return false;
		at = requests_greatest(at, r->complete);
	}
	return tell_own_request(t, q, wait, at);
}
