#include "requests/kinds.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/process_of.h"
#include "base/map.h"
#include "base/sort.h"
#include "base/str.h"

uint16_t requests_port(const struct requests *r, const struct requests_end *e)
{
	char text[KERNEL_ENDPOINT_BYTES];
	uint16_t port = 0;
	return requests_endpoint_text(&r->connections, e->endpoint, text, &port) ? port : 0;
}

void requests_address(
	const struct requests *r, const struct requests_end *e, char text[KERNEL_ENDPOINT_BYTES])
{
	uint16_t port;
	if (!requests_endpoint_text(&r->connections, e->endpoint, text, &port))
		text[0] = '\0';
}

const char *requests_program(const struct requests_kinds *k, uint32_t host, uint32_t task)
{
	const struct kernel_host *h = &k->r->w->hosts[host];
	if (task == KERNEL_NONE)
		return "";
	return kernel_comm(h, k->process_of[host][task]);
}

/* The name of what the peer of a recorded end was called by connect or accept. */
static const char *peer_name(const struct requests *r, const struct requests_end *known)
{
	const struct requests_socket *s = &r->log->hosts[known->host].sockets[known->socket];
	return kernel_name_text(&r->w->hosts[known->host], s->object);
}

/* "web shopapp", or "client load2 -> web shopapp": where it began and ended. */
static void put_own_name(const struct requests_kinds *k, uint32_t exchange, struct mer_str *out)
{
	const struct requests_exchange *x = &k->r->exchanges[exchange];
	const struct requests_end *ends = k->r->connections.item[x->connection].ends;
	const struct mer_experiment *e = k->r->w->e;
	const uint32_t tasks[REQUESTS_N_SIDES] = { x->client_task, x->server_task };
	const char *programs[REQUESTS_N_SIDES];
	for (int i = 0; i < REQUESTS_N_SIDES; i++) {
		programs[i] = requests_program(k, ends[i].host, tasks[i]);
		if (!*programs[i])
			programs[i] = "?";
	}
	bool moves = ends[REQUESTS_CLIENT].host != ends[REQUESTS_SERVER].host ||
		     strcmp(programs[REQUESTS_CLIENT], programs[REQUESTS_SERVER]) != 0;
	for (int i = !moves; i < REQUESTS_N_SIDES; i++)
		mer_str_printf(out, "%s%s%s%s", i && moves ? " -> " : "",
			e ? e->hosts[ends[i].host].name : "", e ? " " : "", programs[i]);
}

static void put_name(const struct requests_kinds *k, uint32_t exchange, struct mer_str *out)
{
	const struct requests *r = k->r;
	const struct requests_exchange *x = &r->exchanges[exchange];
	const struct requests_connection *c = &r->connections.item[x->connection];
	const struct requests_end *client = &c->ends[REQUESTS_CLIENT],
				  *server = &c->ends[REQUESTS_SERVER];
	uint16_t port = requests_port(r, server);
	if (requests_is_own(r, exchange)) {
		put_own_name(k, exchange, out);
		return;
	}
	const char *requester = client->socket == KERNEL_NONE
					? "outside"
					: requests_program(k, client->host, x->client_task);
	mer_str_puts(out, *requester ? requester : "?");
	mer_str_puts(out, " -> ");
	if (server->socket == KERNEL_NONE) {
		char text[KERNEL_ENDPOINT_BYTES];
		requests_address(r, server, text);
		mer_str_puts(out, *text ? text : peer_name(r, client));
		return;
	}
	mer_str_puts(out, r->w->e ? r->w->e->hosts[server->host].name : "");
	if (port)
		mer_str_printf(out, ":%u", (unsigned)port);
	mer_str_puts(out, c->is_unix ? " unix" : c->is_pipes ? " pipe" : "");
	uint32_t by = x->server_task == KERNEL_NONE ? x->reader : x->server_task;
	const char *program = requests_program(k, server->host, by);
	if (*program)
		mer_str_printf(out, " %s", program);
}

/* Of the same tasks on the same connection they have one name. */
static uint64_t name_key(const struct requests *r, uint32_t exchange)
{
	const struct requests_exchange *x = &r->exchanges[exchange];
	const uint32_t key[] = { x->connection, x->client_task, x->server_task, x->reader,
		requests_is_own(r, exchange) };
	return mer_hash(key, sizeof(key));
}

int requests_kinds_find(const struct requests *r, struct requests_kinds *k, struct mer_err *err)
{
	struct mer_str name = { 0 };
	struct mer_map named = { 0 }; /* name_key -> kind, plus 1 */
	*k = (struct requests_kinds){ .r = r };
	mer_arena_init(&k->arena);
	mer_intern_init(&k->names, &k->arena);
	k->of = mer_spill_array(r->w->spill, (size_t)r->n + 1, sizeof(*k->of));
	k->process_of =
		mer_arena_zalloc(&k->arena, (size_t)r->w->n_hosts + 1, sizeof(*k->process_of));
	bool ok = k->of && k->process_of;
	for (uint32_t h = 0; ok && h < r->w->n_hosts; h++) {
		k->process_of[h] = analysis_process_of(&r->w->hosts[h], &k->arena);
		ok = k->process_of[h] || r->w->hosts[h].n_tasks == 0;
	}
	for (uint32_t i = 0; ok && i < r->n; i++) {
		uint32_t *known = mer_map_put(&named, name_key(r, i));
		ok = known != NULL;
		if (ok && !*known) {
			mer_str_clear(&name);
			put_name(k, i, &name);
			uint32_t kind =
				mer_intern_add(&k->names, name.data ? name.data : "", name.len);
			ok = !name.failed && kind != MER_INTERN_NONE;
			*known = kind + 1;
		}
		if (ok)
			k->of[i] = *known - 1;
	}
	mer_map_fini(&named);
	mer_str_fini(&name);
	return ok ? 0 : mer_fail_nomem(err);
}

void requests_kinds_fini(struct requests_kinds *k)
{
	mer_spill_release(k->of);
	mer_intern_fini(&k->names);
	mer_arena_fini(&k->arena);
}

/* ---- sums ---- */

/* The least of them that at least this share of all does not exceed. */
static int64_t percentile(const int64_t *sorted, size_t n, unsigned per_mille)
{
	size_t rank = (n * per_mille + 999) / 1000;
	return n ? sorted[rank ? rank - 1 : 0] : -1;
}

static void put_latencies(struct requests_sums *s, int64_t *sorted, size_t n)
{
	__int128 sum = 0;
	qsort(sorted, n, sizeof(*sorted), mer_compare_int64);
	for (size_t i = 0; i < n; i++)
		sum += sorted[i];
	s->p50_ns = percentile(sorted, n, 500);
	s->p90_ns = percentile(sorted, n, 900);
	s->p99_ns = percentile(sorted, n, 990);
	s->p999_ns = percentile(sorted, n, 999);
	s->max_ns = n ? sorted[n - 1] : -1;
	s->mean_ns = n ? (int64_t)(sum / (__int128)n) : -1;
}

/* Ends and begins in the order of time: an end before a begin at the same moment. */
static uint32_t most_parallel(int64_t *begins, int64_t *ends, size_t n)
{
	uint32_t now = 0, most = 0;
	qsort(begins, n, sizeof(*begins), mer_compare_int64);
	qsort(ends, n, sizeof(*ends), mer_compare_int64);
	for (size_t i = 0, k = 0; i < n; i++) {
		now++;
		while (k < n && ends[k] <= begins[i]) {
			k++;
			now--;
		}
		most = now > most ? now : most;
	}
	return most;
}

static int64_t weight(const struct requests_sums *s)
{
	return s->mean_ns < 0 ? 0 : s->mean_ns * (int64_t)s->n_timed;
}

static int by_weight(const void *a, const void *b)
{
	const struct requests_sums *p = a, *q = b;
	if (weight(p) != weight(q))
		return weight(p) > weight(q) ? -1 : 1;
	return (p->kind > q->kind) - (p->kind < q->kind);
}

int requests_sum(const struct requests_kinds *k, const uint32_t *which, uint32_t n,
	struct requests_sums **rows, uint32_t *n_rows, struct mer_err *err)
{
	const struct requests *r = k->r;
	uint32_t n_kinds = k->names.n;
	struct requests_sums *s = calloc((size_t)n_kinds + 1, sizeof(*s));
	uint32_t *starts = calloc((size_t)n_kinds + 2, sizeof(*starts));
	int64_t *values = malloc(((size_t)n + 1) * 3 * sizeof(*values));
	uint32_t *order = malloc(((size_t)n + 1) * sizeof(*order));
	*rows = s;
	*n_rows = 0;
	bool ok = s && starts && values && order;
	for (uint32_t i = 0; ok && i < n; i++)
		starts[k->of[which[i]] + 2]++;
	for (uint32_t i = 1; ok && i < n_kinds + 2; i++)
		starts[i] += starts[i - 1];
	for (uint32_t i = 0; ok && i < n; i++)
		order[starts[k->of[which[i]] + 1]++] = which[i];
	for (uint32_t kind = 0; ok && kind < n_kinds; kind++) {
		struct requests_sums *x = &s[*n_rows];
		size_t m = starts[kind + 1] - starts[kind], n_timed = 0;
		int64_t *begins = values, *ends = values + m, *latencies = values + 2 * m;
		if (!m)
			continue;
		*x = (struct requests_sums){ .kind = kind, .first = order[starts[kind]] };
		for (size_t i = 0; i < m; i++) {
			const struct requests_exchange *e = &r->exchanges[order[starts[kind] + i]];
			x->count++;
			x->bytes_out += e->bytes_out;
			x->bytes_in += e->bytes_in;
			x->n_windows += e->n_messages > 1;
			x->n_damaged += e->n_messages == 1 && e->is_damaged;
			begins[i] = e->begin;
			ends[i] = e->end;
			if (requests_has_latency(e))
				latencies[n_timed++] = e->end - e->begin;
		}
		x->most_parallel = most_parallel(begins, ends, m);
		x->n_timed = (uint32_t)n_timed;
		put_latencies(x, latencies, n_timed);
		++*n_rows;
	}
	free(starts);
	free(values);
	free(order);
	if (ok && *n_rows)
		qsort(s, *n_rows, sizeof(*s), by_weight);
	if (!ok) {
		free(s);
		*rows = NULL;
	}
	return ok ? 0 : mer_fail_nomem(err);
}

/* ---- jobs that change threads ---- */

enum { HANDED_ON = 1, TOOK_OVER = 2 };

static bool has_moved(const struct requests_exchange *x)
{
	return x->reader != KERNEL_NONE && x->server_task != KERNEL_NONE &&
	       x->reader != x->server_task;
}

static uint64_t worker_key(const struct requests *r, uint32_t exchange, uint32_t task)
{
	uint64_t host = requests_connection_of(r, exchange)->ends[REQUESTS_SERVER].host;
	return host << 32 | task;
}

bool requests_change_threads(const struct requests_kinds *k, uint32_t kind)
{
	const struct requests *r = k->r;
	struct mer_map roles = { 0 };
	uint32_t n = 0, n_both = 0;
	bool ok = true;
	for (uint32_t i = 0; ok && i < r->n; i++) {
		const struct requests_exchange *x = &r->exchanges[i];
		if (k->of[i] != kind || !has_moved(x))
			continue;
		uint32_t *from = mer_map_put(&roles, worker_key(r, i, x->reader));
		if (from)
			*from |= HANDED_ON;
		uint32_t *to = from ? mer_map_put(&roles, worker_key(r, i, x->server_task)) : NULL;
		if (to)
			*to |= TOOK_OVER;
		ok = to;
	}
	for (uint32_t i = 0; ok && i < r->n; i++) {
		const struct requests_exchange *x = &r->exchanges[i];
		if (k->of[i] != kind)
			continue;
		n++;
		n_both += has_moved(x) &&
			  *mer_map_get(&roles, worker_key(r, i, x->reader)) ==
				  (HANDED_ON | TOOK_OVER) &&
			  *mer_map_get(&roles, worker_key(r, i, x->server_task)) ==
				  (HANDED_ON | TOOK_OVER);
	}
	mer_map_fini(&roles);
	return ok && n_both > n / 10;
}
