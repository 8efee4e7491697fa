#include "draw/graph_groups.h"

#include "analysis/relations/relations.h"

#include <stdlib.h>
#include <string.h>

const struct draw_graph_family draw_graph_families[DRAW_N_FAMILIES] = {
	{ "network", "#0072b2", "#56b4e9", { "tcp", "udp", "network", "socket" } },
	{ "pipes and local sockets", "#007d5c", "#2fc79c",
		{ "unix", "pipe", "fifo", "inotify", "tty" } },
	{ "locks and wake-ups", "#c44e00", "#f08a4b",
		{ "futex", "eventfd", "semaphore", "queue", "lock" } },
	{ "processes and signals", "#666666", "#a6a6a6", { "signal", "fork", "wait", "ptrace" } },
	{ "shared memory (perhaps)", "#aa4499", "#d98cc7", { "shared-memory?" } },
	{ "kernel", "#8a8a8a", "#8a8a8a", { "kernel" } },
};

enum { MAX_NODES = 30, MAX_EDGES = 40 };

static size_t family_of(const char *kind, unsigned *bit)
{
	for (size_t i = 0; i < DRAW_N_FAMILIES; i++)
		for (unsigned k = 0; k < 8 && draw_graph_families[i].kinds[k]; k++)
			if (strcmp(draw_graph_families[i].kinds[k], kind) == 0) {
				*bit = 1u << k;
				return i;
			}
	*bit = 1;
	return DRAW_KERNEL;
}

bool draw_graph_edge_has(const struct draw_graph_edge *e, const char *kind)
{
	unsigned bit;
	return family_of(kind, &bit) == e->family && e->kinds & bit;
}

/* ---- boxes ---- */

struct task {
	const char *host, *program;
	int64_t tid;
	const char *comm;
};

struct making {
	const struct draw_graph *g;
	bool by_task;
	struct task *tasks; /* all that rows name, in order */
	size_t n_tasks;
	size_t *node_of; /* by task */
	struct draw_graph_drawing *d;
};

static int by_place(const void *a, const void *b)
{
	const struct task *p = a, *q = b;
	int c = strcmp(p->host, q->host);
	if (c == 0)
		c = strcmp(p->program, q->program);
	if (c == 0 && p->tid != q->tid)
		return p->tid < q->tid ? -1 : 1;
	return c ? c : strcmp(p->comm, q->comm);
}

static const struct mer_cell *cell(
	const struct draw_graph *g, size_t row, enum relation_column column)
{
	return &g->table->cells[row * g->table->n_columns + column];
}

static const char *text_of(const struct mer_cell *c)
{
	return c->set ? c->v.text : "";
}

static struct task task_at(
	const struct making *m, size_t row, enum relation_column host, enum relation_column program)
{
	const struct mer_cell *c = cell(m->g, row, host);
	const struct mer_cell *of = cell(m->g, row, program);
	const char *comm = text_of(&c[2]);
	return (struct task){ text_of(&c[0]), m->by_task || !of->set ? comm : of->v.text, c[1].v.i,
		comm };
}

static struct task giver(const struct making *m, size_t row)
{
	return task_at(m, row, RELATION_FROM_HOST, RELATION_FROM_PROGRAM);
}

static struct task getter(const struct making *m, size_t row)
{
	return task_at(m, row, RELATION_TO_HOST, RELATION_TO_PROGRAM);
}

static bool is_same_box(const struct making *m, const struct task *a, const struct task *b)
{
	return strcmp(a->host, b->host) == 0 && strcmp(a->program, b->program) == 0 &&
	       (!m->by_task || a->tid == b->tid);
}

static bool make_nodes(struct making *m)
{
	size_t n = m->g->table->n_rows, kept = 0;
	struct draw_graph_drawing *d = m->d;
	m->tasks = calloc(2 * n + 1, sizeof(*m->tasks));
	m->node_of = calloc(2 * n + 1, sizeof(*m->node_of));
	d->nodes = calloc(2 * n + 1, sizeof(*d->nodes));
	if (!m->tasks || !m->node_of || !d->nodes)
		return false;
	for (size_t r = 0; r < n; r++) {
		m->tasks[2 * r] = giver(m, r);
		m->tasks[2 * r + 1] = getter(m, r);
	}
	qsort(m->tasks, 2 * n, sizeof(*m->tasks), by_place);
	for (size_t i = 0; i < 2 * n; i++)
		if (!kept || by_place(&m->tasks[kept - 1], &m->tasks[i]) != 0)
			m->tasks[kept++] = m->tasks[i];
	m->n_tasks = kept;
	for (size_t i = 0; i < kept; i++) {
		const struct task *t = &m->tasks[i];
		if (i == 0 || !is_same_box(m, &t[-1], t))
			d->nodes[d->n_nodes++] =
				(struct draw_graph_node){ t->host, t->program, t->tid, 0 };
		d->nodes[d->n_nodes - 1].n_tasks++;
		m->node_of[i] = d->n_nodes - 1;
	}
	return true;
}

static size_t node_of(const struct making *m, struct task t)
{
	const struct task *at = bsearch(&t, m->tasks, m->n_tasks, sizeof(*m->tasks), by_place);
	return m->node_of[at - m->tasks];
}

/* ---- lines ---- */

struct line { /* a row, its ends in the order of nodes */
	size_t low, high, family;
	unsigned kind; /* as draw_graph_edge.kinds */
	bool to_high;
	const struct mer_cell *row;
};

static int by_ends(const struct line *p, const struct line *q)
{
	if (p->low != q->low)
		return p->low < q->low ? -1 : 1;
	if (p->high != q->high)
		return p->high < q->high ? -1 : 1;
	return (p->family > q->family) - (p->family < q->family);
}

static int by_ends_and_object(const void *a, const void *b)
{
	const struct line *p = a, *q = b;
	int c = by_ends(p, q);
	if (c == 0)
		c = strcmp(p->row[RELATION_KIND].v.text, q->row[RELATION_KIND].v.text);
	if (c == 0)
		c = strcmp(text_of(&p->row[RELATION_OBJECT]), text_of(&q->row[RELATION_OBJECT]));
	return c ? c : (p->row > q->row) - (p->row < q->row);
}

/* Puts the box that waited longer, in all edges between the two, at the left, so that their lines
 * all go one way. */
static void turn(struct draw_graph_drawing *d, size_t first, size_t end)
{
	int64_t low = 0, high = 0;
	for (size_t i = first; i < end; i++) {
		low += d->edges[i].to_tail.wait_ns;
		high += d->edges[i].to_head.wait_ns;
	}
	for (size_t i = first; i < end && high > low; i++) {
		struct draw_graph_edge *e = &d->edges[i];
		*e = (struct draw_graph_edge){ e->head, e->tail, e->family, e->kinds, e->object,
			e->n_objects, e->is_started, e->to_head, e->to_tail };
	}
}

static void add_line(struct draw_graph_drawing *d, const struct line *l, const struct line *before)
{
	bool is_new = !before || by_ends(before, l) != 0;
	if (is_new)
		d->edges[d->n_edges++] = (struct draw_graph_edge){
			.tail = l->low, .head = l->high, .family = l->family, .is_started = true
		};
	struct draw_graph_edge *e = &d->edges[d->n_edges - 1];
	struct draw_graph_way *w = l->to_high ? &e->to_head : &e->to_tail;
	const char *object = text_of(&l->row[RELATION_OBJECT]);
	e->kinds |= l->kind;
	e->is_started &= l->row[RELATION_IS_STARTED].v.i != 0;
	if (*object && (is_new || !e->object ||
			       strcmp(object, text_of(&before->row[RELATION_OBJECT])) != 0)) {
		e->object = e->n_objects++ ? e->object : object;
	}
	w->count += (uint64_t)l->row[RELATION_COUNT].v.i;
	w->wait_ns += l->row[RELATION_WAIT_NS].v.i;
}

static bool make_edges(struct making *m)
{
	const struct draw_graph *g = m->g;
	struct draw_graph_drawing *d = m->d;
	size_t n = 0;
	struct line *lines = calloc(g->table->n_rows + 1, sizeof(*lines));
	d->edges = calloc(g->table->n_rows + 1, sizeof(*d->edges));
	if (!lines || !d->edges) {
		free(lines);
		return false;
	}
	for (size_t r = 0; r < g->table->n_rows; r++) {
		size_t from = node_of(m, giver(m, r)), to = node_of(m, getter(m, r));
		const struct mer_cell *row = cell(g, r, 0);
		unsigned kind;
		size_t family = family_of(row[RELATION_KIND].v.text, &kind);
		/* That a program starts and joins its own threads says nothing about other
		 * programs. */
		if (from == to && family == DRAW_PROCESSES && !m->by_task)
			continue;
		lines[n++] = (struct line){ from < to ? from : to, from < to ? to : from, family,
			kind, from < to, row };
	}
	qsort(lines, n, sizeof(*lines), by_ends_and_object);
	for (size_t i = 0; i < n; i++)
		add_line(d, &lines[i], i ? &lines[i - 1] : NULL);
	free(lines);
	for (size_t i = 0, end; i < d->n_edges; i = end) {
		for (end = i + 1; end < d->n_edges && d->edges[end].tail == d->edges[i].tail &&
				  d->edges[end].head == d->edges[i].head;)
			end++;
		turn(d, i, end);
	}
	return true;
}

/* ---- what is drawn ---- */

static bool is_between(const struct draw_graph_drawing *d, const struct draw_graph_edge *e)
{
	return strcmp(d->nodes[e->tail].host, d->nodes[e->head].host) != 0;
}

struct ranked {
	bool between, is_started;
	int64_t wait_ns;
	uint64_t count;
	size_t edge;
};

static int by_weight(const void *a, const void *b)
{
	const struct ranked *p = a, *q = b;
	if (p->between != q->between)
		return p->between ? -1 : 1;
	if (p->is_started != q->is_started)
		return p->is_started ? 1 : -1;
	if (p->wait_ns != q->wait_ns)
		return p->wait_ns > q->wait_ns ? -1 : 1;
	if (p->count != q->count)
		return p->count > q->count ? -1 : 1;
	return (p->edge > q->edge) - (p->edge < q->edge);
}

static struct ranked *rank(const struct draw_graph_drawing *d)
{
	struct ranked *order = calloc(d->n_edges + 1, sizeof(*order));
	for (size_t i = 0; order && i < d->n_edges; i++) {
		const struct draw_graph_edge *e = &d->edges[i];
		order[i] = (struct ranked){ is_between(d, e), e->is_started,
			draw_graph_edge_wait(e), e->to_head.count + e->to_tail.count, i };
	}
	if (order)
		qsort(order, d->n_edges, sizeof(*order), by_weight);
	return order;
}

/* Keeps the most important edges, in the order of by_weight, and the nodes at their ends. */
static bool choose(struct draw_graph_drawing *d, bool limited)
{
	size_t max_nodes = limited ? MAX_NODES : SIZE_MAX, max = limited ? MAX_EDGES : SIZE_MAX;
	struct ranked *order = rank(d);
	struct draw_graph_edge *kept = calloc(d->n_edges + 1, sizeof(*kept));
	bool *has_loop = calloc(d->n_nodes + 1, sizeof(*has_loop));
	size_t *number = calloc(d->n_nodes + 1, sizeof(*number)), n = 0, n_nodes = 0;
	bool ok = order && kept && number && has_loop;
	for (size_t i = 0; ok && i < d->n_edges; i++) {
		const struct draw_graph_edge *e = &d->edges[order[i].edge];
		size_t more =
			(size_t)!number[e->tail] + (size_t)(e->tail != e->head && !number[e->head]);
		bool is_loop = e->tail == e->head;
		if (n == max || n_nodes + more > max_nodes || (is_loop && has_loop[e->tail]))
			continue; /* several loops at one box would hide each other */
		has_loop[e->tail] |= is_loop;
		n_nodes += more;
		number[e->tail] = number[e->head] = 1;
		kept[n++] = *e;
	}
	if (ok) {
		size_t next = 0;
		for (size_t i = 0; i < d->n_nodes; i++)
			if (number[i]) {
				d->nodes[next] = d->nodes[i];
				number[i] = next++;
			}
		for (size_t i = 0; i < n; i++) {
			kept[i].tail = number[kept[i].tail];
			kept[i].head = number[kept[i].head];
			if (!kept[i].is_started && draw_graph_edge_wait(&kept[i]) > d->most_ns)
				d->most_ns = draw_graph_edge_wait(&kept[i]);
		}
		d->n_left_out = d->n_edges - n;
		d->n_nodes = next;
		d->n_edges = n;
		memcpy(d->edges, kept, n * sizeof(*kept));
	}
	free(order);
	free(kept);
	free(has_loop);
	free(number);
	return ok;
}

int draw_graph_drawing_make(
	const struct draw_graph *g, struct draw_graph_drawing *d, struct mer_err *err)
{
	struct making m = { .g = g, .by_task = g->by_task, .d = d };
	*d = (struct draw_graph_drawing){ 0 };
	bool ok = make_nodes(&m) && make_edges(&m) && choose(d, g->limited);
	free(m.tasks);
	free(m.node_of);
	return ok ? 0 : mer_fail_nomem(err);
}

void draw_graph_drawing_fini(struct draw_graph_drawing *d)
{
	free(d->nodes);
	free(d->edges);
	*d = (struct draw_graph_drawing){ 0 };
}
