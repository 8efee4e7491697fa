/* Requests as JSON, for programs. */
#include <math.h>
#include <string.h>

#include "ask/requests/requests_print.h"
#include "ask/requests/service_name.h"
#include "ask/session.h"

void ask_requests_party(const struct ask_requests *c, uint32_t exchange, enum requests_side side,
	struct ask_requests_party *p)
{
	const struct requests *r = c->r;
	const struct requests_exchange *x = &r->exchanges[exchange];
	const struct requests_end *e = &r->connections.item[x->connection].ends[side];
	uint32_t task = ask_requests_task_at(x, side);
	*p = (struct ask_requests_party){ .tid = -1, .pid = -1 };
	requests_address(r, e, p->address);
	char *colon = strrchr(p->address, ':');
	if (colon)
		*colon = '\0';
	p->port = requests_port(r, e);
	if (e->socket == KERNEL_NONE)
		return;
	const struct kernel_host *h = &r->w->hosts[e->host];
	p->host = c->w->e->hosts[e->host].name;
	if (task == KERNEL_NONE)
		return;
	p->tid = h->tasks[task].tid;
	p->pid = h->tasks[task].pid;
	const char *comm = kernel_comm(h, task);
	p->comm = *comm ? comm : NULL;
}

double ask_requests_confidence(const struct requests_exchange *x)
{
	enum { DIGITS = 1000000 };
	return round((double)x->confidence * DIGITS) / DIGITS;
}

static void put_number(struct mer_json *j, const char *key, int64_t v, bool known)
{
	if (known)
		mer_json_kv_int(j, key, v);
	else
		mer_json_kv_null(j, key);
}

static void put_party(const struct ask_requests *c, struct mer_json *j, uint32_t exchange,
	enum requests_side side)
{
	struct ask_requests_party p;
	ask_requests_party(c, exchange, side, &p);
	mer_json_kv_object(j, side == REQUESTS_CLIENT ? "client" : "server");
	mer_json_kv_text(j, "host", p.host);
	put_number(j, "tid", p.tid, p.tid >= 0);
	put_number(j, "pid", p.pid, p.pid >= 0);
	mer_json_kv_text(j, "comm", p.comm);
	ask_json_known(j, "address", p.address);
	put_number(j, "port", p.port, p.port != 0);
	mer_json_end_object(j);
}

static void put_id(
	const struct ask_requests *c, struct mer_json *j, const char *key, uint32_t plus_1)
{
	char text[REQUESTS_ID_BYTES];
	if (plus_1)
		requests_id_text(c->r, plus_1 - 1, text);
	mer_json_kv_text(j, key, plus_1 ? text : NULL);
}

static void put_time(struct mer_json *j, const char *key, int64_t t)
{
	put_number(j, key, t, t != REQUESTS_NO_TIME);
}

static void put_parts(
	const struct ask_requests *c, struct mer_json *j, const struct requests_parts *p)
{
	mer_json_kv_array(j, "parts");
	for (size_t i = 0; i < p->n; i++) {
		const struct requests_part *x = &p->item[i];
		const struct kernel_host *h = &c->r->w->hosts[x->host];
		bool has_task = x->task != KERNEL_NONE;
		mer_json_begin_object(j);
		mer_json_kv_text(j, "host", c->w->e->hosts[x->host].name);
		put_number(j, "tid", has_task ? h->tasks[x->task].tid : 0, has_task);
		ask_json_known(j, "comm", has_task ? kernel_comm(h, x->task) : "");
		if (requests_part_state(c->r, x))
			mer_json_kv_text(j, "user_state", requests_part_state(c->r, x));
		mer_json_kv_text(j, "cause", ask_requests_part_name(x));
		put_id(c, j, "of", x->of);
		/* What that one did then; or waited for its request that had the connection. */
		if (x->kind == REQUESTS_QUEUED)
			mer_json_kv_text(j, "meanwhile",
				x->had ? "connection" : path_cause_name((enum path_cause)x->cause));
		if (x->had)
			put_id(c, j, "had", x->had);
		mer_json_kv_int(j, "ns", x->end - x->begin);
		put_id(c, j, "request", x->exchange + 1);
		mer_json_end_object(j);
	}
	mer_json_end_array(j);
}

static int put_request(
	const struct ask_requests *c, struct mer_json *j, uint32_t i, struct requests_parts *parts)
{
	const struct requests_exchange *x = &c->r->exchanges[i];
	int rc = requests_parts_find(c->parts, i, parts, &c->ask->err);
	if (rc)
		return rc;
	mer_json_begin_object(j);
	put_id(c, j, "id", i + 1);
	mer_json_kv_text(j, "kind", requests_kind_name(c->kinds, i));
	mer_json_kv_int(j, "begin", x->begin);
	mer_json_kv_int(j, "end", x->end);
	mer_json_kv_int(j, "latency_ns", x->end - x->begin);
	put_party(c, j, i, REQUESTS_CLIENT);
	put_party(c, j, i, REQUESTS_SERVER);
	put_id(c, j, "parent", x->parent);
	if (x->parent)
		mer_json_kv_double(j, "confidence", ask_requests_confidence(x));
	else
		mer_json_kv_null(j, "confidence");
	mer_json_kv_uint(j, "bytes_out", x->bytes_out);
	mer_json_kv_uint(j, "bytes_in", x->bytes_in);
	if (x->n_messages > 1)
		mer_json_kv_uint(j, "messages", x->n_messages);
	if (x->is_damaged)
		mer_json_kv_bool(j, "lost_events", true);
	put_time(j, "read", x->read);
	put_time(j, "answered", x->done);
	put_parts(c, j, parts);
	mer_json_end_object(j);
	return 0;
}

/* is_window: of several messages, which have a list of their own. */
static int put_requests(const struct ask_requests *c, struct mer_json *j, bool is_window)
{
	struct requests_parts parts = { 0 };
	int rc = 0;
	mer_json_kv_array(j, is_window ? "windows" : "requests");
	for (uint32_t i = 0; rc == 0 && i < c->n; i++)
		if ((c->r->exchanges[c->which[i]].n_messages > 1) == is_window)
			rc = put_request(c, j, c->which[i], &parts);
	mer_json_end_array(j);
	requests_parts_fini(&parts);
	return rc;
}

/* Events of a rule that fit nothing. */
static void put_unmatched(const struct ask_requests *c, struct mer_json *j)
{
	if (!c->own)
		return;
	mer_json_kv_object(j, "unmatched");
	mer_json_kv_uint(j, "unended", c->own->n_unended);
	mer_json_kv_uint(j, "unbegun", c->own->n_unbegun);
	mer_json_kv_uint(j, "begun_again", c->own->n_again);
	mer_json_kv_uint(j, "without_key", c->own->n_keyless);
	mer_json_end_object(j);
}

int ask_requests_json_list(const struct ask_requests *c, struct mer_str *out)
{
	struct mer_json j;
	mer_json_init(&j, out, c->ask->out, 0); /* there may be a million of them */
	mer_json_begin_object(&j);
	mer_json_kv_int(&j, "schema_version", 2);
	int rc = put_requests(c, &j, false);
	if (rc == 0)
		rc = put_requests(c, &j, true);
	put_unmatched(c, &j);
	ask_json_synced(&j, c->ask);
	ask_json_diagnostics(&j, c->w->e);
	mer_json_end_object(&j);
	return rc ? rc : mer_json_finish(&j, &c->ask->err);
}

void ask_requests_put_sums(struct mer_json *j, const int64_t sums[REQUESTS_N_PARTS])
{
	mer_json_kv_array(j, "parts");
	for (unsigned k = 0; k < REQUESTS_N_PARTS; k++) {
		if (!sums[k])
			continue;
		mer_json_begin_object(j);
		mer_json_kv_text(j, "cause", requests_part_name((enum requests_part_kind)k));
		mer_json_kv_int(j, "ns", sums[k]);
		mer_json_end_object(j);
	}
	mer_json_end_array(j);
}

int ask_requests_json_kinds(const struct ask_requests *c, const struct requests_sums *rows,
	uint32_t n, const struct requests_state_sums *states, struct mer_str *out)
{
	struct mer_json j;
	mer_json_init(&j, out, NULL, 0);
	mer_json_begin_object(&j);
	mer_json_kv_int(&j, "schema_version", 2);
	mer_json_kv_array(&j, "kinds");
	int64_t window_ns = ask_requests_window_ns(c);
	for (uint32_t i = 0; i < n; i++) {
		const struct requests_sums *s = &rows[i];
		bool timed = s->max_ns >= 0;
		struct mer_cell rate = requests_rate(s, window_ns);
		mer_json_begin_object(&j);
		mer_json_kv_text(&j, "kind", mer_intern_text(&c->kinds->names, s->kind));
		uint16_t port = ask_requests_port(c, s);
		put_number(&j, "port", port, port != 0);
		mer_json_kv_text(&j, "service", ask_service_name(port));
		mer_json_kv_uint(&j, "count", s->count);
		mer_json_kv_uint(&j, "timed", s->n_timed);
		if (rate.set)
			mer_json_kv_double(&j, "rate", rate.v.f);
		else
			mer_json_kv_null(&j, "rate");
		put_number(&j, "p50_ns", s->p50_ns, timed);
		put_number(&j, "p90_ns", s->p90_ns, timed);
		put_number(&j, "p99_ns", s->p99_ns, timed);
		put_number(&j, "p999_ns", s->p999_ns, timed);
		put_number(&j, "max_ns", s->max_ns, timed);
		put_number(&j, "mean_ns", s->mean_ns, timed);
		mer_json_kv_uint(&j, "bytes_out", s->bytes_out);
		mer_json_kv_uint(&j, "bytes_in", s->bytes_in);
		mer_json_kv_uint(&j, "most_parallel", s->most_parallel);
		mer_json_kv_uint(&j, "windows", s->n_windows);
		mer_json_kv_uint(&j, "lost_events", s->n_damaged);
		ask_requests_put_sums(&j, s->parts_ns);
		ask_requests_states_json(states, s->kind, &j);
		mer_json_end_object(&j);
	}
	mer_json_end_array(&j);
	put_unmatched(c, &j);
	ask_json_synced(&j, c->ask);
	ask_json_diagnostics(&j, c->w->e);
	mer_json_end_object(&j);
	return mer_json_finish(&j, &c->ask->err);
}
