/* meridian graph: who talks to whom, through what, and who waits for whom. */
#include <stdlib.h>
#include <string.h>

#include "ask/library/api.h"
#include "ask/path/graph.h"
#include "ask/reports/grid.h"
#include "ask/session.h"
#include "ask/tasks.h"
#include "ask/print/text.h"
#include "ask/verb.h"
#include "draw/graph.h"

enum { SCREENFUL = 20, EDGES = 10 }; /* for people */
enum by { BY_PROGRAM, BY_TASK };

struct values {
	struct ask_amount limit;
	const char *plot;
	unsigned by; /* enum by */
	bool all, requests;
	struct ask_period_values period;
};

/* Without what is only the kernel's own work: that is counted. */
static void drop_kernel(struct ask_graph *g, struct mer_table *t)
{
	size_t n = 0;
	for (size_t r = 0; r < t->n_rows; r++) {
		const struct mer_cell *c = &t->cells[r * t->n_columns];
		if (strcmp(c[RELATION_KIND].v.text, relation_kind_name(RELATION_KERNEL)) == 0) {
			g->n_kernel++;
			continue;
		}
		if (n < r)
			memcpy(&t->cells[n * t->n_columns], c, t->n_columns * sizeof(*c));
		n++;
	}
	t->n_rows = n;
}

/* Of the rows as they are now; asked_by: the option that wants a picture, for errors; NULL: for
 * Graphviz. */
static int draw(const struct ask_graph *g, const struct values *v, struct mer_cancel *cancel,
	const char *asked_by, struct mer_str *out)
{
	enum { WIDTH = 78 };
	struct mer_err *err = &g->ask->err;
	struct mer_str why = { 0 }, fix = { 0 }, lines = { 0 };
	int rc = ask_graph_why_empty(g, &why, &fix);
	if (why.data)
		ask_text_wrap(&lines, why.data, WIDTH, 0);
	mer_str_puts(&lines, fix.data ? fix.data : "");
	struct draw_graph drawing = { .table = g->table,
		.requests = g->requests,
		.by_task = v->by == BY_TASK,
		.limited = !v->limit.set,
		.why_empty = lines.data,
		.how_to_see_all = "--limit 0 draws all",
		.cancel = cancel };
	out->failed |= why.failed || fix.failed || lines.failed;
	if (rc == 0 && !asked_by)
		rc = draw_graph_dot(&drawing, out, err);
	else if (rc == 0)
		rc = draw_graph_svg(&drawing, out, err);
	if (asked_by && (rc == MER_ERR_USAGE || rc == MER_ERR_SYS)) {
		struct mer_err own = *err;
		mer_fail_remedy(err, rc, own.remedy, "%s: %.900s", asked_by, own.text);
	}
	mer_str_fini(&why);
	mer_str_fini(&fix);
	mer_str_fini(&lines);
	return rc;
}

static int plot(const struct ask_graph *g, const struct values *v, struct mer_cancel *cancel)
{
	struct mer_str svg = { 0 };
	int rc = draw(g, v, cancel, "--plot", &svg);
	if (rc == 0)
		rc = ask_write_picture(g->ask, v->plot, &svg);
	mer_str_fini(&svg);
	return rc;
}

static int warn_of_nothing(const struct ask_graph *g, struct mer_experiment *e)
{
	const struct mer_diag d = { .severity = MER_WARNING,
		.code = "graph-empty",
		.stream = -1,
		.packet = -1,
		.offset_bits = -1,
		.count = 1 };
	struct mer_str why = { 0 }, fix = { 0 };
	int rc = ask_graph_why_empty(g, &why, &fix);
	for (char *p = fix.data; p && *p; p++)
		*p = *p == '\n' ? ';' : *p;
	mer_str_printf(&why, "%s%s", fix.len ? " " : "", fix.len ? fix.data : "");
	if (rc == 0 && (why.failed || fix.failed))
		rc = mer_fail_nomem(&g->ask->err);
	if (rc == 0)
		mer_diag_add(&e->diags, &d, "nothing to draw: %s", why.data);
	mer_str_fini(&why);
	mer_str_fini(&fix);
	return rc;
}

/* For programs: the form that all tables of analyses have. */
static int print_rows(const struct ask_graph *g)
{
	struct ask_grid_values none = { 0 };
	struct mer_table tables[2] = { *g->table };
	if (g->requests)
		tables[1] = *g->requests;
	struct ask_grid grid = { .ask = g->ask,
		.values = &none,
		.verb = "graph",
		.analysis = &analysis_relations,
		.e = g->e,
		.begin = g->begin,
		.end = g->end,
		.options = g->options,
		.requests = { { &analysis_relations, 0 } },
		.tables = tables,
		.n = g->requests ? 2 : 1,
		.n_printed = g->requests ? 2 : 1 };
	return ask_grid_print(&grid);
}

struct asking {
	struct ask *ask;
	const struct values *v;
};

static int print_graph(const struct asking *x, const struct session_answer *a, struct mer_table *t,
	const struct mer_table *requests)
{
	const struct values *v = x->v;
	struct ask *ask = x->ask;
	struct session_world w = session_answer_world(a);
	struct mer_experiment *e = w.e;
	struct ask_graph g = { .ask = ask,
		.e = e,
		.options = &a->options,
		.table = t,
		.requests = requests,
		.n_requests = v->limit.set ? (size_t)v->limit.v : EDGES,
		.begin = a->begin,
		.end = a->end,
		.n_tracer = a->run.n_tracer };
	struct mer_str out = { 0 };
	struct mer_cancel *cancel = session_cancel_of(a->session);
	int rc = ask_tasks_check(ask, &w, &ask->window);
	if (rc)
		return rc;
	if (!v->all)
		drop_kernel(&g, t);
	if (v->limit.set)
		mer_table_limit(t, (size_t)v->limit.v);
	bool draws = v->plot || ask->format == ASK_FORMAT_DOT || ask->format == ASK_FORMAT_SVG;
	rc = draws && !t->n_rows ? warn_of_nothing(&g, e) : 0;
	if (rc == 0 && v->plot)
		rc = plot(&g, v, cancel);
	if (rc)
		return rc;
	if (!v->limit.set && ask->format == ASK_FORMAT_TABLE)
		mer_table_limit(t, SCREENFUL);
	switch (ask->format) {
	case ASK_FORMAT_TABLE: rc = ask_graph_text(&g, &out); break;
	case ASK_FORMAT_DOT: rc = draw(&g, v, cancel, NULL, &out); break;
	case ASK_FORMAT_SVG: rc = draw(&g, v, cancel, "--format svg", &out); break;
	default: return print_rows(&g);
	}
	return ask_put(ask, &out, rc);
}

static int print(void *ctx, struct mer_result *const *results)
{
	const struct asking *x = ctx;
	struct mer_table graph = *api_table(results[0]);
	return print_graph(x, &api_answer(results[0])->answer, &graph,
		x->v->requests ? api_table(results[1]) : NULL);
}

static int run(struct ask *ask, const void *values)
{
	static const char *const tables[] = { "graph", "requests" };
	const struct values *v = values;
	struct analysis_period_rule *periods;
	if (v->requests && v->period.expression)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--requests is about all of the time: it does not work with --period");
	const struct mer_table_options o = { .size = sizeof(o),
		.leave_out = !v->all,
		.group_by = v->by == BY_TASK ? "task" : "program",
		.period = v->period.expression,
		.period_by = v->period.by.item,
		.n_period_by = v->period.by.n,
		.period_min_ns = v->period.min.v,
		.period_max_ns = v->period.max.set ? v->period.max.v : INT64_MAX,
		.max_ns = INT64_MAX,
		.max_bytes = UINT64_MAX,
		.zero_max = true };
	int rc = ask_periods_understand(ask, &v->period, false, &periods);
	if (rc == 0)
		rc = ask_tables(ask, &(struct ask_tables_question){ .analysis = "relations",
					     .tables = tables,
					     .n = v->requests ? 2 : 1,
					     .options = &o,
					     .periods = periods,
					     .messages = true,
					     .print = print,
					     .ctx = &(struct asking){ ask, v } });
	analysis_period_rule_free(periods);
	return rc;
}

#define AT(member) offsetof(struct values, member)

static const struct ask_option options[] = {
	{ .name = "all",
		.letter = 'a',
		.kind = ASK_FLAG,
		.help = "also idle waits, tracer, kernel threads and locks",
		.offset = AT(all) },
	{ .name = "requests",
		.kind = ASK_FLAG,
		.help = "also rate and latency of requests between programs",
		.offset = AT(requests) },
	{ .name = "plot",
		.kind = ASK_PICTURE,
		.arg = "FILE",
		.help = "also draw it, as SVG (needs Graphviz; -: that alone)",
		.offset = AT(plot) },
	{ .name = "by",
		.kind = ASK_CHOICE,
		.arg = "WHAT",
		.choices = "program|task",
		.help = "a box of the drawing is a program (default) or a task",
		.offset = AT(by) },
	{ .name = "limit",
		.letter = 'n',
		.kind = ASK_AMOUNT,
		.arg = "N",
		.help = "at most N relations (default: a screenful; 0: all)",
		.offset = AT(limit) },
	ASK_PERIOD_OPTIONS(struct values, period),
	{ 0 },
};

const struct ask_verb ask_verb_graph = {
	.name = "graph",
	.help = "which tasks communicate, over what, and who waits for whom",
	.synopsis = "[OPTION...] TRACE...",
	.description = "Relations between tasks of one or several hosts: sockets, pipes, fifos, eventfds, "
		       "futexes, signals, file locks, forks, and waits for exits. For each relation: how "
		       "often, how many bytes, and how long the task in column To was blocked until the "
		       "task in column From ended its wait. Sorted by wait time, then by count; forks, exits, and what "
		       "a process only collects from its children come last.",
	.more = "From is the task that writes, wakes, signals, unlocks or exits; To is the task that "
		"reads or waits. Count is the number of writes, signals or forks; where nothing is passed "
		"on, the number of waits that were ended. With --comm, --tid or --host, one of the two "
		"tasks must match. --begin and --end select by the time of the write or signal, or of the "
		"end of the wait.\n\n"
		"Writes to and reads from a pipe, fifo, socketpair or TCP connection are followed byte by "
		"byte, whether or not a task waited. Other sockets and eventfds have no name that both "
		"ends share: data written to one goes to the task that it woke last, and to no task before "
		"the first wake-up. A fifo is recognized when a task waits for its other end. Packets "
		"handled by kernel threads or interrupts count for the tasks at both ends. A connection is "
		"named by the address that its client connected to; if it was open before the recording, "
		"by the address in its packets that has the lower port. A futex of two processes is "
		"marked as shared.\n\n"
		"Kind 'shared-memory?' is a hint: two processes mapped the same file, segment or memfd as "
		"shared memory, and at least one of them may write to it. No event shows whether one did.\n\n"
		"Not visible in a kernel trace: shared memory without futexes, files that one task writes "
		"and another reads later, and tasks of hosts that were not recorded. Waits ended by kernel "
		"threads (kworker, jbd2), or by tasks that held a kernel lock, say little about "
		"communication: they have kind 'kernel' and are shown with --all.\n\n"
		"--format dot prints a graph for Graphviz, --format svg its drawing; --plot writes the "
		"drawing in addition to the table. Drawings need Graphviz. A box is a program on a host with "
		"all of its tasks in the table, or one task with --by task. A line is everything that two "
		"boxes exchange by similar means: its color shows the means, its arrows who received "
		"something, its width the wait; its left end is the box that waited longer. Without --limit, "
		"at most 30 boxes and 40 lines are drawn: those between hosts first, then the longest waits.\n\n"
		"With --requests, a second table has the requests (see meridian-requests(1)) that "
		"each program of a host sent to another one, or with --by task each task: how many, how "
		"many per second, and the latency that 50 % and 99 % of them did not exceed. Lines of "
		"drawings have these numbers, too. Both programs must have been recorded. With --begin "
		"and --end, requests that began in that time count.\n\n"
		"Without the event signal_generate, signals are known only by the waits that they ended, "
		"without their numbers.\n\n" ASK_PERIOD_MANUAL,
	.formats = "table|json|jsonl|csv|dot|svg",
	.uses = ASK_USES_TASKS | ASK_USES_TABLES,
	.reads_events = true,
	.options = options,
	.values_size = sizeof(struct values),
	.min_args = 1,
	.max_args = -1,
	.args = "TRACE",
	.examples = {
		{ "meridian graph client/ server/", "Who waits for whom, on both hosts." },
		{ "meridian graph --comm wget --format dot client/ server/ > wget.dot",
			"The relations of wget, to be drawn by Graphviz." },
	},
	.run = run,
};
