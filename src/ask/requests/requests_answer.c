/* Kinds of requests, and each of them, as tables. */
#include "ask/requests/requests_answer.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "ask/requests/request_names.h"
#include "ask/requests/service_name.h"
#include "ask/tables.h"

/* ---- of one request ---- */

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

struct mer_cell ask_requests_who(struct mer_arena *arena, const struct ask_requests_party *p)
{
	if (!p->host)
		return mer_text("outside");
	if (p->tid < 0)
		return mer_text(p->host);
	return mer_text(mer_arena_printf(
		arena, "%s:%s/%" PRId32, p->host, p->comm ? p->comm : "?", p->tid));
}

double ask_requests_confidence(const struct requests_exchange *x)
{
	enum { DIGITS = 1000000 };
	return round((double)x->confidence * DIGITS) / DIGITS;
}

static struct mer_cell known(int64_t v, bool is_known)
{
	return is_known ? MER_INT(v) : MER_NONE;
}

static struct mer_cell id_of(const struct ask_requests *c, struct mer_table *t, uint32_t plus_1)
{
	char text[REQUESTS_ID_BYTES];
	if (!plus_1)
		return MER_NONE;
	requests_id_text(c->r, plus_1 - 1, text);
	return mer_text(mer_arena_strdup(t->arena, text));
}

/* ---- kinds ---- */

/* Those without a title, the parts of the mean time, are drawn. */
const struct mer_column ask_requests_kind_columns[ASK_N_KIND + 1] = {
	[ASK_KIND] = { "kind", "Kind", MER_TEXT },
	[ASK_KIND_PORT] = { "port", "Port", MER_ID },
	[ASK_KIND_SERVICE] = { "service", "Service", MER_TEXT },
	[ASK_KIND_COUNT] = { "count", "Count", MER_COUNT },
	[ASK_KIND_RATE] = { "rate", "Per second", MER_REAL },
	[ASK_KIND_P50] = { "p50_ns", "p50", MER_DURATION },
	[ASK_KIND_P90] = { "p90_ns", "p90", MER_DURATION },
	[ASK_KIND_P99] = { "p99_ns", "p99", MER_DURATION },
	[ASK_KIND_P999] = { "p999_ns", "p99.9", MER_DURATION },
	[ASK_KIND_MAX] = { "max_ns", "Max", MER_DURATION },
	[ASK_KIND_MEAN] = { "mean_ns", "Mean", MER_DURATION },
	[ASK_KIND_OUT] = { "out_bytes", "Bytes out", MER_BYTES },
	[ASK_KIND_IN] = { "in_bytes", "Bytes in", MER_BYTES },
	[ASK_KIND_PARALLEL] = { "most_parallel", "Parallel", MER_COUNT },
	[ASK_KIND_WINDOWS] = { "windows", "Windows", MER_COUNT },
	[ASK_KIND_LOST] = { "lost_events", "Events lost", MER_COUNT },
	[ASK_KIND_SHARES] = { "requester_ns", NULL, MER_DURATION },
	{ "network_ns", NULL, MER_DURATION },
	{ "outside_ns", NULL, MER_DURATION },
	{ "queued_ns", NULL, MER_DURATION },
	{ "running_ns", NULL, MER_DURATION },
	{ "runnable_ns", NULL, MER_DURATION },
	{ "disk_ns", NULL, MER_DURATION },
	{ "locks_ns", NULL, MER_DURATION },
	{ "other_ns", NULL, MER_DURATION },
	{ "below_ns", NULL, MER_DURATION },
	[ASK_KIND_TIMED] = { "timed", "Timed", MER_COUNT },
};

void ask_requests_add_kinds(const struct ask_requests *c, const struct requests_sums *rows,
	uint32_t n, int64_t window_ns, struct mer_table *t)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct requests_sums *s = &rows[i];
		uint16_t port = ask_requests_port(c, s);
		const char *service = ask_service_name(port);
		bool timed = s->max_ns >= 0;
		struct mer_cell cells[ASK_N_KIND] = {
			[ASK_KIND] = mer_text(mer_intern_text(&c->kinds->names, s->kind)),
			[ASK_KIND_PORT] = known(port, port != 0),
			[ASK_KIND_SERVICE] =
				mer_text(service ? mer_arena_strdup(t->arena, service) : NULL),
			[ASK_KIND_COUNT] = MER_INT(s->count),
			[ASK_KIND_RATE] = requests_rate(s, window_ns),
			[ASK_KIND_P50] = known(s->p50_ns, timed),
			[ASK_KIND_P90] = known(s->p90_ns, timed),
			[ASK_KIND_P99] = known(s->p99_ns, timed),
			[ASK_KIND_P999] = known(s->p999_ns, timed),
			[ASK_KIND_MAX] = known(s->max_ns, timed),
			[ASK_KIND_MEAN] = known(s->mean_ns, timed),
			[ASK_KIND_OUT] = MER_INT(s->bytes_out),
			[ASK_KIND_IN] = MER_INT(s->bytes_in),
			[ASK_KIND_PARALLEL] = MER_INT(s->most_parallel),
			[ASK_KIND_WINDOWS] = MER_INT(s->n_windows),
			[ASK_KIND_LOST] = MER_INT(s->n_damaged),
			[ASK_KIND_TIMED] = MER_INT(s->n_timed),
		};
		for (unsigned k = 0; k < REQUESTS_N_PARTS; k++)
			cells[ASK_KIND_SHARES + k] = known(s->parts_ns[k], timed);
		mer_table_add(t, cells);
	}
}

static void add_states(const struct ask_requests *c, const struct requests_state_sums *s,
	const struct requests_sums *rows, uint32_t n, struct answer *a)
{
	enum { KIND, COMM, STATE, TIME, PARTS, N = PARTS + REQUESTS_N_PARTS };
	struct mer_column *columns = mer_arena_zalloc(&a->arena, N + 1, sizeof(*columns));
	if (!columns)
		return; /* answer_check finds it */
	columns[KIND] = (struct mer_column){ "kind", "kind", MER_TEXT };
	columns[COMM] = (struct mer_column){ "comm", "program", MER_TEXT };
	columns[STATE] = (struct mer_column){ "user_state", "state", MER_TEXT };
	columns[TIME] = (struct mer_column){ "ns", "time", MER_DURATION };
	memcpy(&columns[PARTS], &ask_requests_kind_columns[ASK_KIND_SHARES],
		REQUESTS_N_PARTS * sizeof(*columns));
	struct mer_table *t = answer_add_beside(a, "states", "States of programs", columns);
	for (uint32_t i = 0; i < n; i++) {
		size_t n_states, first = ask_requests_states_of(s, rows[i].kind, &n_states);
		for (size_t k = first; k < first + n_states; k++) {
			const struct requests_state_row *r = &s->rows[k];
			struct mer_cell row[N] = {
				[KIND] = mer_text(mer_intern_text(&c->kinds->names, r->kind)),
				[COMM] = mer_text(mer_intern_text(&s->names, r->program)),
				[STATE] = mer_text(mer_intern_text(&s->names, r->state)),
				[TIME] = MER_INT(r->ns),
			};
			for (unsigned m = 0; m < REQUESTS_N_PARTS; m++)
				row[PARTS + m] = MER_INT(r->parts_ns[m]);
			mer_table_add(t, row);
		}
	}
}

/* Events of a rule that fit nothing. */
static void add_unmatched(const struct ask_requests *c, struct answer *a)
{
	enum { UNENDED, UNBEGUN, AGAIN, KEYLESS, N };
	static const struct mer_column columns[N + 1] = {
		[UNENDED] = { "unended", "without end", MER_COUNT },
		[UNBEGUN] = { "unbegun", "without begin", MER_COUNT },
		[AGAIN] = { "begun_again", "begun again", MER_COUNT },
		[KEYLESS] = { "without_key", "without key", MER_COUNT },
	};
	if (!c->own)
		return;
	mer_table_add(
		answer_add_beside(a, "unmatched", "Events of the rule that fit nothing", columns),
		(struct mer_cell[N]){ [UNENDED] = MER_INT(c->own->n_unended),
			[UNBEGUN] = MER_INT(c->own->n_unbegun),
			[AGAIN] = MER_INT(c->own->n_again),
			[KEYLESS] = MER_INT(c->own->n_keyless) });
}

void ask_requests_answer_kinds(const struct ask_requests *c, const struct requests_sums *rows,
	uint32_t n, int64_t window_ns, const struct requests_state_sums *states, struct answer *a)
{
	struct mer_table *t = answer_add(a, "kinds", "Requests by kind", ask_requests_kind_columns);
	ask_requests_add_kinds(c, rows, n, window_ns, t);
	if (states)
		add_states(c, states, rows, n, a);
	add_unmatched(c, a);
}

/* ---- each ---- */

static const struct mer_column each_columns[ASK_N_EACH + 1] = {
	[ASK_EACH_ID] = { "id", "Request", MER_TEXT },
	[ASK_EACH_BEGIN] = { "begin", "Begin", MER_TIME },
	[ASK_EACH_END] = { "end", NULL, MER_TIME },
	[ASK_EACH_LATENCY] = { "latency_ns", "Latency", MER_DURATION },
	[ASK_EACH_KIND] = { "kind", NULL, MER_TEXT },
	[ASK_EACH_CLIENT_HOST] = { "client_host", NULL, MER_TEXT },
	[ASK_EACH_CLIENT_TID] = { "client_tid", NULL, MER_ID },
	[ASK_EACH_CLIENT_COMM] = { "client_comm", NULL, MER_TEXT },
	[ASK_EACH_CLIENT_PORT] = { "client_port", NULL, MER_ID },
	[ASK_EACH_SERVER_HOST] = { "server_host", NULL, MER_TEXT },
	[ASK_EACH_SERVER_TID] = { "server_tid", NULL, MER_ID },
	[ASK_EACH_SERVER_COMM] = { "server_comm", NULL, MER_TEXT },
	[ASK_EACH_SERVER_PORT] = { "server_port", NULL, MER_ID },
	[ASK_EACH_CLIENT] = { "client", "From", MER_TEXT },
	[ASK_EACH_SERVER] = { "server", "To", MER_TEXT },
	[ASK_EACH_PARENT] = { "parent", NULL, MER_TEXT },
	[ASK_EACH_CONFIDENCE] = { "confidence", NULL, MER_REAL },
	[ASK_EACH_OUT] = { "out_bytes", NULL, MER_BYTES },
	[ASK_EACH_IN] = { "in_bytes", NULL, MER_BYTES },
	[ASK_EACH_MESSAGES] = { "messages", NULL, MER_COUNT },
	[ASK_EACH_MOST] = { "most", "Mostly", MER_TEXT },
	[ASK_EACH_NAME] = { "name", "Name", MER_TEXT },
	[ASK_EACH_STATUS] = { "status", "Status", MER_TEXT },
	[ASK_EACH_TRACE] = { "trace_id", NULL, MER_TEXT },
};

void ask_requests_each_columns(
	const struct ask_requests *c, struct mer_column columns[ASK_N_EACH + 1])
{
	memcpy(columns, each_columns, sizeof(each_columns));
	if (!c->names)
		columns[ASK_EACH_NAME] = (struct mer_column){ 0 };
}

/* The cause and host that took most, with the share that the path of the request has (causes as
 * those of parts). */
bool ask_requests_most(const struct ask_requests *c, uint32_t number,
	const struct requests_parts *parts, struct ask_requests_most *m)
{
	/* What other servers did meanwhile is no cause of a path. */
	enum { QUEUED = PATH_N_CAUSES, OUTSIDE, N };
	const struct requests_exchange *e = &c->r->exchanges[number];
	int64_t sums[N] = { 0 }, greatest[N] = { 0 };
	const struct requests_part *example[N] = { 0 };
	unsigned best = 0;
	for (size_t i = 0; i < parts->n; i++) {
		const struct requests_part *x = &parts->item[i];
		unsigned cause = x->kind == REQUESTS_QUEUED    ? QUEUED
				 : x->kind == REQUESTS_OUTSIDE ? OUTSIDE
							       : x->cause;
		int64_t ns = x->end - x->begin;
		sums[cause] += ns;
		if (ns > greatest[cause]) {
			greatest[cause] = ns;
			example[cause] = x;
		}
	}
	for (unsigned k = 1; k < N; k++)
		best = sums[k] > sums[best] ? k : best;
	if (e->end <= e->begin || !sums[best])
		return false;
	*m = (struct ask_requests_most){ ask_requests_part_name(example[best]),
		c->w->e->hosts[example[best]->host].name,
		100.0 * (double)sums[best] / (double)(e->end - e->begin) };
	return true;
}

void ask_requests_add_each(const struct ask_requests *c, uint32_t number,
	const struct requests_parts *parts, struct mer_table *t)
{
	const struct requests_exchange *x = &c->r->exchanges[number];
	struct ask_requests_party client, server;
	struct ask_requests_most most;
	ask_requests_party(c, number, REQUESTS_CLIENT, &client);
	ask_requests_party(c, number, REQUESTS_SERVER, &server);
	struct mer_cell row[ASK_N_EACH] = {
		[ASK_EACH_ID] = id_of(c, t, number + 1),
		[ASK_EACH_BEGIN] = MER_INT(x->begin),
		[ASK_EACH_END] = MER_INT(x->end),
		[ASK_EACH_LATENCY] = MER_INT(x->end - x->begin),
		[ASK_EACH_KIND] = mer_text(requests_kind_name(c->kinds, number)),
		[ASK_EACH_CLIENT_HOST] = mer_text(client.host),
		[ASK_EACH_CLIENT_TID] = known(client.tid, client.tid >= 0),
		[ASK_EACH_CLIENT_COMM] = mer_text(client.comm),
		[ASK_EACH_CLIENT_PORT] = known(client.port, client.port != 0),
		[ASK_EACH_SERVER_HOST] = mer_text(server.host),
		[ASK_EACH_SERVER_TID] = known(server.tid, server.tid >= 0),
		[ASK_EACH_SERVER_COMM] = mer_text(server.comm),
		[ASK_EACH_SERVER_PORT] = known(server.port, server.port != 0),
		[ASK_EACH_CLIENT] = ask_requests_who(t->arena, &client),
		[ASK_EACH_SERVER] = ask_requests_who(t->arena, &server),
		[ASK_EACH_PARENT] = id_of(c, t, x->parent),
		[ASK_EACH_CONFIDENCE] =
			x->parent ? MER_REAL_CELL(ask_requests_confidence(x)) : MER_NONE,
		[ASK_EACH_OUT] = MER_INT(x->bytes_out),
		[ASK_EACH_IN] = MER_INT(x->bytes_in),
		[ASK_EACH_MESSAGES] = MER_INT(x->n_messages),
	};
	if (ask_requests_most(c, number, parts, &most))
		row[ASK_EACH_MOST] = mer_text(mer_arena_printf(
			t->arena, "%s %.0f %% (%s)", most.cause, most.percent, most.host));
	if (c->names) {
		row[ASK_EACH_NAME] = mer_text(ask_names_text(c->names, number, ASK_GROUP_NAME));
		row[ASK_EACH_STATUS] = mer_text(ask_names_text(c->names, number, ASK_GROUP_STATUS));
		row[ASK_EACH_TRACE] =
			mer_text(names_text(&c->names->lines, names_trace_of(c->names, number)));
	}
	mer_table_add(t, row);
}

/* ---- tables that come as they are written ---- */

enum { AT_ONCE = 1024 }; /* rows, or a few more */

static int more_requests(void *ctx, struct mer_table *t, struct mer_err *err)
{
	struct ask_requests_listing *x = ctx;
	const struct ask_requests *c = x->c;
	int rc = 0;
	for (; rc == 0 && x->at < c->n && t->n_rows < AT_ONCE; x->at++) {
		rc = requests_parts_find(c->parts, c->which[x->at], &x->parts, err);
		if (rc == 0)
			ask_requests_add_each(c, c->which[x->at], &x->parts, t);
	}
	return rc;
}

/* Found again, and not kept: that takes a tenth of the time of writing them, and there are many. */
enum {
	PART_ID,
	PART_NTH,
	PART_HOST,
	PART_TID,
	PART_COMM,
	PART_CAUSE,
	PART_OF,
	PART_MEANWHILE,
	PART_HAD,
	PART_NS,
	PART_REQUEST,
	PART_STATE, /* of a view, if there is one */
	N_PART
};
_Static_assert((int)N_PART == ASK_N_PART, "room for all");

static const struct mer_column part_columns[N_PART + 1] = {
	[PART_ID] = { "id", "request", MER_TEXT },
	[PART_NTH] = { "nth", NULL, MER_ID },
	[PART_HOST] = { "host", "host", MER_TEXT },
	[PART_TID] = { "tid", "tid", MER_ID },
	[PART_COMM] = { "comm", "name", MER_TEXT },
	[PART_CAUSE] = { "cause", "cause", MER_TEXT },
	[PART_OF] = { "of", "served instead", MER_TEXT },
	[PART_MEANWHILE] = { "meanwhile", NULL, MER_TEXT },
	[PART_HAD] = { "had", NULL, MER_TEXT },
	[PART_NS] = { "ns", "time", MER_DURATION },
	[PART_REQUEST] = { "request", "part of", MER_TEXT },
	[PART_STATE] = { "user_state", "state", MER_TEXT },
};

/* id: of the request, number. */
static void add_part(const struct ask_requests *c, uint32_t number, struct mer_cell id, size_t nth,
	const struct requests_part *x, struct mer_table *t)
{
	const struct kernel_host *h = &c->r->w->hosts[x->host];
	struct mer_cell row[N_PART] = {
		[PART_ID] = id,
		[PART_NTH] = MER_INT(nth),
		[PART_HOST] = mer_text(c->w->e->hosts[x->host].name),
		[PART_STATE] = mer_text(requests_part_state(c->r, x)),
		[PART_CAUSE] = mer_text(ask_requests_part_name(x)),
		[PART_OF] = id_of(c, t, x->of),
		[PART_HAD] = id_of(c, t, x->had),
		[PART_NS] = MER_INT(x->end - x->begin),
		[PART_REQUEST] = x->exchange == number ? id : id_of(c, t, x->exchange + 1),
	};
	if (x->task != KERNEL_NONE) {
		const char *comm = kernel_comm(h, x->task);
		row[PART_TID] = MER_INT(h->tasks[x->task].tid);
		row[PART_COMM] = mer_text(*comm ? comm : NULL);
	}
	/* What that one did then; or waited for its request that had the connection. */
	if (x->kind == REQUESTS_QUEUED)
		row[PART_MEANWHILE] = mer_text(
			x->had ? "connection" : path_cause_name((enum path_cause)x->cause));
	mer_table_add(t, row);
}

static int more_parts(void *ctx, struct mer_table *t, struct mer_err *err)
{
	struct ask_requests_listing *x = ctx;
	const struct ask_requests *c = x->c;
	int rc = 0;
	for (; rc == 0 && x->parts_at < c->n && t->n_rows < AT_ONCE; x->parts_at++) {
		uint32_t number = c->which[x->parts_at];
		struct mer_cell id = id_of(c, t, number + 1);
		rc = requests_parts_find(c->parts, number, &x->parts, err);
		for (size_t i = 0; rc == 0 && i < x->parts.n; i++)
			add_part(c, number, id, i + 1, &x->parts.item[i], t);
	}
	return rc;
}

enum {
	END_ID,
	END_CLIENT_PID,
	END_CLIENT_ADDRESS,
	END_SERVER_PID,
	END_SERVER_ADDRESS,
	END_READ,
	END_ANSWERED,
	END_LOST,
	N_END
};

static const struct mer_column end_columns[N_END + 1] = {
	[END_ID] = { "id", "request", MER_TEXT },
	[END_CLIENT_PID] = { "client_pid", NULL, MER_ID },
	[END_CLIENT_ADDRESS] = { "client_address", "from", MER_TEXT },
	[END_SERVER_PID] = { "server_pid", NULL, MER_ID },
	[END_SERVER_ADDRESS] = { "server_address", "to", MER_TEXT },
	[END_READ] = { "read", "read", MER_TIME },
	[END_ANSWERED] = { "answered", "answered", MER_TIME },
	[END_LOST] = { "lost_events", NULL, MER_ID },
};

static struct mer_cell address_of(struct mer_table *t, const struct ask_requests_party *p)
{
	return *p->address ? mer_text(mer_arena_strdup(t->arena, p->address)) : MER_NONE;
}

static int more_ends(void *ctx, struct mer_table *t, struct mer_err *err)
{
	struct ask_requests_listing *x = ctx;
	const struct ask_requests *c = x->c;
	(void)err;
	for (; x->ends_at < c->n && t->n_rows < AT_ONCE; x->ends_at++) {
		uint32_t number = c->which[x->ends_at];
		const struct requests_exchange *e = &c->r->exchanges[number];
		struct ask_requests_party client, server;
		ask_requests_party(c, number, REQUESTS_CLIENT, &client);
		ask_requests_party(c, number, REQUESTS_SERVER, &server);
		mer_table_add(t, (struct mer_cell[N_END]){
					 [END_ID] = id_of(c, t, number + 1),
					 [END_CLIENT_PID] = known(client.pid, client.pid >= 0),
					 [END_CLIENT_ADDRESS] = address_of(t, &client),
					 [END_SERVER_PID] = known(server.pid, server.pid >= 0),
					 [END_SERVER_ADDRESS] = address_of(t, &server),
					 [END_READ] = mer_int_unless(e->read, REQUESTS_NO_TIME),
					 [END_ANSWERED] = mer_int_unless(e->done, REQUESTS_NO_TIME),
					 [END_LOST] = MER_INT(e->is_damaged),
				 });
	}
	return 0;
}

void ask_requests_answer_list(const struct ask_requests *c, bool has_states,
	struct ask_requests_listing *x, struct answer *a)
{
	*x = (struct ask_requests_listing){ .c = c };
	memcpy(x->part_columns, part_columns, sizeof(part_columns));
	if (!has_states)
		x->part_columns[PART_STATE] = (struct mer_column){ 0 };
	ask_requests_each_columns(c, x->columns);
	answer_stream(a, "requests", "Requests", x->columns, more_requests, x);
	answer_stream_beside(a, "parts", "Parts of requests", x->part_columns, more_parts, x);
	answer_stream_beside(a, "ends", "Ends of requests", end_columns, more_ends, x);
	add_unmatched(c, a);
}

void ask_requests_listing_fini(struct ask_requests_listing *x)
{
	requests_parts_fini(&x->parts);
}

/* ---- before anybody asks ---- */

void ask_requests_tables(struct answer *a, bool views)
{
	const struct requests_state_sums none = { 0 };
	ask_requests_answer_kinds(&(struct ask_requests){ 0 }, NULL, 0, 0, views ? &none : NULL, a);
}

void ask_requests_list_tables(struct answer *a, bool views)
{
	static const struct ask_requests none;
	struct ask_requests_listing *x = mer_arena_zalloc(&a->arena, 1, sizeof(*x));
	if (x)
		ask_requests_answer_list(&none, views, x, a);
}
