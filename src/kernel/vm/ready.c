/* Who waits for a CPU of a guest waits for its vCPU, too: while that is preempted, the hypervisor's
 * task that has the CPU is what the wait is for, whoever in the guest comes first. Exits that the
 * hypervisor handles at once belong to the task that is on the CPU, and are left out here. */
#include "kernel/vm/guests.h"

#include <stdlib.h>

#include "base/grow.h"
#include "base/lower_bound.h"

static bool is_long(const struct kernel_guest *g, uint32_t absence)
{
	uint8_t state = g->absences[absence].state;
	return state == KERNEL_VCPU_PREEMPTED || state == KERNEL_VCPU_HALTED;
}

bool kernel_guest_add_away(
	struct kernel_guest *g, struct mer_spill *spill, const struct kernel_edge *e)
{
	struct kernel_edge *last = g->n_aways ? &g->aways[g->n_aways - 1] : NULL;
	bool is_away = e->absence < KERNEL_NOT_KNOWN;
	bool was_away = last && last->cpu == e->cpu && last->absence != KERNEL_NONE;
	if (is_away ? !was_away && !is_long(g, e->absence) : !was_away)
		return true;
	if (!mer_spill_grow32(spill, &g->aways, g->n_aways, &g->cap_aways, sizeof(*g->aways)))
		return false;
	g->aways[g->n_aways] = *e;
	if (!is_away)
		g->aways[g->n_aways].absence = KERNEL_NONE;
	g->n_aways++;
	return true;
}

bool kernel_guest_add_move(struct kernel_guest *g, uint32_t span, int64_t time, uint16_t cpu)
{
	if (!mer_grow32(&g->moves, g->n_moves, &g->cap_moves, sizeof(*g->moves)))
		return false;
	g->moves[g->n_moves++] = (struct kernel_move){ time, span, cpu };
	return true;
}

static int compare_moves(const void *a, const void *b)
{
	const struct kernel_move *p = a, *q = b;
	if (p->span != q->span)
		return p->span < q->span ? -1 : 1;
	return (p->time > q->time) - (p->time < q->time);
}

void kernel_guest_sort_moves(struct kernel_guest *g)
{
	if (g->n_moves)
		qsort(g->moves, g->n_moves, sizeof(*g->moves), compare_moves);
}

struct kernel_ready kernel_guest_ready(
	const struct kernel_guest *g, uint32_t span, uint16_t cpu, int64_t begin, int64_t end)
{
	struct kernel_ready r = { .begin = begin, .absence = KERNEL_NONE, .cpu = cpu };
	MER_LOWER_BOUND(move, 0, g->n_moves, at,
		g->moves[at].span < span || (g->moves[at].span == span && g->moves[at].time < end));
	if (move < g->n_moves && g->moves[move].span == span)
		r.cpu = g->moves[move].cpu;
	if (move && g->moves[move - 1].span == span && g->moves[move - 1].time > begin)
		r.begin = g->moves[move - 1].time;
	MER_LOWER_BOUND(after, 0, g->n_aways, at,
		g->aways[at].cpu < r.cpu || (g->aways[at].cpu == r.cpu && g->aways[at].time < end));
	const struct kernel_edge *last = after ? &g->aways[after - 1] : NULL;
	if (!last || last->cpu != r.cpu)
		return r;
	r.absence = last->absence;
	if (last->time > r.begin)
		r.begin = last->time;
	return r;
}
