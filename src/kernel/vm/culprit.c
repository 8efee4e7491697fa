#include "kernel/vm/culprit.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/lower_bound.h"

static const struct kernel_absence *of(const struct kernel_theft *x)
{
	return &x->g->absences[x->absence];
}

/* Numbers of texts are those of one guest. */
static int compare_texts(const struct kernel_theft *a, uint32_t a_text,
	const struct kernel_theft *b, uint32_t b_text)
{
	if (a->g == b->g)
		return (a_text > b_text) - (a_text < b_text);
	return strcmp(kernel_guest_text(a->g, a_text), kernel_guest_text(b->g, b_text));
}

static int compare_threads(const struct kernel_theft *a, const struct kernel_theft *b)
{
	const struct kernel_absence *p = of(a), *q = of(b);
	int by_host = compare_texts(a, p->host, b, q->host);
	return by_host ? by_host : (p->by_tid > q->by_tid) - (p->by_tid < q->by_tid);
}

/* What ran in the thread: nothing that is known of ones that are no vCPUs. */
static int compare_tasks(const struct kernel_theft *a, const struct kernel_theft *b)
{
	const struct kernel_absence *p = of(a), *q = of(b);
	int by_guest = compare_texts(a, p->guest, b, q->guest);
	return by_guest ? by_guest : (p->guest_tid > q->guest_tid) - (p->guest_tid < q->guest_tid);
}

static int compare(const void *a, const void *b)
{
	const struct kernel_theft *p = a, *q = b;
	int order = compare_threads(p, q);
	if (order == 0)
		order = compare_tasks(p, q);
	if (order == 0 && p->ns != q->ns)
		order = p->ns > q->ns ? -1 : 1;
	return order ? order
		     : strcmp(kernel_absence_words(p->g, p->absence),
			       kernel_absence_words(q->g, q->absence));
}

static int compare_absences(const void *a, const void *b)
{
	const struct kernel_theft *p = a, *q = b;
	if (p->g != q->g)
		return p->g < q->g ? -1 : 1;
	return (p->absence > q->absence) - (p->absence < q->absence);
}

/* A theft has many pieces and few culprits. */
static void join_same(struct kernel_thefts *t)
{
	uint32_t n = 0;
	qsort(t->list, t->n, sizeof(*t->list), compare_absences);
	for (uint32_t i = 0; i < t->n; i++)
		if (n && compare_absences(&t->list[n - 1], &t->list[i]) == 0)
			t->list[n - 1].ns += t->list[i].ns;
		else
			t->list[n++] = t->list[i];
	t->n = n;
}

bool kernel_thefts_add(
	struct kernel_thefts *t, const struct kernel_guest *g, uint32_t absence, int64_t ns)
{
	const struct kernel_theft x = { g, absence, ns, 0 };
	if (t->n && compare_absences(&t->list[t->n - 1], &x) == 0) {
		t->list[t->n - 1].ns += ns;
		return true;
	}
	bool is_full = t->n == t->cap;
	if (t->n && is_full)
		join_same(t);
	/* Half of it free: they are not joined for each one. */
	if (is_full && t->n >= t->cap / 2 &&
		!mer_grow32(&t->list, t->cap, &t->cap, sizeof(*t->list)))
		return false;
	t->list[t->n++] = x;
	return true;
}

void kernel_thefts_fini(struct kernel_thefts *t)
{
	free(t->list);
	*t = (struct kernel_thefts){ 0 };
}

/* Of n pieces of one thread, which had `all`. */
static struct kernel_theft name_of(const struct kernel_theft *list, uint32_t n, int64_t all)
{
	const struct kernel_theft *longest = list;
	for (uint32_t i = 0, end; i < n; i = end) {
		int64_t ns = 0;
		for (end = i; end < n && compare_tasks(&list[i], &list[end]) == 0; end++)
			ns += list[end].ns;
		if (ns > all / 2) /* its first piece is the longest */
			return (struct kernel_theft){ list[i].g, list[i].absence, all, ns };
		if (list[i].ns > longest->ns)
			longest = &list[i];
	}
	uint32_t thread = of(longest)->thread;
	return (struct kernel_theft){ longest->g, thread == KERNEL_NONE ? longest->absence : thread,
		all, 0 };
}

uint32_t kernel_absence_thread(const struct kernel_theft *x)
{
	uint32_t thread = of(x)->thread;
	return thread == KERNEL_NONE ? x->absence : thread;
}

const char *kernel_theft_task(const struct kernel_theft *x)
{
	const struct kernel_absence *a = of(x);
	return a->guest && a->guest_tid > 0 && x->task_ns ? kernel_guest_text(x->g, a->task) : NULL;
}

struct kernel_theft kernel_culprit(struct kernel_thefts *t)
{
	struct kernel_theft most = { .absence = KERNEL_NONE };
	uint32_t first = 0, n = 0;
	if (t->n)
		join_same(t);
	if (t->n)
		qsort(t->list, t->n, sizeof(*t->list), compare);
	for (uint32_t i = 0, end; i < t->n; i = end) {
		int64_t ns = 0;
		for (end = i; end < t->n && compare_threads(&t->list[i], &t->list[end]) == 0; end++)
			ns += t->list[end].ns;
		if (ns <= most.ns)
			continue;
		most.ns = ns;
		first = i;
		n = end - i;
	}
	return n ? name_of(&t->list[first], n, most.ns) : most;
}

uint32_t kernel_culprit_of(const struct kernel_guest *g, uint16_t cpu, int64_t begin, int64_t end)
{
	struct kernel_thefts t = { 0 };
	bool ok = true;
	MER_LOWER_BOUND(after, 0, g->n_aways, at,
		g->aways[at].cpu < cpu || (g->aways[at].cpu == cpu && g->aways[at].time <= begin));
	for (size_t i = after ? after - 1 : 0; i < g->n_aways && ok; i++) {
		const struct kernel_edge *e = &g->aways[i];
		if (e->cpu < cpu)
			continue;
		if (e->cpu > cpu || e->time >= end)
			break;
		bool is_last = i + 1 == g->n_aways || g->aways[i + 1].cpu != cpu;
		int64_t from = e->time > begin ? e->time : begin;
		int64_t until = is_last || g->aways[i + 1].time > end ? end : g->aways[i + 1].time;
		if (until > from && e->absence != KERNEL_NONE &&
			kernel_absence_cause(g, e->absence) == KERNEL_STOLEN)
			ok = kernel_thefts_add(&t, g, e->absence, until - from);
	}
	uint32_t absence = ok ? kernel_culprit(&t).absence : KERNEL_NONE;
	kernel_thefts_fini(&t);
	return absence;
}
