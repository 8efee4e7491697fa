/* meridian blocked: what tasks waited for, as far as somebody felt it. */
#include "ask/path/blocked_print.h"
#include "ask/requests/one_request.h"
#include "ask/tasks.h"
#include "ask/verb.h"
#include "ask/session.h"
#include "session/blocked.h"

struct values {
	bool all, flat;
	uint64_t depth, limit;
	struct ask_request_values request;
};

enum { DEPTH = 3, DEPTH_MAX = 50 };

struct asking {
	struct ask *ask;
	const struct values *v;
};

static int show(void *ctx, const struct session_world *w, const struct session_tasks *tasks)
{
	const struct asking *asked = ctx;
	const struct values *v = asked->v;
	struct ask *ask = asked->ask;
	struct ask_blocked c = {
		.ask = ask, .w = w, .limit = v->limit, .chosen = session_selects_tasks(&ask->select)
	};
	struct session_blocked x = { 0 };
	const struct session_blocked_options o = { .all = v->all,
		.chosen = c.chosen,
		.depth = v->flat    ? 0
			 : v->depth ? (unsigned)v->depth
			 : c.chosen ? DEPTH
				    : 0 };
	int rc = session_blocked_find(w, tasks, &ask->window, &o, &x, &ask->err);
	c.tree = &x.tree;
	c.n_left = x.n_left;
	c.left_ns = x.left_ns;
	if (!rc)
		rc = ask_blocked_print(&c);
	session_blocked_fini(&x);
	return rc;
}

/* ---- of a request ---- */

/* Does its task wait in this part? */
static bool is_wait(const struct requests_part *p)
{
	return p->host != KERNEL_NONE && p->task != KERNEL_NONE && p->kind != REQUESTS_QUEUED &&
	       p->cause != PATH_RUNNING && p->cause != PATH_INTERRUPTED &&
	       p->cause != PATH_RUNNABLE && p->cause != PATH_STOLEN &&
	       p->cause != PATH_HYPERVISOR && p->cause != PATH_UNKNOWN;
}

/* Each part in which somebody waits is a wait of that task, in the part's time. */
static int fill_request(struct ask_blocked *c, const struct ask_request *q, struct blocked_tree *t,
	struct blocked_scope *scope)
{
	struct mer_err *err = &c->ask->err;
	struct requests_parts parts = { 0 };
	int rc = requests_parts_find_each(q->parts, q->number, &parts, err);
	for (size_t i = 0, k; rc == 0 && i < parts.n; i = k) {
		const struct requests_part *p = &parts.item[i];
		scope->begin = p->begin;
		while (p->is_kernels && i + 1 < parts.n)
			p = &parts.item[++i]; /* meanwhile somebody waits for the packet */
		scope->end = p->end;
		for (k = i + 1; is_wait(p) && k < parts.n && parts.item[k].host == p->host &&
				parts.item[k].task == p->task && is_wait(&parts.item[k]);)
			scope->end = parts.item[k++].end;
		if (!is_wait(p))
			continue;
		rc = blocked_tree_add(t, p->host, p->task, scope, err);
		/* A wait that the path comes back to is one more. */
		for (uint32_t n = 0; n < t->n; n++)
			t->nodes[n].last_span = KERNEL_NONE;
	}
	requests_parts_fini(&parts);
	return rc ? rc : blocked_tree_sort(t, err);
}

static int show_request(struct ask *ask, const struct values *v)
{
	struct ask_request q;
	struct ask_request_holders holders = { 0 };
	struct blocked b = { 0 };
	struct blocked_tree t = { 0 };
	struct ask_blocked c = { .ask = ask,
		.w = &q.w,
		.tree = &t,
		.limit = v->limit,
		.chosen = true,
		.of_request = true };
	struct blocked_scope scope = {
		.chosen = true, .all = true, .depth = v->flat ? 0 : (unsigned)v->depth
	};
	int rc = ask_request_alone(ask);
	if (rc)
		return rc;
	rc = ask_request_open_chosen(ask, &v->request, &q);
	if (rc == 0) {
		c.begin = q.r->exchanges[q.number].begin;
		c.end = q.r->exchanges[q.number].end;
		rc = blocked_find(q.w.world, &b, &ask->err);
	}
	blocked_tree_init(&t, &b);
	if (rc == 0)
		rc = fill_request(&c, &q, &t, &scope);
	if (rc == 0 && (ask->format <= ASK_FORMAT_JSON || ask->folder)) {
		c.holders = &holders;
		rc = ask_request_holders_find(ask, &q, &holders);
	}
	if (rc == 0)
		rc = ask_blocked_print(&c);
	blocked_tree_fini(&t);
	blocked_fini(&b);
	ask_request_holders_fini(&holders);
	ask_request_close(ask, &q);
	return rc;
}

static int run(struct ask *ask, const void *values)
{
	const struct values *v = values;
	if (v->depth > DEPTH_MAX)
		return mer_fail(&ask->err, MER_ERR_USAGE, "--depth: at most %d", (int)DEPTH_MAX);
	if (v->request.which.id || v->request.which.rule || v->request.by.n)
		return show_request(ask, v);
	return ask_tasks(
		ask, &(struct ask_task_question){
			     .all = true, .print = show, .ctx = &(struct asking){ ask, v } });
}

#define AT(member) offsetof(struct values, member)

static const struct ask_option options[] = {
	{ .name = "all",
		.letter = 'a',
		.kind = ASK_FLAG,
		.help = "also idle waits and waits for input",
		.offset = AT(all) },
	ASK_REQUEST_OPTIONS(
		struct values, request, "waits on the path of a request (requests --list)"),
	{ .name = "depth",
		.kind = ASK_NUMBER,
		.arg = "N",
		.help = "levels of activity below a wait (3 with --tid, --comm)",
		.offset = AT(depth) },
	{ .name = "flat",
		.kind = ASK_FLAG,
		.help = "waits only, without the activity below them",
		.offset = AT(flat) },
	{ .name = "limit",
		.letter = 'n',
		.kind = ASK_LIMIT,
		.arg = "N",
		.help = "at most N rows, the longest",
		.offset = AT(limit) },
	{ 0 },
};

const struct ask_verb ask_verb_blocked = {
	.name = "blocked",
	.help = "what tasks waited for, and what others did meanwhile",
	.synopsis = "[OPTION...] TRACE...",
	.description = "Adds up the waits of each task by system call or page fault, object and cause. "
		       "With --tid or --comm it also shows what other tasks, on any host, did in the "
		       "meantime, and what these waited for. Idle waits are left out: a server "
		       "waiting for its next request, a shell for input, a daemon for work.",
	.more = "A wait is idle (for work) if the task that ended it acts as a client of the waiting "
		"task: it connected to a task that accepts, forked it, or sent the first message "
		"between the two and gets replies. accept is always idle; a wait on a connection that "
		"the task opened itself never is. Messages from hosts that were not recorded count as "
		"requests if the receiving process accepts connections.\n\n"
		"Without --tid or --comm the table has the waits of programs that started or ended in "
		"the recording (except servers), waits for replies, and the waits of the tasks that "
		"worked in the meantime. With --tid or --comm it has all waits of these tasks except "
		"those for work and for input. --all adds the others, marked as such.\n\n"
		"--request adds up the waits on the path of a request that meridian-requests(1) found: of "
		"each task in the time in which the request was with it. All of them are shown, without "
		"what is below them (--depth shows it). While a request is under way, the "
		"server's wait for it is marked as idle. Below that are the tasks that held the request "
		"up, as meridian requests --explain names them: who had the CPU, the disk, the lock, the "
		"connection of a pool, or was served instead, and for which request. " ASK_REQUEST_MANUAL "\n\n"
		"A call that times out and is repeated on the same objects, with nothing sent or "
		"received in between, is one wait; its cause is what ended the last one. A page fault "
		"is a wait outside any system call. The rows below a wait are the part of the critical "
		"path inside it (see meridian-path(1)). Waits are cut to --begin and --end. Max and, on "
		"wide terminals, Mean refer to single waits; --json and CSV have min, max, mean and "
		"runnable_ns, the run-queue delay: from the wake-up until the task had a CPU.",
	.formats = "table|json|jsonl|csv",
	.of_states = true,
	.uses = ASK_USES_TASKS | ASK_USES_TABLES,
	.options = options,
	.values_size = sizeof(struct values),
	.min_args = 1,
	.max_args = -1,
	.args = "TRACE",
	.examples = {
		{ "meridian blocked client/ server/", "The waits that delayed somebody, longest first." },
		{ "meridian blocked --comm wget client/ server/",
			"What wget waited for, and what the server did in that time." },
	},
	.run = run,
};
