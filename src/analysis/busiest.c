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
