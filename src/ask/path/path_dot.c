/* A path as a graph for Graphviz: its tasks, in a box for each host, and who the path went to from
 * them, how often. Names are quoted; their bytes that are no text are shown as such. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ask/path/path_print.h"
#include "ask/path/path_words.h"
#include "ask/print/text.h"

struct edge {
	uint32_t from, to; /* nodes: rows of path_by_task */
	uint8_t kind;
	uint64_t n;
	int64_t ns; /* under way */
};

struct graph {
	const struct ask_path *c;
	struct path_share *nodes;
	size_t n_nodes, n_edges;
	struct edge *edges;
};

/* Inside quotes; \n is Graphviz' line end, which names cannot make. */
static void put_quoted(struct mer_str *out, const char *text)
{
	struct mer_str clean = { 0 };
	ask_text_clean(&clean, text, strlen(text), false);
	for (size_t i = 0; i < clean.len; i++) {
		if (clean.data[i] == '"' || clean.data[i] == '\\')
			mer_str_putc(out, '\\');
		mer_str_putc(out, clean.data[i]);
	}
	out->failed |= clean.failed;
	mer_str_fini(&clean);
}

static int by_place(const void *a, const void *b)
{
	const struct path_share *p = a, *q = b;
	if (p->host != q->host)
		return p->host < q->host ? -1 : 1;
	return p->task < q->task ? -1 : p->task > q->task;
}

static int by_ends(const void *a, const void *b)
{
	const struct edge *p = a, *q = b;
	if (p->from != q->from)
		return p->from < q->from ? -1 : 1;
	if (p->to != q->to)
		return p->to < q->to ? -1 : 1;
	return p->kind - q->kind;
}

/* Every end of a link has a segment, so it is there; n_nodes if it is not. */
static uint32_t find_node(const struct graph *g, uint32_t host, uint32_t task)
{
	const struct path_share key = { .host = host, .task = task };
	const struct path_share *node = bsearch(&key, g->nodes, g->n_nodes, sizeof(key), by_place);
	return node ? (uint32_t)(node - g->nodes) : (uint32_t)g->n_nodes;
}

static int make_edges(struct graph *g)
{
	const struct path *p = g->c->p;
	size_t n = 0;
	g->edges = calloc(p->n_links + 1, sizeof(*g->edges));
	if (!g->edges)
		return mer_fail_nomem(&g->c->ask->err);
	for (size_t i = 0; i < p->n_links; i++) {
		const struct path_link *l = &p->links[i];
		struct edge e = { find_node(g, l->from_host, l->from_task),
			find_node(g, l->to_host, l->to_task), l->kind, 1,
			l->to_time - l->from_time };
		if (e.from < g->n_nodes && e.to < g->n_nodes)
			g->edges[n++] = e;
	}
	qsort(g->edges, n, sizeof(*g->edges), by_ends);
	for (size_t i = 0; i < n; i++) {
		struct edge *last = g->n_edges ? &g->edges[g->n_edges - 1] : NULL;
		if (last && by_ends(last, &g->edges[i]) == 0) {
			last->n++;
			last->ns += g->edges[i].ns;
		} else {
			g->edges[g->n_edges++] = g->edges[i];
		}
	}
	return 0;
}

static void put_node(const struct graph *g, uint32_t i, struct mer_str *out)
{
	const struct path *p = g->c->p;
	const struct path_share *r = &g->nodes[i];
	struct mer_str name = { 0 };
	path_put_task(p, r->host, r->task, &name);
	mer_str_printf(out, "\t\tt%u [label=\"", (unsigned)i);
	put_quoted(out, name.data ? name.data : "");
	mer_str_puts(out, "\\n");
	ask_text_duration(out, r->total_ns);
	if (p->end > p->begin)
		mer_str_printf(
			out, " (%.1f %%)", 100 * (double)r->total_ns / (double)(p->end - p->begin));
	mer_str_printf(
		out, "\"%s];\n", r->host == p->host && r->task == p->task ? ", penwidth=3" : "");
	out->failed |= name.failed;
	mer_str_fini(&name);
}

static void put_edge(const struct edge *e, struct mer_str *out)
{
	mer_str_printf(out, "\tt%u -> t%u [label=\"%s %" PRIu64 "x", (unsigned)e->from,
		(unsigned)e->to, path_link_name((enum path_link_kind)e->kind), e->n);
	if (e->kind == PATH_LINK_NETWORK) {
		mer_str_puts(out, "\\n");
		ask_text_duration(out, e->ns);
	}
	mer_str_printf(out, "\"%s];\n",
		e->kind == PATH_LINK_NETWORK ? ", style=bold"
		: e->kind == PATH_LINK_WAIT  ? ", style=dotted"
					     : "");
}

int ask_path_dot(const struct ask_path *c, struct mer_str *out)
{
	struct graph g = { .c = c };
	int rc = path_by_task(c->p, &g.nodes, &g.n_nodes, &c->ask->err);
	if (rc)
		return rc;
	if (g.n_nodes)
		qsort(g.nodes, g.n_nodes, sizeof(*g.nodes), by_place);
	rc = make_edges(&g);
	mer_str_puts(out, "digraph path {\n\trankdir=LR;\n\tnode [shape=box];\n\tlabel=\"");
	struct mer_str title = { 0 };
	ask_path_title(c->p, &title);
	put_quoted(out, title.data ? title.data : "");
	out->failed |= title.failed;
	mer_str_fini(&title);
	mer_str_puts(out, "\";\n");
	for (uint32_t i = 0; i < g.n_nodes; i++) {
		if (i == 0 || g.nodes[i].host != g.nodes[i - 1].host) {
			mer_str_printf(out, "%s\tsubgraph cluster_%u {\n\t\tlabel=\"",
				i ? "\t}\n" : "", (unsigned)g.nodes[i].host);
			put_quoted(out, path_host_name(c->p, g.nodes[i].host));
			mer_str_puts(out, "\";\n");
		}
		put_node(&g, i, out);
	}
	mer_str_puts(out, g.n_nodes ? "\t}\n" : "");
	for (size_t i = 0; i < g.n_edges; i++)
		put_edge(&g.edges[i], out);
	mer_str_puts(out, "}\n");
	free(g.edges);
	free(g.nodes);
	return rc;
}
