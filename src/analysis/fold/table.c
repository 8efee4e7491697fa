/* Tables: of groups, and of histograms. */
#include <stdlib.h>
#include <string.h>

#include "analysis/fold/plan.h"
#include "base/grow.h"

void fold_key_cells(const struct fold_joined *j, uint32_t row, struct mer_cell *cells)
{
	const struct fold_plan *p = j->plan;
	size_t scope = (size_t)(j->keys - p->scopes);
	for (uint32_t c = 0; c < p->n_columns; c++) {
		int8_t k = p->key_of[scope][c];
		if (p->plan_of[c].what == FOLD_COLUMN_KEY)
			cells[c] = k < 0 ? MER_NONE
					 : fold_key_cell(j, &j->keys->keys[k], p->plan_of[c].part,
						   j->first[row]);
	}
}

/* Adds a row for each half power of two that is not empty. False: no memory. */
static bool add_bucket_rows(const struct fold_plan *p, struct mer_table *t, const int64_t *slots,
	struct mer_cell *cells)
{
	size_t n;
	struct fold_bucket *list = fold_histogram_list(slots[p->sums[p->histogram].at[11]], &n);
	for (size_t i = 0, k; list && i < n; i = k) {
		unsigned bucket = analysis_bucket(fold_bucket_begin(list[i].bucket));
		uint64_t count = 0;
		for (k = i; k < n && analysis_bucket(fold_bucket_begin(list[k].bucket)) == bucket;
			k++)
			count += list[k].n;
		for (uint32_t c = 0; c < p->n_columns; c++)
			switch (p->plan_of[c].what) {
			case FOLD_COLUMN_BUCKET_BEGIN:
				cells[c] = MER_INT(analysis_bucket_begin(bucket));
				break;
			case FOLD_COLUMN_BUCKET_END:
				cells[c] = MER_INT(analysis_bucket_begin(bucket + 1));
				break;
			case FOLD_COLUMN_BUCKET_COUNT: cells[c] = MER_INT(count); break;
			default: break;
			}
		mer_table_add(t, cells);
	}
	free(list);
	return list != NULL;
}

bool fold_ranks_add(struct fold_ranks *r, const struct fold_rank *ranks)
{
	if (!r->n_terms)
		return true;
	if (!mer_grow(&r->of, r->n_rows * r->n_terms + r->n_terms - 1, &r->cap, sizeof(*r->of)))
		return false;
	memcpy(&r->of[r->n_rows++ * r->n_terms], ranks, r->n_terms * sizeof(*ranks));
	return true;
}

int fold_row_add(const struct fold_context *x, struct mer_cell *cells, struct mer_table *t)
{
	const struct fold_plan *p = x->j->plan;
	int rc = fold_cells_fill(x, cells);
	if (rc == 0 && p->fold->shape != FOLD_BUCKETS)
		mer_table_add(t, cells);
	else if (rc == 0 && !add_bucket_rows(p, t, x->slots, cells))
		rc = mer_fail_nomem(x->j->run->err);
	return rc;
}

static int add_rows(const struct fold_joined *j, struct mer_table *t, const uint32_t *order,
	struct fold_ranks *ranks)
{
	struct mer_cell cells[FOLD_MAX_COLUMNS] = { 0 };
	uint32_t last = KERNEL_NONE - 1;
	int64_t range = 0, capacity = 0;
	int rc = 0;
	for (uint32_t i = 0; i < j->rows.n && rc == 0; i++) {
		uint32_t row = order[i];
		uint32_t host = j->keys->by_host ? j->parts[j->first[row]].host : KERNEL_NONE;
		size_t before = t->n_rows;
		if (host != last)
			fold_find_range(j->run, host, &range, &capacity);
		last = host;
		struct fold_context x = { .j = j,
			.row = row,
			.slots = fold_joined_slots(j, row),
			.range = range,
			.capacity = capacity,
			.asked = range,
			.columns = UINT64_MAX };
		fold_key_cells(j, row, cells);
		rc = fold_row_add(&x, cells, t);
		if (rc || !ranks || !ranks->n_terms)
			continue;
		struct fold_rank own[FOLD_MAX_TERMS];
		fold_ranks_of(j, &ranks->terms, row, own);
		for (; before < t->n_rows && rc == 0; before++)
			rc = fold_ranks_add(ranks, own) ? 0 : mer_fail_nomem(j->run->err);
	}
	return rc;
}

static int emit_groups(const struct fold_plan *p, struct analysis_run *run,
	struct fold_state *const *states, struct mer_table *t, struct fold_ranks *ranks)
{
	struct fold_joined j;
	int rc = fold_joined_make(p, &p->scopes[0], run, states, KERNEL_NONE, &j);
	uint32_t *order = rc ? NULL : fold_order(&j, p->fold->order);
	if (rc == 0)
		rc = order ? add_rows(&j, t, order, ranks) : mer_fail_nomem(run->err);
	free(order);
	fold_joined_fini(&j);
	return rc;
}

/* Adds groups for all CPUs of a host without facts. */
static bool add_cpus(
	const struct fold_plan *p, const struct analysis_run *run, struct fold_state *s)
{
	struct analysis_host a = { .run = (struct analysis_run *)run, .host = s->host };
	int64_t keys[FOLD_MAX_KEYS];
	bool ok = true;
	uint16_t cpu;
	for (uint32_t i = 0; i < p->n_tables; i++) {
		const struct fold_table *t = &p->tables[i];
		uint32_t key = FOLD_MAX_KEYS, group;
		for (uint32_t k = 0; k < t->n; k++) {
			keys[k] = k == t->bin ? 0 : FACT_UNKNOWN;
			key = strcmp(t->names[k], "cpu") == 0 ? k : key;
		}
		for (uint32_t at = 0; ok && key < t->n && analysis_next_cpu(&a, &at, &cpu);) {
			keys[key] = cpu;
			int64_t by_key[FOLD_MAX_KEYS][FOLD_PIECES];
			for (uint32_t k = 0; k < t->n; k++)
				by_key[k][0] = keys[k];
			ok = fold_groups_find(
				&s->groups[i], t, (const int64_t(*)[FOLD_PIECES])by_key, 1, &group);
		}
	}
	return ok;
}

static bool add_every_cpu(
	const struct fold_plan *p, const struct analysis_run *run, struct fold_state *const *states)
{
	const struct analysis_options *o = run->options;
	bool ok = true;
	if (!p->fold->every_cpu || p->is_by_others || p->filter.n_of_facts || p->filter.n_of_tasks)
		return true;
	for (uint32_t h = 0; h < run->world->n_hosts && ok; h++)
		if (states[h] && run->world->hosts[h].n_events &&
			(!o->wants_host || o->wants_host(o->ctx, h)))
			ok = add_cpus(p, run, states[h]);
	return ok;
}

int fold_emit_rows(const struct fold_plan *p, struct analysis_run *run,
	struct fold_state *const *states, struct mer_table *t, struct fold_ranks *ranks)
{
	if (!add_every_cpu(p, run, states))
		return mer_fail_nomem(run->err);
	switch (p->fold->shape) {
	case FOLD_ROWS: return fold_rows_emit(p, run, states, t, ranks);
	case FOLD_BINS: return fold_bins_emit(p, run, states, t);
	default: return emit_groups(p, run, states, t, ranks);
	}
}

uint64_t fold_n_seen(uint32_t n_hosts, struct fold_state *const *states)
{
	uint64_t n = 0;
	for (uint32_t h = 0; h < n_hosts; h++)
		n += states[h] ? states[h]->n_seen : 0;
	return n;
}

int fold_emit(const struct fold_plan *p, struct analysis_run *run, struct fold_state *const *states,
	struct mer_table *t)
{
	int rc = fold_emit_rows(p, run, states, t, NULL);
	if (rc == 0 && p->fold->finish)
		rc = p->fold->finish(run, t, fold_n_seen(run->world->n_hosts, states));
	if (rc == 0) {
		fold_cells_share(p, t);
		fold_filter_rows(p, t);
	}
	return rc;
}
