#include "kernel/oncpu.h"

static void find_next(struct kernel_holes *h)
{
	const struct kernel_losses *l = h->losses;
	h->next = INT64_MAX;
	if (!l)
		return;
	if (h->n_begun < l->n)
		h->next = l->by_begin[h->n_begun].begin + 1;
	if (h->n_ended < l->n && l->by_begin[l->by_end[h->n_ended]].end < h->next)
		h->next = l->by_begin[l->by_end[h->n_ended]].end;
}

void kernel_holes_init(struct kernel_holes *h, const struct kernel_losses *losses)
{
	*h = (struct kernel_holes){ .losses = losses };
	find_next(h);
}

bool kernel_holes_pass(struct kernel_holes *h, int64_t ts, struct kernel_hole_edge *edge)
{
	const struct kernel_losses *l = h->losses;
	if (h->next > ts || !l || h->n_ended == l->n)
		return false;
	edge->is_begin = h->n_begun < l->n && l->by_begin[h->n_begun].begin < h->next;
	edge->number = edge->is_begin ? h->n_begun++ : l->by_end[h->n_ended++];
	edge->loss = &l->by_begin[edge->number];
	find_next(h);
	return true;
}
