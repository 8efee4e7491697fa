/* Relations as a graph for Graphviz: tasks in a box for each host, an arrow for all that goes from one to
 * the other by the same means, its colour by that, its width by the wait. Names are quoted; their bytes
 * that are no text are shown as such. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/graph.h"
#include "cli/text.h"

struct node {
	const char *host, *comm;
	int64_t tid;
};

struct edge {
	size_t from, to; /* nodes */
	const char *kind, *object;
	uint64_t n_objects, count;
	int64_t wait_ns;
	bool has_object;
};

struct graph {
	const struct cli_graph *g;
	struct node *nodes;
	struct edge *edges;
	size_t n_nodes, n_edges;
	int64_t most; /* the longest wait */
};

static int by_place(const void *a, const void *b)
{
	const struct node *p = a, *q = b;
	int c = strcmp(p->host, q->host);
	if (c == 0 && p->tid != q->tid)
		return p->tid < q->tid ? -1 : 1;
	return c ? c : strcmp(p->comm, q->comm);
}

static int by_ends(const void *a, const void *b)
{
	const struct edge *p = a, *q = b;
	if (p->from != q->from)
		return p->from < q->from ? -1 : 1;
	if (p->to != q->to)
		return p->to < q->to ? -1 : 1;
	return strcmp(p->kind, q->kind);
}

static struct node node_at(const struct cli_graph *g, size_t row, enum relation_column host)
{
	const struct analysis_cell *c = cli_graph_cell(g, row, host);
	return (struct node){ .host = c[0].set ? c[0].v.text : "",
		.comm = c[2].set ? c[2].v.text : "",
		.tid = c[1].v.i };
}

static size_t find_node(const struct graph *d, size_t row, enum relation_column host)
{
	struct node key = node_at(d->g, row, host);
	const struct node *n = bsearch(&key, d->nodes, d->n_nodes, sizeof(key), by_place);
	return (size_t)(n - d->nodes);
}

static bool make_nodes(struct graph *d)
{
	size_t n = d->g->table->n_rows, kept = 0;
	d->nodes = calloc(2 * n + 1, sizeof(*d->nodes));
	if (!d->nodes)
		return false;
	for (size_t r = 0; r < n; r++) {
		d->nodes[2 * r] = node_at(d->g, r, RELATION_FROM_HOST);
		d->nodes[2 * r + 1] = node_at(d->g, r, RELATION_TO_HOST);
	}
	qsort(d->nodes, 2 * n, sizeof(*d->nodes), by_place);
	for (size_t i = 0; i < 2 * n; i++)
		if (!kept || by_place(&d->nodes[kept - 1], &d->nodes[i]) != 0)
			d->nodes[kept++] = d->nodes[i];
	d->n_nodes = kept;
	return true;
}

static bool make_edges(struct graph *d)
{
	const struct cli_graph *g = d->g;
	size_t n = g->table->n_rows;
	d->edges = calloc(n + 1, sizeof(*d->edges));
	if (!d->edges)
		return false;
	for (size_t r = 0; r < n; r++) {
		const struct analysis_cell *c = cli_graph_cell(g, r, 0);
		d->edges[r] = (struct edge){ find_node(d, r, RELATION_FROM_HOST),
			find_node(d, r, RELATION_TO_HOST), c[RELATION_KIND].v.text,
			c[RELATION_OBJECT].set ? c[RELATION_OBJECT].v.text : "", 1,
			(uint64_t)c[RELATION_COUNT].v.i, c[RELATION_WAIT_NS].v.i,
			c[RELATION_OBJECT].set };
	}
	qsort(d->edges, n, sizeof(*d->edges), by_ends);
	for (size_t i = 0; i < n; i++) {
		struct edge *last = d->n_edges ? &d->edges[d->n_edges - 1] : NULL;
		if (last && by_ends(last, &d->edges[i]) == 0) {
			last->n_objects++;
			last->count += d->edges[i].count;
			last->wait_ns += d->edges[i].wait_ns;
		} else {
			d->edges[d->n_edges++] = d->edges[i];
		}
	}
	for (size_t i = 0; i < d->n_edges; i++)
		if (d->edges[i].wait_ns > d->most)
			d->most = d->edges[i].wait_ns;
	return true;
}

/* Inside quotes; \n is Graphviz' line end, which names cannot make. */
static void put_quoted(struct mer_str *out, const char *text)
{
	struct mer_str clean = { 0 };
	cli_text_clean(&clean, text, strlen(text), false);
	for (size_t i = 0; i < clean.len; i++) {
		if (clean.data[i] == '"' || clean.data[i] == '\\')
			mer_str_putc(out, '\\');
		mer_str_putc(out, clean.data[i]);
	}
	out->failed |= clean.failed;
	mer_str_fini(&clean);
}

/* Kinds that are drawn alike; told apart by colours that are so for the colour-blind too. */
static const struct family {
	const char *title, *color;
	const char *kinds[8];
} families[] = {
	{ "network", "#0072b2", { "tcp", "udp", "network", "socket" } },
	{ "pipes, local sockets", "#009e73", { "unix", "pipe", "fifo", "inotify", "tty" } },
	{ "locks, wake-ups", "#d55e00", { "futex", "eventfd", "semaphore", "queue", "lock" } },
	{ "processes, signals", "#666666", { "signal", "fork", "wait", "ptrace" } },
	{ "shared memory (perhaps)", "#aa4499", { "shared-memory?" } },
	{ "kernel", "#aaaaaa", { "kernel" } },
};
enum { N_FAMILIES = sizeof(families) / sizeof(*families) };

static size_t family_of(const char *kind)
{
	for (size_t i = 0; i < N_FAMILIES; i++)
		for (size_t k = 0; k < 8 && families[i].kinds[k]; k++)
			if (strcmp(families[i].kinds[k], kind) == 0)
				return i;
	return N_FAMILIES - 1;
}

/* Long ones by their end: of a path the name. */
static void put_object(struct mer_str *out, const char *object)
{
	enum { SHOWN = 24 };
	size_t len = strlen(object);
	const char *from = len > SHOWN ? object + len - SHOWN : object;
	while (from > object && ((unsigned char)*from & 0xc0) == 0x80)
		from++; /* no part of a character */
	const char *slash = from > object ? strchr(from, '/') : NULL;
	if (from > object)
		mer_str_puts(out, "...");
	put_quoted(out, slash ? slash : from);
}

static void put_edge(const struct graph *d, const struct edge *e, struct mer_str *out)
{
	/* By the root of the share: long waits stand out, shorter ones are still seen. */
	double share = d->most ? sqrt((double)e->wait_ns / (double)d->most) : 0;
	const struct family *f = &families[family_of(e->kind)];
	bool is_hint = strchr(e->kind, '?') != NULL;
	mer_str_printf(out, "\tt%zu -> t%zu [label=\"", e->from, e->to);
	if (e->n_objects > 1)
		mer_str_printf(out, "%s (%" PRIu64 ")", e->kind, e->n_objects);
	else if (e->has_object && strncmp(e->object, e->kind, strlen(e->kind)) == 0)
		put_object(out, e->object);
	else
		mer_str_puts(out, e->kind);
	if (e->n_objects == 1 && e->has_object &&
		strncmp(e->object, e->kind, strlen(e->kind)) != 0) {
		mer_str_putc(out, ' ');
		put_object(out, e->object);
	}
	mer_str_printf(out, "\\n%" PRIu64 "x", e->count);
	if (e->wait_ns) {
		mer_str_putc(out, ' ');
		cli_text_duration(out, e->wait_ns);
	}
	mer_str_puts(out, "\", tooltip=\"");
	put_quoted(out, e->has_object && e->n_objects == 1 ? e->object : e->kind);
	/* Room for labels between the boxes of hosts. */
	bool between = strcmp(d->nodes[e->from].host, d->nodes[e->to].host) != 0;
	mer_str_printf(out, "\", penwidth=%.2f, color=\"%s\", fontcolor=\"%s\"%s%s];\n",
		1 + 5 * share, f->color, f->color, between ? ", minlen=2" : "",
		is_hint ? ", style=dashed, dir=none" : "");
}

/* What the colours mean, of those that are there. */
static void put_legend(const struct graph *d, struct mer_str *out)
{
	bool has[N_FAMILIES] = { false };
	for (size_t i = 0; i < d->n_edges; i++)
		has[family_of(d->edges[i].kind)] = true;
	mer_str_puts(out, "\tlabelloc=b;\n\tlabel=<");
	for (size_t i = 0; i < N_FAMILIES; i++)
		if (has[i])
			mer_str_printf(out, "<font color=\"%s\"><b>%s</b></font>&#160;&#160; ",
				families[i].color, families[i].title);
	mer_str_puts(
		out, d->most ? "&#160;&#160;the thicker, the longer the wait>;\n" : "&#160;>;\n");
}

int cli_graph_dot(const struct cli_graph *g, struct mer_str *out)
{
	struct graph d = { .g = g };
	bool ok = make_nodes(&d) && make_edges(&d);
	mer_str_puts(out, "digraph relations {\n\trankdir=LR;\n\tnodesep=0.15;\n"
			  "\tfontname=\"Helvetica\";\n\tfontsize=11;\n"
			  "\tnode [shape=box, style=\"rounded,filled\", fillcolor=white, "
			  "fontname=\"Helvetica\", fontsize=11, height=0.3, margin=\"0.1,0.04\"];\n"
			  "\tedge [fontname=\"Helvetica\", fontsize=9, arrowsize=0.7];\n");
	for (size_t i = 0; ok && i < d.n_nodes; i++) {
		const struct node *n = &d.nodes[i];
		if (i == 0 || strcmp(n->host, n[-1].host) != 0) {
			mer_str_printf(out, "%s\tsubgraph cluster_%zu {\n\t\tlabel=\"",
				i ? "\t}\n" : "", i);
			put_quoted(out, n->host);
			mer_str_puts(out, "\";\n\t\tbgcolor=\"#f2f4f7\";\n\t\tcolor=\"#c8ccd2\";\n"
					  "\t\tfontsize=14;\n");
		}
		mer_str_printf(out, "\t\tt%zu [label=\"", i);
		put_quoted(out, n->comm);
		mer_str_printf(out, "/%" PRId64 "\"];\n", n->tid);
	}
	mer_str_puts(out, d.n_nodes ? "\t}\n" : "");
	for (size_t i = 0; ok && i < d.n_edges; i++)
		put_edge(&d, &d.edges[i], out);
	if (ok && d.n_edges)
		put_legend(&d, out);
	mer_str_puts(out, "}\n");
	free(d.nodes);
	free(d.edges);
	return ok ? 0 : mer_fail_nomem(&g->cli->err);
}
