/* Bins: rows of a scope over time, group by group, each with its bins that are not empty.
 *
 * The busiest groups have rows of their own, and all others of a host share one, so the rows of
 * a scope add up to the total. */
#include <stdlib.h>
#include <string.h>

#include "analysis/busiest.h"
#include "analysis/fold/plan.h"
#include "base/lower_bound.h"

enum { MAX_ROWS = 1 << 22 }; /* they take a gigabyte or two */

struct over_time { /* state for one host and scope */
	const struct fold_plan *p;
	const struct fold_scope *scope;
	struct analysis_run *run;
	struct mer_table *t;
	uint32_t host;
	uint64_t columns; /* columns of the scope */
	struct fold_joined j;
	struct fold_groups groups; /* keys of j->rows without the bin; no slots */
	uint32_t others;	   /* the group for all that were not selected; KERNEL_NONE */
	int64_t n_cpus;
	uint32_t *group_of; /* by row of j */
	uint32_t *rank;	    /* by group: its position according to `order` */
	uint32_t *by_rank;
	int64_t *amounts; /* by rank */
	struct bin_row {
		uint32_t rank, bin, row;
	} * rows;
	size_t n_rows;
	struct analysis_busiest busiest; /* keys: ranks */
	struct fold_level_rows levels;
};

static int compare(const void *a, const void *b)
{
	const struct bin_row *p = a, *q = b;
	if (p->rank != q->rank)
		return p->rank < q->rank ? -1 : 1;
	return (p->bin > q->bin) - (p->bin < q->bin);
}

static bool group_rows(struct over_time *x)
{
	struct fold_joined *j = &x->j;
	static const int64_t none = 0;
	x->groups.n_keys = j->rows.n_keys - 1;
	x->groups.empty = &none;
	x->group_of = malloc(((size_t)j->rows.n + 1) * sizeof(*x->group_of));
	for (uint32_t r = 0; r < j->rows.n && x->group_of; r++) {
		x->group_of[r] = fold_group_of(&x->groups, fold_group_row(&j->rows, r));
		if (x->group_of[r] == KERNEL_NONE)
			return false;
		if (fold_group_row(&j->rows, r)[j->rows.n_keys - 2] == FOLD_OTHERS)
			x->others = x->group_of[r];
	}
	return x->group_of != NULL;
}

static bool rank_groups(struct over_time *x)
{
	struct fold_joined *j = &x->j;
	uint32_t *order = fold_order(j, x->p->fold->order), n = 0;
	x->rank = malloc(((size_t)x->groups.n + 1) * sizeof(*x->rank));
	x->by_rank = malloc(((size_t)x->groups.n + 1) * sizeof(*x->by_rank));
	x->rows = malloc(((size_t)j->rows.n + 1) * sizeof(*x->rows));
	bool ok = order && x->rank && x->by_rank && x->rows;
	for (uint32_t g = 0; g < x->groups.n && ok; g++)
		x->rank[g] = KERNEL_NONE;
	for (uint32_t i = 0; i < j->rows.n && ok; i++) {
		uint32_t g = x->group_of[order[i]];
		if (x->rank[g] != KERNEL_NONE)
			continue;
		x->by_rank[n] = g;
		x->rank[g] = n++;
	}
	for (uint32_t r = 0; r < j->rows.n && ok; r++)
		x->rows[x->n_rows++] = (struct bin_row){ x->rank[x->group_of[r]],
			(uint32_t)fold_group_row(&j->rows, r)[j->rows.n_keys - 1], r };
	if (ok)
		qsort(x->rows, x->n_rows, sizeof(*x->rows), compare);
	free(order);
	return ok;
}

static int64_t amount_of(const struct over_time *x, uint32_t row)
{
	const struct fold_plan *p = x->p;
	const int64_t *slots = fold_joined_slots(&x->j, row);
	int64_t sum = 0;
	for (uint32_t c = 0; c < p->n_columns; c++) {
		const struct fold_column *column = &p->plan_of[c];
		if (column->sum < 0 || !fold_list_has(x->scope->busiest, p->columns[c].key))
			continue;
		const struct fold_sum *s = &p->sums[column->sum];
		sum += slots[s->at[column->cell->op == FOLD_COUNT ? 0 : 1]];
	}
	return sum;
}

/* Finds the groups with rows of their own, in order: all, or the busiest. */
static bool find_busiest(struct over_time *x)
{
	size_t n = x->groups.n;
	x->amounts = calloc(n + 1, sizeof(*x->amounts));
	if (!x->amounts)
		return false;
	if (x->scope->busiest) {
		for (size_t i = 0; i < x->n_rows; i++)
			x->amounts[x->rows[i].rank] += amount_of(x, x->rows[i].row);
		if (x->others != KERNEL_NONE)
			x->amounts[x->rank[x->others]] = 0;
		if (!analysis_busiest_find(x->run, x->amounts, n, &x->busiest))
			return false;
		if (x->others != KERNEL_NONE)
			x->busiest.keys[x->busiest.n++] = x->rank[x->others];
		return true;
	}
	x->busiest.keys = calloc(n + 1, sizeof(*x->busiest.keys));
	x->busiest.n = x->busiest.n_own = n;
	for (uint32_t i = 0; i < n && x->busiest.keys; i++)
		x->busiest.keys[i] = i;
	return x->busiest.keys != NULL;
}

/* ---- rows ---- */

static int add_row(struct over_time *x, uint32_t row, uint32_t bin, const int64_t *slots,
	struct mer_cell *cells)
{
	const struct fold_plan *p = x->p;
	int64_t begin = analysis_bin_edge(&p->bins, bin),
		end = analysis_bin_edge(&p->bins, bin + 1);
	struct fold_context context = { .j = &x->j,
		.row = row,
		.slots = slots,
		.asked = analysis_bin_asked(p->options, &p->bins, bin),
		.columns = x->columns };
	context.range = fold_range_of(x->run, x->host, begin, end);
	context.capacity = context.range * x->n_cpus;
	for (uint32_t c = 0; c < p->n_columns; c++)
		switch (p->plan_of[c].what) {
		case FOLD_COLUMN_BEGIN: cells[c] = MER_INT(begin); break;
		case FOLD_COLUMN_END: cells[c] = MER_INT(end); break;
		case FOLD_COLUMN_SCOPE: cells[c] = mer_text(x->scope->of); break;
		default: break;
		}
	int rc = fold_cells_fill(&context, cells);
	if (p->level_column >= 0 && x->columns >> p->level_column & 1)
		cells[p->level_column] = fold_level_rows_at(&x->levels, bin);
	if (rc == 0)
		mer_table_add(x->t, cells);
	return rc;
}

static const struct bin_row *rows_of(const struct over_time *x, uint32_t rank, size_t *n)
{
	MER_LOWER_BOUND(low, 0, x->n_rows, at, x->rows[at].rank < rank);
	for (*n = 0; low + *n < x->n_rows && x->rows[low + *n].rank == rank;)
		++*n;
	return x->rows + low;
}

static int add_group(struct over_time *x, uint32_t rank)
{
	struct mer_cell cells[FOLD_MAX_COLUMNS] = { 0 };
	size_t n, i = 0;
	const struct bin_row *rows = rows_of(x, rank, &n);
	int rc = 0;
	fold_key_cells(&x->j, rows[0].row, cells);
	if (!fold_level_rows_begin(&x->levels, x->by_rank[rank]))
		return mer_fail_nomem(x->run->err);
	for (uint32_t bin = 0; bin < x->p->bins.n && rc == 0 && (x->scope->every_bin || i < n);) {
		bool has = i < n && rows[i].bin == bin;
		if (has || x->scope->every_bin)
			rc = add_row(x, rows[has ? i : 0].row, bin,
				has ? fold_joined_slots(&x->j, rows[i].row) : x->p->empty, cells);
		i += has;
		bin = x->scope->every_bin || i >= n ? bin + 1 : rows[i].bin;
	}
	return rc;
}

/* Adds one row for all other groups; their level is not computed. */
static int add_others(struct over_time *x)
{
	struct fold_groups sums;
	struct mer_cell cells[FOLD_MAX_COLUMNS] = { 0 };
	struct bin_row *rows = malloc((x->n_rows + 1) * sizeof(*rows));
	size_t scope = (size_t)(x->j.keys - x->p->scopes), n_rows = 0;
	int rc = rows ? 0 : mer_fail_nomem(x->run->err);
	x->levels.is_known = false;
	fold_groups_init(&sums, x->p, 1);
	for (size_t k = x->busiest.n_own; k < x->busiest.n && rc == 0; k++) {
		size_t n;
		const struct bin_row *own = rows_of(x, x->busiest.keys[k], &n);
		for (size_t i = 0; i < n && rc == 0; i++) {
			int64_t bin = own[i].bin;
			uint32_t g = fold_group_of(&sums, &bin);
			if (g == KERNEL_NONE) {
				rc = mer_fail_nomem(x->run->err);
				break;
			}
			if (g == n_rows)
				rows[n_rows++] = (struct bin_row){ 0, own[i].bin, g };
			if (!fold_join_slots(x->p, fold_group_row(&sums, g) + 1,
				    fold_joined_slots(&x->j, own[i].row)))
				rc = mer_fail_nomem(x->run->err);
		}
	}
	if (rc == 0)
		qsort(rows, n_rows, sizeof(*rows), compare);
	uint32_t last = KERNEL_NONE;
	for (uint32_t c = 0; c < x->p->n_columns; c++) {
		int8_t k = x->p->key_of[scope][c];
		if (k >= 0 && x->p->columns[c].type == MER_TEXT)
			last = c;
		if (k >= 0 && x->j.keys->keys[k].what == FOLD_KEY_HOST)
			cells[c] = mer_text(analysis_host_name(x->run, x->host));
	}
	if (last != KERNEL_NONE)
		cells[last] = mer_text("all others");
	for (size_t i = 0; i < n_rows && rc == 0; i++)
		rc = add_row(x, 0, rows[i].bin, fold_group_row(&sums, rows[i].row) + 1, cells);
	free(rows);
	fold_groups_fini(&sums);
	return rc;
}

/* ---- all of them ---- */

static uint64_t columns_of(const struct fold_plan *p, const struct fold_scope *s)
{
	uint64_t columns = 0;
	for (uint32_t c = 0; c < p->n_columns; c++)
		if (!s->cells || !p->plan_of[c].cell || fold_list_has(s->cells, p->columns[c].key))
			columns |= (uint64_t)1 << c;
	return columns;
}

/* For a host that had facts, but none that were selected. */
static int add_empty_host(struct over_time *x)
{
	struct mer_cell cells[FOLD_MAX_COLUMNS] = { 0 };
	size_t scope = (size_t)(x->j.keys - x->p->scopes);
	int rc = 0;
	for (uint32_t c = 0; c < x->p->n_columns; c++)
		if (x->p->key_of[scope][c] >= 0)
			cells[c] = mer_text(analysis_host_name(x->run, x->host));
	for (uint32_t bin = 0; bin < x->p->bins.n && rc == 0; bin++)
		rc = add_row(x, 0, bin, x->p->empty, cells);
	return rc;
}

static int emit_scope(const struct fold_plan *p, uint32_t scope, struct analysis_run *run,
	struct fold_state *const *states, uint32_t host, struct mer_table *t)
{
	struct over_time x = { .p = p,
		.scope = p->scope_of[scope],
		.run = run,
		.t = t,
		.host = host,
		.others = KERNEL_NONE,
		.n_cpus = fold_n_cpus(run, host),
		.columns = columns_of(p, p->scope_of[scope]) };
	int rc = fold_joined_make(p, &p->scopes[scope], run, states, host, &x.j);
	if (rc == 0 && (!group_rows(&x) || !rank_groups(&x) || !find_busiest(&x)))
		rc = mer_fail_nomem(run->err);
	if (rc == 0 && x.scope->every_bin &&
		t->n_rows + (uint64_t)x.groups.n * p->bins.n > MAX_ROWS)
		rc = mer_fail_remedy(run->err, MER_ERR_LIMIT, MER_REMEDY_FEWER_ROWS,
			"the table would have more than %d rows; use fewer bins", (int)MAX_ROWS);
	bool is_of_host = p->scopes[scope].n == 1 && p->scopes[scope].has_host;
	bool has_none = (p->fold->every_cpu && x.n_cpus == 0) || p->level_column >= 0;
	if (rc == 0 && x.groups.n == 0 && x.scope->every_bin && is_of_host && !has_none &&
		states[host]->n_seen)
		rc = add_empty_host(&x);
	if (rc == 0 && !fold_level_rows_make(&x.levels, &x.j, &x.groups, host))
		rc = mer_fail_nomem(run->err);
	for (size_t i = 0; i < x.busiest.n_own && rc == 0; i++)
		rc = add_group(&x, x.busiest.keys[i]);
	if (rc == 0 && x.busiest.n > x.busiest.n_own)
		rc = add_others(&x);
	fold_level_rows_fini(&x.levels);
	analysis_busiest_fini(&x.busiest);
	fold_groups_fini(&x.groups);
	free(x.group_of);
	free(x.rank);
	free(x.by_rank);
	free(x.amounts);
	free(x.rows);
	fold_joined_fini(&x.j);
	return rc;
}

static void report_cuts(const struct analysis_run *run, uint32_t host)
{
	struct mer_diag d = { .severity = MER_WARNING,
		.code = "too-many-bins",
		.host = analysis_host_name(run, host),
		.stream = -1,
		.packet = -1,
		.offset_bits = -1,
		.count = 1 };
	mer_diag_add(&run->e->diags, &d,
		"what lasts spans more than %d bins in total; the rest of it counts only in the bin in which it began; choose fewer bins",
		(int)FOLD_MAX_CUTS);
}

int fold_bins_emit(const struct fold_plan *p, struct analysis_run *run,
	struct fold_state *const *states, struct mer_table *t)
{
	int rc = 0;
	for (uint32_t h = 0; h < run->world->n_hosts && rc == 0 && p->bins.n; h++) {
		for (uint32_t i = 0; i < p->n_scopes && rc == 0; i++)
			if (states[h])
				rc = emit_scope(p, i, run, states, h, t);
		if (states[h] && states[h]->n_cuts >= FOLD_MAX_CUTS)
			report_cuts(run, h);
	}
	return rc;
}
