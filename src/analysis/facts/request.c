#include "analysis/facts/request.h"

#include "analysis/all.h"

static const char *const side_names[] = {
	[REQUEST_SERVER] = "server", [REQUEST_CLIENT] = "client"
};

static bool served_by(const struct fact *f, struct fact_end *server)
{
	const struct request_fact *x = (const struct request_fact *)f;
	*server = (struct fact_end){ x->hosts[REQUEST_SERVER], x->tasks[REQUEST_SERVER],
		KERNEL_NO_CPU };
	return f->choice == REQUEST_CLIENT && server->host != KERNEL_NONE;
}

static int of_world(struct analysis_run *run, struct fact_host *const *by_host, struct mer_err *err)
{
	const struct analysis_options *o = run->options;
	return o->requests ? o->requests(o->ctx, by_host, err) : 0;
}

#define MEMBER(member_) FACT_MEMBER(struct request_fact, member_)
#define NUMBER(key_, member_, none_)                                                               \
	{                                                                                          \
		key_, NULL, MER_ID, FACT_NUMBER, MEMBER(member_), FACT_NONE_IS(none_)              \
	}
static const struct fact_field fields[] = {
	{ "side", NULL, MER_TEXT, FACT_WORDS(side_names), FACT_MEMBER(struct fact, choice) },
	{ "latency_ns", "latency", MER_DURATION, FACT_NUMBER, MEMBER(latency),
		FACT_NONE_IS(FACT_UNKNOWN) },
	{ "sent_bytes", "sent", MER_BYTES, FACT_NUMBER, MEMBER(sent) },
	{ "received_bytes", "received", MER_BYTES, FACT_NUMBER, MEMBER(received) },
	{ "kind", "kind", MER_TEXT, FACT_NAME, MEMBER(kind) },
	{ "parent_kind", "sent for", MER_TEXT, FACT_NAME, MEMBER(parent_kind),
		FACT_NONE_IS(KERNEL_NONE) },
	{ "client_host", "client host", MER_TEXT, FACT_HOST, MEMBER(hosts[REQUEST_CLIENT]),
		FACT_NONE_IS(KERNEL_NONE) },
	{ "client", "client", MER_TEXT, FACT_NAME, MEMBER(names[REQUEST_CLIENT]),
		FACT_NONE_IS(KERNEL_NONE) },
	{ "server_host", "server host", MER_TEXT, FACT_HOST, MEMBER(hosts[REQUEST_SERVER]),
		FACT_NONE_IS(KERNEL_NONE) },
	{ "server", "server", MER_TEXT, FACT_NAME, MEMBER(names[REQUEST_SERVER]),
		FACT_NONE_IS(KERNEL_NONE) },
	{ "port", "port", MER_ID, FACT_NUMBER, MEMBER(port), FACT_NONE_IS(0) },
	{ "messages", NULL, MER_COUNT, FACT_NUMBER, MEMBER(messages) },
	NUMBER("connection", connection, 0),
	NUMBER("place", place, 0),
	NUMBER("parent_connection", parent_connection, 0),
	NUMBER("parent_place", parent_place, 0),
	{ 0 },
};

static const struct fact_kind *const kinds[] = { &fact_request, NULL };
static const struct fact_maker maker = {
	.id = "request",
	.kinds = kinds,
	.messages = true,
	.requests = true,
	.of_world = of_world,
};
const struct fact_kind fact_request = {
	.id = "request",
	.title = "Requests",
	.maker = &maker,
	.rule = FACT_BEGINS,
	.size = sizeof(struct request_fact),
	.of_tasks = true,
	.fields = fields,
	.first_end = served_by,
	.duration = "duration_ns",
	.bytes = "received_bytes",
	.name = "kind",
};
