/* System calls that open, read, write, sync or copy: what they moved, and of what.
 *
 * Bytes are what the calls returned. What io_uring and mapped memory move is no result of a call. */
#include "analysis/all.h"
#include "analysis/reports/io.h"
#include "kernel/files/files.h"

static const char *const op_names[] = { NULL, "open", "read", "write", "sync", "copy" };
static const char *const way_names[] = {
	[IO_MOVES_NONE] = NULL, [IO_MOVES_IN] = "in", [IO_MOVES_OUT] = "out"
};

static const char *kind_text(const struct kernel_host *h, int64_t kind)
{
	(void)h;
	return kernel_object_kind_name((enum kernel_object_kind)kind);
}

static const struct fact_field fields[] = {
	{ "name", "operation", MER_TEXT, FACT_WORDS(op_names), FACT_MEMBER(struct fact, choice) },
	{ "ret_value", NULL, MER_ID, FACT_RESULT, FACT_MEMBER(struct io_call, ret) },
	{ "bytes", "bytes", MER_BYTES, FACT_NUMBER, FACT_MEMBER(struct io_call, bytes) },
	{ "io_call", NULL, MER_ID, FACT_CALL, FACT_MEMBER(struct io_call, call) },
	{ "way", NULL, MER_TEXT, FACT_WORDS(way_names), FACT_MEMBER(struct io_call, way) },
	/* As packets have it (net_packet.c), for tables of both. */
	{ "at", NULL, MER_TIME, FACT_NUMBER, FACT_MEMBER(struct fact, begin) },
	{ 0 },
};
static const struct fact_view views[] = {
	{ "call", "call", MER_TEXT, FACT_CALL_NAME, .of = "io_call" },
	{ "file", "file", MER_TEXT, FACT_CALL_OBJECT, .of = "io_call" },
	{ "socket", NULL, MER_TEXT, FACT_CALL_OBJECT, .of = "io_call" },
	{ "fd", NULL, MER_ID, FACT_CALL_FD, .of = "io_call" },
	{ "kind", "kind", MER_TEXT, FACT_CALL_KIND, .of = "io_call", .meaning = FACT_TEXT,
		.text = kind_text },
	{ 0 },
};

static const struct fact_maker maker;
const struct fact_kind fact_io_call = {
	.id = "io_call",
	.title = "Calls for input and output",
	.maker = &maker,
	.rule = FACT_BEGINS,
	.size = sizeof(struct io_call),
	.fields = fields,
	.views = views,
	.duration = "duration_ns",
	.bytes = "bytes",
	.name = "file",
};

static int on_call(void *ctx, const struct kernel_host *h, const struct kernel_call_end *c)
{
	struct fact_host *f = ctx;
	uint32_t classes = kernel_classes(h, c->call);
	enum io_op op = io_op_of(classes);
	if (op == IO_NONE)
		return 0;
	const struct io_call x = {
		.fact = { c->begin, c->end > c->begin ? c->end : c->begin, c->task, c->cpu,
			(uint16_t)op },
		.ret = c->ret,
		.bytes = (int64_t)io_bytes_of(classes, c->ret),
		.call = c->call,
		.way = classes & KERNEL_CALLS_WRITE  ? IO_MOVES_OUT
		       : classes & KERNEL_CALLS_READ ? IO_MOVES_IN
						     : IO_MOVES_NONE,
	};
	return fact_add(f, h, 0, &x);
}

static const struct fact_kind *const kinds[] = { &fact_io_call, NULL };
static const struct fact_maker maker = {
	.id = "io_call",
	.kinds = kinds,
	.needs_no_past = true,
	.on = { .call = on_call },
};
