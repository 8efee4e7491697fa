/* Data: what some calls write and others read. If both ends have the same name (pipes, fifos, pairs
 * of sockets), it is followed byte by byte; otherwise written data goes to the task that was woken
 * by an earlier write. */
#include <string.h>

#include "analysis/relations/state.h"

struct giving { /* what give() adds to what a stream reports */
	struct analysis_host *a;
	enum relation_kind kind;
	uint32_t name;
	int64_t time;
};

static bool give(void *ctx, uint32_t from, uint32_t to, uint64_t n, uint64_t bytes)
{
	const struct giving *g = ctx;
	struct relation one = {
		.n_given = n, .bytes = bytes, .has_bytes = true, .first = g->time, .last = g->time
	};
	if (from == to || !relation_is_asked(g->a, g->time))
		return true;
	return relation_note(g->a, from, to, g->kind, g->name, &one) == 0;
}

/* NULL: no memory. */
static struct relation_stream *stream_of(struct relation_state *s, uint32_t name, unsigned end)
{
	uint32_t *at = mer_map_put(&s->streams_by_name, (uint64_t)name << 1 | end);
	if (!at)
		return NULL;
	if (!*at) {
		if (!mer_grow_at(&s->streams, &s->cap_streams, s->n_streams, sizeof(*s->streams)))
			return NULL;
		*at = (uint32_t)++s->n_streams;
	}
	return &s->streams[*at - 1];
}

/* Do all tasks that use this name use the same object? Then returns its kind, otherwise KERNEL. */
static enum relation_kind stream_kind(
	struct relation_state *s, const struct kernel_host *h, const struct relation_use *u)
{
	static const char pair[] = "socketpair#";
	if (u->object == KERNEL_NONE)
		return RELATION_KERNEL;
	if (u->kind == KERNEL_OBJECT_PIPE)
		return RELATION_PIPE;
	if (u->kind == KERNEL_OBJECT_UNIX &&
		strncmp(kernel_name_text(h, u->object), pair, sizeof(pair) - 1) == 0)
		return RELATION_UNIX;
	if (u->kind == KERNEL_OBJECT_FILE && s->fifos.n) {
		const uint32_t *at = mer_map_get(&s->fifos, u->object);
		if (at && *at)
			return RELATION_FIFO;
	}
	return RELATION_KERNEL;
}

static int through_stream(struct analysis_host *a, const struct kernel_call_end *c,
	const struct relation_use *u, enum relation_kind kind)
{
	bool writes = u->role == ROLE_WRITE;
	struct giving g = { a, kind, u->object, c->end };
	struct relation_stream *s = stream_of(relation_state(a), u->object,
		kind != RELATION_UNIX ? 0
		: writes	      ? u->end
				      : 1u - u->end);
	if (s && (writes ? relation_stream_write(s, c->task, c->begin, (uint64_t)c->ret, give, &g)
			 : relation_stream_read(s, c->task, c->end, (uint64_t)c->ret, give, &g)))
		return 0;
	return mer_fail_nomem(a->err);
}

/* The other end may be on another host: who reads there is only known when all hosts have been
 * read. */
static int note_run(struct analysis_host *a, const struct kernel_call_end *c,
	struct relation_flow *f, enum relation_way way)
{
	struct relation_state *s = relation_state(a);
	bool is_asked = !f->peer && relation_is_asked(a, c->end);
	struct relation_run *last = f->last_run[way] ? &s->runs[f->last_run[way] - 1] : NULL;
	if (last && last->task == c->task && last->is_asked == is_asked) {
		last->n++;
		last->bytes += (uint64_t)c->ret;
		last->last = c->end;
		return 0;
	}
	struct relation_run *r = mer_grow_at(&s->runs, &s->cap_runs, s->n_runs, sizeof(*r));
	if (!r)
		return mer_fail_nomem(a->err);
	*r = (struct relation_run){ .task = c->task,
		.is_asked = is_asked,
		.n = 1,
		.bytes = (uint64_t)c->ret,
		.first = c->end,
		.last = c->end };
	uint32_t number = (uint32_t)++s->n_runs;
	*(f->last_run[way] ? &s->runs[f->last_run[way] - 1].next : &f->first_run[way]) = number;
	f->last_run[way] = number;
	return 0;
}

/* Data belongs to the packet that was sent during the write, or to the next one. */
static void with_packet(struct relation_state *s, struct relation_flow *f,
	const struct kernel_call_end *c, uint64_t n, uint64_t bytes)
{
	struct relation_send *last = f->last_send ? &s->sends[f->last_send - 1] : NULL;
	if (last && last->time >= c->begin) {
		last->n += n;
		last->bytes += bytes;
		return;
	}
	if (!f->n)
		f->first = c->end;
	f->task = c->task;
	f->n += n;
	f->bytes += bytes;
	f->last = c->end;
}

static int through_flow(struct analysis_host *a, const struct kernel_host *h,
	const struct kernel_call_end *c, const struct relation_use *u)
{
	struct relation_state *s = relation_state(a);
	bool counted = u->role == ROLE_WRITE_N, no_memory = false, is_net;
	uint64_t n = counted ? (uint64_t)c->ret : 1, bytes = counted ? 0 : (uint64_t)c->ret;
	is_net = u->kind == KERNEL_OBJECT_SOCKET || u->kind == KERNEL_OBJECT_UNKNOWN;
	bool reads = u->role == ROLE_READ;
	uint32_t number =
		relation_flow_of(a, h, c->task, u->fd, u->kind == KERNEL_OBJECT_SOCKET, &no_memory);
	if (no_memory)
		return mer_fail_nomem(a->err);
	if (!number)
		return 0;
	struct relation_flow *f = &s->flows[number - 1];
	if (f->object == KERNEL_NONE)
		f->object = u->object;
	int rc = is_net && !counted ? note_run(a, c, f, reads ? RELATION_READS : RELATION_WRITES)
				    : 0;
	if (rc || reads || !relation_is_asked(a, c->end))
		return rc;
	if (!f->peer) {
		if (is_net)
			with_packet(s, f, c, n, bytes);
		return 0;
	}
	struct relation one = {
		.n_given = n, .bytes = bytes, .has_bytes = !counted, .first = c->end, .last = c->end
	};
	return f->peer - 1 == c->task
		       ? 0
		       : relation_note(a, c->task, f->peer - 1, (enum relation_kind)f->peer_kind,
				 u->object == KERNEL_NONE ? RELATION_NO_OBJECT : u->object, &one);
}

static int connected(struct analysis_host *a, const struct kernel_host *h,
	const struct kernel_call_end *c, const struct relation_use *u)
{
	enum { EINPROGRESS_ = 115, EINTR_ = 4 };
	bool no_memory = false;
	if (c->ret != 0 && c->ret != -EINPROGRESS_ && c->ret != -EINTR_)
		return 0;
	uint32_t number = relation_flow_of(a, h, c->task, u->fd, true, &no_memory);
	if (no_memory)
		return mer_fail_nomem(a->err);
	struct relation_flow *f = &relation_state(a)->flows[number - 1];
	f->is_connected = true;
	f->object = u->object;
	return 0;
}

/* Descriptors that this call made, or closed. */
static int note_descriptors(struct analysis_host *a, const struct kernel_host *h,
	const struct kernel_call_end *c, const struct relation_use *u)
{
	bool made = c->ret >= 0 && c->ret <= INT32_MAX;
	switch (c->kind) {
	case KERNEL_CALL_CLOSE:
		return u->fd >= 0 && relation_state(a)->n_flows
			       ? relation_flow_close(a, h, c->task, u->fd, -1)
			       : 0;
	case KERNEL_CALL_SOCKET:
	case KERNEL_CALL_ACCEPT:
		return !made || relation_flow_new(a, h, c->task, (int32_t)c->ret)
			       ? 0
			       : mer_fail_nomem(a->err);
	case KERNEL_CALL_DUP:
	case KERNEL_CALL_DUP_TO:
		return made && u->fd >= 0 && u->fd != c->ret && relation_state(a)->n_flows
			       ? relation_flow_close(a, h, c->task, (int32_t)c->ret, u->fd)
			       : 0;
	default: return 0;
	}
}

/* A receive with MSG_PEEK takes no data. */
static bool is_peek(const struct kernel_call_end *c)
{
	enum { MSG_PEEK_ = 2 };
	return c->kind == KERNEL_CALL_RECEIVE && c->args[KERNEL_ARG_RECEIVE_FLAGS] & MSG_PEEK_;
}

int relation_on_call(void *ctx, const struct kernel_host *h, const struct kernel_call_end *c)
{
	struct analysis_host *a = ctx;
	struct relation_state *s = relation_state(a);
	struct relation_use u = relation_use_of(h, c->call);
	int rc = note_descriptors(a, h, c, &u);
	if (rc)
		return rc;
	switch (u.role) {
	case ROLE_FUTEX:
	case ROLE_SIGNAL: return relation_end_of_wake(a, c, &u);
	case ROLE_ACCEPT: return relation_accepted(a, h, c);
	case ROLE_CONNECT: return u.fd >= 0 ? connected(a, h, c, &u) : 0;
	case ROLE_READ:
	case ROLE_WRITE:
	case ROLE_WRITE_N: break;
	default: return relation_on_memory(a, h, c, &u);
	}
	if (c->ret <= 0 || is_peek(c))
		return 0;
	enum relation_kind kind = stream_kind(s, h, &u);
	if (kind != RELATION_KERNEL)
		return u.role == ROLE_WRITE_N ? 0 : through_stream(a, c, &u, kind);
	if (u.fd < 0)
		return 0;
	return u.kind == KERNEL_OBJECT_SOCKET || u.kind == KERNEL_OBJECT_UNKNOWN ||
			       (u.role != ROLE_READ && (u.kind == KERNEL_OBJECT_UNIX ||
							       u.kind == KERNEL_OBJECT_EVENT))
		       ? through_flow(a, h, c, &u)
		       : 0;
}
