/* Spans of tracers for distributed tracing: OTLP's JSON (one document, or one on each line, as the
 * collector writes it), and Jaeger's.
 *
 *   OTLP    { "resourceSpans": [{ "resource": { "attributes" }, "scopeSpans": [{ "spans" }] }] }
 *   Jaeger  { "data": [{ "spans": [{ "processID", "tags" }],
 *                        "processes": { ID: { "serviceName", "tags" } } }] } */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "base/str.h"
#include "requests/names/lines.h"

enum { TRACE_DIGITS = 32, SPAN_DIGITS = 16 };

struct spans {
	struct names_lines *l;
	const char *path;
	struct mer_err *err;
	uint32_t n_seen;
	int rc;
};

static const struct mer_json_value *items(const struct mer_json_value *v, uint32_t *n)
{
	bool is_array = v && v->kind == MER_JSON_ARRAY;
	*n = is_array ? v->n : 0;
	return is_array ? v->u.items : NULL;
}

static uint32_t keep_text(struct names_lines *l, const struct mer_json_value *v)
{
	return v && v->kind == MER_JSON_STRING ? names_keep(l, v->u.text, v->n) : 0;
}

static uint32_t keep_id(struct names_lines *l, const struct mer_json_value *v, size_t n_digits)
{
	char padded[TRACE_DIGITS];
	if (!v || v->kind != MER_JSON_STRING || v->n > n_digits || !v->n)
		return 0;
	/* Jaeger leaves out zeros in front. */
	memset(padded, '0', n_digits - v->n);
	memcpy(padded + n_digits - v->n, v->u.text, v->n);
	return names_keep_id(l, padded, n_digits, n_digits);
}

/* A number, or a text of one, as 64 bits are in OTLP. */
static bool whole(const struct mer_json_value *v, int64_t *to)
{
	enum { MOST_DIGITS = 18 + 1 };
	char text[MOST_DIGITS + 1];
	char *end;
	if (!v || v->kind != MER_JSON_STRING)
		return mer_json_int_of(v, to);
	if (!v->n || v->n > MOST_DIGITS)
		return false;
	memcpy(text, v->u.text, v->n);
	text[v->n] = '\0';
	*to = strtoll(text, &end, 10);
	return *end == '\0' && *to >= 0 && *to < INT64_MAX / 2;
}

/* What an attribute of OTLP, or a tag of Jaeger, is. */
struct attribute {
	const char *name;
	const struct mer_json_value *value;
};

static const struct mer_json_value *value_of(const struct mer_json_value *attribute)
{
	static const char *const kinds[] = { "stringValue", "intValue" };
	const struct mer_json_value *v = mer_json_find(attribute, "value");
	for (size_t i = 0; v && v->kind == MER_JSON_OBJECT && i < 2; i++)
		if (mer_json_find(v, kinds[i]))
			return mer_json_find(v, kinds[i]);
	return v;
}

/* The value of the first of these names that there is; list: attributes or tags. */
static const struct mer_json_value *find(
	const struct mer_json_value *list, const char *const *names)
{
	uint32_t n;
	const struct mer_json_value *at = items(list, &n);
	for (; *names; names++)
		for (uint32_t i = 0; i < n; i++)
			if (mer_json_is(mer_json_find(&at[i], "key"), *names))
				return value_of(&at[i]);
	return NULL;
}

static uint16_t port(const struct mer_json_value *list, const char *const *names)
{
	int64_t v;
	return whole(find(list, names), &v) && v > 0 && v <= UINT16_MAX ? (uint16_t)v : 0;
}

#define NAMES(...)                                                                                 \
	(const char *const[])                                                                      \
	{                                                                                          \
		__VA_ARGS__, NULL                                                                  \
	}

static void put_status(
	struct names_lines *l, const struct mer_json_value *attributes, struct names_line *to)
{
	int64_t code;
	char text[24];
	const struct mer_json_value *v = find(attributes,
		NAMES("http.response.status_code", "http.status_code", "rpc.grpc.status_code"));
	if (!whole(v, &code))
		return;
	int len = snprintf(text, sizeof(text), "%" PRId64, code);
	to->status = names_keep(l, text, (size_t)len);
}

/* What both forms have: attributes are those of the span, above those of who wrote it. */
static bool put_common(struct spans *s, const struct mer_json_value *attributes,
	const struct mer_json_value *above, uint32_t service, struct names_line *to)
{
	struct names_lines *l = s->l;
	const char *const *server = NAMES("server.port", "net.host.port", "local.port");
	const char *const *client = NAMES("client.port");
	const struct mer_json_value *host = find(above, NAMES("host.name", "hostname"));
	put_status(l, attributes, to);
	to->server_port = port(attributes, server);
	to->client_port = port(attributes, client);
	/* The other end's, without anything between, is in network.peer.port. */
	if (!to->is_client && !to->client_port)
		to->client_port =
			port(attributes, NAMES("network.peer.port", "net.sock.peer.port"));
	if (to->is_client && !to->server_port)
		to->server_port = port(attributes, NAMES("network.peer.port", "net.peer.port"));
	to->host = keep_text(l, host);
	struct mer_str source = { 0 };
	mer_str_printf(&source, "%s%s%s%s", to->host ? names_text(l, to->host) : "",
		to->host && service ? " " : "", service ? names_text(l, service) : "",
		to->is_client ? " (client)" : "");
	to->source = source.failed ? 0 : names_keep(l, source.data, source.len);
	mer_str_fini(&source);
	return true;
}

static void add(struct spans *s, const struct names_line *line)
{
	struct names_line *x = names_add_line(s->l, s->path, s->err);
	if (!x) {
		s->rc = MER_ERR_USAGE;
		return;
	}
	*x = *line;
	x->number = s->n_seen;
	x->has_begin = x->has_end = true;
}

static void unread(struct spans *s)
{
	s->l->first_unread = s->l->n_unread++ ? s->l->first_unread : s->n_seen;
}

/* ---- OTLP ---- */

static void otlp_span(struct spans *s, const struct mer_json_value *span,
	const struct mer_json_value *resource, uint32_t service)
{
	enum { SERVER = 2, CLIENT = 3 };
	struct names_line x = { .resolution_ns = 1 };
	const struct mer_json_value *kind = mer_json_find(span, "kind");
	int64_t number = 0;
	s->n_seen++;
	if (!span || span->kind != MER_JSON_OBJECT ||
		!whole(mer_json_find(span, "startTimeUnixNano"), &x.begin) ||
		!whole(mer_json_find(span, "endTimeUnixNano"), &x.end) || x.end < x.begin) {
		unread(s);
		return;
	}
	(void)whole(kind, &number);
	x.is_client = number == CLIENT || mer_json_is(kind, "SPAN_KIND_CLIENT");
	if (!x.is_client && number != SERVER && !mer_json_is(kind, "SPAN_KIND_SERVER"))
		return; /* of the program's own work: no request */
	x.name = keep_text(s->l, mer_json_find(span, "name"));
	x.trace_id = keep_id(s->l, mer_json_find(span, "traceId"), TRACE_DIGITS);
	x.span_id = keep_id(s->l, mer_json_find(span, "spanId"), SPAN_DIGITS);
	x.parent_span_id = keep_id(s->l, mer_json_find(span, "parentSpanId"), SPAN_DIGITS);
	if (put_common(s, mer_json_find(span, "attributes"), resource, service, &x))
		add(s, &x);
}

static bool otlp(struct spans *s, const struct mer_json_value *root)
{
	uint32_t n, n_scopes, n_spans;
	const struct mer_json_value *resources = items(mer_json_find(root, "resourceSpans"), &n);
	for (uint32_t i = 0; i < n; i++) {
		const struct mer_json_value *attributes =
			mer_json_find(mer_json_find(&resources[i], "resource"), "attributes");
		const struct mer_json_value *scopes =
			items(mer_json_find(&resources[i], "scopeSpans"), &n_scopes);
		uint32_t service = keep_text(s->l, find(attributes, NAMES("service.name")));
		for (uint32_t k = 0; k < n_scopes; k++) {
			const struct mer_json_value *spans =
				items(mer_json_find(&scopes[k], "spans"), &n_spans);
			for (uint32_t m = 0; m < n_spans && s->rc == 0; m++)
				otlp_span(s, &spans[m], attributes, service);
		}
	}
	return resources != NULL;
}

/* ---- Jaeger ---- */

static void jaeger_span(
	struct spans *s, const struct mer_json_value *span, const struct mer_json_value *processes)
{
	enum { US = 1000, MOST_PROCESS = 80 };
	struct names_line x = { .resolution_ns = US };
	const struct mer_json_value *tags = mer_json_find(span, "tags");
	const struct mer_json_value *kind = find(tags, NAMES("span.kind"));
	const struct mer_json_value *id = mer_json_find(span, "processID");
	const struct mer_json_value *process = NULL, *references;
	char name[MOST_PROCESS + 1] = "";
	int64_t took;
	uint32_t n;
	s->n_seen++;
	if (!whole(mer_json_find(span, "startTime"), &x.begin) ||
		!whole(mer_json_find(span, "duration"), &took) || took < 0 ||
		x.begin > INT64_MAX / 4 / US || took > INT64_MAX / 4 / US) {
		unread(s);
		return;
	}
	x.begin *= US;
	x.end = x.begin + took * US;
	x.is_client = mer_json_is(kind, "client");
	if (!x.is_client && !mer_json_is(kind, "server"))
		return;
	if (id && id->kind == MER_JSON_STRING && id->n <= MOST_PROCESS) {
		memcpy(name, id->u.text, id->n);
		process = mer_json_find(processes, name);
	}
	x.name = keep_text(s->l, mer_json_find(span, "operationName"));
	x.trace_id = keep_id(s->l, mer_json_find(span, "traceID"), TRACE_DIGITS);
	x.span_id = keep_id(s->l, mer_json_find(span, "spanID"), SPAN_DIGITS);
	references = items(mer_json_find(span, "references"), &n);
	for (uint32_t i = 0; i < n && !x.parent_span_id; i++)
		if (mer_json_is(mer_json_find(&references[i], "refType"), "CHILD_OF"))
			x.parent_span_id =
				keep_id(s->l, mer_json_find(&references[i], "spanID"), SPAN_DIGITS);
	if (put_common(s, tags, mer_json_find(process, "tags"),
		    keep_text(s->l, mer_json_find(process, "serviceName")), &x))
		add(s, &x);
}

static bool jaeger(struct spans *s, const struct mer_json_value *root)
{
	uint32_t n, n_spans;
	const struct mer_json_value *data = mer_json_find(root, "data");
	const struct mer_json_value *traces = items(data, &n);
	for (uint32_t i = 0; i < n; i++) {
		const struct mer_json_value *spans =
			items(mer_json_find(&traces[i], "spans"), &n_spans);
		for (uint32_t k = 0; k < n_spans && s->rc == 0; k++)
			jaeger_span(s, &spans[k], mer_json_find(&traces[i], "processes"));
	}
	return traces != NULL;
}

/* ---- the file ---- */

int names_read_spans(
	struct names_lines *l, const char *path, const char *text, size_t len, struct mer_err *err)
{
	struct spans s = { .l = l, .path = path, .err = err };
	struct mer_json_reader r;
	struct mer_json_value root;
	struct mer_arena tree;
	bool is_any = false;
	int rc = 0;
	mer_arena_init(&tree);
	mer_json_reader_init(&r, text, len, &tree);
	for (;;) {
		while (r.pos < len && strchr(" \t\r\n", text[r.pos]) && text[r.pos])
			r.pos++;
		if (r.pos >= len || s.rc)
			break;
		rc = mer_json_read(&r, &root);
		if (rc) {
			/* What came before the damage counts. */
			if (rc != MER_ERR_NOMEM && is_any) {
				l->is_cut = true;
				rc = 0;
			} else if (rc != MER_ERR_NOMEM)
				rc = mer_fail(err, MER_ERR_USAGE, "%s: byte %zu: %s", path,
					r.err_at, r.err);
			else
				rc = mer_fail_nomem(err);
			break;
		}
		bool has = root.kind == MER_JSON_OBJECT && (otlp(&s, &root) || jaeger(&s, &root));
		is_any |= has;
		if (!has) {
			rc = mer_fail(err, MER_ERR_USAGE,
				"%s has no spans: neither \"resourceSpans\" (OTLP) nor \"data\" (Jaeger); of a log in JSON the format of its lines must be given",
				path);
			break;
		}
		mer_json_reader_fini(&r);
		size_t at = r.pos;
		mer_arena_reset(&tree);
		mer_json_reader_init(&r, text, len, &tree);
		r.pos = at;
	}
	mer_json_reader_fini(&r);
	mer_arena_fini(&tree);
	return rc ? rc : s.rc;
}
