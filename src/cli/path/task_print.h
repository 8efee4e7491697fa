/* Printing of what a task waited for and what it cost (cmd_task.c): the tables blocking,
 * accounting, resources and rest, for people and for programs. */
#ifndef MER_CLI_PATH_TASK_PRINT_H
#define MER_CLI_PATH_TASK_PRINT_H

#include "ask/answer.h"
#include "path/account.h"
#include "base/table.h"
#include "cli/session.h"
#include "session/account.h"

enum cli_cost_table {
	CLI_COST_DEFAULT, /* all, but in CSV and JSON Lines accounting */
	CLI_COST_ALL,
	CLI_COST_BLOCKING,
	CLI_COST_ACCOUNTING,
	CLI_COST_RESOURCES,
	CLI_COST_RESIDUAL,
	CLI_COST_RELATIONS
};

struct cli_cost {
	struct cli *cli;
	const struct session_world *w;
	const struct account *a;
	unsigned only;	/* enum cli_cost_table; not _DEFAULT */
	uint64_t limit; /* of rows of each table; 0: none for programs, a screenful for people */
	bool averaged;	/* no rests are known */
	/* It is a request: its id and kind; NULL: a task. No waits and rests are known then. */
	const char *request, *kind;
};

/* Its tables (session/account.h), with texts that live as long as c->cli. */
static inline struct session_account cli_cost_account(const struct cli_cost *c)
{
	return (struct session_account){ .w = c->w,
		.a = c->a,
		.arena = &c->cli->arena,
		.averaged = c->averaged,
		.of_request = c->request != NULL };
}

/* Its place in the tree: indented, "wget/123", with " on HOST" where that is another one than its
 * parent's. */
void cli_cost_put_node(const struct cli_cost *c, const struct account_node *n, struct mer_str *out);
/* For people: memory, disks and network of the nodes that rows says, and what of these was not
 * recorded. */
void cli_cost_put_resources(const struct cli_cost *c, const bool *rows, struct mer_str *out);

/* Who started it, whom it started, whose work ended its waits and whose waits it ended: as a table
 * for programs (mer_table_fini in any case), and for people, at most limit rows of each kind. */
int cli_cost_relations(const struct cli_cost *c, struct mer_table *t);
int cli_cost_put_relations(const struct cli_cost *c, size_t limit, struct mer_str *out);

/* For programs: the tables that are asked for, and which task or request it is; x lives as long as
 * a, mer_table_fini for each of its tables in any case. */
enum { CLI_COST_TABLES = CLI_COST_RELATIONS - CLI_COST_BLOCKING + 1 };
struct cli_cost_tables {
	struct mer_table item[CLI_COST_TABLES];
	size_t n;
};
int cli_cost_answer(const struct cli_cost *c, struct cli_cost_tables *x, struct answer *a);

/* As --format says. */
int cli_cost_print(const struct cli_cost *c);
/* In the layout of the first such report: names in 30 columns, numbers in 12, ms with three
 * decimals. */
int cli_cost_print_flightbox(const struct cli_cost *c, struct mer_str *out);

#endif
