/* Facts about messages whose two ends were recorded, on any hosts that can be compared: packets,
 * and what else leads from one host to another (kernel/bridge.h). Those of MPI have facts of their
 * own. A message is a fact at each of its ends: first where it was sent. */
#include <stdlib.h>

#include "analysis/all.h"
#include "analysis/fact.h"
#include "kernel/receivers.h"

enum side { SENDER, RECEIVER, N_SIDES };

struct message {
	/* choice: enum side, whose task and host it is of; begin, end: sent and received */
	struct fact fact;
	uint32_t hosts[N_SIDES];
	/* Of these hosts: who sent it; whom it ended a wait of. KERNEL_NONE: nobody, or not
	 * known. */
	uint32_t tasks[N_SIDES];
	uint32_t names[N_SIDES];     /* of these tasks */
	uint32_t addresses[N_SIDES]; /* names: "10.0.0.2:80"; KERNEL_NONE: not known */
	uint16_t ports[N_SIDES];     /* 0: not known */
	uint8_t kind;		     /* enum sync_kind */
	uint8_t content;	     /* enum sync_content */
	uint8_t unused[2];
};

static const char *const side_names[] = { [SENDER] = "sender", [RECEIVER] = "receiver" };
static const char *const content_names[] = {
	[SYNC_EMPTY] = "empty", [SYNC_OPENS] = "opens", [SYNC_DATA] = "data"
};

static int64_t protocol_of(const struct kernel_host *h, const struct fact *f)
{
	(void)h;
	return ((const struct message *)f)->kind;
}

static const char *protocol_text(const struct kernel_host *h, int64_t kind)
{
	(void)h;
	return sync_kind_name((enum sync_kind)kind);
}

static bool sent_by(const struct fact *f, struct fact_end *sender)
{
	const struct message *m = (const struct message *)f;
	*sender = (struct fact_end){ m->hosts[SENDER], m->tasks[SENDER], KERNEL_NO_CPU };
	return f->choice == RECEIVER;
}

#define MEMBER(member_, side_) FACT_MEMBER(struct message, member_[side_])
static const struct fact_field fields[] = {
	{ "side", NULL, MER_TEXT, FACT_WORDS(side_names), FACT_MEMBER(struct fact, choice) },
	{ "from_host", "from host", MER_TEXT, FACT_HOST, MEMBER(hosts, SENDER) },
	{ "to_host", "to host", MER_TEXT, FACT_HOST, MEMBER(hosts, RECEIVER) },
	{ "sender", "sender", MER_TEXT, FACT_NAME, MEMBER(names, SENDER),
		FACT_NONE_IS(KERNEL_NONE) },
	{ "receiver", "receiver", MER_TEXT, FACT_NAME, MEMBER(names, RECEIVER),
		FACT_NONE_IS(KERNEL_NONE) },
	{ "from", "from", MER_TEXT, FACT_NAME, MEMBER(addresses, SENDER),
		FACT_NONE_IS(KERNEL_NONE) },
	{ "to", "to", MER_TEXT, FACT_NAME, MEMBER(addresses, RECEIVER), FACT_NONE_IS(KERNEL_NONE) },
	{ "from_port", "from port", MER_ID, FACT_NUMBER, MEMBER(ports, SENDER), FACT_NONE_IS(0) },
	{ "to_port", "to port", MER_ID, FACT_NUMBER, MEMBER(ports, RECEIVER), FACT_NONE_IS(0) },
	{ "content", "content", MER_TEXT, FACT_WORDS(content_names),
		FACT_MEMBER(struct message, content) },
	{ 0 },
};
static const struct fact_view views[] = {
	{ "protocol", "protocol", MER_TEXT, FACT_BY_FUNCTION, .get = protocol_of,
		.meaning = FACT_TEXT, .text = protocol_text },
	{ 0 },
};

static struct message fact_of(
	const struct kernel_world *w, const struct kernel_bridge *b, uint32_t receiver)
{
	struct message m = {
		.fact = { .begin = b->from.time, .end = b->to.time, .cpu = KERNEL_NO_CPU },
		.hosts = { [SENDER] = b->from.host, [RECEIVER] = b->to.host },
		.tasks = { [SENDER] = KERNEL_NONE, [RECEIVER] = receiver },
		.kind = b->kind,
		.content = b->content,
	};
	if (b->from.span != KERNEL_NONE)
		m.tasks[SENDER] = kernel_span(&w->hosts[b->from.host], b->from.span)->task;
	return m;
}

/* At this end: names are those of its host. */
static int add(struct kernel_world *w, const struct kernel_bridge *b, struct fact_host *to,
	struct message *m)
{
	const uint32_t endpoints[N_SIDES] = { b->from.endpoint, b->to.endpoint };
	struct kernel_host *h = &w->hosts[to->host];
	bool ok = true;
	for (unsigned side = 0; side < N_SIDES; side++) {
		char text[KERNEL_ENDPOINT_BYTES];
		bool is_known = kernel_endpoint_text(w, endpoints[side], text, &m->ports[side]);
		ok &= fact_name(h, is_known ? text : "", &m->addresses[side]) &&
		      fact_comm(h, w->hosts, m->hosts[side], m->tasks[side], &m->names[side]);
	}
	return ok ? fact_add(to, h, 0, m) : mer_fail_nomem(to->err);
}

static int of_world(struct analysis_run *run, struct fact_host *const *by_host, struct mer_err *err)
{
	struct kernel_world *w = run->world;
	uint32_t *receivers = malloc(((size_t)w->n_bridges + 1) * sizeof(*receivers));
	int rc = receivers ? kernel_receivers_find(w, receivers, err) : mer_fail_nomem(err);
	for (uint32_t i = 0; i < w->n_bridges && rc == 0; i++) {
		const struct kernel_bridge *b = kernel_bridge_at(w, i);
		struct fact_host *at[N_SIDES] = { by_host[b->from.host], by_host[b->to.host] };
		bool is_needed = false;
		for (unsigned side = 0; side < N_SIDES; side++)
			is_needed |= at[side] && fact_is_needed(at[side], b->from.time, b->to.time);
		if (!is_needed)
			continue;
		struct message m = fact_of(w, b, receivers[i]);
		for (unsigned side = 0; side < N_SIDES && rc == 0; side++) {
			m.fact.choice = (uint16_t)side;
			m.fact.task = m.tasks[side];
			if (at[side])
				rc = add(w, b, at[side], &m);
		}
	}
	free(receivers);
	return rc;
}

static const struct fact_kind *const kinds[] = { &fact_message, NULL };
static const struct fact_maker maker = {
	.id = "message",
	.kinds = kinds,
	.messages = true,
	.of_world = of_world,
};
const struct fact_kind fact_message = {
	.id = "message",
	.title = "Messages",
	.maker = &maker,
	.rule = FACT_BEGINS,
	.size = sizeof(struct message),
	.of_tasks = true,
	.fields = fields,
	.views = views,
	.first_end = sent_by,
	.duration = "duration_ns",
};
