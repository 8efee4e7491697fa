/* Why clocks cannot be compared, in words. */
#include "base/str.h"
#include "ask/traces/check_result.h"
#include "ask/print/text.h"

static void put_obstacle(
	const struct capability_host *h, enum capability_direction direction, struct mer_str *out)
{
	static const char *const verbs[] = { "sent", "received" };
	const struct capability_packets *p = &h->packets[direction];
	switch (p->obstacle) {
	case CAPABILITY_CLEAR: break;
	case CAPABILITY_NO_PACKET:
		mer_str_printf(out,
			h->partial
				? "no %s event was found, but part of the trace is lost or could not be read"
				: "%s was recorded, but no packet was %s while recording",
			p->event, verbs[direction]);
		break;
	case CAPABILITY_NO_HEADER_FIELD:
		mer_str_printf(out,
			h->tool == TRACE_BY_LTTNG
				? "%s has no field for packet headers: lttng-modules records them from version 2.9 on"
				: "%s has no packet headers, which take probes with this tracer (docs/recordings.md)",
			p->event);
		break;
	case CAPABILITY_ALL_LOCAL:
		mer_str_printf(out, "all packets in %s are local (loopback device)", p->event);
		break;
	case CAPABILITY_HEADERS_EMPTY:
		mer_str_puts(out, "none of the ");
		ask_text_count(out, (int64_t)p->n_examined);
		mer_str_printf(out,
			" %s events examined has packet headers: the metadata declares them, but their type is always unknown, so packets %s cannot be matched with those of other hosts; %s",
			p->event, verbs[direction],
			direction == CAPABILITY_RECEIVE
				? "this happens when receive offload is switched off: run 'ethtool -K DEVICE gro on' before recording"
				: "try another version of lttng-modules");
		break;
	case CAPABILITY_OTHER_KINDS:
		if (p->n_examined == 1) {
			mer_str_printf(out,
				"the only packet in %s is neither TCP nor UDP; only these can be matched",
				p->event);
			break;
		}
		mer_str_puts(out, "none of the ");
		ask_text_count(out, (int64_t)p->n_examined);
		mer_str_printf(out,
			" packets examined in %s is TCP or UDP; only these can be matched",
			p->event);
		break;
	}
}

const char *check_why(struct ask *ask, const struct capability_host *h)
{
	struct mer_str s = { 0 };
	bool has_send = h->packets[CAPABILITY_SEND].event;
	bool has_receive = h->packets[CAPABILITY_RECEIVE].event;
	if (!h->kernel)
		mer_str_puts(&s,
			"there is no kernel trace of this host; only kernel traces show packets");
	else if (!has_send && !has_receive)
		mer_str_puts(&s, "no network packet event was recorded");
	else if (!has_send || !has_receive)
		mer_str_printf(&s, "%s was not recorded",
			capability_event_typed(
				has_send ? CAPABILITY_NET_IN : CAPABILITY_NET_OUT, h->tool));
	for (int d = 0; d < CAPABILITY_N_DIRECTIONS; d++)
		if (h->packets[d].obstacle) {
			mer_str_puts(&s, s.len ? "; " : "");
			put_obstacle(h, (enum capability_direction)d, &s);
		}
	const char *why = s.failed ? NULL : mer_arena_strdup(&ask->arena, s.data ? s.data : "");
	mer_str_fini(&s);
	return why ? why : "out of memory";
}
