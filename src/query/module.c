/* Virtual tables of SQLite. A scan passes on which columns are used, and which part of the time,
 * which host and thread; SQLite checks all conditions again, so a part that is too large loses
 * nothing. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query/groups.h"
#include "query/state.h"

struct named {
	struct query *q;
	const struct query_table *table;
};

struct table { /* for SQLite */
	sqlite3_vtab base;
	struct query *q;
	const struct query_table *about;
	size_t n_columns;
	/* Columns of these names; SIZE_MAX: none. kind is also there under the lake's name, behind
	 * all columns. */
	size_t kind, host, tid;
};

struct cursor {
	sqlite3_vtab_cursor base;
	struct query_place place;
	int64_t begin, end; /* blocks that lie outside of it are left out */
	bool is_of_all, is_at_end;
	/* Of groups: how many each row stands for (NULL: no groups), how many of the one that is
	 * reached were given already, and of all before it; or rows have weights, and are given
	 * once. */
	const uint64_t *counts;
	uint64_t given, before;
	bool has_weights;
};

static int connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **vtab,
	char **error)
{
	const struct named *named = aux;
	struct table *t = sqlite3_malloc(sizeof(*t));
	struct mer_str schema = { 0 };
	(void)argc;
	(void)argv;
	(void)error;
	if (!t)
		return SQLITE_NOMEM;
	*t = (struct table){ .q = named->q,
		.about = named->table,
		.kind = SIZE_MAX,
		.host = SIZE_MAX,
		.tid = SIZE_MAX };
	for (const struct mer_column *c = named->table->columns; c->key; c++, t->n_columns++) {
		t->kind = strcmp(c->key, "kind") == 0 ? t->n_columns : t->kind;
		t->host = strcmp(c->key, "host") == 0 ? t->n_columns : t->host;
		t->tid = strcmp(c->key, "tid") == 0 ? t->n_columns : t->tid;
	}
	query_table_schema(named->table, true, &schema);
	named->q->is_declaring = true;
	int rc = schema.failed ? SQLITE_NOMEM : sqlite3_declare_vtab(db, schema.data);
	named->q->is_declaring = false;
	mer_str_fini(&schema);
	if (rc) {
		sqlite3_free(t);
		return rc;
	}
	*vtab = &t->base;
	return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *vtab)
{
	sqlite3_free(vtab);
	return SQLITE_OK;
}

/* ---- What a scan is about ---- */

enum what { /* an argument of a scan: a letter for each is handed from xBestIndex to xFilter */
	NOTHING,
	BEGINS_AT = 'a',
	BEGINS_AFTER,
	BEGINS_FROM,
	BEGINS_BEFORE,
	BEGINS_UNTIL,
	OF_HOST,
	OF_THREAD,
	IN_GROUPS /* no argument: the first letter, of rows as groups */
};

static enum what about_time(unsigned char op)
{
	switch (op) {
	case SQLITE_INDEX_CONSTRAINT_EQ: return BEGINS_AT;
	case SQLITE_INDEX_CONSTRAINT_GT: return BEGINS_AFTER;
	case SQLITE_INDEX_CONSTRAINT_GE: return BEGINS_FROM;
	case SQLITE_INDEX_CONSTRAINT_LT: return BEGINS_BEFORE;
	case SQLITE_INDEX_CONSTRAINT_LE: return BEGINS_UNTIL;
	default: return NOTHING;
	}
}

static enum what what_of(const struct table *t, sqlite3_index_info *info, int i)
{
	const struct sqlite3_index_constraint *c = &info->aConstraint[i];
	bool is_equal = c->op == SQLITE_INDEX_CONSTRAINT_EQ;
	size_t column = c->iColumn < 0 ? SIZE_MAX : (size_t)c->iColumn;
	if (!c->usable || !t->about->is_facts || column >= t->n_columns)
		return NOTHING;
	if (column == 0)
		return about_time(c->op);
	/* Other comparisons of texts find more than what is equal: 'A' = 'a' COLLATE NOCASE. */
	if (column == t->host && is_equal && strcmp(sqlite3_vtab_collation(info, i), "BINARY") == 0)
		return OF_HOST;
	return column == t->tid && is_equal ? OF_THREAD : NOTHING;
}

/* Guesses: what matters is that a part is cheaper than the whole. */
static double share_of(enum what what)
{
	return what == BEGINS_AT ? 1e-4 : what == OF_THREAD ? 0.02 : what == OF_HOST ? 0.4 : 0.25;
}

static uint64_t columns_used(const struct table *t, uint64_t used)
{
	uint64_t lake_kind = t->n_columns < QUERY_COLUMNS ? UINT64_C(1) << t->n_columns : 0;
	if (t->kind != SIZE_MAX && (used & lake_kind))
		used |= UINT64_C(1) << t->kind;
	return lake_kind ? used & (lake_kind - 1) : used;
}

/* Do all columns that are used name something (texts, numbers that name), and does the statement
 * want rows that are the same in them together, or count all of them? */
static bool wants_groups(const struct table *t, sqlite3_index_info *info, uint64_t used)
{
	uint64_t by = 0;
	const struct query *q = t->q;
	if (!t->about->is_facts || !q->is_plain || q->has_other_function)
		return false;
	for (size_t c = 0; c < t->n_columns && c < QUERY_COLUMNS; c++)
		if (used >> c & 1 && t->about->columns[c].type != MER_TEXT &&
			t->about->columns[c].type != MER_ID)
			return false;
	/* Groups by a constant go through a sorter of SQLite's, where weights are lost. */
	if (!info->nOrderBy)
		return !used && !info->colUsed && q->counts_rows && !q->has_group;
	for (int i = 0; i < info->nOrderBy; i++) {
		int c = info->aOrderBy[i].iColumn;
		/* An ORDER BY of the same columns is left out by SQLite: then theirs is the order
		 * of the groups, which is that of the table's columns. */
		if (q->has_order &&
			(info->aOrderBy[i].desc || (i && c <= info->aOrderBy[i - 1].iColumn)))
			return false;
		if (c < 0 || (size_t)c >= t->n_columns || c >= QUERY_COLUMNS)
			return false;
		by |= UINT64_C(1) << c;
	}
	return sqlite3_vtab_distinct(info) == 1 && by == used && info->colUsed == used;
}

static int best_index(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
	struct table *t = (struct table *)vtab;
	double rows = t->about->is_facts ? 1e6 : 1e3;
	char letters[64];
	int n = 0, n_arguments = 0;
	uint64_t used = columns_used(t, info->colUsed);
	if (wants_groups(t, info, used)) {
		letters[n++] = (char)IN_GROUPS;
		info->orderByConsumed = info->nOrderBy > 0;
		rows *= 0.1;
	}
	for (int i = 0; i < info->nConstraint && n + 1 < (int)sizeof(letters); i++) {
		enum what what = what_of(t, info, i);
		if (what == NOTHING)
			continue;
		letters[n++] = (char)what;
		info->aConstraintUsage[i].argvIndex = ++n_arguments;
		rows *= share_of(what);
	}
	letters[n] = '\0';
	t->q->is_named[t->about - t->q->tables] = true;
	info->idxStr = sqlite3_mprintf("%llx %s", used, letters);
	info->needToFreeIdxStr = 1;
	info->estimatedCost = rows + 10;
	info->estimatedRows = (sqlite3_int64)rows + 1;
	return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

static void limit_time(struct query_part *p, enum what what, int64_t v)
{
	bool has_next = v < INT64_MAX;
	int64_t from = what == BEGINS_AT || what == BEGINS_FROM ? v
		       : what == BEGINS_AFTER && has_next	? v + 1
								: INT64_MIN;
	int64_t to = what == BEGINS_BEFORE				       ? v
		     : (what == BEGINS_AT || what == BEGINS_UNTIL) && has_next ? v + 1
									       : INT64_MAX;
	p->begin = from > p->begin ? from : p->begin;
	p->end = to < p->end ? to : p->end;
}

/* Values of other types are compared by SQLite alone. */
static void take_argument(struct query_part *p, enum what what, sqlite3_value *v)
{
	int type = sqlite3_value_type(v);
	if (what == OF_HOST) {
		if (type == SQLITE_TEXT)
			p->host = (const char *)sqlite3_value_text(v);
	} else if (type == SQLITE_INTEGER && what == OF_THREAD) {
		p->tid = sqlite3_value_int64(v);
	} else if (type == SQLITE_INTEGER) {
		limit_time(p, what, sqlite3_value_int64(v));
	}
}

/* ---- Scans ---- */

static int open_cursor(sqlite3_vtab *vtab, sqlite3_vtab_cursor **cursor)
{
	struct cursor *c = sqlite3_malloc(sizeof(*c));
	if (!c)
		return SQLITE_NOMEM;
	memset(c, 0, sizeof(*c));
	((struct table *)vtab)->q->n_cursors++;
	*cursor = &c->base;
	return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *cursor)
{
	struct cursor *c = (struct cursor *)cursor;
	query_place_fini(&c->place);
	((struct table *)cursor->pVtab)->q->n_cursors--;
	sqlite3_free(c);
	return SQLITE_OK;
}

/* The block at place.block, or the next one that may have rows of the time that is asked for. */
static void enter(struct cursor *c)
{
	const struct query_rows *r = c->place.rows;
	while (c->place.block < r->n_blocks) {
		const struct query_block *b = &r->blocks[c->place.block];
		if (b->last >= c->begin && b->first < c->end)
			break;
		c->place.block++;
	}
	c->is_at_end = c->place.block == r->n_blocks;
	query_place_enter(&c->place);
}

/* Of groups: the one at the place is given now. */
static void weigh(struct cursor *c)
{
	struct query *q = ((struct table *)c->base.pVtab)->q;
	size_t row = c->place.block * QUERY_BLOCK + c->place.row;
	q->weight = c->has_weights && !c->is_at_end ? c->counts[row] : 1;
}

static int filter(
	sqlite3_vtab_cursor *cursor, int number, const char *text, int n, sqlite3_value **values)
{
	struct cursor *c = (struct cursor *)cursor;
	struct table *t = (struct table *)cursor->pVtab;
	struct query_part part = { INT64_MIN, INT64_MAX, NULL, -1 };
	char *letters;
	uint64_t columns = strtoull(text, &letters, 16);
	bool groups = letters[1] == (char)IN_GROUPS;
	(void)number;
	letters += groups ? 2 : 1;
	for (int i = 0; i < n; i++)
		take_argument(&part, (enum what)letters[i], values[i]);
	/* By it blocks are left out. */
	if (!groups && (part.begin > INT64_MIN || part.end < INT64_MAX))
		columns |= 1;
	query_place_fini(&c->place);
	const struct query_kept *k = groups ? query_make_groups(t->q, t->about, &part, columns)
					    : query_make(t->q, t->about, &part, columns);
	int rc = k ? query_place_init(&c->place, &k->rows, &t->q->failed) : t->q->failed_with;
	if (rc) {
		t->q->failed_with = rc;
		sqlite3_free(t->base.zErrMsg);
		t->base.zErrMsg = sqlite3_mprintf("%s", t->q->failed.text);
		return SQLITE_ERROR;
	}
	c->begin = part.begin;
	c->end = part.end;
	c->is_of_all = k->is_all;
	c->counts = k->counts;
	c->given = c->before = 0;
	c->has_weights = groups && query_can_weigh(t->q);
	enter(c);
	weigh(c);
	return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *cursor)
{
	struct cursor *c = (struct cursor *)cursor;
	struct query_place *p = &c->place;
	if (c->counts && !c->has_weights) {
		uint64_t count = c->counts[p->block * QUERY_BLOCK + p->row];
		if (++c->given < count)
			return SQLITE_OK;
		c->given = 0;
		c->before += count;
	}
	if (++p->row == p->rows->blocks[p->block].n) {
		p->block++;
		enter(c);
	}
	if (c->has_weights)
		weigh(c);
	return SQLITE_OK;
}

static int is_at_end(sqlite3_vtab_cursor *cursor)
{
	return ((struct cursor *)cursor)->is_at_end;
}

static int column(sqlite3_vtab_cursor *cursor, sqlite3_context *out, int i)
{
	struct cursor *c = (struct cursor *)cursor;
	const struct table *t = (const struct table *)cursor->pVtab;
	size_t at = (size_t)i < t->n_columns ? (size_t)i : t->kind;
	struct mer_cell cell = query_place_cell(&c->place, at);
	enum mer_type type = at < t->n_columns ? t->about->columns[at].type : MER_TEXT;
	if (!cell.set)
		sqlite3_result_null(out);
	else if (type == MER_TEXT) /* of rows that stay until the statement has ended */
		sqlite3_result_text(out, cell.v.text, -1, SQLITE_STATIC);
	else if (mer_type_is_real(type))
		sqlite3_result_double(out, cell.v.f);
	else
		sqlite3_result_int64(out, cell.v.i);
	return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *id)
{
	const struct cursor *c = (const struct cursor *)cursor;
	struct query *q = ((struct table *)cursor->pVtab)->q;
	*id = c->counts ? (sqlite3_int64)(c->before + c->given)
			: (sqlite3_int64)c->place.block * QUERY_BLOCK + c->place.row;
	q->needs_whole |= !c->is_of_all;
	return c->is_of_all ? SQLITE_OK : SQLITE_ABORT;
}

static const sqlite3_module module = { /* no xCreate: each is there under its own name */
	.xConnect = connect,
	.xBestIndex = best_index,
	.xDisconnect = disconnect,
	.xOpen = open_cursor,
	.xClose = close_cursor,
	.xFilter = filter,
	.xNext = next,
	.xEof = is_at_end,
	.xColumn = column,
	.xRowid = rowid
};

int query_add_tables(struct query *q, struct mer_err *err)
{
	struct named *named = mer_arena_alloc(&q->arena, q->n_tables * sizeof(*named));
	int rc = named ? SQLITE_OK : SQLITE_NOMEM;
	for (size_t i = 0; i < q->n_tables && rc == SQLITE_OK; i++) {
		named[i] = (struct named){ q, &q->tables[i] };
		rc = sqlite3_create_module_v2(q->db, q->tables[i].name, &module, &named[i], NULL);
	}
	return rc ? mer_fail_nomem(err) : 0;
}
