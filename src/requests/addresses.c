/* Addresses of sockets: the addresses of the packets that calls on a socket sent. If the other
 * end of a connection was not recorded, no receiver of these packets is known; they are found by
 * the time at which they were sent. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/majority.h"
#include "kernel/files/files.h"
#include "kernel/files/object_name.h"
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

/* ---- What names tell ---- */

bool requests_named_endpoint(
	struct requests_connections *c, uint32_t host, uint32_t name, uint32_t *endpoint)
{
	const struct kernel_host *h = &c->w->hosts[host];
	*endpoint = name == KERNEL_NONE ? 0 : kernel_name_endpoint(kernel_name_text(h, name));
	if (!*endpoint)
		return true;
	uint32_t *at = mer_map_put(&c->named, *endpoint);
	if (!at || *at)
		return at != NULL;
	struct requests_place *p =
		mer_grow_at(&c->places, &c->cap_places, c->n_places, sizeof(*c->places));
	if (!p)
		return false;
	*p = (struct requests_place){ host, name };
	*at = (uint32_t)++c->n_places;
	return true;
}

bool requests_endpoint_text(const struct requests_connections *c, uint32_t endpoint,
	char text[KERNEL_ENDPOINT_BYTES], uint16_t *port)
{
	if (kernel_endpoint_text(c->w, endpoint, text, port))
		return true;
	const uint32_t *at = endpoint ? mer_map_get(&c->named, endpoint) : NULL;
	if (!at || !*at)
		return false;
	const struct requests_place *p = &c->places[*at - 1];
	const char *name = kernel_name_text(&c->w->hosts[p->host], p->name);
	snprintf(text, KERNEL_ENDPOINT_BYTES, "%s", name);
	*port = (uint16_t)atoi(strchr(name, ':') + 1);
	return true;
}

/* The state dump has the addresses of sockets that were there before, whether packets of them are
 * seen or not. Packets come first: on their way out, addresses may be translated. */
static bool take_told(struct requests_connections *c, uint32_t host)
{
	const struct requests_host *r = &c->log->hosts[host];
	bool ok = true;
	for (uint32_t i = 0; ok && i < r->n_sockets; i++) {
		struct requests_socket *s = &r->sockets[i];
		uint32_t local, peer;
		if (s->told_local == KERNEL_NONE)
			continue;
		ok = requests_named_endpoint(c, host, s->told_local, &local) &&
		     requests_named_endpoint(c, host, s->told_peer, &peer);
		if (!ok || s->local || !local)
			continue;
		if (peer) {
			s->local = local;
			s->remote = peer;
		}
		char text[KERNEL_ENDPOINT_BYTES];
		uint16_t port;
		if (!peer && requests_endpoint_text(c, local, text, &port))
			ok = mer_map_put(&c->listened, (uint64_t)host << 16 | port) != NULL;
	}
	return ok;
}

/* ---- Reads whose begin was not seen ---- */

enum { SEVERAL = UINT32_MAX };

/* The sockets of these addresses -> its number, plus 1. */
static bool find_addressed(const struct requests_host *r, struct mer_map *by_address)
{
	for (uint32_t i = 0; i < r->n_sockets; i++) {
		const struct requests_socket *s = &r->sockets[i];
		if (!s->local || !s->n)
			continue;
		uint32_t *at = mer_map_put(by_address, (uint64_t)s->local << 32 | s->remote);
		if (!at)
			return false;
		*at = *at ? SEVERAL : i + 1;
	}
	return true;
}

/* Each is of the connection of the packet that ended its wait, if there is one such socket, which
 * was not made later. */
static bool take_unseen(struct requests_connections *c, uint32_t host)
{
	struct requests_host *r = &c->log->hosts[host];
	struct mer_map by_address = { 0 };
	bool any = false, ok = true;
	for (uint32_t i = 0; ok && i < r->n_sockets; i++) {
		struct requests_socket *unseen = &r->sockets[i];
		if (!unseen->arrived || unseen->n != 1)
			continue;
		ok = any || find_addressed(r, &by_address);
		any = true;
		const struct kernel_bridge *p = kernel_bridge_at(c->w, unseen->arrived - 1);
		const uint32_t *at =
			ok && p->kind == SYNC_TCP && p->to.endpoint
				? mer_map_get(&by_address,
					  (uint64_t)p->to.endpoint << 32 | p->from.endpoint)
				: NULL;
		struct requests_action *a = &r->actions[unseen->last - 1];
		if (!at || !*at || *at == SEVERAL || a->socket != i)
			continue;
		struct requests_socket *of = &r->sockets[*at - 1];
		if ((of->is_made && of->begin > a->end) ||
			(of->end_of_use != INT64_MIN && of->end_of_use < a->begin))
			continue;
		a->socket = *at - 1;
		of->n++;
		unseen->n = 0;
		if (a->begin < of->begin)
			of->begin = a->begin;
	}
	mer_map_fini(&by_address);
	return ok;
}

bool requests_addresses(struct requests_connections *c)
{
	struct mer_map departed = { 0 };
	bool ok = find_departed(c, &departed);
	for (uint32_t h = 0; ok && h < c->log->n_hosts; h++) {
		for (uint32_t i = 0; i < c->log->hosts[h].n_sockets; i++)
			vote(c, &c->log->hosts[h].sockets[i]);
		ok = vote_departed(c, h, &departed) && take_told(c, h) && take_unseen(c, h);
	}
	mer_map_fini(&departed);
	return ok;
}
