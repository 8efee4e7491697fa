/* Tables: what a query may name. Rows of 'log KIND' are the table KIND; a table of another verb has
 * the verb in front: top_cpu, top_cpu_processes, stats_syscall, requests_kinds, sync_hosts.
 *
 * All rows are there: the tracer's own and idle waits, too. Those of facts are what files of a lake
 * have (ask/lake), under the same names. */
#ifndef MER_QUERY_TABLES_H
#define MER_QUERY_TABLES_H

#include "analysis/analysis.h"
#include "ask/tables.h"

enum { QUERY_TABLES = 256 };

struct query_table {
	const char *name, *title;
	const struct mer_column *columns;
	struct analysis_request request; /* of an analysis; else zeroed */
	/* Of another verb: the question, and the table of its answer; NULL: of an analysis. */
	const struct ask_verb_tables *asked;
	const char *id;
	/* The analysis whose events must have been recorded, or no row is no answer; NULL: none. */
	const char *needs;
	bool is_facts; /* each row is something that happened, with its time in the first column */
	/* What a row says depends on what else was looked at, so nothing is looked at apart: the
	 * class of a wait, amounts. */
	bool is_whole;
	/* Column `kind`, which in a lake is of a folder: so it has this name there; NULL: none. */
	const char *lake_kind;
};

/* All, those of facts first; texts in the arena. views: states of programs, too. *n = 0: no
 * memory. */
struct query_table *query_tables(struct mer_arena *arena, bool views, size_t *n);
const struct query_table *query_table_find(
	const struct query_table *tables, size_t n, const char *name);
/* "no table 'x'; did you mean ...?": MER_ERR_USAGE. */
int query_no_table(
	const struct query_table *tables, size_t n, const char *name, struct mer_err *err);
/* The one with the most similar name; NULL: none is similar. */
const char *query_table_meant(const struct query_table *tables, size_t n, const char *name);
/* INTEGER, REAL or TEXT. */
const char *query_type_of(enum mer_type type);
struct mer_str;
/* The statement that would make the table; hidden: with what is not among its columns. */
void query_table_schema(const struct query_table *t, bool hidden, struct mer_str *out);
/* A name between quotes, if it needs them. */
void query_put_name(struct mer_str *out, const char *name);

#endif
