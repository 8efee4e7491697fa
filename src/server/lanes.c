/* Lanes as binary data for a picture, no more detailed than its pixels.
 *
 * All numbers are little-endian. u32 "MLN1", number of lanes, number of spans, flags (1: in bins);
 * i64 begin of the window, length of a unit, ns; then, for each lane and once more at the end, the
 * u32 index of its first span; then columns of all spans: u32 begin, in units from the begin of
 * the window; u32 end; u32 number of the task on a CPU (2^32 - 1: none); u8 state; u8 cause; u8
 * share: the part of the span in this state and for this cause, in 1/255.
 *
 * Few spans are sent exactly. Many are binned: one span for each state and cause in each bin of a
 * lane, which begins and ends with the bin. The rounding error of a share is carried to the next
 * bin, so that shares add up to the time of each state at any zoom; a short state is sent with a
 * share of 0, so that it is visible when zoomed out. */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "ask/library/api.h"
#include "server/state.h"
#include "session/lanes.h"

enum { MAX_LANES = 1000, MAX_BINS = 8192, FEW_SPANS = 60000 };

static const uint32_t MAGIC = 0x314e4c4d; /* "MLN1" */

struct picture {
	struct session_lanes lanes;
	struct session_window window;
	uint32_t bins;
	bool in_bins;
	bool is_exact; /* one lane, whose exact spans are requested */
};

/* ---- The question ---- */

static bool parse_number(const char *text, int64_t *v)
{
	char *end;
	errno = 0;
	*v = strtoll(text, &end, 10);
	return *text && !*end && !errno;
}

int server_window_of(const struct http_request *r, struct session_window *window, uint32_t *bins,
	struct mer_err *err)
{
	const char *begin = http_argument(r, "begin"), *end = http_argument(r, "end");
	const char *text = http_argument(r, "bins");
	int64_t n = 1024;
	if (!begin || !end || !parse_number(begin, &window->begin) ||
		!parse_number(end, &window->end) || window->begin >= window->end)
		return mer_fail(err, MER_ERR_USAGE,
			"begin and end are nanoseconds since 1970, and end is the greater one");
	if ((uint64_t)window->end - (uint64_t)window->begin > INT64_MAX)
		return mer_fail(err, MER_ERR_USAGE, "begin and end are more than 292 years apart");
	if (text && (!parse_number(text, &n) || n < 1 || n > MAX_BINS))
		return mer_fail(err, MER_ERR_USAGE, "bins is a number from 1 to %d", MAX_BINS);
	*bins = (uint32_t)n;
	return 0;
}

/* "c:HOST:CPU", "t:HOST:TASK", by number. */
static bool parse_lane(const char *text, struct session_lane *lane)
{
	char kind, rest;
	unsigned long host, number;
	if (sscanf(text, "%c:%9lu:%9lu%c", &kind, &host, &number, &rest) != 3 ||
		(kind != 'c' && kind != 't'))
		return false;
	*lane = (struct session_lane){ (uint32_t)host, kind == 'c', (uint32_t)number };
	return true;
}

static bool is_there(const struct session_world *w, const struct session_lane *l)
{
	return l->host < w->world->n_hosts &&
	       (l->is_cpu ? l->number < KERNEL_NO_CPU
			  : l->number < w->world->hosts[l->host].n_tasks);
}

static int parse_lanes(char *list, struct session_lanes *l, struct mer_err *err)
{
	char *rest = NULL;
	for (char *one = strtok_r(list, ",", &rest); one; one = strtok_r(NULL, ",", &rest)) {
		if (l->n == MAX_LANES)
			return mer_fail(err, MER_ERR_USAGE, "at most %d lanes", MAX_LANES);
		if (!parse_lane(one, &l->item[l->n++]))
			return mer_fail(err, MER_ERR_USAGE,
				"'%.40s' is no lane such as c:0:1 (CPU 1 of host 0) or t:0:17 (task 17)",
				one);
	}
	return 0;
}

static int parse(const struct http_request *r, struct mer_arena *arena, struct picture *p,
	struct mer_err *err)
{
	const char *lanes = http_argument(r, "lanes");
	char *list = mer_arena_strdup(arena, lanes ? lanes : "");
	p->lanes.item = mer_arena_zalloc(arena, MAX_LANES, sizeof(*p->lanes.item));
	if (!p->lanes.item || !list)
		return mer_fail_nomem(err);
	int rc = server_window_of(r, &p->window, &p->bins, err);
	if (rc)
		return rc;
	p->is_exact = http_argument(r, "exact") != NULL;
	rc = parse_lanes(list, &p->lanes, err);
	if (rc == 0 && p->is_exact && p->lanes.n != 1)
		return mer_fail(err, MER_ERR_USAGE, "exact is for one lane");
	return rc;
}

/* ---- Reading ---- */

/* Estimated from the spans per second of the hosts. */
bool server_lanes_are_few(const struct session_world *w, const struct session_lanes *l,
	const struct session_window *window)
{
	double n = 0;
	for (size_t i = 0; i < l->n; i++) {
		const struct kernel_host *h = &w->world->hosts[l->item[i].host];
		double life = (double)(h->end - h->begin) + 1;
		int64_t begin = window->begin > h->begin ? window->begin : h->begin;
		int64_t end = window->end < h->end ? window->end : h->end;
		if (i && l->item[i - 1].host == l->item[i].host)
			continue; /* counted already: its lanes have no more spans than the host */
		n += end > begin ? h->n_spans * ((double)(end - begin) / life) : 0;
	}
	return n < FEW_SPANS;
}

/* If the bins are half as wide as the narrowest ones in the store, they would have to be made from
 * more spans than at any other zoom. They are then made twice as wide (two pixels), as the store
 * has them. */
static void widen_bins(const struct session_world *w, struct picture *p)
{
	struct store_window bins;
	if (!session_lanes_bins(w->e, &p->window, p->bins, &bins))
		return;
	for (size_t i = 0; i < p->lanes.n; i++) {
		uint32_t host = p->lanes.item[i].host;
		const struct kernel_host *h = &w->world->hosts[host];
		if (i && p->lanes.item[i - 1].host == host)
			continue;
		if (store_lanes_lowest_shift(h) == bins.shift + 1) {
			p->bins = p->bins > 1 ? p->bins / 2 : 1;
			return;
		}
	}
}

static int read_picture(
	struct server_traces *t, struct picture *p, struct session_world *w, struct mer_err *err)
{
	int rc = session_world(api_session(t->session), SESSION_USAGE_NONE, w, err);
	for (size_t i = 0; rc == 0 && i < p->lanes.n; i++)
		if (!is_there(w, &p->lanes.item[i]))
			rc = mer_fail(err, MER_ERR_USAGE, "lane %zu is not there", i);
	if (rc)
		return rc;
	p->in_bins = !p->is_exact && !server_lanes_are_few(w, &p->lanes, &p->window);
	if (p->in_bins)
		widen_bins(w, p);
	return session_lanes_read(w, &p->window, p->in_bins ? p->bins : 0, &p->lanes, err);
}

/* ---- One span a bin ---- */

/* Which state of a bin is shown: the one with the highest rank. First a task that runs or is
 * runnable, as short activity would never be visible otherwise; then waits for the disk, for locks,
 * for the network; then sleep. */
static unsigned rank_of(const struct session_lane_span *s)
{
	switch (s->state) {
	case KERNEL_BLOCKED:
		return s->cause == KERNEL_DISK	    ? 4
		       : s->cause == KERNEL_FUTEX   ? 3
		       : s->cause == KERNEL_NETWORK ? 2
						    : 1;
	case KERNEL_STOPPED:
	case KERNEL_NEW: return 1;
	case KERNEL_DEAD:
	case KERNEL_UNKNOWN: return 0;
	default: return 5;
	}
}

/* Chooses which span is shown for the bin of the first one, and gives it the time of all spans of
 * its rank. Different states of the highest rank are compared by their total time, over all causes.
 * Returns the number of spans in the bin. */
static size_t choose(const struct session_lane_span *s, size_t n, struct session_lane_span *to)
{
	size_t end = 0, best = 0;
	int64_t ranks[6] = { 0 }, states[KERNEL_N_STATES] = { 0 };
	for (; end < n && s[end].lane == s[0].lane && s[end].begin == s[0].begin; end++) {
		ranks[rank_of(&s[end])] += s[end].ns;
		states[s[end].state] += s[end].ns;
	}
	for (size_t i = 1; i < end; i++) {
		unsigned rank = rank_of(&s[i]), most = rank_of(&s[best]);
		bool is_other = rank == 5 && s[i].state != s[best].state;
		int64_t more = is_other ? states[s[i].state] - states[s[best].state]
					: s[i].ns - s[best].ns;
		if (rank > most || (rank == most && more > 0))
			best = i;
	}
	*to = s[best];
	to->ns = ranks[rank_of(to)];
	return end;
}

void server_lanes_thin_out(struct session_lanes *l)
{
	size_t n = 0;
	for (size_t i = 0; i < l->n_spans;) {
		struct session_lane_span one;
		i += choose(l->spans + i, l->n_spans - i, &one);
		l->spans[n++] = one;
	}
	l->n_spans = n;
}

/* ---- Bytes ---- */

static void put_u32(struct mer_str *out, uint32_t v)
{
	v = htole32(v);
	mer_str_add(out, (const char *)&v, sizeof(v));
}

static void put_i64(struct mer_str *out, int64_t v)
{
	uint64_t u = htole64((uint64_t)v);
	mer_str_add(out, (const char *)&u, sizeof(u));
}

/* The smallest power of two ns for which the window has fewer than 2^31 units. */
static unsigned unit_shift(const struct session_window *w)
{
	unsigned shift = 0;
	while ((uint64_t)(w->end - w->begin) >> shift > INT32_MAX)
		shift++;
	return shift;
}

struct column { /* one value of each span; shares have a function of their own */
	unsigned bytes;
	uint32_t (*value)(const struct session_world *w, const struct picture *p,
		const struct session_lane_span *s, const struct kernel_span *k);
};

/* Cut to the window, beyond which bins may reach. */
static uint32_t in_units(const struct picture *p, int64_t t)
{
	int64_t from = t - p->window.begin, most = p->window.end - p->window.begin;
	return (uint32_t)((from < 0 ? 0 : from > most ? most : from) >> unit_shift(&p->window));
}
static uint32_t begin_of(const struct session_world *w, const struct picture *p,
	const struct session_lane_span *s, const struct kernel_span *k)
{
	(void)w;
	(void)k;
	return in_units(p, s->begin);
}
static uint32_t end_of(const struct session_world *w, const struct picture *p,
	const struct session_lane_span *s, const struct kernel_span *k)
{
	(void)w;
	(void)k;
	return in_units(p, s->end);
}
static uint32_t task_of(const struct session_world *w, const struct picture *p,
	const struct session_lane_span *s, const struct kernel_span *k)
{
	(void)w;
	return p->lanes.item[s->lane].is_cpu && k ? k->task : KERNEL_NONE;
}
static uint32_t state_of(const struct session_world *w, const struct picture *p,
	const struct session_lane_span *s, const struct kernel_span *k)
{
	(void)w;
	(void)p;
	(void)k;
	return s->state;
}
static uint32_t cause_of(const struct session_world *w, const struct picture *p,
	const struct session_lane_span *s, const struct kernel_span *k)
{
	(void)w;
	(void)p;
	(void)k;
	return s->cause;
}

/* The span's share of its bin, or of the recorded part of it: the first and the last bin may reach
 * beyond the recording. left: rounding error of earlier spans of this kind in this lane. */
static uint8_t share_of(
	const struct session_window *recorded, const struct session_lane_span *s, double *left)
{
	int64_t begin = s->begin > recorded->begin ? s->begin : recorded->begin;
	int64_t end = s->end < recorded->end ? s->end : recorded->end;
	if (s->ns >= end - begin)
		return 255;
	double share = 255 * (double)s->ns / (double)(end - begin) + *left;
	uint8_t byte = (uint8_t)(share > 254.5 ? 255 : share + 0.5);
	*left = share - byte;
	return byte;
}

static void put_shares(
	const struct session_world *w, const struct session_lanes *l, struct mer_str *out)
{
	struct session_window recorded = { .begin = w->e->begin, .end = w->e->end + 1 };
	double left[STORE_KINDS];
	for (size_t i = 0; i < l->n_spans; i++) {
		const struct session_lane_span *s = &l->spans[i];
		unsigned kind = store_lane_kind(s->state, s->cause);
		if (!i || s->lane != l->spans[i - 1].lane)
			memset(left, 0, sizeof(left));
		mer_str_putc(out, (char)share_of(&recorded, s, &left[kind]));
	}
}

static void put_column(const struct session_world *w, const struct picture *p,
	const struct column *c, struct mer_str *out)
{
	const struct session_lanes *l = &p->lanes;
	for (size_t i = 0; i < l->n_spans; i++) {
		const struct session_lane_span *s = &l->spans[i];
		const struct kernel_host *h = &w->world->hosts[l->item[s->lane].host];
		uint32_t v = c->value(w, p, s, kernel_span_kept(h, s->span));
		if (c->bytes == 4)
			put_u32(out, v);
		else
			mer_str_putc(out, (char)v);
	}
}

static void put_picture(const struct session_world *w, const struct picture *p, struct mer_str *out)
{
	static const struct column columns[] = { { 4, begin_of }, { 4, end_of }, { 4, task_of },
		{ 1, state_of }, { 1, cause_of } };
	const struct session_lanes *l = &p->lanes;
	put_u32(out, MAGIC);
	put_u32(out, (uint32_t)l->n);
	put_u32(out, (uint32_t)l->n_spans);
	put_u32(out, p->in_bins);
	put_i64(out, p->window.begin);
	put_i64(out, (int64_t)1 << unit_shift(&p->window));
	size_t span = 0;
	for (size_t lane = 0; lane <= l->n; lane++) {
		while (span < l->n_spans && l->spans[span].lane < lane)
			span++;
		put_u32(out, (uint32_t)span);
	}
	for (size_t c = 0; c < sizeof(columns) / sizeof(*columns); c++)
		put_column(w, p, &columns[c], out);
	put_shares(w, l, out);
}

void server_lanes(struct server *s, const struct http_request *r, struct http_answer *a)
{
	struct mer_err err = { 0 };
	struct mer_arena arena;
	struct picture p = { .bins = 0 };
	struct session_world w;
	mer_arena_init(&arena);
	int rc = parse(r, &arena, &p, &err);
	struct server_traces *t = rc ? NULL : server_pictures_use(s, server_clocks_of(r), a);
	if (t) {
		rc = read_picture(t, &p, &w, &err);
		if (rc == 0)
			put_picture(&w, &p, &a->body);
		server_traces_done(t);
		a->status = 200;
		a->type = "application/octet-stream";
	}
	if (rc)
		server_refuse_err(a, rc, err.text);
	session_lanes_fini(&p.lanes);
	mer_arena_fini(&arena);
}
