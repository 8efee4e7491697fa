/* Accounting by averages, for comparison with reports that were made so. The CPU usage of a task is
 * known by part of the recording only; a wait is charged all of each part in which it was, except
 * the last. */
#include <stdlib.h>

#include "base/grow.h"
#include "base/lower_bound.h"
#include "path/account.h"

enum { DEEPEST = 50 };

struct task_use { /* of a task: ns on a CPU in each part */
	int64_t *ns;
};

struct averages {
	const struct blocked *b;
	struct account *a;
	int64_t begin, end; /* of the recording */
	uint32_t n_bins;
	struct mer_map known; /* host, task -> number in usages, plus 1 */
	struct task_use *usages;
	uint32_t n, cap;
	struct mer_err *err;
};

struct caller { /* the waiting task, and the task that it waits for */
	const struct caller *up;
	uint32_t node, host, task;
	unsigned depth;
};

static double width(const struct averages *k)
{
	return (double)(k->end - k->begin) / k->n_bins;
}

static uint32_t bin_of(const struct averages *k, int64_t time)
{
	if (time <= k->begin)
		return 0;
	double at = (double)(time - k->begin) / width(k);
	return at >= k->n_bins ? k->n_bins - 1 : (uint32_t)at;
}

static int64_t bin_begin(const struct averages *k, uint32_t bin)
{
	return bin >= k->n_bins ? k->end : k->begin + (int64_t)(width(k) * bin);
}

static void add_interval(const struct averages *k, int64_t *ns, int64_t begin, int64_t end)
{
	for (uint32_t i = bin_of(k, begin), last = bin_of(k, end); i <= last; i++) {
		int64_t from = bin_begin(k, i), to = bin_begin(k, i + 1);
		from = from > begin ? from : begin;
		to = to < end ? to : end;
		ns[i] += to > from ? to - from : 0;
	}
}

/* NULL: no memory. */
static const int64_t *cpu_usage_of(struct averages *k, uint32_t host, uint32_t task)
{
	const struct kernel_host *h = &k->b->world->hosts[host];
	uint32_t *v = mer_map_put(&k->known, (uint64_t)host << 32 | task);
	if (!v)
		return NULL;
	if (*v)
		return k->usages[*v - 1].ns;
	if (!mer_grow32(&k->usages, k->n, &k->cap, sizeof(*k->usages)))
		return NULL;
	int64_t *ns = calloc(k->n_bins, sizeof(*ns));
	if (!ns)
		return NULL;
	k->usages[k->n++].ns = ns;
	*v = k->n;
	int64_t end = kernel_task_end(h, task);
	for (uint32_t i = h->tasks[task].last; i != KERNEL_NONE; i = kernel_span(h, i)->before) {
		const struct kernel_span *s = kernel_span(h, i);
		if (kernel_is_on_cpu(s->state) && !kernel_is_away(s) && s->begin < end)
			add_interval(k, ns, s->begin, end);
		end = s->begin;
	}
	return ns;
}

static int charge(struct averages *k, const struct caller *c, int64_t begin, int64_t end)
{
	const int64_t *ns = cpu_usage_of(k, c->host, c->task);
	if (!ns)
		return mer_fail_nomem(k->err);
	for (uint32_t i = bin_of(k, begin), last = bin_of(k, end); i < last; i++)
		k->a->nodes[c->node].self_ns += ns[i];
	return 0;
}

static bool is_among(const struct caller *c, uint32_t host, uint32_t task)
{
	for (; c; c = c->up)
		if (c->host == host && c->task == task)
			return true;
	return false;
}

/* The waits of a task that begin in [begin, end). */
static int add_waits(struct averages *k, const struct caller *c, int64_t begin, int64_t end)
{
	const struct blocked_host *h = &k->b->hosts[c->host];
	MER_LOWER_BOUND(
		first, h->first[c->task], h->first[c->task + 1], at, h->waits[at].begin < begin);
	size_t behind = h->first[c->task + 1];
	for (size_t i = first; i < behind && h->waits[i].begin < end; i++) {
		const struct blocked_wait *w = &h->waits[i];
		int64_t until = w->end < end ? w->end : end;
		if (w->is_for_work || w->is_input || w->by_task == KERNEL_NONE ||
			c->depth == DEEPEST || is_among(c, w->by_host, w->by_task))
			continue;
		struct caller by = { c, account_child(k->a, c->node, w->by_host, w->by_task),
			w->by_host, w->by_task, c->depth + 1 };
		if (by.node == KERNEL_NONE)
			return mer_fail_nomem(k->err);
		k->a->nodes[by.node].n_served++;
		int rc = charge(k, &by, w->begin, until);
		if (!rc)
			rc = add_waits(k, &by, w->begin, until);
		if (rc)
			return rc;
	}
	return 0;
}

static void find_recording(struct averages *k)
{
	const struct kernel_world *w = k->b->world;
	k->begin = INT64_MAX;
	k->end = INT64_MIN;
	for (uint32_t i = 0; i < w->n_hosts; i++) {
		if (!w->hosts[i].n_spans)
			continue;
		k->begin = w->hosts[i].begin < k->begin ? w->hosts[i].begin : k->begin;
		k->end = w->hosts[i].end > k->end ? w->hosts[i].end : k->end;
	}
	if (k->end <= k->begin)
		k->end = k->begin + 1;
}

int account_find_averaged(const struct blocked *b, uint32_t host, uint32_t task, int64_t begin,
	int64_t end, uint32_t n_bins, struct account *a, struct mer_err *err)
{
	const struct kernel_task *t = &b->world->hosts[host].tasks[task];
	struct averages k = { .b = b, .a = a, .n_bins = n_bins ? n_bins : 1, .err = err };
	*a = (struct account){ .b = b, .host = host, .task = task };
	int64_t alive = t->died < t->end ? t->died : t->end;
	a->begin = begin > t->begin ? begin : t->begin;
	a->end = end < alive ? end : alive;
	find_recording(&k);
	struct caller root = { NULL, account_child(a, KERNEL_NONE, host, task), host, task, 0 };
	int rc = root.node == KERNEL_NONE ? mer_fail_nomem(err) : 0;
	if (!rc)
		rc = charge(&k, &root, a->begin, a->end);
	if (!rc)
		rc = add_waits(&k, &root, a->begin, a->end);
	for (uint32_t i = 0; i < k.n; i++)
		free(k.usages[i].ns);
	free(k.usages);
	mer_map_fini(&k.known);
	return rc ? rc : account_finish(a, err);
}
