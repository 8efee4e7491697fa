/* Printing of what a task waited for and what it cost (cmd_task.c): the tables blocking,
 * accounting, resources and rest, for people and for programs. */
#ifndef MER_ASK_PATH_TASK_PRINT_H
#define MER_ASK_PATH_TASK_PRINT_H

#include "ask/answer.h"
#include "path/account.h"
#include "base/table.h"
#include "ask/session.h"
#include "session/account.h"

enum ask_cost_table {
	ASK_COST_DEFAULT, /* all, but in CSV and JSON Lines accounting */
	ASK_COST_ALL,
	ASK_COST_BLOCKING,
	ASK_COST_ACCOUNTING,
	ASK_COST_RESOURCES,
	ASK_COST_RESIDUAL,
	ASK_COST_RELATIONS
};

struct ask_cost {
	struct ask *ask;
	const struct session_world *w;
	const struct account *a;
	unsigned only;	/* enum ask_cost_table; not _DEFAULT */
	uint64_t limit; /* of rows of each table; 0: none for programs, a screenful for people */
	bool averaged;	/* no rests are known */
	/* It is a request: its id and kind; NULL: a task. No waits and rests are known then. */
	const char *request, *kind;
};

/* Its tables (session/account.h), with texts that live as long as c->ask. */
static inline struct session_account ask_cost_account(const struct ask_cost *c)
{
	return (struct session_account){ .w = c->w,
		.a = c->a,
		.arena = &c->ask->arena,
		.averaged = c->averaged,
		.of_request = c->request != NULL };
}

/* Its place in the tree: indented, "wget/123", with " on HOST" where that is another one than its
 * parent's. */
void ask_cost_put_node(const struct ask_cost *c, const struct account_node *n, struct mer_str *out);
/* For people: memory, disks and network of the nodes that rows says, and what of these was not
 * recorded. */
void ask_cost_put_resources(const struct ask_cost *c, const bool *rows, struct mer_str *out);

/* Who started it, whom it started, whose work ended its waits and whose waits it ended: as a table
 * for programs (mer_table_fini in any case), and for people, at most limit rows of each kind. */
int ask_cost_relations(const struct ask_cost *c, struct mer_table *t);
int ask_cost_put_relations(const struct ask_cost *c, size_t limit, struct mer_str *out);

/* For programs: the tables that are asked for, and which task or request it is; x lives as long as
 * a, mer_table_fini for each of its tables in any case. */
enum { ASK_COST_TABLES = ASK_COST_RELATIONS - ASK_COST_BLOCKING + 1 };
struct ask_cost_tables {
	struct mer_table item[ASK_COST_TABLES];
	size_t n;
};
int ask_cost_answer(const struct ask_cost *c, struct ask_cost_tables *x, struct answer *a);

/* As --format says. */
int ask_cost_print(const struct ask_cost *c);
/* In the layout of the first such report: names in 30 columns, numbers in 12, ms with three
 * decimals. */
int ask_cost_print_flightbox(const struct ask_cost *c, struct mer_str *out);

#endif
