/* Why a table of views is empty: the reason that is known, and no other. */
#include <inttypes.h>
#include <string.h>

#include "base/plural.h"
#include "cli/reports/grid.h"
#include "kernel/world.h"
#include "views/states.h"

struct found { /* by views, on all hosts */
	uint64_t n_events, n_states;
	bool any_kernel; /* threads whose states the kernel's events tell */
};

static struct found found_by(const struct kernel_world *w)
{
	struct found f = { 0 };
	for (uint32_t h = 0; w && h < w->n_hosts; h++) {
		const struct view_host *v = w->hosts[h].views;
		f.n_events += v ? v->n_events : 0;
		f.n_states += v ? v->n_states : 0;
		f.any_kernel |= v && w->hosts[h].n_tasks;
	}
	return f;
}

/* What was found wrong with fields or, where there is none of that, with events. */
static bool put_findings(const struct cli_grid *g, struct mer_str *out)
{
	static const char *const codes[] = { "view-fields", "view-events" };
	const struct mer_diags *d = &g->e->diags;
	bool any = false;
	for (size_t k = 0; k < sizeof(codes) / sizeof(*codes) && !any; k++)
		for (size_t i = 0; i < d->n; i++)
			if (d->rows[i].severity == MER_WARNING &&
				strcmp(d->rows[i].code, codes[k]) == 0) {
				mer_str_printf(out, "%s%s.",
					any ? " " : "No states: ", d->rows[i].message);
				any = true;
			}
	return any;
}

void cli_grid_put_no_states(const struct cli_grid *g, struct mer_str *out)
{
	static const struct {
		const char *table, *why;
	} others[] = { { "top_value", "No values: no rule of the view added, took or set one." },
		{ "values", "No values: no rule of the view added, took or set one." },
		{ "top_arrow", "No arrows: no two events of the view belong together." },
		{ "arrows", "No arrows: no two events of the view belong together." },
		{ "marks", "No marks: no rule 'mark' of the view had an event." } };
	const struct found f = found_by(g->world);
	const char *table = g->n_printed == 1 ? g->tables[0].id : "";
	if (!f.n_states && put_findings(g, out))
		return;
	if (!f.n_events) {
		mer_str_puts(out,
			"No states: the events of the view did not occur, or were not recorded.");
		return;
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (strcmp(table, others[i].table) == 0) {
			mer_str_puts(out, others[i].why);
			return;
		}
	if (!f.n_states) {
		mer_str_printf(out, "No states: %" PRIu64 " %s, but none began one.", f.n_events,
			mer_plural(f.n_events, "event of the view occurred",
				"events of the view occurred"));
		return;
	}
	mer_str_printf(out, "There %s %" PRIu64 " %s, ", f.n_states == 1 ? "is" : "are", f.n_states,
		mer_plural(f.n_states, "state", "states"));
	mer_str_puts(out,
		strcmp(table, "waits") != 0 ? "but nothing of them that belongs here."
		: f.any_kernel
			? "but in none of them the kernel's events show a thread that is blocked."
			: "but what blocked threads in them only the kernel's events tell, which were not recorded.");
}
