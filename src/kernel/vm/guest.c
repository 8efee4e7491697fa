/* What is known of a guest (guests.h), asked, and given back. */
#include "kernel/vm/guests.h"

#include <stdlib.h>

#include "base/lower_bound.h"
#include "base/spill.h"

const char *kernel_absence_words(const struct kernel_guest *g, uint32_t absence)
{
	return g && absence < g->n ? kernel_guest_text(g, g->absences[absence].words) : "";
}

int64_t kernel_guest_known(const struct kernel_guest *g, uint16_t cpu, int64_t time, bool *is_known)
{
	MER_LOWER_BOUND(after, 0, g->n_known, at,
		g->known[at].cpu < cpu || (g->known[at].cpu == cpu && g->known[at].time <= time));
	*is_known = after && g->known[after - 1].cpu == cpu &&
		    g->known[after - 1].absence != KERNEL_NOT_KNOWN;
	return after < g->n_known && g->known[after].cpu == cpu ? g->known[after].time : INT64_MAX;
}

void kernel_guest_free(struct kernel_guest *g)
{
	if (!g)
		return;
	mer_spill_release(g->edges);
	mer_spill_release(g->aways);
	free(g->moves);
	free(g->relays);
	free(g->known);
	free(g->absences);
	free(g->texts);
	free(g);
}
