/* Rows: single facts, all or the first ones by a value; each with the task that it is about. */
#include <stdlib.h>
#include <string.h>

#include "analysis/fold/plan.h"

/* Where rows of a task are kept: while it is not known which tasks are selected, each task has
 * its own. NULL: no memory. */
static struct analysis_rows *rows_of(struct fold_state *s, uint32_t task, uint32_t outcome)
{
	size_t i = s->plan->late && task != KERNEL_NONE ? (size_t)task + 1 : 0;
	i = i << s->plan->filter.n_bits | outcome;
	return mer_grow_at(&s->rows, &s->cap_rows, i, sizeof(*s->rows));
}

int fold_rows_add(struct fold_state *s, const struct fold_input *in, struct mer_err *err)
{
	enum { MOST = 512 };
	_Alignas(16) char copy[MOST] = { 0 };
	const struct fold_plan *p = s->plan;
	struct fold_row *row = (void *)copy;
	/* If all rows are kept, the log keeps them in ascending order. */
	bool descends = p->rows_descend && p->limit;
	int64_t values[FOLD_PIECES];
	if (p->fact_bytes > MOST)
		return mer_fail(err, MER_ERR_BUG, "facts of '%s' are too long", in->kind->id);
	fold_gather(&in->by, &s->batch, values);
	row->input = (uint32_t)(in - p->inputs);
	for (uint32_t i = 0; i < s->batch.n; i++) {
		const struct fact *f =
			(const void *)(s->batch.facts + (size_t)s->batch.of[i] * s->batch.stride);
		struct analysis_rows *rows =
			rows_of(s, f->task, fold_filter_outcome(p, in, s->host, s->batch.h, f));
		if (!rows)
			return mer_fail_nomem(err);
		if (values[i] == FACT_UNKNOWN)
			continue;
		memcpy(row + 1, f, in->kind->size);
		if (p->fold->cut_rows) {
			struct fact *part = (void *)(row + 1);
			part->begin = s->batch.from[i];
			part->end = s->batch.to[i];
			values[i] = fold_source_of(&in->by, s->batch.h, part);
			f = part;
		}
		row->row.key = descends ? -values[i] : p->rows_descend ? f->begin : values[i];
		if (!analysis_rows_add(rows, row, p->fact_bytes, p->limit))
			return mer_fail_nomem(err);
	}
	return 0;
}

/* ---- the table ---- */

struct picked { /* a row of one host */
	const struct fold_row *row;
	uint32_t host, task_place;
};

static int compare(const void *a, const void *b)
{
	const struct picked *p = a, *q = b;
	if (p->row->row.key != q->row->row.key)
		return p->row->row.key < q->row->row.key ? -1 : 1;
	if (p->host != q->host)
		return p->host < q->host ? -1 : 1;
	if (p->row->row.seq != q->row->row.seq)
		return p->row->row.seq < q->row->row.seq ? -1 : 1;
	return (p->task_place > q->task_place) - (p->task_place < q->task_place);
}

static int compare_by_host(const void *a, const void *b)
{
	const struct picked *p = a, *q = b;
	return p->host != q->host ? (p->host < q->host ? -1 : 1) : compare(a, b);
}

static bool wants_rows(
	const struct fold_plan *p, const struct analysis_run *run, uint32_t host, size_t place)
{
	size_t task = place >> p->filter.n_bits;
	return !p->late || fold_filter_task(p, run, host, task ? (int64_t)task - 1 : FACT_UNKNOWN,
				   (uint32_t)(place & ((1u << p->filter.n_bits) - 1)));
}

/* The selected rows of all hosts, malloc'ed, in order; *n_seen: number of facts seen. */
static struct picked *pick(const struct fold_plan *p, const struct analysis_run *run,
	struct fold_state *const *states, size_t *n, uint64_t *n_seen)
{
	struct picked *list = NULL;
	*n_seen = 0;
	for (int counting = 1; counting >= 0; counting--) {
		*n = 0;
		for (uint32_t host = 0; host < run->e->n_hosts; host++)
			for (size_t i = 0; states[host] && i < states[host]->cap_rows; i++) {
				const struct analysis_rows *rows = &states[host]->rows[i];
				if (!rows->n || !wants_rows(p, run, host, i))
					continue;
				*n_seen += counting ? rows->n_seen : 0;
				for (size_t k = 0; k < rows->n; k++, ++*n)
					if (list)
						list[*n] = (struct picked){
							(const void *)(rows->rows +
								       k * p->fact_bytes),
							host, (uint32_t)i
						};
			}
		if (counting)
			list = malloc((*n + 1) * sizeof(*list));
		if (!list)
			return NULL;
	}
	if (!run->options->take_row || !run->options->any_order)
		qsort(list, *n, sizeof(*list), run->options->take_row ? compare_by_host : compare);
	return list;
}

static struct mer_cell cell_of(const struct fold_plan *p, const struct analysis_run *run,
	uint32_t c, const struct picked *x, struct mer_arena *arena)
{
	const struct fold_column *column = &p->plan_of[c];
	const struct fold_source *s = &column->fact[x->row->input];
	const struct fold_condition *where = &column->condition[x->row->input];
	const struct kernel_host *h = &run->world->hosts[x->host];
	const struct fact *f = (const void *)(x->row + 1);
	if (where->source.what &&
		!fold_condition_holds(where, fold_source_of(&where->source, h, f)))
		return MER_NONE;
	if (column->cell && column->cell->of_fact)
		return column->cell->of_fact(run, x->host, f);
	if (strcmp(p->columns[c].key, "host") == 0)
		return mer_text(analysis_host_name(run, x->host));
	if (!s->what)
		return MER_NONE;
	int64_t value = fold_source_of(s, h, f);
	return column->part ? fold_task_cell(run, x->host, value, column->part)
			    : fold_number_cell(run, s, x->host, value, arena);
}

static void add_row(const struct fold_plan *p, const struct analysis_run *run,
	const struct picked *x, struct mer_table *t)
{
	struct mer_cell cells[FOLD_MAX_COLUMNS];
	/* What finishes rows may look at all. */
	uint64_t wanted =
		run->options->columns && !p->fold->finish ? run->options->columns : ~UINT64_C(0);
	for (uint32_t c = 0; c < p->n_columns; c++)
		cells[c] = c >= 64 || wanted >> c & 1 ? cell_of(p, run, c, x, t->arena) : MER_NONE;
	mer_table_add(t, cells);
}

/* There may be more of them than memory has room for as cells and texts: some at a time. */
static int pass_on(const struct fold_plan *p, struct analysis_run *run, const struct picked *list,
	size_t n, const struct mer_table *t)
{
	enum { SOME = 8192 };
	const struct analysis_options *o = run->options;
	struct mer_arena texts;
	struct mer_table part;
	int rc = 0;
	mer_arena_init(&texts);
	mer_table_init(&part, t->id, t->title, t->columns, &texts);
	for (size_t i = 0, end; i < n && rc == 0; i = end) {
		part.n_rows = 0;
		mer_arena_reset(&texts);
		for (end = i; end < n && end < i + SOME; end++)
			add_row(p, run, &list[end], &part);
		if (part.failed || texts.failed)
			rc = mer_fail_nomem(run->err);
		else if (p->fold->finish)
			rc = p->fold->finish(run, &part, n);
		if (rc == 0 && part.n_rows != end - i)
			rc = mer_fail(run->err, MER_ERR_BUG, "rows that are passed on are fewer");
		for (size_t r = 0; r < part.n_rows && rc == 0; r++)
			rc = o->take_row(o->taker, run, t, list[i + r].host,
				&part.cells[r * part.n_columns]);
	}
	mer_table_fini(&part);
	mer_arena_fini(&texts);
	return rc;
}

int fold_rows_emit(const struct fold_plan *p, struct analysis_run *run,
	struct fold_state *const *states, struct mer_table *t, struct fold_ranks *ranks)
{
	size_t n;
	uint64_t n_seen;
	int rc = 0;
	struct picked *list = pick(p, run, states, &n, &n_seen);
	if (!list)
		return mer_fail_nomem(run->err);
	if (p->limit && n > p->limit)
		n = p->limit;
	t->n_left_out = n_seen - n;
	if (run->options->take_row)
		rc = pass_on(p, run, list, n, t);
	for (size_t i = 0; i < n && !run->options->take_row && rc == 0; i++) {
		add_row(p, run, &list[i], t);
		const struct fold_rank key = { list[i].row->row.key, NULL };
		if (ranks && !fold_ranks_add(ranks, &key))
			rc = mer_fail_nomem(run->err);
	}
	free(list);
	return rc;
}
