/* What tables of views need besides: why one is empty (the reason that is known, and no other), and
 * the colors of states for pictures. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/plural.h"
#include "ask/reports/grid.h"
#include "kernel/world.h"
#include "views/states.h"

/* ---- why a table is empty ---- */

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
static bool put_findings(const struct ask_grid *g, struct mer_str *out)
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

void ask_grid_put_no_states(const struct ask_grid *g, struct mer_str *out)
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
		strcmp(table, "waits") != 0 ? "but this table has nothing of them."
		: f.any_kernel
			? "but in none of them the kernel's events show a thread that is blocked."
			: "but only events of the kernel show what blocked threads in them, and these were not recorded.");
}

/* ---- colors ---- */

struct ask_grid_colors {
	const struct kernel_world *world;
	struct mer_map *of; /* by host: view << 32 | word of the state -> color, plus 1 */
};

/* As the states have them: a rule may say another one than the view. */
static bool gather_colors(struct mer_map *of, const struct view_host *v)
{
	for (uint32_t i = 0; v && i < v->n_states; i++) {
		const struct view_state *s = &v->states[i];
		uint32_t *at = mer_map_put(of, (uint64_t)v->rows[s->row].view << 32 | s->word);
		if (!at)
			return false;
		*at = *at ? *at : s->colour + 1;
	}
	return true;
}

int ask_grid_colors_new(const struct ask_grid *g, struct ask_grid_colors **colors)
{
	struct ask_grid_colors *c = *colors = calloc(1, sizeof(*c));
	if (!c)
		return mer_fail_nomem(&g->ask->err);
	c->world = g->world;
	c->of = calloc((g->world ? g->world->n_hosts : 0) + 1u, sizeof(*c->of));
	bool ok = c->of;
	for (uint32_t h = 0; ok && g->world && h < g->world->n_hosts; h++)
		ok = gather_colors(&c->of[h], g->world->hosts[h].views);
	return ok ? 0 : mer_fail_nomem(&g->ask->err);
}

uint32_t ask_grid_color(const void *colors, const char *view, const char *state)
{
	const struct ask_grid_colors *c = colors;
	for (uint32_t h = 0; c->world && h < c->world->n_hosts; h++) {
		const struct view_host *v = c->world->hosts[h].views;
		uint32_t word = v ? mer_intern_find(&v->words, state, strlen(state)) : VIEW_NONE;
		for (uint32_t i = 0; word != VIEW_NONE && i < v->of->n_views; i++) {
			const uint32_t *at = mer_map_get(&c->of[h], (uint64_t)i << 32 | word);
			if (at && *at && strcmp(v->of->views[i]->name, view) == 0)
				return *at;
		}
	}
	return 0;
}

void ask_grid_colors_free(struct ask_grid_colors *c)
{
	for (uint32_t h = 0; c && c->of && c->world && h < c->world->n_hosts; h++)
		mer_map_fini(&c->of[h]);
	if (c)
		free(c->of);
	free(c);
}
