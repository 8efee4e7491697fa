/* Requests of the protocol: which handler, and what their answers and errors look like. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "server/gzip.h"
#include "server/tsp/state.h"
#include "server/tsp/tsp.h"

#define PREFIX "/tsp/api/"

static void put_error(struct http_answer *a, unsigned status, const char *why)
{
	struct mer_json j;
	a->status = status;
	a->type = "application/json";
	mer_str_clear(&a->body);
	mer_json_init(&j, &a->body, NULL, 0);
	mer_json_begin_object(&j);
	mer_json_kv_text(&j, "title", why);
	mer_json_kv_text(&j, "error", why);
	mer_json_end_object(&j);
	mer_json_finish(&j, &(struct mer_err){ 0 });
}

/* Clients take a status above 501 for a server that is down, and repeat a request after 409 for
 * ever. */
static unsigned status_of(const struct tsp *t, int code)
{
	if (t->status)
		return t->status;
	return code == MER_ERR_USAGE ? 400 : 500;
}

static void end_model(struct tsp *t, const char *status, const char *message)
{
	mer_json_kv_text(&t->j, "status", status);
	mer_json_kv_text(&t->j, "statusMessage", message ? message : "");
	mer_json_end_object(&t->j);
}

/* Without a model: the traces are being read, or cannot be. */
static void put_no_model(struct tsp *t, const char *status, const char *message)
{
	mer_json_begin_object(&t->j);
	mer_json_kv_null(&t->j, "model");
	end_model(t, status, message);
}

static int answer_model(struct tsp *t, struct mer_err *err)
{
	struct server_traces *traces = &t->s->traces[SERVER_CLOCKS_ALIGNED];
	unsigned stage = atomic_load(&traces->stage);
	if (stage == SERVER_READING) {
		put_no_model(t, "RUNNING", "the traces are being read");
		return 0;
	}
	if (stage == SERVER_FAILED) {
		put_no_model(t, "FAILED", traces->error.text);
		return 0;
	}
	t->traces = server_traces_use(t->s, SERVER_CLOCKS_ALIGNED, &(struct http_answer){ 0 });
	if (!t->traces)
		return mer_fail(err, MER_ERR_BUG, "the traces cannot be used");
	mer_json_begin_object(&t->j);
	mer_json_key(&t->j, "model");
	int rc = t->m.endpoint->handler(t, err);
	if (t->traces)
		server_traces_done(t->traces);
	t->traces = NULL;
	end_model(t, t->running ? "RUNNING" : "COMPLETED", t->running ? t->running : t->message);
	return rc;
}

/* States of many rows are megabytes of the same words. */
static void compress(struct http_answer *a)
{
	enum { WORTH_IT = 32 << 10 };
	struct mer_str packed = { 0 };
	struct mer_err err = { 0 };
	if (a->body.len < WORTH_IT || a->body.failed)
		return;
	a->is_gzip = server_gzip(&a->body, SERVER_GZIP_FAST, &packed, &err) == 0;
	mer_str_fini(a->is_gzip ? &a->body : &packed);
	if (a->is_gzip)
		a->body = packed;
}

static void answer(struct tsp *t, struct http_answer *a)
{
	struct mer_err err = { 0 };
	mer_arena_init(&t->arena);
	mer_json_init(&t->j, &a->body, NULL, 0);
	int rc = tsp_query_parse(t->r->body, t->r->body_len, &t->arena, &t->q, &err);
	if (rc == 0 && strncmp(t->m.endpoint->path, "/experiments/", 13) == 0)
		rc = tsp_check_experiment(t, &err);
	if (rc == 0)
		rc = t->m.endpoint->form == TSP_MODEL ? answer_model(t, &err)
						      : t->m.endpoint->handler(t, &err);
	if (rc == 0)
		rc = mer_json_finish(&t->j, &err);
	a->status = 200;
	a->type = "application/json";
	if (rc)
		put_error(a, status_of(t, rc), err.text[0] ? err.text : "unknown error");
	if (t->r->takes_gzip)
		compress(a);
	mer_arena_fini(&t->arena);
}

static void answer_request(
	struct server *s, void *state, const struct http_request *r, struct http_answer *a)
{
	const char *path = r->path + sizeof(PREFIX) - sizeof("/");
	struct tsp t = { .s = s, .state = state, .r = r };
	bool is_head = strcmp(r->method, "HEAD") == 0;
	a->any_origin = true;
	tsp_find(is_head ? "GET" : r->method, path, &t.m);
	if (t.m.is_there && strcmp(r->method, "OPTIONS") == 0) {
		a->status = 204;
		a->allow = "GET, POST, PUT, DELETE, OPTIONS";
	} else if (t.m.endpoint) {
		tsp_state_start(&t);
		answer(&t, a);
	} else if (t.m.is_there) {
		char why[200], methods[100];
		tsp_methods(path, methods, sizeof(methods));
		snprintf(
			why, sizeof(why), "%.20s is not possible here, but %s", r->method, methods);
		put_error(a, 405, why);
		a->allow = "GET, POST, PUT, DELETE, OPTIONS";
	} else
		put_error(a, 404, "there is no such address: docs/api.md lists them");
}

const struct server_protocol tsp_protocol = { PREFIX, tsp_state_new, tsp_state_free,
	answer_request };

int tsp_not_there(struct tsp *t, struct mer_err *err, const char *fmt, ...)
{
	char text[600];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	t->status = 404;
	return mer_fail(err, MER_ERR_USAGE, "%s", text);
}
