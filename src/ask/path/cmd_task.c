/* meridian task: what one task waited for, and what it cost, with all who worked for it. */
#include <string.h>

#include "ask/session.h"
#include "ask/path/task_print.h"
#include "ask/requests/one_request.h"
#include "ask/tasks.h"
#include "ask/print/text.h"
#include "ask/verb.h"
#include "requests/cost.h"
#include "requests/kinds.h"

struct values {
	uint64_t nth, limit, bins;
	unsigned table, compat; /* enum ask_cost_table, compat */
	struct ask_request_values request;
	bool list, all;
};

enum compat { COMPAT_NONE, COMPAT_FLIGHTBOX };

/* In one CSV file or stream one table is easier to use; -o FOLDER/ has room for all. */
static unsigned table_of(const struct ask *ask, const struct values *v)
{
	bool is_one = ask->format == ASK_FORMAT_CSV || ask->format == ASK_FORMAT_JSONL;
	if (v->table != ASK_COST_DEFAULT)
		return v->table;
	return is_one && !ask->folder ? ASK_COST_ACCOUNTING : ASK_COST_ALL;
}

enum { BINS = 200, BINS_MAX = 1000000 };

static int print(struct ask_cost *c, const struct values *v)
{
	struct mer_str out = { 0 };
	if (v->compat != COMPAT_FLIGHTBOX || c->ask->format != ASK_FORMAT_TABLE)
		return ask_cost_print(c);
	int rc = ask_cost_print_flightbox(c, &out);
	return ask_put(c->ask, &out, rc);
}

struct asking {
	struct ask *ask;
	const struct values *v;
};

static int show(void *ctx, const struct session_world *w, const struct session_tasks *tasks)
{
	const struct asking *asked = ctx;
	const struct values *v = asked->v;
	const struct session_task *t = &tasks->item[0];
	struct ask *ask = asked->ask;
	struct ask_cost c = { .ask = ask,
		.w = w,
		.only = table_of(ask, v),
		.limit = v->limit,
		.averaged = v->compat == COMPAT_FLIGHTBOX };
	struct session_account_found x = { 0 };
	int rc = 0;
	if (c.averaged) {
		rc = blocked_find(w->world, &x.blocked, &ask->err);
		if (!rc)
			rc = account_find_averaged(&x.blocked, t->host, t->task, ask->window.begin,
				ask->window.end, v->bins ? (uint32_t)v->bins : BINS, &x.account,
				&ask->err);
	} else {
		rc = session_account_find(&x, w, t->host, t->task, &ask->window, v->all, &ask->err);
	}
	c.a = &x.account;
	if (!rc)
		rc = print(&c, v);
	session_account_fini(&x);
	return rc;
}

/* ---- of a request ---- */

static int check_request(struct ask *ask, const struct values *v)
{
	/* Several of these may lie in one time of a task: no moment would be charged once. */
	if (v->request.which.rule || !v->request.which.id)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--request: the cost of requests 'BEGIN : END' is not defined, because they may overlap; for the use of CPUs on the path of one: meridian path --request 'BEGIN : END' --request-by KEY --request u1.1; within all of them: meridian top cpu --period 'BEGIN : END'");
	if (v->list || v->nth || v->all || v->compat != COMPAT_NONE)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--request selects the tasks: it does not work with --list, --nth, --all and --compat");
	if (v->table == ASK_COST_BLOCKING || v->table >= ASK_COST_RESIDUAL)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--table %s is of a task: for the waits of a request use 'meridian blocked --request', for where its time went 'meridian path --request'",
			v->table == ASK_COST_BLOCKING	? "blocking"
			: v->table == ASK_COST_RESIDUAL ? "residual"
							: "relations");
	return ask_request_alone(ask);
}

static int show_request(struct ask *ask, const struct values *v)
{
	struct ask_request q = { 0 };
	struct requests_kinds kinds = { 0 };
	struct account a = { 0 };
	struct ask_cost c = { .ask = ask,
		.w = &q.w,
		.a = &a,
		.only = table_of(ask, v),
		.limit = v->limit,
		.request = v->request.which.id };
	int rc = check_request(ask, v);
	if (rc)
		return rc;
	rc = ask_requests_open_used(ask, NULL,
		c.only == ASK_COST_ACCOUNTING ? SESSION_USAGE_DISKS : SESSION_USAGE_ALL, &q);
	if (rc == 0)
		rc = ask_request_find(ask, &q, v->request.which.id, &q.number);
	if (rc == 0)
		rc = requests_kinds_find(q.r, &kinds, &ask->err);
	if (rc == 0)
		rc = ask_requests_find_parts(ask, &q, NULL, 0);
	if (rc == 0)
		rc = requests_account(q.parts, q.r, q.w.usage, q.number, &a, &ask->err);
	if (rc == 0) {
		c.kind = requests_kind_name(&kinds, q.number);
		rc = ask_cost_print(&c);
	}
	account_fini(&a);
	if (kinds.r)
		requests_kinds_fini(&kinds);
	ask_request_close(ask, &q);
	return rc;
}

static int run(struct ask *ask, const void *values)
{
	const struct values *v = values;
	if (v->request.which.id || v->request.which.rule || v->request.by.n)
		return show_request(ask, v);
	if (v->bins && v->compat != COMPAT_FLIGHTBOX)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--bins works only with --compat flightbox; without it all values are exact");
	if (v->all && v->compat == COMPAT_FLIGHTBOX)
		return mer_fail(
			&ask->err, MER_ERR_USAGE, "--all does not work with --compat flightbox");
	if (v->bins > BINS_MAX)
		return mer_fail(&ask->err, MER_ERR_USAGE, "--bins: at most %d", (int)BINS_MAX);
	if (v->compat == COMPAT_FLIGHTBOX &&
		(v->table >= ASK_COST_RESIDUAL || v->table == ASK_COST_RESOURCES))
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--compat flightbox has CPU time only, no tables residual, resources and relations");
	unsigned table = table_of(ask, v);
	bool all = !v->list && v->compat != COMPAT_FLIGHTBOX &&
		   (table == ASK_COST_ALL || table == ASK_COST_RESOURCES);
	return ask_tasks(ask, &(struct ask_task_question){ .usage = v->list ? SESSION_USAGE_NONE
								    : all   ? SESSION_USAGE_ALL
									    : SESSION_USAGE_DISKS,
				      /* Averages are over parts of the whole recording. */
				      .list = v->list,
				      .nth = v->nth,
				      .limit = v->limit,
				      .print = show,
				      .ctx = &(struct asking){ ask, v } });
}

#define AT(member) offsetof(struct values, member)

static const struct ask_option options[] = {
	ASK_TASKS_NTH(AT(nth)),
	ASK_TASKS_LIST(AT(list)),
	{ .name = "all",
		.letter = 'a',
		.kind = ASK_FLAG,
		.help = "also charge work during idle waits",
		.offset = AT(all) },
	ASK_REQUEST_OPTIONS(
		struct values, request, "cost of a request in all servers (requests --list)"),
	{ .name = "table",
		.kind = ASK_CHOICE,
		.arg = "WHICH",
		.choices = "default|all|blocking|accounting|resources|residual|relations",
		.help = "only this table (default: all; with csv: accounting)",
		.offset = AT(table) },
	{ .name = "compat",
		.kind = ASK_CHOICE,
		.arg = "TOOL",
		.choices = "none|flightbox",
		.help = "flightbox: print its report, with its averages",
		.offset = AT(compat) },
	{ .name = "bins",
		.kind = ASK_NUMBER,
		.arg = "N",
		.help = "with --compat: number of bins (default 200)",
		.offset = AT(bins) },
	{ .name = "limit",
		.letter = 'n',
		.kind = ASK_LIMIT,
		.arg = "N",
		.help = "at most N rows of each table",
		.offset = AT(limit) },
	{ 0 },
};

const struct ask_verb ask_verb_task = {
	.name = "task",
	.help = "what a task waited for, and what it cost on all hosts",
	.synopsis = "[OPTION...] --comm NAME | --tid N | --request ID TRACE...",
	.description = "Shows what a task was blocked on, its own CPU time, the CPU time, memory, disk and "
		       "network use of the tasks that worked for it while it waited, on all hosts, "
		       "where the rest of its time went, and whom it had to do with.",
	.more = "Tasks are chosen as for meridian-path(1). The window is the recorded lifetime of the "
		"task, cut to --begin and --end.\n\n"
		"A task that ends a wait has worked for the task that waited. Self is the CPU time "
		"of a task, including interrupts that its CPU served meanwhile: for the chosen task "
		"all of it, for the others the part within the waits that they ended (Waits counts "
		"them). Children is the sum of Self of all tasks below, Total is Self plus Children. The kind "
		"of wait does not matter: read, recvfrom, poll, epoll_wait, futex, wait4 or a page "
		"fault. A wait that was still open at the end of the recording is printed below the "
		"first table.\n\n"
		"Only work on the critical path of a wait is charged. Work in parallel to it is not, "
		"so Children never exceeds the time that the task waited. With --all, Self of a task, "
		"summed over its rows, is the time on a CPU that meridian-path(1) gives it on the path of "
		"the chosen task. Without --all, idle waits (see meridian-blocked(1)) are not "
		"charged, because a client does not work for the server that waits for it: then it is "
		"less by what other tasks did in waits of the cause 'idle wait'. Use --all where a wait "
		"is taken for idle by mistake.\n\n"
		"A server answers one client, then another one, who has waited meanwhile. Both are charged "
		"for all that it did while they waited; how much of Self the server spent for clients that "
		"it answered before is for_others_ns in JSON and CSV, and a line below the table. Memory, "
		"disk and network of that time are charged to the first client alone. Tasks that the server "
		"woke, but that had sent no request to it, are no clients.\n\n"
		"On a single CPU a server often runs before its client begins to wait. The client is "
		"runnable then, and its time is counted so; how much of it the server worked "
		"is while_runnable_ns.\n\n"
		"The table after that shows the time without CPU time, by cause and task. Its sum and Total "
		"of the chosen task add up to the elapsed time. The last one names the tasks that it had "
		"to do with: who started it, whose work ended its waits and for how long it was "
		"blocked until then, who waited for it (idle waits are left out), and what it started. "
		"'meridian graph' shows all tasks, and through what they are related.\n\n"
		"Memory pages allocated and freed, page faults, bytes of disk requests, bytes of calls "
		"on files and sockets, and packets are charged by the same rule. The text table shows "
		"for each task what it used itself, and the sum in the last row; empty columns are left "
		"out, and data that was not recorded is named below. JSON and CSV (--table resources) "
		"have self_, children_ and total_ columns, empty where nothing was recorded. For the "
		"chosen task itself the values are those of meridian-top(1).\n\n"
		"--request shows what a request that meridian-requests(1) found cost in all servers: each "
		"moment of a task is charged to the request that it served at that moment, and the work of "
		"a task that served none to the request of the task whose wait it ended. Below a task "
		"are those that answered its requests; Requests counts them. The tables accounting and "
		"resources are available. 'meridian requests --cost' shows all requests, and what was "
		"used for none.\n\n"
		"--compat flightbox prints the report as flightbox, the first tool with such a "
		"report, printed it, and computes it the same way: CPU usage is averaged over --bins equal parts of "
		"the recording, and a wait counts all bins from the one in which it begins up to, but "
		"excluding, the one in which it ends. Without it values are exact.",
	.formats = "table|json|jsonl|csv",
	.of_states = true,
	.uses = ASK_USES_TASKS | ASK_USES_TABLES,
	.options = options,
	.values_size = sizeof(struct values),
	.min_args = 1,
	.max_args = -1,
	.args = "TRACE",
	.examples = {
		{ "meridian task --comm wget client/ server/",
			"Show what wget cost, on both hosts." },
		{ "meridian task --comm wget --table blocking --format csv client/ server/",
			"Write what it was blocked on as CSV." },
	},
	.run = run,
};
