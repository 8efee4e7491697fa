#include "pcap/layout.h"

#include "copied/copied.h"
#include "copied/packet_headers.h"

static struct ctf_fc *payload(struct mer_arena *a, struct ctf_schema *s)
{
	struct ctf_fc *p = ctf_new_struct(a, 8);
	ctf_struct_add(a, p, "skbaddr", ctf_new_int(a, 64, false, 8, CTF_LE));
	ctf_struct_add(a, p, "len", ctf_new_int(a, 32, false, 8, CTF_LE));
	ctf_struct_add(a, p, "name", ctf_new_string(a));
	copied_add_headers(a, s, p);
	return p;
}

struct ctf_schema *pcap_layout(struct mer_arena *a, const char *form)
{
	static const char *const names[PCAP_N_EVENTS] = { "net_dev_queue", "net_if_receive_skb" };
	const struct ctf_env env[] = { { .name = "domain", .text = "kernel" },
		{ .name = "sysname", .text = "unknown" }, { .name = "tracer_name", .text = "pcap" },
		{ .name = COPIED_ENV_FORM, .text = form } };
	enum { N_ENV = sizeof(env) / sizeof(env[0]) };
	struct ctf_schema *s = mer_arena_zalloc(a, 1, sizeof(*s));
	struct ctf_clock *clock = mer_arena_zalloc(a, 1, sizeof(*clock));
	struct ctf_stream_class *stream = mer_arena_zalloc(a, 1, sizeof(*stream));
	struct ctf_event_class *events = mer_arena_zalloc(a, PCAP_N_EVENTS, sizeof(*events));
	struct ctf_env *own = mer_arena_zalloc(a, N_ENV, sizeof(*own));
	if (!s || !clock || !stream || !events || !own)
		return NULL;
	for (unsigned i = 0; i < N_ENV; i++)
		own[i] = env[i];
	*clock = (struct ctf_clock){ .name = "realtime", .freq_hz = 1000000000 };
	*s = (struct ctf_schema){ .major = 1,
		.minor = 8,
		.order = CTF_LE,
		.clocks = clock,
		.n_clocks = 1,
		.streams = stream,
		.n_streams = 1,
		.env = own,
		.n_env = N_ENV };
	s->packet_header = ctf_new_packet_header(a, CTF_LE);
	stream->packet_context = ctf_new_packet_context(a, CTF_LE, 0);
	/* The last field is the CPU, which is unknown. */
	if (stream->packet_context)
		stream->packet_context->u.record.n--;
	stream->event_header = ctf_new_event_header(a, s, CTF_WRITE_COMPACT, CTF_LE, 0);
	for (unsigned i = 0; i < PCAP_N_EVENTS; i++)
		events[i] = (struct ctf_event_class){
			.id = i, .name = names[i], .log_level = -1, .payload = payload(a, s)
		};
	stream->events = events;
	stream->n_events = PCAP_N_EVENTS;
	return a->failed ? NULL : s;
}
