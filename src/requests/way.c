#include "requests/way.h"

bool requests_way_may_be_known(const struct kernel_world *w, const struct requests_part *p)
{
	if (p->in_flight || p->delivery || p->held || p->is_kernels || p->span == KERNEL_NONE)
		return false;
	const struct kernel_host *h = &w->hosts[p->host];
	uint32_t packet = kernel_span(h, kernel_wait_end(h, p->span))->source;
	return packet != KERNEL_NONE && kernel_bridge_at(w, packet)->from.span == KERNEL_NONE;
}

int requests_way_find(const struct kernel_world *w, const struct requests_part *wait,
	uint32_t after, struct path *way, bool *is_known, struct mer_err *err)
{
	*way = (struct path){ 0 };
	*is_known = false;
	/* What follows a piece of a wait is not the end of the wait. */
	if (kernel_wait_end(&w->hosts[wait->host], wait->span) != wait->span)
		after = KERNEL_NONE;
	int rc = path_find_before(
		w, wait->host, wait->task, after, wait->begin, wait->end, way, err);
	*is_known =
		rc == 0 && way->n_segments && way->begin == wait->begin && way->end == wait->end;
	for (size_t i = 0; *is_known && i < way->n_segments; i++) {
		const struct path_segment *s = &way->segments[i];
		*is_known =
			s->task == KERNEL_NONE || (s->host == wait->host && s->task == wait->task);
	}
	return rc;
}

struct requests_part requests_part_of(const struct path_segment *s, uint32_t exchange)
{
	struct requests_part part = requests_part_blank(s->host, s->task, exchange);
	part.begin = s->begin;
	part.end = s->end;
	part.cause = s->cause;
	part.kind = (uint8_t)requests_part_kind_of(&part);
	part.in_flight = s->in_flight;
	part.delivery = s->delivery;
	part.held = s->held;
	part.is_kernels = s->task == KERNEL_NONE && s->cause != PATH_UNKNOWN;
	if (s->in_flight || s->delivery || s->held)
		part.packet = s->source;
	part.span = s->span;
	part.depth = s->depth;
	return part;
}
