/* Levels: what tasks hold, as a running sum of what they acquired and released since the
 * recording began. What they held at that time is not known, so a level is relative to its
 * minimum. This needs all facts, including those outside the analyzed time. It is the only sum
 * that depends on the order of facts, and only on that of one task's facts. */
#include <stdlib.h>

#include "analysis/fold/plan.h"

int fold_levels_add(struct fold_state *s, const struct kernel_host *h, const struct fold_input *in,
	const struct fold_selection *x, struct mer_err *err)
{
	const struct fold_plan *p = s->plan;
	struct fold_levels *l = &s->levels;
	for (uint32_t i = 0; i < x->n_chosen; i++) {
		const struct fact *f =
			(const void *)(x->facts + (size_t)x->chosen[i] * in->kind->size);
		int64_t change = fold_source_of(&p->level, h, f);
		uint32_t key = f->task + 1;
		int64_t bin = analysis_bin_of(&p->bins, f->begin);
		struct fold_level *of = mer_grow_at(&l->of, &l->cap, key, sizeof(*of));
		if (!of)
			return mer_fail_nomem(err);
		if (change == FACT_UNKNOWN)
			continue;
		of->now += change;
		of->lowest = of->now < of->lowest ? of->now : of->lowest;
		if (p->bins.n && f->begin < p->bins.begin)
			of->base += change;
		if (bin >= 0 && !analysis_series_add(&l->changes, key, (uint32_t)bin, change, 0))
			return mer_fail_nomem(err);
	}
	return 0;
}

void fold_levels_fini(struct fold_levels *l)
{
	free(l->of);
	analysis_series_fini(&l->changes);
}

/* ---- by row ---- */

bool fold_level_rows_make(
	struct fold_level_rows *r, struct fold_joined *j, struct fold_groups *groups, uint32_t host)
{
	const struct fold_plan *p = j->plan;
	struct fold_levels *l = &j->states[host]->levels;
	int64_t words[FOLD_MAX_KEYS + 2];
	uint32_t n_groups = groups->n;
	*r = (struct fold_level_rows){ .levels = l };
	if (p->level_column < 0)
		return true;
	analysis_series_sort(&l->changes);
	r->first = calloc((size_t)n_groups + 1, sizeof(*r->first));
	r->next = calloc(l->cap + 1, sizeof(*r->next));
	for (size_t i = l->cap; i-- > 0 && r->first && r->next;) {
		int64_t task = i ? (int64_t)i - 1 : FACT_UNKNOWN;
		if ((p->late && !fold_filter_task(p, j->run, host, task, 0)) ||
			!fold_joined_words_of_task(j, host, task, words))
			continue;
		uint32_t g = fold_group_of(groups, words);
		if (g == KERNEL_NONE)
			return false;
		if (g >= n_groups) /* no row */
			continue;
		r->next[i] = r->first[g];
		r->first[g] = (uint32_t)i + 1;
	}
	return r->first && r->next;
}

static int by_bin(const void *a, const void *b)
{
	const struct analysis_series_entry *p = a, *q = b;
	if (p->bin != q->bin)
		return p->bin < q->bin ? -1 : 1;
	return (p->key > q->key) - (p->key < q->key);
}

bool fold_level_rows_begin(struct fold_level_rows *r, uint32_t group)
{
	size_t n_tasks = 0;
	r->n = r->at = 0;
	r->level = 0;
	r->is_known = r->first && r->first[group];
	for (uint32_t i = r->is_known ? r->first[group] : 0; i; i = r->next[i - 1], n_tasks++) {
		const struct fold_level *l = &r->levels->of[i - 1];
		size_t n;
		const struct analysis_series_entry *e =
			analysis_series_of(&r->levels->changes, i - 1, &n);
		r->level += l->base - l->lowest;
		for (size_t k = 0; k < n; k++) {
			if (!mer_grow(&r->changes, r->n, &r->cap, sizeof(*r->changes)))
				return false;
			r->changes[r->n++] = e[k];
		}
	}
	if (n_tasks > 1 && r->n)
		qsort(r->changes, r->n, sizeof(*r->changes), by_bin);
	return true;
}

struct mer_cell fold_level_rows_at(struct fold_level_rows *r, uint32_t bin)
{
	for (; r->at < r->n && r->changes[r->at].bin <= bin; r->at++)
		r->level += r->changes[r->at].a;
	return r->is_known ? MER_INT(r->level) : MER_NONE;
}

void fold_level_rows_fini(struct fold_level_rows *r)
{
	free(r->first);
	free(r->next);
	free(r->changes);
}
