/* Writes a world: see FORMAT.md. */
#include "store/save.h"

#include <stdlib.h>
#include <string.h>

#include "store/columns.h"
#include "store/findings.h"
#include "store/found_requests.h"
#include "store/guests.h"
#include "store/heads.h"
#include "store/lanes.h"
#include "store/parts.h"
#include "store/receivers.h"
#include "store/request_log.h"
#include "store/rows.h"
#include "store/spans.h"
#include "store/types.h"
#include "store/waits.h"

static void put_map(struct store_writer *w, uint32_t host, uint32_t number, const struct mer_map *m)
{
	store_put_section(w, STORE_MAP, host, number, m->slots, m->cap, sizeof(*m->slots));
}

static int put_names(
	struct store_writer *w, uint32_t host, const struct mer_intern *names, struct mer_err *err)
{
	uint64_t *ends = malloc(((size_t)names->n + 1) * sizeof(*ends));
	struct mer_str texts = { .failed = !ends };
	for (uint32_t i = 0; i < names->n && !texts.failed; i++) {
		mer_str_add(&texts, names->texts[i].text, names->texts[i].len);
		ends[i] = texts.len;
		mer_str_putc(&texts, '\0');
	}
	bool failed = texts.failed;
	if (!failed) {
		store_put_section(w, STORE_TEXT_ENDS, host, 0, ends, names->n, sizeof(*ends));
		store_put_section(w, STORE_TEXTS, host, 0, texts.data, texts.len, 1);
	}
	mer_str_fini(&texts);
	free(ends);
	return failed ? mer_fail_nomem(err) : 0;
}

/* ---- usage ---- */

static const struct store_column point_columns[] = { STORE_COLUMN(usage_point, time, DELTA),
	STORE_COLUMN(usage_point, sum, DELTA) };
const struct store_columns store_usage_points = STORE_COLUMNS(usage_point, point_columns);

static void put_usage(struct store_writer *w, uint32_t host, const struct usage_sums *s)
{
	size_t n = (size_t)s->n_tasks * USAGE_N_KINDS + 1;
	store_put_columns(w, STORE_USAGE, host, 0, &store_sizes, s->first, n);
	store_put_columns(w, STORE_USAGE, host, 1, &store_usage_points, s->points, s->first[n - 1]);
}

/* ---- hosts ---- */

static void put_head(struct store_writer *w, uint32_t host, const struct kernel_host *h,
	const struct usage_sums *s)
{
	struct store_host_head head = { .begin = h->begin,
		.end = h->end,
		.n_events = h->n_events,
		.n_odd = h->n_odd,
		.n_calls_left_out = h->n_calls_left_out,
		.n_spans = h->n_spans,
		.flags = (h->has_wakeups ? (uint32_t)STORE_HAS_WAKEUPS : 0) |
			 (h->has_interrupts ? (uint32_t)STORE_HAS_INTERRUPTS : 0),
		.seen = s->seen,
		.n_requests = h->n_requests,
		.n_points = s->first[(size_t)s->n_tasks * USAGE_N_KINDS] };
	store_put_section(w, STORE_HOST, host, 0, &head, 1, sizeof(head));
}

/* ---- parts, each written by one thread ---- */

struct saving {
	struct store_writer *w;
	const struct store_content *c;
	struct mer_cancel *cancel;
	unsigned span_threads; /* for the spans of each host, the longest part */
};

static int put_spans(const struct saving *x, uint32_t host, struct mer_err *err)
{
	return store_spans_save(x->w, x->c->world, host, x->span_threads, x->cancel, err);
}

static int put_lanes(const struct saving *x, uint32_t host, struct mer_err *err)
{
	if (x->c->has_no_facts)
		return 0;
	return store_lanes_save(x->w, x->c->world, host, x->cancel, err);
}

static int put_tables(const struct saving *x, uint32_t host, struct mer_err *err)
{
	struct store_writer *w = x->w;
	const struct store_content *c = x->c;
	const struct kernel_host *h = &c->world->hosts[host];
	struct usage_sums sums = usage_sums(c->usage, host);
	put_head(w, host, h, &sums);
	store_put_section(w, STORE_TASKS, host, 0, h->tasks, h->n_tasks, sizeof(*h->tasks));
	store_put_section(w, STORE_RENAMES, host, 0, h->renames, h->n_renames, sizeof(*h->renames));
	store_put_section(w, STORE_CALLS, host, 0, h->calls, h->n_calls, sizeof(*h->calls));
	store_rows_put(w, STORE_REQUESTS, host, &store_request_rows, h->requests, h->n_requests);
	put_map(w, host, STORE_MAP_DEVICES, &h->devices);
	put_map(w, host, STORE_MAP_IRQS, &h->irq_names);
	put_map(w, host, STORE_MAP_PACKAGES, &h->packages);
	put_map(w, host, STORE_MAP_CPUS, &h->cpus);
	put_map(w, host, STORE_MAP_FIRST_PIECES, &h->first_pieces);
	put_usage(w, host, &sums);
	if (h->guest && h->guest->n)
		store_put_guest(w, host, h->guest);
	return put_names(w, host, &h->names, err);
}

/* ---- what was found ---- */

static uint32_t count_places(const struct mer_map *endpoints)
{
	uint32_t n = 0;
	for (size_t i = 0; i < endpoints->cap; i++)
		if (endpoints->slots[i].used && endpoints->slots[i].value > n)
			n = endpoints->slots[i].value;
	return n;
}

/* Waits of the world, and in addition those found without messages. */
static int put_waits(const struct saving *x, bool without_messages, struct mer_err *err)
{
	struct kernel_world alone = *x->c->world;
	struct blocked b;
	if (without_messages)
		alone.n_bridges = 0;
	int rc = blocked_find(&alone, &b, err);
	if (rc == 0)
		store_waits_put(x->w, without_messages, &b);
	blocked_fini(&b);
	return rc;
}

static int put_all_waits(const struct saving *x, uint32_t host, struct mer_err *err)
{
	(void)host;
	return put_waits(x, false, err);
}

static int put_other_waits(const struct saving *x, uint32_t host, struct mer_err *err)
{
	(void)host;
	return x->c->world->n_bridges ? put_waits(x, true, err) : 0;
}

static int put_requests(const struct saving *x, uint32_t host, struct mer_err *err)
{
	struct requests_log *log = *x->c->log;
	struct requests *r;
	(void)host;
	if (x->c->own) {
		store_put_request_log(x->w, x->c->world, log, x->c->own);
		return 0;
	}
	*x->c->log = NULL;
	int rc = requests_find(x->c->world, log, &r, err);
	if (rc == 0)
		store_put_found_requests(x->w, r);
	requests_free(r);
	return rc;
}

static int put_receivers(const struct saving *x, uint32_t host, struct mer_err *err)
{
	(void)host;
	return store_put_receivers(x->w, x->c->world, err);
}

/* ---- the whole ---- */

typedef int put_part(const struct saving *x, uint32_t host, struct mer_err *err);
/* The longest first. */
static put_part *const of_host[] = { put_spans, put_lanes, put_tables };
static put_part *const of_world[] = { put_requests, put_all_waits, put_other_waits, put_receivers };
enum {
	OF_HOST = sizeof(of_host) / sizeof(*of_host),
	OF_WORLD = sizeof(of_world) / sizeof(*of_world)
};

static int put_one(void *ctx, size_t i, unsigned worker, struct mer_err *err)
{
	const struct saving *x = ctx;
	uint32_t n_hosts = x->c->world->n_hosts;
	size_t of = i / (n_hosts ? n_hosts : 1);
	(void)worker;
	if (of < OF_HOST && n_hosts)
		return of_host[of](x, (uint32_t)(i % n_hosts), err);
	return of_world[i - (size_t)OF_HOST * n_hosts](x, 0, err);
}

int store_put(struct store_writer *w, const struct store_content *c, const struct store_options *o,
	struct mer_err *err)
{
	const struct kernel_world *world = c->world;
	struct saving x = { w, c, o->cancel, 1 + o->n_threads / (4 * world->n_hosts + 1) };
	struct store_world_head head = { .n_hosts = world->n_hosts,
		.n_bridges = world->n_bridges,
		.n_unsynchronized = world->n_unsynchronized,
		.n_inversions = world->n_inversions };
	store_put_section(w, STORE_ABOUT, 0, 0, c->about, strlen(c->about) + 1, 1);
	store_put_section(w, STORE_WORLD, 0, 0, &head, 1, sizeof(head));
	store_rows_put(w, STORE_BRIDGES, 0, &store_bridge_rows, world->bridges, world->n_bridges);
	store_put_section(w, STORE_PLACES, 0, 0, world->places, count_places(&world->endpoints),
		sizeof(*world->places));
	put_map(w, 0, STORE_MAP_ENDPOINTS, &world->endpoints);
	int rc = store_put_findings(w, STORE_FINDINGS_OF_WORLD, c->diags, err);
	if (rc == 0 && c->own)
		rc = store_put_part(w, world, c->own, !c->has_no_facts, err);
	/* Of all hosts together, such a file has what is the first of these. */
	size_t n = (size_t)OF_HOST * world->n_hosts + (c->own ? 1 : OF_WORLD);
	return rc ? rc : mer_pool_run(o->n_threads, n, put_one, &x, o->cancel, err);
}
