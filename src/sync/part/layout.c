#include "sync/part/layout.h"

#include <stdlib.h>
#include <string.h>

#include "copied/copied.h"

const char *const sync_part_fields[SYNC_PART_N_FIELDS] = { "seq", "ack", "addresses", "ports",
	"from", "to", "flags", "id", "len", "head", "kind", "way" };
static const unsigned bits[SYNC_PART_N_FIELDS] = { 32, 32, 32, 32, 32, 32, 16, 16, 16, 8, 8, 8 };
const char *const sync_part_missing[SYNC_PART_N_MISSING] = { "received", "sent" };

/* ---- an end ---- */

static uint64_t value_of(const struct sync_end *e, enum sync_part_field field)
{
	switch (field) {
	case SYNC_PART_SEQ: return e->seq;
	case SYNC_PART_ACK: return e->ack;
	case SYNC_PART_ADDRESSES: return e->addresses;
	case SYNC_PART_PORTS: return e->ports;
	case SYNC_PART_FROM: return e->from;
	case SYNC_PART_TO: return e->to;
	case SYNC_PART_FLAGS: return e->flags;
	case SYNC_PART_ID: return e->id;
	case SYNC_PART_LEN: return e->len;
	case SYNC_PART_HEAD: return e->head;
	case SYNC_PART_KIND: return e->kind;
	case SYNC_PART_WAY:
		return (e->is_send ? SYNC_PART_IS_SEND : 0u) |
		       (e->is_local ? SYNC_PART_IS_LOCAL : 0u) |
		       (e->is_ipv4 ? SYNC_PART_IS_IPV4 : 0u);
	case SYNC_PART_N_FIELDS: break;
	}
	return 0;
}

void sync_part_encode(const struct sync_end *e, uint8_t bytes[SYNC_PART_END_BYTES])
{
	for (unsigned f = 0; f < SYNC_PART_N_FIELDS; f++) {
		uint64_t v = value_of(e, (enum sync_part_field)f);
		for (unsigned i = 0; i < bits[f]; i += 8)
			*bytes++ = (uint8_t)(v >> i);
	}
}

bool sync_part_decode(const uint64_t values[SYNC_PART_N_FIELDS], struct sync_end *e)
{
	const uint64_t *v = values;
	for (unsigned f = 0; f < SYNC_PART_N_FIELDS; f++)
		if (v[f] >> bits[f])
			return false;
	if (v[SYNC_PART_KIND] != SYNC_TCP && v[SYNC_PART_KIND] != SYNC_UDP &&
		v[SYNC_PART_KIND] != SYNC_ICMP && v[SYNC_PART_KIND] != SYNC_VMSYNC)
		return false;
	*e = (struct sync_end){ .seq = (uint32_t)v[SYNC_PART_SEQ],
		.ack = (uint32_t)v[SYNC_PART_ACK],
		.addresses = (uint32_t)v[SYNC_PART_ADDRESSES],
		.ports = (uint32_t)v[SYNC_PART_PORTS],
		.from = (uint32_t)v[SYNC_PART_FROM],
		.to = (uint32_t)v[SYNC_PART_TO],
		.flags = (uint16_t)v[SYNC_PART_FLAGS],
		.id = (uint16_t)v[SYNC_PART_ID],
		.len = (uint16_t)v[SYNC_PART_LEN],
		.head = (uint8_t)v[SYNC_PART_HEAD],
		.kind = v[SYNC_PART_KIND] & 7,
		.is_send = (v[SYNC_PART_WAY] & SYNC_PART_IS_SEND) != 0,
		.is_local = (v[SYNC_PART_WAY] & SYNC_PART_IS_LOCAL) != 0,
		.is_ipv4 = (v[SYNC_PART_WAY] & SYNC_PART_IS_IPV4) != 0 };
	e->hash = sync_hash(e->kind, e->seq, e->ack);
	return true;
}

/* ---- the schema ---- */

static struct ctf_fc *end_payload(struct mer_arena *a)
{
	struct ctf_fc *p = ctf_new_struct(a, 8);
	for (unsigned f = 0; f < SYNC_PART_N_FIELDS; f++)
		ctf_struct_add(
			a, p, sync_part_fields[f], ctf_new_int(a, bits[f], false, 8, CTF_LE));
	return p;
}

static struct ctf_fc *missing_payload(struct mer_arena *a)
{
	struct ctf_fc *p = ctf_new_struct(a, 8);
	for (unsigned f = 0; f < SYNC_PART_N_MISSING; f++)
		ctf_struct_add(a, p, sync_part_missing[f], ctf_new_int(a, 32, false, 8, CTF_LE));
	return p;
}

/* The trace whose identity the part takes: of the kernel, if there is one. */
static const struct mer_trace *trace_of(const struct mer_experiment *e, uint32_t host)
{
	const struct mer_trace *found = NULL;
	for (uint32_t t = 0; t < e->n_traces; t++) {
		const struct mer_trace *x = &e->traces[t];
		if (x->host == host && (!found || (strcmp(found->domain, "kernel") != 0 &&
							  strcmp(x->domain, "kernel") == 0)))
			found = x;
	}
	return found;
}

/* Does the host have a trace that is no copy? */
static bool has_trace(const struct mer_experiment *e, uint32_t host)
{
	bool has = false;
	for (uint32_t i = 0; i < e->n_parts; i++)
		has |= e->traces[e->parts[i].trace].host == host &&
		       (!trace_part_is_copy(&e->parts[i]) ||
			       trace_of_copy(&e->parts[i], COPIED_ENV_TRACE));
	return has;
}

/* ns; begin: the trace's clock has no zero that can be kept. */
static int64_t zero_of(const struct mer_experiment *e, const struct mer_trace *t, int64_t begin)
{
	for (uint32_t i = 0; i < e->n_parts; i++) {
		const struct trace_part *p = &e->parts[i];
		if (&e->traces[p->trace] == t && p->schema->n_clocks && !p->clocks[0].base_s)
			return p->clocks[0].base_ns < begin ? p->clocks[0].base_ns : begin;
	}
	return begin;
}

/* A path means nothing elsewhere, and one of the current folder not even here: then that of the
 * folder and the name, as they are from the root. */
static const char *id_of(struct mer_arena *a, const struct mer_experiment *e, uint32_t host)
{
	const struct mer_host *h = &e->hosts[host];
	char *path = strchr(h->id, '/') || strcmp(h->id, ".") == 0 ? realpath(h->id, NULL) : NULL;
	const char *id = path ? mer_arena_printf(a, "%s:%s", h->name, path) : h->id;
	free(path);
	return id;
}

static bool has_losses(const struct mer_experiment *e, uint32_t host)
{
	bool has = false;
	for (uint32_t i = 0; i < e->n_losses; i++)
		has |= e->traces[e->streams[e->losses[i].stream].trace].host == host;
	return has;
}

enum { N_ENV = 9 };
#define SECOND_NS INT64_C(1000000000)

struct ctf_schema *sync_part_schema(struct mer_arena *a, const struct mer_experiment *e,
	uint32_t host, bool is_sampled, int64_t begin, int64_t *base)
{
	const struct mer_trace *t = trace_of(e, host);
	*base = zero_of(e, t, begin);
	int64_t seconds = *base / SECOND_NS - (*base % SECOND_NS < 0);
	struct ctf_env env[N_ENV] = { { .name = "hostname", .text = e->hosts[host].name },
		{ .name = "domain", .text = "kernel" },
		{ .name = "tracer_name", .text = t->tracer },
		{ .name = COPIED_ENV_FORM, .text = "part" },
		{ .name = COPIED_ENV_HOST, .text = id_of(a, e, host) } };
	unsigned n_env = 5;
	if (has_trace(e, host))
		env[n_env++] = (struct ctf_env){ .name = COPIED_ENV_TRACE, .text = "CTF" };
	if (has_losses(e, host))
		env[n_env++] = (struct ctf_env){ .name = COPIED_ENV_LOST, .text = "yes" };
	if (is_sampled)
		env[n_env++] = (struct ctf_env){ .name = COPIED_ENV_SAMPLED, .text = "yes" };
	if (t->clock.name)
		env[n_env++] = (struct ctf_env){ .name = COPIED_ENV_CLOCK, .text = t->clock.name };
	static const char *const names[] = { SYNC_PART_END, SYNC_PART_WITHOUT };
	enum { N_EVENTS = sizeof(names) / sizeof(names[0]) };
	struct ctf_schema *s = mer_arena_zalloc(a, 1, sizeof(*s));
	struct ctf_clock *clock = mer_arena_zalloc(a, 1, sizeof(*clock));
	struct ctf_stream_class *stream = mer_arena_zalloc(a, 1, sizeof(*stream));
	struct ctf_event_class *events = mer_arena_zalloc(a, N_EVENTS, sizeof(*events));
	struct ctf_env *own = mer_arena_zalloc(a, N_ENV, sizeof(*own));
	if (!s || !clock || !stream || !events || !own)
		return NULL;
	memcpy(own, env, sizeof(env));
	*clock = (struct ctf_clock){ .name = "clock",
		.freq_hz = SECOND_NS,
		.offset_s = seconds,
		.offset_cycles = *base - seconds * SECOND_NS };
	clock->has_uuid =
		t->clock.uuid && ctf_uuid_parse(t->clock.uuid, strlen(t->clock.uuid), clock->uuid);
	*s = (struct ctf_schema){ .major = 1,
		.minor = 8,
		.order = CTF_LE,
		.clocks = clock,
		.n_clocks = 1,
		.streams = stream,
		.n_streams = 1,
		.env = own,
		.n_env = n_env };
	s->has_uuid = t->uuid && ctf_uuid_parse(t->uuid, strlen(t->uuid), s->uuid);
	s->packet_header = ctf_new_packet_header(a, CTF_LE);
	stream->packet_context = ctf_new_packet_context(a, CTF_LE, 0);
	/* The last field is the CPU: there is none. */
	if (stream->packet_context)
		stream->packet_context->u.record.n--;
	stream->event_header = ctf_new_event_header(a, s, CTF_WRITE_LARGE, CTF_LE, 0);
	for (unsigned i = 0; i < N_EVENTS; i++)
		events[i] = (struct ctf_event_class){ .id = i,
			.name = names[i],
			.log_level = -1,
			.payload = i ? missing_payload(a) : end_payload(a) };
	stream->events = events;
	stream->n_events = N_EVENTS;
	return a->failed ? NULL : s;
}
