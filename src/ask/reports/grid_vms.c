#include "ask/reports/grid_vms.h"

#include <stdlib.h>
#include <string.h>

#include "session/capabilities.h"

bool ask_grid_is_of_vms(const struct ask_grid *g)
{
	return g->analysis && strcmp(g->analysis->id, "vm") == 0; /* a summary is of none */
}

/* Are tables wanted that need to know which host is the guest of which VM? */
static bool wants_guests(const struct ask_grid *g)
{
	static const char *const of_hypervisor[] = { "vcpus", "exits", "log", "freq", "bins" };
	bool any = false;
	for (size_t i = 0; i < g->n_printed; i++) {
		const struct analysis_request *r = &g->requests[i];
		const char *id = r->analysis->outputs[r->output].id;
		bool is_one = false;
		for (size_t k = 0; k < sizeof(of_hypervisor) / sizeof(*of_hypervisor); k++)
			is_one |= strcmp(id, of_hypervisor[k]) == 0;
		any |= !is_one;
	}
	return any;
}

bool ask_grid_wants_bad(const struct ask_grid *g)
{
	const char *sync = g->ask->sync;
	const struct ask_grid_values *v = g->values;
	return ask_grid_is_of_vms(g) && wants_guests(g) && sync && strcmp(sync, "none") != 0 &&
	       strcmp(sync, "auto") != 0 && !v->group_by && !v->filter &&
	       !session_selects_tasks(&g->ask->select);
}

/* The table of ask_grid_wants_bad. */
static void warn_of_bad(const struct ask_grid *g)
{
	enum { MANY = 100 }; /* one of so many */
	for (size_t i = g->n_printed; i < g->n; i++) {
		const struct mer_table *t = &g->tables[i];
		size_t guest = mer_table_column(t, "guest"), events = mer_table_column(t, "events"),
		       bad = mer_table_column(t, "bad");
		bool is_it = strcmp(t->id, ASK_GRID_BAD) == 0 && guest != SIZE_MAX &&
			     events != SIZE_MAX && bad != SIZE_MAX;
		for (size_t r = 0; is_it && r < t->n_rows; r++) {
			const struct mer_cell *row = &t->cells[r * t->n_columns];
			if (row[bad].v.i * MANY < row[events].v.i || !row[bad].v.i)
				continue;
			ask_warn(g->ask,
				"by the clocks of %s %.0f %% of the events of %s happened while its CPUs were not in it, which cannot be: these times are wrong ('meridian top vm --table bad' has by how much)",
				g->ask->sync, 100 * (double)row[bad].v.i / (double)row[events].v.i,
				row[guest].v.text);
		}
	}
}

static bool has_entries(const struct capability_host *h)
{
	return h->declared[CAPABILITY_VM_ENTRY];
}

static void warn_of_unknown(const struct ask_grid *g, const struct capability_host *hosts)
{
	struct ask *ask = g->ask;
	uint32_t n_others = 0;
	for (uint32_t h = 0; h < g->e->n_hosts; h++)
		n_others += !has_entries(&hosts[h]);
	if (!n_others)
		ask_warn(ask,
			"no traced host can be the guest of these VMs: to see the tasks in them, trace the guests, too");
	else if (ask->sync && strcmp(ask->sync, "none") == 0)
		ask_warn(ask,
			"tasks of guests are left out: --sync none does not match guests to VMs; omit it, or use --sync FILE");
	else
		ask_warn(ask,
			"tasks of guests are left out: which traced host, if any, is the guest of which VM was not found ('meridian sync' has the VMs and what is missing); if you know it, say so: --vm GUEST=HOST:PID");
}

int ask_grid_warn_of_guests(const struct ask_grid *g, const struct sync_result *r)
{
	if (!ask_grid_is_of_vms(g) || !wants_guests(g))
		return 0;
	warn_of_bad(g);
	struct capability_host *hosts = calloc((size_t)g->e->n_hosts + 1, sizeof(*hosts));
	bool any_entries = false, any_guest = false;
	if (!hosts)
		return mer_fail_nomem(&g->ask->err);
	capability_declared(g->e, hosts);
	for (uint32_t h = 0; h < g->e->n_hosts; h++)
		any_entries |= has_entries(&hosts[h]);
	for (uint32_t i = 0; r && i < r->n_vms; i++) {
		uint32_t guest = r->vms[i].guest;
		if (guest >= g->e->n_hosts)
			continue;
		any_guest = true;
		if (!hosts[guest].declared[CAPABILITY_SWITCH] &&
			session_selects_host(&g->ask->select, g->e->hosts[guest].name))
			ask_warn(g->ask,
				"tasks of %s are left out: it is a guest, but its context switches were not recorded; to record them, on it: %s%s",
				g->e->hosts[guest].name, trace_tool_command(hosts[guest].tool),
				capability_event_typed(CAPABILITY_SWITCH, hosts[guest].tool));
	}
	if (any_entries && !any_guest)
		warn_of_unknown(g, hosts);
	free(hosts);
	return 0;
}
