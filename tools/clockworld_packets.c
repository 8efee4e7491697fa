/* clockworld: what is in a message.
 *
 * Each pair of hosts has one TCP connection, open before the world begins, over which each message
 * carries the next bytes; acknowledged is what has arrived in order until then. A retransmission
 * repeats the bytes under a new IP identification. */
#include "clockworld.h"

#include <stdlib.h>
#include <string.h>

struct side { /* of a connection: what one host sends, and how much of it has arrived */
	const struct world_link *link;
	struct packet *packets;
	size_t *first_of; /* message number -> index of its first sending */
	bool *arrived;	  /* by message number */
	uint32_t seq;	  /* the next byte to be sent */
	uint32_t acked;	  /* the next byte to arrive */
	uint32_t next;	  /* the number of the message that has it */
	uint32_t n;	  /* numbers */
	uint16_t ip_id, echo;
	struct world_random random;
};

struct moment { /* a message is sent, or arrives */
	int64_t at;
	size_t message;
	uint8_t side, is_arrival;
};

static int by_time(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	if (x->is_arrival != y->is_arrival)
		return x->is_arrival ? 1 : -1;
	return (x->message > y->message) - (x->message < y->message);
}

static void begin_side(struct clockworld *c, size_t link, struct side *s)
{
	*s = (struct side){ .link = &c->world.links[link] };
	size_t n = s->link->n;
	s->packets = c->packets[link] = need(calloc(n + 1, sizeof(*s->packets)));
	s->first_of = need(calloc(n + 1, sizeof(*s->first_of)));
	s->arrived = need(calloc(n + 1, sizeof(*s->arrived)));
	for (size_t i = 0; i < n; i++)
		if (!(s->link->messages[i].flags & WORLD_RETRANSMISSION)) {
			s->first_of[s->link->messages[i].of] = i;
			s->n++;
		}
	s->random = world_random_new(c->world.options.seed, N_PURPOSES + link);
	s->seq = s->acked = (uint32_t)world_random_u64(&s->random);
	s->ip_id = (uint16_t)world_random_u64(&s->random);
}

static void end_side(struct side *s)
{
	free(s->first_of);
	free(s->arrived);
}

static void send(const struct clockworld *c, struct side *s, const struct side *other, size_t i)
{
	const struct world_message *m = &s->link->messages[i];
	struct packet *p = &s->packets[i];
	uint64_t r = world_random_u64(&s->random);
	double kind = world_random_unit(&s->random);
	if (m->flags & WORLD_RETRANSMISSION) {
		*p = s->packets[s->first_of[m->of]];
	} else if (kind < c->udp) {
		p->protocol = PROTOCOL_UDP;
		p->payload = 1 + (uint32_t)(r >> 16) % 1400;
	} else if (kind < c->udp + c->icmp) {
		p->protocol = PROTOCOL_ICMP;
		p->payload = 56;
		p->ack = s->link->from + 1;
		p->seq = s->echo++;
	} else {
		p->protocol = PROTOCOL_TCP;
		p->payload = 1 + (uint32_t)(r >> 16) % MSS;
		if (c->offload)
			p->payload = MSS * (2 + (uint32_t)(r >> 16) % 43);
		p->seq = s->seq;
		s->seq += p->payload;
	}
	p->check = (uint16_t)(r ? r : 1);
	p->ip_id = s->ip_id;
	s->ip_id = (uint16_t)(s->ip_id + (p->payload + MSS - 1) / MSS);
	if (p->protocol == PROTOCOL_TCP)
		p->ack = other->acked;
}

static void arrive(struct side *s, size_t i)
{
	s->arrived[s->link->messages[i].of] = true;
	for (; s->next < s->n; s->next++) {
		const struct packet *p = &s->packets[s->first_of[s->next]];
		if (p->protocol == PROTOCOL_TCP && !s->arrived[s->next])
			break;
		if (!p->protocol)
			break; /* not sent yet */
		if (p->protocol == PROTOCOL_TCP)
			s->acked = p->seq + p->payload;
	}
}

static void make_connection(struct clockworld *c, size_t forth, size_t back)
{
	bool both = back != forth;
	struct side sides[2];
	begin_side(c, forth, &sides[0]);
	sides[1] = (struct side){ 0 };
	if (both)
		begin_side(c, back, &sides[1]);
	size_t n = 0, most = sides[0].link->n + (both ? sides[1].link->n : 0);
	struct moment *all = need(calloc(2 * most + 1, sizeof(*all)));
	for (uint8_t k = 0; k < (both ? 2 : 1); k++)
		for (size_t i = 0; i < sides[k].link->n; i++) {
			const struct world_message *m = &sides[k].link->messages[i];
			all[n++] = (struct moment){ .at = m->sent, .message = i, .side = k };
			if (!(m->flags & WORLD_LOST))
				all[n++] = (struct moment){
					.at = m->received, .message = i, .side = k, .is_arrival = 1
				};
		}
	if (n)
		qsort(all, n, sizeof(*all), by_time);
	for (size_t i = 0; i < n; i++) {
		struct side *s = &sides[all[i].side];
		if (all[i].is_arrival)
			arrive(s, all[i].message);
		else
			send(c, s, &sides[!all[i].side], all[i].message);
	}
	free(all);
	end_side(&sides[0]);
	end_side(&sides[1]);
}

void make_packets(struct clockworld *c)
{
	const struct world *w = &c->world;
	size_t by = w->options.one_way ? 1 : 2;
	c->packets = need(calloc(w->n_links + 1, sizeof(struct packet *)));
	for (size_t i = 0; i < w->n_links; i += by)
		make_connection(c, i, i + by - 1);
}

uint16_t port_of(const struct world_link *l, bool source)
{
	/* The lower host is the server. */
	uint32_t other = l->from < l->to ? l->to : l->from;
	bool server = (l->from < l->to) == source;
	return server ? 5201 : (uint16_t)(32768 + (other * 7919 + l->from + l->to) % 28000);
}
