/* Can a machine's clock be compared with others'? That takes packets whose TCP headers were recorded
 * both where they are sent and where they are received.
 *
 * The metadata tells whether an event has room for a header; whether there is one in it only the
 * records tell: some kernels call the tracepoint before the packet's headers are known. So some
 * thousand packets of each machine are looked at. */
#include <string.h>

#include "cli/check.h"
#include "cli/text.h"
#include "trace/cursor.h"

/* What an event record says about its packet: the later, the better. */
enum header { HEADER_NONE, HEADER_OTHER, HEADER_TCP, HEADER_N };

enum direction { SEND, RECEIVE, N_DIRECTIONS };

/* Events that tell of packets; those of sockets know TCP only and are always enough. */
static const struct {
	enum check_event event;
	enum direction direction;
} ways[] = {
	{ CHECK_SOCK_OUT, SEND },
	{ CHECK_SOCK_IN, RECEIVE },
	{ CHECK_NET_OUT, SEND },
	{ CHECK_NET_IN, RECEIVE },
};
enum {
	N_WAYS = sizeof(ways) / sizeof(ways[0]),
	LOOK_AT = 10000, /* packets of a way on one host, at most ... */
	ENOUGH = 20
}; /* ... or until so many have a TCP header */

struct way { /* on one host */
	const char *name;
	enum header room;	  /* what the metadata has room for */
	uint64_t found[HEADER_N]; /* packets between machines, by what they tell */
	uint64_t local;		  /* packets of the machine to itself */
};

static bool has_member(const struct ctf_fc *fc, const char *name)
{
	for (uint32_t i = 0; i < fc->u.record.n; i++)
		if (strcmp(fc->u.record.fields[i].name, name) == 0)
			return true;
	return false;
}

/* All layouts that tracers have had agree in these names, wherever they put them. */
static bool is_tcp(const struct ctf_fc *fc)
{
	return has_member(fc, "seq") && has_member(fc, "ack_seq") && has_member(fc, "flags");
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
		if (is_tcp(fc))
			return HEADER_TCP;
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

/* The same for what is there: slots as in ctf/program.h. */
static enum header header_in(const struct ctf_fc *fc, const uint64_t *slot)
{
	enum header h = HEADER_NONE;
	switch (fc->kind) {
	case CTF_STRUCT:
		if (is_tcp(fc))
			return HEADER_TCP;
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
	if (is_tcp(fc))
		return HEADER_TCP;
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

static void look_at_metadata(
	const struct mer_experiment *e, const struct check_host *hosts, struct way (*found)[N_WAYS])
{
	for (uint32_t p = 0; p < e->n_parts; p++) {
		const struct mer_trace *trace = &e->traces[e->parts[p].trace];
		const struct ctf_schema *s = e->parts[p].schema;
		if (strcmp(trace->domain, "kernel") != 0 && trace->domain[0])
			continue;
		if (!hosts[trace->host].wanted)
			continue;
		for (uint32_t c = 0; c < s->n_streams; c++)
			for (uint32_t i = 0; i < s->streams[c].n_events; i++)
				for (size_t w = 0; w < N_WAYS; w++) {
					const struct ctf_event_class *class =
						&s->streams[c].events[i];
					struct way *way = &found[trace->host][w];
					if (!check_event_is(
						    ways[w].event, check_plain_name(class->name)))
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
	return n >= there || n >= LOOK_AT || w->found[HEADER_TCP] >= ENOUGH;
}

static bool all_seen(
	const struct mer_experiment *e, const struct check_host *hosts, struct way (*found)[N_WAYS])
{
	for (uint32_t h = 0; h < e->n_hosts; h++)
		for (size_t w = 0; w < N_WAYS; w++)
			if (found[h][w].room == HEADER_TCP && hosts[h].wanted &&
				!seen_enough(&found[h][w], hosts[h].seen[ways[w].event]))
				return false;
	return true;
}

static int look_at_events(struct cli *cli, struct mer_experiment *e, const struct check_host *hosts,
	struct way (*found)[N_WAYS])
{
	static const struct mer_need needs[] = {
		{ "inet_sock_local_out", NULL },
		{ "inet_sock_local_in", NULL },
		{ "net_dev_queue", NULL },
		{ "net_if_receive_skb", NULL },
		{ "netif_receive_skb", NULL },
	};
	static const uint8_t way_of[] = { 0, 1, 2, 3, 3 };
	struct trace_reading *reading;
	struct mer_cursor *cursor;
	int rc = trace_reading_from_needs(
		e, needs, sizeof(needs) / sizeof(needs[0]), false, &reading, &cli->err);
	if (rc)
		return rc;
	rc = trace_cursor_new(
		e, reading, (struct trace_range){ INT64_MIN, INT64_MAX }, NULL, &cursor, &cli->err);
	if (rc) {
		trace_reading_free(reading);
		return rc;
	}
	while (rc == 0 && !all_seen(e, hosts, found)) {
		const struct mer_event *events;
		size_t n;
		rc = mer_cursor_next(cursor, &events, &n, &cli->err);
		if (rc || n == 0)
			break;
		for (size_t i = 0; i < n; i++) {
			uint32_t h = e->traces[e->streams[events[i].stream].trace].host;
			int need = mer_event_need(&events[i]);
			struct way *w = &found[h][way_of[need]];
			if (!hosts[h].wanted || seen_enough(w, UINT64_MAX))
				continue;
			if (is_local(&events[i]))
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

static const char *count_text(struct cli *cli, uint64_t n)
{
	struct mer_str s = { 0 };
	cli_text_count(&s, (int64_t)n);
	const char *text = mer_arena_strdup(&cli->arena, s.data ? s.data : "");
	mer_str_fini(&s);
	return text ? text : "";
}

/* Why these events do not do; NULL: they do. */
static const char *judge_way(struct cli *cli, const struct way *w, enum direction direction,
	uint64_t there, bool partial)
{
	static const char *const verbs[] = { "sent", "received" };
	const char *verb = verbs[direction];
	uint64_t between = w->found[HEADER_NONE] + w->found[HEADER_OTHER] + w->found[HEADER_TCP];
	if (w->found[HEADER_TCP])
		return NULL;
	if (there == 0)
		return mer_arena_printf(&cli->arena,
			partial ? "no %s event was found, but part of the trace is lost or "
				  "could not be read"
				: "%s was recorded, but no packet was %s while recording",
			w->name, verb);
	if (w->room != HEADER_TCP)
		return mer_arena_printf(&cli->arena,
			"%s has no field for packet headers: lttng-modules records them from "
			"version 2.9 on",
			w->name);
	if (between == 0)
		return mer_arena_printf(
			&cli->arena, "all packets in %s are local (loopback device)", w->name);
	if (w->found[HEADER_OTHER] == 0)
		return mer_arena_printf(&cli->arena,
			"none of the %s %s events examined has packet headers: the metadata "
			"declares them, but their type is always unknown, so packets %s cannot be "
			"matched with those of other hosts; %s",
			count_text(cli, between), w->name, verb,
			direction == RECEIVE
				? "this happens when receive offload is switched off: run "
				  "'ethtool -K DEVICE gro on' before recording"
				: "try another version of lttng-modules");
	if (between == 1)
		return mer_arena_printf(&cli->arena,
			"the only packet in %s is not TCP; only TCP packets can be matched",
			w->name);
	return mer_arena_printf(&cli->arena,
		"none of the %s packets examined in %s is TCP; only TCP packets can be matched",
		count_text(cli, between), w->name);
}

static void judge_host(struct cli *cli, struct check_host *h, const struct way *found)
{
	const char *why[N_DIRECTIONS] = { 0 };
	bool good[N_DIRECTIONS] = { 0 };
	const char **names[N_DIRECTIONS] = { &h->send, &h->receive };
	for (size_t w = 0; w < N_WAYS; w++) {
		enum direction d = ways[w].direction;
		if (!found[w].name || good[d])
			continue;
		*names[d] = found[w].name;
		why[d] = judge_way(cli, &found[w], d, h->seen[ways[w].event], h->partial);
		good[d] = !why[d];
	}
	h->can_sync = good[SEND] && good[RECEIVE];
	if (h->can_sync)
		return;
	if (!h->kernel) {
		h->why = "there is no kernel trace of this host; only kernel traces show packets";
	} else if (!h->send && !h->receive) {
		h->why = "no network packet event was recorded";
	} else if (!h->send || !h->receive) {
		h->why = mer_arena_printf(&cli->arena, "%s was not recorded",
			check_event_name(h->send ? CHECK_NET_IN : CHECK_NET_OUT));
	}
	h->lacks[CHECK_NET_OUT] = !h->send;
	h->lacks[CHECK_NET_IN] = !h->receive;
	for (int d = 0; d < N_DIRECTIONS; d++)
		if (why[d])
			h->why = h->why ? mer_arena_printf(&cli->arena, "%s; %s", h->why, why[d])
					: why[d];
	if (!h->why)
		h->why = "out of memory";
}

int check_sync(struct cli *cli, struct mer_experiment *e, struct check_host *hosts)
{
	struct way(*found)[N_WAYS] = mer_arena_zalloc(&cli->arena, e->n_hosts + 1u, sizeof(*found));
	if (!found)
		return mer_fail_nomem(&cli->err);
	look_at_metadata(e, hosts, found);
	int rc = look_at_events(cli, e, hosts, found);
	for (uint32_t h = 0; rc == 0 && h < e->n_hosts; h++)
		judge_host(cli, &hosts[h], found[h]);
	return rc;
}
