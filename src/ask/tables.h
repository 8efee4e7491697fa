/* Tables of verbs: which tables an answer has, and their columns, before anybody asks: for queries
 * in SQL. Those of analyses are not here, as their own descriptions have them.
 *
 * Columns come from the code that makes the tables, which is run about nothing at all: whoever adds
 * a column to a table has added it here. A table that an answer has only sometimes is here
 * always, those of views where there are some. */
#ifndef MER_ASK_TABLES_H
#define MER_ASK_TABLES_H

#include "ask/answer.h"

struct ask_verb_tables {
	const char *name;   /* which tables are called: "requests", before their id */
	const char *words;  /* the question that has them, with all rows */
	const char *itself; /* the table whose id is the verb is called so; NULL: there is none */
	const char *title;  /* of tables that have none */
	const char *needs;  /* the analysis whose events an answer with rows needs; NULL: none */
	/* Adds the tables, without rows that count; columns live as long as a, or longer. The other
	 * one, of which there is one of the two: where answers with views have more. */
	void (*add)(struct answer *a);
	void (*add_of_views)(struct answer *a, bool views);
};
extern const struct ask_verb_tables ask_verb_tables[]; /* ends with {0} */

/* The functions, beside the code that fills the tables. */
void ask_requests_tables(struct answer *a, bool views);
void ask_requests_list_tables(struct answer *a, bool views);
void ask_requests_explain_tables(struct answer *a);
void ask_requests_cost_tables(struct answer *a);
void ask_requests_cost_list_tables(struct answer *a);
void ask_blocked_tables(struct answer *a);
void ask_sync_tables(struct answer *a);
void ask_latency_tables(struct answer *a);
void ask_latency_messages_tables(struct answer *a);
void ask_stats_tables(struct answer *a);
void ask_check_tables(struct answer *a);
void ask_info_tables(struct answer *a);

#endif
