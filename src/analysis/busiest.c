#include "analysis/busiest.h"

#include <stdlib.h>
#include <string.h>

struct ranked {
	int64_t amount;
	uint32_t key;
};

static int compare(const void *a, const void *b)
{
	const struct ranked *p = a, *q = b;
	if (p->amount != q->amount)
		return p->amount > q->amount ? -1 : 1;
	return (p->key > q->key) - (p->key < q->key);
}

bool analysis_busiest_find(const struct analysis_run *run, const int64_t *amounts, size_t n_keys,
	struct analysis_busiest *b)
{
	struct ranked *all = calloc(n_keys + 1, sizeof(*all));
	*b = (struct analysis_busiest){ .keys = calloc(n_keys + 1, sizeof(*b->keys)) };
	if (!all || !b->keys) {
		free(all);
		analysis_busiest_fini(b);
		return false;
	}
	for (size_t i = 0; i < n_keys; i++)
		if (amounts[i])
			all[b->n++] = (struct ranked){ amounts[i], (uint32_t)i };
	qsort(all, b->n, sizeof(*all), compare);
	for (size_t i = 0; i < b->n; i++)
		b->keys[i] = all[i].key;
	free(all);
	bool is_chosen = run->options->wants_task != NULL;
	b->n_own = is_chosen || b->n < ANALYSIS_BUSIEST ? b->n : ANALYSIS_BUSIEST;
	return true;
}

void analysis_busiest_fini(struct analysis_busiest *b)
{
	free(b->keys);
	*b = (struct analysis_busiest){ 0 };
}

/* ---- tables over time ---- */

enum { NUMBERS = 2 * ANALYSIS_TASK_BINS_SERIES };

struct numbers {
	int64_t v[NUMBERS];
};

struct task_bins {
	struct analysis_run *run;
	struct mer_table *t;
	uint32_t host;
	const struct analysis_bins *bins;
	struct analysis_series *const *series;
	size_t n;
	struct numbers *sums; /* by bin */
};

static void add(struct task_bins *x, uint32_t key)
{
	for (size_t i = 0; i < x->n; i++) {
		size_t n;
		const struct analysis_series_entry *e = analysis_series_of(x->series[i], key, &n);
		for (; n > 0; n--, e++) {
			x->sums[e->bin].v[2 * i] += e->a;
			x->sums[e->bin].v[2 * i + 1] += e->b;
		}
	}
}

/* Rows of what was added since the last time. */
static void put(struct task_bins *x, uint32_t key, bool is_others)
{
	static const struct numbers none;
	struct mer_cell c[ANALYSIS_TASK_BINS_CELLS + NUMBERS];
	analysis_task_cells(
		x->run, x->host, is_others || key == 0 ? KERNEL_NONE : key - 1, INT64_MAX, c + 2);
	if (is_others)
		c[ANALYSIS_TASK_BINS_CELLS - 1] = mer_text("all others");
	for (uint32_t bin = 0; bin < x->bins->n; bin++) {
		struct numbers *s = &x->sums[bin];
		if (memcmp(s, &none, sizeof(none)) == 0)
			continue;
		c[0] = MER_INT(analysis_bin_edge(x->bins, bin));
		c[1] = MER_INT(analysis_bin_edge(x->bins, bin + 1));
		for (size_t i = 0; i < 2 * x->n; i++)
			c[ANALYSIS_TASK_BINS_CELLS + i] = MER_INT(s->v[i]);
		mer_table_add(x->t, c);
		*s = none;
	}
}

/* By key. NULL: no memory. */
static int64_t *find_amounts(const struct task_bins *x, size_t *n_keys)
{
	*n_keys = 0;
	for (size_t i = 0; i < x->n; i++) {
		const struct analysis_series *s = x->series[i];
		analysis_series_sort(x->series[i]);
		if (s->n && s->entries[s->n - 1].key >= *n_keys)
			*n_keys = (size_t)s->entries[s->n - 1].key + 1;
	}
	int64_t *amounts = calloc(*n_keys + 1, sizeof(*amounts));
	for (size_t i = 0; amounts && i < x->n; i++)
		for (size_t k = 0; k < x->series[i]->n; k++) {
			const struct analysis_series_entry *e = &x->series[i]->entries[k];
			amounts[e->key] += e->a + e->b;
		}
	return amounts;
}

int analysis_task_bins(struct analysis_run *run, struct mer_table *t, uint32_t host,
	const struct analysis_bins *bins, struct analysis_series *const *series, size_t n)
{
	struct task_bins x = { run, t, host, bins, series, n, NULL };
	struct analysis_busiest b = { 0 };
	size_t n_keys = 0;
	int64_t *amounts = find_amounts(&x, &n_keys);
	x.sums = calloc((size_t)bins->n + 1, sizeof(*x.sums));
	bool ok = amounts && x.sums && analysis_busiest_find(run, amounts, n_keys, &b);
	for (size_t i = 0; i < b.n && ok; i++) {
		add(&x, b.keys[i]);
		if (i < b.n_own)
			put(&x, b.keys[i], false);
	}
	if (ok && b.n > b.n_own)
		put(&x, 0, true);
	free(amounts);
	free(x.sums);
	analysis_busiest_fini(&b);
	return ok ? 0 : mer_fail_nomem(run->err);
}
