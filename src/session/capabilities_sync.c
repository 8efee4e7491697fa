/* Can a host's clock be compared with others'? That takes packets whose TCP or UDP headers were
 * recorded both where they were sent and where they were received.
 *
 * The metadata shows whether an event has room for a header; only the records show whether one
 * is in it, because some kernels call the tracepoint before the packet's headers are known. So
 * some thousand packets of each host are looked at. */
#include <stdlib.h>
#include <string.h>

#include "session/capabilities.h"
#include "sync/part/layout.h"
#include "trace/cursor.h"

/* What an event record says about its packet: the later, the better. */
enum header { HEADER_NONE, HEADER_OTHER, HEADER_KNOWN, HEADER_N };

/* Events that tell of packets; those of sockets know TCP only and are always enough. */
static const struct {
	enum capability_event event;
	enum capability_direction direction;
} ways[] = {
	{ CAPABILITY_SOCK_OUT, CAPABILITY_SEND },
	{ CAPABILITY_SOCK_IN, CAPABILITY_RECEIVE },
	{ CAPABILITY_NET_OUT, CAPABILITY_SEND },
	{ CAPABILITY_NET_IN, CAPABILITY_RECEIVE },
};
enum {
	N_WAYS = sizeof(ways) / sizeof(ways[0]),
	LOOK_AT = 10000, /* packets of a way on one host, at most ... */
	ENOUGH = 20
}; /* ... or until so many have such a header */

struct way { /* on one host */
	const char *name;
	enum header room;	  /* what the metadata has room for */
	uint64_t found[HEADER_N]; /* packets between machines, by what they tell */
	uint64_t local;		  /* packets of the machine to itself */
	bool is_of_part;	  /* ends of messages as a part of a recording has them */
};
enum { WAY_OUT = 2, WAY_IN = 3 }; /* of ways: those of packets */

static bool has_member(const struct ctf_fc *fc, const char *name)
{
	for (uint32_t i = 0; i < fc->u.record.n; i++)
		if (strcmp(fc->u.record.fields[i].name, name) == 0)
			return true;
	return false;
}

/* All layouts that tracers have had agree in these names, wherever they put them. */
static bool is_known(const struct ctf_fc *fc)
{
	bool tcp = has_member(fc, "seq") && has_member(fc, "ack_seq") && has_member(fc, "flags");
	bool udp = has_member(fc, "source_port") && has_member(fc, "dest_port");
	return tcp || udp;
}

static enum header better(enum header a, enum header b)
{
	return a > b ? a : b;
}

static enum header room_in(const struct ctf_fc *fc)
{
	enum header h = HEADER_NONE;
	switch (fc->kind) {
	case CTF_STRUCT:
		if (is_known(fc))
			return HEADER_KNOWN;
		for (uint32_t i = 0; i < fc->u.record.n; i++)
			h = better(h, room_in(fc->u.record.fields[i].fc));
		return h;
	case CTF_VARIANT:
		for (uint32_t i = 0; i < fc->u.variant.n; i++)
			h = better(h, room_in(fc->u.variant.options[i].field.fc));
		return better(h, HEADER_OTHER);
	case CTF_OPTIONAL: return better(HEADER_OTHER, room_in(fc->u.optional.content.fc));
	default: return HEADER_NONE;
	}
}

/* The same for a record: slots as in ctf/program.h. */
static enum header header_in(const struct ctf_fc *fc, const uint64_t *slot)
{
	enum header h = HEADER_NONE;
	switch (fc->kind) {
	case CTF_STRUCT:
		if (is_known(fc))
			return HEADER_KNOWN;
		for (uint32_t i = 0; i < fc->u.record.n; i++) {
			const struct ctf_fc *member = fc->u.record.fields[i].fc;
			h = better(h, header_in(member, slot));
			slot += ctf_slot_width(member);
		}
		return h;
	case CTF_VARIANT: {
		if (slot[0] >= fc->u.variant.n)
			return HEADER_NONE;
		const struct ctf_fc *chosen = fc->u.variant.options[slot[0]].field.fc;
		h = header_in(chosen, slot + 1);
		bool empty = chosen->kind == CTF_STRUCT && chosen->u.record.n == 0;
		return empty ? h : better(h, HEADER_OTHER);
	}
	case CTF_OPTIONAL:
		return slot[0] ? better(HEADER_OTHER,
					 header_in(fc->u.optional.content.fc, slot + 1))
			       : HEADER_NONE;
	default: return HEADER_NONE;
	}
}

static enum header header_of(const struct mer_event *ev)
{
	const struct ctf_plan *p = ev->plan;
	const struct ctf_fc *fc = p->class->payload;
	const uint32_t *slots = p->slots[CTF_SCOPE_PAYLOAD];
	enum header h = HEADER_NONE;
	if (!fc || !slots)
		return HEADER_NONE;
	if (is_known(fc))
		return HEADER_KNOWN;
	for (uint32_t i = 0; i < fc->u.record.n; i++)
		if (slots[i] != CTF_NO_SLOT)
			h = better(h, header_in(fc->u.record.fields[i].fc, ev->slots + slots[i]));
	return h;
}

static bool is_local(const struct mer_event *ev)
{
	const char *device;
	size_t len;
	return mer_event_text(ev, "name", &device, &len) && len == 2 &&
	       memcmp(device, "lo", 2) == 0;
}

static void look_for_part(const struct ctf_schema *s, struct way *found)
{
	for (uint32_t c = 0; c < s->n_streams; c++)
		for (uint32_t i = 0; i < s->streams[c].n_events; i++)
			if (strcmp(s->streams[c].events[i].name, SYNC_PART_END) == 0)
				for (int w = WAY_OUT; w <= WAY_IN; w++)
					found[w] = (struct way){ .name = SYNC_PART_END,
						.room = HEADER_KNOWN,
						.is_of_part = true };
}

static void look_at_metadata(const struct mer_experiment *e, const struct capability_host *hosts,
	struct way (*found)[N_WAYS])
{
	for (uint32_t p = 0; p < e->n_parts; p++) {
		const struct mer_trace *trace = &e->traces[e->parts[p].trace];
		const struct ctf_schema *s = e->parts[p].schema;
		if (strcmp(trace->domain, "kernel") != 0 && trace->domain[0])
			continue;
		if (!hosts[trace->host].wanted)
			continue;
		look_for_part(s, found[trace->host]);
		for (uint32_t c = 0; c < s->n_streams; c++)
			for (uint32_t i = 0; i < s->streams[c].n_events; i++)
				for (size_t w = 0; w < N_WAYS; w++) {
					const struct ctf_event_class *class =
						&s->streams[c].events[i];
					struct way *way = &found[trace->host][w];
					if (!capability_event_is(ways[w].event,
						    capability_plain_name(class->name)))
						continue;
					way->name = class->name;
					if (class->payload)
						way->room =
							better(way->room, room_in(class->payload));
				}
	}
}

static bool seen_enough(const struct way *w, uint64_t there)
{
	uint64_t n = w->local;
	for (int i = 0; i < HEADER_N; i++)
		n += w->found[i];
	return n >= there || n >= LOOK_AT || w->found[HEADER_KNOWN] >= ENOUGH;
}

static bool all_seen(const struct mer_experiment *e, const struct capability_host *hosts,
	struct way (*found)[N_WAYS])
{
	for (uint32_t h = 0; h < e->n_hosts; h++)
		for (size_t w = 0; w < N_WAYS; w++)
			if (found[h][w].room == HEADER_KNOWN && hosts[h].wanted &&
				!seen_enough(&found[h][w], found[h][w].is_of_part
								   ? UINT64_MAX
								   : hosts[h].seen[ways[w].event]))
				return false;
	return true;
}

static bool is_sent(const struct mer_event *end)
{
	int64_t way;
	return mer_event_int(end, sync_part_fields[SYNC_PART_WAY], &way) && way & SYNC_PART_IS_SEND;
}

static int look_at_events(struct mer_experiment *e, const struct capability_host *hosts,
	struct way (*found)[N_WAYS], struct mer_err *err)
{
	static const struct mer_need needs[] = {
		{ "inet_sock_local_out", NULL },
		{ "inet_sock_local_in", NULL },
		{ "net_dev_queue", NULL },
		{ "net_if_receive_skb", NULL },
		{ "netif_receive_skb", NULL },
		{ "net:net_dev_queue", NULL },
		{ "net:netif_receive_skb", NULL },
		{ SYNC_PART_END, NULL },
	};
	static const uint8_t way_of[] = { 0, 1, 2, 3, 3, 2, 3 };
	enum { PART = sizeof(way_of) };
	struct trace_reading *reading;
	struct mer_cursor *cursor;
	int rc = trace_reading_from_needs(
		e, needs, sizeof(needs) / sizeof(needs[0]), false, &reading, err);
	if (rc)
		return rc;
	rc = trace_cursor_new(
		e, reading, (struct trace_range){ INT64_MIN, INT64_MAX }, NULL, &cursor, err);
	if (rc) {
		trace_reading_free(reading);
		return rc;
	}
	while (rc == 0 && !all_seen(e, hosts, found)) {
		const struct mer_event *events;
		size_t n;
		rc = mer_cursor_next(cursor, &events, &n, err);
		if (rc || n == 0)
			break;
		for (size_t i = 0; i < n; i++) {
			uint32_t h = e->traces[e->streams[events[i].stream].trace].host;
			int need = mer_event_need(&events[i]);
			struct way *w = &found[h][need < PART		? way_of[need]
						  : is_sent(&events[i]) ? WAY_OUT
									: WAY_IN];
			if (!hosts[h].wanted || seen_enough(w, UINT64_MAX))
				continue;
			if (need == PART)
				w->found[HEADER_KNOWN]++;
			else if (is_local(&events[i]))
				w->local++;
			else
				w->found[header_of(&events[i])]++;
		}
	}
	/* What is damaged the walk has reported already. */
	trace_cursor_drop(cursor);
	trace_reading_free(reading);
	return rc;
}

/* The direction of these events, and whether they have one. */
static struct capability_packets judge_way(const struct way *w, uint64_t there)
{
	struct capability_packets p = { .event = w->name };
	p.n_examined = w->found[HEADER_NONE] + w->found[HEADER_OTHER] + w->found[HEADER_KNOWN];
	if (w->found[HEADER_KNOWN])
		p.obstacle = CAPABILITY_CLEAR;
	else if (there == 0)
		p.obstacle = CAPABILITY_NO_PACKET;
	else if (w->room != HEADER_KNOWN)
		p.obstacle = CAPABILITY_NO_HEADER_FIELD;
	else if (p.n_examined == 0)
		p.obstacle = CAPABILITY_ALL_LOCAL;
	else if (w->found[HEADER_OTHER] == 0)
		p.obstacle = CAPABILITY_HEADERS_EMPTY;
	else
		p.obstacle = CAPABILITY_OTHER_KINDS;
	return p;
}

/* Of several kinds of events the first that does counts, else the last. */
static void judge_host(struct capability_host *h, const struct way *found)
{
	struct capability_packets *send = &h->packets[CAPABILITY_SEND];
	struct capability_packets *receive = &h->packets[CAPABILITY_RECEIVE];
	for (size_t w = 0; w < N_WAYS; w++) {
		struct capability_packets *p = &h->packets[ways[w].direction];
		if (found[w].name && !(p->event && p->obstacle == CAPABILITY_CLEAR))
			*p = judge_way(&found[w], h->seen[ways[w].event]);
	}
	h->can_sync = send->event && receive->event && !send->obstacle && !receive->obstacle;
	if (h->can_sync)
		return;
	h->lacks[CAPABILITY_NET_OUT] = !send->event;
	h->lacks[CAPABILITY_NET_IN] = !receive->event;
}

int capability_find_sync(
	struct mer_experiment *e, struct capability_host *hosts, struct mer_err *err)
{
	struct way(*found)[N_WAYS] = calloc(e->n_hosts + 1u, sizeof(*found));
	if (!found)
		return mer_fail_nomem(err);
	look_at_metadata(e, hosts, found);
	int rc = look_at_events(e, hosts, found, err);
	for (uint32_t h = 0; rc == 0 && h < e->n_hosts; h++)
		judge_host(&hosts[h], found[h]);
	free(found);
	return rc;
}
