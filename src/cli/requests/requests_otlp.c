/* Requests as OpenTelemetry's traces, in its JSON form: what tools for distributed tracing read.
 *
 *   resourceSpans        a process of a host
 *     scopeSpans.spans   a request at one of its ends: the requester's (client) and the server's
 *       events           waits longer than 1 ms, at the end where they were
 *
 * The server's span is below the requester's, and what the server sent to serve it is below the
 * server's. All below one request have its trace. An end that was not recorded has no span; a
 * parent that is not in the output is not named.
 *
 * Ids are hashes of what is the same for the same traces: the request's id and its begin. It is
 * written as it goes; kept are 16 bytes for each span and 5 for each request. */
#include <inttypes.h>

#include "base/map.h"
#include "base/sort.h"
#include "cli/requests/requests_print.h"

enum { LONG_WAIT_NS = 1000000 };
enum { SPAN_SERVER = 2, SPAN_CLIENT = 3 }; /* as the format counts them */

struct span {
	uint32_t host, process; /* task that stands for it; KERNEL_NONE: not known */
	uint32_t exchange;
	uint32_t side; /* enum requests_side */
};

struct otlp {
	const struct cli_requests *c;
	struct mer_json j;
	uint8_t *has;	/* by exchange: the sides that have a span, a bit each */
	uint32_t *root; /* by exchange: the one that its trace is of */
	struct requests_parts parts;
};

/* ---- which spans there are ---- */

static bool has_span(const struct requests *r, uint32_t i, enum requests_side side)
{
	const struct requests_exchange *x = &r->exchanges[i];
	if (requests_connection_of(r, i)->ends[side].socket == KERNEL_NONE)
		return false;
	return side == REQUESTS_CLIENT ||
	       (x->read != REQUESTS_NO_TIME && x->done != REQUESTS_NO_TIME && x->read <= x->done);
}

static int64_t within(int64_t t, int64_t begin, int64_t end)
{
	return t < begin ? begin : t > end ? end : t;
}

/* What the requester read had been sent, even if the server's call returned later; and clocks do
 * not decide it. */
static int64_t begin_of(const struct requests_exchange *x, enum requests_side side)
{
	return side == REQUESTS_CLIENT ? x->begin : within(x->read, x->begin, x->end);
}

static int64_t end_of(const struct requests_exchange *x, enum requests_side side)
{
	return side == REQUESTS_CLIENT ? x->end : within(x->done, begin_of(x, side), x->end);
}

/* By host, process, and the order in which the requests were selected. */
static int by_process(const void *a, const void *b)
{
	const struct span *p = a, *q = b;
	if (p->host != q->host)
		return p->host < q->host ? -1 : 1;
	if (p->process != q->process)
		return p->process < q->process ? -1 : 1;
	return 0;
}

static struct span *find_spans(struct otlp *o, size_t *n)
{
	const struct cli_requests *c = o->c;
	const struct requests *r = c->r;
	struct span *spans = mer_spill_array(r->w->spill, 2 * (size_t)c->n + 1, sizeof(*spans));
	*n = 0;
	for (uint32_t k = 0; spans && k < c->n; k++) {
		uint32_t i = c->which[k];
		const struct requests_exchange *x = &r->exchanges[i];
		for (uint32_t side = 0; side < REQUESTS_N_SIDES; side++) {
			if (!has_span(r, i, side))
				continue;
			uint32_t host = requests_connection_of(r, i)->ends[side].host;
			uint32_t task = side == REQUESTS_CLIENT		? x->client_task
					: x->server_task == KERNEL_NONE ? x->reader
									: x->server_task;
			o->has[i] |= (uint8_t)(1U << side);
			spans[(*n)++] = (struct span){ host,
				task == KERNEL_NONE ? task : c->kinds->process_of[host][task], i,
				side };
		}
	}
	if (spans && !mer_sort(r->w->spill, spans, *n, sizeof(*spans), by_process)) {
		mer_spill_release(spans);
		return NULL;
	}
	return spans;
}

/* Damaged traces may have requests in a circle: one of them is the root then. */
static void find_roots(struct otlp *o)
{
	enum { OPEN = KERNEL_NONE - 1 };
	const struct requests *r = o->c->r;
	for (uint32_t i = 0; i < r->n; i++)
		o->root[i] = KERNEL_NONE;
	for (uint32_t i = 0; i < r->n; i++) {
		uint32_t at = i, root;
		while (o->root[at] == KERNEL_NONE && r->exchanges[at].parent) {
			o->root[at] = OPEN;
			at = r->exchanges[at].parent - 1;
		}
		if (o->root[at] == KERNEL_NONE)
			o->root[at] = at;
		root = o->root[at] == OPEN ? at : o->root[at];
		for (at = i; o->root[at] == OPEN; at = r->exchanges[at].parent - 1)
			o->root[at] = root;
	}
}

/* ---- ids ---- */

static void put_hex(struct mer_str *out, uint64_t v)
{
	/* Nothing but zeros means that there is no id. */
	mer_str_printf(out, "%016" PRIx64, v ? v : 1);
}

/* `what`: "client", "server", or half of a trace's. */
static uint64_t id_of(const struct otlp *o, uint32_t exchange, const char *what)
{
	char id[REQUESTS_ID_BYTES], key[REQUESTS_ID_BYTES + 40];
	requests_id_text(o->c->r, exchange, id);
	int len = snprintf(key, sizeof(key), "%s %" PRId64 " %s", id,
		o->c->r->exchanges[exchange].begin, what);
	return mer_hash(key, (size_t)len);
}

static void put_trace_id(struct otlp *o, uint32_t exchange)
{
	struct mer_str text = { 0 };
	put_hex(&text, id_of(o, o->root[exchange], "trace"));
	put_hex(&text, id_of(o, o->root[exchange], "rest"));
	mer_json_kv_text(&o->j, "traceId", text.data);
	o->j.out->failed |= text.failed;
	mer_str_fini(&text);
}

static void put_span_id(struct otlp *o, const char *key, uint32_t exchange, enum requests_side side)
{
	struct mer_str text = { 0 };
	put_hex(&text, id_of(o, exchange, side == REQUESTS_CLIENT ? "client" : "server"));
	mer_json_kv_text(&o->j, key, text.data);
	o->j.out->failed |= text.failed;
	mer_str_fini(&text);
}

static void put_parent(struct otlp *o, uint32_t exchange, enum requests_side side)
{
	uint32_t parent = o->root[exchange] == exchange ? 0 : o->c->r->exchanges[exchange].parent;
	if (side == REQUESTS_SERVER && o->has[exchange] & (1U << REQUESTS_CLIENT))
		put_span_id(o, "parentSpanId", exchange, REQUESTS_CLIENT);
	else if (parent && o->has[parent - 1])
		put_span_id(o, "parentSpanId", parent - 1,
			o->has[parent - 1] & (1U << REQUESTS_SERVER) ? REQUESTS_SERVER
								     : REQUESTS_CLIENT);
}

/* ---- values ---- */

/* 64 bits are text in this format, as programs in JavaScript would round them. */
static void put_time(struct mer_json *j, const char *key, int64_t ns)
{
	char text[24];
	snprintf(text, sizeof(text), "%" PRId64, ns < 0 ? 0 : ns);
	mer_json_kv_text(j, key, text);
}

static void begin_attribute(struct mer_json *j, const char *key)
{
	mer_json_begin_object(j);
	mer_json_kv_text(j, "key", key);
	mer_json_kv_object(j, "value");
}

static void end_attribute(struct mer_json *j)
{
	mer_json_end_object(j);
	mer_json_end_object(j);
}

static void put_text(struct mer_json *j, const char *key, const char *text)
{
	begin_attribute(j, key);
	mer_json_kv_text(j, "stringValue", text);
	end_attribute(j);
}

static void put_int(struct mer_json *j, const char *key, uint64_t v)
{
	char text[24];
	snprintf(text, sizeof(text), "%" PRIu64, v);
	begin_attribute(j, key);
	mer_json_kv_text(j, "intValue", text);
	end_attribute(j);
}

static void put_request_id(struct otlp *o, const char *key, uint32_t exchange)
{
	char text[REQUESTS_ID_BYTES];
	requests_id_text(o->c->r, exchange, text);
	put_text(&o->j, key, text);
}

/* ---- events ---- */

/* At the server's end while the server had the request, else at the requester's; where only one is
 * there, at that. */
static bool is_at(const struct otlp *o, const struct requests_part *p, enum requests_side side)
{
	const struct requests_exchange *x = &o->c->r->exchanges[p->exchange];
	if (o->has[p->exchange] != 3)
		return true;
	return (p->begin >= begin_of(x, REQUESTS_SERVER) && p->end <= end_of(x, REQUESTS_SERVER)) ==
	       (side == REQUESTS_SERVER);
}

static bool is_long_wait(const struct requests_part *p)
{
	bool is_wait = p->kind == REQUESTS_QUEUED ||
		       (p->cause != PATH_RUNNING && p->cause != PATH_INTERRUPTED);
	return is_wait && p->end - p->begin > LONG_WAIT_NS;
}

static void put_event(struct otlp *o, const struct requests_part *p)
{
	struct mer_json *j = &o->j;
	const struct kernel_host *h = &o->c->r->w->hosts[p->host];
	mer_json_begin_object(j);
	put_time(j, "timeUnixNano", p->begin);
	mer_json_kv_text(j, "name",
		p->kind == REQUESTS_QUEUED || p->kind == REQUESTS_OUTSIDE
			? requests_part_name((enum requests_part_kind)p->kind)
			: path_cause_name((enum path_cause)p->cause));
	mer_json_kv_array(j, "attributes");
	put_int(j, "meridian.wait_ns", (uint64_t)(p->end - p->begin));
	put_text(j, "host.name", o->c->w->e->hosts[p->host].name);
	if (p->task != KERNEL_NONE) {
		put_int(j, "thread.id", (uint64_t)h->tasks[p->task].tid);
		put_text(j, "thread.name", kernel_comm(h, p->task, p->begin));
	}
	if (p->of)
		put_request_id(o, "meridian.served_instead", p->of - 1);
	mer_json_end_array(j);
	mer_json_end_object(j);
}

static int put_events(struct otlp *o, uint32_t exchange, enum requests_side side)
{
	const struct requests_exchange *x = &o->c->r->exchanges[exchange];
	bool any = false;
	if (x->end - x->begin <= LONG_WAIT_NS)
		return 0;
	int rc = requests_parts_find(o->c->parts, exchange, &o->parts, &o->c->cli->err);
	for (size_t k = 0; rc == 0 && k < o->parts.n; k++) {
		const struct requests_part *p = &o->parts.item[k];
		if (p->exchange != exchange || !is_long_wait(p) || !is_at(o, p, side))
			continue;
		if (!any)
			mer_json_kv_array(&o->j, "events");
		any = true;
		put_event(o, p);
	}
	if (any)
		mer_json_end_array(&o->j);
	return rc;
}

/* ---- spans ---- */

static void put_attributes(struct otlp *o, uint32_t exchange, enum requests_side side)
{
	struct mer_json *j = &o->j;
	const struct requests_exchange *x = &o->c->r->exchanges[exchange];
	struct cli_requests_party own, peer;
	cli_requests_party(o->c, exchange, side, &own);
	cli_requests_party(
		o->c, exchange, side == REQUESTS_CLIENT ? REQUESTS_SERVER : REQUESTS_CLIENT, &peer);
	mer_json_kv_array(j, "attributes");
	put_request_id(o, "meridian.request", exchange);
	if (*own.address)
		put_text(j, "network.local.address", own.address);
	if (own.port)
		put_int(j, "network.local.port", own.port);
	if (*peer.address)
		put_text(j, "network.peer.address", peer.address);
	if (peer.port)
		put_int(j, "network.peer.port", peer.port);
	if (own.tid >= 0)
		put_int(j, "thread.id", (uint64_t)own.tid);
	if (own.comm)
		put_text(j, "thread.name", own.comm);
	put_int(j, "meridian.bytes_out", x->bytes_out);
	put_int(j, "meridian.bytes_in", x->bytes_in);
	if (x->parent) {
		begin_attribute(j, "meridian.confidence");
		mer_json_kv_double(j, "doubleValue", (int)(1000 * x->confidence + 0.5F) / 1000.0);
		end_attribute(j);
	}
	if (x->n_messages > 1)
		put_int(j, "meridian.messages", x->n_messages);
	if (x->is_damaged) {
		begin_attribute(j, "meridian.lost_events");
		mer_json_kv_bool(j, "boolValue", true);
		end_attribute(j);
	}
	mer_json_end_array(j);
}

static int put_span(struct otlp *o, uint32_t exchange, enum requests_side side)
{
	struct mer_json *j = &o->j;
	const struct requests_exchange *x = &o->c->r->exchanges[exchange];
	mer_json_begin_object(j);
	put_trace_id(o, exchange);
	put_span_id(o, "spanId", exchange, side);
	put_parent(o, exchange, side);
	mer_json_kv_text(j, "name", requests_kind_name(o->c->kinds, exchange));
	mer_json_kv_int(j, "kind", side == REQUESTS_CLIENT ? SPAN_CLIENT : SPAN_SERVER);
	put_time(j, "startTimeUnixNano", begin_of(x, side));
	put_time(j, "endTimeUnixNano", end_of(x, side));
	put_attributes(o, exchange, side);
	int rc = put_events(o, exchange, side);
	mer_json_end_object(j);
	return rc;
}

static void put_resource(struct otlp *o, const struct span *s)
{
	struct mer_json *j = &o->j;
	const struct kernel_host *h = &o->c->r->w->hosts[s->host];
	const char *program = requests_program(o->c->kinds, s->host, s->process);
	mer_json_kv_object(j, "resource");
	mer_json_kv_array(j, "attributes");
	/* What the format's conventions call a service whose name is not known. */
	put_text(j, "service.name", *program ? program : "unknown_service");
	put_text(j, "host.name", o->c->w->e->hosts[s->host].name);
	if (s->process != KERNEL_NONE) {
		int32_t pid = h->tasks[s->process].pid;
		if (pid >= 0)
			put_int(j, "process.pid", (uint64_t)pid);
		if (*program)
			put_text(j, "process.executable.name", program);
	}
	mer_json_end_array(j);
	mer_json_end_object(j);
}

static int put_spans(struct otlp *o, const struct span *spans, size_t n)
{
	struct mer_json *j = &o->j;
	int rc = 0;
	for (size_t k = 0; k < n && rc == 0; k++) {
		if (k == 0 || by_process(&spans[k - 1], &spans[k]) != 0) {
			mer_json_begin_object(j);
			put_resource(o, &spans[k]);
			mer_json_kv_array(j, "scopeSpans");
			mer_json_begin_object(j);
			mer_json_kv_object(j, "scope");
			mer_json_kv_text(j, "name", "meridian");
			mer_json_kv_text(j, "version", MERIDIAN_VERSION);
			mer_json_end_object(j);
			mer_json_kv_array(j, "spans");
		}
		rc = put_span(o, spans[k].exchange, spans[k].side);
		if (k + 1 == n || by_process(&spans[k], &spans[k + 1]) != 0) {
			mer_json_end_array(j);
			mer_json_end_object(j);
			mer_json_end_array(j);
			mer_json_end_object(j);
		}
	}
	return rc;
}

int cli_requests_otlp(const struct cli_requests *c, FILE *file, struct mer_str *out)
{
	struct otlp o = { .c = c };
	struct span *spans;
	size_t n;
	o.has = mer_spill_array(c->r->w->spill, (size_t)c->r->n + 1, sizeof(*o.has));
	o.root = mer_spill_array(c->r->w->spill, (size_t)c->r->n + 1, sizeof(*o.root));
	spans = o.has && o.root ? find_spans(&o, &n) : NULL;
	if (!spans) {
		mer_spill_release(o.has);
		mer_spill_release(o.root);
		return mer_fail_nomem(&c->cli->err);
	}
	find_roots(&o);
	mer_json_init(&o.j, out, file, 0);
	mer_json_begin_object(&o.j);
	mer_json_kv_array(&o.j, "resourceSpans");
	int rc = put_spans(&o, spans, n);
	mer_json_end_array(&o.j);
	mer_json_end_object(&o.j);
	requests_parts_fini(&o.parts);
	mer_spill_release(spans);
	mer_spill_release(o.has);
	mer_spill_release(o.root);
	return rc ? rc : mer_json_finish(&o.j, &c->cli->err);
}
