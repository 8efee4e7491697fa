/* A result as JSON: what `meridian sync --save` keeps.
 *
 * Every host has two views of its clock map. "pieces" is for people and other programs: on the
 * host's own clock, within its traces, reference = t + offset_ns + drift_ppm * 1e-6 * (t - begin),
 * which is the map to within a nanosecond (the rest is rounding). "clock_map" is the map itself, as
 * integers, and the only one that is read back. Lists of numbers that only this program looks at
 * (clock_map, high, low) are flat rows of integers, so that large results can be read back. */
#include <math.h>

#include "base/diag_json.h"
#include "sync/limits/drift.h"
#include "sync/result_put.h"
#include "sync/result_view.h"

const char *sync_method_name(enum sync_method method)
{
	static const char *const names[] = { "auto", "hull", "offset", "realtime", "none", "vcpu" };
	return names[method <= SYNC_VCPU ? method : SYNC_NONE];
}

static double rate_ppm(int64_t rate)
{
	return ldexp((double)rate, -TRACE_RATE_BITS) * 1e6;
}

int64_t sync_host_offset(const struct sync_host *h)
{
	int64_t at = h->span.begin;
	if (at == MER_NO_TIME)
		at = h->map.n ? h->map.pieces[0].begin : 0;
	return sync_sub(trace_map_time(&h->map, at), at);
}

/* By how much the reference gains on the clock in a range of it, ns. */
static double gain_over(const struct trace_clock_map *m, struct sync_range r)
{
	int64_t begin = sync_sub(trace_map_time(m, r.begin), r.begin);
	int64_t end = sync_sub(trace_map_time(m, r.end), r.end);
	return (double)sync_sub(end, begin);
}

static bool is_steep(const struct sync_host *h, size_t piece)
{
	/* The host's rate is limited as a part of the reference's. */
	return fabs(rate_ppm(h->map.pieces[piece].rate)) > 1.01 * h->max_rate_ppm + 1;
}

struct sync_range sync_step_on_map(const struct sync_host *h, const struct sync_step *step)
{
	struct sync_range r = step->range;
	const struct trace_clock_map *m = &h->map;
	if (m->n == 0)
		return r;
	for (size_t i = trace_find_piece(m, r.begin);
		is_steep(h, i) && m->pieces[i].begin < r.begin; i--) {
		r.begin = m->pieces[i].begin;
		if (i == 0)
			break;
	}
	for (size_t i = trace_find_piece(m, r.end); i + 1 < m->n && is_steep(h, i); i++)
		r.end = m->pieces[i + 1].begin > r.end ? m->pieces[i + 1].begin : r.end;
	return r;
}

double sync_host_drift_ppm(const struct sync_host *h)
{
	const struct trace_clock_map *m = &h->map;
	if (m->n == 0)
		return 0;
	if (m->n == 1 || h->span.begin == MER_NO_TIME || h->span.begin >= h->span.end)
		return rate_ppm(m->pieces[0].rate);
	double length = (double)h->span.end - (double)h->span.begin;
	double gain = gain_over(m, h->span);
	/* A jump is no drift. */
	for (size_t i = 0; i < h->n_steps; i++) {
		struct sync_range r = sync_step_on_map(h, &h->steps[i]);
		r.begin = r.begin > h->span.begin ? r.begin : h->span.begin;
		r.end = r.end < h->span.end ? r.end : h->span.end;
		if (r.begin >= r.end)
			continue;
		length -= (double)r.end - (double)r.begin;
		gain -= gain_over(m, r);
	}
	return length > 0 ? gain / length * 1e6 : 0;
}

size_t sync_host_pieces(const struct sync_host *h)
{
	/* Rates count as equal if rounding to whole nanoseconds explains their difference. */
	static const double SAME_NS = 4;
	const struct trace_clock_map *m = &h->map;
	size_t n = 1;
	for (size_t i = 1; i < m->n; i++) {
		const struct trace_clock_piece *a = &m->pieces[i - 1], *b = &m->pieces[i];
		if (h->span.begin != MER_NO_TIME &&
			(b->begin <= h->span.begin || b->begin >= h->span.end))
			continue;
		int64_t end = i + 1 < m->n ? b[1].begin : sync_add(b->begin, 1000000000);
		double length =
			fmin((double)sync_sub(b->begin, a->begin), (double)sync_sub(end, b->begin));
		n += fabs(ldexp((double)b->rate - (double)a->rate, -TRACE_RATE_BITS)) * length >
		     SAME_NS;
	}
	return n;
}

const char *sync_host_source(const struct sync_result *r, uint32_t host)
{
	static const char *const names[] = { "", "messages", "rounds", "messages, rounds",
		"schedule", "messages, schedule", "rounds, schedule",
		"messages, rounds, schedule" };
	bool messages = false, schedule = false;
	for (size_t i = 0; i < r->n_pairs; i++)
		if (r->pairs[i].a == host || r->pairs[i].b == host)
			messages |= r->pairs[i].ab.before.n + r->pairs[i].ba.before.n > 0;
	for (uint32_t v = 0; v < r->n_vms; v++)
		schedule |= r->vms[v].guest != SYNC_NO_GUEST &&
			    (r->vms[v].guest == host || r->vms[v].hypervisor == host);
	return names[messages + 2 * (r->hosts[host].n_rounds > 0) + 4 * schedule];
}

bool sync_is_guaranteed(const struct sync_result *r)
{
	bool guaranteed = r->n_groups > 0;
	for (uint32_t h = 0; h < r->n_hosts; h++)
		if (r->hosts[h].group == 0)
			guaranteed &= sync_host_guaranteed(r, h);
	return guaranteed;
}

/* JSON has no infinity: an unbounded value is null. */
static void kv_bounded(struct mer_json *j, const char *key, int64_t v)
{
	if (v == INT64_MAX)
		mer_json_kv_null(j, key);
	else
		mer_json_kv_int(j, key, v);
}

static void kv_time(struct mer_json *j, const char *key, int64_t t)
{
	if (t == MER_NO_TIME)
		mer_json_kv_null(j, key);
	else
		mer_json_kv_int(j, key, t);
}

/* Decimal numbers with more digits than a double has, as text; null when there is none. */
static void kv_decimal(struct mer_json *j, const char *key, const char *text)
{
	mer_json_kv_text(j, key, text[0] ? text : NULL);
}

static void put_latency(struct mer_json *j, const char *key, const struct sync_latency *l)
{
	mer_json_kv_object(j, key);
	mer_json_kv_uint(j, "n", l->n);
	if (l->n) {
		mer_json_kv_uint(j, "inversions", l->n_inversions);
		mer_json_kv_int(j, "min_ns", l->min);
		mer_json_kv_int(j, "max_ns", l->max);
		mer_json_kv_int(j, "p50_ns", l->median);
		mer_json_kv_int(j, "p90_ns", l->p90);
		mer_json_kv_int(j, "p99_ns", l->p99);
		mer_json_kv_double(j, "mean_ns", l->mean);
		mer_json_kv_double(j, "stddev_ns", l->stddev);
	}
	mer_json_end_object(j);
}

static void put_bound(struct mer_json *j, const char *key, const struct sync_bound *b)
{
	mer_json_kv_object(j, key);
	kv_bounded(j, "min", b->min);
	kv_bounded(j, "p50", b->median);
	kv_bounded(j, "max", b->max);
	kv_time(j, "max_at", b->max_at);
	mer_json_end_object(j);
}

static void put_range(struct mer_json *j, struct sync_range r)
{
	kv_time(j, "begin", r.begin);
	kv_time(j, "end", r.end);
}

static struct sync_piece piece_of(
	const struct trace_clock_map *map, struct sync_range range, int64_t rate)
{
	return (struct sync_piece){ .range = range,
		.offset_ns = sync_sub(trace_map_time(map, range.begin), range.begin),
		.drift_ppm = rate_ppm(rate) };
}

/* The first and the last one are extended to the traces' begin and end. */
bool sync_host_next_piece(const struct sync_host *h, size_t *next, struct sync_piece *p)
{
	const struct trace_clock_map *m = &h->map;
	bool known = h->span.begin != MER_NO_TIME;
	if (m->n == 0 && known && *next == 0) {
		++*next;
		*p = piece_of(m, h->span, 0);
		return true;
	}
	while (*next < m->n) {
		size_t i = (*next)++;
		bool last = i + 1 == m->n;
		struct sync_range r = { m->pieces[i].begin,
			last ? MER_NO_TIME : m->pieces[i + 1].begin };
		if (known && !last && r.end <= h->span.begin)
			continue;
		if (known && i && r.begin > h->span.end)
			return false;
		if (known) {
			/* Times before the first piece belong to it. */
			if (i == 0 || r.begin < h->span.begin)
				r.begin = h->span.begin;
			if (last || r.end > h->span.end)
				r.end = h->span.end;
		}
		*p = piece_of(m, r, m->pieces[i].rate);
		return true;
	}
	return false;
}

static void put_pieces(struct mer_json *j, const struct sync_host *h)
{
	struct sync_piece p;
	mer_json_kv_array(j, "pieces");
	for (size_t next = 0; sync_host_next_piece(h, &next, &p);) {
		mer_json_begin_object(j);
		put_range(j, p.range);
		mer_json_kv_int(j, "offset_ns", p.offset_ns);
		mer_json_kv_double(j, "drift_ppm", p.drift_ppm);
		mer_json_end_object(j);
	}
	mer_json_end_array(j);
}

/* Writes at most MAX_LIMITS limits: if there are more, the tightest of every few, because leaving
 * out limits only widens the corridor. sign 1: upper limits, -1: lower ones. */
enum { MAX_LIMITS = 4096 };

static void put_limits(
	struct mer_json *j, const char *key, const struct sync_limit *limits, size_t n, int sign)
{
	size_t step = n / MAX_LIMITS + (n % MAX_LIMITS != 0);
	mer_json_kv_array(j, key);
	for (size_t i = 0; i < n; i += step) {
		const struct sync_limit *best = &limits[i];
		for (size_t k = i + 1; k < n && k < i + step; k++)
			if (sign > 0 ? limits[k].offset_ns < best->offset_ns
				     : limits[k].offset_ns > best->offset_ns)
				best = &limits[k];
		mer_json_int(j, best->at);
		mer_json_int(j, best->offset_ns);
	}
	mer_json_end_array(j);
}

static void put_jumps(struct mer_json *j, const struct sync_host *h)
{
	mer_json_kv_array(j, "steps");
	for (size_t i = 0; i < h->n_steps; i++) {
		mer_json_begin_object(j);
		put_range(j, h->steps[i].range);
		mer_json_kv_int(j, "size_ns", h->steps[i].size_ns);
		mer_json_end_object(j);
	}
	mer_json_end_array(j);
	mer_json_kv_array(j, "slews");
	for (size_t i = 0; i < h->n_slews; i++) {
		mer_json_begin_object(j);
		put_range(j, h->slews[i].range);
		mer_json_kv_double(j, "ppm", h->slews[i].ppm);
		mer_json_kv_double(j, "allowed_ppm", h->slews[i].allowed_ppm);
		mer_json_end_object(j);
	}
	mer_json_end_array(j);
}

static void put_counts(struct mer_json *j, const struct sync_host_counts *c)
{
	mer_json_kv_object(j, "matching");
	mer_json_kv_uint(j, "sent", c->n_sent);
	mer_json_kv_uint(j, "received", c->n_received);
	mer_json_kv_uint(j, "unmatched_sent", c->n_unmatched_sent);
	mer_json_kv_uint(j, "unmatched_received", c->n_unmatched_received);
	mer_json_kv_uint(j, "duplicates", c->n_duplicates);
	mer_json_kv_uint(j, "too_old", c->n_too_old);
	mer_json_kv_uint(j, "without_key", c->n_without_key);
	mer_json_end_object(j);
}

void sync_put_host(struct mer_json *j, const struct sync_result *r, uint32_t number, bool limits)
{
	const struct sync_host *h = &r->hosts[number];
	const struct trace_clock_map *m = &h->map;
	mer_json_begin_object(j);
	mer_json_kv_text(j, "name", h->name);
	mer_json_kv_text(j, "id", h->id);
	mer_json_kv_text(j, "quality", sync_quality_name(h->quality));
	mer_json_kv_text(j, "method", sync_method_name(h->method));
	mer_json_kv_uint(j, "group", h->group);
	mer_json_kv_bool(j, "is_reference", r->references[h->group] == number);
	mer_json_kv_int(j, "offset_ns", sync_host_offset(h));
	mer_json_kv_double(j, "drift_ppm", sync_host_drift_ppm(h));
	if (isfinite(h->drift_off_ppm))
		mer_json_kv_double(j, "drift_error_ppm", h->drift_off_ppm);
	else
		mer_json_kv_null(j, "drift_error_ppm");
	put_bound(j, "bound_ns", &h->bound);
	put_bound(j, "likely_ns", &h->likely_off);
	mer_json_kv_bool(j, "guaranteed", sync_host_guaranteed(r, number));
	mer_json_kv_uint(j, "matched", h->n_matched);
	mer_json_kv_uint(j, "used", h->n_used);
	mer_json_kv_uint(j, "rounds", h->n_rounds);
	mer_json_kv_text(j, "source", sync_host_source(r, number));
	mer_json_kv_double(j, "max_rate_ppm", h->max_rate_ppm);
	mer_json_kv_object(j, "span");
	put_range(j, h->span);
	mer_json_end_object(j);
	put_pieces(j, h);
	put_jumps(j, h);
	put_counts(j, &r->counts[number]);
	put_latency(j, "loopback", &r->loopback[number]);
	mer_json_kv_array(j, "clock_map");
	for (size_t i = 0; i < m->n; i++) {
		mer_json_int(j, m->pieces[i].begin);
		mer_json_int(j, m->pieces[i].time);
		mer_json_int(j, m->pieces[i].rate);
	}
	mer_json_end_array(j);
	if (limits) {
		put_limits(j, "high", h->high, h->n_high, 1);
		put_limits(j, "low", h->low, h->n_low, -1);
		put_limits(j, "likely", h->likely, h->n_likely, -1);
	}
	mer_json_end_object(j);
}

static void put_direction(struct mer_json *j, const char *key, const struct sync_direction *d)
{
	mer_json_kv_object(j, key);
	mer_json_kv_uint(j, "duplicates", d->n_duplicates);
	mer_json_kv_uint(j, "reordered", d->n_reordered);
	mer_json_kv_uint(j, "unmatched", d->n_unmatched);
	put_latency(j, "before", &d->before);
	put_latency(j, "after", &d->after);
	mer_json_end_object(j);
}

static void put_line(struct mer_json *j, const struct sync_line *l)
{
	mer_json_kv_object(j, "line");
	mer_json_kv_text(j, "quality", sync_quality_name(l->quality));
	mer_json_kv_uint(j, "messages", l->n_messages);
	mer_json_kv_uint(j, "accurate", l->n_accurate);
	kv_decimal(j, "accuracy", l->accuracy);
	kv_decimal(j, "alpha_min", l->alpha_min);
	kv_decimal(j, "alpha_max", l->alpha_max);
	kv_decimal(j, "slope", l->slope);
	kv_decimal(j, "offset", l->offset);
	mer_json_end_object(j);
}

static void put_min(struct mer_json *j, const char *key, const struct sync_latency *l)
{
	if (l->n)
		mer_json_kv_int(j, key, l->min);
	else
		mer_json_kv_null(j, key);
}

void sync_put_pair(struct mer_json *j, const struct sync_result *r, const struct sync_pair *p)
{
	mer_json_begin_object(j);
	mer_json_kv_text(j, "a", r->hosts[p->a].name);
	mer_json_kv_text(j, "b", r->hosts[p->b].name);
	mer_json_kv_uint(j, "matched_ab", p->ab.after.n);
	mer_json_kv_uint(j, "matched_ba", p->ba.after.n);
	mer_json_kv_uint(j, "used", p->n_used);
	mer_json_kv_uint(j, "rejected", p->n_rejected);
	mer_json_kv_uint(j, "rounds", p->n_rounds);
	mer_json_kv_uint(j, "rounds_rejected", p->n_rounds_rejected);
	mer_json_kv_text(j, "quality", sync_quality_name(p->quality));
	kv_decimal(j, "alpha", p->line.alpha);
	kv_decimal(j, "beta_ns", p->line.beta);
	mer_json_kv_array(j, "hull_points");
	mer_json_uint(j, p->line.n_upper);
	mer_json_uint(j, p->line.n_lower);
	mer_json_end_array(j);
	mer_json_kv_uint(
		j, "inversions_before", p->ab.before.n_inversions + p->ba.before.n_inversions);
	mer_json_kv_uint(
		j, "inversions_after", p->ab.after.n_inversions + p->ba.after.n_inversions);
	put_min(j, "min_latency_ab_ns", &p->ab.after);
	put_min(j, "min_latency_ba_ns", &p->ba.after);
	kv_bounded(j, "bound_ns", p->bound.max);
	put_bound(j, "bounds", &p->bound);
	put_line(j, &p->line);
	put_direction(j, "ab", &p->ab);
	put_direction(j, "ba", &p->ba);
	mer_json_end_object(j);
}

static void put_groups(struct mer_json *j, const struct sync_result *r)
{
	mer_json_kv_array(j, "groups");
	for (uint32_t g = 0; g < r->n_groups; g++) {
		mer_json_begin_array(j);
		for (uint32_t h = 0; h < r->n_hosts; h++)
			if (r->hosts[h].group == g)
				mer_json_text(j, r->hosts[h].name);
		mer_json_end_array(j);
	}
	mer_json_end_array(j);
}

void sync_put_vm(struct mer_json *j, const struct sync_result *r, const struct sync_vm *vm)
{
	bool paired = vm->guest != SYNC_NO_GUEST;
	mer_json_begin_object(j);
	mer_json_kv_text(j, "guest", paired ? r->hosts[vm->guest].name : NULL);
	mer_json_kv_text(j, "hypervisor", r->hosts[vm->hypervisor].name);
	if (vm->pid == SYNC_NO_PID)
		mer_json_kv_null(j, "pid");
	else
		mer_json_kv_uint(j, "pid", vm->pid);
	mer_json_kv_text(j, "comm", vm->name);
	mer_json_kv_text(j, "known_by", sync_vm_how_name(vm->how));
	mer_json_kv_array(j, "vcpus");
	for (uint32_t i = 0; i < vm->n_vcpus; i++) {
		mer_json_begin_object(j);
		mer_json_kv_uint(j, "vcpu", vm->vcpus[i].id);
		mer_json_kv_uint(j, "tid", vm->vcpus[i].tid);
		mer_json_end_object(j);
	}
	mer_json_end_array(j);
	mer_json_kv_uint(j, "events", vm->n_events);
	mer_json_kv_uint(j, "certain", vm->n_certain);
	mer_json_kv_uint(j, "contradicting", vm->n_bad);
	mer_json_kv_int(j, "searched_ns", vm->searched_ns);
	mer_json_kv_array(j, "contradictions");
	for (uint32_t i = 0; i < vm->n_contradictions; i++) {
		mer_json_begin_object(j);
		put_range(j, vm->contradictions[i]);
		mer_json_end_object(j);
	}
	mer_json_end_array(j);
	mer_json_end_object(j);
}

int sync_result_write(
	const struct sync_result *r, bool limits, struct mer_str *out, struct mer_err *err)
{
	struct mer_json j;
	mer_json_init(&j, out, NULL, 0);
	mer_json_begin_object(&j);
	mer_json_kv_int(&j, "schema_version", SYNC_FILE_VERSION);
	mer_json_kv_text(&j, "method", sync_method_name(r->method));
	mer_json_kv_text(&j, "reference", r->n_groups ? r->hosts[r->references[0]].name : NULL);
	mer_json_kv_double(&j, "max_drift_ppm", r->max_drift_ppm);
	mer_json_kv_bool(&j, "guaranteed", sync_is_guaranteed(r));
	put_groups(&j, r);
	mer_json_kv_array(&j, "hosts");
	for (uint32_t h = 0; h < r->n_hosts; h++)
		sync_put_host(&j, r, h, limits);
	mer_json_end_array(&j);
	mer_json_kv_array(&j, "pairs");
	for (size_t p = 0; p < r->n_pairs; p++)
		sync_put_pair(&j, r, &r->pairs[p]);
	mer_json_end_array(&j);
	mer_json_kv_array(&j, "vms");
	for (uint32_t v = 0; v < r->n_vms; v++)
		sync_put_vm(&j, r, &r->vms[v]);
	mer_json_end_array(&j);
	mer_json_kv_array(&j, "diagnostics");
	for (size_t i = 0; i < r->diags.n; i++)
		mer_diag_json(&r->diags.rows[i], &j);
	mer_json_end_array(&j);
	mer_json_end_object(&j);
	return mer_json_finish(&j, err);
}
