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
#include <string.h>

#include "base/map.h"
#include "ask/requests/request_names.h"
#include "ask/requests/requests_spans.h"

enum { LONG_WAIT_NS = 1000000 };
enum { SPAN_INTERNAL = 1, SPAN_SERVER = 2, SPAN_CLIENT = 3 }; /* as the format counts them */

struct otlp {
	const struct ask_requests *c;
	struct mer_json j;
	struct ask_requests_spans spans;
	struct requests_parts parts;
};

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

/* The trace that programs named; NULL: none. */
static const char *given_trace(const struct otlp *o, uint32_t exchange)
{
	const struct names *names = o->c->names;
	return names ? names_text(&names->lines, names_trace_of(names, exchange)) : NULL;
}

static bool is_same_trace(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* The span that a program wrote for this end of a request, or the one above it; NULL: none. */
static const char *given_parent(const struct otlp *o, uint32_t exchange, enum requests_side side)
{
	const struct names *names = o->c->names;
	uint32_t trace = names ? names_trace_of(names, exchange) : 0;
	if (!trace)
		return NULL;
	uint32_t at =
		side == REQUESTS_SERVER ? names->by_server[exchange] : names->by_client[exchange];
	if (at && names->lines.item[at - 1].trace_id == trace && names->lines.item[at - 1].span_id)
		return names_text(&names->lines, names->lines.item[at - 1].span_id);
	/* The client's span of ours is above the server's, and below what the server names. */
	at = side == REQUESTS_CLIENT || !(o->spans.has[exchange] & (1U << REQUESTS_CLIENT))
		     ? names->by_server[exchange]
		     : 0;
	return at && names->lines.item[at - 1].trace_id == trace
		       ? names_text(&names->lines, names->lines.item[at - 1].parent_span_id)
		       : NULL;
}

static void put_trace_id(struct otlp *o, uint32_t exchange)
{
	struct mer_str text = { 0 };
	if (given_trace(o, exchange)) {
		mer_json_kv_text(&o->j, "traceId", given_trace(o, exchange));
		return;
	}
	put_hex(&text, id_of(o, o->spans.root[exchange], "trace"));
	put_hex(&text, id_of(o, o->spans.root[exchange], "rest"));
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
	struct ask_requests_span above;
	const char *given = given_parent(o, exchange, side);
	if (given)
		mer_json_kv_text(&o->j, "parentSpanId", given);
	else if (ask_requests_span_above(&o->spans, exchange, side, &above) &&
		 is_same_trace(given_trace(o, exchange), given_trace(o, above.exchange)))
		put_span_id(o, "parentSpanId", above.exchange, above.side);
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
	if (o->spans.has[p->exchange] != 3)
		return true;
	return (p->begin >= ask_requests_begin_at(x, REQUESTS_SERVER) &&
		       p->end <= ask_requests_end_at(x, REQUESTS_SERVER)) ==
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
	mer_json_kv_text(j, "name", ask_requests_part_name(p));
	mer_json_kv_array(j, "attributes");
	put_int(j, "meridian.wait_ns", (uint64_t)(p->end - p->begin));
	put_text(j, "host.name", o->c->w->e->hosts[p->host].name);
	if (p->task != KERNEL_NONE) {
		put_int(j, "thread.id", (uint64_t)h->tasks[p->task].tid);
		put_text(j, "thread.name", kernel_comm(h, p->task));
	}
	if (requests_part_state(o->c->r, p))
		put_text(j, "meridian.user_state", requests_part_state(o->c->r, p));
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
	int rc = requests_parts_find(o->c->parts, exchange, &o->parts, &o->c->ask->err);
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
	struct ask_requests_party own, peer;
	ask_requests_party(o->c, exchange, side, &own);
	ask_requests_party(
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
	const char *name =
		o->c->names ? ask_names_text(o->c->names, exchange, ASK_GROUP_NAME) : NULL;
	mer_json_kv_text(j, "name", name ? name : requests_kind_name(o->c->kinds, exchange));
	mer_json_kv_int(j, "kind",
		requests_is_own(o->c->r, exchange) ? SPAN_INTERNAL
		: side == REQUESTS_CLIENT	   ? SPAN_CLIENT
						   : SPAN_SERVER);
	put_time(j, "startTimeUnixNano", ask_requests_begin_at(x, side));
	put_time(j, "endTimeUnixNano", ask_requests_end_at(x, side));
	put_attributes(o, exchange, side);
	int rc = put_events(o, exchange, side);
	mer_json_end_object(j);
	return rc;
}

static void put_resource(struct otlp *o, const struct ask_requests_span *s)
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

static int put_spans(struct otlp *o)
{
	struct mer_json *j = &o->j;
	const struct ask_requests_span *spans = o->spans.item;
	size_t n = o->spans.n;
	int rc = 0;
	for (size_t k = 0; k < n && rc == 0; k++) {
		if (k == 0 || !ask_requests_same_process(&spans[k - 1], &spans[k])) {
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
		rc = put_span(o, spans[k].exchange, (enum requests_side)spans[k].side);
		if (k + 1 == n || !ask_requests_same_process(&spans[k], &spans[k + 1])) {
			mer_json_end_array(j);
			mer_json_end_object(j);
			mer_json_end_array(j);
			mer_json_end_object(j);
		}
	}
	return rc;
}

int ask_requests_otlp(const struct ask_requests *c, FILE *file, struct mer_str *out)
{
	struct otlp o = { .c = c };
	int rc = ask_requests_spans_find(c, &o.spans);
	mer_json_init(&o.j, out, file, 0);
	mer_json_begin_object(&o.j);
	mer_json_kv_array(&o.j, "resourceSpans");
	if (rc == 0)
		rc = put_spans(&o);
	mer_json_end_array(&o.j);
	mer_json_end_object(&o.j);
	requests_parts_fini(&o.parts);
	ask_requests_spans_fini(&o.spans);
	return rc ? rc : mer_json_finish(&o.j, &c->ask->err);
}
