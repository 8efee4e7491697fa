/* Sockets: what programs send and receive by system calls, by the name of the socket (its peer, where that
 * is known). Bytes are those of the programs, without headers and repetitions. Those of unix sockets are
 * told here only: they pass no network. */
#include <stdlib.h>

#include "analysis/cells.h"
#include "analysis/reports/io.h"
#include "analysis/reports/net.h"
#include "kernel/files/files.h"

static struct net_socket *socket_of(struct net_state *s, uint32_t task, uint32_t name)
{
	uint32_t *at = mer_map_put(&s->socket_map, (uint64_t)task << 32 | name);
	if (at && *at)
		return &s->sockets[*at - 1];
	struct net_socket *x =
		at ? mer_grow_at(&s->sockets, &s->cap_sockets, s->n_sockets, sizeof(*x)) : NULL;
	if (!x)
		return NULL;
	x->task = task;
	x->name = name;
	*at = (uint32_t)++s->n_sockets;
	return x;
}

int net_on_call(void *ctx, const struct kernel_host *h, const struct kernel_call_end *c)
{
	struct analysis_host *a = ctx;
	const struct analysis_options *o = a->run->options;
	struct net_state *s = a->state;
	const struct kernel_call *call = &h->calls[c->call];
	if (call->kind != KERNEL_OBJECT_SOCKET && call->kind != KERNEL_OBJECT_UNIX)
		return 0;
	uint32_t classes = kernel_call_classes(call->id);
	if (!(classes & (KERNEL_CALLS_READ | KERNEL_CALLS_WRITE)) ||
		!analysis_is_asked(o, c->begin) || !analysis_wants_task(a, h, c->task) ||
		!analysis_wants_cpu(a, c->cpu))
		return 0;
	int way = classes & KERNEL_CALLS_WRITE ? NET_SENT : NET_RECEIVED;
	struct net_socket *x = socket_of(s, c->task, call->object);
	if (!x)
		return mer_fail_nomem(a->err);
	x->is_unix = call->kind == KERNEL_OBJECT_UNIX;
	x->calls[way]++;
	x->bytes[way] += io_bytes_of(classes, c->ret);
	x->errors += c->ret < 0;
	x->total_ns += c->end > c->begin ? c->end - c->begin : 0;
	return 0;
}

const struct mer_column net_sockets_columns[] = { ANALYSIS_TASK_COLUMNS,
	{ "socket", "socket", MER_TEXT }, { "bytes", NULL, MER_BYTES },
	{ "sent_bytes", "sent", MER_BYTES }, { "received_bytes", "received", MER_BYTES },
	{ "sends", "sends", MER_COUNT }, { "receives", "receives", MER_COUNT },
	{ "errors", "errors", MER_COUNT }, { "total_ns", "time", MER_DURATION },
	{ "kind", "kind", MER_TEXT }, { 0 } };

void net_emit_sockets(struct analysis_run *run, struct mer_table *t)
{
	for (uint32_t host = 0; host < run->e->n_hosts; host++) {
		const struct net_state *s = run->states[host];
		for (size_t i = 0; i < s->n_sockets; i++) {
			const struct net_socket *x = &s->sockets[i];
			struct mer_cell c[ANALYSIS_TASK_CELLS + 9];
			analysis_task_cells(run, host, x->task, INT64_MAX, c);
			c[4] = x->name == KERNEL_NONE ? MER_NONE
						      : mer_text(kernel_name_text(
								&run->world->hosts[host], x->name));
			c[5] = MER_INT(x->bytes[NET_SENT] + x->bytes[NET_RECEIVED]);
			c[6] = MER_INT(x->bytes[NET_SENT]);
			c[7] = MER_INT(x->bytes[NET_RECEIVED]);
			c[8] = MER_INT(x->calls[NET_SENT]);
			c[9] = MER_INT(x->calls[NET_RECEIVED]);
			c[10] = MER_INT(x->errors);
			c[11] = MER_INT(x->total_ns);
			c[12] = mer_text(kernel_object_kind_name(
				x->is_unix ? KERNEL_OBJECT_UNIX : KERNEL_OBJECT_SOCKET));
			mer_table_add(t, c);
		}
	}
}
