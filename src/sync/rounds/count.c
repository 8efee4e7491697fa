#include "sync/rounds/count.h"

#include <inttypes.h>
#include "base/plural.h"
#include "sync/advice.h"

static void count_link(const struct sync_messages *m, const struct sync_pairs *pairs, size_t link,
	struct sync_pair *p)
{
	if (link == SYNC_NO_LINK || !m->links[link].kinds)
		return;
	const struct sync_link *l = &m->links[link];
	const uint8_t *out = pairs->out[link];
	for (size_t k = 0; k < l->n; k++) {
		if (l->kinds[k] != SYNC_ROUND)
			continue;
		p->n_rounds++;
		p->n_rounds_rejected += out && out[k];
	}
}

void sync_count_rounds(const struct sync_messages *m, const struct sync_pairs *pairs, size_t i,
	struct sync_pair *p)
{
	p->n_rounds = p->n_rounds_rejected = 0;
	count_link(m, pairs, pairs->pairs[i].ab, p);
	count_link(m, pairs, pairs->pairs[i].ba, p);
}

void sync_advise_rounds(struct sync_result *r)
{
	for (size_t i = 0; i < r->n_pairs; i++) {
		const struct sync_pair *p = &r->pairs[i];
		r->hosts[p->a].n_rounds += p->n_rounds;
		r->hosts[p->b].n_rounds += p->n_rounds;
		if (!p->n_rounds_rejected)
			continue;
		struct mer_diag d = sync_advice_on(r, MER_WARNING, "sync-rounds-rejected", p->b);
		d.count = p->n_rounds_rejected;
		mer_diag_add(&r->diags, &d,
			"%" PRIu64 " of %" PRIu64
			" measurements of the recorder between %s and %s %s all others: a clock was set, or manifest.json is not of these traces",
			p->n_rounds_rejected, p->n_rounds, r->hosts[p->a].name, r->hosts[p->b].name,
			mer_plural(p->n_rounds_rejected, "contradicts", "contradict"));
	}
	for (uint32_t h = 0; h < r->n_hosts; h++) {
		struct sync_host *host = &r->hosts[h];
		if (!host->n_rounds || host->n_matched)
			continue;
		struct mer_diag d = sync_advice_on(r, MER_NOTE, "sync-rounds-alone", h);
		d.count = host->n_rounds;
		mer_diag_add(&r->diags, &d,
			"no message between %s and another host is in the traces: its clock is known from the measurements of meridian record alone",
			host->name);
	}
}
