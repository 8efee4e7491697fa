/* Input and output: system calls that open, read, write, sync or copy.
 *
 * Bytes are the results of calls; for sockets also the sizes in the kernel's socket events, if
 * there is no recorded call. Data moved by io_uring and mapped memory is not the result of a
 * call and only shows up at the disk (facts/disk.c). */
#include "analysis/all.h"
#include "analysis/facts/io.h"
#include "kernel/files/files.h"

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

/* Duration of a call; for data without a call (on_moved) only the time is known. */
static int64_t duration_of(const struct kernel_host *h, const struct fact *f)
{
	const struct io_fact *x = (const struct io_fact *)f;
	return f->end == f->begin && io_op_of(kernel_classes(h, x->call)) == IO_NONE
		       ? FACT_UNKNOWN
		       : f->end - f->begin;
}

/* ---- kinds ---- */

static const struct fact_field fields[] = {
	{ "name", "operation", MER_TEXT, FACT_WORDS(io_op_names),
		FACT_MEMBER(struct fact, choice) },
	{ "ret_value", NULL, MER_ID, FACT_RESULT, FACT_MEMBER(struct io_fact, ret) },
	{ "bytes", "bytes", MER_BYTES, FACT_NUMBER, FACT_MEMBER(struct io_fact, bytes) },
	{ "io_call", NULL, MER_ID, FACT_CALL, FACT_MEMBER(struct io_fact, call),
		FACT_NONE_IS(KERNEL_NONE) },
	{ "way", NULL, MER_TEXT, FACT_WORDS(way_names), FACT_MEMBER(struct io_fact, way) },
	{ "read_from", NULL, MER_ID, FACT_NUMBER, FACT_MEMBER(struct io_fact, read_from) },
	{ "written_to", NULL, MER_ID, FACT_NUMBER, FACT_MEMBER(struct io_fact, written_to) },
	{ 0 },
};
static const struct fact_view views[] = {
	{ "call", "call", MER_TEXT, FACT_CALL_NAME, .of = "io_call" },
	{ "file", "file", MER_TEXT, FACT_CALL_OBJECT, .of = "io_call" },
	{ "socket", NULL, MER_TEXT, FACT_CALL_OBJECT, .of = "io_call" },
	{ "fd", NULL, MER_ID, FACT_CALL_FD, .of = "io_call" },
	{ "kind", "kind", MER_TEXT, FACT_CALL_KIND, .of = "io_call", .meaning = FACT_TEXT,
		.text = kind_text },
	{ "duration_ns", "duration", MER_DURATION, FACT_BY_FUNCTION, .get = duration_of,
		.meaning = FACT_NUMBER },
	/* Under the same name as in packet.c, for tables of both. */
	{ "at", NULL, MER_TIME, FACT_BY_FUNCTION, .get = begin_of },
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
	.name = "file",
};
/* ---- their maker ---- */

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
	if (op == IO_NONE)
		return 0;
	uint8_t known = place_of((enum kernel_object_kind)h->calls[c->call].kind);
	bool to_known = classes & KERNEL_CALLS_WRITE;
	struct io_fact x = {
		.fact = { c->begin, c->end > c->begin ? c->end : c->begin, c->task, c->cpu,
			(uint16_t)op },
		.ret = c->ret,
		.bytes = (int64_t)io_bytes_of(classes, c->ret),
		.call = c->call,
		.way = to_known			     ? IO_MOVES_OUT
		       : classes & KERNEL_CALLS_READ ? IO_MOVES_IN
						     : IO_MOVES_NONE,
	};
	/* The side of a copy that is not an argument of the call has no known kind. */
	if (op == IO_READ || op == IO_COPY)
		x.read_from = op == IO_COPY && to_known ? IO_ON_OTHER : known;
	if (op == IO_WRITE || op == IO_COPY)
		x.written_to = op == IO_COPY && !to_known ? IO_ON_OTHER : known;
	return fact_add(f, h, 0, &x);
}

/* An instant without a duration. */
static int on_moved(void *ctx, const struct kernel_host *h, const struct kernel_moved *m)
{
	uint8_t place = place_of((enum kernel_object_kind)h->calls[m->call].kind);
	struct io_fact x = {
		.fact = { m->time, m->time, m->task, m->cpu, m->is_send ? IO_WRITE : IO_READ },
		.ret = m->ret,
		.bytes = m->ret > 0 ? m->ret : 0,
		.call = m->call,
		.way = m->is_send ? IO_MOVES_OUT : IO_MOVES_IN,
		.read_from = m->is_send ? IO_NOWHERE : place,
		.written_to = m->is_send ? place : IO_NOWHERE,
	};
	return fact_add(ctx, h, 0, &x);
}

static const struct fact_kind *const kinds[] = { &fact_io, NULL };
static const struct fact_maker maker = {
	.id = "io",
	.kinds = kinds,
	.on = { .call = on_call, .moved = on_moved },
};
