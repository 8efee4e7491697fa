/* Pipes: a pair of processes with one pipe in each direction has a connection.
 *
 * Both ends of a pipe have the same name, so its writer and its reader are known. If two processes
 * have exactly one pipe in each direction on which bytes were moved, and no other process uses
 * these, the two pipes become the ends of one connection: what a process does with either is then
 * on one socket. With more pipes (another one for errors) nothing shows which answers which, so
 * these are left out.
 *
 * All other pipes only wake tasks or hand work on: a task that has read from one looks for the
 * next thing to do, and a task that has written to one has handed something over. */
#include <stdlib.h>

#include "base/grow.h"
#include "kernel/files/files.h"
#include "requests/connections.h"

struct link {				   /* a pipe from one process to another one */
	uint32_t writer, reader, from, to; /* processes, and their sockets */
};

struct joiner {
	struct requests_host *r;
	struct link *links;
	size_t n_links, cap_links;
	uint32_t *instead; /* by socket: the one that it is now */
	bool *is_fresh;	   /* by task: it has read a pipe that is no connection */
};

static uint32_t low(const struct link *l)
{
	return l->writer < l->reader ? l->writer : l->reader;
}

static uint32_t high(const struct link *l)
{
	return l->writer < l->reader ? l->reader : l->writer;
}

static int by_processes(const void *a, const void *b)
{
	const struct link *p = a, *q = b;
	if (low(p) != low(q))
		return low(p) < low(q) ? -1 : 1;
	if (high(p) != high(q))
		return high(p) < high(q) ? -1 : 1;
	return (p->from > q->from) - (p->from < q->from);
}

/* Sockets are made in the order of time, so those of a pipe are not side by side. */
static int by_pipe(const void *a, const void *b)
{
	const struct requests_socket *const *p = a, *const *q = b;
	if ((*p)->object != (*q)->object)
		return (*p)->object < (*q)->object ? -1 : 1;
	return (*p > *q) - (*p < *q);
}

static bool add_link(
	struct joiner *j, const struct requests_socket *from, const struct requests_socket *to)
{
	if (!mer_grow(&j->links, j->n_links, &j->cap_links, sizeof(*j->links)))
		return false;
	j->links[j->n_links++] = (struct link){ from->owner, to->owner,
		(uint32_t)(from - j->r->sockets), (uint32_t)(to - j->r->sockets) };
	return true;
}

/* Pipes that one process only wrote and one other only read. */
static bool find_links(struct joiner *j, struct requests_socket *const *pipes, size_t n)
{
	const uint8_t reads = 1u << REQUESTS_READ, writes = 1u << REQUESTS_WRITE;
	bool ok = true;
	for (size_t i = 0, k; ok && i < n; i = k) {
		for (k = i + 1; k < n && pipes[k]->object == pipes[i]->object; k++)
			;
		const struct requests_socket *a = pipes[i], *b = pipes[k - 1];
		if (k - i != 2)
			continue;
		if (a->pipe_ways == writes && b->pipe_ways == reads)
			ok = add_link(j, a, b);
		else if (a->pipe_ways == reads && b->pipe_ways == writes)
			ok = add_link(j, b, a);
	}
	return ok;
}

static void replace(struct joiner *j, uint32_t by, uint32_t socket, uint32_t name, uint8_t end)
{
	struct requests_socket *to = &j->r->sockets[by], *s = &j->r->sockets[socket];
	to->begin = s->begin < to->begin ? s->begin : to->begin;
	to->n += s->n;
	to->object = name;
	to->end = end;
	to->is_joined = true;
	s->n = 0;
	j->instead[socket] = by;
}

static void join_links(struct joiner *j)
{
	for (size_t i = 0, k; i < j->n_links; i = k) {
		const struct link *a = &j->links[i], *b = a + 1;
		for (k = i + 1; k < j->n_links && low(&j->links[k]) == low(a) &&
				high(&j->links[k]) == high(a);
			k++)
			;
		if (k - i != 2 || a->writer == b->writer)
			continue;
		uint32_t name = j->r->sockets[a->from].object;
		replace(j, a->from, b->to, name, 0);
		replace(j, a->to, b->from, name, 1);
	}
}

static void keep(struct requests_host *r, uint32_t *n, uint32_t number)
{
	const struct requests_action *a = &r->actions[number];
	if (a->kind == REQUESTS_CONNECT && r->sockets[a->socket].opener == number + 1)
		r->sockets[a->socket].opener = *n + 1;
	r->actions[(*n)++] = *a;
}

/* What was done with the others becomes what it means. Nothing else refers to actions yet. */
static void settle(struct joiner *j)
{
	struct requests_host *r = j->r;
	uint32_t n = 0;
	for (uint32_t i = 0; i < r->n_actions; i++) {
		struct requests_action *a = &r->actions[i];
		if (a->kind == REQUESTS_WAKE) {
			a->exchange = a->exchange ? j->instead[a->exchange - 1] + 1 : 0;
			keep(r, &n, i);
			continue;
		}
		a->socket = j->instead[a->socket];
		struct requests_socket *s = &r->sockets[a->socket];
		if (s->kind == KERNEL_OBJECT_PIPE && !s->is_joined) {
			j->is_fresh[a->task] |= a->is_fresh || a->kind == REQUESTS_READ;
			s->n--;
			if (a->kind == REQUESTS_WRITE) {
				a->kind = REQUESTS_WAKE;
				a->socket = a->task;
				keep(r, &n, i);
			}
			continue;
		}
		a->is_fresh |= j->is_fresh[a->task];
		j->is_fresh[a->task] = false;
		keep(r, &n, i);
	}
	r->n_actions = n;
}

bool requests_pipes_join(struct requests_host *r, const struct kernel_host *h)
{
	struct joiner j = { .r = r };
	struct requests_socket **pipes = NULL;
	size_t n = 0, cap = 0;
	bool ok = true;
	for (uint32_t i = 0; ok && i < r->n_sockets; i++) {
		if (r->sockets[i].kind != KERNEL_OBJECT_PIPE || !r->sockets[i].pipe_ways)
			continue;
		ok = mer_grow(&pipes, n, &cap, sizeof(*pipes));
		if (ok)
			pipes[n++] = &r->sockets[i];
	}
	if (ok && n) {
		qsort(pipes, n, sizeof(*pipes), by_pipe);
		j.instead = calloc(r->n_sockets, sizeof(*j.instead));
		j.is_fresh = calloc((size_t)h->n_tasks + 1, sizeof(*j.is_fresh));
		ok = j.instead && j.is_fresh && find_links(&j, pipes, n);
	}
	if (ok && n) {
		for (uint32_t i = 0; i < r->n_sockets; i++)
			j.instead[i] = i;
		if (j.n_links)
			qsort(j.links, j.n_links, sizeof(*j.links), by_processes);
		join_links(&j);
		settle(&j);
	}
	free(pipes);
	free(j.links);
	free(j.instead);
	free(j.is_fresh);
	return ok;
}
