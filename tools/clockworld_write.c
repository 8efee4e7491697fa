/* clockworld: a host's events, in the order of its clock, to a CTF trace.
 *
 * The trace's times are exactly those of the world's clock: the clock of the metadata has the
 * nanoseconds since the host's boot, its offset what the host believed about its boot. */
#include "clockworld.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctfgen.h"

enum what { INTERFACE, SEND, RECEIVE, SWITCH };

struct entry {
	int64_t clock;
	uint32_t link, message;
	uint32_t from, bytes; /* of the message's payload */
	uint8_t what, cpu;
	bool on_bridge;
};

static const char addons[] =
	"event inet_sock_local_in { u64 hex sk; u32 be hex seq; u32 be hex ack_seq; u16 be hex "
	"check; u16 be hex window; u16 be hex flags; }\n"
	"event inet_sock_local_out { u64 hex sk; u32 be hex seq; u32 be hex ack_seq; u16 be hex "
	"check; u16 be hex window; u16 be hex flags; }\n";

struct writing {
	struct clockworld *c;
	uint32_t host;
	enum layout layout;
	struct gen gen;
	struct trace *trace;
	int64_t offset; /* of the recorded clock */
	struct entry *entries;
	size_t n, cap;
	struct world_random random;
	int32_t tids[256]; /* running, by CPU */
	struct ctf_value v[48];
	unsigned n_v;
};

void host_name(const struct clockworld *c, uint32_t host, char *name, size_t size)
{
	int digits = snprintf(NULL, 0, "%u", c->world.options.n_hosts - 1);
	snprintf(name, size, "h%0*u", digits, host);
}

static void add(struct writing *w, int64_t true_ns, struct entry e)
{
	if (w->n == w->cap) {
		w->cap = w->cap ? 2 * w->cap : 1024;
		w->entries = need(realloc(w->entries, w->cap * sizeof(e)));
	}
	e.clock = world_clock_at(&w->c->world.clocks[w->host], true_ns);
	w->entries[w->n++] = e;
}

static int by_clock(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	if (x->clock != y->clock)
		return x->clock < y->clock ? -1 : 1;
	if (x->link != y->link)
		return x->link < y->link ? -1 : 1;
	if (x->message != y->message)
		return x->message < y->message ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->on_bridge - y->on_bridge;
}

static void add_sent(
	struct writing *w, const struct world_message *m, struct entry e, const struct packet *p)
{
	e.what = SEND;
	e.bytes = p->payload;
	if (m->flags & WORLD_DUPLICATE) { /* the bridge queues it on its device */
		e.on_bridge = true;
		add(w, m->sent, e);
		e.on_bridge = false;
		add(w, m->sent + BRIDGE_NS, e);
	} else {
		add(w, m->sent, e);
	}
}

static void add_received(
	struct writing *w, const struct world_message *m, struct entry e, const struct packet *p)
{
	uint32_t most = p->payload;
	struct world_random r = world_random_new(p->seq, p->check);
	e.what = RECEIVE;
	for (; e.from < p->payload; e.from += e.bytes) {
		if (p->protocol == PROTOCOL_TCP && p->payload > MSS)
			most = MSS * (1 + (uint32_t)(world_random_u64(&r) % 17));
		e.bytes = p->payload - e.from < most ? p->payload - e.from : most;
		int64_t at = m->received + (int64_t)(e.from / MSS) * SEGMENT_NS;
		e.on_bridge = false;
		add(w, at, e);
		e.on_bridge = true;
		if (m->flags & WORLD_DUPLICATE)
			add(w, at + BRIDGE_NS, e);
	}
}

static void collect(struct writing *w)
{
	const struct clockworld *c = w->c;
	const struct world *world = &c->world;
	add(w, 0, (struct entry){ .what = INTERFACE });
	for (size_t i = 0; i < world->n_links; i++) {
		const struct world_link *l = &world->links[i];
		bool out = l->from == w->host, in = l->to == w->host;
		struct entry e = { .link = (uint32_t)i,
			.cpu = (uint8_t)((l->from + l->to + out) % c->n_cpus) };
		for (size_t k = 0; (out || in) && k < l->n; k++) {
			e.message = (uint32_t)k;
			if (out)
				add_sent(w, &l->messages[k], e, &c->packets[i][k]);
			else if (!(l->messages[k].flags & WORLD_LOST))
				add_received(w, &l->messages[k], e, &c->packets[i][k]);
		}
	}
	for (unsigned cpu = 0; c->filler_hz > 0 && cpu < c->n_cpus; cpu++) {
		double t = 0, end = (double)world->options.duration_ns;
		while ((t += 1e9 / c->filler_hz * world_random_exponential(&w->random)) < end)
			add(w, (int64_t)t, (struct entry){ .what = SWITCH, .cpu = (uint8_t)cpu });
	}
	qsort(w->entries, w->n, sizeof(*w->entries), by_clock);
}

static void put(struct writing *w, uint64_t x)
{
	w->v[w->n_v++] = (struct ctf_value){ .kind = CTF_VALUE_UINT, .v.u = x };
}

static void put_int(struct writing *w, int64_t x)
{
	w->v[w->n_v++] = (struct ctf_value){ .kind = CTF_VALUE_INT, .v.i = x };
}

static void put_text(struct writing *w, const char *s)
{
	w->v[w->n_v++] = (struct ctf_value){ .kind = CTF_VALUE_BYTES, .v.bytes = { s, strlen(s) } };
}

static void put_address(struct writing *w, uint32_t host)
{
	uint32_t a = host + 1;
	put(w, 10);
	put(w, a >> 16 & 255);
	put(w, a >> 8 & 255);
	put(w, a & 255);
}

static void write_event(struct writing *w, const char *name, const struct entry *e)
{
	struct mer_err err;
	struct gen *g = &w->gen;
	struct stream *s = stream_of(g, w->trace, e->cpu);
	const struct ctf_event_class *class = event_of(g, w->trace, name, NULL);
	if (ctf_writer_event(s->w, class, (uint64_t)(e->clock - w->offset), w->v, w->n_v, &err))
		give_up("%s", err.text);
	w->n_v = 0;
}

enum { FIN = 1, SYN = 2, RST = 4, PSH = 8, ACK = 16 };

/* The push flag is the last segment's. */
static uint16_t flags_of(const struct packet *p, const struct entry *e)
{
	return e->from + e->bytes == p->payload ? PSH | ACK : ACK;
}

/* With checksum offload the sender sees the sum of the pseudo header alone. */
static uint16_t check_of(const struct clockworld *c, const struct packet *p, const struct entry *e)
{
	bool partial = e->what == SEND && (p->protocol == PROTOCOL_TCP || c->offload);
	return partial ? (uint16_t)(0x1234 + p->payload) : (uint16_t)(p->check + e->from);
}

static void write_skb(struct writing *w, const struct entry *e)
{
	const struct world_link *l = &w->c->world.links[e->link];
	const struct packet *p = &w->c->packets[e->link][e->message];
	uint32_t headers = p->protocol == PROTOCOL_TCP ? 52 : 28;
	uint16_t check = check_of(w->c, p, e);
	put(w, 0xFFFF888000000000 | (world_random_u64(&w->random) & 0x7FFFFFF00)); /* skbaddr */
	put(w, e->bytes + headers + (e->what == SEND ? 14 : 0));
	put_text(w, e->on_bridge ? "br0" : "eth0");
	put(w, 1); /* IPv4 */
	put(w, 4); /* version */
	put(w, 5); /* ihl */
	put(w, 0); /* tos */
	put(w, e->bytes + headers);
	put(w, (uint16_t)(p->ip_id + e->from / MSS));
	put(w, 0x4000); /* frag_off: do not */
	put(w, 64);	/* ttl */
	put(w, p->protocol);
	put(w, world_random_u64(&w->random) & 0xFFFF);
	put_address(w, l->from);
	put_address(w, l->to);
	switch ((enum protocol)p->protocol) {
	case PROTOCOL_TCP:
		put(w, 1);
		put(w, port_of(l, true));
		put(w, port_of(l, false));
		put(w, p->seq + e->from);
		put(w, p->ack);
		put(w, 8); /* data_offset: with the time stamp option */
		put(w, 0); /* reserved */
		put(w, flags_of(p, e));
		put(w, 501);
		put(w, check);
		put(w, 0);
		break;
	case PROTOCOL_UDP:
		put(w, 2);
		put(w, port_of(l, true));
		put(w, port_of(l, false));
		put(w, e->bytes + 8);
		put(w, check);
		break;
	case PROTOCOL_ICMP:
		put(w, 3);
		put(w, 8); /* echo request */
		put(w, 0);
		put(w, p->check);
		put(w, (uint32_t)(p->ack << 16 | p->seq));
		break;
	}
	write_event(w, e->what == SEND ? "net_dev_queue" : "net_if_receive_skb", e);
}

/* Sockets know nothing of bridges. */
static void write_socket(struct writing *w, const struct entry *e)
{
	const struct packet *p = &w->c->packets[e->link][e->message];
	if (p->protocol != PROTOCOL_TCP || (e->on_bridge && e->what == RECEIVE))
		return;
	if (e->what == SEND && !e->on_bridge &&
		w->c->world.links[e->link].messages[e->message].flags & WORLD_DUPLICATE)
		return;
	put(w, 0xFFFF888100000000 + (uint64_t)(e->link / 2) * 0x940);
	put(w, p->seq + e->from);
	put(w, p->ack);
	put(w, check_of(w->c, p, e));
	put(w, 501);
	put(w, 0x8000u | flags_of(p, e));
	write_event(w, e->what == SEND ? "inet_sock_local_out" : "inet_sock_local_in", e);
}

static void write_switch(struct writing *w, const struct entry *e)
{
	static const char *const names[] = { "swapper", "iperf3", "postgres", "nginx" };
	int32_t prev = w->tids[e->cpu], next = (int32_t)(world_random_u64(&w->random) % 4);
	if (next == prev)
		next = (next + 1) % 4;
	w->tids[e->cpu] = next;
	int32_t base = 1000 + 10 * e->cpu;
	put_text(w, names[prev]);
	put_int(w, prev ? base + prev : 0);
	put_int(w, 20);
	put_int(w, prev ? 1 : 0);
	put_text(w, names[next]);
	put_int(w, next ? base + next : 0);
	put_int(w, 20);
	write_event(w, "sched_switch", e);
}

static void write_interface(struct writing *w, const struct entry *e)
{
	uint32_t a = w->host + 1;
	write_event(w, "lttng_statedump_start", e);
	put_text(w, "eth0");
	put(w, 10u << 24 | (a & 0xFFFFFF));
	write_event(w, "lttng_statedump_network_interface", e);
	write_event(w, "lttng_statedump_end", e);
}

/* On the way down a packet passes the socket first, on the way up the device. */
static void write_packet_event(struct writing *w, const struct entry *e)
{
	bool socket = w->layout & LAYOUT_ADDONS;
	if (socket && e->what == SEND)
		write_socket(w, e);
	if (w->layout & LAYOUT_SKB)
		write_skb(w, e);
	if (socket && e->what != SEND)
		write_socket(w, e);
}

static void write_entry(struct writing *w, const struct entry *e)
{
	switch ((enum what)e->what) {
	case INTERFACE: write_interface(w, e); break;
	case SEND:
	case RECEIVE: write_packet_event(w, e); break;
	case SWITCH: write_switch(w, e); break;
	}
}

static void write_host(struct clockworld *c, uint32_t host)
{
	struct writing *w = need(calloc(1, sizeof(*w)));
	struct gen *g = &w->gen;
	struct source more_events = { "addons", addons, strlen(addons) };
	char name[32];
	w->c = c;
	w->host = host;
	w->layout = c->layouts[host % c->n_layouts];
	w->random = world_random_new(c->world.options.seed, 2 * N_PURPOSES + host);
	g->out_dir = c->dir;
	g->major = c->ctf_major;
	begin_world(g);
	note_events(g, &more_events);
	g->lex.source = &g->kernel; /* for messages */
	host_name(c, host, name, sizeof(name));
	struct host *h = add_host(g, name);
	int64_t uptime = 1000000000000 + (int64_t)(world_random_u64(&w->random) >> 13);
	w->offset = world_clock_at(&c->world.clocks[host], 0) - uptime;
	h->offset = w->offset;
	h->has_offset = true;
	w->trace = add_trace(g, h, "kernel");
	collect(w);
	for (size_t i = 0; i < w->n; i++)
		write_entry(w, &w->entries[i]);
	finish_world(g);
	free(w->entries);
	free(w);
}

void write_hosts(struct clockworld *c)
{
	for (uint32_t i = 0; i < c->world.options.n_hosts; i++)
		write_host(c, i);
}
