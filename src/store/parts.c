#include "store/parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "store/heads.h"
#include "store/request_log.h"
#include "store/rows.h"
#include "store/types.h"

/* Of a host that a file is of. Streams as the experiment that the file was made from numbers
 * them. */
struct store_part_host {
	uint32_t first_stream, n_streams;
	uint32_t has_facts, unused;
};
enum { PART_HOST, PART_ABSENT }; /* numbers of the sections STORE_PART */

/* The streams of a host follow one another. */
static struct store_part_host streams_of(const struct mer_experiment *e, uint32_t host)
{
	struct store_part_host s = { 0 };
	for (uint32_t i = e->n_streams; i-- > 0;)
		if (e->traces[e->streams[i].trace].host == host) {
			s.first_stream = i;
			s.n_streams++;
		}
	return s;
}

/* ---- writing ---- */

static int put_absent(
	struct store_writer *w, const struct mer_experiment *e, uint32_t host, struct mer_err *err)
{
	int32_t *cpus = calloc((size_t)e->n_absent + 1, sizeof(*cpus));
	size_t n = 0;
	if (!cpus)
		return mer_fail_nomem(err);
	for (uint32_t i = 0; i < e->n_absent; i++)
		if (e->traces[e->absent[i].trace].host == host)
			cpus[n++] = e->absent[i].cpu;
	store_put_section(w, STORE_PART, host, PART_ABSENT, cpus, n, sizeof(*cpus));
	free(cpus);
	return 0;
}

int store_put_part(struct store_writer *w, const struct kernel_world *world, const bool *own,
	bool has_facts, struct mer_err *err)
{
	int rc = 0;
	for (uint32_t h = 0; rc == 0 && h < world->n_hosts; h++) {
		if (!own[h])
			continue;
		struct store_part_host s = streams_of(world->e, h);
		s.has_facts = has_facts;
		store_put_section(w, STORE_PART, h, PART_HOST, &s, 1, sizeof(s));
		rc = put_absent(w, world->e, h, err);
	}
	return rc;
}

/* ---- whose file it is ---- */

static const struct store_part_host *part_of(const struct store_file *f, uint32_t host)
{
	uint64_t n = 0;
	const struct store_part_host *p =
		store_find(f, STORE_PART, host, PART_HOST, sizeof(*p), &n);
	return n == 1 ? p : NULL;
}

static int find_file_of(struct store_parts *p, const char *const *paths,
	const struct mer_experiment *e, uint32_t host, struct mer_err *err)
{
	size_t at = 0;
	for (size_t i = 0; i < p->n; i++) {
		const struct store_part_host *its = part_of(&p->files[i], host);
		if (!its)
			continue;
		if (its->n_streams != streams_of(e, host).n_streams)
			return mer_fail(err, MER_ERR_INPUT,
				"%.700s: it does not have the streams that %.100s has here: is the host given a second time, by its part or its traces?",
				paths[i], e->hosts[host].name);
		if (p->is_there[host])
			return mer_fail(err, MER_ERR_INPUT,
				"host %.100s is in %.800s and in %.800s: leave one of them out",
				e->hosts[host].name, paths[at], paths[i]);
		p->of[host] = &p->files[i];
		p->has_facts &= its->has_facts != 0;
		p->is_there[host] = true;
		at = i;
	}
	return 0;
}

/* Events of traces are not read beside full parts, so they would be missing in silence. */
static int refuse_traces(
	const struct store_parts *p, const struct mer_experiment *e, struct mer_err *err)
{
	for (uint32_t i = 0; i < e->n_parts; i++) {
		uint32_t h = e->traces[e->parts[i].trace].host;
		if (!p->is_there[h] && !trace_of_copy(&e->parts[i], COPIED_ENV_HOST))
			return mer_fail(err, MER_ERR_INPUT,
				"%.800s: traces of %.100s beside full parts of other hosts: make its full part, too",
				e->parts[i].given, e->hosts[h].name);
	}
	return 0;
}

int store_parts_find(struct store_parts *p, const struct store_file *files,
	const char *const *paths, size_t n, const struct mer_experiment *e, struct mer_err *err)
{
	*p = (struct store_parts){ .files = files, .n = n, .has_facts = true };
	p->of = calloc((size_t)e->n_hosts + 1, sizeof(struct store_file *));
	p->is_there = calloc((size_t)e->n_hosts + 1, sizeof(*p->is_there));
	if (!p->of || !p->is_there)
		return mer_fail_nomem(err);
	int rc = 0;
	for (uint32_t h = 0; rc == 0 && h < e->n_hosts; h++) {
		p->of[h] = &files[0];
		rc = find_file_of(p, paths, e, h, err);
	}
	return rc ? rc : refuse_traces(p, e, err);
}

void store_parts_fini(struct store_parts *p)
{
	free(p->of);
	free(p->is_there);
	*p = (struct store_parts){ 0 };
}

/* ---- packets ---- */

static int refuse(struct mer_err *err)
{
	return mer_fail(err, MER_ERR_INPUT, "packets that cannot be");
}

static bool is_same(const struct kernel_bridge *a, const struct kernel_bridge *b)
{
	return a->from.time == b->from.time && a->to.time == b->to.time &&
	       a->from.host == b->from.host && a->to.host == b->to.host &&
	       a->from.endpoint == b->from.endpoint && a->to.endpoint == b->to.endpoint &&
	       a->kind == b->kind && a->content == b->content;
}

/* Streams of the file become those of e. */
static uint32_t stream_of(
	const struct store_file *f, const struct mer_experiment *e, uint32_t host, uint32_t stream)
{
	const struct store_part_host *its = part_of(f, host);
	if (!its || stream < its->first_stream || stream - its->first_stream >= its->n_streams)
		return SYNC_NO_STREAM;
	return stream - its->first_stream + streams_of(e, host).first_stream;
}

/* What the file knows of its own hosts' sides. */
static void take_ends(struct kernel_bridge *b, const struct kernel_bridge *its,
	const struct store_file *f, const struct mer_experiment *e)
{
	if (part_of(f, its->from.host)) {
		b->from.span = its->from.span;
		b->from.stream = stream_of(f, e, its->from.host, its->from.stream);
		b->answers = its->answers;
		b->was_held = its->was_held;
	}
	if (part_of(f, its->to.host)) {
		b->to.span = its->to.span;
		b->to.stream = stream_of(f, e, its->to.host, its->to.stream);
	}
}

static int add_file(const struct store_file *f, const struct kernel_world *w,
	struct kernel_bridge *bridges, bool is_first, struct mer_err *err)
{
	struct store_rows rows;
	int rc = store_rows_open(
		&rows, f, STORE_BRIDGES, 0, &store_bridge_rows, w, w->n_bridges, w->spill, err);
	const struct kernel_bridge *its = rows.rows;
	for (uint32_t i = 0; rc == 0 && i < w->n_bridges; i++) {
		uint32_t first, n;
		struct kernel_bridge *b = &bridges[i];
		if (!store_rows_load(&rows, i, &first, &n))
			rc = refuse(err);
		if (rc == 0 && is_first) {
			*b = its[i];
			b->from.span = b->to.span = b->answers = KERNEL_NONE;
			b->from.stream = b->to.stream = SYNC_NO_STREAM;
			b->was_held = false;
		} else if (rc == 0 && !is_same(b, &its[i])) {
			rc = mer_fail(err, MER_ERR_INPUT, "other messages than the others");
		}
		if (rc == 0)
			take_ends(b, &its[i], f, w->e);
	}
	store_rows_close(&rows);
	return rc;
}

int store_parts_bridges(const struct store_parts *p, const struct kernel_world *w,
	struct kernel_bridge **bridges, struct mer_err *err)
{
	*bridges = mer_spill_array(w->spill, (size_t)w->n_bridges + 1, sizeof(**bridges));
	if (!*bridges)
		return mer_fail_nomem(err);
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < p->n; i++)
		rc = add_file(&p->files[i], w, *bridges, i == 0, err);
	return rc;
}

/* ---- what the experiment lacks ---- */

static bool kernel_trace_of(const struct mer_experiment *e, uint32_t host, uint32_t *trace)
{
	for (uint32_t t = 0; t < e->n_traces; t++) {
		*trace = t;
		if (e->traces[t].host == host && strcmp(e->traces[t].domain, "kernel") == 0)
			return true;
	}
	return false;
}

int store_parts_absent(const struct store_parts *p, struct mer_experiment *e, struct mer_err *err)
{
	for (uint32_t h = 0; h < e->n_hosts; h++) {
		uint64_t n = 0;
		uint32_t trace;
		const int32_t *cpus =
			store_find(p->of[h], STORE_PART, h, PART_ABSENT, sizeof(*cpus), &n);
		if (!cpus || !kernel_trace_of(e, h, &trace))
			continue;
		for (uint64_t i = 0; i < n; i++) {
			if (!mer_grow32(
				    &e->absent, e->n_absent, &e->cap_absent, sizeof(*e->absent)))
				return mer_fail_nomem(err);
			e->absent[e->n_absent++] =
				(struct trace_absent){ .trace = trace, .cpu = cpus[i] };
		}
	}
	return 0;
}

/* ---- requests ---- */

static int get_log(const struct store_parts *p, const struct kernel_world *w,
	struct requests_log **log, struct mer_err *err)
{
	int rc = requests_log_new(w->n_hosts, w->spill, log, err);
	for (uint32_t h = 0; rc == 0 && h < w->n_hosts; h++)
		if (p->is_there[h])
			rc = store_get_request_log(p->of[h], w, h, &(*log)->hosts[h], err);
	if (rc) {
		requests_log_free(*log);
		*log = NULL;
	}
	return rc;
}

int store_parts_requests(const struct store_parts *p, struct kernel_world *w,
	const uint32_t *groups, struct requests **found, struct mer_err *err)
{
	struct requests_log *log;
	*found = NULL;
	w->singles = NULL;
	w->n_singles = 0;
	int rc = get_log(p, w, &log, err);
	if (rc)
		return rc;
	/* All files have all of them: messages are of all hosts. */
	rc = store_get_singles(&p->files[0], w, &w->singles, &w->n_singles, err);
	if (rc) {
		requests_log_free(log);
		return rc;
	}
	w->clock_groups = (uint32_t *)(uintptr_t)groups; /* only read */
	rc = requests_find(w, log, found, err);
	w->clock_groups = NULL;
	return rc;
}
