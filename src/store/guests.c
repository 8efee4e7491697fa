#include "store/guests.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/host.h"
#include "store/columns.h"
#include "store/heads.h"
#include "store/types.h"

static const struct store_column away_columns[] = { STORE_COLUMN(kernel_edge, time, DELTA),
	STORE_COLUMN(kernel_edge, absence, PLAIN), STORE_COLUMN(kernel_edge, cpu, DELTA) };
static const struct store_column move_columns[] = { STORE_COLUMN(kernel_move, time, DELTA),
	STORE_COLUMN(kernel_move, span, DELTA), STORE_COLUMN(kernel_move, cpu, PLAIN) };
static const struct store_column relay_columns[] = { STORE_COLUMN(kernel_relay, entered, DELTA),
	STORE_COLUMN(kernel_relay, sent, DELTA), STORE_COLUMN(kernel_relay, request, DELTA),
	STORE_COLUMN(kernel_relay, vcpu, PLAIN), STORE_COLUMN(kernel_relay, by, PLAIN) };
static const struct store_columns aways = STORE_COLUMNS(kernel_edge, away_columns);
static const struct store_columns moves = STORE_COLUMNS(kernel_move, move_columns);
static const struct store_columns relays = STORE_COLUMNS(kernel_relay, relay_columns);
/* Numbers of STORE_AWAYS: of the counts, and of the first column of each. */
enum { COUNTS, AWAYS, MOVES = AWAYS + 3, RELAYS = MOVES + 3 };

void store_put_guest(struct store_writer *w, uint32_t host, const struct kernel_guest *g)
{
	const struct store_away_counts counts = { g->n_aways, g->n_moves, g->n_relays,
		g->hypervisor };
	store_put_section(w, STORE_ABSENCES, host, 0, g->absences, g->n, sizeof(*g->absences));
	store_put_section(w, STORE_ABSENCE_TEXTS, host, 0, g->texts, g->n_texts, 1);
	store_put_section(w, STORE_AWAYS, host, COUNTS, &counts, 1, sizeof(counts));
	store_put_columns(w, STORE_AWAYS, host, AWAYS, &aways, g->aways, g->n_aways);
	store_put_columns(w, STORE_AWAYS, host, MOVES, &moves, g->moves, g->n_moves);
	store_put_columns(w, STORE_AWAYS, host, RELAYS, &relays, g->relays, g->n_relays);
}

static int refuse(struct mer_err *err)
{
	return mer_fail(err, MER_ERR_INPUT, "absences of a guest that cannot be");
}

static bool fits(const struct kernel_guest *g, const struct kernel_host *hosts, uint32_t n_hosts,
	uint32_t n_requests)
{
	bool ok = g->n_relays == 0 || g->hypervisor < n_hosts;
	uint32_t n_spans = ok && g->n_relays ? hosts[g->hypervisor].n_spans : 0;
	for (uint32_t i = 0; i < g->n_relays; i++) {
		const struct kernel_relay *r = &g->relays[i];
		ok &= r->request < n_requests && r->vcpu < n_spans &&
		      (r->by == KERNEL_NONE || r->by < n_spans);
	}
	for (uint32_t i = 0; i < g->n; i++)
		ok &= g->absences[i].thread == KERNEL_NONE || g->absences[i].thread < g->n;
	for (uint32_t i = 0; i < g->n_aways; i++)
		ok &= g->aways[i].absence == KERNEL_NONE || g->aways[i].absence < g->n;
	return ok;
}

/* Reads when the guest's CPUs were not running; needed for tasks that wait for them. */
static int get_aways(const struct store_file *f, uint32_t host, const struct kernel_host *h,
	struct kernel_guest *g, struct mer_err *err)
{
	uint64_t n = 0;
	const struct store_away_counts *counts =
		store_find(f, STORE_AWAYS, host, COUNTS, sizeof(*counts), &n);
	if (!counts || n != 1 || counts->n_aways >= KERNEL_NONE || counts->n_moves >= KERNEL_NONE ||
		counts->n_relays >= KERNEL_NONE)
		return refuse(err);
	g->aways = mer_spill_array(h->log.spill, (size_t)counts->n_aways + 1, sizeof(*g->aways));
	g->moves = calloc((size_t)counts->n_moves + 1, sizeof(*g->moves));
	g->relays = calloc((size_t)counts->n_relays + 1, sizeof(*g->relays));
	if (!g->aways || !g->moves || !g->relays)
		return mer_fail_nomem(err);
	g->n_aways = counts->n_aways;
	g->n_moves = counts->n_moves;
	g->n_relays = counts->n_relays;
	g->hypervisor = store_host_of(f, counts->hypervisor);
	return store_get_columns(f, STORE_AWAYS, host, AWAYS, &aways, g->aways, g->n_aways) &&
			       store_get_columns(
				       f, STORE_AWAYS, host, MOVES, &moves, g->moves, g->n_moves) &&
			       store_get_columns(f, STORE_AWAYS, host, RELAYS, &relays, g->relays,
				       g->n_relays)
		       ? 0
		       : refuse(err);
}

int store_get_guest(const struct store_file *f, uint32_t host, struct kernel_host *hosts,
	uint32_t n_hosts, struct mer_err *err)
{
	struct kernel_host *h = &hosts[host];
	uint64_t n = 0, bytes = 0;
	const struct kernel_absence *rows =
		store_find(f, STORE_ABSENCES, host, 0, sizeof(*rows), &n);
	const char *texts = store_find(f, STORE_ABSENCE_TEXTS, host, 0, 1, &bytes);
	if (!rows)
		return 0;
	if (!texts || !bytes || texts[bytes - 1] || n >= KERNEL_NONE || bytes >= KERNEL_NONE)
		return refuse(err);
	int rc;
	struct kernel_guest *g = h->guest = calloc(1, sizeof(*g));
	if (!g)
		return mer_fail_nomem(err);
	g->absences = malloc(((size_t)n + 1) * sizeof(*g->absences));
	g->texts = malloc((size_t)bytes);
	if (!g->absences || !g->texts)
		return mer_fail_nomem(err);
	memcpy(g->absences, rows, (size_t)n * sizeof(*rows));
	memcpy(g->texts, texts, (size_t)bytes);
	g->n = g->cap = (uint32_t)n;
	g->n_texts = g->cap_texts = (uint32_t)bytes;
	rc = get_aways(f, host, h, g, err);
	return rc || fits(g, hosts, n_hosts, h->n_requests) ? rc : refuse(err);
}
