/* Relations as a graph for Graphviz: tasks in a box for each host, an arrow for all that goes from one to
 * the other by the same means. Names are quoted; their bytes that are no text are shown as such. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/graph.h"
#include "cli/sync_print.h"
#include "cli/text.h"

extern char **environ;

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

static void put_edge(const struct graph *d, const struct edge *e, struct mer_str *out)
{
	/* By the root of the share: long waits stand out, shorter ones are still seen. */
	double share = d->most ? sqrt((double)e->wait_ns / (double)d->most) : 0;
	mer_str_printf(out, "\tt%zu -> t%zu [label=\"%s", e->from, e->to, e->kind);
	if (e->n_objects > 1) {
		mer_str_printf(out, " (%" PRIu64 ")", e->n_objects);
	} else if (e->has_object) {
		mer_str_putc(out, ' ');
		put_quoted(out, e->object);
	}
	mer_str_printf(out, "\\n%" PRIu64 "x", e->count);
	if (e->wait_ns) {
		mer_str_putc(out, ' ');
		cli_text_duration(out, e->wait_ns);
	}
	mer_str_printf(out, "\", penwidth=%.2f, color=\"0.000 %.3f %.3f\"];\n", 1 + 5 * share,
		share, 0.55 + 0.3 * share);
}

int cli_graph_dot(const struct cli_graph *g, struct mer_str *out)
{
	struct graph d = { .g = g };
	bool ok = make_nodes(&d) && make_edges(&d);
	mer_str_puts(out, "digraph relations {\n\trankdir=LR;\n\tnode [shape=box];\n");
	for (size_t i = 0; ok && i < d.n_nodes; i++) {
		const struct node *n = &d.nodes[i];
		if (i == 0 || strcmp(n->host, n[-1].host) != 0) {
			mer_str_printf(out, "%s\tsubgraph cluster_%zu {\n\t\tlabel=\"",
				i ? "\t}\n" : "", i);
			put_quoted(out, n->host);
			mer_str_puts(out, "\";\n");
		}
		mer_str_printf(out, "\t\tt%zu [label=\"", i);
		put_quoted(out, n->comm);
		mer_str_printf(out, "/%" PRId64 "\"];\n", n->tid);
	}
	mer_str_puts(out, d.n_nodes ? "\t}\n" : "");
	for (size_t i = 0; ok && i < d.n_edges; i++)
		put_edge(&d, &d.edges[i], out);
	mer_str_puts(out, "}\n");
	free(d.nodes);
	free(d.edges);
	return ok ? 0 : mer_fail_nomem(&g->cli->err);
}

/* ---- drawn by Graphviz ---- */

/* Runs dot from one file to the other; its exit status, -1: it did not run. */
static int run_dot(FILE *in, FILE *out)
{
	char *const args[] = { "dot", "-Tsvg", NULL };
	posix_spawn_file_actions_t actions;
	pid_t pid;
	int status = -1, rc = posix_spawn_file_actions_init(&actions);
	if (rc) {
		errno = rc;
		return -1;
	}
	rc = posix_spawn_file_actions_adddup2(&actions, fileno(in), STDIN_FILENO);
	if (rc == 0)
		rc = posix_spawn_file_actions_adddup2(&actions, fileno(out), STDOUT_FILENO);
	if (rc == 0)
		rc = posix_spawnp(&pid, args[0], &actions, NULL, args, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (rc) {
		errno = rc;
		return -1;
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static bool read_all(FILE *f, struct mer_str *text)
{
	char part[1 << 14];
	size_t n;
	rewind(f);
	while ((n = fread(part, 1, sizeof(part), f)) > 0)
		mer_str_add(text, part, n);
	return !ferror(f) && !text->failed;
}

int cli_graph_svg(const struct cli_graph *g, const char *path)
{
	struct mer_err *err = &g->cli->err;
	struct mer_str dot = { 0 }, svg = { 0 };
	FILE *in = NULL, *out = NULL;
	int status, rc = cli_graph_dot(g, &dot);
	if (rc == 0 && dot.failed)
		rc = mer_fail_nomem(err);
	if (rc == 0 && (!(in = tmpfile()) || !(out = tmpfile()) ||
			       fwrite(dot.data, 1, dot.len, in) != dot.len || fflush(in) != 0))
		rc = mer_fail_errno(err, "cannot write", "a temporary file");
	if (rc == 0) {
		rewind(in);
		status = run_dot(in, out);
		if (status < 0 || status == 127)
			rc = mer_fail(err, MER_ERR_USAGE,
				"--plot: Graphviz is needed to draw, and its program 'dot' cannot "
				"be run; install it, or take --format dot elsewhere");
		else if (status || !read_all(out, &svg) || !svg.len)
			rc = mer_fail(err, MER_ERR_SYS,
				"--plot: Graphviz' program 'dot' failed (exit status %d)", status);
	}
	if (rc == 0)
		rc = cli_sync_write_file(g->cli, path, &svg);
	if (in)
		fclose(in);
	if (out)
		fclose(out);
	mer_str_fini(&dot);
	mer_str_fini(&svg);
	return rc;
}
