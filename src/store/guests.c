#include "store/guests.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/host.h"
#include "store/heads.h"
#include "store/numbers.h"
#include "store/types.h"

/* Columns of STORE_AWAYS. */
enum {
	COUNTS,
	AWAY_TIME,
	AWAY_ABSENCE,
	AWAY_CPU,
	MOVE_TIME,
	MOVE_SPAN,
	MOVE_CPU,
	RELAY_ENTERED,
	RELAY_SENT,
	RELAY_REQUEST,
	RELAY_VCPU,
	RELAY_BY
};

#define COLUMN(name_, struct_, member_, type_)                                                     \
	static uint64_t get_##name_(const void *rows, size_t i)                                    \
	{                                                                                          \
		return (uint64_t)((const struct struct_ *)rows)[i].member_;                        \
	}                                                                                          \
	static void set_##name_(void *rows, size_t i, uint64_t v)                                  \
	{                                                                                          \
		((struct struct_ *)rows)[i].member_ = (type_)v;                                    \
	}
COLUMN(away_time, kernel_edge, time, int64_t)
COLUMN(away_absence, kernel_edge, absence, uint32_t)
COLUMN(away_cpu, kernel_edge, cpu, uint16_t)
COLUMN(move_time, kernel_move, time, int64_t)
COLUMN(move_span, kernel_move, span, uint32_t)
COLUMN(move_cpu, kernel_move, cpu, uint16_t)
COLUMN(relay_entered, kernel_relay, entered, int64_t)
COLUMN(relay_sent, kernel_relay, sent, int64_t)
COLUMN(relay_request, kernel_relay, request, uint32_t)
COLUMN(relay_vcpu, kernel_relay, vcpu, uint32_t)
COLUMN(relay_by, kernel_relay, by, uint32_t)

static const struct column {
	uint32_t number;
	enum store_packing packing;
	uint64_t (*get)(const void *rows, size_t i);
	void (*set)(void *rows, size_t i, uint64_t v);
} away_columns[] = { { AWAY_TIME, STORE_DELTA, get_away_time, set_away_time },
	{ AWAY_ABSENCE, STORE_PLAIN, get_away_absence, set_away_absence },
	{ AWAY_CPU, STORE_DELTA, get_away_cpu, set_away_cpu }, { 0 } },
  move_columns[] = { { MOVE_TIME, STORE_DELTA, get_move_time, set_move_time },
	  { MOVE_SPAN, STORE_DELTA, get_move_span, set_move_span },
	  { MOVE_CPU, STORE_PLAIN, get_move_cpu, set_move_cpu }, { 0 } },
  relay_columns[] = { { RELAY_ENTERED, STORE_DELTA, get_relay_entered, set_relay_entered },
	  { RELAY_SENT, STORE_DELTA, get_relay_sent, set_relay_sent },
	  { RELAY_REQUEST, STORE_DELTA, get_relay_request, set_relay_request },
	  { RELAY_VCPU, STORE_PLAIN, get_relay_vcpu, set_relay_vcpu },
	  { RELAY_BY, STORE_PLAIN, get_relay_by, set_relay_by }, { 0 } };

static void put(struct store_writer *w, uint32_t host, const struct column *columns,
	const void *rows, size_t n)
{
	for (size_t i = 0; columns[i].get; i++)
		store_put_numbers(w, STORE_AWAYS, host, columns[i].number, columns[i].packing,
			columns[i].get, rows, n);
}

static bool get(const struct store_file *f, uint32_t host, const struct column *columns, void *rows,
	size_t n)
{
	bool ok = true;
	for (size_t i = 0; columns[i].get && ok; i++)
		ok = store_get_numbers(
			f, STORE_AWAYS, host, columns[i].number, columns[i].set, rows, n);
	return ok;
}

void store_put_guest(struct store_writer *w, uint32_t host, const struct kernel_guest *g)
{
	const struct store_away_counts counts = { g->n_aways, g->n_moves, g->n_relays,
		g->hypervisor };
	store_put_section(w, STORE_ABSENCES, host, 0, g->absences, g->n, sizeof(*g->absences));
	store_put_section(w, STORE_ABSENCE_TEXTS, host, 0, g->texts, g->n_texts, 1);
	store_put_section(w, STORE_AWAYS, host, COUNTS, &counts, 1, sizeof(counts));
	put(w, host, away_columns, g->aways, g->n_aways);
	put(w, host, move_columns, g->moves, g->n_moves);
	put(w, host, relay_columns, g->relays, g->n_relays);
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
	g->hypervisor = counts->hypervisor;
	return get(f, host, away_columns, g->aways, g->n_aways) &&
			       get(f, host, move_columns, g->moves, g->n_moves) &&
			       get(f, host, relay_columns, g->relays, g->n_relays)
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
