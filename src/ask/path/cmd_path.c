/* meridian path: where the time of a task went, on whichever machine. */
#include <string.h>

#include "ask/print/answer_print.h"
#include "ask/path/path_answer.h"
#include "ask/path/path_children.h"
#include "ask/path/path_print.h"
#include "ask/requests/one_request.h"
#include "ask/session.h"
#include "ask/tasks.h"
#include "ask/print/text.h"
#include "ask/verb.h"

struct values {
	uint64_t nth, limit;
	const char *collapse, *plot;
	struct ask_request_values request;
	bool list, children, absolute;
};

/* "1ms", "500us", "0" */
static int read_collapse(struct ask *ask, const char *text, int64_t *ns)
{
	struct session_moment m = { 0 };
	char after[64];
	*ns = ASK_COLLAPSE_AUTO;
	if (!text)
		return 0;
	*ns = 0;
	if (strcmp(text, "0") == 0)
		return 0;
	snprintf(after, sizeof(after), "+%s", text);
	size_t len = strlen(after);
	/* Without a unit it would be seconds: nobody means these. */
	if (strlen(text) > 32 || text[0] < '0' || text[0] > '9' ||
		(after[len - 1] >= '0' && after[len - 1] <= '9') ||
		session_moment_parse(&m, after, NULL))
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--collapse: '%.60s' is not 0 or a time with a unit, as 500us or 1ms",
			text);
	*ns = m.ns;
	return 0;
}

static int print_rows(const struct ask_path *c)
{
	struct answer a;
	struct ask_path_answer x;
	ask_answer_init(c->ask, c->w->e, false, &a);
	int rc = ask_path_answer(c, &x, &a);
	if (rc == 0)
		rc = ask_answer_print(c->ask, &a);
	answer_fini(&a);
	return rc;
}

static int print(const struct ask_path *c)
{
	struct mer_str out = { 0 };
	int rc;
	switch ((enum ask_format)c->ask->format) {
	case ASK_FORMAT_JSON:
	case ASK_FORMAT_CSV:
	case ASK_FORMAT_JSONL: return print_rows(c);
	case ASK_FORMAT_DOT: rc = ask_path_dot(c, &out); break;
	case ASK_FORMAT_FOLDED: rc = ask_path_folded(c, &out); break;
	case ASK_FORMAT_SPEEDSCOPE: rc = ask_path_speedscope(c, &out); break;
	default: rc = ask_path_text(c, &out);
	}
	return ask_put(c->ask, &out, rc);
}

struct asking {
	struct ask *ask;
	const struct values *v;
	int64_t collapse_ns;
};

static int show(void *ctx, const struct session_world *w, const struct session_tasks *tasks)
{
	const struct asking *x = ctx;
	struct ask *ask = x->ask;
	uint32_t host = tasks->item[0].host, task = tasks->item[0].task;
	if (x->v->children)
		return ask_path_children(ask, w, host, task, x->v->limit);
	struct path p = { 0 };
	struct ask_path c = { .ask = ask,
		.w = w,
		.p = &p,
		.collapse_ns = x->collapse_ns,
		.limit = x->v->limit,
		.absolute = x->v->absolute };
	int rc = path_find(w->world, host, task, ask->window.begin, ask->window.end, &p, &ask->err);
	if (rc == 0)
		rc = print(&c);
	if (rc == 0 && x->v->plot)
		rc = ask_path_plot(&c, x->v->plot);
	path_fini(&p);
	return rc;
}

/* ---- of a request ---- */

static int ask_request(const struct asking *x)
{
	struct ask *ask = x->ask;
	struct ask_request q;
	struct ask_request_holders holders = { 0 };
	struct path p = { 0 };
	struct ask_path c = { .ask = ask,
		.w = &q.w,
		.p = &p,
		.collapse_ns = x->collapse_ns,
		.limit = x->v->limit,
		.absolute = x->v->absolute };
	int rc = ask_request_open_chosen(ask, &x->v->request, &q);
	if (rc == 0)
		rc = requests_path(q.parts, q.number, &p, &ask->err);
	if (rc == 0 && (ask->format <= ASK_FORMAT_JSON || ask->folder)) {
		c.holders = &holders;
		rc = ask_request_holders_find(ask, &q, &holders);
	}
	if (rc == 0)
		rc = print(&c);
	if (rc == 0 && x->v->plot)
		rc = ask_path_plot(&c, x->v->plot);
	ask_request_holders_fini(&holders);
	path_fini(&p);
	ask_request_close(ask, &q);
	return rc;
}

static int run(struct ask *ask, const void *values)
{
	const struct values *v = values;
	struct asking x = { .ask = ask, .v = v };
	int rc = read_collapse(ask, v->collapse, &x.collapse_ns);
	if (rc)
		return rc;
	if ((v->list || v->children) && ask->format >= ASK_FORMAT_DOT)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"%s is available with --format table, json, jsonl and csv",
			v->list ? "--list" : "--children");
	if (v->plot && (v->list || v->children))
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--plot draws the path: it does not work with --list and --children");
	bool is_request = v->request.which.id || v->request.which.rule || v->request.by.n;
	if (is_request &&
		(v->list || v->children || v->nth || session_selects_tasks(&ask->select) ||
			ask->select.begin.kind || ask->select.end.kind))
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--request selects the task and the time: it does not work with --comm, --tid, --nth, --list, --children, --begin and --end");
	if (is_request)
		return ask_request(&x);
	return ask_tasks(ask, &(struct ask_task_question){ .list = v->list,
				      .nth = v->nth,
				      .limit = v->limit,
				      .print = show,
				      .ctx = &x });
}

#define AT(member) offsetof(struct values, member)

static const struct ask_option options[] = {
	ASK_TASKS_NTH(AT(nth)),
	ASK_TASKS_LIST(AT(list)),
	{ .name = "children",
		.kind = ASK_FLAG,
		.help = "tree of what it started, with the cost of each part",
		.offset = AT(children) },
	ASK_REQUEST_OPTIONS(
		struct values, request, "path of a request (ids: meridian requests --list)"),
	{ .name = "collapse",
		.kind = ASK_TEXT,
		.arg = "TIME",
		.help = "fold pieces shorter than this (1ms; 0: none)",
		.offset = AT(collapse) },
	{ .name = "plot",
		.kind = ASK_PICTURE,
		.arg = "FILE",
		.help = "also draw it, with a lane per task, as SVG (-: alone)",
		.offset = AT(plot) },
	{ .name = "absolute",
		.letter = 'a',
		.kind = ASK_FLAG,
		.help = "times of day in the list, not seconds since the start",
		.offset = AT(absolute) },
	{ .name = "limit",
		.letter = 'n',
		.kind = ASK_LIMIT,
		.arg = "N",
		.help = "at most N lines of the list",
		.offset = AT(limit) },
	{ 0 },
};

const struct ask_verb ask_verb_path = {
	.name = "path",
	.help = "where the time of a task went, across hosts",
	.synopsis = "[OPTION...] --comm NAME | --tid N | --request ID TRACE...",
	.description = "Follows one task over its lifetime. Where it waited, the path shows what it "
		       "waited for: the task that ended the wait, the disk, a timer, or a packet and "
		       "the task on another host that sent it. The parts add up to the elapsed time.",
	.more = "--comm (any name that the task had; * and ? match), --tid and --host select the task. "
		"If several match, it is the first one that started in the recording; --nth selects "
		"another. The window is the recorded lifetime of the task, cut to --begin and "
		"--end.\n\n"
		"The list at the end is in time order; what a task waited for is indented under it. "
		"Adjacent short pieces are folded into one line that says what most of them were. "
		"Without --collapse the list is folded until it fits a screen.\n\n"
		"Packets in flight belong to no task. In --json, total_ns of a row includes the "
		"packets that its task waited for (in_flight_ns); own_ns is the time without them, as "
		"in the tables. Waits that the recording cannot explain are shown as such and never "
		"guessed; unexplained_ns is their sum.\n\n"
		"--request shows the path of a request that meridian-requests(1) found. It follows "
		"the messages, not the tasks: where a server had received it and did something for "
		"others, that time is 'queued'. " ASK_REQUEST_MANUAL "\n\n"
		"--children shows all that the task started: what each program cost, and how much of "
		"that was on the path.\n\n"
		"--format dot writes a graph of tasks for Graphviz, folded the input of flame graph "
		"tools, speedscope a file for speedscope.app; csv and jsonl write the segments.",
	.formats = "table|json|jsonl|csv|dot|folded|speedscope",
	.of_states = true,
	.uses = ASK_USES_TASKS | ASK_USES_VIEWS | ASK_USES_TABLES,
	.options = options,
	.values_size = sizeof(struct values),
	.min_args = 1,
	.max_args = -1,
	.args = "TRACE",
	.examples = {
		{ "meridian path --comm wget client/ server/",
			"Why the first wget took so long, on both hosts." },
		{ "meridian path --comm wget --nth 2 --json client/ server/",
			"The second one, as input for a script." },
	},
	.run = run,
};
