/* Relations as a graph for Graphviz: a box for each program or task in the box of its host, and a
 * line for all relations of one family between two of them. Its color shows the family, its width
 * the wait time. Names are quoted, with bytes that are not text made visible. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "base/safe_text.h"
#include "draw/graph_groups.h"
#include "requests/edges.h"

/* Adds text inside quotes. Backslashes are escaped, so names cannot contain Graphviz' line end,
 * \n. */
static void put_quoted_part(struct mer_str *out, const char *text, size_t len)
{
	struct mer_str clean = { 0 };
	mer_safe_add(&clean, text, len);
	for (size_t i = 0; i < clean.len; i++) {
		if (clean.data[i] == '"' || clean.data[i] == '\\')
			mer_str_putc(out, '\\');
		mer_str_putc(out, clean.data[i]);
	}
	out->failed |= clean.failed;
	mer_str_fini(&clean);
}

static void put_quoted(struct mer_str *out, const char *text)
{
	put_quoted_part(out, text, strlen(text));
}

static void put_name(struct mer_str *out, const struct draw_graph_node *n)
{
	put_quoted(out, *n->name ? n->name : "?");
	if (n->n_tasks == 1)
		mer_str_printf(out, "/%" PRId64, n->tid);
}

static void put_nodes(const struct draw_graph_drawing *d, struct mer_str *out)
{
	for (size_t i = 0; i < d->n_nodes; i++) {
		const struct draw_graph_node *n = &d->nodes[i];
		if (i == 0 || strcmp(n->host, n[-1].host) != 0) {
			mer_str_printf(out, "%s\tsubgraph cluster_%zu {\n\t\tlabel=\"",
				i ? "\t}\n" : "", i);
			put_quoted(out, n->host);
			mer_str_puts(out, "\";\n\t\tbgcolor=\"#f2f4f7\";\n\t\tcolor=\"#c8ccd2\";\n"
					  "\t\tfontsize=14;\n");
		}
		mer_str_printf(out, "\t\tt%zu [label=\"", i);
		put_name(out, n);
		if (n->n_tasks > 1)
			mer_str_printf(out, "\\n%zu tasks", n->n_tasks);
		mer_str_puts(out, "\"];\n");
	}
	mer_str_puts(out, d->n_nodes ? "\t}\n" : "");
}

/* Long names are cut at the front: the last part of a path stays. */
static void put_object(struct mer_str *out, const char *object)
{
	enum { SHOWN = 24 };
	size_t len = strlen(object);
	const char *from = len > SHOWN ? object + len - SHOWN : object;
	while (from > object && ((unsigned char)*from & 0xc0) == 0x80)
		from++; /* not inside a character */
	const char *slash = from > object ? strchr(from, '/') : NULL;
	if (from > object)
		mer_str_puts(out, "...");
	put_quoted(out, slash ? slash : from);
}

/* "tcp 10.0.0.2:80", "pipe (3)", "pipe#1", "fork, wait" */
static void put_means(const struct draw_graph_edge *e, struct mer_str *out)
{
	const char *const *kinds = draw_graph_families[e->family].kinds;
	bool is_one = (e->kinds & (e->kinds - 1)) == 0, any = false;
	for (unsigned k = 0; k < 8 && kinds[k]; k++) {
		if (!(e->kinds & 1u << k))
			continue;
		bool names_kind = is_one && e->n_objects == 1 &&
				  strncmp(e->object, kinds[k], strlen(kinds[k])) == 0;
		mer_str_printf(out, "%s%s", any ? ", " : "", names_kind ? "" : kinds[k]);
		any = !names_kind;
	}
	if (is_one && e->n_objects == 1) {
		mer_str_puts(out, any ? " " : "");
		put_object(out, e->object);
	} else if (is_one && e->n_objects > 1) {
		mer_str_printf(out, " (%" PRIu64 ")", e->n_objects);
	}
}

static void put_count(uint64_t n, struct mer_str *out)
{
	mer_put_count(out, n < INT64_MAX ? (int64_t)n : INT64_MAX);
}

static void put_way(const struct draw_graph_drawing *d, size_t from, size_t to,
	const struct draw_graph_way *w, struct mer_str *out)
{
	put_name(out, &d->nodes[from]);
	mer_str_puts(out, " to ");
	put_name(out, &d->nodes[to]);
	mer_str_puts(out, ": ");
	put_count(w->count, out);
	mer_str_puts(out, "x");
	if (w->wait_ns) {
		mer_str_puts(out, ", waited for ");
		mer_put_duration(out, w->wait_ns);
	}
	mer_str_puts(out, "\\n");
}

static void put_tooltip(
	const struct draw_graph_drawing *d, const struct draw_graph_edge *e, struct mer_str *out)
{
	put_means(e, out);
	mer_str_puts(out, "\\n");
	if (e->to_tail.count)
		put_way(d, e->head, e->tail, &e->to_tail, out);
	if (e->to_head.count)
		put_way(d, e->tail, e->head, &e->to_head, out);
}

static const char *direction(const struct draw_graph_edge *e)
{
	if (e->family == DRAW_MEMORY) /* a hint only: the direction is unknown */
		return "none";
	return e->to_tail.count && e->to_head.count ? "both"
	       : e->to_tail.count		    ? "back"
						    : "forward";
}

/* Do these cells (host, tid, name) name this box? A task has several names, but one tid. */
static bool is_box(
	const struct draw_graph *g, const struct draw_graph_node *n, const struct mer_cell *host)
{
	return strcmp(n->host, host[0].v.text) == 0 &&
	       (g->by_task ? n->tid == host[1].v.i : strcmp(n->name, host[2].v.text) == 0);
}

/* "12.3 requests/s, p50 1.2 ms, p99 40 ms", for each direction that has requests. */
static void put_requests(const struct draw_graph *g, const struct draw_graph_drawing *d,
	const struct draw_graph_edge *e, struct mer_str *out)
{
	const struct draw_graph_node *tail = &d->nodes[e->tail], *head = &d->nodes[e->head];
	for (size_t r = 0; g->requests && r < g->requests->n_rows; r++) {
		const struct mer_cell *c = &g->requests->cells[r * g->requests->n_columns];
		const struct mer_cell *from = &c[REQUESTS_EDGE_FROM_HOST],
				      *to = &c[REQUESTS_EDGE_TO_HOST];
		if (!draw_graph_edge_has(e, c[REQUESTS_EDGE_KIND].v.text) ||
			!((is_box(g, tail, from) && is_box(g, head, to)) ||
				(is_box(g, head, from) && is_box(g, tail, to))))
			continue;
		mer_str_puts(out, "\\n");
		if (c[REQUESTS_EDGE_RATE].set)
			mer_str_printf(out, "%.3g requests/s", c[REQUESTS_EDGE_RATE].v.f);
		else
			mer_str_puts(out, "requests");
		if (!c[REQUESTS_EDGE_P50].set)
			continue;
		mer_str_puts(out, ", p50 ");
		mer_put_duration(out, c[REQUESTS_EDGE_P50].v.i);
		mer_str_puts(out, ", p99 ");
		mer_put_duration(out, c[REQUESTS_EDGE_P99].v.i);
	}
}

static void put_edge(const struct draw_graph *g, const struct draw_graph_drawing *d,
	const struct draw_graph_edge *e, struct mer_str *out)
{
	/* By the square root of the share: long waits stand out, shorter ones are still seen. Waits
	 * for threads and children that the task started are drawn thin: they last as long as what
	 * these do. */
	double share = d->most_ns && !e->is_started
			       ? sqrt((double)draw_graph_edge_wait(e) / (double)d->most_ns)
			       : 0;
	const char *color = draw_graph_families[e->family].color;
	mer_str_printf(out, "\tt%zu -> t%zu [label=\"", e->tail, e->head);
	put_means(e, out);
	mer_str_puts(out, "\\n");
	put_count(e->to_head.count + e->to_tail.count, out);
	mer_str_puts(out, "x");
	if (draw_graph_edge_wait(e)) {
		mer_str_puts(out, ", wait ");
		mer_put_duration(out, draw_graph_edge_wait(e));
	}
	put_requests(g, d, e, out);
	mer_str_puts(out, "\", tooltip=\"");
	put_tooltip(d, e, out);
	mer_str_printf(out, "\", penwidth=%.2f, color=\"%s\", fontcolor=\"%s\", dir=%s%s];\n",
		1 + 5 * share, color, color, direction(e),
		e->family == DRAW_MEMORY ? ", style=dashed" : "");
}

/* The legend: the colors that occur, and how many relations are not drawn. A table keeps the words
 * apart in any font. */
static void put_legend(const struct draw_graph_drawing *d, const char *see_all, struct mer_str *out)
{
	bool has[DRAW_N_FAMILIES] = { false };
	size_t n = 0;
	for (size_t i = 0; i < d->n_edges; i++) {
		n += !has[d->edges[i].family];
		has[d->edges[i].family] = true;
	}
	mer_str_puts(out, "\tlabelloc=b;\n\tlabel=<<table border=\"0\" cellspacing=\"4\"><tr>");
	for (size_t i = 0; i < DRAW_N_FAMILIES; i++)
		if (has[i])
			mer_str_printf(out,
				"<td width=\"%zu\" fixedsize=\"false\"><font color=\"%s\"><b>%s</b></font></td>",
				8 * strlen(draw_graph_families[i].title),
				draw_graph_families[i].color, draw_graph_families[i].title);
	mer_str_printf(out,
		"</tr><tr><td colspan=\"%zu\">Left end: waited longer. Arrow: received something. Width: wait time (not of exits and children).</td></tr>",
		n);
	if (d->n_left_out) {
		mer_str_printf(out, "<tr><td colspan=\"%zu\">", n);
		put_count(d->n_left_out, out);
		mer_str_printf(out, " smaller relation%s not drawn%s%s%s.</td></tr>",
			d->n_left_out == 1 ? " is" : "s are", see_all ? " (" : "",
			see_all ? see_all : "", see_all ? ")" : "");
	}
	mer_str_puts(out, "</table>>;\n");
}

/* An empty picture would not say whether there is nothing, or something went wrong. */
static void put_why_empty(const char *lines, struct mer_str *out)
{
	mer_str_puts(out, "\tlabel=\"");
	for (const char *line = lines; line && *line;) {
		size_t n = strcspn(line, "\n");
		put_quoted_part(out, line, n);
		mer_str_puts(out, "\\l");
		line += n + (line[n] == '\n');
	}
	mer_str_puts(out, "\";\n");
}

int draw_graph_dot(const struct draw_graph *g, struct mer_str *out, struct mer_err *err)
{
	struct draw_graph_drawing d;
	int rc = draw_graph_drawing_make(g, &d, err);
	mer_str_puts(out,
		"digraph relations {\n\trankdir=LR;\n\tnodesep=0.25;\n\tranksep=0.4;\n"
		"\tfontname=\"Helvetica\";\n\tfontsize=11;\n"
		"\tnode [shape=box, style=\"rounded,filled\", fillcolor=white, fontname=\"Helvetica\", fontsize=11, height=0.3, margin=\"0.15,0.05\"];\n"
		"\tedge [fontname=\"Helvetica\", fontsize=9, arrowsize=0.7];\n");
	put_nodes(&d, out);
	for (size_t i = 0; i < d.n_edges; i++)
		put_edge(g, &d, &d.edges[i], out);
	if (d.n_edges)
		put_legend(&d, g->how_to_see_all, out);
	else if (rc == 0)
		put_why_empty(g->why_empty, out);
	mer_str_puts(out, "}\n");
	draw_graph_drawing_fini(&d);
	return rc;
}
