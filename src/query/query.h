/* Query: questions in SQL about the tables of a session (tables.h), by way of SQLite.
 *
 *   statement ──query_run──→ SQLite ──module.c──→ rows that are needed ──make.c──→ session
 *                               └──result.h──→ rows of the answer
 *
 * A statement only reads: what would write, attach, load or change settings is refused. Part of the
 * library, where SQLite is (library.c). */
#ifndef MER_QUERY_QUERY_H
#define MER_QUERY_QUERY_H

#include <stdbool.h>
#include "base/err.h"
#include "base/str.h"
#include "query/result.h"
#include "session/selection.h"

struct query;
struct mer_session; /* meridian/session.h */
struct query_table;

struct query_of {
	struct mer_session *session;
	const struct session_selection *select; /* of all tables */
	bool views;				/* the session has some */
	/* Before the first rows are needed: messages will be needed, too. */
	int (*prepare)(void *ctx, bool messages, struct mer_err *err);
	void *ctx;
	uint64_t most_rows; /* of a result, which then says that it is cut; 0: all */
};

/* All is borrowed. */
int query_new(const struct query_of *of, struct query **q, struct mer_err *err);
void query_free(struct query *q); /* NULL is fine */
/* Runs the first statement of sql; *rest is what follows. r: zeroed, or of an earlier statement;
 * without columns if there is no statement. MER_ERR_USAGE: what is wrong with the statement, and
 * where. query_result_fini in any case. */
int query_run(struct query *q, const char *sql, const char **rest, struct query_result *r,
	struct mer_err *err);
/* Is sql complete, with its semicolon? */
bool query_is_complete(const char *sql);

/* Tables of the last statement that have no rows at all; how many. */
size_t query_empty_tables(const struct query *q, const struct query_table **tables, size_t most);

/* Tables of these names, or all, to a database file, which is replaced when all are there. made:
 * gets a row for each. */
extern const struct mer_column query_saved_columns[];
int query_save(struct query *q, const char *path, const char *const *names, size_t n,
	struct mer_table *made, struct mer_err *err);

#endif
