/* Packets, as interfaces see them: a packet counts on each interface that it passes.
 *
 * Bytes include the IP header and its payload. The length recorded for a sent packet also
 * includes the link-layer header, that of a received packet does not. The length of that header
 * is inferred from packets with both ends known, on any host, so no packet is complete before
 * all hosts have been read. */
#include <stdlib.h>
#include <string.h>

#include "analysis/all.h"
#include "analysis/facts/packet.h"
#include "base/grow.h"

static const char *const way_names[] = { [NET_RECEIVED] = "received", [NET_SENT] = "sent" };

static int64_t host_at(const struct fact *f, enum net_way way)
{
	const struct packet *p = (const struct packet *)f;
	return p->packet == KERNEL_NONE ? FACT_UNKNOWN : f->choice == way ? p->host : p->peer;
}

static int64_t from_host_of(const struct kernel_host *h, const struct fact *f)
{
	(void)h;
	return host_at(f, NET_SENT);
}

static int64_t to_host_of(const struct kernel_host *h, const struct fact *f)
{
	(void)h;
	return host_at(f, NET_RECEIVED);
}

static int64_t at_of(const struct kernel_host *h, const struct fact *f)
{
	(void)h;
	return packet_at(f);
}

static int64_t flight_of(const struct kernel_host *h, const struct fact *f)
{
	(void)h;
	return ((const struct packet *)f)->packet == KERNEL_NONE ? FACT_UNKNOWN : f->end - f->begin;
}

static int64_t mark_of(const struct fact *f, enum packet_mark mark)
{
	return (((const struct packet *)f)->marks & mark) != 0;
}

static int64_t in_interrupt_of(const struct kernel_host *h, const struct fact *f)
{
	(void)h;
	return mark_of(f, PACKET_IN_INTERRUPT);
}

static int64_t is_first_of(const struct kernel_host *h, const struct fact *f)
{
	(void)h;
	return mark_of(f, PACKET_FIRST);
}

/* For a received packet. */
static bool sent_by(const struct fact *f, struct fact_end *sender)
{
	const struct packet *p = (const struct packet *)f;
	*sender = (struct fact_end){ p->peer, p->other_task, p->other_cpu };
	return f->choice == NET_RECEIVED && p->marks & PACKET_HAS_OTHER;
}

static const struct fact_field fields[] = {
	{ "direction", "direction", MER_TEXT, FACT_WORDS(way_names),
		FACT_MEMBER(struct fact, choice) },
	{ "bytes", "bytes", MER_BYTES, FACT_NUMBER, FACT_MEMBER(struct packet, bytes),
		FACT_NONE_IS(FACT_UNKNOWN) },
	{ "interface", "interface", MER_TEXT, FACT_NAME, FACT_MEMBER(struct packet, device),
		FACT_NONE_IS(KERNEL_NONE) },
	{ "peer", "peer", MER_TEXT, FACT_HOST, FACT_MEMBER(struct packet, peer),
		FACT_NONE_IS(KERNEL_NONE) },
	{ "seen_by", NULL, MER_TEXT, FACT_HOST, FACT_MEMBER(struct packet, host) },
	{ "packet", NULL, MER_ID, FACT_NUMBER, FACT_MEMBER(struct packet, packet),
		FACT_NONE_IS(KERNEL_NONE) },
	{ "other_task", NULL, MER_ID, FACT_NUMBER, FACT_MEMBER(struct packet, other_task),
		FACT_NONE_IS(KERNEL_NONE) },
	{ "other_cpu", NULL, MER_ID, FACT_NUMBER, FACT_MEMBER(struct packet, other_cpu),
		FACT_NONE_IS(KERNEL_NO_CPU) },
	{ "marks", NULL, MER_COUNT, FACT_NUMBER, FACT_MEMBER(struct packet, marks) },
	{ "link_header_bytes", NULL, MER_BYTES, FACT_NUMBER,
		FACT_MEMBER(struct packet, header_bytes) },
	{ 0 },
};
static const struct fact_view views[] = {
	{ "at", NULL, MER_TIME, FACT_BY_FUNCTION, .get = at_of, .meaning = FACT_NUMBER },
	{ "duration_ns", "latency", MER_DURATION, FACT_BY_FUNCTION, .get = flight_of,
		.meaning = FACT_NUMBER },
	{ "in_interrupt", NULL, MER_COUNT, FACT_BY_FUNCTION, .get = in_interrupt_of,
		.meaning = FACT_NUMBER },
	{ "is_first", NULL, MER_COUNT, FACT_BY_FUNCTION, .get = is_first_of,
		.meaning = FACT_NUMBER },
	{ "from_host", NULL, MER_TEXT, FACT_BY_FUNCTION, .get = from_host_of,
		.meaning = FACT_HOST },
	{ "to_host", NULL, MER_TEXT, FACT_BY_FUNCTION, .get = to_host_of, .meaning = FACT_HOST },
	{ 0 },
};

static const struct fact_maker maker;
const struct fact_kind fact_packet = {
	.id = "packet",
	.title = "Packets",
	.maker = &maker,
	.rule = FACT_BEGINS,
	.size = sizeof(struct packet),
	.fields = fields,
	.views = views,
	.first_end = sent_by,
	.duration = "duration_ns",
};

/* ---- while reading ---- */

struct seen { /* as recorded in its event */
	int64_t time;
	uint32_t task, packet, bytes;
	uint32_t device; /* index in state.devices */
	uint16_t cpu;
	bool is_send, in_interrupt;
};

struct device {
	uint32_t name; /* KERNEL_NONE: for events without a device and a length */
	uint32_t
		/* Ethernet's, unless packets with both ends known show another length */
		header_bytes;
};

struct state {
	struct device *devices;
	size_t n_devices, cap_devices;
	struct mer_map device_map; /* name -> number, plus 1 */
	struct seen *seen;	   /* a block of the experiment's spill */
	size_t n_seen, cap_seen;
	bool learned;	   /* header_bytes of its devices are known */
	struct ends *ends; /* by bridge, of all hosts: a block of the spill, of the first state */
};

/* Events of a bridge: indexes in `seen` of the hosts at its two ends, plus 1; 0: not seen. If
 * several events have the time of an end, the first one counts. */
struct ends {
	uint32_t sent, received;
};

/* Its number; KERNEL_NONE: no memory. */
static uint32_t device_of(struct state *s, uint32_t name)
{
	uint32_t *at = mer_map_put(&s->device_map, name);
	if (at && *at)
		return *at - 1;
	struct device *d =
		at ? mer_grow_at(&s->devices, &s->cap_devices, s->n_devices, sizeof(*d)) : NULL;
	if (!d)
		return KERNEL_NONE;
	d->name = name;
	*at = (uint32_t)++s->n_devices;
	return *at - 1;
}

/* Packets in interrupts belong to no task: the interrupted thread has nothing to do with them. */
static int on_packet(void *ctx, const struct kernel_host *h, const struct kernel_packet_seen *p)
{
	struct fact_host *f = ctx;
	struct state *s = f->state;
	uint32_t device = device_of(s, p->device);
	(void)h;
	if (device == KERNEL_NONE ||
		!mer_spill_grow(f->e->spill, &s->seen, s->n_seen, &s->cap_seen, sizeof(*s->seen)))
		return mer_fail_nomem(f->err);
	s->seen[s->n_seen++] = (struct seen){ .time = p->time,
		.task = p->in_interrupt ? KERNEL_NONE : p->task,
		.packet = p->packet,
		.bytes = p->bytes,
		.device = device,
		.cpu = p->cpu,
		.is_send = p->is_send,
		.in_interrupt = p->in_interrupt };
	return 0;
}

static void free_state(void *state)
{
	struct state *s = state;
	free(s->devices);
	mer_map_fini(&s->device_map);
	mer_spill_release(s->seen);
	mer_spill_release(s->ends);
}

/* ---- both ends of packets ---- */

static const struct seen *seen_at(const struct fact_host *f, uint32_t host, uint32_t number)
{
	return number ? &((const struct state *)f->states[host])->seen[number - 1] : NULL;
}

/* Once for all hosts. NULL: no memory. */
static const struct ends *ends_of(struct fact_host *f, const struct kernel_world *w)
{
	struct state *owner = f->states[0];
	struct ends *all = owner->ends;
	if (all)
		return all;
	all = mer_spill_array(f->e->spill, (size_t)w->n_bridges + 1, sizeof(*all));
	if (!all)
		return NULL;
	memset(all, 0, ((size_t)w->n_bridges + 1) * sizeof(*all));
	for (uint32_t host = 0; host < f->e->n_hosts; host++) {
		const struct state *s = f->states[host];
		for (size_t i = 0; i < s->n_seen; i++) {
			const struct seen *x = &s->seen[i];
			if (x->packet >= w->n_bridges)
				continue;
			const struct kernel_bridge *b = kernel_bridge_at(w, x->packet);
			uint32_t *at = x->is_send ? &all[x->packet].sent : &all[x->packet].received;
			if (!*at && host == (x->is_send ? b->from.host : b->to.host))
				*at = (uint32_t)i + 1;
		}
	}
	return owner->ends = all;
}

/* ---- headers of the link layer ---- */

enum { MAX_HEADER = 64, ETHERNET_HEADER = 14 };

/* The most frequent difference between sent and received length for each device. */
static bool learn_headers(
	struct fact_host *f, const struct kernel_world *w, const struct ends *ends)
{
	bool ok = true;
	for (uint32_t host = 0; host < f->e->n_hosts && ok; host++) {
		struct state *s = f->states[host];
		uint64_t(*votes)[MAX_HEADER + 1] = calloc(s->n_devices + 1, sizeof(*votes));
		ok = votes != NULL;
		for (uint32_t i = 0; i < w->n_bridges && ok; i++) {
			const struct kernel_bridge *b = kernel_bridge_at(w, i);
			if (b->from.host != host || !ends[i].sent || !ends[i].received)
				continue;
			const struct seen *sent = seen_at(f, host, ends[i].sent);
			uint32_t received = seen_at(f, b->to.host, ends[i].received)->bytes;
			if (received && sent->bytes >= received &&
				sent->bytes - received <= MAX_HEADER)
				votes[sent->device][sent->bytes - received]++;
		}
		for (size_t d = 0; d < s->n_devices && ok; d++) {
			const uint64_t *v = votes[d];
			int best = ETHERNET_HEADER;
			for (int k = 0; k <= MAX_HEADER; k++)
				best = v[k] > v[best] ? k : best;
			s->devices[d].header_bytes =
				s->devices[d].name == KERNEL_NONE ? 0 : (uint32_t)best;
		}
		s->learned = true;
		free(votes);
	}
	return ok;
}

/* ---- when all is read ---- */

/* No packet is empty: if it has 0 bytes, its event does not have the length. */
static int64_t bytes_of(const struct seen *x, const struct device *d)
{
	uint32_t header = x->is_send ? d->header_bytes : 0;
	return x->bytes == 0 ? FACT_UNKNOWN : x->bytes > header ? x->bytes - header : 0;
}

static struct packet fact_of(
	struct fact_host *f, const struct kernel_world *w, const struct ends *ends, uint32_t number)
{
	const struct state *s = f->state;
	const struct seen *x = &s->seen[number], *other = NULL;
	const struct device *d = &s->devices[x->device];
	struct packet p = {
		.fact = { x->time, x->time, x->task, x->cpu, x->is_send ? NET_SENT : NET_RECEIVED },
		.bytes = bytes_of(x, d),
		.packet = KERNEL_NONE,
		.peer = KERNEL_NONE,
		.host = f->host,
		.device = d->name,
		.other_task = KERNEL_NONE,
		.other_cpu = KERNEL_NO_CPU,
		.header_bytes = (uint16_t)d->header_bytes,
		.marks = x->in_interrupt ? PACKET_IN_INTERRUPT : 0,
	};
	if (x->packet >= w->n_bridges)
		return p;
	const struct kernel_bridge *b = kernel_bridge_at(w, x->packet);
	const struct ends *of = &ends[x->packet];
	p.fact.begin = b->from.time;
	p.fact.end = b->to.time;
	p.packet = x->packet;
	p.peer = x->is_send ? b->to.host : b->from.host;
	if (number + 1 == (x->is_send ? of->sent : of->received))
		p.marks |= PACKET_FIRST;
	other = x->is_send ? seen_at(f, b->to.host, of->received)
			   : seen_at(f, b->from.host, of->sent);
	if (other) {
		p.marks |= PACKET_HAS_OTHER;
		p.other_task = other->task;
		p.other_cpu = other->cpu;
	}
	return p;
}

static int end(struct fact_host *f, const struct kernel_world *w, const struct kernel_host *h)
{
	struct state *s = f->state;
	const struct ends *ends = ends_of(f, w);
	int rc = 0;
	if (!ends || (!s->learned && !learn_headers(f, w, ends)))
		return mer_fail_nomem(f->err);
	for (uint32_t i = 0; i < s->n_seen && rc == 0; i++) {
		const struct packet p = fact_of(f, w, ends, i);
		rc = fact_add(f, h, 0, &p);
	}
	return rc;
}

/* ---- hosts that were read apart ---- */

/* As its event was seen. */
static int see_again(struct fact_host *f, const struct kernel_host *h, const struct packet *p)
{
	bool is_send = p->fact.choice == NET_SENT;
	uint32_t bytes = p->bytes == FACT_UNKNOWN
				 ? 0
				 : (uint32_t)p->bytes + (is_send ? p->header_bytes : 0u);
	return on_packet(f, h,
		&(struct kernel_packet_seen){ .time = packet_at(&p->fact),
			.task = p->fact.task,
			.packet = p->packet,
			.bytes = bytes,
			.device = p->device,
			.cpu = p->fact.cpu,
			.is_send = is_send,
			.in_interrupt = p->marks & PACKET_IN_INTERRUPT });
}

static int join(struct fact_host *hosts, const struct kernel_world *w, struct packet *const *facts,
	const size_t *n)
{
	int rc = 0;
	for (uint32_t h = 0; rc == 0 && h < w->n_hosts; h++)
		for (size_t i = 0; rc == 0 && i < n[h]; i++)
			rc = see_again(&hosts[h], &w->hosts[h], &facts[h][i]);
	const struct ends *ends = rc || !w->n_hosts ? NULL : ends_of(&hosts[0], w);
	if (!ends || !learn_headers(&hosts[0], w, ends))
		return rc || !w->n_hosts ? rc : mer_fail_nomem(hosts[0].err);
	for (uint32_t h = 0; h < w->n_hosts; h++)
		for (size_t i = 0; i < n[h]; i++)
			facts[h][i] = fact_of(&hosts[h], w, ends, (uint32_t)i);
	return 0;
}

int packets_join(const struct kernel_world *w, struct packet *const *facts, const size_t *n,
	struct mer_err *err)
{
	struct fact_host *hosts = calloc((size_t)w->n_hosts + 1, sizeof(*hosts));
	struct state *states = calloc((size_t)w->n_hosts + 1, sizeof(*states));
	void **by_host = calloc((size_t)w->n_hosts + 1, sizeof(*by_host));
	int rc = hosts && states && by_host ? 0 : mer_fail_nomem(err);
	for (uint32_t h = 0; rc == 0 && h < w->n_hosts; h++) {
		by_host[h] = &states[h];
		hosts[h] = (struct fact_host){
			.e = w->e, .host = h, .err = err, .state = &states[h], .states = by_host
		};
	}
	if (rc == 0)
		rc = join(hosts, w, facts, n);
	for (uint32_t h = 0; states && h < w->n_hosts; h++)
		free_state(&states[h]);
	free(hosts);
	free(states);
	free(by_host);
	return rc;
}

static const struct fact_kind *const kinds[] = { &fact_packet, NULL };
static const struct fact_maker maker = {
	.id = "packet",
	.kinds = kinds,
	.wants = KERNEL_WANT_PACKETS,
	.messages = true,
	.state_size = sizeof(struct state),
	.on = { .packet = on_packet },
	.end = end,
	.free_state = free_state,
};
