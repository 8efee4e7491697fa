#include "store/parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "store/heads.h"
#include "store/request_log.h"
#include "store/rows.h"
#include "store/types.h"

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

const struct store_part_host *store_part_of(const struct store_file *f, uint32_t host)
{
	uint64_t n = 0;
	const struct store_part_host *p =
		store_find(f, STORE_PART, host, PART_HOST, sizeof(*p), &n);
	return n == 1 ? p : NULL;
}

static int find_file_of(struct store_parts *p, const struct store_part_file *given,
	const struct mer_experiment *e, uint32_t host, struct mer_err *err)
{
	size_t at = 0;
	for (size_t i = 0; i < p->n; i++) {
		if (p->numbers[i][host] == UINT32_MAX)
			continue;
		if (!p->of[host])
			p->of[host] = &p->views[i];
		const struct store_part_host *its = store_part_of(&p->views[i], host);
		if (!its)
			continue;
		if (its->n_streams != streams_of(e, host).n_streams)
			return mer_fail(err, MER_ERR_INPUT,
				"%.700s: it does not have the streams that %.100s has here: is the host given a second time, by its part or its traces?",
				given[i].name, e->hosts[host].name);
		if (p->is_there[host])
			return mer_fail(err, MER_ERR_INPUT,
				"host %.100s is in %.800s and in %.800s: leave one of them out",
				e->hosts[host].name, given[at].name, given[i].name);
		p->of[host] = &p->views[i];
		p->has_facts &= its->has_facts != 0;
		p->is_there[host] = true;
		at = i;
	}
	return p->of[host]
		       ? 0
		       : mer_fail(err, MER_ERR_INPUT,
				 "host %.100s has no full part, and those of the others were made without its part",
				 e->hosts[host].name);
}

uint32_t *store_view_make(struct store_file *view, const struct store_file *f,
	const uint32_t *hosts, uint32_t n_hosts, uint32_t n_known)
{
	uint32_t *numbers = malloc((n_known + (size_t)n_hosts + 1) * sizeof(*numbers));
	if (!numbers)
		return NULL;
	uint32_t *copy = numbers + n_known;
	for (uint32_t h = 0; h < n_known; h++)
		numbers[h] = UINT32_MAX;
	for (uint32_t k = 0; k < n_hosts; k++) {
		numbers[hosts[k]] = k;
		copy[k] = hosts[k];
	}
	*view = *f;
	view->numbers = numbers;
	view->hosts = copy;
	view->n_hosts = n_hosts;
	return numbers;
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
	const struct store_part_file *given, size_t n, const struct mer_experiment *e,
	struct mer_err *err)
{
	*p = (struct store_parts){ .files = files, .n = n, .has_facts = true };
	p->of = calloc((size_t)e->n_hosts + 1, sizeof(struct store_file *));
	p->is_there = calloc((size_t)e->n_hosts + 1, sizeof(*p->is_there));
	p->first_streams = calloc((size_t)e->n_hosts + 1, sizeof(*p->first_streams));
	p->packets = calloc(n + 1, sizeof(*p->packets));
	p->views = calloc(n + 1, sizeof(*p->views));
	p->numbers = calloc(n + 1, sizeof(uint32_t *));
	if (!p->of || !p->is_there || !p->first_streams || !p->packets || !p->views || !p->numbers)
		return mer_fail_nomem(err);
	int rc = 0;
	for (size_t i = 0; i < n; i++)
		p->numbers[i] = store_view_make(
			&p->views[i], &files[i], given[i].hosts, given[i].n_hosts, e->n_hosts);
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = p->numbers[i] ? 0 : mer_fail_nomem(err);
	for (uint32_t h = 0; rc == 0 && h < e->n_hosts; h++) {
		p->first_streams[h] = streams_of(e, h).first_stream;
		rc = find_file_of(p, given, e, h, err);
	}
	return rc ? rc : refuse_traces(p, e, err);
}

void store_parts_fini(struct store_parts *p)
{
	for (size_t i = 0; p->packets && i < p->n; i++)
		mer_spill_release(p->packets[i].of);
	for (size_t i = 0; p->numbers && i < p->n; i++)
		free(p->numbers[i]);
	free(p->numbers);
	free(p->views);
	free(p->packets);
	free(p->first_streams);
	free(p->of);
	free(p->is_there);
	*p = (struct store_parts){ 0 };
}

/* ---- endpoints ---- */

static int add_places(struct kernel_world *w, const struct store_file *f, uint32_t *n,
	uint32_t *cap, struct mer_err *err)
{
	uint64_t n_places = 0, n_slots = 0;
	const struct sync_place *places =
		store_find(f, STORE_PLACES, 0, 0, sizeof(*places), &n_places);
	const struct mer_map_slot *slots =
		store_find(f, STORE_MAP, 0, STORE_MAP_ENDPOINTS, sizeof(*slots), &n_slots);
	for (uint64_t i = 0; places && slots && i < n_slots; i++) {
		if (!slots[i].used || !slots[i].value)
			continue;
		uint32_t *at = mer_map_put(&w->endpoints, slots[i].key);
		if (!at || !mer_grow32(&w->places, *n, cap, sizeof(*w->places)))
			return mer_fail_nomem(err);
		if (slots[i].value > n_places)
			return mer_fail(err, MER_ERR_INPUT, "a table of names that cannot be");
		if (*at)
			continue;
		w->places[(*n)++] = places[slots[i].value - 1];
		*at = *n;
	}
	return places && slots ? 0 : mer_fail(err, MER_ERR_INPUT, "tables that cannot be");
}

int store_parts_places(const struct store_parts *p, struct kernel_world *w, struct mer_err *err)
{
	uint32_t n = 0, cap = 0;
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < p->n; i++)
		rc = add_places(w, &p->files[i], &n, &cap, err);
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

/* The file's numbers of packets become the world's. */
static bool all_to_world(const struct store_parts *p, const struct kernel_world *w, uint32_t host,
	struct requests_host *r)
{
	bool ok = true;
	for (uint32_t i = 0; ok && i < r->n_sockets; i++) {
		struct requests_socket *s = &r->sockets[i];
		ok = store_parts_packet(p, host, &s->arrived, 1);
		for (uint32_t k = 0; ok && k < s->n_samples; k++)
			ok = store_parts_packet(p, host, &s->samples[k], 0);
	}
	for (uint32_t i = 0; ok && i < r->n_sightings; i++) {
		struct requests_sighting *s = &r->sightings[i];
		ok = store_parts_packet(p, host, &s->packet, 0);
		const struct kernel_bridge *b = ok ? kernel_bridge_at(w, s->packet) : NULL;
		ok = ok && (s->is_send ? b->from.host : b->to.host) == host;
	}
	return ok;
}

static int get_log(const struct store_parts *p, const struct kernel_world *w,
	struct requests_log **log, struct mer_err *err)
{
	int rc = requests_log_new(w->n_hosts, w->spill, log, err);
	for (uint32_t h = 0; rc == 0 && h < w->n_hosts; h++) {
		if (!p->is_there[h])
			continue;
		struct requests_host *r = &(*log)->hosts[h];
		rc = store_get_request_log(p->of[h], w, h, store_parts_n_packets(p, h), r, err);
		if (rc == 0 && !all_to_world(p, w, h, r))
			rc = mer_fail(err, MER_ERR_INPUT, "no log of requests that fits");
	}
	if (rc) {
		requests_log_free(*log);
		*log = NULL;
	}
	return rc;
}

/* Of those that a file has, those of its own hosts; and of hosts that no file is of. */
static int add_singles(const struct store_parts *p, const struct store_file *f,
	struct kernel_world *w, size_t *cap, struct mer_err *err)
{
	struct kernel_single *its;
	uint32_t n;
	int rc = store_get_singles(f, w, &its, &n, err);
	for (uint32_t i = 0; rc == 0 && i < n; i++) {
		if (!store_part_of(f, its[i].host) && p->is_there[its[i].host])
			continue;
		size_t have = w->n_singles;
		if (have >= UINT32_MAX - 1)
			rc = mer_fail(err, MER_ERR_LIMIT, "too many packets");
		else if (!mer_spill_grow(w->spill, &w->singles, have, cap, sizeof(*w->singles)))
			rc = mer_fail_nomem(err);
		else
			w->singles[w->n_singles++] = its[i];
	}
	mer_spill_release(its);
	return rc;
}

static int get_singles(const struct store_parts *p, struct kernel_world *w, struct mer_err *err)
{
	size_t cap = 0;
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < p->n; i++)
		rc = add_singles(p, &p->views[i], w, &cap, err);
	return rc ? rc : kernel_singles_sort(w, err);
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
	rc = get_singles(p, w, err);
	if (rc) {
		requests_log_free(log);
		return rc;
	}
	w->clock_groups = (uint32_t *)(uintptr_t)groups; /* only read */
	rc = requests_find(w, log, found, err);
	w->clock_groups = NULL;
	return rc;
}
