/* State: what a query is made of, for the files of this folder. */
#ifndef MER_QUERY_STATE_H
#define MER_QUERY_STATE_H

#include <sqlite3.h>
#include "query/query.h"
#include "query/rows.h"
#include "query/tables.h"

/* Which rows of a table: all of them that begin in [begin, end), of this host and thread. */
struct query_part {
	int64_t begin, end; /* INT64_MIN, INT64_MAX: not limited */
	const char *host;   /* NULL: all */
	int64_t tid;	    /* below 0: all */
};

/* Rows that were made for a statement. They stay until it has ended, as its values point to them,
 * and longer where there is room: see query_forget. */
struct query_kept {
	struct query_kept *next;
	bool is_all; /* part is not limited */
	const struct query_table *table;
	struct query_part part;
	struct query_rows rows;
	uint64_t *counts; /* rows are groups: of each, how many; NULL: they are no groups */
};

struct query {
	struct query_of of;
	struct mer_arena arena;
	struct query_table *tables;
	size_t n_tables;
	sqlite3 *db;
	struct query_kept *kept;
	/* The last one about another verb than those of analyses; NULL: there is none. */
	const struct ask_verb_tables *answer_of;
	struct answer answer;
	struct mer_err failed; /* why rows could not be made; code 0: they could */
	int failed_with;
	/* Of the statement that is being run, by table: is it named; how often was it made? */
	bool is_named[QUERY_TABLES];
	unsigned n_made[QUERY_TABLES];
	/* SQLite asks which row is which (OR, RIGHT JOIN). Of parts that were made apart nobody
	 * knows, so the statement begins again, with all rows of each table. */
	bool is_of_whole, needs_whole;
	/* Of rows that stand for several (groups.h): what the statement is like, and how many the
	 * row stands for that a scan has reached. */
	bool is_plain, has_group, has_order, counts_rows, has_other_function, has_other_table;
	char table_read[64];
	unsigned n_cursors; /* open ones, of all tables */
	uint64_t weight;
	bool is_declaring; /* a virtual table, which SQLite takes for a CREATE */
	bool is_refused;   /* the statement would do more than read */
};

/* A virtual table of each table, under its name. */
int query_add_tables(struct query *q, struct mer_err *err);
/* Can the table be made of what the command selects? MER_ERR_USAGE: its verb knows no such
 * option. */
int query_check_table(const struct query *q, const struct query_table *t, struct mer_err *err);
/* Before rows of these tables are made. */
int query_prepare(struct query *q, const bool *is_wanted, struct mer_err *err);
/* Rows of at least this part with at least these columns; NULL: q->failed says why there are
 * none. */
struct query_kept *query_make(struct query *q, const struct query_table *t,
	const struct query_part *part, uint64_t columns);
/* The same of facts as groups (groups.h) by exactly these columns. */
struct query_kept *query_make_groups(struct query *q, const struct query_table *t,
	const struct query_part *part, uint64_t columns);
/* Hands over each row of a table that is not of facts, with cells of all its columns. */
typedef int query_take_row(void *ctx, const struct mer_cell *cells, struct mer_err *err);
int query_each_row(struct query *q, const struct query_table *t, query_take_row *take, void *ctx,
	struct mer_err *err);
void query_forget_answer(struct query *q);
/* Rows that are kept beyond what memory should hold, or all; no statement is being run. */
void query_forget(struct query *q, bool all);

#endif
