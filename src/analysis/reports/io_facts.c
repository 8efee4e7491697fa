/* Input and output: system calls that open, read, write, sync or copy, and the requests of a host to its disks.
 *
 * Bytes of calls are what they returned. What io_uring and mapped memory move is no result of a call: it is
 * seen on the disk only. A request begins when it was issued; all of them are known after the last event,
 * and come in that order. */
#include <stdlib.h>

#include "analysis/all.h"
#include "analysis/reports/io.h"
#include "kernel/files/files.h"

static const char *const op_names[IO_N_OPS] = { NULL, "open", "read", "write", "sync", "copy",
	"disk read", "disk write", "disk discard", "disk flush" };
static const char *const way_names[] = {
	[IO_MOVES_NONE] = NULL, [IO_MOVES_IN] = "in", [IO_MOVES_OUT] = "out"
};

static const char *kind_text(const struct kernel_host *h, int64_t kind)
{
	(void)h;
	return kernel_object_kind_name((enum kernel_object_kind)kind);
}

static int64_t begin_of(const struct kernel_host *h, const struct fact *f)
{
	(void)h;
	return f->begin;
}

/* ---- names ---- */

static int64_t target_of(const struct kernel_host *h, const struct fact *f)
{
	static const int64_t devices = 1LL << 32; /* beyond all names */
	const struct io_fact *x = (const struct io_fact *)f;
	uint32_t name = x->call == KERNEL_NONE ? KERNEL_NONE : h->calls[x->call].object;
	return x->call == KERNEL_NONE ? devices + x->device
	       : name == KERNEL_NONE  ? FACT_UNKNOWN
				      : name;
}

static bool has_name(const struct kernel_host *h, const struct fact *f,
	bool (*wants)(void *ctx, const char *name), void *ctx)
{
	const struct io_fact *x = (const struct io_fact *)f;
	if (x->call == KERNEL_NONE)
		return io_disk_has_name(h, x->device, wants, ctx);
	uint32_t name = h->calls[x->call].object;
	return name != KERNEL_NONE && wants(ctx, kernel_name_text(h, name));
}

static bool merge_has_name(const struct kernel_host *h, const struct fact *f,
	bool (*wants)(void *ctx, const char *name), void *ctx)
{
	return io_disk_has_name(h, ((const struct io_merge *)f)->device, wants, ctx);
}

/* ---- kinds ---- */

static const struct fact_field fields[] = {
	{ "name", "operation", MER_TEXT, FACT_WORDS(op_names), FACT_MEMBER(struct fact, choice) },
	{ "ret_value", NULL, MER_ID, FACT_RESULT, FACT_MEMBER(struct io_fact, ret) },
	{ "bytes", "bytes", MER_BYTES, FACT_NUMBER, FACT_MEMBER(struct io_fact, bytes) },
	{ "io_call", NULL, MER_ID, FACT_CALL, FACT_MEMBER(struct io_fact, call),
		FACT_NONE_IS(KERNEL_NONE) },
	{ "way", NULL, MER_TEXT, FACT_WORDS(way_names), FACT_MEMBER(struct io_fact, way) },
	{ "read_from", NULL, MER_ID, FACT_NUMBER, FACT_MEMBER(struct io_fact, read_from) },
	{ "written_to", NULL, MER_ID, FACT_NUMBER, FACT_MEMBER(struct io_fact, written_to) },
	{ "failed", NULL, MER_ID, FACT_NUMBER, FACT_MEMBER(struct io_fact, failed) },
	{ "disk", "disk", MER_TEXT, FACT_DEVICE, FACT_MEMBER(struct io_fact, device),
		FACT_NONE_IS(KERNEL_NONE) },
	{ "sector", NULL, MER_COUNT, FACT_NUMBER, FACT_MEMBER(struct io_fact, sector),
		FACT_NONE_IS(FACT_UNKNOWN) },
	{ "queue_ns", NULL, MER_DURATION, FACT_NUMBER, FACT_MEMBER(struct io_fact, queue_ns),
		FACT_NONE_IS(FACT_UNKNOWN) },
	{ 0 },
};
static const struct fact_view views[] = {
	{ "call", "call", MER_TEXT, FACT_CALL_NAME, .of = "io_call" },
	{ "file", "file", MER_TEXT, FACT_CALL_OBJECT, .of = "io_call" },
	{ "socket", NULL, MER_TEXT, FACT_CALL_OBJECT, .of = "io_call" },
	{ "fd", NULL, MER_ID, FACT_CALL_FD, .of = "io_call" },
	{ "kind", "kind", MER_TEXT, FACT_CALL_KIND, .of = "io_call", .meaning = FACT_TEXT,
		.text = kind_text },
	{ "target", NULL, MER_ID, FACT_BY_FUNCTION, .get = target_of },
	/* As packets have it (net_packet.c), for tables of both. */
	{ "at", NULL, MER_TIME, FACT_BY_FUNCTION, .get = begin_of },
	{ 0 },
};
static const struct fact_field merge_fields[] = {
	{ "bytes", "bytes", MER_BYTES, FACT_NUMBER, FACT_MEMBER(struct io_merge, bytes) },
	{ "disk", "disk", MER_TEXT, FACT_DEVICE, FACT_MEMBER(struct io_merge, device) },
	{ 0 },
};

static const struct fact_maker maker;
const struct fact_kind fact_io = {
	.id = "io",
	.title = "Input and output",
	.maker = &maker,
	.rule = FACT_BEGINS,
	.size = sizeof(struct io_fact),
	.fields = fields,
	.views = views,
	.duration = "duration_ns",
	.bytes = "bytes",
	.name = "target",
	.has_name = has_name,
};
/* It takes no time: none is as long as any. */
const struct fact_kind fact_io_merge = {
	.id = "io_merge",
	.title = "Requests that became part of another one",
	.maker = &maker,
	.rule = FACT_BEGINS,
	.size = sizeof(struct io_merge),
	.fields = merge_fields,
	.duration = "duration_ns",
	.bytes = "bytes",
	.name = "disk",
	.has_name = merge_has_name,
};

/* ---- their maker ---- */

enum { IO, MERGE };

static uint8_t place_of(enum kernel_object_kind kind)
{
	return kind == KERNEL_OBJECT_FILE     ? IO_ON_DISK
	       : kind == KERNEL_OBJECT_SOCKET ? IO_ON_NET
					      : IO_ON_OTHER;
}

static int on_call(void *ctx, const struct kernel_host *h, const struct kernel_call_end *c)
{
	struct fact_host *f = ctx;
	uint32_t classes = kernel_classes(h, c->call);
	enum io_op op = io_op_of(classes);
	if (op == IO_NONE || !fact_is_used(f, IO))
		return 0;
	uint8_t known = place_of((enum kernel_object_kind)h->calls[c->call].kind);
	bool to_known = classes & KERNEL_CALLS_WRITE;
	struct io_fact x = {
		.fact = { c->begin, c->end > c->begin ? c->end : c->begin, c->task, c->cpu,
			(uint16_t)op },
		.ret = c->ret,
		.bytes = (int64_t)io_bytes_of(classes, c->ret),
		.queue_ns = FACT_UNKNOWN,
		.sector = FACT_UNKNOWN,
		.call = c->call,
		.device = KERNEL_NONE,
		.way = to_known			     ? IO_MOVES_OUT
		       : classes & KERNEL_CALLS_READ ? IO_MOVES_IN
						     : IO_MOVES_NONE,
		.failed = c->ret < 0 ? IO_CALL_FAILED : IO_DONE,
	};
	/* The side of a copy that the call does not tell is of no known kind. */
	if (op == IO_READ || op == IO_COPY)
		x.read_from = op == IO_COPY && to_known ? IO_ON_OTHER : known;
	if (op == IO_WRITE || op == IO_COPY)
		x.written_to = op == IO_COPY && !to_known ? IO_ON_OTHER : known;
	return fact_add(f, h, IO, &x);
}

static int on_merge(void *ctx, const struct kernel_host *h, const struct kernel_merge *m)
{
	struct fact_host *f = ctx;
	const struct io_merge x = { .fact = { m->time, FACT_UNKNOWN, m->task, m->cpu, 0 },
		.bytes = (int64_t)m->bytes,
		.device = m->dev };
	return fact_is_used(f, MERGE) ? fact_add(f, h, MERGE, &x) : 0;
}

static int add_request(struct fact_host *f, const struct kernel_host *h, uint32_t request)
{
	const struct kernel_request *r = kernel_request_at(h, request);
	enum io_op op = io_op_of_request(r);
	int64_t queued = io_request_queued(r), end = io_request_end(r);
	const struct io_fact x = {
		.fact = { io_request_begin(r), end != INT64_MIN ? end : FACT_UNKNOWN, r->task,
			r->cpu, (uint16_t)op },
		.ret = r->error,
		.bytes = r->bytes,
		.queue_ns = queued >= 0 ? queued : FACT_UNKNOWN,
		.sector = (int64_t)r->sector,
		.call = KERNEL_NONE,
		.device = r->dev,
		.failed = r->error ? IO_REQUEST_FAILED : IO_DONE,
	};
	return op == IO_NONE ? 0 : fact_add(f, h, IO, &x);
}

static int end(struct fact_host *f, const struct kernel_world *w, const struct kernel_host *h)
{
	(void)w;
	if (!fact_is_used(f, IO))
		return 0;
	uint32_t *order = io_requests_by_begin(h);
	int rc = order ? 0 : mer_fail_nomem(f->err);
	for (uint32_t i = 0; i < h->n_requests && rc == 0; i++)
		rc = add_request(f, h, order[i]);
	free(order);
	return rc;
}

static const struct fact_kind *const kinds[] = { [IO] = &fact_io, [MERGE] = &fact_io_merge, NULL };
static const struct fact_maker maker = {
	.id = "io",
	.kinds = kinds,
	.wants = KERNEL_WANT_MERGES,
	.on = { .call = on_call, .merge = on_merge },
	.end = end,
};
