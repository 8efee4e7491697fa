#include "requests/facts.h"

#include "requests/kinds.h"

static const enum requests_side sides[REQUEST_N_SIDES] = {
	[REQUEST_SERVER] = REQUESTS_SERVER, [REQUEST_CLIENT] = REQUESTS_CLIENT
};

static uint32_t place_of(const struct requests *r, uint32_t exchange)
{
	return exchange - requests_connection_of(r, exchange)->first + 1;
}

/* What is the same at both ends. */
static struct request_fact fact_of(const struct requests *r, uint32_t exchange)
{
	const struct requests_exchange *x = &r->exchanges[exchange];
	const struct requests_end *ends = requests_connection_of(r, exchange)->ends;
	uint32_t parent = requests_found_parent(r, exchange);
	struct request_fact f = {
		.fact = { .begin = x->begin, .end = x->end, .cpu = KERNEL_NO_CPU },
		.latency = requests_has_latency(x) ? x->end - x->begin : FACT_UNKNOWN,
		.sent = x->bytes_out,
		.received = x->bytes_in,
		.tasks = { [REQUEST_CLIENT] = x->client_task,
			[REQUEST_SERVER] =
				x->server_task == KERNEL_NONE ? x->reader : x->server_task },
		.messages = x->n_messages,
		.connection = x->connection + 1,
		.place = place_of(r, exchange),
		.port = requests_port(r, &ends[REQUESTS_SERVER]),
	};
	if (parent) {
		f.parent_connection = r->exchanges[parent - 1].connection + 1;
		f.parent_place = place_of(r, parent - 1);
	}
	for (unsigned side = 0; side < REQUEST_N_SIDES; side++) {
		bool is_there = ends[sides[side]].socket != KERNEL_NONE;
		f.hosts[side] = is_there ? ends[sides[side]].host : KERNEL_NONE;
		f.tasks[side] = is_there ? f.tasks[side] : KERNEL_NONE;
	}
	return f;
}

/* At this end: names are those of its host. */
static int add(const struct requests_kinds *k, uint32_t exchange, struct kernel_host *hosts,
	struct fact_host *to, struct request_fact *f)
{
	const struct requests *r = k->r;
	struct kernel_host *h = &hosts[to->host];
	uint32_t parent = requests_found_parent(r, exchange);
	bool ok = fact_name(h, requests_kind_name(k, exchange), &f->kind) &&
		  fact_name(h, parent ? requests_kind_name(k, parent - 1) : "", &f->parent_kind);
	for (unsigned side = 0; side < REQUEST_N_SIDES; side++) {
		uint32_t host = f->hosts[side], task = f->tasks[side];
		ok &= fact_comm(h, hosts, host, task, &f->names[side]);
	}
	return ok ? fact_add(to, h, 0, f) : mer_fail_nomem(to->err);
}

/* At one of its ends. */
static bool is_needed(const struct requests *r, uint32_t exchange, struct fact_host *const *by_host)
{
	const struct requests_exchange *x = &r->exchanges[exchange];
	bool is = false;
	for (int side = 0; side < REQUESTS_N_SIDES; side++) {
		const struct requests_end *e = &requests_connection_of(r, exchange)->ends[side];
		const struct fact_host *to = by_host[e->host];
		is |= e->socket != KERNEL_NONE && to && fact_is_needed(to, x->begin, x->end);
	}
	return is;
}

int requests_make_facts(const struct requests *r, struct kernel_host *hosts,
	struct fact_host *const *by_host, struct mer_err *err)
{
	struct requests_kinds kinds;
	int rc = requests_kinds_find(r, &kinds, err);
	for (uint32_t i = 0; rc == 0 && i < r->n_found; i++) {
		if (!is_needed(r, i, by_host))
			continue;
		struct request_fact f = fact_of(r, i);
		for (unsigned side = 0; rc == 0 && side < REQUEST_N_SIDES; side++) {
			uint32_t host = f.hosts[side];
			f.fact.choice = (uint16_t)side;
			f.fact.task = f.tasks[side];
			if (host != KERNEL_NONE && by_host[host])
				rc = add(&kinds, i, hosts, by_host[host], &f);
		}
	}
	requests_kinds_fini(&kinds);
	return rc;
}
