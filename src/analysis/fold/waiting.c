/* Waiting: facts whose tasks are not known to be selected yet, for all tables that use them.
 *
 * Sums for each task would take memory for many tasks that are not selected in the end. So facts
 * are stored first, and only those of selected tasks are added at the end. If there are too many
 * facts, they are added to sums kept apart by task, in task order, so that the sums in use stay
 * in the cache. */
#include <stdlib.h>
#include <string.h>

#include "analysis/fold/plan.h"

struct fold_waiting {
	const struct fact_kind *kind;
	struct fold_state **states;
	size_t n_states;
	char *facts;
	size_t n, cap, most;
	uint64_t n_before; /* facts that are no longer stored here */
};

/* Folds with a row for each fact keep rows apart by task anyway. Patterns that match no name are
 * only detected if all names are tried. */
bool fold_waits(const struct fold_plan *p)
{
	bool by_name = false;
	for (uint32_t i = 0; i < p->n_inputs; i++)
		by_name |= p->inputs[i].name.what;
	return p->late && !p->filter.n_bits && p->fold->shape != FOLD_ROWS && !by_name;
}

struct fold_waiting *fold_waiting_new(const struct fact_kind *kind, uint32_t n_hosts)
{
	enum { ALL = 64 << 20, LEAST = 1 << 20, MOST = 32 << 20 };
	struct fold_waiting *w = calloc(1, sizeof(*w));
	size_t bytes = ALL / ((size_t)n_hosts + 1);
	if (w) {
		w->kind = kind;
		w->most = (bytes < LEAST ? LEAST : bytes > MOST ? MOST : bytes) / kind->size;
	}
	return w;
}

bool fold_waiting_for(struct fold_waiting *w, struct fold_state *s)
{
	struct fold_state **more =
		realloc(w->states, (w->n_states + 1) * sizeof(struct fold_state *));
	if (more) {
		w->states = more;
		w->states[w->n_states++] = s;
	}
	return more != NULL;
}

void fold_waiting_free(struct fold_waiting *w)
{
	if (!w)
		return;
	free(w->states);
	free(w->facts);
	free(w);
}

static const struct fact *fact_at(const struct fold_waiting *w, size_t i)
{
	return (const void *)(w->facts + i * w->kind->size);
}

/* Adds facts by index, in batches. */
static int add_some(struct fold_waiting *w, const struct kernel_host *h, const uint32_t *list,
	size_t n, struct mer_err *err)
{
	size_t size = w->kind->size;
	char *facts = malloc(FOLD_PIECES * size);
	uint64_t seqs[FOLD_PIECES];
	int rc = facts ? 0 : mer_fail_nomem(err);
	for (size_t done = 0; done < n && rc == 0;) {
		size_t some = n - done < FOLD_PIECES ? n - done : FOLD_PIECES;
		for (size_t i = 0; i < some; i++) {
			memcpy(facts + i * size, fact_at(w, list[done + i]), size);
			seqs[i] = w->n_before + list[done + i];
		}
		for (size_t i = 0; i < w->n_states && rc == 0; i++)
			rc = fold_add_numbered(w->states[i], h, w->kind, facts, some, seqs, err);
		done += some;
	}
	free(facts);
	return rc;
}

/* Indexes sorted by task, facts of a task in order. NULL: no memory. */
static uint32_t *sort_by_task(const struct fold_waiting *w, uint32_t n_tasks)
{
	uint32_t *first = calloc((size_t)n_tasks + 2, sizeof(*first));
	uint32_t *list = malloc((w->n + 1) * sizeof(*list));
	for (int placing = 0; placing < 2 && first && list; placing++) {
		for (uint32_t i = 0; i < w->n; i++) {
			uint32_t task = fact_at(w, i)->task;
			uint32_t at = task < n_tasks ? task + 1 : 0;
			if (placing)
				list[first[at]++] = i;
			else if (at < n_tasks)
				first[at + 1]++;
		}
		for (uint32_t t = 0; t < n_tasks && !placing; t++)
			first[t + 1] += first[t];
	}
	if (!first) {
		free(list);
		return NULL;
	}
	free(first);
	return list;
}

static int make_room(struct fold_waiting *w, const struct kernel_host *h, struct mer_err *err)
{
	uint32_t *list = sort_by_task(w, h->n_tasks);
	int rc = list ? add_some(w, h, list, w->n, err) : mer_fail_nomem(err);
	free(list);
	w->n_before += w->n;
	w->n = 0;
	return rc;
}

int fold_waiting_take(struct fold_waiting *w, const struct kernel_host *h, const void *facts,
	size_t n, struct mer_err *err)
{
	const char *from = facts;
	size_t size = w->kind->size;
	for (size_t i = 0; i < w->n_states; i++)
		w->states[i]->n_seen += n;
	while (n) {
		size_t some = n < w->most - w->n ? n : w->most - w->n;
		if (!mer_grow(&w->facts, w->n + some - 1, &w->cap, size))
			return mer_fail_nomem(err);
		memcpy(w->facts + w->n * size, from, some * size);
		w->n += some;
		from += some * size;
		n -= some;
		int rc = w->n == w->most ? make_room(w, h, err) : 0;
		if (rc)
			return rc;
	}
	return 0;
}

static bool wants(
	const struct fold_waiting *w, const struct analysis_run *run, uint32_t host, uint32_t task)
{
	int64_t number = task == KERNEL_NONE ? FACT_UNKNOWN : task;
	bool any = false;
	for (size_t i = 0; i < w->n_states && !any; i++)
		any = fold_filter_task(w->states[i]->plan, run, host, number, 0);
	return any;
}

int fold_waiting_end(
	struct fold_waiting *w, const struct analysis_run *run, uint32_t host, struct mer_err *err)
{
	const struct kernel_host *h = &run->world->hosts[host];
	uint8_t *known = calloc((size_t)h->n_tasks + 1, sizeof(*known)); /* 1: no, 2: yes */
	uint32_t *list = malloc((w->n + 1) * sizeof(*list));
	size_t n = 0;
	for (uint32_t i = 0; i < w->n && known && list; i++) {
		uint32_t task = fact_at(w, i)->task;
		uint8_t *of = &known[task < h->n_tasks ? task + 1 : 0];
		if (!*of)
			*of = wants(w, run, host, task) ? 2 : 1;
		list[n] = i;
		n += *of == 2;
	}
	int rc = known && list ? add_some(w, h, list, n, err) : mer_fail_nomem(err);
	free(known);
	free(list);
	w->n = 0;
	return rc;
}
