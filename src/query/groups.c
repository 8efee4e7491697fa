#include "query/groups.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "query/state.h"

/* ---- Groups ---- */

static bool is_kept(const struct query_groups *g, size_t c)
{
	return c < QUERY_COLUMNS && g->rows->kept >> c & 1;
}

int query_groups_init(struct query_groups *g, struct query_rows *rows, struct mer_err *err)
{
	*g = (struct query_groups){ .rows = rows, .columns = rows->columns };
	mer_arena_init(&g->arena);
	mer_intern_init(&g->keys, &g->arena);
	mer_table_init(&g->distinct, "groups", NULL, g->columns, &g->arena);
	for (size_t c = 0; c < rows->n_columns && c < QUERY_COLUMNS; c++)
		if (is_kept(g, c))
			g->by[g->n_by++] = (uint8_t)c;
	return g->arena.failed ? mer_fail_nomem(err) : 0;
}

void query_groups_fini(struct query_groups *g)
{
	mer_table_fini(&g->distinct);
	mer_intern_fini(&g->keys);
	mer_str_fini(&g->key);
	mer_arena_fini(&g->arena);
	free(g->counts);
	*g = (struct query_groups){ 0 };
}

/* Different rows have different keys: a text ends with its NUL, a number has 8 bytes. */
static void put_key(const struct query_groups *g, const struct mer_cell *cells, struct mer_str *key)
{
	mer_str_clear(key);
	for (size_t c = 0; c < g->rows->n_columns; c++) {
		if (!is_kept(g, c))
			continue;
		mer_str_putc(key, cells[c].set);
		if (!cells[c].set)
			continue;
		if (g->columns[c].type == MER_TEXT)
			mer_str_add(key, cells[c].v.text, strlen(cells[c].v.text) + 1);
		else
			mer_str_add(key, (const char *)&cells[c].v.i, sizeof(cells[c].v.i));
	}
}

/* Texts of the row are copied: those of a reading are gone when it has ended. */
static bool add_distinct(struct query_groups *g, const struct mer_cell *cells)
{
	struct mer_cell row[QUERY_COLUMNS] = { 0 };
	for (size_t c = 0; c < g->rows->n_columns && c < QUERY_COLUMNS; c++) {
		if (!is_kept(g, c) || !cells[c].set)
			continue;
		row[c] = cells[c];
		if (g->columns[c].type == MER_TEXT)
			row[c] = mer_text(mer_arena_strdup(&g->arena, cells[c].v.text));
	}
	mer_table_add(&g->distinct, row);
	return !g->distinct.failed && !g->arena.failed;
}

/* Where a row of these addresses and numbers was last; what is there is compared, as addresses of
 * texts are used again. */
static uint32_t *slot_of(struct query_groups *g, const struct mer_cell *cells)
{
	uint64_t hash = 0;
	for (size_t i = 0; i < g->n_by; i++)
		hash = (hash ^ (cells[g->by[i]].set ? (uint64_t)cells[g->by[i]].v.i : 1)) *
		       UINT64_C(0x9e3779b97f4a7c15);
	return &g->last[hash >> 54];
}

static bool is_group(const struct query_groups *g, uint32_t id, const struct mer_cell *cells)
{
	const struct mer_cell *there = &g->distinct.cells[id * g->distinct.n_columns];
	for (size_t i = 0; i < g->n_by; i++) {
		size_t c = g->by[i];
		if (there[c].set != cells[c].set)
			return false;
		if (!cells[c].set)
			continue;
		if (g->columns[c].type == MER_TEXT ? strcmp(there[c].v.text, cells[c].v.text) != 0
						   : there[c].v.i != cells[c].v.i)
			return false;
	}
	return true;
}

int query_groups_take(void *taker, const struct analysis_run *run, const struct mer_table *t,
	uint32_t host, const struct mer_cell *cells)
{
	struct query_groups *g = taker;
	(void)t;
	(void)host;
	uint32_t *last = slot_of(g, cells);
	if (*last < g->distinct.n_rows && is_group(g, *last, cells)) {
		g->counts[*last]++;
		return 0;
	}
	put_key(g, cells, &g->key);
	uint32_t id = g->key.failed
			      ? MER_INTERN_NONE
			      : mer_intern_add(&g->keys, g->key.len ? g->key.data : "", g->key.len);
	if (id == MER_INTERN_NONE || !mer_grow(&g->counts, id, &g->cap_counts, sizeof(*g->counts)))
		return mer_fail_nomem(run->err);
	if (id == g->distinct.n_rows) {
		g->counts[id] = 0;
		if (!add_distinct(g, cells))
			return mer_fail_nomem(run->err);
	}
	g->counts[id]++;
	*last = id;
	return 0;
}

static _Thread_local const struct query_groups *sorted;

/* NULL first, as SQLite has it. */
static int compare(const void *a, const void *b)
{
	const struct query_groups *g = sorted;
	size_t n = g->distinct.n_columns;
	const struct mer_cell *p = &g->distinct.cells[*(const uint32_t *)a * n];
	const struct mer_cell *q = &g->distinct.cells[*(const uint32_t *)b * n];
	for (size_t c = 0; c < n; c++) {
		if (!is_kept(g, c) || (!p[c].set && !q[c].set))
			continue;
		if (p[c].set != q[c].set)
			return p[c].set ? 1 : -1;
		int order = g->columns[c].type == MER_TEXT
				    ? strcmp(p[c].v.text, q[c].v.text)
				    : (p[c].v.i > q[c].v.i) - (p[c].v.i < q[c].v.i);
		if (order)
			return order;
	}
	return 0;
}

int query_groups_end(struct query_groups *g, uint64_t **counts, struct mer_err *err)
{
	size_t n = g->distinct.n_rows;
	uint32_t *order = malloc((n + 1) * sizeof(*order));
	*counts = malloc((n + 1) * sizeof(**counts));
	int rc = order && *counts ? 0 : mer_fail_nomem(err);
	for (size_t i = 0; i < n && rc == 0; i++)
		order[i] = (uint32_t)i;
	sorted = g;
	if (rc == 0 && n)
		qsort(order, n, sizeof(*order), compare);
	for (size_t i = 0; i < n && rc == 0; i++) {
		(*counts)[i] = g->counts[order[i]];
		rc = query_rows_add(
			g->rows, &g->distinct.cells[order[i] * g->distinct.n_columns], err);
	}
	free(order);
	return rc;
}

/* ---- Which statements ---- */

static bool has_word(const char *sql, const char *word, unsigned most)
{
	size_t n = strlen(word);
	unsigned found = 0;
	for (const char *at = sql; (at = strcasestr(at, word)); at += n) {
		bool begins = at == sql || (!isalnum((unsigned char)at[-1]) && at[-1] != '_');
		bool ends = !isalnum((unsigned char)at[n]) && at[n] != '_';
		found += begins && ends;
	}
	return found > most;
}

/* A row with a weight must be counted where it is: in the one SELECT of the statement, as the scan
 * gives it. Words in texts and comments make this too careful, and nothing worse. */
void query_weigh_begin(struct query *q, const char *sql)
{
	static const char *const none[] = { "distinct", "over", "join", "with", "values", "or" };
	q->is_plain = !has_word(sql, "select", 1);
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		q->is_plain &= !has_word(sql, none[i], 0);
	q->has_group = has_word(sql, "group", 0);
	q->has_order = has_word(sql, "order", 0);
	q->counts_rows = q->has_other_function = q->has_other_table = false;
	q->table_read[0] = '\0';
	q->weight = 1;
}

/* Functions of a single row that always give the same, and those of many rows to which it is all
 * the same how often each is there. */
void query_weigh_function(struct query *q, const char *name)
{
	static const char *const harmless[] = { "min", "max", "abs", "coalesce", "format", "glob",
		"hex", "ifnull", "iif", "instr", "length", "like", "lower", "ltrim", "nullif",
		"printf", "quote", "replace", "round", "rtrim", "substr", "substring", "trim",
		"typeof", "upper" };
	if (sqlite3_stricmp(name, "count") == 0) {
		q->counts_rows = true;
		return;
	}
	for (size_t i = 0; i < sizeof(harmless) / sizeof(*harmless); i++)
		if (sqlite3_stricmp(name, harmless[i]) == 0)
			return;
	q->has_other_function = true;
}

void query_weigh_table(struct query *q, const char *name)
{
	if (!q->table_read[0])
		snprintf(q->table_read, sizeof(q->table_read), "%s", name);
	q->has_other_table |= strcmp(q->table_read, name) != 0;
}

bool query_can_weigh(const struct query *q)
{
	return q->is_plain && !q->has_other_function && !q->has_other_table && q->n_cursors == 1;
}

/* ---- count() ---- */

static void step(sqlite3_context *x, int n, sqlite3_value **values)
{
	const struct query *q = sqlite3_user_data(x);
	sqlite3_int64 *sum = sqlite3_aggregate_context(x, sizeof(*sum));
	if (sum && (!n || sqlite3_value_type(values[0]) != SQLITE_NULL))
		*sum += (sqlite3_int64)q->weight;
}

static void inverse(sqlite3_context *x, int n, sqlite3_value **values)
{
	sqlite3_int64 *sum = sqlite3_aggregate_context(x, sizeof(*sum));
	if (sum && (!n || sqlite3_value_type(values[0]) != SQLITE_NULL))
		--*sum; /* windows have rows without weights */
}

static void value(sqlite3_context *x)
{
	const sqlite3_int64 *sum = sqlite3_aggregate_context(x, 0);
	sqlite3_result_int64(x, sum ? *sum : 0);
}

int query_add_count(struct query *q)
{
	int rc = SQLITE_OK;
	for (int n = 0; n < 2 && rc == SQLITE_OK; n++)
		rc = sqlite3_create_window_function(q->db, "count", n,
			SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, q, step, value,
			value, inverse, NULL);
	return rc;
}
