/* Columns of a plan: what each is made of. */
#include <string.h>

#include "analysis/fold/plan_maker.h"

static const struct fold_cell *cell_of(const struct fold *f, const char *key)
{
	for (const struct fold_cell *c = f->cells; c && c->key; c++)
		if (strcmp(c->key, key) == 0)
			return c;
	return NULL;
}

static int plan_row_column(const struct fold_maker *m, const char *key, struct fold_column *x)
{
	struct fold_plan *p = m->p;
	bool any = false;
	char task[32];
	x->what = FOLD_COLUMN_FACT;
	const char *of = x->cell && x->cell->of ? x->cell->of : key;
	if (strcmp(of, "host") == 0 || (x->cell && x->cell->of_fact))
		return 0;
	if (fold_plan_split_task(p, of, task, &x->part))
		of = task;
	for (uint32_t i = 0; i < p->n_inputs; i++) {
		any |= fold_source_find(p->inputs[i].kind, of, &x->fact[i]);
		struct fold_source s;
		if (x->cell && x->cell->where.field &&
			fold_source_find(p->inputs[i].kind, x->cell->where.field, &s)) {
			int rc = fold_plan_condition(
				m, p->inputs[i].kind, &x->cell->where, &x->condition[i]);
			if (rc)
				return rc;
		}
	}
	return any ? 0 : fold_plan_is_wrong(m, "column", key);
}

/* "from_ns", but no key such as "from_host". */
static bool is_edge(const char *key, const char *way)
{
	size_t n = strlen(way);
	return strncmp(key, way, n) == 0 &&
	       (strcmp(key + n, "ns") == 0 || strcmp(key + n, "bytes") == 0);
}

static enum fold_column_what special_of(const struct fold *f, const char *key)
{
	if (f->shape == FOLD_BUCKETS)
		return is_edge(key, "from_")	   ? FOLD_COLUMN_BUCKET_BEGIN
		       : is_edge(key, "to_")	   ? FOLD_COLUMN_BUCKET_END
		       : strcmp(key, "count") == 0 ? FOLD_COLUMN_BUCKET_COUNT
						   : FOLD_COLUMN_KEY;
	if (f->shape == FOLD_BINS)
		return strcmp(key, "begin") == 0 ? FOLD_COLUMN_BEGIN
		       : strcmp(key, "end") == 0 ? FOLD_COLUMN_END
		       : strcmp(key, "of") == 0	 ? FOLD_COLUMN_SCOPE
						 : FOLD_COLUMN_KEY;
	return FOLD_COLUMN_KEY;
}

static int plan_column(const struct fold_maker *m, const char *key, struct fold_column *x)
{
	const struct fold *f = m->p->fold;
	*x = (struct fold_column){ .cell = cell_of(f, key), .sum = -1 };
	/* A cell determined by the fold's own keys, or a user's key with the same name. */
	if (m->group_by && x->cell && x->cell->is_key)
		x->cell = NULL;
	if (f->shape == FOLD_ROWS)
		return plan_row_column(m, key, x);
	if (x->cell) {
		x->what = FOLD_COLUMN_CELL;
		if (!fold_plan_needs(x->cell))
			return 0;
		int sum = fold_plan_sum(m, x->cell);
		x->sum = (int16_t)sum;
		return sum < 0 ? sum : 0;
	}
	x->what = special_of(f, key);
	if (x->what == FOLD_COLUMN_KEY && !fold_plan_split_task(m->p, key, x->key_name, &x->part))
		fold_plan_set_name(x->key_name, key, strlen(key));
	return 0;
}

/* Does the key of a row determine this column? The name of a program does not determine a tid. */
static bool shows(const struct fold_key *k, const struct fold_column *x)
{
	if (strcmp(k->name, x->key_name) != 0)
		return false;
	return k->what != FOLD_KEY_PROGRAM || x->part == FOLD_TASK_COMM;
}

int fold_plan_bind_columns(const struct fold_maker *m)
{
	struct fold_plan *p = m->p;
	for (uint32_t c = 0; c < p->n_columns; c++) {
		bool any = p->plan_of[c].what != FOLD_COLUMN_KEY;
		for (uint32_t i = 0; i < p->n_scopes; i++) {
			p->key_of[i][c] = -1;
			for (uint32_t k = 0; k < p->scopes[i].n; k++)
				if (p->plan_of[c].what == FOLD_COLUMN_KEY && p->key_of[i][c] < 0 &&
					shows(&p->scopes[i].keys[k], &p->plan_of[c]))
					p->key_of[i][c] = (int8_t)k;
			any |= p->key_of[i][c] >= 0;
		}
		if (!any)
			return fold_plan_is_wrong(m, "column", p->columns[c].key);
	}
	return 0;
}

/* ---- columns of keys that the user wants ---- */

static bool is_key_column(const struct fold *f, const struct mer_column *c)
{
	const struct fold_cell *cell = cell_of(f, c->key);
	enum fold_column_what special = special_of(f, c->key);
	return cell ? cell->is_key : special == FOLD_COLUMN_KEY || special == FOLD_COLUMN_SCOPE;
}

static const char *title_of(const struct mer_column *columns, const char *key, const char *title)
{
	for (; columns->key; columns++)
		if (strcmp(columns->key, key) == 0 && columns->title)
			return columns->title;
	return title ? title : key;
}

static size_t add_key_columns(
	const struct fold_maker *m, const struct fold_key *k, struct mer_column *to, size_t n)
{
	static const char *const parts[] = { "tid", "pid", "comm" };
	struct fold_plan *p = m->p;
	bool is_task = k->what != FOLD_KEY_HOST &&
		       (k->what != FOLD_KEY_NUMBER || k->source.meaning == FACT_TASK);
	size_t first = k->what == FOLD_KEY_PROCESS ? 1 : k->what == FOLD_KEY_PROGRAM ? 2 : 0;
	if (!is_task) {
		const char *key = mer_arena_strdup(p->of_tables, k->name);
		bool is_host = k->what == FOLD_KEY_HOST;
		to[n++] = (struct mer_column){ key,
			title_of(p->columns, k->name, is_host ? "host" : k->source.title),
			is_host ? MER_TEXT : k->source.type };
		return n;
	}
	for (size_t i = first; i < 3; i++) {
		bool is_own = strcmp(k->name, "task") == 0;
		const char *key =
			is_own ? parts[i]
			       : mer_arena_printf(p->of_tables, "%s_%s", k->name, parts[i]);
		to[n++] = (struct mer_column){ key, title_of(p->columns, key ? key : "", key),
			i == 2 ? MER_TEXT : MER_ID };
	}
	return n;
}

static bool has_column(const struct mer_column *columns, size_t n, const char *key)
{
	size_t i = 0;
	while (i < n && strcmp(columns[i].key, key) != 0)
		i++;
	return i < n;
}

int fold_plan_columns_by(const struct fold_maker *m)
{
	struct fold_plan *p = m->p;
	struct mer_column *columns =
		mer_arena_zalloc(p->of_tables, FOLD_MAX_COLUMNS + 1, sizeof(*columns));
	const struct mer_column *c = p->columns;
	size_t n = 0;
	if (!columns)
		return mer_fail_nomem(m->err);
	for (; p->fold->shape == FOLD_BINS && c->key &&
		special_of(p->fold, c->key) != FOLD_COLUMN_KEY;
		c++)
		if (special_of(p->fold, c->key) != FOLD_COLUMN_SCOPE)
			columns[n++] = *c;
	for (uint32_t i = 0; i < p->scopes[0].n; i++)
		n = add_key_columns(m, &p->scopes[0].keys[i], columns, n);
	size_t n_keys = n; /* a column of the table with the same name is not repeated */
	for (; c->key && n < FOLD_MAX_COLUMNS; c++)
		if (!is_key_column(p->fold, c) && !has_column(columns, n_keys, c->key))
			columns[n++] = *c;
	p->columns = columns;
	return p->of_tables->failed ? mer_fail_nomem(m->err) : 0;
}

/* ---- cells made of others ---- */

static int column_of(const struct fold_plan *p, const char *key)
{
	for (uint32_t c = 0; c < p->n_columns; c++)
		if (strcmp(p->columns[c].key, key) == 0)
			return (int)c;
	return -1;
}

static bool names_columns(const struct fold_cell *c)
{
	return c->op != FOLD_FUNCTION && c->op != FOLD_DIFFERENT;
}

int fold_plan_derived(const struct fold_maker *m)
{
	struct fold_plan *p = m->p;
	for (const struct fold_cell *c = p->fold->cells; c && c->key; c++) {
		int column = column_of(p, c->key);
		if (column < 0 || (fold_plan_needs(c) && c->op != FOLD_FUNCTION) ||
			(c->is_key && !p->plan_of[column].cell))
			continue;
		if (p->n_derived == FOLD_MAX_COLUMNS)
			return mer_fail(m->err, MER_ERR_BUG, "a fold has too many cells");
		struct fold_derived *d = &p->derived[p->n_derived++];
		*d = (struct fold_derived){ .cell = c, .column = (uint32_t)column, .by = -1 };
		for (uint32_t i = 0; i < p->n_scopes; i++)
			if (!c->scopes || !p->scope_of[i] || !p->scope_of[i]->of ||
				fold_list_has(c->scopes, p->scope_of[i]->of))
				d->scopes |= 1u << i;
		const char *list = names_columns(c) ? c->of : NULL;
		char key[64];
		while (fold_list_next(&list, key, sizeof(key))) {
			int of = column_of(p, key);
			d->lacks_of |= of < 0;
			if (of >= 0 && d->n_of == FOLD_MAX_OF)
				return mer_fail(
					m->err, MER_ERR_BUG, "a cell is made of too many columns");
			if (of >= 0)
				d->of[d->n_of++] = (uint8_t)of;
		}
		if (c->by)
			d->by = (int8_t)column_of(p, c->by);
	}
	return 0;
}

int fold_plan_all_columns(const struct fold_maker *m)
{
	struct fold_plan *p = m->p;
	for (; p->columns[p->n_columns].key; p->n_columns++) {
		if (p->n_columns == FOLD_MAX_COLUMNS)
			return mer_fail(m->err, MER_ERR_BUG, "a table has too many columns");
		int rc = plan_column(m, p->columns[p->n_columns].key, &p->plan_of[p->n_columns]);
		if (rc)
			return rc;
	}
	return 0;
}
