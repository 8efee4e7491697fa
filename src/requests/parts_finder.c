#include "requests/parts_finder.h"

#include <stdlib.h>

#include "requests/pool.h"

static bool find_children(struct requests_parts_finder *f)
{
	const struct requests *r = f->r;
	uint32_t *of = mer_spill_array(r->w->spill, (size_t)r->n + 3, sizeof(*of));
	f->children_of = of;
	f->children = mer_spill_array(r->w->spill, 2 * (size_t)r->n + 1, sizeof(*f->children));
	if (!of || !f->children)
		return false;
	for (bool counts = true;; counts = false) {
		for (uint32_t i = 0; i < r->n_found; i++) {
			uint32_t found = requests_found_parent(r, i), own = r->exchanges[i].parent;
			if (found && counts)
				of[found + 1]++;
			else if (found)
				f->children[of[found]++] = i;
			if (own != found && counts)
				of[own + 1]++;
			else if (own != found)
				f->children[of[own]++] = i;
		}
		for (uint32_t i = 0; counts && i < r->n; i++)
			of[i + 2] += of[i + 1];
		if (!counts)
			return true;
	}
}

/* Finds the stretches that are there from the beginning: of a host, as far as [begin, end] needs
 * them. */
typedef bool find_stretches(const struct requests *r, uint32_t host, int64_t begin, int64_t end,
	struct requests_stretches *s);

static bool find_all(struct requests_parts_finder *f, find_stretches *find)
{
	bool ok = true;
	for (uint32_t h = 0; ok && h < f->r->w->n_hosts; h++)
		ok = find(f->r, h, f->begin, f->end, &f->hosts[h]);
	return ok;
}

static int new_finder(const struct requests *r, find_stretches *find, int64_t begin, int64_t end,
	struct requests_parts_finder **out, struct mer_err *err)
{
	struct requests_parts_finder *f = calloc(1, sizeof(*f));
	*out = NULL;
	if (!f)
		return mer_fail_nomem(err);
	f->r = r;
	f->begin = begin;
	f->end = end;
	path_user_states_init(&f->states, r->w);
	f->hosts = calloc((size_t)r->w->n_hosts + 1, sizeof(*f->hosts));
	f->pools = requests_pools_find(r);
	bool ok = f->hosts && f->pools && find_children(f) && find_all(f, find);
	/* Stretches end early then. */
	int rc = ok ? kernel_world_go_on(r->w, err) : mer_fail_nomem(err);
	if (rc) {
		requests_parts_finder_free(f);
		return rc;
	}
	*out = f;
	return 0;
}

int requests_parts_finder_new(
	const struct requests *r, struct requests_parts_finder **out, struct mer_err *err)
{
	return new_finder(r, requests_stretches_within, INT64_MIN, INT64_MAX, out, err);
}

/* When these were under way, and all below them. False: no memory. */
static bool find_time_of(
	const struct requests *r, const uint32_t *which, uint32_t n, int64_t *begin, int64_t *end)
{
	bool *is_root = calloc((size_t)r->n + 1, sizeof(*is_root));
	*begin = INT64_MAX;
	*end = INT64_MIN;
	for (uint32_t i = 0; is_root && i < n; i++)
		is_root[which[i]] = true;
	for (uint32_t i = 0; is_root && i < r->n; i++) {
		const struct requests_exchange *x = &r->exchanges[i];
		uint32_t at = i;
		for (unsigned depth = 0;
			depth < REQUESTS_MOST_DEPTH && !is_root[at] && r->exchanges[at].parent;
			depth++)
			at = r->exchanges[at].parent - 1;
		if (!is_root[at])
			continue;
		*begin = x->begin < *begin ? x->begin : *begin;
		*end = x->end > *end ? x->end : *end;
	}
	bool ok = is_root != NULL;
	free(is_root);
	return ok;
}

int requests_parts_finder_of(const struct requests *r, const uint32_t *which, uint32_t n,
	struct requests_parts_finder **out, struct mer_err *err)
{
	int64_t begin, end;
	*out = NULL;
	if (r->n > r->n_found) /* paths of own ones go to any time */
		return requests_parts_finder_new(r, out, err);
	return find_time_of(r, which, n, &begin, &end)
		       ? new_finder(r, requests_stretches_within, begin, end, out, err)
		       : mer_fail_nomem(err);
}

/* Of an exchange and those below it. */
static void widen(const struct requests_parts_finder *f, uint32_t exchange, unsigned depth,
	int64_t *begin, int64_t *end)
{
	const struct requests_exchange *x = &f->r->exchanges[exchange];
	uint32_t n;
	const uint32_t *children = requests_children(f, exchange, &n);
	*begin = x->begin < *begin ? x->begin : *begin;
	*end = x->end > *end ? x->end : *end;
	for (uint32_t i = 0; i < n && depth < REQUESTS_MOST_DEPTH; i++)
		widen(f, children[i], depth + 1, begin, end);
}

bool requests_parts_finder_add(struct requests_parts_finder *f, uint32_t exchange)
{
	int64_t begin = INT64_MAX, end = INT64_MIN;
	widen(f, exchange, 0, &begin, &end);
	return requests_parts_finder_extend(f, begin, end);
}

bool requests_parts_finder_extend(struct requests_parts_finder *f, int64_t begin, int64_t end)
{
	int64_t more;
	if (begin >= f->begin && end <= f->end)
		return true;
	/* By as much as there is at least: others that are added will not be far from it. */
	if (__builtin_sub_overflow(f->end, f->begin, &more))
		more = INT64_MAX;
	if (begin < f->begin && __builtin_sub_overflow(begin, more, &f->begin))
		f->begin = INT64_MIN;
	if (end > f->end && __builtin_add_overflow(end, more, &f->end))
		f->end = INT64_MAX;
	return find_all(f, requests_stretches_within);
}

void requests_parts_time(const struct requests_parts_finder *f, int64_t *begin, int64_t *end)
{
	*begin = f->begin;
	*end = f->end;
}

int requests_parts_waits_finder_new(const struct requests *r, int64_t begin, int64_t end,
	struct requests_parts_finder **out, struct mer_err *err)
{
	return new_finder(r, requests_stretches_begin, begin, end, out, err);
}

const struct requests *requests_of_finder(const struct requests_parts_finder *f)
{
	return f->r;
}

void requests_parts_finder_free(struct requests_parts_finder *f)
{
	for (uint32_t h = 0; f && f->hosts && h < f->r->w->n_hosts; h++)
		requests_stretches_fini(&f->hosts[h]);
	if (f) {
		free(f->hosts);
		path_user_states_fini(&f->states);
		requests_parts_fini(&f->whole);
		mer_spill_release(f->pools);
		mer_spill_release(f->children);
		mer_spill_release(f->children_of);
		free(f);
	}
}

const uint32_t *requests_children(
	const struct requests_parts_finder *f, uint32_t exchange, uint32_t *n)
{
	*n = f->children_of[exchange + 1] - f->children_of[exchange];
	return &f->children[f->children_of[exchange]];
}

uint32_t requests_sent_by(const struct requests_parts_finder *f, uint32_t exchange, uint32_t host,
	uint32_t task, int64_t time)
{
	uint32_t n;
	const uint32_t *children = requests_children(f, exchange, &n);
	for (uint32_t i = 0; i < n; i++) {
		const struct requests_exchange *c = &f->r->exchanges[children[i]];
		if (c->client_task == task && c->begin <= time && time < c->end &&
			requests_connection_of(f->r, children[i])->ends[REQUESTS_CLIENT].host ==
				host)
			return children[i];
	}
	return KERNEL_NONE;
}

bool requests_serves_any(const struct requests_parts_finder *f, uint32_t host, uint32_t task)
{
	return requests_has_stretches(&f->hosts[host], task);
}

uint32_t requests_span_at(
	const struct requests_parts_finder *f, uint32_t host, uint32_t task, int64_t time)
{
	const struct requests_stretches *x = &f->hosts[host];
	return requests_has_stretches(x, task) ? x->item[requests_stretch_at(x, task, time)].span
					       : KERNEL_NONE;
}

uint32_t requests_served_by(
	const struct requests_parts_finder *f, uint32_t host, uint32_t task, int64_t time)
{
	const struct requests_stretches *x = &f->hosts[host];
	return requests_has_stretches(x, task) ? x->item[requests_stretch_at(x, task, time)].acts
					       : 0;
}

uint32_t requests_served_next(const struct requests_parts_finder *f, uint32_t host, uint32_t task,
	int64_t time, int64_t until)
{
	const struct requests_stretches *x = &f->hosts[host];
	if (!requests_has_stretches(x, task))
		return 0;
	size_t i = requests_stretch_at(x, task, time), end = x->to[task];
	while (!x->item[i].acts && i + 1 < end && x->item[i + 1].begin <= until)
		i++;
	return x->item[i].acts;
}

int64_t requests_served_within(const struct requests_parts_finder *f, uint32_t host, uint32_t task,
	int64_t time, int64_t most)
{
	const struct requests_stretches *x = &f->hosts[host];
	if (!requests_has_stretches(x, task))
		return most;
	size_t i = requests_stretch_at(x, task, time);
	while (requests_stretch_end(x, task, i) < most && x->item[i + 1].acts == x->item[i].acts)
		i++;
	int64_t until = requests_stretch_end(x, task, i);
	return until < most ? until : most;
}

int64_t requests_served_until(
	const struct requests_parts_finder *f, uint32_t host, uint32_t task, int64_t time)
{
	return requests_served_within(f, host, task, time, INT64_MAX);
}
