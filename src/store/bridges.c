/* Bridges between hosts as packed rows. */
#include "store/rows.h"

/* A host's span numbers rise from bridge to bridge: each end is stored as the distance from the
 * host's span in the previous bridge. Hosts that share a slot only make these numbers longer, not
 * wrong. */
enum { SLOTS = 64 };
struct last_spans {
	uint32_t at[SLOTS];
};

static uint64_t put_span(struct last_spans *l, const struct kernel_bridge_end *e)
{
	uint32_t *last = &l->at[e->host % SLOTS];
	uint64_t v = store_distance(*last, e->span);
	if (e->span != KERNEL_NONE)
		*last = e->span;
	return v;
}

static void get_span(struct last_spans *l, struct kernel_bridge_end *e, uint64_t v)
{
	uint32_t *last = &l->at[e->host % SLOTS];
	e->span = store_at_distance(*last, v);
	if (e->span != KERNEL_NONE)
		*last = e->span;
}

static void put(struct mer_str *out, const void *rows, size_t n, uint32_t first)
{
	const struct kernel_bridge *b = rows;
	struct last_spans from = { { 0 } }, to = { { 0 } };
	uint64_t v[STORE_ROWS] = { 0 };
	STORE_PUT(STORE_DELTA, (uint64_t)b[i].from.time);
	STORE_PUT(STORE_PLAIN, (uint64_t)b[i].to.time - (uint64_t)b[i].from.time);
	STORE_PUT(STORE_DICT, b[i].from.host);
	STORE_PUT(STORE_DICT, b[i].to.host);
	STORE_PUT(STORE_PLAIN, put_span(&from, &b[i].from));
	STORE_PUT(STORE_PLAIN, put_span(&to, &b[i].to));
	STORE_PUT(STORE_DICT, (uint32_t)(b[i].from.stream + 1));
	STORE_PUT(STORE_DICT, (uint32_t)(b[i].to.stream + 1));
	STORE_PUT(STORE_DICT, b[i].from.endpoint);
	STORE_PUT(STORE_DICT, b[i].to.endpoint);
	STORE_PUT(STORE_PLAIN, store_distance(first + (uint32_t)i, b[i].answers));
	STORE_PUT(STORE_DICT,
		b[i].kind | (uint64_t)b[i].content << 8 | (uint64_t)b[i].was_held << 16);
}

static bool fits(const struct kernel_world *w, const struct kernel_bridge_end *e)
{
	return e->host < w->n_hosts &&
	       (e->span < w->hosts[e->host].n_spans || e->span == KERNEL_NONE);
}

static bool get(struct store_in *in, void *rows, size_t n, uint32_t first, const void *ctx)
{
	const struct kernel_world *w = ctx;
	struct kernel_bridge *b = rows;
	struct last_spans from = { { 0 } }, to = { { 0 } };
	uint64_t v[STORE_ROWS];
	bool ok = true;
	STORE_GET(b[i].from.time = (int64_t)v[i]);
	STORE_GET(b[i].to.time = (int64_t)((uint64_t)b[i].from.time + v[i]));
	STORE_GET(b[i].from.host = (uint32_t)v[i]);
	STORE_GET(b[i].to.host = (uint32_t)v[i]);
	STORE_GET(get_span(&from, &b[i].from, v[i]));
	STORE_GET(get_span(&to, &b[i].to, v[i]));
	STORE_GET(b[i].from.stream = (uint32_t)v[i] - 1);
	STORE_GET(b[i].to.stream = (uint32_t)v[i] - 1);
	STORE_GET(b[i].from.endpoint = (uint32_t)v[i]);
	STORE_GET(b[i].to.endpoint = (uint32_t)v[i]);
	STORE_GET(b[i].answers = store_at_distance(first + (uint32_t)i, v[i]));
	STORE_GET(b[i].kind = (uint8_t)v[i]; b[i].content = (uint8_t)(v[i] >> 8);
		  b[i].was_held = v[i] >> 16 & 1);
	for (size_t i = 0; ok && i < n; i++) {
		ok = fits(w, &b[i].from) && fits(w, &b[i].to) && b[i].from.time <= b[i].to.time &&
		     (b[i].answers < w->n_bridges || b[i].answers == KERNEL_NONE) &&
		     b[i].kind < SYNC_N_KINDS && b[i].content <= SYNC_DATA;
	}
	return ok;
}

static void absent(void *rows, size_t n)
{
	struct kernel_bridge *b = rows;
	for (size_t i = 0; i < n; i++) {
		b[i].from.span = b[i].to.span = b[i].answers = KERNEL_NONE;
		b[i].from.stream = b[i].to.stream = SYNC_NO_STREAM;
	}
}

const struct store_row_kind store_bridge_rows = { sizeof(struct kernel_bridge), put, get, absent };
