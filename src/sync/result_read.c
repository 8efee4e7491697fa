/* A result read back from JSON. The file is not trusted: it may be of another program, edited by
 * hand, or malicious. Every number is checked for its range, and a map must never decrease
 * (trace_check_map); the first error is reported with its line and column.
 *
 * Hosts are numbered as in the file while it is read, and renumbered as in the experiment when all
 * are there: see place_hosts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag_json.h"
#include "base/json.h"
#include "base/json_get.h"
#include "base/map.h"
#include "sync/result.h"

typedef const struct mer_json_value *json;

/* Beyond any clock; below them budgets of drift do not overflow. */
enum { MOST_RATE = 1000, MOST_PPM = MOST_RATE * 1000000 };
enum { MOST_GROUPS = 1 << 20 };

struct input {
	struct mer_json_get get;
	struct mer_arena *arena;      /* the result's */
	struct mer_intern names, ids; /* of the file's hosts: number of each, in its order */
	const struct mer_host *known; /* the experiment's */
	uint32_t n_known;
	bool is_first;	  /* of the first version, which had other keys */
	uint32_t n_hosts; /* of the file */
	/* Numbers of groups are below it. Of some of the hosts alone (result_lines.h) there may be
	 * fewer hosts. */
	uint32_t n_groups;
	uint32_t *place; /* as the file's hosts: number in the experiment; UINT32_MAX: none */
};

static const char *quality_name(unsigned q)
{
	return sync_quality_name((enum sync_quality)q);
}

static const char *method_name(unsigned m)
{
	return sync_method_name((enum sync_method)m);
}

static const char *severity_name(unsigned s)
{
	return mer_severity_name((enum mer_severity)s);
}

static const char *key_of(const struct input *in, const char *key, const char *first)
{
	return in->is_first ? first : key;
}

/* A rate in ppm; in the first version it was a fraction of 1. */
static double get_ppm(struct input *in, json object, const char *key, const char *first)
{
	return mer_json_get_real(&in->get, object, key_of(in, key, first)) *
	       (in->is_first ? 1e6 : 1);
}

static enum sync_quality get_quality(struct input *in, json object)
{
	return (enum sync_quality)mer_json_get_word(
		&in->get, object, "quality", quality_name, SYNC_REFERENCE + 1);
}

static enum sync_method get_method(struct input *in, json object)
{
	return (enum sync_method)mer_json_get_word(
		&in->get, object, "method", method_name, SYNC_VCPU + 1);
}

/* Digits of a number of more than 64 bits; null: none. */
static void get_decimal(struct input *in, json object, const char *key, char out[80])
{
	const char *text = mer_json_get_text(&in->get, object, key, true, in->arena);
	size_t n = text ? strlen(text) : 0;
	out[0] = '\0';
	if (in->get.rc || !text)
		return;
	if (n == 0 || n >= 80 || strspn(text, "+-.0123456789Ee") != n)
		mer_json_get_fail(&in->get, object, "'%s' must be a decimal number as text", key);
	else
		memcpy(out, text, n + 1);
}

/* A host of the file by its name. */
static uint32_t get_host(struct input *in, json object, const char *key)
{
	const char *name = mer_json_get_text(&in->get, object, key, false, in->arena);
	uint32_t host = mer_intern_find(&in->names, name, strlen(name));
	if (host == MER_INTERN_NONE)
		mer_json_get_fail(&in->get, object, "'%s': there is no host of this name", key);
	return in->get.rc ? 0 : host;
}

/* n zeroed elements; NULL after a failure. */
static void *get_memory(struct input *in, size_t n, size_t bytes)
{
	void *p = in->get.rc ? NULL : mer_arena_zalloc(in->arena, n ? n : 1, bytes);
	if (!p)
		mer_json_get_nomem(&in->get);
	return p;
}

/* ---- Parts of a host ---- */

static struct sync_range read_range(struct input *in, json v, bool may_be_empty)
{
	struct sync_range r;
	r.begin = mer_json_get_int_or(&in->get, v, "begin", MER_NO_TIME);
	r.end = mer_json_get_int_or(&in->get, v, "end", MER_NO_TIME);
	if ((r.begin == MER_NO_TIME) != (r.end == MER_NO_TIME) ||
		(r.begin == MER_NO_TIME && !may_be_empty))
		mer_json_get_fail(&in->get, v, "a range lacks its start or its end");
	if (r.end < r.begin)
		mer_json_get_fail(&in->get, v, "a range ends before it begins");
	return r;
}

static struct sync_bound read_bound(struct input *in, json object, const char *key)
{
	struct sync_bound b;
	json v = mer_json_get_object(&in->get, object, key);
	b.min = mer_json_get_int_or(&in->get, v, "min", INT64_MAX);
	b.median = mer_json_get_int_or(&in->get, v, key_of(in, "p50", "median"), INT64_MAX);
	b.max = mer_json_get_int_or(&in->get, v, "max", INT64_MAX);
	b.max_at = mer_json_get_int_or(&in->get, v, key_of(in, "max_at", "worst_at"), MER_NO_TIME);
	if (b.min < 0 || b.median < b.min || b.max < b.median)
		mer_json_get_fail(&in->get, v, "the bounds are not in order");
	return b;
}

static struct sync_latency read_latency(struct input *in, json object, const char *key)
{
	json v = mer_json_get_object(&in->get, object, key);
	struct sync_latency l = { .n = mer_json_get_uint(&in->get, v, "n") };
	if (l.n == 0)
		return l;
	l.n_inversions = mer_json_get_uint(&in->get, v, key_of(in, "inversions", "violations"));
	l.min = mer_json_get_int(&in->get, v, "min_ns");
	l.max = mer_json_get_int(&in->get, v, "max_ns");
	l.median = mer_json_get_int(&in->get, v, key_of(in, "p50_ns", "median_ns"));
	l.p90 = mer_json_get_int(&in->get, v, "p90_ns");
	l.p99 = mer_json_get_int(&in->get, v, "p99_ns");
	l.mean = mer_json_get_real(&in->get, v, "mean_ns");
	l.stddev = mer_json_get_real(&in->get, v, "stddev_ns");
	if (l.n_inversions > l.n || l.min > l.median || l.median > l.p90 || l.p90 > l.p99 ||
		l.p99 > l.max)
		mer_json_get_fail(&in->get, v, "the latencies are not in order");
	return l;
}

/* A flat list of rows of `width` integers. */
static json get_rows(struct input *in, json object, const char *key, uint32_t width, size_t *n)
{
	json v = mer_json_get_array(&in->get, object, key);
	if (v->n % width)
		mer_json_get_fail(&in->get, v, "'%s' must be rows of %u integers", key, width);
	*n = in->get.rc ? 0 : v->n / width;
	return v;
}

static void read_map(struct input *in, json v, struct trace_clock_map *map)
{
	struct mer_err why;
	json rows = get_rows(in, v, "clock_map", 3, &map->n);
	if (map->n == 0)
		return;
	struct trace_clock_piece *pieces = get_memory(in, map->n, sizeof(*pieces));
	if (!pieces)
		return;
	for (size_t i = 0; i < map->n; i++) {
		json row = rows->u.items + 3 * i;
		pieces[i].begin = mer_json_to_int(&in->get, row, "clock_map");
		pieces[i].time = mer_json_to_int(&in->get, row + 1, "clock_map");
		pieces[i].rate = mer_json_to_int(&in->get, row + 2, "clock_map");
	}
	map->pieces = pieces;
	if (!in->get.rc && trace_check_map(map, &why))
		mer_json_get_fail(&in->get, rows, "%s", why.text);
}

/* Results may have been written without limits. */
static void read_limits(
	struct input *in, json v, const char *key, const struct sync_limit **list, size_t *n)
{
	if (!mer_json_member(v, key))
		return;
	json rows = get_rows(in, v, key, 2, n);
	struct sync_limit *limits = *n ? get_memory(in, *n, sizeof(*limits)) : NULL;
	for (size_t i = 0; limits && i < *n; i++) {
		json row = rows->u.items + 2 * i;
		limits[i].at = mer_json_to_int(&in->get, row, key);
		limits[i].offset_ns = mer_json_to_int(&in->get, row + 1, key);
		if (i && limits[i].at < limits[i - 1].at)
			mer_json_get_fail(&in->get, row, "'%s' must be in the order of time", key);
	}
	*list = limits;
}

/* Steps and slews: ranges that follow each other. */
static void check_order(
	struct input *in, json at, struct sync_range before, struct sync_range range)
{
	if (range.begin < before.end)
		mer_json_get_fail(&in->get, at, "ranges must follow each other");
}

static void read_steps(struct input *in, json v, struct sync_host *h)
{
	json list = mer_json_get_array_of(&in->get, v, "steps", MER_JSON_OBJECT);
	struct sync_step *steps = list->n ? get_memory(in, list->n, sizeof(*steps)) : NULL;
	for (uint32_t i = 0; steps && i < list->n; i++) {
		json item = &list->u.items[i];
		steps[i].range = read_range(in, item, false);
		steps[i].size_ns = mer_json_get_int(&in->get, item, "size_ns");
		if (i)
			check_order(in, item, steps[i - 1].range, steps[i].range);
	}
	h->steps = steps;
	h->n_steps = steps ? list->n : 0;
}

static void read_slews(struct input *in, json v, struct sync_host *h)
{
	json list = mer_json_get_array_of(&in->get, v, "slews", MER_JSON_OBJECT);
	struct sync_slew *slews = list->n ? get_memory(in, list->n, sizeof(*slews)) : NULL;
	for (uint32_t i = 0; slews && i < list->n; i++) {
		json item = &list->u.items[i];
		slews[i].range = read_range(in, item, false);
		slews[i].ppm = mer_json_get_real(&in->get, item, "ppm");
		slews[i].allowed_ppm = mer_json_get_real(&in->get, item, "allowed_ppm");
		if (!(fabs(slews[i].ppm) <= MOST_PPM) ||
			!(slews[i].allowed_ppm >= 0 && slews[i].allowed_ppm <= MOST_PPM))
			mer_json_get_fail(&in->get, item, "the slew is out of range");
		if (i)
			check_order(in, item, slews[i - 1].range, slews[i].range);
	}
	h->slews = slews;
	h->n_slews = slews ? list->n : 0;
}

static struct sync_host_counts read_counts(struct input *in, json object)
{
	json v = mer_json_get_object(&in->get, object, "matching");
	return (struct sync_host_counts){
		.n_sent = mer_json_get_uint(&in->get, v, "sent"),
		.n_received = mer_json_get_uint(&in->get, v, "received"),
		.n_unmatched_sent = mer_json_get_uint(&in->get, v, "unmatched_sent"),
		.n_unmatched_received = mer_json_get_uint(&in->get, v, "unmatched_received"),
		.n_duplicates = mer_json_get_uint(&in->get, v, "duplicates"),
		.n_too_old = mer_json_get_uint(&in->get, v, "too_old"),
		.n_without_key = mer_json_get_uint(&in->get, v, "without_key"),
	};
}

/* ---- Hosts ---- */

/* A host as read; its place is decided when all are read. */
struct file_host {
	struct sync_host host;
	struct sync_host_counts counts;
	struct sync_latency loopback;
	bool is_reference;
};

static void read_host(struct input *in, json v, struct file_host *f)
{
	struct sync_host *h = &f->host;
	struct mer_json_get *g = &in->get;
	h->name = mer_json_get_text(g, v, "name", false, in->arena);
	h->id = mer_json_get_text(g, v, "id", false, in->arena);
	h->quality = get_quality(in, v);
	h->method = get_method(in, v);
	uint64_t group = mer_json_get_uint(g, v, "group");
	if (group >= in->n_groups)
		mer_json_get_fail(g, v, "'group' is too large");
	h->group = (uint32_t)group;
	f->is_reference = mer_json_get_bool(g, v, "is_reference");
	h->bound = read_bound(in, v, "bound_ns");
	/* Results of earlier versions do not have them. */
	h->likely_off = (struct sync_bound){ INT64_MAX, INT64_MAX, INT64_MAX, MER_NO_TIME };
	h->drift_off_ppm = INFINITY;
	h->via = UINT32_MAX;
	if (mer_json_member(v, "likely_ns")) {
		h->likely_off = read_bound(in, v, "likely_ns");
		h->drift_off_ppm = mer_json_get_real(g, v, "drift_error_ppm");
		h->drift_off_ppm = isfinite(h->drift_off_ppm) ? fabs(h->drift_off_ppm) : INFINITY;
	}
	h->n_matched = mer_json_get_uint(g, v, "matched");
	h->n_used = mer_json_get_uint(g, v, "used");
	if (mer_json_member(v, "rounds"))
		h->n_rounds = mer_json_get_uint(g, v, "rounds");
	h->max_rate_ppm = get_ppm(in, v, "max_rate_ppm", "max_rate");
	if (!(h->max_rate_ppm >= 0 && h->max_rate_ppm <= MOST_PPM))
		mer_json_get_fail(g, v, "'max_rate_ppm' must be from 0 to %d", MOST_PPM);
	h->span = read_range(in, mer_json_get_object(g, v, "span"), true);
	read_steps(in, v, h);
	read_slews(in, v, h);
	f->counts = read_counts(in, v);
	f->loopback = read_latency(in, v, "loopback");
	read_map(in, v, &h->map);
	read_limits(in, v, "high", &h->high, &h->n_high);
	read_limits(in, v, "low", &h->low, &h->n_low);
	read_limits(in, v, "likely", &h->likely, &h->n_likely);
}

/* Names and ids get the number of their host; each must be there once. */
static void intern(struct input *in, json v, struct mer_intern *names, const char *text, uint32_t i)
{
	uint32_t id = in->get.rc ? i : mer_intern_add(names, text, strlen(text));
	if (id == MER_INTERN_NONE)
		mer_json_get_nomem(&in->get);
	else if (id != i)
		mer_json_get_fail(&in->get, v, "duplicate host name or id");
}

/* malloc'ed; NULL after a failure. */
static struct file_host *read_hosts(struct input *in, json root, struct sync_result *r)
{
	json list = mer_json_get_array_of(&in->get, root, "hosts", MER_JSON_OBJECT);
	struct file_host *hosts = calloc(list->n ? list->n : 1, sizeof(*hosts));
	in->n_hosts = in->n_groups = list->n;
	r->is_of_some = mer_json_member(root, "n_groups") != NULL;
	if (r->is_of_some) {
		uint64_t n = mer_json_get_uint(&in->get, root, "n_groups");
		if (n > MOST_GROUPS)
			mer_json_get_fail(&in->get, root, "'n_groups' is too large");
		else if (n > in->n_groups)
			in->n_groups = (uint32_t)n;
	}
	if (!hosts)
		mer_json_get_nomem(&in->get);
	for (uint32_t i = 0; !in->get.rc && i < list->n; i++) {
		json v = &list->u.items[i];
		read_host(in, v, &hosts[i]);
		intern(in, v, &in->names, hosts[i].host.name, i);
		intern(in, v, &in->ids, hosts[i].host.id, i);
	}
	return hosts;
}

static void note(struct sync_result *r, enum mer_severity severity, const char *code,
	const char *host, const char *why)
{
	struct mer_diag d = { .severity = severity,
		.code = code,
		.host = host,
		.stream = -1,
		.packet = -1,
		.offset_bits = -1 };
	mer_diag_add(&r->diags, &d, "%s", why);
}

/* Numbers the groups in the file's order, except those without a host here; then a group for each
 * host that the file does not have. */
static void number_groups(struct input *in, struct sync_result *r, const struct file_host *hosts,
	uint32_t *groups, const bool *found)
{
	for (uint32_t g = 0; g < in->n_groups; g++)
		groups[g] = UINT32_MAX;
	for (uint32_t i = 0; i < in->n_hosts; i++)
		if (in->place[i] != UINT32_MAX)
			groups[hosts[i].host.group] = 0;
	for (uint32_t g = 0; g < in->n_groups; g++)
		if (groups[g] == 0) {
			r->references[r->n_groups] = UINT32_MAX;
			groups[g] = r->n_groups++;
		}
	for (uint32_t i = 0; i < in->n_hosts; i++) {
		uint32_t h = in->place[i];
		if (h == UINT32_MAX)
			continue;
		uint32_t g = r->hosts[h].group = groups[hosts[i].host.group];
		if (hosts[i].is_reference)
			r->references[g] = h;
	}
	for (uint32_t h = 0; h < in->n_known; h++)
		if (!found[h]) {
			r->hosts[h].group = r->n_groups;
			r->references[r->n_groups++] = h;
		}
	/* A reference may be missing here: the others are still aligned to its clock. */
	for (uint32_t h = 0; h < in->n_known; h++)
		if (r->references[r->hosts[h].group] == UINT32_MAX) {
			r->references[r->hosts[h].group] = h;
			note(r, MER_NOTE, "sync-no-reference", r->hosts[h].name,
				"the host whose clock is the reference is not among these traces");
		}
}

/* A host that the file does not have keeps its clock. */
static struct sync_host unknown_host(void)
{
	return (struct sync_host){
		.method = SYNC_NONE,
		.span = { MER_NO_TIME, MER_NO_TIME },
		.bound = { INT64_MAX, INT64_MAX, INT64_MAX, MER_NO_TIME },
	};
}

/* Ids of hosts whose clocks have none are paths, which differ where the same traces lie elsewhere
 * (their parts, for example): then the name decides. */
static bool is_path(const char *id)
{
	return strchr(id, '/') || strcmp(id, ".") == 0;
}

/* The number of the host in the file; MER_INTERN_NONE: it has none. */
static uint32_t find_saved(
	const struct input *in, const struct file_host *hosts, const struct mer_host *known)
{
	uint32_t i = mer_intern_find(&in->ids, known->id, strlen(known->id));
	if (i != MER_INTERN_NONE || !is_path(known->id))
		return i;
	i = mer_intern_find(&in->names, known->name, strlen(known->name));
	return i != MER_INTERN_NONE && is_path(hosts[i].host.id) ? i : MER_INTERN_NONE;
}

/* Whoever asks has no experiment: all hosts of the file, in its order. */
static void know_all(struct input *in, const struct file_host *hosts)
{
	struct mer_host *all = get_memory(in, in->n_hosts, sizeof(*all));
	for (uint32_t i = 0; !in->get.rc && i < in->n_hosts; i++)
		all[i] = (struct mer_host){ .name = hosts[i].host.name, .id = hosts[i].host.id };
	in->known = all;
	in->n_known = in->get.rc ? 0 : in->n_hosts;
}

static void place_hosts(struct input *in, struct sync_result *r, const struct file_host *hosts)
{
	bool *found = get_memory(in, in->n_known, sizeof(*found));
	uint32_t *groups = get_memory(in, in->n_groups, sizeof(*groups));
	in->place = get_memory(in, in->n_hosts, sizeof(*in->place));
	r->n_hosts = in->n_known;
	r->hosts = get_memory(in, in->n_known, sizeof(*r->hosts));
	r->counts = get_memory(in, in->n_known, sizeof(*r->counts));
	r->loopback = get_memory(in, in->n_known, sizeof(*r->loopback));
	r->references = get_memory(in, in->n_known, sizeof(*r->references));
	if (in->get.rc)
		return;
	for (uint32_t i = 0; i < in->n_hosts; i++)
		in->place[i] = UINT32_MAX;
	for (uint32_t h = 0; h < in->n_known; h++) {
		struct sync_host *to = &r->hosts[h];
		uint32_t i = find_saved(in, hosts, &in->known[h]);
		found[h] = i != MER_INTERN_NONE;
		*to = found[h] ? hosts[i].host : unknown_host();
		to->name = mer_arena_strdup(in->arena, in->known[h].name);
		to->id = mer_arena_strdup(in->arena, in->known[h].id);
		if (!to->name || !to->id) {
			mer_json_get_nomem(&in->get);
			return;
		}
		if (found[h]) {
			in->place[i] = h;
			r->counts[h] = hosts[i].counts;
			r->loopback[h] = hosts[i].loopback;
		} else {
			note(r, MER_WARNING, "sync-unknown-host", to->name,
				"the saved synchronization does not contain this host; its clock is left as recorded and cannot be compared with the others");
		}
	}
	number_groups(in, r, hosts, groups, found);
}

/* ---- Pairs ---- */

static void read_line(struct input *in, json pair, struct sync_line *l)
{
	json v = mer_json_get_object(&in->get, pair, "line");
	json points = mer_json_get_array_of(&in->get, pair, "hull_points", MER_JSON_UINT);
	if (points->n != 2)
		mer_json_get_fail(&in->get, points, "'hull_points' must be two counts");
	if (in->get.rc)
		return;
	l->n_upper = points->u.items[0].u.number;
	l->n_lower = points->u.items[1].u.number;
	l->quality = get_quality(in, v);
	l->n_messages = mer_json_get_uint(&in->get, v, "messages");
	l->n_accurate = mer_json_get_uint(&in->get, v, "accurate");
	get_decimal(in, pair, "alpha", l->alpha);
	get_decimal(in, pair, key_of(in, "beta_ns", "beta"), l->beta);
	get_decimal(in, v, "accuracy", l->accuracy);
	get_decimal(in, v, "alpha_min", l->alpha_min);
	get_decimal(in, v, "alpha_max", l->alpha_max);
	get_decimal(in, v, "slope", l->slope);
	get_decimal(in, v, "offset", l->offset);
}

static struct sync_direction read_direction(struct input *in, json pair, const char *key)
{
	json v = mer_json_get_object(&in->get, pair, key);
	return (struct sync_direction){
		.n_duplicates = mer_json_get_uint(&in->get, v, "duplicates"),
		.n_reordered = mer_json_get_uint(&in->get, v, "reordered"),
		.n_unmatched = mer_json_get_uint(&in->get, v, "unmatched"),
		.before = read_latency(in, v, "before"),
		.after = read_latency(in, v, "after"),
	};
}

static void read_pair(struct input *in, json v, struct sync_pair *p)
{
	p->a = get_host(in, v, "a");
	p->b = get_host(in, v, "b");
	if (p->a == p->b)
		mer_json_get_fail(&in->get, v, "a pair needs two hosts");
	p->n_used = mer_json_get_uint(&in->get, v, "used");
	p->n_rejected = mer_json_get_uint(&in->get, v, key_of(in, "rejected", "left_out"));
	if (mer_json_member(v, "rounds")) {
		p->n_rounds = mer_json_get_uint(&in->get, v, "rounds");
		p->n_rounds_rejected = mer_json_get_uint(&in->get, v, "rounds_rejected");
	}
	p->quality = get_quality(in, v);
	p->bound = read_bound(in, v, "bounds");
	read_line(in, v, &p->line);
	p->ab = read_direction(in, v, "ab");
	p->ba = read_direction(in, v, "ba");
}

static void read_pairs(struct input *in, json root, struct sync_result *r)
{
	json list = mer_json_get_array_of(&in->get, root, "pairs", MER_JSON_OBJECT);
	r->pairs = get_memory(in, list->n, sizeof(*r->pairs));
	for (uint32_t i = 0; !in->get.rc && i < list->n; i++) {
		struct sync_pair p = { 0 };
		read_pair(in, &list->u.items[i], &p);
		if (in->get.rc)
			return;
		p.a = in->place[p.a];
		p.b = in->place[p.b];
		if (p.a == UINT32_MAX || p.b == UINT32_MAX)
			continue;
		r->pairs[r->n_pairs++] = p;
	}
	sync_result_sort_pairs(r);
	for (size_t i = 1; i < r->n_pairs; i++)
		if (r->pairs[i - 1].a == r->pairs[i].a && r->pairs[i - 1].b == r->pairs[i].b)
			mer_json_get_fail(&in->get, list, "duplicate pair of hosts");
}

/* ---- VMs ---- */

static const char *how_name(unsigned how)
{
	return sync_vm_how_name((enum sync_vm_how)how);
}

static uint32_t get_number(struct input *in, json object, const char *key)
{
	uint64_t n = mer_json_get_uint(&in->get, object, key);
	if (n >= UINT32_MAX)
		mer_json_get_fail(&in->get, object, "'%s' is too large", key);
	return in->get.rc ? 0 : (uint32_t)n;
}

static void read_vcpus(struct input *in, json object, struct sync_vm *vm)
{
	json list = mer_json_get_array_of(&in->get, object, "vcpus", MER_JSON_OBJECT);
	struct sync_vcpu *vcpus = get_memory(in, list->n, sizeof(*vcpus));
	for (uint32_t i = 0; !in->get.rc && i < list->n; i++)
		vcpus[i] = (struct sync_vcpu){ get_number(in, &list->u.items[i], "vcpu"),
			get_number(in, &list->u.items[i], "tid") };
	vm->vcpus = vcpus;
	vm->n_vcpus = in->get.rc ? 0 : (uint32_t)list->n;
}

static void read_contradictions(struct input *in, json object, struct sync_vm *vm)
{
	json list = mer_json_get_array_of(&in->get, object, "contradictions", MER_JSON_OBJECT);
	struct sync_range *ranges = get_memory(in, list->n, sizeof(*ranges));
	for (uint32_t i = 0; !in->get.rc && i < list->n; i++)
		ranges[i] = read_range(in, &list->u.items[i], false);
	vm->contradictions = ranges;
	vm->n_contradictions = in->get.rc ? 0 : (uint32_t)list->n;
}

static struct sync_vm read_vm(struct input *in, json v)
{
	struct mer_json_get *g = &in->get;
	bool paired = mer_json_member(v, "guest") &&
		      mer_json_member(v, "guest")->value.kind != MER_JSON_NULL;
	int64_t pid = mer_json_get_int_or(g, v, "pid", SYNC_NO_PID);
	struct sync_vm vm = { .guest = paired ? get_host(in, v, "guest") : SYNC_NO_GUEST,
		.hypervisor = get_host(in, v, "hypervisor"),
		.pid = (uint32_t)pid,
		.name = mer_json_get_text(g, v, "comm", false, in->arena),
		.how = (enum sync_vm_how)mer_json_get_word(
			g, v, "known_by", how_name, SYNC_VM_N_HOW),
		.n_events = mer_json_get_uint(g, v, "events"),
		.n_certain = mer_json_get_uint(g, v, "certain"),
		.n_bad = mer_json_get_uint(g, v, "contradicting"),
		.searched_ns = mer_json_get_int(g, v, "searched_ns") };
	if (pid < 0 || pid > UINT32_MAX)
		mer_json_get_fail(g, v, "'pid' is not the number of a process");
	if (paired && vm.guest == vm.hypervisor)
		mer_json_get_fail(g, v, "a host cannot be its own guest");
	read_vcpus(in, v, &vm);
	read_contradictions(in, v, &vm);
	return vm;
}

/* Files of earlier versions have none. */
static void read_vms(struct input *in, json root, struct sync_result *r)
{
	json list = mer_json_member(root, "vms")
			    ? mer_json_get_array_of(&in->get, root, "vms", MER_JSON_OBJECT)
			    : NULL;
	struct sync_vm *vms = list ? get_memory(in, list->n, sizeof(*vms)) : NULL;
	for (uint32_t i = 0; list && !in->get.rc && i < list->n; i++) {
		struct sync_vm vm = read_vm(in, &list->u.items[i]);
		if (in->get.rc)
			return;
		vm.hypervisor = in->place[vm.hypervisor];
		if (vm.guest != SYNC_NO_GUEST)
			vm.guest = in->place[vm.guest];
		if (vm.guest == SYNC_NO_GUEST)
			vm.how = SYNC_VM_UNKNOWN;
		if (vm.hypervisor != UINT32_MAX)
			vms[r->n_vms++] = vm;
	}
	r->vms = vms;
}

uint32_t sync_result_host(const struct sync_result *r, const struct mer_host *host)
{
	for (uint32_t h = 0; h < r->n_hosts; h++)
		if (strcmp(r->hosts[h].id, host->id) == 0)
			return h;
	for (uint32_t h = 0; is_path(host->id) && h < r->n_hosts; h++)
		if (is_path(r->hosts[h].id) && strcmp(r->hosts[h].name, host->name) == 0)
			return h;
	return UINT32_MAX;
}

/* ---- The whole ---- */

static void read_diagnostics(struct input *in, json root, struct sync_result *r)
{
	struct mer_json_get *g = &in->get;
	json list = mer_json_get_array_of(g, root, "diagnostics", MER_JSON_OBJECT);
	for (uint32_t i = 0; i < list->n; i++) {
		json v = &list->u.items[i];
		struct mer_diag d = {
			.severity = (enum mer_severity)mer_json_get_word(
				g, v, "severity", severity_name, MER_ERROR + 1),
			.code = mer_json_get_text(g, v, "code", false, in->arena),
			.host = mer_json_get_text(g, v, "host", true, in->arena),
			.path = mer_json_get_text(g, v, "path", true, in->arena),
			.stream = mer_json_get_int_or(g, v, "stream", -1),
			.packet = mer_json_get_int_or(g, v, "packet", -1),
			.offset_bits = mer_json_get_int_or(g, v, "offset_bits", -1),
			.count = mer_json_get_uint(g, v, "count"),
		};
		const char *message = mer_json_get_text(g, v, "message", false, in->arena);
		const char *remedy = mer_json_member(v, "remedy")
					     ? mer_json_get_text(g, v, "remedy", true, in->arena)
					     : NULL;
		if (g->rc)
			return;
		for (int k = MER_REMEDY_NONE + 1; remedy && k < MER_N_REMEDIES; k++)
			if (strcmp(remedy, mer_remedy_name((enum mer_remedy)k)) == 0)
				d.remedy = (enum mer_remedy)k;
		mer_diag_add(&r->diags, &d, "%s", message);
	}
}

static void read_root(struct input *in, json root, struct sync_result *r)
{
	struct mer_json_get *g = &in->get;
	if (mer_json_find(root, "tables")) {
		mer_json_get_fail(g, root, "these are tables for programs, not a file of clocks");
		g->err->remedy = MER_REMEDY_SAVE_CLOCKS;
	}
	uint64_t version = mer_json_get_uint(g, root, "schema_version");
	if (version < 1 || version > SYNC_FILE_VERSION)
		mer_json_get_fail(g, root, "'schema_version' is not %d: written by a newer program",
			SYNC_FILE_VERSION);
	in->is_first = version == 1;
	r->method = get_method(in, root);
	r->max_drift_ppm = get_ppm(in, root, "max_drift_ppm", "max_drift");
	if (!(r->max_drift_ppm >= 0 && r->max_drift_ppm < 1e6))
		mer_json_get_fail(g, root, "'max_drift_ppm' must be from 0 to below 1000000");
	struct file_host *hosts = read_hosts(in, root, r);
	/* The saved diagnostics come before those of this reading. */
	read_diagnostics(in, root, r);
	if (hosts && !in->known)
		know_all(in, hosts);
	if (hosts)
		place_hosts(in, r, hosts);
	read_pairs(in, root, r);
	if (!in->get.rc)
		read_vms(in, root, r);
	free(hosts);
}

int sync_result_read(const char *text, size_t len, const char *path, const struct mer_host *known,
	uint32_t n_known, struct sync_result **result, struct mer_err *err)
{
	struct mer_json_value root;
	struct mer_arena tree;
	struct sync_result *r = calloc(1, sizeof(*r));
	if (!r)
		return mer_fail_nomem(err);
	mer_arena_init(&r->arena);
	mer_diags_init(&r->diags, &r->arena);
	mer_arena_init(&tree);
	struct input in = { .get = { .text = text, .path = path, .len = len, .err = err },
		.arena = &r->arena,
		.known = known,
		.n_known = n_known };
	mer_intern_init(&in.names, &tree);
	mer_intern_init(&in.ids, &tree);
	mer_json_get_root(&in.get, &tree, &root);
	read_root(&in, &root, r);
	if (r->arena.failed)
		mer_json_get_nomem(&in.get);
	mer_intern_fini(&in.names);
	mer_intern_fini(&in.ids);
	mer_arena_fini(&tree);
	if (in.get.rc)
		sync_result_free(r);
	else
		*result = r;
	return in.get.rc;
}
