/* The cost of a task, for programs. */
#include "ask/print/answer_print.h"
#include "ask/path/task_print.h"

static struct mer_table *next_table(struct ask_cost_tables *x)
{
	return &x->item[x->n++];
}

/* The tables that are asked for, as far as they are known. */
static int make_tables(const struct ask_cost *c, struct ask_cost_tables *x, struct answer *a)
{
	static const enum session_account_table which[] = {
		[ASK_COST_BLOCKING] = SESSION_BLOCKING,
		[ASK_COST_ACCOUNTING] = SESSION_ACCOUNTING,
		[ASK_COST_RESOURCES] = SESSION_RESOURCES,
		[ASK_COST_RESIDUAL] = SESSION_RESIDUAL,
	};
	const struct session_account account = ask_cost_account(c);
	int rc = 0;
	for (unsigned i = ASK_COST_BLOCKING; i <= ASK_COST_RELATIONS && !rc; i++) {
		bool of_task = i == ASK_COST_BLOCKING || i >= ASK_COST_RESIDUAL;
		if ((c->only != ASK_COST_ALL && c->only != i) ||
			(i >= ASK_COST_RESOURCES && c->averaged) || (of_task && c->request))
			continue;
		struct mer_table *t = next_table(x);
		rc = i == ASK_COST_RELATIONS
			     ? ask_cost_relations(c, t)
			     : session_account_table(&account, which[i], t, &c->ask->err);
		mer_table_limit(t, c->limit);
		answer_add_made(a, t);
	}
	return rc;
}

static void add_request(const struct ask_cost *c, struct answer *a)
{
	enum { ID, KIND, LATENCY, CPU, N };
	static const struct mer_column columns[N + 1] = {
		[ID] = { "id", NULL, MER_TEXT },
		[KIND] = { "kind", NULL, MER_TEXT },
		[LATENCY] = { "latency_ns", NULL, MER_DURATION },
		[CPU] = { "cpu_ns", NULL, MER_DURATION },
	};
	const struct account_node *n = &c->a->nodes[0];
	mer_table_add(answer_add_beside(a, "request", NULL, columns),
		(struct mer_cell[N]){
			[ID] = mer_text(c->request),
			[KIND] = mer_text(c->kind),
			[LATENCY] = MER_INT(c->a->end - c->a->begin),
			[CPU] = MER_INT(n->self_ns + n->children_ns),
		});
}

static void add_task(const struct ask_cost *c, struct answer *a)
{
	enum { HOST, TID, PID, COMM, PROGRAM, ELAPSED, BLOCKED, N };
	static const struct mer_column columns[N + 1] = {
		[HOST] = { "host", NULL, MER_TEXT },
		[TID] = { "tid", NULL, MER_ID },
		[PID] = { "pid", NULL, MER_ID },
		[COMM] = { "comm", NULL, MER_TEXT },
		[PROGRAM] = { "program", NULL, MER_TEXT },
		[ELAPSED] = { "elapsed_ns", NULL, MER_DURATION },
		[BLOCKED] = { "blocked_ns", NULL, MER_DURATION },
	};
	const struct account *x = c->a;
	const struct kernel_host *h = &c->w->world->hosts[x->host];
	const struct kernel_task *k = &h->tasks[x->task];
	mer_table_add(answer_add_beside(a, "task", NULL, columns),
		(struct mer_cell[N]){
			[HOST] = mer_text(c->w->e->hosts[x->host].name),
			[TID] = MER_INT(k->tid),
			[PID] = mer_natural(k->pid),
			[COMM] = mer_text_if_any(kernel_comm(h, x->task)),
			[PROGRAM] = mer_text_if_any(x->program),
			[ELAPSED] = MER_INT(x->end - x->begin),
			[BLOCKED] = MER_INT(x->waited_ns),
		});
}

int ask_cost_answer(const struct ask_cost *c, struct ask_cost_tables *x, struct answer *a)
{
	int rc = make_tables(c, x, a);
	a->begin = c->a->begin;
	a->end = c->a->end;
	if (c->request)
		add_request(c, a);
	else
		add_task(c, a);
	return rc;
}
