/* Bridges of parts: each file has those of its own hosts, numbered from 0; together they are those
 * of the world, in its order, and each file's numbers are mapped to the world's. */
#include <stdlib.h>

#include "base/sort.h"
#include "store/heads.h"
#include "store/parts.h"
#include "store/rows.h"
#include "store/types.h"

struct joining {
	struct store_parts *p;
	const struct kernel_world *w;
	struct store_rows *rows; /* by file */
	uint32_t *next;		 /* by file: of its bridges, the first one that was not joined */
	struct kernel_bridge *bridges;
	uint32_t n;
};

static int refuse(struct mer_err *err)
{
	return mer_fail(err, MER_ERR_INPUT, "packets that cannot be");
}

/* ---- of one file ---- */

/* A world with the file's numbers of hosts and packets: limits of what rows refer to. */
static int limits_of(const struct joining *j, size_t file, uint32_t n, struct kernel_world *limits,
	struct mer_err *err)
{
	const struct store_file *view = &j->p->views[file];
	*limits = (struct kernel_world){ .n_hosts = view->n_hosts, .n_bridges = n };
	limits->hosts = calloc((size_t)view->n_hosts + 1, sizeof(*limits->hosts));
	for (uint32_t k = 0; limits->hosts && k < view->n_hosts; k++)
		if (store_part_of(view, view->hosts[k]))
			limits->hosts[k].n_spans = j->w->hosts[view->hosts[k]].n_spans;
	return limits->hosts ? 0 : mer_fail_nomem(err);
}

static int load_rows(struct store_rows *rows, const struct store_file *view, struct mer_err *err)
{
	struct kernel_bridge *its = rows->rows;
	for (uint32_t i = 0; i < rows->n;) {
		uint32_t first, loaded;
		if (!store_rows_load(rows, i, &first, &loaded) || !loaded)
			return refuse(err);
		i = first + loaded;
	}
	for (uint32_t i = 0; i < rows->n; i++) {
		its[i].from.host = store_host_of(view, its[i].from.host);
		its[i].to.host = store_host_of(view, its[i].to.host);
	}
	return 0;
}

static int open_file(struct joining *j, size_t file, uint32_t n, struct mer_err *err)
{
	struct store_rows *rows = &j->rows[file];
	struct kernel_world limits;
	int rc = limits_of(j, file, n, &limits, err);
	if (rc == 0)
		rc = store_rows_open(rows, &j->p->files[file], STORE_BRIDGES, 0, &store_bridge_rows,
			&limits, n, j->w->spill, err);
	if (rc == 0)
		rc = load_rows(rows, &j->p->views[file], err);
	rows->ctx = NULL;
	free(limits.hosts);
	j->p->packets[file].of = mer_spill_array(j->w->spill, (size_t)n + 1, sizeof(uint32_t));
	j->p->packets[file].n = n;
	return rc == 0 && !j->p->packets[file].of ? mer_fail_nomem(err) : rc;
}

/* The file whose row of a bridge is taken: that of the receiver, or, where none is of it, that of
 * the sender. */
static size_t file_of(const struct store_parts *p, const struct kernel_bridge *b)
{
	return (size_t)(p->of[p->is_there[b->to.host] ? b->to.host : b->from.host] - p->views);
}

static int take_rows(struct joining *j, size_t file, struct mer_err *err)
{
	const struct kernel_bridge *its = j->rows[file].rows;
	const struct store_parts *p = j->p;
	for (uint32_t i = 0; i < j->rows[file].n; i++) {
		struct kernel_bridge b = its[i];
		if (!store_part_of(&p->views[file], b.from.host) &&
			!store_part_of(&p->views[file], b.to.host))
			return refuse(err);
		if (file_of(p, &b) != file)
			continue;
		b.from.span = b.to.span = b.answers = KERNEL_NONE;
		b.from.stream = b.to.stream = SYNC_NO_STREAM;
		b.was_held = false;
		j->bridges[j->n++] = b;
	}
	return 0;
}

/* ---- of all ---- */

/* Those of the same times between the same hosts are of one file, in their order there. */
static int compare(const void *a, const void *b)
{
	return kernel_bridge_compare(a, b);
}

static bool is_same(const struct kernel_bridge *a, const struct kernel_bridge *b)
{
	return compare(a, b) == 0 && a->from.endpoint == b->from.endpoint &&
	       a->to.endpoint == b->to.endpoint && a->kind == b->kind && a->content == b->content;
}

/* Streams of the file become those of the experiment. */
static uint32_t stream_of(
	const struct store_parts *p, const struct store_file *f, uint32_t host, uint32_t stream)
{
	const struct store_part_host *its = store_part_of(f, host);
	if (!its || stream < its->first_stream || stream - its->first_stream >= its->n_streams)
		return SYNC_NO_STREAM;
	return stream - its->first_stream + p->first_streams[host];
}

/* What the file of a host knows of that host's side. The number of the bridge that it answers is
 * the file's until all are joined. */
static int take_side(struct joining *j, uint32_t host, uint32_t number, struct mer_err *err)
{
	struct kernel_bridge *b = &j->bridges[number];
	const struct store_file *f = j->p->of[host];
	size_t file = (size_t)(f - j->p->views);
	uint32_t at = j->next[file];
	const struct kernel_bridge *its = &((const struct kernel_bridge *)j->rows[file].rows)[at];
	if (at >= j->rows[file].n || !is_same(b, its))
		return mer_fail(err, MER_ERR_INPUT, "other messages than the others");
	j->p->packets[file].of[at] = number;
	j->next[file]++;
	if (store_part_of(f, its->from.host)) {
		b->from.span = its->from.span;
		b->from.stream = stream_of(j->p, f, its->from.host, its->from.stream);
		b->answers = its->answers;
		b->was_held = its->was_held;
	}
	if (store_part_of(f, its->to.host)) {
		b->to.span = its->to.span;
		b->to.stream = stream_of(j->p, f, its->to.host, its->to.stream);
	}
	return 0;
}

static int join(struct joining *j, struct mer_err *err)
{
	const struct store_parts *p = j->p;
	int rc = 0;
	for (uint32_t i = 0; rc == 0 && i < j->n; i++) {
		uint32_t from = j->bridges[i].from.host, to = j->bridges[i].to.host;
		if (p->is_there[from])
			rc = take_side(j, from, i, err);
		if (rc == 0 && p->is_there[to] && !(p->is_there[from] && p->of[from] == p->of[to]))
			rc = take_side(j, to, i, err);
	}
	for (size_t i = 0; rc == 0 && i < p->n; i++)
		if (j->next[i] != j->rows[i].n)
			rc = mer_fail(err, MER_ERR_INPUT, "other messages than the others");
	for (uint32_t i = 0; rc == 0 && i < j->n; i++) {
		struct kernel_bridge *b = &j->bridges[i];
		if (b->answers != KERNEL_NONE &&
			!store_parts_packet(p, b->from.host, &b->answers, 0))
			rc = refuse(err);
	}
	return rc;
}

static int join_all(struct joining *j, size_t most, struct mer_err *err)
{
	if (most > INT32_MAX)
		return mer_fail(err, MER_ERR_LIMIT,
			"more than 2^31 messages between the hosts: give fewer of them");
	j->bridges = mer_spill_array(j->w->spill, most + 1, sizeof(*j->bridges));
	if (!j->bridges)
		return mer_fail_nomem(err);
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < j->p->n; i++)
		rc = take_rows(j, i, err);
	if (rc == 0 && !mer_sort(j->w->spill, j->bridges, j->n, sizeof(*j->bridges), compare))
		rc = mer_fail_nomem(err);
	return rc ? rc : join(j, err);
}

int store_parts_bridges(struct store_parts *p, struct kernel_world *w, struct mer_err *err)
{
	struct joining j = { .p = p, .w = w };
	size_t most = 0;
	int rc = 0;
	j.rows = calloc(p->n + 1, sizeof(*j.rows));
	j.next = calloc(p->n + 1, sizeof(*j.next));
	if (!j.rows || !j.next)
		rc = mer_fail_nomem(err);
	for (size_t i = 0; rc == 0 && i < p->n; i++) {
		uint64_t n = 0;
		const struct store_world_head *head =
			store_find(&p->files[i], STORE_WORLD, 0, 0, sizeof(*head), &n);
		rc = head && n == 1 ? open_file(&j, i, head->n_bridges, err) : refuse(err);
		most += rc ? 0 : j.rows[i].n;
	}
	if (rc == 0)
		rc = join_all(&j, most, err);
	for (size_t i = 0; j.rows && i < p->n; i++)
		store_rows_close(&j.rows[i]);
	free(j.rows);
	free(j.next);
	w->bridges = j.bridges;
	w->n_bridges = rc ? 0 : j.n;
	return rc;
}

bool store_parts_packet(const struct store_parts *p, uint32_t host, uint32_t *packet, uint32_t plus)
{
	const struct store_part_packets *its = &p->packets[p->of[host] - p->views];
	if (*packet < plus)
		return true; /* none */
	if (*packet - plus >= its->n)
		return false;
	*packet = its->of[*packet - plus] + plus;
	return true;
}

uint32_t store_parts_n_packets(const struct store_parts *p, uint32_t host)
{
	return p->packets[p->of[host] - p->views].n;
}
