#include "sync/match/covers.h"

static uint32_t place_of(const struct sync_end *flow)
{
	return sync_hash(0, flow->addresses, flow->ports) % SYNC_COVERS;
}

void sync_cover(struct sync_covers *c, const struct sync_end *flow, uint32_t begin, uint32_t end,
	uint32_t host)
{
	c->of[place_of(flow)] =
		(struct sync_cover){ flow->addresses, flow->ports, begin, end, host };
}

bool sync_is_within_cover(const struct sync_covers *c, const struct sync_end *e)
{
	uint32_t payload = sync_payload(e->len, e->head);
	if (!payload || !e->addresses)
		return false;
	const struct sync_cover *x = &c->of[place_of(e)];
	uint32_t size = x->end - x->begin;
	return x->addresses == e->addresses && x->ports == e->ports && e->seq - x->begin < size &&
	       e->seq + payload - x->begin <= size;
}

bool sync_is_covered(const struct sync_covers *c, const struct sync_end *e)
{
	if (!sync_is_within_cover(c, e))
		return false;
	bool is_there = c->of[place_of(e)].host == e->host;
	return is_there != e->is_send;
}
