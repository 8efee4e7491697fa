/* Addresses of sockets: the addresses of the packets that calls on a socket sent. If the other
 * end of a connection was not recorded, no receiver of these packets is known; they are found by
 * the time at which they were sent. */
#include <stdlib.h>

#include "base/majority.h"
#include "kernel/files/files.h"
#include "requests/connections.h"

/* By majority: where interrupts are not recorded, a call seems to send what they send. */
static void vote(const struct requests_connections *c, struct requests_socket *s)
{
	struct mer_majority sent = { 0 };
	for (unsigned i = 0; i < s->n_samples; i++) {
		const struct kernel_bridge *p = kernel_bridge_at(c->w, s->samples[i]);
		if (p->kind != SYNC_TCP || !p->from.endpoint ||
			!mer_majority_vote(
				&sent, (uint64_t)p->from.endpoint << 32 | p->to.endpoint))
			continue;
		s->local = p->from.endpoint;
		s->remote = p->to.endpoint;
	}
}

/* ---- Packets without a known receiver ---- */

enum { AMBIGUOUS = UINT32_MAX }; /* two left at that time */

static uint64_t departure_key(uint32_t host, int64_t time)
{
	const uint64_t both[] = { host, (uint64_t)time };
	return mer_hash(both, sizeof(both));
}

/* Which segment left then: number in singles, plus 1. */
static bool find_departed(const struct requests_connections *c, struct mer_map *departed)
{
	const struct requests_log *log = c->log;
	bool any = false;
	for (uint32_t h = 0; h < log->n_hosts; h++)
		for (uint32_t i = 0; i < log->hosts[h].n_departures; i++) {
			any = true;
			if (!mer_map_put(
				    departed, departure_key(h, log->hosts[h].departures[i].time)))
				return false;
		}
	for (uint32_t i = 0; any && i < c->w->n_singles; i++) {
		const struct kernel_single *s = &c->w->singles[i];
		uint32_t *at =
			s->is_send ? mer_map_get(departed, departure_key(s->host, s->time)) : NULL;
		if (at)
			*at = *at ? AMBIGUOUS : i + 1;
	}
	return true;
}

static bool vote_departed(
	struct requests_connections *c, uint32_t host, const struct mer_map *departed)
{
	const struct requests_host *r = &c->log->hosts[host];
	if (!r->n_departures)
		return true;
	struct mer_majority *sent = calloc(r->n_sockets, sizeof(*sent));
	for (uint32_t i = 0; sent && i < r->n_departures; i++) {
		const struct requests_departure *d = &r->departures[i];
		struct requests_socket *s = &r->sockets[d->socket];
		const uint32_t *at = mer_map_get(departed, departure_key(host, d->time));
		if (s->n_samples || s->kind == KERNEL_OBJECT_UNIX || !at || !*at ||
			*at == AMBIGUOUS)
			continue;
		const struct kernel_single *p = &c->w->singles[*at - 1];
		if (!mer_majority_vote(
			    &sent[d->socket], (uint64_t)p->source << 32 | p->destination))
			continue;
		s->local = p->source;
		s->remote = p->destination;
	}
	free(sent);
	return sent != NULL;
}

bool requests_addresses(struct requests_connections *c)
{
	struct mer_map departed = { 0 };
	bool ok = find_departed(c, &departed);
	for (uint32_t h = 0; ok && h < c->log->n_hosts; h++) {
		for (uint32_t i = 0; i < c->log->hosts[h].n_sockets; i++)
			vote(c, &c->log->hosts[h].sockets[i]);
		ok = vote_departed(c, h, &departed);
	}
	mer_map_fini(&departed);
	return ok;
}
