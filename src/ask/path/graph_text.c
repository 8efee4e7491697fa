/* Relations for people: a line each, and what such a table cannot show. */
#include <inttypes.h>
#include <string.h>

#include "ask/path/graph.h"
#include "ask/reports/grid.h"
#include "ask/period.h"
#include "ask/print/table.h"
#include "ask/print/text.h"
#include "requests/edges.h"

/* host: of a task, followed by its tid and its name. "nginx/152", of several hosts
 * "server:nginx/152"; without a tid "server:nginx". NULL: no memory. */
static const char *party(const struct ask_graph *g, const struct mer_cell *c)
{
	const char *comm = c[2].set && *c[2].v.text ? c[2].v.text : "?";
	if (!c[1].set)
		return g->e->n_hosts == 1 ? comm
					  : mer_arena_printf(g->table->arena, "%s:%s",
						    c[0].set ? c[0].v.text : "?", comm);
	if (g->e->n_hosts == 1)
		return mer_arena_printf(g->table->arena, "%s/%" PRId64, comm, c[1].v.i);
	return mer_arena_printf(
		g->table->arena, "%s:%s/%" PRId64, c[0].set ? c[0].v.text : "?", comm, c[1].v.i);
}

static const char *name_of(const struct ask_graph *g, size_t row, enum relation_column host)
{
	return party(g, ask_graph_cell(g, row, host));
}

/* "tcp 10.0.0.2:80", "pipe#1" */
static const char *through(const struct ask_graph *g, const struct mer_cell *row)
{
	const char *kind = row[RELATION_KIND].v.text;
	const char *object = row[RELATION_OBJECT].set ? row[RELATION_OBJECT].v.text : NULL;
	if (!object)
		return kind;
	if (strncmp(object, kind, strlen(kind)) == 0)
		return object;
	return mer_arena_printf(g->table->arena, "%s %s", kind, object);
}

/* "3 relations through kernel threads or locks, 12 of the tracer" */
static void put_left_out(const struct ask_graph *g, struct mer_str *out)
{
	if (g->n_kernel) {
		ask_text_count(out, (int64_t)g->n_kernel);
		mer_str_puts(out, " through kernel threads or locks");
	}
	mer_str_puts(out, g->n_kernel && g->n_tracer ? ", " : "");
	if (g->n_tracer) {
		ask_text_count(out, (int64_t)g->n_tracer);
		mer_str_puts(out, " of the tracer");
	}
}

static void put_note(const struct ask_graph *g, struct mer_str *out)
{
	struct mer_str text = { 0 };
	if (g->n_kernel || g->n_tracer) {
		mer_str_puts(&text, "Left out (--all shows them): ");
		put_left_out(g, &text);
		mer_str_puts(&text, ". ");
	}
	mer_str_puts(&text,
		"Wait: how long the task in column To was blocked until the other one ended it, without idle waits. Forks, exits, and what a process only collects from its children come last. Not visible in a kernel trace: shared memory without futexes ('shared-memory?': both have mapped it), and files written and read later.");
	mer_str_putc(out, '\n');
	ask_text_wrap(out, text.data ? text.data : "", (size_t)ask_width(g->ask), 0);
	if (out->len && out->data[out->len - 1] != '\n')
		mer_str_putc(out, '\n');
	out->failed |= text.failed;
	mer_str_fini(&text);
}

int ask_graph_why_empty(const struct ask_graph *g, struct mer_str *why, struct mer_str *fix)
{
	if (g->table->n_rows) {
		mer_str_puts(why,
			"All relations are between tasks of one program (--by task draws them).");
		return 0;
	}
	int rc = ask_grid_lacking(g->ask, g->e, analysis_relations.id, fix);
	g->ask->unanswered |= fix->len > 0;
	mer_str_puts(why, "No relations");
	if (g->n_kernel || g->n_tracer) {
		mer_str_puts(why, " except ");
		put_left_out(g, why);
		mer_str_puts(why, " (--all shows them)");
	}
	if (fix->len) {
		ask_grid_say_lacking(why, "show who ended a wait, and in which call", "");
		return rc;
	}
	mer_str_puts(
		why, session_selects_tasks(&g->ask->select) || g->ask->select.hosts.n ||
				     session_selects_part(&g->ask->select)
			     ? " of the selected tasks, hosts or time."
		     : g->n_kernel || g->n_tracer
			     ? "."
			     : ": the events that show them were recorded, but none occurred.");
	return rc;
}

/* Why there is none, and what to do about it. */
static int put_nothing(const struct ask_graph *g, struct mer_str *out)
{
	struct mer_str fix = { 0 }, line = { 0 };
	int rc = ask_graph_why_empty(g, &line, &fix);
	if (line.data)
		ask_text_wrap(out, line.data, (size_t)ask_width(g->ask), 0);
	if (fix.len)
		mer_str_printf(out, "%s\n", fix.data);
	out->failed |= line.failed || fix.failed;
	mer_str_fini(&fix);
	mer_str_fini(&line);
	return rc;
}

/* Who sends to whom, in the order of the latencies' sums. */
static void put_requests(const struct ask_graph *g, struct mer_str *out)
{
	enum { FROM, TO, COUNT, RATE, P50, P99, N };
	static const struct mer_column columns[N + 1] = {
		[FROM] = { "from", "Requests from", MER_TEXT },
		[TO] = { "to", "To", MER_TEXT },
		[COUNT] = { "count", "Count", MER_COUNT },
		[RATE] = { "rate", "Per second", MER_REAL },
		[P50] = { "p50_ns", "p50", MER_DURATION },
		[P99] = { "p99_ns", "p99", MER_DURATION },
	};
	struct mer_table rows;
	size_t n = g->requests->n_rows, most = g->n_requests ? g->n_requests : n;
	if (!n) {
		mer_str_puts(out, "\nNo requests between tasks of these hosts.\n");
		return;
	}
	mer_str_putc(out, '\n');
	mer_table_init(&rows, "requests", NULL, columns, NULL);
	for (size_t r = 0; r < n && r < most; r++) {
		const struct mer_cell *c = &g->requests->cells[r * g->requests->n_columns];
		mer_table_add(
			&rows, (struct mer_cell[N]){
				       [FROM] = mer_text(party(g, &c[REQUESTS_EDGE_FROM_HOST])),
				       [TO] = mer_text(party(g, &c[REQUESTS_EDGE_TO_HOST])),
				       [COUNT] = c[REQUESTS_EDGE_COUNT],
				       [RATE] = c[REQUESTS_EDGE_RATE],
				       [P50] = c[REQUESTS_EDGE_P50],
				       [P99] = c[REQUESTS_EDGE_P99],
			       });
	}
	out->failed |= rows.failed;
	ask_table_text(&rows, out, (size_t)ask_width(g->ask), g->ask->bold_out, g->ask->ascii);
	mer_table_fini(&rows);
	if (n > most)
		mer_str_printf(out, "... and %zu more (-n 0 shows all)\n", n - most);
}

int ask_graph_text(const struct ask_graph *g, struct mer_str *out)
{
	enum { FROM, TO, THROUGH, COUNT, BYTES, WAIT, N };
	static const struct mer_column columns[N + 1] = {
		[FROM] = { "from", "From", MER_TEXT },
		[TO] = { "to", "To", MER_TEXT },
		[THROUGH] = { "through", "Through", MER_TEXT },
		[COUNT] = { "count", "Count", MER_COUNT },
		[BYTES] = { "bytes", "Bytes", MER_BYTES },
		[WAIT] = { "wait_ns", "Wait", MER_DURATION },
	};
	struct mer_table rows;
	ask_heading_text(g->ask, g->table->title, g->options, g->begin, g->end, out);
	mer_table_init(&rows, "relations", NULL, columns, NULL);
	for (size_t r = 0; r < g->table->n_rows; r++) {
		const struct mer_cell *c = ask_graph_cell(g, r, 0);
		const char *from = name_of(g, r, RELATION_FROM_HOST),
			   *to = name_of(g, r, RELATION_TO_HOST);
		mer_table_add(&rows, (struct mer_cell[N]){
					     [FROM] = mer_text(from),
					     [TO] = mer_text(to),
					     [THROUGH] = mer_text(through(g, c)),
					     [COUNT] = c[RELATION_COUNT],
					     [BYTES] = c[RELATION_BYTES],
					     [WAIT] = c[RELATION_WAIT_NS],
				     });
	}
	bool failed = rows.failed || g->table->arena->failed;
	ask_table_text(&rows, out, (size_t)ask_width(g->ask), g->ask->bold_out, g->ask->ascii);
	mer_table_fini(&rows);
	if (!g->table->n_rows)
		return put_nothing(g, out);
	if (g->table->n_left_out) {
		mer_str_puts(out, "... and ");
		ask_text_count(out, (int64_t)g->table->n_left_out);
		mer_str_puts(out, " more (-n 0 shows all)\n");
	}
	if (g->requests)
		put_requests(g, out);
	put_note(g, out);
	return failed ? mer_fail_nomem(&g->ask->err) : 0;
}
